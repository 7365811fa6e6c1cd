"""Loops that look at their indices beforehand give what Python gives, and fail where Python fails."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def shifted(x, out, k):
    for i in range(len(out)):
        out[i] = x[i + k]
    return out


def backwards(x, out, k):
    for i in range(len(out) - 1, -1, -1):
        out[i] = x[k - i]
    return out


def scaled(x, out, k):
    for i in range(len(out)):
        out[i] += x[k * i]
    return out


def by_table(x, out, k):
    shifts = np.array([3, 1, 2])
    for i in range(len(out)):
        out[i] = x[i + shifts[k % 3]]
    return out


def until_large(x, out, k):
    for i in range(len(out)):
        if x[i + k] > 8.0:
            break
        out[i] = x[i + k]
    return out


def best_sums(x, out, k):
    for room in range(len(out) - 1, k - 1, -1):
        out[room] = max(out[room], out[room - k] + x[0])
    return out


def neighbours(x, out, k):
    for i in range(len(out)):
        out[i] = x[i] - x[i - 1]
    return out


def two_behind(x, out, k):
    total = 0.0
    for i in range(k):
        out[i - 2] = x[i - 1] + out[i]
        total += out[i - 2]
        if total > 30.0:
            break
    return out + total


FUNCTIONS = (shifted, backwards, scaled, by_table, until_large, best_sums, neighbours, two_behind)


def outcome(function, x, out, k):
    """What a call returns or raises, and what it has written."""
    mine = out.copy()
    try:
        return function(x, mine, k).tolist(), mine.tolist()
    except (IndexError, OverflowError) as error:
        return type(error), str(error), mine.tolist()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_indices_in_bounds_or_not_are_pythons(function):
    compiled, x = ag.compile(function, fallback="error"), np.arange(10.0)
    for size in (0, 1, 5, 10, 12):
        for k in (-20, -10, -9, -5, -2, -1, 0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 30):
            out = -np.ones(size)
            assert outcome(compiled, x, out, k) == outcome(function, x, out, k), (size, k)


@pytest.mark.parametrize("function", [shifted, backwards, scaled])
@pytest.mark.parametrize("k", [2**63 - 1, 2**63 - 3, -(2**63), -(2**63) + 2, 2**62, 2**61 + 1])
def test_indices_at_the_end_of_64_bits_are_not_in_bounds(function, k):
    compiled, x, out = ag.compile(function, fallback="error"), np.arange(10.0), np.zeros(9)
    written = out.copy()
    with pytest.raises((IndexError, OverflowError)):
        compiled(x, written, k)
    plain = out.copy()
    with pytest.raises(IndexError):
        function(x, plain, k)
    assert np.array_equal(written, plain)


def test_table_that_the_loop_itself_writes_is_read_in_every_trip():
    def function(x, table):
        for i in range(len(x)):
            x[i + table[0]] += 1.0
            table[0] = table[1] + i % 2
        return x

    compiled = ag.compile(function, fallback="error")
    for start in (0, 1, 5):
        mine, theirs = np.zeros(4), np.zeros(4)
        tables = np.array([0, -1]), np.array([0, -1])
        assert np.array_equal(compiled(mine, tables[0]), function(theirs, tables[1])), start


def test_empty_loop_reads_nothing_beforehand():
    def function(x, places, n):
        total = 0.0
        for i in range(n):
            total += x[i + places[0]]
        return total

    compiled = ag.compile(function, fallback="error")
    assert compiled(np.ones(3), np.zeros(0, dtype=np.int64), 0) == 0.0
    with pytest.raises(IndexError):
        compiled(np.ones(3), np.zeros(0, dtype=np.int64), 1)
    assert compiled(np.ones(3), np.array([1]), 2) == 2.0


@pytest.mark.optimised
def test_loop_without_checks_is_vectorised():
    compiled = ag.compile(shifted, fallback="error")
    compiled(np.arange(30.0), np.zeros(20), 3)
    (specialization,) = compiled.specializations
    (executable,) = specialization.executables.values()
    assert "x double>" in executable.library.llvm


def gathered(x, out, k):
    places = np.array([3, -1, -10, 9, 0, 5])
    for i in range(min(len(out), 6)):
        out[i] = x[places[i] + k]
    return out


@pytest.mark.parametrize("k", [-9, -1, 0, 1, 2, 19, 2**62, -(2**62)])
def test_indices_that_elements_give_count_from_the_back_where_they_are_negative(k):
    compiled, x = ag.compile(gathered, fallback="error"), np.arange(10.0)
    for size in (0, 1, 2, 3, 6):
        out = -np.ones(size)
        assert outcome(compiled, x, out, k) == outcome(gathered, x, out, k), size


def looked_up(x, out, k):
    table = np.arange(float(k)) ** 2
    for i in range(len(out)):
        out[i] = table[(i * 37) & 7] + table[i % 5]
    return out


def every_third(x, out, k):
    for i in range(1, len(out), 3):
        out[i] = x[i + k]
    for j in range(len(out) - 1, 0, -2):
        out[j] += x[j - 1]
    return out


def by_step(x, out, k):
    for i in range(0, 10, k):
        out[i] = x[i] + 1.0
    return out


@pytest.mark.parametrize("function", [looked_up, every_third, by_step])
def test_tables_and_steps_are_looked_at_in_front(function):
    compiled, x = ag.compile(function, fallback="error"), np.arange(10.0)
    for size in (0, 1, 5, 10, 12):
        for k in (1, 2, 3, 5, 7, 8, 9, -1, -3):
            if k > 0 or function is not looked_up:
                out = -np.ones(size)
                assert outcome(compiled, x, out, k) == outcome(function, x, out, k), (size, k)
