"""Calls from converted code: user functions, methods, closures, defaults, partials, recursion that the trace can end."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees


def clipped(x: Any, *, low: float = 0.0, high: float = 1.0) -> Any:
    if x < low:
        return low
    if x > high:
        return high
    return x


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, x: Any) -> Any:
        if self.factor > 1:
            return x * self.factor
        return x

    @staticmethod
    def half(x: Any) -> Any:
        return x / 2

    @classmethod
    def named(cls, x: Any) -> Any:
        return cls.__name__, x


class Offset(Scaler):
    def __call__(self, x: Any) -> Any:
        return super().__call__(x) + 1


def test_called_functions_are_converted_with_their_defaults() -> None:
    def f(x: Any) -> Any:
        return [clipped(v) for v in x], clipped(x[0], high=0.1), clipped(*x[:1], **{"low": -1.0})

    assert_agrees(f, np.linspace(-1, 2, 12))


def test_callable_objects_super_and_class_methods() -> None:
    def f(x: Any, scaler: Any) -> Any:
        return scaler(x), scaler.half(x), scaler.named(x)[1]

    assert_agrees(f, (3.0, Scaler(2.0)), (3.0, Offset(0.5)))


def test_closure_reads_the_variable_as_it_is_at_the_call() -> None:
    def f(n: int) -> Any:
        k = 1

        def read() -> int:
            return k

        if n > 0:
            k = 2
        return read()

    assert_agrees(f, 1, -1)


def test_partial_and_nested_partial() -> None:
    def f(x: Any) -> Any:
        g = functools.partial(clipped, high=0.5)
        return g(x), functools.partial(g, low=0.4)(x)

    assert_agrees(f, 0.1, 0.9)


def test_wrong_arguments_raise_pythons_error() -> None:
    def f(x: Any) -> Any:
        try:
            return clipped(x, 1.0)
        except TypeError as error:
            return str(error)

    assert_agrees(f, 0.5)


def test_function_that_is_not_converted_runs_in_python() -> None:
    seen = []

    @ag.do_not_convert
    def observe(x: Any) -> Any:
        seen.append(float(x))
        return float(x)

    def f(x: Any) -> Any:
        total = 0.0
        for v in x:
            total += observe(v)
        return total

    assert_agrees(f, np.arange(10.0))
    assert seen == list(np.arange(10.0)) * 3


def test_lambda_made_in_a_loop_binds_late() -> None:
    def f(n: int) -> Any:
        functions = []
        for i in range(3):
            functions.append(lambda: i + n)
        return [g() for g in functions]

    assert_agrees(f, 10)


def test_varargs_of_data() -> None:
    def f(x: Any) -> Any:
        def collect(*args: Any, **kwargs: Any) -> Any:
            return len(args), sum(args), sorted(kwargs)

        return collect(*[x[0], x[1]], last=x[2])

    assert_agrees(f, np.arange(3.0))


POLYNOMIAL = np.polynomial.Polynomial([1.0, 2.0])
OLD_POLYNOMIAL = np.poly1d([1.0, 2.0])


def test_objects_of_numpy_that_cannot_be_hashed_are_called():
    def captured(x):
        return POLYNOMIAL(x) + OLD_POLYNOMIAL(x)

    def made(coefficients):
        polynomial, old = np.polynomial.Polynomial(coefficients), np.poly1d(coefficients)
        return polynomial(coefficients[0]), (polynomial * polynomial).coef, old(2.0), old(coefficients[1])

    assert_agrees(captured, 2.0)
    assert_agrees(captured, np.arange(3.0))
    assert_agrees(made, np.array([1.0, 2.0, 3.0]))
