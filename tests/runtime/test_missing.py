"""Variables and attributes that were missing when a function was traced are found by later calls, and those that go are missed."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag

X = np.ones(3)


class Settings:
    pass


class Slotted:
    __slots__ = ("scale",)


def scaled(x):
    return x * LATER  # noqa: F821


def declared(x):
    global LATER_DECLARED
    return x * LATER_DECLARED


def by_branch(x):
    return helper(x) if x[0] > 5 else x  # noqa: F821


def in_handler(x):
    try:
        return x * SOMETIMES  # noqa: F821
    except NameError:
        return x


@pytest.mark.parametrize("function, name", [(scaled, "LATER"), (declared, "LATER_DECLARED")])
def test_a_global_that_is_defined_after_a_call(function, name, monkeypatch):
    compiled = ag.compile(function)
    for _ in range(2):
        with pytest.raises(NameError, match=f"name '{name}' is not defined"):
            compiled(X)
    monkeypatch.setitem(globals(), name, 3.0)
    np.testing.assert_array_equal(compiled(X), 3 * X)


def test_a_function_that_is_defined_after_a_call(monkeypatch):
    compiled = ag.compile(by_branch)
    np.testing.assert_array_equal(compiled(X), X)
    with pytest.raises(NameError, match="helper"):
        compiled(6 * X)
    monkeypatch.setitem(globals(), "helper", lambda x: x + 1)
    np.testing.assert_array_equal(compiled(6 * X), 7 * X)


def test_a_global_that_comes_and_goes(monkeypatch):
    compiled = ag.compile(in_handler)
    np.testing.assert_array_equal(compiled(X), X)
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "SOMETIMES", 2.0)
        np.testing.assert_array_equal(compiled(X), 2 * X)
    np.testing.assert_array_equal(compiled(X), X)


def test_a_variable_of_the_function_around_that_is_bound_after_a_call():
    compiled = ag.compile(lambda x: x * late)
    with pytest.raises(NameError, match="late"):
        compiled(X)
    late = 4.0
    np.testing.assert_array_equal(compiled(X), 4 * X)


@pytest.mark.parametrize("kind", [Settings, Slotted])
def test_an_attribute_that_comes_and_goes(kind):
    settings = kind()

    @ag.compile
    def read(x):
        try:
            return x * settings.scale
        except AttributeError:
            return x

    @ag.compile
    def asked(x):
        return x * 2 if hasattr(settings, "scale") else x

    @ag.compile
    def given(x, settings):
        return x * getattr(settings, "scale", 7.0)

    for _ in range(2):
        np.testing.assert_array_equal(read(X), X)
        np.testing.assert_array_equal(asked(X), X)
        np.testing.assert_array_equal(given(X, settings), 7 * X)
        settings.scale = 5.0
        np.testing.assert_array_equal(read(X), 5 * X)
        np.testing.assert_array_equal(asked(X), 2 * X)
        np.testing.assert_array_equal(given(X, settings), 5 * X)
        del settings.scale


def test_an_attribute_that_the_class_gets():
    class Options:
        pass

    options = Options()
    compiled = ag.compile(lambda x: x * options.factor)
    with pytest.raises(AttributeError, match="no attribute 'factor'"):
        compiled(X)
    Options.factor = 2.0
    np.testing.assert_array_equal(compiled(X), 2 * X)
