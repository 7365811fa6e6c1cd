"""What trips side by side do one after the other: sums and the like, from numbers that all of them have computed."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.blocks import emit_operation
from autograph_jit.backends.cpu.lockstep.choice import Lockstep
from autograph_jit.backends.cpu.lockstep.registers import Lanes, Progression
from autograph_jit.backends.cpu.signatures import I8, I64
from autograph_jit.backends.cpu.values import Emitted, dtype_of, memory_type
from autograph_jit.ir.graph import Value, walk_block
from autograph_jit.records import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """The numbers of all lanes, in memory."""

    value: Value
    memory: ir.Value


def emit_ordered(lanes: Lanes, found: Lockstep, state: list[ir.PhiInstr]) -> list[ir.Value]:
    """The state behind the trips of a block."""
    body = found.trips.body
    if not state:
        return []
    e, left = lanes.e, lanes.e.budget
    vectors = {value: e.get(value) for value in needed(found) if lanes.divergence.varies(value)}
    kept = [keep(lanes, value, vector) for value, vector in vectors.items() if not isinstance(vector, Progression)]
    before, header, inside, done = e.b.block, e.block("ordered"), e.block("lane"), e.block("in_order")
    e.b.branch(header)
    e.b.position_at_end(header)
    lane = e.b.phi(I64)
    lane.add_incoming(I64(0), before)
    phis = [e.b.phi(phi.type) for phi in state]
    for phi, start in zip(phis, state):
        phi.add_incoming(start, before)
    e.b.cbranch(e.compare("<", lane, lanes.count), inside, done)
    e.b.position_at_end(inside)
    e.values.update(zip(body.args[1:], phis))
    for each in kept:
        e.values[each.value] = e.load_number(address(lanes, each, lane), dtype_of(each.value))
    for value, vector in vectors.items():
        if isinstance(vector, Progression):
            e.values[value] = e.add(vector.base, e.mul(vector.step, lane))
    for operation in found.ordered:
        emit_operation(e, operation)
    lane.add_incoming(e.b.add(lane, I64(1)), e.b.block)
    for phi, value in zip(phis, body.yields):
        phi.add_incoming(e.get(value), e.b.block)
    e.b.branch(header)
    e.b.position_at_end(done)
    e.budget = left  # of which arithmetic takes nothing
    return list(phis)


def needed(found: Lockstep) -> list[Value]:
    """The numbers of a trip that its ordered part reads, or that it leaves to the next."""
    parts = [*found.ordered, *(inner for operation in found.ordered for region in operation.regions for inner in walk_block(region))]
    read = [value for part in parts for value in part.operands]
    read += [value for part in parts for region in part.regions for value in region.yields]
    made = {result for part in parts for result in part.results}
    return [value for value in dict.fromkeys([*read, *found.trips.body.yields]) if value not in made]


def keep(lanes: Lanes, value: Value, vector: Emitted) -> Kept:
    e, dtype = lanes.e, dtype_of(value)
    memory = e.slots(lanes.width, memory_type(dtype))
    number = e.b.zext(vector, ir.VectorType(I8, lanes.width)) if dtype.kind == "b" else vector
    e.b.store(number, memory, align=16)
    return Kept(value, memory)


def address(lanes: Lanes, kept: Kept, lane: ir.Value) -> ir.Value:
    return lanes.e.offset(kept.memory, lanes.e.mul(lane, I64(dtype_of(kept.value).itemsize)))
