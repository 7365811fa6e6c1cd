"""Arrays that trips side by side keep numbers in, one line for each trip, get one column for each: neighbours then write neighbours.

Before: %kept = empty(n, 200); for i: for k: store(%kept, x, i, k)          After: %kept = empty(200, n); ...: store(%kept, x, k, i)

The reverse sweep of a recurrence for many starting points reads what each of them had in each trip.

Requires: only elements of the array are read and written, each in a loop whose trips run side by side with the array turned, and one of
its indices, the same everywhere, goes up with that loop's counter.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.lockstep.choice import find_lockstep
from autograph_jit.ir.graph import Block, Graph, Operation, Value, constant_of
from autograph_jit.ir.ownership import Uses
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.trips import indices_of
from autograph_jit.records import dataclass

LOOPS = ("for_loop", "while_loop")


@dataclass(frozen=True, slots=True)
class Lines:
    """An array with a line for each trip of some loops: the axis that their counters run along."""

    maker: Operation
    accesses: list[Operation]
    loops: list[Operation]
    axis: int


def turn_lines(e: Emitter, graph: Graph) -> None:
    """Turn the arrays of a graph for which the loops run side by side then."""
    uses = Uses(graph.block)
    lines = [found for operation in graph.walk() if operation.name == "empty" for found in [lines_of(operation, uses)] if found]
    for each in lines:
        turn(each, to_end(each))
    while True:
        e.lockstep.clear()
        failed = [each for each in lines if not all(find_lockstep(e, loop) for loop in each.loops)]
        if not failed:
            return
        for each in failed:
            turn(each, from_end(each))
        lines = [each for each in lines if each not in failed]


def lines_of(maker: Operation, uses: Uses) -> Lines | None:
    """What is known of an array; None where it has no such axis but the last."""
    array = maker.result
    assert isinstance(array.type, ArrayType)
    accesses = uses.users.get(array, [])
    if array.type.rank < 2 or array in uses.yielded or array in uses.unwound or maker.unwind or not accesses:
        return None
    found = [axis_of(access, array, uses) for access in accesses]
    axes, loops = {each[0] for each in found if each}, [each[1] for each in found if each]
    if None in found or len(axes) != 1 or axes == {array.type.rank - 1}:
        return None
    return Lines(maker, accesses, list(dict.fromkeys(loops)), axes.pop())


def axis_of(access: Operation, array: Value, uses: Uses) -> tuple[int, Operation] | None:
    """The axis along which the counter of the second loop around an access runs, and that loop."""
    assert isinstance(array.type, ArrayType)
    if access.name not in ("load", "store") or access.operands[0] is not array:
        return None
    indices = indices_of(access)
    around = list(loops_around(access, uses))[:2]
    if len(around) < 2 or around[1].name != "for_loop" or len(indices) != array.type.rank:
        return None
    counter = around[1].regions[0].args[0]
    axes = [axis for axis, index in enumerate(indices) if follows(index, counter, uses)]
    return (axes[0], around[1]) if len(axes) == 1 else None


def loops_around(operation: Operation, uses: Uses) -> Iterable[Operation]:
    """The loops that an operation stands in, the innermost first."""
    block: Block = uses.places[operation][0]
    while block in uses.around:
        owner = uses.around[block]
        if owner.name in LOOPS:
            yield owner
        block = uses.places[owner][0]


def follows(index: Value, counter: Value, uses: Uses) -> bool:
    """Whether an index is a counter and a number that stays the same in the loop."""
    if index is counter:
        return True
    owner = index.owner
    if not isinstance(owner, Operation) or owner.name not in ("add", "subtract"):
        return False
    x, y = owner.operands
    if owner.name == "add" and not follows(x, counter, uses):
        x, y = y, x
    return follows(x, counter, uses) and is_constant(y, counter, uses)


def is_constant(number: Value, counter: Value, uses: Uses) -> bool:
    """Whether a number is a literal, or known before the loop of a counter begins."""
    block = number.owner if isinstance(number.owner, Block) else uses.places[number.owner][0]
    if constant_of(number) is not None:
        return True
    while block is not counter.owner and block in uses.around:
        block = uses.places[uses.around[block]][0]
    return block is not counter.owner


def to_end(lines: Lines) -> list[int]:
    """The order of the axes with the one of the lines last."""
    axes = list(range(len(lines.maker.operands)))
    return [*axes[: lines.axis], *axes[lines.axis + 1 :], lines.axis]


def from_end(lines: Lines) -> list[int]:
    """The order that takes `to_end` back."""
    order = to_end(lines)
    return [order.index(axis) for axis in range(len(order))]


def turn(lines: Lines, order: list[int]) -> None:
    """Exchange the axes of an array, where it is made and in all indices."""
    maker, type_ = lines.maker, lines.maker.result.type
    assert isinstance(type_, ArrayType)
    dims = tuple(type_.dims[axis] for axis in order)
    maker.operands = [maker.operands[axis] for axis in order]
    maker.attributes = {**maker.attributes, "dims": dims}
    maker.result.type = ArrayType(type_.dtype, dims)
    for access in lines.accesses:
        first = 1 if access.name == "load" else 2
        head, indices = access.operands[:first], access.operands[first:]
        access.operands = [*head, *(indices[axis] for axis in order)]
