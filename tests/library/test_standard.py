"""Python's builtin functions on values of the run give what Python gives: value, type, exception."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees

NUMBERS = [3, -7, 2.5, -2.5, np.float32(1.5), np.int32(-4), True]


@pytest.mark.parametrize("function", [int, float, complex, bool, abs, round, str, repr])
@pytest.mark.parametrize("x", NUMBERS, ids=repr)
def test_conversions_of_a_number(function: Any, x: Any) -> None:
    assert_agrees(lambda x: function(x), x)


def test_round_to_digits() -> None:
    def f(x: Any) -> Any:
        return round(x, 1), round(x * 100, -1)

    assert_agrees(f, 2.675, np.float64(0.25))


def test_int_of_nan_and_infinity_raises() -> None:
    def f(x: float) -> Any:
        return int(x)

    assert_agrees(f, 2.9, float("nan"), float("inf"))


def test_round_of_an_array_raises() -> None:
    def f(x: Any) -> Any:
        return round(x)

    assert_agrees(f, np.ones(2))


@pytest.mark.parametrize(("x", "y"), [(7, 3), (-7, 3), (7, -3), (7.5, 2.0), (-7.5, 2.0), (5, 0)])
def test_divmod_follows_pythons_signs(x: Any, y: Any) -> None:
    def f(x: Any, y: Any) -> Any:
        return divmod(x, y)

    assert_agrees(f, (x, y))


def test_pow_with_a_modulus() -> None:
    def f(x: int, y: int) -> Any:
        return pow(x, y, 1000), pow(x, y)

    assert_agrees(f, (7, 11))


def test_len_of_arrays_lists_and_strings() -> None:
    def f(x: Any, n: int) -> Any:
        out = [0] * 3
        return len(x), len(x.T), len(out), len(str(n))

    assert_agrees(f, (np.zeros((11, 4)), 1234))


def test_len_of_a_number_raises() -> None:
    def f(x: Any) -> Any:
        return len(x)

    assert_agrees(f, 3, np.array(3.0))


@pytest.mark.parametrize("function", [sum, min, max, any, all, sorted, list, tuple])
def test_reductions_of_an_array(function: Any) -> None:
    assert_agrees(lambda x: function(x), np.array([3.0, -1.0, 0.0, 8.0, 2.0, 2.0, 5.0, 1.0, 9.0, 4.0]))


def test_min_and_max_of_nothing_raise_or_give_the_default() -> None:
    def f(x: Any, n: int) -> Any:
        return max(x, default=-1.0) if n > 0 else min(x)

    assert_agrees(f, (np.zeros(0), 1), (np.zeros(0), -1), (np.arange(12.0), 1))


def test_first_of_equals_wins_with_a_key() -> None:
    def f(x: Any) -> Any:
        return min(range(len(x)), key=lambda i: x[i]), max(range(len(x)), key=lambda i: x[i])

    assert_agrees(f, np.array([3.0, 1.0, 1.0, 5.0, 5.0]), np.arange(12.0) % 4)


def test_sum_of_mixed_numbers_has_pythons_type() -> None:
    def f(a: int, b: float) -> Any:
        return sum([a, a]), sum([a, b]), sum([a], start=b)

    assert_agrees(f, (1, 2.5))


def test_any_stops_at_the_first_true() -> None:
    def f(x: Any) -> Any:
        return any(v / (v - 3) > 1 for v in x), all(v < 5 for v in x)

    assert_agrees(f, np.arange(4.0, 16.0))


def test_reduce_and_accumulate() -> None:
    def f(x: Any) -> Any:
        return functools.reduce(lambda a, b: a * 2 + b, (x[0], x[1], x[2])), list(itertools.accumulate([x[0], x[1]]))

    assert_agrees(f, np.arange(1.0, 4.0))


def test_lists_that_only_the_run_makes_long_and_that_the_condition_of_a_loop_assigns() -> None:
    def f(count: int) -> Any:
        place, best, steps = 0, 0, []
        while ways := [k for k in range(place + 1, count)]:
            place = min(ways, key=lambda k: abs(k - 3))
            best = max(best, max(ways)) + len([*ways, 1])
            steps.append(functools.reduce(lambda a, b: a * 3 % 7 + b, ways))
        return place, best, steps, functools.reduce(max, steps)

    compiled = ag.compile(f, fallback="error")
    for count in (9, 12, 2):
        assert compiled(count) == f(count)
    for function in (compiled, f):
        with pytest.raises(TypeError, match="empty iterable with no initial value"):
            function(1)
    assert len(compiled.specializations) == 1


def test_sorted_by_a_key_in_reverse() -> None:
    def f(x: Any) -> Any:
        return sorted(range(len(x)), key=lambda i: x[i], reverse=True)

    assert_agrees(f, np.array([3.0, 1.0, 2.0]), np.arange(11.0) % 3)


def test_floats_are_sorted_as_python_does_nans_and_zeros_among_them() -> None:
    def f(x: list[float]) -> Any:
        return sorted(x, reverse=True), sorted([(-value, place) for place, value in enumerate(x)])

    numbers = [k * 7 % 5 * 0.5 for k in range(20)]
    for odd in ([], [0.0, -0.0, 0.0], [math.nan, -1.0, math.inf, math.nan, 3.0]):
        assert_agrees(f, [*odd, *numbers, *odd])


def test_ints_among_floats_are_sorted_by_their_exact_values() -> None:
    def f(x: list[float]) -> Any:
        rows = [(-value, place) for place, value in enumerate(x)]
        return sorted(x), sorted(x, reverse=True), sorted(rows), max(rows), sorted(range(len(x)), key=lambda place: x[place] / 2)

    numbers = [k * 7 % 5 if k % 3 else k * 5 % 7 / 2 for k in range(20)]
    large = [2**53 + 1, 2.0**53, 2**53, float(2**53 + 2), 2**62, 2.0**62, 2**62 + 1, -(2**53) - 1, -(2.0**53)] * 2
    compiled = ag.compile(f, fallback="error")
    for odd in ([], [1, 1.0, True, 0.0], [math.nan, 3, math.nan], large):
        assert_agrees(f, [*odd, *numbers, *odd])
    operations = compiled.prepare((numbers, {})).program.graph.block.operations  # without those in the branches for nans
    assert not [operation for operation in operations if operation.attributes.get("label") == "sorted"]


def test_isinstance_and_type_see_the_real_types() -> None:
    def f(x: Any, n: Any) -> Any:
        return isinstance(x, np.ndarray), isinstance(n, int), isinstance(x[0], float), type(n).__name__, isinstance(n, (str, bool))

    assert_agrees(f, (np.ones(2), 3), (np.ones(2, np.int32), 2.5))


def test_getattr_with_a_default_and_callable() -> None:
    def f(x: Any) -> Any:
        return getattr(x, "shape", None), getattr(x, "missing", "default"), callable(x), callable(np.sin)

    assert_agrees(f, np.ones(3))


def test_next_of_a_generator_expression() -> None:
    def f(x: Any, limit: float) -> Any:
        return next((i for i in range(len(x)) if x[i] > limit), -1)

    assert_agrees(f, (np.arange(12.0), 5.0), (np.arange(12.0), 50.0))


def test_number_texts_of_chr_bin_hex_and_format() -> None:
    def f(n: int) -> Any:
        return chr(n), bin(n), hex(n), format(n, "05d")

    assert_agrees(f, 65, 97)


def cursor_in_staged_loop(x, n):
    items = iter(x)
    out = []
    for _ in range(n):
        out.append(next(items))
    return out, next(items, None), [v for v in items]


@pytest.mark.parametrize("count", [0, 3, 6])
def test_an_iterator_keeps_its_place_through_staged_loops(count) -> None:
    x = np.arange(7.0)
    assert str(ag.compile(cursor_in_staged_loop, fallback="error")(x, count)) == str(cursor_in_staged_loop(x, count))


def test_sorted_by_a_comparison() -> None:
    def f(x: Any) -> Any:
        def compare(a: float, b: float) -> int:
            return (abs(a) > abs(b)) - (abs(a) < abs(b))

        key = functools.cmp_to_key(compare)
        return sorted([float(value) for value in x], key=key), sorted(["b", "a"], key=functools.cmp_to_key(lambda a, b: (a > b) - (a < b)))

    assert_agrees(f, np.array([3.0, -1.0, 2.0]), np.array([-5.0, 4.0, 0.0, -4.0]))


def test_a_comparison_key_of_a_number_of_the_run_is_refused() -> None:
    compiled = ag.compile(lambda x: functools.cmp_to_key(lambda a, b: int(a - b))(x[0]) is not None, fallback="error")
    with pytest.raises(ag.ConversionError, match="cmp_to_key"):
        compiled(np.ones(2))


def test_functions_of_operator_are_the_operators() -> None:
    def f(rows: Any, words: Any) -> Any:
        orders = [operator.lt, operator.ge, operator.eq, operator.ne]
        found = [[order((a, b), (b, a)) for order in orders] for a, b in rows]
        truths = [(operator.not_(a > b), operator.truth(a - b), operator.contains((1, b), a)) for a, b in rows]
        return found, truths, [operator.contains(word, "b") for word in words], [operator.gt(word, "b") for word in words]

    rows = [(k * 7 % 5, k * 3 % 4) for k in range(12)]
    assert_agrees(f, (rows, ["ab", "b", "", "cab"]), (rows[:2], []))


def test_lists_of_tuples_are_compared() -> None:
    def f(rows: Any) -> Any:
        by: dict[str, list[tuple[int, str]]] = {}
        for number, name in rows:
            by.setdefault(name[:1], []).append((number, name))
        groups = list(by.values())
        best = {start: max(group)[1] for start, group in sorted(by.items())}
        return groups[0] < groups[1], groups[0] >= groups[1], max(groups), sorted(groups), best

    assert_agrees(f, [(k * 7 % 23, f"{'abc'[k % 3]}{k % 5}") for k in range(20)], [(1, "ax"), (1, "bx"), (1, "ax"), (1, "by")])
