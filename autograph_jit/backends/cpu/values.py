"""What a graph value is while code is emitted: LLVM values for the parts of scalars, arrays, objects and lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.signatures import I1, I8, I64, PTR
from autograph_jit.ir.graph import Value
from autograph_jit.ir.scalar import real_dtype
from autograph_jit.ir.types import ArrayType, ScalarType, Type
from autograph_jit.records import dataclass

F32, F64 = ir.FloatType(), ir.DoubleType()


@dataclass(frozen=True, slots=True)
class Complex:
    """A complex number in two registers."""

    re: ir.Value
    im: ir.Value


@dataclass(frozen=True, slots=True)
class Array:
    """A reference to memory: sizes in elements, strides in bytes; `scope` names the memory for LLVM's alias analysis."""

    pointer: ir.Value
    owner: ir.Value
    shape: tuple[ir.Value, ...]
    strides: tuple[ir.Value, ...]
    dtype: np.dtype
    contiguous: bool
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Deferred:
    """The result of an operation that was fused into a later one: only its sizes exist."""

    shape: tuple[ir.Value, ...]


Emitted = Any  # ir.Value of a real scalar, an object or a list; Complex; Array; Deferred


def array_type(value: Value) -> ArrayType:
    """The type of a value that is an array."""
    assert isinstance(value.type, ArrayType)
    return value.type


def dtype_of(value: Value) -> np.dtype:
    """The dtype of a value that is a scalar or an array."""
    assert isinstance(value.type, ScalarType | ArrayType)
    return value.type.dtype


def register_type(dtype: np.dtype) -> ir.Type:
    """The LLVM type of a real number in a register."""
    if dtype.kind == "b":
        return I1
    if dtype.kind == "f":
        return F32 if dtype.itemsize == 4 else F64
    return ir.IntType(8 * dtype.itemsize)


def memory_type(dtype: np.dtype) -> ir.Type:
    """The LLVM type of a real number in memory."""
    return I8 if dtype.kind == "b" else register_type(dtype)


def literal(value: Any, dtype: np.dtype) -> Emitted:
    """A number as an LLVM constant."""
    if dtype.kind == "c":
        part = register_type(real_dtype(dtype))
        number = complex(value)
        return Complex(part(number.real), part(number.imag))
    if dtype.kind == "f":
        return register_type(dtype)(float(value))
    return register_type(dtype)(int(value))


def constant_of(value: ir.Value) -> int | None:
    """The number that an LLVM integer constant is, else None."""
    return value.constant if isinstance(value, ir.Constant) and isinstance(value.constant, int) else None


def flatten(type: Type, contiguous: bool, value: Emitted) -> list[ir.Value]:
    """The registers that carry a value over the edge of a block; what its type or contiguity fixes is left out."""
    if isinstance(type, ScalarType):
        return [value.re, value.im] if isinstance(value, Complex) else [value]
    if not isinstance(type, ArrayType):
        return [value]
    sizes = [size for size, dim in zip(value.shape, type.dims) if not isinstance(dim, int)]
    return [value.pointer, value.owner, *sizes, *(() if contiguous else value.strides)]


def flat_types(type: Type, contiguous: bool) -> list[ir.Type]:
    """The LLVM types of `flatten`."""
    if isinstance(type, ScalarType):
        return [register_type(real_dtype(type.dtype))] * (2 if type.dtype.kind == "c" else 1)
    if not isinstance(type, ArrayType):
        return [PTR]
    sizes = sum(not isinstance(dim, int) for dim in type.dims)
    return [PTR, PTR, *[I64] * (sizes + (0 if contiguous else type.rank))]
