"""BatchNormalization and LayerNormalization. Names, order of arguments and defaults are Keras'."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.nn.layer import Layer


class Normalization(Layer):
    """What both have: `gamma` and `beta`, of the size of one axis."""

    def __init__(
        self,
        axis: int = -1,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale
        self.beta_initializer, self.gamma_initializer = beta_initializer, gamma_initializer

    def build(self, input_shape: Any) -> None:
        shape = (input_shape[self.axis],)
        if self.scale:
            self.gamma = self.add_weight(shape, self.gamma_initializer, name="gamma")
        if self.center:
            self.beta = self.add_weight(shape, self.beta_initializer, name="beta")

    def along_axis(self, weight: Any, rank: int) -> Any:
        """A weight in a shape that broadcasts along its axis."""
        behind = (rank - self.axis if self.axis >= 0 else -self.axis) - 1
        return np.reshape(weight, (-1, *(1,) * behind)) if behind else weight

    def scaled(self, x: Any) -> Any:
        """x * gamma + beta, as far as there are any."""
        y = x * self.along_axis(self.gamma, x.ndim) if self.scale else x
        return y + self.along_axis(self.beta, x.ndim) if self.center else y


class BatchNormalization(Normalization):
    """In training, mean 0 and variance 1 over all axes but one, and averages of both that run along; otherwise by these averages.

    axis      the one that is left: that of features, or channels
    momentum  the share of the running averages that stays at each call in training

    >>> layer = BatchNormalization()
    >>> y = layer(np.array([[1.0], [3.0]]), training=True)
    >>> layer.moving_mean.numpy().round(3)
    array([0.02], dtype=float32)
    """

    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        **options: Any,
    ) -> None:
        super().__init__(axis, epsilon, center, scale, beta_initializer, gamma_initializer, **options)
        self.momentum = momentum
        self.moving_mean_initializer, self.moving_variance_initializer = moving_mean_initializer, moving_variance_initializer

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        shape = (input_shape[self.axis],)
        self.moving_mean = self.add_weight(shape, self.moving_mean_initializer, name="moving_mean", trainable=False)
        self.moving_variance = self.add_weight(shape, self.moving_variance_initializer, name="moving_variance", trainable=False)

    def call(self, x: Any, training: bool = False) -> Any:
        if training and self.trainable:
            axes, axis = tuple(range(x.ndim)), self.axis % x.ndim
            others = axes[:axis] + axes[axis + 1 :]
            mean = np.mean(x, axis=others)
            centred = x - self.along_axis(mean, x.ndim)
            variance = np.mean(centred * centred, axis=others)
            self.moving_mean.assign(self.moving_mean * self.momentum + ag.stop_gradient(mean) * (1 - self.momentum))
            self.moving_variance.assign(self.moving_variance * self.momentum + ag.stop_gradient(variance) * (1 - self.momentum))
        else:
            centred, variance = x - self.along_axis(self.moving_mean, x.ndim), self.moving_variance
        return self.scaled(centred * self.along_axis(1 / np.sqrt(variance + self.epsilon), x.ndim))


class LayerNormalization(Normalization):
    """Mean 0 and variance 1 along an axis, for each item by itself.

    >>> LayerNormalization()(np.array([[1.0, 3.0]])).numpy().round(2)
    array([[-1.,  1.]], dtype=float32)
    """

    def call(self, x: Any) -> Any:
        centred = x - np.mean(x, axis=self.axis, keepdims=True)
        variance = np.mean(centred * centred, axis=self.axis, keepdims=True)
        return self.scaled(centred * (1 / np.sqrt(variance + self.epsilon)))
