"""Whether a write meets memory that has another shadow under another name, because a branch or a loop joined several arrays.

What a branch or loop gives is one of several arrays. Its shadow is either chosen alike (`regions.chosen_shadow`) or its own, which
is added to those of the arrays it came from where the branch or loop began. In the second case a write under one name must not come before
a read under the other: the shadow of what is read would miss the write. Arrays that one loop carries lie apart (`sweeps.disjoint`).
"""

from __future__ import annotations

from collections.abc import Callable

from autograph_jit.autodiff.sweeps.classes import Classes, flows, is_reference, walk_regions
from autograph_jit.ir.graph import Block, Operation, Value, walk_block

Chosen = Callable[[Value], bool]


class Joins:
    """The joined arrays of a block: where each value begins in program order, and where joined ones come from."""

    def __init__(self, classes: Classes, is_chosen: Chosen) -> None:
        self.classes, self.is_chosen = classes, is_chosen
        self.places: dict[Value, int] = {}
        self.begins: dict[Operation, int] = {}
        self.ends: dict[Block, int] = {}
        self.sources: dict[Value, list[Value]] = {}
        self.count = 0
        self.number(classes.block)
        for operation in walk_block(classes.block):
            for sources, target in flows(operation):
                if is_reference(target):
                    self.sources[target] = [classes.direct_root(source) for source in sources]
        self.assumed: set[tuple[Value, Value, bool]] = set()

    def tick(self) -> int:
        self.count += 1
        return self.count

    def number(self, block: Block) -> None:
        """Number arguments, operations and, after its regions, what an operation gives."""
        for argument in block.args:
            self.places[argument] = self.tick()
        for operation in block.operations:
            self.begins[operation] = self.tick()
            for region in operation.regions:
                self.number(region)
            for result in operation.results:
                self.places[result] = self.tick()
        self.ends[block] = self.tick()

    def meet(self, x: Value, y: Value, apart: bool = False) -> bool:
        """Whether two arrays may be one whose shadows differ; `apart`: one of them has been followed through a shadow of its own."""
        if x is y:
            return apart
        if self.places.get(x, 0) > self.places.get(y, 0):
            x, y = y, x
        if y not in self.sources or (x, y, apart) in self.assumed:
            return False
        self.assumed.add((x, y, apart))
        apart = apart or not self.is_chosen(y)
        if x in self.sources and x.owner is y.owner:
            if isinstance(x.owner, Block):
                return False
            apart = apart or not self.is_chosen(x)
            return any(self.meet(a, b, apart) for a, b in zip(self.sources[x], self.sources[y]))
        return any(self.meet(x, source, apart) for source in self.sources[y])


def meets_another_shadow(classes: Classes, target: Value, writer: Operation, is_chosen: Chosen, left_out: Operation | None = None) -> bool:
    """Whether a name that was given before a write, and is used after it, may be the written array under a shadow of its own. Uses in the
    regions of `left_out` do not count."""
    joins = Joins(classes, is_chosen)
    written, place = classes.direct_root(target), joins.begins[writer]
    around = loops_around(classes.block, writer)
    inside = set() if left_out is None else {left_out, *walk_regions(left_out)}
    for name, last in last_uses(classes, joins, around, inside).items():
        given = joins.places.get(name, 0)
        trips = [joins.begins[loop] for loop in around if joins.begins[loop] > given]  # loops that come round to uses of the name again
        if given < place and last >= min([place, *trips]) and classes.root(name) is classes.root(target) and joins.meet(name, written):
            return True
    return False


def loops_around(block: Block, writer: Operation) -> list[Operation]:
    """The loops whose bodies hold an operation."""
    return [loop for loop in walk_block(block) if loop.name.endswith("_loop") and any(inner is writer for inner in walk_regions(loop))]


def last_uses(classes: Classes, joins: Joins, around: list[Operation], inside: set[Operation]) -> dict[Value, int]:
    """Where each array is last taken by an operation, or given by a block, but for the operations `inside`; what enters the loops `around`
    is used at the entry only."""
    found: dict[Value, int] = {}

    def note(values: list[Value], place: int) -> None:
        for value in values:
            if is_reference(value):
                name = classes.direct_root(value)
                found[name] = max(found.get(name, 0), place)

    for operation in walk_block(classes.block):
        if operation in inside:
            continue
        if operation not in around:
            note(operation.operands, joins.begins[operation])
        for region in operation.regions:
            note(region.yields, joins.ends[region])
    note(classes.block.yields, joins.ends[classes.block])
    return found
