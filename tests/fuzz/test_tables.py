"""A few of the random programs over dicts and sets; `scripts/fuzz --tables` makes more."""

from __future__ import annotations

from tests.fuzz.oracle import MATCH, judge
from tests.fuzz.programs import load
from tests.fuzz.tables import table_program_text

SEEDS = range(6)


def test_programs_over_dicts_and_sets_do_what_python_does() -> None:
    for seed in SEEDS:
        verdict = judge(*load(table_program_text(seed), f"tables {seed}"))
        assert verdict.kind == MATCH, f"seed {seed}: {verdict.reason}\n{table_program_text(seed)}"
