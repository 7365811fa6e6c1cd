"""Judges a sequence of calls of one function between which its module changes: two copies of the module, one of them with the function
compiled, go through the same steps, and are compared after each with all that they hold.

A call that is refused is made by plain Python, which shows that the refusal has changed nothing. The ways: compiled with
fallback="error", in default mode, and once more with what the first way has kept on disk, the steps in another order.
"""

from __future__ import annotations

import collections
import enum
import importlib.util
import random
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import autograph_jit as ag
from tests.differential.harness import Outcome, difference
from tests.fuzz.oracle import (
    MATCH,
    MISMATCH,
    PLAIN_LIMIT_SECONDS,
    REFUSED,
    SKIPPED,
    TookTooLong,
    Verdict,
    is_refusal,
    outcome,
    outcome_fault,
    time_limit,
)

WAYS = {"error": "error", "default": "warn", "kept": "error"}
IGNORED = ("STEPS", "RNG")
NAMED = (enum.Enum, types.ModuleType, types.BuiltinFunctionType)
PLAIN = (*NAMED, range, slice, int, str, bytes, bool, type(None), float, complex, np.generic, np.random.Generator)


def load_copy(path: Path, name: str) -> types.ModuleType:
    """A fresh copy of a module, of the file."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # a dataclass asks for it
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    return module


class Copy:
    """One copy of the module with the function to call; `fallback`: how it is compiled, if it is."""

    def __init__(self, path: Path, fallback: str = "") -> None:
        self.module = load_copy(path, path.stem)
        self.function = ag.compile(self.module.f, fallback=fallback) if fallback else self.module.f
        self.plain = self.module.f

    def change(self, text: str) -> str:
        """Carry out a change; what it raises."""
        try:
            exec(text, self.module.__dict__)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def call(self, text: str, seed: int, function: Callable[..., Any] | None = None) -> Outcome | str:
        """Make a call; a text where its arguments cannot be made."""
        namespace = self.module.__dict__
        try:
            arguments = eval(text, namespace)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        random.seed(seed)
        found = outcome(function or self.function, lambda: arguments)
        if is_refusal(found.error):
            self.refused = str(found.error)
            random.seed(seed)
            found = outcome(self.plain, lambda: arguments)
        return found

    refused = ""

    def state(self) -> dict[str, Any]:
        """What the module holds."""
        names = self.module.__dict__
        return {name: value for name, value in names.items() if not name.startswith("__") and name not in IGNORED}


class Comparison:
    """Goes through two graphs of objects at a time: what is one object in one has to be one in the other."""

    def __init__(self) -> None:
        self.there: dict[int, Any] = {}
        self.back: dict[int, Any] = {}
        self.arrays: list[tuple[np.ndarray, np.ndarray]] = []

    def fault(self, got: Any, want: Any, where: str) -> str | None:
        """The first difference."""
        if isinstance(want, PLAIN):
            return leaf_fault(got, want, where)
        if id(want) in self.there:
            return None if self.there[id(want)] is got else f"{where}: is another object than where it was met first"
        if type(got).__qualname__ != type(want).__qualname__:
            return f"{where}: {got!r} of {type(got).__name__}, expected {want!r} of {type(want).__name__}"
        if not isinstance(want, tuple):
            self.there[id(want)] = got
            if isinstance(want, np.ndarray):
                self.arrays.append((got, want))
                return leaf_fault(got, want, where)
            if id(got) in self.back and self.back[id(got)] is not want:
                return f"{where}: should be another object than what was met before"
            self.back[id(got)] = want
        pairs = list(parts_of(got)), list(parts_of(want))
        names = [[name for name, _ in found] for found in pairs]
        if names[0] != names[1]:
            return f"{where}: has {names[0]}, expected {names[1]}"
        return next((fault for (name, a), (_, b) in zip(*pairs) if (fault := self.fault(a, b, f"{where}.{name}"))), None)

    def sharing_fault(self) -> str | None:
        """Arrays that share memory where they should not, or do not where they should."""
        for k, (got, want) in enumerate(self.arrays):
            for got_2, want_2 in self.arrays[:k]:
                if want.size and want_2.size and np.shares_memory(got, got_2) != np.shares_memory(want, want_2):
                    return f"arrays {want!r} and {want_2!r} share memory: {np.shares_memory(got, got_2)}, expected otherwise"
        return None


def leaf_fault(got: Any, want: Any, where: str) -> str | None:
    """Another number, array, text or name, or zeros of another sign."""
    if isinstance(want, NAMED):
        names = [getattr(each, "__name__", repr(each)) for each in (got, want)]
        same = type(got).__qualname__ == type(want).__qualname__ and names[0] == names[1]
        return None if same else f"{where}: {got!r}, expected {want!r}"
    fault = difference(got, want, where)
    if fault or not isinstance(want, (float, np.floating, np.ndarray)) or np.asarray(want).dtype.kind != "f":
        return fault
    a, b = np.asarray(got), np.asarray(want)
    same = np.array_equal(np.signbit(a) & (a == 0), np.signbit(b) & (b == 0))
    return None if same else f"{where}: {got!r} has zeros of another sign than {want!r}"


def parts_of(value: Any) -> Iterator[tuple[Any, Any]]:
    """Names and parts of what holds others."""
    if isinstance(value, dict):
        yield from ((("key", repr(key)), item) for key, item in value.items())
    elif isinstance(value, (list, tuple, collections.deque)):
        yield from enumerate(value)
    elif isinstance(value, (set, frozenset)):
        yield "items", str(sorted(map(repr, value)))
    elif isinstance(value, types.FunctionType):
        yield "name", value.__name__
        yield "defaults", value.__defaults__
        for k, cell in enumerate(value.__closure__ or ()):
            yield f"cell {k}", cell.cell_contents
    elif isinstance(value, type):
        shown = {name: item for name, item in vars(value).items() if not name.startswith("__") and not hasattr(item, "__get__")}
        yield from shown.items() if value.__module__ not in ("builtins", "numpy", "enum", "collections", "types", "functools") else ()
    elif hasattr(value, "__dict__"):
        yield from object.__getattribute__(value, "__dict__").items()
    elif hasattr(value, "__slots__"):
        yield from ((name, getattr(value, name)) for name in value.__slots__ if hasattr(value, name))


def step_fault(got: Outcome, want: Outcome, copies: tuple[Copy, Copy]) -> str | None:
    """The first difference after a call."""
    shown = [Outcome(None, one.error, one.printed, ()) for one in (got, want)]
    fault = outcome_fault(*shown, True)
    if fault:
        return fault
    comparison = Comparison()
    found = [[one.value, one.arguments, copy.state()] for one, copy in zip((got, want), copies)]
    for name, a, b in zip(("result", "arguments", "module"), *found):
        fault = comparison.fault(a, b, name)
        if fault:
            return fault
    return comparison.sharing_fault()


def go_through(path: Path, steps: list[tuple[str, str]], fallback: str) -> Verdict:
    """Take the steps in a plain and a compiled copy."""
    plain, compiled = Copy(path), Copy(path, fallback)
    refused = ""
    for k, (change, arguments) in enumerate(steps):
        raised = compiled.change(change), plain.change(change)
        if raised[0] != raised[1]:
            return Verdict(MISMATCH, f"call {k}: the change raises {raised[0]}, expected {raised[1]}")
        try:
            with time_limit(PLAIN_LIMIT_SECONDS):
                want = plain.call(arguments, k)
        except TookTooLong:
            return Verdict(SKIPPED, "plain Python takes too long")
        got = compiled.call(arguments, k)
        refused = refused or compiled.refused
        if isinstance(got, str) or isinstance(want, str):
            if got != want:
                return Verdict(MISMATCH, f"call {k}: the arguments are {got}, expected {want}")
            continue
        fault = step_fault(got, want, (compiled, plain))
        if fault:
            return Verdict(MISMATCH, f"call {k}{' (refused)' * bool(compiled.refused)}: {fault}")
        compiled.refused = ""
        compiled.module.last, plain.module.last = got.value, want.value
        if isinstance(want.value, tuple) and want.value[0]:
            compiled.module.last, plain.module.last = got.value[0][-1], want.value[0][-1]
    return Verdict(REFUSED, refused) if refused else Verdict(MATCH)


def judge_sequence(text: str, name: str, only: str = "") -> Verdict:
    """The verdict on a module with `f` and STEPS, in every way or in one."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"calls_{name.replace(' ', '_')}.py"
        path.write_text(text)
        steps = list(load_copy(path, path.stem).STEPS)
        found = []
        for way, fallback in WAYS.items() if not only else [(only, WAYS[only])]:
            order = steps[3:] + steps[:3] if way == "kept" else steps
            verdict = go_through(path, order, fallback)
            if verdict.kind in (MISMATCH, SKIPPED):
                return Verdict(verdict.kind, f"{way}, {verdict.reason}")
            found.append(verdict)
    return next((verdict for verdict in found if verdict.kind == REFUSED), Verdict(MATCH))
