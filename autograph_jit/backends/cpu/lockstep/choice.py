"""Which loops run in lockstep: independent trips of scalar work around a loop whose own trips wait for each other."""

from __future__ import annotations

from autograph_jit.backends.cpu.arithmetic.integers import INSTRUCTIONS
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.lockstep.cost import Cost, nodes_of
from autograph_jit.backends.cpu.lockstep.divergence import Divergence, find_divergence
from autograph_jit.backends.cpu.values import array_type, dtype_of
from autograph_jit.ir.graph import Block, Operation, Value, literal_of, walk_block
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.kernels.commuting import ElementSum, find_commuting
from autograph_jit.kernels.invariants import DIVISIONS
from autograph_jit.kernels.trips import Trips, are_apart, disjoint_arrays, indices_of, place_of, uses
from autograph_jit.records import dataclass

LOOPS = ("for_loop", "while_loop")
OTHERS = ("load", "store", "dim", "check", "raise_", "cond", "pyint_truncate", *LOOPS, *INSTRUCTIONS)
NUMBERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
MOST_OPERATIONS = 200  # in a body, which is emitted three times


@dataclass(frozen=True, slots=True)
class Lockstep:
    """A loop that runs in lockstep, if no two of these arrays overlap; `ordered` is what a trip needs the one before it for, `sums` what
    lanes add to one element, by the operation that stores it."""

    trips: Trips
    divergence: Divergence
    disjoint: set[frozenset[Value]]
    ordered: list[Operation]
    sums: dict[Operation, ElementSum]
    cost: Cost


def find_lockstep(e: Emitter, loop: Operation) -> Lockstep | None:
    """How a loop runs in lockstep; None where it cannot, where that is not faster, and where a loop inside it can."""
    if e.handlers or e.retreat is not None:
        return None
    if loop not in e.lockstep:
        e.lockstep[loop] = choose(e, loop)
    found: Lockstep | None = e.lockstep[loop]
    return found


def choose(e: Emitter, loop: Operation) -> Lockstep | None:
    if loop.name != "for_loop" or loop.attributes.get("has_break") or loop.regions[0].terminated:
        return None
    trips = Trips(loop, loop.regions[0].args[0])
    inner = [each for each in trips.operations if each.name in LOOPS]
    if not any(map(waits, inner)) or len(trips.operations) > MOST_OPERATIONS:
        return None
    if not all(is_possible(e, trips, each) for each in trips.operations) or any(find_lockstep(e, each) for each in inner):
        return None
    divergence, ordered = find_divergence(trips), find_ordered(trips)
    if ordered is None or not all(is_countable(divergence, each) and not is_slow(divergence, each) for each in inner):
        return None
    summed = summed_in_lanes(e, trips, divergence)
    sums = {each.store: each for found in summed.values() for each in found if not divergence.varies_any(indices_of(each.store))}
    cost = Cost(divergence, set(sums))
    if not cost.is_worth_it(inner):
        return None
    disjoint, writes = disjoint_arrays(trips, e.facts, e.ranges, summed), Writes(e, divergence, ordered)
    if disjoint is None or writes.come_before(trips.body) or (writes.found and any(map(writes.can_fail, ordered))):
        return None
    return Lockstep(trips, divergence, disjoint, ordered, sums, cost)


def summed_in_lanes(e: Emitter, trips: Trips, divergence: Divergence) -> dict[Value, list[ElementSum]]:
    """The arrays that trips only add to, in any order: all lanes to one element, or each to one of its own."""

    def is_fit(each: ElementSum) -> bool:
        place = place_of(trips, each.store, e.ranges)
        return not divergence.varies_any(indices_of(each.store)) or are_apart(place, place)

    return {array: sums for array, sums in find_commuting(trips).items() if all(map(is_fit, sums))}


def find_ordered(trips: Trips) -> list[Operation] | None:
    """The arithmetic that depends on what the trip before has left; None where more than arithmetic does."""
    waiting: set[Value] = set(trips.body.args[1:])
    if not all(isinstance(arg.type, ScalarType) and is_number(arg) for arg in waiting):
        return None
    ordered = []
    for operation in trips.body.operations:
        parts = [operation, *(inner for region in operation.regions for inner in walk_block(region))]
        read = [value for part in parts for value in part.operands]
        read += [value for part in parts for region in part.regions for value in region.yields]
        if waiting.isdisjoint(read):
            continue
        if not all(part.name in ("cond", *INSTRUCTIONS) or isinstance(part.opdef.kernel, Pointwise) for part in parts):
            return None
        ordered.append(operation)
        waiting.update(operation.results)
    return ordered


def is_possible(e: Emitter, trips: Trips, operation: Operation) -> bool:
    """Whether lanes can do an operation: it is elementary, and its numbers fit vectors."""
    if not is_elementary(e, trips, operation) or not all(map(is_number, numbers_of(operation))):
        return False
    return operation.name in OTHERS or not operation.can_fail


def is_elementary(e: Emitter, trips: Trips, operation: Operation) -> bool:
    """Whether an operation works on numbers and on elements of arrays from outside the loop."""
    arrays = [value for value in operation.operands if isinstance(value.type, ArrayType)]
    if any(trips.is_inside(array) or array.owner in e.consumers for array in arrays):
        return False
    if arrays and operation.name not in ("load", "store", "dim"):
        return False
    if not all(isinstance(value.type, ScalarType) for value in numbers_of(operation) if value not in arrays):
        return False
    return operation.name in OTHERS or isinstance(operation.opdef.kernel, Pointwise)


def numbers_of(operation: Operation) -> list[Value]:
    """The operands, arrays included, the results and what the regions are given."""
    return [*operation.operands, *operation.results, *(arg for region in operation.regions for arg in region.args)]


def is_number(value: Value) -> bool:
    return dtype_of(value).str[1:] in NUMBERS


def is_countable(divergence: Divergence, loop: Operation) -> bool:
    """Whether lanes can make as many trips as each needs: where these differ, a counted loop has a step of 1 or -1."""
    if loop.name == "while_loop" or loop not in divergence.divergent:
        return True
    return literal_of(loop.operands[2]) in (1, -1)


def waits(loop: Operation) -> bool:
    """Whether a trip needs what the one before it has computed, so that LLVM cannot do several at once."""
    if loop.name == "while_loop" or loop.attributes.get("has_break"):
        return True
    body = loop.regions[0]
    if any(arg is not value for arg, value in zip(body.args[1:], body.yields)):
        return True
    return any(operation.name == "store" and not uses(operation, body.args[0]) for operation in body.operations)


@dataclass(slots=True)
class Writes:
    """Looks for what can fail after a trip's first store: trips that failed together are done again, and must find what they found."""

    e: Emitter
    divergence: Divergence
    ordered: list[Operation]
    found: bool = False

    def come_before(self, block: Block) -> bool:
        """Whether something in a block can fail after a store."""
        return any(self.is_late(operation) for operation in block.operations if operation not in self.ordered)

    def is_late(self, operation: Operation) -> bool:
        parts = [inner for region in operation.regions for inner in walk_block(region)]
        if operation.name in LOOPS and any(inner.name == "store" for inner in parts):
            self.found = True
        if self.found and self.can_fail(operation):
            return True
        if any(self.come_before(region) for region in operation.regions):
            return True
        self.found = self.found or operation.name == "store"
        return False

    def can_fail(self, operation: Operation) -> bool:
        """Whether an operation may find that its trips have to be done one by one."""
        ranges = self.e.ranges
        if operation.name in ("load", "store"):
            dims = array_type(operation.operands[0]).dims
            checked = [index for index, dim in zip(indices_of(operation), dims) if ranges.is_index(index, dim, operation) != (True, True)]
            return bool(checked) and not operation.attributes.get("proved")
        if operation.name in INSTRUCTIONS:
            return not ranges.cannot_overflow(operation)
        if operation.name in DIVISIONS:
            return self.divergence.varies(operation.operands[0])
        if operation.name == "cond":
            return any(self.can_fail(inner) for region in operation.regions for inner in region.operations)
        return operation.name in ("check", "raise_", "pyint_truncate")


def is_slow(divergence: Divergence, loop: Operation) -> bool:
    """Whether a loop inside computes what is done lane by lane: integer divisions and functions of the C library."""
    for operation in (inner for region in loop.regions for inner in walk_block(region)):
        if not isinstance(operation.opdef.kernel, Pointwise) or not divergence.varies_any(operation.operands):
            continue
        if operation.name in DIVISIONS and not is_power_of_two(operation.operands[1]):
            return True
        if any(node.op == "call" for node in nodes_of(operation)):
            return True
    return False


def is_power_of_two(value: Value) -> bool:
    producer = value.owner
    if not isinstance(producer, Operation) or producer.name != "constant":
        return False
    number = int(producer.attributes["value"])
    return number > 0 and number & (number - 1) == 0
