"""Derivatives of programs that draw: those of the plain function with the same stream."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammainc, gammaincc, gammainccinv, gammaincinv

import autograph_jit as ag
from autograph_jit.errors import NotDifferentiable
from tests.tables import table

AT = (0.7, 1.3)
STEP = 1e-6


def option_price(s0, sigma, seed):
    rng = np.random.default_rng(seed)
    total = 0.0
    for _ in range(100):
        price = s0
        for _ in range(5):
            price = price * np.exp(-0.1 * sigma * sigma + 0.4 * sigma * rng.standard_normal())
        total += max(price - 0.6, 0.0)
    return total / 100


def located(a, b, seed):
    rng, total = np.random.default_rng(seed), 0.0
    for _ in range(20):
        total += rng.normal(a, b) ** 2 + rng.uniform(a, b) ** 3 + rng.laplace(a, b) ** 2
        total += rng.gumbel(a, b) ** 2 + rng.logistic(a, b) ** 2
    return total


def scaled(a, b, seed):
    rng, total = np.random.default_rng(seed), 0.0
    for _ in range(20):
        total += rng.lognormal(a, b) + rng.exponential(a * b) + rng.gamma(2.5, b) * a + rng.rayleigh(b) ** 2
        total += rng.weibull(a + b) + rng.power(a + b) + rng.pareto(a + b + 3.0)
    return total


def arrays(a, b, seed):
    rng = np.random.default_rng(seed)
    return np.sum(rng.normal(a, b, size=(3, 4)) ** 2 * rng.random((3, 4))) + np.sum(rng.exponential(b, 5)) * a


def drawn_until(a, b, seed):
    rng, x, count = np.random.default_rng(seed), 0.0, 0
    while x < 5.0 and count < 200:
        x += a * rng.random() + b * rng.random() ** 2
        count += rng.integers(1, 3)
    return x * x


pytestmark = pytest.mark.native
PROGRAMS = (option_price, located, scaled, arrays, drawn_until)


def central(function, place, args):
    below, above = list(args), list(args)
    below[place], above[place] = args[place] - STEP, args[place] + STEP
    return (function(*above, 7) - function(*below, 7)) / (2 * STEP)


@table("function", PROGRAMS)
def test_gradient_is_that_of_the_plain_function_with_the_same_stream(function) -> None:
    slopes = ag.grad(function, argnums=(0, 1))(*AT, 7)
    np.testing.assert_allclose(slopes, [central(function, place, AT) for place in (0, 1)], rtol=2e-7)


@table("function", PROGRAMS)
def test_forward_mode_agrees_with_reverse_mode(function) -> None:
    value, slope = ag.jvp(lambda a, b: function(a, b, 7), AT, (0.3, -0.8))
    first, second = ag.grad(function, argnums=(0, 1))(*AT, 7)
    np.testing.assert_allclose([value, slope], [function(*AT, 7), 0.3 * first - 0.8 * second], rtol=1e-11)


def test_a_gradient_draws_once() -> None:
    rng, plain = np.random.default_rng(3), np.random.default_rng(3)

    def mean(a, rng):
        total = 0.0
        for _ in range(30):
            total += rng.normal(a, 1.0) ** 2
        return total / 30

    ag.grad(mean)(0.5, rng)
    mean(0.5, plain)
    assert rng.bit_generator.state == plain.bit_generator.state


@table("name", ["poisson", "geometric"])
def test_parameters_of_whole_numbers_are_refused(name) -> None:
    def count(p, seed):
        rng, total = np.random.default_rng(seed), 0.0
        for _ in range(5):
            total += getattr(rng, name)(p)
        return total

    with pytest.raises(NotDifferentiable, match=f"`{name}` have no derivative.*\n.*\nthese numbers are whole.*\nput ag.stop_gradient"):
        ag.grad(count)(0.5, 1)
    with pytest.raises(NotDifferentiable, match=name):
        ag.jvp(lambda p: count(p, 1), (0.5,), (1.0,))


def test_whole_numbers_of_constant_parameters_are_constants() -> None:
    def scaled(x, seed):
        rng, total = np.random.default_rng(seed), 0.0
        for _ in range(5):
            total += x * rng.poisson(ag.stop_gradient(x))
        return total

    counts = np.random.default_rng(2)
    assert ag.grad(scaled)(3.5, 2) == sum(counts.poisson(3.5) for _ in range(5))


def test_a_loop_that_draws_is_not_checkpointed() -> None:
    def total(x, rng):
        s = 0.0
        for _ in ag.loop_options(range(50), checkpoint=5):
            s = s + np.sin(x * rng.random() + s)
        return s

    with pytest.raises(NotDifferentiable, match="it draws random numbers"):
        ag.grad(total)(0.5, np.random.default_rng(1))


@table("shape", [0.05, 0.4, 1.0, 3.0, 40.0, 1000.0])
def test_a_gamma_number_moves_with_its_shape_so_that_its_probability_stays(shape) -> None:
    gradient = ag.grad(lambda a, seed: np.random.default_rng(seed).gamma(a), argnums=0)
    for seed in range(8):
        z, step = np.random.default_rng(seed).gamma(shape), 1e-5 * shape
        lower, upper = gammaincinv(shape - step, gammainc(shape, z)), gammaincinv(shape + step, gammainc(shape, z))
        if gammainc(shape, z) > 0.5:
            lower, upper = gammainccinv(shape - step, gammaincc(shape, z)), gammainccinv(shape + step, gammaincc(shape, z))
        np.testing.assert_allclose(gradient(shape, seed), (upper - lower) / (2 * step), rtol=2e-5)


def test_slopes_of_means_of_gamma_numbers() -> None:
    def mean(a, b, df, seed):
        rng, total = np.random.default_rng(seed), 0.0
        for _ in range(4000):
            total += rng.gamma(a, b) + rng.chisquare(df)
        return total / 4000

    slopes = ag.grad(mean, argnums=(0, 1, 2))(2.5, 1.5, 4.0, 3)
    np.testing.assert_allclose(slopes, (1.5, 2.5, 1.0), rtol=0.03)
    np.testing.assert_allclose(ag.jvp(lambda a: mean(a, 1.5, 4.0, 3), (2.5,), (1.0,))[1], slopes[0], rtol=1e-11)


def test_normal_vectors_move_with_mean_and_covariance() -> None:
    """By the formula of the mean: E[x0 x1 + x2^2] = m0 m1 + C01 + m2^2 + C22. Also where the covariance has equal singular values."""

    def loss(mean, cov):
        x = np.random.default_rng(1).multivariate_normal(mean, cov, 40000)
        return np.mean(x[:, 0] * x[:, 1] + x[:, 2] ** 2)

    mean = np.array([1.0, 2.0, -0.5])
    for cov in (np.eye(3), np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.0], [0.1, 0.0, 0.7]])):
        by_mean, by_cov = ag.grad(loss, argnums=(0, 1))(mean, cov)
        np.testing.assert_allclose(by_mean, [2.0, 1.0, -1.0], atol=0.03)
        np.testing.assert_allclose(by_cov, [[0, 0.5, 0], [0.5, 0, 0], [0, 0, 1.0]], atol=0.03)


def test_parameters_of_draws_may_be_arrays() -> None:
    def total(a, b, seed):
        rng = np.random.default_rng(seed)
        return np.sum(rng.normal(a, b) * rng.uniform(-1.0, a) * rng.exponential(b, (2, 3))) + rng.random()

    a, b = np.array([1.0, 2.0, 3.0]), np.array([0.5, 1.5, 2.5])
    slopes = ag.grad(total, argnums=(0, 1))(a, b, 3)
    for place, given in enumerate((a, b)):
        for k in range(3):
            up, down = ([x.copy() for x in (a, b)] for _ in range(2))
            up[place][k], down[place][k] = given[k] + STEP, given[k] - STEP
            np.testing.assert_allclose(slopes[place][k], (total(*up, 3) - total(*down, 3)) / (2 * STEP), rtol=1e-6)
