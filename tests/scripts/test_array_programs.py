"""The array programs of the suite compile-time: they are long enough, run in Python, and their first calls are judged."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from benchmarks.array_programs import child, suite
from benchmarks.array_programs.registry import BENCHMARKS
from benchmarks.contender import Contender


def test_programs_have_names_of_their_own_and_twenty_to_sixty_lines() -> None:
    assert len({case.name for case in BENCHMARKS}) == len(BENCHMARKS) >= 40
    for case in BENCHMARKS:
        text = inspect.getsource(case.plain).replace(inspect.getdoc(case.plain) or "", "")
        assert 20 <= sum(bool(line.strip(' "')) for line in text.splitlines()) <= 60, case.name


def test_every_program_runs_in_python_and_its_arguments_are_always_the_same() -> None:
    for case in BENCHMARKS:
        arguments = case.arguments(case.quick)
        np.testing.assert_equal(arguments, case.arguments(case.quick), case.name)
        assert case.plain(*arguments) is not None


def test_a_first_call_is_compared_with_python(monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(case for case in BENCHMARKS if case.name == "gas_tube")
    assert not child.measure(case, "ours")["fault"]
    wrong = Contender("ours", lambda case: lambda *arguments: (case.plain(*arguments)[0] + 1.0, 0))
    monkeypatch.setitem(child.TRIVIAL, "ours", (wrong, child.halve))
    assert "largest difference 1" in child.measure(case, "ours")["fault"]


def test_a_contender_that_fails_has_no_time_and_ours_a_fault() -> None:
    right, failed = {"seconds": 0.5, "fault": ""}, {"fault": "TypeError: no"}
    runs = {"cold": {"f": right}, "on disk": {"f": right}, "numba": {"f": failed}}
    assert suite.merge(runs, "f") == {"cold": 0.5, "on disk": 0.5, "fault": ""}
    assert suite.merge({"cold": {"f": right}, "on disk": {"f": failed}}, "f") == {"cold": 0.5, "fault": "TypeError: no"}


def test_the_table_has_a_line_for_each_program_and_the_quantiles_of_every_column() -> None:
    records = [{"fault": "", "cold": 0.1 * k, "on disk": 0.01 * k} | ({"numba": 5.0} if k == 1 else {}) for k in range(1, 12)]
    assert suite.row("heat", records[0]).split() == ["heat", "0.100", "0.010", "5.000"]
    assert suite.row("heat", {"fault": "cold: ValueError: no"}).endswith("cold: ValueError: no")
    assert suite.summary([*records, {"fault": "wrong"}]).splitlines() == [
        "1 of 12 programs are wrong or not compiled",
        "cold: 11 programs, median 0.600, 90th percentile 1.000, longest 1.100; ours cold, median 0.600",
        "on disk: 11 programs, median 0.060, 90th percentile 0.100, longest 0.110; ours cold, median 0.600",
        "numba: 1 programs, median 5.000, 90th percentile 5.000, longest 5.000; ours cold, median 0.100",
    ]
