"""Short branches of integer arithmetic without jumps: both sides are computed, one is chosen, only the chosen one may fail.

    if n % 2 == 0: n = n // 2                   fails unless n % 2 == 0 or low <= n <= high
    else:          n = 3 * n + 1                n = select(n % 2 == 0, n >> 1, 3 * n + 1)

LLVM does so with branches that cannot fail; a check of overflow inside would keep it from it. The checks of one side become one
comparison of the operand with the ends of the range for which no step leaves 64 bits. In a search, where nobody foresees the side, numbers
that both sides store at one place are chosen, too.
"""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.arrays.indexing import element_address
from autograph_jit.backends.cpu.blocks import emit_operation
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.values import Array, Emitted, array_type
from autograph_jit.ir.graph import Block, Operation, Value, literal_of
from autograph_jit.ir.types import BOOL, I64
from autograph_jit.ops.elementwise import OVERFLOW_MESSAGE
from autograph_jit.records import dataclass

DEEPEST = 4  # operations between a branch and the loop's values
LONGEST = 4  # operations on a side, constants not counted
SUMS = {"pyint_add": 1, "pyint_subtract": -1}
CHECKED = (*SUMS, "pyint_multiply")
CHEAP = frozenset({"constant", "add", "subtract", "bitwise_and", "bitwise_or", "bitwise_xor", "right_shift", "less", "less_equal", "equal"})
DIVISIONS = ("floor_divide", "remainder")  # by a literal power of two
LOWEST, HIGHEST = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class Scaled:
    """factor * value + offset."""

    value: Value
    factor: int
    offset: int


@dataclass(slots=True)
class Side:
    """One side of a branch: its first operation that may fail, and for which numbers none does."""

    operation: Operation | None = None
    value: Value | None = None
    low: int = LOWEST
    high: int = HIGHEST

    def admit(self, operation: Operation, form: Scaled) -> bool:
        """Take in that an operation must not overflow; False where that is not one comparison at one line."""
        if self.operation is None or self.value is None:
            self.operation, self.value = operation, form.value
        if form.value is not self.value or form.factor == 0 or line_of(operation) != line_of(self.operation):
            return False
        first, last = (LOWEST, HIGHEST) if form.factor > 0 else (HIGHEST, LOWEST)
        self.low = max(self.low, -((form.offset - first) // form.factor))
        self.high = min(self.high, (last - form.offset) // form.factor)
        return self.low <= self.high


def line_of(operation: Operation) -> int | None:
    return operation.span.lineno if operation.span else None


def plan_side(e: Emitter, block: Block, apart: Operation | None = None) -> Side | None:
    """The side without what is done apart, None where it is not short and simple."""
    if block.terminated or sum(operation.name != "constant" for operation in block.operations) > LONGEST:
        return None
    side, forms = Side(), dict[Value, Scaled]()
    for operation in block.operations:
        if operation is apart:
            continue
        if any(value.type not in (I64, BOOL) for value in (*operation.operands, *operation.results)):
            return None
        if operation.name in CHECKED:
            form = scaled(operation, forms)
            if form is None:
                return None
            forms[operation.result] = form
            if not e.ranges.cannot_overflow(operation) and not side.admit(operation, form):
                return None
        elif operation.name not in CHEAP and not (operation.name in DIVISIONS and is_power_of_two(literal_of(operation.operands[1]))):
            return None
    if side.value is not None and side.value.owner in block.operations:
        return None  # on the other side it may be no number at all
    return side


def scaled(operation: Operation, forms: dict[Value, Scaled]) -> Scaled | None:
    """The result of checked arithmetic with a literal, in terms of the value that the chain of such operations starts from."""
    x, y = operation.operands
    if literal_of(y) is None and operation.name != "pyint_subtract":
        x, y = y, x
    number = literal_of(y)
    if number is None:
        return None
    start = forms.get(x, Scaled(x, 1, 0))
    if operation.name == "pyint_multiply":
        return Scaled(start.value, start.factor * number, start.offset * number)
    return Scaled(start.value, start.factor, start.offset + SUMS[operation.name] * number)


def is_power_of_two(number: int | None) -> bool:
    return number is not None and number > 0 and number & (number - 1) == 0


def speculate(e: Emitter, operation: Operation) -> list[Emitted] | None:
    """The results of a branch of which both sides were computed; None where the branch is to be emitted with jumps."""
    if not operation.results or any(result.type not in (I64, BOOL) for result in operation.results):
        return None
    searching = is_search(e, operation)
    stores = common_stores(e, operation.regions) if searching else None
    sides = [plan_side(e, block, stores[number] if stores else None) for number, block in enumerate(operation.regions)]
    if stores and any(side is None or side.operation is not None for side in sides):
        return None
    if None in sides or (not searching and all(side.operation is None for side in sides if side)):
        return None
    chosen = e.get(operation.operands[0])
    for side, block, is_then in zip(sides, operation.regions, (True, False)):
        assert side is not None
        for inner in block.operations:
            if stores and inner in stores:
                continue
            if inner.name in CHECKED:
                e.values[inner.result] = wrapping(e, inner)
            else:
                emit_operation(e, inner)
        guard_side(e, side, chosen, is_then)
    e.operation = operation
    then, otherwise = (block.yields for block in operation.regions)
    results = [e.b.select(chosen, e.get(x), e.get(y)) for x, y in zip(then, otherwise)]
    if stores:
        results.append(store_chosen(e, chosen, stores))
    if searching:
        for result in results:
            mark_unpredictable(e, result)
    return results[: len(then)]


def common_stores(e: Emitter, sides: list[Block]) -> list[Operation] | None:
    """The only stores of two sides, where both write a real number to one place that is surely in bounds."""
    found = [[operation for operation in side.operations if operation.name == "store"] for side in sides]
    if [len(stores) for stores in found] != [1, 1] or any(e.lifetimes[side].releases for side in sides):
        return None
    first, second = found[0][0], found[1][0]
    array, _, *indices = first.operands
    type = array_type(array)
    if [array, *indices] != [second.operands[0], *second.operands[2:]] or type.dtype.kind == "c":
        return None
    places = [(index, dim, store) for store in (first, second) for index, dim in zip(indices, type.dims)]
    return [first, second] if all(e.ranges.is_index(*place) == (True, True) for place in places) else None


def store_chosen(e: Emitter, chosen: ir.Value, stores: list[Operation]) -> ir.Value:
    """Store what the chosen side stores; the number."""
    array: Array = e.get(stores[0].operands[0])
    number = e.b.select(chosen, *(e.get(store.operands[1]) for store in stores))
    e.operation = stores[0]
    e.store_number(number, element_address(e, stores[0], array, stores[0].operands[2:]), array.dtype, array.contiguous, array.scope)
    return number


def mark_unpredictable(e: Emitter, chosen: ir.Value) -> None:
    """Keep LLVM from turning a choice back into a jump."""
    if isinstance(chosen, ir.Instruction):
        chosen.set_metadata("unpredictable", e.module.add_metadata([]))


def is_search(e: Emitter, branch: Operation) -> bool:
    """Whether the branch moves an index by what an array holds there: such a jump is taken every other time, and never foreseen."""
    body = branch.block
    loop = e.ranges.owners.get(body) if body else None
    if body is None or loop is None or loop.name != "while_loop":
        return False
    moved = {arg for arg, value in zip(body.args, body.yields) if value in branch.results}
    return bool(moved) and any(depends_on(index, moved, body) for load in loads_of(branch.operands[0], body) for index in load.operands[1:])


def loads_of(value: Value, body: Block, depth: int = 0) -> list[Operation]:
    """The loads in a loop's body that a number is computed from by a few operations."""
    operation = value.owner
    if not isinstance(operation, Operation) or operation.block is not body or operation.regions or depth > DEEPEST:
        return []
    if operation.name == "load":
        return [operation]
    return [load for operand in operation.operands for load in loads_of(operand, body, depth + 1)]


def depends_on(value: Value, targets: set[Value], body: Block, depth: int = 0) -> bool:
    """Whether a number is computed from one of these by a few operations of a loop's body."""
    if value in targets:
        return True
    operation = value.owner
    if not isinstance(operation, Operation) or operation.block is not body or operation.regions or depth > DEEPEST:
        return False
    return any(depends_on(operand, targets, body, depth + 1) for operand in operation.operands)


def wrapping(e: Emitter, operation: Operation) -> ir.Value:
    """Checked arithmetic without its check."""
    x, y = (e.get(value) for value in operation.operands)
    if operation.name == "pyint_multiply":
        return e.b.mul(x, y)
    return e.b.add(x, y) if operation.name == "pyint_add" else e.b.sub(x, y)


def guard_side(e: Emitter, side: Side, chosen: ir.Value, is_then: bool) -> None:
    """Fail where the side is the chosen one and its arithmetic leaves 64 bits."""
    if side.operation is None or side.value is None:
        return
    low = 0 if side.low <= 0 and e.ranges.is_nonnegative(side.value, side.operation) else side.low
    inside = e.b.icmp_unsigned("<=", e.sub(e.get(side.value), e.integer(low)), e.integer(side.high - low))
    unsure, passed = e.block("unsure"), e.block("sure")
    e.b.cbranch(inside, passed, unsure).set_weights([1 << 20, 1])  # the side itself is looked at only where it matters
    e.b.position_at_end(unsure)
    e.operation = side.operation
    e.guard(e.b.not_(chosen) if is_then else chosen, lambda: OverflowError(OVERFLOW_MESSAGE))
    e.b.branch(passed)
    e.b.position_at_end(passed)
