"""Lists and tuples of a module that hold a few lists or tuples: data at the places of a loop too, the caller's own where they change."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

STAGES: list[list[float]] = []
MOVES = ((), (1, 2), (0,), (3, 1, 2), (2,))
PAIRS = [(1.5, 2), (0.5, 7), (2.5, 1), (4.0, 0), (3.5, 5), (1.0, 4)]


def begin() -> None:
    STAGES[:] = [[], [0.2], [0.075, 0.225], [1.0, -3.5, 3.25], [2.0, -1.5, 0.5, 0.125], [0.5, 0.25, 0.125, 2.0, 1.0]]


def stages(x: float) -> Any:
    """A method of Runge and Kutta; the last row by its number."""
    slopes, total = np.zeros(6), 0.0
    for s in range(6):
        y = x
        for r in range(s):
            y += STAGES[s][r] * slopes[r]
        slopes[s] = np.cos(y)
    for s in range(5):
        total += STAGES[5][s] * slopes[s]
    return total, slopes


def steps(x: float) -> Any:
    total, place = x, 1
    for k in range(40):
        for move in MOVES[place]:
            total += move * 0.5
        place = (place * 3 + k + len(MOVES[place])) % 5
    for k in range(6):
        weight, shift = PAIRS[k]
        total = total * weight + shift
    return total, place


def lengthened(x: float) -> Any:
    total = 0.0
    for s in range(6):
        total += sum(STAGES[s])
    STAGES[1].append(x)
    for s in range(6):
        total = total * 0.5 + len(STAGES[s])
    return total, STAGES[1]


def kept(x: float) -> Any:
    found = []
    for s in range(6):
        found.append(STAGES[s])
    found[2].append(x)
    return found, [row is STAGES[5] for row in found]


def exchanged(x: float) -> Any:
    for s in range(5):
        STAGES[s], STAGES[s + 1] = STAGES[s + 1], STAGES[s]
    return len(STAGES[0]), STAGES[5]


class Board:
    def __init__(self) -> None:
        self.rows = [[(3 * i + j) % 5 for j in range(6)] for i in range(4)]

    def shift(self, count: int) -> int:
        for k in range(count):
            self.rows[k % 4][k * k % 6] = self.rows[(k + 1) % 4][k % 6] + k
        return sum(self.rows[2]) + self.rows[-1][3]


def test_few_rows_of_an_instance_are_read_in_and_go_back() -> None:
    board, other = Board(), Board()
    compiled = ag.compile(Board.shift, fallback="error")
    for count in (50, 7, 50):
        assert (compiled(board, count), board.rows) == (Board.shift(other, count), other.rows)
    assert "list[list[i64]]" in str(compiled.graph(board, 50)) and "host_call" not in str(compiled.graph(board, 50))


@pytest.mark.parametrize("function", [stages, steps])
def test_few_rows_that_are_only_read_are_data_at_the_places_of_a_loop(function: Callable[..., Any]) -> None:
    begin()
    compiled = ag.compile(function, fallback="error")
    for x in (0.5, -1.25):
        assert repr(compiled(x)) == repr(function(x))
    assert "host_call" not in str(compiled.graph(0.5))
    STAGES[3][1] = 17.0
    STAGES.reverse() if function is steps else STAGES[5].append(3.0)
    assert repr(compiled(0.5)) == repr(function(0.5))


def test_few_rows_of_a_module_are_constants_to_a_gradient() -> None:
    begin()
    slope = ag.grad(ag.compile(lambda x: stages(x)[0], fallback="error"))(0.5)
    assert abs(slope - (stages(0.5 + 1e-6)[0] - stages(0.5 - 1e-6)[0]) / 2e-6) < 1e-8


@pytest.mark.parametrize("function", [lengthened, kept, exchanged])
def test_few_rows_that_change_are_the_modules_own(function: Callable[..., Any]) -> None:
    compiled, seen = ag.compile(function, fallback="error"), []
    for each in (function, compiled):
        begin()
        seen.append([copy.deepcopy((each(x), STAGES)) for x in (0.5, 2.0)])
    assert seen[0] == seen[1]
