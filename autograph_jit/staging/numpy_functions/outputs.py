"""The shape of a ufunc's output: inputs and output broadcast together, and the output is not stretched itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Value
from autograph_jit.staging.arrays.array_like import size_operand
from autograph_jit.staging.arrays.shape_checks import MISFIT, Shape, are_fitting, shape_of, shape_texts
from autograph_jit.staging.arrays.views import broadcast_shape
from autograph_jit.staging.checks import check
from autograph_jit.staging.trace import constant, emit
from autograph_jit.staging.values import StagedArray


def expect_output_fits(target: StagedArray, operands: tuple[Any, ...], where: Any) -> None:
    """NumPy's errors for an output that does not fit, at once where the trace knows, otherwise by checks of the run."""
    arrays = [x for x in (*operands, where) if isinstance(x, StagedArray)]
    named = [*operands, target] if where is True else [*operands, target, where]
    axes = [(axis, target.type.dims[axis]) for axis in range(-1, -target.ndim - 1, -1)]
    unequal = {axis: [x for x in arrays if x.ndim >= -axis and x.type.dims[axis] not in (1, wanted)] for axis, wanted in axes}
    for axis, wanted in axes:
        inputs = unequal[axis]
        alike = [(x, y.type.dims[axis], y) for k, x in enumerate(inputs) for y in inputs[:k]]
        pairs = alike if wanted == 1 else [(x, wanted, target) for x in inputs]
        if pairs:
            check_sizes(pairs, axis, named)
    for axis, wanted in axes:
        inputs = unequal[axis]
        single = all_equal([size_at(x, axis) for x in inputs], constant(np.int64(1))) if inputs else None
        if single is not None and wanted == 1:
            fail_stretched(target, arrays, single)
        elif single is not None and not isinstance(wanted, int):
            wide = emit("not_equal", size_at(target, axis), constant(np.int64(1))).result
            fail_stretched(target, arrays, emit("logical_or", wide, single).result)
    if any(x.ndim > target.ndim for x in arrays):
        fail_stretched(target, arrays, constant(np.bool_(False)))


def check_sizes(pairs: list[tuple[StagedArray, Size, StagedArray]], axis: int, named: list[Any]) -> None:
    """Along an axis the sizes of each pair are equal, or one of them is 1."""
    if any(isinstance(x.type.dims[axis], int) and isinstance(size, int) and x.type.dims[axis] != size != 1 for x, size, _ in pairs):
        good = constant(np.bool_(False))
    else:
        good = are_fitting((size_at(x, axis), size_at(other, axis)) for x, _, other in pairs)
    texts, payload = shape_texts(map(shape_of_operand, named))
    fail(good, MISFIT + "".join(f"{text} " for text in texts), payload)


def fail_stretched(target: StagedArray, arrays: list[StagedArray], good: Value) -> None:
    """The output would have to be broadcast itself."""
    values, dims = broadcast_shape(arrays)
    (found, wanted), payload = shape_texts([shape_of(target.value), list(zip(dims, values, strict=True))])
    fail(good, f"non-broadcastable output operand with shape {found} doesn't match the broadcast shape {wanted}", payload)


def fail(good: Value, template: str, payload: list[Value]) -> None:
    """A ValueError where `good` is false: raised at once where the trace knows that and the sizes."""
    known = getattr(good.owner, "name", "") == "constant"
    if known and not payload and not good.owner.attributes["value"]:  # type: ignore[union-attr]
        raise ValueError(template)
    check(good, ValueError, template, *payload)


def shape_of_operand(x: Any) -> Shape:
    """The sizes of an operand; a number has none."""
    return shape_of(x.value) if isinstance(x, StagedArray) else []


def size_at(x: StagedArray, axis: int) -> Value:
    """The i64 value of a size, its axis counted from the end."""
    return size_operand(x, axis % x.ndim)


def all_equal(values: list[Value], wanted: Value) -> Value:
    """Whether all values are this one."""
    good = constant(np.bool_(True))
    for value in values:
        good = emit("logical_and", good, emit("equal", value, wanted).result).result
    return good
