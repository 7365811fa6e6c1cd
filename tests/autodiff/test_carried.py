"""Gradients of loops that write to arrays which they carry, saved trip by trip and in segments."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.autodiff import carried_programs as programs
from tests.autodiff.test_pullback import central_difference

U = np.random.default_rng(0).uniform(0.2, 0.9, 5)
by_name = pytest.mark.parametrize("function", programs.RIGHT, ids=lambda function: function.__name__)
by_loop = pytest.mark.parametrize("loop", [programs.plain, programs.checkpointed], ids=lambda loop: loop.__name__)


@by_name
@by_loop
def test_gradient_equals_central_differences(function, loop):
    expected = central_difference(lambda u: function(u, loop), U)
    np.testing.assert_allclose(ag.grad(function)(U.copy(), loop), expected, rtol=1e-5, atol=1e-7)


@by_name
@by_loop
def test_gradient_of_a_gradient_equals_central_differences(function, loop):
    gradient = ag.grad(function)

    def norm_of_gradient(u):
        g = gradient(u, loop)
        return np.sum(g * g)

    expected = central_difference(lambda u: norm_of_gradient(u.copy()), U, 1e-5)
    np.testing.assert_allclose(ag.grad(norm_of_gradient)(U.copy()), expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("function", programs.REFUSED, ids=lambda function: function.__name__)
@by_loop
def test_memory_used_under_another_name_is_refused(function, loop):
    with pytest.raises(ag.ConversionError, match="an array that the data chooses"):
        ag.grad(function)(U.copy(), loop)


@by_loop
def test_buffers_that_share_memory_are_refused_by_the_run(loop):
    with pytest.raises(ag.ConversionError, match="needs arrays of their own") as raised:
        ag.grad(programs.one_buffer_twice)(U.copy(), loop)
    assert "copy one of them" in str(raised.value)
