"""Large products of matrices: blocks by tiles, which threads can share, or BLAS; one function for all of a program's.

    product(frame, arguments, x, y, target)     nonzero where it failed: the frame then says why, unless there was no memory

A program with many products would else have the choice between these ways, and their failures, at each of them.
"""

from __future__ import annotations

import functools

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.control.long_loops import is_bounded_by_arguments
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.folding import FoldingBuilder
from autograph_jit.backends.cpu.host import call_object
from autograph_jit.backends.cpu.products.blas import NO_MEMORY, call_gemm
from autograph_jit.backends.cpu.products.panels import PRODUCT_TYPE, load_product
from autograph_jit.backends.cpu.products.shared import may_share, share_product, suits_blocks
from autograph_jit.backends.cpu.published import declared
from autograph_jit.backends.cpu.signatures import I1, I32, I64, PTR
from autograph_jit.backends.cpu.threading.sharing import own_function
from autograph_jit.backends.cpu.values import Array, Emitted, constant_of
from autograph_jit.ir.dims import atom
from autograph_jit.ir.types import ArrayType, Type
from autograph_jit.ops.apart import run_apart

LONG_WORK = 1 << 29  # products that take some hundredths of a second
ARRAY_PARTS = [PTR, PTR, I64, I64, I64, I64]  # pointer, owner, sizes, strides in bytes
FUNCTION_TYPE = ir.FunctionType(I32, [PTR, PTR, *ARRAY_PARTS * 3])


def multiply_large(e: Emitter, x: Array, y: Array, target: Array, adds: bool = False) -> None:
    """target = x @ y, or target += x @ y, by the program's function where nothing else than an end of the call may follow a failure."""
    if not may_share(e, target) or e.handlers or e.afterwards is not None or e.retreat is not None:
        multiply_here(e, x, y, target, adds)
        return
    parts = [part for array in (x, y, target) for part in (array.pointer, array.owner, *array.shape, *array.strides)]
    status = e.b.call(product_function(e, target.dtype, adds), [e.frame, e.function.args[1], *parts])
    passed, failing = e.block("passed"), e.block("failing")
    e.b.cbranch(e.b.icmp_signed("==", status, I32(0)), passed, failing).set_weights([1 << 20, 1])
    e.b.position_at_end(failing)
    e.guard(e.b.icmp_signed("!=", status, NO_MEMORY), lambda: MemoryError("compiled code cannot allocate an array"))
    e.b.branch(e.failed)
    e.b.position_at_end(passed)


def product_function(e: Emitter, dtype: np.dtype, adds: bool) -> ir.Function:
    """The program's function for products of a dtype."""
    name = f"{'add' if adds else 'put'}_product_{dtype.name}"
    if (known := e.module.globals.get(name)) is not None:
        return known
    function = own_function(e, name, FUNCTION_TYPE)
    x, y, target = (array_of(function.args[start : start + len(ARRAY_PARTS)], dtype) for start in (2, 8, 14))
    around = e.function, e.b, e.frame, e.failed, e.loop_depth
    e.function, e.b, e.frame, e.loop_depth = function, FoldingBuilder(function.append_basic_block("entry")), function.args[0], 0
    e.failed = e.block("failed")
    multiply_here(e, x, y, target, adds)
    e.b.ret(I32(0))
    e.b.position_at_end(e.failed)
    e.b.ret(I32(-1))
    e.function, e.b, e.frame, e.failed, e.loop_depth = around
    return function


def array_of(parts: list[ir.Value], dtype: np.dtype) -> Array:
    """A matrix that a function is given by its parts."""
    pointer, owner, rows, columns, row, step = parts
    return Array(pointer, owner, (rows, columns), (row, step), dtype, False)


def multiply_here(e: Emitter, x: Array, y: Array, target: Array, adds: bool) -> None:
    """Blocks by tiles, which threads can share, or BLAS where the second factor is very large or threads take no part."""
    if not may_share(e, target):
        multiply_by_blas(e, x, y, target, adds)
        return
    with e.b.if_else(suits_blocks(e, x, y)) as (blocks, whole):
        with blocks:
            share_product(e, x, y, target, functools.partial(call_product, e, adds=adds))
        with whole:
            multiply_by_blas(e, x, y, target, adds)


def multiply_by_blas(e: Emitter, x: Array, y: Array, target: Array, adds: bool = False) -> None:
    """A product that takes long by NumPy, in a thread that Ctrl-C leaves to itself: a product in pieces would take BLAS longer."""
    work = e.product((*x.shape, target.shape[1]))
    known = constant_of(work)
    if is_bounded_by_arguments(e) or (known is not None and known < LONG_WORK):
        call_gemm(e, x, y, target, adds)
        return
    matrix = ArrayType(target.dtype, (atom("d:rows"), atom("d:columns")))
    with e.b.if_else(e.compare(">=", work, I64(LONG_WORK)), likely=False) as (long, short):
        with long:
            values: list[tuple[Type, Emitted]] = [(matrix, array) for array in (x, y, target)]
            e.call("Py_DecRef", call_object(e, add_apart if adds else multiply_apart, values))
        with short:
            call_gemm(e, x, y, target, adds)


def multiply_apart(x: np.ndarray, y: np.ndarray, target: np.ndarray) -> None:
    run_apart(np.matmul, x, y, out=target)


def add_apart(x: np.ndarray, y: np.ndarray, target: np.ndarray) -> None:
    product = np.empty_like(target)
    run_apart(np.matmul, x, y, out=product)
    np.add(target, product, out=target)


def call_product(e: Emitter, x: Array, y: Array, target: Array, adds: bool = False) -> None:
    """target = x @ y, or target += x @ y, by the code that all programs share."""
    function = declared(e.module, load_product(x.dtype), PRODUCT_TYPE)
    rows, columns = target.shape
    e.b.call(
        function,
        [x.pointer, *x.strides, y.pointer, *y.strides, target.pointer, target.strides[0], rows, x.shape[1], columns, I1(int(adds))],
    )
