"""What holds for the integers that a loop carries in every trip: found by assuming candidates and dropping those that a trip breaks.

    while j >= 0 and x[j] > item:        j <= start, since every trip leaves it smaller;
        ...                              j >= -1, since start >= -1 and a trip that runs begins with j >= 0
        j -= 1

What all trips preserve together, given the candidates that are left, and what is true at entry, is true by induction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from itertools import islice
from typing import Protocol

from autograph_jit.ir.dims import Dim, Size, combine, scale
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.inequalities import Inequalities
from autograph_jit.ir.types import I64
from autograph_jit.kernels.conditions import Facts, Forms, facts_of
from autograph_jit.records import dataclass

SMALL_STEP = 2**15  # no feasible number of steps brings a counter from 2**60 to the end of 64 bits
SMALL_NUMBER = 2**8  # the same of numbers that are not known before the run: bytes, digits, truth values
COUNTER_LIMIT = 2**61
MOST_ALTERNATIVES = 8
DIVISIONS = ("floor_divide", "remainder")


class Knowledge(Forms, Protocol):
    """What invariants are found with."""

    known: Inequalities

    def affine(self, value: Value) -> Size: ...

    def facts_at(self, block: Block, position: int | None = None) -> Facts: ...

    def facts_before(self, operation: Operation) -> Facts: ...

    def facts_of_trip(self, loop: Operation) -> Facts: ...

    def facts_of_division(self, operation: Operation, form: Dim, given: Facts) -> Facts: ...

    def is_nonnegative(self, value: Value, at: Operation) -> bool: ...


@dataclass(slots=True)
class Carried:
    """An integer that a loop carries: its unknown, what it starts as, what a trip may make of it.

    next        each with what is known where it is chosen
    steps       the differences to the value before, None where some are no literals
    inside      candidates that hold where there is a trip, and need not hold behind the loop
    """

    unknown: Dim
    start: Size
    next: list[tuple[Value, Facts]]
    steps: list[int] | None = None
    candidates: list[Size] = field(default_factory=list)
    inside: list[Size] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.unknown.terms[0][0]


def find_invariants(knowledge: Knowledge, loop: Operation, unknowns: dict[int, Dim]) -> list[Carried]:
    """Learn what holds for the carried integers of a loop, whose unknowns are given by position."""
    before = knowledge.facts_before(loop)
    entering, leaving = entering_and_leaving(loop)
    found = []
    for position, unknown in unknowns.items():
        start = knowledge.exact(entering[position], before)
        if start is not None:
            ends = bool(leaving)  # a body that always raises leaves nothing
            following = alternatives(knowledge, leaving[position], knowledge.facts_at(loop.regions[-1])) if ends else []
            carried = Carried(unknown, start, following)
            carried.steps = literal_steps(knowledge, carried)
            if is_counter(knowledge, carried):
                knowledge.known.limits[carried.name] = (-COUNTER_LIMIT, COUNTER_LIMIT)
            found.append(carried)
    for carried in found:
        carried.candidates = candidates_of(knowledge, loop, carried, before)
        for fact in as_far_as_index(knowledge, loop, carried, before):
            holds = knowledge.known.is_nonnegative(replaced(fact, carried.name, carried.start), before)
            (carried.candidates if holds else carried.inside).append(fact)
    drop_broken(knowledge, found)
    for carried in found:
        knowledge.known.learn(carried.name, *carried.candidates, *carried.inside)
    return found


def entering_and_leaving(loop: Operation) -> tuple[list[Value], list[Value]]:
    """The values that a loop's state starts as, and those that a trip ends with."""
    body = loop.regions[-1]
    if loop.name == "while_loop":
        return loop.operands, body.yields
    return loop.operands[3:], body.yields[int(bool(loop.attributes.get("has_break"))) :]


def alternatives(knowledge: Knowledge, value: Value, facts: Facts) -> list[tuple[Value, Facts]]:
    """What a value may be: the sides of the branches that choose it, each with what is known there; only itself where they are many."""
    ends = list(islice(yielded(value, None), MOST_ALTERNATIVES + 1))
    if len(ends) > MOST_ALTERNATIVES:
        return [(value, facts)]
    return [choice for end, side in ends for choice in choices(knowledge, end, facts if side is None else knowledge.facts_at(side))]


def yielded(value: Value, side: Block | None) -> Iterator[tuple[Value, Block | None]]:
    """The values that branches inside branches may give for one value, each with the side that yields it."""
    operation = value.owner
    if isinstance(operation, Operation) and operation.name == "cond":
        for block in operation.regions:
            if not block.terminated:
                yield from yielded(block.yields[value.index], block)
    else:
        yield value, side


def choices(knowledge: Knowledge, value: Value, facts: Facts) -> list[tuple[Value, Facts]]:
    """Both values of a `where`, or the value itself."""
    operation = value.owner
    if isinstance(operation, Operation) and operation.name == "where" and value.type == I64:
        condition, *sides = operation.operands
        return [(choice, facts + facts_of(knowledge, condition, holds)) for choice, holds in zip(sides, (True, False))]
    return [(value, facts)]


def literal_steps(knowledge: Knowledge, carried: Carried) -> list[int] | None:
    steps = [combine(knowledge.affine(value), carried.unknown, -1) for value, _ in carried.next]
    return [step for step in steps if isinstance(step, int)] if all(isinstance(step, int) for step in steps) else None


def is_counter(knowledge: Knowledge, carried: Carried) -> bool:
    """Whether it only takes small steps from a number far from the end of 64 bits."""
    if carried.steps is not None:
        is_slow = all(abs(step) <= SMALL_STEP for step in carried.steps)
    else:
        is_slow = all(has_small_step(knowledge, carried, value) for value, _ in carried.next)
    return is_slow and is_far_from_end(knowledge, carried.start)


def has_small_step(knowledge: Knowledge, carried: Carried, value: Value) -> bool:
    """Whether a value that a trip hands on is surely not far from the one before."""
    low, high = knowledge.known.limits_of_sum(combine(knowledge.affine(value), carried.unknown, -1))
    return -SMALL_NUMBER <= low and high <= SMALL_NUMBER


def is_far_from_end(knowledge: Knowledge, form: Size) -> bool:
    bound = COUNTER_LIMIT // 2
    return knowledge.known.is_nonnegative(combine(form, bound, 1)) and knowledge.known.is_nonnegative(combine(bound, form, -1))


def candidates_of(knowledge: Knowledge, loop: Operation, carried: Carried, before: Facts) -> list[Size]:
    """Not below the start, not above it, not negative, and as far as a trip can go whose test was true."""
    found = [combine(carried.unknown, carried.start, -1), combine(carried.start, carried.unknown, -1)]
    if carried.start != 0 and knowledge.known.is_nonnegative(carried.start, before):
        found.append(carried.unknown)
    if loop.name != "while_loop" or carried.steps is None:
        return found
    for fact in facts_of(knowledge, loop.regions[0].yields[0], True):
        factor = dict(fact.terms).get(carried.name, 0) if isinstance(fact, Dim) else 0
        slack = max((-factor * step for step in carried.steps), default=0)
        if factor and slack > 0 and knowledge.known.number_of(carried.name) == newest(knowledge, fact):
            wider = combine(fact, slack, 1)
            if knowledge.known.is_nonnegative(replaced(wider, carried.name, carried.start), before):
                found.append(wider)
    return found


def as_far_as_index(knowledge: Knowledge, loop: Operation, carried: Carried, before: Facts) -> list[Size]:
    """Where a trip may note its index (`if x[i] > x[best]: best = i`): not past the ends of the loop's range."""
    step = knowledge.affine(loop.operands[2]) if loop.name == "for_loop" else None
    if not isinstance(step, int) or step == 0 or carried.steps is not None:
        return []
    index = knowledge.affine(loop.regions[0].args[0])
    if not any(knowledge.affine(value) == index for value, _ in carried.next):
        return []
    first, stop = (knowledge.exact(bound, before) for bound in loop.operands[:2])
    ends = [(first, 0), (stop, -1)] if step > 0 else [(stop, 1), (first, 0)]
    found = [combine(carried.unknown, combine(low, more, 1), -1) for low, more in ends[:1] if low is not None]
    found += [combine(combine(high, more, 1), carried.unknown, -1) for high, more in ends[1:] if high is not None]
    given = (*before, *knowledge.facts_of_trip(loop))
    return [fact for fact in found if knowledge.known.is_nonnegative(replaced(fact, carried.name, carried.start), given)]


def newest(knowledge: Knowledge, form: Size) -> int:
    return max(knowledge.known.number_of(name) for name, _ in form.terms) if isinstance(form, Dim) else -1


def replaced(form: Size, name: str, other: Size) -> Size:
    """The sum with another in the place of an unknown."""
    factor = dict(form.terms).get(name, 0) if isinstance(form, Dim) else 0
    return combine(combine(form, scale(Dim(((name, 1),)), factor), -1), scale(other, factor), 1) if factor else form


def drop_broken(knowledge: Knowledge, found: list[Carried]) -> None:
    """Take candidates away until a trip preserves all that are left."""
    changed = True
    while changed:
        changed = False
        for carried in found:
            assumed = tuple(candidate for other in found for candidate in (*other.candidates, *other.inside))
            kept, inside = (
                [candidate for candidate in candidates if is_preserved(knowledge, carried, candidate, assumed)]
                for candidates in (carried.candidates, carried.inside)
            )
            changed |= len(kept) + len(inside) < len(carried.candidates) + len(carried.inside)
            carried.candidates, carried.inside = kept, inside


def is_preserved(knowledge: Knowledge, carried: Carried, candidate: Size, assumed: Facts) -> bool:
    for value, facts in carried.next:
        given = (*assumed, *facts)
        form = knowledge.exact(value, given)
        if isinstance(value.owner, Operation) and value.owner.name in DIVISIONS and isinstance(form, Dim):
            given += knowledge.facts_of_division(value.owner, form, given)
        if form is None or not knowledge.known.is_nonnegative(replaced(candidate, carried.name, form), given):
            return False
    return True
