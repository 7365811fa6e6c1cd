"""Methods of deques of compiled code that move many items: written in Python and converted like it."""

from __future__ import annotations

from typing import Any

from autograph_jit.tracing.containers.deques import TracedDeque
from autograph_jit.tracing.expressions.register import convert_on_call


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


def rotated(self: Any, n: Any = 1, /) -> None:
    """`queue.rotate(n)`."""
    convert_on_call(rotate)(self, n)


TracedDeque.rotate = rotated  # type: ignore[attr-defined]
