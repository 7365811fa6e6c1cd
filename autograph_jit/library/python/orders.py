"""Sorting of lists of compiled code: of numbers as NumPy does it, of other items a stable merge sort, written in Python."""

from __future__ import annotations

import functools
import operator
from collections import OrderedDict, defaultdict
from typing import Any

import numpy as np

from autograph_jit.ir.in_c import MERGED, ORDERED, ROWS_MERGED, SCANNED
from autograph_jit.ir.types import ScalarType
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import as_array
from autograph_jit.tracing.expressions.register import builtin, convert_on_call, for_c
from autograph_jit.tracing.hosting.host_calls import host_array
from autograph_jit.tracing.sequences.dynamic import is_comparable
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array
from autograph_jit.tracing.values.trace import active, emit, in_c, rarely
from autograph_jit.tracing.values.types import STORED, Reference, TableOf, Tuple, ValueType

FEW = 40
WITHOUT_ORDER = (dict, defaultdict, OrderedDict)  # unlike a Counter


def by_first_letters(places: Any, prefixes: Any, ranks: Any, reverse: bool) -> Any:
    """The places in the order of the texts, of places in the order of their first letters."""
    prefixes = prefixes[places]
    may_differ = (prefixes[1:] == prefixes[:-1]) & (prefixes[1:] & 255 != 0)
    return merged_places(places, ranks, reverse) if np.any(may_differ) else places


def comes_before(rank: Any, other: Any, reverse: bool) -> bool:
    """Whether an item of a rank goes in front of one of another rank that stands before it."""
    return other < rank if reverse else rank < other


def merged_places(places: Any, ranks: Any, reverse: bool) -> Any:
    """Places in the order of the ranks that stand there: neighbouring runs are merged, the first of equal ones from the left."""
    n = len(places)
    places, target = places.copy(), np.empty(n, np.int64)
    width = 1
    while width < n:
        left = middle = right = high = 0
        for place in range(n):
            if place == high:
                left, middle = high, min(high + width, n)
                right, high = middle, min(middle + width, n)
                if right < high and not comes_before(ranks[places[right]], ranks[places[right - 1]], reverse):
                    middle = right = high  # they are in order already
            if left < middle and right < high:
                takes_right = comes_before(ranks[places[right]], ranks[places[left]], reverse)
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

    def seldom() -> Any:
        with rarely():
            return by_python()

    kind = ranks.item_kind if ranks.dynamic is None else None
    if kind is not None and kind.is_native:
        ranks = ranks.natively(kind, False)
    if not ranks.is_native or not isinstance(reverse, (bool, int)):
        return by_python()
    if not is_comparable(ranks.kind, "iubf"):
        found = by_first_items(ranks, reverse)
        return by_python() if found is None else found

    def merged() -> Any:
        kind = ranks.kind
        if kind in STORED.values() or kind.number is not None:
            return by_numbers(ranks, bool(reverse))
        with in_c(ROWS_MERGED if isinstance(kind, Tuple) else MERGED):
            places = language.call_numpy(np.arange, (language.call(len, (ranks,), None),), {})
            return language.call(merged_places, (places, ranks, bool(reverse)), None)

    if ranks.is_searchable:
        return merged()
    columns = zip(ranks.native.parts, ranks.kind.parts)
    with in_c(MERGED):
        floats = [as_array(part) for part, type_ in columns if isinstance(type_, ScalarType) and type_.dtype.kind == "f"]
        nans = [language.call_numpy(np.any, (language.call_numpy(np.isnan, (x,), {}),), {}) for x in floats]
        has_nan = functools.reduce(operator.or_, nans)
    return language.if_exp(has_nan, seldom, merged)


def by_first_items(ranks: TracedList, reverse: Any) -> Any:
    """The same of tuples whose last item has no order, such as a name and a dict: those in front of it tell the order, unless they and it
    are equal; None of others."""
    kinds = ranks.kind.items if isinstance(ranks.kind, Tuple) else ()
    if len(kinds) < 2 or not all(is_comparable(kind, "iubf") for kind in kinds[:-1]) or not has_no_order(kinds[-1]):
        return None
    parts = ranks.native.parts[: sum(len(kind.parts) for kind in kinds[:-1])]
    first = ranks.renamed(kinds[0] if len(kinds) == 2 else Tuple(tuple, kinds[:-1]), [*parts, ranks.native.identity])
    places = places_of(first, reverse)
    with in_c(MERGED):
        language.call(expect_an_order, (first, ranks, places), None)
    return places


def has_no_order(kind: ValueType) -> bool:
    """Whether Python refuses to compare two values of a type: dicts, and instances whose class does not say how."""
    if isinstance(kind, TableOf):
        return kind.value is not None and (kind.made_by or (dict,))[0] in WITHOUT_ORDER
    names = ("__lt__", "__gt__")
    return isinstance(kind, Reference) and all(getattr(owner, name) is getattr(object, name) for owner in kind.kinds for name in names)


def expect_an_order(first: Any, ranks: Any, places: Any) -> None:
    """Python's error where tuples begin alike and their last items differ."""
    for k in range(1, len(places)):
        if first[places[k - 1]] == first[places[k]]:
            one, other = ranks[places[k - 1]], ranks[places[k]]
            if one[-1] != other[-1]:
                comes_before(one[-1], other[-1], False)  # which raises it


def by_numbers(ranks: TracedList, reverse: bool) -> Any:
    """The same of numbers, and of texts by a number for the first letters of each."""
    (part,) = ranks.native.parts
    is_text = ranks.kind.number is None
    with in_c(ORDERED):
        dims = (active().fresh_atom("d", "list"),)
        numbers = array(emit("text_prefixes", part, dims=dims).result) if is_text else as_array(part)
        sign = "-" if numbers.dtype.kind == "f" else "~"
        turned = language.unary(sign, numbers) if reverse else numbers  # equal ones stay in their order
        places = language.call_numpy(np.argsort, (turned,), {"kind": "stable"})
    if not is_text:
        return places
    with in_c(MERGED):
        return language.call(by_first_letters, (places, numbers, ranks, reverse), None)


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


for _function in (by_first_letters, comes_before, merged_places, expect_an_order):
    builtin(_function)(convert_on_call(_function))
builtin(sorted_codes)(for_c(convert_on_call(sorted_codes), SCANNED))
