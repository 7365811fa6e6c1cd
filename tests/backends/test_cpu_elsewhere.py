"""Gathers and rotations inside nests: NumPy's numbers and errors for every dtype, size, layout and order of failures."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autograph_jit as ag

DTYPES = ["?", "i1", "u2", "i8", "f4", "f8", "c8", "c16"]
rng = np.random.default_rng(5)


def numbers(*shape, dtype="f8"):
    return rng.integers(0, 9, shape).astype(dtype)


def compare(function, *arguments):
    compiled = ag.compile(function, fallback="error")
    try:
        expected = function(*copy.deepcopy(arguments))
    except (IndexError, ValueError) as error:
        with pytest.raises(type(error)) as caught:
            compiled(*copy.deepcopy(arguments))
        assert str(caught.value) == str(error)
        return
    mine = compiled(*copy.deepcopy(arguments))
    for x, y in zip(mine if isinstance(mine, tuple) else (mine,), expected if isinstance(expected, tuple) else (expected,)):
        assert np.asarray(x).dtype == np.asarray(y).dtype
        np.testing.assert_allclose(x, y, rtol=1e-6 if np.asarray(y).dtype in ("f4", "c8") else 1e-13)


def added(x, i, y):
    return x[i] + y


def difference(x, i, j):
    return x[i] - x[j]


def energy(x, i, j):
    return np.sum((x[i] - x[j]) ** 2)


def of_matrix(x, i, j):
    return x[i, j] * 2


def of_rows(x, i, j):
    return (x[i] - x[j]) * (x[j] + 1)


def of_columns(x, i, y):
    return x[:, i] + y


def turned_sine(x, i):
    return np.sin(x[i]) + 1.0


def largest(x, i):
    return np.max(x[i] * 2), np.prod(x[i] + 1, axis=0), np.any(x[i] > 4)


@pytest.mark.parametrize("dtype", DTYPES)
def test_gather_of_every_dtype(dtype):
    compare(added, numbers(20, dtype=dtype), rng.integers(-20, 20, 1100), numbers(1100, dtype=dtype))


@pytest.mark.parametrize("count", [0, 1, 2, 511, 512, 513, 3000])
def test_gather_of_every_length(count):
    x, i, j = numbers(20), rng.integers(0, 20, count), rng.integers(-20, 20, count)
    compare(energy, x, i, j)
    compare(difference, x, i, j)
    compare(of_rows, numbers(20, 3), i, j)
    compare(of_matrix, numbers(20, 20), i, j)
    compare(turned_sine, x, j)


@pytest.mark.parametrize("function", [energy, difference, of_rows])
def test_index_out_of_bounds(function):
    x = numbers(20, 3) if function is of_rows else numbers(20)
    compiled = ag.compile(function, fallback="error")
    for place in (0, 511, 512, 1023, 1024):
        for bad in (20, -21, 2**62, -(2**62)):
            i, j = rng.integers(-20, 20, 1025), rng.integers(0, 20, 1025)
            i[place] = bad
            for indices in ((i, j), (j, i)):
                with pytest.raises(IndexError, match=f"index {bad} is out of bounds for axis 0 with size 20"):
                    compiled(x, *indices)


def test_of_two_gathers_the_first_one_fails():
    i, j = np.zeros(2000, int), np.zeros(2000, int)
    i[1999], j[0] = 70, 80
    for function in (energy, difference):
        compare(function, numbers(20), i, j)
        compare(function, numbers(20), j, i)


def test_gather_fails_before_what_does_not_fit():
    i = np.array([0, 30, 1])
    for function in (energy, difference):
        compare(function, numbers(20), i, np.zeros(4, int))
        compare(function, numbers(20), np.zeros(4, int), i)
        compare(function, numbers(20), np.zeros(3, int), np.zeros(4, int))
    compare(added, numbers(20), i, numbers(7))


def looked_up(table, i, j):
    return table[i], table[i + 1], table[i * 2 - j] + table[j]


@pytest.mark.parametrize("dtype", ["u1", "i2", "i8"])
def test_indices_that_are_computed(dtype):
    i, j = rng.integers(0, 9, (40, 30)).astype(dtype), rng.integers(0, 9, 30).astype(dtype)
    compare(looked_up, numbers(30), i, j)
    compare(looked_up, numbers(9), i, j)
    compare(looked_up, numbers(30), i[::-1, ::-1], j[::-1])
    compare(looked_up, numbers(30), i[:0], j)
    compare(looked_up, numbers(0), i[:0], j)


def test_gather_of_nothing():
    for x in (numbers(0), numbers(0, 3), numbers(3, 0)):
        for i in (np.zeros(0, int), np.array([0]), np.array([2]), np.array([5])):
            compare(added, x, i, 1.0)
    compare(energy, numbers(0), np.zeros(0, int), np.zeros(0, int))
    compare(energy, numbers(0), np.array([0]), np.array([0]))


def test_gather_of_strided_arrays():
    x, i, j = numbers(40), rng.integers(-20, 20, 2000), rng.integers(0, 20, 2000)
    compare(energy, x[::2], i[::-1], j[::-1])
    compare(added, x[::-2], i[::2], numbers(3000)[::-3])
    compare(of_rows, numbers(6, 40).T[::2], i, j)
    compare(of_columns, numbers(40, 60)[::2, ::-3], i[:30], numbers(20, 30))


def test_gathers_with_axes_that_are_repeated():
    x, y = numbers(20), numbers(5, 6, 7)
    compare(added, x, rng.integers(0, 20, (6, 1)), numbers(6, 7))
    compare(added, x, rng.integers(0, 20, (6, 7)), y)
    compare(added, x, rng.integers(0, 20, (5, 1, 1)), y)
    compare(of_matrix, numbers(20, 20), rng.integers(0, 20, (4, 1)), rng.integers(0, 20, 5))
    compare(of_matrix, numbers(20, 20), 3, rng.integers(-20, 20, 5))


def test_gathers_that_are_reduced():
    compare(largest, numbers(20), rng.integers(-20, 20, 2000))
    compare(largest, numbers(20, 3), rng.integers(-20, 20, 50))


def test_numbers_that_are_none():
    x = numbers(20)
    x[3] = np.nan
    compare(energy, x, np.arange(20), np.arange(20)[::-1].copy())
    compare(largest, x, np.arange(20))


def test_what_a_handler_sees():
    def guarded(x, i):
        try:
            return np.sum(x[i] * 2)
        except IndexError:
            return -1.0

    compare(guarded, numbers(20), np.array([0, 30]))
    compare(guarded, numbers(20), np.array([0, 3]))


def test_written_before_the_failure():
    def write(x, y, i):
        t = x[i]
        y[0] = 5.0
        return t * 2

    def write_first(x, y, i):
        y[0] = 5.0
        t = x[i]
        return t * 2

    for function, value in ((write, 0.0), (write_first, 5.0)):
        y = np.zeros(3)
        with pytest.raises(IndexError):
            ag.compile(function, fallback="error")(numbers(4), y, np.array([9]))
        assert y[0] == value


def test_result_is_not_written_over_what_is_gathered():
    def again(x, i):
        for _ in range(3):
            x = x[i] + np.roll(x, 1)
        return x

    compare(again, numbers(50), rng.permutation(50))


def waves(u):
    return u + 0.5 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -2, 1) - 4 * u)


def corners(u):
    return np.roll(np.roll(u, 1, 0), 1, 1) + np.roll(u, (-1, 2), (0, 1)) * np.roll(u, 1, 0)


def by_any(u, k):
    return np.roll(u, k) * 2 - np.concatenate([u[k:], u[:k]])


@pytest.mark.parametrize("dtype", DTYPES)
def test_rotation_of_every_dtype(dtype):
    compare(corners, numbers(9, 10, dtype=dtype))


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 20])
@pytest.mark.parametrize("columns", [0, 1, 2, 3, 70])
def test_rotation_of_every_size(rows, columns):
    for function in (waves, corners):
        compare(function, numbers(rows, columns))
        compare(function, numbers(columns, 2 * rows).T[:, ::-2])


@pytest.mark.parametrize("shift", [-1000, -7, -1, 0, 1, 3, 7, 8, 1000])
def test_rotation_by_any_number(shift):
    for size in (0, 1, 2, 7, 30):
        compare(by_any, numbers(size), shift)
        compare(by_any, numbers(2 * size)[::-2], shift)


def test_rotation_of_what_is_written_later():
    def program(u):
        v = np.roll(u, 1)
        u[0] = 100.0
        w = v * 2
        u[:] = np.roll(u, 1) + np.roll(u, -1)
        return w, u

    compare(program, numbers(12))


def test_rotation_of_a_rotation_that_is_written():
    def program(u):
        v = np.roll(u, 1, 0)
        v[0, 0] = 100.0
        return np.roll(v, 1, 1) * 2

    compare(program, numbers(4, 5))


def test_huge_angles_of_gathers_and_rotations():
    x = numbers(1500) * 1e9
    compare(turned_sine, x, rng.integers(-1500, 1500, 4000))
    compare(lambda u: np.sin(np.roll(u, 3)) + np.roll(u, -2), x)


@pytest.mark.parametrize("threads", [1, 2])
def test_large_arrays_that_threads_may_share(threads):
    x, i, j = numbers(5000), rng.integers(0, 5000, 300_000), rng.integers(-5000, 5000, 300_000)
    with ag.config(threads=threads):
        compare(energy, x, i, j)
        compare(difference, x, i, j)
        compare(waves, numbers(700, 900))
        j[250_000] = 5000
        compare(energy, x, i, j)
        compare(difference, x, i, j)
