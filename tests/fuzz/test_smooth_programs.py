"""Random smooth programs with fixed seeds: their derivatives are what differences give; `scripts/fuzz --gradients` makes longer runs."""

from __future__ import annotations

import os

import numpy as np
import pytest

from tests.fuzz.campaign import FAULTS, judge_text
from tests.fuzz.differences import NotedFunction, slope
from tests.fuzz.gradient_oracle import judge_gradients
from tests.fuzz.oracle import MATCH, MISMATCH, REFUSED
from tests.fuzz.smooth_programs import smooth_program_text

FIRST, PROGRAMS, BATCH = 2000, 88 if os.environ.get("CI") else 16, 8  # where one waits for the tests, fewer


@pytest.mark.parametrize("start", range(FIRST, FIRST + PROGRAMS, BATCH))
def test_derivatives_of_random_programs_are_what_differences_give(start: int) -> None:
    verdicts = {seed: judge_text(smooth_program_text(seed), str(seed), "", "gradients") for seed in range(start, start + BATCH)}
    assert not {seed: verdict.reason for seed, verdict in verdicts.items() if verdict.kind in FAULTS}
    assert sum(verdict.kind == REFUSED for verdict in verdicts.values()) <= BATCH // 2


RECURSION = """
import numpy as np


def horner(k, a, r):
    return a[k] if k == len(a) - 1 else a[k] + 0.7 * r * horner(k + 1, a, r)


def f(x, r, n):
    k = 0
    while True:
        k += 1
        if k > 5:
            break
        np.add.at(x, [1, 2], np.sin(x[3:5]))
        s = horner(0, x, x[-4])
        if k > n or k < 2:
            return np.sum(x) + r + s
    return np.sum(x * x) + r


CALLS = (lambda: (np.linspace(-0.5, 0.7, 9), 0.7, 2), lambda: (np.linspace(0.5, 0.1, 9), 0.3, 7))
"""


def test_a_recursion_through_python_on_an_array_that_is_written() -> None:
    verdict = judge_gradients(RECURSION, "recursion")  # forward mode failed with an internal error
    assert verdict.kind == MATCH, verdict.reason


def test_a_smooth_program_is_the_same_for_the_same_seed() -> None:
    assert smooth_program_text(7) == smooth_program_text(7) != smooth_program_text(8)


WRONG = """
import numpy as np
import autograph_jit as ag

@ag.custom_gradient
def half(t):
    return t * t, lambda ct: ct * t


def f(x, r, n):
    return half(r) + np.sum(x)


CALLS = (lambda: (np.array([1.0, 2.0]), 0.7, 1),)
"""


def test_a_wrong_derivative_is_found() -> None:
    verdict = judge_gradients(WRONG, "wrong", ways=("compiled", "grad"))
    assert verdict.kind == MISMATCH and verdict.reason.startswith("grad, call 0: element 2 of the gradient")


PATHS = """
def f(x):
    return x * x if x > 1 else abs(x - 0.5)


CALLS = ()
"""


def test_differences_tell_kinks_and_other_paths() -> None:
    noted = NotedFunction(PATHS, "paths")

    def derivative(at: float) -> float | None:
        found = slope(lambda numbers: noted((float(numbers[0]),)), np.array([at]), np.ones(1))
        return None if found is None else found.value

    assert derivative(1.0) is None and derivative(0.5) is None
    assert derivative(1.1) == pytest.approx(2.2, rel=1e-9) and derivative(1.0001) == pytest.approx(2.0002, rel=1e-8)


TILED = """
import numpy as np
def f(x, r, n):
    x[1] = 0
    return np.tile(x, 1).sum() * r + (np.tile(x, 2) ** n).sum()
CALLS = (lambda: (np.array([1.0, 2.0, 3.0])[::-1], 0.5, 2), lambda: (np.array([1.0, 2.0, 3.0]), 0.5, 3))
"""


@pytest.mark.parametrize("text", [smooth_program_text(500168), TILED], ids=["sizes_asked_for", "tiled_reversed_array"])
def test_program_that_once_had_no_derivative(text: str) -> None:
    assert judge_text(text, "once", "", "gradients").kind == MATCH
