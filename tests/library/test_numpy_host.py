"""NumPy functions that compiled code calls: results of another type than the examples had, and arrays that stand in a result twice."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autograph_jit as ag
from tests.tables import table


def roots(x):
    return np.polynomial.polynomial.polyroots(x) * 2.0


def roots_then_write(x, largest):
    found = np.polynomial.polynomial.polyroots(x)
    largest[0] = abs(found).max()
    return found


def write_then_roots(x, largest):
    for k in range(200):  # work that keeps the call compiled
        largest[0] += k * 0.5
    return np.polynomial.polynomial.polyroots(x)


def test_a_result_of_another_type_than_the_examples_had_runs_in_python_where_nothing_has_happened_yet():
    real, complex_ = np.array([1.0, -3.0, 1.0]), np.array([1.0, 0.0, 1.0])
    compiled, writing = ag.compile(roots), ag.compile(roots_then_write)
    with warnings.catch_warnings(action="ignore"):
        for x in (real, complex_, real, complex_):
            mine, theirs = np.zeros(1), np.zeros(1)
            np.testing.assert_array_equal(compiled(x), roots(x))
            np.testing.assert_array_equal(writing(x, mine), roots_then_write(x, theirs))
            assert mine == theirs
    for function, arguments in ((ag.compile(roots, fallback="error"), ()), (ag.compile(write_then_roots), (np.zeros(1),))):
        function(real, *arguments)
        with pytest.raises(ag.ConversionError, match="the type of its result depends on the data"):
            function(complex_, *arguments)


def squeezed_or_caught(n):
    x = np.arange(2 * n).reshape(n, 2)
    try:
        return np.squeeze(x)
    except Exception as error:
        return str(error)


def test_no_handler_of_the_program_takes_a_result_of_another_type():
    compiled = ag.compile(squeezed_or_caught)
    with warnings.catch_warnings(action="ignore"):
        for n in (4, 1, 2):
            np.testing.assert_array_equal(compiled(n), squeezed_or_caught(n))
    with pytest.raises(ag.ConversionError, match="the type of its result depends on the data"):
        strict = ag.compile(squeezed_or_caught, fallback="error")
        [strict(n) for n in (4, 1)]


@table("function", [np.emath.log2, np.emath.log10, np.emath.arccos, np.emath.arcsin, np.emath.arctanh, lambda x: np.emath.logn(2, x)])
def test_functions_whose_type_depends_on_the_data_give_numpys(function):
    compiled = ag.compile(lambda x: function(x) * 2.0, fallback="error")
    for x in (np.array([0.5, 0.25]), np.array([0.5, -2.0]), 0.5, -2.0):
        expected, found = function(x) * 2.0, compiled(x)
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


def test_examples_warn_nobody():
    with warnings.catch_warnings(action="error"):
        ag.compile(lambda x: np.histogram_bin_edges(x, "stone"), fallback="error").graph(np.arange(9.0))


def diagonal_written(x):
    places = np.diag_indices_from(x)
    places[0][0] = 2
    return places


ALIASED = (
    lambda x: np.diag_indices_from(x),
    lambda x: np.diag_indices(3),
    lambda x: np.diag_indices(len(x), 3),
    lambda x: [x + 1.0] * 3,
    lambda x: tuple([np.zeros(2)] * 2),
    diagonal_written,
)


@table("function", ALIASED)
def test_an_array_that_stands_twice_in_a_result_is_one_array(function):
    expected, found = function(np.zeros((3, 3))), ag.compile(function, fallback="error")(np.zeros((3, 3)))
    np.testing.assert_equal(found, expected)
    assert all(part is found[0] for part in found)
