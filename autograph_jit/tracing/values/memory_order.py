"""Elementwise results in the memory order of their operands, as far as the trace knows it: computed on turned views, turned back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.types import ArrayType
from autograph_jit.tracing.values.axis_order import common_order
from autograph_jit.tracing.values.shape_checks import check_fitting
from autograph_jit.tracing.values.trace import active, emit

Steps = tuple[int, ...]  # for each axis, larger ones for larger strides; 0 for axes of one element and repeated ones


def elementwise(name: str, *operands: Value, **attributes: Any) -> Value:
    """The result of an elementwise operation, laid out as NumPy does."""
    order = order_of_operands(operands)  # sizes are compared before operands are turned: errors show the program's shapes
    if order is None or not check_fitting(operands):
        return emit(name, *operands, **attributes).result
    result = emit(name, *(turned(widened(x, len(order)), order) for x in operands), **attributes).result
    return turned(result, inverse(order))


def along_axis(name: str, x: Value, axis: int, *others: Value, **attributes: Any) -> Value:
    """The result of an operation along an axis that keeps the shape but for that axis, laid out as NumPy does."""
    order = order_of_operands([x])
    if order is None:
        return emit(name, x, *others, axis=axis, **attributes).result
    return turned(emit(name, turned(x, order), *others, axis=order.index(axis), **attributes).result, inverse(order))


def reduced(x: Value, axes: tuple[int, ...], keepdims: bool, **attributes: Any) -> Value:
    """A reduction, read in the order of memory, as by NumPy: of a turned view it is that of the array itself."""
    found = source_in_order(x)
    if found is None:
        return emit("reduce", x, axes=axes, keepdims=keepdims, **attributes).result
    source, places = found
    result = emit("reduce", source, axes=tuple(sorted(places[axis] for axis in axes)), keepdims=keepdims, **attributes).result
    kept = places if keepdims else tuple(place for axis, place in enumerate(places) if axis not in axes)
    return turned(result, tuple(sorted(kept).index(place) for place in kept))


def order_of_operands(operands: Sequence[Value]) -> tuple[int, ...] | None:
    """The axes of the result from the slowest to the fastest; None for C order."""
    arrays = [x for x in operands if isinstance(x.type, ArrayType)]
    rank = max((len(x.type.dims) for x in arrays), default=0)  # type: ignore[union-attr]
    if rank < 2:
        return None
    steps = [steps_of(x) for x in arrays]
    if all(is_falling(part) for part in steps):
        return None
    return common_order([(0,) * (rank - len(part)) + part for part in steps])


def is_falling(steps: Steps) -> bool:
    """Whether the axes lie in C order."""
    told = [step for step in steps if step]
    return told == sorted(told, reverse=True)


def steps_of(x: Value) -> Steps:
    """How the axes of an array lie, by the views that lead to it; in C order where nothing is known."""
    known = active().sources.steps
    if x not in known:
        dims = x.type.dims  # type: ignore[union-attr]
        owner = x.owner
        view = isinstance(owner, Operation) and owner.name in ("transpose", "basic_index", "broadcast_to")
        found = steps_of_view(owner, steps_of(owner.operands[0])) if view else tuple(range(len(dims), 0, -1))  # type: ignore[arg-type, union-attr]
        known[x] = tuple(0 if size == 1 else step for step, size in zip(found, dims))
    return known[x]


def steps_of_view(view: Operation, steps: Steps) -> Steps:
    """How the axes of a view lie, by those of its source."""
    if view.name == "transpose":
        return tuple(steps[axis] for axis in view.attributes["perm"])
    if view.name == "broadcast_to":
        source, dims = view.operands[0].type.dims, view.result.type.dims  # type: ignore[union-attr]
        added = len(dims) - len(source)
        return (0,) * added + tuple(0 if size != wanted else step for step, size, wanted in zip(steps, source, dims[added:]))
    found, axis = [], 0
    for item in view.attributes["items"]:
        if item[0] == "newaxis":
            found.append(0)
            continue
        if item[0] != "int":
            found.append(steps[axis])
        axis += 1
    return tuple(found)


def inverse(order: Sequence[int]) -> tuple[int, ...]:
    """The permutation that undoes another one."""
    return tuple(sorted(range(len(order)), key=lambda axis: order[axis]))


def widened(x: Value, rank: int) -> Value:
    """An array with axes of size 1 in front, up to a rank; numbers as they are."""
    if not isinstance(x.type, ArrayType) or x.type.rank == rank:
        return x
    added = rank - x.type.rank
    return emit("basic_index", x, items=(("newaxis",),) * added + (("full",),) * x.type.rank, dims=(1,) * added + x.type.dims).result


def turned(x: Value, order: tuple[int, ...]) -> Value:
    """A view with the axes in this order; what was turned before is turned from its source. Numbers as they are."""
    if not isinstance(x.type, ArrayType):
        return x
    owner = x.owner
    if isinstance(owner, Operation) and owner.name == "transpose":
        before = owner.attributes["perm"]
        x, order = owner.operands[0], tuple(before[axis] for axis in order)
    return x if order == tuple(range(len(order))) else emit("transpose", x, perm=order).result


def source_in_order(x: Value) -> tuple[Value, tuple[int, ...]] | None:
    """The array that another one is a turned view of, with the axes that the view has in its places; None for others."""
    owner = x.owner
    if not isinstance(owner, Operation) or owner.name != "transpose" or not is_falling(steps_of(owner.operands[0])):
        return None
    return owner.operands[0], tuple(owner.attributes["perm"])
