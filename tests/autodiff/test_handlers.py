"""Gradients through `try`: the handler gets what the body left when it failed, and nothing flows through what did not take place."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.autodiff import handler_programs as programs
from tests.autodiff.test_pullback import central_difference

RANDOM = np.random.default_rng(0)
MIXED = np.array([0.5, -0.7, 1.2, -1.1])
CASES = {
    "raised and caught in a loop": (programs.skipped_negatives, MIXED),
    "index error ends a loop, finally": (programs.ran_past_the_end, np.array([0.5, -0.7, 1.2])),
    "no error, finally": (programs.ran_past_the_end, RANDOM.standard_normal(9)),
    "loop left by an exception": (programs.overflowed_loop, np.array([0.5, 0.7])),
    "loop not left by its exception": (programs.overflowed_loop, np.array([0.05, 0.7])),
    "test of a while loop raises": (programs.while_test_raises, np.array([0.5, 0.7, 1.1])),
    "test of a while loop does not raise": (programs.while_test_raises, np.array([0.5, 0.7, -6.1, 1.0])),
    "nested handlers with else": (programs.nested_handlers, MIXED),
    "writes before the exception stay": (programs.partial_update_stays, MIXED),
    "raised in a called function": (programs.raised_in_called_function, MIXED),
    "library call succeeds": (programs.factorisation_failed, np.diag([1.0, 2.0, 3.0]) + 0.1),
    "one product succeeds": (programs.one_product_succeeds, MIXED),
    "one product fails": (programs.one_product_fails, MIXED),
    "always raised": (programs.always_raised, MIXED),
    "index from the data, finally": (programs.finally_around_an_index_from_the_data, np.array([0.8, -0.3, 1.3])),
    "a sum over what is too short": (programs.loop_over_what_is_too_short, MIXED),
    "names that change places": (programs.swapped_until_too_short, MIXED),
    "an array bound anew": (programs.array_bound_anew_until_too_short, MIXED),
    "an endless loop ends by its exception": (programs.counted_until_too_short, MIXED),
    "library call fails": (programs.factorisation_failed, np.diag([0.1, 0.2, 0.3])),
}


@pytest.mark.parametrize("name", CASES)
def test_gradient_through_handlers_equals_central_differences(name):
    function, x = CASES[name]
    np.testing.assert_allclose(ag.grad(function)(x.copy()), central_difference(function, x), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", CASES)
def test_the_value_beside_the_gradient_is_the_functions(name):
    function, x = CASES[name]
    np.testing.assert_allclose(ag.value_and_grad(function)(x.copy())[0], function(x.copy()), rtol=1e-14)


@pytest.mark.parametrize("name", CASES)
def test_gradient_of_a_gradient_through_handlers(name):
    function, x = CASES[name]

    def norm_of_gradient(u):
        g = ag.grad(function)(u)
        return np.sum(g * g)

    expected = central_difference(lambda u: norm_of_gradient(u), x, 1e-5)
    np.testing.assert_allclose(ag.grad(norm_of_gradient)(x.copy()), expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


def test_gradient_taken_inside_a_handler_of_the_caller():
    @ag.compile(fallback="error")
    def guarded(x, k):
        try:
            return ag.grad(lambda v: v[k] * v[k])(x)
        except IndexError:
            return ag.grad(lambda v: np.sum(v * v * v))(x)

    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(guarded(x, 1), [0.0, 4.0])
    np.testing.assert_array_equal(guarded(x, 2), [3.0, 12.0])


def test_exception_that_no_handler_takes_leaves_the_gradient_function():
    def loss(x):
        try:
            if x > 1:
                raise KeyError("too large")
        except ValueError:
            x = x * 2
        return x

    assert ag.grad(loss)(0.5) == 1.0
    with pytest.raises(KeyError, match="too large"):
        ag.grad(loss)(2.0)
