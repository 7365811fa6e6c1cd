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


def prefix(v, c):
    sums, total, j = np.arange(64), 0, v
    while j > 0:
        total += sums[j % 64]
        j -= j & -j
    return total


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


def halves(v, c):
    low, high, trips = 0, v, 0
    while low < high:
        middle = (low + high) // 2
        if middle * middle < c:
            low = middle + 1
        else:
            high = middle
        trips += 1
    return low, trips


def sifted(v, c):
    x = np.arange(40) * 7 % 41
    root, end = max(c, 0), 40
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and x[child] < x[child + 1]:
            child += 1
        if x[root] >= x[child]:
            break
        x[root], x[child] = x[child], x[root]
        root = child
    return x.tolist(), root


def raised(v, c):
    x = np.arange(40) * 7 % 41
    i = 39
    while i > 0:
        p = (i - 1) // 2
        if x[p] <= x[i]:
            break
        x[p], x[i] = x[i], x[p]
        i = p
    return x.tolist()


def never_halved(v, c):
    low, high, trips = 0, v, 0
    while low < high:
        middle = (low + high) // 2
        if c:
            low = middle
        else:
            high = middle
        trips += 1
        if trips > 50:
            break
    return low, trips


def looked_for(v, c):
    x = np.arange(60)
    i = 2
    while x[i - 2] < min(v, 50):
        i += 1
    j = 59
    while True:
        x[j] += 1
        if x[j] <= c + 50:
            break
        j -= 1
    return i, j, x.tolist()


def looked_for_in_a_ring(v, c):
    x = np.arange(60)
    i = 0
    while x[i % 60] < min(v, 50):
        i += 1
    return i


SOON, LATE = [bits, prefix, digits, powers, halves, sifted, looked_for], [by_argument, never_halved, looked_for_in_a_ring]


@pytest.mark.parametrize(("function", "looks"), [*((function, 0) for function in SOON), *((function, 1) for function in LATE)])
def test_only_loops_that_may_be_long_look_at_signals(function, looks, monkeypatch):
    seen = []
    monkeypatch.setattr(loops, "spend", lambda e, work: seen.append(work))
    with ag.config(cache=False):
        ag.compile(function, fallback="error")(5, 3)
    assert len(seen) == looks


@pytest.mark.parametrize("function", [*SOON, *LATE, shifted, from_below, not_the_tested_one, raised])
def test_they_give_what_python_gives(function):
    compiled = ag.compile(function, fallback="error")
    for v in (0, 1, 2, 9, 10, 12345, 2**31, -1, -8):
        if v >= 0 or function is not bits:
            assert compiled(v, 3) == function(v, 3), v
    assert compiled(np.int64(77), 2) == function(np.int64(77), 2)
