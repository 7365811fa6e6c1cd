"""Captured variables as attributes of cells: the text before and after."""

from __future__ import annotations

import ast

import gast

from autograph_jit.converters.cells import use_cells
from autograph_jit.syntax.names import Namer, identifiers
from tests.tables import table

COUNTER = (
    """
def made(k):
    n = k
    def tick(step=n):
        nonlocal n
        n += step
        return n
    n, m = 2 * n, 1
    return tick
""",
    """
def made(k):
    cell_of_n = ag__.new_cell('f', 1, 'n', k)
    def tick(step=cell_of_n.contents):
        pass
        cell_of_n.captured += step
        return cell_of_n.captured
    cell_of_n.contents, m = (2 * cell_of_n.contents, 1)
    return tick
""",
)
PARAMETER = (
    """
def made(n):
    'Text.'
    f = lambda: n
    n = 1
    return f
""",
    """
def made(n):
    'Text.'
    cell_of_n = ag__.new_cell('f', 1, 'n', n)
    f = lambda: cell_of_n.captured
    cell_of_n.contents = 1
    return f
""",
)
ITSELF = (
    """
def made():
    def n(k):
        return n(k - 1)
    return n
""",
    """
def made():
    cell_of_n = ag__.new_cell('f', 1, 'n')
    def n(k):
        return cell_of_n.captured(k - 1)
    cell_of_n.contents = n
    return cell_of_n.contents
""",
)
SEVERAL = (
    """
def made(k):
    m, (n, *_) = k
    n += 1
    return lambda: n
""",
    """
def made(k):
    m, (n, *_) = k
    cell_of_n = ag__.new_cell('f', 1, 'n', n)
    cell_of_n.contents += 1
    return lambda: cell_of_n.captured
""",
)
LOOP = (
    """
def made(k):
    f = lambda: n
    for n in k:
        g = lambda n: n
    return f
""",
    """
def made(k):
    cell_of_n = ag__.new_cell('f', 1, 'n')
    f = lambda: cell_of_n.captured
    for cell_of_n.contents in k:
        g = lambda n: n
    return f
""",
)
NOT_CAPTURED = ("def made(n):\n    n = 1\n    return n",) * 2
IN_HANDLER = ("def made(k):\n    f = lambda: n\n    try:\n        k()\n    except E as n:\n        pass\n    return f",) * 2
IN_CLASS = ("def made(n):\n    f = lambda: n\n    class C:\n        n = 1\n    n = 2\n    return f",) * 2


@table("case", [COUNTER, PARAMETER, ITSELF, SEVERAL, LOOP, NOT_CAPTURED, IN_HANDLER, IN_CLASS])
def test_a_captured_variable_becomes_an_attribute(case: tuple[str, str]) -> None:
    before, after = case
    node = gast.parse(before.lstrip()).body[0]
    use_cells(node, [("f", 1, "n")], Namer(identifiers(node)))
    assert ast.unparse(gast.gast_to_ast(node)) == ast.unparse(ast.parse(after))
