"""From a function object to its syntax tree: source by linecache, definitions by line, lambdas by their bytecode positions."""

from __future__ import annotations

import ast
import functools
from types import CodeType, FunctionType

import gast

from autograph_jit.budget import Work, spend
from autograph_jit.errors import ConversionError
from autograph_jit.records import dataclass
from autograph_jit.source import SourceSpan, source_text

PARSED = Work("lines of source parsed", 450.0)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.cmpop)  # in which there is no definition


@dataclass(frozen=True, slots=True)
class Parsed:
    """A fresh gast tree of one function, and the name of the class that it is written in, if any."""

    node: gast.AST
    filename: str
    class_name: str | None


def parse_function(fn: FunctionType) -> Parsed:
    """Find and parse the source of a function; ConversionError where there is none or where it is ambiguous."""
    code = fn.__code__
    span = SourceSpan(code.co_filename, code.co_firstlineno, 0, fn.__qualname__)
    source = source_text(fn)
    if not source:
        why = f"The file {code.co_filename!r} cannot be read."
        raise ConversionError(f"`{fn.__qualname__}` has no source", span, why, "Define it in a file or in a notebook.")
    try:
        found = definitions(source).get(code.co_firstlineno, [])
    except SyntaxError as error:
        raise ConversionError(f"the source of `{fn.__qualname__}` cannot be parsed", span, str(error), "Reload the module.") from error
    candidates = [(node, owner) for node, owner in found if _is_candidate(node, code)]
    if len(candidates) > 1:
        candidates = [(node, owner) for node, owner in candidates if _has_positions(node, code)]
    if len(candidates) != 1:
        why = "Its file has changed since it was defined." if not candidates else "Several functions on its line look alike."
        raise ConversionError(f"the source of `{fn.__qualname__}` was not found", span, why, "Reload the module, or give it its own line.")
    node, class_name = candidates[0]
    spend(PARSED, (node.end_lineno or node.lineno) - node.lineno + 1)
    return Parsed(gast.ast_to_gast(node), code.co_filename, class_name)


@functools.lru_cache(maxsize=64)
def definitions(source: str) -> dict[int, list[tuple[Definition, str | None]]]:
    """Every function and lambda of a file by its first line (that of its first decorator), with the class around it."""
    found: dict[int, list[tuple[Definition, str | None]]] = {}
    pending: list[tuple[ast.AST, str | None]] = [(ast.parse(source), None)]
    while pending:
        node, owner = pending.pop()
        if isinstance(node, Definition):
            decorators = getattr(node, "decorator_list", [])
            found.setdefault(decorators[0].lineno if decorators else node.lineno, []).append((node, owner))
        inner = node.name if isinstance(node, ast.ClassDef) else owner
        for field in node._fields:  # as `ast.iter_child_nodes`, in half the time
            part = getattr(node, field, None)
            if isinstance(part, list):
                pending += [(child, inner) for child in part if isinstance(child, ast.AST) and not isinstance(child, LEAVES)]
            elif isinstance(part, ast.AST) and not isinstance(part, LEAVES):
                pending.append((part, inner))
    return found


def _is_candidate(node: Definition, code: CodeType) -> bool:
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    args = node.args
    plain = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    counts = (len(plain), len(args.kwonlyargs)) == (code.co_argcount + code.co_kwonlyargcount, code.co_kwonlyargcount)
    names = all(found.endswith(wanted) for found, wanted in zip(code.co_varnames, plain))
    return name == code.co_name and counts and names


def _has_positions(node: Definition, code: CodeType) -> bool:
    """Whether the bytecode covers exactly the body of a lambda."""
    if not isinstance(node, ast.Lambda):
        return True
    spans = [p for p in code.co_positions() if None not in p and (p[2], p[3]) != (p[0], p[2]) and p[3]]
    body = node.body
    if not spans:  # Python 3.12 gives none to a constant
        made = next(part for part in compile(ast.Expression(node), "", "eval").co_consts if isinstance(part, CodeType))
        return (made.co_code, repr(made.co_consts)) == (code.co_code, repr(code.co_consts))
    start = min((line, col) for line, _, col, _ in spans)
    end = max((line, col) for _, line, _, col in spans)
    return start == (body.lineno, body.col_offset) and end == (body.end_lineno, body.end_col_offset)
