"""`while` loops that end within about 64 trips, whatever they are given, so that nobody need look at signals inside.

while v != 0: v &= v - 1; count += 1                a bit less in every trip
while j > 0: total += t[j]; j -= j & -j             the same
while n > 0: total += n % 10; n //= 10              a digit less
while low < high: low, high = one half              what the test says is at least 0 is halved
while 2 * root + 1 < end: root = 2 * root + 1       a number that is not negative is doubled and more
"""

from __future__ import annotations

from itertools import islice

from autograph_jit.ir.dims import Size, combine, scale
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import I64
from autograph_jit.kernels.conditions import facts_of
from autograph_jit.kernels.digits import loses_digits
from autograph_jit.kernels.invariants import alternatives, replaced
from autograph_jit.kernels.ranges import Ranges, name_of
from autograph_jit.kernels.ways import MOST_WAYS, Way, ways_of


def ends_soon(ranges: Ranges, loop: Operation) -> bool:
    """Whether a `while` loop surely ends within a few trips."""
    test, body = loop.regions
    if not test.yields or body.terminated:
        return False
    if loses_digits(ranges, loop):
        return True
    ways = list(islice(ways_of(body.yields, body), MOST_WAYS + 1))
    if len(ways) > MOST_WAYS:
        return False
    going = [way for way in ways if truth(test.yields[0], test, way[0]) is not False]
    return is_doubled(ranges, test, going) or is_halved(ranges, loop, going)


# Doubling and halving.


def is_doubled(ranges: Ranges, test: Block, going: list[Way]) -> bool:
    """Whether every trip after which the loop goes on makes x of one integer that is not negative, and hands on 2 * x + 1 or more."""
    for position, arg in enumerate(test.args):
        if arg.type != I64 or not ranges.known.is_nonnegative(ranges.affine(arg)):
            continue
        twice = combine(scale(ranges.affine(arg), 2), 1, 1)
        if all(is_bound_above(ranges, way[position], side, twice) for way, side in going):
            return True
    return False


def is_bound_above(ranges: Ranges, value: Value, side: Block, bound: Size) -> bool:
    for choice, facts in alternatives(ranges, value, ranges.facts_at(side)):
        form = ranges.exact(choice, facts)
        if form is None or not ranges.known.is_nonnegative(combine(form, bound, -1), facts):
            return False
    return True


def is_halved(ranges: Ranges, loop: Operation, going: list[Way]) -> bool:
    """Whether something that the test shows to be at least 0 becomes less than half in every trip."""
    test = loop.regions[0]
    for arg in test.args:
        ranges.affine(arg)
    return any(all(is_half(ranges, test, fact, *way) for way in going) for fact in facts_of(ranges, test.yields[0], True))


def is_half(ranges: Ranges, test: Block, fact: Size, way: list[Value], side: Block) -> bool:
    """Whether `fact`, with what a trip hands on in the place of what it was given, is at most (fact - 1) / 2."""
    facts, after = ranges.facts_at(side), fact
    for arg, value in zip(test.args, way):
        if arg.type != I64:
            continue
        form = ranges.exact(value, facts)
        if form is None:
            return False
        after = replaced(after, name_of(ranges.affine(arg)), form)
    return ranges.known.is_nonnegative(combine(combine(fact, 1, -1), scale(after, 2), -1), facts)


# The test after a way through a trip.


def truth(value: Value, test: Block, handed_on: list[Value]) -> bool | None:
    """What a test gives after a trip, as far as literals tell."""
    operation = value.owner
    if value in test.args:
        return truth(handed_on[test.args.index(value)], Block(), [])
    if not isinstance(operation, Operation):
        return None
    if operation.name == "constant":
        return bool(operation.attributes["value"])
    if operation.name == "logical_not":
        found = truth(operation.operands[0], test, handed_on)
        return None if found is None else not found
    if operation.name == "cond":
        chosen = truth(operation.operands[0], test, handed_on)
        return None if chosen is None else truth(operation.regions[0 if chosen else 1].yields[value.index], test, handed_on)
    return None
