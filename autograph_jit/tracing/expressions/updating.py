"""`x += y` and its like in converted code: in place where the value or its class does that, a new value elsewhere."""

from __future__ import annotations

import types
from array import array
from collections import deque
from typing import Any

import numpy as np

from autograph_jit.tracing.containers.outside import form_of
from autograph_jit.tracing.expressions.library_containers import update_container
from autograph_jit.tracing.numbers.scalars import PYTHON_OPERATORS
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.texts.text import Text
from autograph_jit.tracing.values.abstract import INPLACE_OPERATORS, Maybe, OfTheRun, StagedObject, StagedScalar
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import is_number, lift_array
from autograph_jit.tracing.values.trace import current

CHANGED_IN_PLACE = (set, dict, list, deque, bytearray, array)
METHOD_NAMES = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}


def iop(symbol: str, old: Any, value: Any) -> Any:
    """`old symbol= value`, the new value returned."""
    trace = current()
    if trace is None:
        return INPLACE_OPERATORS[symbol](old, value)
    if trace.inputs is not None:
        trace.inputs.note_whole(value)
    if isinstance(old, np.ndarray):
        old = lift_array(old)
    is_plain = (old is None or type(old) in (str, bytes)) and isinstance(value, StagedScalar)
    if is_plain or is_number(old) and isinstance(value, (Maybe, Chosen, Text, StagedObject)):
        return language.inplace(symbol, old, value)
    if isinstance(old, (list, deque)):
        if isinstance(value, Chosen) and any(reflected_method(symbol, option) for option in value.alternatives):
            return distribute(value, lambda option: iop(symbol, old, option))
        method = reflected_method(symbol, value)
        if method is not None and (found := language.call(method, (value, old), None)) is not NotImplemented:
            return found
    if isinstance(old, CHANGED_IN_PLACE) and not isinstance(old, Dynamic) and type(old).__module__ in ("builtins", "collections", "array"):
        return update_container(symbol, form_of(old), value)
    method = getattr(type(old), f"__i{METHOD_NAMES[symbol]}__", None)
    if not isinstance(method, types.FunctionType) or isinstance(old, (OfTheRun, Dynamic)):
        return INPLACE_OPERATORS[symbol](old, value)
    found = language.call(method, (old, value), None)
    return found if found is not NotImplemented else without_method(symbol, old, value)


def reflected_method(symbol: str, value: Any) -> Any:
    """The method of a user's class that Python asks before a list is made longer by an instance: numbers come before sequences."""
    if symbol not in ("+", "*") or isinstance(value, (OfTheRun, Dynamic, Chosen)):
        return None
    method = getattr(type(value), f"__r{METHOD_NAMES[symbol]}__", None)
    return method if isinstance(method, types.FunctionType) else None


def without_method(symbol: str, old: Any, value: Any) -> Any:
    """`old symbol= value` where the method for that has given NotImplemented: the operator, of whose errors the text is another one."""
    try:
        return PYTHON_OPERATORS[symbol](old, value)
    except TypeError as error:
        name = "** or pow()" if symbol == "**" else symbol
        start = f"unsupported operand type(s) for {name}: "
        if not str(error).startswith(start):
            raise
        raise TypeError(f"unsupported operand type(s) for {symbol}=: {str(error)[len(start):]}") from None
