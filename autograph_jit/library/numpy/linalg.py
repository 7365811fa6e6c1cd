"""Products of arrays: matmul, dot, outer, tensordot, einsum, kron, cross, traces and powers, natively."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.dims import lower_bound
from autograph_jit.ir.graph import Value
from autograph_jit.library.numpy.axes import normalize_axis
from autograph_jit.library.numpy.reductions import finish, is_writable, reduce_ufunc
from autograph_jit.tracing.arrays.array_like import as_array, fresh_copy, is_sequence, size_operand, strong, wrap_result
from autograph_jit.tracing.arrays.indexing import numbers_in
from autograph_jit.tracing.arrays.register import FUNCTIONS, NO_VALUE, implements, method, refuse
from autograph_jit.tracing.arrays.views import broadcast_dims, diagonal_view, flat, permute, reshape, shape_text
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, check
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, shape_of
from autograph_jit.tracing.values.trace import constant, emit

SIGNATURE = "(n?,k),(k,m?)->(n?,m?)"
MISMATCH = (
    f"matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {SIGNATURE} (size {{}} is different from {{}})"
)


def promoted(*operands: StagedArray) -> tuple[np.dtype, list[Value]]:
    """The common dtype of arrays and their values in it."""
    dtype = np.result_type(*(x.dtype for x in operands))
    return dtype, [cast(x.value, dtype) for x in operands]


def matmul(x: Any, y: Any) -> Any:
    """`x @ y`."""
    x, y = as_array(x), as_array(y)
    for position, z in enumerate((x, y)):
        if z.ndim == 0:
            raise ValueError(
                f"matmul: Input operand {position} does not have enough dimensions "
                f"(has 0, gufunc core with signature {SIGNATURE} requires 1)"
            )
    inner_x, inner_y = x.type.dims[-1], y.type.dims[-2 if y.ndim > 1 else -1]
    if isinstance(inner_x, int) and isinstance(inner_y, int) and inner_x != inner_y:
        raise ValueError(MISMATCH.format(inner_y, inner_x))
    broadcast_dims([x.type.dims[:-2], y.type.dims[:-2]])
    _, values = promoted(x, y)
    return wrap_result(emit("matmul", *values).result)


def dot_values(x: StagedArray, y: StagedArray) -> Any:
    """`np.dot` for arrays of rank 1 or more: the last axis of x against the last but one of y."""
    if x.ndim <= 2 and y.ndim <= 2 or y.ndim == 1:
        expect_aligned(x, y, max(y.ndim - 2, 0))
        return matmul(x, y)
    expect_aligned(x, y, y.ndim - 2)
    return contract(x, y, [x.ndim - 1], [y.ndim - 2])


def expect_equal(x: StagedArray, one: int, y: StagedArray, other: int, text: Callable[[list[str], list[str]], str]) -> None:
    """Two sizes must agree; `text` makes the message of the sizes of both arrays."""
    if x.type.dims[one] == y.type.dims[other]:
        return
    sizes = [size_operand(z, axis) for z in (x, y) for axis in range(z.ndim)]
    numbers = ["{" + str(position) + "}" for position in range(len(sizes))]
    check(emit("equal", sizes[one], sizes[x.ndim + other]).result, ValueError, text(numbers[: x.ndim], numbers[x.ndim :]), *sizes)


def expect_aligned(x: StagedArray, y: StagedArray, axis: int) -> None:
    """The last size of x is that of an axis of y."""

    def text(of_x: list[str], of_y: list[str]) -> str:
        return f"shapes {shape_text(of_x)} and {shape_text(of_y)} not aligned: {of_x[-1]} (dim {x.ndim - 1}) != {of_y[axis]} (dim {axis})"

    expect_equal(x, x.ndim - 1, y, axis, text)


@implements(np.dot)
def dot(a: Any, b: Any, out: Any = None) -> Any:
    x, y = as_array(a), as_array(b)
    if x.ndim == 0 or y.ndim == 0:
        return finish(language.ufunc(np.multiply, "__call__", (strong(a), strong(b)), {}), out)
    refuse(out is not None and (x.ndim == y.ndim == 1 or not is_writable(out)))  # of vectors NumPy gives a number, not the output
    return finish(dot_values(x, y), out)


@implements(np.inner)
def inner(a: Any, b: Any, /) -> Any:
    x, y = as_array(a), as_array(b)
    if x.ndim == 0 or y.ndim == 0:
        return language.ufunc(np.multiply, "__call__", (strong(a), strong(b)), {})
    turned = permute(y, [*range(y.ndim - 2), y.ndim - 1, y.ndim - 2]) if y.ndim > 1 else y
    return dot_values(x, turned)


@implements(np.vdot)
def vdot(a: Any, b: Any, /) -> Any:
    x, y = flat(as_array(a)), flat(as_array(b))
    expect_equal(x, 0, y, 0, lambda of_x, of_y: f"cannot reshape array of size {of_y[0]} into shape ({of_x[0]},)")
    return matmul(language.ufunc(np.conjugate, "__call__", (x,), {}) if x.dtype.kind == "c" else x, y)


def contract(x: StagedArray, y: StagedArray, axes_x: list[int], axes_y: list[int]) -> Any:
    """The sum over pairs of axes: one matrix product of reshaped arrays."""
    rest_x = [axis for axis in range(x.ndim) if axis not in axes_x]
    rest_y = [axis for axis in range(y.ndim) if axis not in axes_y]
    shape_x, shape_y = shape_of(x), shape_of(y)
    expect_contractible(x, y, axes_x, axes_y)
    left = reshape(permute(x, rest_x + axes_x), (times(shape_x, rest_x), times(shape_x, axes_x)))
    right = reshape(permute(y, axes_y + rest_y), (times(shape_y, axes_y), times(shape_y, rest_y)))
    result = matmul(left, right)
    return reshape(as_array(result), tuple(shape_x[axis] for axis in rest_x) + tuple(shape_y[axis] for axis in rest_y))


def times(shape: tuple[Any, ...], axes: list[int]) -> Any:
    """The product of some sizes."""
    total: Any = 1
    for axis in axes:
        total = shape[axis] if isinstance(total, int) and total == 1 else total * shape[axis]
    return total


def expect_contractible(x: StagedArray, y: StagedArray, axes_x: list[int], axes_y: list[int]) -> None:
    """The summed axes must agree in size."""
    for one, other in zip(axes_x, axes_y, strict=True):
        size, wanted = x.type.dims[one], y.type.dims[other]
        if size == wanted:
            continue
        if isinstance(size, int) and isinstance(wanted, int):
            raise ValueError("shape-mismatch for sum")
        check(emit("equal", size_operand(x, one), size_operand(y, other)).result, ValueError, "shape-mismatch for sum")


@implements(np.tensordot)
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    x, y = as_array(a), as_array(b)
    if is_sequence(axes):
        one, other = ([axis] if not is_sequence(axis) else list(axis) for axis in axes)
    else:
        count = axes.__index__()
        one, other = list(range(x.ndim - count, x.ndim)), list(range(count))
    if len(one) != len(other):
        raise ValueError("shape-mismatch for sum")
    return contract(x, y, [normalize_axis(axis, x.ndim) for axis in one], [normalize_axis(axis, y.ndim) for axis in other])


@implements(np.trace)
@method("trace")
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    x = as_array(a)
    if x.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    places = [normalize_axis(numbers_in(axis), x.ndim) for axis in (axis1, axis2)]
    view = diagonal_view(x, numbers_in(offset), *places)
    return reduce_ufunc(np.add, view, -1, dtype, out, False, NO_VALUE, True)


@implements(np.cross)
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    x, y = vectors_last(a, axisa, "axisa"), vectors_last(b, axisb, "axisb")
    expect_three(x, y)
    x0, x1, x2 = (x[..., k] if x.ndim > 1 else x[k] for k in range(3))
    y0, y1, y2 = (y[..., k] if y.ndim > 1 else y[k] for k in range(3))
    parts = [x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0]
    if x.ndim == y.ndim == 1:
        return language.numpy(np.array, (parts,), {})
    rank = max(x.ndim, y.ndim)
    place = normalize_axis(numbers_in(axisc), rank, "axisc")
    made = language.numpy(np.stack, (parts,), {"axis": -1})
    return made if place == rank - 1 else permute(made, [*range(place), rank - 1, *range(place, rank - 1)])


def vectors_last(a: Any, axis: Any, name: str) -> StagedArray:
    """An operand of a cross product with its vectors along the last axis."""
    x = as_array(a)
    refuse(x.ndim == 0)
    place = normalize_axis(numbers_in(axis), x.ndim, name)
    return x if place == x.ndim - 1 else permute(x, [k for k in range(x.ndim) if k != place] + [place])


def expect_three(x: StagedArray, y: StagedArray) -> None:
    """The vectors of a cross product have three components."""
    refuse(any(z.ndim == 0 or (isinstance(z.type.dims[-1], int) and z.type.dims[-1] != 3) for z in (x, y)))
    sizes = [size_operand(z, z.ndim - 1) for z in (x, y)]
    text = "Both input arrays must be (arrays of) 3-dimensional vectors, but they are {0} and {1} dimensional instead."
    for z, size in zip((x, y), sizes):
        if z.type.dims[-1] != 3:
            check(emit("equal", size, constant(np.int64(3))).result, ValueError, text, *sizes)


@implements(np.linalg.matrix_power)
def matrix_power(a: Any, n: Any) -> Any:
    x = as_array(a)
    refuse(isinstance(n, StagedScalar) or not 1 <= n <= 64, x.ndim < 2)
    result: Any = None
    power = x
    while n:
        if n & 1:
            result = power if result is None else matmul(result, power)
        n >>= 1
        power = matmul(power, power) if n else power
    return fresh_copy(result) if result is x else result


@implements(np.linalg.norm)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """The Euclidean norm, and the vector norms 1, 2 and inf; the rest is NumPy's business."""
    a = as_array(x)
    refuse(a.ndim == 0, not isinstance(keepdims, bool | np.bool_), bool(keepdims) and not isinstance(axis, int | np.integer))
    if a.dtype.kind not in "fc":
        a = array(cast(a.value, np.dtype(np.float64)))
    if ord is None and axis is None:
        return euclidean(flat(a), None)
    vector = a.ndim == 1 if axis is None else isinstance(axis, (int, np.integer))
    if not vector:
        refuse(axis is not None or a.ndim != 2)
        return matrix_norm(a, ord)
    refuse(ord not in (None, 1, 2, np.inf, -np.inf))
    if ord in (None, 2):
        return euclidean(a, axis, keepdims)
    return folded(np.add if ord == 1 else np.maximum if ord > 0 else np.minimum, magnitude_of(a), axis, keepdims)


def magnitude_of(a: StagedArray) -> StagedArray:
    """The absolute values."""
    return as_array(language.ufunc(np.absolute, "__call__", (a,), {}))


def folded(ufunc: np.ufunc, a: StagedArray, axis: Any, keepdims: Any = False) -> Any:
    """A reduction; extrema of nothing are left to NumPy, which knows what the norm of nothing is."""
    axes = a.type.dims if axis is None else (a.type.dims[axis],)
    refuse(ufunc is not np.add and any((lower_bound(size) or 0) < 1 for size in axes))
    return reduce_ufunc(ufunc, a, axis, None, None, keepdims, NO_VALUE, True)


def euclidean(a: StagedArray, axis: Any, keepdims: Any = False) -> Any:
    """The square root of the sum of squares."""
    if axis is None and a.dtype.kind == "f":
        return root(matmul(a, a))
    a = magnitude_of(a) if a.dtype.kind == "c" else a
    return root(folded(np.add, as_array(language.ufunc(np.multiply, "__call__", (a, a), {})), axis, keepdims))


def root(squares: Any) -> Any:
    """The square root, whose slope at 0 counts as 0."""
    zero, one = (constant(squares.value.type.dtype.type(number)) for number in (0, 1))
    is_zero = emit("equal", squares.value, zero).result
    positive = emit("where", is_zero, one, squares.value).result
    return wrap_result(emit("where", is_zero, zero, emit("sqrt", positive).result).result)


def matrix_norm(a: StagedArray, ord: Any) -> Any:
    """Norms of a matrix that need no singular values."""
    if ord == "fro":
        return euclidean(flat(a), None)
    refuse(ord not in (1, -1, np.inf, -np.inf))
    sums = folded(np.add, magnitude_of(a), 0 if ord in (1, -1) else 1)
    return folded(np.maximum if ord > 0 else np.minimum, sums, None)


@implements(np.linalg.multi_dot)
def multi_dot(arrays: Any, *, out: Any = None) -> Any:
    refuse(len(arrays) < 2)
    result = as_array(arrays[0])
    for x in arrays[1:]:
        result = dot(result, x)
    return finish(result, out)


FUNCTIONS[np.matmul] = matmul
