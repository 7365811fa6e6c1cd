"""heapq and bisect on lists of compiled code."""

from __future__ import annotations

import bisect
import heapq

import numpy as np
import pytest

import autograph_jit as ag

VALUES = np.random.default_rng(3).integers(-9, 9, 40).astype(float)


def pushed(values):
    heap = []
    for v in values:
        heapq.heappush(heap, float(v))
    return heap


def heapified(values):
    heap = [float(v) for v in values]
    heapq.heapify(heap)
    return heap


def drained(values):
    heap = [float(v) for v in values]
    heapq.heapify(heap)
    out = []
    while heap:
        out.append(heapq.heappop(heap))
    return out


def replaced(values):
    heap = [0.0, 1.0, 2.0]
    out = []
    for v in values:
        out.append(heapq.heapreplace(heap, float(v)))
        out.append(heapq.heappushpop(heap, float(v) / 2))
    return heap, out


def of_tuples(values):
    heap = []
    for i, v in enumerate(values):
        heapq.heappush(heap, (float(v), i))
    order = []
    while len(heap) > 0:
        _, i = heapq.heappop(heap)
        order.append(i)
    return order


def extremes(values):
    items = [float(v) for v in values]
    return heapq.nlargest(3, items), heapq.nsmallest(2, items, key=lambda v: -v), list(heapq.merge(sorted(items), [0.5]))


def bisected(values):
    items = sorted(float(v) for v in values)
    out = []
    for v in values:
        out.append(bisect.bisect_left(items, v))
        out.append(bisect.bisect(items, v + 0.5, 2))
        out.append(bisect.bisect_right(items, -v, key=lambda u: -u) if v > 8 else 0)
    return out


def inserted(values):
    items = []
    for v in values:
        bisect.insort(items, float(v))
    bisect.insort_left(items, 0.25, lo=1)
    return items


@pytest.mark.parametrize("function", [pushed, heapified, drained, replaced, of_tuples, extremes, bisected, inserted])
def test_heap_functions_do_what_the_library_does(function) -> None:
    assert ag.compile(function, fallback="error")(VALUES) == function(VALUES)


def popped_too_often(values):
    heap = [float(v) for v in values]
    for _ in range(len(values) + 5):
        heapq.heappop(heap)


def test_pop_of_an_empty_heap_raises() -> None:
    with pytest.raises(IndexError, match="index out of range"):
        ag.compile(popped_too_often, fallback="error")(VALUES)
