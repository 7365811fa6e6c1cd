"""Metrics: figures gathered over batches, in Variables, with Keras' names."""

from autograph_jit.metrics.counts import AUC, Precision, Recall, confusion_matrix
from autograph_jit.metrics.metric import Accuracy, Mean, MeanSquaredError, Metric, SparseCategoricalAccuracy, TopKCategoricalAccuracy

__all__ = [
    "AUC", "Accuracy", "Mean", "MeanSquaredError", "Metric", "Precision", "Recall", "SparseCategoricalAccuracy",
    "TopKCategoricalAccuracy", "confusion_matrix",
]  # fmt: skip
