"""What changes outside of a function between its calls is seen by the next one, whatever kind of object holds it."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import datetime
import decimal
import functools
import gc
import io
import logging
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import types
import uuid
import warnings
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.tracing.structures import guards

X = np.ones(3)


def differences(function: Callable, changes: list[Callable[[], Any]], *args: Any) -> list[int]:
    """After which changes two compiled calls do not give what Python gives."""
    compiled = ag.compile(function, fallback="error")
    found = []
    for number, change in enumerate([lambda: None, *changes]):
        change()
        found += [number for _ in range(2) if not np.array_equal(compiled(*args), function(*args))]
    return found


def test_sets():
    members = {1, 2}
    changes = [lambda: members.add(5), lambda: members.discard(5)]
    assert not differences(lambda x: x * 2 if 5 in members else x * len(members), changes, X)
    assert not differences(lambda x, s: x * 2 if 5 in s else x * len(s), changes, X, members)


def test_sets_that_cannot_change_are_read_only_where_they_are_others(monkeypatch):
    first = frozenset("a")
    compiled = ag.compile(lambda x, letters: x * 2.0 if "a" in letters else x + 1.0, fallback="error")
    read = []
    content_of = guards.content_of
    monkeypatch.setattr(guards, "content_of", lambda x: read.append(x) or content_of(x))
    found = []
    for letters in (first, first, frozenset(["a"]), frozenset("b")):
        found.append((compiled(3.0, letters), len(compiled.specializations), bool(read)))
        read.clear()
    assert found == [(6.0, 1, True), (6.0, 1, False), (6.0, 1, True), (4.0, 2, True)]


def test_deques_and_mappings():
    queue, order = collections.deque([1.0]), collections.OrderedDict(a=1.0, bb=2.0)
    layers = collections.ChainMap({}, {"u": 1.0})
    assert not differences(lambda x: x * queue[-1], [lambda: queue.append(8.0)], X)
    assert not differences(lambda x: x * len(list(order)[0]), [lambda: order.move_to_end("bb", last=False)], X)
    assert not differences(lambda x: x * layers["u"], [lambda: layers.__setitem__("u", 5.0)], X)


def test_the_environment(monkeypatch):
    changes = [lambda: monkeypatch.setenv("AG_TEST_SCALE", "2"), lambda: monkeypatch.delenv("AG_TEST_SCALE")]
    assert not differences(lambda x: x * 2 if os.environ.get("AG_TEST_SCALE") else x, changes, X)


def test_names_of_modules():
    module = types.ModuleType("options")
    module.scale, module.shift = 2.0, lambda x: x + 1
    changes = [lambda: setattr(module, "scale", 5.0), lambda: setattr(module, "shift", lambda x: x - 1)]
    assert not differences(lambda x: module.shift(x * module.scale), changes, X)


def test_lists_in_tuples():
    kept = ((1.0, [2.0]), {"k": 3.0})
    changes = [lambda: kept[0][1].__setitem__(0, 6.0), lambda: kept[1].__setitem__("k", 5.0)]
    assert not differences(lambda x: x * kept[0][1][0] * kept[1]["k"], changes, X)


def test_defaults_that_change():
    def scaled(x, a=[1.0], *, b={"k": 1.0}):  # noqa: B006
        return x * sum(a) * b["k"]

    assert not differences(scaled, [lambda: scaled.__defaults__[0].append(3.0), lambda: scaled.__kwdefaults__["b"].update(k=4.0)], X)


def test_a_default_that_the_function_changes():
    def logged(x, log=[]):  # noqa: B006
        log.append(1.0)
        return x * len(log)

    compiled = ag.compile(logged, fallback="error")
    assert [float(compiled(X)[0]) for _ in range(4)] == [1.0, 2.0, 3.0, 4.0]
    assert len(compiled.specializations) == 1


def test_collections_that_the_function_changes_take_one_program():
    seen, memo = set(), {}

    @ag.compile(fallback="error")
    def count(n):
        seen.add(n)
        if n not in memo:
            memo[n] = 2 * n
        return len(seen) + memo[n]

    assert [count(n) for n in (3, 3, 4, 5)] == [7, 7, 10, 13]
    assert len(count.specializations) == 1


def test_clocks_are_read_when_the_program_runs():
    @ag.compile(fallback="error")
    def timed(x):
        began = time.perf_counter()
        time.sleep(0.01)
        return time.perf_counter() - began, time.time_ns(), x

    first, second = timed(X), timed(X)
    assert first[0] >= 0.01 and second[0] >= 0.01 and second[1] > first[1]


def test_an_iterator_of_the_callers_is_advanced_by_python():
    items = iter([1.0, 2.0, 3.0, 4.0, 5.0])

    def following(x):
        return x * next(items)

    with pytest.raises(ag.ConversionError, match="was made outside of the function"):
        ag.compile(following, fallback="error")(X)
    with pytest.warns(UserWarning, match="was made outside of the function"):
        compiled = ag.compile(following)
        assert [float(compiled(X)[0]) for _ in range(2)] == [1.0, 2.0]

    def rest(x):
        total = 0.0
        for item in items:
            total += item
        return x * total

    with pytest.warns(UserWarning, match="was made outside of the function"):
        assert float(ag.compile(rest)(X)[0]) == 12.0


@pytest.mark.parametrize("take", [next, list, sum, lambda items: list(zip(items, "ab")), lambda items: [2 * item for item in items]])
def test_whatever_would_advance_an_iterator_of_the_callers_is_refused(take):
    items = iter([1.0, 2.0, 3.0])
    with pytest.raises(ag.ConversionError, match="was made outside of the function"):
        ag.compile(lambda x: (x, take(items)), fallback="error")(X)
    assert next(items) == 1.0


def test_an_object_that_takes_the_place_of_another_in_a_set_is_another():
    class Scale:
        def __init__(self, factor):
            self.factor = factor

    scales = {Scale(2.0)}
    compiled = ag.compile(lambda x: x * next(iter(scales)).factor, fallback="error")
    for factor in (2.0, 3.0, 4.0, 5.0):
        scales.clear()
        scales.add(Scale(factor))
        np.testing.assert_array_equal(compiled(X), factor * X)


def test_a_set_of_equal_numbers_of_another_type():
    numbers = {1}
    assert not differences(lambda x: (x.astype(int) * sum(numbers)).dtype.kind == "f", [numbers.clear, lambda: numbers.add(1.0)], X)


def test_the_world_is_asked_when_the_program_runs(tmp_path, caplog):
    path, log = tmp_path / "scale.txt", logging.getLogger("outside")
    path.write_text("2.0")

    @ag.compile(fallback="error")
    def scaled(x):
        log.warning("scaled")
        if os.path.exists(path):
            return x * float(path.read_text())
        return x

    with caplog.at_level(logging.WARNING):
        assert float(scaled(X)[0]) == 2.0
        path.write_text("3.0")
        assert float(scaled(X)[0]) == 3.0
        path.unlink()
        assert float(scaled(X)[0]) == 1.0
    assert [record.message for record in caplog.records] == ["scaled"] * 3


def test_warnings_dates_and_names_are_made_in_every_call():
    @ag.compile(fallback="error")
    def made(x):
        warnings.warn("careful", stacklevel=1)
        return x, datetime.datetime.now(), uuid.uuid4()

    with pytest.warns(UserWarning, match="careful") as found:
        (_, first, name), (_, second, other) = made(X), made(X)
    assert len(found) == 2 and first < second and name != other


def test_files_are_written_when_the_program_runs(tmp_path):
    path = tmp_path / "log.txt"

    @ag.compile(fallback="error")
    def kept(x, text):
        path.write_text(text)
        return x

    for text in ("a", "b"):
        kept(X, text)
        path.write_text(path.read_text() + "!")
        kept(X, text)
        assert path.read_text() == text


def test_what_a_library_sets_or_asks_happens_in_every_call():
    limit = sys.getrecursionlimit()

    @ag.compile(fallback="error")
    def acting(x):
        sys.setrecursionlimit(sys.getrecursionlimit() + 5)
        os.environ["AG_TEST_SET"] = "1"
        return gc.isenabled(), threading.current_thread().name, decimal.Decimal(1) / decimal.Decimal(3)

    try:
        for number in (1, 2, 3):
            assert acting(X)[0]
            assert sys.getrecursionlimit() == limit + 5 * number and os.environ.pop("AG_TEST_SET") == "1"
        gc.disable()
        with decimal.localcontext(prec=4):
            assert acting(X)[::2] == (False, decimal.Decimal("0.3333"))
    finally:
        sys.setrecursionlimit(limit)
        gc.enable()


def test_programs_that_are_started_and_files_that_are_made(tmp_path):
    path = tmp_path / "said.txt"

    @ag.compile(fallback="error")
    def started(x):
        with tempfile.TemporaryDirectory() as folder:
            found = subprocess.run([sys.executable, "-c", "print(open('said.txt').read())"], cwd=tmp_path, capture_output=True, text=True)
            return found.stdout.strip(), os.path.isdir(folder), sorted(entry.name for entry in tmp_path.rglob("*"))

    for text in ("a", "b"):
        path.write_text(text)
        assert started(X) == (text, True, ["said.txt"])
        (tmp_path / text).touch()
        assert started(X) == (text, True, sorted([text, "said.txt"]))
        (tmp_path / text).unlink()


def test_lists_and_dicts_of_a_librarys_modules(monkeypatch):
    changes = [lambda: monkeypatch.syspath_prepend("nowhere"), lambda: monkeypatch.setitem(sys.modules, "nothing", os)]
    assert not differences(lambda x: (len(sys.path), "nothing" in sys.modules), changes, X)


def test_a_function_that_a_test_puts_in_the_place_of_a_librarys():
    compiled = ag.compile(lambda x: (os.path.exists("nowhere"), random.random(), time.time()), fallback="error")
    assert compiled(X)[0] is False
    with mock.patch("os.path.exists", return_value=True), mock.patch("random.random", lambda: 0.5), mock.patch("time.time", lambda: 3.0):
        assert compiled(X) == (True, 0.5, 3.0)
        during = ag.compile(lambda x: os.path.exists("nowhere"), fallback="error")
        assert during(X) is True
    assert during(X) is False and compiled(X)[1:] != (0.5, 3.0)


def test_what_a_cache_of_functools_holds():
    calls = []

    @functools.lru_cache
    def table(n):
        calls.append(n)
        return np.arange(n) * len(calls)

    compiled = ag.compile(lambda x: x + table(3), fallback="error")
    np.testing.assert_array_equal(compiled(X), X + table(3))
    table.cache_clear()
    np.testing.assert_array_equal(compiled(X), X + 2 * np.arange(3))
    assert calls == [3, 3]


def test_functions_by_type():
    @functools.singledispatch
    def named(k):
        return 1

    compiled = ag.compile(lambda x, k: x * named(k), fallback="error")
    np.testing.assert_array_equal(compiled(X, "a"), X)
    named.register(str, lambda k: 2)
    np.testing.assert_array_equal(compiled(X, "a"), 2 * X)


def test_functions_made_by_exec_run_with_the_program():
    scope = {"log": []}
    exec("def noted(x):\n    log.append(1)\n    return len(log)", scope)
    noted = scope["noted"]
    compiled = ag.compile(lambda x: noted(2.0), fallback="error")
    assert [compiled(X), compiled(X), scope["log"]] == [1, 2, [1, 1]]


def test_functions_that_are_not_converted_run_with_the_program():
    calls = []

    @ag.do_not_convert
    def noted(n):
        calls.append(n)
        return len(calls)

    compiled = ag.compile(lambda x: noted(3), fallback="error")
    assert [compiled(X), compiled(X), calls] == [1, 2, [3, 3]]


def test_globals_by_the_name_of_the_function(monkeypatch):
    monkeypatch.setitem(globals(), "SETTING", 1)
    assert not differences(lambda x: globals()["SETTING"], [lambda: monkeypatch.setitem(globals(), "SETTING", 5)], X)


def test_coroutines_are_made_in_every_call():
    async def one():
        return 1

    compiled = ag.compile(lambda x: asyncio.run(one()), fallback="error")
    assert [compiled(X), compiled(X)] == [1, 1]


@pytest.mark.parametrize("run", [lambda: exec("pass"), lambda: eval("1"), traceback.format_exc, sys.exc_info])
def test_what_looks_at_frames_or_handlers_is_refused(run):
    text = {traceback.format_exc: "`format_exc`", sys.exc_info: "`exc_info`"}.get(run, "`e(xec|val)`")
    with pytest.raises(ag.ConversionError, match=f"{text} in compiled code"):
        ag.compile(lambda x: (x, run()), fallback="error")(X)


def test_an_exception_of_the_plain_function_has_no_context_of_ours():
    def failing(x):
        exec("pass")
        raise ValueError("its own")

    compiled = ag.compile(failing)
    with pytest.warns(UserWarning, match="`exec` in compiled code"), pytest.raises(ValueError, match="its own") as found:
        compiled(X)
    assert found.value.__context__ is None


def test_the_settings_of_numpy(monkeypatch):
    compiled = ag.compile(lambda x: (np.get_printoptions()["precision"], np.geterr()["divide"]), fallback="error")
    assert compiled(X) == (np.get_printoptions()["precision"], np.geterr()["divide"])
    with np.printoptions(precision=3), np.errstate(divide="ignore"):
        assert compiled(X) == (3, "ignore")

    @ag.compile(fallback="error")
    def shown(x):
        with np.printoptions(precision=2):
            return str(x / 3)

    assert [shown(X), shown(X)] == ["[0.33 0.33 0.33]"] * 2


def test_the_stream_that_stands_for_standard_output(monkeypatch):
    compiled = ag.compile(lambda x: (sys.stdout.write("written\n"), print("printed"))[0], fallback="error")
    streams = [io.StringIO() for _ in range(3)]
    for stream in streams:
        monkeypatch.setattr(sys, "stdout", stream)
        compiled(X)
    monkeypatch.undo()
    assert [stream.getvalue() for stream in streams] == ["written\nprinted\n"] * 3


def test_arithmetic_of_decimals_in_the_context_of_the_call():
    one = decimal.Decimal(1)
    compiled = ag.compile(lambda x: one / 3, fallback="error")
    assert compiled(X) == one / 3
    with decimal.localcontext(prec=4):
        assert compiled(X) == decimal.Decimal("0.3333")


class Headers:
    """Keeps its items as `email.message.Message` does."""

    def __init__(self):
        self.items = [("a", 1), ("b", 2)]

    def __delitem__(self, name):
        self.items = [(key, value) for key, value in self.items if key != name]

    def __setitem__(self, name, value):
        self.items.append((name, value))


def replace_header(headers, name, value):
    if value != headers.items[0][1]:
        del headers[name]
        headers[name] = value


def only_delete(headers, name, value):
    del headers[name]


@pytest.mark.parametrize("function", [replace_header, only_delete])
def test_items_are_deleted_by_the_users_own_method_when_the_program_runs(function):
    expected = Headers()
    function(expected, "a", 3)
    for options in ({}, {"fallback": "error"}):
        headers, compiled = Headers(), ag.compile(function, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with contextlib.suppress(ag.ConversionError):
                compiled.prepare((headers, "a", 3, {}))
            assert headers.items == Headers().items  # a trace changes nothing
            compiled(headers, "a", 3)
        assert headers.items == expected.items


def test_indices_of_a_shape_that_only_the_run_knows():
    x = np.array([[8, 1, 7], [4, 3, 9]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ag.compile(np.apply_along_axis.__wrapped__)(sorted, 1, x)
    np.testing.assert_array_equal(found, np.sort(x, axis=1))


class Counted(set):
    """A set that counts, in an attribute of its own, what was added."""

    def add(self, item: Any) -> None:
        self.times += 1
        super().add(item)


def test_attributes_of_a_set_that_python_changes_in_a_try_are_kept() -> None:
    def added(n: int, seen: Counted) -> int:
        try:
            seen.add(n)
            return 10 // n
        except ZeroDivisionError:
            return -1

    found = []
    for function in (added, ag.compile(added, fallback="error")):
        seen = Counted()
        seen.times = 0
        found.append(([function(n, seen) for n in (7, 3, 0)], seen.times, sorted(seen)))
    assert found[0] == found[1]


class Compared:
    def __init__(self, v: int) -> None:
        self.v = v


COMPARED = [Compared(1), Compared(2)]


def test_a_class_that_is_given_an_operator_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def equals_first(x: Compared) -> tuple[bool, bool]:
        return x == COMPARED[0], x != COMPARED[0]

    compiled, other = ag.compile(equals_first, fallback="error"), COMPARED[1]
    assert compiled(other) == (False, True)
    monkeypatch.setattr(Compared, "__eq__", lambda self, other: True)
    assert compiled(other) == equals_first(other) == (True, False)
    monkeypatch.setattr(Compared, "__eq__", lambda self, other: self.v > 1)
    assert compiled(COMPARED[0]) == equals_first(COMPARED[0]) == (False, True)
    monkeypatch.undo()
    assert compiled(other) == (False, True)


@pytest.mark.parametrize("name", ["__bool__", "__len__"])
def test_a_class_that_says_later_whether_its_instances_are_true(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def truths(x: Compared, others: list[Compared]) -> tuple[int, list[bool], bool]:
        return 1 if x else 2, [bool(other) for other in others], not others[0]

    compiled, arguments = ag.compile(truths, fallback="error"), (Compared(0), [Compared(0), Compared(3), Compared(1)])
    assert compiled(*arguments) == (1, [True] * 3, False)
    monkeypatch.setattr(Compared, name, lambda self: self.v, raising=False)
    if name == "__bool__":
        monkeypatch.setattr(Compared, name, lambda self: self.v > 1)
    assert compiled(*arguments) == truths(*arguments) == (2, [False, True, name == "__len__"], True)
    monkeypatch.undo()
    assert compiled(*arguments) == (1, [True] * 3, False)


PAIR: Any = ([], {})


def default_changed(x: Any, xs: list[Any], acc: list[Any] = []) -> Any:  # noqa: B006 it is the default that is changed
    acc.append(x)
    return acc == xs, xs < acc, acc + xs, 2 * acc, not acc, f"{acc}", acc and 3, (acc, 1) == (xs, 1), acc in [xs]


def keyword_changed(x: Any, xs: list[Any], *, held: Any = ([], {})) -> Any:
    acc, entries = held
    acc.append(x)
    entries[len(acc)] = x
    return acc == xs, xs + acc, entries == {1: 1}, entries | {3: 4}, f"{entries}", "%s" % acc


def calls_with_defaults(x: Any, xs: list[Any]) -> Any:
    return default_changed(x, xs), keyword_changed(x, xs)


def of_tuple_changed(x: Any, xs: list[Any]) -> Any:
    acc, entries = PAIR[0], PAIR[1]
    acc.append(x)
    entries["k"] = x
    return acc == xs, xs + PAIR[0], entries == {"k": 1}, acc or 3, max([acc, xs])


@pytest.mark.parametrize("function", [default_changed, keyword_changed, calls_with_defaults, of_tuple_changed])
def test_containers_that_calls_change_are_read_as_they_are_then(function: Callable[..., Any]) -> None:
    outcomes = []
    for called in (function, ag.compile(function, fallback="error")):
        changed = [default_changed.__defaults__, keyword_changed.__kwdefaults__["held"], PAIR]  # type: ignore[index]
        for container in (part for parts in changed for part in parts):
            container.clear()
        outcomes.append([called(*args) for args in ((True, [1]), (1, [1]), (2.5, []))])
    assert repr(outcomes[0]) == repr(outcomes[1])
