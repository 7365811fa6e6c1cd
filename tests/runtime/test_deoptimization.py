"""A call that fails before it has done anything is Python's: its exception is, with its frames, and nothing is done twice."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.errors import Deoptimized
from tests.tables import table


class Account:
    def __init__(self) -> None:
        self.left = 10


def checked(x: float, n: int) -> float:
    if n > 3:
        raise ValueError(f"too many: {n}")
    return x / (n - 2)


def item(v: Any, n: int) -> float:
    total = v[n] + 1.0
    for i in range(n):
        total += v[i] * 0.5
    return total


def searched(x: Any, n: int) -> int:
    for i in range(n):
        if x[i] > 3.0:
            raise LookupError("at", i)
    return n


def inner(x: float, n: int) -> float:
    return checked(x, n) + 1.0


def taken(account: Account, n: int) -> int:
    account.left -= n
    if account.left < 0:
        raise ValueError("nothing left")
    return account.left


def parsed(text: str, n: int) -> float:
    return int(text) * 0.5 + n


def shifted(x: Any, n: int) -> Any:
    return x << n


def told(x: float, n: int) -> float:
    print("before")
    if n > 3:
        raise ValueError("after")
    return x


def written(v: Any, n: int) -> float:
    v[0] = v[0] + 1.0
    if n > 3:
        raise ValueError("after")
    return v[0]


def drawn(random: Any, n: int) -> float:
    x = random.random()
    if n > 3:
        raise ValueError(x)
    return x


def grown(found: list[float], n: int) -> int:
    found.append(n * 0.5)
    if n > 3:
        raise ValueError("too many")
    return len(found)


def late(x: Any, n: int) -> float:
    total = 0.0
    for i in range(n):
        total += x[i] * 0.5
        if i > 4900:
            raise ValueError("late")
    return total


X = np.arange(5000.0) / 10
EARLY = [
    (checked, lambda: (1.0, 1), lambda n: (1.0, 5)),
    (checked, lambda: (1.0, 1), lambda n: (1.0, 2)),
    (item, lambda: (X, 3), lambda n: (X, 5000 + n)),
    (searched, lambda: (X, 3), lambda n: (X, 50 + n)),
    (inner, lambda: (1.0, 1), lambda n: (1.0, 5 + n)),
]
OTHERS = [
    (item, lambda: ([1.0, 2.0, 3.0], 2), lambda n: ([1.0, 2.0, 3.0], 3 + n)),
    (taken, lambda: (Account(), 1), lambda n: (Account(), 50 + n)),
    (parsed, lambda: ("12", 1), lambda n: ("1x", n)),
    (shifted, lambda: (None, 1), lambda n: (None, n)),
    (told, lambda: (1.0, 1), lambda n: (1.0, 5 + n)),
    (written, lambda: (np.ones(3), 1), lambda n: (np.ones(3), 5 + n)),
    (drawn, lambda: (np.random.default_rng(3), 1), lambda n: (np.random.default_rng(3), 5 + n)),
    (grown, lambda: ([1.0], 1), lambda n: ([1.0], 5 + n)),
    (late, lambda: (X, 3), lambda n: (X, 4950 + n)),
]


def outcome(function: Callable[..., Any], arguments: tuple[Any, ...], capsys: Any) -> list[Any]:
    """What is raised, where in the user's code, what was printed, and what the arguments hold then."""
    try:
        raised = function(*arguments)
    except Exception as error:
        assert error.__context__ is None and not isinstance(error, Deoptimized)
        places = [(entry.name, entry.lineno) for entry in traceback.extract_tb(error.__traceback__) if entry.filename == __file__]
        raised = type(error), error.args, places[1:]
    held = [vars(each) if isinstance(each, Account) else getattr(each, "bit_generator", each) for each in arguments]
    return [raised, capsys.readouterr().out, *(repr(getattr(each, "state", each)) for each in held)]


@table("function, good, bad", [*EARLY, *OTHERS])
def test_exceptions_are_pythons_and_nothing_is_done_twice(function: Any, good: Any, bad: Any, capsys: Any) -> None:
    compiled = ag.compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for turn in range(4):
            for make in (good, lambda: bad(turn)):  # noqa: B023 - called at once
                assert outcome(compiled, make(), capsys) == outcome(function, make(), capsys)


@table("function, good, bad", EARLY)
def test_early_exits_reach_no_code_of_the_package(function: Any, good: Any, bad: Any) -> None:
    compiled, reached = ag.compile(function), set()
    for arguments in (good(), good(), good(), bad(1)):
        sys.setprofile(lambda frame, event, _: reached.add(frame.f_code.co_filename) if event == "call" else None)
        try:
            reached.clear()
            compiled(*arguments)
        except Exception:
            pass
        finally:
            sys.setprofile(None)
    assert len(compiled.specializations) == 1 and reached <= {__file__}


def test_with_fallback_error_compiled_code_raises() -> None:
    compiled = ag.compile(checked, fallback="error")
    for _ in range(3):
        with pytest.raises(ValueError, match="too many: 5") as raised:
            compiled(1.0, 5)
        assert raised.traceback[-1].frame.code.raw is not checked.__code__
    assert compiled.specializations[0].executables


def test_programs_whose_calls_mostly_raise_late_are_left_to_python() -> None:
    def opened(path: str, n: int) -> float:
        total = 0.0
        for i in range(n):
            total += (i * 0.5 + 1.0) * i
        return total + os.stat(path).st_size

    compiled = ag.compile(opened)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(1000):
            with pytest.raises(FileNotFoundError):
                compiled("/nowhere", 30)
    assert "calls have raised" in str(told[-1].message) and compiled.specializations == []
