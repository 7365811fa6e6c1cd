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


def take_out(queue: Any, item: Any) -> bool:
    """The first of the items that equal one goes, those behind it move up; whether there is one."""
    for place in range(len(queue)):
        if queue[place] == item:
            for later in range(place, len(queue) - 1):
                queue[later] = queue[later + 1]
            queue.pop()
            return True
    return False


def put_in(queue: Any, place: int, item: Any) -> None:
    """An item comes in front of the one at a place."""
    count = len(queue)
    place = min(place if place >= 0 else max(place + count, 0), count)
    queue.append(item)
    for later in range(count, place, -1):
        queue[later] = queue[later - 1]
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
    was_there = in_c(take_out)(self, item)
    language.if_exp(was_there, lambda: None, lambda: refuse_removal(item))


def refuse_removal(item: Any) -> None:
    """Python's error for an item that is not there."""
    with rarely():
        host_effect(lambda x: deque().remove(x), item, label="deque.remove")


def inserted(self: Any, place: Any, item: Any, /) -> None:
    """`queue.insert(place, item)`; Python's where there may be no room, or the place is no integer."""
    number = kind_of(place).number
    if self.maxlen is not None or number is None or number[0].kind not in "iub":
        self.restructure()
    in_c(put_in)(self, place, item)


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
