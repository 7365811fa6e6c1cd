"""Activations: functions of an array, element by element or along an axis, written so that neither they nor their slopes overflow."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

import autograph_jit as ag

SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772  # Klambauer et al. 2017, section 2


def linear(x: Any) -> Any:
    """x."""
    return x


def relu(x: Any) -> Any:
    """max(x, 0)."""
    return np.maximum(x, 0)


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """x, times `negative_slope` where it is negative."""
    return np.where(x > 0, x, negative_slope * x)


def elu(x: Any, alpha: float = 1.0) -> Any:
    """x, or `alpha * (exp(x) - 1)` where it is negative."""
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def selu(x: Any) -> Any:
    """The scaled `elu` that keeps mean 0 and variance 1."""
    return SELU_SCALE * elu(x, SELU_ALPHA)


def tanh(x: Any) -> Any:
    """The hyperbolic tangent."""
    return np.tanh(x)


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return 0.5 * np.tanh(0.5 * x) + 0.5


def hard_sigmoid(x: Any) -> Any:
    """x / 6 + 1 / 2, between 0 and 1."""
    return np.minimum(np.maximum(x / 6 + 0.5, 0), 1)


def silu(x: Any) -> Any:
    """x times its `sigmoid`."""
    return x * sigmoid(x)


def gelu(x: Any, approximate: bool = False) -> Any:
    """x times the normal distribution function of x; `approximate` by a tanh (Hendrycks and Gimpel 2016)."""
    if approximate:
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1 + scipy.special.erf(x * math.sqrt(0.5)))


def softplus(x: Any) -> Any:
    """log(1 + exp(x))."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def softsign(x: Any) -> Any:
    """x / (1 + |x|)."""
    return x / (1 + np.abs(x))


def exponential(x: Any) -> Any:
    """exp(x)."""
    return np.exp(x)


def softmax(x: Any, axis: int = -1) -> Any:
    """exp(x), divided by its sum along an axis.

    >>> softmax(np.array([0.0, 0.0]))
    array([0.5, 0.5])
    """
    powers = np.exp(x - ag.stop_gradient(np.max(x, axis=axis, keepdims=True)))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: int = -1) -> Any:
    """The logarithm of `softmax`."""
    shifted = x - ag.stop_gradient(np.max(x, axis=axis, keepdims=True))
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


FUNCTIONS = (
    *(linear, relu, leaky_relu, elu, selu, tanh, sigmoid, hard_sigmoid, silu, gelu, softplus, softsign, exponential, softmax, log_softmax),
)
NAMES: dict[str, Callable[..., Any]] = {**{function.__name__: function for function in FUNCTIONS}, "swish": silu}


def get(activation: str | Callable[..., Any] | None) -> Callable[..., Any]:
    """The activation of a name, the one given, or for None `linear`."""
    if activation is None:
        return linear
    if not isinstance(activation, str):
        return activation
    if activation not in NAMES:
        raise ag.SettingError(f"activation {activation!r} is unknown: give one of {', '.join(NAMES)}, or a function of an array")
    return NAMES[activation]
