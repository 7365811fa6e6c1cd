"""Branches on data: what runs, what they leave behind, what they may define."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.tracing.agreement import assert_agrees


def test_only_the_taken_branch_writes() -> None:
    def f(x: Any) -> Any:
        if x[0] > 0:
            x[1] = 10.0
        else:
            x[2] = 20.0
        return x

    assert_agrees(f, np.array([1.0, 0, 0]), np.array([-1.0, 0, 0]))


def test_only_the_taken_branch_prints() -> None:
    def f(n: int) -> None:
        if n > 3:
            print("large", n)
        elif n > 0:
            print("small", n)

    assert_agrees(f, 5, 2, -1)


def test_variable_defined_in_one_branch_is_unbound_after_the_other() -> None:
    def f(n: int) -> Any:
        if n > 0:
            y = n * 2
        return y

    assert_agrees(f, 3, -3)


def test_branches_of_different_number_types_keep_both_types() -> None:
    def f(n: int) -> Any:
        return n if n > 0 else n / 2

    assert_agrees(f, 3, -3)


def test_early_return_skips_the_rest() -> None:
    def f(x: Any) -> Any:
        if x.sum() > 1:
            return x * 2
        x[0] = -1
        return x

    assert_agrees(f, np.ones(3), np.zeros(3))


def test_branch_may_choose_between_none_and_an_array() -> None:
    def f(x: Any) -> Any:
        y = None
        if x[0] > 0:
            y = x + 1
        return y

    assert_agrees(f, np.ones(2), -np.ones(2))


def test_branch_chooses_the_array_that_is_written() -> None:
    def f(a: Any, b: Any, n: int) -> Any:
        x = a if n > 0 else b
        x[0] = 7
        return x

    assert_agrees(f, (np.zeros(2), np.ones(2), 1), (np.zeros(2), np.ones(2), -1))


def test_truth_of_an_array_of_several_elements_is_ambiguous() -> None:
    def f(x: Any) -> Any:
        if x:
            return 1
        return 0

    assert_agrees(f, np.array([1.0]), np.array([1.0, 2.0]))


def test_and_or_return_operands_and_evaluate_no_more_than_needed() -> None:
    def f(n: int, x: Any) -> Any:
        return (n > 2 and x[n]), (n or 10)

    assert_agrees(f, (3, np.arange(4.0)), (0, np.arange(4.0)))


def test_arrays_of_different_sizes_meet_after_a_branch() -> None:
    def f(x: Any, n: int) -> Any:
        y = x[:3] if n > 0 else x
        return y, y.shape, y.sum()

    assert_agrees(f, (np.arange(9.0), 1), (np.arange(9.0), -1))
