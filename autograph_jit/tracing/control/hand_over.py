"""Loops that Python may take over between two iterations: where the run has counted so many calls of Python that it would be quicker.

Before: `while test(): body()`
After:  `while test() and stays(): body()`, then, where the loop was left, the user's own statement, which goes on in Python.

`stays` asks the runtime after 10,000 calls of Python, 20,000, 40,000 and so on. The variables that the loop assigns keep their types. Where
compiled code holds one of them in a form that Python does not have, as it does lists of numbers and arrays, the loop stays compiled.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Block, Operation
from autograph_jit.ir.types import OBJECT
from autograph_jit.records import dataclass
from autograph_jit.tracing.aliasing.journal import Place
from autograph_jit.tracing.control.branches import if_stmt
from autograph_jit.tracing.control.python_loops import (
    Statement,
    can_go_to_python,
    has_local_calls,
    iterable_of_python,
    loop_in_python,
    result_of,
)
from autograph_jit.tracing.hosting.host_calls import host
from autograph_jit.tracing.hosting.local_calls import marked
from autograph_jit.tracing.sequences.cursors import Cursor
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, TaggedScalar
from autograph_jit.tracing.values.lift import index_value, scalar
from autograph_jit.tracing.values.trace import Restart, Trace, emit

FIRST_QUESTION = 10_000  # calls of Python in one run of the loop; each further question comes after twice as many
WHOLE = "whole"  # the decision that a loop stays compiled to its end
LABEL = "hand-over"
BITS = 48
Answer = Callable[[Operation, int], bool]


@dataclass(slots=True, eq=False)
class Question:
    """Whether Python takes over a loop, of which so many iterations are left, or 0 where nobody knows. The runtime gives the answer, which
    is yes once and for all; without one it is no."""

    acts_locally: ClassVar[bool] = True
    loop: Operation | None = None
    answer: Answer | None = None
    is_left: bool = False

    def __call__(self, left: int) -> bool:
        if not self.is_left and self.answer is not None and self.loop is not None:
            self.is_left = self.answer(self.loop, left)
        return self.is_left


def is_handed_over(trace: Trace, key: Any, loop: Statement) -> bool:
    """Whether an earlier trace has found that Python may take over a loop."""
    return loop.question is None and key in trace.watch.handed_over and (WHOLE, key) not in trace.decisions


def may_be_handed_over(trace: Trace, key: Any, loop: Statement, blocks: Sequence[Block], places: Iterable[Place]) -> bool:
    """Whether a loop that was traced is to be traced again as one that Python may take over."""
    if loop.question is not None or (WHOLE, key) in trace.decisions or not trace.watch.is_slower_at_worst(blocks):
        return False
    if isinstance(loop.iterable, (StagedObject, Cursor)) or not can_go_to_python(trace, loop, places):
        return False
    trace.watch.handed_over.add(key)
    return True


class HandOver:
    """The state of such a loop beside its own: iterations begun, the calls at which it asks next, 0 where it was left, whether it goes on.
    `length` is the number of iterations, 0 where it is not known."""

    def __init__(self, loop: Statement, test: Callable[[], Any], length: Any = 0) -> None:
        self.loop, self.test, self.length, self.question = loop, test, length, Question()
        self.get_inner, self.set_inner = loop.get_state, loop.set_state
        self.calls_before = scalar(emit("host_calls").result, weak=True, bits=BITS)
        self.iterations: Any = 0
        self.asks_at: Any = FIRST_QUESTION
        self.going: Any = True

    def statement(self) -> Statement:
        """The loop with this state in it."""
        loop = self.loop
        return Statement(loop.body, loop.functions, loop.names, self.get_state, self.set_state, loop.iterable, self.question)

    def own_state(self) -> tuple[Any, ...]:
        return self.iterations, self.asks_at, self.going

    def set_own_state(self, state: tuple[Any, ...]) -> None:
        self.iterations, self.asks_at, self.going = state

    def get_state(self) -> tuple[Any, ...]:
        return (*self.own_state(), *self.get_inner())

    def set_state(self, state: tuple[Any, ...]) -> None:
        self.set_own_state(state[:3])
        self.set_inner(state[3:])

    def goes_on(self) -> Any:
        """The loop's own condition, and that it is not left here."""
        self.going = False
        if_stmt(self.test(), self.stays, nothing, self.own_state, self.set_own_state, ())
        return self.going

    def stays(self) -> None:
        """One more iteration; where the answer is due, whether it is left."""
        numbers = map(index_value, (self.iterations, self.asks_at, self.calls_before, self.length))
        iterations, asks_at, going = emit("ask_to_leave", *numbers, fn=self.question).results
        self.iterations, self.asks_at = (scalar(number, weak=True, bits=BITS) for number in (iterations, asks_at))
        self.going = StagedScalar(going, True)

    def finish(self, trace: Trace, key: Any, rest: Callable[[Any], Any]) -> None:
        """Behind the loop: its statement in Python, where it was left; `rest` is what there is to go through after so many iterations."""
        loop, state = self.loop, self.loop.get_state()
        results = tuple(map(result_of, state))
        if any(result is None or isinstance(value, (StagedArray, TaggedScalar)) for result, value in zip(results, state)):
            raise Restart((WHOLE, key))
        is_local = self.question.loop is not None and has_local_calls(self.question.loop)

        def go_on() -> None:
            loop_in_python(trace, loop, results, is_local, 0.0, rest(self.iterations))

        try:
            if_stmt(self.asks_at == 0, go_on, nothing, loop.get_state, loop.set_state, loop.names)
        except (ConversionError, Restart):  # Python would need what compiled code has in a form of its own
            raise Restart((WHOLE, key)) from None


def nothing() -> None:
    """The side of a branch that does nothing."""


def rest_of(iterable: Any, iterations: Any) -> Any:
    """What a loop still has to go through."""
    given = iterable_of_python(iterable), iterations
    (rest,) = host(marked(behind, True), given, types=(OBJECT,), label=LABEL, python_seconds=0.0)  # what was counted says whether it runs
    return rest


def behind(items: Iterable[Any], count: int) -> Iterator[Any]:
    """An iterator over the items behind the first ones."""
    iterator = iter(items)
    deque(islice(iterator, count), 0)
    return iterator
