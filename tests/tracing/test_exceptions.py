"""Exceptions that the program raises: their class, message, line and cause are Python's."""

from __future__ import annotations

import re
import traceback
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees, line_of


class OwnError(ValueError):
    def __init__(self, code: int, text: str = "own") -> None:
        super().__init__(f"{text} {code}")
        self.code = code


def lines_of(error: BaseException) -> list[int]:
    return [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]


def test_index_out_of_bounds_names_the_users_line() -> None:
    def f(x: Any, i: int) -> Any:
        total = 0.0
        total += x[i]
        return total

    with pytest.raises(IndexError, match="index 12 is out of bounds for axis 0 with size 3") as caught:
        ag.compile(f, fallback="error")(np.ones(3), 12)
    assert lines_of(caught.value)[-1] == line_of(f, "total += x[i]")


def test_shape_mismatch_has_numpys_message_and_the_users_line() -> None:
    def f(x: Any, y: Any) -> Any:
        z = x * 2
        return z + y

    with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(9,\) \(10,\)") as caught:
        ag.compile(f, fallback="error")(np.ones(9), np.ones(10))
    assert lines_of(caught.value)[-1] == line_of(f, "z + y")


def test_unbound_variable_names_itself_and_the_line() -> None:
    def f(n: int) -> Any:
        if n > 0:
            y = n
        return y

    with pytest.raises(UnboundLocalError, match="cannot access local variable 'y'") as caught:
        ag.compile(f, fallback="error")(-1)
    assert lines_of(caught.value)[-1] == line_of(f, "return y")


def test_own_exception_class_keeps_its_attributes() -> None:
    def f(n: int) -> Any:
        if n > 2:
            raise OwnError(n, "limit")
        return n

    compiled = ag.compile(f, fallback="error")
    assert compiled(1) == 1
    with pytest.raises(OwnError, match="limit 7") as caught:
        compiled(7)
    assert caught.value.code == 7


def test_reraise_keeps_the_exception() -> None:
    def f(x: Any, i: int) -> Any:
        try:
            return x[i]
        except IndexError:
            x[0] = -1.0
            raise

    assert_agrees(f, (np.ones(3), 1), (np.ones(3), 5))


def test_assert_raises_with_its_message_only_where_it_fails() -> None:
    def f(n: int) -> Any:
        assert n > 0, f"bad {n}"
        return n

    compiled = ag.compile(f, fallback="error")
    assert compiled(1) == 1
    with pytest.raises(AssertionError, match="^bad -1$"):  # pytest rewrites the assert of the plain function
        compiled(-1)


@pytest.mark.parametrize("n", [0, 1])
def test_raise_in_a_loop_stops_it(n: int) -> None:
    def f(x: Any, n: int) -> Any:
        for i in range(len(x)):
            x[i] = 1.0
            if i == 5 and n > 0:
                raise RuntimeError("stop")
        return x

    assert_agrees(f, (np.zeros(12), n))


def test_raising_something_else_is_a_type_error() -> None:
    def f(n: int) -> Any:
        if n > 0:
            raise 3  # noqa: B016
        return n

    assert_agrees(f, 1, -1)


def test_exceptions_of_called_functions_show_both_frames() -> None:
    def inner(x: Any, i: int) -> Any:
        return x[i]

    def f(x: Any, i: int) -> Any:
        return inner(x, i) + 1

    with pytest.raises(IndexError) as caught:
        ag.compile(f, fallback="error")(np.ones(3), 8)
    assert lines_of(caught.value)[-2:] == [line_of(f, "inner(x, i) + 1"), line_of(inner, "return x[i]")]


class OwnSyntaxError(SyntaxError):
    def __init__(self, text: str, place: int) -> None:
        super().__init__(f"own {text}")
        self.place = place


PYTHONS_OWN = {
    "SyntaxError": lambda text: SyntaxError(text, ("f.py", 3, 4, "line")),
    "OwnSyntaxError": lambda text: OwnSyntaxError(text, 4),
    "ImportError": lambda text: ImportError(text, name="module", path="place"),
    "AttributeError": lambda text: AttributeError(text, name="field"),
    "StopIteration": StopIteration,
    "UnicodeDecodeError": lambda text: UnicodeDecodeError("utf8", b"abc", 0, 1, text),
    "FileNotFoundError": lambda text: FileNotFoundError(2, text, "file"),
    "BlockingIOError": lambda text: BlockingIOError(1, text, 5),
}
STATE = "msg filename lineno offset text name path value encoding start reason errno strerror characters_written place".split()


def state_of(error: BaseException) -> tuple[Any, ...]:
    return type(error), str(error), error.args, {name: getattr(error, name) for name in STATE if hasattr(error, name)}


@pytest.mark.parametrize("make", PYTHONS_OWN.values(), ids=PYTHONS_OWN)
def test_pythons_exceptions_keep_what_they_hold_beside_their_arguments(make: Any) -> None:
    def f(x: Any) -> Any:
        if x[0] > 0:
            raise make(f"at {x[0]}")
        return x

    for function in (f, ag.compile(f, fallback="error")):
        with pytest.raises(Exception, match="at 1.0") as caught:
            function(np.ones(2))
        found = state_of(caught.value)
        if function is f:
            wanted = found
    assert found == wanted


def exits(x: Any) -> Any:
    try:
        if x[0] < 0:
            raise SystemExit(f"negative: {x[0]}")
        return x.sum()
    finally:
        x[1] = 5.0


def catches(x: Any) -> Any:
    try:
        if x[0] < 0:
            raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        raise SystemExit(3) from error
    return x.sum()


@pytest.mark.parametrize("function", [exits, catches])
def test_what_ends_a_program_is_raised_where_the_data_say_so(function: Any) -> None:
    for run in (function, ag.compile(function, fallback="error"), ag.convert(function)):
        x = np.ones(2)
        assert run(x) == 2.0
        x[0] = -1.0
        with pytest.raises(SystemExit) as caught:
            run(x)
        if run is function:
            wanted = caught.value.code, type(caught.value.__cause__), x[1]
        assert (caught.value.code, type(caught.value.__cause__), x[1]) == wanted


@pytest.mark.native
def test_what_makes_an_exception_of_the_run_stands_at_the_users_line() -> None:
    """It is recorded after the user's frame is left: the line of whoever asked for the graph, a launcher's for instance, was shown."""

    @ag.compile(fallback="error")
    def fails(x):
        return x @ 3

    graph, line = str(fails.graph("a")), fails.__wrapped__.__code__.co_firstlineno + 2
    places = re.findall(r"@(\S+)", graph)
    assert len(places) == 2 and all(place.endswith(f"test_exceptions.py:{line}") for place in places), graph
