"""Adding a contribution to a cotangent: broadcast axes are summed, dtypes follow the primal."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.dims import Size, lower_bound
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.types import I64, ArrayType, Type
from autograph_jit.tracing.arrays.array_like import with_sizes
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, index_value, is_number, lift_array, scalar, shape_of
from autograph_jit.tracing.values.trace import Restart, active, block_of, constant, emit

MOST_DOUBTS = 6


def numpy(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a NumPy function on stand-ins."""
    return language.call(function, args, kwargs or None)


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
    if axes:
        contribution = numpy(np.sum, contribution, axis=axes, keepdims=True)
    for axis in range(contribution.ndim):
        if may_be_broadcast(contribution, target.type, offset, axis):
            contribution = unbroadcast_axis(contribution, target, axis, offset)
    return contribution


def may_be_broadcast(contribution: StagedArray, type_: ArrayType, offset: int, axis: int | None = None) -> bool:
    """Whether an axis of a contribution, or any of them, may have more than the one element of its primal, as far as sizes are known."""
    axes = range(contribution.ndim) if axis is None else (axis,)
    pairs = [(contribution.type.dims[axis], type_.dims[axis + offset]) for axis in axes]
    return any(size not in (wanted, 1) and (lower_bound(wanted) or 0) < 2 for size, wanted in pairs)


def unbroadcast_axis(contribution: StagedArray, target: StagedArray, axis: int, offset: int) -> StagedArray:
    """Sum along an axis where the run finds that the target was broadcast."""
    dims = contribution.type.dims
    result = ArrayType(contribution.dtype, (*dims[:axis], target.type.dims[axis + offset], *dims[axis + 1 :]))
    note_doubt(dims[axis], target.type.dims[axis + offset])
    sizes = emit("dim", target.value, axis=axis + offset).result, emit("dim", contribution.value, axis=axis).result
    same, summed = Block(), Block()
    same.yields = [contribution.value]
    with block_of(active(), summed):
        summed.yields = [emit("reduce", contribution.value, op="sum", axes=(axis,), keepdims=True).result]
    return array(emit("cond", emit("equal", *sizes).result, regions=[same, summed], results=(result,)).result)


def note_doubt(*sizes: Size) -> None:
    """The run has to find out whether two sizes are equal. Where many sums wait for that, no two of them are one nest, and each is compiled
    for both answers: such sizes of arguments become constants of the program, until they are seen to change."""
    trace = active()
    trace.differentiation.doubts.append(str(sizes))
    if len(trace.differentiation.doubts) > MOST_DOUBTS and trace.inputs is not None:
        open_sizes = {label: source for label, source in trace.sources.sizes.items() if source[0] == "size"}
        concerned = [source for label, source in open_sizes.items() if any(label in doubt for doubt in trace.differentiation.doubts)]
        found = [("static", source) for source in concerned if source not in trace.inputs.generalized]
        if found:
            raise Restart(*found)


def in_same_shape(contribution: Any, type_: Type) -> Any:
    """A contribution that surely has the sizes of its primal, under the names that they have there. What can be fused stays as it is."""
    if not isinstance(contribution, StagedArray) or not isinstance(type_, ArrayType) or contribution.ndim != type_.rank:
        return contribution
    if contribution.type.dims == type_.dims:
        return contribution
    owner = contribution.value.owner
    if isinstance(owner, Operation) and isinstance(owner.opdef.kernel, Pointwise) and not may_be_broadcast(contribution, type_, 0):
        return contribution
    return array(with_sizes(contribution.value, type_.dims))


def to_dtype(contribution: Any, dtype: np.dtype) -> Any:
    """A contribution in the primal's dtype: the real part where the primal is real."""
    staged = contribution if isinstance(contribution, (StagedArray, StagedScalar)) else scalar(constant(np.asarray(contribution)[()]))
    found = staged.dtype if isinstance(staged, StagedArray) else staged.scalar_dtype
    if found.kind == "c" and dtype.kind != "c":
        staged = numpy(np.real, staged)
    return array(cast(staged.value, dtype)) if isinstance(staged, StagedArray) else scalar(cast(staged.value, dtype))


def sum_of(x: Value, y: Value) -> Value:
    """The sum of two cotangents, into which a product may be contracted."""
    operation = emit("add", x, y)
    operation.contract = True
    return operation.result


def add_into(shadow: StagedArray, contribution: Any) -> None:
    """`shadow += contribution`, in place."""
    if repeats(shadow.value):
        add_repeated(shadow, contribution)
        return
    value = to_dtype(unbroadcast(contribution, shadow), shadow.dtype)
    total = sum_of(shadow.value, value.value)
    if is_outer_product(value.value):
        emit("assign", shadow.value, total, in_any_order=True)
    else:
        emit("assign", shadow.value, total)


def is_outer_product(value: Value) -> bool:
    """Whether a contribution is a column times a row, as that of a product of a matrix and a vector is."""
    product = value.owner
    if not isinstance(product, Operation) or product.name != "multiply":
        return False
    column = product.operands[0].type
    return isinstance(column, ArrayType) and column.rank == 2 and column.dims[1] == 1


def repeats(value: Value) -> bool:
    """Whether an array views memory in such a way that one element may stand in several places."""
    owner = value.owner
    while isinstance(owner, Operation) and owner.opdef.effect is Effect.VIEW:
        if owner.name in ("broadcast_to", "as_strided"):
            return True
        owner = owner.operands[0].owner
    return False


def add_repeated(shadow: StagedArray, contribution: Any) -> None:
    """Add to a shadow that repeats: the sum over the repeated axes goes to what was broadcast; other layouts take one element after
    the other, so that each contribution to an element counts."""
    full = zeros(shadow.type.dims, shape_of(shadow), shadow.dtype)
    add_into(full, contribution)
    owner = shadow.value.owner
    if isinstance(owner, Operation) and owner.name == "broadcast_to":
        add_into(array(owner.operands[0]), full)
    else:
        add_elements(shadow.value, full.value, [index_value(size) for size in shape_of(shadow)], [])


def add_elements(target: Value, source: Value, sizes: list[Value], indices: list[Value]) -> None:
    """`target[i, j, ...] += source[i, j, ...]` in program order, by one loop for each axis."""
    if not sizes:
        total = emit("add", emit("load", target, *indices, proved=True).result, emit("load", source, *indices, proved=True).result).result
        emit("store", target, total, *indices, proved=True)
        return
    body = Block()
    index = body.add_argument(I64, "k")
    with block_of(active(), body):
        add_elements(target, source, sizes[1:], [*indices, index])
    emit("for_loop", constant(np.int64(0)), sizes[0], constant(np.int64(1)), regions=[body], results=(), has_break=False)


def add_scalars(x: StagedScalar | None, contribution: Any, dtype: np.dtype) -> StagedScalar:
    """The sum of a scalar cotangent and a contribution, which may be an array (of a broadcast scalar)."""
    if isinstance(contribution, (StagedArray, np.ndarray)):
        contribution = numpy(np.sum, contribution)
    value = to_dtype(contribution, dtype)
    return value if x is None else scalar(sum_of(x.value, value.value))


def zeros(dims: tuple[Any, ...], sizes: tuple[Any, ...], dtype: np.dtype) -> StagedArray:
    """A fresh array of zeros."""
    operands = [constant(np.int64(size)) if isinstance(size, int) else size.value for size in sizes]
    made = array(emit("full", constant(dtype.type(0)), *operands, dims=dims, checked=True).result)
    active().differentiation.shadows.add(made.value)
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
    return array(sum_of(like.value, value.value))


def is_in_shape(contribution: Any, type_: ArrayType) -> bool:
    """Whether a contribution is computed element by element, or one number everywhere, in the dtype of its primal, and has its sizes,
    though maybe under other names: what is longer than one cannot be repeated."""
    if not isinstance(contribution, StagedArray) or contribution.ndim != type_.rank or contribution.dtype != type_.dtype:
        return False
    owner = contribution.value.owner
    is_made = isinstance(owner, Operation) and (isinstance(owner.opdef.kernel, Pointwise) or owner.name == "broadcast_to")
    is_computed = is_made and not is_memory(contribution)
    pairs = zip(contribution.type.dims, type_.dims)
    return is_computed and all(size == wanted or min(lower_bound(size) or 0, lower_bound(wanted) or 0) > 1 for size, wanted in pairs)


def is_memory(x: StagedArray) -> bool:
    """Whether an array is a shadow, an argument or a primal value, or a view of one: its content may still change."""
    owner = x.value.owner
    while isinstance(owner, Operation) and owner.opdef.effect is Effect.VIEW:
        x = StagedArray(owner.operands[0])
        owner = x.value.owner
    return not isinstance(owner, Operation) or x.value in active().differentiation.shadows
