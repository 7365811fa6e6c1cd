"""Functions of scipy.special that are compiled are SciPy's, in arrays, loops over numbers and as eager rules."""

import itertools

import numpy as np
import pytest
import scipy.special as sp

import autograph_jit as ag
from autograph_jit.ops.registry import get

POINTS = (0.0, -0.0, 0.25, 0.5, 0.5000001, 0.65, 0.7, 1.0, -1.0, 3.0, 40.0, -40.0, 800.0, -800.0, 1e-300, np.inf, -np.inf, np.nan)
UNARY = ("expit", "log_expit", "logit", "entr", "ndtr")
BINARY = ("xlogy", "xlog1py")
RTOL = {np.float64: 1e-13, np.float32: 1e-5, np.complex128: 1e-12}


def unary(name):
    function = getattr(sp, name)

    def both(x):
        total = 0.0
        for i in range(len(x)):
            total += np.abs(function(x[i]))
        return function(x), total

    return both


def binary(name):
    function = getattr(sp, name)

    def compute(x, y):
        return function(x, y)

    return compute


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", UNARY)
def test_function_of_a_number_is_scipys(name, dtype):
    x = np.array([*POINTS, *np.linspace(-3, 3, 101)], dtype)
    f = ag.compile(unary(name), fallback="error")
    with np.errstate(all="ignore"):
        want, got = getattr(sp, name)(x), f(x)[0]
        np.testing.assert_allclose(got, want, rtol=RTOL[dtype])
        np.testing.assert_array_equal(np.signbit(got[want == 0]), np.signbit(want[want == 0]))
        np.testing.assert_allclose(get(name).eager(x), want, rtol=RTOL[dtype])
        inside = np.linspace(0.01, 0.99, 33).astype(dtype)
        np.testing.assert_allclose(f(inside)[1], unary(name)(inside)[1], rtol=RTOL[dtype])
    assert got.dtype == want.dtype and "host calls    none" in str(f.explain(x))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("name", BINARY)
def test_function_of_two_numbers_is_scipys(name, dtype):
    points = (0.0, 1.5, -1.0, -2.0, np.nan) if dtype is np.complex128 else POINTS
    x, y = np.array(list(itertools.product(points, repeat=2))).astype(dtype).T.copy()
    f = ag.compile(binary(name), fallback="error")
    with np.errstate(all="ignore"):
        want = getattr(sp, name)(x, y)
        for got in (f(x, y), get(name).eager(x, y)):
            np.testing.assert_allclose(got, want, rtol=RTOL[dtype], atol=1e-15 if dtype is np.complex128 else 0)
    assert "host calls    none" in str(f.explain(x, y))


def test_integers_and_python_numbers_are_taken_as_scipy_takes_them():
    def mixed(x, n):
        return sp.expit(x), sp.xlogy(n, 2.0), sp.xlogy(x, n)

    for got, want in zip(ag.compile(mixed, fallback="error")(np.arange(4), 3), mixed(np.arange(4), 3), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-15)
        assert got.dtype == want.dtype


def test_options_of_a_ufunc_are_kept():
    def with_options(x):
        out = np.full(len(x), 7.0)
        sp.expit(x, out=out, where=x > 0)
        return out, sp.xlogy.reduce(x)

    x = np.array([-1.0, 0.5, 2.0])
    for got, want in zip(ag.compile(with_options)(x), with_options(x), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-14)


def test_functions_that_are_compiled_for_floats_only_are_scipys_for_complex_numbers():
    def each(z):
        return sp.erf(z), sp.erfc(z), sp.ndtr(z)

    z = np.array([0.5 + 1j, 2 - 1j])
    for got, want in zip(ag.compile(each)(z), each(z), strict=True):
        np.testing.assert_array_equal(got, want)
