"""Derivatives of NumPy's matrix factorizations.

LAPACK reads one triangle of a Hermitian matrix, so the cotangent of the matrix stands in that triangle alone. Eigenvectors and singular
vectors of complex matrices are differentiated for functions that do not depend on their phases; equal eigenvalues or singular values give
zero for what depends on the choice of their vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.derivative import unsupported
from autograph_jit.ops.derivatives.shared import conjugated, is_complex, total_of_terms
from autograph_jit.ops.derivatives.triangles import (
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

RAW = unsupported('qr has a derivative for mode="reduced", "complete" and "r" only')


def cholesky_vjp(ct: Any, low: Any, a: Any, upper: bool = False) -> tuple[Any]:
    """Murray, Differentiation of the Cholesky decomposition, 2016. The upper factor is the adjoint of the lower one of the same matrix,
    which LAPACK then reads in its upper triangle."""
    if upper:
        (below,) = cholesky_vjp(adjoint(ct), adjoint(low), a)
        return (adjoint(below),)
    middle = mirrored(np.matmul(adjoint(low), np.tril(ct))) / 2
    left = np.linalg.solve(adjoint(low), middle)
    return (to_triangle(adjoint(np.linalg.solve(adjoint(low), adjoint(left))), True),)


def cholesky_jvp(tangents: tuple[Any], low: Any, a: Any, upper: bool = False) -> Any:
    """L times the half triangle of L^-1 dA L^-H."""
    if upper:
        return adjoint(cholesky_jvp((adjoint(tangents[0]),), adjoint(low), a))
    left = np.linalg.solve(low, from_triangle(tangents[0], True))
    return np.matmul(low, half_triangle(adjoint(np.linalg.solve(low, adjoint(left)))))


def eigh_vjp(ct: tuple[Any, Any], result: tuple[Any, Any], a: Any, UPLO: Any = "L") -> tuple[Any]:
    """Eigenvalues, then eigenvectors."""
    (by_w, by_v), (w, v) = ct, result
    parts = [] if by_w is None else [np.matmul(v * row(by_w), adjoint(v))]
    if by_v is not None:
        inner = inverse_gaps(w) * np.matmul(adjoint(v), by_v)
        parts.append(np.matmul(np.matmul(v, inner), adjoint(v)))
    return (to_triangle(total_of_terms(parts), UPLO.upper() == "L") if parts else None,)


def eigh_jvp(tangents: tuple[Any], result: tuple[Any, Any], a: Any, UPLO: Any = "L") -> tuple[Any, Any]:
    """First-order perturbation."""
    w, v = result
    inner = np.matmul(np.matmul(adjoint(v), from_triangle(tangents[0], UPLO.upper() == "L")), v)
    return real_part(diagonal_vector(inner)), np.matmul(v, inverse_gaps(w) * inner)


def eigvalsh_vjp(ct: Any, w: Any, a: Any, UPLO: Any = "L") -> tuple[Any]:
    """By the eigenvectors."""
    _, v = np.linalg.eigh(a, UPLO)
    return eigh_vjp((ct, None), (w, v), a, UPLO)


def eigvalsh_jvp(tangents: tuple[Any], w: Any, a: Any, UPLO: Any = "L") -> Any:
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
    return total_of_terms([np.matmul(np.matmul(u, total_of_terms(inner)), adjoint(v)), *outer]) if inner else None


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


def split(u: Any, s: Any) -> tuple[Any, Any]:
    """The columns that belong to singular values, and those that complete the basis; None as two of it."""
    count = np.shape(s)[-1]
    return (None, None) if u is None else (u[..., :count], u[..., count:])


def completion_vjp(ct: Any, basis: Any, rest: Any, s: Any) -> Any:
    """What columns that complete a basis contribute; they turn only as far as the basis makes them."""
    return -np.matmul(rest, np.matmul(adjoint(ct), basis)) / row(s)


def completion_jvp(pushed: Any, basis: Any, rest: Any, s: Any) -> Any:
    """How the columns that complete a basis turn; `pushed` is the tangent of the matrix times the other basis."""
    return -np.matmul(basis, adjoint(np.matmul(adjoint(rest), pushed) / row(s)))


def svd_vjp(ct: Any, result: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular values and vectors; of those that complete a full basis, functions that do not depend on their choice."""
    if not compute_uv:
        return svdvals_vjp(ct, result, a)
    (by_u, by_s, by_vh), (all_u, s, vh) = ct, result
    by_v, all_v = None if by_vh is None else adjoint(by_vh), adjoint(vh)
    (u, rest_u), (v, rest_v), (by_u, by_rest_u), (by_v, by_rest_v) = (split(each, s) for each in (all_u, all_v, by_u, by_v))
    terms = [each for each in [reduced_svd_vjp((by_u, by_s, by_v), u, s, v)] if each is not None]
    if full_matrices and by_rest_u is not None:
        terms.append(np.matmul(completion_vjp(by_rest_u, u, rest_u, s), adjoint(v)))
    if full_matrices and by_rest_v is not None:
        terms.append(np.matmul(u, adjoint(completion_vjp(by_rest_v, v, rest_v, s))))
    return (total_of_terms(terms),)


def svd_jvp(tangents: tuple[Any], result: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular values and vectors; of those that complete a full basis, functions that do not depend on their choice."""
    if not compute_uv:
        return svdvals_jvp(tangents, result, a)
    all_u, s, vh = result
    (u, rest_u), (v, rest_v) = split(all_u, s), split(adjoint(vh), s)
    along_u, along_s, along_v = reduced_svd_jvp(tangents[0], u, s, v)
    if full_matrices:
        along_u = np.concatenate([along_u, completion_jvp(np.matmul(tangents[0], v), u, rest_u, s)], axis=-1)
        along_v = np.concatenate([along_v, completion_jvp(np.matmul(adjoint(tangents[0]), u), v, rest_v, s)], axis=-1)
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
    """Roberts and Roberts 2020: the columns up to the rank are factored, those behind them follow the orthonormal factor. Of the
    columns that complete a basis, functions that do not depend on their choice."""
    if mode not in ("reduced", "complete", "r"):
        return RAW
    q, r = np.linalg.qr(a) if mode == "r" else result
    by_q, by_r = (None, ct) if mode == "r" else ct
    k = rank_of(a)
    if mode == "complete":
        by_q, q, r, by_r = complete_vjp(by_q, q, k), q[..., :k], r[..., :k, :], None if by_r is None else by_r[..., :k, :]
    rest = a[..., k:]
    by_rest = None if by_r is None else np.matmul(q, by_r[..., k:])
    terms = [] if by_q is None else [by_q]
    if by_r is not None:
        terms.append(np.matmul(rest, adjoint(by_r[..., k:])))
    if not terms:
        return (None,)
    found = factored_vjp((total_of_terms(terms), None if by_r is None else by_r[..., :k]), q, r[..., :k])
    return (np.concatenate([found, np.zeros_like(rest) if by_rest is None else by_rest], axis=-1),)


def rank_of(a: Any) -> Any:
    """The lesser of the sizes of a matrix."""
    return np.shape(np.diagonal(a, 0, -2, -1))[-1]


def complete_vjp(by_q: Any, q: Any, k: Any) -> Any:
    """What the columns that complete a basis hand to those before them, which alone make them turn."""
    return None if by_q is None else by_q[..., :k] - np.matmul(q[..., k:], np.matmul(adjoint(by_q[..., k:]), q[..., :k]))


def factored_vjp(ct: tuple[Any, Any], q: Any, r: Any) -> Any:
    """The cotangent of the matrix q r, of at least as many rows as columns."""
    by_q, by_r = ct
    terms = [-np.matmul(adjoint(by_q), q)]
    if by_r is not None:
        terms.append(np.matmul(r, adjoint(np.triu(by_r))))
    inner = np.matmul(q, mirrored(total_of_terms(terms)))
    return adjoint(np.linalg.solve(r, adjoint(by_q + inner)))


def qr_jvp(tangents: tuple[Any], result: Any, a: Any, mode: str = "reduced") -> Any:
    """The columns up to the rank, then those behind them."""
    if mode not in ("reduced", "complete", "r"):
        return RAW
    all_q, all_r = np.linalg.qr(a) if mode == "r" else result
    k = rank_of(a)
    q, r, t = all_q[..., :k], all_r[..., :k, :], tangents[0]
    along_q, along_r = factored_jvp(t[..., :k], q, r[..., :k])
    behind = np.matmul(adjoint(along_q), a[..., k:]) + np.matmul(adjoint(q), t[..., k:])
    along_r = np.concatenate([along_r, behind], axis=-1)
    if mode == "r":
        return along_r
    if mode == "complete":
        rest = all_q[..., k:]
        along_q = np.concatenate([along_q, -np.matmul(q, np.matmul(adjoint(along_q), rest))], axis=-1)
        along_r = np.concatenate([along_r, np.zeros_like(all_r[..., k:, :])], axis=-2)
    return along_q, along_r


def factored_jvp(t: Any, q: Any, r: Any) -> tuple[Any, Any]:
    """The tangents of q and r, of a matrix of at least as many rows as columns."""
    scaled = adjoint(np.linalg.solve(adjoint(r), adjoint(t)))
    inner = np.matmul(adjoint(q), scaled)
    strict = np.tril(inner, -1)
    turn = strict - adjoint(strict)
    if is_complex(inner):
        turn = turn + diagonal_of(inner - adjoint(inner)) / 2
    return np.matmul(q, turn - inner) + scaled, np.matmul(inner - turn, r)
