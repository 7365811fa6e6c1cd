"""`fit` and `batches`: the loop of training that most programs have. One of your own is as good."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

import autograph_jit as ag

try:
    from tqdm import tqdm
except ImportError:  # told where a bar is asked for
    tqdm = None


class batches:  # noqa: N801 used as a function
    """Pieces of `size` rows of arrays of one length, in an order that is drawn anew each time it is gone through; the last may be shorter.

    seed  of the order; None: the order of the arrays

    >>> [(x.tolist(), y.tolist()) for x, y in batches((np.arange(3), np.arange(3) * 10), 2)]
    [([0, 1], [0, 10]), ([2], [20])]
    """

    def __init__(self, arrays: tuple[Any, ...], size: int, seed: int | None = None) -> None:
        lengths = {len(array) for array in arrays}
        if len(lengths) != 1:
            raise ag.SettingError(f"batches of arrays of lengths {sorted(lengths)}: give arrays with as many rows each")
        if size < 1:
            raise ag.SettingError(f"batches of size {size}: give a positive number of rows")
        self.arrays, self.size, self.length = arrays, size, lengths.pop()
        self.generator = None if seed is None else np.random.default_rng(seed)

    def __len__(self) -> int:
        return -(-self.length // self.size)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        order = np.arange(self.length) if self.generator is None else self.generator.permutation(self.length)
        for start in range(0, self.length, self.size):
            rows = order[start : start + self.size]
            yield tuple(array[rows] for array in self.arrays)


def loss_and_gradients(model: Any, loss: Callable[..., Any], x: Any, y: Any, metrics: Iterable[Any] = ()) -> tuple[Any, list[Any]]:
    """The mean loss of a batch in training, and the gradients of it and of the model's regularizers for all that is trained."""
    with ag.GradientTape() as tape:
        predictions = model(x, training=True)
        value = np.mean(loss(y, predictions))
        total = value
        for term in model.losses:
            total = total + term
    for metric in metrics:
        metric.update_state(y, predictions)
    return value, tape.gradient(total, model.trainable_variables)


def make_step(model: Any, loss: Callable[..., Any], optimizer: Any, metrics: Iterable[Any] = ()) -> Callable[..., Any]:
    """The compiled training step of (x, y): forward pass, gradient, update. It returns the mean loss of the batch."""

    @ag.compile
    def train_step(x: Any, y: Any) -> Any:
        value, gradients = loss_and_gradients(model, loss, x, y, metrics)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return value

    return train_step


def make_test(model: Any, loss: Callable[..., Any], metrics: Iterable[Any]) -> Callable[..., Any]:
    """The compiled step of validation."""

    @ag.compile
    def test_step(x: Any, y: Any) -> Any:
        predictions = model(x)
        for metric in metrics:
            metric.update_state(y, predictions)
        return np.mean(loss(y, predictions))

    return test_step


def one_pass(step: Callable[..., Any], batches: Iterable[tuple[Any, Any]], metrics: list[Any]) -> dict[str, float]:
    """The mean loss of all rows, and the metrics, of a step for each batch; a progress bar around these shows the loss."""
    for metric in metrics:
        metric.reset_state()
    total, rows = 0.0, 0
    for x, y in batches:
        total, rows = total + float(step(x, y)) * len(y), rows + len(y)
        if hasattr(batches, "set_postfix"):
            batches.set_postfix(loss=f"{total / rows:.4g}", refresh=False)
    if not rows:
        raise ag.SettingError("fit was given no data: an iterator ends after one epoch, a list or nn.batches begins again")
    return {"loss": total / rows, **{metric.name: float(metric.result()) for metric in metrics}}


def shown(data: Iterable[Any], title: str, verbose: bool | str) -> Iterable[Any]:
    """The batches, on a terminal in a progress bar."""
    if verbose is True and tqdm is None:
        raise ag.MissingExtraError("the progress bar of fit is tqdm's: pip install 'autograph-jit[progress]', or fit(..., verbose=False)")
    return tqdm(data, title, disable=None) if verbose and tqdm else data  # None: silent where standard error is no terminal


def fit(
    model: Any,
    data: Iterable[tuple[Any, Any]],
    loss: Callable[..., Any],
    optimizer: Any,
    epochs: int = 1,
    callbacks: Iterable[Any] = (),
    verbose: bool | str = "auto",
    validation_data: Any = None,
    metrics: Iterable[Any] = (),
) -> dict[str, list[float]]:
    """Train `model` on `data`, batches (x, y) that are gone through once an epoch, and return the logs of the epochs by name.

    loss       a function of (y_true, y_pred); regularizers of the model are added for the gradient. Its mean is the log "loss"
    optimizer  anything with `apply_gradients(pairs of gradient and variable)`
    callbacks  functions of (epoch, logs), called after each epoch; one that returns True ends training. They may add to `logs`
    verbose    a progress bar where standard error is a terminal: "auto" if tqdm is there, True or MissingExtraError, False never
    validation_data  a tuple of arrays (x, y), or batches: loss and metrics of the model as it is behind an epoch are logs "val_..."
    metrics    of `ag.metrics`, or the like: logged under their names, for training as the model was at each step
    """
    metrics = list(metrics)
    train_step, test_step = make_step(model, loss, optimizer, metrics), make_test(model, loss, metrics)
    validation = [validation_data] if isinstance(validation_data, tuple) else validation_data
    history: dict[str, list[float]] = {}
    for epoch in range(epochs):
        logs = one_pass(train_step, shown(data, f"epoch {epoch + 1} of {epochs}", verbose), metrics)
        if validation is not None:
            found = one_pass(test_step, validation, metrics)
            logs |= {f"val_{name}": value for name, value in found.items()}
        answers = [callback(epoch, logs) for callback in callbacks]
        for name, value in logs.items():
            history.setdefault(name, []).append(value)
        if any(isinstance(answer, bool | np.bool_) and answer for answer in answers):  # a path that was saved to is no wish to end
            break
    return history
