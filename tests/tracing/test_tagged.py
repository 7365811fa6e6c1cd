"""Numbers whose type the path decides keep the type that Python would give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "//", "%", "**", "<", "=="])
def test_operators_on_an_int_or_a_float(symbol: str) -> None:
    use = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: a / b,
        "//": lambda a, b: a // b,
        "%": lambda a, b: a % b,
        "**": lambda a, b: a**b,
        "<": lambda a, b: a < b,
        "==": lambda a, b: a == b,
    }[symbol]

    def f(n: int) -> Any:
        x = n if n > 3 else 2.5
        return use(x, 3), use(7, x)

    assert_agrees(f, 5, 1)


def test_tagged_number_meets_an_array() -> None:
    def f(n: int, x: Any) -> Any:
        scale = n if n > 3 else 2.5
        return x * scale

    assert_agrees(f, (5, np.ones(2)), (1, np.ones(2)), (5, np.ones(2, np.float32)))


def test_tagged_number_is_a_bool_or_an_int() -> None:
    def f(n: int) -> Any:
        x = n > 3 if n > 0 else n
        return x, x + 1, int(x), -x

    assert_agrees(f, 5, 1, -2)


def test_tagged_number_in_text_and_type_tests() -> None:
    def f(n: int) -> Any:
        x = n if n > 3 else 2.5
        return f"{x}", isinstance(x, int), type(x) is float

    assert_agrees(f, 5, 1)


def test_tagged_number_is_stored_and_indexed() -> None:
    def f(n: int, x: Any) -> Any:
        v = n if n > 1 else 0.5
        x[0] = v
        items = [v, v]
        return x, items, max(v, 1)

    assert_agrees(f, (2, np.zeros(2)), (0, np.zeros(2)))


def test_python_and_numpy_numbers_meet() -> None:
    def f(x: Any, n: int) -> Any:
        v = x[0] if n > 0 else 1.5
        return v, v * np.float32(2)

    assert_agrees(f, (np.ones(2, np.float32), 1), (np.ones(2, np.float32), -1))


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "<", ">=", "!="])
def test_floats_that_are_pythons_or_numpys(symbol: str) -> None:
    use = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: a / b,
        "<": lambda a, b: a < b,
        ">=": lambda a, b: a >= b,
        "!=": lambda a, b: a != b,
    }[symbol]

    def f(n: int, x: Any) -> Any:
        a = x[0] if n > 3 else 2.5
        b = 1.5 if n % 2 == 0 else x[1]
        return use(a, b), use(b, a), use(a, 0.5), use(0.25, a), use(a, n), use(a, np.float32(3)), use(a, x[1])

    assert_agrees(f, *((n, np.array([2.0, 3.0])) for n in (1, 2, 5, 6)))


def test_division_of_a_float_by_zero_is_pythons_or_numpys() -> None:
    def f(n: int, x: Any) -> Any:
        a = x[0] if n > 3 else 0.0
        return 1.0 / a

    assert_agrees(f, (1, np.zeros(1)), (5, np.ones(1)))


def test_floats_that_are_pythons_or_numpys_take_one_operation() -> None:
    def total(x: Any) -> Any:
        t = 0.0
        for i in range(len(x)):
            v = x[i]
            if v < 0.0:
                v = 0.0
            t += v
        return t

    text = str(ag.compile(total, fallback="error").graph(np.ones(30)))
    assert text.count(" add(") == 1


@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8", "u8"])
def test_an_integer_of_the_path_is_compared_exactly(dtype: str) -> None:
    def f(n: int, x: Any) -> Any:
        a = x[0] if n > 3 else n * 1000
        return a < x[1], x[1] < a, a == x[1], a >= x[1], x[2] != a

    x = np.array([3, 100, 7], dtype=dtype)
    assert_agrees(f, *((n, x) for n in (0, 1, 3, 4, 9, -5)))


def test_the_least_byte_is_found_by_one_comparison() -> None:
    def least(x: Any) -> Any:
        best = 255
        for i in range(len(x)):
            if x[i] < best:
                best = x[i]
        return best

    text = str(ag.compile(least, fallback="error").graph(np.ones(30, np.uint8)))
    assert text.count(" less(") + text.count(" greater(") == 1
    assert_agrees(least, np.arange(30, 0, -1).astype(np.uint8), np.full(30, 255, np.uint8))
