"""Figures of yes and no by thresholds: counts of hits and false alarms, precision, recall, area under a curve; confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

import autograph_jit as ag
from autograph_jit.metrics.metric import Metric, alike, divide, weights_of, without_tape


class Counts(Metric):
    """Weights of the samples found yes at each threshold: those that are (true positives) and are not (false positives), and of all.

    A sample is found yes where its score is larger than the threshold; a NaN never is. `y_true` is yes where it is not 0.
    """

    def __init__(self, thresholds: Any, name: str | None = None) -> None:
        super().__init__(name)
        self.thresholds = np.sort(np.asarray(thresholds, np.float64))
        self.true_positives = self.add_variable(self.thresholds.shape, "true_positives")
        self.false_positives = self.add_variable(self.thresholds.shape, "false_positives")
        self.positives, self.negatives = self.add_variable((), "positives"), self.add_variable((), "negatives")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        y_true, y_pred = alike(y_true, y_pred)
        weights = weights_of(y_pred, sample_weight)
        while weights.ndim < y_pred.ndim:
            weights = weights[..., None]
        weights = (weights * np.ones(y_pred.shape)).ravel()
        scores, is_yes = y_pred.astype(np.float64).ravel(), y_true.ravel() != 0
        below = np.where(np.isnan(scores), 0, np.searchsorted(self.thresholds, scores))  # how many thresholds a score exceeds
        hits, alarms = np.where(is_yes, weights, 0.0), np.where(is_yes, 0.0, weights)
        self.true_positives.assign_add(exceeding(below, hits, len(self.thresholds)))
        self.false_positives.assign_add(exceeding(below, alarms, len(self.thresholds)))
        self.positives.assign_add(np.sum(hits))
        self.negatives.assign_add(np.sum(alarms))


def exceeding(below: Any, weights: Any, count: int) -> Any:
    """For each of the thresholds in order, the weight of what exceeds it."""
    by_number = np.bincount(below, weights, minlength=count + 1)
    return np.cumsum(by_number[::-1])[::-1][1:]


class ByThreshold(Counts):
    """A figure for each of `thresholds`: a number for one (0.5 where none is given), an array in their order for a list."""

    def __init__(self, thresholds: float | Sequence[float] | None = None, name: str | None = None) -> None:
        given = np.asarray(0.5 if thresholds is None else thresholds, np.float64)
        super().__init__(np.unique(given), name)
        self.places = np.searchsorted(self.thresholds, given)


class Precision(ByThreshold):
    """The share of yes among those found yes; 0 where none was.

    >>> Precision()([0, 1, 1, 1], [0.9, 0.2, 0.7, 0.8])
    np.float64(0.6666666666666666)
    """

    def result(self) -> Any:
        true = self.true_positives.numpy()
        return divide(true, true + self.false_positives.numpy())[self.places]


class Recall(ByThreshold):
    """The share of those found yes among the yes; 0 where there are none.

    >>> Recall(thresholds=[0.1, 0.5])([0, 1, 1, 1], [0.9, 0.2, 0.7, 0.8]).round(3)
    array([1.   , 0.667])
    """

    def result(self) -> Any:
        return divide(self.true_positives.numpy(), self.positives.numpy())[self.places]


class AUC(Counts):
    """The area under a curve through `num_thresholds` points, of scores between 0 and 1.

    curve: "ROC", recall over the share of false alarms, or "PR", precision over recall. summation_method: "interpolation", of ROC the
    trapezoids, of PR by the formula of Davis and Goadrich (2006); "minoring" and "majoring" bound it from below and above. thresholds:
    points of your own between 0 and 1.

    >>> AUC(num_thresholds=3)([0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9])
    np.float64(0.75)
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: Literal["ROC", "PR"] = "ROC",
        summation_method: Literal["interpolation", "minoring", "majoring"] = "interpolation",
        name: str | None = None,
        *,
        thresholds: Sequence[float] | None = None,
    ) -> None:
        if curve not in ("ROC", "PR") or summation_method not in ("interpolation", "minoring", "majoring") or num_thresholds < 2:
            raise ag.SettingError(f"AUC: no curve {curve!r} by {summation_method!r} of {num_thresholds} thresholds")
        inner = np.linspace(0.0, 1.0, num_thresholds)[1:-1] if thresholds is None else np.asarray(thresholds)
        super().__init__([-1e-7, *inner, 1.0 + 1e-7], name)
        self.curve, self.summation_method = curve, summation_method

    def result(self) -> Any:
        true, found = self.true_positives.numpy(), self.true_positives.numpy() + self.false_positives.numpy()
        recall = divide(true, self.positives.numpy())
        if self.curve == "PR" and self.summation_method == "interpolation":
            return divide(pr_area(true, found), self.positives.numpy())
        if self.curve == "PR":
            x, y = recall, divide(true, found)
        else:
            x, y = divide(self.false_positives.numpy(), self.negatives.numpy()), recall
        if self.summation_method == "interpolation":
            heights = (y[:-1] + y[1:]) / 2
        else:
            heights = (np.minimum if self.summation_method == "minoring" else np.maximum)(y[:-1], y[1:])
        return np.sum((x[:-1] - x[1:]) * heights)


def pr_area(true: Any, found: Any) -> Any:
    """The area under precision over true positives, both linear in the number found between two thresholds."""
    more, fewer = found[:-1], found[1:]
    slope = divide(true[:-1] - true[1:], more - fewer)
    offset = true[1:] - slope * fewer
    ratio = np.where((more > 0) & (fewer > 0), divide(more, fewer), 1.0)
    return np.sum(slope * (true[:-1] - true[1:] + offset * np.log(ratio)))


def confusion_matrix(labels: Any, predictions: Any, num_classes: int | None = None, weights: Any = None) -> Any:
    """How often each class (row) was taken for each (column): int64, or with weights the sums of these, float64.

    >>> confusion_matrix([1, 2, 4], [2, 2, 4], num_classes=5)[2]
    array([0, 0, 1, 0, 0])
    """
    labels, predictions = alike(labels, predictions)
    labels, predictions = labels.astype(np.int64), predictions.astype(np.int64)
    first = min(np.min(labels, initial=0), np.min(predictions, initial=0))
    last = max(np.max(labels, initial=-1), np.max(predictions, initial=-1))
    classes = int(last) + 1 if num_classes is None else num_classes
    if first < 0 or last >= classes:
        raise ag.SettingError(f"confusion_matrix: classes from {first} to {last}; they are numbered from 0 to {classes - 1}")
    places = (labels * classes + predictions).ravel()
    if weights is None:
        return np.bincount(places, minlength=classes * classes).reshape(classes, classes)
    given = (without_tape(weights) * np.ones(labels.shape)).ravel()
    return np.bincount(places, given, minlength=classes * classes).reshape(classes, classes)
