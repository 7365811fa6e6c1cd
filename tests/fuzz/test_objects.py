"""A few of the random programs over instances under several names; `scripts/fuzz --objects` makes more."""

from __future__ import annotations

from tests.fuzz.objects import object_program_text
from tests.fuzz.oracle import MATCH, judge
from tests.fuzz.programs import load

SEEDS = (6, 12, 28, 74, 97)


def test_programs_over_instances_do_what_python_does() -> None:
    for seed in SEEDS:
        verdict = judge(*load(object_program_text(seed), f"objects {seed}"))
        assert verdict.kind == MATCH, f"seed {seed}: {verdict.reason}\n{object_program_text(seed)}"
