"""Derivatives of SciPy's matrix functions, by name: SciPy is loaded by the program that calls them, not by this package."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.derivative import unsupported
from autograph_jit.ops.derivatives import factoring as factoring
from autograph_jit.ops.derivatives import solving as solving
from autograph_jit.ops.derivatives.triangles import adjoint, from_triangle, identity_like, to_triangle

LINALG = "scipy.linalg"
GENERAL, HERMITIAN = (None, "gen", "general"), ("pos", "positive definite", "her", "hermitian")
QR_MODES = {"full": "complete", "economic": "reduced"}
QR = unsupported('scipy.linalg.qr has a derivative for mode="full" and "economic", without pivoting')
SOLVE = unsupported('scipy.linalg.solve has a derivative for assume_a="gen", "pos" and "her"')


def name_of(function: Any) -> str:
    """The name of a function of scipy.linalg that has a rule; otherwise empty."""
    name = getattr(function, "__name__", "")
    loaded = sys.modules.get(LINALG)
    return name if loaded is not None and name in RULES and getattr(loaded, name, None) is function else ""


def called(function: Callable[..., Any], x: Any) -> Any:
    """A function that is not NumPy's of an array, or of what stands for one."""
    return function(x) if isinstance(x, np.ndarray) else x.__array_function__(function, (type(x),), (x,), {})


def triangle(a: Any, lower: bool, unit: bool) -> Any:
    """The part of a matrix that a triangular solver reads."""
    if unit:
        return np.tril(a, -1) if lower else np.triu(a, 1)
    return np.tril(a) if lower else np.triu(a)


def turned(a: Any, trans: Any) -> Any:
    """A matrix as it is, transposed, or the adjoint; each is its own inverse."""
    return a if trans in (0, "N") else np.swapaxes(a, -1, -2) if trans in (1, "T") else adjoint(a)


def triangular(a: Any, trans: Any, lower: bool, unit: bool) -> Any:
    """The matrix that solve_triangular divides by."""
    part = triangle(a, lower, unit)
    return turned(part + identity_like(a) if unit else part, trans)


def solve_triangular_vjp(
    ct: Any, x: Any, a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, check_finite: bool = True
) -> tuple[Any, Any]:
    """That of a general solution, of which the triangle that is read gets its part."""
    by_a, by_b = solving.solve_vjp(ct, x, triangular(a, trans, lower, unit_diagonal), b)
    return triangle(turned(by_a, trans), lower, unit_diagonal), by_b


def solve_triangular_jvp(
    tangents: tuple[Any, Any],
    x: Any,
    a: Any,
    b: Any,
    trans: Any = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    check_finite: bool = True,
) -> Any:
    along = None if tangents[0] is None else turned(triangle(tangents[0], lower, unit_diagonal), trans)
    return solving.solve_jvp((along, tangents[1]), x, triangular(a, trans, lower, unit_diagonal), b)


def solve_vjp(ct: Any, x: Any, a: Any, b: Any, lower: bool = False, check_finite: bool = True, assume_a: Any = None) -> Any:
    """Of a Hermitian matrix one triangle is read."""
    if assume_a in GENERAL:
        return solving.solve_vjp(ct, x, a, b)
    if assume_a not in HERMITIAN:
        return SOLVE
    by_a, by_b = solving.solve_vjp(ct, x, from_triangle(a, lower), b)
    return to_triangle(by_a, lower), by_b


def solve_jvp(
    tangents: tuple[Any, Any], x: Any, a: Any, b: Any, lower: bool = False, check_finite: bool = True, assume_a: Any = None
) -> Any:
    if assume_a in GENERAL:
        return solving.solve_jvp(tangents, x, a, b)
    if assume_a not in HERMITIAN:
        return SOLVE
    along = None if tangents[0] is None else from_triangle(tangents[0], lower)
    return solving.solve_jvp((along, tangents[1]), x, from_triangle(a, lower), b)


def cholesky_vjp(ct: Any, factor: Any, a: Any, lower: bool = False, check_finite: bool = True) -> tuple[Any]:
    return factoring.cholesky_vjp(ct, factor, a, not lower)


def cholesky_jvp(tangents: tuple[Any], factor: Any, a: Any, lower: bool = False, check_finite: bool = True) -> Any:
    return factoring.cholesky_jvp(tangents, factor, a, not lower)


def eigh_vjp(ct: Any, result: Any, a: Any, lower: bool = True, eigvals_only: bool = False, check_finite: bool = True) -> tuple[Any]:
    rule = factoring.eigvalsh_vjp if eigvals_only else factoring.eigh_vjp
    return rule(ct, result, a, "L" if lower else "U")


def eigh_jvp(tangents: Any, result: Any, a: Any, lower: bool = True, eigvals_only: bool = False, check_finite: bool = True) -> Any:
    rule = factoring.eigvalsh_jvp if eigvals_only else factoring.eigh_jvp
    return rule(tangents, result, a, "L" if lower else "U")


def eigvalsh_vjp(ct: Any, w: Any, a: Any, lower: bool = True, check_finite: bool = True) -> tuple[Any]:
    return factoring.eigvalsh_vjp(ct, w, a, "L" if lower else "U")


def eigvalsh_jvp(tangents: Any, w: Any, a: Any, lower: bool = True, check_finite: bool = True) -> Any:
    return factoring.eigvalsh_jvp(tangents, w, a, "L" if lower else "U")


def svd_vjp(ct: Any, result: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True, check_finite: bool = True) -> Any:
    return factoring.svd_vjp(ct, result, a, full_matrices, compute_uv)


def svd_jvp(tangents: Any, result: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True, check_finite: bool = True) -> Any:
    return factoring.svd_jvp(tangents, result, a, full_matrices, compute_uv)


def qr_vjp(ct: Any, result: Any, a: Any, mode: str = "full", pivoting: bool = False, check_finite: bool = True) -> Any:
    return QR if pivoting or mode not in QR_MODES else factoring.qr_vjp(ct, result, a, QR_MODES[mode])


def qr_jvp(tangents: Any, result: Any, a: Any, mode: str = "full", pivoting: bool = False, check_finite: bool = True) -> Any:
    return QR if pivoting or mode not in QR_MODES else factoring.qr_jvp(tangents, result, a, QR_MODES[mode])


def beside_exponential(a: Any, direction: Any) -> Any:
    """The derivative of expm along a direction: beside exp(a) in the exponential of [[a, direction], [0, a]] (Higham, Functions of
    Matrices, 2008, 3.16)."""
    size = np.shape(a)[-1]
    upper, below = np.concatenate([a, direction], axis=-1), np.concatenate([a * 0, a], axis=-1)
    return called(sys.modules[LINALG].expm, np.concatenate([upper, below], axis=-2))[..., :size, size:]


def row_order(pivots: Any) -> Any:
    """The order of rows that LAPACK's exchanges, one after the other, give."""
    order = np.arange(len(pivots))
    for row, other in enumerate(pivots):
        order[[row, other]] = order[[other, row]]
    return order


def split_factors(lu: Any) -> tuple[Any, Any]:
    """L and U of what lu_factor gives."""
    return np.tril(lu, -1) + identity_like(lu), np.triu(lu)


def lu_factor_vjp(ct: Any, result: Any, a: Any, check_finite: bool = True) -> Any:
    """The adjoint of `lu_factor_jvp`."""
    (by_lu, _), (lu, pivots) = ct, result
    lower, upper = split_factors(lu)
    inner = np.tril(np.matmul(adjoint(lower), np.tril(by_lu, -1)), -1) + np.triu(np.matmul(np.triu(by_lu), adjoint(upper)))
    by_rows = np.linalg.solve(adjoint(lower), adjoint(np.linalg.solve(upper, adjoint(inner))))
    return (by_rows[np.argsort(called(row_order, pivots))],)


def lu_factor_jvp(tangents: Any, result: Any, a: Any, check_finite: bool = True) -> Any:
    """With F = L^-1 P da U^-1, dL is L times the part of F below the diagonal, dU the rest times U."""
    lu, pivots = result
    lower, upper = split_factors(lu)
    left = np.linalg.solve(lower, tangents[0][called(row_order, pivots)])
    inner = adjoint(np.linalg.solve(adjoint(upper), adjoint(left)))
    return np.matmul(lower, np.tril(inner, -1)) + np.matmul(np.triu(inner), upper), None


def without_check(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule of NumPy's function of one matrix for SciPy's, which may look for numbers that are not finite."""
    return lambda along, result, a, check_finite=True: rule(along, result, a)


# By name: the parameters that SciPy takes by place, the rules, and how many arrays they are for. Calls with other options have none.
RULES: dict[str, tuple[str, Callable[..., Any], Callable[..., Any], int]] = {
    "solve_triangular": ("a b trans lower unit_diagonal overwrite_b check_finite", solve_triangular_vjp, solve_triangular_jvp, 2),
    "solve": ("a b lower overwrite_a overwrite_b check_finite assume_a transposed", solve_vjp, solve_jvp, 2),
    "inv": ("a overwrite_a check_finite", without_check(solving.inv_vjp), without_check(solving.inv_jvp), 1),
    "det": ("a overwrite_a check_finite", without_check(solving.det_vjp), without_check(solving.det_jvp), 1),
    "cholesky": ("a lower overwrite_a check_finite", cholesky_vjp, cholesky_jvp, 1),
    "eigh": ("a b", eigh_vjp, eigh_jvp, 1),
    "eigvalsh": ("a b", eigvalsh_vjp, eigvalsh_jvp, 1),
    "svd": ("a full_matrices compute_uv overwrite_a check_finite lapack_driver", svd_vjp, svd_jvp, 1),
    "svdvals": ("a overwrite_a check_finite", without_check(factoring.svdvals_vjp), without_check(factoring.svdvals_jvp), 1),
    "qr": ("a overwrite_a lwork mode pivoting check_finite", qr_vjp, qr_jvp, 1),
    "lu_factor": ("a overwrite_a check_finite", lu_factor_vjp, lu_factor_jvp, 1),
    "expm": ("A", lambda ct, r, A: (beside_exponential(adjoint(A), ct),), lambda t, r, A: beside_exponential(A, t[0]), 1),
}
SHAPED_LIKE = {"solve_triangular": 1, "solve": 1, "inv": 0, "cholesky": 0, "expm": 0}


def shaped_like(function: Any) -> int | None:
    """The position of the argument whose shape the result has; None where none is known to have it."""
    return SHAPED_LIKE.get(name_of(function))
