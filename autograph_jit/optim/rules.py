"""The rules: SGD, Adagrad, RMSprop, Adam, AdamW, with the names, the order and the defaults of Keras' arguments."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from autograph_jit.optim.optimizer import Limits, Optimizer, Options, Rate


class SGD(Optimizer):
    """Gradient descent, with a velocity where `momentum` is not 0, and Nesterov's look ahead (Sutskever et al. 2013).

    velocity = momentum * velocity - learning_rate * gradient; the parameter moves by the velocity, or with `nesterov` by
    momentum * velocity - learning_rate * gradient.
    """

    def __init__(self, learning_rate: Rate = 0.01, momentum: float = 0.0, nesterov: bool = False, **options: Unpack[Options]) -> None:
        super().__init__(learning_rate, **options)
        self.momentum, self.nesterov = momentum, nesterov

    def initial_slots(self, parameter: Any) -> list[Any]:
        return [np.zeros_like(parameter)] if self.momentum else []

    def new_slots(self, gradient: Any, slots: list[Any], rate: Any) -> list[Any]:
        return [self.momentum * slots[0] - rate.astype(gradient.dtype) * gradient] if self.momentum else []

    def new_value(self, gradient: Any, parameter: Any, slots: list[Any], rate: Any, step: Any) -> Any:
        if self.momentum and not self.nesterov:
            return parameter + slots[0]
        move = rate.astype(parameter.dtype) * gradient
        return parameter + (self.momentum * slots[0] - move) if self.momentum else parameter - move


class Adagrad(Optimizer):
    """Steps divided by the root of the sum of all squared gradients (Duchi et al. 2011)."""

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(learning_rate, **options)
        self.initial_accumulator_value, self.epsilon = initial_accumulator_value, epsilon

    def initial_slots(self, parameter: Any) -> list[Any]:
        return [np.full_like(parameter, self.initial_accumulator_value)]

    def new_slots(self, gradient: Any, slots: list[Any], rate: Any) -> list[Any]:
        return [slots[0] + gradient * gradient]

    def new_value(self, gradient: Any, parameter: Any, slots: list[Any], rate: Any, step: Any) -> Any:
        return parameter - rate.astype(parameter.dtype) * gradient / np.sqrt(slots[0] + self.epsilon)


class RMSprop(Optimizer):
    """Steps divided by the root of a running average of squared gradients (Tieleman and Hinton 2012).

    `centered` takes the square of the running average off it; `momentum` keeps a running sum of the steps.
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(learning_rate, **options)
        self.rho, self.momentum, self.epsilon, self.centered = rho, momentum, epsilon, centered

    def initial_slots(self, parameter: Any) -> list[Any]:
        return [np.zeros_like(parameter) for _ in range(1 + self.centered + bool(self.momentum))]

    def new_slots(self, gradient: Any, slots: list[Any], rate: Any) -> list[Any]:
        new = [self.rho * slots[0] + (1 - self.rho) * gradient * gradient]
        if self.centered:
            new = [*new, self.rho * slots[1] + (1 - self.rho) * gradient]
        return [*new, self.momentum * slots[-1] + self.move(gradient, new, rate)] if self.momentum else new

    def new_value(self, gradient: Any, parameter: Any, slots: list[Any], rate: Any, step: Any) -> Any:
        return parameter - (slots[-1] if self.momentum else self.move(gradient, slots, rate))

    def move(self, gradient: Any, slots: list[Any], rate: Any) -> Any:
        variance = slots[0] - slots[1] * slots[1] if self.centered else slots[0]
        return rate.astype(gradient.dtype) * gradient / np.sqrt(variance + self.epsilon)


class Adam(Optimizer):
    """Steps by running averages of gradients and of their squares, corrected for their start at 0 (Kingma and Ba 2014).

    learning_rate: the step; beta_1, beta_2: what the averages keep; epsilon: added to the root of the squares; amsgrad: divide by the
    largest average of squares so far (Reddi et al. 2018).

    >>> import autograph_jit as ag
    >>> w, optimizer = ag.Variable(np.array([1.0, -1.0])), Adam(learning_rate=0.1)
    >>> optimizer.apply_gradients(zip([np.array([0.5, -2.0])], [w]))
    >>> w.numpy().round(4)
    array([ 0.9, -0.9])
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(learning_rate, **options)
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad

    def initial_slots(self, parameter: Any) -> list[Any]:
        return [np.zeros_like(parameter) for _ in range(2 + self.amsgrad)]

    def new_slots(self, gradient: Any, slots: list[Any], rate: Any) -> list[Any]:
        mean = slots[0] + (gradient - slots[0]) * (1 - self.beta_1)
        squares = slots[1] + (gradient * gradient - slots[1]) * (1 - self.beta_2)
        return [mean, squares, np.maximum(slots[2], squares)] if self.amsgrad else [mean, squares]

    def new_value(self, gradient: Any, parameter: Any, slots: list[Any], rate: Any, step: Any) -> Any:
        rate = rate * np.sqrt(1 - self.beta_2 ** (step + 1)) / (1 - self.beta_1 ** (step + 1))
        return parameter - rate.astype(parameter.dtype) * slots[0] / (np.sqrt(slots[-1]) + self.epsilon)


class AdamW(Adam):
    """Adam after a decay of the weights that does not pass through the averages (Loshchilov and Hutter 2017)."""

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        weight_decay: float | None = 0.004,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **options: Unpack[Limits],
    ) -> None:
        super().__init__(learning_rate, beta_1, beta_2, epsilon, amsgrad, weight_decay=weight_decay, **options)
