"""Recursion under conditions that only the run knows: where tracing it does not end, its calls are compiled functions of their own."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.ops.direct_calls import NEXT_LEVEL
from autograph_jit.records import dataclass
from autograph_jit.tracing.aliasing.journal import places_outside
from autograph_jit.tracing.containers.outside import form_of
from autograph_jit.tracing.functions.closures import Capture, Shape, expect_objects, is_local, take_back
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.texts.constants import constants_instead
from autograph_jit.tracing.values.trace import Restart, Trace, user_span

MAX_DEPTH = 60
MAX_BRANCHED_CALLS = 30
MAX_LOCAL_CALLS = 100
MAX_REGIONS = 60  # one in another, of a recursion of several functions: each takes some ten frames of Python's stack
LONG_DEPTH = 12
LONG_OPERATIONS = 6_000
RECURSION = "calls itself"  # the decision that a function is traced as one of the graph, which may turn out not to be possible


@dataclass(frozen=True, slots=True)
class Compiler:
    """Compiles the levels of a recursion: a function that captures nothing, or one of a shape, with what it captures as an argument."""

    by_itself: Callable[[types.FunctionType], Callable[..., Any]]
    with_captured: Callable[[Shape, dict[int, dict[str, Any]]], Callable[..., Any]]


compiler: Compiler | None = None  # where there is no runtime, recursion is not compiled


def call_again(trace: Trace, fn: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A recursive call when the program runs, of the function compiled on its own; what it captures goes along."""
    assert compiler is not None
    if places_outside(trace):
        raise ConversionError(
            f"{fn.__name__} calls itself in Python, and the program changes attributes or variables outside of it",
            user_span(),
            "the levels of the recursion would not see them change",
            "return what changes, or keep it in a list, a dict or an array",
        )
    expect_objects(trace, (*args, *kwargs.values()))
    label = f"{NEXT_LEVEL}{fn.__name__}"
    if fn.__closure__ is None or not is_local(fn):
        return host_object(compiler.by_itself(fn), *args, label=label, **kwargs)
    captured = Capture(fn)
    leaves = tuple(form_of(leaf) for leaf in captured.leaves)
    expect_objects(trace, leaves)
    names = {id(function.__globals__): function.__globals__ for function in captured.functions}
    result = host_object(compiler.with_captured(captured.shape, names), leaves, *args, label=label, **kwargs)
    if not captured.shape.assigned:
        return result
    count = len(captured.shape.assigned)
    take_back(captured, [host_object(operator.getitem, result, 1 + place, label=label) for place in range(count)])
    return host_object(operator.getitem, result, 0, label=label)


def too_deep(trace: Trace, fn: Any) -> None:
    """A recursion that tracing does not end: retry with the numbers among the inputs as constants."""
    missing = missing_numbers(trace)
    if missing and ("recursive", fn.__code__) not in trace.decisions:
        raise Restart(*missing)
    if can_recurse(trace, fn) and ("recursive", fn.__code__) not in trace.decisions:
        raise Restart(("recursive", fn.__code__))
    raise ConversionError(
        f"the recursion of {fn.__name__} does not end while tracing",
        user_span(),
        f"it was entered {MAX_DEPTH} times; its end depends on values that only the run knows",
        "define it at the top of a module, without captured variables: it then recurses when it runs; or write it as a loop",
    )


def branch_out(trace: Trace, fn: Any) -> None:
    """A recursion under conditions that only the run knows: a tree of calls that is traced branch by branch soon has too many. A local
    function has more of them: as a part of the program it has a derivative, which it has not where it is compiled on its own. Where the
    numbers among the inputs may yet become constants, a long function is not traced down to the last level before they do."""
    if not trace.follows((RECURSION, fn.__code__)):
        raise Restart((RECURSION, fn.__code__))
    if trace.calls.depths.get(fn.__code__, 0) >= LONG_DEPTH and trace.recorded.operations > LONG_OPERATIONS:
        missing = missing_numbers(trace)
        if missing and can_recurse(trace, fn):
            raise Restart(*missing)
    calls = trace.calls.branched[fn.__code__] = trace.calls.branched.get(fn.__code__, 0) + 1
    most = MAX_BRANCHED_CALLS if fn.__closure__ is None or not missing_numbers(trace) else MAX_LOCAL_CALLS
    if (calls > most or len(trace.regions) > MAX_REGIONS) and can_recurse(trace, fn):
        raise Restart(("recursive", fn.__code__))


def missing_numbers(trace: Trace) -> set[Any]:
    """The decisions that make constants of the numbers and texts among the inputs, as far as they are not taken."""
    numbers = {("static", origin) for origin in (*trace.sources.numbers.values(), *trace.sources.sizes.values())}
    return (numbers | constants_instead(trace)) - trace.decisions


def can_recurse(trace: Trace, fn: Any) -> bool:
    """Whether a function can be compiled on its own: it captures nothing, or is one of the program's local functions. The form of a
    generator runs the body of a loop, and cannot, nor can what is given a function by its row."""
    is_form = any(fn.__code__ in consumer.bodies for consumer in trace.calls.consumers) or fn.__code__ in trace.definitions.called_by_row
    return compiler is not None and not is_form and (fn.__closure__ is None or is_local(fn))
