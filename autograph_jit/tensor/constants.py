"""Conversions of a recorded Tensor to a Python number: `float(x)` says that a constant is meant, an item of a plain array does not."""

from __future__ import annotations

import ast
import builtins
import dis
import linecache
import types
import warnings
from typing import Any

from autograph_jit.errors import ConstantWarning
from autograph_jit.ops.dispatch import Boxed, expect_convertible, would_be_recorded

STORE_ITEM = dis.opmap["STORE_SUBSCR"]
MATHEMATICS = ("math", "cmath")


def expect_constant(box: Boxed, caller: types.FrameType) -> None:
    """What becomes of a recorded Tensor that is asked for its number. NumPy, the module `math` and `complex(x, y)` would go on with it
    unrecorded, which is an error; `float(x)` is a constant, and a warning says so."""
    if caller.f_lasti < 0 or not would_be_recorded(box):
        return
    stored = caller.f_code.co_code[caller.f_lasti] == STORE_ITEM
    function, count = called_function(caller)
    if stored or getattr(function, "__module__", None) in MATHEMATICS or (function is complex and count > 1):
        expect_convertible(box, "number")
    elif function is float or function is complex:
        warn_of_constant(function, caller)


def warn_of_constant(function: type, caller: types.FrameType) -> None:
    """Say once for each line that what follows has no derivative."""
    name, where = function.__name__, (caller.f_code.co_filename, caller.f_lineno)
    text = f"{name}(x) of a Tensor that a tape records is a constant of its gradient: use x itself, or say so with x.item()"
    registry = caller.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(text, ConstantWarning, *where, module=caller.f_globals.get("__name__"), registry=registry)


def called_function(caller: types.FrameType) -> tuple[Any, int]:
    """The function that a frame calls, by the text of the call, and its number of arguments; None where it cannot be told."""
    line, last_line, start, end = list(caller.f_code.co_positions())[caller.f_lasti // 2]
    if line is None or line != last_line:
        return None, 0
    text = linecache.getline(caller.f_code.co_filename, line).encode()[start:end].decode()
    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None, 0
    if not isinstance(call, ast.Call):
        return None, 0
    return named(call.func, {**vars(builtins), **caller.f_globals, **caller.f_locals}), len(call.args)


def named(expression: ast.expr, names: dict[str, Any]) -> Any:
    """What a name, or an attribute of a module, stands for."""
    if isinstance(expression, ast.Name):
        return names.get(expression.id)
    if isinstance(expression, ast.Attribute):
        owner = named(expression.value, names)
        return getattr(owner, expression.attr, None) if isinstance(owner, types.ModuleType) else None
    return None
