"""Reductions and matrix products."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from autograph_jit.backends.cuda.domains import broadcast, merge_axes
from autograph_jit.backends.cuda.elementwise import shape_of
from autograph_jit.backends.cuda.fold_text import Folding, blocks_kernel, lines_kernel, matmul_kernel
from autograph_jit.backends.cuda.kernel_text import Leaf
from autograph_jit.backends.cuda.launch import array_arguments, size_arguments
from autograph_jit.backends.cuda.memory import DeviceArray, DeviceScalar, allocate, c_strides
from autograph_jit.backends.cuda.provider import provider
from autograph_jit.backends.cuda.rules import rule
from autograph_jit.backends.cuda.run import Bound, Run
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.opdef import Reduction
from autograph_jit.ir.scalar import Expr, operand
from autograph_jit.ir.types import ArrayType
from autograph_jit.ops import expressions as ex
from autograph_jit.ops.registry import get

SHORT_LINE = 64  # elements that one thread adds up at most, unless there are many lines
MANY_LINES = 1 << 16
ELEMENTS_OF_THREAD = 16


@rule("reduce")
def run_reduce(run: Run, operation: Operation) -> tuple[Any, ...]:
    """An array of the axes that stay, or a number that stays on the device until it is needed."""
    nest, domain = run.plan.nests[operation], shape_of(run, operation.operands[0])
    op, keepdims = operation.attributes["op"], operation.attributes["keepdims"]
    axes = tuple(axis % len(domain) for axis in operation.attributes["axes"])
    if op in ("min", "max") and any(domain[axis] == 0 for axis in axes):
        operation.opdef.eager(np.empty(domain, nest.expression.dtype), **operation.attributes)
    if not axes:
        result = allocate(domain, nest.expression.dtype)
        run.fill(result, nest, run.bind_nest(nest, domain))
        return (result,) if isinstance(operation.result.type, ArrayType) else (DeviceScalar(result),)
    result = fold(run, op, nest.expression, run.bind_nest(nest, domain), domain, axes)
    if not isinstance(operation.result.type, ArrayType):
        return (DeviceScalar(result),)
    shape = tuple(1 if axis in axes else size for axis, size in enumerate(domain)) if keepdims else result.shape
    return (DeviceArray(result.buffer, result.dtype, 0, shape, c_strides(shape, result.dtype.itemsize)),)


def fold(run: Run, op: str, element: Expr, bound: Bound, domain: tuple[int, ...], axes: tuple[int, ...]) -> DeviceArray:
    """Fold an element over axes of a domain; the axes that stay, in C order."""
    kept = tuple(axis for axis in range(len(domain)) if axis not in axes)
    shape = tuple(domain[axis] for axis in kept)
    result = allocate(shape, element.dtype)
    results, length = math.prod(shape), math.prod(domain[axis] for axis in axes)
    if results == 0:
        return result
    kept_sizes, kept_walks = merge_axes(shape, [tuple(strides[axis] for axis in kept) for strides in bound.walks])
    sizes, walks = merge_axes(tuple(domain[axis] for axis in axes), [tuple(strides[axis] for axis in axes) for strides in bound.walks])
    folding = folding_of(op, element, bound.leaves, len(kept_sizes), len(sizes))
    arguments = {
        "results": results,
        "length": length,
        "out": result,
        **size_arguments("k", kept_sizes),
        **size_arguments("r", sizes),
        **bound.arguments([outer + inner for outer, inner in zip(kept_walks, walks)]),
    }
    threads = provider().threads
    if length <= min(SHORT_LINE, 4 * threads) or results >= MANY_LINES:
        run.launch(lines_kernel(folding), -(-results // threads), threads, arguments)
        return result
    parts = parts_of(results, length)
    part = max(-(-length // parts), 1)
    parts = max(-(-length // part), 1)
    target = result if parts == 1 else allocate((results, parts), element.dtype)
    arguments |= {"parts": parts, "part": part, "out": target}
    run.launch(blocks_kernel(folding, threads), results * parts, threads, arguments)
    if parts > 1:
        partial = run.bind([target], [element.dtype], target.shape)
        return fold_parts(run, op, partial, target, result)
    return result


def fold_parts(run: Run, op: str, partial: Bound, target: DeviceArray, result: DeviceArray) -> DeviceArray:
    """The second pass: one block, or one thread, for the parts of each result."""
    folding = folding_of(op, operand(0, target.dtype), partial.leaves, 1, 1)
    results, parts = target.shape
    arguments = {"results": results, "length": parts, "out": result, "parts": 1, "part": parts}
    arguments |= partial.arguments([(parts, 1)])
    run.launch(blocks_kernel(folding, provider().threads), results, provider().threads, arguments)
    return result


def parts_of(results: int, length: int) -> int:
    """Into how many parts a line is cut: enough blocks for the device, enough work for each thread."""
    wanted = max(provider().max_blocks // results, 1)
    return max(min(wanted, -(-length // (provider().threads * ELEMENTS_OF_THREAD))), 1)


@functools.lru_cache(maxsize=1024)
def step_of(op: str, dtype: np.dtype) -> tuple[Expr, Expr | None]:
    """The step of a reduction over operands (total, element), and its identity."""
    kernel = get("reduce").kernel
    assert isinstance(kernel, Reduction)
    return kernel.combine(op, operand(0, dtype), operand(1, dtype)), kernel.init(op, dtype)


def folding_of(op: str, element: Expr, leaves: tuple[Leaf, ...], kept: int, reduced: int) -> Folding:
    step, identity = step_of(op, element.dtype)
    return Folding(element, step, identity, leaves, kept, reduced)


@rule("matmul")
def run_matmul(run: Run, operation: Operation) -> tuple[Any, ...]:
    """NumPy's matmul; of two vectors a fold, otherwise squares of the result by blocks."""
    x, y = (run.array(value) for value in operation.operands)
    inner = y.shape[-2 if len(y.shape) > 1 else -1]
    batch = broadcast([x.shape[:-2], y.shape[:-2]])
    if x.shape[-1] != inner or batch is None:
        operation.opdef.eager(*(np.broadcast_to(np.zeros((), array.dtype), array.shape) for array in (x, y)))
    assert batch is not None
    product = ex.multiply(operand(0, x.dtype), operand(1, x.dtype))
    if len(x.shape) == len(y.shape) == 1:
        op = "any" if x.dtype.kind == "b" else "sum"
        return (DeviceScalar(fold(run, op, product, run.bind([x, y], [x.dtype, y.dtype], x.shape), x.shape, (0,))),)
    rows, columns = x.shape[-2:-1], y.shape[-1:] if len(y.shape) > 1 else ()
    result = allocate(batch + rows[: len(x.shape) - 1] + columns, x.dtype)
    if result.size:
        multiply_batches(run, result, x, y, batch, product)
    return (result,)


def multiply_batches(run: Run, result: DeviceArray, x: DeviceArray, y: DeviceArray, batch: tuple[int, ...], product: Expr) -> None:
    """One launch for each index of the batch axes but the last."""
    rows, columns = (x.shape[-2] if len(x.shape) > 1 else 1), (y.shape[-1] if len(y.shape) > 1 else 1)
    left, right, out = matrix_walk(x, batch, True), matrix_walk(y, batch, False), (*batch_strides(result, batch), columns, 1)
    sizes, (left_outer, right_outer, out_outer) = merge_axes(batch, [left[:-2], right[:-2], out[:-2]])
    tile = provider().tile
    kernel = matmul_kernel(x.dtype, product, ex.add(operand(0, x.dtype), operand(1, x.dtype)), tile)
    blocks = sizes[-1] * -(-rows // tile) * -(-columns // tile)
    for index in np.ndindex(*sizes[:-1]):
        arguments: dict[str, Any] = {"batches": sizes[-1], "rows": rows, "columns": columns, "inner": x.shape[-1]}
        for name, array, outer, strides in (("out", result, out_outer, out), ("x", x, left_outer, left), ("y", y, right_outer, right)):
            arguments |= array_arguments(name, array, (outer[-1], *strides[-2:]))
            arguments[f"{name}_at"] += sum(i * stride for i, stride in zip(index, outer))
        run.launch(kernel, blocks, (tile, tile), arguments)


def matrix_walk(array: DeviceArray, batch: tuple[int, ...], is_left: bool) -> tuple[int, ...]:
    """Strides of an operand over the batch axes, rows and columns; a vector is a row on the left and a column on the right."""
    strides = array.element_strides()
    if len(array.shape) == 1:
        return (0,) * len(batch) + ((0, strides[0]) if is_left else (strides[0], 0))
    outer = tuple(0 if size == 1 else stride for size, stride in zip(array.shape[:-2], strides[:-2]))
    return (0,) * (len(batch) - len(outer)) + outer + strides[-2:]


def batch_strides(result: DeviceArray, batch: tuple[int, ...]) -> tuple[int, ...]:
    return result.element_strides()[: len(batch)]
