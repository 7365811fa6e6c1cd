"""Tests of nn/sampled_losses.py: formulas written row by row in Python, frequencies of what is drawn, and that nothing overflows."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import nn
from autograph_jit.nn import losses

RNG = np.random.default_rng(7)
CLASSES, FEATURES = 12, 3
W, B, X = RNG.standard_normal((CLASSES, FEATURES)), RNG.standard_normal(CLASSES), RNG.standard_normal((4, FEATURES))
LABELS = np.array([[0, 3], [5, 1], [2, 11], [4, 0]])
SAMPLED = np.array([0, 7, 2, 9, 1])  # some of them true
OF_TRUE, OF_SAMPLED = RNG.uniform(0.1, 1, LABELS.shape), RNG.uniform(0.1, 1, len(SAMPLED))


def by_hand(name: str, remove: bool, subtract: bool) -> list[float]:
    """The losses of each row, number by number."""
    found = []
    for x, row, expected in zip(X, LABELS, OF_TRUE):
        true = [W[c] @ x + B[c] - subtract * math.log(q) for c, q in zip(row, expected)]
        noise = [W[c] @ x + B[c] - subtract * math.log(q) for c, q in zip(SAMPLED, OF_SAMPLED) if not (remove and c in row)]
        if name == "nce":
            sigmoid = [1 / (1 + math.exp(-z)) for z in true]
            loss = sum(-0.5 * math.log(p) - 0.5 * math.log(1 - p) for p in sigmoid)
            loss += sum(-math.log(1 - 1 / (1 + math.exp(-z))) for z in noise)
        else:
            total = sum(math.exp(z) for z in true + noise)
            loss = -sum(0.5 * math.log(math.exp(z) / total) for z in true)
        found.append(loss)
    return found


def test_sampled_losses_are_their_formulas_eager_and_compiled() -> None:
    for name in ("nce", "sampled_softmax"):
        for remove, subtract in ((False, True), (True, True), (True, False)):

            def both(w: Any, b: Any, x: Any) -> Any:
                with ag.GradientTape() as tape:
                    tape.watch(w, b, x)
                    found = getattr(losses, name)(
                        w, b, LABELS, x, 5, CLASSES, 2, (SAMPLED, OF_TRUE, OF_SAMPLED), remove, subtract_log_q=subtract
                    )
                return found, *tape.gradient(found, [w, b, x])

            tensors = [ag.asarray(a) for a in (W, B, X)]
            eager, compiled = both(*tensors), ag.compile(both, fallback="error")(*tensors)
            np.testing.assert_allclose(eager[0], by_hand(name, remove, subtract), rtol=1e-12)
            for mine, theirs in zip(eager, compiled, strict=True):
                np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-12)
        given = (LABELS, X, 5, CLASSES, 2, (SAMPLED, OF_TRUE, OF_SAMPLED), True)
        ag.testing.check_grads(lambda w, b: np.sum(getattr(losses, name)(w, b, *given)), (W, B), order=1, modes="rev")


def test_sampled_losses_stay_finite_far_out_and_in_float32() -> None:
    w, b, x = np.float32(1e4) * W.astype(np.float32), B.astype(np.float32), X.astype(np.float32)
    for loss in (losses.nce, losses.sampled_softmax):
        value, slopes = ag.value_and_grad(lambda w: np.sum(loss(w, b, LABELS, x, 5, CLASSES, 2, None, True, seed=1)))(w)
        assert value.dtype == slopes.dtype == np.float32 and np.isfinite(value) and np.all(np.isfinite(slopes)) and np.any(slopes)


def test_training_step_draws_the_same_classes_eager_and_compiled() -> None:
    w, b = ag.Variable(W), ag.Variable(B)

    def step(x: Any, labels: Any) -> Any:
        with ag.GradientTape() as tape:
            loss = np.mean(losses.nce(w, b, labels, x, 6, CLASSES, 2))
        return loss, *tape.gradient(loss, [w, b])

    compiled = ag.compile(step, fallback="error")
    runs = []
    for function in (step, compiled):
        nn.set_seed(5)
        runs.append([function(X, LABELS) for _ in range(3)])
    for eager, other in zip(*runs, strict=True):
        for one, two in zip(eager, other, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12)
    assert runs[0][0][0] != runs[0][1][0]
    assert [line.split()[2] for line in compiled.explain(X, LABELS).splitlines() if "host calls" in line] == ["none"]


def assert_frequencies(counts: Any, expected: Any, variances: Any) -> None:
    """None is further from what is expected than four standard deviations."""
    assert np.abs((counts - expected) / np.sqrt(variances)).max() < 4, counts / expected


P = np.array([math.log((c + 2) / (c + 1)) / math.log(CLASSES + 1) for c in range(CLASSES)])


def test_classes_are_drawn_with_their_probabilities() -> None:
    nn.set_seed(0)
    labels, n = np.array([[2, 0]]), 40_000
    drawn, of_true, of_drawn = losses.log_uniform_candidate_sampler(labels, 2, n, False, CLASSES)
    assert_frequencies(np.bincount(drawn, minlength=CLASSES), n * P, n * P * (1 - P))
    np.testing.assert_allclose(of_true, n * P[labels])
    np.testing.assert_allclose(of_drawn, n * P[drawn])


def test_different_classes_are_those_of_repeated_draws() -> None:
    nn.set_seed(0)
    exact = np.zeros(CLASSES)  # of three draws without repetition, over all orders
    for order in itertools.permutations(range(CLASSES), 3):
        a, b, c = P[list(order)]
        exact[list(order)] += a * b / (1 - a) * c / (1 - a - b)
    sampler, runs = ag.compile(losses.log_uniform_candidate_sampler, fallback="error"), 3000
    counts = np.zeros(CLASSES)
    for _ in range(runs):
        drawn, of_true, of_drawn = sampler(np.arange(CLASSES)[None], CLASSES, 3, True, CLASSES)
        counts[drawn] += 1
        assert np.array_equal(of_true[0, drawn], of_drawn)
        tries = np.log(1 - of_true[0]) / np.log(1 - P)  # one number, and a whole one, where a draw was repeated; 3 * P otherwise
        np.testing.assert_allclose(of_true[0], 3 * P if round(tries[-1]) == 3 else 1 - (1 - P) ** round(tries[-1]), rtol=1e-9)
    assert_frequencies(counts, runs * exact, runs * exact * (1 - exact))
    assert sorted(losses.log_uniform_candidate_sampler([[0]], 1, CLASSES, True, CLASSES, seed=3)[0].tolist()) == list(range(CLASSES))
    with pytest.raises(ag.SettingError, match="num_sampled=13 different ones of range_max=12"):
        losses.log_uniform_candidate_sampler([[0]], 1, 13, True, CLASSES)
