"""Every rule against the formula of its paper, in Keras' form, written out in NumPy; eagerly, compiled, and as a pure function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit import optim
from tests.tables import table

STEPS = 5


def sgd(p: Any, gradient: Callable, rate: float = 0.01, momentum: float = 0.0, nesterov: bool = False) -> Iterator[Any]:
    velocity = np.zeros_like(p)
    while True:
        g = gradient(p)
        velocity = momentum * velocity - rate * g
        p = p + (momentum * velocity - rate * g if nesterov else velocity)
        yield p


def adagrad(p: Any, gradient: Callable, rate: float = 0.001, start: float = 0.1, epsilon: float = 1e-7) -> Iterator[Any]:
    total = np.full_like(p, start)
    while True:
        g = gradient(p)
        total = total + g**2
        p = p - rate * g / np.sqrt(total + epsilon)
        yield p


def rmsprop(
    p: Any,
    gradient: Callable,
    rate: float = 0.001,
    rho: float = 0.9,
    momentum: float = 0.0,
    epsilon: float = 1e-7,
    centered: bool = False,
) -> Iterator[Any]:
    squares, mean, run = np.zeros_like(p), np.zeros_like(p), np.zeros_like(p)
    while True:
        g = gradient(p)
        squares, mean = rho * squares + (1 - rho) * g**2, rho * mean + (1 - rho) * g
        run = momentum * run + rate * g / np.sqrt(squares - (mean**2 if centered else 0) + epsilon)
        p = p - run
        yield p


def adam(
    p: Any,
    gradient: Callable,
    rate: float = 0.001,
    beta_1: float = 0.9,
    beta_2: float = 0.999,
    epsilon: float = 1e-7,
    amsgrad: bool = False,
    decay: float = 0.0,
) -> Iterator[Any]:
    mean, squares, largest, t = np.zeros_like(p), np.zeros_like(p), np.zeros_like(p), 0
    while True:
        t += 1
        g = gradient(p)
        p = p - decay * rate * p
        mean, squares = beta_1 * mean + (1 - beta_1) * g, beta_2 * squares + (1 - beta_2) * g**2
        largest = np.maximum(largest, squares)
        p = p - rate * np.sqrt(1 - beta_2**t) / (1 - beta_1**t) * mean / (np.sqrt(largest if amsgrad else squares) + epsilon)
        yield p


RULES = [
    (optim.SGD(), sgd, {}),
    (optim.SGD(0.1, 0.9), sgd, {"rate": 0.1, "momentum": 0.9}),
    (optim.SGD(0.1, momentum=0.9, nesterov=True), sgd, {"rate": 0.1, "momentum": 0.9, "nesterov": True}),
    (optim.Adagrad(0.1), adagrad, {"rate": 0.1}),
    (optim.Adagrad(0.1, 0.5, 1e-3), adagrad, {"rate": 0.1, "start": 0.5, "epsilon": 1e-3}),
    (optim.RMSprop(), rmsprop, {}),
    (optim.RMSprop(0.01, 0.8, 0.7), rmsprop, {"rate": 0.01, "rho": 0.8, "momentum": 0.7}),
    (optim.RMSprop(0.01, momentum=0.5, centered=True), rmsprop, {"rate": 0.01, "momentum": 0.5, "centered": True}),
    (optim.Adam(), adam, {}),
    (optim.Adam(0.1, 0.8, 0.99, 1e-3), adam, {"rate": 0.1, "beta_1": 0.8, "beta_2": 0.99, "epsilon": 1e-3}),
    (optim.Adam(0.1, amsgrad=True), adam, {"rate": 0.1, "amsgrad": True}),
    (optim.AdamW(0.1), adam, {"rate": 0.1, "decay": 0.004}),
]
each_rule = table("optimizer, reference, options", RULES, ids=lambda value: getattr(value, "__name__", type(value).__name__))


def starts() -> list[np.ndarray]:
    return [np.array([[1.0, -2.0], [0.5, 0.0]]), np.array([3.0])]


def gradient(p: Any) -> Any:
    """Of the sum of sin(p) + p^2 / 2."""
    return np.cos(p) + p


def expected(reference: Callable, options: dict, steps: int = STEPS) -> list[np.ndarray]:
    found = []
    for start in starts():
        values = reference(start, gradient, **options)
        found.append([next(values) for _ in range(steps)][-1])
    return found


def fresh(optimizer: optim.Optimizer) -> optim.Optimizer:
    """The same optimizer before its first step."""
    new = type(optimizer)()
    vars(new).update({name: value for name, value in vars(optimizer).items() if isinstance(value, (int, float, type(None)))})
    new.learning_rate = float(optimizer.learning_rate)
    return new


@each_rule
def test_eager_steps_follow_the_formula(optimizer: Any, reference: Any, options: Any) -> None:
    optimizer, variables = fresh(optimizer), [ag.Variable(start) for start in starts()]
    for _ in range(STEPS):
        optimizer.apply_gradients(zip([gradient(variable.numpy()) for variable in variables], variables))
    for variable, value in zip(variables, expected(reference, options)):
        np.testing.assert_allclose(variable.numpy(), value, rtol=1e-12, atol=1e-14)
    assert int(optimizer.iterations) == STEPS


@each_rule
def test_a_compiled_training_step_is_native_and_follows_the_formula(optimizer: Any, reference: Any, options: Any) -> None:
    optimizer, variables = fresh(optimizer), [ag.Variable(start) for start in starts()]

    @ag.compile(fallback="error")
    def step() -> Any:
        with ag.GradientTape() as tape:
            loss = sum([np.sum(np.sin(v) + v * v / 2) for v in variables])
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    optimizer.build(variables)
    for _ in range(STEPS):
        step()
    for variable, value in zip(variables, expected(reference, options)):
        np.testing.assert_allclose(variable.numpy(), value, rtol=1e-12, atol=1e-14)
    assert "host calls    none" in step.explain() and len(step.specializations) == 1


@each_rule
def test_pure_updates_follow_the_formula_and_leave_their_arguments(optimizer: Any, reference: Any, options: Any) -> None:
    rule = fresh(optimizer)
    first, second = starts()
    params = given = {"layers": [first, None], "bias": (second,)}
    state = rule.init(params)
    for _ in range(STEPS):
        grads = {"layers": [gradient(params["layers"][0]), None], "bias": (gradient(params["bias"][0]),)}
        params, state = rule.update(grads, state, params)
    found = [params["layers"][0], params["bias"][0]]
    for value, wanted in zip(found, expected(reference, options)):
        np.testing.assert_allclose(value, wanted, rtol=1e-12, atol=1e-14)
        assert type(value) is np.ndarray
    assert given["layers"][0] is first and np.array_equal(first, starts()[0])
    assert state["iterations"] == STEPS and int(rule.iterations) == 0
