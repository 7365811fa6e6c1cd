"""Refusals that are kept on disk: who asks again does not wait again, and whatever could decide otherwise makes it ask anew."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import budget
from autograph_jit.backends.cpu.library import OPTIMISED
from autograph_jit.backends.disk_cache import REFUSAL, disk_cache
from autograph_jit.errors import BudgetError
from autograph_jit.runtime import kept_entries, kept_refusals, stable_texts
from autograph_jit.runtime.stable_texts import StableText
from tests.tables import table

ROOT = Path(__file__).parents[2]
SECONDS = 0.05
COUNT = 3000
SETTINGS = SimpleNamespace(count=3000)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that is empty."""
    monkeypatch.setattr(disk_cache, "chosen", tmp_path / "cache")
    monkeypatch.setattr(disk_cache, "enabled", True)
    return tmp_path / "cache"


def long(x: Any, n: Any = 1) -> Any:
    for _ in ag.unroll(range(COUNT)):
        x = x + n
    return x[0]


def reading_settings(x: Any) -> Any:
    for _ in ag.unroll(range(SETTINGS.count)):
        x = x + 1.0
    return x[0]


def reading_by_name(x: Any) -> Any:
    for _ in ag.unroll(range(attrgetter("COUNT")(sys.modules[__name__]))):
        x = x + 1.0
    return x[0]


def importing(x: Any) -> Any:
    from tests.runtime import test_kept_refusals as own

    for _ in ag.unroll(range(own.COUNT)):
        x = x + 1.0
    return x[0]


def first_call(function: Callable[..., Any], *args: Any, seconds: float = SECONDS, **options: Any) -> tuple[Any, list[str], int]:
    """What the first call of a newly compiled function gives, its warnings, and how many compilations it began."""
    fast = ag.compile(function, compile_seconds=seconds, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = fast(*args)
    return result, [str(each.message) for each in caught], fast.account.compilations


def is_recalled(function: Callable[..., Any], *args: Any, **options: Any) -> bool:
    """Whether the first call of a newly compiled function runs in Python without a trace."""
    return first_call(function, *args, **options)[2] == 0


def test_refusal_is_found_again_with_its_text(folder: Path) -> None:
    first = first_call(long, np.ones(3))
    again = first_call(long, np.ones(3))
    assert first[0] == again[0] == COUNT + 1.0 and first[1] == again[1] and "takes too long" in first[1][0]
    assert (first[2], again[2]) == (1, 0)
    usage = disk_cache.usage()
    assert usage.refusals == 1 and "1 of them a refusal" in str(usage)
    disk_cache.clear()
    assert disk_cache.usage().entries == 0 and not is_recalled(long, np.ones(3))


CHANGES: dict[str, Callable[[], bool]] = {
    "another budget": lambda: is_recalled(long, np.ones(3), seconds=SECONDS * 1.5),
    "another option": lambda: is_recalled(long, np.ones(3), parallel=False),
    "another size": lambda: is_recalled(long, np.ones(4)),
    "another dtype": lambda: is_recalled(long, np.ones(3, np.float32)),
    "another number": lambda: is_recalled(long, np.ones(3), 2),
    "another type": lambda: is_recalled(long, np.ones(3), 1.0),
    "fallback that is an error": lambda: is_recalled_strictly(),
}


def is_recalled_strictly() -> bool:
    fast = ag.compile(long, fallback="error", compile_seconds=SECONDS)
    with pytest.raises(BudgetError):
        fast(np.ones(3))
    return fast.account.compilations == 0


@table("change", CHANGES)
def test_call_that_differs_is_traced(folder: Path, change: str) -> None:
    first_call(long, np.ones(3))
    assert is_recalled(long, np.ones(3)) and not CHANGES[change]()


def test_global_that_differs_is_traced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first_call(long, np.ones(3))
    monkeypatch.setattr(sys.modules[__name__], "COUNT", 2)
    assert first_call(long, np.ones(3)) == (3.0, [], 1)


def test_other_versions_and_settings_are_traced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first_call(long, np.ones(3))
    with ag.config(max_programs=31):
        assert not is_recalled(long, np.ones(3))
    first_call(long, np.ones(3))
    monkeypatch.setattr(kept_entries, "circumstances", lambda: "a newer version")
    assert not is_recalled(long, np.ones(3))


def test_refusal_that_does_not_hold_any_more_is_dropped(folder: Path) -> None:
    first_call(long, np.ones(3))
    result, texts, compilations = first_call(long, np.ones(3), seconds=1000.0)
    assert result == COUNT + 1.0 and not texts and compilations == 1
    assert disk_cache.usage().refusals == 0


@table("damage", {"cut off": None, "flipped": None, "empty": None, "another's": None})
def test_damaged_entry_is_traced(folder: Path, damage: str) -> None:
    first_call(long, np.ones(3))
    (path,) = folder.glob(f"*{REFUSAL}")
    content = path.read_bytes()
    changed = {"cut off": content[:-9], "flipped": content[:-9] + b"?" + content[-8:], "empty": b"", "another's": content}[damage]
    if damage == "another's":
        path = path.with_name("0" * 64 + REFUSAL)
        first_call(importing, np.ones(3))
    path.write_bytes(changed)
    assert is_recalled(long, np.ones(3)) is (damage == "another's")
    path.unlink(missing_ok=True)


def test_nothing_is_kept_without_a_cache(folder: Path) -> None:
    with ag.config(cache=False):
        first_call(long, np.ones(3))
        assert not is_recalled(long, np.ones(3))
    assert not is_recalled(long, np.ones(3)) and is_recalled(long, np.ones(3))


@table("function", (reading_settings, reading_by_name, importing))
def test_what_cannot_be_put_into_words_is_not_kept(folder: Path, function: Callable[..., Any]) -> None:
    first_call(function, np.ones(3))
    assert not is_recalled(function, np.ones(3))


def test_file_that_was_written_since_the_start_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stable_texts, "STARTED", os.stat(__file__).st_mtime - 1.0)
    first_call(long, np.ones(3))
    assert not disk_cache.usage().refusals


def test_refusals_of_the_clock_and_of_later_compilations_are_not_kept(folder: Path) -> None:
    clock = BudgetError("what", None, "", "", is_counted=False, is_last=False)
    assert not kept_refusals.is_worth_keeping(budget.Compilation(budget.Account(), "f", 1.0), clock)
    fast = ag.compile(long, compile_seconds=SECONDS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fast.account.compilations = 1
        fast(np.ones(3))
    assert not disk_cache.usage().refusals


def taking_apart(x: Any) -> Any:
    return [f"{value:.1e}" for value in x]


def test_slower_than_python_is_kept_where_it_took_long_to_find(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.arange(3.0)
    assert "slower than Python" in first_call(taking_apart, x)[1][0] and not disk_cache.usage().refusals
    monkeypatch.setattr(kept_refusals, "LONG", 0.0)
    first_call(taking_apart, x)
    assert is_recalled(taking_apart, x) and not is_recalled(taking_apart, x[1:])


def test_method_is_refused_for_instances_alike(folder: Path) -> None:
    first_call(Looping.run, Looping(3000), np.ones(3))
    assert is_recalled(Looping.run, Looping(3000), np.ones(3)) and not is_recalled(Looping.run, Looping(3001), np.ones(3))


def line_sums(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    return total


def test_refusal_before_llvm_starts_is_kept(folder: Path) -> None:
    measured = ag.compile(line_sums)
    measured(np.ones(5))
    disk_cache.clear()
    counts = measured.specializations[0].compilation.counts
    seconds = (measured.account.spent - counts[OPTIMISED] * OPTIMISED.microseconds / 2) / budget.MICROSECONDS
    assert "machine code" in first_call(line_sums, np.ones(5), seconds=seconds)[1][0]
    assert is_recalled(line_sums, np.ones(5), seconds=seconds)


MAIN = """
import json, sys, warnings
import numpy as np
import autograph_jit as ag
from helper import repeated, term

@ag.compile(compile_seconds=0.1)
def total(x):
    for _ in ag.unroll(range(repeated.times)):
        x = term(x)
    return x[0]

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    result = total(np.ones(3))
print(json.dumps([result, [str(each.message) for each in caught], total.account.compilations, total.account.spent]))
"""
HELPER = """
import constants as repeated

def term(x):
    return x + repeated.step()
"""
CONSTANTS = """
times, STEP = 3000, 1.0

def step():
    return STEP
"""


def run(folder: Path, **texts: str) -> list[Any]:
    """What a process of its own prints, with these files."""
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    variables = os.environ | {"PYTHONPATH": str(ROOT), "AUTOGRAPH_JIT_CACHE": "1", "AUTOGRAPH_JIT_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([sys.executable, folder / "main.py"], env=variables, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return json.loads(done.stdout)


def test_second_process_does_not_trace_until_something_changes(tmp_path: Path) -> None:
    first = run(tmp_path, main=MAIN, helper=HELPER, constants=CONSTANTS)
    assert first[0] == 3001.0 and first[2] == 1 and first[3] >= SECONDS * budget.MICROSECONDS
    assert run(tmp_path) == [*first[:2], 0, 0.0]
    edited = run(tmp_path, helper=HELPER.replace("x + ", "x * 1.0 + "))
    assert edited[0] == 3001.0 and edited[2] == 1
    assert run(tmp_path, constants=CONSTANTS.replace("3000", "3"))[:3] == [4.0, [], 1]


@contextmanager
def around() -> Iterator[int]:
    yield COUNT


@ag.do_not_convert
def counted() -> int:
    return COUNT


class Plain:
    limit = 3

    def method(self) -> int:
        return self.limit


@dataclass
class Made:
    x: int = 1


class Counts(dict):
    pass


class Slotted:
    __slots__ = ("x",)


class Looping:
    def __init__(self, count: int) -> None:
        self.count = count

    def run(self, x: Any) -> Any:
        for _ in ag.unroll(range(self.count)):
            x = x + 1.0
        return x[0]


STABLE = {
    "numbers": [1, 2.5, 1j, True, None, 10**6000, np.float32(1.5), np.dtype("f4")],
    "containers": [(1, [2, {"a": {1, 2}}]), range(3), slice(1, None)],
    "functions": [long, len, np.sum, np.add, json.dumps],
    "modules": [np, json],
    "classes": [int, np.ndarray, Plain, ValueError],
    "compiled": [ag.compile(long)],
    "arrays": [np.ones((2, 3))],
    "instances": [Plain(), Plain().method, Looping(3)],
}
UNSTABLE = {
    "an instance of a library's class": Counts(),
    "an instance with slots": Slotted(),
    "an instance without source": Made(),
    "objects": np.array([None]),
    "without a file": eval("lambda x: x"),
    "a class without a file": Made,
    "a generator": np.random.default_rng(0),
    "too many": list(range(100_000)),
    "a set of objects": {Plain},
}


def text_of(x: Any) -> StableText:
    text = StableText()
    text.add(x)
    text.add_modules()
    return text


@table("name", STABLE)
def test_text_is_the_same_for_the_same(name: str) -> None:
    assert text_of(STABLE[name]).is_stable and text_of(STABLE[name]).digest == text_of(STABLE[name]).digest
    for x in STABLE[name]:
        assert text_of([x, 1]).digest != text_of([x, 2]).digest


@table("name", UNSTABLE)
def test_what_has_no_words_is_unstable(name: str) -> None:
    assert not text_of(UNSTABLE[name]).is_stable


DIFFERENT: list[tuple[Any, Any]] = [
    *((1, True), (0.0, -0.0), ([1], (1,)), ("a", b"a"), ([[]] * 2, [[], []])),
    *((np.ones(3), np.ones(4)), (len, max), (Looping(1), Looping(2))),
]


@table("x, y", DIFFERENT)
def test_different_values_have_different_texts(x: Any, y: Any) -> None:
    assert text_of(x).digest != text_of(y).digest


def test_text_follows_attributes_of_classes_functions_and_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    def reading(x: Any) -> Any:
        return budget.STEP + x

    own = sys.modules[__name__]
    for x, owner, name in (
        *((Plain, Plain, "limit"), (long, long, "times"), (reading, budget, "STEP")),
        *((long, own, "COUNT"), (around, own, "COUNT"), (counted, own, "COUNT")),
    ):
        with monkeypatch.context() as patch:
            before = text_of(x)
            patch.setattr(owner, name, 17, raising=False)
            assert before.is_stable and text_of(x).digest != before.digest, (x, name)


def test_text_of_what_contains_itself_ends() -> None:
    x: list[Any] = []
    x.append(x)
    assert text_of(x).is_stable
