"""Regularizers: functions of a weight that are added to the loss. Names and defaults are Keras'."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autograph_jit as ag


class L1L2:
    """`l1` times the sum of absolute values plus `l2` times the sum of squares.

    >>> float(L1L2(l2=0.5)(np.array([1.0, 2.0])))
    2.5
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = l1, l2

    def __call__(self, x: Any) -> Any:
        absolute = self.l1 * np.sum(np.abs(x)) if self.l1 else 0.0
        return absolute + self.l2 * np.sum(x * x) if self.l2 else absolute


class L1(L1L2):
    """`l1` times the sum of absolute values."""

    def __init__(self, l1: float = 0.01) -> None:
        super().__init__(l1=l1)


class L2(L1L2):
    """`l2` times the sum of squares."""

    def __init__(self, l2: float = 0.01) -> None:
        super().__init__(l2=l2)


NAMES: dict[str, Callable[[], Any]] = {"l1": L1, "l2": L2, "l1_l2": lambda: L1L2(0.01, 0.01)}


def get(regularizer: str | Callable[..., Any]) -> Callable[..., Any]:
    """The regularizer of a name, or the one given."""
    if not isinstance(regularizer, str):
        return regularizer
    if regularizer not in NAMES:
        raise ag.SettingError(f"regularizer {regularizer!r} is unknown: give one of {', '.join(NAMES)}, or a function of a weight")
    return NAMES[regularizer]()
