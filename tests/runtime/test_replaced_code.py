"""A function whose code is replaced in place, as reloading a module in a notebook does, is compiled anew by those that call it."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag


def doubled(x, factor=2.0):
    return x * factor


def tripled_and_one(x, factor=3.0):
    return x * factor + 1.0


def restored(function):
    """A copy that a test may change."""
    return type(function)(function.__code__, globals(), function.__name__, function.__defaults__)


def test_code_of_a_called_function_that_is_replaced_is_noticed():
    helper = restored(doubled)
    compiled = ag.compile(lambda x: helper(x) + 1.0, fallback="error")
    x = np.ones(3)
    for _ in range(3):
        assert compiled(x).tolist() == [3.0] * 3
    helper.__code__ = tripled_and_one.__code__
    for _ in range(3):
        assert compiled(x).tolist() == [4.0] * 3
    helper.__defaults__ = (10.0,)
    for _ in range(3):
        assert compiled(x).tolist() == [12.0] * 3


def test_code_of_the_compiled_function_that_is_replaced_is_noticed():
    function = restored(doubled)
    compiled = ag.compile(function, fallback="error")
    gradient = ag.grad(lambda x: function(x).sum())
    x = np.ones(3)
    assert compiled(x).tolist() == compiled(x).tolist() == [2.0] * 3 and gradient(x).tolist() == [2.0] * 3
    function.__code__ = (lambda x, factor: x - 5.0 * factor * x).__code__
    assert compiled(x).tolist() == compiled(x).tolist() == [-9.0] * 3
    assert gradient(x).tolist() == [-9.0] * 3


def test_functions_that_the_program_itself_makes_ask_for_nothing():
    @ag.compile(fallback="error")
    def compiled(x):
        def inner(y):
            return y * 2.0

        return inner(x) + (lambda y: y)(x)

    for _ in range(3):
        assert compiled(np.ones(2)).tolist() == [3.0] * 2
    assert len(compiled.specializations) == 1


def test_a_base_class_operator_that_is_called_by_name_asks_for_one_program():
    class Point:
        def __init__(self, x):
            self.x = x

        def __eq__(self, other):
            return self.x == other.x

    class Marked(Point):
        def __eq__(self, other):
            return Point.__eq__(self, other)

    compiled, a, b = ag.compile(Marked.__eq__, fallback="error"), Marked(1.0), Marked(2.0)
    assert [compiled(a, b), compiled(a, b), compiled(a, b)] == [False, False, False]
    assert len(compiled.specializations) == 1
