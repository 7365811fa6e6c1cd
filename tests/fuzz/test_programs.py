"""Random programs with fixed seeds: plain, converted, eager, interpreted and compiled do the same; `scripts/fuzz` makes longer runs."""

from __future__ import annotations

import os

import pytest

from tests.fuzz.campaign import FAULTS, judge_text
from tests.fuzz.oracle import MATCH, REFUSED
from tests.fuzz.programs import program_text
from tests.fuzz.shrinking import shrink

PROGRAMS, BATCH = 200 if os.environ.get("CI") else 40, 8  # where one waits for the tests, fewer
DIVIDED = range(7_000_000, 7_000_024)


@pytest.mark.parametrize("start", range(0, PROGRAMS, BATCH))
def test_random_programs_do_what_python_does(start: int) -> None:
    verdicts = {seed: judge_text(program_text(seed), str(seed)) for seed in range(start, start + BATCH)}
    assert not {seed: verdict.reason for seed, verdict in verdicts.items() if verdict.kind in FAULTS}
    assert sum(verdict.kind == REFUSED for verdict in verdicts.values()) <= BATCH // 2


def test_random_programs_with_their_loops_in_python() -> None:
    verdicts = {seed: judge_text(program_text(seed), str(seed), suite="divided") for seed in DIVIDED}
    assert not {seed: verdict.reason for seed, verdict in verdicts.items() if verdict.kind in FAULTS}
    assert sum(verdict.kind == MATCH for verdict in verdicts.values()) >= len(DIVIDED) // 4


def test_a_program_is_the_same_for_the_same_seed() -> None:
    assert program_text(7) == program_text(7) != program_text(8)


FAILING = """
def f(x, n):
    a = 1
    for i in range(n):
        x[0] = a // 0
        a += 1
    return x, a


CALLS = (lambda: (1, 2), lambda: (3, 4))
"""


def test_shrinking_keeps_what_fails() -> None:
    small = shrink(FAILING, lambda candidate: "// 0" in candidate)
    assert "// 0" in small and "for" not in small and small.count("lambda") == 1
