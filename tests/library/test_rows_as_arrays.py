"""`np.array` of a list of the run whose items are tuples or lists of numbers: an array of two axes, made in compiled code."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees

Point = namedtuple("Point", "x y")  # noqa: PYI024


def pairs(n: int) -> Any:
    rows = []
    for k in range(n):
        rows.append((k, k * 0.5))
    return np.array(rows)


def triples(n: int) -> Any:
    rows = []
    for k in range(n):
        if k % 3:
            rows.append((k, k + 1, k % 2 == 0))
    return np.asarray(rows).sum(axis=0), rows[-1]


def of_one_dtype(n: int) -> Any:
    return np.array([(np.float32(k), np.float32(2)) for k in range(n)])


def complex_pairs(n: int) -> Any:
    return np.array([(k, k * 1j) for k in range(n)])


def named(n: int) -> Any:
    return np.array([Point(k, 2.5) for k in range(n)])


def lists(n: int) -> Any:
    rows = []
    for k in range(n):
        rows.append([k * 1.0, k * 0.5, 1.0])
    return np.array(rows) @ np.ones(3)


def whole_numbers(n: int) -> Any:
    return np.array([[k, k + 1] for k in range(n)])


def truths(n: int) -> Any:
    return np.array([[k > 2, k % 2 == 0] for k in range(n)])


def changed_behind_it(n: int) -> Any:
    rows = [[k * 1.0, 2.0] for k in range(n)]
    found = np.array(rows)
    rows[0][0] = 9.0
    return found, rows[0]


def of_other_types(n: int) -> Any:
    rows = [(k, "a") for k in range(n)]
    return np.array(rows), np.array([(k, 0.5) for k in range(n)], dtype=object)


NATIVE = [pairs, triples, of_one_dtype, complex_pairs, named, lists, whole_numbers, truths, changed_behind_it]


@table("function", [*NATIVE, of_other_types], ids=lambda function: function.__name__)
def test_rows_of_numbers_are_an_array(function: Any) -> None:
    assert_agrees(function, 4, 50, 3)


@table("function", NATIVE, ids=lambda function: function.__name__)
def test_python_is_not_asked_for_it(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    compiled(5)
    (made,) = compiled.specializations
    calls = {operation.attributes["label"] for operation in made.program.graph.walk() if operation.name == "host_call"}
    assert calls == {"array of list"}  # where there are no rows


def ragged(n: int) -> Any:
    return np.array([[0.5] * (k + 1) for k in range(n)])


def test_lists_of_several_lengths_are_numpys_error() -> None:
    assert_agrees(ragged, 1)
    with pytest.raises(ValueError, match="inhomogeneous shape"):
        ag.compile(ragged, fallback="error")(3)


@table("function", [pairs, whole_numbers, truths], ids=lambda function: function.__name__)
def test_a_list_that_the_data_leaves_empty_is_made_in_python(function: Any) -> None:
    compiled = ag.compile(function)
    compiled(3)
    with pytest.warns(UserWarning, match="of a list of rows that the data leaves empty"):
        found = compiled(0)
    assert found.shape == (0,) and found.dtype == np.float64


def gradient_of_rows(x: Any) -> Any:
    rows = []
    for k in range(3):
        rows.append((x[k], x[k] * x[0]))
    return (np.array(rows) ** 2).sum()


def test_it_is_differentiated() -> None:
    x = np.array([1.5, -2.0, 0.5])
    step = 1e-6
    slopes = [(gradient_of_rows(x + step * e) - gradient_of_rows(x - step * e)) / (2 * step) for e in np.eye(3)]
    assert np.allclose(ag.grad(gradient_of_rows)(x), slopes)
