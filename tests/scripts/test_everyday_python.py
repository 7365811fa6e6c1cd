"""The suite everyday-python: its programs run in Python, and its runner judges right, wrong and endless ones."""

from __future__ import annotations

import collections
import importlib
import json
import math
import os
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.everyday_python import peers, suite
from benchmarks.everyday_python.judge import difference
from benchmarks.everyday_python.registry import PROGRAMS, choose

PACKAGE = Path(suite.__file__).parent

# A function that knows how often it was called: the first two calls are those of Python.
FAKE = '''"""Programs that a runner has to judge."""

import warnings
from benchmarks.everyday_python.program import Program

calls = []


def right(x):
    calls.append(0)
    return sum(x)


def wrong(x):
    calls.append(0)
    x.append(len(calls))
    return 1


def endless(x):
    calls.append(0)
    while len(calls) > 1:
        x[0] += 1
    return x


PROGRAMS = tuple(Program(function, lambda n: ([1] * n,), 5, 5) for function in (right, wrong, endless))
'''


def test_there_are_at_least_eighty_programs_with_names_of_their_own() -> None:
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS) >= 80
    assert [program.name for program in choose("sudoku")] == ["solve_sudoku"]
    assert {program.kind for program in choose("parsers")} == {"parsers"}


def test_every_program_runs_in_python_and_its_arguments_are_always_the_same() -> None:
    for program in PROGRAMS:
        for other in (program.size - 1, program.size - 2):
            program.function(*program.arguments(other))
        mine, other = program.arguments(program.quick), program.arguments(program.quick)
        assert not difference(mine, other), program.name
        assert not difference(program.function(*mine), program.function(*other)), program.name
        assert not difference(mine, other), f"{program.name}: arguments afterwards"


def test_files_of_programs_are_of_readable_length() -> None:
    long = {path.name: lines for path in PACKAGE.glob("*.py") if (lines := len(path.read_text().splitlines())) > 450}
    assert not long


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    (tmp_path / "fake_programs.py").write_text(FAKE)
    monkeypatch.syspath_prepend(tmp_path)
    return {program.name: program for program in importlib.import_module("fake_programs").PROGRAMS}


def test_runner_judges_right_wrong_and_endless_programs_and_resumes(fake: dict, tmp_path: Path, capsys) -> None:
    out = tmp_path / "figures.json"
    records = {record["program"]: record for record in suite.run(fake.values(), 1.0, False, out)}
    printed = capsys.readouterr().out
    assert suite.state(records["right"]).startswith(("compiled", "Python: ")) and suite.ratio(records["right"]) > 0
    assert suite.other_ratio(records["right"]) > 0 and not suite.fault(records["right"]) and records["right"]["ended"] == ""
    assert suite.fault(records["wrong"]) == "calls[1][0][5]: 3 instead of 2"
    assert records["endless"]["ended"] == "first call: no end within 1 s"
    assert math.isinf(suite.first_seconds(records["endless"])) and math.isnan(suite.ratio(records["endless"]))
    assert "without end: 1 (endless)" in printed and "wrong: 1 (wrong)" in printed
    known = json.loads(out.read_text())
    known["right"]["ours_s"] = 99.0
    out.write_text(json.dumps(known))
    assert suite.run([fake["right"]], 1.0, False, out)[0]["ours_s"] == 99.0


def test_summary_counts_by_first_call_ratio_and_reason() -> None:
    def call(seconds: float, reason: str = "") -> dict:
        return {"seconds": seconds, "fault": "", "reason": reason}

    quick = {"program": "quick", "python_s": 1.0, "ours_s": 0.25, "first_call": call(1.0), "second_call": call(0.25), "ended": ""}
    reason = "slow runs in Python, uncompiled:\nfile.py:3: why\n    x\nas it is"
    slow = quick | {"program": "slow", "ours_s": 4.0, "first_call": call(3.0, reason)}
    other = call(3.0) | {"python_s": 1.0}
    short = quick | {"program": "short", "python_s": 1e-6, "ours_s": 1.4e-6, "first_call": call(13.0), "other_call": other}
    said = suite.summary([quick, slow, short]).splitlines()
    assert said == [
        "3 programs",
        "3 called again: 1.12 x Python's time (geometric mean), most 4",
        "1 called with other arguments: 3 x Python's time (geometric mean), most 3",
        "slower than 1.1 x: 1 (slow)",
        "slower with others: 1 (short)",
        "first call over 2 s: 2 (slow, short)",
        "first call over 12 s: 1 (short)",
        "without end: 0 (none)",
        "end in Python: 1 (slow)",
        "wrong: 0 (none)",
    ]
    assert suite.state(slow) == "Python: file.py:3: why as it is" and suite.state(quick) == "compiled"


class Leaf:
    def __init__(self, value) -> None:
        self.value, self.owner = value, self


def test_judge_tells_values_that_differ() -> None:
    one, other = [1], [1]
    same = [
        (1.0, 1.0 + 1e-15),
        (math.nan, math.nan),
        ({"a": [1, (2, {3})]}, {"a": [1, (2, {3})]}),
        (np.arange(3), np.arange(3)),
        (Leaf([1]), Leaf([1])),
        ([one, one], [other, other]),
        (random.Random(1), random.Random(1)),
        (np.random.default_rng(1), np.random.default_rng(1)),
        (collections.deque([1], 3), collections.deque([1], 3)),
    ]
    apart = [
        (1.0, 1.0 + 1e-9),
        (1, 1.0),
        (True, 1),
        (np.float64(1), 1.0),
        ([1, 2], [1]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({1, 2}, {1, 3}),
        (np.arange(3), np.arange(3.0)),
        (np.arange(3), np.arange(3)[None]),
        (Leaf([1]), Leaf([2])),
        ([one, one], [[1], [1]]),
        ([[1], [1]], [one, one]),
        ([np.arange(3), np.arange(4)], [np.arange(3), -np.arange(4)]),
        (random.Random(1), random.Random(2)),
        (np.random.default_rng(1), np.random.default_rng(2)),
    ]
    assert [difference(a, b) for a, b in same] == [""] * len(same)
    assert all(difference(a, b) for a, b in apart), [k for k, (a, b) in enumerate(apart) if not difference(a, b)]


def test_another_python_is_timed_where_it_finds_the_same_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (program,) = choose("palindromes")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    (tmp_path / "pypy3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tmp_path / "pypy3").chmod(0o755)
    assert "pypy" in peers.installed() and 0.0 < peers.seconds("pypy", program, 500) < 0.1
    (uses_numpy,) = choose("scale_readings")
    assert peers.seconds("pypy", uses_numpy, uses_numpy.quick) is None


def test_numba_is_timed_where_it_compiles_the_program() -> None:
    (by_generator,), (of_classes,) = choose("walk_by_generator"), choose("run_bank")
    assert 0.0 < peers.seconds("numba", by_generator, by_generator.quick) < 0.1
    assert peers.seconds("numba", of_classes, of_classes.quick) is None
