"""What cannot be compiled: one warning and Python's result, or an error that names line, reason and remedy."""

from __future__ import annotations

import logging
import pickle
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime.dispatch import CompiledFunction


def unknown_trips(x: Any) -> Any:
    for i in ag.unroll(range(int(x.sum()))):
        x = x + i
    return x


def test_error_names_line_reason_and_remedy() -> None:
    f = ag.compile(unknown_trips, fallback="error")
    with pytest.raises(ag.ConversionError) as caught:
        f(np.ones(3))
    text = str(caught.value)
    assert text.startswith("test_fallback.py:") and "for i in ag.unroll(range(int(x.sum()))):" in text
    assert caught.value.what and caught.value.why and caught.value.remedy
    assert isinstance(caught.value, NotImplementedError)
    with pytest.raises(ag.ConversionError):
        f(np.ones(3))


def test_fallback_warns_once_at_the_callers_line_and_gives_pythons_result() -> None:
    f = ag.compile(unknown_trips)
    with pytest.warns(UserWarning, match="unknown_trips runs in Python, uncompiled:\ntest_fallback.py") as caught:
        assert f(np.ones(3))[0] == 4.0
    assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(np.ones(3))[0] == 4.0


def test_fallback_is_logged_where_logs_are_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    with ag.config(logs="fallbacks"), caplog.at_level(logging.INFO, "autograph_jit"), pytest.warns(UserWarning):
        ag.compile(unknown_trips)(np.ones(3))
    assert [record.name for record in caplog.records] == ["autograph_jit.fallbacks"]


def count_up(n: int) -> Iterator[int]:
    yield from range(n)


async def wait(x: Any) -> Any:
    return x


@pytest.mark.parametrize(("function", "kind"), [(count_up, "generator"), (wait, "asynchronous function")])
def test_generators_and_coroutines_run_in_python_with_one_note(function: Any, kind: str) -> None:
    with pytest.raises(ag.ConversionError, match=f"the {kind} {function.__name__} is not compiled"):
        ag.compile(function, fallback="error")(3)
    with pytest.warns(UserWarning, match=kind):
        made = ag.compile(function)(3)
    if kind == "generator":
        assert list(made) == [0, 1, 2]
    else:
        with pytest.raises(StopIteration) as stop:
            made.send(None)
        assert stop.value.value == 3


@pytest.mark.parametrize("what", [3, "text", int, np.ones(3)])
def test_only_functions_can_be_compiled(what: Any) -> None:
    with pytest.raises(ag.SettingError, match="takes a function, a method or a callable object"):
        ag.compile(what)


@pytest.mark.parametrize("options", [{"fallback": "never"}, {"device": "tpu"}])
def test_unknown_options_are_refused(options: Any) -> None:
    with pytest.raises(ag.SettingError, match="expected one of"):
        ag.compile(unknown_trips, **options)


def test_function_without_source_says_so() -> None:
    scope: dict[str, Any] = {}
    exec("def f(x):\n    if x > 0:\n        x = x + 1\n    return x", scope)
    with pytest.raises(ag.ConversionError, match="`f` has no source"):
        ag.compile(scope["f"], fallback="error")(1.0)
    with pytest.warns(UserWarning, match="`f` has no source"):
        assert ag.compile(scope["f"])(1.0) == 2.0


def fresh_products(x: Any) -> Any:
    total, seen = 1, np.zeros(len(x))
    for i in range(len(x)):
        total *= int(x[i])
        seen[i] = 1.0
    return total, seen


def test_a_call_that_is_made_again_in_python_for_its_large_ints_says_so_once() -> None:
    f, x = ag.compile(fresh_products, fallback="error"), np.full(5, 2**40)
    with pytest.warns(UserWarning, match="fresh_products makes calls again in Python, uncompiled") as caught:
        assert f(x)[0] == 2**200
    assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(x)[0] == 2**200
        assert f(x[:1])[0] == 2**40


def deeper(x: Any, n: int) -> Any:
    if n <= 0:
        return x
    return deeper(np.array([x]), n - 1)


def test_levels_of_a_recursion_fall_back_only_where_the_function_may() -> None:
    with ag.config(max_programs=1):  # each level needs a program of its own
        with pytest.raises(ag.ConversionError, match="deeper was compiled 1 times"):
            ag.compile(deeper, fallback="error")(1.0, 6)
        with pytest.warns(UserWarning, match="deeper runs in Python, uncompiled"):
            assert ag.compile(deeper)(1.0, 6) == deeper(1.0, 6)


def test_arrays_that_were_pickled_take_the_native_way_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their numbers are of a dtype object of their own, which is equal to NumPy's; structured ones and others are told apart in Python."""
    entered: list[Any] = []
    call = CompiledFunction.call_in_general
    monkeypatch.setattr(
        CompiledFunction, "call_in_general", lambda self, *args, **kwargs: entered.append(args) or call(self, *args, **kwargs)
    )
    f = ag.compile(unknown_trips)
    plain = np.arange(2.0)
    again = pickle.loads(pickle.dumps(plain))
    assert again.dtype is not plain.dtype
    with pytest.warns(UserWarning, match="runs in Python"):
        f(plain)
    f(plain)
    entered.clear()
    assert f(plain)[1] == f(again)[1] == 1.0
    assert entered == []
    others = (plain.astype(np.float32), again.astype(">f8"), plain[:, None])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [f(x)[-1] == x[-1] for x in others] == [True] * 3
    assert len(entered) == 3
