"""Loops whose exceptions wait until they are done raise what Python raises, where it does, and nobody sees what they have stored."""

from __future__ import annotations

import traceback
import zlib

import numpy as np
import pytest

import autograph_jit as ag


def to_bytes(x, out, n):
    out = np.empty(len(x), dtype=np.uint8)
    for i in range(len(x)):
        out[i] = int(x[i])
    return out


def by_table(x, out, n):
    table = np.array([1.0, 60.5, 255.99, -0.5])
    found = np.zeros((2, len(x)), dtype=np.uint16)
    for i in range(2):
        for j in range(len(x)):
            found[i, j] = int(table[j & 3] * x[j])
    return found


def to_shorts(x, out, n):
    out = np.empty(len(x), dtype=np.int16)
    for i in range(len(x)):
        out[i] = int(x[i] * 128.0)
    return out


def to_two(x, out, n):
    a, b = np.empty(len(x), dtype=np.int8), np.empty(len(x), dtype=np.uint32)
    for i in range(len(x)):
        a[i] = int(x[i]) - 100
        b[i] = int(x[i] * 1e6)
    return a, b


def scaled(x, out, n):
    out = np.empty(len(x), dtype=np.int64)
    for i in range(len(x)):
        out[i] = 3 * int(x[i] * 1e17) + 1
    return out


def counted(x, out, n):
    out = np.zeros(len(x), dtype=np.int64)
    total = 0.0
    for i in range(n):
        total += x[i]
        out[i] = int(total)
    return out, total


def inverse(x, out, n):
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = 1.0 / float(x[i])
    return out


WAITING = [to_bytes, by_table, to_shorts, to_two, scaled, counted, inverse]


def to_bytes_of_the_caller(x, out, n):
    for i in range(len(x)):
        out[i] = int(x[i])
    return out


def caught(x, out, n):
    out = np.zeros(len(x), dtype=np.uint8)
    try:
        for i in range(len(x)):
            out[i] = int(x[i])
    except (OverflowError, ValueError):
        out[0] = 77
    return out


def reads_what_it_writes(x, out, n):
    out = np.zeros(len(x) + 1)
    for i in range(len(x)):
        out[i + 1] = int(x[i] + out[i])
    return out


def picked(x, out, n):
    out = np.zeros(len(x))
    for i in range(len(x)):
        k = int(x[i])
        out[i] = x[k]
    return out


def ends_early(x, out, n):
    out = np.zeros(len(x), dtype=np.uint8)
    for i in range(len(x)):
        if x[i] == 5.0:
            break
        out[i] = int(x[i])
    return out


OTHERS = [to_bytes_of_the_caller, caught, reads_what_it_writes, picked, ends_early]
EDGES = [0.0, -0.0, -0.5, -1.0, -0.999, 255.0, 255.99, 256.0, 1e19, -1e19, 2.0**63, -(2.0**63), 30.7, np.nan, np.inf, -np.inf, 4295.0]


def outcome(function, x, out, n):
    try:
        return "returned", repr(function(x, out, n)), out.tolist()
    except (OverflowError, ValueError, IndexError, ZeroDivisionError) as error:
        line = traceback.extract_tb(error.__traceback__)[-1].lineno
        return type(error), str(error), line, out.tolist()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", WAITING + OTHERS, ids=lambda function: function.__name__)
def test_exceptions_are_those_of_the_first_trip_that_fails(function):
    compiled = ag.compile(function, fallback="error")
    rng = np.random.default_rng(1)
    limit = 2.0**60 if function is to_bytes_of_the_caller else np.inf  # what was written outside cannot be done again in Python
    for edge in [edge for edge in (*EDGES, 1.0) if not limit < abs(edge) < np.inf]:
        for place in (0, 39):
            x = rng.integers(1, 4, 40).astype(float)
            x[place] = edge
            x[(place + 7) % 40] = rng.choice([2.0, edge, -3.0])
            n = 40 + int(edge == 1.0)
            want = outcome(function, x, np.full(40, 9, dtype=np.uint8), n)
            assert outcome(compiled, x, np.full(40, 9, dtype=np.uint8), n) == want, (edge, place, n)


def texts_of(compiled):
    """The modules of a function's programs as they are emitted."""
    executables = [one for each in compiled.specializations for one in each.executables.values()]
    return [zlib.decompress(executable.library.text).decode("latin1") for executable in executables]


@pytest.mark.parametrize("function", WAITING, ids=lambda function: function.__name__)
def test_exceptions_of_stores_that_nobody_sees_wait(function):
    compiled = ag.compile(function, fallback="error")
    compiled(np.ones(40), np.zeros(40, dtype=np.uint8), 40)
    assert any("settled" in text for text in texts_of(compiled))


def test_the_loop_is_one_of_vectors():
    compiled = ag.compile(to_shorts, fallback="error")
    compiled(np.ones(40), np.zeros(40, dtype=np.uint8), 40)
    executables = [one for each in compiled.specializations for one in each.executables.values()]
    assert "x double>" in executables[-1].library.llvm


@pytest.mark.parametrize("function", OTHERS, ids=lambda function: function.__name__)
def test_others_do_not(function):
    compiled = ag.compile(function, fallback="error")
    compiled(np.ones(40), np.zeros(40, dtype=np.uint8), 40)
    assert not any("settled" in text for text in texts_of(compiled))


def test_an_array_that_python_has_been_given_keeps_what_was_stored_before_the_exception():
    seen = []

    @ag.do_not_convert
    def keep(array):
        seen.append(array)

    def function(x):
        out = np.zeros(len(x), dtype=np.uint8)
        keep(out)
        for i in range(len(x)):
            out[i] = int(x[i])
        return out

    x = np.arange(1.0, 41.0)
    x[5] = 300.0
    for call in (function, ag.compile(function, fallback="error")):
        with pytest.raises(OverflowError, match="Python integer 300 out of bounds for uint8"):
            call(x)
    assert seen[0].tolist() == seen[1].tolist()
    assert seen[1].tolist() == [1, 2, 3, 4, 5] + 35 * [0]


def test_an_index_that_a_check_proves_is_checked_at_once():
    def function(x, table):
        out = np.zeros(len(x))
        for i in range(len(x)):
            small = np.empty(1, dtype=np.uint8)
            k = int(x[i])
            if k < 0 or k > 3:
                raise ValueError("no place")
            out[i] = table[k] + len(small)
        return out

    table = np.arange(4.0)
    compiled = ag.compile(function, fallback="error")
    assert compiled(np.array([1.0, 3.0]), table).tolist() == [2.0, 4.0]
    for wrong in (4.0, -1.0, 1e12):
        with pytest.raises(ValueError, match="no place"):
            compiled(np.array([1.0, wrong, 2.0]), table)
