"""Attributes of staged arrays and of staged NumPy scalars: shape, dtype, T, real and imag with their setters, flat, flags, strides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.library.numpy import tensors
from autograph_jit.library.numpy.iteration import StagedFlat
from autograph_jit.library.numpy.reductions import count_of
from autograph_jit.tracing.arrays.array_like import empty_like, scalar_array, wrap_result
from autograph_jit.tracing.arrays.explicit_methods import explicit_method
from autograph_jit.tracing.arrays.indexing import assign
from autograph_jit.tracing.arrays.register import METHODS
from autograph_jit.tracing.arrays.views import permute, reshape, view_of
from autograph_jit.tracing.expressions.register import INT_METHODS
from autograph_jit.tracing.plain.python_texts import text_of
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, check, is_staged
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import cast, lift_number, scalar, shape_of
from autograph_jit.tracing.values.trace import active, constant, emit, user_span


def real_part(x: StagedArray) -> StagedArray:
    """`x.real`: a view."""
    return view_of(x, emit("real_view", x.value).result) if x.dtype.kind == "c" else x


def imag_part(x: StagedArray) -> StagedArray:
    """`x.imag`: a view of complex arrays, read-only zeros otherwise."""
    if x.dtype.kind == "c":
        return view_of(x, emit("imag_view", x.value).result)
    zeros = empty_like(x)
    emit("assign", zeros.value, constant(x.dtype.type(0)))
    zeros.writeable = False
    return zeros


def number_of_elements(x: StagedArray) -> Any:
    """`x.size`."""
    return count_of(x, tuple(range(x.ndim))) if x.ndim else 1


class StagedFlags:
    """`x.flags`."""

    __slots__ = ("array",)

    def __init__(self, array: StagedArray) -> None:
        object.__setattr__(self, "array", array)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "writeable":
            return self.array.writeable
        if name == "aligned":
            return True
        if name in ("writebackifcopy",):
            return False
        if name in ("c_contiguous", "contiguous", "f_contiguous"):
            return is_contiguous(self.array, name[0] == "f")
        raise ConversionError(
            f"`flags.{name}` of an array cannot be staged",
            user_span(),
            "compiled code does not keep who owns an array's memory",
            "ask before the compiled function is called",
        )

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "writeable":
            raise AttributeError(f"flags.{name} is not writable")
        self.array.writeable = bool(value)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name.lower())

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name.lower(), value)


def is_contiguous(x: StagedArray, fortran: bool) -> StagedScalar:
    """Whether the elements lie densely in C (or Fortran) order; axes of size 1 do not count, an empty array is contiguous."""
    expected = constant(np.int64(x.dtype.itemsize))
    zero, one = constant(np.int64(0)), constant(np.int64(1))
    good, empty = constant(np.bool_(True)), constant(np.bool_(False))
    for axis in range(x.ndim) if fortran else reversed(range(x.ndim)):
        size, stride = emit("dim", x.value, axis=axis).result, emit("stride", x.value, axis=axis).result
        dense = emit("logical_or", emit("equal", stride, expected).result, emit("equal", size, one).result).result
        good = emit("logical_and", good, dense).result
        empty = emit("logical_or", empty, emit("equal", size, zero).result).result
        expected = emit("multiply", expected, size).result
    return scalar(emit("logical_or", good, empty).result, True)


def matrix_transpose(x: StagedArray) -> StagedArray:
    """The last two axes exchanged."""
    if x.ndim < 2:
        raise ValueError("matrix transpose with ndim < 2 is undefined")
    return permute(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


ATTRIBUTES: dict[str, Callable[[StagedArray], Any]] = {
    "shape": shape_of,
    "size": number_of_elements,
    "T": lambda x: permute(x, range(x.ndim)[::-1]),
    "mT": matrix_transpose,
    "real": real_part,
    "imag": imag_part,
    "itemsize": lambda x: x.dtype.itemsize,
    "nbytes": lambda x: number_of_elements(x) * x.dtype.itemsize,
    "strides": lambda x: tuple(scalar(emit("stride", x.value, axis=axis).result, True, None, 60) for axis in range(x.ndim)),
    "flags": StagedFlags,
    "flat": StagedFlat,
}
UNSTAGED = {"base", "ctypes", "data"}


class StagedMethod:
    """A method of a stand-in: called as it is, never converted."""

    __slots__ = ("__self__", "implementation")

    def __init__(self, implementation: Callable[..., Any], owner: Any, *args: Any) -> None:
        self.__self__ = owner
        self.implementation = lambda *rest, **kwargs: implementation(owner, *args, *rest, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.implementation(*args, **kwargs)

    def __template__(self, template: Any) -> Any:
        raise ConversionError(
            "a bound method of an array or number leaves the compiled function",
            user_span(),
            "it would be bound to a value that exists only while the program runs",
            "return the value itself, or what the method gives",
        )


def array_attribute(x: StagedArray, name: str) -> Any:
    """`x.name`."""
    attribute = ATTRIBUTES.get(name)
    if attribute is not None:
        return attribute(x)
    if name in METHODS:
        return StagedMethod(METHODS[name], x)
    if name in tensors.METHODS:
        return StagedMethod(tensors.METHODS[name], x)
    if name in tensors.ATTRIBUTES:
        return tensors.variable_attribute(x, name)
    if name in UNSTAGED:
        raise ConversionError(
            f"`{name}` of an array cannot be staged",
            user_span(),
            "it shows how the array is stored, which compiled code chooses",
            "ask before the compiled function is called",
        )
    if name == "__class__":
        return np.ndarray
    method = explicit_method(x, name)
    if method is not None:
        return StagedMethod(method, x)
    if hasattr(np.ndarray, name) and not name.startswith("__"):
        return StagedMethod(METHODS["host method"], x, name)
    raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'", name=name)


def is_made_here(x: StagedArray) -> bool:
    """Whether the function made this array itself, outside of every staged region: only then nobody else sees its shape."""
    trace = active()
    return not trace.regions and not any(staged is x for _, staged, _ in (trace.inputs.arrays.values() if trace.inputs else ()))


def set_array_attribute(x: StagedArray, name: str, value: Any) -> None:
    """`x.name = value`."""
    if name in ("real", "imag"):
        if name == "imag" and x.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        assign(real_part(x) if name == "real" else imag_part(x), value)
    elif name == "shape" and is_made_here(x):
        x.value = reshape(x, value).value
    elif name == "flat":
        StagedFlat(x)[:] = value
    elif name != "shape" and (name in ATTRIBUTES or name == "ndim"):
        raise AttributeError(f"attribute '{name}' of 'numpy.ndarray' objects is not writable")
    elif hasattr(np.ndarray, name):
        raise ConversionError(
            f"`{name}` of an array cannot be set in compiled code",
            user_span(),
            "it changes how the array's memory is read",
            "make a new array with astype, view or reshape",
        )
    else:
        raise AttributeError(text_of(setattr, np.empty(0), name, None))


def scalar_attribute(x: StagedScalar, name: str) -> Any:
    """An attribute of a staged number: a Python number has those of its type, a NumPy scalar those of a rank-0 array."""
    if name == "real" or name == "imag":
        return part_of(x, name)
    method = explicit_method(x, name)
    if method is not None:
        return StagedMethod(method, x)
    return python_attribute(x, name) if x.weak else numpy_attribute(x, name)


def part_of(x: StagedScalar, name: str) -> StagedScalar:
    """`x.real` and `x.imag`."""
    dtype = x.scalar_dtype
    if dtype.kind == "c":
        return scalar(emit(name, x.value).result, x.weak)
    if name == "real":
        return scalar(lift_number(x, np.dtype(np.int64)), True, x.size, x.bits) if x.weak and dtype.kind == "b" else x
    return scalar(constant(np.int64(0) if x.weak and dtype.kind == "b" else dtype.type(0)), x.weak)


def python_attribute(x: StagedScalar, name: str) -> Any:
    """An attribute of a Python int, float, bool or complex."""
    kind = x.scalar_dtype.kind
    if name == "conjugate":
        return StagedMethod(lambda x: scalar(emit("conjugate", x.value).result, True) if kind == "c" else language.unary("+", x), x)
    if name in ("numerator", "denominator") and kind in "bi":
        return language.unary("+", x) if name == "numerator" else 1
    if name == "is_integer" and kind in "bif":
        return StagedMethod(is_integer, x)
    if name in INT_METHODS and kind in "bi":
        return StagedMethod(INT_METHODS[name], x)
    if name == "__class__" and not x.is_tagged:
        return x.python_type
    if hasattr(x.python_type, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StagedMethod(METHODS["host method"], x, name)
    raise AttributeError(f"'{x.python_type.__name__}' object has no attribute '{name}'", name=name)


def is_integer(x: StagedScalar) -> StagedScalar:
    """`x.is_integer()`."""
    if x.scalar_dtype.kind in "biu":
        return scalar(constant(np.bool_(True)), True)
    whole = emit("equal", emit("floor", x.value).result, x.value).result
    return scalar(emit("logical_and", whole, emit("isfinite", x.value).result).result, True)


def bit_length(x: StagedScalar) -> StagedScalar:
    """`x.bit_length()`, by halving: 32, 16, ... bits at a time."""
    zero = constant(np.int64(0))
    rest = emit("absolute", lift_number(x, np.dtype(np.int64))).result
    total = zero
    for width in (32, 16, 8, 4, 2, 1):
        shifted = emit("right_shift", rest, constant(np.int64(width))).result
        large = emit("not_equal", shifted, zero).result
        total = emit("add", total, emit("where", large, constant(np.int64(width)), zero).result).result
        rest = emit("where", large, shifted, rest).result
    return scalar(emit("add", total, rest).result, True, bits=7)


def bit_count(x: StagedScalar) -> StagedScalar:
    """`x.bit_count()`: ones of the magnitude, by adding neighbours."""
    rest = emit("absolute", lift_number(x, np.dtype(np.int64))).result
    for width, mask in (
        (1, 0x5555555555555555),
        (2, 0x3333333333333333),
        (4, 0x0F0F0F0F0F0F0F0F),
        (8, 0x00FF00FF00FF00FF),
        (16, 0x0000FFFF0000FFFF),
        (32, 0x00000000FFFFFFFF),
    ):
        ones = constant(np.int64(mask))
        low = emit("bitwise_and", rest, ones).result
        high = emit("bitwise_and", emit("right_shift", rest, constant(np.int64(width))).result, ones).result
        rest = emit("add", low, high).result
    return scalar(rest, True, bits=7)


INT_METHODS.update(bit_length=bit_length, bit_count=bit_count)


SCALAR_CONSTANTS: dict[str, Any] = {"shape": (), "ndim": 0, "size": 1, "strides": ()}


def as_type(x: StagedScalar, dtype: Any, *args: Any, **kwargs: Any) -> Any:
    """`x.astype(dtype)`; by NumPy where only the run knows the dtype."""
    if is_staged(dtype):
        return METHODS["host method"](x, "astype", dtype, *args, **kwargs)
    return scalar(cast(x.value, np.dtype(dtype)))


def numpy_attribute(x: StagedScalar, name: str) -> Any:
    """An attribute of a NumPy scalar."""
    if name in SCALAR_CONSTANTS:
        return SCALAR_CONSTANTS[name]
    if name in ("itemsize", "nbytes"):
        return x.dtype.itemsize
    if name == "T":
        return x
    if name == "numpy":
        return StagedMethod(lambda x: x, x)
    if name == "is_integer" and x.dtype.kind in "iuf":
        return StagedMethod(is_integer, x)
    if name == "bit_count" and x.dtype.kind == "i":
        return StagedMethod(bit_count, x)
    if name == "item":
        return StagedMethod(lambda x: scalar(python_value(x), True), x)
    if name == "astype":
        return StagedMethod(as_type, x)
    if name in METHODS:
        return StagedMethod(lambda x, *args, **kwargs: scalar_result(METHODS[name](scalar_array(x), *args, **kwargs)), x)
    if hasattr(x.dtype.type, name) and not name.startswith("__"):
        return StagedMethod(METHODS["host method"], x, name)
    raise AttributeError(f"'{x.type_name}' object has no attribute '{name}'", name=name)


def python_value(x: StagedScalar) -> Any:
    """A NumPy scalar as the Python number's graph value."""
    kinds = {"b": bool, "i": np.int64, "u": np.int64, "f": np.float64, "c": np.complex128}
    if x.scalar_dtype == np.uint64:
        check(
            emit("less_equal", x.value, constant(np.uint64(2**63 - 1))).result,
            OverflowError,
            "Python int too large for compiled code (ints are int64)",
        )
    return cast(x.value, np.dtype(kinds[x.scalar_dtype.kind]))


def scalar_result(x: Any) -> Any:
    """A rank-0 array as a scalar."""
    return wrap_result(x.value) if isinstance(x, StagedArray) else x
