"""Adding a contribution to a cotangent: broadcast axes are summed, dtypes follow the primal."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType
from autograph_jit.staging.lift import array, cast, is_number, lift_array, scalar
from autograph_jit.staging.trace import active, constant, emit
from autograph_jit.staging.values import Protocol, StagedArray, StagedScalar


def numpy(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a NumPy function on stand-ins."""
    return Protocol.call(function, args, kwargs or None)


def unbroadcast(contribution: Any, target: StagedArray) -> Any:
    """Sum a contribution over the axes along which the target was broadcast."""
    if is_number(contribution):
        return contribution
    contribution = lift_array(contribution)
    extra = contribution.ndim - target.ndim
    if extra > 0:
        contribution = numpy(np.sum, contribution, axis=tuple(range(extra)))
    if not isinstance(contribution, StagedArray):
        return contribution
    offset = target.ndim - contribution.ndim
    axes = tuple(axis for axis, size in enumerate(contribution.type.dims) if target.type.dims[axis + offset] == 1 and size != 1)
    return numpy(np.sum, contribution, axis=axes, keepdims=True) if axes else contribution


def to_dtype(contribution: Any, dtype: np.dtype) -> Any:
    """A contribution in the primal's dtype: the real part where the primal is real."""
    staged = contribution if isinstance(contribution, (StagedArray, StagedScalar)) else scalar(constant(np.asarray(contribution)[()]))
    found = staged.dtype if isinstance(staged, StagedArray) else staged.scalar_dtype
    if found.kind == "c" and dtype.kind != "c":
        staged = numpy(np.real, staged)
    return array(cast(staged.value, dtype)) if isinstance(staged, StagedArray) else scalar(cast(staged.value, dtype))


def add_into(shadow: StagedArray, contribution: Any) -> None:
    """`shadow += contribution`, in place."""
    value = to_dtype(unbroadcast(contribution, shadow), shadow.dtype)
    total = emit("add", shadow.value, value.value).result
    emit("assign", shadow.value, total)


def add_scalars(x: StagedScalar | None, contribution: Any, dtype: np.dtype) -> StagedScalar:
    """The sum of a scalar cotangent and a contribution, which may be an array (of a broadcast scalar)."""
    if isinstance(contribution, (StagedArray, np.ndarray)):
        contribution = numpy(np.sum, contribution)
    value = to_dtype(contribution, dtype)
    return value if x is None else scalar(emit("add", x.value, value.value).result)


def zeros(dims: tuple[Any, ...], sizes: tuple[Any, ...], dtype: np.dtype) -> StagedArray:
    """A fresh array of zeros."""
    operands = [constant(np.int64(size)) if isinstance(size, int) else size.value for size in sizes]
    made = array(emit("full", constant(dtype.type(0)), *operands, dims=dims).result)
    active().shadows.add(made.value)
    return made


def zero(value: Value) -> StagedScalar:
    """The zero of a scalar's type."""
    assert not isinstance(value.type, ArrayType)
    return scalar(constant(value.type.dtype.type(0)))  # type: ignore[union-attr]


def or_zero(ct: Any, value: Value) -> Any:
    """A cotangent, or the zero of its primal where nothing depends on it."""
    return ct if ct is not None else zero(value)


def in_shape(contribution: Any, type_: ArrayType, sizes: tuple[Any, ...]) -> StagedArray:
    """A contribution in the shape and dtype of its primal, as a value that later operations only read."""
    like = zeros(type_.dims, sizes, type_.dtype)
    value = to_dtype(unbroadcast(contribution, like), type_.dtype)
    if isinstance(value, StagedArray) and value.type == type_:
        return array(emit("copy", value.value).result) if is_memory(value) else value
    return array(emit("add", like.value, value.value).result)


def is_memory(x: StagedArray) -> bool:
    """Whether an array is a shadow, an argument or a primal value, or a view of one: its content may still change."""
    owner = x.value.owner
    while isinstance(owner, Operation) and owner.opdef.effect is Effect.VIEW:
        x = StagedArray(owner.operands[0])
        owner = x.value.owner
    return not isinstance(owner, Operation) or x.value in active().shadows
