"""Conversions of a recorded Tensor to a Python number: `float(x)` says that a constant is meant, an item of a plain array does not."""

from __future__ import annotations

import ast
import dis
import linecache
import types
from typing import Any

from autograph_jit.ops.dispatch import Boxed, expect_convertible

STORE_ITEM = dis.opmap["STORE_SUBSCR"]
MATHEMATICS = ("math", "cmath")


def expect_constant(box: Boxed, caller: types.FrameType) -> None:
    """An error where NumPy or the module `math` asks for the number of a recorded Tensor: what they make of it would not be recorded."""
    if caller.f_lasti < 0:
        return
    stored = caller.f_code.co_code[caller.f_lasti] == STORE_ITEM
    if stored or getattr(called_function(caller), "__module__", None) in MATHEMATICS:
        expect_convertible(box, "number")


def called_function(caller: types.FrameType) -> Any:
    """The function that a frame calls, by the text of the call; None where it cannot be told."""
    line, last_line, start, end = list(caller.f_code.co_positions())[caller.f_lasti // 2]
    if line is None or line != last_line:
        return None
    text = linecache.getline(caller.f_code.co_filename, line).encode()[start:end].decode()
    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    return named(call.func, {**caller.f_globals, **caller.f_locals}) if isinstance(call, ast.Call) else None


def named(expression: ast.expr, names: dict[str, Any]) -> Any:
    """What a name, or an attribute of a module, stands for."""
    if isinstance(expression, ast.Name):
        return names.get(expression.id)
    if isinstance(expression, ast.Attribute):
        owner = named(expression.value, names)
        return getattr(owner, expression.attr, None) if isinstance(owner, types.ModuleType) else None
    return None
