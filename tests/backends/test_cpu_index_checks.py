"""An index is checked against one size once in a block; what is read and raised stays Python's."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

import autograph_jit as ag


def corners(image, rows, columns):
    out = np.zeros(len(rows))
    for k in range(len(rows)):
        i, j = rows[k], columns[k]
        out[k] = image[i, j] + 2.0 * image[i, j + 1] + 4.0 * image[i + 1, j] + 8.0 * image[i + 1, j + 1]
    return out


def swapped(x, first, second):
    for k in range(len(first)):
        i, j = first[k], second[k]
        t = x[i]
        x[i] = x[j]
        x[j] = t
    return x


def on_one_side(x, first, second):
    total = 0.0
    for k in range(len(first)):
        if second[k] > 0:
            total += x[first[k]]
        total += 2.0 * x[first[k]] if second[k] < 5 else 0.0
    return total


def in_a_loop_inside(x, first, second):
    total = 0.0
    for k in range(len(first)):
        i = first[k]
        total += x[i]
        for j in range(3):
            total += x[i] * j + x[second[k]]
    return total


def of_two_sizes(x, first, second):
    y = np.ones(3)
    total = 0.0
    for k in range(len(first)):
        total += x[first[k]] + y[first[k]]
    return total


FUNCTIONS = [swapped, on_one_side, in_a_loop_inside, of_two_sizes]


def outcome(function, *arguments):
    copies = [argument.copy() for argument in arguments]
    try:
        return repr(function(*copies)), copies[0].tolist()
    except IndexError as error:
        return str(error), copies[0].tolist()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_index_is_in_bounds_or_an_error(function):
    compiled = ag.compile(function, fallback="error")
    rng = np.random.default_rng(2)
    for low, high in ((0, 9), (-9, 9), (-11, 11), (0, 3), (8, 12), (-3, 3)):
        for _ in range(12):
            arguments = rng.normal(size=9), rng.integers(low, high, 5), rng.integers(low, high, 5)
            assert outcome(compiled, *arguments) == outcome(function, *arguments)


def test_indices_of_a_matrix():
    compiled = ag.compile(corners, fallback="error")
    rng = np.random.default_rng(3)
    for low, high in ((0, 4), (-6, 5), (-8, 8)):
        for _ in range(20):
            arguments = rng.normal(size=(6, 7)), rng.integers(low, high, 4), rng.integers(low, high, 4)
            assert outcome(compiled, *arguments) == outcome(corners, *arguments)


@pytest.mark.parametrize(("function", "checks"), [(corners, 4), (swapped, 2)])
def test_one_check_for_each_index(function, checks):
    compiled = ag.compile(function, fallback="error")
    compiled(np.ones((9, 9)) if function is corners else np.ones(9), np.ones(5, dtype=int), np.ones(5, dtype=int))
    executables = [one for each in compiled.specializations for one in each.executables.values()]
    texts = [zlib.decompress(executable.library.text).decode("latin1") for executable in executables]
    lines = [line for text in texts for line in text.splitlines() if line.startswith(("unusual", '"unusual'))]
    assert len(lines) == checks * len(texts)


def squares_up_to(n):
    out = np.zeros(n + 1)
    for i in range(1, n + 1):
        out[i] = i * i
    return out


@pytest.mark.parametrize(("n", "small"), [(5, {0}), (np.int64(5), set())])
def test_ints_of_python_are_small_and_those_of_numpy_may_be_any(n, small):
    compiled = ag.compile(squares_up_to, fallback="error")
    assert compiled(n).tolist() == [0.0, 1.0, 4.0, 9.0, 16.0, 25.0]
    assert compiled.specializations[0].program.graph.small == small
    for largest in (2**62 - 1, 2**62 - 2):
        with pytest.raises((MemoryError, ValueError)):
            compiled(type(n)(largest))
    if isinstance(n, np.int64):
        with pytest.raises(ValueError, match="negative dimensions"), np.errstate(over="ignore"):
            compiled(np.int64(2**63 - 1))
