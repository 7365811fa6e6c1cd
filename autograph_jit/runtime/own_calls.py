"""The user's own function with calls of its own name that go straight to itself, for recursions of functions that run in Python.

Before: `def walk(n): return walk(n - 1)`, where `walk` names the compiled function.
After: `def walk(n): return (plain if walk is compiled else walk)(n - 1)`; every other use of the name stays what it is.
"""

from __future__ import annotations
import __future__ as future

import ast
from types import CellType, CodeType, FunctionType
from typing import Any

from autograph_jit.source import codes_in, codes_of, source_text

PLAIN, COMPILED, OWN = "_own_plain_function", "_own_compiled_function", "_own_function"
FUTURES = sum(getattr(future, name).compiler_flag for name in future.all_feature_names)


def with_own_calls(function: Any, compiled: object) -> Any:
    """The function as it would run if `compiled`, under the function's own name, were the function; the function itself where it does not
    call its name or its code is not what its source says."""
    if not isinstance(function, FunctionType) or function.__code__.co_name not in names_in(function.__code__):
        return function
    code = rewritten_code(function)
    if code is None:
        return function
    plain, own = CellType(), CellType(compiled)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ())) | {PLAIN: plain, COMPILED: own}
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__, made.__module__ = function.__kwdefaults__, function.__module__
    plain.cell_contents = made
    return made


def rewritten_code(function: FunctionType) -> CodeType | None:
    """The function's code with its own calls rewritten; None where the source does not give this code."""
    code, text = function.__code__, source_text(function)
    if not text or any(name in text for name in (PLAIN, COMPILED, OWN)):
        return None
    try:
        if code not in codes_of(text):
            return None
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):  # a notebook's magic, a file that was changed meanwhile
        return None
    rewriting = OwnCalls(code.co_name, code.co_firstlineno)
    around = [rewriting.visit(statement) for statement in tree.body if encloses(statement, code.co_firstlineno)]
    if not rewriting.is_found:
        return None
    module = ast.fix_missing_locations(ast.Module(around, []))
    made = compile(module, code.co_filename, "exec", flags=code.co_flags & FUTURES, dont_inherit=True)
    for found in codes_in(made):
        if found.co_name == OWN:
            return found.replace(co_name=code.co_name, co_qualname=code.co_qualname)
    return None


def first_line(node: ast.AST) -> int:
    """The first line of a statement, its decorators among it."""
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])  # type: ignore[attr-defined]


def encloses(node: ast.stmt, line: int) -> bool:
    """Whether a line belongs to a statement."""
    return first_line(node) <= line <= (node.end_lineno or node.lineno)


def names_in(code: CodeType) -> set[str]:
    """The names that a function looks up outside of itself, or that functions inside it do."""
    return {name for inner in codes_in(code) for name in (*inner.co_names, *inner.co_freevars)}


class OwnCalls(ast.NodeTransformer):
    """Rewrites the calls of one function's name inside it, and puts a function around it whose variables they use."""

    def __init__(self, name: str, line: int) -> None:
        self.name, self.line = name, line
        self.is_inside = self.is_found = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        if self.is_inside or node.name != self.name or first_line(node) != self.line:
            return self.generic_visit(node)
        self.is_inside = True
        node.body = [self.visit(statement) for statement in node.body]
        self.is_inside = False
        node.decorator_list, node.name = [], OWN  # its own name would be a variable of the function around it
        arguments = ast.arguments([], [ast.arg(PLAIN), ast.arg(COMPILED)], None, [], [], None, [])
        around = ast.parse("def around(): pass").body[0]
        assert isinstance(around, ast.FunctionDef)
        around.args, around.body = arguments, [node]
        return ast.copy_location(around, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not self.is_inside or not isinstance(node.func, ast.Name) or node.func.id != self.name:
            return node
        self.is_found, looked_up = True, node.func
        test = ast.Compare(looked_up, [ast.Is()], [name(COMPILED, looked_up)])
        node.func = ast.copy_location(ast.IfExp(ast.copy_location(test, looked_up), name(PLAIN, looked_up), looked_up), looked_up)
        return node


def name(text: str, place: ast.AST) -> ast.Name:
    """A variable that is read, at the place of another expression."""
    return ast.copy_location(ast.Name(text, ast.Load()), place)
