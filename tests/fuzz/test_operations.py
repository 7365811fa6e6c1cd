"""A few of the programs of one operation: `scripts/fuzz --operations` makes all."""

from __future__ import annotations

import pytest

from tests.fuzz.operations import PROGRAMS, operation_program_text
from tests.fuzz.oracle import MATCH, SKIPPED, judge
from tests.fuzz.programs import load

PARTS = 4
SEEDS = range(0, len(PROGRAMS), 611)


def test_each_kind_source_and_place_are_among_the_seeds() -> None:
    for part in (0, 2, 3):
        assert {PROGRAMS[seed][part] for seed in SEEDS} == {program[part] for program in PROGRAMS}


@pytest.mark.parametrize("part", range(PARTS))
def test_operations_do_what_python_does(part: int) -> None:
    for seed in SEEDS[part::PARTS]:
        verdict = judge(*load(operation_program_text(seed), f"operations {seed}"))
        assert verdict.kind in (MATCH, SKIPPED), f"seed {seed}: {verdict.reason}\n{operation_program_text(seed)[-600:]}"
