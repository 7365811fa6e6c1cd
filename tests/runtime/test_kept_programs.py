"""Programs that are kept on disk: who calls again does not trace again, and whatever could decide otherwise makes it trace anew."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.disk_cache import disk_cache
from autograph_jit.runtime import dispatch, kept_entries, kept_programs
from tests.tables import table

ROOT = Path(__file__).parents[2]
SCALE, NAMES = 2.5, {"low", "high"}
TABLE = np.arange(4.0)
OPTIONS = {"power": 2}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that is empty, in which all programs are kept."""
    monkeypatch.setattr(disk_cache, "chosen", tmp_path / "cache")
    monkeypatch.setattr(disk_cache, "enabled", True)
    monkeypatch.setattr(kept_programs, "LEAST_SECONDS", 0.0)
    return tmp_path / "cache"


class Settings:
    factor = 3.0

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.steps = 0

    def scaled(self, x: Any) -> Any:
        return x * self.rate + self.factor


SHARED = Settings(0.5)


def helper(x: Any, k: Any = 1.0) -> Any:
    return x * k + SCALE


def with_constants(x: Any, n: Any = 3) -> Any:
    total = np.zeros_like(x)
    for i in range(n):
        total += helper(x, i) * TABLE[1] ** OPTIONS["power"]
    return total, n, "done"


def with_instances(x: Any, settings: Any) -> Any:
    settings.steps += 1
    return settings.scaled(x), SHARED.scaled(x.sum()), settings


def failing(x: Any, k: Any) -> Any:
    x[0] = 7.0
    if k > 3:
        raise ValueError(f"{k} is too large")
    return x[k]


def with_callback(x: Any, function: Any) -> Any:
    return function(x) + x


def with_lists(items: Any) -> Any:
    found = []
    for item in items:
        if item > 1.0:
            found.append(item * 2)
    return found, {"count": len(found)}


WORD = re.compile(r"(\w+)=(\d)?")


def with_patterns(text: Any) -> Any:
    found = []
    for match in WORD.finditer(text):
        try:
            if match.group(2) is None:
                raise KeyError(match.group(1))
            found.append(match.group(1))
        except KeyError as error:
            found.append(str(error))
    return found


def large(x: Any) -> Any:
    return np.sqrt(x * x + 1.0) - x


def in_order(x: Any) -> Any:
    for name in NAMES:
        x = x * len(name) + 1.0
    return x


def of_process(x: Any) -> Any:
    return x + math.floor(time.time())


def with_parts(x: Any) -> Any:
    return x[x > 0.5], np.sort(x), x.reshape(2, -1) @ np.ones(2), np.linalg.norm(x), np.random.default_rng(3).normal()


def square_sum(x: Any) -> Any:
    total = 0.0
    for value in x:
        total += value * helper(value)
    return total


def made_with(constant: float) -> Callable[..., Any]:
    def inner(x: Any) -> Any:
        return x + constant

    return inner


def first_call(function: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, str]:
    """What the first call of a newly compiled function gives, and why it has its program."""
    fast = ag.compile(function, **options)
    result = fast(*args)
    return result, fast.specializations[0].reason if fast.specializations else ""


def is_recalled(function: Callable[..., Any], *args: Any, **options: Any) -> bool:
    """Whether the first call of a newly compiled function needs no trace."""
    return first_call(function, *args, **options)[1] == kept_programs.FOUND


def array_or_text(x: Any, key: Any) -> Any:
    where = None
    for i in range(len(x)):
        if x[i] == key:
            where = i
            break
    if where is None:
        return "missing"
    return x[where:]


def refuse_to_trace(*_: Any) -> None:
    raise AssertionError("traced")


X = np.arange(4.0)
PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "constants": (with_constants, lambda: (X, 2)),
    "instances": (with_instances, lambda: (X, Settings(2.0))),
    "method": (Settings(3.0).scaled, lambda: (X,)),
    "function": (with_callback, lambda: (X, np.sin)),
    "user's function": (with_callback, lambda: (X, helper)),
    "closure": (with_callback, lambda: (X, made_with(2.0))),
    "lists": (with_lists, lambda: ([0.5, 1.5, 2.5] * 100,)),
    "parts": (with_parts, lambda: (X,)),
    "items": (lambda x: {"a": (x, [x.sum()])}, lambda: (X,)),
}


def in_words(x: Any) -> str:
    return repr(vars(x)) if isinstance(x, Settings) else f"({', '.join(map(in_words, x))})" if isinstance(x, tuple) else repr(x)


@table("name", PROGRAMS)
def test_program_is_found_again(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    function, arguments = PROGRAMS[name]
    want = function(*arguments())
    first = first_call(function, *arguments())
    with monkeypatch.context() as patch:
        patch.setattr(dispatch, "make_specialization", refuse_to_trace)
        fast = ag.compile(function)
        found = [fast(*arguments()) for _ in range(3)]
    assert {in_words(each) for each in (first[0], *found)} == {in_words(want)}, found


@table("derive", (ag.grad, ag.value_and_grad, lambda f: ag.grad(ag.compile(f))))
def test_gradient_is_found_again(folder: Path, monkeypatch: pytest.MonkeyPatch, derive: Callable[..., Any]) -> None:
    def fresh() -> Any:
        square_sum.__dict__.clear()
        return derive(square_sum)

    want = fresh()(X)
    with monkeypatch.context() as patch:
        patch.setattr(dispatch, "make_specialization", refuse_to_trace)
        assert repr(fresh()(X)) == repr(want)
    square_sum.__dict__.clear()


def test_exception_of_a_found_program_is_the_users(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first_call(failing, np.ones(3), 1)
    monkeypatch.setattr(dispatch, "make_specialization", refuse_to_trace)
    for k, kind, line in ((5, ValueError, 'raise ValueError(f"{k} is too large")'), (3, IndexError, "return x[k]")):
        texts = []
        for function in (failing, ag.compile(failing)):
            x = np.ones(3)
            with pytest.raises(kind) as caught:
                function(x, k)
            texts.append(str(caught.value))
            assert str(caught.traceback[-1].statement).strip() == line and x[0] == 7.0
        assert texts[0] == texts[1]


def test_what_needs_the_graph_traces_then(folder: Path) -> None:
    first_call(with_constants, X)
    for ask in (
        lambda fast: "multiply" in fast.graph(X),
        lambda fast: "kernel" in fast.kernels(X),
        lambda fast: "functions" in fast.explain(X) or "host calls" in fast.explain(X),
        lambda fast: repr(fast(np.arange(8.0)[::2])) == repr(with_constants(np.arange(8.0)[::2])),
    ):
        fast = ag.compile(with_constants)
        fast(X)
        assert fast.specializations[0].reason == kept_programs.FOUND and "another process" in fast.explain()
        assert ask(fast) and all(made.program.is_traced for made in fast.specializations)


def test_large_arguments_and_ints_out_of_range_trace_then(folder: Path) -> None:
    def powers(x: Any, n: Any) -> Any:
        return x[0] * n * n

    for function, small, big in ((large, (np.ones(20),), (np.ones(1 << 17),)), (powers, (np.ones(9, int), 3), (np.ones(9, int), 1 << 40))):
        first_call(function, *small)
        fast = ag.compile(function)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert repr(fast(*small)) == repr(function(*small)) and fast.specializations[0].reason == kept_programs.FOUND
            assert np.allclose(fast(*big), function(*big))


def test_program_whose_calls_of_python_are_counted_is_found_and_traced_when_counts_are_due(folder: Path) -> None:
    for is_found in (False, True):
        fast = ag.compile(array_or_text, fallback="error")
        assert fast(X, 5.0) == "missing" and fast.specializations[0].tallies
        assert (fast.specializations[0].reason == kept_programs.FOUND) is is_found
        assert all(np.array_equal(fast(X, 1.0), X[1:]) for _ in range(4)) and "costs" in fast.explain()


def test_program_of_patterns_and_exceptions_is_found_again(folder: Path) -> None:
    text = "a=1 b= c=2 " * 40
    assert first_call(with_patterns, text)[0] == with_patterns(text)
    assert is_recalled(with_patterns, text)


def test_sizes_that_change_find_the_general_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for again in (False, True):
        fast = ag.compile(large)
        if again:
            monkeypatch.setattr(dispatch, "make_specialization", refuse_to_trace)
        for size in (3, 4, 5, 50):
            assert np.array_equal(fast(np.ones(size)), large(np.ones(size)))
        assert len(fast.specializations) == 2


def changing(owner: Any, name: str, value: Any) -> Callable[[pytest.MonkeyPatch], bool]:
    """Whether a program is found again after a change."""

    def is_found(patch: pytest.MonkeyPatch) -> bool:
        patch.setattr(owner, name, value)
        want = with_constants(X)
        result, reason = first_call(with_constants, X)
        assert repr(result) == repr(want)
        return reason == kept_programs.FOUND

    return is_found


OWN = sys.modules[__name__]
CHANGES: dict[str, Callable[[pytest.MonkeyPatch], bool]] = {
    "a number": changing(OWN, "SCALE", 2.0),
    "a function": changing(OWN, "helper", lambda x, k: x - k),
    "the code of a function": changing(helper, "__code__", (lambda x, k=1.0: x - k).__code__),
    "a default of another function": changing(helper, "__defaults__", (2.0,)),
    "a default": changing(with_constants, "__defaults__", (2,)),
    "an entry": changing(OWN, "OPTIONS", {"power": 3}),
    "the dtype of an array": changing(OWN, "TABLE", np.arange(4, dtype=np.float32)),
    "versions": lambda patch: patch.setattr(kept_entries, "circumstances", lambda: "newer") or is_recalled(with_constants, X),
    "code": lambda patch: patch.setattr(kept_entries, "digest_of", lambda text: "newer") or is_recalled(with_constants, X),
    "an option": lambda patch: is_recalled(with_constants, X, fallback="error"),
    "a setting": lambda patch: with_setting(),
    "modes of errors": lambda patch: with_errors(),
    "a dtype": lambda patch: is_recalled(with_constants, X.astype(np.float32)),
    "a rank": lambda patch: is_recalled(with_constants, X.reshape(2, 2)),
    "a size": lambda patch: is_recalled(with_constants, X[:3]),
    "a layout": lambda patch: is_recalled(with_constants, np.arange(8.0)[::2]),
    "a type": lambda patch: is_recalled(with_constants, X, True),
}


def with_setting() -> bool:
    with ag.config(saved_bytes=1 << 20):
        return is_recalled(with_constants, X)


def with_errors() -> bool:
    with np.errstate(over="raise"):
        return is_recalled(with_constants, X)


@table("change", CHANGES)
def test_call_that_differs_is_traced(folder: Path, change: str) -> None:
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        disk_cache.clear()
        first_call(with_constants, X)
        assert is_recalled(with_constants, X) and not CHANGES[change](patch)


def test_list_that_holds_itself_is_told_as_what_it_is(folder: Path) -> None:
    items: list[Any] = [1.0]
    items.append(items)
    with pytest.warns(UserWarning, match="holds itself"):
        assert ag.compile(lambda items: items[0])(items) == 1.0


def test_elements_of_a_captured_array_are_read_again(folder: Path) -> None:
    first_call(with_constants, X)
    TABLE[1] = 3.0
    result, reason = first_call(with_constants, X)
    assert reason == kept_programs.FOUND and repr(result) == repr(with_constants(X))
    TABLE[1] = 1.0


def test_instances_classes_and_captured_variables_count(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_found() -> bool:
        want = in_words(with_instances(X, Settings(2.0)))
        result, reason = first_call(with_instances, X, Settings(2.0))
        assert in_words(result) == want
        return reason == kept_programs.FOUND

    assert [is_found(), is_found()] == [False, True]
    for owner, name, value in ((SHARED, "rate", 0.25), (Settings, "factor", 4.0), (Settings, "scaled", lambda self, x: x + self.rate)):
        monkeypatch.setattr(owner, name, value)
        assert [is_found(), is_found()] == [False, True], name
    for function in (made_with(1.0), made_with(2.0)):
        assert not is_recalled(with_callback, X, function) and is_recalled(with_callback, X, function)
        assert not is_recalled(function, X) and is_recalled(function, X)


@table("function", (in_order, of_process))
def test_what_another_process_may_answer_otherwise_is_not_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any]
) -> None:
    first_call(function, X)
    monkeypatch.setattr("builtins.hash", lambda x: 17)  # as another process has it
    assert not is_recalled(function, X)


MAIN = """
import json
import numpy as np
import autograph_jit as ag
from autograph_jit.runtime import kept_programs
from helper import term

kept_programs.LEAST_SECONDS = 0.0
OFFSET = np.float64(0.5)

@ag.compile
def total(x, rounds):
    found = np.zeros(x.shape)
    for k in range(rounds):
        found += term(x, k) + OFFSET
    return found

def cost(x):
    return total(x, 3).sum()

results = [total(np.ones(3), 4).tolist(), ag.grad(cost)(np.ones(3)).tolist()]
print(json.dumps([*results, total.specializations[0].reason]))
"""
HELPER = """
def term(x, k):
    return x * x * k
"""


def run(folder: Path, **texts: str) -> list[Any]:
    """What a process of its own prints, with these files."""
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    variables = os.environ | {"PYTHONPATH": str(ROOT), "AUTOGRAPH_JIT_CACHE": "1", "AUTOGRAPH_JIT_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([sys.executable, folder / "main.py"], env=variables, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return json.loads(done.stdout)


def test_second_process_does_not_trace_until_a_source_changes(tmp_path: Path) -> None:
    want = [[8.0] * 3, [6.0] * 3]
    assert run(tmp_path, main=MAIN, helper=HELPER) == [*want, "first call"]
    assert run(tmp_path) == [*want, kept_programs.FOUND]
    assert run(tmp_path, helper=HELPER.replace("* k", "- k")) == [[0.0] * 3, [6.0] * 3, "first call"]
