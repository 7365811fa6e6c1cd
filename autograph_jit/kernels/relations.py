"""What holds between the counters of a `while` loop: one moves no further than others together.

while i < n and j < m:                      k - k0 <= (i - i0) + (j - j0) in every trip and behind the loop:
    if x[i] <= y[j]: out[k] = x[i]; i += 1  with k0 = i0 = j0 = 0 is out[k] in bounds where out has n + m elements
    else: out[k] = y[j]; j += 1
    k += 1
"""

from __future__ import annotations

from itertools import combinations, islice

from autograph_jit.ir.dims import combine
from autograph_jit.ir.graph import Operation
from autograph_jit.kernels.invariants import Carried, Knowledge
from autograph_jit.kernels.ways import MOST_WAYS, ways_of

MOST_COUNTERS = 5


def learn_relations(knowledge: Knowledge, loop: Operation, carried: dict[int, Carried]) -> None:
    """Learn, for each counter that moves up, the first one or two others that move as far on every way through a trip."""
    counters = [(position, each) for position, each in carried.items() if each.steps and each.name in knowledge.known.limits]
    ways = list(islice(ways_of(loop.regions[1].yields, loop.regions[1]), MOST_WAYS + 1))
    if loop.regions[1].terminated or not 2 <= len(counters) <= MOST_COUNTERS or len(ways) > MOST_WAYS:
        return
    moves: dict[str, list[int]] = {}
    for place, each in counters:
        steps = [combine(knowledge.affine(values[place]), each.unknown, -1) for values, _ in ways]
        moves |= {each.name: [step for step in steps if isinstance(step, int)]}
    known = [each for _, each in counters if len(moves[each.name]) == len(ways)]
    for counter in known:
        others = [each for each in known if each is not counter]
        found = next((group for group in groups_of(others) if moves_as_far(moves, counter, group)), None)
        if found is not None and max(moves[counter.name]) > 0:
            rest = combine(counter.start, counter.unknown, -1)
            for other in found:
                rest = combine(rest, combine(other.unknown, other.start, -1), 1)
            knowledge.known.learn(counter.name, rest)


def groups_of(others: list[Carried]) -> list[tuple[Carried, ...]]:
    return [*combinations(others, 1), *combinations(others, 2)]


def moves_as_far(moves: dict[str, list[int]], counter: Carried, others: tuple[Carried, ...]) -> bool:
    """Whether on no way the counter moves further up than the others together."""
    return all(step <= sum(moves[other.name][way] for other in others) for way, step in enumerate(moves[counter.name]))
