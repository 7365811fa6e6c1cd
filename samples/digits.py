"""Handwritten digits: a multilayer perceptron, its training step compiled, to 97 % of unseen digits (needs the extra `samples`)."""

from __future__ import annotations

import sys

import numpy as np
from sklearn.datasets import load_digits

import autograph_jit as ag
from autograph_jit import nn


def load(seed):
    """1,437 images of 8 x 8 to learn from, 360 to test, chosen by the seed."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(labels))
    x, y = (images[order] / 16).astype(np.float32), labels[order]
    return (x[:1437], y[:1437]), (x[1437:], y[1437:])


def make_model():
    return nn.Sequential([nn.Dense(128, "relu"), nn.Dropout(0.2), nn.Dense(64, "relu"), nn.Dense(10)])


def make_step(model, rate, momentum):
    """A step of gradient descent with momentum: returns the loss before it."""
    velocities = []

    def step(x, y):
        with ag.GradientTape() as tape:
            logits = model(x, training=True)
            loss = np.mean(nn.losses.sparse_categorical_crossentropy(y, logits, from_logits=True))
        variables = model.trainable_variables
        gradients = tape.gradient(loss, variables)
        if not velocities:
            velocities.extend([ag.Variable(np.zeros(v.shape, v.dtype), trainable=False) for v in variables])
        for variable, velocity, gradient in zip(variables, velocities, gradients):
            velocity.assign(momentum * velocity - rate * gradient)
            variable.assign_add(velocity)
        return loss

    return step


def train(x, y, epochs, seed=0, compiled=True):
    """A model that has seen the images so often, and the mean loss of each epoch."""
    nn.set_seed(seed)
    model = make_model()
    step = make_step(model, rate=0.05, momentum=0.9)
    step = ag.compile(step) if compiled else step
    history = [np.mean([float(step(*batch)) for batch in epoch]) for epoch in [nn.batches((x, y), 64, seed)] * epochs]
    return model, history


def accuracy(model, x, y):
    return float(np.mean(np.argmax(model(x), axis=-1) == y))


def main(splits=1, epochs=30) -> None:
    """The mean of so many splits; both numbers may be given on the command line."""
    found = []
    for seed in range(splits):
        learned, unseen = load(seed)
        model, history = train(*learned, epochs, seed)
        found.append(accuracy(model, *unseen))
        print(f"split {seed}: loss {history[-1]:.4f}, {100 * found[-1]:.2f} % of unseen digits")
    print(f"mean {100 * np.mean(found):.2f} %")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
