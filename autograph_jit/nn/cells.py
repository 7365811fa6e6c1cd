"""Recurrent cells: one step of a sequence. Names, equations, order of gates and defaults are Keras'."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.nn import activations
from autograph_jit.nn.core import product
from autograph_jit.nn.layer import Layer

States = tuple[Any, ...]


class Cell(Layer):
    """One step: from the input of a time step and the states before to the output and the states after.

    The step is in two parts: `project`, which knows the input alone, so that RNN computes it for all steps at once, and `step`.
    """

    gates = 1
    states = 1

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.units, self.activation, self.use_bias = units, activations.get(activation), use_bias
        self.kernel_initializer, self.kernel_regularizer = kernel_initializer, kernel_regularizer
        self.recurrent_initializer, self.recurrent_regularizer = recurrent_initializer, recurrent_regularizer
        self.bias_initializer, self.bias_regularizer = bias_initializer, bias_regularizer

    def build(self, input_shape: Any) -> None:
        columns = self.gates * self.units
        self.kernel = self.add_weight(
            (input_shape[-1], columns), self.kernel_initializer, name="kernel", regularizer=self.kernel_regularizer
        )
        self.recurrent_kernel = self.add_weight(
            (self.units, columns), self.recurrent_initializer, name="recurrent_kernel", regularizer=self.recurrent_regularizer
        )
        if self.use_bias:
            self.bias = self.add_weight(self.bias_shape(columns), self.bias_initializer, name="bias", regularizer=self.bias_regularizer)

    def bias_shape(self, columns: int) -> tuple[int, ...]:
        """The shape of the bias of so many columns of the kernel."""
        return (columns,)

    def get_initial_state(self, batch_size: int) -> States:
        """Zeros."""
        return tuple(np.zeros((batch_size, self.units), self.dtype) for _ in range(self.states))

    def project(self, x: Any) -> Any:
        """The part of a step that only the input decides; x may have axes of steps in front."""
        y = product(x, self.kernel)
        return y + self.bias if self.use_bias else y

    def step(self, projected: Any, states: States) -> tuple[Any, States]:
        """The output and the states after one step."""
        raise NotImplementedError

    def call(self, x: Any, states: States) -> tuple[Any, States]:
        return self.step(self.project(x), states)


class SimpleRNNCell(Cell):
    """h = activation(x @ kernel + h @ recurrent_kernel + bias)."""

    def step(self, projected: Any, states: States) -> tuple[Any, States]:
        h = self.activation(projected + states[0] @ self.recurrent_kernel)
        return h, (h,)


class GatedCell(Cell):
    """What cells with gates have: their activation."""

    def __init__(
        self, units: int, activation: Any = "tanh", recurrent_activation: Any = "sigmoid", use_bias: bool = True, **options: Any
    ) -> None:
        super().__init__(units, activation, use_bias, **options)
        self.recurrent_activation = activations.get(recurrent_activation)


class LSTMCell(GatedCell):
    """Long short-term memory (Hochreiter and Schmidhuber 1997): gates i, f, c, o; the states are h and c."""

    gates = 4
    states = 2

    def __init__(self, units: int, *args: Any, unit_forget_bias: bool = True, **options: Any) -> None:
        super().__init__(units, *args, **options)
        self.unit_forget_bias = unit_forget_bias

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        if self.use_bias and self.unit_forget_bias:
            self.bias[self.units : 2 * self.units] = 1

    def step(self, projected: Any, states: States) -> tuple[Any, States]:
        h, c = states
        n, z = self.units, projected + h @ self.recurrent_kernel
        i, f = self.recurrent_activation(z[:, :n]), self.recurrent_activation(z[:, n : 2 * n])
        c = f * c + i * self.activation(z[:, 2 * n : 3 * n])
        h = self.recurrent_activation(z[:, 3 * n :]) * self.activation(c)
        return h, (h, c)


class GRUCell(GatedCell):
    """Gated recurrent unit (Cho et al. 2014), its reset gate after the product: gates z, r, h; a row of `bias` for inputs, one for h."""

    gates = 3

    def bias_shape(self, columns: int) -> tuple[int, ...]:
        return 2, columns

    def project(self, x: Any) -> Any:
        y = product(x, self.kernel)
        return y + self.bias[0] if self.use_bias else y

    def step(self, projected: Any, states: States) -> tuple[Any, States]:
        h, n = states[0], self.units
        inner = h @ self.recurrent_kernel
        inner = inner + self.bias[1] if self.use_bias else inner
        z = self.recurrent_activation(projected[:, :n] + inner[:, :n])
        r = self.recurrent_activation(projected[:, n : 2 * n] + inner[:, n : 2 * n])
        h = z * h + (1 - z) * self.activation(projected[:, 2 * n :] + r * inner[:, 2 * n :])
        return h, (h,)
