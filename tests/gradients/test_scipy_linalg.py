"""Matrix functions of SciPy in compiled code: typed results, and derivatives in both modes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import autograph_jit as ag


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


A, B, V = rnd(1, 4, 4) + 3 * np.eye(4), rnd(2, 4, 2), rnd(3, 4)
T = rnd(4, 5, 3)
WEIGHTS = np.cos(np.arange(16.0)).reshape(4, 4)


def positive(a):
    return a @ a.T / 4 + 2 * np.eye(4)


def lu_of(a, b, trans):
    return scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), b, trans)


PROGRAMS = {
    "lower": (lambda a, b: scipy.linalg.solve_triangular(a, b, lower=True), A, B),
    "upper_vector": (lambda a, b: scipy.linalg.solve_triangular(a, b), A, V),
    "transposed": (lambda a, b: scipy.linalg.solve_triangular(a, b, trans=1, lower=True), A, B),
    "adjoint_unit": (lambda a, b: scipy.linalg.solve_triangular(a, b, "C", unit_diagonal=True), A / 4, B),
    "solve": (lambda a, b: scipy.linalg.solve(a, b), A, B),
    "solve_positive": (lambda a, b: scipy.linalg.solve(positive(a), b, assume_a="pos"), A, V),
    "solve_one_triangle": (lambda a, b: scipy.linalg.solve(a + 4 * np.eye(4), b, assume_a="her", lower=True), A, V),
    "inv_det": (lambda a, b: scipy.linalg.inv(a) @ b * scipy.linalg.det(a), A, V),
    "cholesky": (lambda a, b: scipy.linalg.cholesky(positive(a)) @ b, A, V),
    "cholesky_lower": (lambda a, b: scipy.linalg.cholesky(positive(a), lower=True) @ b, A, V),
    "cho_solve": (lambda a, b: scipy.linalg.cho_solve(scipy.linalg.cho_factor(positive(a)), b), A, B),
    "cho_solve_lower": (lambda a, b: scipy.linalg.cho_solve(scipy.linalg.cho_factor(positive(a), lower=True), b), A, V),
    "lu": (lambda a, b: lu_of(a, b, 0), rnd(9, 4, 4), B),
    "lu_transposed": (lambda a, b: lu_of(a, b, 1), rnd(9, 4, 4), V),
    "lu_itself": (lambda a, b: scipy.linalg.lu_factor(a)[0] @ b, rnd(9, 4, 4), V),
    "eigh": (lambda a, b: scipy.linalg.eigh(positive(a))[0] + (scipy.linalg.eigh(positive(a))[1] ** 2) @ b, A, V),
    "eigvalsh": (lambda a, b: scipy.linalg.eigvalsh(positive(a)) * b, A, V),
    "svd": (lambda a, b: (lambda u, s, v: (u[:, :2] * s[:2]) @ v[:2])(*scipy.linalg.svd(a, full_matrices=False)) @ b, T, rnd(5, 3)),
    "svdvals": (lambda a, b: scipy.linalg.svdvals(a) * b, T, rnd(5, 3)),
    "qr": (lambda a, b: (lambda q, r: q @ np.exp(r) @ b)(*scipy.linalg.qr(a, mode="economic")), T, rnd(5, 3)),
    "expm": (lambda a, b: scipy.linalg.expm(a / 4) @ b, A, B),
}


def loss_of(function):
    def loss(a, b):
        found = np.ravel(function(a, b))
        return np.sum(np.sin(found) * np.cos(np.arange(1.0, 1 + np.size(found))))

    return loss


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_derivatives(name):
    function, a, b = PROGRAMS[name]
    compiled = ag.compile(function, fallback="error")
    assert compiled(a, b) == pytest.approx(function(a, b), rel=1e-11, abs=1e-13)
    assert "object" not in str(compiled.graph(a, b))
    ag.testing.check_grads(loss_of(function), (a, b), order=1)


@pytest.mark.parametrize("name", ["lower", "solve_positive", "cho_solve", "lu", "expm"])
def test_second_order(name):
    function, a, b = PROGRAMS[name]
    ag.testing.check_grads(loss_of(function), (a, b), order=2, modes=("rev",))


def test_a_factor_and_a_solution_with_a_constant():
    a = positive(A)
    for part, lower in ((np.triu, False), (np.tril, True)):
        found, flag = ag.compile(lambda x: scipy.linalg.cho_factor(x, lower=lower), fallback="error")(a)  # noqa: B023
        assert part(found) == pytest.approx(part(scipy.linalg.cho_factor(a, lower=lower)[0])) and flag == lower
    factors = scipy.linalg.lu_factor(A)
    solve = ag.compile(lambda a: scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), B), fallback="error")
    assert solve(A) == pytest.approx(scipy.linalg.lu_solve(factors, B))
    assert ag.grad(lambda b: np.sum(scipy.linalg.lu_solve(factors, b)))(V) == pytest.approx(np.linalg.inv(A).sum(0))


def test_implicit_steps_in_a_loop():
    def diffused(k, u):
        for _ in range(12):
            u = scipy.linalg.solve(np.eye(4) + 0.1 * (k @ k.T), u)
        return np.sum(u * u)

    ag.testing.check_grads(diffused, (A, V), order=1, modes=("rev",))


@pytest.mark.parametrize(
    "function",
    [
        lambda a: np.sum(scipy.linalg.qr(a, mode="r")[0]),
        lambda a: np.sum(scipy.linalg.solve(a, V, assume_a="sym")),
        lambda a: np.sum(scipy.linalg.sqrtm(a)),
    ],
)
def test_what_has_no_derivative_says_so(function):
    with pytest.raises(ag.ConversionError):
        ag.grad(function)(A)
    with pytest.raises(ag.ConversionError):
        ag.jvp(function, (A,), (A,))


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_other_types(dtype):
    a = (A + (0.3j * rnd(7, 4, 4) if dtype is np.complex128 else 0)).astype(dtype)
    function = ag.compile(lambda a, b: scipy.linalg.solve_triangular(a, b, lower=True), fallback="error")
    found, expected = function(a, B.astype(dtype)), scipy.linalg.solve_triangular(a, B.astype(dtype), lower=True)
    assert found.dtype == expected.dtype and found == pytest.approx(expected, rel=1e-5)
