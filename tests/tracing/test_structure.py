"""Where Python needs a value: the loop is unrolled, the input becomes a constant, or an error names the line."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees, conversion_error, line_of


def test_loop_that_indexes_a_tuple_of_objects_is_unrolled() -> None:
    def f(x: Any) -> Any:
        names = ("sin", "cos", "tan", "exp", "sqrt", "square", "abs", "sign", "ceil", "floor")
        for i in range(10):
            x = getattr(np, names[i])(x)
        return x

    assert_agrees(f, np.array([0.3, 0.7]))


def test_int_used_as_a_shape_is_data() -> None:
    def f(n: int) -> Any:
        return np.zeros((n, 2)).shape, np.arange(n).sum()

    assert_agrees(f, 3, 20, 0)


def test_int_used_as_an_axis_becomes_a_constant_of_the_program() -> None:
    def f(x: Any, axis: int) -> Any:
        return x.sum(axis=axis)

    assert_agrees(f, (np.ones((2, 3)), 0), (np.ones((2, 3)), 1))


def test_unroll_of_a_short_range_is_allowed() -> None:
    def f(x: Any) -> Any:
        for i in ag.unroll(range(12)):
            x = x + i
        return x

    assert_agrees(f, np.ones(3))


def test_unroll_of_unknown_trips_names_line_reason_and_remedy() -> None:
    def f(x: Any) -> Any:
        for i in ag.unroll(range(int(x.sum()))):
            x = x + i
        return x

    error = conversion_error(f, np.ones(3))
    assert error.span is not None and error.span.lineno == line_of(f, "ag.unroll")
    assert error.what and error.why and error.remedy


def test_unrolled_loop_that_is_too_long_is_stopped_with_a_remedy() -> None:
    def f(x: Any) -> Any:
        for _ in ag.unroll(range(10**9)):
            x = x + 1
        return x

    with ag.config(compile_seconds=0.1):
        error = conversion_error(f, np.ones(3))
    assert "takes too long" in error.what and error.span is not None and line_of(f, "for _") <= error.span.lineno <= line_of(f, "x = x + 1")
    assert "operations recorded" in error.why and error.remedy
