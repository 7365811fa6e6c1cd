"""Which loops run in lockstep: independent trips of scalar work around a loop whose own trips wait for each other."""

from __future__ import annotations

from dataclasses import dataclass

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.integers import INSTRUCTIONS
from autograph_jit.backends.cpu.lockstep.divergence import Divergence, find_divergence
from autograph_jit.backends.cpu.values import Array, array_type, dtype_of
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.scalar import in_order, operand
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.kernels.fusion import pointwise_expression
from autograph_jit.kernels.invariants import DIVISIONS
from autograph_jit.kernels.trips import Trips, disjoint_arrays

LOOPS = ("for_loop", "while_loop")
OTHERS = ("load", "store", "dim", "check", "raise_", "cond", "pyint_truncate", *LOOPS, *INSTRUCTIONS)
NUMBERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
MOST_OPERATIONS = 200  # in a body, which is emitted three times


@dataclass(frozen=True, slots=True)
class Lockstep:
    """A loop that runs in lockstep, if no two of these arrays overlap."""

    trips: Trips
    divergence: Divergence
    disjoint: set[frozenset[Value]]


def find_lockstep(e: Emitter, loop: Operation) -> Lockstep | None:
    """How a loop runs in lockstep; None where it cannot, where that is not faster, and where a loop inside it can."""
    if loop.name != "for_loop" or loop.operands[3:] or loop.attributes.get("has_break") or e.handlers or e.retreat is not None:
        return None
    trips = Trips(loop)
    inner = [each for each in trips.operations if each.name in LOOPS]
    if not any(map(waits, inner)) or len(trips.operations) > MOST_OPERATIONS or trips.body.terminated:
        return None
    if not all(is_possible(e, trips, each) for each in trips.operations) or any(find_lockstep(e, each) for each in inner):
        return None
    divergence = find_divergence(trips)
    if not all(is_countable(divergence, each) and not is_slow(divergence, each) for each in inner):
        return None
    disjoint = disjoint_arrays(trips, e.facts)
    if disjoint is None or not fails_before_it_writes(e, divergence, trips.body):
        return None
    return Lockstep(trips, divergence, disjoint)


def is_possible(e: Emitter, trips: Trips, operation: Operation) -> bool:
    """Whether an operation works on numbers and on elements of arrays from outside the loop."""
    arrays = [value for value in operation.operands if isinstance(value.type, ArrayType)]
    if any(trips.is_inside(array) or not isinstance(e.values.get(array), Array) for array in arrays):
        return False
    if arrays and operation.name not in ("load", "store", "dim"):
        return False
    regions_args = [arg for region in operation.regions for arg in region.args]
    numbers = [value for value in (*operation.operands, *operation.results, *regions_args) if value not in arrays]
    if not all(isinstance(value.type, ScalarType) for value in numbers) or not all(is_number(value) for value in (*numbers, *arrays)):
        return False
    return operation.name in OTHERS or (isinstance(operation.opdef.kernel, Pointwise) and not operation.can_fail)


def is_number(value: Value) -> bool:
    return dtype_of(value).str[1:] in NUMBERS


def is_countable(divergence: Divergence, loop: Operation) -> bool:
    """Whether lanes can make as many trips as each needs: where these differ, a counted loop has a step of 1 or -1."""
    if loop.name == "while_loop" or loop not in divergence.divergent:
        return True
    step = loop.operands[2].owner
    return isinstance(step, Operation) and step.name == "constant" and abs(int(step.attributes["value"])) == 1


def waits(loop: Operation) -> bool:
    """Whether a trip needs what the one before it has computed, so that LLVM cannot do several at once."""
    if loop.name == "while_loop" or loop.attributes.get("has_break"):
        return True
    body = loop.regions[0]
    if any(arg is not value for arg, value in zip(body.args[1:], body.yields)):
        return True
    return any(operation.name == "store" and not uses(operation, body.args[0]) for operation in body.operations)


def uses(store: Operation, index: Value) -> bool:
    """Whether an index of a store is computed from a loop's index."""
    seen, waiting = set(), list(store.operands[2:])
    while waiting:
        value = waiting.pop()
        if value is index:
            return True
        if value not in seen and isinstance(value.owner, Operation):
            seen.add(value)
            waiting += value.owner.operands
    return False


def fails_before_it_writes(e: Emitter, divergence: Divergence, body: Block) -> bool:
    """Whether nothing can fail after a trip's first store: trips that failed together are done again."""
    return visit(e, divergence, body, False) is not None


def visit(e: Emitter, divergence: Divergence, block: Block, written: bool) -> bool | None:
    """Whether a store was done behind a block, None where something can fail after one."""
    for operation in block.operations:
        if operation.name in LOOPS and any(inner.name == "store" for region in operation.regions for inner in walk_block(region)):
            written = True
        if written and can_fail(e, divergence, operation):
            return None
        after = [visit(e, divergence, region, written) for region in operation.regions]
        if None in after:
            return None
        written = written or any(after) or operation.name == "store"
    return written


def can_fail(e: Emitter, divergence: Divergence, operation: Operation) -> bool:
    """Whether an operation may find that its trips have to be done one by one."""
    if operation.name in ("load", "store"):
        indices = operation.operands[1 if operation.name == "load" else 2 :]
        dims = array_type(operation.operands[0]).dims
        return not operation.attributes.get("proved") and any(
            e.ranges.is_index(index, dim, operation) != (True, True) for index, dim in zip(indices, dims)
        )
    if operation.name in INSTRUCTIONS:
        return not e.ranges.cannot_overflow(operation)
    if operation.name in DIVISIONS:
        return divergence.varies(operation.operands[0])
    return operation.name in ("check", "raise_", "pyint_truncate")


def is_slow(divergence: Divergence, loop: Operation) -> bool:
    """Whether a loop inside computes what is done lane by lane: integer divisions and functions of the C library."""
    for operation in (inner for region in loop.regions for inner in walk_block(region)):
        if not isinstance(operation.opdef.kernel, Pointwise) or not divergence.varies_any(operation.operands):
            continue
        if operation.name in DIVISIONS and not is_power_of_two(operation.operands[1]):
            return True
        expression = pointwise_expression(operation, [operand(index, dtype_of(value)) for index, value in enumerate(operation.operands)])
        if any(node.op == "call" for node in in_order(expression)):
            return True
    return False


def is_power_of_two(value: Value) -> bool:
    producer = value.owner
    if not isinstance(producer, Operation) or producer.name != "constant":
        return False
    number = int(producer.attributes["value"])
    return number > 0 and number & (number - 1) == 0
