"""Nothing of a trace reaches the user: short programs, each a way out, do compiled what they do in Python, in every call."""

from __future__ import annotations

import contextlib
import copy
import functools
import gc
import io
import threading
import types
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Sized
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime.leaks import living, take_out_of_holders
from tests.runtime.leaving_programs import PROGRAMS


def described(x: Any, depth: int = 8) -> Any:
    """A value with the types of all that it holds."""
    kind = type(x).__name__
    if depth == 0:
        return kind
    if isinstance(x, BaseException):
        cause = described(x.__cause__, depth - 1)
        return kind, str(x), described(x.args, depth - 1), described(vars(x), depth - 1), getattr(x, "__notes__", None), cause
    if isinstance(x, np.ndarray):
        return kind, str(x.dtype), x.shape, described(x.tolist(), depth - 1)
    if isinstance(x, dict):
        return kind, [(described(key, depth - 1), described(value, depth - 1)) for key, value in x.items()]
    if isinstance(x, (set, frozenset)):
        return kind, sorted(repr(described(item, depth - 1)) for item in x)
    if isinstance(x, Iterable) and isinstance(x, Sized) and not isinstance(x, str):
        return kind, [described(item, depth - 1) for item in x]
    if isinstance(x, (type, types.FunctionType, types.BuiltinFunctionType)) or callable(x):
        return kind, getattr(x, "__name__", "")
    if hasattr(x, "__dict__"):
        return kind, described(vars(x), depth - 1)
    return kind, repr(x)


def outcomes(name: str, compiles: bool) -> list[Any]:
    """What each call gives or raises, prints and leaves in its arguments and outside, and which warnings there were."""
    make, calls = PROGRAMS[name]
    function, look = make()
    run = ag.compile(function) if compiles else function
    found = []
    for arguments in copy.deepcopy(calls):
        printed, result, error = io.StringIO(), None, None
        with contextlib.redirect_stdout(printed):
            try:
                result = run(*arguments)
            except Exception as raised:
                error = raised
        found.append(tuple(map(described, (result, error, arguments, look()))) + (printed.getvalue(),))
        del result, error
    return found


def difference(name: str) -> str:
    """The first call in which a compiled program does something else than Python; empty where there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        pairs = list(zip(outcomes(name, True), outcomes(name, False)))
    return next((f"{name}, call {turn}:\n  {got}\n  {want}" for turn, (got, want) in enumerate(pairs) if got != want), "")


def test_nothing_of_a_trace_leaves() -> None:
    found = [difference(name) for name in PROGRAMS]
    assert not any(found), "\n".join(filter(None, found))


class StandIn:
    """What a trace would make."""


class Slotted:
    __slots__ = ("value",)


def waiting(x: Any) -> Any:
    yield x


def of_list(x: Any) -> Any:
    kept = [1, x, 2]
    return kept, lambda: kept == [1, 2]


def of_set(x: Any) -> Any:
    kept = {1, x}
    return kept, lambda: kept == {1}


def of_deque(x: Any) -> Any:
    kept = deque([x, 1], maxlen=2)
    return kept, lambda: kept == deque([1])


def of_dict(x: Any) -> Any:
    kept = {"a": 1, "b": x}
    return kept, lambda: kept == {"a": 1}


def of_tuple_in_dict(x: Any) -> Any:
    kept = {"a": 1, "b": (x, [x])}
    return kept, lambda: list(kept) == ["a"]


def of_cache(x: Any, size: int | None = None) -> Any:
    values = {0: x}
    kept = functools.lru_cache(size)(lambda i: values.pop(i, 1))
    kept(0)
    return kept, lambda: kept(0) == 1


def of_small_cache(x: Any) -> Any:
    return of_cache(x, 4)


def of_slot(x: Any) -> Any:
    kept = Slotted()
    kept.value = x
    return kept, lambda: not hasattr(kept, "value")


def of_thread_local(x: Any) -> Any:
    kept = threading.local()
    kept.value = x
    return kept, lambda: not hasattr(kept, "value")


def of_generator(x: Any) -> Any:
    kept = waiting(x)
    next(kept)
    return kept, lambda: next(kept, "end") == "end"


def of_default(x: Any) -> Any:
    def kept(y: Any = x) -> Any:
        return y

    return kept, lambda: kept.__defaults__ is None


def of_closure(x: Any) -> Any:
    return (lambda: x), lambda: True


HOLDERS: list[Callable[[Any], Any]] = [
    of_list, of_set, of_deque, of_dict, of_tuple_in_dict, of_cache, of_small_cache, of_slot, of_thread_local, of_generator, of_default,
    of_closure,
]  # fmt: skip


def test_whatever_keeps_a_stand_in_lets_go_of_it_and_keeps_the_rest() -> None:
    for hold in HOLDERS:
        made = StandIn()
        kept, is_as_before = hold(made)
        tracer = weakref.ref(made)
        del made
        assert tracer() is not None, hold
        assert take_out_of_holders([tracer]), hold
        assert tracer() is None and is_as_before(), hold
        del kept


def test_nothing_is_taken_from_anybody_where_stand_ins_are_in_a_cycle_only() -> None:
    made = StandIn()
    made.again = made  # type: ignore[attr-defined]
    tracer = weakref.ref(made)
    del made
    assert take_out_of_holders([tracer]) == []


def test_a_refusal_names_who_keeps_the_value_and_leaves_nothing_behind() -> None:
    place: dict[str, Any] = {}

    class Dying:
        def __init__(self, x: Any) -> None:
            self.x = x

        def __del__(self) -> None:
            place["value"] = self.x

    def kept(x: Any) -> Any:
        Dying(x)
        return x

    text = "a value of the run leaves `kept`\nit is kept by the entry or attribute `value`"
    with pytest.raises(ag.ConversionError, match=text) as caught:
        ag.compile(kept, fallback="error")(2.5)
    assert place == {}
    frames = [entry.frame for entry in caught.traceback[1:]]
    assert not any("Staged" in type(value).__name__ for frame in frames for value in frame.f_locals.values())
    with pytest.warns(UserWarning, match="kept runs in Python, uncompiled:\na value of the run leaves"):
        assert ag.compile(kept)(2.5) == 2.5 == place["value"]


def test_a_collection_that_another_thread_is_in_the_middle_of_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    made = StandIn()
    made.itself = made  # type: ignore[attr-defined]
    tracer, collect, asked = weakref.ref(made), gc.collect, []
    del made

    def busy_at_first(generation: int) -> int:
        asked.append(generation)
        return collect(generation) if len(asked) > 2 else 0

    monkeypatch.setattr(gc, "collect", busy_at_first)
    assert living([tracer]) == [] and asked == [0, 0, 0]


def test_a_collection_of_young_objects_by_another_thread_is_not_taken_for_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    made = StandIn()
    made.itself = made  # type: ignore[attr-defined]
    gc.collect(1)
    tracer, collect, asked = weakref.ref(made), gc.collect, []
    del made

    def young_at_first(generation: int) -> int:
        asked.append(generation)
        return collect(generation if asked.count(generation) > 1 else 0)

    monkeypatch.setattr(gc, "collect", young_at_first)
    assert living([tracer]) == [] and asked[-2:] == [2, 2]


def test_a_collection_that_another_thread_has_begun_before_is_not_taken_for_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    made = StandIn()
    made.itself = made  # type: ignore[attr-defined]
    gc.collect()
    tracer, collect, asked = weakref.ref(made), gc.collect, []
    del made

    def begun_before_at_first(generation: int) -> int:
        asked.append(generation)
        if asked.count(generation) > 1:
            return collect(generation)
        held = tracer()  # as when it began
        thread = threading.Thread(target=collect, args=(generation,))
        thread.start()
        thread.join()
        return int(held is None)

    monkeypatch.setattr(gc, "collect", begun_before_at_first)
    assert living([tracer]) == [] and asked[-2:] == [2, 2]
