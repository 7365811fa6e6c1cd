"""Masks that the forward sweep computes and keeps, where the reverse sweep needs nothing else of what they are computed of."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag

TRIPS = 10  # more than are unrolled
SIZE = 23


def layers(x, w):
    for _ in range(TRIPS):
        x = np.maximum(w @ x, 0.0) + 0.1 * x
    return np.sum(x * x)


def filtered(x, w):
    for _ in range(TRIPS):
        x[1:-1] = np.maximum(w[0, 0] * x[:-2] + 0.5 * x[1:-1] - 0.3 * x[2:], -0.1)
    return np.sum(x * x)


def limited_on_both_sides(x, w):
    for _ in range(TRIPS):
        x[1:] = np.minimum(np.maximum(w[0, :-1] * x[1:] + x[:-1], -0.5), 0.9)
    return np.sum(x * x)


def state_that_is_kept_anyway(x, w):
    for _ in range(TRIPS):
        x = np.maximum(x, 0.1) * x * w[0]
    return np.sum(x)


def written_after_the_mask(x, w):
    for _ in range(TRIPS):
        y = w @ x
        z = np.maximum(y, 0.2)
        y[:2] = 7.0
        x = z + 0.01 * y
    return np.sum(x * x)


def written_between_two_masks(x, w):
    for _ in range(TRIPS):
        y = w @ x
        z = np.maximum(y, 0.2)
        y[:2] *= -0.5
        x = z + np.minimum(y, 0.3)
    return np.sum(x * x)


def in_a_branch(x, w):
    for k in range(TRIPS):
        y = w @ x
        if k % 2 == 0:
            x = np.maximum(y, 0.1) - 0.2
        else:
            x = np.where(y > x, y, 0.5 * x)
    return np.sum(x * x)


def until_small(x, w):
    while np.sum(x * x) > 0.5:
        x = 0.8 * np.maximum(w @ x, -0.3)
    return np.sum(x * x)


def nested(x, w):
    for i in range(TRIPS):
        for j in range(TRIPS):
            x = np.fmax(w @ x, -0.1 * (i + j))
    return np.sum(x * x)


def shrinking(x, w):
    for _ in range(TRIPS):
        x = np.maximum(w[0, 0] * x[:-2] + 0.5 * x[1:-1] + 0.2 * x[2:], 0.0)
    return np.sum(x * x)


def shrinking_squares(x, w):
    for _ in range(TRIPS):
        y = w[0, 0] * x[:-2] + 0.5 * x[1:-1] * x[2:]
        x = np.maximum(y * x[2:], -0.1)
    return np.sum(x * x)


def two_sizes(x, w):
    for _ in range(TRIPS):
        x = np.abs(w[0] * x - 0.1) * 0.9
    return np.sum(x * x)


PROGRAMS = (
    layers,
    filtered,
    limited_on_both_sides,
    state_that_is_kept_anyway,
    written_after_the_mask,
    written_between_two_masks,
    in_a_branch,
    until_small,
    nested,
    shrinking,
    shrinking_squares,
    two_sizes,
)


@pytest.mark.parametrize("argnum", [0, 1])
@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_agree_with_central_differences(function, argnum):
    rng = np.random.default_rng(4)
    args = [rng.standard_normal(SIZE), rng.standard_normal((SIZE, SIZE)) / 6]
    direction = rng.standard_normal(args[argnum].shape)

    def moved(step):
        return function(*(item + step * direction if k == argnum else item.copy() for k, item in enumerate(args)))

    found = np.sum(ag.grad(function, argnums=argnum)(*(item.copy() for item in args)) * direction)
    assert found == pytest.approx((moved(1e-6) - moved(-1e-6)) / 2e-6, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("function", [layers, written_after_the_mask, nested])
def test_second_derivatives(function):
    rng = np.random.default_rng(5)
    args = rng.standard_normal(6), rng.standard_normal((6, 6)) / 3
    ag.testing.check_grads(lambda x, w: function(x.copy(), w), args, order=2, modes=("rev",))


def kept_arrays(function, x, w):
    """The dtypes of the arrays that the forward sweep of the gradient by x keeps for the trips of its loop, lengths of axes apart."""
    lines = str(ag.compile(lambda x, w: ag.grad(function)(x, w), fallback="error").graph(x, w)).splitlines()
    made = [line.split("dtype(")[1].split(")")[0] for line in lines if "empty(" in line]
    on_lists = ["list" for line in lines if "list_extend(" in line]
    return [dtype for dtype in made if dtype != "i64"] + on_lists


@pytest.mark.parametrize("function", [layers, filtered, nested])
def test_a_byte_for_an_element(function):
    assert kept_arrays(function, np.ones(SIZE), np.ones((SIZE, SIZE))) == ["b1"]


@pytest.mark.parametrize("function", [state_that_is_kept_anyway, shrinking_squares, two_sizes])
def test_one_state_in_place_of_what_is_computed_of_it(function):
    assert len(kept_arrays(function, np.ones(SIZE), np.ones((SIZE, SIZE)))) == 1
