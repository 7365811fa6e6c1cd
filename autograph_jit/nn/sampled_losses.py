"""Losses of many classes that look at a few of them, drawn at random: noise-contrastive estimation, sampled softmax. TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.nn.activations import log_softmax, softplus
from autograph_jit.nn.seeds import generator_of


def log_uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int | None = None
) -> tuple[Any, Any, Any]:
    """Classes drawn with the probability log(1 + 1 / (class + 1)) / log(range_max + 1): of words by falling frequency, about that of words.

    true_classes  of (batch, num_true); they do not decide what is drawn
    unique        no class twice: draws are repeated until `num_sampled` are different
    seed          the same classes at every call; the common generator where it is not given

    Gives the classes, of (num_sampled,), and how often each is expected among so many: the true ones, of (batch, num_true), and the drawn.
    Without repetition that is 1 - (1 - p)^tries, an estimate, since the number of draws is not known before.

    >>> classes, of_true, of_sampled = log_uniform_candidate_sampler(np.array([[0]]), 1, 4, True, 4, seed=0)
    >>> np.sort(classes).tolist()
    [0, 1, 2, 3]
    """
    if unique and num_sampled > range_max:
        raise ag.SettingError(f"num_sampled={num_sampled} different ones of range_max={range_max} classes: give at most that")
    generator = generator_of(seed)
    tries = num_sampled
    if unique:
        sampled, tries = draw_unique(generator, num_sampled, range_max)
    else:
        sampled = draw(generator, num_sampled, range_max)
    true = np.reshape(np.asarray(true_classes).astype(np.int64), (-1, num_true))
    return sampled, expected_count(true, tries, num_sampled, range_max), expected_count(sampled, tries, num_sampled, range_max)


def draw(generator: np.random.Generator, count: int, range_max: int) -> Any:
    """So many classes, by the inverse of the distribution function log(class + 1) / log(range_max + 1)."""
    classes = np.exp(generator.random(count) * np.log(range_max + 1.0)).astype(np.int64) - 1
    return np.minimum(classes, range_max - 1)  # exp may round up


def draw_unique(generator: np.random.Generator, count: int, range_max: int) -> tuple[Any, int]:
    """So many different classes, and the number of draws that it took."""
    sampled, is_drawn = np.zeros(count, np.int64), np.zeros(range_max, np.bool_)
    found, tries = 0, 0
    while found < count:
        for drawn in draw(generator, count, range_max):
            if found < count:
                tries += 1
                if not is_drawn[drawn]:
                    is_drawn[drawn] = True
                    sampled[found] = drawn
                    found += 1
    return sampled, tries


def expected_count(classes: Any, tries: int, num_sampled: int, range_max: int) -> Any:
    """How often each class is expected among `num_sampled`, which took so many draws."""
    p = np.log1p(1.0 / (classes + 1.0)) / np.log(range_max + 1.0)
    if tries == num_sampled:
        return p * num_sampled
    return -np.expm1(tries * np.log1p(-p))


def sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    subtract_log_q: bool,
    seed: int | None,
) -> tuple[Any, Any]:
    """The logits of the true classes, of (batch, num_true), and of those drawn, of (batch, num_sampled)."""
    true = np.reshape(np.asarray(labels).astype(np.int64), (-1, num_true))
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(true, num_true, num_sampled, True, num_classes, seed)
    sampled, of_true, of_sampled = sampled_values
    true_logits = np.sum(inputs[:, None, :] * weights[true], axis=2) + biases[true]
    logits = inputs @ weights[sampled].T + biases[sampled]
    if subtract_log_q:
        true_logits = true_logits - np.log(of_true).astype(logits.dtype)
        logits = logits - np.log(of_sampled).astype(logits.dtype)
    if remove_accidental_hits:
        is_hit = np.any(true[:, :, None] == sampled, axis=1)
        logits = np.where(is_hit, np.finfo(logits.dtype).min, logits)
    return true_logits, logits


def nce(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    *,
    subtract_log_q: bool = True,
    seed: int | None = None,
) -> Any:
    """Noise-contrastive estimation (Gutmann and Hyvarinen 2010), `tf.nn.nce_loss`: a loss for each row of inputs.

    weights, biases         of (num_classes, features) and (num_classes,)
    labels                  the true classes, of (batch, num_true), each with the weight 1 / num_true
    inputs                  of (batch, features)
    num_sampled             how many classes are drawn for the batch
    sampled_values          what `log_uniform_candidate_sampler` or a sampler of your own gave; drawn without repetition where it is None
    remove_accidental_hits  a drawn class that is true for a row does not count there
    subtract_log_q          the logarithm of the expected counts is subtracted from the logits, as the estimate needs it

    >>> nce(np.zeros((8, 2)), np.zeros(8), np.array([[3]]), np.ones((1, 2)), 4, 8, subtract_log_q=False).round(4)  # 5 * log(2)
    array([3.4657])
    """
    true_logits, logits = sampled_logits(
        *(weights, biases, labels, inputs, num_sampled, num_classes, num_true),
        *(sampled_values, remove_accidental_hits, subtract_log_q, seed),
    )
    return np.sum(softplus(true_logits) - true_logits / num_true, axis=1) + np.sum(softplus(logits), axis=1)


def sampled_softmax(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: int | None = None,
    *,
    subtract_log_q: bool = True,
) -> Any:
    """Softmax cross entropy over the true classes and some drawn ones (Jean et al. 2015), `tf.nn.sampled_softmax_loss`; for training alone.

    The arguments are those of `nce`.

    >>> sampled_softmax(np.zeros((8, 2)), np.zeros(8), np.array([[3]]), np.ones((1, 2)), 8, 8, subtract_log_q=False).round(4)  # log(8)
    array([2.0794])
    """
    true_logits, logits = sampled_logits(
        *(weights, biases, labels, inputs, num_sampled, num_classes, num_true),
        *(sampled_values, remove_accidental_hits, subtract_log_q, seed),
    )
    return -np.mean(log_softmax(np.concatenate([true_logits, logits], axis=1))[:, :num_true], axis=1)
