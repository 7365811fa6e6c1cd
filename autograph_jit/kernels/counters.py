"""`while` loops with a counter that cannot move far: how far it has moved tells behind the loop how many trips there were at most.

while i < len(x): ...; i += 1                         as far as the test lets it
while x[i] < v: i += 1                                an index in every trip: where it is out of bounds, an exception ends the loop
while True: if x[i] == v: break; i += 1               the trip after which the loop does not go on may leave it
"""

from __future__ import annotations

from itertools import islice

from autograph_jit.ir.dims import Size, combine, scale
from autograph_jit.ir.graph import Operation, Value, walk_block
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.few_trips import truth
from autograph_jit.kernels.invariants import SMALL_STEP, Carried
from autograph_jit.kernels.ranges import Ranges
from autograph_jit.kernels.ways import MOST_WAYS, ways_of

PLACES = {"load": 1, "store": 2}  # operations whose operands from this position on are indices


def counter_of(ranges: Ranges, loop: Operation) -> tuple[int, int] | None:
    """The position of a carried integer that moves in every trip of a `while` (but the last), and not far; the sign of its steps."""
    for position, arg in enumerate(loop.regions[0].args):
        ranges.affine(arg)
        carried = ranges.carried.get(loop, {}).get(position)
        steps = steps_of(ranges, loop, carried, position) if carried is not None else []
        if carried is None or not steps:
            continue
        sign = 1 if min(steps) > 0 else -1 if max(steps) < 0 else 0
        way = scale(combine(carried.unknown, carried.start, -1), sign)
        is_small = max(map(abs, steps)) <= SMALL_STEP
        if sign and (ranges.is_soon_done(way, loop) or (is_small and is_index_in_every_trip(ranges, carried.unknown, loop))):
            return position, sign
    return None


def steps_of(ranges: Ranges, loop: Operation, carried: Carried, position: int) -> list[int]:
    """The literal steps that trips take after which the loop goes on; none where some are no literals."""
    test, body = loop.regions
    ways = [] if body.terminated or not test.yields else list(islice(ways_of(body.yields, body), MOST_WAYS + 1))
    going = [values for values, _ in ways if truth(test.yields[0], test, values) is not False]
    found = [combine(ranges.affine(values[position]), carried.unknown, -1) for values in going]
    steps = [step for step in found if isinstance(step, int)]
    return steps if steps and len(steps) == len(found) and len(ways) <= MOST_WAYS else carried.steps or []


def is_soon_done(ranges: Ranges, loop: Operation) -> bool:
    """Whether a counted loop makes no more trips than a few arrays have elements: by its ends, since its index is one of an array, or since
    it works on an array that was made with as many.

    for j in range(k): if p[j] > m: break; ...
    x = np.zeros(n); for i in range(n): if i > 0: ... x[i - 1] ...
    """
    step = ranges.affine(loop.operands[2])
    if ranges.is_bounded_by_sizes(loop):
        return True
    if not isinstance(step, int) or step == 0:
        return False
    return is_index_in_every_trip(ranges, ranges.affine(loop.regions[0].args[0]), loop) or is_as_long_as_array(ranges, loop, step)


def is_as_long_as_array(ranges: Ranges, loop: Operation, step: int) -> bool:
    """Whether an array from outside that the loop works on surely has as many elements along an axis as there are trips."""
    start, stop = (ranges.exact(bound) for bound in loop.operands[:2])
    if start is None or stop is None:
        return False
    trips, facts = combine(stop, start, -1) if step > 0 else combine(start, stop, -1), ranges.facts_before(loop)
    inside = list(walk_block(loop.regions[0]))
    made = {result for operation in inside for result in operation.results}
    read = dict.fromkeys(value for operation in inside for value in operation.operands if isinstance(value.type, ArrayType))
    arrays = [value for value in read if value not in made and not is_handed_on(value, inside)]
    sizes = dict.fromkeys(dim for value in arrays for dim in value.type.dims)  # type: ignore[union-attr]
    return any(ranges.known.is_nonnegative(combine(dim, trips, -1), facts) and ranges.is_soon_done(dim, loop) for dim in sizes)


def is_handed_on(value: Value, inside: list[Operation]) -> bool:
    """Whether a value is one that a loop or a handler inside hands on; those of the loop itself are arrays as they were made."""
    return any(value in region.args for operation in inside for region in operation.regions)


def is_index_in_every_trip(ranges: Ranges, counter: Size, loop: Operation) -> bool:
    """Whether every trip accesses an element a literal distance from the counter: small steps soon lead out of bounds."""
    for access in (operation for region in loop.regions for operation in region.operations if operation.name in PLACES):
        type = access.operands[0].type
        assert isinstance(type, ArrayType)
        for index, size in zip(access.operands[PLACES[access.name] :], type.dims):
            if isinstance(combine(ranges.affine(index), counter, -1), int) and ranges.is_soon_done(scale(size, 2), loop):
                return True
    return False
