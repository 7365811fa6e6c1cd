"""Sorting of lists of compiled code: a stable merge sort, written in Python and converted like it."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from autograph_jit.ir.in_c import MERGED, ROWS_MERGED, SCANNED
from autograph_jit.ir.types import ScalarType
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import as_array
from autograph_jit.tracing.expressions.register import builtin, convert_on_call, for_c
from autograph_jit.tracing.hosting.host_calls import host_array
from autograph_jit.tracing.sequences.dynamic import is_comparable
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active, in_c, rarely
from autograph_jit.tracing.values.types import Tuple

FEW = 40


def sorted_places(ranks: Any, reverse: bool) -> Any:
    """Where the items stand that sorting brings to each place: neighbouring runs are merged, the first of equal ones from the left."""
    n = len(ranks)
    places, target = np.arange(n), np.empty(n, np.int64)
    width = 1
    while width < n:
        left = middle = right = high = 0
        for place in range(n):
            if place == high:
                left, middle = high, min(high + width, n)
                right, high = middle, min(middle + width, n)
            if left < middle and right < high:
                a, b = ranks[places[left]], ranks[places[right]]
                takes_right = a < b if reverse else b < a
            else:
                takes_right = left >= middle
            if takes_right:
                target[place] = places[right]
                right += 1
            else:
                target[place] = places[left]
                left += 1
        places, target = target, places
        width *= 2
    return places


def places_in_order(ranks: Any, reverse: Any) -> list[int]:
    """The same in Python."""
    keys = list(ranks)
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def places_of(ranks: TracedList, reverse: Any) -> Any:
    """The same of a list of the run: in compiled code where none of its items is a nan, whose place only Python's way tells."""

    def by_python() -> Any:
        dims = (active().fresh_atom("d", "sorted"),)
        source = ranks if ranks.dynamic is None else ranks.listed()
        return host_array(places_in_order, (source, reverse), None, np.dtype(np.int64), dims, "sorted")

    def with_nans() -> Any:
        with rarely():
            return by_python()

    if not ranks.is_native or not is_comparable(ranks.kind, "iubf") or not isinstance(reverse, (bool, int)):
        return by_python()

    def merged() -> Any:
        with in_c(ROWS_MERGED if isinstance(ranks.kind, Tuple) else MERGED):
            return language.call(sorted_places, (ranks, bool(reverse)), None)

    if ranks.is_searchable:
        return merged()
    columns = zip(ranks.native.parts, ranks.kind.parts)
    with in_c(MERGED):
        floats = [as_array(part) for part, type_ in columns if isinstance(type_, ScalarType) and type_.dtype.kind == "f"]
        nans = [language.call_numpy(np.any, (language.call_numpy(np.isnan, (x,), {}),), {}) for x in floats]
        has_nan = functools.reduce(operator.or_, nans)
    return language.if_exp(has_nan, with_nans, merged)


def sorted_codes(codes: Any) -> Any:
    """A sorted copy of whole numbers: few of them are inserted one after the other."""
    n = len(codes)
    if n > FEW:
        return np.sort(codes)
    made = np.empty(n, codes.dtype)
    for i in range(n):
        code, place = codes[i], i
        while place > 0 and made[place - 1] > code:
            made[place] = made[place - 1]
            place -= 1
        made[place] = code
    return made


builtin(sorted_places)(convert_on_call(sorted_places))
builtin(sorted_codes)(for_c(convert_on_call(sorted_codes), SCANNED))
