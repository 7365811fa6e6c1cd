"""ReversibleBlock and ReversibleSequential: residual layers whose inputs follow from their outputs, so that training keeps only the last.

A. N. Gomez, M. Ren, R. Urtasun, R. B. Grosse, "The Reversible Residual Network: Backpropagation Without Storing Activations", 2017.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import autograph_jit as ag
from autograph_jit.nn.layer import Layer


class ReversibleBlock(Layer):
    """y1 = x1 + f(x2), y2 = x2 + g(y1), with x1 and x2 the halves of the input along its last axis, y1 and y2 those of the output.

    The gradient finds x2 = y2 - g(y1), x1 = y1 - f(x2) and keeps nothing but the output. `f` and `g` are layers, or functions, that keep
    the shape of a half; random draws are kept, running averages are updated once. What else they capture has no derivative.

    >>> block = ReversibleBlock(lambda x: 2 * x, lambda x: 3 * x)
    >>> block(np.array([[1.0, 10.0]]))
    array([[21., 73.]])
    """

    default_dtype = None
    untracked = ("weights",)  # of checkpoints: they are those of f and g

    def __init__(self, f: Callable[..., Any], g: Callable[..., Any], **options: Any) -> None:
        super().__init__(**options)
        self.f, self.g = f, g
        self.weights: tuple[list[ag.Variable], ...] = [], []

    def build(self, input_shape: Any) -> None:
        half = np.zeros((*input_shape[:-1], halved(input_shape[-1])), np.float32)
        for function in (self.f, self.g):
            applied(function, False)(half)  # makes its weights, which the rule of the gradient has to know
        self.weights = weights_of(self.f), weights_of(self.g)

    def call(self, x: Any, training: bool = False) -> Any:
        return reversible([self], x, training)

    def plain(self, x: Any, training: bool = False) -> Any:
        """The same by ordinary backpropagation, which keeps what every operation reads."""
        x1, x2 = halves(x)
        y1 = x1 + applied(self.f, training)(x2)
        return np.concatenate([y1, x2 + applied(self.g, training)(y1)], axis=-1)


class ReversibleSequential(Layer):
    """Reversible blocks one after the other: the gradient keeps the output of the last one alone, however many there are.

    >>> block = ReversibleBlock(lambda x: 2 * x, lambda x: 3 * x)
    >>> ReversibleSequential([block, block])(np.array([[1.0, 10.0]]))
    array([[167., 574.]])
    """

    default_dtype = None

    def __init__(self, blocks: Iterable[ReversibleBlock], **options: Any) -> None:
        super().__init__(**options)
        self.blocks = list(blocks)

    def build(self, input_shape: Any) -> None:
        for block in self.blocks:
            block.build_once(input_shape)

    def call(self, x: Any, training: bool = False) -> Any:
        return reversible(self.blocks, x, training)

    def plain(self, x: Any, training: bool = False) -> Any:
        """The same by ordinary backpropagation."""
        for block in self.blocks:
            x = block.plain(x, training)
        return x


def reversible(blocks: list[ReversibleBlock], x: Any, training: bool) -> Any:
    """The blocks applied to x, with the gradient by inversion."""

    @ag.custom_gradient
    def run(x1: Any, x2: Any, variables: Any) -> Any:
        runs = []
        for block in blocks:
            change, f = ag.record(applied(block.f, training), x2)
            x1 = x1 + change
            change, g = ag.record(applied(block.g, training), x1)
            x2 = x2 + change
            runs.append((block.weights, f, g))
        y1, y2 = x1, x2

        def gradient(ct1: Any, ct2: Any) -> Any:
            x1, x2 = y1, y2
            found: list[Any] = []
            for weights, f, g in runs[::-1]:
                x2, ct1, of_g = undone(g, x1, x2, weights[1], ct1, ct2)
                x1, ct2, of_f = undone(f, x2, x1, weights[0], ct2, ct1)
                found = [(of_f, of_g), *found]
            return ct1, ct2, found

        return (y1, y2), gradient

    x1, x2 = halves(x)
    y1, y2 = run(x1, x2, [block.weights for block in blocks])
    return np.concatenate([y1, y2], axis=-1)


def undone(again: Callable[..., Any], x: Any, y: Any, weights: list[Any], ct_x: Any, ct_y: Any) -> tuple[Any, Any, Any]:
    """For y = before + function(x): what was before, the cotangent of x with what comes from y, and those of the weights."""
    with ag.GradientTape() as tape:
        tape.watch(x, weights)  # which stand for Variables where the model is an argument
        change = again(x)
    ct, of_weights = tape.gradient(change, (x, weights), ct_y)
    return y - change, ct_x + ct, of_weights


def applied(function: Callable[..., Any], training: bool) -> Callable[[Any], Any]:
    """A layer, or a function, as a function of an array."""
    return (lambda x: function(x, training=training)) if isinstance(function, Layer) else function


def weights_of(function: Any) -> list[ag.Variable]:
    """What training may change in a layer."""
    return [weight for weight in function.variables if weight.trainable] if isinstance(function, Layer) else []


def halves(x: Any) -> tuple[Any, Any]:
    """The two halves of an array along its last axis."""
    half = halved(x.shape[-1])
    return x[..., :half], x[..., half:]


def halved(size: int) -> int:
    """Half of an even size."""
    if size % 2:
        raise ag.ShapeError(f"a reversible block of {size} features: give it an even number, each half is changed by the other one")
    return size // 2
