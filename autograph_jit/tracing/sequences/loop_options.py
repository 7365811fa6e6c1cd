"""What a program says about a loop, such as the trips that it may make: one trip too many raises IterationLimitError, in plain Python and
in compiled code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph_jit.errors import IterationLimitError
from autograph_jit.tracing.values.abstract import check
from autograph_jit.tracing.values.lift import index_value, scalar
from autograph_jit.tracing.values.trace import constant, current, emit

TEXT = "a loop that may make {0} trips began another one: ag.loop_options(max_iterations=...) sets the limit"
BITS = 48


@dataclass(frozen=True, eq=False)
class LoopOptions:
    """An iterable with what the program says about the loop over it: `unroll` True, False, or None for no wish; `checkpoint` the trips of
    a segment, 0 for the square root of all trips, or None for no wish; `max_iterations` the trips that it may make, None for any number."""

    iterable: Any
    unroll: bool | None = None
    checkpoint: int | None = None
    max_iterations: int | None = None

    def __iter__(self) -> Any:
        return iter(self.iterable) if self.max_iterations is None else limited(self.iterable, self.max_iterations)

    def __len__(self) -> int:
        return len(self.iterable)


def next_trip(trips: Any, limit: int | None) -> Any:
    """The number of trips begun after another one begins; IterationLimitError beyond the limit."""
    if limit is None:
        return 0
    if current() is None:
        if trips >= limit:
            raise IterationLimitError(TEXT.format(limit))
        return trips + 1
    begun, most = index_value(trips), constant(np.int64(limit))
    check(emit("less", begun, most).result, IterationLimitError, TEXT, most)
    return scalar(emit("add", begun, constant(np.int64(1))).result, weak=True, bits=BITS)


def limited(items: Iterable[Any], limit: int) -> Iterator[Any]:
    """The items, so many of them."""
    trips = 0
    for item in items:
        trips = next_trip(trips, limit)
        yield item


class LimitedLoop:
    """A loop's body and state with the number of its trips among the state."""

    def __init__(self, limit: int, body: Callable[[Any], Any], get_state: Callable[[], tuple[Any, ...]], set_state: Any) -> None:
        self.limit, self.inner, self.get_inner, self.set_inner = limit, body, get_state, set_state
        self.trips: Any = 0

    def body(self, item: Any) -> None:
        self.trips = next_trip(self.trips, self.limit)
        self.inner(item)

    def get_state(self) -> tuple[Any, ...]:
        return (self.trips, *self.get_inner())

    def set_state(self, state: tuple[Any, ...]) -> None:
        self.trips, *rest = state
        self.set_inner(tuple(rest))
