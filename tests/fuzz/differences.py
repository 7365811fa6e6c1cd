"""Derivatives of a plain function by extrapolated central differences, with an estimate of their error and the path that was taken.

The function runs in `float64` from a text in which every comparison, `int()` and index search notes its outcome: a difference across
another path is not a derivative. Kinks that no comparison shows (`np.maximum`, `np.sort`, ...) show in the second difference.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzz.programs import load

STEPS = (2e-3, 1e-4, 4e-6)
SEARCHES = ("argmax", "argmin", "argsort", "nonzero", "searchsorted")
EPSILON = float(np.finfo(np.float64).eps)
FUNCTIONS = Callable[[np.ndarray], tuple[Any, Any]]


class Noting(ast.NodeTransformer):
    """Wraps what decides the path in calls of `noted`."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        return noted(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return noted(node) if name == "int" or name in SEARCHES else node


def noted(node: ast.expr) -> ast.Call:
    return ast.Call(ast.Name("noted", ast.Load()), [node], [])


class NotedFunction:
    """A program's function in `float64`; a call gives the value and the path."""

    def __init__(self, text: str, name: str) -> None:
        tree = Noting().visit(ast.parse(text.replace("float32", "float64").replace("complex64", "complex128")))
        self.function, _ = load(ast.unparse(ast.fix_missing_locations(tree)), f"{name} noted")
        self.function.__globals__["noted"] = self.note
        self.path: list[Any] = []

    def note(self, outcome: Any) -> Any:
        self.path.append(np.asarray(outcome).tolist())
        return outcome

    def __call__(self, arguments: tuple[Any, ...]) -> tuple[Any, list[Any]]:
        self.path = []
        value = self.function(*arguments)
        return value, self.path


def leaves(arguments: Any) -> Iterator[Any]:
    """The float and complex numbers and arrays among arguments."""
    for item in arguments.values() if isinstance(arguments, dict) else arguments:
        if isinstance(item, (dict, tuple, list)):
            yield from leaves(item)
        elif np.asarray(item).dtype.kind in "fc":
            yield item


def flat(arguments: Any) -> np.ndarray:
    """All of them as one vector of real numbers; of a complex array the real parts, then the imaginary parts."""
    parts = []
    for item in leaves(arguments):
        x = np.asarray(item).ravel()
        parts += [x.real, x.imag] if x.dtype.kind == "c" else [x]
    return np.concatenate(parts).astype(np.float64)


def rebuilt(arguments: Any, numbers: np.ndarray, dtype: Any = np.float64) -> Any:
    """Arguments with other numbers; in `dtype`, or with None in their own dtypes."""
    supply = iter(numbers)
    return with_numbers(arguments, supply, dtype)


def with_numbers(item: Any, supply: Iterator[Any], dtype: Any) -> Any:
    if isinstance(item, dict):
        return {key: with_numbers(part, supply, dtype) for key, part in item.items()}
    if isinstance(item, (tuple, list)):
        return type(item)(with_numbers(part, supply, dtype) for part in item)
    kind = np.asarray(item).dtype.kind
    if kind not in "fc":
        return item
    taken = [np.array([next(supply) for _ in range(np.size(item))]).reshape(np.shape(item)) for _ in range(2 if kind == "c" else 1)]
    made = taken[0] + 1j * taken[1] if kind == "c" else taken[0].astype(dtype or np.asarray(item).dtype)
    return made if isinstance(item, np.ndarray) else made.item()


@dataclass(frozen=True)
class Slope:
    """A directional derivative with a bound on its error; None where there is a kink or a change of path too near."""

    value: Any
    error: Any


def slope(
    function: FUNCTIONS, at: np.ndarray, direction: np.ndarray, noise: float = EPSILON, steps: tuple[float, ...] = STEPS
) -> Slope | None:
    """The derivative of `function`, which gives numbers and a path, along a direction; `noise` is the relative error of its values."""
    center, path = function(at)
    for step in steps:
        ends = [function(at + factor * step * direction) for factor in (1, -1, 0.5, -0.5)]
        if any(other != path for _, other in ends):
            continue
        found = extrapolated(np.asarray(center), [np.asarray(value) for value, _ in ends], step, noise)
        if found is not None:
            return found
    return None


def extrapolated(center: np.ndarray, ends: list[np.ndarray], step: float, noise: float) -> Slope | None:
    """Richardson's extrapolation of two central differences; None where values are not finite or bend as at a kink."""
    if not all(np.all(np.isfinite(end)) for end in [center, *ends]):
        return None
    wide, narrow = (ends[0] - ends[1]) / (2 * step), (ends[2] - ends[3]) / step
    largest = max(float(np.max(np.abs(end))) for end in ends)
    rounding = 20 * noise * largest / step
    bend_wide, bend_narrow = np.abs(ends[0] - 2 * center + ends[1]) / step, np.abs(ends[2] - 2 * center + ends[3]) / (step / 2)
    if np.any((bend_narrow > 0.75 * bend_wide + 10 * rounding) & (bend_narrow > 1e-7 * (1 + np.abs(narrow)))):
        return None
    value, change = (4 * narrow - wide) / 3, np.abs(narrow - wide)
    if np.any(change > 1e-3 * (1 + np.max(np.abs(value)))):
        return None
    return Slope(value, 0.05 * change + rounding)
