"""Programs in which fuzzing found a fault do in every way what Python does."""

from __future__ import annotations

import pytest

from tests.differential.harness import Program
from tests.fuzz import container_regressions, control_regressions, numeric_regressions, regressions
from tests.fuzz.oracle import MATCH, Verdict, judge

PROGRAMS = [*regressions.PROGRAMS, *numeric_regressions.PROGRAMS, *container_regressions.PROGRAMS, *control_regressions.PROGRAMS]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_program_that_once_failed(program: Program) -> None:
    assert judge(program.function, program.calls) == Verdict(MATCH)
