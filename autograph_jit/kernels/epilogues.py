"""Elementwise operations behind products of matrices: a block of rows of the result is worked on while it is in a cache.

Before: p = matmul(x, w);  y = tanh(p + b)
After:  for each block of rows: p = x[block] @ w;  y[block] = tanh(p + b)

Requires: only the nest reads the products, each as a whole and at its own index; nothing between the two writes what is multiplied.
"""

from __future__ import annotations

from collections.abc import Container
from math import prod

from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.ownership import Uses
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import blocks_of, is_pointwise_array, leaves_of, may_write, parts_of
from autograph_jit.kernels.reuse import reads_elsewhere

LETTERS = "fd"  # of dtypes for whose products there is code
SMALLEST = 1 << 14  # elements of a result of known sizes


def find_epilogues(
    graph: Graph, facts: Facts, consumers: dict[Operation, Operation], taken: Container[Operation]
) -> dict[Operation, Operation]:
    """By products, the operation, none that is taken, in whose nest their blocks of rows are computed."""
    if not any(operation.name == "matmul" for operation in graph.walk()):
        return {}
    uses, found = Uses(graph.block), dict[Operation, Operation]()
    for block in blocks_of(graph.block):
        for operation in block.operations:
            if is_pointwise_array(operation) and operation not in consumers and operation not in taken and is_large(operation.result):
                found.update((product, operation) for product in products_in_front(operation, consumers, uses, facts))
    return found


def is_large(value: Value) -> bool:
    """Whether a matrix may be worth blocks."""
    assert isinstance(value.type, ArrayType)
    dims = value.type.dims
    known = [size for size in dims if isinstance(size, int)]
    return len(dims) == 2 and (len(known) < 2 or prod(known) >= SMALLEST)


def products_in_front(operation: Operation, consumers: dict[Operation, Operation], uses: Uses, facts: Facts) -> list[Operation]:
    """The products that the nest of an operation alone reads, which can wait for it."""
    if reads_elsewhere(operation, consumers):
        return []
    parts, found = set(parts_of(operation, consumers)), []
    elsewhere = computed_elsewhere(operation, parts, consumers, uses)
    for value in leaves_of(operation, consumers):
        product = value.owner
        if not isinstance(product, Operation) or not is_product(product) or not elsewhere.isdisjoint(uses.users[value]):
            continue
        readers = [user for user in uses.users[value] if user.name != "dim"]
        if value in uses.yielded or value in uses.unwound or not parts.issuperset(readers):
            continue
        if product.block is operation.block and can_wait(product, operation, uses, facts):
            found.append(product)
    return found


def computed_elsewhere(operation: Operation, parts: set[Operation], consumers: dict[Operation, Operation], uses: Uses) -> set[Operation]:
    """The parts of an operation's nest that another nest computes as well, for a reader of its own: it would read the product, too."""
    shared = [part for part in parts if part is not operation and any(user not in parts for user in uses.users[part.result])]
    return {inner for part in shared for inner in parts_of(part, consumers)}


def is_product(operation: Operation) -> bool:
    """Whether an operation multiplies two matrices of floats."""
    types = [value.type for value in operation.operands if isinstance(value.type, ArrayType)]
    return operation.name == "matmul" and all(type_.rank == 2 and type_.dtype.char in LETTERS for type_ in types)


def can_wait(product: Operation, operation: Operation, uses: Uses, facts: Facts) -> bool:
    """Whether nothing writes the factors of a product before an operation runs."""
    block, first = uses.places[product]
    between = block.operations[first + 1 : uses.places[operation][1]]
    return not any(may_write(other, product.operands, facts) for other in between)
