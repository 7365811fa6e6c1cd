"""Names of earlier systems for the gradients that this one has: by all arguments at once, or by the Variables that a function uses."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from autograph_jit.api import value_and_grad
from autograph_jit.autodiff.tapes.tape import GradientTape

Params = Sequence[int | str] | None


class Gradients:
    """The value of a function and the tuple of its gradients by all positional arguments, or by those that `params` names."""

    def __init__(self, function: Callable[..., Any], params: Params) -> None:
        functools.update_wrapper(self, function, updated=())
        self.function, self.params = function, params
        self.by_argnums: dict[tuple[int | str, ...], Callable[..., Any]] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        argnums = tuple(range(len(args))) if self.params is None else tuple(self.params)
        if argnums not in self.by_argnums:
            self.by_argnums[argnums] = value_and_grad(self.function, argnums=argnums)
        return self.by_argnums[argnums](*args, **kwargs)


class ImplicitGradients:
    """The value of a function, run on a tape, and the pairs (gradient, Variable) of the Variables that it used."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function, updated=())
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        with GradientTape() as tape:
            value = self.function(*args, **kwargs)
        variables = tape.watched_variables()
        if not variables:
            name = getattr(self.function, "__name__", "the function")
            raise ValueError(f"{name} used no trainable Variable: there is no implicit gradient")
        return value, list(zip(tape.gradient(value, variables), variables))


class WithoutValue:
    """The second of a function's two results."""

    def __init__(self, function: Callable[..., tuple[Any, Any]]) -> None:
        functools.update_wrapper(self, function, updated=())
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)[1]


def value_and_gradients_function(function: Callable[..., Any], params: Params = None) -> Callable[..., tuple[Any, tuple[Any, ...]]]:
    """A function that returns the value of `function`, one real number, and the tuple of its gradients.

    params  positions or names of the arguments to differentiate by; all positional ones where it is left out

    >>> import math
    >>> value_and_gradients_function(math.hypot)(3.0, 4.0)
    (5.0, (0.6, 0.8))
    """
    return Gradients(function, params)


def gradients_function(function: Callable[..., Any], params: Params = None) -> Callable[..., tuple[Any, ...]]:
    """As `value_and_gradients_function`, without the value.

    >>> import math
    >>> gradients_function(math.hypot, params=[1])(3.0, 4.0)
    (0.8,)
    """
    return WithoutValue(Gradients(function, params))


def implicit_value_and_gradients(function: Callable[..., Any]) -> Callable[..., tuple[Any, list[tuple[Any, Any]]]]:
    """A function that returns the value of `function` and a list of pairs (gradient, Variable), one for each trainable Variable that
    the call used, in order of first use.

    >>> from autograph_jit import Variable
    >>> v = Variable(3.0)
    >>> implicit_value_and_gradients(lambda x: v * v * x)(2.0)
    (Tensor(18., dtype=float64), [(Tensor(12., dtype=float64), Variable(3., dtype=float64))])
    """
    return ImplicitGradients(function)


def implicit_gradients(function: Callable[..., Any]) -> Callable[..., list[tuple[Any, Any]]]:
    """As `implicit_value_and_gradients`, without the value."""
    return WithoutValue(ImplicitGradients(function))
