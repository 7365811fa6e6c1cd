"""Layers of one step: Dense, Activation, Flatten, Dropout, Embedding. Names, order of arguments and defaults are Keras'."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.nn import activations
from autograph_jit.nn.layer import Layer
from autograph_jit.nn.seeds import generator_of


def product(x: Any, kernel: Any) -> Any:
    """x @ kernel along the last axis of x, as one product of matrices whatever axes are in front."""
    if x.ndim <= 2:
        return x @ kernel
    return np.reshape(np.reshape(x, (-1, x.shape[-1])) @ kernel, (*x.shape[:-1], kernel.shape[-1]))


class Dense(Layer):
    """activation(x @ kernel + bias) along the last axis: from (..., features) to (..., units).

    >>> layer = Dense(2, kernel_initializer="ones", bias_initializer="ones")
    >>> layer(np.array([[1.0, 2.0, 3.0]]))
    Tensor([[7., 7.]], dtype=float32)
    """

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.units, self.activation, self.use_bias = units, activations.get(activation), use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer

    def build(self, input_shape: Any) -> None:
        shape = input_shape[-1], self.units
        self.kernel = self.add_weight(shape, self.kernel_initializer, name="kernel", regularizer=self.kernel_regularizer)
        if self.use_bias:
            self.bias = self.add_weight(shape[1:], self.bias_initializer, name="bias", regularizer=self.bias_regularizer)

    def call(self, x: Any) -> Any:
        y = product(x, self.kernel)
        return self.activation(y + self.bias if self.use_bias else y)


class Activation(Layer):
    """A function of an array, or the name of one, as a layer."""

    default_dtype = None

    def __init__(self, activation: Any, **options: Any) -> None:
        super().__init__(**options)
        self.activation = activations.get(activation)

    def call(self, x: Any) -> Any:
        return self.activation(x)


class Flatten(Layer):
    """From (batch, ...) to (batch, features)."""

    default_dtype = None

    def call(self, x: Any) -> Any:
        return np.reshape(x, (x.shape[0], -1))


class Dropout(Layer):
    """In training, a share `rate` of the elements becomes 0 and the others are divided by what is left; otherwise the input.

    noise_shape  the shape of what is drawn, broadcast to the input; that of the input where it is not given
    seed         a generator of its own, started there
    """

    default_dtype = None

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **options: Any) -> None:
        super().__init__(**options)
        if not 0 <= rate < 1:
            raise ag.SettingError(f"rate={rate!r} of Dropout: give a share that is at least 0 and less than 1")
        self.rate, self.noise_shape, self.generator = rate, noise_shape, generator_of(seed)

    def call(self, x: Any, training: bool = False) -> Any:
        if not training or self.rate == 0:
            return x
        draws = self.generator.random(x.shape if self.noise_shape is None else self.noise_shape, dtype=np.float32)
        return np.where(draws >= self.rate, x * (1 / (1 - self.rate)), 0)


class Embedding(Layer):
    """A row of a table for each integer: from (...) to (..., output_dim)."""

    def __init__(
        self, input_dim: int, output_dim: int, embeddings_initializer: Any = "uniform", embeddings_regularizer: Any = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self.input_dim, self.output_dim = input_dim, output_dim
        self.embeddings_initializer, self.embeddings_regularizer = embeddings_initializer, embeddings_regularizer

    def build(self, input_shape: Any) -> None:
        shape = self.input_dim, self.output_dim
        self.embeddings = self.add_weight(shape, self.embeddings_initializer, name="embeddings", regularizer=self.embeddings_regularizer)

    def call(self, x: Any) -> Any:
        return self.embeddings[x]
