"""Metrics against figures counted sample by sample in Python; weights, batches, edges; compiled and eager alike."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import metrics
from tests.tables import table

RAISING = {"f-string", "SettingError", "raise_"}  # host calls of errors for shapes that do not fit
GENERATOR = np.random.default_rng(0)
COUNT = 60
CLASSES = GENERATOR.integers(0, 7, COUNT)
SCORES = GENERATOR.random((COUNT, 7)).round(1)  # with equal scores among them
WEIGHTS = GENERATOR.integers(0, 4, COUNT) / 2
YES = GENERATOR.random(COUNT) < 0.4
CHANCES = np.clip(0.6 * GENERATOR.random(COUNT) + 0.3 * YES, 0, 1).round(2)


def mean(values: Any, weights: Any) -> float:
    return math.fsum(v * w for v, w in zip(values, weights)) / math.fsum(weights)


def share(true: float, of: float) -> float:
    return true / of if of else 0.0


def found(threshold: float, weights: Any, answer: bool) -> float:
    return math.fsum(w for yes, chance, w in zip(YES, CHANCES, weights) if chance > threshold and yes == answer)


def precision(threshold: float, weights: Any) -> float:
    return share(found(threshold, weights, True), found(threshold, weights, True) + found(threshold, weights, False))


def recall(threshold: float, weights: Any) -> float:
    return share(found(threshold, weights, True), math.fsum(w for yes, w in zip(YES, weights) if yes))


def fallout(threshold: float, weights: Any) -> float:
    return share(found(threshold, weights, False), math.fsum(w for yes, w in zip(YES, weights) if not yes))


def points(count: int) -> list[float]:
    return [-1e-7, *(i / (count - 1) for i in range(1, count - 1)), 1 + 1e-7]


def area(x: Any, y: Any, height: Any, weights: Any, count: int) -> float:
    xs, ys = [x(t, weights) for t in points(count)], [y(t, weights) for t in points(count)]
    return math.fsum((xs[i] - xs[i + 1]) * height(ys[i], ys[i + 1]) for i in range(count - 1))


def pr_area(weights: Any, count: int) -> float:
    """The integral of Davis and Goadrich (2006), by many small steps in place of a logarithm."""
    total, parts = 0.0, 20_000
    for above, below in zip(points(count)[1:], points(count)):
        true, alarms = found(above, weights, True), found(above, weights, False)
        more, more_alarms = found(below, weights, True) - true, found(below, weights, False) - alarms
        middles = (np.arange(parts) + 0.5) / parts
        if more:
            total += float(np.mean((true + more * middles) / (true + more * middles + alarms + more_alarms * middles))) * more
    return total / math.fsum(w for yes, w in zip(YES, weights) if yes)


def rank(row: Any, target: int) -> int:
    return sum(score > row[target] for score in row)


CASES: list[Any] = [
    ("Mean", metrics.Mean(), (CHANCES,), lambda w: mean(CHANCES, w)),
    ("MeanSquaredError", metrics.MeanSquaredError(), (YES, CHANCES), lambda w: mean([(y - c) ** 2 for y, c in zip(YES, CHANCES)], w)),
    ("rows", metrics.MeanSquaredError(), (SCORES, SCORES * 2), lambda w: mean([sum(v * v for v in row) / 7 for row in SCORES], w)),
    ("Accuracy", metrics.Accuracy(), (CLASSES, CLASSES // 2), lambda w: mean([c == c // 2 for c in CLASSES], w)),
    (
        "Sparse",
        metrics.SparseCategoricalAccuracy(),
        (CLASSES, SCORES),
        lambda w: mean([max(range(7), key=row.__getitem__) == c for row, c in zip(SCORES, CLASSES)], w),
    ),
    (
        "TopK",
        metrics.TopKCategoricalAccuracy(3),
        (np.eye(7)[CLASSES], SCORES),
        lambda w: mean([rank(row, c) < 3 for row, c in zip(SCORES, CLASSES)], w),
    ),
    ("Precision", metrics.Precision(), (YES, CHANCES), lambda w: precision(0.5, w)),
    ("Precisions", metrics.Precision([0.7, 0.2]), (YES, CHANCES), lambda w: [precision(0.7, w), precision(0.2, w)]),
    ("Recall", metrics.Recall(0.3), (YES, CHANCES), lambda w: recall(0.3, w)),
    ("Recalls", metrics.Recall([0.3, 1.0, 0.3]), (YES, CHANCES), lambda w: [recall(0.3, w), 0.0, recall(0.3, w)]),
    ("ROC", metrics.AUC(), (YES, CHANCES), lambda w: area(fallout, recall, lambda a, b: (a + b) / 2, w, 200)),
    ("ROC below", metrics.AUC(9, summation_method="minoring"), (YES, CHANCES), lambda w: area(fallout, recall, min, w, 9)),
    ("PR above", metrics.AUC(9, "PR", "majoring"), (YES, CHANCES), lambda w: area(recall, precision, max, w, 9)),
    ("PR", metrics.AUC(9, "PR"), (YES, CHANCES), lambda w: pr_area(w, 9)),
]
each_case = table("name, metric, arrays, expected", CASES, ids=lambda value: value if isinstance(value, str) else "")


@each_case
def test_figures_over_batches_equal_those_counted_one_by_one(name: str, metric: metrics.Metric, arrays: Any, expected: Any) -> None:
    for weights in (None, WEIGHTS):
        metric.reset_state()
        for part in (slice(0, 20), slice(20, 20), slice(20, COUNT)):
            batch = [array[part] for array in arrays]
            result = metric(*batch) if weights is None else metric(*batch, sample_weight=weights[part])
        wanted = expected(np.ones(COUNT) if weights is None else weights)
        np.testing.assert_allclose(result, wanted, rtol=1e-6 if name == "PR" else 1e-12)


@each_case
def test_compiled_updates_equal_eager_ones_and_are_native(name: str, metric: metrics.Metric, arrays: Any, expected: Any) -> None:
    @ag.compile(fallback="error")
    def update(batch: Any, weights: Any) -> Any:
        return metric(*batch, sample_weight=weights)

    metric.reset_state()
    plain = metric(*arrays, sample_weight=WEIGHTS)
    metric.reset_state()
    np.testing.assert_allclose(update(arrays, WEIGHTS), plain, rtol=1e-13)
    called = update.explain(arrays, WEIGHTS).partition("host calls")[2].partition("memory")[0]
    assert set(re.findall(r"(\S+)  at ", called)) <= RAISING


@each_case
def test_nothing_gives_zero(name: str, metric: metrics.Metric, arrays: Any, expected: Any) -> None:
    metric.reset_state()
    assert np.all(metric.result() == 0)
    metric.update_state(*[array[:0] for array in arrays])
    assert np.all(metric.result() == 0)


def test_one_class_alone_has_recall_or_precision_only() -> None:
    scores = np.array([0.2, 0.8])
    assert metrics.Recall()([0, 0], scores) == 0.0 and metrics.Precision()([0, 0], scores) == 0.0
    assert metrics.Recall()([1, 1], scores) == 0.5 and metrics.Precision()([1, 1], scores) == 1.0
    assert metrics.AUC()([1, 1], scores) == 0.0 and metrics.AUC()([0, 0], scores) == 0.0


def test_nan_shows_in_means_and_is_never_found_yes() -> None:
    assert np.isnan(metrics.Mean()([1.0, np.nan]))
    assert metrics.Recall()([1, 1], [np.nan, 0.9]) == 0.5
    assert metrics.TopKCategoricalAccuracy(1)([[0, 1], [0, 1]], [[np.nan, 0.9], [0.1, 0.9]]) == 0.5


def test_a_column_of_labels_and_of_weights_counts_as_a_row() -> None:
    labels, weights = np.array([[1], [0]]), np.array([[1.0], [3.0]])
    assert metrics.SparseCategoricalAccuracy()(labels, np.array([[0.0, 1.0], [0.0, 1.0]]), weights) == 0.25
    assert metrics.Precision()(labels, np.array([0.9, 0.9]), weights) == 0.25


def test_weights_of_elements_weigh_elements() -> None:
    assert metrics.MeanSquaredError()(np.zeros((2, 2)), np.array([[1.0, 2.0], [3.0, 4.0]]), [[1, 0], [0, 1]]) == 8.5


def test_shapes_that_do_not_fit_are_errors() -> None:
    with pytest.raises(ag.SettingError, match=r"y_true of shape \(3,\) and y_pred of shape \(2,\)"):
        metrics.Accuracy()(np.zeros(3), np.zeros(2))
    with pytest.raises(ag.SettingError, match=r"sample_weight of shape \(3,\) does not lead values of shape \(2,\)"):
        metrics.Mean()(np.zeros(2), np.zeros(3))
    with pytest.raises(ag.SettingError, match="AUC: no curve 'LIFT'"):
        metrics.AUC(curve="LIFT")  # type: ignore[arg-type]


def test_a_metric_may_be_updated_under_a_tape() -> None:
    x, metric = ag.Variable(np.array([1.0, 2.0])), metrics.Mean()
    with ag.GradientTape() as tape:
        loss = np.sum(x * x)
        metric.update_state(loss)
    assert metric.result() == 5.0 and np.array_equal(tape.gradient(loss, x), [2.0, 4.0])


def test_confusion_matrix_counts_pairs() -> None:
    predictions = np.argmax(SCORES, axis=-1)
    expected = np.zeros((7, 7), np.int64)
    for label, prediction in zip(CLASSES, predictions):
        expected[label, prediction] += 1
    found = metrics.confusion_matrix(CLASSES, predictions)
    assert found.dtype == np.int64 and np.array_equal(found, expected)
    compiled = ag.compile(metrics.confusion_matrix, fallback="error", static_argnames="num_classes")
    assert np.array_equal(compiled(CLASSES, predictions, num_classes=9)[:7, :7], expected)
    weighted = metrics.confusion_matrix(CLASSES, predictions, weights=WEIGHTS)
    assert weighted.sum() == WEIGHTS.sum()
    assert np.array_equal(metrics.confusion_matrix([], [], num_classes=2), np.zeros((2, 2)))
    with pytest.raises(ag.SettingError, match="classes from 0 to 3; they are numbered from 0 to 2"):
        metrics.confusion_matrix([3], [0], num_classes=3)
