"""Derivatives of NumPy's matrix factorizations.

LAPACK reads one triangle of a Hermitian matrix, so the cotangent of the matrix stands in that triangle alone. Eigenvectors and singular
vectors of complex matrices are differentiated for functions that do not depend on their phases; equal eigenvalues or singular values give
zero for what depends on the choice of their vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.derivative import Unsupported, unsupported
from autograph_jit.ops.derivatives import conjugated, is_complex, total
from autograph_jit.ops.derivatives_triangles import (
    adjoint,
    column,
    diagonal_of,
    diagonal_vector,
    from_triangle,
    half_triangle,
    inverse_gaps,
    mirrored,
    real_part,
    row,
    to_triangle,
)

UPPER = unsupported("cholesky with upper=True has no derivative rule; take the adjoint of the lower factor")
FULL = unsupported("singular vectors of the full SVD have no derivative; pass full_matrices=False")
QR_MODE = unsupported('qr has a derivative for mode="reduced" and mode="r" only')


def cholesky_vjp(ct: Any, low: Any, a: Any, upper: bool = False) -> tuple[Any] | Unsupported:
    """Murray, Differentiation of the Cholesky decomposition, 2016."""
    if upper:
        return UPPER
    middle = mirrored(np.matmul(adjoint(low), np.tril(ct))) / 2
    left = np.linalg.solve(adjoint(low), middle)
    return (to_triangle(adjoint(np.linalg.solve(adjoint(low), adjoint(left))), True),)


def cholesky_jvp(tangents: tuple[Any], low: Any, a: Any, upper: bool = False) -> Any:
    """L times the half triangle of L^-1 dA L^-H."""
    if upper:
        return UPPER
    left = np.linalg.solve(low, from_triangle(tangents[0], True))
    return np.matmul(low, half_triangle(adjoint(np.linalg.solve(low, adjoint(left)))))


def eigh_vjp(ct: tuple[Any, Any], result: tuple[Any, Any], a: Any, UPLO: str = "L") -> tuple[Any]:
    """Eigenvalues, then eigenvectors."""
    (by_w, by_v), (w, v) = ct, result
    parts = [] if by_w is None else [np.matmul(v * row(by_w), adjoint(v))]
    if by_v is not None:
        inner = inverse_gaps(w) * np.matmul(adjoint(v), by_v)
        parts.append(np.matmul(np.matmul(v, inner), adjoint(v)))
    return (to_triangle(total(parts), UPLO.upper() == "L") if parts else None,)


def eigh_jvp(tangents: tuple[Any], result: tuple[Any, Any], a: Any, UPLO: str = "L") -> tuple[Any, Any]:
    """First-order perturbation."""
    w, v = result
    inner = np.matmul(np.matmul(adjoint(v), from_triangle(tangents[0], UPLO.upper() == "L")), v)
    return real_part(diagonal_vector(inner)), np.matmul(v, inverse_gaps(w) * inner)


def eigvalsh_vjp(ct: Any, w: Any, a: Any, UPLO: str = "L") -> tuple[Any]:
    """By the eigenvectors."""
    _, v = np.linalg.eigh(a, UPLO)
    return eigh_vjp((ct, None), (w, v), a, UPLO)


def eigvalsh_jvp(tangents: tuple[Any], w: Any, a: Any, UPLO: str = "L") -> Any:
    """By the eigenvectors."""
    _, v = np.linalg.eigh(a, UPLO)
    return real_part(diagonal_vector(np.matmul(np.matmul(adjoint(v), from_triangle(tangents[0], UPLO.upper() == "L")), v)))


def svd_gaps(s: Any) -> Any:
    """1 / (s[j]^2 - s[i]^2) at [i, j]; 0 where they are equal."""
    both = row(s) + column(s)
    return inverse_gaps(s) / np.where(both == 0, 1, both)


def beside(x: Any, basis: Any) -> Any:
    """The part of x across the columns of the basis."""
    return x - np.matmul(basis, np.matmul(adjoint(basis), x))


def reduced_svd_vjp(ct: tuple[Any, Any, Any], u: Any, s: Any, v: Any) -> Any:
    """The adjoint of `reduced_svd_jvp`; `ct` are those of u, s and v."""
    by_u, by_s, by_v = ct
    inner, outer = [], []
    if by_s is not None:
        inner.append(diagonal_of(column(by_s) * np.ones_like(row(s))))
    if by_u is not None:
        turned = np.matmul(adjoint(u), by_u)
        weighted = svd_gaps(s) * turned
        inner.append((weighted + adjoint(weighted)) * row(s))
        if is_complex(u):
            inner.append(diagonal_of(turned - adjoint(turned)) / (2 * column(s)))
        outer.append(np.matmul(beside(by_u, u) / row(s), adjoint(v)))
    if by_v is not None:
        weighted = svd_gaps(s) * np.matmul(adjoint(v), by_v)
        inner.append(column(s) * (weighted + adjoint(weighted)))
        outer.append(np.matmul(u, adjoint(beside(by_v, v) / row(s))))
    return total([np.matmul(np.matmul(u, total(inner)), adjoint(v)), *outer]) if inner else None


def reduced_svd_jvp(t: Any, u: Any, s: Any, v: Any) -> tuple[Any, Any, Any]:
    """Tangents of u, s and v."""
    inner = np.matmul(np.matmul(adjoint(u), t), v)
    by_columns, by_rows = inner * row(s), column(s) * inner
    along_u = svd_gaps(s) * (by_columns + adjoint(by_columns))
    if is_complex(u):
        along_u = along_u + diagonal_of(inner - adjoint(inner)) / (2 * column(s))
    along_v = svd_gaps(s) * (by_rows + adjoint(by_rows))
    return (
        np.matmul(u, along_u) + beside(np.matmul(t, v), u) / row(s),
        real_part(diagonal_vector(inner)),
        np.matmul(v, along_v) + beside(np.matmul(adjoint(t), u), v) / row(s),
    )


def svd_vjp(ct: Any, result: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """The reduced SVD, or the singular values of any."""
    if not compute_uv:
        return svdvals_vjp(ct, result, a)
    by_u, by_s, by_vh = ct
    if full_matrices:
        return FULL if by_u is not None or by_vh is not None else svdvals_vjp(by_s, result[1], a)
    u, s, vh = result
    return (reduced_svd_vjp((by_u, by_s, None if by_vh is None else adjoint(by_vh)), u, s, adjoint(vh)),)


def svd_jvp(tangents: tuple[Any], result: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """The reduced SVD, or the singular values."""
    if not compute_uv:
        return svdvals_jvp(tangents, result, a)
    if full_matrices:
        return FULL
    u, s, vh = result
    along_u, along_s, along_v = reduced_svd_jvp(tangents[0], u, s, adjoint(vh))
    return along_u, along_s, adjoint(along_v)


def svdvals_vjp(ct: Any, s: Any, a: Any) -> tuple[Any]:
    """By the singular vectors."""
    if ct is None:
        return (None,)
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return (np.matmul(u * row(ct), vh),)


def svdvals_jvp(tangents: tuple[Any], s: Any, a: Any) -> Any:
    """By the singular vectors."""
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return real_part(np.sum(conjugated(u) * np.matmul(tangents[0], adjoint(vh)), axis=-2))


def qr_vjp(ct: Any, result: Any, a: Any, mode: str = "reduced") -> Any:
    """Of matrices with at least as many rows as columns; others raise LinAlgError (Roberts and Roberts 2020)."""
    if mode not in ("reduced", "r"):
        return QR_MODE
    q, r = result if mode == "reduced" else np.linalg.qr(a)
    by_q, by_r = ct if mode == "reduced" else (None, ct)
    terms = [] if by_r is None else [np.matmul(r, adjoint(np.triu(by_r)))]
    if by_q is not None:
        terms.append(-np.matmul(adjoint(by_q), q))
    if not terms:
        return (None,)
    inner = np.matmul(q, mirrored(total(terms)))
    return (adjoint(np.linalg.solve(r, adjoint(inner if by_q is None else by_q + inner))),)


def qr_jvp(tangents: tuple[Any], result: Any, a: Any, mode: str = "reduced") -> Any:
    """Of matrices with at least as many rows as columns; others raise LinAlgError."""
    if mode not in ("reduced", "r"):
        return QR_MODE
    q, r = result if mode == "reduced" else np.linalg.qr(a)
    scaled = adjoint(np.linalg.solve(adjoint(r), adjoint(tangents[0])))
    inner = np.matmul(adjoint(q), scaled)
    strict = np.tril(inner, -1)
    turn = strict - adjoint(strict)
    if is_complex(inner):
        turn = turn + diagonal_of(inner - adjoint(inner)) / 2
    along_r = np.matmul(inner - turn, r)
    return along_r if mode == "r" else (np.matmul(q, turn - inner) + scaled, along_r)
