"""`ag.loop_options(max_iterations=...)`: one trip too many is an error at the user's line, compiled, eager and in gradients."""

from __future__ import annotations

import itertools
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag


def summed(x: Any, n: int) -> Any:
    total = 0.0
    for i in ag.loop_options(range(n), max_iterations=10):
        total += x[0] * i
    return total


def first_above(x: Any, limit: float) -> Any:
    position = -1
    for position, value in ag.loop_options(enumerate(x), max_iterations=5):
        if value > limit:
            break
    return position


def endless(x: float, goal: float) -> Any:
    for _ in ag.loop_options(itertools.count(), max_iterations=100):
        if x >= goal:
            return x
        x *= 2.0


def stepped(x: Any, n: int) -> Any:
    total = 0.0
    for i in ag.loop_options(range(n, 0, -2), max_iterations=3, unroll=False):
        total += i * x[0]
    return total


def written(x: Any, n: int) -> Any:
    for i in ag.loop_options(range(n), max_iterations=2):
        x[i] = 7.0


def functional(x: float, goal: float) -> Any:
    return ag.while_loop(lambda y: y < goal, lambda y: y * 2.0, x, max_iterations=8)


WITHIN: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (summed, (np.ones(3), 10)),
    (summed, (np.ones(3), 0)),
    (first_above, (np.arange(5.0), 9.0)),
    (first_above, (np.arange(50.0), 3.0)),
    (endless, (1.0, 1000.0)),
    (stepped, (np.ones(1), 6)),
    (written, (np.zeros(4), 2)),
    (functional, (1.0, 200.0)),
]
BEYOND = [
    (summed, (np.ones(3), 11)),
    (first_above, (np.arange(6.0), 9.0)),
    (endless, (0.0, 1.0)),
    (stepped, (np.ones(1), 8)),
    (written, (np.zeros(4), 4)),
    (functional, (1.0, 1000.0)),
]
WAYS = {
    "plain": lambda function: function,
    "eager": lambda function: ag.compile(function, eager=True),
    "converted": ag.convert,
    "compiled": lambda function: ag.compile(function, fallback="error"),
}


@pytest.mark.parametrize("way", WAYS)
def test_loops_within_the_limit_run_as_they_are(way: str) -> None:
    for function, arguments in WITHIN:
        assert WAYS[way](function)(*arguments) == function(*arguments)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function, arguments", BEYOND, ids=lambda value: getattr(value, "__name__", ""))
def test_one_trip_too_many_raises_at_the_users_line(way: str, function: Any, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ag.IterationLimitError, match="began another one") as caught:
        WAYS[way](function)(*arguments)
    assert isinstance(caught.value, RuntimeError)
    lines = [frame.lineno for frame in traceback.extract_tb(caught.value.__traceback__) if frame.filename == __file__]
    assert function.__code__.co_firstlineno < lines[-1] <= function.__code__.co_firstlineno + 3


def test_what_the_allowed_trips_wrote_stays() -> None:
    x = np.zeros(4)
    with pytest.raises(ag.IterationLimitError):
        ag.compile(written, fallback="error")(x, 4)
    assert x.tolist() == [7.0, 7.0, 0.0, 0.0]


def test_a_program_may_catch_it() -> None:
    @ag.compile(fallback="error")
    def guarded(x: Any, n: int) -> Any:
        try:
            return summed(x, n)
        except RuntimeError:
            return -1.0

    assert (guarded(np.ones(3), 5), guarded(np.ones(3), 50)) == (10.0, -1.0)


def test_gradients_keep_the_limit() -> None:
    slope = ag.grad(lambda x, n: summed(x, n))
    assert slope(np.ones(3), 10).tolist() == [45.0, 0.0, 0.0]
    with pytest.raises(ag.IterationLimitError):
        slope(np.ones(3), 11)
    compiled = ag.compile(lambda x, n: ag.grad(summed)(x, n), fallback="error")
    assert compiled(np.ones(3), 10).tolist() == [45.0, 0.0, 0.0]
    with pytest.raises(ag.IterationLimitError):
        compiled(np.ones(3), 12)


def test_limits_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ag.SettingError, match="max_iterations=-1"):
        ag.loop_options(range(3), max_iterations=-1)
