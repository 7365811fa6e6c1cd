"""Small systems, inverses, determinants and Cholesky's decomposition by native code are NumPy's; what does not suit is left to NumPy."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.products.systems import LARGEST


def solve(a, b):
    return np.linalg.solve(a, b)


def inverse(a):
    return np.linalg.inv(a)


def determinant(a):
    return np.linalg.det(a)


def logarithm(a):
    return np.linalg.slogdet(a)


def root(a):
    return np.linalg.cholesky(a)


COMPILED = {function: ag.compile(function, fallback="error") for function in (solve, inverse, determinant, logarithm, root)}
TOLERANCES = {"f8": 1e-9, "f4": 1e-6, "c16": 1e-9}


def cases(size, dtype):
    rng = np.random.default_rng(size)
    a, b, c = (rng.normal(size=shape).astype(dtype) for shape in ((size, size), size, (size, 4)))
    turned = np.asfortranarray(a)
    a /= np.sqrt(size).astype(dtype)
    calls = [(solve, a, b), (solve, a, c), (solve, turned, c[::-1, ::2]), (solve, a[::-1], b[::-1]), (inverse, a), (inverse, a.T)]
    return [*calls, (determinant, a), (determinant, a[::-1, ::-1].T)]


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("size", [1, 2, 3, 8, 9, 33, 40, LARGEST, LARGEST + 1])
def test_results_are_numpys(size, dtype):
    for function, *arguments in cases(size, dtype):
        before = [argument.copy() for argument in arguments]
        got, want = COMPILED[function](*arguments), function(*arguments)
        assert type(got) is type(want) and got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=TOLERANCES[dtype], atol=TOLERANCES[dtype] * np.max(np.abs(want)))
        assert all(map(np.array_equal, arguments, before))


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 20, 33, LARGEST, LARGEST + 1])
def test_roots_and_logarithms_are_numpys(size, dtype):
    a = np.random.default_rng(size).normal(size=(size, size)).astype(dtype)
    definite = (a @ a.conj().T + size * np.eye(size)).astype(dtype)
    lower = np.tril(definite)
    for matrix in (definite, lower, np.asfortranarray(definite), np.kron(definite, np.ones((2, 2)))[::2, ::2], np.full_like(a, np.nan)):
        got, want = COMPILED[root](matrix), root(matrix)
        assert got.dtype == want.dtype and got.flags.c_contiguous
        np.testing.assert_allclose(got, want, rtol=10 * TOLERANCES[dtype], atol=10 * TOLERANCES[dtype] * np.max(np.abs(want)))
    for matrix in (a, a[::-1], definite, np.zeros((size, size), dtype)):
        got, want = COMPILED[logarithm](matrix), logarithm(matrix)
        assert type(got) is type(want) and [type(number) for number in got] == [type(number) for number in want]
        np.testing.assert_allclose(got, want, rtol=1e3 * TOLERANCES[dtype])


def test_small_matrices_do_not_call_python():
    def inverses(x):
        out = np.empty_like(x)
        for i in range(len(x)):
            out[i] = np.linalg.inv(x[i]) * np.linalg.det(x[i]) + np.linalg.solve(x[i], x[i, 0])
            sign, size = np.linalg.slogdet(x[i])
            out[i] += np.linalg.cholesky(x[i] @ x[i].T) * sign * size
        return out

    x = np.random.default_rng(0).normal(size=(5, 4, 4))
    want, compiled = inverses(x), ag.compile(inverses, fallback="error")
    compiled(x)
    nothing = AssertionError("NumPy was called")
    with patch.object(np.linalg._linalg, "_umath_linalg", side_effect=nothing, spec=[]):
        np.testing.assert_allclose(compiled(x), want, rtol=1e-9)


def test_determinants_that_products_of_pivots_would_overflow_are_finite():
    numbers = np.array([1e200, 1e200, 1e-200, 1e-200, -3.0])
    np.testing.assert_allclose(COMPILED[determinant](np.diag(numbers)), -3.0, rtol=1e-12)
    assert COMPILED[determinant](np.zeros((4, 4))) == 0.0
    assert COMPILED[determinant](np.ones((0, 0))) == 1.0
    assert np.isnan(COMPILED[determinant](np.full((3, 3), np.nan)))


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (solve, (np.ones((3, 3)), np.ones(3))),
        (inverse, (np.zeros((4, 4)),)),
        (inverse, (np.ones((4, 3)),)),
        (solve, (np.ones((2, 3)), np.ones(2))),
        (solve, (np.eye(3), np.ones(4))),
        (solve, (np.eye(3), np.ones((2, 3)))),
        (root, (-np.eye(3),)),
        (root, (np.array([[1.0, 2.0], [2.0, 1.0]]),)),
        (root, (np.ones((3, 2)),)),
        (logarithm, (np.ones((3, 2)),)),
    ],
)
def test_faults_are_numpys(function, arguments):
    with pytest.raises((np.linalg.LinAlgError, ValueError)) as want:
        function(*arguments)
    with pytest.raises(type(want.value)) as got:
        COMPILED[function](*arguments)
    assert str(got.value) == str(want.value)


def test_a_fault_is_caught_and_leaves_nothing_behind():
    def caught(x):
        count = 0
        for i in range(len(x)):
            try:
                count += int(np.linalg.inv(x[i])[0, 0] > 0)
            except np.linalg.LinAlgError:
                count += 10
        return count

    x = np.stack([np.eye(3), np.zeros((3, 3)), 2 * np.eye(3), np.ones((3, 3))])
    assert ag.compile(caught, fallback="error")(x) == caught(x) == 22


def test_empty_systems_are_numpys():
    assert COMPILED[solve](np.ones((0, 0)), np.ones(0)).shape == (0,)
    assert COMPILED[solve](np.eye(3), np.ones((3, 0))).shape == (3, 0)


def test_gradients_go_through_small_roots_and_logarithms():
    a = np.array([[3.0, 1.0], [1.0, 2.0]])
    np.testing.assert_allclose(ag.grad(lambda a: np.linalg.slogdet(a)[1])(a), np.linalg.inv(a).T)
    by_root = ag.grad(lambda a: 2 * np.sum(np.log(np.diag(np.linalg.cholesky(a)))))(a)
    np.testing.assert_allclose(by_root + by_root.T, 2 * np.linalg.inv(a))


def test_gradients_go_through_small_systems():
    a, b = np.array([[3.0, 1.0], [0.5, 2.0]]), np.array([1.0, -2.0])
    by_a, by_b = ag.grad(lambda a, b: np.sum(np.linalg.solve(a, b)) + np.linalg.det(a), argnums=(0, 1))(a, b)
    inverted = np.linalg.inv(a)
    np.testing.assert_allclose(by_b, inverted.T @ np.ones(2))
    np.testing.assert_allclose(by_a, -np.outer(inverted.T @ np.ones(2), inverted @ b) + np.linalg.det(a) * inverted.T)
