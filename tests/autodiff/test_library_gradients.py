"""Gradients of compiled functions that call NumPy's linear algebra and transforms: first and second order against central differences."""

import numpy as np
import pytest

import autograph_jit as ag

RANDOM = np.random.default_rng(0)
A, W = RANDOM.normal(size=(3, 3)), RANDOM.normal(size=(3, 3))
V, U = RANDOM.normal(size=3), RANDOM.normal(size=3)
STEP = 1e-6


def solve_in_a_loop(a):
    x = V
    for i in range(3):
        x = np.linalg.solve(a + np.eye(3) * (i + 4), x) + x
    return np.sum(x * U)


FUNCTIONS = {
    "solve in a loop": solve_in_a_loop,
    "solve of a list": lambda a: np.sum(np.linalg.solve([[a[0, 0], 2.0], [1.0, a[1, 1] + 3.0]], V[:2]) * U[:2]),
    "inv": lambda a: np.sum(np.linalg.inv(a) * W),
    "det": lambda a: np.linalg.det(a),
    "slogdet": lambda a: np.linalg.slogdet(a)[1],
    "cholesky": lambda a: np.sum(np.linalg.cholesky(a @ a.T + np.eye(3)) * W),
    "eigh": lambda a: np.sum(np.linalg.eigh(a + a.T)[0] * U),
    "eigvalsh": lambda a: np.sum(np.linalg.eigvalsh(a @ a.T) * U),
    "svd": lambda a: np.sum(np.linalg.svd(a)[1] * U),
    "qr": lambda a: np.sum(np.linalg.qr(a)[1] * W),
    "spectral norm": lambda a: np.linalg.norm(a, 2),
    "pinv": lambda a: np.sum(np.linalg.pinv(a) * W),
    "lstsq": lambda a: np.sum(np.linalg.lstsq(a[:, :2], V, rcond=None)[0] * U[:2]),
    "negative power": lambda a: np.sum(np.linalg.matrix_power(a, -2) * W),
    "fft": lambda a: np.sum(np.abs(np.fft.fft(a[0])) ** 3),
    "rfft": lambda a: np.sum(np.abs(np.fft.rfft(a, axis=0)) ** 3),
    "irfft": lambda a: np.sum(np.fft.irfft(a[0] * (1 + 2j)) ** 3),
    "fft2": lambda a: np.sum(np.abs(np.fft.fft2(a)) ** 3),
    "modf": lambda a: np.sum(np.modf(a)[0] ** 2),
    "cumprod": lambda a: np.sum(np.cumprod(a[0]) * U),
    "masked logarithm": lambda a: np.sum(np.where(a > 0, a * np.log(a), 0.0)),
}


def along(function, a, t, step=STEP):
    """The central difference of a function along t."""
    with np.errstate(all="ignore"):
        return (function(a + step * t) - function(a - step * t)) / (2 * step)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient_equals_central_differences(name):
    function = FUNCTIONS[name]
    gradient = ag.grad(function)(A.copy())
    for t in np.random.default_rng(1).normal(size=(3, 3, 3)):
        assert np.sum(gradient * t) == pytest.approx(along(function, A, t), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivative_equals_differences_of_the_gradient(name):
    gradient = ag.grad(FUNCTIONS[name])
    s, t = np.random.default_rng(2).normal(size=(2, 3, 3))
    second = ag.grad(lambda a: np.sum(gradient(a) * s))(A.copy())
    assert np.sum(second * t) == pytest.approx(np.sum(along(gradient, A, t) * s), rel=1e-5, abs=1e-6)


def test_masked_points_have_gradient_zero():
    x = np.array([-1.0, 0.0, 2.0])
    gradient = ag.grad(lambda x: np.sum(np.where(x > 0, np.sqrt(x) * np.log(x) / x, 0.0)))(x)
    np.testing.assert_array_equal(gradient[:2], 0)
    assert np.isfinite(gradient[2]) and gradient[2] != 0


def test_a_call_that_fails_fails_though_its_result_is_not_used():
    def f(a):
        np.linalg.inv(a)
        return a[0, 0]

    with pytest.raises(np.linalg.LinAlgError):
        ag.compile(f)(np.zeros((2, 2)))
    with pytest.raises(np.linalg.LinAlgError):
        ag.grad(f)(np.zeros((2, 2)))


def test_what_has_no_rule_is_refused_with_its_reason():
    with pytest.raises(ag.ConversionError, match='mode="reduced"'):
        ag.grad(lambda a: np.sum(np.linalg.qr(a, mode="raw")[1]))(A.copy())
