"""Elementwise operations, fresh arrays and assignment: nests that store an element everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.backends.cuda.domains import broadcast, broadcasts_to, shape_text
from autograph_jit.backends.cuda.kernel_text import Leaf
from autograph_jit.backends.cuda.memory import DeviceArray, allocate, upload
from autograph_jit.backends.cuda.nests import Nest
from autograph_jit.backends.cuda.rules import rule
from autograph_jit.backends.cuda.run import Bound, Deferred, Run
from autograph_jit.ir import scalar
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.scalar import operand
from autograph_jit.ir.types import ArrayType


def shape_of(run: Run, value: Value) -> tuple[int, ...]:
    """The shape of an array, computed or not."""
    return run.values[value].shape


def shape_of_result(run: Run, operation: Operation) -> tuple[int, ...]:
    """The shape of an elementwise result; NumPy's ValueError where operands do not fit."""
    shapes = [shape_of(run, value) for value in operation.operands if isinstance(value.type, ArrayType)]
    found = broadcast(shapes)
    if found is None:
        raise ValueError(f"operands could not be broadcast together with shapes {' '.join(map(shape_text, shapes))} ")
    return found


def run_pointwise(run: Run, operation: Operation) -> tuple[Any, ...]:
    """A fresh array, or only its shape where the consumer's kernel computes it."""
    shape = shape_of_result(run, operation)
    if operation in run.plan.consumers:
        return (Deferred(shape),)
    nest = run.plan.nests[operation]
    result = allocate(shape, nest.expression.dtype)
    run.fill(result, nest, run.bind_nest(nest, shape))
    return (result,)


@rule("copy")
def run_copy(run: Run, operation: Operation) -> tuple[Any, ...]:
    nest = run.plan.nests[operation]
    result = allocate(shape_of(run, operation.operands[0]), nest.expression.dtype)
    run.fill(result, nest, run.bind_nest(nest, result.shape))
    return (result,)


@rule("assign")
def run_assign(run: Run, operation: Operation) -> tuple[Any, ...]:
    """Through a fresh array where the source reads memory of the target at another index."""
    target, nest = run.array(operation.operands[0]), run.plan.nests[operation]
    source = operation.operands[1]
    if isinstance(source.type, ArrayType) and not broadcasts_to(shape_of(run, source), target.shape):
        raise ValueError(misfit_text(shape_of(run, source), target.shape))
    bound = run.bind_nest(nest, target.shape)
    if any(is_moved(target, array, strides) for array, strides in bound.arrays()):
        result = allocate(shape_of(run, source), nest.expression.dtype)
        run.fill(result, nest, run.bind_nest(nest, result.shape))
        run.copy_into(target, result)
    else:
        run.fill(target, nest, bound)
    return ()


def misfit_text(source: tuple[int, ...], target: tuple[int, ...]) -> str:
    """NumPy's message, which leaves out leading axes of size 1 that the target lacks."""
    while len(source) > len(target) and source[0] == 1:
        source = source[1:]
    return f"could not broadcast input array from shape {shape_text(source)} into shape {shape_text(target)}"


def is_moved(target: DeviceArray, array: DeviceArray, strides: tuple[int, ...]) -> bool:
    """Whether an array shares memory with the target and is not read at the very place that is written."""
    at_target = array.buffer.address + array.offset == target.buffer.address + target.offset and array.dtype == target.dtype
    wanted = tuple(0 if size == 1 else stride for size, stride in zip(target.shape, target.element_strides()))
    return array.overlaps(target) and not (at_target and strides == wanted)


@rule("empty")
def run_empty(run: Run, operation: Operation) -> tuple[Any, ...]:
    return (allocate(checked_shape(run.integers(operation.operands)), np.dtype(operation.attributes["dtype"])),)


@rule("full")
def run_full(run: Run, operation: Operation) -> tuple[Any, ...]:
    value, *sizes = operation.operands
    type = operation.result.type
    assert isinstance(type, ArrayType)
    result = allocate(checked_shape(run.integers(sizes)), type.dtype)
    run.copy_into(result, run.values[value])
    return (result,)


def checked_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape; NumPy's ValueError for a negative size."""
    if any(size < 0 for size in shape):
        raise ValueError("negative dimensions are not allowed")
    return shape


@rule("array_constant")
def run_array_constant(run: Run, operation: Operation) -> tuple[Any, ...]:
    return (upload(operation.attributes["value"]),)


@rule("arange")
def run_arange(run: Run, operation: Operation) -> tuple[Any, ...]:
    """start + step * k by a nest that reads the index of its domain."""
    first, step, count = (run.number(value) for value in operation.operands)
    dtype = first.dtype
    result = allocate((max(int(count), 0),), dtype)
    if dtype not in ARANGES:
        place = operand(2, np.dtype(np.int64))
        formula = scalar.add(operand(0, dtype), scalar.mul(operand(1, dtype), scalar.cast(place, dtype)))
        is_first = scalar.eq(place, scalar.const(0, place.dtype))
        ARANGES[dtype] = Nest(scalar.select(is_first, operand(0, dtype), formula), ())
    leaves = (Leaf("scalar", dtype), Leaf("scalar", dtype), Leaf("index", np.dtype(np.int64)))
    run.fill(result, ARANGES[dtype], Bound(leaves, [first, step, None], [(0,)] * 3))
    return (result,)


ARANGES: dict[np.dtype, Nest] = {}


@rule("concat")
def run_concat(run: Run, operation: Operation) -> tuple[Any, ...]:
    """Each array is copied into its part of the result."""
    arrays = [run.array(value) for value in operation.operands]
    axis = operation.attributes["axis"] % len(arrays[0].shape)
    if len({array.shape[:axis] + array.shape[axis + 1 :] for array in arrays}) > 1:
        np.concatenate([np.broadcast_to(np.zeros((), array.dtype), array.shape) for array in arrays], axis)
    shape = list(arrays[0].shape)
    shape[axis] = sum(array.shape[axis] for array in arrays)
    result = allocate(tuple(shape), arrays[0].dtype)
    offset = 0
    for array in arrays:
        run.copy_into(DeviceArray(result.buffer, result.dtype, offset, array.shape, result.strides), array)
        offset += array.shape[axis] * result.strides[axis]
    return (result,)


@rule("mask_assign")
def run_mask_assign(run: Run, operation: Operation) -> tuple[Any, ...]:
    """A number where the mask is true: target[...] = where(mask, number, target)."""
    target, mask = (run.array(value) for value in operation.operands[:2])
    trailing = len(target.shape) - len(mask.shape)
    spread = DeviceArray(mask.buffer, mask.dtype, mask.offset, mask.shape + (1,) * trailing, mask.strides + (1,) * trailing)
    if spread.overlaps(target) and not spread.is_same(target):
        spread = run.fresh_copy(spread)
    dtype = target.dtype
    if dtype not in MASKINGS:
        condition = operand(0, np.dtype(bool))
        MASKINGS[dtype] = Nest(scalar.select(condition, operand(1, dtype), operand(2, dtype)), ())
    operands = [spread, run.values[operation.operands[2]], target]
    run.fill(target, MASKINGS[dtype], run.bind(operands, [np.dtype(bool), dtype, dtype], target.shape))
    return ()


MASKINGS: dict[np.dtype, Nest] = {}


def takes_mask(run: Run, operation: Operation) -> bool:
    """Whether a masked assignment is one number under a mask of the target's sizes; others run on the host."""
    target, mask = (run.array(value) for value in operation.operands[:2])
    return not isinstance(operation.operands[2].type, ArrayType) and mask.shape == target.shape[: len(mask.shape)]
