"""Whatever ends a trace or a compilation is a limit or a fault, and falls back where it may; nothing is done twice."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import source
from autograph_jit.errors import LoweringError
from autograph_jit.runtime import dispatch, making, program
from autograph_jit.tracing.expressions import operators

FAILURES = {
    AttributeError("gone"): "an internal error: AttributeError: gone",
    RecursionError("maximum recursion depth exceeded"): "too deep to be compiled",
    TypeError("Expected list, got list"): "an internal error: TypeError",
    ag.GraphError("no such value"): "an internal error: GraphError",
    MemoryError(): "too large to be compiled",
    LoweringError("no such instruction"): "cannot be compiled\n.*no such instruction",
}
STEPS = [(program, "run_to_result"), (program, "finished_program"), (making, "unchanged"), (dispatch, "compile_program")]


@pytest.mark.parametrize(("module", "step"), STEPS, ids=lambda step: step if isinstance(step, str) else "")
def test_whatever_ends_a_step_is_a_conversion_error_or_one_warning(module: Any, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for failure, text in FAILURES.items():

        def fails(*_: Any, failure: Exception = failure) -> Any:
            raise type(failure)(*failure.args)

        noted: list[float] = []

        def noting(x: Any, noted: list[float] = noted) -> Any:
            noted.append(1.0)
            return x + 1.0

        with ag.config(strict=False), monkeypatch.context() as patched:
            patched.setattr(module, step, fails)
            with pytest.raises(ag.ConversionError, match=f"(?s){text}") as caught:
                ag.compile(noting, fallback="error")(np.ones(2))
            assert isinstance(caught.value, ag.InternalError) == text.startswith("an internal")
            assert noted == []
            function = ag.compile(noting)
            with pytest.warns(UserWarning, match=f"(?s)noting runs in Python, uncompiled:.*{text}") as warned:
                assert function(np.ones(2)).tolist() == function(np.ones(2)).tolist() == [2.0, 2.0]
            assert len(warned) == 1 and warned[0].filename == __file__ and noted == [1.0, 1.0]


def test_a_fault_is_shown_where_settings_are_strict_and_a_limit_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise KeyError("lost")

    def unknown_trips(x: Any) -> Any:
        for i in ag.unroll(range(int(x.sum()))):
            x = x + i
        return x

    with ag.config(strict=True):
        with pytest.warns(UserWarning, match="unknown_trips runs in Python"):
            assert ag.compile(unknown_trips)(np.ones(3))[0] == 4.0
        monkeypatch.setattr(program, "finished_program", fails)
        with pytest.raises(ag.InternalError, match="an internal error: KeyError: 'lost'"):
            ag.compile(lambda x: x + 1)(1.0)


class Deep:
    """An object whose attributes are looked up without end."""

    def __getattr__(self, name: str) -> Any:
        return getattr(Deep(), name + "_")


def test_a_recursion_of_the_programs_that_does_not_end_raises_what_python_raises() -> None:
    def asks(x: Any, deep: Deep) -> Any:
        return x + deep.depth

    for function in (asks, ag.compile(asks)):
        with pytest.raises(RecursionError):
            function(1.0, Deep())


def deeper(x: Any) -> Any:
    return deeper(x)


def endless(*_: Any) -> Any:
    return deeper(0)  # Python 3.13.0 does not count calls of functions with *args


def test_a_recursion_of_the_packages_own_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    scope: dict[str, Any] = {}
    broken = "def deeper(x):\n    return deeper(x)\n\ndef endless(*_):\n    return deeper(0)"
    exec(compile(broken, source.PACKAGE + "tracing/broken.py", "exec"), scope)
    for function, kind in ((scope["endless"], ag.InternalError), (endless, ag.ConversionError)):
        monkeypatch.setattr(operators, "array_binary", function)
        with pytest.raises(ag.ConversionError) as caught:
            ag.compile(lambda x: x + 1.0, fallback="error")(np.ones(2))
        assert type(caught.value) is kind


def raised(n: int) -> Iterator[int]:
    if n == 0:
        yield 0
        return
    for v in raised(n - 1):
        yield v + 1


def from_below(n: int) -> int:
    return sum(raised(n))


def test_an_item_that_goes_up_through_all_levels_is_no_further_call() -> None:
    compiled, limit = ag.compile(from_below, fallback="error"), sys.getrecursionlimit()
    assert compiled(3) == 3
    sys.setrecursionlimit(400)
    try:
        assert compiled(250) == 250
    finally:
        sys.setrecursionlimit(limit)
