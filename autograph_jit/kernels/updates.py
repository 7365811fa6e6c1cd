"""Statements that change parts of one array, each element from its own old value: they run as one nest where nothing comes between.

Before: u[:-2] += a; u[2:] += b; u[1:-1] -= c
After:  u[i] = ((u[i] + a[i]) + b[i - 2]) - c[i - 1], and at the ends what a statement has alone

The parts are the array or slices of it a few elements apart, as the adjoint of a stencil adds to them. Each element is changed in the
order of the statements. What makes the array, `u = np.zeros(n)`, `u = v.copy()` or `u = 2 * v - w`, is the first of them.
"""

from __future__ import annotations

from collections.abc import Container

from autograph_jit.ir.dims import Size, most_apart
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.rotations import dims_of
from autograph_jit.ir.scalar import Expr, in_order
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import NestBuilder, blocks_of, is_pointwise_array, leaves_of
from autograph_jit.kernels.slices import FARTHEST, Starts, place_of
from autograph_jit.records import dataclass

MOST_PARTS = 12
LONGEST = 40  # nodes of one part's expression
DESCRIPTOR_OPS = ("dim", "stride", "constant")


@dataclass(frozen=True, slots=True)
class Update:
    """One statement: `base[starts : starts + sizes] = expression`, where `own` are the operands that are this part, the target, itself."""

    operation: Operation
    target: Value
    base: Value
    starts: Starts
    builder: NestBuilder
    expression: Expr
    own: frozenset[Value]

    @property
    def makes(self) -> bool:
        """Whether it is what makes the array."""
        return self.operation.name != "assign"

    @property
    def dims(self) -> tuple[Size, ...]:
        return dims_of(self.target)

    @property
    def others(self) -> list[Value]:
        """The arrays that the expression reads."""
        return [value for value in self.builder.values if isinstance(value.type, ArrayType) and value not in self.own]


def find_updates(
    graph: Graph, facts: Facts, consumers: dict[Operation, Operation], with_nests: bool = True, taken: Container[Operation] = ()
) -> dict[Operation, list[Update]]:
    """The updates that run in the place of the last one of them, which becomes the consumer of the others. What makes the array finds no
    updates in its own place; `with_nests`, elementwise operations are among what makes one. Assignments that are `taken` are none."""
    found: dict[Operation, list[Update]] = {}
    for block in blocks_of(graph.block):
        for run in consecutive_updates(block, facts, consumers, with_nests, taken):
            if len(run) > 1:
                last = run[-1].operation
                found[last] = run
                consumers.update((update.operation, last) for update in run[:-1] if not update.makes)
                found.update((update.operation, []) for update in run[:1] if update.makes)
    return found


def makers_of(updates: dict[Operation, list[Update]]) -> dict[Operation, Operation]:
    """By operations that make an array without computing it, the last update, which does."""
    return {run[0].operation: last for last, run in updates.items() if run and run[0].makes}


def consecutive_updates(
    block: Block, facts: Facts, consumers: dict[Operation, Operation], with_nests: bool, taken: Container[Operation]
) -> list[list[Update]]:
    """Updates of one array each, such that what stands between them may as well come first."""
    changed = {place_of(operation.operands[0])[0] for operation in block.operations if operation.name == "assign"} if with_nests else set()
    runs: list[list[Update]] = []
    growing: dict[Value, list[Update]] = {}
    for operation in block.operations:
        update = None if operation in taken else update_of(operation, facts, consumers) or creation_of(operation)
        if update is None and operation.results and operation.results[0] in changed:
            update = copy_of(operation, facts, consumers) or nest_of(operation, facts, consumers)
        for base in [base for base, run in growing.items() if update is None or base is not update.base]:
            if disturbs(operation, growing[base], facts, consumers):
                del growing[base]
        if update is None:
            continue
        run = growing.get(update.base)
        if run is not None and len(run) < MOST_PARTS and is_near(update, run[0]):
            run.append(update)
        else:
            growing[update.base] = [update]
            runs.append(growing[update.base])
    return runs


def creation_of(operation: Operation) -> Update | None:
    """A fresh array of equal numbers as an update of all of it."""
    if operation.name != "full" or dtype_kind(operation.result) not in "fiu" or not dims_of(operation.result):
        return None
    target, builder = operation.result, NestBuilder(len(dims_of(operation.result)), {})
    return Update(operation, target, target, (0,) * builder.rank, builder, builder.expression_of(operation.operands[0]), frozenset())


def nest_of(operation: Operation, facts: Facts, consumers: dict[Operation, Operation]) -> Update | None:
    """An elementwise operation as an update of all of its result; operands whose sizes are not known may be repeated."""
    if not is_pointwise_array(operation) or operation in consumers or dtype_kind(operation.result) not in "fiu":
        return None
    target, builder = operation.result, NestBuilder(len(dims_of(operation.result)), consumers)
    expression = builder.apply(operation)
    arrays = [value for value in builder.values if isinstance(value.type, ArrayType)]
    if is_long(expression) or not builder.rank or not all(map(facts.is_dense, arrays)) or builder.reads_elsewhere:
        return None
    return Update(operation, target, target, (0,) * builder.rank, builder, expression, frozenset())


def copy_of(operation: Operation, facts: Facts, consumers: dict[Operation, Operation]) -> Update | None:
    """A copy as an update of all of its result."""
    if operation.name != "copy" or operation in consumers or dtype_kind(operation.result) not in "fiu":
        return None
    target, builder = operation.result, NestBuilder(len(dims_of(operation.result)), consumers)
    expression = builder.expression_of(operation.operands[0])
    arrays = [value for value in builder.values if isinstance(value.type, ArrayType)]
    if is_long(expression) or not builder.rank or not all(map(facts.is_dense, arrays)):
        return None
    return Update(operation, target, target, (0,) * builder.rank, builder, expression, frozenset())


def is_long(expression: Expr) -> bool:
    nodes = in_order(expression)
    return len(nodes) > LONGEST or any(node.op == "call" for node in nodes)


def update_of(operation: Operation, facts: Facts, consumers: dict[Operation, Operation]) -> Update | None:
    """An assignment as an update: its expression reads the array that it writes at the same index only, if at all."""
    if operation.name != "assign" or operation.unwind:
        return None
    target, source = operation.operands
    base, starts = place_of(target)
    rank = len(dims_of(target))
    if rank == 0 or starts is None or not facts.is_contiguous(base) or dtype_kind(target) not in "fiu" or not fits(source, target):
        return None
    builder = NestBuilder(rank, consumers)
    expression = builder.expression_of(source)
    if is_long(expression):
        return None
    arrays = [value for value in builder.values if isinstance(value.type, ArrayType)]
    own = frozenset(value for value in arrays if place_of(value) == (base, starts) and dims_of(value) == dims_of(target))
    if any(not facts.is_dense(value) or facts.may_meet(value, base) for value in arrays if value not in own):
        return None
    return Update(operation, target, base, starts, builder, expression, own)


def disturbs(operation: Operation, run: list[Update], facts: Facts, consumers: dict[Operation, Operation]) -> bool:
    """Whether updates may not be moved behind an operation: it reads or writes their array, writes what they read, or may fail."""
    if operation in consumers and operation.name != "gather":
        return False
    can_fail = operation.can_fail and not run[0].makes  # what nobody else has seen yet may be in any state
    if not can_fail and (operation.name in DESCRIPTOR_OPS or operation.opdef.effect is Effect.VIEW and operation.name != "reshape"):
        return False
    if operation.regions or can_fail or operation.opdef.effect not in (Effect.PURE, Effect.WRITE, Effect.VIEW):
        return True
    if any(facts.may_meet(value, run[0].base) for value in leaves_of(operation, consumers)):
        return True
    written = [target for target in operation.written if isinstance(target.type, ArrayType)]
    return any(facts.may_meet(target, value) for target in written for update in run for value in update.others)


def is_near(update: Update, first: Update) -> bool:
    """Whether two parts of one array have nearly all of their elements in common, as far as sizes are known."""
    for start, other, size, other_size in zip(update.starts, first.starts, update.dims, first.dims):
        difference = most_apart(size, other_size)
        if abs(start - other) > FARTHEST or difference is None or difference > FARTHEST:
            return False
    return True


def fits(source: Value, target: Value) -> bool:
    """Whether the sizes of a source are surely those of the target, or repeated."""
    if not isinstance(source.type, ArrayType):
        return True
    dims, wanted = source.type.dims, dims_of(target)
    return len(dims) <= len(wanted) and all(size in (1, other) for size, other in zip(reversed(dims), reversed(wanted)))


def dtype_kind(value: Value) -> str:
    assert isinstance(value.type, ArrayType)
    return value.type.dtype.kind
