"""Makes a failing program smaller: drops calls and statements, puts a part in the place of the whole, as long as it still fails."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

BLOCKS = ("body", "orelse", "finalbody")
LITERALS = ("0", "1", "2.0", "True", "x", "n")


def shrink(text: str, fails: Callable[[str], bool], most_tries: int = 600) -> str:
    """The smallest program found for which `fails` still holds."""
    tries, progress = 0, True
    while progress and tries < most_tries:
        progress = False
        for candidate in candidates(text):
            tries += 1
            if tries > most_tries:
                break
            if len(candidate) < len(text) and is_valid(candidate) and fails(candidate):
                text, progress = candidate, True
                break
    return text


def is_valid(text: str) -> bool:
    try:
        compile(text, "<shrink>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def candidates(text: str) -> Iterator[str]:
    """Smaller programs: big steps first."""
    tree = ast.parse(text)
    yield ast.unparse(tree)
    yield from without_definitions(tree)
    yield from without_calls(tree)
    yield from without_statements(tree)
    yield from with_parts(tree)


def function_of(tree: ast.Module) -> ast.FunctionDef:
    return next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "f")


def without_definitions(tree: ast.Module) -> Iterator[str]:
    for index, node in enumerate(tree.body):
        if isinstance(node, ast.ClassDef):
            smaller = copy.deepcopy(tree)
            del smaller.body[index]
            yield ast.unparse(smaller)


def without_calls(tree: ast.Module) -> Iterator[str]:
    calls = tree.body[-1]
    if isinstance(calls, ast.Assign) and isinstance(calls.value, ast.Tuple) and len(calls.value.elts) > 1:
        for index in range(len(calls.value.elts)):
            smaller = copy.deepcopy(tree)
            del smaller.body[-1].value.elts[index]  # type: ignore[attr-defined]
            yield ast.unparse(smaller)


def blocks(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Every list of statements in a function, the outer ones first."""
    for child in ast.walk(node):
        for field in BLOCKS:
            if isinstance(getattr(child, field, None), list) and getattr(child, field):
                yield child, field


def edited(tree: ast.Module, place: int, edit: Callable[[list[ast.stmt]], None]) -> str:
    """The program after an edit of one block."""
    smaller = copy.deepcopy(tree)
    owner, field = list(blocks(function_of(smaller)))[place]
    block = getattr(owner, field)
    edit(block)
    if not block and field == "body":
        block.append(ast.Pass())
    return ast.unparse(smaller)


def without_statements(tree: ast.Module) -> Iterator[str]:
    """One statement less, or a compound statement replaced by one of its blocks."""
    found = list(blocks(function_of(tree)))
    for place, (owner, field) in enumerate(found):
        block = getattr(owner, field)
        if len(block) > 3:
            half = len(block) // 2
            yield edited(tree, place, lambda body, half=half: body.__delitem__(slice(0, half)))  # type: ignore[misc]
        if field != "body":
            yield edited(tree, place, lambda body: body.clear())
        for index in range(len(block)):
            if not isinstance(block[index], ast.Pass):
                yield edited(tree, place, lambda body, index=index: body.__delitem__(index))  # type: ignore[misc]
    for place, (owner, field) in enumerate(found):
        for index, statement in enumerate(getattr(owner, field)):
            yield from unwrapped(tree, place, index, statement)


def unwrapped(tree: ast.Module, place: int, index: int, statement: ast.stmt) -> Iterator[str]:
    """A compound statement replaced by one of its blocks."""
    inner = [getattr(statement, field) for field in BLOCKS if getattr(statement, field, None)]
    inner += [handler.body for handler in getattr(statement, "handlers", ())] + [case.body for case in getattr(statement, "cases", ())]
    if isinstance(statement, ast.FunctionDef):
        return
    for part in inner:
        yield edited(tree, place, lambda body, part=part: body.__setitem__(slice(index, index + 1), copy.deepcopy(part)))  # type: ignore[misc]
    if isinstance(statement, ast.Try) and len(statement.handlers) > 0:
        yield edited(tree, place, lambda body: body[index].handlers.clear())  # type: ignore[attr-defined]


def with_parts(tree: ast.Module) -> Iterator[str]:
    """An expression replaced by one of its parts or by a literal; fewer elements of a tuple or list."""
    function = function_of(tree)
    count = sum(isinstance(node, ast.expr) for node in ast.walk(function))
    called = {id(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
    for index in range(count):
        node = nth_expression(function, index)
        if id(node) in called:
            continue
        if isinstance(node, ast.Tuple | ast.List | ast.BoolOp | ast.Compare) and not isinstance(node, ast.Compare):
            field = "values" if isinstance(node, ast.BoolOp) else "elts"
            for item in range(len(getattr(node, field)) if len(getattr(node, field)) > 1 else 0):
                smaller = copy.deepcopy(tree)
                getattr(nth_expression(function_of(smaller), index), field).pop(item)
                yield ast.unparse(smaller)
        for part in [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr) and not is_module(child)]:
            yield replaced(tree, index, part)
        if not isinstance(node, ast.Constant | ast.Name):
            for literal in LITERALS:
                yield replaced(tree, index, ast.parse(literal, mode="eval").body)


def is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("np", "math")


def nth_expression(function: ast.AST, index: int) -> ast.expr:
    return [node for node in ast.walk(function) if isinstance(node, ast.expr)][index]


class Replacement(ast.NodeTransformer):
    """Puts one expression in the place of another."""

    def __init__(self, target: ast.expr, new: ast.expr) -> None:
        self.target, self.new = target, new

    def visit(self, node: ast.AST) -> ast.AST:
        return copy.deepcopy(self.new) if node is self.target else self.generic_visit(node)


def replaced(tree: ast.Module, index: int, new: ast.expr) -> str:
    """The program with its expression number `index` replaced."""
    smaller = copy.deepcopy(tree)
    function = function_of(smaller)
    target = nth_expression(function, index)
    if isinstance(getattr(target, "ctx", None), ast.Store | ast.Del):
        return ""
    Replacement(target, new).visit(function)
    try:
        return ast.unparse(ast.fix_missing_locations(smaller))
    except ValueError:  # no place for a literal, as in an f-string
        return ""
