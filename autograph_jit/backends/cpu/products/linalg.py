"""Matrix products: native code of our own for floats, BLAS through numba's binding where that is faster, loop nests for the rest."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu.control.long_loops import emit_long_nest
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.folds.reductions import Folding, fold_columns, fold_each_row, fold_rows, is_short, walk_result
from autograph_jit.backends.cpu.nests.domains import Walk, emit_either, walk_array
from autograph_jit.backends.cpu.nests.elementwise import fill_elements
from autograph_jit.backends.cpu.products.blas import KINDS
from autograph_jit.backends.cpu.products.column_sums import COLUMN_SUMS_TYPE, load_column_sums
from autograph_jit.backends.cpu.products.large import call_product, multiply_large
from autograph_jit.backends.cpu.products.panels import has_product
from autograph_jit.backends.cpu.products.row_sums import ROW_SUMS_TYPE, load_row_sums
from autograph_jit.backends.cpu.products.shared import FEWEST_TURNED
from autograph_jit.backends.cpu.products.unrolled import is_unrolled, multiply_unrolled
from autograph_jit.backends.cpu.published import declared
from autograph_jit.backends.cpu.signatures import I64
from autograph_jit.backends.cpu.values import Array, array_type, constant_of
from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.scalar import operand
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.kernels.vecmath.expand import expand
from autograph_jit.ops import expressions as ex

SMALLEST_BLAS_WORK = 16**3  # products of fewer multiplications are done before a BLAS call has begun
LARGEST_TILED_WORK = 128**3  # of products that one thread does about as fast as several would
LONGEST_ROW, LONGEST_COLUMN = 1 << 13, 1 << 12  # whose sums, in lanes or of eight products, have about as many steps as a block of 512
FEW_COLUMNS = 16  # known ones, of which a sum is a few instructions


def emit_product(e: Emitter, first: Value, second: Value, target: Array) -> None:
    """The product of two matrices, or of a matrix and a vector, into an array."""
    x, y = e.get(first), e.get(second)
    ranks = len(x.shape), len(y.shape)
    if ranks == (2, 1):
        by_rows = functools.partial(multiply_rows, e, first, second, target, x.shape, (1,), (0, 1), (1,))
        multiply_vector(e, y, replace(x, shape=x.shape[::-1], strides=x.strides[::-1], contiguous=False), target, by_rows, by_rows)
    elif ranks == (1, 2):
        by_rows = functools.partial(multiply_rows, e, second, first, target, (y.shape[1], y.shape[0]), (1,), (1, 0), (1,))
        multiply_vector(e, x, y, target, by_rows, functools.partial(fold_product, e, first, second, target, y.shape, (0,), (0,), (0, 1)))
    else:
        multiply_matrices(e, first, second, target)


def multiply_vector(
    e: Emitter, vector: Array, matrix: Array, target: Array, by_columns: Callable[[], None], by_rows: Callable[[], None]
) -> None:
    """vector @ matrix: rows of the matrix scaled and added by code of its own where they are contiguous and there is not very much to do,
    else one way or the other: each column for itself, or row by row."""
    item, work = I64(target.dtype.itemsize), e.mul(*matrix.shape)
    lies = e.compare("==", matrix.strides[1], item)
    if constant_of(matrix.strides[0]) == target.dtype.itemsize:
        by_columns()
        return
    if not has_product(target.dtype) or (constant_of(work) is not None and work.constant <= 256):
        by_rows()
        return

    def in_order() -> list[ir.Value]:
        is_short = e.compare("<=", matrix.shape[0], I64(LONGEST_COLUMN))
        with e.b.if_else(e.b.and_(is_short, e.compare("<=", work, I64(LARGEST_TILED_WORK)))) as (small, large):
            with small:
                function = declared(e.module, load_column_sums(target.dtype), COLUMN_SUMS_TYPE)
                e.b.call(function, [vector.pointer, *vector.strides, matrix.pointer, matrix.strides[0], target.pointer, *matrix.shape])
            with large:
                by_rows()
        return []

    def column_by_column() -> list[ir.Value]:
        by_columns()
        return []

    step = constant_of(matrix.strides[1])
    if step is not None:
        in_order() if step == target.dtype.itemsize else by_columns()
    else:
        emit_either(e, lies, in_order, column_by_column)


def fold_product(e: Emitter, first: Value, second: Value, target: Array, *shape: Any) -> None:
    """A product of a matrix and a vector as a nest; `shape` as in `product_folding`."""
    fold_into(e, product_folding(e, first, second, *shape), target)


def multiply_rows(e: Emitter, matrix: Value, vector: Value, target: Array, *shape: Any) -> None:
    """The sums of the products of each row and a vector, several rows at a time where all lies side by side; `shape` as above."""
    folding = product_folding(e, matrix, vector, *shape)
    one_by_one = functools.partial(fold_each_row, e, folding)

    def nest(sizes: tuple[ir.Value, ...], walks: list[Walk]) -> None:
        into, rows, along = walks
        fits = e.compare("<=", sizes[1], I64(LONGEST_ROW))
        for stride in (into.strides[0], rows.strides[1], along.strides[1]):
            fits = e.b.and_(fits, e.compare("==", stride, I64(target.dtype.itemsize)))
        with e.b.if_else(fits) as (together, apart):
            with together:
                function = declared(e.module, load_row_sums(target.dtype), ROW_SUMS_TYPE)
                e.b.call(function, [rows.pointer, rows.strides[0], along.pointer, into.pointer, *sizes])
            with apart:
                one_by_one(sizes, walks)

    known = constant_of(folding.sizes[1])
    is_long = has_product(target.dtype) and (known is None or known > FEW_COLUMNS)
    fold_rows(e, folding, walk_result(folding, target, False), nest if is_long else None)


def each_product(e: Emitter, sources: list[Value], target: Array, dims: tuple[Size, ...], emit: Callable[..., None]) -> None:
    """Code for each matrix of a stack, of the factors' matrices and where the product goes; `dims` are the leading sizes of the result."""
    depth = len(dims)
    walks = []
    for value in sources:
        leading = array_type(value).dims[:-2]
        walks.append(walk_array(e, e.get(value), leading, tuple(range(depth - len(leading), depth)), dims))
    walks.append(Walk(target.pointer, target.strides[:depth], target.dtype.itemsize))

    def product(pointers: list[ir.Value], _: list[ir.Value]) -> list[ir.Value]:
        first, second = (matrix_at(e, value, pointer) for value, pointer in zip(sources, pointers))
        emit(e, first, second, replace(target, pointer=pointers[2], shape=target.shape[depth:], strides=target.strides[depth:]))
        return []

    price = e.product((*target.shape[depth:], e.get(sources[0]).shape[-1]))
    emit_long_nest(e, target.shape[:depth], walks, [], product, price=price)


def matrix_at(e: Emitter, value: Value, pointer: ir.Value) -> Value:
    """A matrix of a stack as a value of its own; a vector or a matrix that is no stack is itself."""
    type = array_type(value)
    if type.rank <= 2:
        return value
    array = e.get(value)
    matrix = Value(ArrayType(type.dtype, type.dims[-2:]), Block(), 0, "matrix")
    e.values[matrix] = replace(array, pointer=pointer, shape=array.shape[-2:], strides=array.strides[-2:])
    if not e.facts.is_contiguous(value):
        e.facts.strided.add(matrix)
    return matrix


def product_folding(
    e: Emitter,
    first: Value,
    second: Value,
    sizes: tuple[ir.Value, ...],
    axes: tuple[int, ...],
    x_axes: tuple[int, ...],
    y_axes: tuple[int, ...],
) -> Folding:
    """The sum over `axes` of the products; `x_axes` says which axis of the domain each axis of x walks."""
    dtype, builder = array_type(first).dtype, NestBuilder(len(sizes), {})
    walks = []
    for value, along in zip((first, second), (x_axes, y_axes)):
        builder.add_operand(value)
        array = e.get(value)
        strides = [I64(0)] * len(sizes)
        for axis, target in enumerate(along):
            strides[target] = array.strides[axis]
        walks.append(Walk(array.pointer, tuple(strides), dtype.itemsize))
    here, other = operand(0, dtype), operand(1, dtype)
    return Folding("sum", dtype, axes, sizes, walks, builder, expand(ex.multiply(here, other)), ex.add(here, other))


def fold_into(e: Emitter, folding: Folding, target: Array) -> None:
    """The sums into an array."""
    walk = walk_result(folding, target, False)
    if len(folding.sizes) - 1 in folding.axes:
        fold_rows(e, folding, walk)
    else:
        fold_columns(e, folding, walk)


def multiply_matrices(e: Emitter, first: Value, second: Value, target: Array) -> None:
    """Tiles in registers, or BLAS for much work; rows scaled and added where there is no code for tiles, and for few known numbers."""
    (rows, inner), columns = e.get(first).shape, e.get(second).shape[1]
    folding = product_folding(e, first, second, (rows, inner, columns), (1,), (0, 1), (1, 2))
    if is_unrolled(e.get(first), e.get(second), target):
        multiply_unrolled(e, e.get(first), e.get(second), target)
        return
    are_few = is_short(folding) and all(constant_of(size) is not None and size.constant <= 16 for size in folding.sizes)
    if target.dtype.name not in KINDS or are_few:
        fold_into(e, folding, target)
        return
    with e.b.if_else(suits_blas(e, e.get(first), e.get(second))) as (large, small):
        with large:
            multiply_large(e, e.get(first), e.get(second), target)
        with small:
            multiply_small(e, folding, first, second, target)


def multiply_small(e: Emitter, folding: Folding, first: Value, second: Value, target: Array) -> None:
    """Tiles in registers, or rows scaled and added."""
    if has_product(target.dtype):
        call_product(e, e.get(first), e.get(second), target)
    else:
        fold_columns(e, folding, walk_result(folding, target, False))


def put_product(e: Emitter, target: Value, product: Operation, adds: bool = False) -> None:
    """target = x @ y, or target += x @ y, of matrices or of stacks of them."""
    first, second = product.operands
    dims, emit = array_type(target).dims, add_to_matrix if adds else emit_product
    if len(dims) == 2:
        emit(e, first, second, e.get(target))
    else:
        each_product(e, [first, second], e.get(target), dims[:-2], emit)


def add_to_matrix(e: Emitter, first: Value, second: Value, target: Array) -> None:
    """target += x @ y: BLAS and tiles add to the array, rows take a temporary."""
    with e.b.if_else(suits_blas(e, e.get(first), e.get(second))) as (large, small):
        with large:
            multiply_large(e, e.get(first), e.get(second), target, adds=True)
        with small:
            if has_product(target.dtype):
                call_product(e, e.get(first), e.get(second), target, adds=True)
            else:
                add_by_temporary(e, first, second, target)


def add_by_temporary(e: Emitter, first: Value, second: Value, target: Array) -> None:
    """target += x @ y, the product on its own first."""
    (rows, inner), columns = e.get(first).shape, e.get(second).shape[1]
    type = ArrayType(target.dtype, (array_type(first).dims[0], array_type(second).dims[1]))
    total, product = Value(type, Block(), 0, "total"), Value(type, Block(), 0, "product")
    e.values[total] = target
    made = e.values[product] = e.allocate((rows, columns), target.dtype)
    folding = product_folding(e, first, second, (rows, inner, columns), (1,), (0, 1), (1, 2))
    fold_columns(e, folding, walk_result(folding, made, False))
    builder = NestBuilder(2, {})
    fill_elements(e, "add", target, type, builder, ex.add(builder.add_operand(total), builder.add_operand(product)))
    e.call("ag_release", e.frame, made.owner)


def suits_blas(e: Emitter, x: Array, y: Array) -> ir.Value:
    """Whether a product is better done by BLAS, which takes 32-bit sizes: it has threads for large ones, and reads columns of y for a few
    rows without a copy."""
    suits = suits_blas_better(e, x, y)
    for size in (*x.shape, y.shape[1]):
        suits = e.b.and_(suits, e.compare("<", size, I64(2**31)))
    return suits


def suits_blas_better(e: Emitter, x: Array, y: Array) -> ir.Value:
    """Whether BLAS is faster than code of our own."""
    work = e.mul(e.mul(x.shape[0], x.shape[1]), y.shape[1])
    enough = e.compare(">=", work, I64(SMALLEST_BLAS_WORK))
    if not has_product(x.dtype):
        return enough
    large = e.compare(">", work, I64(LARGEST_TILED_WORK))
    if y.contiguous:
        return large
    turned = e.compare("!=", y.strides[1], I64(y.dtype.itemsize))
    few = e.b.and_(turned, e.compare("<", x.shape[0], I64(FEWEST_TURNED)))
    return e.b.or_(large, e.b.and_(few, enough))
