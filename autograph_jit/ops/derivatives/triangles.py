"""Parts of matrices that rules for factorizations share: adjoints, triangles, Hermitian matrices stored in one triangle, gaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ops.derivatives.shared import conjugated, is_complex


def adjoint(x: Any) -> Any:
    """The conjugate transpose of the last two axes."""
    return np.swapaxes(conjugated(x), -1, -2)


def real_part(x: Any) -> Any:
    """The real part; real values as they are."""
    return np.real(x) if is_complex(x) else x


def column(x: Any) -> Any:
    """A vector, or a stack of them, as matrices of one column."""
    return np.expand_dims(x, -1)


def row(x: Any) -> Any:
    """A vector, or a stack of them, as matrices of one row; multiplies the columns of a matrix."""
    return np.expand_dims(x, -2)


def identity_like(x: Any) -> Any:
    """The identity matrix for each matrix of a stack."""
    return np.tril(np.triu(np.ones_like(x)))


def diagonal_of(x: Any) -> Any:
    """The matrix with all but its diagonal set to zero."""
    return np.tril(np.triu(x))


def diagonal_vector(x: Any) -> Any:
    """The diagonal of square matrices."""
    return np.sum(diagonal_of(x), axis=-1)


def half_triangle(x: Any) -> Any:
    """The lower triangle with half the diagonal."""
    return np.tril(x) - diagonal_of(x) / 2


def from_triangle(t: Any, lower: bool) -> Any:
    """The Hermitian matrix that LAPACK reads in one triangle: the other, and the imaginary part of the diagonal, do not count."""
    strict = np.tril(t, -1) if lower else np.triu(t, 1)
    return strict + adjoint(strict) + diagonal_of(real_part(t))


def to_triangle(ct: Any, lower: bool) -> Any:
    """The adjoint of `from_triangle`."""
    both = ct + adjoint(ct)
    return (np.tril(both, -1) if lower else np.triu(both, 1)) + diagonal_of(real_part(ct))


def mirrored(x: Any) -> Any:
    """The Hermitian matrix whose lower triangle is that of x."""
    return from_triangle(x, True)


def inverse_gaps(w: Any) -> Any:
    """1 / (w[j] - w[i]) at [i, j]; 0 where they are equal: what depends on a choice among equal values has no derivative."""
    gaps = row(w) - column(w)
    return np.where(gaps == 0, 0, 1 / np.where(gaps == 0, 1, gaps))
