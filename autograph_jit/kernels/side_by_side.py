"""Assignments to different parts of one array, one after another: they run as one nest, which reads what they share once.

Before: out[:, 0] = y * w - z * v; out[:, 1] = z * u - x * w          After: one nest, which stores to both columns

This is what `np.stack` and `np.cross` make. The parts are told apart by a literal index, and nothing that is read is written.
"""

from __future__ import annotations

from collections.abc import Container

from autograph_jit.ir.graph import Block, Graph, Operation, Value, literal_of
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.scalar import Expr
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import NestBuilder, blocks_of, is_pointwise_array, leaves_of
from autograph_jit.kernels.updates import fits, is_long

MOST = 4  # nests in one
CALM = ("dim", "constant")


def find_neighbours(
    graph: Graph, facts: Facts, consumers: dict[Operation, Operation], taken: Container[Operation]
) -> dict[Operation, list[Operation]]:
    """The assignments that run in the place of the last one of them, which becomes the consumer of the others; none that are `taken`."""
    found: dict[Operation, list[Operation]] = {}
    for block in blocks_of(graph.block):
        for run in runs_of(block, facts, consumers, taken):
            if len(run) > 1:
                found[run[-1]] = run
                consumers.update((operation, run[-1]) for operation in run[:-1])
    return found


def runs_of(block: Block, facts: Facts, consumers: dict[Operation, Operation], taken: Container[Operation]) -> list[list[Operation]]:
    runs: list[list[Operation]] = [[]]
    for operation in block.operations:
        if operation.name == "assign" and operation not in taken and is_simple(operation, facts, consumers):
            if len(runs[-1]) == MOST or not all(are_apart(operation, other) for other in runs[-1]):
                runs.append([])
            runs[-1].append(operation)
        elif not is_calm(operation) or reads_any(operation, runs[-1], facts, consumers):
            runs.append([])
    return runs


def reads_any(operation: Operation, run: list[Operation], facts: Facts, consumers: dict[Operation, Operation]) -> bool:
    """Whether an operation that computes where it stands reads what a run writes."""
    if operation in consumers or not is_pointwise_array(operation):
        return False
    return any(facts.may_meet(leaf, assign.operands[0]) for assign in run for leaf in leaves_of(operation, consumers))


def is_calm(operation: Operation) -> bool:
    """Whether an operation writes nothing and does not fail, nor would look at what waits to be written if it is a view."""
    if operation.opdef.effect is Effect.VIEW and operation.name != "reshape":
        return not operation.can_fail or is_inside(operation)
    return not operation.can_fail and (operation.name in CALM or is_pointwise_array(operation) or has_numbers_only(operation))


def is_inside(view: Operation) -> bool:
    """Whether the literal index of a view is in bounds."""
    column = column_of(view.result)
    if column is None:
        return False
    base, axis, place = column
    assert isinstance(base.type, ArrayType)
    size = base.type.dims[axis]
    return isinstance(size, int) and -size <= place < size


def has_numbers_only(operation: Operation) -> bool:
    pure = operation.opdef.effect is Effect.PURE
    return pure and all(isinstance(value.type, ScalarType) for value in (*operation.operands, *operation.results))


def is_simple(assign: Operation, facts: Facts, consumers: dict[Operation, Operation]) -> bool:
    """Whether an assignment is short, of an array whose sizes fit, to a part of an array that it does not read."""
    target, source = assign.operands
    part = column_of(target)
    if assign.unwind or part is None or not facts.is_contiguous(part[0]):
        return False
    if not isinstance(source.type, ArrayType) or not fits(source, target):
        return False
    builder, expression = nest_of_assign(assign, consumers)
    return (
        not is_long(expression)
        and not builder.reads_elsewhere
        and not any(facts.may_meet(leaf, target) for leaf in array_operands(builder))
    )


def are_apart(assign: Operation, other: Operation) -> bool:
    """Whether two assignments are to different parts, of the same sizes, of one array."""
    (base, axis, place), (other_base, other_axis, other_place) = (column_of(each.operands[0]) or (None, 0, 0) for each in (assign, other))
    same = assign.operands[0].type == other.operands[0].type and base is other_base and axis == other_axis
    return same and place != other_place and place * other_place >= 0


def column_of(target: Value) -> tuple[Value, int, int] | None:
    """The array that a target is a part of, the axis on which a literal says which part, and that literal; all other axes are whole."""
    view = target.owner
    if not isinstance(view, Operation) or view.name != "basic_index" or not isinstance(target.type, ArrayType) or not target.type.dims:
        return None
    kinds = [item[0] for item in view.attributes["items"]]
    place = literal_of(view.operands[1]) if len(view.operands) == 2 else None
    if kinds.count("int") != 1 or kinds.count("full") != len(kinds) - 1 or place is None:
        return None
    return view.operands[0], kinds.index("int"), place


def nest_of_assign(assign: Operation, consumers: dict[Operation, Operation]) -> tuple[NestBuilder, Expr]:
    target, source = assign.operands
    assert isinstance(target.type, ArrayType)
    builder = NestBuilder(target.type.rank, consumers)
    return builder, builder.expression_of(source)


def array_operands(builder: NestBuilder) -> list[Value]:
    return [value for value in builder.values if isinstance(value.type, ArrayType)]
