"""What a loop hands on may be bounded where what it began with is not: then only the first trip needs its checks of overflow.

for i in range(n):                                          any seed in the first trip, at most 2**31 - 1 in all others
    state = (state * 1103515245 + 12345) % 2**31            no product of these leaves 64 bits
    out[i] = state / 2**31
"""

from __future__ import annotations

from autograph_jit.ir.graph import Operation, walk_block
from autograph_jit.ir.types import I64
from autograph_jit.kernels.ranges import CHECKED, Ranges, name_of

MOST_OPERATIONS = 60  # in a trip that is made apart


def settled_by_first_trip(ranges: Ranges, loop: Operation) -> set[Operation]:
    """The checked operations of a counted loop that may overflow in the first trip only."""
    operations = list(walk_block(loop.regions[0]))
    failing = [operation for operation in operations if operation.name in CHECKED and not ranges.cannot_overflow(operation)]
    if not failing or len(operations) > MOST_OPERATIONS:
        return set()
    for operation in operations:  # what is found now must not be found under limits that do not hold for the first trip
        ranges.facts_before(operation)
        for value in operation.results:
            ranges.affine(value)
    limits = limits_handed_on(ranges, loop)
    before = dict(ranges.known.limits)
    ranges.known.limits.update(limits)
    found = {operation for operation in failing if limits and ranges.cannot_overflow(operation)}
    ranges.known.limits.clear()
    ranges.known.limits.update(before)
    return found


def limits_handed_on(ranges: Ranges, loop: Operation) -> dict[str, tuple[int, int]]:
    """The least and the greatest number that each carried integer can be from the second trip on, where the first trip's is any."""
    body = loop.regions[0]
    found = {}
    for position, arg in enumerate(body.args[1:]):
        carried = ranges.carried.get(loop, {}).get(position) if arg.type == I64 else None
        if carried is None or not carried.next or carried.name in ranges.known.limits:
            continue
        forms = [ranges.exact(value, facts) for value, facts in carried.next]
        if None not in forms:
            ends = [ranges.known.limits_of_sum(form) for form in forms if form is not None]
            found[name_of(ranges.affine(arg))] = min(low for low, _ in ends), max(high for _, high in ends)
    return found
