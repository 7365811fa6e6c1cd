"""Counted loops in two versions: one without bounds checks, for when every index is in bounds at the first trip and at the last.

    for i in range(n): out[i] = x[i + k]        if 0 <= k and n - 1 + k < len(x) and n <= len(out):  the loop without checks
                                                else:  the loop as it is, which fails where it fails

An index that moves by equal steps lies between its first and its last value, one that is a byte or has a mask between 0 and a
literal. A check inside a loop is an exit, which keeps LLVM from vectorising it; a loop where some check would be left is not worth a second
version. Checks of indices that stay LLVM itself takes out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from llvmlite import ir

from autograph_jit.backends.cpu.control.afterwards import WAITING, can_wait
from autograph_jit.backends.cpu.control.ahead import are_ahead, emit_free, reads_ahead
from autograph_jit.backends.cpu.control.counting import Range
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.signatures import I1
from autograph_jit.backends.cpu.values import array_type
from autograph_jit.ir.graph import Block, Operation, Value, constant_of, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import I64, ScalarType
from autograph_jit.kernels.trips import Trips, indices_of
from autograph_jit.records import dataclass

INSTRUCTIONS = {f"{kind}{name}": f"s{name[:3]}" for kind in ("", "pyint_") for name in ("add", "subtract", "multiply")}
PRODUCTS = ("multiply", "pyint_multiply")
MOST_OPERATIONS = 60  # in a body that is emitted twice
MOST_INDICES = 12
LARGE_TABLE = 2**32
MOST_BEHIND = 8  # trips that are made before the others, because their indices are negative


@dataclass(frozen=True, slots=True)
class Access:
    """An index of a load or a store that is not proved to be in bounds."""

    operation: Operation
    axis: int
    index: Value


@dataclass(slots=True)
class LoopBody:
    """The body of a counted loop, with what is needed to tell which numbers move by equal steps."""

    e: Emitter
    body: Block
    operations: list[Operation]
    inside: set[Operation]

    def is_inside(self, value: Value) -> bool:
        return value.owner in self.inside or value in self.body.args

    def degree(self, value: Value) -> int | None:
        """0 for a number that stays, 1 for one that moves by equal steps with the index, None for others."""
        operation = value.owner
        if value is self.body.args[0]:
            return 1
        if not self.is_inside(value):
            return 0
        if not isinstance(operation, Operation) or value.type != I64:
            return None
        if operation.name in INSTRUCTIONS:
            degrees = [self.degree(operand) for operand in operation.operands]
            if None in degrees:
                return None
            total = sum(degrees) if operation.name in PRODUCTS else max(degrees)  # type: ignore[type-var, arg-type]
            return total if total <= 1 else None  # type: ignore[operator]
        if operation.name == "constant":
            return 0
        if operation.name in ("dim", "load") and not self.is_inside(operation.operands[0]):
            return 0 if operation.name == "dim" or self.stays(operation) else None
        return None

    def stays(self, load: Operation) -> bool:
        """Whether a load reads the same element in every trip, one that is surely there."""
        array, *indices = load.operands
        written = [target for other in self.operations for target in other.written]
        return (
            load.block is self.body
            and all(self.degree(index) == 0 for index in indices)
            and all(self.e.ranges.is_index(index, dim) == (True, True) for index, dim in zip(indices, array_type(array).dims))
            and not any(self.e.facts.may_alias(target, array) for target in written)
        )

    def sums(self, value: Value) -> list[Operation]:
        """The arithmetic inside the loop that makes an index."""
        operation = value.owner
        if not isinstance(operation, Operation) or operation not in self.inside or operation.name not in INSTRUCTIONS:
            return []
        return [operation, *(found for operand in operation.operands for found in self.sums(operand))]


@dataclass(slots=True)
class Evaluation:
    """The indices of a loop at one trip, computed in front of the loop; `overflows` tells whether any arithmetic left 64 bits."""

    e: Emitter
    loop: LoopBody
    index: ir.Value
    overflows: ir.Value = field(default_factory=lambda: I1(0))

    def value(self, value: Value) -> ir.Value:
        operation = value.owner
        if value is self.loop.body.args[0]:
            return self.index
        if not self.loop.is_inside(value):
            return self.e.get(value)
        assert isinstance(operation, Operation)
        if operation.name in INSTRUCTIONS:
            x, y = (self.value(operand) for operand in operation.operands)
            pair = getattr(self.e.b, f"{INSTRUCTIONS[operation.name]}_with_overflow")(x, y)
            self.overflows = self.e.b.or_(self.overflows, self.e.b.extract_value(pair, 1))
            return self.e.b.extract_value(pair, 0)
        if operation.name == "constant":
            return self.e.integer(operation.attributes["value"])
        array = self.e.get(operation.operands[0])
        if operation.name == "dim":
            return array.shape[operation.attributes["axis"]]
        pointer = array.pointer
        for operand, stride in zip(operation.operands[1:], array.strides):
            pointer = self.e.offset(pointer, self.e.mul(self.value(operand), stride))
        return self.e.load_number(pointer, array.dtype, array.contiguous, array.scope)


def unproved_accesses(e: Emitter, operation: Operation) -> tuple[LoopBody, list[Access]] | None:
    """The indices to look at before a loop; None where a second version of it is not possible, or would not be better."""
    body = operation.regions[0]
    operations = list(walk_block(body))
    if len(operations) > MOST_OPERATIONS or not all(is_scalar(inner) for inner in operations):
        return None
    loop = LoopBody(e, body, operations, set(operations))
    found: list[Access] = []
    for inner in operations:
        if inner.name not in ("load", "store") or inner.attributes.get("proved"):
            continue
        indices = indices_of(inner)
        for axis, (index, dim) in enumerate(zip(indices, array_type(inner.operands[0]).dims)):
            if e.ranges.is_index(index, dim, inner) != (True, True):
                found.append(Access(inner, axis, index))
    if len(found) > MOST_INDICES or any(loop.is_inside(access.operation.operands[0]) for access in found):
        return None
    degrees = [loop.degree(access.index) if highest(e, access) is None else 1 for access in found]
    if None in degrees or not degrees:
        return None
    if any(inner.name in WAITING for inner in operations):
        return (loop, found) if can_wait(e, operation, frozenset((access.operation, access.axis) for access in found)) else None
    return (loop, found) if 1 in degrees else None


def highest(e: Emitter, access: Access) -> int | None:
    """The largest number that an index can be which is never negative, if it is a small one: `table[x & 255]`."""
    low, high = e.ranges.known.limits_of_sum(e.ranges.affine(access.index))
    return high if low >= 0 and high < LARGE_TABLE else None


def trips_behind(operation: Operation, accesses: list[Access]) -> int:
    """How many trips of a loop from 0 on read or write elements counted from the back, as `x[i - 1]` does; few are looked for."""
    body, start = operation.regions[0], constant_of(operation.operands[0])
    forms = [Trips(operation, body.args[0]).form_of(access.index) for access in accesses]
    before = [-form.constant for form in forms if form is not None and form.step == 1 and not form.rest]
    return max((trips for trips in before if 0 < trips <= MOST_BEHIND), default=0) if start == 0 else 0


def is_scalar(operation: Operation) -> bool:
    """Whether an operation works on numbers and elements only, in compiled code."""
    if operation.name in ("load", "store", "dim", "cond", "check"):
        return all(isinstance(result.type, ScalarType) for result in operation.results)
    types = [value.type for value in (*operation.operands, *operation.results)]
    return operation.opdef.effect is Effect.PURE and all(isinstance(type, ScalarType) for type in types)


def emit_versions(
    e: Emitter,
    operation: Operation,
    found: tuple[LoopBody, list[Access]],
    over: Range,
    emit: Callable[[], None],
) -> None:
    """The loop twice. The version without checks is made twice where reads may lie ahead of writes."""
    loop, accesses = found
    look, fast, slow = e.block("look"), e.block("unchecked"), e.block("checked")
    e.b.cbranch(over.runs(e), look, slow)
    e.b.position_at_end(look)
    inside: ir.Value = I1(1)
    for index in (over.start, over.last(e)):
        at = Evaluation(e, loop, index)
        for access in accesses:
            size = e.get(access.operation.operands[0]).shape[access.axis]
            most = highest(e, access)
            position = at.value(access.index) if most is None else e.integer(most)
            inside = e.b.and_(inside, e.b.icmp_unsigned("<", position, size))
        inside = e.b.and_(inside, e.b.not_(at.overflows))
    e.b.cbranch(inside, fast, slow).set_weights([1 << 20, 1])
    budget = e.budget
    sums = {found for access in accesses for found in loop.sums(access.index)}
    assured = ({(access.operation, access.axis) for access in accesses} | sums) - e.assured
    e.b.position_at_end(fast)
    e.assured |= assured
    pairs = reads_ahead(e, operation) if over.trips is None else None
    if pairs is None:
        emit()
    else:
        free, bound = e.block("free"), e.block("bound")
        e.b.cbranch(are_ahead(e, pairs, Evaluation(e, loop, over.start).value, over.is_upward), free, bound)
        e.b.position_at_end(free)
        emit_free(e, emit)
        e.budget = budget
        e.b.position_at_end(bound)
        emit()
    e.assured -= assured
    e.budget = budget
    e.b.position_at_end(slow)
    e.is_rare = True
    emit()
    e.is_rare = False
