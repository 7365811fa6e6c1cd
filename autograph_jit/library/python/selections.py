"""`itertools.combinations`, `permutations` and `combinations_with_replacement` as loops.

Short tuples are made by loops in one another, one for each item. To trace these takes twice as long with each: for longer ones places in a
list step on.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from autograph_jit.library.python.generated import named, needs_run
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.outside import MANY_ITEMS, known_items
from autograph_jit.tracing.control.generators import start
from autograph_jit.tracing.expressions.calls import BUILTINS, call, native
from autograph_jit.tracing.expressions.register import convert_on_call
from autograph_jit.tracing.sequences.ranges import StagedRange
from autograph_jit.tracing.texts.text import is_int
from autograph_jit.tracing.values.abstract import StagedScalar

MOST_LOOPS = 4  # in one another
Selected = Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]  # places, and the items there


def of_one(pool: Any) -> Selected:
    """Each item alone."""
    for i in range(len(pool)):
        yield (i,), (pool[i],)


def with_one_behind(before: Selected, pool: Any) -> Selected:
    """Each selection with an item that stands behind the last one of it."""
    for places, items in before:
        for j in range(places[-1] + 1, len(pool)):
            yield (*places, j), (*items, pool[j])


def with_one_from_there(before: Selected, pool: Any) -> Selected:
    """Each selection with an item that stands behind the last one of it, or that one again."""
    for places, items in before:
        for j in range(places[-1], len(pool)):
            yield (*places, j), (*items, pool[j])


def with_another(before: Selected, pool: Any) -> Selected:
    """Each selection with an item that is not in it."""
    for places, items in before:
        for j in range(len(pool)):
            if j not in places:
                yield (*places, j), (*items, pool[j])


def stepped_combinations(pool: Any, r: int) -> Iterator[tuple[Any, ...]]:
    """`itertools.combinations(pool, r)`: the last place that can moves on, with all behind it."""
    if r < 0:
        raise ValueError("r must be non-negative")
    places = list(range(r))
    going = r <= len(pool)
    while going:
        yield tuple([pool[places[k]] for k in range(r)])
        k = r - 1
        while k >= 0 and places[k] == len(pool) - r + k:
            k -= 1
        going = k >= 0
        if going:
            first = places[k] + 1 - k
            for j in range(k, r):
                places[j] = first + j


def stepped_permutations(pool: Any, r: int) -> Iterator[tuple[Any, ...]]:
    """`itertools.permutations(pool, r)`: the next order of all places after the last that begins with these."""
    if r < 0:
        raise ValueError("r must be non-negative")
    places = list(range(len(pool)))
    going = r <= len(pool)
    while going:
        yield tuple([pool[places[k]] for k in range(r)])
        reverse_part(places, r, len(places) - 1)
        k = len(places) - 2
        while k >= 0 and places[k] > places[k + 1]:
            k -= 1
        going = k >= 0
        if going:
            j = len(places) - 1
            while places[j] < places[k]:
                j -= 1
            places[k], places[j] = places[j], places[k]
            reverse_part(places, k + 1, len(places) - 1)


@convert_on_call
def reverse_part(places: list[int], low: int, high: int) -> None:
    """Reverse a part of a list."""
    while low < high:
        places[low], places[high] = places[high], places[low]
        low += 1
        high -= 1


def without_places(selected: Selected) -> Iterator[tuple[Any, ...]]:
    """The selections without the places."""
    for _, items in selected:
        yield items


def select_by(function: Callable[..., Any], extend: Callable[[Selected, Any], Selected], step: Callable[..., Any] | None = None) -> None:
    """Register the loops that stand for a function of itertools, where the size of the tuples is known."""

    def rule(source: Any, *size: Any, **by_name: Any) -> Any:
        pool = source if isinstance(source, (range, StagedRange)) else call(tuple if type(source) is tuple else list, (source,), None)
        r = next(iter((*size, *by_name.values())), None)
        count = known_length(pool) if r is None and function is itertools.permutations else r
        if is_int(count) and isinstance(count, StagedScalar) and step is not None and not by_name.keys() - {"r"}:
            return named(function, start(step, (pool, count), {}))
        if by_name.keys() - {"r"} or not isinstance(count, int) or count < 1 or not is_of_run(function, pool, count):
            return native(function, (pool, *size), by_name)
        if count > MOST_LOOPS:
            return native(function, (pool, *size), by_name) if step is None else named(function, start(step, (pool, count), {}))
        selected = start(of_one, (pool,), {})
        for _ in range(count - 1):
            selected = start(extend, (selected, pool), {})
        return named(function, start(without_places, (selected,), {}))

    BUILTINS[function] = rule


def known_length(pool: Any) -> int | None:
    """The number of items, where it is known."""
    is_known = isinstance(pool, (tuple, range)) or isinstance(pool, TracedList) and pool.dynamic is None
    return len(pool) if is_known else None


def is_of_run(function: Callable[..., Any], pool: Any, r: int) -> bool:
    """Whether loops select: among items that only the run knows, and among numbers and texts where the tuples are many."""
    if needs_run(pool):
        return True
    items = pool if isinstance(pool, (tuple, range)) else known_items(pool)
    return len(set(map(type, items))) == 1 and type(items[0]) in (int, float, str) and gives_more(function(items, r), MANY_ITEMS)


def gives_more(items: Iterator[Any], length: int) -> bool:
    """Whether an iterator gives more than so many items."""
    return next(itertools.islice(items, length, None), None) is not None


select_by(itertools.combinations, with_one_behind, stepped_combinations)
select_by(itertools.combinations_with_replacement, with_one_from_there)
select_by(itertools.permutations, with_another, stepped_permutations)
