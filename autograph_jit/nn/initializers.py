"""Initializers: called with a shape and a dtype, they give the first value of a weight. Names and defaults are Keras'."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

import autograph_jit as ag
from autograph_jit.nn.seeds import generator_of

Shape = tuple[int, ...]
# The standard deviation of a normal distribution that is cut off at two of its own.
TRUNCATED_DEVIATION = 0.87962566103423978


class Constant:
    """Every element is `value`."""

    def __init__(self, value: float = 0.0) -> None:
        self.value = value

    def __call__(self, shape: Shape, dtype: Any = "float32") -> np.ndarray:
        return np.full(shape, self.value, dtype)


class RandomUniform:
    """Uniform between `minval` and `maxval`."""

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.generator = minval, maxval, generator_of(seed)

    def __call__(self, shape: Shape, dtype: Any = "float32") -> np.ndarray:
        return self.generator.uniform(self.minval, self.maxval, shape).astype(dtype)


class RandomNormal:
    """Normal."""

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.generator = mean, stddev, generator_of(seed)

    def __call__(self, shape: Shape, dtype: Any = "float32") -> np.ndarray:
        return self.generator.normal(self.mean, self.stddev, shape).astype(dtype)


class TruncatedNormal(RandomNormal):
    """Normal, within two standard deviations of the mean."""

    def __call__(self, shape: Shape, dtype: Any = "float32") -> np.ndarray:
        low, high = scipy.special.ndtr([-2.0, 2.0])
        draws = scipy.special.ndtri(self.generator.uniform(low, high, shape))
        return (self.mean + self.stddev * draws).astype(dtype)


class VarianceScaling:
    """Draws of the variance `scale / n`, where n is the number of inputs of a unit ("fan_in"), of outputs ("fan_out") or their mean
    ("fan_avg"); `distribution` is "truncated_normal", "untruncated_normal" or "uniform".

    >>> VarianceScaling(seed=0)((3, 4)).shape
    (3, 4)
    """

    def __init__(self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal", seed: int | None = None) -> None:
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed
        self.generator = generator_of(seed)

    def __call__(self, shape: Shape, dtype: Any = "float32") -> np.ndarray:
        inputs, outputs = fans(shape)
        count = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2}[self.mode]
        deviation = math.sqrt(self.scale / max(1.0, count))
        made: Any = {
            "uniform": RandomUniform(-math.sqrt(3) * deviation, math.sqrt(3) * deviation),
            "untruncated_normal": RandomNormal(0.0, deviation),
            "truncated_normal": TruncatedNormal(0.0, deviation / TRUNCATED_DEVIATION),
        }[self.distribution]
        made.generator = self.generator
        return made(shape, dtype)


class Orthogonal:
    """The columns, or the rows where there are fewer of them, are orthonormal; times `gain`."""

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        self.gain, self.generator = gain, generator_of(seed)

    def __call__(self, shape: Shape, dtype: Any = "float32") -> np.ndarray:
        rows, columns = math.prod(shape[:-1]), shape[-1]
        q, r = np.linalg.qr(self.generator.normal(size=(max(rows, columns), min(rows, columns))))
        q = q * np.sign(np.diag(r))  # so that all orthogonal matrices are equally likely
        return (self.gain * (q if rows >= columns else q.T)).reshape(shape).astype(dtype)


class Identity:
    """The identity matrix, times `gain`."""

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Shape, dtype: Any = "float32") -> np.ndarray:
        return self.gain * np.eye(*shape, dtype=dtype)


def fans(shape: Shape) -> tuple[int, int]:
    """How many inputs and outputs a unit has: of a kernel, the last two sizes times the number of its positions."""
    if len(shape) < 2:
        return (shape[0] if shape else 1,) * 2
    positions = math.prod(shape[:-2])
    return shape[-2] * positions, shape[-1] * positions


Zeros, Ones = functools.partial(Constant, 0.0), functools.partial(Constant, 1.0)
GlorotUniform = functools.partial(VarianceScaling, 1.0, "fan_avg", "uniform")
GlorotNormal = functools.partial(VarianceScaling, 1.0, "fan_avg", "truncated_normal")
HeUniform = functools.partial(VarianceScaling, 2.0, "fan_in", "uniform")
HeNormal = functools.partial(VarianceScaling, 2.0, "fan_in", "truncated_normal")
LecunUniform = functools.partial(VarianceScaling, 1.0, "fan_in", "uniform")
LecunNormal = functools.partial(VarianceScaling, 1.0, "fan_in", "truncated_normal")
NAMES: dict[str, Callable[[], Any]] = {
    "zeros": Zeros, "ones": Ones, "constant": Constant, "uniform": RandomUniform, "random_uniform": RandomUniform, "normal": RandomNormal,
    "random_normal": RandomNormal, "truncated_normal": TruncatedNormal, "variance_scaling": VarianceScaling, "orthogonal": Orthogonal,
    "identity": Identity, "glorot_uniform": GlorotUniform, "glorot_normal": GlorotNormal, "he_uniform": HeUniform, "he_normal": HeNormal,
    "lecun_uniform": LecunUniform, "lecun_normal": LecunNormal,
}  # fmt: skip


def get(initializer: str | Callable[..., Any]) -> Callable[..., Any]:
    """The initializer of a name, or the one given."""
    if not isinstance(initializer, str):
        return initializer
    if initializer not in NAMES:
        raise ag.SettingError(f"initializer {initializer!r} is unknown: give one of {', '.join(NAMES)}, or a function of shape and dtype")
    return NAMES[initializer]()
