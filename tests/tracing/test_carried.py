"""What a loop carries widens until it fits: types of numbers, absence, containers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees


def test_int_that_becomes_a_float_in_the_loop() -> None:
    def f(x: Any) -> Any:
        total = 0
        for value in x:
            total += value
        return total

    assert_agrees(f, np.arange(12) / 3, np.zeros(0))


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8, np.complex64])
def test_python_number_takes_the_type_of_the_elements(dtype: Any) -> None:
    def f(x: Any) -> Any:
        total = 1
        for value in x:
            total = total * value
        return total

    assert_agrees(f, np.ones(11, dtype), np.ones(0, dtype))


def test_variable_that_is_none_before_the_first_trip() -> None:
    def f(x: Any) -> Any:
        best = None
        for value in x:
            if best is None or value > best:
                best = value
        return best

    assert_agrees(f, np.array([3.0, 9.0, 4.0]), np.zeros(0))


def test_flag_that_ends_a_loop() -> None:
    def f(x: Any) -> Any:
        i, found = 0, False
        while not found and i < len(x):
            found = x[i] > 4
            i += 1
        return i, bool(found)

    assert_agrees(f, np.arange(20.0), np.zeros(10))


def test_tuple_is_carried_item_by_item() -> None:
    def f(n: int) -> Any:
        pair = (0, 1.0)
        for _ in range(n):
            pair = (pair[0] + 1, pair[1] * 2)
        return pair

    assert_agrees(f, 10, 0)


def test_number_whose_type_depends_on_the_path_stays_exact() -> None:
    def f(x: Any) -> Any:
        best = 0
        for value in x:
            if value > best:
                best = value
        return best

    assert_agrees(f, np.array([-1.0, -2.0]), np.array([1.0, 5.0, 2.0]))


def test_array_replaced_in_the_loop_does_not_change_the_argument() -> None:
    def f(x: Any, n: int) -> Any:
        for _ in range(n):
            x = x * 2
        return x

    assert_agrees(f, (np.ones(3), 9))


def test_object_attributes_are_carried() -> None:
    class Counter:
        def __init__(self) -> None:
            self.count, self.total = 0, 0.0

    def f(x: Any) -> Any:
        c = Counter()
        for value in x:
            c.count += 1
            c.total += value
        return c.count, c.total

    assert_agrees(f, np.arange(11.0))


def test_dict_that_every_trip_makes_anew_keeps_its_structure() -> None:
    def f(x: Any, n: Any) -> Any:
        p = {"w": x, "b": 0.0}
        i = 0
        while i < n:
            p["b"] = p["b"] + 1.0
            p = {name: p[name] * 2.0 for name in p}
            i += 1
        return p["w"], p["b"]

    assert_agrees(f, (np.ones(2), 0), (np.ones(2), 5))
    assert "none" in next(line for line in ag.compile(f).explain(np.ones(2), 5).splitlines() if "host calls" in line)


def test_nested_dict_and_list_that_every_trip_makes_anew() -> None:
    def f(x: Any, n: Any) -> Any:
        state = {"p": [x, 1.0], "m": {"w": x * 0.0}}
        for _ in range(n):
            p, m = state["p"], state["m"]
            state = {"p": [p[0] - m["w"], p[1] * 0.5], "m": {"w": 0.9 * m["w"] + p[0]}}
        return state

    assert_agrees(f, (np.ones(2), 0), (np.ones(2), 11))
