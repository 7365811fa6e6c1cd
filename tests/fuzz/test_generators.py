"""A few of the random programs over generators that are advanced elsewhere; `scripts/fuzz --generators` makes more."""

from __future__ import annotations

from tests.fuzz.generators import generator_program_text
from tests.fuzz.oracle import MATCH, judge
from tests.fuzz.programs import load

SEEDS = (2, 4, 10, 30)


def test_programs_over_generators_do_what_python_does() -> None:
    for seed in SEEDS:
        verdict = judge(*load(generator_program_text(seed), f"generators {seed}"))
        assert verdict.kind == MATCH, f"seed {seed}: {verdict.reason}\n{generator_program_text(seed)}"
