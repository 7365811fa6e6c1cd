"""Searches for the best number give the number, the type and the notes of Python's, and keep no note of the type in their loops."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ir.graph import walk_block
from autograph_jit.ir.types import I64
from autograph_jit.kernels import loop_passes

NAN = float("nan")


def largest(x):
    best = 0.0
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
    return best


def smallest_until(x):
    best = 1
    for v in x:
        if v < best:
            best = v
        if v == 7:
            break
    return best


def largest_by_max(x):
    best = -np.inf
    for i in range(len(x)):
        best = max(best, x[i])
    return best


def largest_of_pairs(x):
    best = 0.0
    for i in range(len(x)):
        for j in range(i):
            if x[i] * x[j] > best:
                best = x[i] * x[j]
    return best


def best_stretch(x):
    best = here = 0.0
    for i in range(len(x)):
        here = here + x[i]
        if here < 0.0:
            here = 0.0
        if here > best:
            best = here
    return best, here


def clamped_above_the_start(x):
    best = here = 0.0
    for i in range(len(x)):
        here = x[i]
        if here < 1.0:
            here = 1.0
        if here > best:
            best = here
    return best


def while_rising(x):
    best, i = 0, 0
    while i < len(x) and best < 5:
        if x[i] > best:
            best = x[i]
        i += 1
    return best, i


def not_strictly(x):
    best = 0.0
    for i in range(len(x)):
        if x[i] >= best:
            best = x[i]
    return best


def set_back(x):
    best = 0.0
    for i in range(len(x)):
        if x[i] > best:
            best = x[i]
        if x[i] == 3:
            best = 0.0
    return best


def with_its_place(x):
    best, where, found = 0.0, -1, 0
    for i in range(len(x)):
        if x[i] > best:
            best, where, found = x[i], i, 1
    return best, where, found


FUNCTIONS = [
    largest,
    smallest_until,
    largest_by_max,
    largest_of_pairs,
    best_stretch,
    clamped_above_the_start,
    while_rising,
    not_strictly,
    set_back,
    with_its_place,
]
NUMBERS = [[], [0.0], [-0.0], [-1.0, -2.0], [1.0, 3.0, 2.0], [NAN], [2.0, NAN, 4.0], [np.inf, -np.inf], [0.5, 7.0, 0.25], [3.0, 0.5, 0.0]]
TELLING = [largest, smallest_until, largest_by_max, largest_of_pairs, best_stretch, with_its_place]


def shown(result):
    return [(type(part), repr(part)) for part in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_search_gives_what_python_gives(function):
    compiled = ag.compile(function, fallback="error")
    for given in NUMBERS:
        x = np.array(given)
        assert shown(compiled(x)) == shown(function(x))


@pytest.mark.parametrize("function", [largest, smallest_until, while_rising, with_its_place], ids=lambda function: function.__name__)
def test_a_search_among_integers(function):
    compiled = ag.compile(function, fallback="error")
    for given in ([], [0], [-3, -1], [2, 9, 4], [7, 0, -5], [2**63 - 1, -(2**63)]):
        x = np.array(given, dtype=np.int64)
        assert shown(compiled(x)) == shown(function(x))


@pytest.mark.native
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_loops_carry_the_type_of_a_record_only_where_it_cannot_be_told(function, monkeypatch):
    seen = []
    plain = loop_passes.find_ranges
    monkeypatch.setattr(loop_passes, "find_ranges", lambda graph: (seen.append(graph), plain(graph))[1])
    ag.compile(function, fallback="error")(np.ones(30))
    (graph,) = dict.fromkeys(seen)
    loops = [operation for operation in walk_block(graph.block) if operation.name in ("for_loop", "while_loop")]
    carried = sum(result.type == I64 for loop in loops for result in loop.results)
    own = int(function in (with_its_place, best_stretch))  # a place, and the type of what is summed
    assert (carried == own) == (function in TELLING)
