"""A recurrent cell of one's own, compiled, inside a model that runs eagerly: colours from their names."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag
from autograph_jit import nn, optim

COLOURS = {
    "black": (0, 0, 0), "white": (255, 255, 255), "red": (255, 0, 0), "green": (0, 128, 0), "blue": (0, 0, 255), "grey": (128, 128, 128),
    "dark red": (139, 0, 0), "dark green": (0, 100, 0), "dark blue": (0, 0, 139), "light blue": (173, 216, 230), "pink": (255, 192, 203),
    "light grey": (211, 211, 211), "light green": (144, 238, 144), "orange": (255, 165, 0), "yellow": (255, 255, 0), "gold": (255, 215, 0),
}  # fmt: skip


class MinimalGatedCell(nn.Layer):
    """One gate that forgets and lets in (Zhou et al. 2016): f = sigmoid(Wf [x, h]), h' = (1 - f) h + f tanh(W [x, f h])."""

    def __init__(self, units, compiled):
        super().__init__()
        self.units = units
        self.step = ag.compile(self.advance, fallback="error") if compiled else self.advance

    def build(self, input_shape):
        self.gate = self.add_weight((input_shape[-1] + self.units, self.units))
        self.kernel = self.add_weight((input_shape[-1] + self.units, self.units))
        self.bias = self.add_weight((self.units,), "ones")

    def get_initial_state(self, batch_size):
        return (np.zeros((batch_size, self.units), self.dtype),)

    def advance(self, x, h):
        f = nn.activations.sigmoid(np.concatenate([x, h], axis=1) @ self.gate + self.bias)
        return h + f * (np.tanh(np.concatenate([x, f * h], axis=1) @ self.kernel) - h)

    def call(self, x, states):
        h = self.step(x, states[0])
        return h, (h,)


def load():
    """Names as numbers of letters, padded; which letters count; colours between 0 and 1."""
    letters = np.zeros((len(COLOURS), max(len(name) for name in COLOURS)), int)
    for row, name in zip(letters, COLOURS):
        row[: len(name)] = [ord(letter) - ord("a") + 1 if letter != " " else 27 for letter in name]
    return letters, letters > 0, np.array(list(COLOURS.values())) / 255


def train(steps, compiled, units=24):
    """What the model says of each name after so many steps, and the loss of each. The loop over letters and the tape are Python's."""
    nn.set_seed(0)
    letters, counts, colours = load()
    layers = [nn.Embedding(28, 16), nn.RNN(MinimalGatedCell(units, compiled)), nn.Dense(3, "sigmoid")]
    optimizer, losses = optim.Adam(0.02), []
    for _ in range(steps):
        with ag.GradientTape() as tape:
            predicted = layers[2](layers[1](layers[0](letters), mask=counts))
            loss = np.mean(nn.losses.mean_squared_error(colours, predicted))
        variables = [variable for layer in layers for variable in layer.trainable_variables]
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        losses.append(float(loss))
    return predicted.numpy(), losses


def main() -> None:
    predicted, losses = train(steps=60, compiled=True)
    print(f"loss {losses[0]:.4f} at first, {losses[-1]:.4f} at last")
    for name, colour in list(zip(COLOURS, predicted))[:6]:
        print(f"{name:6} {(255 * colour).round().astype(int).tolist()}, is {list(COLOURS[name])}")


if __name__ == "__main__":
    main()
