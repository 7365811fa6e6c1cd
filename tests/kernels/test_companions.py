"""Updates of several arrays in one nest: which of them run together, and that every element is what Python makes of it."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def fields(s):
    return s[0].copy(), s[1].copy(), s[2].copy()


def move(s):
    x, v, a = fields(s)
    for _ in range(s.shape[1]):
        v += 0.1 * a
        x += 0.1 * v
    return x, v


def share_a_quotient(s):
    q, h = s[0], s[1].copy()
    b, c = np.zeros(len(q)), np.ones(len(q))
    for _ in range(s.shape[1]):
        h *= 0.5
        r = 1.0 / (h * h + 1.0)
        b += r * q
        b -= r
        c -= r * q * q
    return b, c


def several_times(s):
    x, v, a = fields(s)
    for _ in range(s.shape[1]):
        x += 0.5 * v + a
        v -= 0.25 * x
        x *= 0.75
    return x, v


def of_rows(s):
    x, v, a = fields(s)
    for _ in range(s.shape[1]):
        x += a[:1] * v
        v -= a[:1] * x
    return x, v


def backwards(s):
    x, v, a = fields(s)
    for _ in range(s.shape[1]):
        x += a * v[::-1]
        v += a * x
    return x, v


def a_neighbour(s):
    x, v, a = fields(s)
    for _ in range(s.shape[1]):
        v += a
        x[1:] += v[:-1]
        x -= a
    return x, v


def old_values(s):
    x, v, a = fields(s)
    for _ in range(s.shape[1]):
        t = x * v + a
        x += t
        v -= t * t
    return x, v


def nothing_in_common(s):
    x, v, a = fields(s)
    for _ in range(s.shape[1]):
        x *= 0.5
        v *= 0.25
    return x, v


def between(s):
    x, v, a = fields(s)
    for _ in range(s.shape[1]):
        x += a
        total = x[0] + x[-1]
        v += a * total
    return x, v


def whole_numbers(s):
    x, v, a = fields(s)
    for _ in range(s.shape[1]):
        x += a * 3
        v -= x // 2 + a
    return x, v


TOGETHER = [move, several_times, of_rows, old_values, whole_numbers]
APART = [backwards, a_neighbour, nothing_in_common, between]


def compare(function, argument):
    """The kernels of a function, after its results were compared with Python's."""
    compiled = ag.compile(function, fallback="error")
    for x, y in zip(compiled(argument), function(argument)):
        np.testing.assert_array_equal(x, y, strict=True)
    return compiled.kernels(argument)


def argument_of(function, shape):
    numbers = np.random.default_rng(len(shape)).integers(-64, 64, (3, *shape))
    return numbers if function is whole_numbers else numbers / 256.0


@pytest.mark.parametrize("function", TOGETHER)
@pytest.mark.parametrize("shape", [(9,), (17,), (100,), (3, 5), (4, 33)])
def test_updates_that_read_something_in_common_run_together(function, shape):
    assert compare(function, argument_of(function, shape)).count("kernel companion") >= 2


@pytest.mark.parametrize("function", APART)
@pytest.mark.parametrize("size", [2, 20])
def test_updates_that_need_other_elements_run_apart(function, size):
    assert "companion" not in compare(function, argument_of(function, (size,)))


def test_what_they_share_takes_no_memory():
    kernels = compare(share_a_quotient, argument_of(share_a_quotient, (50,)))
    assert kernels.count("kernel companion") == 3
    assert "kernel divide" not in kernels


def test_arguments_that_are_one_array():
    def move_in_place(x, v, a):
        v += 0.5 * a
        x += 0.25 * v

    compiled = ag.compile(move_in_place, fallback="error")
    for pick in ((0, 0, 0), (0, 1, 1), (0, 1, 0), (0, 0, 1), (0, 1, 2)):
        mine, expected = (argument_of(move_in_place, (16,)) for _ in range(2))
        compiled(*(mine[k] for k in pick))
        move_in_place(*(expected[k] for k in pick))
        np.testing.assert_array_equal(mine, expected)


def fails_between(s):
    x, v, a = s[0].copy(), s[1].copy(), s[2]
    try:
        x += a
        if a[0] > 0:
            raise ValueError
        v += a
    except ValueError:
        x -= v
    return x, v


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_comes_before_an_exception_is_done(sign):
    compare(fails_between, sign * np.arange(1.0, 13.0).reshape(3, 4))


def waves(s):
    h, q = s[0].copy(), s[1].copy()
    for _ in range(s.shape[1]):
        flux = q * q / h + 0.5 * h * h
        h[1:-1] -= 0.05 * (q[2:] - q[:-2])
        q[1:-1] -= 0.05 * (flux[2:] - flux[:-2])
    return np.sum(h * h) + np.sum(q * q)


def test_the_cotangents_of_several_operands_are_added_to_together():
    gradient = ag.grad(waves)

    def slopes(s):
        return gradient(s)

    compiled = ag.compile(slopes, fallback="error")
    start, direction = 2.0 + np.cos(np.arange(40.0)).reshape(2, 20), np.sin(np.arange(40.0)).reshape(2, 20)
    slope = (waves(start + 1e-6 * direction) - waves(start - 1e-6 * direction)) / 2e-6
    assert abs(np.sum(compiled(start) * direction) - slope) < 1e-7 * abs(slope)
    kernels = compiled.kernels(start)
    assert kernels.count("kernel companion") == 5
    assert "kernel divide" not in kernels


def test_shared_by_threads_they_are_the_same():
    argument = np.sin(np.arange(900_000.0)).reshape(3, 10, 30_000)
    shared = ag.compile(several_times, fallback="error")
    alone = ag.compile(several_times, fallback="error", parallel=False)
    for x, y in zip(shared(argument), alone(argument)):
        np.testing.assert_array_equal(x, y)
