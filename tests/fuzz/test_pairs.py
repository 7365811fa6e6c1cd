"""A few of the pairs of a kind of value and a use of it, and of two kinds under an operator; `scripts/fuzz --pairs` makes all."""

from __future__ import annotations

import pytest

from tests.fuzz.oracle import MATCH, judge
from tests.fuzz.pairs import ALL, KINDS, PAIRS, USES, pair_program_text
from tests.fuzz.programs import load

PARTS = 8
SEEDS = [*range(0, PAIRS, 37), *range(PAIRS, ALL, 331)]


def test_each_kind_and_each_use_are_among_the_seeds() -> None:
    taken = [divmod(seed, len(KINDS)) for seed in SEEDS if seed < PAIRS]
    assert {kind for _, kind in taken} == set(range(len(KINDS)))
    assert {use for use, _ in taken} == set(range(len(USES)))


@pytest.mark.parametrize("part", range(PARTS))
def test_pairs_do_what_python_does(part: int) -> None:
    for seed in SEEDS[part::PARTS]:
        verdict = judge(*load(pair_program_text(seed), f"pairs {seed}"))
        assert verdict.kind == MATCH, f"seed {seed}: {verdict.reason}\n{pair_program_text(seed)[-600:]}"
