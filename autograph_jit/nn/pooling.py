"""Pooling layers: the largest element or the mean of windows, or of all of the spatial axes. Names and defaults are Keras'."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.nn.convolution import expect_channels_last
from autograph_jit.nn.layer import Layer


class Pooling(Layer):
    """What is taken of each window; `strides` are those of the window where they are not given."""

    default_dtype = None

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", data_format: str | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        expect_channels_last(data_format)
        self.pool_size, self.strides, self.padding = pool_size, strides, padding


class MaxPooling1D(Pooling):
    """The largest element of each window, for each channel: from (batch, steps, channels).

    >>> MaxPooling1D()(np.ones((2, 7, 3))).shape
    (2, 3, 3)
    """

    def call(self, x: Any) -> Any:
        return ag.max_pool(x, self.pool_size, self.strides, self.padding)


class MaxPooling2D(MaxPooling1D):
    """The largest element of each window, for each channel: from (batch, height, width, channels)."""


class AveragePooling1D(Pooling):
    """The mean of each window, for each channel: from (batch, steps, channels)."""

    def call(self, x: Any) -> Any:
        return ag.avg_pool(x, self.pool_size, self.strides, self.padding)


class AveragePooling2D(AveragePooling1D):
    """The mean of each window, for each channel: from (batch, height, width, channels)."""


class GlobalPooling(Layer):
    """What is taken of all spatial axes; with `keepdims` they stay, with size 1."""

    default_dtype = None

    def __init__(self, data_format: str | None = None, keepdims: bool = False, **options: Any) -> None:
        super().__init__(**options)
        expect_channels_last(data_format)
        self.keepdims = keepdims


class GlobalMaxPooling1D(GlobalPooling):
    """The largest element of each channel: from (batch, steps, channels) to (batch, channels)."""

    def call(self, x: Any) -> Any:
        return np.max(x, axis=tuple(range(1, x.ndim - 1)), keepdims=self.keepdims)


class GlobalMaxPooling2D(GlobalMaxPooling1D):
    """The largest element of each channel: from (batch, height, width, channels) to (batch, channels)."""


class GlobalAveragePooling1D(GlobalPooling):
    """The mean of each channel: from (batch, steps, channels) to (batch, channels)."""

    def call(self, x: Any) -> Any:
        return np.mean(x, axis=tuple(range(1, x.ndim - 1)), keepdims=self.keepdims)


class GlobalAveragePooling2D(GlobalAveragePooling1D):
    """The mean of each channel: from (batch, height, width, channels) to (batch, channels)."""
