"""The ways through a trip of a loop: what it may hand on, by the sides of the last branches that choose it."""

from __future__ import annotations

from collections.abc import Iterator

from autograph_jit.ir.graph import Block, Operation, Value

MOST_WAYS = 8
Way = tuple[list[Value], Block]  # what a trip may hand on, and the side of a branch that yields it


def ways_of(yields: list[Value], side: Block) -> Iterator[Way]:
    """What a trip may hand on, by the sides of the last branches that choose it."""
    branch = next((value.owner for value in yields if isinstance(value.owner, Operation) and value.owner.name == "cond"), None)
    if branch is None:
        yield yields, side
        return
    for block in branch.regions:
        if not block.terminated:
            yield from ways_of([block.yields[value.index] if value.owner is branch else value for value in yields], block)
