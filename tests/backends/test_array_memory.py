"""Small arrays and lists that wait for the next of their kind: what Python holds is not handed out again, and nothing is left behind."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.runtime_library import runtime

KEPT: list[np.ndarray] = []


def remember(x):
    KEPT.append(x)
    return float(x[0])


def arrays_that_python_keeps(n):
    KEPT.clear()
    total = 0.0
    for k in range(n):
        x = np.array([k, k + 1.0, k + 2.0])
        y = x * 2.0
        if k % 3 == 0:
            total += remember(y)
        z = y + x
        total += z[2]
    return total


def arrays_that_leave(n):
    found = []
    for k in range(n):
        x = np.full(k % 40 + 1, k)
        y = x + 1
        if k % 4 == 0:
            found.append(y)
    return found


def lists_of_all_sizes(n):
    total, rows = 0, []
    for k in range(n):
        row = [j * k for j in range(k % 90)]
        row.append(k)
        total += sum(row) + len(row)
        if k % 7 == 0:
            rows.append(row)
        inner = [[k], [k, k + 1]]
        total += len(inner[k % 2])
    return total, rows


def texts_of_all_sizes(words):
    found = []
    for word in words:
        line = ""
        for letter in word:
            line += letter
            if letter == "e":
                found.append(line)
        copied = line + "!"
        found.append(copied[1:-1])
    return found


def fails_in_between(n):
    total = 0.0
    for k in range(n):
        x = np.ones(3) * k
        row = [k] * 5
        try:
            total += x[0] + 10 // (k - 3) + row[k]
        except (ZeroDivisionError, IndexError):
            total -= 1.0
    if n > 8:
        raise ValueError(str(total))
    return total


WORDS = ["tree", "every", "e" * 90, "", "see", "between" * 12]
PROGRAMS = [
    (arrays_that_python_keeps, (30,)),
    (arrays_that_leave, (60,)),
    (lists_of_all_sizes, (200,)),
    (texts_of_all_sizes, (WORDS,)),
    (fails_in_between, (8,)),
    (fails_in_between, (12,)),
]


def outcome(function, arguments):
    try:
        found = function(*arguments)
    except ValueError as error:
        found = str(error)
    return found, [x.tolist() for x in KEPT] if function.__name__ == "arrays_that_python_keeps" else None


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_what_waits_is_nobodys(number):
    function, arguments = PROGRAMS[number]
    compiled = ag.compile(function, fallback="error")
    compiled.__name__ = function.__name__
    expected = outcome(function, arguments)
    before = None
    for _ in range(4):
        found = outcome(compiled, arguments)
        assert str(found) == str(expected)
        del found
        KEPT.clear()
        before = runtime().live if before is None else before
        assert runtime().live == before
