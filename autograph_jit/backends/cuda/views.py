"""Views, sizes and single elements: descriptors are computed on the host by NumPy's own rules, on arrays that only have a layout."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograph_jit.backends.cuda.domains import accepts_shape, shape_text
from autograph_jit.backends.cuda.memory import DeviceArray, c_strides, read_element, write_element
from autograph_jit.backends.cuda.rules import rule
from autograph_jit.backends.cuda.run import Deferred, Run
from autograph_jit.ir.graph import Operation


@rule("basic_index", "transpose", "broadcast_to", "real_view", "imag_view", "diagonal", "as_strided")
def run_view(run: Run, operation: Operation) -> tuple[Any, ...]:
    """The eager rule on an array of the same layout, whose memory it does not read."""
    array = run.array(operation.operands[0])
    shadow = array.shadow()
    view = operation.opdef.eager(shadow, *run.integers(operation.operands[1:]), **operation.attributes)
    return (array.view_like(shadow, view),)


@rule("reshape")
def run_reshape(run: Run, operation: Operation) -> tuple[Any, ...]:
    """A view where the strides allow it, else a copy."""
    array = run.array(operation.operands[0])
    shape = completed_shape(run.integers(operation.operands[1:]), array.size)
    strides = accepts_shape(array.shape, array.strides, shape)
    if operation.attributes.get("dense") and array.strides != c_strides(array.shape, array.dtype.itemsize):
        strides = None
    if strides is None:
        array, strides = run.fresh_copy(array), c_strides(shape, array.dtype.itemsize)
    return (DeviceArray(array.buffer, array.dtype, array.offset, shape, strides),)


def completed_shape(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """The shape with -1 replaced; NumPy's ValueError where sizes do not fit."""
    if shape.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    known = math.prod(number for number in shape if number != -1)
    complete = tuple(size // known if number == -1 and known else number for number in shape)
    if min(complete, default=0) < 0 or math.prod(complete) != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {shape_text(shape)}")
    return complete


@rule("dim")
def run_dim(run: Run, operation: Operation) -> tuple[Any, ...]:
    found: DeviceArray | Deferred = run.values[operation.operands[0]]
    return (np.int64(found.shape[operation.attributes["axis"]]),)


@rule("stride")
def run_stride(run: Run, operation: Operation) -> tuple[Any, ...]:
    return (np.int64(run.array(operation.operands[0]).strides[operation.attributes["axis"]]),)


@rule("is_same")
def run_is_same(run: Run, operation: Operation) -> tuple[Any, ...]:
    x, y = (run.array(value) for value in operation.operands)
    return (np.bool_(x.is_same(y)),)


@rule("overlaps")
def run_overlaps(run: Run, operation: Operation) -> tuple[Any, ...]:
    x, y = (run.array(value) for value in operation.operands)
    return (np.bool_(x.overlaps(y)),)


@rule("load")
def run_load(run: Run, operation: Operation) -> tuple[Any, ...]:
    """One element is read by the host, which waits for the device."""
    array = run.array(operation.operands[0])
    index = checked_index(array, run.integers(operation.operands[1:]))
    run.settle()
    return (read_element(array, index),)


@rule("store")
def run_store(run: Run, operation: Operation) -> tuple[Any, ...]:
    """One element is written by the host."""
    array, value = run.array(operation.operands[0]), run.number(operation.operands[1])
    index = checked_index(array, run.integers(operation.operands[2:]))
    run.settle()
    write_element(array, index, value)
    return ()


def checked_index(array: DeviceArray, index: tuple[int, ...]) -> tuple[int, ...]:
    """The index counted from the front; NumPy's IndexError where it is out of bounds."""
    for axis, (i, size) in enumerate(zip(index, array.shape)):
        if not -size <= i < size:
            raise IndexError(f"index {i} is out of bounds for axis {axis} with size {size}")
    return tuple(i + size if i < 0 else i for i, size in zip(index, array.shape))
