"""A few of the random programs over records and values of several types; `scripts/fuzz --records` makes more."""

from __future__ import annotations

from tests.fuzz.oracle import MATCH, judge
from tests.fuzz.programs import load
from tests.fuzz.records import record_program_text

SEEDS = (2, 19, 375)


def test_programs_over_records_do_what_python_does() -> None:
    for seed in SEEDS:
        verdict = judge(*load(record_program_text(seed), f"records {seed}"))
        assert verdict.kind == MATCH, f"seed {seed}: {verdict.reason}\n{record_program_text(seed)}"
