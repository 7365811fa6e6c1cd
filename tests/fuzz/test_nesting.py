"""A few of the programs of blocks in one another: `scripts/fuzz --nested` makes all."""

from __future__ import annotations

import pytest

from tests.fuzz.nesting import BLOCKS, PROGRAMS, STATEMENTS, nested_program_text, parts_of
from tests.fuzz.oracle import MATCH, judge
from tests.fuzz.programs import load

PARTS = 4
OF_ONE = [
    next(seed for k in range(len(BLOCKS)) if parts_of(seed := statement * len(BLOCKS) + (5 * statement + k) % len(BLOCKS))[1] == statement)
    for statement in range(len(STATEMENTS))
]
SEEDS = [*OF_ONE, *range(PROGRAMS[0], PROGRAMS[0] + PROGRAMS[1], 2999)]



def test_each_statement_and_each_block_are_among_the_seeds() -> None:
    taken = [parts_of(seed) for seed in SEEDS]
    assert {statement for _, statement in taken} == set(range(len(STATEMENTS)))
    assert {block for blocks, _ in taken for block in blocks} == set(range(len(BLOCKS)))


@pytest.mark.parametrize("part", range(PARTS))
def test_nested_programs_do_what_python_does(part: int) -> None:
    for seed in SEEDS[part::PARTS]:
        verdict = judge(*load(nested_program_text(seed), f"nested {seed}"))
        assert verdict.kind == MATCH, f"seed {seed}: {verdict.reason}\n{nested_program_text(seed)[-600:]}"
