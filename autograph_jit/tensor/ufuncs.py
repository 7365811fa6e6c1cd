"""NumPy's ufuncs as operations: dtypes by NumPy's own resolution (NEP 50), casts, then the operation.

A Tensor's operators, and its `__array_ufunc__`, know the operands that a loop takes as they are. These go to the eager rule of the
operation at once, and the interpreter at work, a tape, is told of it. All others are cast first.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.types import is_supported
from autograph_jit.ops import registry
from autograph_jit.ops.dispatch import EAGER, Boxed, bind, current_interpreter, unboxed

Operands = tuple[Any, ...]
LOGICAL = {"logical_and", "logical_or", "logical_xor", "logical_not"}
UNSUPPORTED = object()
NO_ATTRIBUTES: dict[str, Any] = {}
PLAIN = frozenset([np.ndarray, *(np.dtype(char).type for char in "?bhilqBHILQfdFD")])
NUMBERS = frozenset([int, float, complex])
ARRAYS, PYTHON_NUMBERS = (np.ndarray, np.generic), (bool, int, float, complex)


def is_operand(x: Any) -> bool:
    """A number or an array of a supported dtype, boxed or not."""
    x = unboxed(x)
    return is_supported(x.dtype) if isinstance(x, ARRAYS) else isinstance(x, PYTHON_NUMBERS)


def token(x: Any) -> Any:
    """What `ufunc.resolve_dtypes` takes for an operand: a dtype, or the type of a Python number."""
    x = unboxed(x)
    if isinstance(x, ARRAYS):
        return x.dtype
    return np.dtype(bool) if isinstance(x, bool) else type(x)


@functools.lru_cache(1024)
def loop_dtypes(ufunc: np.ufunc, tokens: tuple[Any, ...]) -> tuple[np.dtype, ...] | None:
    """The dtypes of the loop for such operands, in the order of these; None where no operation stands for it."""
    if ufunc.__name__ in LOGICAL:
        return (np.dtype(bool),) * ufunc.nin
    dtypes = ufunc.resolve_dtypes((*tokens, None))
    return dtypes[:-1] if all(is_supported(dtype) for dtype in dtypes) else None


def cast(x: Any, dtype: np.dtype) -> Any:
    """The operand in a dtype; rank 0 stays rank 0."""
    values = unboxed(x)
    if not isinstance(values, ARRAYS):
        return dtype.type(x)
    return x if values.dtype is dtype or values.dtype == dtype else bind("cast", x, dtype=dtype)


def apply_ufunc(ufunc: np.ufunc, operands: Operands) -> Any:
    """The operation of that name on the operands, or UNSUPPORTED where there is none."""
    name = ufunc.__name__
    if ufunc.nout != 1 or name not in registry.OPS or not all(is_operand(x) for x in operands):
        return UNSUPPORTED
    if name == "matmul" and any(np.ndim(unboxed(x)) == 0 for x in operands):
        return UNSUPPORTED
    dtypes = loop_dtypes(ufunc, tuple(map(token, operands)))
    if dtypes is None:
        return UNSUPPORTED
    try:
        values = [cast(x, dtype) for x, dtype in zip(operands, dtypes)]
    except OverflowError:  # a Python int that the dtype does not hold: NumPy compares it all the same, or refuses it
        return UNSUPPORTED
    return bind(name, *values)


def is_taken(ufunc: np.ufunc, dtype: np.dtype) -> bool:
    """Whether the loop for operands of one dtype takes them as they are."""
    try:
        return is_supported(dtype) and loop_dtypes(ufunc, (dtype,) * ufunc.nin) == (dtype,) * ufunc.nin
    except TypeError:  # there is no such loop
        return False


def made_of_number(ufunc: np.ufunc, dtype: np.dtype, kind: type) -> Callable[[Any], Any] | None:
    """What makes a Python number an operand of a loop whose other operand, of this dtype, stays as it is; None where that is cast."""
    try:
        dtypes = loop_dtypes(ufunc, (dtype, kind)) if is_supported(dtype) else None
    except TypeError:
        return None
    return dtype.type if dtypes == (dtype, dtype) and ufunc.signature is None else None


class Table(dict[Any, Any]):
    """What a function says of a key, a tuple being several arguments, kept where it is true."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __missing__(self, key: Any) -> Any:
        found = self.function(*key) if isinstance(key, tuple) else self.function(key)
        if found:
            self[key] = found
        return found


def of_one(ufunc: np.ufunc, otherwise: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The ufunc of one Tensor; `otherwise` is called where the operand is cast first, or is no operand of the operation."""
    op, taken = registry.OPS[ufunc.__name__], Table(functools.partial(is_taken, ufunc))
    eager, interpreter_at_work = op.eager, current_interpreter.get

    def apply(x: Any) -> Any:
        array = x.array
        if not taken[array.dtype]:
            return otherwise(x)
        values = eager(array)
        result = x.of(values if values.ndim else values[()])
        interpreter = interpreter_at_work()
        if interpreter is not EAGER:
            interpreter.record(op, (x,), NO_ATTRIBUTES, result)
        return result

    return apply


def of_two(ufunc: np.ufunc, otherwise: Callable[[Any, Any], Any], reflected: bool = False) -> Callable[[Any, Any], Any]:
    """The ufunc of a Tensor and another operand; `reflected`: of the other operand and the Tensor, which is given first all the same."""
    op, taken = registry.OPS[ufunc.__name__], Table(functools.partial(is_taken, ufunc))
    numbers = Table(functools.partial(made_of_number, ufunc))
    eager, interpreter_at_work = op.eager, current_interpreter.get

    def apply(x: Any, y: Any) -> Any:
        array, kind = x.array, type(y)
        dtype = array.dtype
        if isinstance(y, Boxed):
            other = y.array
        elif kind in NUMBERS:
            make = numbers[dtype, kind]
            try:
                y = make(y) if make is not None else y
            except OverflowError:
                return otherwise(x, y)
            other = y
        else:
            other = y
        if type(other) not in PLAIN or other.dtype is not dtype or not taken[dtype]:
            return otherwise(x, y)
        values = eager(other, array) if reflected else eager(array, other)
        result = x.of(values if values.ndim else values[()])
        interpreter = interpreter_at_work()
        if interpreter is not EAGER:
            interpreter.record(op, (y, x) if reflected else (x, y), NO_ATTRIBUTES, result)
        return result

    return apply
