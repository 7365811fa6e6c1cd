"""Sums of numbers that are small whatever the arrays hold do not overflow and are not checked; sums of others are."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu import driver
from autograph_jit.ir.graph import walk_block
from autograph_jit.kernels.ranges import CHECKED

BYTES = np.array([3, 255, 0, 17, 200], dtype=np.uint8)
NUMBERS = np.array([5, -1, 0, 2**62, 77, -(2**63)])


def of_bytes(x):
    total = 0
    for i in range(len(x)):
        total += int(x[i])
    return total


def of_bytes_both_ways(x):
    total = 100
    for i in range(len(x)):
        if x[i] > 20:
            total -= int(x[i])
        else:
            total += 2
    return total


def of_flags(x):
    count, i = 0, 0
    while i < len(x):
        count += int(x[i] > 20)
        i += 1
    return count


def of_remainders(x):
    total = 0
    for i in range(len(x)):
        total += int(x[i]) % 10
    return total


def of_bits(x):
    total = 0
    for i in range(len(x)):
        v, count = x[i], 0
        while v != 0:
            v &= v - 1
            count += 1
        total += count
    return total


def of_digits(x):
    total = 0
    for i in range(len(x)):
        v, count = int(x[i]), 0
        while v > 0:
            v //= 10
            count -= 2
        total += count
    return total


def of_numbers(x):
    total = 0
    for i in range(len(x)):
        total += int(x[i])
    return total


def of_squares(x):
    total = 0
    for i in range(len(x)):
        total += int(x[i]) * int(x[i])
    return total


def of_trips(x):
    total = 0
    for i in range(len(x)):
        v, count = abs(int(x[i])), 0
        while v > 1000:
            v -= 1 + v // 4
            count += 1
        total += count
    return total


PROVED = [
    *((function, BYTES) for function in (of_bytes, of_bytes_both_ways, of_flags)),
    *((function, NUMBERS) for function in (of_remainders, of_bits, of_digits)),
]
CHECKED_SUMS = [(of_numbers, NUMBERS[:4]), (of_squares, BYTES.astype(np.int64)), (of_trips, NUMBERS[:5])]


def unproved(function, *arguments, monkeypatch):
    """The checked operations of a program that may overflow, as far as ranges tell; and its result."""
    seen = []
    run = driver.rewrite_loops
    monkeypatch.setattr(driver, "rewrite_loops", lambda graph, *layout: seen.append((graph, run(graph, *layout))) or seen[-1][1])
    got = ag.compile(function, fallback="error")(*arguments)
    graph, ranges = seen[-1]
    return [op for op in walk_block(graph.block) if op.name in CHECKED and not ranges.cannot_overflow(op)], got


@pytest.mark.parametrize(("function", "x"), PROVED)
def test_small_steps_are_not_checked(function, x, monkeypatch):
    failing, got = unproved(function, x, monkeypatch=monkeypatch)
    assert not failing and got == function(x) and type(got) is type(function(x))


@pytest.mark.parametrize(("function", "x"), CHECKED_SUMS)
def test_other_sums_are_checked(function, x, monkeypatch):
    failing, got = unproved(function, x, monkeypatch=monkeypatch)
    assert failing and got == function(x)


def test_a_sum_that_begins_at_the_end_of_64_bits_is_checked():
    def from_start(x, start):
        total = start
        for i in range(len(x)):
            total += int(x[i])
        return total

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = ag.compile(from_start, fallback="error")
        for start in (0, 2**62, 2**63 - 1, 2**63 - 255, -(2**63)):
            assert compiled(BYTES, start) == from_start(BYTES, start)
