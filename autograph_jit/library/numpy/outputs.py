"""What NumPy asks of an output before it computes: that it is an array, may be written, takes the dtype, has the shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Value
from autograph_jit.tracing.arrays.array_like import as_array, size_operand
from autograph_jit.tracing.arrays.register import NO_VALUE, refuse
from autograph_jit.tracing.arrays.views import broadcast_shape
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, check
from autograph_jit.tracing.values.shape_checks import MISFIT, Shape, are_fitting, shape_of, shape_texts
from autograph_jit.tracing.values.trace import constant, emit


def writable_outputs(targets: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs of a ufunc as staged arrays; NumPy looks at them before it looks at anything else."""
    refuse(any(isinstance(target, StagedObject) for target in targets))
    for target in targets:
        if target is not None and not isinstance(target, (StagedArray, np.ndarray)):
            raise TypeError("return arrays must be of ArrayType")
        if target is not None and not as_array(target).writeable:
            raise ValueError("output array is read-only")
    return tuple(None if target is None else as_array(target) for target in targets)


def expect_castable(ufunc: np.ufunc, found: tuple[np.dtype, ...], targets: tuple[Any, ...]) -> None:
    """The outputs take what a ufunc gives, by the casting rule same_kind; NumPy asks that before it looks at shapes."""
    for place, (dtype, target) in enumerate(zip(found, targets), ufunc.nin):
        if target is not None and not np.can_cast(dtype, target.dtype, "same_kind"):
            raise casting_error(ufunc, dtype, target.dtype, place)


def casting_error(ufunc: np.ufunc, found: np.dtype, wanted: np.dtype, place: int) -> Exception:
    """NumPy's own UFuncTypeError for an output that cannot be cast."""
    try:
        return np._core._exceptions._UFuncOutputCastingError(  # type: ignore[attr-defined]
            ufunc, "same_kind", found, wanted, place
        )
    except AttributeError:
        text = f"Cannot cast ufunc '{ufunc.__name__}' output from {found!r} to {wanted!r} with casting rule 'same_kind'"
        return TypeError(text)


def expect_outputs_fit(targets: tuple[Any, ...], operands: tuple[Any, ...], where: Any) -> None:
    """NumPy's errors for outputs that do not fit the operands of a ufunc."""
    found = [target for target in targets if target is not None]
    for target in found:
        expect_output_fits(target, operands, where, [*operands, *found])


def expect_output(out: Any, sizes: Shape, text: str | None = None, axes: tuple[int, ...] = ()) -> None:
    """The output of a function that is no ufunc, before its other arguments are looked at: what is not known to have these sizes is
    checked by the run, with NumPy's text for a reduction of `axes` where there is no other; all other faults NumPy finds itself."""
    (out,) = out if isinstance(out, tuple) else (out,)
    if out is None or out is NO_VALUE:
        return
    refuse(not isinstance(out, (StagedArray, np.ndarray)))
    target = as_array(out)
    left = [size for axis, size in enumerate(sizes) if axis not in axes]
    refuse(not target.writeable, target.ndim != len(left))
    unequal = [(size_operand(target, k), value) for k, (size, value) in enumerate(left) if size != target.type.dims[k]]
    if not unequal:
        return
    refuse(any(1 in (size, target.type.dims[k]) for k, (size, _) in enumerate(left) if size != target.type.dims[k]))  # one is stretched
    (given, whole), payload = shape_texts([shape_of(target.value), sizes])
    if text is None:
        parts = iter(given.strip("(),").split(","))
        remapped = ["newaxis" if axis in axes else next(parts) for axis in range(len(sizes))]
        first = next(k for k, part in enumerate(remapped) if part != "newaxis")
        placed = ",".join(remapped[first:])
        text = f"operands could not be broadcast together with remapped shapes [original->remapped]: {given}->({placed}) {whole} "
    else:
        payload = []
    check(all_pairs_equal(unequal), ValueError, text, *payload)


def expect_reduced(out: Any, x: StagedArray, axes: tuple[int, ...], keepdims: bool = False, text: str | None = None) -> None:
    """The output of a reduction of some axes, where one is given."""
    if out is not None and out is not NO_VALUE:
        refuse(keepdims)
        expect_output(out, shape_of(x.value), text, axes)


def all_pairs_equal(pairs: list[tuple[Value, Value]]) -> Value:
    """Whether the two of each pair are equal."""
    good = constant(np.bool_(True))
    for first, second in pairs:
        good = emit("logical_and", good, emit("equal", first, second).result).result
    return good


def expect_output_fits(target: StagedArray, operands: tuple[Any, ...], where: Any, named: list[Any]) -> None:
    """NumPy's errors for an output that does not fit, at once where the trace knows, otherwise by checks of the run."""
    arrays = [x for x in (*operands, where) if isinstance(x, StagedArray)]
    named = named if where is True else [*named, where]
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
    return all_pairs_equal([(value, wanted) for value in values])
