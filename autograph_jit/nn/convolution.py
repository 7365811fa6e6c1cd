"""Convolutional layers. Names, order of arguments and defaults are Keras'."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.nn import activations
from autograph_jit.nn.layer import Layer


def for_each_axis(value: Any, rank: int) -> tuple[int, ...]:
    """An option for each of so many spatial axes, where one number may stand for all."""
    return (value,) * rank if isinstance(value, int) else tuple(value)


def expect_channels_last(data_format: str | None) -> None:
    """Keras knows another order of axes."""
    if data_format not in (None, "channels_last"):
        raise ag.SettingError(f'data_format={data_format!r}: arrays are (batch, ..., channels), "channels_last"; use np.moveaxis')


class Convolution(Layer):
    """What all layers that convolve have: a kernel, a bias, an activation. `rank` is the number of spatial axes."""

    rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        expect_channels_last(data_format)
        self.filters, self.groups, self.padding = filters, groups, padding
        self.kernel_size, self.strides = for_each_axis(kernel_size, self.rank), for_each_axis(strides, self.rank)
        self.dilation_rate = for_each_axis(dilation_rate, self.rank)
        self.activation, self.use_bias = activations.get(activation), use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer

    def build(self, input_shape: Any) -> None:
        shape = self.kernel_shape(input_shape[-1])
        self.kernel = self.add_weight(shape, self.kernel_initializer, name="kernel", regularizer=self.kernel_regularizer)
        if self.use_bias:
            self.bias = self.add_weight((self.filters,), self.bias_initializer, name="bias", regularizer=self.bias_regularizer)

    def kernel_shape(self, channels: int) -> tuple[int, ...]:
        """The shape of the kernel for an input with so many channels."""
        return (*self.kernel_size, channels // self.groups, self.filters)

    def convolved(self, x: Any) -> Any:
        """The convolution itself."""
        return ag.conv(x, self.kernel, self.strides, self.padding, self.dilation_rate, self.groups)

    def call(self, x: Any) -> Any:
        y = self.convolved(x)
        return self.activation(y + self.bias if self.use_bias else y)


class Conv1D(Convolution):
    """activation(convolution + bias): from (batch, steps, channels) to (batch, new steps, filters).

    padding  "valid", "same", or "causal": zeros in front of the first step, so that no result depends on later steps

    >>> Conv1D(4, 3, padding="causal")(np.ones((2, 5, 3))).shape
    (2, 5, 4)
    """

    rank = 1

    def convolved(self, x: Any) -> Any:
        if self.padding != "causal":
            return super().convolved(x)
        missing = (self.kernel_size[0] - 1) * self.dilation_rate[0]
        x = np.concatenate((np.zeros((x.shape[0], missing, x.shape[2]), x.dtype), x), axis=1)
        return ag.conv(x, self.kernel, self.strides, "valid", self.dilation_rate, self.groups)


class Conv2D(Convolution):
    """activation(convolution + bias): from (batch, height, width, channels) to (batch, new height, new width, filters).

    >>> Conv2D(4, 3, strides=2, padding="same", activation="relu")(np.ones((2, 7, 5, 3))).shape
    (2, 4, 3, 4)
    """


class DepthwiseConv2D(Convolution):
    """A convolution of each channel with `depth_multiplier` filters of its own, which come one after the other.

    >>> DepthwiseConv2D(3, depth_multiplier=2)(np.ones((2, 7, 5, 3))).shape
    (2, 5, 3, 6)
    """

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        **options: Any,
    ) -> None:
        rest = use_bias, depthwise_initializer, bias_initializer, depthwise_regularizer, bias_regularizer
        super().__init__(0, kernel_size, strides, padding, data_format, dilation_rate, 1, activation, *rest, **options)
        self.depth_multiplier = depth_multiplier

    def kernel_shape(self, channels: int) -> tuple[int, ...]:
        self.groups, self.filters = channels, channels * self.depth_multiplier
        return (*self.kernel_size, channels, self.depth_multiplier)

    def convolved(self, x: Any) -> Any:
        kernel = np.reshape(self.kernel, (*self.kernel_size, 1, self.filters))
        return ag.conv(x, kernel, self.strides, self.padding, self.dilation_rate, self.groups)


class Transposed(Convolution):
    """The transpose of a convolution: what its derivative does."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, 1, activation, **options)

    def kernel_shape(self, channels: int) -> tuple[int, ...]:
        return (*self.kernel_size, self.filters, channels)

    def convolved(self, x: Any) -> Any:
        return ag.conv_transpose(x, self.kernel, self.strides, self.padding, self.dilation_rate)


class Conv1DTranspose(Transposed):
    """From (batch, steps, channels) to (batch, new steps, filters): steps * strides of them with padding "same"."""

    rank = 1


class Conv2DTranspose(Transposed):
    """From (batch, height, width, channels) to (batch, new height, new width, filters).

    >>> Conv2DTranspose(4, 3, strides=2, padding="same")(np.ones((2, 7, 5, 3))).shape
    (2, 14, 10, 4)
    """
