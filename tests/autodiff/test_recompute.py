"""Tests of autodiff/recompute.py and repetition.py: calls that are made again, and derivatives that keep only what a function was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

X = np.linspace(0.1, 1.0, 5)


def curve(x: Any) -> Any:
    return np.tanh(np.exp(x) * x)


def branched(x: Any) -> Any:
    y = x * 1.0
    for i in range(len(x)):
        y[i] = y[i] * y[i] if y[i] > 0.5 else np.sin(y[i])
    return y


def nested(x: Any) -> Any:
    return curve(ag.checkpoint(curve)(curve(x)))


def several(x: Any) -> Any:
    y = np.sin(x)
    return {"y": y, "z": [np.sum(y * y), "text", None]}


def total(result: Any) -> Any:
    return np.sum(result["y"] ** 2) * result["z"][0] if isinstance(result, dict) else np.sum(result**2)


@pytest.mark.parametrize("function", [curve, branched, nested, several])
def test_a_checkpoint_changes_no_derivative_of_any_order(function: Callable[..., Any]) -> None:
    plain, saving = (lambda x: total(function(x))), (lambda x: total(ag.checkpoint(function)(x)))
    np.testing.assert_allclose(ag.grad(saving)(X), ag.grad(plain)(X), rtol=1e-12)
    np.testing.assert_allclose(ag.hessian(saving)(X), ag.hessian(plain)(X), rtol=1e-9, atol=1e-12)
    if function is branched:
        return  # a loop over the elements of a Tensor is no use of a tape
    source = ag.Variable(X)
    with ag.GradientTape() as outer:
        with ag.GradientTape() as inner:
            value = saving(source)
        slope = inner.gradient(value, source)
    np.testing.assert_allclose(slope, ag.grad(plain)(X), rtol=1e-12)
    np.testing.assert_allclose(outer.gradient(slope, source), ag.hessian(plain)(X).sum(0), rtol=1e-9, atol=1e-12)


def test_captured_variables_and_arrays_have_derivatives() -> None:
    w = ag.Variable(np.array([0.5, -1.0, 2.0]))

    def step(x: Any, saves: bool) -> Any:
        with ag.GradientTape() as tape:
            v = w * 2.0

            def inner(x: Any) -> Any:
                return np.tanh(x * v) + w * w

            value = np.sum(ag.checkpoint(inner)(x) ** 2 if saves else inner(x) ** 2)
        return value, tape.gradient(value, [w])[0]

    x = np.array([1.0, 2.0, 3.0])
    wanted = [np.asarray(part) for part in step(x, False)]
    for found in (step(x, True), ag.compile(step, fallback="error")(x, True)):
        np.testing.assert_allclose(found[0], wanted[0], rtol=1e-12)
        np.testing.assert_allclose(found[1], wanted[1], rtol=1e-12)


class Noisy:
    """Draws, counts its calls in a Variable that it also reads, and scales its draws in place."""

    def __init__(self) -> None:
        self.generator, self.count, self.w = np.random.default_rng(0), ag.Variable(1.0, trainable=False), ag.Variable(np.ones(4))

    def __call__(self, x: Any) -> Any:
        noise = self.generator.random(4)
        scaled = noise * 0.5
        result = np.tanh(x * self.w * self.count + scaled) * noise
        self.count.assign_add(1.0)
        return result * self.count


@pytest.mark.parametrize("compiled", [False, True])
def test_what_is_computed_again_draws_nothing_and_writes_nothing(compiled: bool) -> None:
    found = []
    for saves in (False, True):
        noisy = Noisy()

        def step(x: Any, noisy: Any = noisy, call: Any = ag.checkpoint(noisy) if saves else noisy) -> Any:
            with ag.GradientTape() as tape:
                value = np.sum(call(call(x)) ** 2)
            return value, tape.gradient(value, [noisy.w])[0]

        run = ag.compile(step, fallback="error") if compiled else step
        results = [np.asarray(part) for _ in range(2) for part in run(X[:4])]
        found.append([*results, noisy.count.numpy(), noisy.generator.random()])
    assert found[1][-2] == 5.0
    for mine, wanted in zip(found[1], found[0]):
        np.testing.assert_allclose(mine, wanted, rtol=1e-12)


def test_compiled_code_computes_again_instead_of_keeping() -> None:
    def loss(function: Any, x: Any) -> Any:
        return np.sum(function(function(x)))

    for function, count in ((curve, 2), (ag.checkpoint(curve), 4)):
        compiled = ag.compile(lambda x, f=function: ag.grad(lambda x: loss(f, x))(x), fallback="error")
        assert str(compiled.graph(X)).count(" tanh(") == count


def test_a_recorded_call_is_made_again_with_its_draws_and_without_its_effects() -> None:
    for compiled in (False, True):
        generator, count = np.random.default_rng(0), ag.Variable(0.0)

        def noisy(x: Any, generator: Any = generator, count: Any = count) -> Any:
            count.assign_add(1.0)
            return np.sum(x * generator.random(3))

        def both(x: Any, noisy: Any = noisy) -> Any:
            value, again = ag.record(noisy, x)
            return value, again(2 * x)

        def run(x: Any, both: Any = both) -> Any:
            with ag.GradientTape() as tape:
                tape.watch(x)
                return both(x)

        x = np.array([1.0, 2.0, 3.0])
        value, doubled = ag.compile(both, fallback="error")(x) if compiled else run(ag.asarray(x))
        draws = np.random.default_rng(0).random(3)
        np.testing.assert_allclose([value, doubled], [np.sum(x * draws), 2 * np.sum(x * draws)], rtol=1e-15)
        assert float(count) == 1.0 and generator.random() == np.random.default_rng(0).random(4)[3]


def test_what_cannot_run_twice_is_kept_and_an_error_to_make_again() -> None:
    generator = np.random.default_rng(0)

    def drawing(x: Any) -> Any:
        for _ in range(len(x)):
            x = x * generator.random()
        return x

    def loss(x: Any) -> Any:
        return np.sum(ag.checkpoint(drawing)(x))

    wanted = np.full(20, np.prod(np.random.default_rng(0).random(20)))
    np.testing.assert_allclose(ag.grad(loss)(np.ones(20)), wanted, rtol=1e-12)
    with pytest.raises(TypeError, match="cannot be made again"):
        ag.compile(lambda x: ag.record(drawing, x)[1](x), fallback="error")(np.ones(20))

    def writing(x: Any) -> Any:
        y = x * 1.0
        y[0] = 2.0 * y[1]
        return y

    source = ag.Variable(X)
    with ag.GradientTape() as tape:
        value = np.sum(ag.checkpoint(writing)(source) ** 2)
    np.testing.assert_allclose(tape.gradient(value, source), ag.grad(lambda x: np.sum(writing(x) ** 2))(X), rtol=1e-12)


def test_without_derivatives_it_is_the_function() -> None:
    assert ag.checkpoint(lambda x, k=2: x * k)(3.0, k=4) == 12.0
    value, again = ag.record(lambda x, k: x * k, 3.0, k=2)
    assert (value, again(5.0)) == (6.0, 10.0)
    with pytest.raises(ValueError, match="takes a function"):
        ag.checkpoint(3)
