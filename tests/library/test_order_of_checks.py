"""Calls with several faults at once raise what NumPy raises: it looks at outputs, then at types, then at shapes, then at elements."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph_jit as ag


def locked(x: Any) -> np.ndarray:
    """A read-only copy."""
    x = np.array(x)
    x.flags.writeable = False
    return x


def update(x: Any, y: Any) -> Any:
    x += y
    return x


def masked_update(x: Any, y: Any) -> Any:
    x[np.arange(len(x)) % 2 == 0] = y
    return x


def sliced_update(x: Any, y: Any) -> Any:
    x[3:] -= y
    return x


def gathered_update(x: Any, y: Any) -> Any:
    x[np.array([1, 2])] += y
    return x


def element_update(x: Any, y: Any) -> Any:
    x[len(x) + len(y)] += 1.5


LONG, SHORT = 20, 11
VECTORS: tuple[Callable[[], Any], ...] = (
    lambda: np.arange(float(LONG)),
    lambda: np.arange(LONG),
    lambda: locked(np.arange(float(LONG))),
    lambda: locked(np.arange(LONG)),
    lambda: np.arange(float(SHORT)),
    lambda: np.ones(SHORT, complex),
)
TABLE: tuple[Callable[[], Any], ...] = (lambda: np.ones((3, 4)), lambda: np.zeros((0, 4)), lambda: np.ones((5, 6), complex))
ROWS: tuple[Callable[[], Any], ...] = (
    lambda: np.zeros(4),
    lambda: np.zeros(5),
    lambda: np.zeros(4, int),
    lambda: locked(np.zeros(4)),
    lambda: locked(np.zeros(5, int)),
    lambda: [0.0] * 4,
)
PLACES: tuple[Callable[[], Any], ...] = (lambda: np.array([1, 2]), lambda: np.array([30, 1]), lambda: np.array([1.0, 2.0]))
MASKS: tuple[Callable[[], Any], ...] = (lambda: np.arange(LONG) % 3 == 0, lambda: np.ones(7, bool), lambda: np.ones(LONG))
CALLS: tuple[tuple[Callable[..., Any], tuple[tuple[Callable[[], Any], ...], ...]], ...] = (
    *((function, (VECTORS[1:4], VECTORS[4:])) for function in (update, masked_update, sliced_update, gathered_update, element_update)),
    (lambda x, y, o: np.add(x, y, out=o), (VECTORS[:1], VECTORS[4:], VECTORS[1:5])),
    (lambda x, y, o: np.power(x, y, out=o), (VECTORS[1:2], VECTORS[4:5], VECTORS[1:4])),
    (lambda x, y, o, m: np.multiply(x, y, out=o, where=m), (VECTORS[:1], VECTORS[4:5], VECTORS[1:3], MASKS)),
    (lambda x, o: np.isnan(x, out=o), (VECTORS[4:5], VECTORS[2:3])),
    (lambda x, y: np.power(x, y), (VECTORS[1:2], (lambda: -np.arange(SHORT), lambda: -np.arange(LONG)))),
    (lambda x, y, o: np.clip(x, y, 5.0, out=o), (VECTORS[:1], VECTORS[4:], VECTORS[1:3])),
    (lambda x, y, m: np.copyto(x, y, where=m), (VECTORS[1:3], VECTORS[4:], MASKS[:2])),
    (lambda a, o: np.sum(a, axis=0, out=o), (TABLE, ROWS)),
    (lambda a, o: np.sum(a, axis=5, out=o), (TABLE[:1], ROWS)),
    (lambda a, o: np.max(a, axis=0, out=o), (TABLE[:2], ROWS)),
    (lambda a, o: np.mean(a, axis=0, out=o), (TABLE[:1], ROWS)),
    (lambda a, o: np.argmax(a, axis=0, out=o), (TABLE[:2], (*ROWS, lambda: np.zeros(5, int)))),
    (
        lambda a, b, o: np.matmul(a, b, out=o),
        (TABLE[:1], TABLE, (lambda: np.zeros((3, 4), int), lambda: locked(np.zeros((3, 4))), ROWS[-1])),
    ),
    (lambda a, b, o: np.dot(a, b, out=o), (TABLE[:1], TABLE, (ROWS[-1], lambda: locked(np.zeros((3, 4)))))),
    (lambda a, k, o: np.take(a, k, axis=0, out=o), (TABLE[:2], PLACES, (*ROWS, lambda: np.zeros((2, 4)), lambda: np.zeros((2, 5))))),
    (lambda x, k, y: np.put(x, k, y), (VECTORS[1:3], PLACES, VECTORS[4:5])),
    (lambda a, b: np.concatenate([a, b], axis=5), (TABLE[:1], (*TABLE, VECTORS[0]))),
)


def outcome(function: Callable[..., Any], args: list[Any]) -> tuple[str, str]:
    """An exception's type and text, or the result as text."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return "", repr(function(*args))
    except Exception as error:
        return type(error).__name__, str(error)


def test_of_several_faults_the_one_is_raised_that_numpy_raises() -> None:
    different = []
    with ag.config(max_programs=500):
        for function, choices in CALLS:
            compiled = ag.compile(function, fallback="error")
            for makers in itertools.product(*choices):
                got, want = (outcome(one, [make() for make in makers]) for one in (compiled, function))
                if got != want:
                    different.append((function.__code__.co_firstlineno, [make() for make in makers], got, want))
    assert not different, different[:3]


def test_a_mask_that_does_not_fit_a_sum_is_a_value_error() -> None:
    function = ag.compile(lambda a, m: np.sum(a, axis=0, where=m), fallback="error")
    got, want = (outcome(one, [np.ones((3, 4)), np.ones((5, 6), bool)]) for one in (function, function.function))
    assert got[0] == want[0] == "ValueError"
