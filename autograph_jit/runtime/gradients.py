"""Gradient functions: each call traces forward and reverse sweep into one program, compiled as any other."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autograph_jit.autodiff.checkpointing.budget import Budget
from autograph_jit.autodiff.equivalents import register as equivalents
from autograph_jit.autodiff.forward_mode import directional
from autograph_jit.autodiff.tapes import replay
from autograph_jit.autodiff.tapes import staged as staged_tape
from autograph_jit.autodiff.transform import value_and_gradients
from autograph_jit.errors import NotDifferentiable
from autograph_jit.runtime.dispatch import CompiledFunction
from autograph_jit.runtime.inspection import MadeOfFunction
from autograph_jit.runtime.settings import Settings, listeners
from autograph_jit.tracing.plain.calls import NEVER_CONVERTED
from autograph_jit.tracing.values.trace import current, user_span

INSTALLED = (equivalents, staged_tape)


def set_budget(settings: Settings) -> None:
    """Gradients compiled from now on keep to this."""
    Budget.bytes = settings.saved_bytes


listeners.append(set_budget)
OPTIONS = {"static_argnames": (), "fallback": "error", "device": None, "goes_on": True}


def compile_staged(staged: Callable[..., Any]) -> CompiledFunction:
    """Compile a function of this package that runs on stand-ins as it is."""
    return CompiledFunction(staged, lambda function: function, dict(OPTIONS))


replay.compile_staged.append(compile_staged)


class Derived(MadeOfFunction):
    """A function derived from another one: `staged` runs on stand-ins, a call outside a trace compiles it."""

    def __init__(self, function: Callable[..., Any], *options: Any) -> None:
        if not callable(function):
            raise NotDifferentiable(
                f"{type(self).__name__.lower()} of {type(function).__name__}: a function is needed",
                user_span(),
                "ag.grad and its like take a function and give one",
                "ag.grad(f)(x), not ag.grad(f(x))",
            )
        functools.update_wrapper(self, function, updated=())
        NEVER_CONVERTED.note_own(function)
        self.function, self.options = function, options
        self.compiled = compile_staged(self.staged)

    def staged(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as what it was made of: the function by reference, the options by value."""
        return type(self), (self.function, *self.options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if current() is not None:
            return self.staged(*args, **kwargs)
        return self.compiled(*args, **kwargs)


class Gradient(Derived):
    """A function that gives the gradient, or value and gradient, of another one; usable inside compiled functions."""

    def __init__(self, function: Callable[..., Any], argnums: Any, has_aux: bool, with_value: bool) -> None:
        super().__init__(function, argnums, has_aux, with_value)
        self.argnums, self.has_aux, self.with_value = argnums, has_aux, with_value

    def staged(self, *args: Any, **kwargs: Any) -> Any:
        """The gradient on stand-ins."""
        several = isinstance(self.argnums, (tuple, list))
        argnums = tuple(self.argnums) if several else (self.argnums,)
        result, gradients = value_and_gradients(self.function, args, kwargs, argnums, self.has_aux)
        found = gradients if several else gradients[0]
        if self.with_value:
            return result, found
        return (found, result[1]) if self.has_aux else found


class Pullback(Derived):
    """(cotangents, *args) to the gradients of all arguments."""

    def staged(self, cotangents: Any, *args: Any) -> Any:
        return directional.vjp(self.function, args, tuple(range(len(args))), cotangents)[1]


class PullbackAt:
    """The pullback of a function at given arguments: from cotangents to the gradients of these."""

    def __init__(self, pullback: Pullback, args: tuple[Any, ...]) -> None:
        self.pullback, self.args = pullback, args

    def __call__(self, cotangents: Any) -> tuple[Any, ...]:
        return self.pullback(cotangents, *self.args)


class Pushforward(Derived):
    """(primals, tangents) to (result, tangent of the result)."""

    def staged(self, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
        return directional.jvp(self.function, primals, tangents)


class Jacobian(Derived):
    """The Jacobian with respect to one argument."""

    def __init__(self, function: Callable[..., Any], argnum: Any) -> None:
        super().__init__(function, argnum)
        self.argnum = argnum

    def staged(self, *args: Any) -> Any:
        return directional.jacobian(self.function, args, self.argnum)
