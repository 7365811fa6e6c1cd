"""Tests of autodiff/equivalents.py and ops/derivatives_special.py: derivatives in both modes against central differences."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special as sp
from numpy.polynomial import polynomial as series

import autograph_jit as ag
from tests.autodiff.samples_equivalents import FUNCTIONS, M, U, V


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_equal_central_differences(name):
    function, *args = FUNCTIONS[name]
    ag.testing.check_grads(function, tuple(arg.copy() for arg in args), order=1, modes="fwd")
    ag.testing.check_grads(function, tuple(arg.copy() for arg in args), order=2, modes="rev")


@pytest.mark.parametrize("name", ["geomspace", "polymul", "add.reduceat", "cov with weights", "special.xlogy", "special.jv", "as_strided"])
def test_forward_and_reverse_mode_to_second_order(name):
    function, *args = FUNCTIONS[name]
    ag.testing.check_grads(function, tuple(arg.copy() for arg in args), order=2)


@pytest.mark.parametrize("name", ["quantile", "percentile", "median"])
def test_quantiles_of_float32(name):
    function = {
        "quantile": lambda x: np.quantile(x, 0.3) ** 2,
        "percentile": lambda x: np.percentile(x, [20, 70], axis=0) ** 2,
        "median": lambda x: np.median(x) ** 2,
    }[name]
    x = (M if name == "percentile" else V).astype(np.float32)
    ag.testing.check_grads(function, (x,), order=2)


def test_equivalents_under_an_eager_tape():
    x = ag.Variable(V)
    with ag.GradientTape() as outer:
        with ag.GradientTape() as inner:
            y = np.sum(np.polymul(x, x)) + np.sum(sp.expit(x)) + np.sum(np.add.reduceat(x, [0, 2]) ** 2)
        slope = inner.gradient(y, x)
    second = outer.gradient(slope, x)

    def f(v):
        return np.sum(np.polymul(v, v)) + np.sum(sp.expit(v)) + np.sum(np.add.reduceat(v, [0, 2]) ** 2)

    np.testing.assert_allclose(slope.numpy(), ag.grad(f)(V))
    np.testing.assert_allclose(second.numpy(), np.sum(ag.hessian(f)(V), axis=0))


def refused(function, x, message, remedy):
    with pytest.raises(ag.ConversionError, match=message) as caught:
        ag.grad(lambda x: np.sum(function(x)))(x)
    assert "test_equivalents.py" in str(caught.value) and remedy in str(caught.value)


def test_what_has_no_rule_is_refused():
    refused(lambda x: np.power.at(x, [0, 1, 1], 2.0) or x, V.copy(), "writes to an array|no derivative", "ag.")
    refused(lambda x: np.polydiv(x, x[1:])[0], V, "np.polydiv has no derivative", "ag.custom_gradient")
    refused(lambda x: np.poly(np.outer(x, x)), V, "np.poly of a matrix", "eigenvalues")
    refused(lambda x: series.polyfit(U, x, 1, full=True)[1][0], V, "polyfit has no derivative with these options", "ag.custom_gradient")
    refused(lambda x: np.histogram(x, "auto")[1], V, "bins chosen by name", "give their number")
    refused(lambda x: np.quantile(x, 0.3, method="lower", axis=0, keepdims=True), V, "'lower' has no derivative", "linear")
    refused(lambda x: sp.iv(x, 0.5), U, "scipy.special.iv has a derivative by its other argument", "ag.custom_gradient")
    refused(lambda x: np.linalg.qr(x, mode="raw")[0], M, 'mode="reduced"', "ag.stop_gradient")
    refused(lambda x: np.abs(np.linalg.eigvals(x)), M[:3], "the type of its result depends on the data|eigvals", "astype(complex)")
    refused(lambda x: np.arctan2.reduce(x), U, "np.arctan2.reduce has no derivative", "ag.custom_gradient")


@pytest.mark.parametrize(
    "through",
    [
        lambda x: float(f"{x[0]}") * x[1],
        lambda x: float(str(x[0])) * x[1],
        lambda x: float(f"{x[0]}"[:3]) * x[1],
        lambda x: float(format(x[0], ".3f")) * x[1],
    ],
)
def test_number_that_passes_through_text(through):
    with pytest.raises(ag.ConversionError, match="a number with a derivative passes through text"):
        ag.grad(through)(V.copy())


def test_texts_that_are_no_numbers_and_constants_in_texts():
    assert ag.grad(lambda x: len(f"{x[0]:.1f}") * x[1])(V.copy()).tolist() == [0.0, 4.0, 0.0, 0.0, 0.0]
    assert ag.grad(lambda x: float(f"{ag.stop_gradient(x)[1]}") * x[1])(V.copy()).tolist() == [0.0, 0.4, 0.0, 0.0, 0.0]
