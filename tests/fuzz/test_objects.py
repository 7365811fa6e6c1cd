"""A few of the random programs over instances under several names; `scripts/fuzz --objects` makes more."""

from __future__ import annotations

from tests.fuzz.classes import judge_classes
from tests.fuzz.objects import made_program_text, object_program_text
from tests.fuzz.oracle import MATCH, judge
from tests.fuzz.programs import load

SEEDS = (0, 22, 25, 27, 52, 63, 129, 151, 901043)  # each of which once gave another result than Python
WHERE_MADE = (38, 65, 73, 88, 124)  # two were refused


def test_programs_over_instances_do_what_python_does() -> None:
    for seed in SEEDS:
        verdict = judge(*load(object_program_text(seed), f"objects {seed}"))
        assert verdict.kind == MATCH, f"seed {seed}: {verdict.reason}\n{object_program_text(seed)}"


def test_programs_that_make_instances_do_what_python_does() -> None:
    for seed in WHERE_MADE:
        verdict = judge_classes(made_program_text(seed), f"made {seed}")
        assert verdict.kind == MATCH, f"seed {seed}: {verdict.reason}\n{made_program_text(seed)}"
