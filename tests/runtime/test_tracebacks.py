"""Exceptions of compiled code: the type and message of Python and NumPy, on the user's lines, with the user's functions around."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag


def entries(error: BaseException) -> list[tuple[str, str]]:
    """Function and line of each traceback entry of this file, after the test's own."""
    found = traceback.extract_tb(error.__traceback__)
    return [(entry.name, entry.line or "") for entry in found if entry.filename == __file__][1:]


def read(x: Any, i: Any) -> Any:
    return x[i]


def read_all(x: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        if i >= 0:
            total += read(x, i)
    return total


def test_traceback_has_the_users_functions_and_lines() -> None:
    with pytest.raises(IndexError, match="index 10 is out of bounds for axis 0 with size 10") as caught:
        ag.compile(read_all, fallback="error")(np.ones(10), 12)
    assert entries(caught.value) == [("read_all", "total += read(x, i)"), ("read", "return x[i]")]


def check(x: Any) -> Any:
    if x[0] < 0.0:
        raise ValueError(f"{x[0]} is negative")
    return np.sqrt(x)


def test_raised_exception_has_the_line_of_its_raise() -> None:
    f = ag.compile(lambda x: check(x), fallback="error")
    assert f(np.full(9, 4.0))[0] == 2.0
    with pytest.raises(ValueError, match="-1.0 is negative") as caught:
        f(np.full(9, -1.0))
    assert entries(caught.value)[-1] == ("check", 'raise ValueError(f"{x[0]} is negative")')


@ag.do_not_convert
def fail_in_python(x: Any) -> Any:
    return {}[len(x)]


def test_exception_in_a_host_call_keeps_the_frames_of_python() -> None:
    def call(x: Any) -> Any:
        return fail_in_python(x * 2.0)

    with pytest.raises(KeyError) as caught:
        ag.compile(call, fallback="error")(np.ones(9))
    assert entries(caught.value) == [("call", "return fail_in_python(x * 2.0)"), ("fail_in_python", "return {}[len(x)]")]


ERRORS: dict[str, Any] = {
    "attribute": lambda x, n: x.nothing + n,
    "shapes": lambda x, n: x + np.ones(n + 20),
    "division": lambda x, n: 1 // (n - n),
    "argument": lambda x, n: read(x),  # type: ignore[call-arg]
    "name": lambda x, n: undefined_name + x,  # noqa: F821
    "key": lambda x, n: {"a": x}["b"],
    "assertion": lambda x, n: check_positive(x, -n),
    "unpack": lambda x, n: unpack_three((x, n)),
    "type of array": lambda x, n: x + "text",
    "type of number": lambda x, n: n + "text",
    "type of element": lambda x, n: x[0] * {},
}


def check_positive(x: Any, n: Any) -> Any:
    if n < 0:
        raise AssertionError("n must be positive", n)
    return x


def unpack_three(pair: Any) -> Any:
    a, b, c = pair
    return a


@pytest.mark.parametrize("case", ERRORS)
def test_exception_is_pythons(case: str) -> None:
    x = np.ones(10)
    with pytest.raises(Exception) as expected:
        ERRORS[case](x, 3)
    for _ in range(2):
        with pytest.raises(type(expected.value)) as found:
            ag.compile(ERRORS[case], fallback="error")(x, 3)
        assert str(found.value) == str(expected.value)
        assert entries(found.value)[-1][1] == traceback.extract_tb(expected.value.__traceback__)[-1].line


def test_writes_before_an_exception_stay() -> None:
    def fill(x: Any, n: Any) -> None:
        for i in range(n):
            x[i] = 1.0

    x = np.zeros(10)
    with pytest.raises(IndexError):
        ag.compile(fill, fallback="error")(x, 11)
    assert x.tolist() == [1.0] * 10


def test_compiled_exceptions_can_be_caught_in_compiled_code() -> None:
    def safe(x: Any, i: Any) -> Any:
        try:
            return x[i]
        except IndexError:
            return -1.0

    f = ag.compile(safe, fallback="error")
    assert f(np.ones(10), 3) == 1.0 and f(np.ones(10), 30) == -1.0


def test_printing_takes_place_when_executed_and_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    def report(x: Any, n: Any) -> Any:
        for i in range(n):
            if x[i] > 2.0:
                print("large", i, x[i], sep=" | ")
            else:
                print(f"small {x[i]:.1f}")
        print("done", end="!\n")

    f = ag.compile(report, fallback="error")
    x = np.arange(9.0)
    for _ in range(2):
        report(x, 5)
        expected = capsys.readouterr().out
        f(x, 5)
        assert capsys.readouterr().out == expected
