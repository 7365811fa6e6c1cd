"""How often the parts of a program run in a call, where nobody has counted: loops by their bounds, branches every other time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from autograph_jit.ir.graph import Block, Operation, Value, literal_of
from autograph_jit.ir.types import ArrayType
from autograph_jit.transforms.tallies import is_scan

# Of a loop, where nothing is known: what is certain, likely, and may well be. Heaps and bisections, which halve what is left, and loops
# through the letters of a word make few.
FEW_TRIPS, ASSUMED_TRIPS, LONG_TRIPS = 7, 100, 10_000
MOST_TRIPS = 1_000_000  # of nested loops together: more would outweigh whatever is around them
HALF, ONCE, SELDOM = 0.5, 1.0, 0.01
Runs = Callable[[Operation, Block, float], float]  # how often a region of an operation runs in a call that runs the operation so often


def trips_of(loop: Operation, unknown: float = ASSUMED_TRIPS) -> float:
    """How often the body of a loop runs."""
    if goes_few_times(loop, loop.name == "while_loop"):
        return FEW_TRIPS
    if loop.attributes.get("has_break") and literal_of(loop.regions[0].yields[0]) == 0:
        return ONCE  # it always ends in its first trip
    if loop.name != "for_loop":
        return unknown
    start, stop, step = (literal_of(value) for value in loop.operands[:3])
    if start is None or step is None:
        return unknown
    if stop is not None:
        return len(range(start, stop, step))
    most = at_most(loop.operands[1]) if step > 0 else None
    return unknown if most is None else min(unknown, len(range(start, most, step)))


def at_most(x: Value) -> int | None:
    """A number that another one is not above: `len(xs[:3])` is not above 3."""
    known, owner = literal_of(x), x.owner
    if known is not None or not isinstance(owner, Operation):
        return known
    if owner.name == "minimum":
        return min((most for most in map(at_most, owner.operands) if most is not None), default=None)
    return length_at_most(owner.operands[0].owner) if owner.name == "dim" else None


def length_at_most(view: Any) -> int | None:
    """The same of the length of a vector that is a slice of another one up to a place that is known."""
    if not isinstance(view, Operation) or view.name != "basic_index" or view.attributes["items"][0] != ("slice", False, True, False):
        return None
    is_vector = isinstance(view.result.type, ArrayType) and view.result.type.rank == 1
    stop = literal_of(view.operands[1])
    return stop if is_vector and stop is not None and stop >= 0 else None


class RunsAtLengths:
    """How often regions run in a call whose lists are as long as these: loops through them, as often."""

    are_counted = True

    def __init__(self, lengths: Mapping[Value, float]) -> None:
        self.lengths = lengths

    def __call__(self, operation: Operation, region: Block, around: float) -> float:
        bound = operation.operands[1].owner if operation.name == "for_loop" else None
        listed = bound.operands[0] if isinstance(bound, Operation) and bound.name == "list_len" else None
        return assumed_runs(operation, region, around, self.lengths.get(listed, ASSUMED_TRIPS) if listed is not None else ASSUMED_TRIPS)


def goes_few_times(loop: Any, is_while: bool) -> bool:
    """Whether a loop, or its region while it is traced, goes through the letters of a word, or halves what is left."""
    return is_scan(loop) or loop.for_c is not None and is_while


def assumed_runs(operation: Operation, region: Block, around: float, unknown: float = ASSUMED_TRIPS) -> float:
    """How often a region runs in a call where nothing was counted: a loop's by its trips, of branches each side every other time, but for
    one that raises, or that contents ask for which seldom come."""
    if is_handler(operation, region) or region.terminated:
        return 0.0
    if operation.name == "cond":
        usual = usual_sides(operation)
        return around * (SELDOM if region not in usual else HALF if len(usual) > 1 else ONCE)
    return min(around * (trips_of(operation, unknown) if operation.name.endswith("_loop") else ONCE), MOST_TRIPS)


def usual_sides(operation: Operation) -> list[Block]:
    """The regions of a branch that may well run: neither one that raises nor one for contents that seldom come."""
    sides = [side for side in operation.regions if not side.terminated]
    return [side for side in sides if not is_rare(side)] or sides


def is_rare(side: Block) -> bool:
    """Whether a region is for contents that seldom come, on every way through it."""
    for inside in side.operations:
        ways = [region for region in inside.regions if not region.terminated] if inside.name == "cond" else []
        if inside.attributes.get("rare") or ways and all(map(is_rare, ways)):
            return True
    return False


def regions_of(operation: Operation) -> list[Block]:
    """The regions that are looked at: not handlers."""
    return operation.regions if operation.name != "try_" else operation.regions[:1]


def is_handler(operation: Operation, region: Block) -> bool:
    """Whether a region handles exceptions: where none was counted, none is assumed."""
    return operation.name == "try_" and region is operation.regions[1]


def runs_in(block: Block, around: float = ONCE, runs: Runs = assumed_runs) -> Iterator[tuple[Operation, float]]:
    """Each operation of a block that runs `around` times in a call, and how often it runs, or catches an exception; what handlers do is
    not looked at."""
    for operation in block.operations:
        yield operation, runs(operation, operation.regions[1], around) if operation.name == "try_" else around
        for region in regions_of(operation):
            yield from runs_in(region, runs(operation, region, around), runs)
