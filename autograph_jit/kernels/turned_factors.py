"""Transposes that a loop multiplies by again and again are copied once, in front of it.

Before: for ...: y = x @ w.T                 After: t = w.T.copy(); for ...: y = x @ t

A product reads its second factor by rows. It would turn that of few rows times a transpose in every trip, as the reverse sweep of a loop
over `h @ w` does.

Requires: the matrix exists before the loop, which does not write its memory.
"""

from __future__ import annotations

from autograph_jit.ir.builder import append
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.ownership import Uses
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import may_write
from autograph_jit.ops.registry import get

MOST_ROWS = 128  # of the first factor: for more, turning the second one takes little of the time
LOOPS = frozenset({"for_loop", "while_loop"})


def copy_turned_factors(graph: Graph, facts: Facts) -> bool:
    """Rewrite the products of a graph; whether there was any."""
    found = [operation for operation in graph.walk() if is_turned_product(operation, facts)]
    if not found:
        return False
    uses = Uses(graph.block)
    made: dict[tuple[Value, Operation], Value] = {}
    for product in found:
        matrix = product.operands[1].owner.operands[0]  # type: ignore[union-attr]
        loop = outermost_loop(product, matrix, uses, facts)
        if loop is not None:
            if (matrix, loop) not in made:
                made[matrix, loop] = turned(matrix, loop)
            product.operands = [product.operands[0], made[matrix, loop]]
    return bool(made)


def is_turned_product(operation: Operation, facts: Facts) -> bool:
    """Whether an operation multiplies a matrix of few rows by the transpose of another one."""
    if operation.name != "matmul":
        return False
    first, second = (value.type for value in operation.operands)
    turn = operation.operands[1].owner
    if not isinstance(first, ArrayType) or not isinstance(second, ArrayType) or first.rank != 2 or second.rank != 2:
        return False
    if first.dtype.kind != "f" or not isinstance(turn, Operation) or turn.name != "transpose" or not facts.is_contiguous(turn.operands[0]):
        return False
    rows = first.dims[0]
    return tuple(turn.attributes["perm"]) == (1, 0) and not (isinstance(rows, int) and rows > MOST_ROWS)


def outermost_loop(operation: Operation, matrix: Value, uses: Uses, facts: Facts) -> Operation | None:
    """The outermost loop around an operation that finds the matrix as it is and leaves it so, together with all loops inside."""
    owner = matrix.owner
    home = owner if isinstance(owner, Block) else uses.places[owner][0]
    found = None
    block = uses.places[operation][0]
    while block is not home and block in uses.around:
        around = uses.around[block]
        if may_write(around, [matrix], facts):
            break
        if around.name in LOOPS:
            found = around
        block = uses.places[around][0]
    return found


def turned(matrix: Value, loop: Operation) -> Value:
    """A copy of the transpose, made in front of a loop."""
    here = Block()
    transposed = append(here, get("transpose"), [matrix], {"perm": (1, 0)}, span=loop.span)
    copy = append(here, get("copy"), [transposed.result], span=loop.span)
    block = loop.block
    assert block is not None
    position = block.operations.index(loop)
    block.operations[position:position] = block.adopt(here.operations)
    return copy.result
