"""Checks of numbers in a loop whose exception can wait until the loop is done, so that no jump out of it is left.

    for i in range(n): out[i] = int(255 * share[x[i]])        any number that is no byte is an OverflowError

    bad = False;  for i in range(n):  bad |= no byte;  store something          in vectors
    if bad: the loop as it is, from its beginning, which fails where it fails

Nobody may see that stores behind the failing trip have been made: they go to arrays that the call has made, that Python has not been
given and that the loop does not read; an exception leaves the call. Indices that checks prove are not taken: these checks do not wait.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.signatures import I64
from autograph_jit.backends.cpu.values import array_type
from autograph_jit.ir.graph import Block, Operation, Value, constant_of, walk_block
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.kernels.trips import Trips, indices_of
from autograph_jit.records import dataclass

LOWEST, HIGHEST = -(2**63), 2**63 - 1
LARGEST_EXACT = 2**52  # a float64 has the integers beside it
MOST_OPERATIONS = 60  # in a body that is emitted once more
CHECKED = ("pyint_add", "pyint_subtract", "pyint_multiply")
WAITING = ("check", "pyint_truncate")
PLACES = frozenset({"add", "subtract", "multiply", "bitwise_and", "right_shift", "cast", "constant", "dim", "load", *CHECKED})
DIVISIONS = ("floor_divide", "remainder")


def can_wait(e: Emitter, loop: Operation, assured: frozenset[tuple[Operation, int]] = frozenset()) -> bool:
    """Whether all that may fail in a loop can be told when it is done, but for indices (by operation and axis) that are assured."""
    (body,) = loop.regions
    if e.handlers or e.retreat is not None or e.is_rare or e.piece is not None or loop.attributes.get("has_break") or body.terminated:
        return False
    operations = body.operations
    if len(operations) > MOST_OPERATIONS or not any(operation.name in WAITING for operation in operations):
        return False
    return all(is_settled(e, loop, operation, assured) for operation in operations) and stores_unseen(e, operations)


def is_settled(e: Emitter, loop: Operation, operation: Operation, assured: frozenset[tuple[Operation, int]]) -> bool:
    """Whether an operation is one on numbers that can go on where a check before it has failed."""
    types = [value.type for value in (*operation.operands, *operation.results)]
    if operation.name in ("load", "store"):
        places = enumerate(indices_of(operation))
        return all((operation, axis) in assured or is_assured(e, loop, operation, axis, index) for axis, index in places)
    if operation.name in ("constant", "dim"):
        return True
    if not all(isinstance(type, ScalarType) for type in types):
        return False
    if operation.name in CHECKED:
        has_literal = any(constant_of(operand) is not None for operand in operation.operands)
        return has_literal or operation in e.assured or e.ranges.cannot_overflow(operation)
    if operation.name in DIVISIONS and any(type.dtype.kind in "iu" for type in types if isinstance(type, ScalarType)):
        return constant_of(operation.operands[1]) is not None
    return operation.name in WAITING or (operation.opdef.effect is Effect.PURE and isinstance(operation.opdef.kernel, Pointwise))


def is_assured(e: Emitter, loop: Operation, operation: Operation, axis: int, index: Value) -> bool:
    """Whether an index is in bounds whatever the checks of the loop say."""
    if (operation, axis) in e.assured or operation.attributes.get("proved"):
        return True
    dim = array_type(operation.operands[0]).dims[axis]
    return e.ranges.is_index(index, dim) == (True, True) and is_apart(index, loop.regions[0])


def is_apart(value: Value, body: Block) -> bool:
    """Whether nothing that is known of a number can come from the checks of a loop: it is made of the loop's index, of elements, of numbers
    from outside, not of what trips hand on or what is checked."""
    operation = value.owner
    if not isinstance(operation, Operation):
        return operation is not body or value is body.args[0]
    if operation.block is not body or isinstance(value.type, ArrayType):
        return True
    return operation.name in PLACES and all(is_apart(operand, body) for operand in operation.operands)


def stores_unseen(e: Emitter, operations: list[Operation]) -> bool:
    """Whether all stores go to arrays that nobody sees when the call fails, and that the loop does not read."""
    targets = {operation.operands[0] for operation in operations if operation.name == "store"}
    read = {operation.operands[0] for operation in operations if operation.name == "load"}
    if any(e.facts.may_alias(target, array) for target in targets for array in read):
        return False
    roots = {root for target in targets for root in e.facts.roots_of(target)}
    return all(root[0] == "fresh" for root in roots) and roots.isdisjoint(e.given)


def given_to_python(e: Emitter, block: Block) -> set[object]:
    """The roots of all arrays that a program gives to Python while it runs."""
    hosts = (operation for operation in walk_block(block) if operation.opdef.effect is Effect.HOST)
    arrays = (value for operation in hosts for value in operation.operands if isinstance(value.type, ArrayType))
    return {root for array in arrays for root in e.facts.roots_of(array)}


@dataclass(slots=True)
class Waiting:
    """What is noted while a loop runs: that a check failed, and all numbers of a range from 0 on, joined bit by bit.

    covered     checks that the conversion whose result they look at makes with its own
    in_vectors  whether LLVM may make vectors of the loop
    """

    failed: ir.Value
    in_vectors: bool
    ranges: dict[Operation, tuple[int, int]]
    covered: set[Operation]
    joined: dict[int, ir.Value] = field(default_factory=dict)

    def note(self, e: Emitter, ok: ir.Value) -> None:
        e.b.store(e.b.or_(e.b.load(self.failed, typ=I64), e.b.zext(e.b.not_(ok), I64)), self.failed)

    def range_of(self, conversion: Operation) -> tuple[int, int]:
        """The integers that a conversion may give, by the checks of its result."""
        return self.ranges.get(conversion, (LOWEST, HIGHEST))

    def join(self, e: Emitter, number: ir.Value, highest: int) -> None:
        if highest not in self.joined:
            self.joined[highest] = place_of(e, I64)
        slot = self.joined[highest]
        e.b.store(e.b.or_(e.b.load(slot, typ=I64), number), slot)

    def failure(self, e: Emitter) -> ir.Value:
        """Whether a check failed."""
        found: ir.Value = e.b.icmp_unsigned("!=", e.b.load(self.failed, typ=I64), I64(0))
        for highest, slot in self.joined.items():
            found = e.b.or_(found, e.b.icmp_unsigned(">", e.b.load(slot, typ=I64), e.integer(highest)))
        return found


def place_of(e: Emitter, type: ir.Type) -> ir.Value:
    """A place in the stack frame, of which LLVM makes a register."""
    with e.b.goto_entry_block():
        return e.b.alloca(type)


def ranges_of_conversions(operations: list[Operation]) -> tuple[dict[Operation, tuple[int, int]], set[Operation]]:
    """Between which integers checks want the results of conversions, and these checks."""
    ranges = {operation: (LOWEST, HIGHEST) for operation in operations if operation.name == "pyint_truncate"}
    covered = set()
    for check in operations:
        comparison = check.operands[0].owner if check.name == "check" else None
        if not isinstance(comparison, Operation) or comparison.name not in ("greater_equal", "less_equal"):
            continue
        number, bound = comparison.operands
        literal = constant_of(bound)
        if literal is None or number.owner not in ranges or abs(int(literal)) > LARGEST_EXACT:
            continue
        low, high = ranges[number.owner]
        low, high = (max(low, int(literal)), high) if comparison.name == "greater_equal" else (low, min(high, int(literal)))
        if low <= high:
            ranges[number.owner] = low, high
            covered.add(check)
    return ranges, covered


def begin_waiting(e: Emitter, loop: Operation) -> Waiting:
    """Nothing has failed yet."""
    body = loop.regions[0]
    trips = Trips(loop, body.args[0])
    accesses = [operation for operation in body.operations if operation.name in ("load", "store")]
    in_vectors = all(trips.form_of(index) is not None for access in accesses for index in indices_of(access))
    return Waiting(place_of(e, I64), in_vectors, *ranges_of_conversions(body.operations))


def emit_waiting(
    e: Emitter, loop: Operation, emit: Callable[[list[ir.PhiInstr], ir.Block], None], exits: list[ir.PhiInstr], done: ir.Block
) -> None:
    """The loop with checks that wait, and behind it as it is for where one failed; `emit(exits, done)` emits it with its way to `done`."""
    before, start, settled, again, passed = e.b.block, *(e.block(name) for name in ("start", "settled", "again", "passed"))
    e.b.position_at_end(settled)
    state = [e.b.phi(phi.type) for phi in exits]
    e.b.position_at_end(start)
    e.afterwards = waiting = begin_waiting(e, loop)
    emit(state, settled)
    e.afterwards = None
    e.b.position_at_end(before)
    for slot in (waiting.failed, *waiting.joined.values()):
        e.b.store(I64(0), slot)
    e.b.branch(start)
    e.b.position_at_end(settled)
    e.b.cbranch(waiting.failure(e), again, passed).set_weights([1, 1 << 20])
    e.b.position_at_end(passed)
    for phi, register in zip(exits, state):
        phi.add_incoming(register, passed)
    e.b.branch(done)
    e.b.position_at_end(again)
    e.budget, e.is_rare = state[0], True
    emit(exits, done)
    e.is_rare = False
