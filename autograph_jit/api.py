"""The public functions: compile, convert, to_source."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable
from typing import Any

from autograph_jit.autodiff.custom import CustomGradient
from autograph_jit.autodiff.forward_mode.directional import copied
from autograph_jit.autodiff.trees import map_tree
from autograph_jit.converters.pipeline import to_source as converted_source
from autograph_jit.errors import NotDifferentiable, SettingError
from autograph_jit.runtime import gradients, recursion
from autograph_jit.runtime.binding import BoundFunction
from autograph_jit.runtime.conversion import convert as convert_for_tracing
from autograph_jit.runtime.derivatives import derive
from autograph_jit.runtime.dispatch import CompiledFunction
from autograph_jit.runtime.eager_function import EagerFunction
from autograph_jit.runtime.gradients import Derived, Gradient, Jacobian, Pullback, PullbackAt, Pushforward
from autograph_jit.runtime.settings import DEVICES, checked_seconds, one_of
from autograph_jit.tracing.expressions.calls import BUILTINS
from autograph_jit.tracing.plain.calls import NEVER_CONVERTED
from autograph_jit.tracing.values.trace import user_span

FALLBACKS = ("warn", "error")
INSTALLED = (recursion,)
STRICT: dict[str, Any] = gradients.OPTIONS  # of what has no form in Python


def compile(
    function: Callable[..., Any] | None = None,
    /,
    *,
    static_argnames: str | tuple[str, ...] = (),
    fallback: str = "warn",
    eager: bool = False,
    device: str | None = None,
    parallel: bool = True,
    compile_seconds: float | None = None,
) -> Any:
    """Compile a NumPy function to native code; with or without parentheses, on functions, methods, partials and callable objects.

    static_argnames  arguments whose numbers are constants: every new value compiles again
    fallback         "warn": what cannot be compiled runs in Python, announced once; "error": it raises ConversionError
    eager            run the plain function
    device           "cpu" or "cuda"; None: that of `ag.device` and `ag.config` at the call
    parallel         threads share large array operations (`ag.config(threads=...)`); False: each call runs in its own thread only
    compile_seconds  what one compilation may cost; None: as `ag.config` says, math.inf: anything
    """
    names = argument_names(static_argnames)
    one_of("fallback", fallback, FALLBACKS)
    if device is not None:
        one_of("device", device, DEVICES)
    options: dict[str, Any] = {"static_argnames": names, "fallback": fallback, "device": device, "parallel": parallel}
    options["compile_seconds"] = checked_seconds(compile_seconds)
    if function is None:
        return functools.partial(compile, eager=eager, **options)
    return compile_with(function, EagerFunction if eager else CompiledFunction, options)


def argument_names(given: Any) -> tuple[str, ...]:
    """The names that `static_argnames` gives."""
    names = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    if not all(isinstance(name, str) for name in names):
        raise SettingError(f"setting static_argnames={given!r}: expected names of arguments")
    return names


def expect_arguments(function: Any, names: tuple[str, ...]) -> None:
    """Refuse `static_argnames` that a function does not have."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & inspect.CO_VARKEYWORDS:
        return
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    missing = [name for name in names if name not in known]
    if missing:
        raise SettingError(f"setting static_argnames: {function.__name__} has no argument {missing[0]!r}, but {', '.join(known) or 'none'}")


def compile_with(function: Any, kind: type[CompiledFunction], options: dict[str, Any]) -> Any:
    """The compiled form of anything that can be called: what is bound or given beforehand becomes an argument."""
    expect_arguments(function, options["static_argnames"])
    NEVER_CONVERTED.note_own(function)
    if isinstance(function, Derived):  # compiles itself
        return function
    if isinstance(function, CustomGradient):  # converts the function that it stands for
        return kind(function, lambda staged: staged, options)
    if isinstance(function, CompiledFunction):
        return kind(function.function, convert_for_tracing, options)
    if isinstance(function, staticmethod | classmethod):
        return type(function)(compile_with(function.__func__, kind, options))
    if isinstance(function, types.MethodType):
        return BoundFunction(compile_with(function.__func__, kind, options), function.__self__)
    if isinstance(function, functools.partial):
        return BoundFunction(compile_with(function.func, kind, options), *function.args, **function.keywords)
    if isinstance(function, type) or not callable(function):
        raise SettingError(f"ag.compile takes a function, a method or a callable object, not {function!r}")
    if not isinstance(function, types.FunctionType | types.BuiltinFunctionType):
        call = type(function).__call__
        if isinstance(call, types.FunctionType):
            return BoundFunction(compile_with(call, kind, options), function)
    return kind(function, convert_for_tracing, options)


def convert(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its control flow converted, running on Python values: behaves as the original."""
    NEVER_CONVERTED.note_own(function)
    return convert_for_tracing(function)


def to_source(function: Callable[..., Any]) -> str:
    """The transformed source of a function."""
    original: Any = getattr(function, "__wrapped__", function)
    original = getattr(original, "__func__", original)
    if not isinstance(original, types.FunctionType):
        raise SettingError(f"ag.to_source takes a function written in Python, not {function!r}")
    return converted_source(original)


def grad(function: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Any:
    """A function that returns the gradient of `function`, which returns one real number.

    argnums  a position or name, or a tuple of them: then the gradients come as a tuple. The gradient of an argument has its structure.
    has_aux  `function` returns (loss, anything); the gradient function then returns (gradient, anything)
    """
    return derive(Gradient, function, argnums, has_aux, False)


def value_and_grad(function: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Any:
    """A function that returns the value of `function` (with has_aux its pair) and the gradient, as `grad` does."""
    return derive(Gradient, function, argnums, has_aux, True)


def vjp(function: Callable[..., Any], *args: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of `function(*args)` and its pullback: from cotangents, in the structure of the value, to the gradients of `args`."""
    pullback = PullbackAt(derive(Pullback, function), map_tree(args, copied))  # the function may write to its arguments
    return derive(compile_strictly, function)(*args), pullback


def compile_strictly(function: Callable[..., Any]) -> Any:
    """The compiled function, which never runs in Python instead."""
    return compile_with(function, CompiledFunction, dict(STRICT))


def jvp(function: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    """The value of `function(*primals)` and its derivative along `tangents`, which have the structure of `primals`."""
    expect_tuples("jvp", primals, tangents)
    return derive(Pushforward, function)(tuple(primals), tuple(tangents))


def expect_tuples(name: str, primals: Any, tangents: Any) -> None:
    """Arguments and tangents come in tuples."""
    for found in (primals, tangents):
        if not isinstance(found, tuple | list):
            what = f"ag.{name} takes the tuple of the arguments and the tuple of their tangents, not {type(found).__name__}"
            raise NotDifferentiable(what, user_span(), "a function may have several arguments", f"ag.{name}(f, (x,), (t,))")


def jacobian(function: Callable[..., Any], argnum: Any = 0) -> Any:
    """A function that returns d result / d argument, an array of shape result.shape + argument.shape."""
    return derive(Jacobian, function, argnum)


def hessian(function: Callable[..., Any], argnum: Any = 0) -> Any:
    """A function that returns the matrix of second derivatives of a scalar function: the Jacobian of its gradient."""
    return jacobian(grad(function, argnum), argnum)


def hvp(function: Callable[..., Any], args: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
    """The Hessian of a scalar function times `tangents`, with respect to its first arguments."""
    expect_tuples("hvp", args, tangents)
    argnums = tuple(range(len(tangents)))
    return jvp(grad(function, argnums), tuple(args), tuple(tangents))[1]


for _transform in (grad, value_and_grad, vjp, jvp, jacobian, hessian, hvp):
    BUILTINS[_transform] = _transform
