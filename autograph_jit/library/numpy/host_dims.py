"""Size labels of what linear algebra and Fourier transforms give: one entry for each array result, None where only the run knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.dims import Size, broadcast_size
from autograph_jit.tracing.values.abstract import StagedArray

Dims = tuple[Size, ...]
Known = list[Dims | None] | None


def dims_of(x: Any) -> Dims:
    """The size labels of an argument."""
    return x.type.dims if isinstance(x, StagedArray) else np.shape(x) if isinstance(x, np.ndarray) else ()


def smaller(x: Size, y: Size) -> Size | None:
    """The lesser of two sizes, where it is known."""
    if x == y:
        return x
    return min(x, y) if isinstance(x, int) and isinstance(y, int) else None


def complete(*parts: Any) -> Dims | None:
    """Dims of batch and sizes; None where one of them is not known."""
    return None if any(part is None for part in parts) else tuple(parts)


def square_dims(a: Any, *options: Any, **named: Any) -> Known:
    """A square matrix of the same size, or a stack of them."""
    dims = dims_of(a)
    return [dims] if len(dims) >= 2 else None


def batch_dims(a: Any) -> Known:
    """A number for each matrix of a stack."""
    dims = dims_of(a)
    return [dims[:-2]] if len(dims) > 2 else None


def slogdet_dims(a: Any) -> Known:
    """Sign and logarithm for each matrix of a stack."""
    found = batch_dims(a)
    return None if found is None else found * 2


def solution_dims(a: Any, b: Any) -> Known:
    """The unknowns have the shape of the right side; stacks of both broadcast."""
    left, right = dims_of(a), dims_of(b)
    if len(left) == 2 and len(right) == 1:
        return [right]
    if len(left) < 2 or len(right) < 2:
        return None
    rank = max(len(left), len(right)) - 2
    batches = [(1,) * (rank + 2 - len(dims)) + dims[:-2] for dims in (left, right)]
    return [complete(*(broadcast_size(x, y) for x, y in zip(*batches)), left[-1], right[-1])]


def inverse_dims(a: Any, *options: Any, **named: Any) -> Known:
    """The pseudoinverse has the transposed shape."""
    dims = dims_of(a)
    return [(*dims[:-2], dims[-1], dims[-2])] if len(dims) >= 2 else None


def lstsq_dims(a: Any, b: Any, rcond: Any = None) -> Known:
    """Solution, sums of residuals, rank, singular values."""
    left, right = dims_of(a), dims_of(b)
    if len(left) != 2 or not right:
        return None
    return [(left[1], *right[1:]), None, complete(smaller(*left))]


def eigenvalue_dims(a: Any, *options: Any, **named: Any) -> Known:
    """Eigenvalues, then eigenvectors where they are asked for."""
    dims = dims_of(a)
    return [dims[:-1], dims] if len(dims) >= 2 else None


def svd_dims(a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Known:
    """Left vectors, values, right vectors."""
    *batch, rows, columns = dims_of(a)
    count = smaller(rows, columns)
    values = complete(*batch, count)
    if not compute_uv:
        return [values]
    if full_matrices:
        return [(*batch, rows, rows), values, (*batch, columns, columns)]
    return [complete(*batch, rows, count), values, complete(*batch, count, columns)]


def qr_dims(a: Any, mode: Any = "reduced") -> Known:
    """The orthonormal factor, then the triangular one."""
    *batch, rows, columns = dims_of(a)
    count = smaller(rows, columns)
    if mode == "r":
        return [complete(*batch, count, columns)]
    if mode == "complete":
        return [(*batch, rows, rows), (*batch, rows, columns)]
    return [complete(*batch, rows, count), complete(*batch, count, columns)] if mode == "reduced" else None


def transform_dims(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Known:
    """A Fourier transform keeps the shape, with the length that is given."""
    return resized(dims_of(a), axis, None if n is None else n)


def half_transform_dims(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Known:
    """The spectrum of a real signal has half the length."""
    dims = dims_of(a)
    size = dims[axis] if n is None else n
    return resized(dims, axis, size // 2 + 1 if isinstance(size, int) else "run")


def from_half_dims(a: Any, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Known:
    """A real signal from half of its spectrum."""
    dims = dims_of(a)
    return resized(dims, axis, (dims[axis] - 1) * 2 if n is None else n)


def resized(dims: Dims, axis: int, size: Any) -> Known:
    """Dims with another size along an axis; None keeps it."""
    if size is None:
        return [dims]
    axis = axis % len(dims)
    return [(*dims[:axis], size, *dims[axis + 1 :])] if isinstance(size, int) else None


def transform_of_axes_dims(a: Any, s: Any = None, axes: Any = None, norm: Any = None, out: Any = None) -> Known:
    """A transform over several axes keeps the shape unless sizes are given."""
    return [dims_of(a)] if s is None else None


def norm_dims(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Known:
    """The axes of the norm are dropped, or of size 1."""
    dims = dims_of(x)
    axes = {k % len(dims) for k in (range(len(dims)) if axis is None else axis if isinstance(axis, tuple) else (axis,))}
    if keepdims:
        return [tuple(1 if k in axes else size for k, size in enumerate(dims))]
    return [tuple(size for k, size in enumerate(dims) if k not in axes)]


RESULT_DIMS: dict[Any, Callable[..., Known]] = {
    np.linalg.solve: solution_dims,
    np.linalg.inv: square_dims,
    np.linalg.det: batch_dims,
    np.linalg.slogdet: slogdet_dims,
    np.linalg.pinv: inverse_dims,
    np.linalg.matrix_power: square_dims,
    np.linalg.lstsq: lstsq_dims,
    np.linalg.cholesky: square_dims,
    np.linalg.eigvalsh: eigenvalue_dims,
    np.linalg.eigh: eigenvalue_dims,
    np.linalg.eigvals: eigenvalue_dims,
    np.linalg.eig: eigenvalue_dims,
    np.linalg.svd: svd_dims,
    np.linalg.qr: qr_dims,
    np.linalg.norm: norm_dims,
    np.fft.fft: transform_dims,
    np.fft.ifft: transform_dims,
    np.fft.rfft: half_transform_dims,
    np.fft.irfft: from_half_dims,
    np.fft.fft2: transform_of_axes_dims,
    np.fft.ifft2: transform_of_axes_dims,
    np.fft.fftn: transform_of_axes_dims,
    np.fft.ifftn: transform_of_axes_dims,
}
