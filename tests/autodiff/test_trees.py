"""Tests of autodiff/trees.py: dataclasses and objects that name their fields as arguments of derivatives."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

import autograph_jit as ag


@dataclasses.dataclass(frozen=True, slots=True)
class Parameters:
    w: Any
    power: int
    parts: tuple[Any, ...] = ()


class Scales:
    """A user's class with the protocol: its weights are leaves, its name is not."""

    def __init__(self, **weights: Any) -> None:
        self.name, self.weights, self.again = "scales", weights, weights.get("a")

    def __tree_fields__(self) -> list[str]:
        return ["weights", "again"]


def energy(p: Any, x: Any) -> Any:
    return np.sum((p.w * x) ** p.power) * p.parts[0].w * p.parts[1].w


P = Parameters(np.array([1.0, 2.0]), 2, (Parameters(3.0, 1), Parameters(3.0, 1)))
X = np.array([0.5, 2.0])


def test_gradient_by_a_dataclass_is_one_of_its_class() -> None:
    by_hand = Parameters(2 * P.w * X**2 * 9, 2, (Parameters(3 * 16.25, 1), Parameters(3 * 16.25, 1)))
    compiled = ag.compile(lambda p: ag.grad(energy)(p, X), fallback="error")
    for found in (ag.grad(energy)(P, X), ag.value_and_grad(energy)(P, X)[1], ag.vjp(energy, P, X)[1](1.0)[0], compiled(P)):
        assert type(found) is Parameters and (found.power, found.parts) == (2, by_hand.parts)
        np.testing.assert_allclose(found.w, by_hand.w)


def test_forward_mode_goes_along_the_fields_of_a_dataclass() -> None:
    value, slope = ag.jvp(lambda p: energy(p, X), (P,), (P,))
    np.testing.assert_allclose([value, slope], [9 * 16.25, 4 * 9 * 16.25])  # of degree 4 in the fields


def test_variable_that_stands_twice_in_an_object_is_one_leaf() -> None:
    scales = Scales(a=ag.Variable([2.0, 3.0]), b=ag.Variable(4.0, trainable=False))

    def product(scales: Any) -> Any:
        return np.sum(scales.weights["a"] * scales.again * scales.weights["b"])

    found = ag.grad(product)(scales)
    assert (type(found), found.name, found.weights["b"] is scales.weights["b"]) == (Scales, "scales", True)
    for gradient in (found.weights["a"], found.again):
        np.testing.assert_allclose(gradient, [16.0, 24.0])
    np.testing.assert_array_equal(scales.again.numpy(), [2.0, 3.0])


def test_tape_takes_an_object_as_its_sources() -> None:
    scales = Scales(a=ag.Variable([2.0, 3.0]))

    def slope(factor: Any) -> Any:
        with ag.GradientTape() as tape:
            y = np.sum(scales.again * scales.again * factor)
        return tape.gradient(y, scales)

    for function in (slope, ag.compile(slope, fallback="error")):
        found = function(2.0)
        assert type(found) is Scales
        np.testing.assert_allclose(found.weights["a"], [8.0, 12.0])
