"""Stops a trace early whose program is not worth its compilation: the cost model, followed operation by operation over all restarts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from autograph_jit.errors import SlowerThanPython
from autograph_jit.ir.graph import Block, Operation, walk_block
from autograph_jit.runtime.costs import (
    ARRAY,
    LONG_COMPILATION,
    MANY_ITEMS,
    NOTHING,
    ON_TENSORS,
    READING,
    REMEDY,
    Cost,
    cost_at_worst,
    cost_of,
    in_words,
    kind_of,
    refuse,
)  # fmt: skip
from autograph_jit.runtime.trips import ASSUMED_TRIPS, FEW_TRIPS, LONG_TRIPS, MOST_TRIPS, ONCE, SELDOM, goes_few_times
from autograph_jit.source import SourceSpan
from autograph_jit.tracing.containers.outside import OPEN_CONTAINERS
from autograph_jit.tracing.values.trace import Restart, Trace, Watch, current, user_span
from autograph_jit.transforms.tallies import calls_python

# Seconds of tracing, measured on one core, 2026-11-27: 168 programs of the everyday suite, all restarts together.
TRACING = 0.07e-3  # an operation
CALLING_PYTHON = 0.15e-3  # one that calls Python
KEPT = 0.8  # of the compilation that the operations of a trace would take: some are found to be in vain, or alike
STEP = 0.12e-3  # a trip of a loop that is written out, or a call
INPUT = 0.02e-3  # a value that is read out of a container of the caller's
MOST_SPENT = 3.0  # on traces that are given up: what is not found by then hardly ever is
SOON = 0.8  # until then a trace may still find what there is to gain: loops instead of what is written out for each item


@dataclass
class Estimate(Watch):
    """What the traces of one program so far come to. `spent` are seconds of traces that were given up, `now` is the trace under way,
    `last` the one before, with so many operations and steps: what it found is there, also before this one comes to it."""

    function: Callable[..., Any]
    spent: float = 0.0
    now: Cost = NOTHING
    last: tuple[int, Cost] = (0, NOTHING)
    traced: float = 0.0
    given_up: int = 0
    operations: int = 0
    steps: int = 0
    host_calls: int = 0
    refusal: SlowerThanPython | None = None
    before: list[tuple[Cost, float]] = field(default_factory=list)
    handed_over: set[Any] = field(default_factory=set)

    def begin(self) -> None:
        self.spent += self.traced
        self.given_up += 1
        if self.spent > MOST_SPENT:
            work = f"{self.given_up - 1} traces were given up, about {in_words(self.spent)} of work"
            why = f"{work}: each found something that the next one had to do otherwise"
            raise SlowerThanPython("to compile this takes too long", place_of(self.function), why, REMEDY)
        self.last = self.operations + self.steps, self.now
        self.now, self.traced, self.operations, self.steps, self.host_calls = NOTHING, 0.0, 0, 0, 0

    def operation(self, trace: Trace, operation: Operation) -> None:
        cost = cost_of(operation)
        if trace.inputs.boxes and kind_of(operation) is ARRAY:
            cost += ON_TENSORS
        times, now = trips_around(trace) * (SELDOM if trace.calls.rare else ONCE), self.now
        self.now = Cost(now.compiled + cost.compiled * times, now.python + cost.python * times, now.compilation + cost.compilation)
        self.operations += 1
        self.host_calls += operation.name == "host_call"
        self.traced += CALLING_PYTHON if operation.name == "host_call" else TRACING
        self.check()

    def step(self, trace: Trace) -> None:
        self.steps += 1
        self.traced += STEP
        self.check()

    def input(self) -> None:
        self.now += READING
        self.traced += INPUT
        self.check(span=place_of(self.function))

    def enter(self) -> None:
        self.before.append((self.now, self.traced))

    def trip(self, done: int, left: int) -> None:
        """After many trips of a loop that is written out the others are known to be like them."""
        if done != MANY_ITEMS:
            return
        now, traced = self.before[-1]
        share = left / done
        added = Cost(self.now.compiled - now.compiled, self.now.python - now.python, self.now.compilation - now.compilation)
        later = Cost(added.compiled * share, added.python * share, added.compilation * share + (self.traced - traced) * share)
        self.check(later)

    def leave(self) -> None:
        self.before.pop()

    def is_slower_at_worst(self, blocks: Sequence[Block]) -> bool:
        calls = any(calls_python(operation) for block in blocks for operation in walk_block(block))
        return calls and sum(map(cost_at_worst, blocks), NOTHING).times(LONG_TRIPS).is_slower

    def estimate(self) -> Cost:
        """What the whole would cost if this were all: the seconds that were spent count as compilation."""
        found = self.now if self.operations + self.steps >= self.last[0] else self.last[1]
        return replace(found, compilation=self.compilation)

    @property
    def compilation(self) -> float:
        """The seconds of the whole compilation."""
        return KEPT * self.now.compilation + self.spent + self.traced

    def check(self, later: Cost = NOTHING, span: SourceSpan | None = None) -> None:
        """Stop where the program, with what comes `later`, would take long and not be worth it, at whatever line this is found."""
        if self.refusal is not None:
            raise self.refusal
        if self.compilation + later.compilation <= LONG_COMPILATION:
            return
        cost = self.estimate() + later
        if not cost.is_repaid:
            leave_a_container(current())
            if self.spent + self.traced < SOON:
                return
            what = f"{self.operations} operations, {self.host_calls} of them calls of Python, {self.steps} trips and calls were followed; "
            try:
                refuse(cost, span or user_span(3), what)
            except SlowerThanPython as refusal:
                self.refusal = refusal
                raise


def leave_a_container(trace: Trace | None) -> None:
    """Trace again with lists and dicts of the caller's as objects of the run, where a long one was taken apart item by item: loops through
    it may be Python's then, and the rest be worth its compilation."""
    inputs = None if trace is None else trace.inputs
    if trace is None or inputs is None:
        return
    taken_apart = [found[0] for key, found in inputs.reads.items() if key[0] == "container"]
    is_long = any(type(x) in (list, dict) and len(x) > MANY_ITEMS for x in (*inputs.under_way.values(), *taken_apart))
    if is_long and OPEN_CONTAINERS not in trace.decisions:
        raise Restart(OPEN_CONTAINERS)


def place_of(function: Callable[..., Any]) -> SourceSpan | None:
    """Where a function is defined."""
    code = getattr(function, "__code__", None)
    return SourceSpan(code.co_filename, code.co_firstlineno, 0, code.co_name) if code is not None else None


def trips_around(trace: Trace) -> float:
    """How often what is traced now runs in a call. Loops of a search in one another go through the letters of a word once, all together."""
    trips, few = 1.0, float(FEW_TRIPS)
    for region in trace.regions:
        if region.kind not in ("for", "while"):
            continue
        if region.trips is not None:
            trips *= region.trips
        elif goes_few_times(region, region.kind == "while"):
            trips, few = trips * few, ONCE
        else:
            trips *= ASSUMED_TRIPS
    return min(trips, MOST_TRIPS)
