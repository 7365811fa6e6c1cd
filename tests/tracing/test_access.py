"""Attributes, subscripts, unpacking and in-place operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees


class Gauge:
    limit = 5.0

    def __init__(self, level: Any) -> None:
        self._level = level

    @property
    def level(self) -> Any:
        return self._level

    @level.setter
    def level(self, value: Any) -> None:
        self._level = value if value < self.limit else self.limit

    def __getitem__(self, key: Any) -> Any:
        return self._level * key

    def __setitem__(self, key: Any, value: Any) -> None:
        self._level = key + value


def test_property_runs_its_getter_and_setter() -> None:
    def f(gauge: Gauge, n: int) -> Any:
        for _ in range(n):
            gauge.level = gauge.level + 1.0
        return gauge.level

    assert_agrees(f, (Gauge(0.0), 3), (Gauge(0.0), 20))


def test_subscripts_of_a_users_object_call_its_methods() -> None:
    def f(gauge: Gauge, n: int) -> Any:
        gauge[n] = 2.0
        return gauge[n]

    assert_agrees(f, (Gauge(1.0), 4))


def test_missing_attribute_raises() -> None:
    def f(gauge: Gauge, x: Any) -> Any:
        return gauge.missing + x

    assert_agrees(f, (Gauge(1.0), 2.0))


def test_subscript_target_is_evaluated_once() -> None:
    def f(x: Any) -> Any:
        calls = [0]

        def place() -> int:
            calls[0] += 1
            return 1

        x[place()] += 5
        return calls[0]

    assert_agrees(f, np.zeros(3))


def test_in_place_operator_keeps_the_memory() -> None:
    def f(x: Any) -> Any:
        y = x
        y += 1
        y *= 3
        return x is y

    assert_agrees(f, np.zeros(3))


def test_in_place_operator_refuses_a_cast_that_loses() -> None:
    def f(x: Any) -> Any:
        x += 0.5
        return x

    assert_agrees(f, np.zeros(3, np.int64))


def test_starred_unpacking_of_an_array() -> None:
    def f(x: Any) -> Any:
        first, *middle, last = x
        return first, middle, last

    assert_agrees(f, np.arange(5.0))


@pytest.mark.parametrize("size", [1, 3])
def test_unpacking_the_wrong_number_of_items_raises(size: int) -> None:
    def f(x: Any) -> Any:
        a, b = x
        return a + b

    assert_agrees(f, np.arange(float(size)))


def test_nested_unpacking_in_a_loop() -> None:
    def f(x: Any) -> Any:
        total = 0.0
        for i, (a, b) in enumerate(x):
            total += i * a - b
        return total

    assert_agrees(f, np.arange(22.0).reshape(11, 2))


def test_delete_of_an_attribute() -> None:
    def f(gauge: Gauge, n: int) -> Any:
        gauge.extra = n
        del gauge.extra
        return hasattr(gauge, "extra")

    assert_agrees(f, (Gauge(1.0), 4))


def test_number_is_not_subscriptable() -> None:
    def f(n: int) -> Any:
        try:
            return n[0]
        except TypeError:
            return "not subscriptable"

    assert_agrees(f, 3)


class Bare:
    pass


@pytest.mark.parametrize("look", [lambda x: "late" in x.__dict__, lambda x: sorted(vars(x)), dir], ids=["dict", "vars", "dir"])
def test_attributes_that_the_data_decide_are_not_shown_as_a_dict(look: Any) -> None:
    def f(x: Any) -> Any:
        bare = Bare()
        bare.first = x
        if x[0] > 1.0:
            bare.late = 2.0
        return look(bare)

    with pytest.raises(ag.ConversionError, match="late"):
        ag.compile(f, fallback="error")(np.zeros(2))


@pytest.mark.parametrize(
    "change",
    [lambda x: x.resize((2, 2), refcheck=False), lambda x: x.setflags(write=False), lambda x: x.setfield(1, np.int32)],
    ids=["resize", "setflags", "setfield"],
)
def test_methods_that_change_the_array_itself_are_refused(change: Any) -> None:
    def f(x: Any) -> Any:
        y = x * 2.0
        change(y)
        return y

    with pytest.raises(ag.ConversionError, match="new array"):
        ag.compile(f, fallback="error")(np.arange(4.0))


def test_bytes_are_swapped_in_place() -> None:
    assert_agrees(lambda x: (x.byteswap(True), x.byteswap()), np.arange(4.0))
