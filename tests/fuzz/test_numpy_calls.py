"""Random NumPy calls with special values, and on guarded memory; `scripts/fuzz --nans` and `--canaries` make more of them."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from tests.fuzz.numpy_arguments import Recipe
from tests.fuzz.numpy_calls import call_text, judge_calls, names_of
from tests.fuzz.numpy_catalogue import ANY, INTEGERS, PLACES, REAL
from tests.fuzz.oracle import MATCH, REFUSED

SEEDS = range(4)


@pytest.mark.parametrize("suite", ("nans", "canaries"))
def test_random_calls_do_what_numpy_does(suite: str) -> None:
    verdicts = {seed: judge_calls(call_text(suite, seed), f"{suite}_{seed}") for seed in SEEDS}
    assert not {seed: verdict.reason for seed, verdict in verdicts.items() if verdict.kind not in (MATCH, REFUSED)}


def test_every_call_of_the_tables_is_one_and_has_arguments() -> None:
    for call in (*ANY, *REAL, *INTEGERS, *PLACES):
        for statement in call.split("; "):
            ast.parse(statement)
        assert names_of(call), call


def test_a_recipe_makes_equal_arguments_again() -> None:
    recipe = Recipe(dict.fromkeys("axyruk", "float32"), 5, 3, False)
    first, again = ([np.array(value) for value, _ in recipe.made()] for _ in range(2))
    assert all(np.array_equal(x, y, equal_nan=True) for x, y in zip(first, again, strict=True))


def test_a_write_beside_an_array_is_seen() -> None:
    recipe = Recipe({"x": "float64"}, 5, 3, False)
    (_, guard), *_ = recipe.made()
    assert guard is not None
    before = guard.region.tobytes()
    guard.region[np.flatnonzero(np.frombuffer(before, np.uint8) == 0xA5)[0]] = 1
    assert guard.region.tobytes() != before
