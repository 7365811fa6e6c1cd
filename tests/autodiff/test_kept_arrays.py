"""Which arrays of a loop the forward sweep keeps for the reverse one, and which passes over cotangents are left out."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autograph_jit as ag


def advection(u):
    for _ in range(10):
        flux = 0.5 * u * u
        u[1:] = u[1:] - 0.01 * (flux[1:] - flux[:-1])
    return np.sum(u * u)


def read_twice(u):
    v = u * 1.0
    for _ in range(10):
        a = np.sum(v * u)
        b = np.sum(v * v)
        v[0] = a / (1.0 + b * b)
    return np.sum(v)


def written_in_between(u):
    v = u * 1.0
    for _ in range(10):
        a = np.sum(v * u)
        v[1] = 0.5 * v[0]
        b = np.sum(v * v)
        v[0] = a / (1.0 + b * b)
    return np.sum(v)


def sum_of_what_is_written_since(u):
    v = u * 2.0
    for _ in range(6):
        t = v[1:] + np.cos(u[1:])
        v[1] = 0.5
        v[1:] = t
    return np.sum(v * v)


def increments_of_slices(u):
    v = u * 2.0
    for _ in range(6):
        v[1:] = v[1:] - 0.1 * v[:-1] * v[1:]
        v[:-1] = v[:-1] - np.sin(v[1:])
        v[1:] = v[1:] + v[1:] * 0.1
    return np.sum(v * v)


def chain_of_cheap_arrays(u):
    v = u * 1.0
    for k in range(8):
        a = 0.3 * v * v + 0.1 * k
        b = a * v - 0.2 * a
        v = np.sin(b * a) + 0.5 * v
    return np.sum(v)


def operand_written_after_its_use(u):
    v = u * 1.0
    total = 0.0
    for _ in range(7):
        a = v * 0.5
        v[:] = np.sin(v) + 0.1
        total += np.sum(a * a * v)
    return total


PROGRAMS = [
    advection,
    read_twice,
    written_in_between,
    sum_of_what_is_written_since,
    increments_of_slices,
    chain_of_cheap_arrays,
    operand_written_after_its_use,
]


def graph_of(function):
    return str(ag.compile(lambda u: ag.grad(function)(u), fallback="error").graph(np.linspace(0.1, 0.9, 12)))


@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_of_both_orders(function):
    ag.testing.check_grads(lambda u: function(u * 1.0), (np.array([0.3, 0.5, 0.9, -0.4]),), order=2, modes=("fwd", "rev"))


@pytest.mark.parametrize(
    ("function", "kept"),
    [(advection, 1), (read_twice, 1), (written_in_between, 2), (chain_of_cheap_arrays, 1), (operand_written_after_its_use, 2)],
)
def test_arrays_kept_in_a_trip(function, kept):
    assert len(re.findall(r"f64\[\d+, s:arg0.0\] = empty", graph_of(function))) == kept


def test_sum_into_a_slice_leaves_its_cotangent_in_place():
    reverse = graph_of(advection).split("for_loop")[-1]
    # For each of two trips two to the flux's cotangent and two from it; one makes the state between them.
    assert reverse.count("assign(") == 2 * 4 + 1
