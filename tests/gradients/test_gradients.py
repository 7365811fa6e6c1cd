"""Gradients of programs as users write them, compiled without a fallback, against differences; some to second order."""

from __future__ import annotations

import pytest

from tests.gradients import alias_programs, field_programs, model_programs, object_programs, science_programs, solver_programs
from tests.gradients.harness import Program, fault_of

MODULES = (alias_programs, field_programs, model_programs, object_programs, science_programs, solver_programs)
PROGRAMS = [program for module in MODULES for program in module.PROGRAMS]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_gradient_of_a_program(program: Program) -> None:
    assert fault_of(program) is None
