"""Derivatives of the eigenvalues and eigenvectors of general matrices (Boeddeker et al. 2017); equal eigenvalues have none.

Vectors have length 1 and a phase that is left to the routine: what depends on the phase has no derivative, and none is given for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ops.derivatives.shared import total_of_terms
from autograph_jit.ops.derivatives.triangles import adjoint, diagonal_vector, identity_like, inverse_gaps, row


def eig_vjp(ct: tuple[Any, Any], result: Any, a: Any) -> tuple[Any]:
    """By the eigenvalues, and by the vectors without the parts along themselves."""
    by_values, by_vectors = ct
    values, vectors = result
    terms = [] if by_values is None else [identity_like(vectors) * row(by_values)]
    if by_vectors is not None:
        inner = np.matmul(adjoint(vectors), by_vectors)
        own = np.matmul(adjoint(vectors), vectors) * row(np.real(diagonal_vector(inner)))
        terms.append((inner - own) * np.conjugate(inverse_gaps(values)))
    if not terms:
        return (None,)
    return (np.linalg.solve(adjoint(vectors), np.matmul(total_of_terms(terms), adjoint(vectors))),)


def eig_jvp(tangents: tuple[Any], result: Any, a: Any) -> tuple[Any, Any]:
    """The tangents of both, the vectors kept at length 1."""
    values, vectors = result
    inner = np.linalg.solve(vectors, np.matmul(tangents[0], vectors))
    moved = np.matmul(vectors, inner * inverse_gaps(values))
    own = np.real(diagonal_vector(np.matmul(adjoint(vectors), moved)))
    return diagonal_vector(inner), moved - vectors * row(own)


def eigvals_vjp(ct: Any, result: Any, a: Any) -> tuple[Any]:
    """By the eigenvalues; the vectors come in the same order."""
    return eig_vjp((ct, None), np.linalg.eig(a), a)


def eigvals_jvp(tangents: tuple[Any], result: Any, a: Any) -> Any:
    """The tangents of the eigenvalues."""
    return eig_jvp(tangents, np.linalg.eig(a), a)[0]
