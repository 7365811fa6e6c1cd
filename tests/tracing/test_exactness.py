"""Python's int is exact: what leaves 64 bits is never wrong in silence."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees


def factorial(n: int) -> int:
    result = 1
    for i in range(2, n + 1):
        result *= i
    return result


def test_factorial_leaves_64_bits_exactly() -> None:
    assert_agrees(factorial, 20, 21, 30)


def test_sum_at_the_edge_of_64_bits() -> None:
    def f(n: int) -> Any:
        return n + (2**63 - 1), n - 2**63

    assert_agrees(f, 0, 1, -1)


@pytest.mark.parametrize("x", [2**63 - 1, -(2**63), 2**63, 2**100])
def test_large_argument_is_exact(x: int) -> None:
    def f(x: int) -> Any:
        return x, -x, x // 3, x % 7, x > 10

    assert_agrees(f, x)


def test_product_of_large_ints() -> None:
    def f(a: int, b: int) -> Any:
        return a * b

    assert_agrees(f, (3, 4), (2**40, 2**40), (-(2**40), 2**30))


def test_power_and_shift_beyond_64_bits() -> None:
    def f(n: int) -> Any:
        return 2**n, 1 << n

    assert_agrees(f, 10, 62, 70)


def test_large_numbers_of_a_recurrence() -> None:
    def f(n: int) -> Any:
        a, b = 0, 1
        for _ in range(n):
            a, b = b, a + b
        return a

    assert_agrees(f, 50, 92, 150)


def test_two_numbers_whose_ints_leave_64_bits_have_programs_and_others_are_pythons() -> None:
    def growing(n: int) -> Any:
        a = 1
        for i in range(n):
            a = a * 3 + i
        return a

    compiled = ag.compile(growing)
    with pytest.warns(UserWarning, match="makes calls again in Python"):
        for n in range(50, 56):
            assert compiled(n) == growing(n)
    assert sorted(made.program.is_left for made in compiled.specializations) == [False, False, True]


def congruential(n: int, seed: int, out: Any) -> Any:
    state, total = seed, 0.0
    for i in range(n):
        state = (state * 6364136223846793 + 1442695) % 1000000007
        total += out[i % 8] * state
    return total


def test_long_loop_of_large_ints_is_made_by_python_and_not_unrolled() -> None:
    compiled, x = ag.compile(congruential), np.arange(8.0)
    with pytest.warns(UserWarning, match="makes calls again in Python"):
        assert compiled(5000, 12345, x) == congruential(5000, 12345, x)
    assert len(compiled.specializations) == 1 and compiled.specializations[0].is_inexact
    assert compiled(4000, 12345, x) == congruential(4000, 12345, x)
    assert compiled(5, 1, x) == congruential(5, 1, x)


def test_a_program_of_which_every_call_is_made_again_is_left_to_python() -> None:
    compiled, x = ag.compile(congruential), np.arange(8.0)
    with pytest.warns(UserWarning, match="makes calls again in Python"):
        for seed in range(1000, 1005):
            assert compiled(5000, seed, x) == congruential(5000, seed, x)
    assert [made.program.is_left for made in compiled.specializations] == [True]
    mixed = ag.compile(congruential)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for call in range(40):
            n = 1 if call % 4 else 5000
            assert mixed(n, 123, x) == congruential(n, 123, x)
    assert len(caught) == 1 and not mixed.specializations[0].program.is_left


def test_what_stands_behind_a_product_that_leaves_64_bits_has_not_happened() -> None:
    def behind(n: int, x: Any, flag: bool) -> Any:
        if flag:
            x[0] += 1.0
            return n
        y = n * n * n
        x[1] = 7.0
        return y

    def handled(n: int, x: Any, flag: bool) -> Any:
        try:
            y = n * n * n
            x[0] += 2.0
        except OverflowError:
            x[1] = -1.0
            y = 0
        return y

    for f in (behind, handled):
        compiled = ag.compile(f, fallback="error")
        for n, flag in ((3, False), (10**7, False), (10**7, True), (3, True)):
            mine, theirs = np.zeros(2), np.zeros(2)
            assert compiled(n, mine, flag) == f(n, theirs, flag)
            np.testing.assert_array_equal(mine, theirs)
