"""Tests of library/directives/scopes.py: a value holds during a call, in its thread, compiled or not."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

LEVEL = ag.Scope(1.0)


def scaled(x: Any) -> Any:
    return x * LEVEL.get()


def both(x: Any) -> Any:
    total = scaled(x)
    for i in range(len(x)):
        total = total + LEVEL.call(10.0, scaled, x=x) * i
    return total + LEVEL.call(100.0, lambda: LEVEL.call(1000.0, scaled, x) + scaled(x))


def test_value_is_that_of_the_innermost_call_also_in_loops() -> None:
    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(both(x), x * 1111.0)
    compiled = ag.compile(both, fallback="error")
    np.testing.assert_array_equal(compiled(x), x * 1111.0)
    np.testing.assert_array_equal(LEVEL.call(2.0, compiled, x), x * 1112.0)
    np.testing.assert_array_equal(compiled(x), x * 1111.0)
    assert "host calls    none" in compiled.explain(x)


def test_value_ends_with_an_exception_and_is_not_seen_by_other_threads() -> None:
    def fail(x: Any) -> Any:
        if x[0] > 0:
            raise ValueError("positive")
        return x

    for run in (fail, ag.compile(fail, fallback="error"), ag.compile(lambda x: LEVEL.call(3.0, fail, x), fallback="error")):
        with pytest.raises(ValueError, match="positive"):
            LEVEL.call(2.0, run, np.ones(1))
        assert LEVEL.get() == 1.0
    seen: list[float] = []
    thread = threading.Thread(target=lambda: seen.append(LEVEL.get()))
    LEVEL.call(2.0, lambda: (thread.start(), thread.join()))
    assert seen == [1.0]
