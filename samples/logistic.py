"""Logistic regression as it is written for TensorFlow: Variables, a tape, mini-batches, momentum, a learning rate that decays."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag


class Logistic:
    """P(label is 1) as the sigmoid of a linear function."""

    def __init__(self, features: int) -> None:
        self.w = ag.Variable(np.zeros(features), name="w")
        self.b = ag.Variable(0.0, name="b")
        self.variables = [self.w, self.b]

    def loss(self, x, labels):
        """The mean cross entropy, stable for large logits."""
        logits = x @ self.w + self.b
        return np.mean(np.maximum(logits, 0.0) - logits * labels + np.log1p(np.exp(-np.abs(logits))))


class Momentum:
    """Gradient descent with momentum and a rate that decays with the steps."""

    def __init__(self, variables, rate=0.5, decay=0.01, momentum=0.9) -> None:
        self.rate, self.decay, self.momentum = rate, decay, momentum
        self.velocities = [ag.Variable(np.zeros(v.shape), trainable=False) for v in variables]
        self.steps = ag.Variable(0, trainable=False)

    def apply(self, gradients, variables):
        self.steps.assign_add(1)
        rate = self.rate / (1.0 + self.decay * self.steps)
        for velocity, gradient, v in zip(self.velocities, gradients, variables):
            velocity.assign(self.momentum * velocity - rate * gradient)
            v.assign_add(velocity)


def train_step(model, optimizer, x, labels):
    with ag.GradientTape() as tape:
        loss = model.loss(x, labels)
    optimizer.apply(tape.gradient(loss, model.variables), model.variables)
    return loss


def train(model, optimizer, x, labels, epochs, batch):
    """Train over the data `epochs` times; return the mean loss of the last time, and how many steps were made."""
    mean = 0.0
    for _ in range(epochs):
        total, batches = 0.0, 0
        for start in range(0, len(x), batch):
            total += train_step(model, optimizer, x[start : start + batch], labels[start : start + batch])
            batches += 1
        mean = total / batches
    return mean, optimizer.steps + 0


def example(size: int = 400, epochs: int = 20) -> tuple:
    """Points labelled by a noisy plane, and a fresh model; the seed is fixed."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((size, 3))
    labels = (x @ np.array([2.0, -1.0, 0.5]) + 0.3 + 0.5 * rng.standard_normal(size) > 0).astype(float)
    model = Logistic(3)
    return model, Momentum(model.variables), x, labels, epochs, 32


def main() -> None:
    model, optimizer, x, labels, epochs, batch = example()
    loss, steps = ag.compile(train, fallback="error")(model, optimizer, x, labels, epochs, batch)
    right = np.mean((x @ model.w.numpy() + model.b.numpy() > 0) == labels)
    print(f"loss {float(loss):.4f} after {int(steps)} steps, {right:.1%} right; w = {model.w.numpy().round(2)}, b = {float(model.b):.2f}")


if __name__ == "__main__":
    main()
