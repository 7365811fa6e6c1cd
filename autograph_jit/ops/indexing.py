"""Gathers and scatters with integer arrays, boolean masks, sorting and searching."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.derivative import FLAT, Derivative
from autograph_jit.ir.dims import lower_bound
from autograph_jit.ir.opdef import Attributes, Effect, Library, OpDef
from autograph_jit.ir.types import I64, ArrayType, ScalarType, Type
from autograph_jit.ops.derivatives import indexing as rules
from autograph_jit.ops.derivatives.indexing import subscript
from autograph_jit.ops.inference import (
    Types,
    dims_of,
    elementwise_type,
    expect_array,
    expect_count,
    expect_numeric,
    fresh,
    ndarray,
    normalize_axis,
)
from autograph_jit.ops.registry import define_op

LARGEST = float(1 << 63)
TOO_BIG = "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."
MODES: dict[str, np.ufunc] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "min": np.minimum,
    "max": np.maximum,
}


def expect_items(name: str, array: ArrayType, items: tuple[tuple[str, ...], ...], index: Types) -> None:
    """The items cover every axis; each ("array",) takes one i64 operand."""
    kinds = [item[0] for item in items]
    if len(kinds) != array.rank or kinds.count("array") != len(index) or set(kinds) - {"array", "full"}:
        raise GraphError(f"{name}: items {items} do not fit {array} and {len(index)} index operands")
    for type in index:
        if expect_numeric(name, type).dtype != I64.dtype:
            raise GraphError(f"{name} takes i64 indices, not {type}")


def infer_gather(types: Types, attributes: Attributes) -> Types:
    """The axes of the broadcast index stand where NumPy puts them: tracing states them in `dims`."""
    array = expect_array("gather", types[0])
    expect_items("gather", array, attributes["items"], types[1:])
    index_rank = max((type.rank for type in types[1:] if isinstance(type, ArrayType)), default=0)
    return (ArrayType(array.dtype, dims_of("gather", attributes, array.rank - len(types) + 1 + index_rank)),)


def gather_elements(array: np.ndarray, *index: Any, items: tuple[tuple[str, ...], ...], dims: Any = None) -> np.ndarray:
    """NumPy's advanced indexing; always a fresh array."""
    return fresh(array[subscript(items, index)])


def infer_scatter(types: Types, attributes: Attributes) -> Types:
    """An array, a value of its dtype, indices."""
    array, value = expect_array("scatter", types[0]), expect_numeric("scatter", types[1])
    if array.dtype != value.dtype:
        raise GraphError(f"scatter: cannot write {value} into {array}; cast first")
    if attributes["mode"] != "set" and attributes["mode"] not in MODES:
        raise GraphError(f"scatter: no mode is named {attributes['mode']!r}")
    expect_items("scatter", array, attributes["items"], types[2:])
    return ()


def scatter_elements(array: np.ndarray, value: Any, *index: Any, items: tuple[tuple[str, ...], ...], mode: str) -> tuple[()]:
    """Write or accumulate in order, so that of duplicates the last wins or all count."""
    key = subscript(items, index)
    with np.errstate(all="ignore"):
        if mode == "set":
            array[key] = value
        else:
            MODES[mode].at(array, key, value)
    return ()


def expect_mask(name: str, array: ArrayType, type: Type) -> ArrayType:
    """The mask's type: bools, over the leading axes."""
    mask = expect_array(name, type)
    if mask.dtype.kind != "b" or not 1 <= mask.rank <= array.rank:
        raise GraphError(f"{name} takes a bool mask over leading axes of {array}, not {mask}")
    return mask


def infer_mask_select(types: Types, attributes: Attributes) -> Types:
    """One axis for the selected elements in the place of the mask's axes."""
    expect_count("mask_select", types, 2)
    array = expect_array("mask_select", types[0])
    mask = expect_mask("mask_select", array, types[1])
    return (ArrayType(array.dtype, dims_of("mask_select", attributes, array.rank - mask.rank + 1)),)


def mask_may_misfit(types: Types, attributes: Attributes) -> bool:
    """Whether the mask's sizes are not provably those of the array."""
    array, mask = expect_array("mask", types[0]), expect_array("mask", types[1])
    return mask.dims != array.dims[: mask.rank]


def infer_mask_assign(types: Types, attributes: Attributes) -> Types:
    """An array, a mask, and a value of the array's dtype."""
    expect_count("mask_assign", types, 3)
    array, value = expect_array("mask_assign", types[0]), expect_numeric("mask_assign", types[2])
    expect_mask("mask_assign", array, types[1])
    if value.dtype != array.dtype:
        raise GraphError(f"mask_assign: cannot write {value} into {array}; cast first")
    return ()


def assign_where(array: np.ndarray, mask: np.ndarray, value: Any) -> tuple[()]:
    """`array[mask] = value`."""
    array[mask] = value
    return ()


def mask_assign_fails(types: Types, attributes: Attributes) -> bool:
    """An array value must count as many elements as the mask selects."""
    return mask_may_misfit(types, attributes) or not isinstance(types[2], ScalarType)


def infer_nonzero(types: Types, attributes: Attributes) -> Types:
    """One array of positions for each axis, all of one length."""
    expect_count("nonzero", types, 1)
    array = expect_array("nonzero", types[0])
    if array.rank == 0:
        raise GraphError("nonzero takes an array of rank 1 or more")
    return (ArrayType(I64.dtype, dims_of("nonzero", attributes, 1)),) * array.rank


def find_nonzero(array: np.ndarray, dims: Any = None) -> tuple[np.ndarray, ...]:
    """NumPy's nonzero, each array in C order."""
    return tuple(fresh(positions) for positions in np.nonzero(array))


def infer_repeat(types: Types, attributes: Attributes) -> Types:
    """An array and a vector of counts; the axis of the result is as long as they add up to."""
    expect_count("repeat", types, 2)
    array, counts = expect_array("repeat", types[0]), expect_array("repeat", types[1])
    if counts.dtype != I64.dtype or counts.rank != 1:
        raise GraphError(f"repeat takes a vector of i64 counts, not {counts}")
    normalize_axis("repeat", attributes["axis"], array.rank)
    return (ArrayType(array.dtype, dims_of("repeat", attributes, array.rank)),)


def repeat_elements(array: np.ndarray, counts: np.ndarray, axis: int, dims: Any = None) -> np.ndarray:
    """NumPy's repeat, which would write anywhere if the counts added up to more than an i64."""
    if counts.sum(dtype=np.float64) >= LARGEST:
        raise ValueError(TOO_BIG)
    return np.repeat(array, counts, axis)


def infer_sort(types: Types, attributes: Attributes) -> Types:
    """The operand's type."""
    expect_count("sort", types, 1)
    array = expect_array("sort", types[0])
    normalize_axis("sort", attributes["axis"], array.rank)
    return (array,)


def sort_array(array: np.ndarray, axis: int, descending: bool = False, kind: Any = None) -> np.ndarray:
    """Sorted along the axis, NaN last in ascending order."""
    result = np.sort(array, axis, kind)
    return fresh(np.flip(result, axis)) if descending else ndarray(result)


def infer_argsort(types: Types, attributes: Attributes) -> Types:
    """Positions as i64."""
    return (ArrayType(I64.dtype, expect_array("argsort", infer_sort(types, attributes)[0]).dims),)


def argsort_array(array: np.ndarray, axis: int, kind: Any = None) -> np.ndarray:
    """The order along the axis; of equal elements the one that NumPy's routine leaves them in, which depends on the processor."""
    return ndarray(np.argsort(array, axis, kind))


def infer_order_statistics(types: Types, attributes: Attributes) -> Types:
    """The operand's type, its axis as long as the vector of ranks."""
    expect_count("order_statistics", types, 2)
    array, ranks = expect_array("order_statistics", types[0]), expect_array("order_statistics", types[1])
    if ranks.dtype != I64.dtype or ranks.rank != 1:
        raise GraphError(f"order_statistics takes a vector of i64 ranks, not {ranks}")
    axis = normalize_axis("order_statistics", attributes["axis"], array.rank)
    return (ArrayType(array.dtype, (*array.dims[:axis], ranks.dims[0], *array.dims[axis + 1 :])),)


def order_statistics_of(array: np.ndarray, ranks: np.ndarray, axis: int) -> np.ndarray:
    """The elements that stand at these places when each line along the axis is sorted, NaN last; the first or last for ranks beyond."""
    last = array.shape[axis] - 1
    places = np.array(sorted({min(max(rank, 0), last) for rank in ranks.tolist()}), np.int64)
    return ndarray(np.partition(array, places, axis).take(ranks, axis, mode="clip"))


def order_statistics_fail(types: Types, attributes: Attributes) -> bool:
    """A line without elements has no order statistics."""
    array = expect_array("order_statistics", types[0])
    return (lower_bound(array.dims[attributes["axis"]]) or 0) < 1


def infer_searchsorted(types: Types, attributes: Attributes) -> Types:
    """A position for each value."""
    expect_count("searchsorted", types, 2)
    array, values = expect_array("searchsorted", types[0]), expect_numeric("searchsorted", types[1])
    if array.rank != 1 or array.dtype != values.dtype:
        raise GraphError(f"searchsorted takes a sorted vector and values of its dtype, not {array} and {values}")
    return (elementwise_type("searchsorted", (values,), I64.dtype),)


def search(array: np.ndarray, values: Any, side: str) -> Any:
    """NumPy's searchsorted; `side="interval"` is that of np.interp: as "right", but where the last elements are no numbers each search
    begins where the one before it ended, and what it finds depends on that."""
    if side == "interval" and array.size > LINEAR_SEARCH and np.isnan(array[-1]):
        result = positions_of_intervals(array, values)
    else:
        result = np.searchsorted(array, values, "right" if side == "interval" else side)  # type: ignore[call-overload]
    return ndarray(result) if isinstance(values, np.ndarray) else np.int64(result)


LINEAR_SEARCH = 4  # as in NumPy's binary_search_with_guess (numpy/_core/src/multiarray/compiled_base.c)


def positions_of_intervals(array: np.ndarray, values: Any) -> np.ndarray:
    """Where np.interp finds values among points whose last ones are no numbers: one behind the point in front of each."""
    found, guess = np.zeros(np.shape(values), np.int64), 0
    for place, value in np.ndenumerate(values):
        if not np.isnan(value):
            guess = interval_of(array, value, guess)
            found[place] = guess + 1
    return found


def interval_of(array: np.ndarray, value: Any, guess: int) -> int:
    """The point in front of a value, -1 in front of the first, by NumPy's search: near the guess first, then by halves."""
    if value < array[0]:
        return -1
    guess = max(min(guess, array.size - 3), 1)
    low, high = 0, array.size
    if value < array[guess]:
        if not value < array[guess - 1]:
            return guess - 1
        high = guess - 1
    else:
        if value < array[guess + 1]:
            return guess
        if value < array[guess + 2]:
            return guess + 1
        low = guess + 2
    while low < high:
        middle = low + (high - low) // 2
        low, high = (middle + 1, high) if value >= array[middle] else (low, middle)
    return low - 1


def define_routine(name: str, infer: Any, eager: Any, effect: Effect, may_fail: bool, derivative: Derivative, fails: Any = None) -> OpDef:
    """Define an operation that is a routine of the backend's library."""
    return define_op(
        name, infer=infer, eager=eager, kernel=Library(), effect=effect, may_fail=may_fail, derivative=derivative, fails=fails
    )


gather = define_routine("gather", infer_gather, gather_elements, Effect.PURE, True, rules.GATHER)
scatter = define_routine("scatter", infer_scatter, scatter_elements, Effect.WRITE, True, rules.SCATTER)
mask_select = define_routine(
    "mask_select",
    infer_mask_select,
    lambda array, mask, dims=None: fresh(array[mask]),
    Effect.PURE,
    True,
    rules.MASK_SELECT,
    mask_may_misfit,
)
mask_assign = define_routine("mask_assign", infer_mask_assign, assign_where, Effect.WRITE, True, rules.MASK_ASSIGN, mask_assign_fails)
nonzero = define_routine("nonzero", infer_nonzero, find_nonzero, Effect.PURE, False, FLAT)
repeat = define_routine("repeat", infer_repeat, repeat_elements, Effect.PURE, True, rules.REPEAT)
sort = define_routine("sort", infer_sort, sort_array, Effect.PURE, False, rules.SORT)
argsort = define_routine("argsort", infer_argsort, argsort_array, Effect.PURE, False, FLAT)
order_statistics = define_routine(
    "order_statistics", infer_order_statistics, order_statistics_of, Effect.PURE, True, rules.ORDER_STATISTICS, order_statistics_fail
)
searchsorted = define_routine("searchsorted", infer_searchsorted, search, Effect.PURE, False, FLAT)
