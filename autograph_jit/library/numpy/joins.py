"""Arrays put together: concatenate, the stacks, append, block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph_jit.ir.dims import Size
from autograph_jit.library.numpy.axes import normalize_axis
from autograph_jit.library.numpy.movement import moveaxis, rows
from autograph_jit.tracing.arrays.array_like import as_array, has_staged_form, is_sequence, stack_arrays
from autograph_jit.tracing.arrays.register import implements, refuse
from autograph_jit.tracing.arrays.views import flat, prepend_axes
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject
from autograph_jit.tracing.values.lift import array, cast
from autograph_jit.tracing.values.trace import emit


def common(arrays: Sequence[Any], dtype: Any = None, casting: Any = "same_kind") -> list[StagedArray]:
    """Arrays cast to one dtype, as the casting rule allows."""
    refuse(has_staged_form(arrays), isinstance(arrays, StagedObject))
    if isinstance(arrays, (StagedArray, np.ndarray)):
        arrays = list(rows(as_array(arrays)))
    found = [as_array(x) for x in arrays]
    if not found:
        raise ValueError("need at least one array to concatenate")
    wanted = np.result_type(*(x.dtype for x in found)) if dtype is None else np.dtype(dtype)
    refuse(not all(np.can_cast(x.dtype, wanted, casting) for x in found))
    return [StagedArray(cast(x.value, wanted)) for x in found]


def concat_values(arrays: list[StagedArray], axis: int) -> StagedArray:
    """Arrays of one dtype and rank end to end."""
    first = arrays[0]
    dims = list(first.type.dims)
    for k, x in enumerate(arrays[1:], 1):
        for other, (size, found) in enumerate(zip(dims, x.type.dims)):
            if other == axis or size == found:
                continue
            if isinstance(size, int) and isinstance(found, int):
                raise ValueError(
                    f"all the input array dimensions except for the concatenation axis must match exactly, but along dimension {other}, "
                    f"the array at index 0 "
                    f"has size {size} and the array at index {k} has size {found}"
                )
            dims[other] = found if isinstance(found, int) else size
    total: Size = 0
    for x in arrays:
        total = total + x.type.dims[axis]
    dims[axis] = total
    return array(emit("concat", *(x.value for x in arrays), axis=axis, dims=tuple(dims)).result)


@implements(np.concatenate)
def concatenate(arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    refuse(out is not None)
    parts = common(arrays, dtype, casting)
    if axis is None:
        parts, axis = [flat(x) for x in parts], 0
    for k, x in enumerate(parts):
        if x.ndim == 0:
            raise ValueError("zero-dimensional arrays cannot be concatenated")
        if x.ndim != parts[0].ndim:
            raise ValueError(
                f"all the input arrays must have same number of dimensions, but the array at index 0 has {parts[0].ndim} dimension(s) "
                f"and the array at index {k} has "
                f"{x.ndim} dimension(s)"
            )
    return concat_values(parts, normalize_axis(axis, parts[0].ndim))


@implements(np.stack)
def stack(arrays: Any, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    refuse(out is not None)
    if isinstance(arrays, StagedArray) and arrays.ndim > 0:  # the run-time list that it was
        return moveaxis(arrays, 0, axis)
    if has_staged_form(arrays):
        return moveaxis(as_array(arrays), 0, axis)
    if is_sequence(arrays) and not arrays:
        raise ValueError("need at least one array to stack")
    parts = common(arrays, dtype, casting)
    return stack_arrays(parts, normalize_axis(axis, parts[0].ndim + 1), "all input arrays must have the same shape")


@implements(np.block)
def block(arrays: Any) -> Any:
    depth = block_depth(arrays)
    refuse(not is_even(arrays, depth))
    parts = block_leaves(arrays)
    rank = max([depth, *(as_array(x).ndim for x in parts)])
    return joined_block(arrays, depth, rank)


def block_depth(x: Any) -> int:
    """How many lists are nested."""
    return 1 + max(block_depth(part) for part in x) if isinstance(x, list) else 0


def is_even(x: Any, depth: int) -> bool:
    """Whether lists are nested equally deep everywhere, and none is empty."""
    return bool(x) and all(is_even(part, depth - 1) for part in x) if isinstance(x, list) else depth == 0


def block_leaves(x: Any) -> list[Any]:
    """The arrays in nested lists."""
    return [leaf for part in x for leaf in block_leaves(part)] if isinstance(x, list) else [x]


def joined_block(x: Any, depth: int, rank: int) -> StagedArray:
    """Nested lists joined from the inside: the innermost along the last axis."""
    if isinstance(x, list):
        return concatenate([joined_block(part, depth - 1, rank) for part in x], -depth)
    return prepend_axes(as_array(x), rank)
