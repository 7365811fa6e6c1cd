"""try, except, else, finally and with on data: handlers take over where the run fails."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime.costs import is_told
from tests.tables import table
from tests.tracing.agreement import assert_agrees


def test_handler_takes_over_where_an_index_is_out_of_bounds() -> None:
    def f(x: Any, i: int) -> Any:
        try:
            return x[i]
        except IndexError:
            return -1.0

    assert_agrees(f, (np.arange(3.0), 1), (np.arange(3.0), 9))


def test_writes_before_the_failure_stay() -> None:
    def f(x: Any, i: int) -> Any:
        try:
            x[0] = 5.0
            x[i] = 6.0
            x[1] = 7.0
        except IndexError:
            x[2] = 8.0
        return x

    assert_agrees(f, (np.zeros(4), 3), (np.zeros(4), 4))


def test_variables_have_the_values_of_the_moment_of_failure() -> None:
    def f(x: Any, n: int) -> Any:
        total, i = 0.0, -1
        try:
            for i in range(n):
                total += x[i]
        except IndexError:
            return "failed", i, total
        return "done", i, total

    assert_agrees(f, (np.ones(12), 10), (np.ones(12), 15))


def test_exception_of_another_class_passes_by() -> None:
    def f(n: int) -> Any:
        try:
            return 10 // n
        except IndexError:
            return -1

    assert_agrees(f, 3, 0)


def test_first_handler_that_fits_is_taken() -> None:
    def f(n: int) -> Any:
        try:
            return 10 // n
        except ZeroDivisionError:
            return "zero"
        except ArithmeticError:
            return "arithmetic"

    assert_agrees(f, 3, 0)


def test_message_of_a_caught_exception_is_pythons() -> None:
    def f(x: Any, i: int) -> Any:
        try:
            return x[i]
        except IndexError as error:
            return str(error)

    assert_agrees(f, (np.arange(3.0), 7))


def test_finally_runs_on_both_paths() -> None:
    def f(x: Any, i: int) -> Any:
        try:
            x[i] = 1.0
        finally:
            x[0] = 9.0
        return x

    assert_agrees(f, (np.zeros(3), 1), (np.zeros(3), 5))


def test_else_runs_only_after_success() -> None:
    def f(n: int) -> Any:
        try:
            q = 12 // n
        except ZeroDivisionError:
            text = "failed"
        else:
            text = "done"
            n = q
        return text, n

    assert_agrees(f, 4, 0)


def test_raise_from_keeps_the_cause() -> None:
    def f(n: int) -> Any:
        try:
            try:
                return 1 // n
            except ZeroDivisionError as error:
                raise KeyError("wrapped") from error
        except KeyError as error:
            return repr(error), repr(error.__cause__)

    assert_agrees(f, 0, 1)


def test_with_calls_exit_when_its_body_fails() -> None:
    class Note:
        def __init__(self, x: Any) -> None:
            self.x = x

        def __enter__(self) -> Any:
            self.x[0] = 1.0
            return self

        def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
            self.x[1] = 2.0
            return kind is IndexError

    def f(x: Any, i: int) -> Any:
        with Note(x):
            x[i] = 3.0
        return x

    assert_agrees(f, (np.zeros(5), 4), (np.zeros(5), 8))


def test_exception_in_a_loop_is_caught_in_every_trip() -> None:
    def f(x: Any) -> Any:
        failures = 0
        for i in range(15):
            try:
                x[i] += 1
            except IndexError:
                failures += 1
        return failures

    assert_agrees(f, np.zeros(11))


def test_what_else_binds_may_be_none() -> None:
    def f(x: Any, i: int) -> Any:
        try:
            y = x[i]
        except IndexError:
            z = w = None
        else:
            z, w = y, None if y > 1.0 else 3
        return z is None, z == 2.0, z or 4.0, w is not None, w or 5

    assert_agrees(f, (np.arange(3.0), 0), (np.arange(3.0), 2), (np.arange(3.0), 9))


def test_a_text_that_else_binds_may_be_none() -> None:
    def f(option: str) -> Any:
        try:
            at = option.index("=")
        except ValueError:
            value = None
        else:
            option, value = option[:at], option[at + 1 :]
        return option, value is None, value or ""

    compiled = ag.compile(f, fallback="error")
    for option in ("abc", "abc=1", "="):
        assert compiled(option) == f(option)


class Refused(ValueError):
    pass


def several(x: Any, ks: Any) -> Any:
    total = 0
    for i in x:
        try:
            total += ks[i] // (i - 2)
        except LookupError:
            total += 100
        except (ZeroDivisionError, Refused):
            total += 1000
    return total


def raised(x: Any, ks: Any) -> Any:
    refused = 0
    for i in x:
        try:
            if i == 1:
                raise Refused(f"{i} is refused")
            if i == 2:
                raise TypeError("two")
        except Refused:
            refused += 1
        except TypeError:
            refused += 10
    return refused


def outer(x: Any, ks: Any) -> Any:
    total = 0
    for i in x:
        try:
            try:
                total += ks[i] * i * 2**40
            except KeyError:
                total += 5
            except ZeroDivisionError as error:
                total += len(str(error))
                raise ValueError("zero") from error
        except IndexError:
            total += 7
        except OverflowError:
            total = -1
    return total


def leaves(x: Any, ks: Any) -> Any:
    total = 0
    for i in x:
        try:
            total += ks[i]
        except KeyError:
            total = -1
        else:
            total += 5
        finally:
            total += 1
    return total


@pytest.mark.native
@table("program, is_without", [(several, True), (raised, True), (outer, False), (leaves, True)])
def test_handlers_that_ask_for_the_class_alone(program: Any, is_without: bool) -> None:
    calls = [([0, 1, 2, 1], [4, 5, 6]), ([0, 1, 2, 9, 1], [4, 5, 6]), ([1, 2**30], [1, 2]), ([], [1])]
    assert_agrees(program, *calls)
    graph = ag.compile(program, fallback="error").prepare((*calls[0], {})).program.graph
    assert any(is_told(x) for x in graph.walk() if x.name == "try_") or not is_without


KEPT_ARRAY: Any = None
NOWHERE: float  # has a type, and no value


def kept_array_and_try(y: Any, xs: list[float]) -> Any:
    global KEPT_ARRAY
    KEPT_ARRAY = y
    try:
        xs.append(NOWHERE)
    except NameError:
        xs.append(0.5)
    return y[0]


def test_what_a_try_leaves_alone_is_the_object_that_it_was() -> None:
    compiled = ag.compile(kept_array_and_try, fallback="error")
    for y in (np.arange(6.0)[::2], np.zeros(0), np.ones(3)):
        want = outcome(kept_array_and_try, y)
        assert outcome(compiled, y) == want
        assert KEPT_ARRAY is y


def outcome(function: Any, y: Any) -> tuple[Any, ...]:
    xs = [1.0]
    try:
        return function(y, xs), xs
    except IndexError as error:
        return str(error), xs


def test_an_exit_stack_that_is_made_before_its_with_statement_calls_back_in_every_call() -> None:
    def f(log: list[int], n: int) -> int:
        stack = contextlib.ExitStack()
        stack.callback(log.append, n)
        with stack:
            n += 1
        return n

    for compiled in (ag.compile(f), ag.compile(f, fallback="error")):
        for n in (4, 3, 5):
            log: list[int] = []
            assert (compiled(log, n), log) == (n + 1, [n])
