"""Order: sort, argsort, searchsorted, digitize."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.library.numpy.axes import normalize_axis
from autograph_jit.tracing.arrays.array_like import as_array, is_sequence, wrap_result
from autograph_jit.tracing.arrays.register import implements, method, refuse
from autograph_jit.tracing.arrays.views import flat
from autograph_jit.tracing.values.abstract import StagedArray, content_of
from autograph_jit.tracing.values.lift import array, cast, dtype_of, is_number, lift_number
from autograph_jit.tracing.values.memory_order import along_axis
from autograph_jit.tracing.values.trace import emit

ROUTINES = ("quicksort", "heapsort", "mergesort", "stable")


def along(a: Any, axis: Any) -> tuple[StagedArray, int]:
    """The array and the axis to sort along; the flat array where axis is None."""
    x = as_array(a)
    refuse(x.ndim == 0)
    if axis is None:
        return flat(x), 0
    return x, normalize_axis(axis, x.ndim)


def routine(kind: Any, order: Any, stable: Any) -> str:
    """The name of NumPy's routine, which decides how equal elements are ordered; options that NumPy has to judge are left to it."""
    refuse(order is not None, stable is not None and kind is not None, kind not in (None, *ROUTINES))
    return kind or ("stable" if stable else "quicksort")


@implements(np.sort)
def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    chosen = routine(kind, order, stable)
    x, place = along(a, axis)
    return array(along_axis("sort", x.value, place, descending=False, kind=chosen))


def order_statistics(x: StagedArray, ranks: StagedArray, axis: int) -> StagedArray:
    """The elements of these ranks in each line along the axis, which has one element at least: no full sort."""
    return array(along_axis("order_statistics", x.value, axis, ranks.value))


@implements(np.argsort)
def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    chosen = routine(kind, order, stable)
    x, place = along(a, axis)
    return array(emit("argsort", x.value, axis=place, kind=chosen).result)


@implements(np.searchsorted)
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Where to insert so that the order is kept."""
    x = as_array(a)
    if x.ndim != 1:
        raise ValueError("object too deep for desired array" if x.ndim else "object of too small depth for desired array")
    if side not in ("left", "right", "l", "r"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    if sorter is not None:
        x = x[sorter]
    return searched(x, content_of(v), "left" if side[0] == "l" else "right")


def searched(x: StagedArray, v: Any, side: str) -> Any:
    """The position in a sorted vector of a number or of each in an array; "interval" is the side of np.interp."""
    number = is_number(v)
    values = v if number else as_array(v)
    wanted = np.result_type(x.dtype, dtype_of(values))
    operand = lift_number(values, wanted) if number else cast(values.value, wanted)
    return wrap_result(emit("searchsorted", cast(x.value, wanted), operand, side=side).result)


@method("searchsorted")
def search_method(x: StagedArray, v: Any, side: str = "left", sorter: Any = None) -> Any:
    return searchsorted(x, v, side, sorter)


@implements(np.digitize)
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Bins that are known here must rise; others are left to NumPy, which tells rising from falling by their values."""
    known, subject = content_of(bins), content_of(x)
    if dtype_of(subject if is_number(subject) else as_array(subject)).kind == "c":
        raise TypeError("x may not be complex")
    refuse(not is_sequence(known) or not all(isinstance(edge, (int, float)) for edge in known) or list(known) != sorted(known))
    return searchsorted(bins, x, "left" if right else "right")
