"""From a converted tree back to a function: compiled under the user's filename, with the user's cells, globals and names."""

from __future__ import annotations
import __future__

import ast
from types import CellType, CodeType, FunctionType
from typing import Any

import gast

from autograph_jit.originals import with_code, with_originals
from autograph_jit.source import OPERATORS
from autograph_jit.syntax.line_times import note_code

FUTURE_FLAGS = 0
for _feature in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, _feature).compiler_flag
LAMBDA_STEM = "lambda_"
NO_TYPE_PARAMETERS: Any = {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}
CONVERSIONS = "__autograph_conversions__"  # the attribute of a function with what it was converted to
DERIVATIVES = "__autograph_derivatives__"  # the attribute of a function with what was derived from that very function
OPTIMIZED = 0x1  # CO_OPTIMIZED: set for functions, clear for class bodies


def compile_function(node: ast.FunctionDef, original: CodeType, generated: set[str]) -> CodeType:
    """Compile a converted function, without decorators, defaults and annotations; `generated` names the functions added inside it."""
    free = sorted({*original.co_freevars, OPERATORS})
    arguments = ast.arguments([], [ast.copy_location(ast.arg(n), node) for n in free], None, [], [], None, [])
    factory = ast.FunctionDef("factory", arguments, [node], [], None, None, **NO_TYPE_PARAMETERS)
    module = ast.Module([ast.copy_location(factory, node)], [])
    compiled = compile(module, original.co_filename, "exec", flags=original.co_flags & FUTURE_FLAGS, dont_inherit=True)
    inner = next(c for c in compiled.co_consts if isinstance(c, CodeType))
    code = next(c for c in inner.co_consts if isinstance(c, CodeType))
    note_code(original)
    return with_originals(rename(code, original.co_name, original.co_qualname, generated), original)


def rename(code: CodeType, name: str, qualname: str, generated: set[str], prefix: str | None = None) -> CodeType:
    """Give a code object and all inside it the qualified names that they would have without the generated functions around them."""
    if prefix is None:
        prefix = f"{qualname}.<locals>." if code.co_flags & OPTIMIZED else f"{qualname}."
    consts: list[Any] = []
    for const in code.co_consts:
        if isinstance(const, CodeType):
            consts.append(_renamed_child(const, prefix, generated))
        else:
            is_own_name = not code.co_flags & OPTIMIZED and const == code.co_qualname
            consts.append(qualname if is_own_name else const)
    return code.replace(co_name=name, co_qualname=qualname, co_consts=tuple(consts))


def _renamed_child(code: CodeType, prefix: str, generated: set[str]) -> CodeType:
    name = code.co_name
    if name in generated and name.startswith(LAMBDA_STEM):
        name = "<lambda>"
    is_helper = name in generated or name.startswith("<generic parameters")
    if code.co_qualname == code.co_name:  # declared global, so its qualified name has no prefix
        prefix = ""
    return rename(code, name, prefix + name, generated, prefix if is_helper else None)


def bind(code: CodeType, fn: FunctionType, operators: Any) -> FunctionType:
    """A function with converted code and everything else from `fn`; `operators` is its free variable `ag__`."""
    new = with_code(fn, code, {OPERATORS: CellType(operators)})
    for name in (CONVERSIONS, DERIVATIVES):
        new.__dict__.pop(name, None)
    return new


def to_ast(node: gast.AST) -> Any:
    """The stdlib tree of a gast tree whose nodes all have a place."""
    return gast.gast_to_ast(node)
