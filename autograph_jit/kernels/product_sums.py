"""Products of matrices that are added to an array, or stored in it, where they are computed: BLAS takes the array along.

Before: p = matmul(x, y); t = add(c, p); assign(c, t)          After: c += x @ y in one call
Before: p = matmul(x, y); assign(c, p)                         After: c = x @ y, in the memory of c

The reverse sweep of a loop adds such a product to the cotangent of a matrix in each trip; `np.matmul(x, y, out=c)` stores one.
"""

from __future__ import annotations

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.ownership import Uses
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import blocks_of, may_write

BLAS_LETTERS = "fdFD"  # of dtypes


def find_product_sums(graph: Graph, facts: Facts, taken: set[Operation]) -> dict[Operation, list[Operation]]:
    """By assignment, unless it is taken: the product, views of it that give its sizes other names, and the sum."""
    if not any(operation.name == "matmul" for operation in graph.walk()):
        return {}
    uses = Uses(graph.block)
    found = {}
    for block in blocks_of(graph.block):
        for operation in block.operations:
            if operation.name == "assign" and operation not in taken and not operation.unwind:
                chain = chain_of(operation, block, uses, facts)
                if chain:
                    found[operation] = chain
    return found


def chain_of(assign: Operation, block: Block, uses: Uses, facts: Facts) -> list[Operation]:
    """The operations that give what is assigned, the product first; empty where it is no such sum."""
    target, total = assign.operands
    if not isinstance(target.type, ArrayType) or target.type.rank < 2 or not facts.is_contiguous(target):
        return []
    add = maker_of(total, block, uses)
    if add is not None and add.name == "add" and target in add.operands:
        others = [operand for operand in add.operands if operand is not target] if total.type == target.type else []
        chain = product_chain(others[0], block, uses) if others and others[0].type == target.type else []
        steps = [*chain, add]
    else:
        steps = chain = product_chain(total, block, uses) if is_stored(total, target) else []
    if not chain or target.type.dtype.char not in BLAS_LETTERS:
        return []
    product, last = steps[0], steps[-1]
    places = {operation: block.operations.index(operation) for operation in (product, last, assign)}
    after_product = block.operations[places[product] + 1 : places[assign]]
    after_last = block.operations[places[last] + 1 : places[assign]]
    if any(facts.may_alias(target, operand) for operand in product.operands):
        return []
    if any(may_write(other, product.operands, facts) for other in after_product) or any(
        may_write(other, [target], facts) for other in after_last
    ):
        return []
    return steps


def is_stored(source: Value, target: Value) -> bool:
    """Whether an assignment stores all of an array as it is, or, of a matrix, the run can tell whether it does."""
    if not isinstance(source.type, ArrayType) or not isinstance(target.type, ArrayType) or source.type.dtype != target.type.dtype:
        return False
    return source.type == target.type or source.type.rank == target.type.rank == 2


def product_chain(value: Value, block: Block, uses: Uses) -> list[Operation]:
    """A product of two matrices, or of stacks of them that fit, and the views of all of it that lead to a value."""
    found: list[Operation] = []
    while (maker := maker_of(value, block, uses)) is not None:
        found.insert(0, maker)
        if maker.name == "matmul":
            ranks = [operand.type.rank for operand in maker.operands if isinstance(operand.type, ArrayType)]
            return found if ranks == [2, 2] or (min(ranks) >= 2 and not maker.can_fail) else []
        if maker.name != "basic_index" or any(item[0] != "full" for item in maker.attributes["items"]):
            return []
        value = maker.operands[0]
    return []


def maker_of(value: Value, block: Block, uses: Uses) -> Operation | None:
    """The operation of a block that makes a value which is used once, in the block itself."""
    once = len(uses.users.get(value, ())) == 1 and value not in uses.yielded and value not in uses.unwound
    owner = value.owner
    return owner if once and isinstance(owner, Operation) and uses.places[owner][0] is block else None
