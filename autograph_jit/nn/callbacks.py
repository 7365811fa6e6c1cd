"""Callbacks of `fit`: functions of (epoch, logs) after each epoch that end training, save it, write its figures. Names are Keras'."""

from __future__ import annotations

import math
from typing import Any

import autograph_jit as ag


class Monitor:
    """The best value so far of one of the logs."""

    def __init__(self, monitor: str = "loss", mode: str = "min") -> None:
        if mode not in ("min", "max"):
            raise ag.SettingError(f'mode={mode!r}: give "min" or "max", which of the values of {monitor!r} is best')
        self.monitor, self.sign, self.best = monitor, 1 if mode == "min" else -1, math.inf

    def improves(self, logs: dict[str, float]) -> bool:
        """Whether the logs have the best value so far, which is then remembered."""
        if self.monitor not in logs:
            raise ag.SettingError(f"the logs have no {self.monitor!r}, but {', '.join(logs)}: callbacks that add to them come before")
        value = self.sign * logs[self.monitor]
        better = value < self.best
        self.best = min(value, self.best)
        return better


class EarlyStopping(Monitor):
    """Ends training once `monitor` has not been better than before, less or by `mode="max"` more, for more than `patience` epochs."""

    def __init__(self, monitor: str = "loss", patience: int = 0, mode: str = "min") -> None:
        super().__init__(monitor, mode)
        self.patience, self.since = patience, 0

    def __call__(self, epoch: int, logs: dict[str, float]) -> bool:
        self.since = 0 if self.improves(logs) else self.since + 1
        return self.since > self.patience


class ModelCheckpoint(Monitor):
    """Saves after each epoch, or after those whose `monitor` is the best so far, by anything with `save()`: a CheckpointManager."""

    def __init__(self, manager: Any, monitor: str = "loss", save_best_only: bool = False, mode: str = "min") -> None:
        super().__init__(monitor, mode)
        self.manager, self.save_best_only = manager, save_best_only

    def __call__(self, epoch: int, logs: dict[str, float]) -> None:
        if not self.save_best_only or self.improves(logs):
            self.manager.save()


class TensorBoard:
    """Writes the logs of each epoch by anything with `scalar(name, data, step)`: a SummaryWriter."""

    def __init__(self, summaries: Any) -> None:
        self.summaries = summaries

    def __call__(self, epoch: int, logs: dict[str, float]) -> None:
        for name, value in logs.items():
            self.summaries.scalar(name, value, epoch)
