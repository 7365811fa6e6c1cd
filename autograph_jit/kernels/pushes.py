"""Appends to one list behind one another: they ask for room once, and count its items once.

Before: list_push(%x, %a)   room for one more, %a goes there, one more item
        list_push(%x, %b)   room for one more, %b goes there, one more item
After:  list_push(%x, %a)   room for two more, %a goes to the first place behind the items
        list_push(%x, %b)   %b goes to the second place, two more items

Between them nothing writes, unless to another list that the program has made. Where something else stands between them, it finds the items.
"""

from __future__ import annotations

from dataclasses import field

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.records import dataclass


@dataclass(slots=True, eq=False)
class Pushes:
    """Appends to one list, each with its place. `is_new`: the list has no items before; `counted`: behind which appends it has to know how
    many it has."""

    is_new: bool
    places: dict[Operation, int] = field(default_factory=dict)
    counted: set[Operation] = field(default_factory=set)


def find_pushes(graph: Graph) -> dict[Operation, Pushes]:
    """By append, those that it is one of."""
    blocks = [graph.block, *(region for operation in graph.walk() for region in operation.regions)]
    return {push: pushes for block in blocks for pushes in pushes_in(block) for push in pushes.places}


def pushes_in(block: Block) -> list[Pushes]:
    """All appends that stand in a block itself."""
    found = list[Pushes]()
    under_way: dict[Value, Pushes] = {}
    empty: set[Value] = set()
    last: Pushes | None = None
    for operation in block.operations:
        if operation.name == "constant":
            continue
        pushes = next_push(operation, under_way, empty, found) if operation.name == "list_push" else None
        if last is not None and last is not pushes:
            last.counted.add(next(reversed(last.places)))
        if pushes is not None:
            pushes.places[operation] = len(pushes.places)
        elif operation.opdef.effect is not Effect.PURE:
            under_way.clear()
            empty.clear()
        elif operation.name == "list_new":
            empty.add(operation.result)
        last = pushes
    if last is not None:
        last.counted.add(next(reversed(last.places)))
    return found


def next_push(push: Operation, under_way: dict[Value, Pushes], empty: set[Value], found: list[Pushes]) -> Pushes:
    """The appends that a push goes on with, or begins."""
    items = push.operands[0]
    for other in [other for other in under_way if other is not items and not (is_made(other) and is_made(items))]:
        del under_way[other]
    if items not in under_way:
        under_way[items] = Pushes(items in empty)
        found.append(under_way[items])
    empty.discard(items)
    if not is_made(items):
        empty.clear()
    return under_way[items]


def is_made(items: Value) -> bool:
    """Whether a list is what one operation makes: another one than any other such."""
    return isinstance(items.owner, Operation) and items.owner.name == "list_new"
