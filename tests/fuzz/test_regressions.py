"""Programs in which fuzzing found a fault do in every way what Python does."""

from __future__ import annotations

import pytest

from tests.differential.harness import Program, differences
from tests.fuzz import (
    array_regressions,
    attribute_regressions,
    callback_regressions,
    container_regressions,
    control_regressions,
    kind_regressions,
    nested_regressions,
    numeric_regressions,
    order_regressions,
    regressions,
    sequence_regressions,
    update_regressions,
)
from tests.fuzz.oracle import MATCH, Verdict, judge

PROGRAMS = [*regressions.PROGRAMS, *numeric_regressions.PROGRAMS, *container_regressions.PROGRAMS, *control_regressions.PROGRAMS]
PROGRAMS += kind_regressions.PROGRAMS
LATER = [*attribute_regressions.PROGRAMS, *callback_regressions.PROGRAMS, *update_regressions.PROGRAMS, *order_regressions.PROGRAMS]
LATER += [*sequence_regressions.PROGRAMS, *array_regressions.PROGRAMS, *nested_regressions.PROGRAMS]
PROGRAMS += [program for program in LATER if not program.refused]
REFUSED = [program for program in LATER if program.refused]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_program_that_once_failed(program: Program) -> None:
    assert judge(program.function, program.calls) == Verdict(MATCH)


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.name)
def test_program_that_once_went_wrong_is_refused(program: Program) -> None:
    assert differences(program) is None
