"""Loops over data: trip counts, jumps, else, nesting, what is carried out."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np

import autograph_jit as ag
from autograph_jit.tracing.control.carried import Carried
from tests.tracing.agreement import assert_agrees


def test_while_loop_runs_as_often_as_the_data_says() -> None:
    def f(n: int) -> int:
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    assert_agrees(f, 1, 6, 27)


def test_loop_that_never_runs_leaves_its_variable_unbound() -> None:
    def f(n: int) -> Any:
        for i in range(n):
            y = i
        return y

    assert_agrees(f, 3, 0)


def test_index_keeps_its_last_value_after_the_loop() -> None:
    def f(n: int) -> int:
        i = -5
        for i in range(2, n, 3):
            pass
        return i

    assert_agrees(f, 20, 1)


def test_break_skips_the_else_of_a_loop() -> None:
    def f(x: Any, key: float) -> Any:
        for i in range(len(x)):
            if x[i] == key:
                break
        else:
            return -1
        return i

    assert_agrees(f, (np.arange(20.0), 7.0), (np.arange(20.0), 70.0))


def test_continue_goes_on_with_the_next_item() -> None:
    def f(x: Any) -> float:
        total = 0.0
        for value in x:
            if value < 0:
                continue
            total += value
        return total

    assert_agrees(f, np.array([1.0, -2.0, 3.0]), np.zeros(0))


def test_return_inside_nested_loops_leaves_both() -> None:
    def f(a: Any) -> Any:
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                if a[i, j] > 5:
                    return i, j
        return None

    assert_agrees(f, np.arange(12.0).reshape(3, 4), np.zeros((2, 9)))


def test_inner_trip_count_depends_on_the_outer_index() -> None:
    def f(n: int) -> Any:
        out = np.zeros((n, n))
        for i in range(n):
            for j in range(i):
                out[i, j] = i * 10 + j
        return out

    assert_agrees(f, 12, 1, 0)


def test_loop_carries_an_array_that_changes_its_size() -> None:
    def f(x: Any, n: int) -> Any:
        for _ in range(n):
            x = np.concatenate((x, x[:1]))
        return x

    assert_agrees(f, (np.arange(3.0), 10), (np.arange(3.0), 0))


def test_two_variables_are_exchanged_in_every_trip() -> None:
    def f(a: Any, b: Any, n: int) -> Any:
        for _ in range(n):
            a, b = b, a + b
        return a, b

    assert_agrees(f, (0, 1, 30), (np.zeros(2), np.ones(2), 11))


def test_exception_in_a_trip_leaves_the_earlier_writes() -> None:
    def f(x: Any, n: int) -> None:
        for i in range(n):
            x[i] = i

    assert_agrees(f, (np.full(12, -1.0), 20), (np.full(12, -1.0), 5))


def test_writes_of_a_trip_are_seen_by_the_next_through_a_view() -> None:
    def f(x: Any) -> Any:
        tail = x[1:]
        for i in range(len(tail)):
            tail[i] += x[i]
        return x

    assert_agrees(f, np.arange(12.0))


def test_range_counts_down() -> None:
    def f(n: int) -> Any:
        return [i for i in range(n, -n, -4)]

    assert_agrees(f, 13, 0)


def terms(x: Any, y: Any) -> Any:
    return np.sum(np.sin(x * y) * np.cos(x) + np.tanh(y) - x * y / (1 + y * y)) + x[0] * x[1] - y[0] / (2 + x[1] ** 2)


def test_loop_that_would_be_unrolled_for_a_list_stays_one_where_that_is_long() -> None:
    def days_before(years: list[int]) -> list[str]:
        out = []
        for year in years:
            for month in range(12):
                lengths = [31, 29 if year % 4 == 0 else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
                text = f"{sum(lengths[:month]):3d}" + "x" * (year % 5)
                out.append("-".join([text[k : k + 2] for k in range(0, len(text), 2)]))
        return out

    assert_agrees(days_before, [1999, 2000], [2001])
    compiled = ag.compile(days_before, fallback="error")
    compiled([1999, 2000])
    assert len(list(compiled.specializations[0].program.graph.walk())) < 500  # 2,000 where the months are written out


def passed_around(x: Any, i: int, j: int, bound: float) -> float:
    """Steps until a number is small, over neighbours in all directions."""
    steps = 0.0
    for a in range(-1, 2):
        for b in range(-1, 2):
            for c in range(-1, 2):
                y = abs(x[(i + a) % len(x), (j + b) % len(x)]) * (2 + c)
                while y > bound:
                    y = 0.5 * y - 0.01 * steps if y > 1.0 else y - 0.1
                    steps += 1.0
                if a != b:
                    steps = steps * 0.5 + y * (1.0 + c)
    return steps


def test_short_loops_around_a_loop_of_the_run_stay_loops_where_they_would_be_a_long_text() -> None:
    x = np.cos(np.arange(16.0)).reshape(4, 4) * 3.0
    assert str(ag.compile(passed_around, fallback="error").graph(x, 1, 3, 0.2)).count("while_loop") == 1  # 27 where they are written out
    assert_agrees(passed_around, (x, 1, 3, 0.2), (x, 0, 0, 5.0))
    gradient = ag.grad(ag.compile(passed_around, fallback="error"))(x, 1, 3, 0.2)
    change = 1e-6 * np.sin(np.arange(16.0)).reshape(4, 4)
    slope = passed_around(x + change, 1, 3, 0.2) - passed_around(x - change, 1, 3, 0.2)
    assert abs(2 * np.sum(gradient * change) - slope) < 1e-6 * abs(slope) + 1e-12


def test_short_loop_around_a_small_one_is_written_out() -> None:
    def f(x: Any) -> Any:
        out = np.zeros(3)
        for axis in range(3):
            for row in range(len(x)):
                out[axis] += x[row, axis]
        return out

    x = np.arange(21.0).reshape(7, 3)
    assert str(ag.compile(f, fallback="error").graph(x)).count("for_loop") == 3
    assert_agrees(f, x)


def test_short_loop_whose_index_chooses_an_array_of_a_tuple_is_written_out_however_long() -> None:
    def f(x: Any, weights: tuple[Any, ...]) -> Any:
        for layer in range(3):
            w = weights[layer]
            y = np.zeros(len(w))
            for i in range(len(w)):
                total = 0.1 * i
                for j in range(len(x)):
                    total += w[i, j] * x[j] if w[i, j] > 0.1 * layer else x[j] - w[i, j]
                y[i] = total * 0.1 if total > 1.0 else np.tanh(total) + terms(x, x * 0.5)
            x = y
        return x

    x = np.cos(np.arange(7.0))
    weights = tuple(np.sin(np.arange(n * m) + 1.0).reshape(n, m) for n, m in ((9, 7), (8, 9), (7, 8)))
    assert_agrees(f, (x, weights), (x * 2, weights))
    assert str(ag.compile(f, fallback="error").graph(x, weights)).count("for_loop") == 6


def halvings(y: Any) -> Any:
    """Steps until a number is small, which are some thirty operations."""
    steps = 0.0
    while y > 1.0:
        y = 0.5 * y + 0.1 * np.sin(y) * np.cos(y) - 0.2 * np.tanh(y) * y / (1 + y * y) + 0.01 * np.exp(-y)
        steps += 1.0 if y > 2.0 else 0.5 * y - np.sqrt(y) * np.log(y + 1.0) + 0.3 * y * y / (2.0 + y)
    return y + steps


def test_short_loop_whose_variables_change_their_form_is_written_out_however_long() -> None:
    def tuples(x: Any) -> Any:
        found: tuple[Any, ...] = ()
        for axis in range(3):
            found = (*found, halvings(x[axis]))
        return found

    def least(x: Any) -> Any:
        last = None
        for axis in range(3):
            y = halvings(x[axis])
            last = y if last is None or y < last else last + y
        return last

    def letters(x: Any) -> Any:
        found = {}
        for axis in range(3):
            found["xyz"[axis]] = halvings(x[axis])
        return found

    x = np.array([7.5, 0.3, 12.0])
    for f in (tuples, least, letters):
        assert_agrees(f, x, x * 0.1)
        assert str(ag.compile(f, fallback="error").graph(x)).count("while_loop") == 3


def test_long_loop_with_a_known_condition_is_a_loop() -> None:
    def f(x: Any) -> Any:
        t, y = 0.0, x * 1.0
        while t < 3.0:
            y = y * 0.9 + 0.01 * terms(x, y) + t
            t += 0.05
        return y, t

    x = np.array([0.3, 0.5])
    graph = str(ag.compile(f, fallback="error").graph(x))
    assert "while_loop" in graph and graph.count("\n") < 200
    assert_agrees(f, x)


def test_long_loop_whose_trips_are_not_alike_is_written_out() -> None:
    def f(x: Any) -> Any:
        found: tuple[Any, ...] = ()
        while len(found) < 60:
            found = (*found, x * (terms(x, x * 0.5) + len(found)))
        return found

    x = np.array([0.3, 0.5])
    assert "while_loop" not in str(ag.compile(f, fallback="error").graph(x))
    assert_agrees(f, x)


def differences(x: Any) -> Any:
    total, steps = 0.0, 0
    for i in range(len(x)):
        k = i
        while k < len(x):
            for j in range(len(x)):
                total += x[k] - x[j] * x[i]
            k, steps = k + 2, steps + 1
    return total, steps


def begins_anew(x: Any) -> Any:
    total = largest = 0.0
    for i in range(len(x)):
        for j in range(i, len(x)):
            total += x[j]
        largest = max(largest, total)
        total = 0.0
    return total, largest


def ends_early(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if x[j] > x[i] + 4.0:
                return total, i, j
            total = total + x[j] if x[j] > 1.0 else 0.0
    return total


def test_number_that_changes_its_kind_in_the_innermost_loop_has_it_after_all() -> None:
    for function in (differences, begins_anew, ends_early):
        for size in (0, 1, 4, 7):
            assert_agrees(function, np.linspace(0.0, 5.0, size))


def test_loops_around_one_that_changes_the_kind_of_a_number_are_all_traced_twice() -> None:
    def totals(x: Any) -> Any:
        total = 0.0
        for i in range(len(x)):
            for j in range(len(x)):
                for k in range(len(x)):
                    total += x[k] - x[j] * x[i]
        return total

    absorb, traced = Carried.absorb, []

    def counted(carried: Carried, *trips: Any) -> bool:
        traced.append(len(trips))
        return absorb(carried, *trips)

    with ag.config(cache=False), patch.object(Carried, "absorb", counted):
        ag.compile(totals, fallback="error")(np.ones(20))
    assert len(traced) == 2 * 3
