"""Which numbers of a loop's body differ between lanes, and which loops and branches the lanes leave or take apart."""

from __future__ import annotations

from dataclasses import field

from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.kernels.trips import Trips
from autograph_jit.records import dataclass


@dataclass(slots=True)
class Divergence:
    """`varying` numbers have a value for each lane, others are the same in all; `divergent` loops and branches lanes take apart."""

    index: Value
    varying: set[Value]
    divergent: set[Operation] = field(default_factory=set)

    def varies(self, value: Value) -> bool:
        return value in self.varying

    def varies_any(self, values: list[Value]) -> bool:
        return any(value in self.varying for value in values)

    def spread(self, sources: list[Value], targets: list[Value]) -> None:
        self.varying.update(target for source, target in zip(sources, targets, strict=True) if source in self.varying)


def find_divergence(trips: Trips) -> Divergence:
    """A fixed point: what varies only grows."""
    found = Divergence(trips.index, {trips.index})
    size = 0
    while size != len(found.varying) + len(found.divergent):
        size = len(found.varying) + len(found.divergent)
        visit_block(found, trips.body)
    return found


def visit_block(found: Divergence, block: Block) -> None:
    for operation in block.operations:
        if operation.name == "cond":
            visit_branch(found, operation)
        elif operation.name == "for_loop":
            visit_for(found, operation)
        elif operation.name == "while_loop":
            visit_while(found, operation)
        elif found.varies_any(operation.operands):
            found.varying.update(operation.results)


def visit_branch(found: Divergence, branch: Operation) -> None:
    for region in branch.regions:
        visit_block(found, region)
        if not region.terminated:
            found.spread(region.yields, branch.results)
    if found.varies(branch.operands[0]):
        found.divergent.add(branch)
        found.varying.update(branch.results)


def visit_for(found: Divergence, loop: Operation) -> None:
    (body,) = loop.regions
    start, _, step = loop.operands[:3]
    skip = int(bool(loop.attributes.get("has_break")))
    if found.varies(start) or found.varies(step):
        found.varying.add(body.args[0])
    if found.varies_any(loop.operands[:3]) or (skip and found.varies(body.yields[0])):
        found.divergent.add(loop)
    found.spread(loop.operands[3:], body.args[1:])
    visit_block(found, body)
    state = body.yields[skip:]
    found.spread(state, body.args[1:])
    if loop in found.divergent:
        found.varying.update(arg for arg, value in zip(body.args[1:], state) if arg is not value)
    found.spread(body.args[1:], loop.results)
    found.spread(state, loop.results)


def visit_while(found: Divergence, loop: Operation) -> None:
    test, body = loop.regions
    found.spread(loop.operands, test.args)
    visit_block(found, test)
    found.spread(test.yields[1:], body.args)
    visit_block(found, body)
    found.spread(body.yields, test.args)
    if found.varies(test.yields[0]):
        found.divergent.add(loop)
        found.varying.update((*test.args, *body.args, *loop.results))
    found.spread(test.yields[1:], loop.results)
