"""Python's builtins about numbers on stand-ins: int, float, complex, bool, abs, round, divmod, pow, len."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from autograph_jit.ir.types import C128, F64, I64
from autograph_jit.library.numpy.attributes import python_value
from autograph_jit.library.numpy.methods import number_in
from autograph_jit.ops.dispatch import kept_boxed
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.outside import note_read
from autograph_jit.tracing.containers.unchanging import Unchanging
from autograph_jit.tracing.control.branches import staged_bool
from autograph_jit.tracing.expressions.calls import call
from autograph_jit.tracing.expressions.register import MISSING, builtin, present
from autograph_jit.tracing.hosting.host_calls import host_int, host_object, host_scalar
from autograph_jit.tracing.numbers import scalars
from autograph_jit.tracing.sequences.dynamic import Dynamic, Rowed
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.sequences.operand_texts import like, text_with_stand_ins
from autograph_jit.tracing.sequences.ranges import as_int
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.texts.text import Text
from autograph_jit.tracing.values.abstract import Staged, StagedArray, StagedObject, StagedScalar, TaggedScalar
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import dtype_of, is_number, lift_array, lift_number, scalar
from autograph_jit.tracing.values.trace import emit


def number_of(x: Any) -> Any:
    """A number for int(), float(), complex()."""
    x = present(x)
    if isinstance(x, np.ndarray):
        x = lift_array(x)
    if isinstance(x, StagedArray):
        return scalar(python_value(number_in(x)), True)
    return x


@builtin(int)
def staged_int(x: Any = 0, *args: Any) -> Any:
    x = number_of(x)
    if isinstance(x, TaggedScalar):
        return scalars.to_int(x.plain()) if x.whole is None and x.scalar_dtype.kind != "c" else distribute(x, scalars.to_int)
    if isinstance(x, StagedScalar):
        if args:
            raise TypeError(text_with_stand_ins(int, x, *args))
        return scalars.to_int(x)
    if isinstance(x, StagedObject) and x.python_type is int and not args:
        return x
    if isinstance(x, StagedObject):
        return host_int(int, x, *args, label="int", pure=x.python_type is str)
    return int(x, *args)


@builtin(float)
def staged_float(x: Any = 0.0) -> Any:
    x = number_of(x)
    if isinstance(x, TaggedScalar) and x.scalar_dtype.kind == "c":
        return distribute(x, scalars.to_float)
    if isinstance(x, StagedScalar):
        return scalars.to_float(x)
    if isinstance(x, StagedObject):
        return host_scalar(kept_boxed(float), x, dtype=F64.dtype, weak=True, label="float", pure=x.python_type is str)
    return float(like(x))


@builtin(complex)
def staged_complex(real: Any = 0, imag: Any = MISSING) -> Any:
    real = number_of(real)
    if imag is MISSING and isinstance(real, StagedScalar):
        return scalars.to_complex(real)
    parts = (real,) if imag is MISSING else (real, number_of(imag))
    if not any(isinstance(part, (Staged, Text)) for part in parts):
        return complex(*parts)
    if not all(is_number(part) and dtype_of(part).kind != "c" for part in parts):
        return host_scalar(complex, *parts, dtype=C128.dtype, weak=True, label="complex")
    return scalar(emit("complex", *(lift_number(part, F64.dtype) for part in parts)).result, True)


@builtin(bool)
def staged_bool_type(x: Any = False) -> Any:
    return staged_bool(x)


@builtin(abs)
def staged_abs(x: Any) -> Any:
    x = present(x)
    return abs(lift_array(x) if isinstance(x, np.ndarray) else x)


@builtin(round)
def staged_round(x: Any, digits: Any = None) -> Any:
    x = present(x)
    if isinstance(x, StagedArray):
        raise TypeError("type numpy.ndarray doesn't define __round__ method")
    if not isinstance(x, StagedScalar):
        return host_object(round, x, digits, label="round") if contains_staged((x, digits)) else round(x, digits)
    if isinstance(x, TaggedScalar):
        return distribute(x, lambda plain: staged_round(plain, digits))
    if x.scalar_dtype.kind == "c" or not x.weak and x.scalar_dtype.kind == "b":
        raise TypeError(text_with_stand_ins(round, x))
    if digits is None:
        if x.scalar_dtype.kind in "iub":
            return scalars.to_int(x)
        return scalars.to_int(scalar(emit("rint", x.value).result))
    if x.weak and x.scalar_dtype.kind in "bi":
        whole = scalars.to_int(x)
        keeps = isinstance(digits, int) and digits >= 0
        return whole if keeps else host_int(round, whole, digits, label="round", pure=True)
    if x.weak and x.scalar_dtype.kind == "f":
        flat = scalar(emit("stop_gradient", x.value).result, True)
        return host_scalar(round, flat, digits, dtype=F64.dtype, weak=True, label="round", pure=True)
    return language.numpy(np.round, (x, digits), {})


@builtin(operator.index)
def staged_index(x: Any) -> Any:
    return as_int(x) if isinstance(x, (StagedScalar, StagedArray, StagedObject)) else operator.index(x)


@builtin(divmod)
def staged_divmod(x: Any, y: Any) -> Any:
    return divmod(x, y)


@builtin(pow)
def staged_pow(x: Any, y: Any, modulus: Any = None) -> Any:
    if modulus is None:
        return x**y
    if not contains_staged((x, y, modulus)):
        return pow(x, y, modulus)
    return host_int(pow, x, y, modulus, label="pow", pure=True)


@builtin(len)
def staged_len(x: Any) -> Any:
    x = present(x)
    if isinstance(x, StagedArray):
        if x.ndim == 0:
            raise TypeError("len() of unsized object")
        return x.shape[0]
    if isinstance(x, np.ndarray):
        return staged_len(lift_array(x))
    if isinstance(x, StagedScalar):
        raise TypeError(f"object of type '{x.type_name}' has no len()")
    if isinstance(x, Unchanging):
        return x.length()
    if isinstance(x, StagedObject):
        return scalar(
            host_scalar(len, x, dtype=I64.dtype, weak=True, label="len", pure=x.python_type in (str, bytes, tuple)).value, True, bits=48
        )
    if isinstance(x, (TracedList, TracedDict, Indexed, Rowed)):
        return x.length()
    note_read(x)
    method = getattr(type(x), "__len__", None)
    return call(method, (x,), None) if method is not None and hasattr(method, "__code__") and not isinstance(x, Dynamic) else len(x)
