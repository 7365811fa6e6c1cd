"""Handwritten digits: a convolutional network, its training step compiled, to 98 % of unseen digits (needs the extra `samples`)."""

from __future__ import annotations

import sys

import numpy as np

import autograph_jit as ag
from autograph_jit import nn, optim
from samples import digits


def make_model():
    return nn.Sequential([
        nn.Conv2D(16, 3, padding="same", activation="relu"),
        nn.Conv2D(32, 3, padding="same", activation="relu"),
        nn.MaxPooling2D(),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Dense(64, "relu"),
        nn.Dense(10),
    ])  # fmt: skip


def make_step(model, optimizer):
    """A training step: returns the loss before it."""

    def step(x, y):
        with ag.GradientTape() as tape:
            loss = np.mean(nn.losses.sparse_categorical_crossentropy(y, model(x, training=True), from_logits=True))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return step


def train(x, y, epochs, seed=0, compiled=True):
    """A model that has seen the images so often, and the mean loss of each epoch."""
    nn.set_seed(seed)
    model, data = make_model(), nn.batches((x.reshape(-1, 8, 8, 1), y), 32, seed)
    step = make_step(model, optim.Adam(optim.CosineDecay(0.002, epochs * len(data))))
    step = ag.compile(step) if compiled else step
    history = [np.mean([float(step(*batch)) for batch in epoch]) for epoch in [data] * epochs]
    return model, history


def main(splits=1, epochs=20) -> None:
    """The mean of so many splits; both numbers may be given on the command line."""
    found = []
    for seed in range(splits):
        (x, y), (unseen, labels) = digits.load(seed)
        model, history = train(x, y, epochs, seed)
        found.append(digits.accuracy(model, unseen.reshape(-1, 8, 8, 1), labels))
        print(f"split {seed}: loss {history[-1]:.4f}, {100 * found[-1]:.2f} % of unseen digits")
    print(f"mean {100 * np.mean(found):.2f} %")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
