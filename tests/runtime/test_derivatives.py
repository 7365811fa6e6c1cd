"""Tests of runtime/derivatives.py: a transform of a function that is asked for again is compiled already."""

from __future__ import annotations

import copy
import functools
import gc
import pickle
import weakref

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime.dispatch import CompiledFunction

X, T = np.array([0.3, 0.7, 1.1]), np.array([1.0, -2.0, 0.5])


def loss_of_three(x):
    return np.sum(np.sin(x) * x)


@pytest.fixture
def traces(monkeypatch):
    """The names of what was traced."""
    found, trace = [], CompiledFunction.trace

    def traced(self, *args, **kwargs):
        found.append(self.name)
        return trace(self, *args, **kwargs)

    monkeypatch.setattr(CompiledFunction, "trace", traced)
    return found


TRANSFORMS = {
    "grad": lambda f: ag.grad(f)(X),
    "value_and_grad": lambda f: ag.value_and_grad(f)(X),
    "jvp": lambda f: ag.jvp(f, (X,), (T,)),
    "hvp": lambda f: ag.hvp(f, (X,), (T,)),
    "jacobian": lambda f: ag.jacobian(ag.grad(f))(X),
    "hessian": lambda f: ag.hessian(f)(X),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_second_call_of_a_transform_traces_nothing(name, traces):
    def loss(x):
        return np.sum(np.sin(x) * x)

    first = TRANSFORMS[name](loss)
    assert len(traces) == 1
    for one, other in zip(first, TRANSFORMS[name](loss)):
        np.testing.assert_array_equal(one, other)
    assert len(traces) == 1


def test_vjp_traces_value_and_pullback_once(traces):
    def loss(x):
        return np.sum(np.sin(x) * x)

    for _ in range(3):
        value, pullback = ag.vjp(loss, X)
        np.testing.assert_allclose(pullback(1.0)[0], np.cos(X) * X + np.sin(X))
        assert value == pytest.approx(np.sum(np.sin(X) * X))
    assert len(traces) == 2


def test_other_options_and_other_functions_have_derivatives_of_their_own():
    def f(x, y):
        return np.sum(x * y * y)

    @functools.wraps(f)  # takes over the attributes of f
    def wrapper(x, y):
        return f(x, y) + 2.0 * np.sum(x)

    np.testing.assert_allclose(ag.grad(f)(X, T), T * T)
    np.testing.assert_allclose(ag.grad(f, argnums=1)(X, T), 2 * X * T)
    np.testing.assert_allclose(ag.grad(f, argnums=[0, 1])(X, T), (T * T, 2 * X * T))
    np.testing.assert_allclose(ag.grad(wrapper)(X, T), T * T + 2.0)
    np.testing.assert_allclose(ag.grad(f)(X, T), T * T)


def test_what_a_function_captures_is_read_at_every_call():
    scale = 2.0

    def f(x):
        return np.sum(x) * scale

    assert ag.jvp(f, (X,), (T,))[1] == pytest.approx(2.0 * T.sum())
    scale = 3.0
    assert ag.jvp(f, (X,), (T,))[1] == pytest.approx(3.0 * T.sum())


def test_code_and_defaults_that_are_replaced_are_noticed():
    def f(x, k=2.0):
        return np.sum(x) * k

    def g(x, k=2.0):
        return np.sum(x * x) * k

    assert ag.grad(f)(X).tolist() == [2.0, 2.0, 2.0]
    f.__defaults__ = (5.0,)
    assert ag.grad(f)(X).tolist() == [5.0, 5.0, 5.0]
    f.__code__ = g.__code__
    np.testing.assert_allclose(ag.grad(f)(X), 10.0 * X)


def test_transform_that_needs_many_programs_never_runs_out_of_them():
    def f(x, name):
        return np.sum(x) * len(name)

    with ag.config(max_programs=2):
        for n in range(1, 6):
            np.testing.assert_array_equal(ag.grad(f)(X, "a" * n), np.full(3, float(n)))


def test_settings_that_change_what_is_compiled_compile_again(traces):
    def f(x):
        return np.sum(x * x)

    ag.grad(f)(X)
    with ag.config(backend="interpreter"):
        ag.grad(f)(X)
    with ag.config(saved_bytes=1000):
        ag.grad(f)(X)
    ag.grad(f)(X)
    assert len(traces) == 3


def test_derivatives_go_with_their_function():
    def f(x):
        return np.sum(x * x)

    ag.hessian(f)(X)
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None


def test_functions_and_gradients_are_pickled_and_copied_as_before():
    ag.hvp(loss_of_three, (X,), (T,))
    assert pickle.loads(pickle.dumps(loss_of_three)) is loss_of_three
    attributes = copy.deepcopy(vars(loss_of_three))
    again = pickle.loads(pickle.dumps(attributes))
    for kept in (*attributes.values(), *again.values()):
        assert kept.found == {}
    np.testing.assert_allclose(copy.copy(ag.grad(loss_of_three))(X), np.cos(X) * X + np.sin(X))
