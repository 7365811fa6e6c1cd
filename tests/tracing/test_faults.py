"""A fault of the package never passes for an exception of the program's; what the program raises is never taken for a fault."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import source
from autograph_jit.tracing.arrays.register import FUNCTIONS
from autograph_jit.tracing.expressions import operators


def guarded_sum(x: Any) -> Any:
    try:
        return x + 1.0
    except (TypeError, IndexError, KeyError, AttributeError):
        return -1.0


def missing_item(*_: Any) -> Any:
    return [][3]


def missing_name(*_: Any) -> Any:
    return {}["nothing"]


def wrong_call(*_: Any) -> Any:
    return len(5)  # type: ignore[arg-type]


def missing_attribute(*_: Any) -> Any:
    return object().nothing  # type: ignore[attr-defined]


def of_the_package(function: Any) -> Any:
    """The function as if it were a part of the package."""
    code = function.__code__.replace(co_filename=source.PACKAGE + "tracing/broken.py")
    return type(function)(code, function.__globals__)


BROKEN = [of_the_package(function) for function in (missing_item, missing_name, wrong_call, missing_attribute)]


@pytest.mark.parametrize("broken", BROKEN, ids=lambda function: function.__name__)
def test_a_fault_while_tracing_is_not_caught_by_the_program(broken: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "array_binary", broken)
    with pytest.raises(ag.ConversionError, match="an internal error"):
        ag.compile(guarded_sum, fallback="error")(np.ones(3))
    with ag.config(strict=False), pytest.warns(UserWarning, match="an internal error"):
        assert ag.compile(guarded_sum)(np.ones(3)).tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("broken", (BROKEN[0], BROKEN[2], BROKEN[3]), ids=lambda function: function.__name__)
def test_a_fault_of_a_native_form_leaves_the_call_to_numpy(broken: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FUNCTIONS, np.cumsum, broken)
    assert ag.compile(lambda x: np.cumsum(x), fallback="error")(np.ones(3)).tolist() == [1.0, 2.0, 3.0]


def test_what_calls_made_for_the_program_raise_is_the_programs() -> None:
    @ag.compile(fallback="error")
    def caught(x: Any, n: int) -> Any:
        found = []
        for attempt in (lambda: int("seven"), lambda: [1][4], lambda: {}["k"], lambda: len(5), lambda: divmod(1, 0), lambda: math_log()):
            try:
                attempt()
            except Exception as error:
                found.append(type(error).__name__)
        return found

    def math_log() -> Any:
        return np.log("text")

    expected = ["ValueError", "IndexError", "KeyError", "TypeError", "ZeroDivisionError", "UFuncTypeError"]
    assert caught(np.ones(2), 3) == caught.__wrapped__(np.ones(2), 3)
    assert caught(np.ones(2), 3)[:5] == expected[:5]


def test_a_missing_attribute_concerns_who_asked_for_it() -> None:
    @ag.compile(fallback="error")
    def asks(x: Any) -> Any:
        try:
            return x.nothing
        except AttributeError as error:
            return str(error)

    assert asks(np.ones(2)) == "'numpy.ndarray' object has no attribute 'nothing'"


class Node:
    def __init__(self, value: int, rest: Any) -> None:
        self.value, self.rest = value, rest


class Kept:
    def __init__(self) -> None:
        self.items: list[Any] = []

    def append(self, item: Any) -> None:
        self.items.append(item)


def test_a_chain_of_instances_may_be_longer_than_pythons_stack() -> None:
    chain = None
    for value in range(2000):
        chain = Node(value, chain)

    def keep(kept: Any, node: Any, n: int) -> int:
        kept.append(node)
        return n + 1

    kept = Kept()
    assert ag.compile(keep, fallback="error")(kept, chain, 3) == 4 and kept.items == [chain]
