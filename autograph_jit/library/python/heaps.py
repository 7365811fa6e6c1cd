"""The standard library's heaps and bisection, `heapq` and `bisect`, on lists of converted code: written in Python and converted like it."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from typing import Any

from autograph_jit.library.python.iteration import collect, staged_sorted
from autograph_jit.tracing.expressions.access import getitem
from autograph_jit.tracing.expressions.register import builtin, convert_on_call, for_c
from autograph_jit.tracing.sequences.cursors import cursor


def precedes(x: Any, y: Any, largest: bool) -> Any:
    """Whether an item belongs nearer to the root: the smaller one, or in a heap whose root is the `largest` the larger one."""
    return y < x if largest else x < y


def sift_up(heap: Any, low: int, position: int, largest: bool) -> None:
    """Move the item at `position` towards the root, no further than `low`, until its parent precedes it."""
    item = heap[position]
    while position > low:
        parent = (position - 1) >> 1
        if not precedes(item, heap[parent], largest):
            break
        heap[position] = heap[parent]
        position = parent
    heap[position] = item


def sift_down(heap: Any, position: int, largest: bool) -> None:
    """Move the children that precede up until a leaf is free, put the item there and move it up: the order of moves of CPython's heapq."""
    end, low = len(heap), position
    item = heap[position]
    child = 2 * position + 1
    while child < end:
        if child + 1 < end and not precedes(heap[child], heap[child + 1], largest):
            child += 1
        heap[position] = heap[child]
        position, child = child, 2 * child + 1
    heap[position] = item
    sift_up(heap, low, position, largest)


def heappush(heap: Any, item: Any, largest: bool = False) -> None:
    heap.append(item)
    sift_up(heap, 0, len(heap) - 1, largest)


def heappop(heap: Any, largest: bool = False) -> Any:
    if len(heap) == 0:
        raise IndexError("index out of range")
    last = heap.pop()
    if len(heap) == 0:
        return last
    result = heap[0]
    heap[0] = last
    sift_down(heap, 0, largest)
    return result


def heapreplace(heap: Any, item: Any, largest: bool = False) -> Any:
    if len(heap) == 0:
        raise IndexError("index out of range")
    result = heap[0]
    heap[0] = item
    sift_down(heap, 0, largest)
    return result


def heappushpop(heap: Any, item: Any, largest: bool = False) -> Any:
    if len(heap) > 0 and precedes(heap[0], item, largest):
        result = heap[0]
        heap[0] = item
        sift_down(heap, 0, largest)
    else:
        result = item
    return result


def heapify(heap: Any, largest: bool = False) -> None:
    for position in range(len(heap) // 2 - 1, -1, -1):
        sift_down(heap, position, largest)


def heappush_max(heap: Any, item: Any) -> None:
    heappush(heap, item, True)


def heappop_max(heap: Any) -> Any:
    return heappop(heap, True)


def heapreplace_max(heap: Any, item: Any) -> Any:
    return heapreplace(heap, item, True)


def heappushpop_max(heap: Any, item: Any) -> Any:
    return heappushpop(heap, item, True)


def heapify_max(heap: Any) -> None:
    heapify(heap, True)


def bisect_left(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Callable[[Any], Any] | None = None) -> Any:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    high = len(a) if hi is None else hi
    while lo < high:
        middle = (lo + high) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            high = middle
    return lo


def bisect_right(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Callable[[Any], Any] | None = None) -> Any:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    high = len(a) if hi is None else hi
    while lo < high:
        middle = (lo + high) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            high = middle
        else:
            lo = middle + 1
    return lo


def insort_left(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Callable[[Any], Any] | None = None) -> None:
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Callable[[Any], Any] | None = None) -> None:
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


def merge_two(first: Any, second: Any, key: Callable[[Any], Any] | None, reverse: bool) -> Any:
    """The items of two lists, one after another the head that is less; of the first list where neither is."""
    merged = []
    i = j = 0
    while i < len(first) and j < len(second):
        x = first[i] if key is None else key(first[i])
        y = second[j] if key is None else key(second[j])
        if x < y if reverse else y < x:
            merged.append(second[j])
            j += 1
        else:
            merged.append(first[i])
            i += 1
    return merged + first[i:] + second[j:]


CONVERTED: dict[Any, Callable[..., Any]] = {
    heapq.heappush: heappush,
    heapq.heappop: heappop,
    heapq.heapreplace: heapreplace,
    heapq.heappushpop: heappushpop,
    heapq.heapify: heapify,
    bisect.bisect_left: bisect_left,
    bisect.bisect_right: bisect_right,
    bisect.insort_left: insort_left,
    bisect.insort_right: insort_right,
}
CONVERTED |= {  # from Python 3.14 on
    getattr(heapq, function.__name__): function
    for function in (heappush_max, heappop_max, heapreplace_max, heappushpop_max, heapify_max)
    if hasattr(heapq, function.__name__)
}
OWN: list[Any] = [precedes, sift_up, sift_down, *CONVERTED.values()]


CONVERTED |= zip(OWN, OWN)
for _called, _function in CONVERTED.items():
    builtin(_called)(for_c(convert_on_call(_function)))


@builtin(heapq.nlargest)
def staged_nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    return getitem(staged_sorted(iterable, key=key, reverse=True), slice(None, n))


@builtin(heapq.nsmallest)
def staged_nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    return getitem(staged_sorted(iterable, key=key), slice(None, n))


@builtin(heapq.merge)
def staged_merge(*iterables: Any, key: Any = None, reverse: Any = False) -> Any:
    merged = collect(iterables[0] if iterables else ())
    for items in iterables[1:]:
        merged = convert_on_call(merge_two)(merged, collect(items), key, reverse)
    return cursor(merged, "generator")
