"""Checking derivatives: `check_grads` compares those that the package finds with central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.api import grad, jvp
from autograph_jit.autodiff.transform import Traced
from autograph_jit.autodiff.trees import leaves_of, map_tree
from autograph_jit.records import dataclass
from autograph_jit.tracing.expressions.calls import call

MODES = ("fwd", "rev")
STEPS = {"d": 1e-5, "D": 1e-5, "f": 1e-2, "F": 1e-2}
TOLERANCES = {"d": 1e-5, "D": 1e-5, "f": 2e-2, "F": 2e-2}

Leaves = tuple[Any, ...]


def check_grads(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    order: int = 2,
    modes: tuple[str, ...] = MODES,
    *,
    step: float | None = None,
    tolerance: float | None = None,
    seed: int = 0,
) -> None:
    """Raise AssertionError where a derivative of `function` is not what central differences give.

    Each derivative is taken along a random direction of all float and complex arguments, of a random weighting of the result. Derivatives
    of order two are those of each derivative of order one: with both modes, all four combinations.

    args       numbers, arrays, and tuples, lists and dicts of them; integers and other values are constants
    order      derivatives up to this order
    modes      "fwd" for forward, "rev" for reverse
    step       of the differences; 1e-5, with float32 or complex64 among the arguments 1e-2
    tolerance  relative to the derivative, absolute where that is below 1; 1e-5, with float32 2e-2

    >>> check_grads(np.arctan2, (np.array([0.5, 1.0]), 2.0))
    """
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    if not modes or set(modes) - set(MODES) or order < 1:
        raise ValueError(f'modes must be among "fwd" and "rev" and order at least 1, not {modes!r} and {order!r}')
    if not isinstance(args, tuple | list):
        raise TypeError(f"args must be the tuple of the arguments, not {type(args).__name__}")
    leaves = tuple(leaf for leaf in leaves_of(tuple(args)) if is_float(leaf))
    if not leaves:
        raise TypeError("none of the arguments is a float or complex number or array: there is nothing to differentiate by")
    kinds = [np.asarray(leaf).dtype.char for leaf in leaves]
    random = np.random.default_rng(seed)
    check = Check(
        modes,
        step if step is not None else max(STEPS[kind] for kind in kinds),
        tolerance if tolerance is not None else max(TOLERANCES[kind] for kind in kinds),
        random,
    )
    check.derivatives(weighted(function, tuple(args), random), leaves, order, ())


def is_float(leaf: Any) -> bool:
    """A float or complex number or array."""
    return np.asarray(leaf).dtype.char in STEPS


def random_like(leaf: Any, random: np.random.Generator) -> Any:
    """Random numbers in the shape and kind of a leaf."""
    x = np.asarray(leaf)
    drawn = random.standard_normal(x.shape) + (1j * random.standard_normal(x.shape) if x.dtype.kind == "c" else 0)
    if isinstance(leaf, np.ndarray):
        return np.asarray(drawn).astype(x.dtype)
    return x.dtype.type(drawn) if isinstance(leaf, np.generic) else type(leaf)(drawn)


def real_product(fixed: Any, x: Any) -> Any:
    """The real inner product of a fixed leaf and one of the same kind."""
    is_complex = np.asarray(fixed).dtype.kind == "c"
    return np.real(np.sum(np.conj(fixed) * x)) if is_complex else np.sum(fixed * x)


def weighted(function: Callable[..., Any], args: tuple[Any, ...], random: np.random.Generator) -> Callable[..., Any]:
    """The function as one of its float leaves with a real result: the float leaves of its own result, weighed and added."""
    found = function(*map_tree(args, fresh))
    weights = [random_like(leaf, random) if is_float(leaf) else None for leaf in leaves_of(found)]
    if all(weight is None for weight in weights):
        raise TypeError("the function returns no float or complex number or array: there is nothing to differentiate")

    def loss(*leaves: Any) -> Any:
        given = iter(leaves)
        result = call(function, map_tree(args, lambda leaf: next(given) if is_float(leaf) else fresh(leaf)), None)
        pairs = zip(leaves_of(result), weights, strict=True)
        total: Any = 0.0
        for leaf, weight in pairs:
            if weight is not None:
                total = total + real_product(weight, leaf)
        return total

    return Traced(loss)


def fresh(leaf: Any) -> Any:
    """A leaf that a function may write to."""
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


@dataclass(frozen=True, slots=True)
class Check:
    """The comparison with central differences, of every derivative up to an order."""

    modes: tuple[str, ...]
    step: float
    tolerance: float
    random: np.random.Generator

    def derivatives(self, loss: Callable[..., Any], leaves: Leaves, order: int, path: tuple[str, ...]) -> None:
        """Check the derivatives of `loss`, which itself is the derivative of what was to be checked by the modes in `path`."""
        directions = tuple(random_like(leaf, self.random) for leaf in leaves)
        expected = self.difference(loss, leaves, directions)
        for mode in self.modes:
            derivative = forward(loss, directions) if mode == "fwd" else reverse(loss, directions)
            found = float(derivative(*map(fresh, leaves)))
            if not abs(found - expected) <= self.tolerance * max(1.0, abs(expected)):
                name = " over ".join((mode, *path))
                raise AssertionError(f"order {len(path) + 1}, {name}: the derivative is {found}, central differences give {expected}")
            if order > 1:
                self.derivatives(derivative, leaves, order - 1, (mode, *path))

    def difference(self, loss: Callable[..., Any], leaves: Leaves, directions: Leaves) -> float:
        """The central difference along `directions`."""
        ahead, behind = (
            float(loss(*(moved(leaf, sign * self.step, along) for leaf, along in zip(leaves, directions)))) for sign in (1.0, -1.0)
        )
        return (ahead - behind) / (2 * self.step)


def moved(leaf: Any, distance: float, direction: Any) -> Any:
    """A leaf moved along a direction, of the same type."""
    there = leaf + distance * direction
    return there.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(there)


def forward(loss: Callable[..., Any], directions: Leaves) -> Callable[..., Any]:
    """The derivative of `loss` along `directions`, by forward mode."""
    return Traced(lambda *leaves: jvp(loss, leaves, directions)[1])


def reverse(loss: Callable[..., Any], directions: Leaves) -> Callable[..., Any]:
    """The derivative of `loss` along `directions`, by reverse mode."""
    gradient = grad(loss, argnums=tuple(range(len(directions))))

    def derivative(*leaves: Any) -> Any:
        total: Any = 0.0
        for part, direction in zip(gradient(*leaves), directions):
            total = total + real_product(direction, part)
        return total

    return Traced(derivative)
