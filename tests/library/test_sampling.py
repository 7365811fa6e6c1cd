"""choice, shuffle and permutation of NumPy's generators in compiled code: the same samples, states and errors."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.random_streams import SEED, state_of
from tests.tables import table

pytestmark = pytest.mark.native
KINDS = [np.random.Generator, np.random.RandomState]


def chosen(rng, n):
    total, x = 0.0, np.array([1.5, 2.5, 7.0])
    for _ in range(n):
        total += rng.choice(6) * rng.choice(x) + rng.choice([1, 2, 3])
    return total, rng.choice(10, 7), rng.choice(x, size=(2, n)), rng.choice(5)


def weighted(rng, n):
    found, p = np.zeros(n), np.array([0.1, 0.2, 0.3, 0.4])
    for k in range(n):
        found[k] = rng.choice(4, p=p)
    return found, rng.choice(4, size=(3, 5), p=p), rng.choice(p, p=p), rng.choice(np.arange(4), n, True, p)


def shuffled(rng, n):
    vector, matrix, items = np.arange(n), np.arange(4.0 * n).reshape(n, 4), list(range(n))
    rng.shuffle(vector)
    rng.shuffle(matrix)
    rng.shuffle(items)
    rng.shuffle(vector[::2])
    return vector, matrix, items


def permuted(rng, n):
    x = np.arange(3.0 * n).reshape(n, 3)
    return rng.permutation(n), rng.permutation(x[:, 0]), rng.permutation(x), rng.permutation([3, 1, 2, 5]), x


def without_replacement(rng, n):
    return rng.choice(n, 3, replace=False), rng.random()


def source(kind):
    return kind(np.random.PCG64(SEED))


@table("kind", KINDS)
@table("function", [chosen, weighted, shuffled, permuted, without_replacement])
def test_samples_and_states_are_those_of_numpy(function, kind) -> None:
    compiled, expected, found = ag.compile(function, fallback="error"), source(kind), source(kind)
    for n in (5, 40):
        assert repr(compiled(found, n)) == repr(function(expected, n))
        assert state_of(found) == state_of(expected)


@table("kind", KINDS)
@table("function", [chosen, weighted, shuffled, permuted])
def test_sampling_calls_no_python(function, kind) -> None:
    compiled = ag.compile(function, fallback="error")
    compiled(source(kind), 5)
    assert "host calls    none" in compiled.explain(source(kind), 5)


WRONG = [
    (0, None),
    (-1, None),
    (np.zeros(0), None),
    (2, np.array([0.5, 0.4])),
    (2, np.array([-0.5, 1.5])),
    (2, np.array([np.nan, 0.5])),
    (2, np.array([0.2, 0.3, 0.5])),
    (2, np.array([[0.5], [0.5]])),
]


@table("kind", KINDS)
@table("a, p", WRONG)
def test_wrong_choices_raise_the_errors_of_numpy(a, p, kind) -> None:
    def choose(rng, a, p):
        return rng.choice(a, p=p)

    texts = []
    for run in (choose, ag.compile(choose, fallback="error")):
        with pytest.raises(ValueError) as caught:
            run(source(kind), a, p)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
