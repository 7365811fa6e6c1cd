"""Tests of nn/training.py, and of hand-written loops: eager and compiled training take the same steps."""

from __future__ import annotations

import io
import re
import sys
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit import nn
from autograph_jit.nn import training


class Descent:
    """What `fit` asks of an optimizer."""

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def apply_gradients(self, pairs: Any) -> None:
        for gradient, variable in pairs:
            variable.assign_sub(self.rate * gradient)


def test_batches_hold_every_row_once_in_a_new_order_each_time() -> None:
    x, y = np.arange(10), np.arange(10) * 2
    data = nn.batches((x, y), 4, seed=1)
    epochs = [list(data) for _ in range(2)]
    for epoch in epochs:
        assert [len(a) for a, _ in epoch] == [4, 4, 2] and len(data) == 3
        np.testing.assert_array_equal(np.sort(np.concatenate([a for a, _ in epoch])), x)
        assert all(np.array_equal(2 * a, b) for a, b in epoch)
    assert not np.array_equal(epochs[0][0][0], epochs[1][0][0])
    np.testing.assert_array_equal(next(iter(nn.batches((x, y), 4, seed=1)))[0], epochs[0][0][0])
    for arrays, size, message in (((x, y[:9]), 4, "lengths [9, 10]"), ((x,), 0, "size 0")):
        with pytest.raises(ag.SettingError, match=re.escape(message)):
            nn.batches(arrays, size)


def test_fit_takes_the_steps_of_a_loop_in_numpy() -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((20, 3))
    y = x @ np.array([[1.0], [2.0], [-1.0]]) + 0.5
    nn.set_seed(0)
    model = nn.Sequential([nn.Dense(1, dtype="float64", kernel_regularizer=nn.regularizers.L2(0.1))])
    model(x)
    w, b = (v.numpy().copy() for v in model.variables)
    seen: list[Any] = []
    history = nn.fit(model, nn.batches((x, y), 8, seed=5), nn.losses.mean_squared_error, Descent(0.1), epochs=3, callbacks=[
        lambda epoch, logs: seen.append((epoch, logs["loss"])),
        lambda epoch, logs: logs.update(doubled=2 * logs["loss"]),
    ])  # fmt: skip
    expected, data = [], nn.batches((x, y), 8, seed=5)
    for _ in range(3):
        total = 0.0
        for xs, ys in data:
            error = xs @ w + b - ys
            total += np.sum(error**2)
            w, b = w - 0.1 * (2 * xs.T @ error / len(xs) + 0.2 * w), b - 0.1 * 2 * error.mean(axis=0)
        expected.append(total / 20)
    np.testing.assert_allclose(history["loss"], expected)
    np.testing.assert_allclose(history["doubled"], 2 * np.array(expected))
    assert seen == list(enumerate(history["loss"]))
    np.testing.assert_allclose(model.variables[0].numpy(), w)
    np.testing.assert_allclose(model.variables[1].numpy(), b)


def test_fit_stops_early_and_refuses_data_that_has_ended() -> None:
    x = np.ones((4, 1))
    model = nn.Sequential([nn.Dense(1, kernel_initializer="ones")])
    history = nn.fit(model, [(x, x)], nn.losses.mean_squared_error, Descent(0.1), 10, [nn.EarlyStopping(patience=1)])
    assert history["loss"] == [0.0, 0.0, 0.0]  # the first is the best, two more are allowed to be no better
    with pytest.raises(ag.SettingError, match="fit was given no data"):
        nn.fit(model, iter([(x, x)]), nn.losses.mean_squared_error, Descent(0.1), 2)


def test_fit_logs_metrics_and_validation_of_the_model_behind_each_epoch() -> None:
    rng = np.random.default_rng(0)
    x, unseen = rng.standard_normal((30, 2)).astype("f4"), rng.standard_normal((9, 2)).astype("f4")
    y, z = x @ np.array([[1.0], [-2.0]], "f4"), unseen @ np.array([[1.0], [-2.0]], "f4")
    model = nn.Sequential([nn.Dropout(0.2, seed=1), nn.Dense(1)])
    for validation in ((unseen, z), nn.batches((unseen, z), 4)):
        losses: list[Any] = []
        history = nn.fit(
            *(model, nn.batches((x, y), 10), nn.losses.mean_squared_error, ag.optim.SGD(0.1)),
            epochs=3,
            callbacks=[lambda epoch, logs, found=losses: found.append(np.mean((model(unseen) - z) ** 2))],
            validation_data=validation,
            metrics=[ag.metrics.MeanSquaredError(name="mse")],
        )
        assert list(history) == ["loss", "mse", "val_loss", "val_mse"]
        np.testing.assert_allclose(history["mse"], history["loss"], rtol=1e-5)
        np.testing.assert_allclose(history["val_mse"], losses, rtol=1e-5)
        np.testing.assert_allclose(history["val_loss"], losses, rtol=1e-5)
        assert history["val_loss"][2] < history["val_loss"][0]
    stopped = nn.fit(
        model, [(x, y)], nn.losses.mean_squared_error, ag.optim.SGD(0.0), 9, [nn.EarlyStopping("val_loss")], validation_data=(unseen, z)
    )
    assert len(stopped["loss"]) == 2


class Recorder:
    """What callbacks ask of a CheckpointManager and of a SummaryWriter."""

    def __init__(self) -> None:
        self.saves, self.scalars = 0, []

    def save(self) -> str:
        self.saves += 1
        return f"ckpt-{self.saves}"

    def scalar(self, name: str, data: float, step: int) -> None:
        self.scalars.append((name, data, step))


def test_callbacks_save_and_write_what_each_epoch_gave() -> None:
    x, recorder, best, accuracies = np.ones((4, 1)), Recorder(), Recorder(), iter([0.5, 0.7, 0.6, 0.7, 0.9, 0.1])
    history = nn.fit(
        *(nn.Sequential([nn.Dense(1)]), [(x, x)], nn.losses.mean_squared_error, Descent(0.1), 6),
        callbacks=[
            lambda epoch, logs: logs.update(accuracy=next(accuracies)),
            lambda epoch, logs: recorder.save(),  # gives a path, which does not end training
            nn.ModelCheckpoint(best, "accuracy", save_best_only=True, mode="max"),
            nn.ModelCheckpoint(recorder),
            nn.TensorBoard(recorder),
            lambda epoch, logs: np.bool_(logs["accuracy"] > 0.8),
        ],
    )
    assert history["accuracy"] == [0.5, 0.7, 0.6, 0.7, 0.9] and recorder.saves == 10 and best.saves == 3
    expected = [(name, history[name][epoch], epoch) for epoch in range(5) for name in ("loss", "accuracy")]
    assert recorder.scalars == expected


def test_callbacks_refuse_what_is_not_logged_and_unknown_modes() -> None:
    stopping = nn.EarlyStopping("accuracy", patience=1, mode="max")
    assert [stopping(epoch, {"accuracy": value}) for epoch, value in enumerate([0.1, 0.2, 0.2, 0.1])] == [False, False, False, True]
    with pytest.raises(ag.SettingError, match="the logs have no 'accuracy', but loss"):
        stopping(0, {"loss": 1.0})
    with pytest.raises(ag.SettingError, match="mode='auto'"):
        nn.EarlyStopping(mode="auto")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_bar_is_shown_on_terminals_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones((4, 1))

    def printed(error: io.StringIO, verbose: Any) -> str:
        monkeypatch.setattr(sys, "stderr", error)
        nn.fit(nn.Sequential([nn.Dense(1)]), [(x, x)] * 3, nn.losses.mean_squared_error, Descent(0.1), 2, verbose=verbose)
        return error.getvalue()

    assert "epoch 2 of 2: 100%" in (shown := printed(Terminal(), "auto")) and "3/3" in shown and "loss=" in shown
    assert printed(Terminal(), False) == printed(io.StringIO(), "auto") == printed(io.StringIO(), True) == ""
    monkeypatch.setattr(training, "tqdm", None)
    assert printed(Terminal(), "auto") == ""
    with pytest.raises(ag.MissingExtraError, match=re.escape("autograph-jit[progress]")):
        printed(Terminal(), True)


def test_fit_saves_checkpoints_and_writes_summaries(tmp_path: Any) -> None:
    x = np.ones((4, 1))
    model, optimizer = nn.Sequential([nn.Dense(1)]), ag.optim.SGD(0.1)
    manager = ag.checkpoints.CheckpointManager(
        ag.checkpoints.Checkpoint(model=model, optimizer=optimizer), tmp_path / "saved", max_to_keep=2
    )
    with ag.summaries.SummaryWriter(tmp_path / "logs") as summaries:
        callbacks = [nn.ModelCheckpoint(manager), nn.TensorBoard(summaries)]
        history = nn.fit(model, [(x, x)], nn.losses.MeanSquaredError(), optimizer, 3, callbacks)
    trained = [variable.numpy().copy() for variable in model.variables]
    assert history["loss"][2] < history["loss"][0] and int(optimizer.iterations) == 3
    for variable in model.variables:
        variable.assign(np.zeros(variable.shape))
    manager.restore_latest().assert_complete()
    np.testing.assert_equal([variable.numpy() for variable in model.variables], trained)
    assert len(manager.checkpoints) == 2 and any((tmp_path / "logs").iterdir())
