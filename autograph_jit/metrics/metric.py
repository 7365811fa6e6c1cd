"""`Metric`: a figure that is gathered over batches, with its state in Variables; `Mean`, and the means of errors and hits."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag


class Metric:
    """A figure over all that `update_state` was given since the last `reset_state`; a subclass makes its Variables by `add_variable`."""

    def __init__(self, name: str | None = None) -> None:
        self.name = name or type(self).__name__
        self.variables: list[ag.Variable] = []

    def add_variable(self, shape: tuple[int, ...], name: str) -> ag.Variable:
        """A Variable of zeros, float64, that `reset_state` clears."""
        variable = ag.Variable(np.zeros(shape), trainable=False, name=name)
        self.variables.append(variable)
        return variable

    def update_state(self, *args: Any, **kwargs: Any) -> None:
        """Take in a batch."""
        raise NotImplementedError(f"{type(self).__name__} defines no `update_state`")

    def result(self) -> Any:
        """The figure so far."""
        raise NotImplementedError(f"{type(self).__name__} defines no `result`")

    def reset_state(self) -> None:
        """Begin anew."""
        for variable in self.variables:
            variable.assign(np.zeros_like(variable.numpy()))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Take in a batch; gives the figure so far."""
        self.update_state(*args, **kwargs)
        return self.result()


class Mean(Metric):
    """The mean of all values, 0 of none. A weight counts for all values of its row.

    >>> mean = Mean()
    >>> mean.update_state([1.0, 3.0])
    >>> mean([5.0, 7.0], sample_weight=[1.0, 0.0])
    np.float64(3.0)
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.total, self.count = self.add_variable((), "total"), self.add_variable((), "count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        values = without_tape(values).astype(np.float64)
        weights = weights_of(values, sample_weight)
        while values.ndim > weights.ndim:
            values = np.mean(values, axis=-1)
        self.total.assign_add(np.sum(values * weights))
        self.count.assign_add(np.sum(weights * np.ones(values.shape)))

    def result(self) -> Any:
        return divide(self.total.numpy(), self.count.numpy())


class MeanSquaredError(Mean):
    """The mean of squared differences of `y_true` and `y_pred`, arrays of one shape.

    >>> MeanSquaredError()([0.0, 1.0], [1.0, 3.0])
    np.float64(2.5)
    """

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        y_true, y_pred = alike(y_true, y_pred)
        super().update_state(np.square(y_true.astype(np.float64) - y_pred), sample_weight)


class Accuracy(Mean):
    """The share of elements of `y_pred` that equal those of `y_true`.

    >>> Accuracy()([1, 2, 3, 4], [0, 2, 3, 4], sample_weight=[1, 1, 0, 0])
    np.float64(0.5)
    """

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        y_true, y_pred = alike(y_true, y_pred)
        super().update_state(y_true == y_pred, sample_weight)


class SparseCategoricalAccuracy(Mean):
    """The share of rows of scores whose largest stands at the class given; `y_true` has one axis less than `y_pred`, or a last one of 1.

    >>> SparseCategoricalAccuracy()([2, 1], [[0.1, 0.6, 0.3], [0.05, 0.95, 0.0]])
    np.float64(0.5)
    """

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        y_true, best = alike(y_true, np.argmax(without_tape(y_pred), axis=-1))
        super().update_state(y_true == best, sample_weight)


class TopKCategoricalAccuracy(Mean):
    """The share of rows with fewer than `k` scores above that of the class that `y_true` marks (one-hot rows).

    Scores equal to it do not count against it; a row with a score that is not finite is a miss.

    >>> TopKCategoricalAccuracy(k=1)([[0, 0, 1], [0, 1, 0]], [[0.1, 0.9, 0.8], [0.05, 0.95, 0.0]])
    np.float64(0.5)
    """

    def __init__(self, k: int = 5, name: str | None = None) -> None:
        super().__init__(name)
        self.k = k

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        y_true, y_pred = alike(y_true, y_pred)
        score = np.take_along_axis(y_pred, np.argmax(y_true, axis=-1)[..., None], axis=-1)
        is_hit = (np.sum(y_pred > score, axis=-1) < self.k) & np.all(np.isfinite(y_pred), axis=-1)
        super().update_state(is_hit, sample_weight)


def without_tape(x: Any) -> Any:
    """An array that no tape follows."""
    return np.asarray(ag.stop_gradient(x))


def divide(x: Any, y: Any) -> Any:
    """The quotient, 0 where the divisor is 0."""
    return np.where(y == 0, 0.0, x / np.where(y == 0, 1.0, y))[()]


def alike(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Both as arrays of one shape; where one has an axis more, of 1, it loses that."""
    y_true, y_pred = without_tape(y_true), without_tape(y_pred)
    if y_true.ndim == y_pred.ndim + 1 and y_true.shape[-1] == 1:
        y_true = y_true[..., 0]
    elif y_pred.ndim == y_true.ndim + 1 and y_pred.shape[-1] == 1:
        y_pred = y_pred[..., 0]
    if y_true.shape != y_pred.shape:
        raise ag.SettingError(f"metric: y_true of shape {y_true.shape} and y_pred of shape {y_pred.shape}; both need one shape")
    return y_true, y_pred


def weights_of(values: Any, sample_weight: Any) -> Any:
    """Weights as float64, 1 where there are none; a last axis of 1 that the values do not have is dropped."""
    if sample_weight is None:
        return np.ones_like(values)
    weights = without_tape(sample_weight).astype(np.float64)
    if weights.ndim == values.ndim + 1 and weights.shape[-1] == 1:
        weights = weights[..., 0]
    if weights.shape != values.shape[: weights.ndim] and weights.shape != ():
        raise ag.SettingError(f"metric: sample_weight of shape {weights.shape} does not lead values of shape {values.shape}")
    return weights
