"""Methods of deques of compiled code that move many items: written in Python and converted like it."""

from __future__ import annotations

from collections import deque
from typing import Any

from autograph_jit.ir.in_c import TOLD_APART
from autograph_jit.tracing.containers.deques import TracedDeque
from autograph_jit.tracing.expressions.register import convert_on_call, for_c
from autograph_jit.tracing.hosting.host_calls import host_effect
from autograph_jit.tracing.sequences.dynamic import is_comparable, kind_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import rarely
from autograph_jit.tracing.values.types import NEVER

NEAR = 16  # places from the front, whose items are moved one by one


def rotate(queue: Any, steps: int) -> None:
    """The last items come first, as many as asked for; the shorter way round."""
    count = len(queue)
    if count > 1:
        left = steps % count
        if 2 * left <= count:
            for _ in range(left):
                queue.appendleft(queue.pop())
        else:
            for _ in range(count - left):
                queue.append(queue.popleft())


def place_of_first(queue: Any, item: Any) -> int:
    """Where the first of the items stands that equal one; -1 where none does."""
    for place in range(len(queue)):
        if queue[place] == item:
            return place
    return -1


def place_inside(place: int, count: int) -> int:
    """A place counted from the front, not behind the last item."""
    return min(place if place >= 0 else max(place + count, 0), count)


def take_out_near(queue: Any, place: int) -> None:
    """The item at a place goes, those in front of it move up."""
    for earlier in range(place, 0, -1):
        queue[earlier] = queue[earlier - 1]
    queue.popleft()


def put_in_near(queue: Any, place: int, item: Any) -> None:
    """An item comes in front of the one at a place; those in front of it make way."""
    queue.appendleft(item)
    for earlier in range(place):
        queue[earlier] = queue[earlier + 1]
    queue[place] = item


def turn_round(queue: Any) -> None:
    """The items change places with those as far from the other end."""
    count = len(queue)
    for place in range(count // 2):
        queue[place], queue[count - 1 - place] = queue[count - 1 - place], queue[place]


def rotated(self: Any, n: Any = 1, /) -> None:
    """`queue.rotate(n)`."""
    convert_on_call(rotate)(self, n)


def removed(self: Any, item: Any, /) -> None:
    """`queue.remove(item)`; Python's where an item may be a nan, which is found as one object."""
    expect_comparable(self)
    place = in_c(place_of_first)(self, item)
    language.if_exp(place < 0, lambda: refuse_removal(item), lambda: None)
    language.if_exp(place < NEAR, lambda: in_c(take_out_near)(self, place), lambda: self.remove_behind(place))


def refuse_removal(item: Any) -> None:
    """Python's error for an item that is not there."""
    with rarely():
        host_effect(lambda x: deque().remove(x), item, label="deque.remove")


def inserted(self: Any, place: Any, item: Any, /) -> None:
    """`queue.insert(place, item)`; Python's where there may be no room, or the place is no integer."""
    number = kind_of(place).number
    if self.maxlen is not None or number is None or number[0].kind not in "iub":
        self.restructure()
    self.accept(item)
    place = in_c(place_inside)(place, self.length())
    language.if_exp(place < NEAR, lambda: in_c(put_in_near)(self, place, item), lambda: self.insert_behind(place, item))


def times_in(self: Any, item: Any, /) -> Any:
    """`queue.count(item)`; Python's where an item may be a nan."""
    expect_comparable(self)
    return self.listed().count(item)


def reversed_in_place(self: Any) -> None:
    """`queue.reverse()`."""
    in_c(turn_round)(self)


def expect_comparable(queue: Any) -> None:
    """Restart with a deque of Python's where an item may be a nan, or is a list, which Python compares as fast."""
    kind = queue.items.kind
    if kind != NEVER and not (kind.is_flat and is_comparable(kind)):
        queue.restructure()


def in_c(function: Any) -> Any:
    """A function, converted, that takes Python little time."""
    return for_c(convert_on_call(function), TOLD_APART)


TracedDeque.rotate = rotated  # type: ignore[attr-defined]
TracedDeque.remove, TracedDeque.insert, TracedDeque.count = removed, inserted, times_in  # type: ignore[assignment, method-assign]
TracedDeque.reverse = reversed_in_place  # type: ignore[assignment, method-assign]
