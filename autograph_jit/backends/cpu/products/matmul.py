"""The rule of matrix products: vectors, matrices and stacks of them, with the checks that their sizes fit."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.folds.reductions import fold_all
from autograph_jit.backends.cpu.host import fail_by_eager_rule
from autograph_jit.backends.cpu.products.epilogues import without_memory
from autograph_jit.backends.cpu.products.linalg import each_product, emit_product, product_folding
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Array, Deferred, Emitted, array_type
from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Operation, Value


@rule("matmul")
def emit_matmul(e: Emitter, operation: Operation) -> list[Emitted]:
    first, second = operation.operands
    x, y = e.get(first), e.get(second)
    ranks = len(x.shape), len(y.shape)
    check_terms(e, operation)
    if max(ranks) > 2:
        return [emit_stack(e, operation)]
    if ranks == (1, 1):
        return [fold_all(e, product_folding(e, first, second, (x.shape[0],), (0,), (0,), (0,)))]
    if operation in e.epilogues:
        return [without_memory(e, operation, outer_sizes(x, y))]
    target = e.allocate(outer_sizes(x, y), x.dtype, result=operation.result)
    emit_product(e, first, second, target)
    return [target]


def check_terms(e: Emitter, product: Operation) -> None:
    """Fail where the rows of the first factor are not as long as the columns of the second one."""
    x, y = map(e.get, product.operands)
    dims = [array_type(value).dims for value in product.operands]
    inner = 0 if len(y.shape) == 1 else -2
    if dims[0][-1] != dims[1][inner]:
        fail_by_eager_rule(e, product, e.compare("==", x.shape[-1], y.shape[inner]))


def defer_product(e: Emitter, product: Operation) -> Deferred:
    """The sizes of a product that is computed where it is added or stored (`kernels.product_sums`)."""
    check_terms(e, product)
    first, second = map(e.get, product.operands)
    stack, _ = stack_sizes(e, product.operands, array_type(product.result).dims[:-2])
    return Deferred((*stack, first.shape[-2], second.shape[-1]))


def outer_sizes(x: Array, y: Array) -> tuple[ir.Value, ...]:
    """The sizes of a product of two matrices, of which either may be a vector."""
    return (*(x.shape[-2:-1] if len(x.shape) > 1 else ()), *(y.shape[-1:] if len(y.shape) > 1 else ()))


def emit_stack(e: Emitter, operation: Operation) -> Array:
    """Products of all matrices of two stacks, of which either may be repeated."""
    sources = operation.operands
    dims = array_type(operation.result).dims
    depth = max(array_type(value).rank for value in sources) - 2
    sizes, fits = stack_sizes(e, sources, dims[:depth])
    fail_by_eager_rule(e, operation, fits)
    target = e.allocate((*sizes, *outer_sizes(*(e.get(value) for value in sources))), array_type(sources[0]).dtype, result=operation.result)
    each_product(e, sources, target, dims[:depth], emit_product)
    return target


def stack_sizes(e: Emitter, sources: list[Value], dims: tuple[Size, ...]) -> tuple[tuple[ir.Value, ...], ir.Value]:
    """The sizes of the leading axes of a stack of products, and whether those of the factors fit."""
    sizes: list[ir.Value] = []
    fits: ir.Value = I1(1)
    for axis, dim in enumerate(dims, -len(dims)):
        found = [
            (array_type(value).dims[axis - 2], e.get(value).shape[axis - 2])
            for value in sources
            if array_type(value).rank >= 2 - axis and array_type(value).dims[axis - 2] != 1
        ]
        size = next((size for known, size in found if known == dim), None)
        if size is None:
            size = I64(1)
            for _, other in found:
                size = e.select(e.compare("==", size, I64(1)), other, size)
        sizes.append(size)
        for known, other in found:
            if known != dim:
                fits = e.b.and_(fits, e.b.or_(e.compare("==", other, size), e.compare("==", other, I64(1))))
    return tuple(sizes), fits
