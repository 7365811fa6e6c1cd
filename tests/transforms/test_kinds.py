"""Numbers whose type the path decides keep value and type where one operation serves Python's and NumPy's, and Python's still overflow."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu import driver
from autograph_jit.ir.graph import walk_block


def longest_distinct(x, count):
    last = np.full(count, -1)
    best = start = 0
    for i in range(len(x)):
        if last[x[i]] >= start:
            start = last[x[i]] + 1
        last[x[i]] = i
        if i - start + 1 > best:
            best = i - start + 1
    return best, start


def since_the_last_hit(x):
    mark, total = -1, 0.0
    i = 0
    while i < len(x):
        if x[i] > 0:
            mark = x[i]
        total += i - mark
        i += 1
    return total, mark, i - mark


def three_kinds(x, flags):
    y = 0
    for i in range(len(x)):
        if flags[i] == 1:
            y = x[i]
        elif flags[i] == 2:
            y = i
        z = 2 * y - 1
    return y, z


def stays_pythons(x, first):
    y = 1
    for i in range(len(x)):
        if x[i] > 3:
            y = x[i]
        else:
            y = y + first
    return y, y * 2


def nested(x):
    best = 0
    for i in range(len(x)):
        here = 0
        for j in range(i, len(x)):
            if x[j] < 0:
                break
            here = x[j] - here
        if here - i > best:
            best = here - i
    return best


def pythons_overflow(x, seed):
    y = seed
    for i in range(len(x)):
        if x[i] > 3:
            y = x[i]
        else:
            y = y * y
    return y


X = np.array([3, 1, 4, 1, 5, 2, 6, 5, 3, 5, 0, 7])
NEVER = np.zeros(12, dtype=np.int64)
CALLS = [
    *((longest_distinct, x, 9) for x in (X, NEVER, np.arange(9), X[:0])),
    *((since_the_last_hit, x) for x in (X, NEVER, -X, X[:1], X[:0])),
    *((three_kinds, X, flags) for flags in (NEVER, NEVER + 1, NEVER + 2, np.arange(12) % 3)),
    *((stays_pythons, x, first) for x in (X, NEVER) for first in (1, 2**50)),
    *((nested, x) for x in (X, NEVER, -X, X - 2)),
    *((pythons_overflow, x, seed) for x, seed in ((X, 2), (X[:2], 2), (X + 9, 2**40))),
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0].__name__)
def test_values_and_types_are_pythons(call):
    function, *arguments = call
    want, got = function(*arguments), ag.compile(function, fallback="error")(*arguments)
    assert got == want
    pairs = zip(got, want) if isinstance(want, tuple) else [(got, want)]
    assert all(type(one) is type(other) for one, other in pairs)


def test_what_python_does_not_wrap_is_not_wrapped():
    compiled = ag.compile(pythons_overflow, fallback="error")
    with pytest.warns(UserWarning, match="too large for compiled code"):
        assert compiled(NEVER, 3) == 3**4096
    assert type(compiled(X + 9, 2**40)) is np.int64


@pytest.mark.native
def test_no_type_is_asked_for_in_the_loop(monkeypatch):
    seen = []
    run = driver.find_lifetimes
    monkeypatch.setattr(driver, "find_lifetimes", lambda graph, *rest: (seen.append(graph), run(graph, *rest))[1])
    ag.compile(longest_distinct, fallback="error")(X, 9)
    operations = [operation.name for operation in walk_block(seen[-1].block)]
    assert "pyint_subtract" not in operations and "pyint_add" not in operations
    assert operations.count("cond") == 2
