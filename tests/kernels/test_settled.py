"""Numbers that are bounded from the second trip on overflow in the first one only, and there as Python says."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.control import loops


def congruential(n, seed):
    out, state = np.empty(n), seed
    for i in range(n):
        state = (state * 1103515245 + 12345) % 2147483648
        out[i] = state / 2147483648
    return out, state


def masked(n, seed):
    out, state = np.empty(n, dtype=np.int64), seed
    for i in range(n):
        state = (state * 69069 + i) & 0xFFFFFFFF
        if state > 99:
            out[i] = 3 * state
        else:
            out[i] = -state
    return out, state


def hashed(text, seed):
    total = seed
    for letter in text:
        total = (31 * total + int(letter)) % 1000003
    return total


def two_at_once(n, seed):
    a, b, total = seed, 1, 0
    for _ in range(n):
        a, b = (a * 40014) % 2147483563, (b * 40692 + a) % 2147483399
        total = (total + a - b) % 2147483562
    return a, b, total


def grows(n, seed):
    state = seed
    for i in range(n):
        state = state * 3 + 1 if i % 2 == 0 else state % 1000
    return state


def wraps(x, seed):
    state = x[0] * 0 + seed
    for i in range(len(x)):
        state = int(state) * 3 % 1001 + (x[i] << 62) * 2
    return state


SEEDS = [0, 1, -1, 12345, 2**31, 2**32, -(2**40), 2**53, 8358173644, 8358173645, -8358173644, -8358173645, 2**62, 2**63 - 1, -(2**63)]
FUNCTIONS = [congruential, masked, two_at_once, grows]


def shown(result):
    return [np.asarray(part).tolist() for part in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_any_number_may_come_first(function):
    compiled = ag.compile(function, fallback="error")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what leaves 64 bits is done again in Python
        for seed in SEEDS:
            for n in (0, 1, 2, 3, 70):
                assert shown(compiled(n, seed)) == shown(function(n, seed)), (seed, n)


def test_elements_of_a_text():
    compiled = ag.compile(hashed, fallback="error")
    text = np.frombuffer(b"The quick brown fox jumps over the lazy dog, and again, and again; that is all of it.", dtype=np.uint8)
    for seed in (0, 7, -(2**50)):
        for end in (0, 1, 2, len(text)):
            assert compiled(text[:end], seed) == hashed(text[:end], seed)


def test_arithmetic_that_wraps_bounds_nothing():
    compiled = ag.compile(wraps, fallback="error")
    x = np.array([1, 2, 3, 1, 0] * 4)
    with np.errstate(over="ignore"):
        assert compiled(x, 5) == wraps(x, 5)


@pytest.mark.parametrize(("function", "expected"), [(congruential, 2), (masked, 2), (two_at_once, 5), (grows, 0)])
def test_what_is_bounded_from_the_second_trip_on_is_found(function, expected, monkeypatch):
    found = []
    plain = loops.settled_by_first_trip
    monkeypatch.setattr(loops, "settled_by_first_trip", lambda ranges, loop: (found.append(plain(ranges, loop)), found[-1])[1])
    with ag.config(cache=False):
        ag.compile(function, fallback="error")(70, 1)
    assert [len(operations) for operations in found] == [expected]
