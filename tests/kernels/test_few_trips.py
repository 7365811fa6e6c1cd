"""Loops that take an integer apart are known to end soon; others are not, and both give what Python gives."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.control import loops


def bits(v, c):
    count = 0
    while v != 0:
        v &= v - 1
        count += 1
    return count


def digits(v, c):
    total = 0
    while v > 0:
        total += v % 10
        v //= 10
    return total


def shifted(v, c):
    total = 0
    while 0 < v:
        total += v & 1
        v = v >> 2
    return total


def powers(v, c):
    result, base, left = 1, v % 97, c
    while left > 0:
        if left & 1:
            result = result * base % 97
        base = base * base % 97
        left >>= 1
    return result


def by_argument(v, c):
    count = 0
    while v > 0:
        v //= c
        count += 1
        if count > 100:
            break
    return count


def from_below(v, c):
    count = 0
    while v != 0 and count < 100:
        v >>= 1
        count += 1
    return count


def not_the_tested_one(v, c):
    count = 0
    while c > 0:
        v //= 2
        c -= 1
        count += v
    return count


@pytest.mark.parametrize(("function", "looks"), [(bits, 0), (digits, 0), (powers, 0), (by_argument, 1), (not_the_tested_one, 1)])
def test_only_loops_that_may_be_long_look_at_signals(function, looks, monkeypatch):
    seen = []
    monkeypatch.setattr(loops, "spend", lambda e, work: seen.append(work))
    with ag.config(cache=False):
        ag.compile(function, fallback="error")(5, 3)
    assert len(seen) == looks


@pytest.mark.parametrize("function", [bits, digits, shifted, powers, by_argument, from_below, not_the_tested_one])
def test_they_give_what_python_gives(function):
    compiled = ag.compile(function, fallback="error")
    for v in (0, 1, 2, 9, 10, 12345, 2**62, 2**63 - 1, -1, -8):
        if v >= 0 or function is not bits:
            assert compiled(v, 3) == function(v, 3), v
    assert compiled(np.int64(77), 2) == function(np.int64(77), 2)
