"""A few of the random programs over containers among the arguments; `scripts/fuzz --containers` and `--helpers` make more."""

from __future__ import annotations

from tests.fuzz.containers import container_program_text
from tests.fuzz.helpers import helper_program_text
from tests.fuzz.oracle import MATCH, judge
from tests.fuzz.programs import load

SEEDS = (3, 12, 41)


def test_programs_over_container_arguments_do_what_python_does() -> None:
    for seed in SEEDS:
        verdict = judge(*load(container_program_text(seed), f"containers {seed}"))
        assert verdict.kind == MATCH, f"seed {seed}: {verdict.reason}\n{container_program_text(seed)}"


def test_programs_whose_functions_change_containers_do_what_python_does() -> None:
    for seed in (1001, 1004):
        verdict = judge(*load(helper_program_text(seed), f"helpers {seed}"))
        assert verdict.kind == MATCH, f"seed {seed}: {verdict.reason}\n{helper_program_text(seed)}"
