"""Comparisons, chains, identity and membership."""

from __future__ import annotations

import operator
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees


def test_chain_evaluates_its_middle_once() -> None:
    def f(n: int) -> Any:
        print_count = [0]

        def middle() -> int:
            print_count[0] += 1
            return n

        return 0 < middle() < 10, print_count[0]

    assert_agrees(f, 5, -5, 50)


def test_chain_stops_at_the_first_false() -> None:
    def f(n: int, x: Any) -> Any:
        return 0 <= n < len(x) and x[n] > 1

    assert_agrees(f, (2, np.arange(9.0)), (20, np.arange(9.0)), (-2, np.arange(9.0)))


@dataclass
class Point:
    x: float
    y: float = 0.0


def test_containers_compare_one_object_as_equal_to_itself() -> None:
    def f(x: Any) -> Any:
        a, b = x[0], x[0]
        p, q = Point(a), Point(b)
        same = (a, 1) == (a, 1), [a] == [a], (a, 1) != (a, 1), Point(a) == p, p != Point(a), p == p
        other = (a,) == (b,), [a] == [b], p == q, a in (b,)
        return same, other, (a, 1) < (a, 2), (a, 1) < (b, 2), (x, 1) == (x, 1)

    assert_agrees(f, np.array([np.nan, 1.0]), np.array([2.0]))


def test_numbers_are_not_ordered_among_other_objects() -> None:
    def f(n: int, r: float) -> Any:
        def g() -> None:
            pass

        found = []
        for other in (g, None, "a", [1], (1,), {}, object):
            for number in (n, r):
                for compare in (lambda a, b: a < b, lambda a, b: a >= b, lambda a, b: a == b, lambda a, b: a != b):
                    for x, y in ((other, number), (number, other)):
                        try:
                            found.append(compare(x, y))
                        except TypeError as error:
                            found.append(str(error))
        return found

    assert_agrees(f, (3, 1.5))


def test_numbers_of_pythons_and_sequences_do_not_mix() -> None:
    def f(n: int, r: float) -> Any:
        found = [n * [1, 2], (1, 2) * n]
        for sequence in ([1], (1,), (1.5, 2)):
            for number in (n, r):
                for combine in (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a % b):
                    for x, y in ((sequence, number), (number, sequence)):
                        try:
                            found.append(combine(x, y))
                        except TypeError as error:
                            found.append(str(error))
        return found

    assert_agrees(f, (3, 1.5))


LARGE = [(2**62, float(2**62)), (2**63 - 1, 2.0**63), (-(2**63), -(2.0**63)), (2**53 + 1, float(2**53))]
MIXED = [(3, float("inf")), (3, float("nan")), (-1, np.uint8(255)), (0.1, np.float32(0.1))]


@pytest.mark.parametrize(("x", "y"), LARGE + MIXED)
def test_mixed_numbers_compare_as_in_python(x: Any, y: Any) -> None:
    def f(x: Any, y: Any) -> Any:
        return x == y, x < y, x > y, x != y

    assert_agrees(f, (x, y))


def test_nan_compares_unequal_to_itself() -> None:
    def f(x: float) -> Any:
        return x == x, x != x, x < x, x >= x

    assert_agrees(f, float("nan"))


def test_is_none_of_values_of_the_run() -> None:
    def f(x: Any, n: int) -> Any:
        y = x if n > 0 else None
        return y is None, y is not None, x is None

    assert_agrees(f, (1.5, 1), (1.5, -1))


def test_identity_of_arrays_and_views() -> None:
    def f(x: Any, n: int) -> Any:
        y = x if n > 0 else x.copy()
        return y is x, x[:] is x

    assert_agrees(f, (np.ones(3), 1), (np.ones(3), -1))


def test_membership_in_arrays_ranges_and_tuples() -> None:
    def f(x: Any, n: int) -> Any:
        return n in x, n in range(3, 30, 4), n in (1, 2, 3), n not in [5]

    assert_agrees(f, (np.arange(12), 7), (np.arange(12), 50))


def test_elementwise_comparison_of_arrays_broadcasts() -> None:
    def f(x: Any, y: Any) -> Any:
        return x[:, None] < y

    assert_agrees(f, (np.arange(4.0), np.arange(3.0)))


def test_sequences_compare_item_by_item() -> None:
    def f(n: int) -> Any:
        return (1, n) < (1, 5), [n, 2] == [3, 2], (n,) != (3,)

    assert_agrees(f, 3, 7)


def test_shapes_that_do_not_fit_raise() -> None:
    def f(x: Any, y: Any) -> Any:
        return x < y

    assert_agrees(f, (np.arange(4.0), np.arange(3.0)))


def test_numbers_of_the_run_beside_ints_at_the_end_of_64_bits() -> None:
    def compared(n, x):
        return [n < 2**63, n > -(2**63) - 1, n == 2**63, n >= -(2**63), x < 2**63, n <= 2**63 - 1]

    compiled = ag.compile(compared, fallback="error")
    for n, x in ((2**63 - 1, 2.0**63), (-(2**63), -1.0), (0, 0.0)):
        assert compiled(n, x) == compared(n, x)


def test_numpys_bools_are_one_object_each() -> None:
    def compared(x, flag):
        return flag is np.True_, flag is np.False_, flag is not np.True_, (x > 1) is np.True_, flag is True

    compiled = ag.compile(compared, fallback="error")
    for flag in (np.True_, np.False_, True):
        for x in (np.float64(2.0), np.float64(0.0)):
            assert compiled(x, flag) == compared(x, flag)


SEVEN = 7


def is_one(x: Any, y: Any) -> Any:
    return x is y, x is not y, operator.is_(x, y)


@pytest.mark.filterwarnings("ignore")
def test_whether_equal_values_are_one_object_is_left_to_python() -> None:
    pairs = [(10**6, int("1000000")), (5, int("5")), (1.5, float("1.5")), (float("nan"), float("nan")), (1 + 2j, complex("1+2j"))]
    pairs += [("a b", "".join(("a", " b"))), (b"a b", bytes(bytearray(b"a b"))), (np.float64(3.0), np.float64(3.0)), ((), tuple([]))]
    for x, other in [*pairs, (True, False), (3, 3.0), (2.0, "a b"), (None, None)]:
        for calls in ([(x, x), (x, other)], [(x, other), (x, x)]):
            compiled = ag.compile(is_one)
            for call in calls:
                assert compiled(*call) == is_one(*call), call


def test_identity_of_numbers_that_is_known() -> None:
    def known(n, x, flag):
        same = x
        return n is SEVEN, x is same, n is x, x is None, flag is True, (n > 3) is flag

    compiled = ag.compile(known, fallback="error")
    for arguments in ((7, 7.0, True), (10**6, 2.5, False)):
        assert compiled(*arguments) == known(*arguments)


def test_identity_that_is_not_known_is_an_error_where_python_may_not_be_asked() -> None:
    with pytest.raises(ag.ConversionError, match="`is` between values of type float") as caught:
        ag.compile(is_one, fallback="error")(1.5, float("1.5"))
    assert caught.value.remedy == "compare them with =="


def test_identity_of_tuples_of_the_run_is_left_to_python() -> None:
    def greatest(pairs):
        best = max(pairs, key=lambda pair: pair[1])
        pairs.append(best)
        return best is pairs[-1], best is pairs[0], len(pairs)

    compiled = ag.compile(greatest)
    for count in (100, 3):
        pairs, others = ([(k, k * 0.5) for k in range(count)] for _ in range(2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert compiled(pairs) == greatest(others) == (True, False, count + 1)
