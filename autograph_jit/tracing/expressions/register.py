"""How a builtin function gets its form on stand-ins: the register that the rooms standard_* fill."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.ir.in_c import SEARCHED, InC
from autograph_jit.tracing.control.recursive_units import call_recursive
from autograph_jit.tracing.control.signatures import Body
from autograph_jit.tracing.control.unit_calls import call_unit
from autograph_jit.tracing.control.units import LEAST_WEIGHT, NO_UNIT
from autograph_jit.tracing.expressions import calls
from autograph_jit.tracing.expressions.calls import BUILTINS
from autograph_jit.tracing.values.abstract import content_of
from autograph_jit.tracing.values.trace import Trace, active, user_span

MISSING, ANOTHER_TRACE = object(), object()
INT_METHODS: dict[str, Callable[..., Any]] = {}  # methods of Python's ints, by name


def builtin(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the staged form of a builtin."""

    def register(rule: Callable[..., Any]) -> Callable[..., Any]:
        BUILTINS[function] = rule
        return rule

    return register


def convert_on_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of this package that is written like a user's, or one that NumPy writes so: it is converted when it is called."""
    written = getattr(function, "__wrapped__", function)  # NumPy dispatches on the types of arguments before it

    def run(*args: Any, **kwargs: Any) -> Any:
        assert calls.converter is not None
        return calls.converter(written)(*args, **kwargs)

    run.__wrapped__ = written  # type: ignore[attr-defined]  # its signature
    return run


def shared_on_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same of a function that takes and gives numbers and vectors, and raises nothing: a function of the graph, which later traces call
    as it is. What is short, or called once, is inlined."""
    run = convert_on_call(function)

    def call_shared(*args: Any, **kwargs: Any) -> Any:
        handling = active().handling
        around, handling.is_total = handling.is_total, True
        try:
            return run(*args, **kwargs) if active().differentiation.directions else run_shared(active(), args, kwargs)
        finally:
            handling.is_total = around

    def run_shared(trace: Trace, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        trace.calls.bodies.setdefault(function.__code__, Body({ANOTHER_TRACE}, LEAST_WEIGHT))
        result = call_unit(trace, function, run, args, kwargs)  # type: ignore[arg-type]
        return run(*args, **kwargs) if result is NO_UNIT else result

    return call_shared


def recursive_on_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same of a function that calls itself by what it does to its arguments: a function of the graph."""
    run = convert_on_call(function)

    def call_itself(*args: Any) -> Any:
        result = call_recursive(active(), function, run, args, {})  # type: ignore[arg-type]
        if result is NO_UNIT:
            why = "its own comparison would not end while it is traced"
            raise ConversionError("this comparison of nested tuples is not known", user_span(), why, "compare their parts")
        return result

    return call_itself


def for_c(rule: Callable[..., Any], share: InC = SEARCHED) -> Callable[..., Any]:
    """Mark the form of a function that Python has in C, where the operations of the form take it a share of what others take."""
    rule.for_c = share  # type: ignore[attr-defined]
    return rule


def present(x: Any) -> Any:
    """A value that must be present; a one-element array as its element, where a number is wanted."""
    return content_of(x)
