"""Options of functions and methods of NumPy and Python that a branch leaves None, or not: each of the two means what it means in Python."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag

X = np.array([1.0, 2.0, 3.0])
A = np.array([[1.0, 5.0], [2.0, 4.0]])


def chosen(limit: float, value: Any) -> Any:
    """The value, or None."""
    found = None
    if limit < 2.0:
        found = value
    return found


PROGRAMS = {
    "axis of a function": lambda limit: np.sum(X, axis=chosen(limit, 0)),
    "axis of a method": lambda limit: X.max(axis=chosen(limit, 0)),
    "a bound": lambda limit: np.clip(X, chosen(limit, 2.0), 3.0),
    "a bound of a method": lambda limit: X.clip(chosen(limit, 2.0), 3.0),
    "an array to write to": lambda limit: np.add(X, 1.0, out=chosen(limit, np.zeros(3))),
    "weights": lambda limit: np.average(X, weights=chosen(limit, X)),
    "a dtype": lambda limit: np.zeros(3, dtype=chosen(limit, np.float32)),
    "an order": lambda limit: np.linalg.norm(A, chosen(limit, "fro")),
    "axis of rows": lambda limit: np.cumsum(A, axis=chosen(limit, 0)),
    "a key": lambda limit: sorted([3, -5, 2], key=chosen(limit, abs)),
    "two of them": lambda limit: np.clip(X, chosen(limit, 2.0), chosen(limit - 1.0, 2.5)),
}


def outcome(function: Any, limit: float) -> Any:
    try:
        result = function(limit)
    except Exception as error:
        return type(error), str(error)
    return type(result), result.tolist() if isinstance(result, np.ndarray) else result


def test_a_value_and_none_mean_what_they_mean_in_python() -> None:
    for name, program in PROGRAMS.items():
        compiled = ag.compile(program)
        for limit in (1.0, 2.5, 5.0):
            assert outcome(compiled, limit) == outcome(program, limit), (name, limit)


def test_gradient_by_an_array_whose_weights_may_be_none() -> None:
    def mean(x: Any, limit: float) -> Any:
        return np.average(x * x, weights=chosen(limit, X))

    np.testing.assert_allclose(ag.grad(mean)(X, 1.0), 2 * X * X / 6)
    np.testing.assert_allclose(ag.grad(mean)(X, 5.0), 2 * X / 3)
