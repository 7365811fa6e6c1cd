"""Derivatives of NumPy's solvers, inverses and determinants (Giles, An extended collection of matrix derivative results, 2008)."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ops.derivatives.shared import conjugated, total_of_terms
from autograph_jit.ops.derivatives.triangles import adjoint, column, identity_like, real_part, row


def as_matrix(x: Any, like: Any) -> Any:
    """A vector as a matrix of one column where `like` is a vector."""
    return column(x) if np.ndim(like) == 1 else x


def as_given(x: Any, like: Any) -> Any:
    """The column as a vector again where `like` is one."""
    return x[..., 0] if np.ndim(like) == 1 else x


def solve_vjp(ct: Any, x: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """x = a^-1 b: one more solve, with the adjoint."""
    by_b = np.linalg.solve(adjoint(a), as_matrix(ct, b))
    return -np.matmul(by_b, adjoint(as_matrix(x, b))), as_given(by_b, b)


def solve_jvp(tangents: tuple[Any, Any], x: Any, a: Any, b: Any) -> Any:
    """a dx = db - da x."""
    along_a, along_b = tangents
    terms = [] if along_b is None else [as_matrix(along_b, b)]
    if along_a is not None:
        terms.append(-np.matmul(along_a, as_matrix(x, b)))
    return as_given(np.linalg.solve(a, total_of_terms(terms)), b)


def inv_vjp(ct: Any, r: Any, a: Any) -> tuple[Any]:
    """-r^H ct r^H."""
    return (-np.matmul(np.matmul(adjoint(r), ct), adjoint(r)),)


def inv_jvp(tangents: tuple[Any], r: Any, a: Any) -> Any:
    """-r da r."""
    return -np.matmul(np.matmul(r, tangents[0]), r)


def trace_of_product(x: Any, y: Any) -> Any:
    """The trace of x @ y."""
    return np.sum(x * np.swapaxes(y, -1, -2), axis=(-2, -1))


def spread(x: Any) -> Any:
    """A number for each matrix of a stack, to be multiplied with the matrices."""
    return np.expand_dims(x, (-2, -1)) if np.ndim(x) else x


def det_vjp(ct: Any, r: Any, a: Any) -> tuple[Any]:
    """ct det a^-H; a singular matrix raises LinAlgError."""
    return (spread(ct * conjugated(r)) * adjoint(np.linalg.inv(a)),)


def det_jvp(tangents: tuple[Any], r: Any, a: Any) -> Any:
    """det tr(a^-1 da)."""
    return r * trace_of_product(np.linalg.inv(a), tangents[0])


def slogdet_vjp(ct: tuple[Any, Any], result: tuple[Any, Any], a: Any) -> tuple[Any]:
    """Of log |det| and, for complex matrices, of the phase."""
    by_sign, by_log = ct
    sign, _ = result
    weights = [] if by_log is None else [by_log]
    if by_sign is not None and np.iscomplexobj(a):
        weights.append(1j * np.real(conjugated(by_sign) * 1j * sign))
    return (spread(total_of_terms(weights)) * adjoint(np.linalg.inv(a)) if weights else None,)


def slogdet_jvp(tangents: tuple[Any], result: tuple[Any, Any], a: Any) -> tuple[Any, Any]:
    """The trace of a^-1 da: its real part moves the logarithm, its imaginary part turns the sign."""
    slope = trace_of_product(np.linalg.inv(a), tangents[0])
    return (1j * result[0] * np.imag(slope) if np.iscomplexobj(a) else None), real_part(slope)


def lstsq_vjp(ct: tuple[Any, ...], result: tuple[Any, ...], a: Any, b: Any, rcond: Any = None) -> tuple[Any, Any]:
    """The solution of full rank, the sums of squared residuals, the singular values."""
    by_x, by_residuals, _, by_s = ct
    x, p = as_matrix(result[0], b), np.linalg.pinv(a)
    residual = as_matrix(b, b) - np.matmul(a, x)
    by_a, by_b = [], []
    if by_x is not None:
        by_x = as_matrix(by_x, b)
        back = np.matmul(adjoint(p), by_x)
        by_b.append(back)
        free = by_x - np.matmul(p, np.matmul(a, by_x))
        by_a.append(-np.matmul(back, adjoint(x)))
        by_a.append(np.matmul(residual, adjoint(np.matmul(p, back))) + np.matmul(np.matmul(adjoint(p), x), adjoint(free)))
    if by_residuals is not None:
        padding = real_part(np.zeros_like(x[0]))  # there are no sums of residuals where equations are not more than unknowns
        weighted = 2 * residual * np.concatenate([by_residuals, padding])[: np.shape(x)[1]]
        by_b.append(weighted)
        by_a.append(-np.matmul(weighted, adjoint(x)))
    if by_s is not None:
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        by_a.append(np.matmul(u * row(by_s), vh))
    return (total_of_terms(by_a) if by_a else None, as_given(total_of_terms(by_b), b) if by_b else None)


def lstsq_jvp(tangents: tuple[Any, Any], result: tuple[Any, ...], a: Any, b: Any, rcond: Any = None) -> tuple[Any, ...]:
    """The solution of full rank, the sums of squared residuals, the singular values."""
    along_a, along_b = tangents
    x, p = as_matrix(result[0], b), np.linalg.pinv(a)
    residual = as_matrix(b, b) - np.matmul(a, x)
    pushed = [] if along_b is None else [as_matrix(along_b, b)]
    if along_a is not None:
        pushed.append(-np.matmul(along_a, x))
    right = total_of_terms(pushed)
    along_x = np.matmul(p, right)
    if along_a is not None:
        back = adjoint(along_a)
        along_x = along_x + np.matmul(p, np.matmul(adjoint(p), np.matmul(back, residual)))
        free = np.matmul(back, np.matmul(adjoint(p), x))
        along_x = along_x + free - np.matmul(p, np.matmul(a, free))
    along_residuals = 2 * np.sum(real_part(conjugated(residual) * right), axis=0)
    along_s = None
    if along_a is not None:
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        along_s = real_part(np.sum(conjugated(u) * np.matmul(along_a, adjoint(vh)), axis=-2))
    return as_given(along_x, b), along_residuals[: np.shape(result[1])[0]], None, along_s


def pinv_vjp(ct: Any, p: Any, a: Any, rcond: Any = None, hermitian: bool = False, rtol: Any = None) -> tuple[Any]:
    """Golub and Pereyra 1973, the adjoint; the rank is taken to stay."""
    q, g = adjoint(p), adjoint(ct)
    first = np.matmul(q, np.matmul(ct, q))
    second = np.matmul(g, np.matmul(p, q))
    third = np.matmul(np.matmul(q, p), g)
    return (second - np.matmul(a, np.matmul(p, second)) + third - np.matmul(np.matmul(third, p), a) - first,)


def pinv_jvp(tangents: tuple[Any], p: Any, a: Any, rcond: Any = None, hermitian: bool = False, rtol: Any = None) -> Any:
    """Golub and Pereyra 1973; the rank is taken to stay."""
    (t,) = tangents
    q, back = adjoint(p), adjoint(t)
    second = np.matmul(np.matmul(p, q), back)
    third = np.matmul(back, np.matmul(q, p))
    first = np.matmul(p, np.matmul(t, p))
    return second - np.matmul(np.matmul(second, a), p) + third - np.matmul(p, np.matmul(a, third)) - first


def matrix_powers(a: Any, n: int) -> list[Any]:
    """The powers 0 to n - 1."""
    powers = [identity_like(a)]
    for _ in range(n - 1):
        powers.append(np.matmul(powers[-1], a))
    return powers


def matrix_power_vjp(ct: Any, r: Any, a: Any, n: int) -> tuple[Any]:
    """The sum of a^k^H ct a^(n-1-k)^H."""
    if n < 0:
        inverse = np.linalg.inv(a)
        return inv_vjp(matrix_power_vjp(ct, r, inverse, -n)[0], inverse, a)
    if n == 0:
        return (None,)
    powers = matrix_powers(a, n)
    return (total_of_terms([np.matmul(np.matmul(adjoint(powers[k]), ct), adjoint(powers[n - 1 - k])) for k in range(n)]),)


def matrix_power_jvp(tangents: tuple[Any], r: Any, a: Any, n: int) -> Any:
    """The sum of a^k da a^(n-1-k)."""
    if n < 0:
        inverse = np.linalg.inv(a)
        return matrix_power_jvp((inv_jvp(tangents, inverse, a),), r, inverse, -n)
    if n == 0:
        return None
    powers = matrix_powers(a, n)
    return total_of_terms([np.matmul(np.matmul(powers[k], tangents[0]), powers[n - 1 - k]) for k in range(n)])
