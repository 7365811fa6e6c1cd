"""Gradients through functions of libraries, texts with numbers in them, and functions that capture what a tape follows."""

from __future__ import annotations

import cmath

import numpy as np
import pytest
import scipy.special as sp

import autograph_jit as ag

X = np.array([0.45, 0.62, 0.31, 0.78])
A = np.array([[0.3, -1.2, 0.8], [0.8, 0.8, -0.4]])

COMPLEX = (
    "exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh",
)  # fmt: skip


def agrees(function, x):
    """Whether the gradient of a function of one array is what central differences give."""
    steps = 1e-6 * np.eye(x.size).reshape(x.size, *x.shape)
    expected = [(function(x + step) - function(x - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(ag.grad(function)(x).ravel(), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", COMPLEX)
def test_functions_of_cmath(name):
    function = getattr(cmath, name)
    agrees(lambda x: function(complex(x[0], x[1])).real * x[2] + function(x[3] + 0j).imag + abs(function(x[3] * 0.5)), X)


def test_polar_coordinates():
    def there_and_back(x):
        r, phi = cmath.polar(complex(x[0], x[1]))
        z = cmath.rect(r * x[2], phi + x[3])
        return z.real * z.imag + cmath.phase(z) + cmath.log(z, 2.5).real

    agrees(there_and_back, X)
    assert ag.compile(there_and_back, fallback="error")(X) == there_and_back(X)


SPECIAL = {
    "digamma": sp.digamma,
    "digamma below zero": lambda x: sp.digamma(x - 3.0),
    "erfcx": sp.erfcx,
    "expi": sp.expi,
    "exp1": sp.exp1,
    "spence": sp.spence,
    "cosm1": sp.cosm1,
    "ellipk": sp.ellipk,
    "ellipe": sp.ellipe,
    "huber": lambda x: sp.huber(0.5, x),
}


@pytest.mark.parametrize("function", SPECIAL.values(), ids=SPECIAL)
def test_special_functions(function):
    agrees(lambda x: np.sum(function(x) * np.arange(1.0, 5.0)), X)


FORMS = {
    "all": lambda a: sp.logsumexp(a),
    "axis": lambda a: sp.logsumexp(a, axis=0),
    "axes": lambda a: sp.logsumexp(a, axis=(0, 1)),
    "kept": lambda a: sp.logsumexp(a, 1, keepdims=True),
    "weights": lambda a: sp.logsumexp(a, b=np.array([0.5, 2.0, 0.0]), axis=1),
    "list": lambda a: sp.logsumexp([a[0, 0], a[1, 0] * 2]),
    "softmax": lambda a: sp.softmax(a),
    "softmax of rows": lambda a: sp.softmax(a, axis=-1),
    "logarithms": lambda a: sp.log_softmax(a, axis=0),
    "float32": lambda a: sp.logsumexp(a.astype(np.float32), axis=1),
    "complex": lambda a: sp.logsumexp(a + 1j * a[::-1]).real,
    "extremes": lambda a: sp.logsumexp(np.array([[-np.inf, -np.inf], [0.0, -50.0], [np.inf, 1.0], [np.nan, 0.0]]) + 0 * a[0, 0], axis=1),
}


@pytest.mark.parametrize("name", FORMS)
def test_sums_of_exponentials(name):
    function = FORMS[name]
    compiled = ag.compile(function, fallback="error")
    found, expected = compiled(A), function(A)
    assert type(found) is type(expected) and found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6 if expected.dtype == np.float32 else 1e-14)
    assert "host calls    none" in str(compiled.explain())
    if name not in ("float32", "extremes"):
        agrees(lambda a: np.sum(np.sin(function(a))), A + 0.01 * np.arange(6.0).reshape(2, 3))


def test_equal_greatest_elements_share_the_gradient():
    x = np.array([1.0, 1.0, 0.0])
    np.testing.assert_allclose(ag.grad(lambda x: sp.logsumexp(x))(x), sp.softmax(x))
    weights = sp.softmax(x)
    np.testing.assert_allclose(ag.hessian(lambda x: sp.logsumexp(x))(x), np.diag(weights) - np.outer(weights, weights), atol=1e-15)


def test_numbers_in_texts():
    def total(x):
        found = 0.0
        for place, v in enumerate(x):
            found += v * abs(v)
            text = "%d: %.2f" % (place, v) + "%s" % v + "%(sum).1f" % {"sum": found}
            if len(text) > 100:
                found = 0.0
        return found

    agrees(total, X)


def test_order_by_several_keys():
    agrees(lambda x: np.sum(x[np.lexsort((x[::-1], np.round(x)))] * np.arange(4.0)), X)


def damped(t, w):
    return np.tanh(w[0] * t + w[1]) * t


CAPTURING = {
    "grad": lambda w: ag.grad(lambda t: damped(t, w))(1.5),
    "value_and_grad": lambda w: sum(ag.value_and_grad(lambda t: damped(t, w))(1.5)),
    "grad of grad": lambda w: ag.grad(ag.grad(lambda t: damped(t, w)))(1.5),
    "vjp": lambda w: ag.vjp(lambda t: damped(t, w), 1.5)[1](1.0)[0],
    "hessian": lambda w: ag.hessian(lambda t: damped(t, w))(1.5),
    "argument": lambda w: ag.grad(ag.grad(damped))(0.3, w),
}


@pytest.mark.parametrize("function", CAPTURING.values(), ids=CAPTURING)
def test_transform_of_a_function_that_captures_what_a_tape_follows(function):
    w = ag.asarray(X[:2])
    with ag.GradientTape() as tape:
        tape.watch(w)
        y = function(w) ** 2
    np.testing.assert_allclose(tape.gradient(y, w).numpy(), ag.grad(lambda w: function(w) ** 2)(X[:2]), rtol=1e-12)
