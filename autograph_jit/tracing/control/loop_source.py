"""A loop of the user's as a function of its own: the statement as it was written, whose variables are those of the functions around it.

Before: `for line in lines: words += line.split(); n += 1`
After:  `def loop(): nonlocal words, n; for line in items: words += line.split(); n += 1`, with `items`, `words` and `n` from outside.
"""

from __future__ import annotations

import ast
import copy
import functools
import linecache
from collections.abc import Iterator
from types import CodeType

from autograph_jit.records import dataclass
from autograph_jit.source import codes_in

ITEMS, LOOP = "_items_of_the_loop", "_loop"  # what a `for` goes through; the function
NOT_CONVERTIBLE = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.AsyncFor, ast.AsyncWith, ast.ClassDef)
OF_THE_FRAME = frozenset(("super", "__class__", "locals", "vars", "dir", "eval", "exec"))
Loop = ast.For | ast.While


@dataclass(frozen=True, slots=True)
class LoopSource:
    """A loop's own code as that of a function without arguments, and the variables that it assigns."""

    code: CodeType
    assigned: frozenset[str]


@dataclass(frozen=True, slots=True)
class LoopPlace:
    """Where a loop stands: the file, the line of its iterable or condition, the last line of its body, and the variables that the functions
    around it share with it."""

    filename: str
    line: int
    last: int
    variables: frozenset[str]

    def source(self) -> LoopSource | None:
        """The loop as it was written; None where it cannot be told, or has no meaning outside of its function."""
        text = "".join(linecache.getlines(self.filename))
        return code_of_loop(text, self) if text else None


def last_line(code: CodeType) -> int:
    """The last line of a function."""
    return max((line for _, _, line in code.co_lines() if line is not None), default=0)


@functools.lru_cache(maxsize=64)
def code_of_loop(text: str, place: LoopPlace) -> LoopSource | None:
    """The same of a file with this text."""
    found = [loop for loop in loops_of(text) if stands_in(loop, place.line, place.last)]
    if len(found) != 1 or not is_apart(found[0]):
        return None
    assigned = assigned_names(found[0], place.filename) & place.variables
    return LoopSource(compile_loop(found[0], place.filename, assigned, place.variables), assigned)


@functools.lru_cache(maxsize=16)
def loops_of(text: str) -> tuple[Loop, ...]:
    """All loops of a file."""
    try:
        return tuple(node for node in ast.walk(ast.parse(text)) if isinstance(node, Loop))
    except (SyntaxError, ValueError, RecursionError):  # a notebook's magic, a file that was changed meanwhile
        return ()


def stands_in(loop: Loop, line: int, last: int) -> bool:
    """Whether a loop begins in this line, with a body in others: what a comprehension in its first line goes through is not the loop's."""
    head = loop.iter if isinstance(loop, ast.For) else loop.test
    first = loop.body[0].lineno
    return head.lineno == line and (head.end_lineno or line) < first <= last <= (loop.end_lineno or first)


def is_apart(loop: Loop) -> bool:
    """Whether a loop means the same in a function of its own: nothing leaves the function, and it asks nothing of its frame."""
    if loop.orelse:
        return False
    for node in inside(loop):
        if isinstance(node, NOT_CONVERTIBLE) or isinstance(node, ast.Name) and node.id in OF_THE_FRAME:
            return False
        if any(name.startswith("__") and not name.endswith("__") for name in names_in_node(node)):
            return False  # a class may have made another name of it
    return True


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """What a statement consists of; of functions that it defines only where they stand."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from inside(child)
        else:
            yield from (found for found in ast.walk(child) if isinstance(found, (ast.Name, ast.Attribute, ast.Nonlocal, ast.Global)))


def names_in_node(node: ast.AST) -> Iterator[str]:
    """The names that a node has."""
    for field in ("id", "attr", "name", "arg"):
        name = getattr(node, field, None)
        if isinstance(name, str):
            yield name


class WithoutAnnotations(ast.NodeTransformer):
    """`x: T = v` becomes `x = v`: an annotated variable cannot be one of another function. What inner functions annotate is their own."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if not isinstance(node.target, ast.Name):
            return node
        return ast.copy_location(ast.Pass() if node.value is None else ast.Assign([node.target], node.value), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node


def assigned_names(loop: Loop, filename: str) -> frozenset[str]:
    """The variables that a loop assigns."""
    code = compile_loop(loop, filename, frozenset(), frozenset())
    return frozenset((*code.co_varnames, *code.co_cellvars))


def compile_loop(loop: Loop, filename: str, assigned: frozenset[str], variables: frozenset[str]) -> CodeType:
    """The code of the function: `variables` are free in it, those that are assigned by `nonlocal`."""
    statement = WithoutAnnotations().visit(copy.deepcopy(loop))
    if isinstance(statement, ast.For):
        statement.iter = ast.copy_location(ast.Name(ITEMS, ast.Load()), statement.iter)
    module = ast.parse(f"def around({', '.join(sorted({*variables, ITEMS}))}):\n def {LOOP}(): pass")
    around = module.body[0]
    assert isinstance(around, ast.FunctionDef)
    function = around.body[0]
    assert isinstance(function, ast.FunctionDef)
    declared: list[ast.stmt] = [ast.Nonlocal(sorted(assigned))] if assigned else []
    function.body = [*declared, statement]
    ast.copy_location(function, loop)
    made = compile(ast.fix_missing_locations(module), filename, "exec", dont_inherit=True)
    return next(code for code in codes_in(made) if code.co_name == LOOP)
