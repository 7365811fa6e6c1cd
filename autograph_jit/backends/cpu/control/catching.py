"""Handlers that ask an exception for nothing but its class: the place that fails knows the answer, so no exception is made.

Before: the place that fails has Python make an exception and take it back, the handler asks Python of what class it is
After:  the place that fails jumps to the handler with the answers; where none of the handlers takes the exception, it is made there
"""

from __future__ import annotations

from dataclasses import dataclass, field

from llvmlite import ir

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ops.exceptions_raised import answers_at

MADE, UNSEEN = -1, 0  # in the place of the site that failed: there is an exception; there is none, and nobody looks for it


@dataclass(frozen=True, slots=True)
class Way:
    """What is done where something fails, before its handler runs. With `answers` no exception is made: these are all that is asked of it.
    Then the owners to which the handler has references of its own, and those that the body lets go of."""

    answers: tuple[bool, ...] | None
    kept: tuple[ir.Value, ...]
    dropped: tuple[ir.Value, ...]


@dataclass(slots=True)
class Handler:
    """Where a failure inside a `try_` body goes: the handler's block, its phis, and the scopes that end on the way. `tests`: the operations
    that ask for the exception's class, where nothing else is asked of it; their answers come behind the state, and the site before them.
    `ways`: the code that leads there, by what it does, each with the phis of what the places that fail give it."""

    block: ir.Block
    phis: list[ir.PhiInstr]
    depth: int
    state: list[Value]
    numbered: bool
    tests: list[Operation] | None = None
    is_passed_on: bool = False  # whether it may raise the exception again
    asks_more: bool = False  # of exceptions whose values it does not have
    ways: dict[Way, tuple[ir.Block, list[ir.PhiInstr]]] = field(default_factory=dict)

    def answers(self, operation: Operation) -> list[bool] | None:
        """What the tests give for what an operation raises; None where there has to be an exception."""
        return None if self.tests is None else answers_at(operation, self.tests, self.asks_more)

    def needs_exception(self, operation: Operation) -> bool:
        """Whether an exception of an operation is to be seen by somebody."""
        answers = self.answers(operation)
        return answers is None or self.is_passed_on and not any(answers)


def way_out(answers: list[bool] | None, kept: list[ir.Value], dropped: list[ir.Value]) -> Way:
    """The way of a place that fails, without the owners that the body hands to the handler."""
    dropped, taken = list(dropped), list[ir.Value]()
    for owner in kept:
        if owner in dropped:
            dropped.remove(owner)
        else:
            taken.append(owner)
    return Way(None if answers is None else tuple(answers), tuple(taken), tuple(dropped))
