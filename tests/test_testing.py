"""Tests of testing.py: right derivatives pass, wrong ones do not."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def loop(x, n):
    s = 0.0
    for i in range(n):
        s = s + np.sum(np.sin(x * i))
    return s


RIGHT = {
    "a loop and a number": (loop, (np.array([0.3, 1.0]), 3)),
    "a tree of arguments and results": (lambda p, q: {"a": p["w"] @ q[0], "b": (q[1] ** 3, 7)}, ({"w": np.eye(2)}, [np.ones(2), 2.0])),
    "complex numbers": (lambda z: z * z * np.abs(z), (np.array([1 + 2j, 0.5j]),)),
    "single precision": (lambda x: np.tanh(x) * x, (np.array([0.5, -1.0], np.float32),)),
    "a NumPy number": (lambda x: np.exp(x), (np.float64(0.5),)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_derivatives_pass(name):
    ag.testing.check_grads(*RIGHT[name])


def test_third_order():
    ag.testing.check_grads(lambda x: np.sin(x) * x, (0.7,), order=3, modes=("rev",))


def test_function_that_writes_its_argument_is_given_a_copy():
    def doubled(x):
        x *= 2.0
        return np.sum(x * x)

    x = np.array([1.0, 2.0])
    ag.testing.check_grads(doubled, (x,), order=1)
    np.testing.assert_array_equal(x, [1.0, 2.0])


@ag.custom_gradient
def wrong(x):
    return x * x, lambda ct: ct * 3 * x


@ag.custom_gradient
def wrong_to_second_order(x):
    return x * x * x, lambda ct: ct * 3 * x * ag.stop_gradient(x)


@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_wrong_rule_is_found(mode):
    with pytest.raises(AssertionError, match=f"order 1, {mode}: the derivative is .* central differences give"):
        ag.testing.check_grads(wrong, (2.0,), order=1, modes=(mode,))


def test_wrong_second_derivative_is_found():
    ag.testing.check_grads(wrong_to_second_order, (2.0,), order=1)
    with pytest.raises(AssertionError, match="order 2, rev over rev: the derivative is"):
        ag.testing.check_grads(wrong_to_second_order, (2.0,), modes=("rev",))


def test_what_cannot_be_checked_is_refused():
    with pytest.raises(ValueError, match="modes must be among"):
        ag.testing.check_grads(lambda x: x, (2.0,), modes=("sideways",))
    with pytest.raises(ValueError, match="order at least 1"):
        ag.testing.check_grads(lambda x: x, (2.0,), order=0)
    with pytest.raises(TypeError, match="args must be the tuple of the arguments, not float"):
        ag.testing.check_grads(lambda x: x, 2.0)
    with pytest.raises(TypeError, match="none of the arguments is a float"):
        ag.testing.check_grads(lambda x: x, (2,))
    with pytest.raises(TypeError, match="returns no float"):
        ag.testing.check_grads(lambda x: 2, (2.0,))
