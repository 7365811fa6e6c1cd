"""Sorting of lists of compiled code: a stable merge sort, written in Python and converted like it."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.tracing.expressions.register import MERGED, SCANNED, builtin, convert_on_call, for_c

FEW = 40


def merge(ranks: Any, places: Any, target: Any, low: Any, middle: Any, high: Any, reverse: bool) -> None:
    """Merge two neighbouring runs of places, the first of equal ones from the left."""
    left, right = low, middle
    for place in range(low, high):
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


def sorted_places(ranks: Any, reverse: bool) -> Any:
    """Where the items stand that sorting brings to each place."""
    n = len(ranks)
    places, target = np.arange(n), np.empty(n, np.int64)
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            merge(ranks, places, target, low, min(low + width, n), min(low + 2 * width, n), reverse)
        places, target = target, places
        width *= 2
    return places


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


for _function, _share in ((merge, MERGED), (sorted_places, MERGED), (sorted_codes, SCANNED)):
    builtin(_function)(for_c(convert_on_call(_function), _share))
