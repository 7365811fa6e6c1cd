"""Gradient functions as users call them: closures, methods, partials, keyword-only and variable arguments, trees, nested transforms."""

from __future__ import annotations

import functools
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import autograph_jit as ag

STEP = 1e-6
X = np.array([0.4, -0.7, 1.2])


def differences(function, x):
    """Central differences of a function of one array."""
    found = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[index] = STEP
        found[index] = (function(x + step) - function(x - step)) / (2 * STEP)
    return found


def smooth(x, scale=1.0, *more, power=2, **named):
    total = 0.0
    for k, v in enumerate(x):
        total += scale * np.sin(v) ** power * (k + 1)
    for v in more:
        total += v * x[0]
    return total + sum(named.values()) * x[1]


class Layer:
    """Parameters in attributes, one of them written by a method."""

    def __init__(self, w):
        self.w, self.seen = w, 0

    def __call__(self, x):
        return self.apply(x).sum()

    def apply(self, x):
        self.seen += 1
        y = np.tanh(self.w @ x)
        for _ in range(2):
            y[1:] += y[:-1] * 0.5
        return y

    def loss(self, w, x):
        self.w = w
        return np.sum(self.apply(x) ** 2)


@dataclass
class Model:
    a: np.ndarray
    b: float

    def energy(self, x):
        e = self.b
        for v in x:
            e = e * 0.5 + np.dot(self.a, self.a) * v
        return e


CALLS = {
    "default": (lambda x: smooth(x), {}),
    "keyword only": (functools.partial(smooth, power=3), {}),
    "variable": (lambda x: smooth(x, 0.5, 0.1, 0.2, more=0.3, other=0.4), {}),
    "partial by position": (functools.partial(lambda c, x: c * np.sum(x**3), 2.0), {}),
    "callable object": (Layer(np.arange(9.0).reshape(3, 3) / 9), {}),
    "method": (Layer(np.eye(3)).apply, {}),
    "method of a dataclass": (Model(np.array([0.3, 0.5]), 0.7).energy, {}),
    "composed": (functools.reduce(lambda f, g: lambda x: g(f(x)), [np.sin, np.cumsum, np.prod]), {}),
    "lambda in a list": ([lambda x: np.sum(x * k) for k in (2.0, 3.0)][0], {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradient_of_what_can_be_called(name):
    function, named = CALLS[name]

    def total(x):
        return np.sum(function(x, **named))

    np.testing.assert_allclose(ag.grad(total)(X.copy()), differences(total, X), rtol=1e-7, atol=1e-8)


def test_captured_array_is_read_at_every_call():
    w = np.array([1.0, 2.0, 3.0])
    gradient = ag.grad(lambda x: np.sum(x * w))
    np.testing.assert_array_equal(gradient(X), w)
    w[0] = 5.0
    np.testing.assert_array_equal(gradient(X), w)


def test_arguments_by_name_and_trees():
    State = namedtuple("State", "position speed")

    def loss(params, state, *, rate):
        for _ in range(3):
            state = State(state.position + rate * state.speed, state.speed - rate * params["k"][0] * state.position)
            params["k"][1] = params["k"][1] * state.speed
        return state.position**2 + params["k"][1], {"speed": state.speed}

    made = {"k": [0.8, 1.3]}, State(0.5, -0.2)
    (value, aux), (tree, slope) = ag.value_and_grad(loss, argnums=("state", "rate"), has_aux=True)(*made, rate=0.3)
    assert isinstance(tree, State) and set(aux) == {"speed"}

    def plain(p, s, r):
        return loss({"k": [0.8, 1.3]}, State(p, s), rate=r)[0]

    point = np.array([0.5, -0.2, 0.3])
    assert value == pytest.approx(plain(*point))
    np.testing.assert_allclose([tree.position, tree.speed, slope], differences(lambda v: plain(*v), point), rtol=1e-7)


def test_dict_of_parameters_and_a_training_loop_by_hand():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((20, 3))
    y = np.tanh(x @ np.array([1.0, -2.0, 0.5]) + 0.3)

    def loss(params):
        return np.mean((np.tanh(x @ params["w"] + params["b"]) - y) ** 2)

    @ag.compile(fallback="error")
    def train(params, steps):
        momentum = {"w": np.zeros(3), "b": 0.0}
        for _ in range(steps):
            gradient = ag.grad(loss)(params)
            for name in ("w", "b"):
                momentum[name] = 0.9 * momentum[name] + gradient[name]
                params[name] = params[name] - 0.3 * momentum[name]
        return params, loss(params)

    params, last = train({"w": np.zeros(3), "b": 0.0}, 200)
    assert last < 1e-6
    np.testing.assert_allclose(params["w"], [1.0, -2.0, 0.5], atol=1e-2)


def program(x):
    y = x * 1.0
    for _ in range(3):
        y[1:] = np.sin(y[:-1]) * y[1:] + 0.1 * y[0]
        if y[0] > 0.3:
            y[0] *= y[1]
    return np.sum(y**2)


def test_hessian_and_products_of_a_program_with_loops_and_writes():
    hessian = ag.hessian(program)(X.copy())
    expected = np.stack([differences(lambda x, i=i: ag.grad(program)(x)[i], X) for i in range(3)])
    np.testing.assert_allclose(hessian, expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(ag.hvp(program, (X.copy(),), (np.ones(3),))[0], hessian @ np.ones(3), rtol=1e-9)


def test_jacobian_and_pullback_of_a_recurrence():
    def path(x):
        out = np.zeros(4)
        s = x[0]
        for k in range(4):
            s = s * x[1] + np.tanh(x[2] * s)
            out[k] = s
        return out

    jacobian = ag.jacobian(path)(X)
    expected = np.stack([differences(lambda x, k=k: path(x)[k], X) for k in range(4)])
    np.testing.assert_allclose(jacobian, expected, rtol=1e-7, atol=1e-8)
    value, pullback = ag.vjp(path, X)
    np.testing.assert_allclose(value, path(X))
    np.testing.assert_allclose(pullback(np.arange(4.0))[0], np.arange(4.0) @ jacobian, rtol=1e-12)


def test_gradient_inside_a_loop_inside_a_gradient():
    def inner(t, c):
        s = t
        while s < 3.0:
            s = s * 1.5 + c
        return s * s

    def outer(c):
        total = 0.0
        for k in range(3):
            total += ag.grad(inner)(0.4 + 0.1 * k, c) * c
        return total

    assert ag.grad(outer)(0.7) == pytest.approx((outer(0.7 + STEP) - outer(0.7 - STEP)) / (2 * STEP), rel=1e-6)


def test_rule_of_the_users_own_in_a_loop_with_writes():
    @ag.custom_gradient
    def clipped(x):
        return x, lambda ct: np.clip(ct, -1.0, 1.0)

    def loss(x):
        y = x * 3.0
        for k in range(len(x)):
            y[k] = clipped(y[k]) * 4.0
        return np.sum(y)

    np.testing.assert_array_equal(ag.grad(loss)(X.copy()), np.full(3, 3.0))


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_training_with_a_tape_and_variables(compiled):
    w, b = ag.Variable(np.zeros(3)), ag.Variable(0.0)
    x = np.random.default_rng(1).standard_normal((30, 3))
    y = x @ np.array([0.5, -1.0, 2.0]) + 0.25

    def step(rate):
        with ag.GradientTape() as tape:
            loss = np.mean((x @ w + b - y) ** 2)
        for variable, gradient in zip((w, b), tape.gradient(loss, (w, b))):
            variable.assign_sub(rate * gradient)
        return loss

    run = ag.compile(step, fallback="error") if compiled else step
    for _ in range(200):
        run(0.2)
    np.testing.assert_allclose(w.numpy(), [0.5, -1.0, 2.0], atol=1e-6)
    assert float(b) == pytest.approx(0.25, abs=1e-6)


def test_a_recorded_tensor_does_not_become_a_part_of_a_plain_array():
    def into(x):
        a = np.zeros(3)
        a += x * x
        return np.sum(a)

    def element(x):
        a = np.zeros(3)
        a[0] = x[1] * 2.0
        return np.sum(a)

    x = ag.asarray(X)
    for function in (into, ag.convert(element)):
        with ag.GradientTape() as tape:
            tape.watch(x)
            with pytest.raises(TypeError, match="a Tensor that a tape records becomes a plain array here"):
                function(x)


def test_operand_that_is_also_the_target_of_a_masked_ufunc_counts_once_on_a_tape():
    def masked(x):
        y = x * 1.0
        np.multiply(y, 0.3, out=y, where=y > 0)
        return np.sum(np.sin(y))

    x = ag.asarray(X)
    with ag.GradientTape() as tape:
        tape.watch(x)
        loss = masked(x)
    np.testing.assert_allclose(tape.gradient(loss, x).numpy(), ag.grad(masked)(X), rtol=1e-13)


OVERWRITTEN = {"exp": np.exp, "tanh": np.tanh, "sqrt": np.sqrt, "cumprod": np.cumprod, "reciprocal": lambda y: 1.0 / y}


@pytest.mark.parametrize("function", OVERWRITTEN.values(), ids=OVERWRITTEN)
def test_result_that_is_written_later_counts_as_it_was_on_a_tape(function):
    def overwritten(x):
        y = function(x * x + 0.5)
        y[0] *= y[2]
        y *= 2.0
        y[1:] = 0.5
        return np.sum(np.sin(y))

    x = ag.asarray(X)
    with ag.GradientTape() as outer:
        outer.watch(x)
        with ag.GradientTape() as inner:
            inner.watch(x)
            loss = overwritten(x)
        slope = inner.gradient(loss, x)
        norm = np.sum(slope * slope)
    np.testing.assert_allclose(slope.numpy(), ag.grad(overwritten)(X), rtol=1e-12)
    expected = ag.grad(lambda x: np.sum(ag.grad(overwritten)(x) ** 2))(X)
    np.testing.assert_allclose(outer.gradient(norm, x).numpy(), expected, rtol=1e-10, atol=1e-14)
