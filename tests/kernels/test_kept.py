"""Copies of lines that the next update of the line makes: which are, and that copies and lines are NumPy's, bit for bit."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autograph_jit as ag


def compared(function, *args):
    """The compiled function, after what it returns and does to its arguments was compared with what Python does."""
    compiled = ag.compile(function, fallback="error")
    mine, expected = copy.deepcopy(args), copy.deepcopy(args)
    found, wanted = compiled(*mine), function(*expected)
    for x, y in zip((*mine, found), (*expected, wanted)):
        np.testing.assert_array_equal(x, y)
    return compiled


def states(u, trips):
    """Elements behind the one that is written come from registers."""
    kept = np.empty((trips, len(u)))
    for t in range(trips):
        kept[t] = u
        u[1:-1] = u[1:-1] + 0.25 * (u[2:] - u[:-2])
    return kept


def from_the_second(u, trips):
    kept = np.empty((trips, len(u)))
    for t in range(trips):
        kept[t] = u
        u[2:] = u[2:] - 0.5 * u[1:-1] * u[:-2]
    return kept


def with_temporaries(u, trips):
    """A line of which the update holds a temporary."""
    kept = np.empty((trips, len(u)))
    for t in range(trips):
        flux = 0.5 * u * u
        kept[t] = u
        u[1:] = u[1:] - 0.01 * (flux[1:] - flux[:-1])
    return kept


def into_itself(u, trips):
    kept = np.zeros((trips, len(u)))
    for t in range(trips):
        kept[t] = u
        u += 0.5 * u * u
    return kept


def several_parts(u, trips):
    kept = np.empty((trips, len(u)))
    for t in range(trips):
        kept[t] = u
        u[:-2] += 0.5
        u[2:] -= 0.25
    return kept


PROGRAMS = (states, from_the_second, with_temporaries, into_itself, several_parts)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 9, 70])
@pytest.mark.parametrize("function", PROGRAMS)
def test_copies_and_lines_are_numpys(function, size):
    compared(function, np.random.default_rng(size).standard_normal(size), 3)


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
@pytest.mark.parametrize("function", [several_parts, into_itself])
def test_other_dtypes(function, dtype):
    compared(lambda u: function(u.astype(np.float64), 2).astype(dtype), np.arange(20).astype(dtype))


COPY = "kernel assign\n  for i0 < s:arg0.0:\n"


@pytest.mark.parametrize("function", PROGRAMS)
def test_updates_that_have_a_loop_for_it_copy(function):
    text = compared(function, np.ones(50), 3).kernels(np.ones(50), 3)
    assert (COPY in text) == (function in (several_parts, into_itself)), text


def read_before_the_update(u, v):
    """The copy is looked at in between."""
    v[:] = u
    w = v[1:] * 2.0
    u[1:-1] = u[1:-1] + 0.25 * (u[2:] - u[:-2])
    return w


def failing_in_between(u, v, k):
    """What fails leaves the copy made."""
    v[:] = u
    x = u[k]
    u[1:-1] = u[1:-1] + 0.25 * (u[2:] - u[:-2])
    return x


def copy_of_itself(u):
    """Two names for one memory."""
    v = u[:]
    v[:] = u
    u[1:-1] = u[1:-1] + 0.25 * (u[2:] - u[:-2])
    return v * 1.0


def written_in_between(u, v):
    v[:] = u
    u[0] = 5.0
    u[1:-1] = u[1:-1] + 0.25 * (u[2:] - u[:-2])
    return v * 1.0


def copied_twice(u, v, w):
    v[:] = u
    w[:] = u
    u[1:-1] = u[1:-1] + 0.25 * (u[2:] - u[:-2])
    return v - w


def reversed_line(u, v):
    v[:] = u
    u[1:-1] = u[1:-1] + 0.25 * (u[2:] - u[:-2])
    return u[::-1] - v


def test_what_comes_in_between():
    u, v, w = np.random.default_rng(1).standard_normal((3, 30))
    for function in (read_before_the_update, written_in_between, reversed_line):
        compared(function, u, v)
        compared(function, u[::-1], v)
    compared(copy_of_itself, u)
    compared(copied_twice, u, v, w)


def test_memory_that_overlaps():
    compiled = ag.compile(reversed_line, fallback="error")
    mine, expected = np.arange(40.0), np.arange(40.0)
    found, wanted = compiled(mine[5:35], mine[:30]), reversed_line(expected[5:35], expected[:30])
    np.testing.assert_array_equal(mine, expected)
    np.testing.assert_array_equal(found, wanted)


def test_a_copy_is_made_before_an_error():
    compiled = ag.compile(failing_in_between, fallback="error")
    u, v = np.arange(6.0), np.zeros(6)
    with pytest.raises(IndexError):
        compiled(u, v, 9)
    np.testing.assert_array_equal(v, u)


def test_gradients_keep_states_in_passing():
    def burgers(u):
        for _ in range(4):
            u[1:-1] = u[1:-1] - 0.1 * u[1:-1] * (u[1:-1] - u[:-2]) + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        return np.sum(u * u)

    for size in (3, 5, 40):
        ag.testing.check_grads(lambda u: burgers(u.copy()), (np.random.default_rng(size).standard_normal(size),), order=2, modes=("rev",))
