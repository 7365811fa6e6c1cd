"""Matrix products: native code of our own for floats, BLAS through numba's binding where that is faster, loop nests for the rest."""

from __future__ import annotations

import importlib
from functools import cache

from llvmlite import ir

from autograph_jit.backends.cpu.elementwise import fill
from autograph_jit.backends.cpu.emitter import PENDING, Emitter
from autograph_jit.backends.cpu.host import emit_by_eager_rule, fail_by_eager_rule
from autograph_jit.backends.cpu.nests import Walk
from autograph_jit.backends.cpu.products import PRODUCT_TYPE, has_product, load_product
from autograph_jit.backends.cpu.reductions import Folding, fold_all, fold_columns, fold_rows, is_short, walk_result
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import I8, I32, I64, PTR
from autograph_jit.backends.cpu.values import Array, Emitted, array_type, constant_of, literal
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.scalar import operand
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.kernels.vecmath.expand import expand
from autograph_jit.ops import expressions as ex

BLAS_KINDS = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}
SMALLEST_BLAS_WORK = 16**3  # products of fewer multiplications are done before a BLAS call has begun
LARGEST_TILED_WORK = 128**3  # of products that one thread does about as fast as several would
FEW_TILED_ROWS = 16  # for which columns of y that lie side by side are not worth copying


@rule("matmul")
def emit_matmul(e: Emitter, operation: Operation) -> list[Emitted]:
    x, y = (e.get(value) for value in operation.operands)
    ranks = len(x.shape), len(y.shape)
    if max(ranks) > 2:
        return emit_by_eager_rule(e, operation)
    dims = [array_type(value).dims for value in operation.operands]
    inner = 0 if ranks[1] == 1 else -2
    if dims[0][-1] != dims[1][inner]:
        fail_by_eager_rule(e, operation, e.compare("==", x.shape[-1], y.shape[inner]))
    if ranks == (1, 1):
        return [fold_all(e, product_folding(e, operation, (x.shape[0],), (0,), (0,), (0,)))]
    if ranks == (2, 1):
        return [fold_into(e, product_folding(e, operation, x.shape, (1,), (0, 1), (1,)), (x.shape[0],), operation.result)]
    if ranks == (1, 2):
        return [fold_into(e, product_folding(e, operation, y.shape, (0,), (0,), (0, 1)), (y.shape[1],), operation.result)]
    return [multiply_matrices(e, operation, x, y)]


def product_folding(
    e: Emitter, operation: Operation, sizes: tuple[ir.Value, ...], axes: tuple[int, ...], x_axes: tuple[int, ...], y_axes: tuple[int, ...]
) -> Folding:
    """The sum over `axes` of the products; `x_axes` says which axis of the domain each axis of x walks."""
    dtype, builder = array_type(operation.operands[0]).dtype, NestBuilder(len(sizes), {})
    walks = []
    for value, along in zip(operation.operands, (x_axes, y_axes)):
        builder.add_operand(value)
        array = e.get(value)
        strides = [I64(0)] * len(sizes)
        for axis, target in enumerate(along):
            strides[target] = array.strides[axis]
        walks.append(Walk(array.pointer, tuple(strides), dtype.itemsize))
    first, second = operand(0, dtype), operand(1, dtype)
    return Folding("sum", dtype, axes, sizes, walks, builder, expand(ex.multiply(first, second)), ex.add(first, second))


def fold_into(e: Emitter, folding: Folding, shape: tuple[ir.Value, ...], result: Value) -> Array:
    """A fresh array of the sums."""
    target = e.allocate(shape, folding.dtype, result=result)
    walk = walk_result(folding, target, False)
    if len(folding.sizes) - 1 in folding.axes:
        fold_rows(e, folding, walk)
    else:
        fold_columns(e, folding, walk)
    return target


def multiply_matrices(e: Emitter, operation: Operation, x: Array, y: Array) -> Array:
    """Tiles in registers, or BLAS for much work; rows of y scaled and added where there is no code for tiles, and for few known numbers."""
    rows, inner, columns = x.shape[0], x.shape[1], y.shape[1]
    folding = product_folding(e, operation, (rows, inner, columns), (1,), (0, 1), (1, 2))
    kind = BLAS_KINDS.get(x.dtype.name)
    if kind is None or (is_short(folding) and all(constant_of(size) is not None and size.constant <= 16 for size in folding.sizes)):
        return fold_into(e, folding, (rows, columns), operation.result)
    target = e.allocate((rows, columns), x.dtype)
    has_tiles = has_product(x.dtype)
    by_blas = suits_blas(e, x, y, has_tiles)
    for size in (rows, inner, columns):
        by_blas = e.b.and_(by_blas, e.compare("<", size, I64(2**31)))
    with e.b.if_else(by_blas) as (large, small):
        with large:
            call_gemm(e, kind, operation, target)
        with small:
            if has_tiles:
                call_product(e, x, y, target)
            else:
                fold_columns(e, folding, walk_result(folding, target, False))
    return target


def suits_blas(e: Emitter, x: Array, y: Array, has_tiles: bool) -> ir.Value:
    """Whether a product is better done by BLAS: it has threads for large ones, and reads columns of y for a few rows without a copy."""
    work = e.mul(e.mul(x.shape[0], x.shape[1]), y.shape[1])
    enough = e.compare(">=", work, I64(SMALLEST_BLAS_WORK))
    if not has_tiles:
        return enough
    large = e.compare(">", work, I64(LARGEST_TILED_WORK))
    if y.contiguous:
        return large
    turned = e.compare("!=", y.strides[1], I64(y.dtype.itemsize))
    few = e.b.and_(turned, e.compare("<", x.shape[0], I64(FEW_TILED_ROWS)))
    return e.b.or_(large, e.b.and_(few, enough))


def call_product(e: Emitter, x: Array, y: Array, target: Array) -> None:
    """target = x @ y by the code that all programs share."""
    name = load_product(x.dtype)
    function = e.module.globals.get(name) or ir.Function(e.module, PRODUCT_TYPE, name)
    rows, columns = target.shape
    e.b.call(function, [x.pointer, *x.strides, y.pointer, *y.strides, target.pointer, target.strides[0], rows, x.shape[1], columns])


def call_gemm(e: Emitter, kind: str, operation: Operation, target: Array) -> None:
    """target = x @ y in C order is, in BLAS's column order, the product of the transposes in the other order."""
    load_blas()
    (x, x_transposed, x_lead), (y, y_transposed, y_lead) = (blas_operand(e, value) for value in operation.operands)
    rows, columns = target.shape
    inner = e.get(operation.operands[0]).shape[1]
    scale = e.slots(4)
    e.store_number(literal(1, target.dtype), scale, target.dtype)
    e.store_number(literal(0, target.dtype), e.offset(scale, I64(16)), target.dtype)
    arguments = [I8(ord(kind)), y_transposed, x_transposed, columns, rows, inner, scale, y, y_lead, x, x_lead, e.offset(scale, I64(16))]
    status = e.intrinsic("numba_xxgemm", I32, *arguments, target.pointer, columns)
    with e.b.if_then(e.b.icmp_signed("!=", status, I32(0)), likely=False):
        e.leave(PENDING)


@cache
def load_blas() -> None:
    """Import what numba looks BLAS up in before a program runs: Ctrl-C during the import would be taken for a missing function."""
    importlib.import_module("scipy.linalg.cython_blas")


def blas_operand(e: Emitter, value: Value) -> tuple[ir.Value, ir.Value, ir.Value]:
    """Pointer, 'n' or 't', and leading dimension; memory that BLAS cannot walk is copied first."""
    array, item = e.get(value), array_type(value).dtype.itemsize
    if array.contiguous:
        return array.pointer, I8(ord("n")), array.shape[1]
    forward, backward = (is_walkable(e, array, *axes, item) for axes in ((0, 1), (1, 0)))
    suits = e.b.or_(forward, backward)
    direct, copies, merge = e.block("direct"), e.block("copies"), e.block("merge")
    e.b.cbranch(suits, direct, copies)
    e.b.position_at_end(copies)
    copied = e.allocate(array.shape, array.dtype)
    builder = NestBuilder(2, {})
    fill(e, "copy for BLAS", copied, array_type(value), builder, builder.expression_of(value))
    end = e.b.block
    e.b.branch(merge)
    e.b.position_at_end(direct)
    letter = e.b.select(forward, I8(ord("n")), I8(ord("t")))
    lead = e.b.sdiv(e.b.select(forward, array.strides[0], array.strides[1]), I64(item))
    e.b.branch(merge)
    e.b.position_at_end(merge)
    phis = [e.b.phi(PTR), e.b.phi(I8), e.b.phi(I64)]
    for phi, mine, other in zip(phis, (array.pointer, letter, lead), (copied.pointer, I8(ord("n")), array.shape[1])):
        phi.add_incoming(mine, direct)
        phi.add_incoming(other, end)
    return phis[0], phis[1], phis[2]


def is_walkable(e: Emitter, array: Array, outer: int, inner: int, item: int) -> ir.Value:
    """Whether `inner` is contiguous and `outer` strides over whole rows, a number of elements that BLAS can hold."""
    stride, row = array.strides[outer], e.mul(array.shape[inner], I64(item))
    whole = e.compare("==", e.b.srem(stride, I64(item)), I64(0))
    enough = e.b.and_(e.compare(">=", stride, row), e.compare("<", stride, I64(2**31)))
    return e.b.and_(e.b.and_(e.compare("==", array.strides[inner], I64(item)), whole), enough)
