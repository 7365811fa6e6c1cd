"""Losses: functions that give a number for each item, and classes that give their mean. Names and defaults are Keras'."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.nn.activations import log_softmax
from autograph_jit.nn.sampled_losses import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from autograph_jit.nn.sampled_losses import nce as nce
from autograph_jit.nn.sampled_losses import sampled_softmax as sampled_softmax

EPSILON = 1e-7  # probabilities are kept this far from 0 and 1 before their logarithm is taken


def like(y_true: Any, y_pred: Any) -> Any:
    """The truth in the dtype of the prediction, so that nothing is promoted."""
    y_true = y_true if hasattr(y_true, "dtype") else np.asarray(y_true)
    return y_true.astype(y_pred.dtype) if y_true.dtype != y_pred.dtype else y_true


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of squared differences along the last axis."""
    difference = y_pred - like(y_true, y_pred)
    return np.mean(difference * difference, axis=-1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of absolute differences along the last axis."""
    return np.mean(np.abs(y_pred - like(y_true, y_pred)), axis=-1)


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Half the square of differences up to `delta`, and from there on linear: the mean along the last axis."""
    size = np.abs(y_pred - like(y_true, y_pred))
    inner = np.minimum(size, delta)
    return np.mean(inner * (size - 0.5 * inner), axis=-1)


def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """The sum of y_true * log(y_true / y_pred) along the last axis, of probabilities."""
    y_true, y_pred = clipped(like(y_true, y_pred)), clipped(y_pred)
    return np.sum(y_true * np.log(y_true / y_pred), axis=-1)


def binary_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1) -> Any:
    """The mean of -log(probability of the truth), 0 or 1, along an axis; y_pred are probabilities of 1, or their logits."""
    y_true = like(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1 - label_smoothing) + 0.5 * label_smoothing
    if from_logits:
        return np.mean(np.maximum(y_pred, 0) - y_pred * y_true + np.log1p(np.exp(-np.abs(y_pred))), axis=axis)
    p = clipped(y_pred)
    return np.mean(-(y_true * np.log(p) + (1 - y_true) * np.log(1 - p)), axis=axis)


def categorical_crossentropy(y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1) -> Any:
    """The sum of -y_true * log(y_pred) along an axis; y_true are probabilities, y_pred probabilities or logits."""
    y_true = like(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1 - label_smoothing) + label_smoothing / y_pred.shape[axis]
    return -np.sum(y_true * logarithms(y_pred, from_logits, axis), axis=axis)


def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, ignore_class: int | None = None, axis: int = -1
) -> Any:
    """-log of what y_pred, probabilities or logits along an axis, gives the class y_true; 0 where that is `ignore_class`.

    >>> sparse_categorical_crossentropy(np.array([1]), np.array([[0.0, 0.0]]), from_logits=True).round(4)
    array([0.6931])
    """
    classes = np.asarray(y_true).astype(np.int64)
    counts = None if ignore_class is None else classes != ignore_class
    if counts is not None:
        classes = np.where(counts, classes, 0)
    found = np.take_along_axis(logarithms(y_pred, from_logits, axis), np.expand_dims(classes, axis), axis=axis)
    losses = -np.reshape(found, classes.shape)
    return losses if counts is None else np.where(counts, losses, 0)


def logarithms(y_pred: Any, from_logits: bool, axis: int) -> Any:
    """The logarithms of probabilities, which are given or whose logits are."""
    if from_logits:
        return log_softmax(y_pred, axis)
    return np.log(clipped(y_pred / np.sum(y_pred, axis=axis, keepdims=True)))


def clipped(p: Any) -> Any:
    """Probabilities whose logarithm is finite, that of the complement too."""
    return np.minimum(np.maximum(p, EPSILON), 1 - EPSILON)


class Loss:
    """The mean of a loss over all items; called with (y_true, y_pred, sample_weight=None).

    function   gives the loss of each item; `options` are its keyword arguments
    reduction  "sum_over_batch_size", "sum", or None: a number for each item
    """

    def __init__(self, function: Callable[..., Any], reduction: str | None = "sum_over_batch_size", **options: Any) -> None:
        if reduction not in ("sum_over_batch_size", "sum", None):
            raise ag.SettingError(f'reduction={reduction!r} of a loss: give "sum_over_batch_size", "sum" or None')
        self.function, self.reduction, self.options = function, reduction, options

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        losses = self.function(y_true, y_pred, **self.options)
        if sample_weight is not None:
            losses = losses * like(sample_weight, losses)
        if self.reduction is None:
            return losses
        return np.mean(losses) if self.reduction == "sum_over_batch_size" else np.sum(losses)


class MeanSquaredError(Loss):
    """The mean of `mean_squared_error`."""

    def __init__(self, reduction: str | None = "sum_over_batch_size") -> None:
        super().__init__(mean_squared_error, reduction)


class MeanAbsoluteError(Loss):
    """The mean of `mean_absolute_error`."""

    def __init__(self, reduction: str | None = "sum_over_batch_size") -> None:
        super().__init__(mean_absolute_error, reduction)


class Huber(Loss):
    """The mean of `huber`."""

    def __init__(self, delta: float = 1.0, reduction: str | None = "sum_over_batch_size") -> None:
        super().__init__(huber, reduction, delta=delta)


class KLDivergence(Loss):
    """The mean of `kl_divergence`."""

    def __init__(self, reduction: str | None = "sum_over_batch_size") -> None:
        super().__init__(kl_divergence, reduction)


class BinaryCrossentropy(Loss):
    """The mean of `binary_crossentropy`."""

    def __init__(
        self, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1, reduction: str | None = "sum_over_batch_size"
    ) -> None:
        super().__init__(binary_crossentropy, reduction, from_logits=from_logits, label_smoothing=label_smoothing, axis=axis)


class CategoricalCrossentropy(Loss):
    """The mean of `categorical_crossentropy`."""

    def __init__(
        self, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1, reduction: str | None = "sum_over_batch_size"
    ) -> None:
        super().__init__(categorical_crossentropy, reduction, from_logits=from_logits, label_smoothing=label_smoothing, axis=axis)


class SparseCategoricalCrossentropy(Loss):
    """The mean of `sparse_categorical_crossentropy`."""

    def __init__(
        self, from_logits: bool = False, ignore_class: int | None = None, reduction: str | None = "sum_over_batch_size", axis: int = -1
    ) -> None:
        super().__init__(sparse_categorical_crossentropy, reduction, from_logits=from_logits, ignore_class=ignore_class, axis=axis)
