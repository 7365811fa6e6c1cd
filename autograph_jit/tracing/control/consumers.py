"""Consumers of generators: the loops whose bodies run where items are yielded, and what they assign as places."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from autograph_jit.tracing.aliasing.journal import AttributePlace, Place, assigned_cells, write
from autograph_jit.tracing.control.signatures import Body
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import current


class StatePlace(Place):
    """A variable of the function that consumes a generator, by its position in the state of the consuming loop."""

    __slots__ = ()

    def read(self) -> Any:
        return self.owner.get_state()[self.name]

    def write(self, value: Any) -> None:
        state = list(self.owner.get_state())
        state[self.name] = value
        self.owner.set_state(tuple(state))


class Consumer:
    """The loop over a generator: its body, whether it goes on after a trip, its variables; how often the body was traced; whether the loop
    has ended; what is known of the forms that it runs, as functions of the graph which its body is a part of."""

    def __init__(self, extra_test: Any, body: Any, get_state: Any, set_state: Any) -> None:
        self.extra_test, self.body, self.get_state, self.set_state = extra_test, body, get_state, set_state
        self.variables = {cell.key for cell in (assigned_cells(body) if isinstance(body, FunctionType) else ())}
        self.taken = 0
        self.is_over: Any = False
        self.bodies: dict[CodeType, Body] = {}

    def take_item(self, item: Any) -> Any:
        """Run the body with one item; whether the loop has ended."""
        before = self.get_state()
        self.taken += 1
        try:
            self.body(item)
        except Exception:
            self.journal_changes(before)
            raise
        is_over = False if self.extra_test is None else language.unary("not", self.extra_test())
        self.journal_changes(before)
        if self.extra_test is not None:
            write(AttributePlace(self, "is_over"), is_over)
        return is_over

    def journal_changes(self, before: tuple[Any, ...]) -> None:
        """What the body has assigned, as places that it has written."""
        after = self.get_state()
        self.set_state(before)
        for position, value in enumerate(after):
            if value is not before[position]:
                write(StatePlace(self, position), value)


@contextlib.contextmanager
def innermost_consumer() -> Iterator[Consumer]:
    """What the form under way runs for; during the with statement, the consumer around that is the innermost."""
    trace = current()
    assert trace is not None, "the consumable form of a generator runs in a trace"
    consumer = trace.calls.consumers.pop()
    try:
        yield consumer
    finally:
        trace.calls.consumers.append(consumer)
