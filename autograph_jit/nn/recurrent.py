"""RNN: a cell along the steps of a sequence, and the recurrent layers of Keras' names."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.nn.cells import Cell, GRUCell, LSTMCell, SimpleRNNCell
from autograph_jit.nn.layer import Layer


class RNN(Layer):
    """A cell along the second axis of (batch, steps, features): its last output, of (batch, units), or all of them.

    cell              a Cell, or a layer called with (x, states) that gives (output, states) and has a `state_size`, the size of its
                      state or of each one, or `get_initial_state(batch_size)`
    return_sequences  all outputs, of (batch, steps, units)
    return_state      the output, and behind it the states after the last step
    go_backwards      from the last step to the first

    The number of steps is data: one program serves all lengths. `mask`, of (batch, steps), tells the steps that count; at others output
    and states stay as they are.

    >>> layer = RNN(SimpleRNNCell(4))
    >>> layer(np.zeros((2, 3, 5))).shape
    (2, 4)
    """

    def __init__(
        self, cell: Any, return_sequences: bool = False, return_state: bool = False, go_backwards: bool = False, **options: Any
    ) -> None:
        super().__init__(**options)
        self.cell = cell
        self.return_sequences, self.return_state, self.go_backwards = return_sequences, return_state, go_backwards

    def build(self, input_shape: Any) -> None:
        self.cell.build_once((input_shape[0], *input_shape[2:]))

    def call(self, sequence: Any, initial_state: Any = None, mask: Any = None) -> Any:
        steps = np.swapaxes(sequence, 0, 1)
        steps = (steps[::-1] if self.go_backwards else steps).copy()  # the steps one after the other in memory
        states = tuple(first_states(self.cell, sequence.shape[0]) if initial_state is None else initial_state)
        in_parts = isinstance(self.cell, Cell)
        inputs = self.cell.project(steps) if in_parts else steps
        output = np.zeros(states[0].shape, states[0].dtype)
        outputs = ag.asarray(np.zeros((len(inputs) if self.return_sequences else 0, *output.shape), output.dtype))
        for t in range(len(inputs)):
            found, after = self.cell.step(inputs[t], states) if in_parts else self.cell(inputs[t], states)
            if mask is not None:
                counts = mask[:, -1 - t if self.go_backwards else t, None]
                found = np.where(counts, found, output)
                after = tuple(np.where(counts, new, old) for new, old in zip(after, states))
            output, states = found, tuple(after)
            if self.return_sequences:
                outputs[t] = output
        result = np.swapaxes(outputs, 0, 1) if self.return_sequences else output
        return (result, *states) if self.return_state else result


def first_states(cell: Any, batch_size: int) -> Any:
    """A cell's own states before the first step, zeros of its sizes where it has none."""
    if hasattr(cell, "get_initial_state"):
        return cell.get_initial_state(batch_size)
    sizes = cell.state_size if isinstance(cell.state_size, (list, tuple)) else [cell.state_size]
    return [np.zeros((batch_size, size), cell.dtype) for size in sizes]


OWN_OPTIONS = ("return_sequences", "return_state", "go_backwards", "name", "trainable")


class CellLayer(RNN):
    """An RNN that makes its cell: options of both by name."""

    cell_class: Any = Cell

    def __init__(self, *args: Any, **options: Any) -> None:
        own = {name: options.pop(name) for name in OWN_OPTIONS if name in options}
        super().__init__(self.cell_class(*args, **options), dtype=options.get("dtype"), **own)


class SimpleRNN(CellLayer):
    """RNN(SimpleRNNCell(units, activation="tanh", use_bias=True, ...))."""

    cell_class = SimpleRNNCell


class LSTM(CellLayer):
    """RNN(LSTMCell(units, activation="tanh", recurrent_activation="sigmoid", use_bias=True, ...))."""

    cell_class = LSTMCell


class GRU(CellLayer):
    """RNN(GRUCell(units, activation="tanh", recurrent_activation="sigmoid", use_bias=True, ...))."""

    cell_class = GRUCell
