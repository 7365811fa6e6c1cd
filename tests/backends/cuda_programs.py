"""Functions compiled with `device="cuda"` do what Python does; `test_cuda.py` runs this in a process that has the simulator or a GPU."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cuda.provider import provider
from autograph_jit.errors import DeviceError


def check(function: Any, *args: Any) -> Any:
    """The compiled function returns and writes what the plain one does."""
    compiled = ag.compile(function, device="cuda", fallback="error")
    for_plain, for_device = copy.deepcopy(args), copy.deepcopy(args)
    expected, found = function(*for_plain), compiled(*for_device)
    assert type(found) is type(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    for mine, theirs in zip(for_device, for_plain):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    return compiled


def test_newton_iteration_of_a_number():
    def newton(a, tol=1e-12):
        x = a
        while abs(x * x - a) > tol:
            x = 0.5 * (x + a / x)
        return x

    check(newton, 2.0)


def test_heat_equation_in_place():
    def heat(u, steps):
        for _ in range(steps):
            u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        return u.sum()

    field = np.zeros((7, 6))
    field[3, 2] = 100.0
    check(heat, field, 10)


def test_power_iteration_until_it_settles(rng):
    def largest(a, x):
        before = 0.0
        for _ in range(100):
            y = a @ x
            size = np.sqrt((y * y).sum())
            x = y / size
            if abs(size - before) < 1e-6:
                break
            before = size
        return size

    a = rng.random((5, 5))
    check(largest, a + a.T, np.ones(5))


def test_branches_on_reductions_and_masks(rng):
    def clean(x, limit):
        if np.any(x > limit):
            x = np.where(x > limit, limit, x)
        else:
            x = -x
        x[x < 0.2] = 0.0
        return x.mean(axis=0) + x.max(axis=0)

    values = rng.random((6, 4))
    check(clean, values, 0.5)
    check(clean, values, 2.0)


def test_histogram_by_indices(rng):
    def count(values, bins):
        np.add.at(bins, values, 1)
        return bins[values]

    check(count, rng.integers(0, 5, 40), np.zeros(5, dtype=np.int64))


def test_gram_schmidt_writes_columns(rng):
    def orthonormal(a):
        q = a.copy()
        for j in range(q.shape[1]):
            for k in range(j):
                q[:, j] -= (q[:, k] @ a[:, j]) * q[:, k]
            q[:, j] /= np.sqrt((q[:, j] ** 2).sum())
        return q

    check(orthonormal, rng.random((6, 3)))


def take(x, i):
    x += 1.0
    y = x[i]
    x[:] = 0.0
    return y


def test_index_out_of_bounds_raises_on_the_users_line_after_earlier_writes():
    x = np.arange(4.0)
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 4") as caught:
        ag.compile(take, device="cuda", fallback="error")(x, np.array([1, 7]))
    np.testing.assert_array_equal(x, [1.0, 2.0, 3.0, 4.0])
    lines = [entry.lineno for entry in caught.traceback if entry.name == "take"]
    assert lines[-1] + 1 == take.__code__.co_firstlineno + 2


def test_shapes_that_do_not_fit_raise_numpys_error():
    def add(x, y):
        return x + y

    compiled = ag.compile(add, device="cuda", fallback="error")
    with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(3,\) \(4,\) "):
        compiled(np.ones(3), np.ones(4))


def test_device_of_a_with_statement_and_the_report():
    @ag.compile
    def double(x):
        return x * 2

    np.testing.assert_array_equal(double(np.arange(3.0)), [0.0, 2.0, 4.0])
    with ag.device("cuda"):
        np.testing.assert_array_equal(double(np.arange(3.0)), [0.0, 2.0, 4.0])
    assert "on cuda" in str(double.explain(np.arange(3.0)))


def test_device_arrays_are_written_in_place_and_results_stay_on_the_device():
    @ag.compile(device="cuda", fallback="error")
    def step(x, y):
        x += y
        return x * 2, y.sum()

    cuda = provider().cuda
    for size in (4, 5, 6):
        x, y = cuda.to_device(np.arange(float(size))), cuda.to_device(np.ones(size))
        doubled, total = step(x, y)
        assert total == size
        np.testing.assert_array_equal(x.copy_to_host(), np.arange(size) + 1.0)
        np.testing.assert_array_equal(doubled.copy_to_host(), (np.arange(size) + 1.0) * 2)
    (shifted, _) = step(x[1:], x[:-1])
    np.testing.assert_array_equal(shifted.copy_to_host(), [6.0, 10.0, 14.0, 18.0, 22.0])
    assert step.explain(x, y)


def test_device_array_given_to_the_cpu_is_an_error():
    x = provider().cuda.to_device(np.arange(4.0))
    with pytest.raises(DeviceError, match="an array on a CUDA device was given to a function compiled for 'cpu'"):
        ag.compile(lambda x: x + 1, fallback="error")(x)


def test_a_loop_that_draws_random_numbers_is_refused():
    def noisy(x, rng):
        for k in range(len(x)):
            x[k] += rng.standard_normal()
        return x

    with pytest.raises(DeviceError, match="draws random numbers(.|\n)*on the host(.|\n)*Draw an array before the call"):
        ag.compile(noisy, fallback="error", device="cuda")(np.ones(20), np.random.default_rng(1))


def test_a_number_drawn_outside_of_loops_is_that_of_numpy():
    def scaled(x, rng):
        return x * rng.standard_normal()

    found = ag.compile(scaled, fallback="error", device="cuda")(np.ones(20), np.random.default_rng(1))
    np.testing.assert_array_equal(found, scaled(np.ones(20), np.random.default_rng(1)))
