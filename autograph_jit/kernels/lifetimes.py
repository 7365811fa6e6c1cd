"""Who holds a reference to memory and when it is given up: after the last use in the block that defines the value.

A view, and a list that is `borrowed`, borrow from what they are taken from (their root); a fresh result, a result of a region operation
and a block's argument own a reference. A yielded value moves out of its block; what cannot move is retained for the receiver.
"""

from __future__ import annotations

from collections.abc import Mapping

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ScalarType
from autograph_jit.records import dataclass

NOTHING: Mapping[Operation, Operation] = {}


@dataclass(frozen=True, slots=True)
class BlockLifetimes:
    """Who gives up references in one block.

    releases    by position of an operation (-1: at entry): values whose reference ends after it
    moved       positions of yields that take their value's reference
    """

    releases: dict[int, list[Value]]
    moved: frozenset[int]


def is_owning(operation: Operation) -> bool:
    """Whether the results of an operation hold references of their own."""
    if operation.attributes.get("borrowed"):
        return False
    return operation.opdef.effect is not Effect.VIEW or operation.name == "reshape"


def root_of(value: Value) -> Value:
    """The value whose reference keeps this one's memory alive."""
    while isinstance(value.owner, Operation) and not is_owning(value.owner):
        value = value.owner.operands[0]
    return value


def uses_within(operation: Operation) -> list[Value]:
    """Every value that an operation or its regions mention."""
    found = [*operation.operands, *operation.unwind]
    for region in operation.regions:
        for inner in region.operations:
            found += uses_within(inner)
        found += region.yields
    return found


def uses_of_nest(operation: Operation, consumers: dict[Operation, Operation]) -> list[Value]:
    """Every value that an operation mentions, or an operation that is fused into it, perhaps into several."""
    found = dict.fromkeys(uses_within(operation))
    waiting = list(found)
    while waiting:
        owner = waiting.pop().owner
        if isinstance(owner, Operation) and owner in consumers:
            waiting += [value for value in owner.operands if value not in found]
            found.update(dict.fromkeys(owner.operands))
    return list(found)


def find_lifetimes(
    graph: Graph, consumers: dict[Operation, Operation], makers: Mapping[Operation, Operation] = NOTHING
) -> dict[Block, BlockLifetimes]:
    """Lifetimes in every block. `consumers` maps an operation that was fused to the one that runs in its place, `makers` one that only
    allocates its result to the one that computes it."""
    lifetimes: dict[Block, BlockLifetimes] = {}
    parameters = set(graph.block.args)

    def visit(block: Block) -> None:
        position = {operation: index for index, operation in enumerate(block.operations)}
        last: dict[Value, int] = {arg: -1 for arg in block.args if is_counted(arg) and arg not in parameters}
        for index, operation in enumerate(block.operations):
            runs_at = index
            while operation in consumers or operation in makers:
                operation = consumers[operation] if operation in consumers else makers[operation]
                runs_at = position[operation]
            for value in uses_of_nest(block.operations[index], consumers):
                root = root_of(value)
                if root in last:
                    last[root] = max(last[root], runs_at)
            if is_owning(block.operations[index]) and block.operations[index] not in consumers:
                last.update((result, index) for result in block.operations[index].results if is_counted(result))
            for region in block.operations[index].regions:
                visit(region)
        moved = find_moves(block, last)
        releases: dict[int, list[Value]] = {}
        for value, index in last.items():
            releases.setdefault(index, []).append(value)
        lifetimes[block] = BlockLifetimes(releases, moved)

    visit(graph.block)
    return lifetimes


def is_counted(value: Value) -> bool:
    return not isinstance(value.type, ScalarType)


def find_moves(block: Block, last: dict[Value, int]) -> frozenset[int]:
    """Take the yielded values that can move out of `last`; a value that is yielded twice moves once."""
    moved = set()
    for index, value in enumerate(block.yields):
        root = root_of(value)
        if last.pop(root, None) is not None:
            moved.add(index)
    return frozenset(moved)
