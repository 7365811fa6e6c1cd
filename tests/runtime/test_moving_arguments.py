"""Arguments that other code frees, resizes or changes while a call works on them."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag


@ag.do_not_convert
def meanwhile(act: Callable[[], Any]) -> None:
    """What another thread does in the middle of a call."""
    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


@ag.compile(fallback="error")
def doubled_twice(x: Any, act: Any) -> Any:
    for i in range(len(x)):
        x[i] = x[i] * 2.0
    meanwhile(act)
    for i in range(len(x)):
        x[i] = x[i] * 2.0
    return np.sum(x)


def resize(x: np.ndarray, told: list[str]) -> None:
    try:
        x.resize(10_000_000, refcheck=False)
    except ValueError as error:
        told.append(str(error))


@pytest.mark.parametrize("calls", [1, 3])  # the ways to a compiled program differ
def test_memory_of_an_argument_stays_where_it_is_until_the_call_ends(calls: int) -> None:
    for _ in range(calls):
        x, told = np.arange(1000.0), []
        assert doubled_twice(x, lambda x=x, told=told: resize(x, told)) == 4.0 * 999 * 500
        assert len(told) == 1 and "resize" in told[0] and np.array_equal(x, 4.0 * np.arange(1000.0))
        x.resize(2000, refcheck=False)
        assert x.shape == (2000,)


def test_arguments_that_nobody_else_has_live_until_the_call_ends() -> None:
    held = [np.arange(1000.0)]
    alive = weakref.ref(held[0])
    assert doubled_twice(held.pop(), gc.collect) == 4.0 * 999 * 500
    assert alive() is None


def test_a_shape_that_is_changed_meanwhile_changes_nothing() -> None:
    x = np.arange(1000.0)

    def reshape() -> None:
        x.shape = (10, 100)

    assert doubled_twice(x, reshape) == 4.0 * 999 * 500
    assert x.shape == (10, 100)


def test_values_that_are_changed_meanwhile_are_read() -> None:
    x = np.arange(1000.0)
    assert doubled_twice(x, lambda: x.fill(1.0)) == 2000.0
