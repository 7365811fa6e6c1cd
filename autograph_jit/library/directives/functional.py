"""Control flow as function calls, `cond`, `while_loop`, `for_loop`, and what a program says about its loops and calls.

The functions are ordinary Python: called from plain code they run as such, called from converted code they are converted like the user's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from autograph_jit.errors import SettingError
from autograph_jit.ops.dispatch import Boxed
from autograph_jit.tracing.control.loop_variables import next_variables
from autograph_jit.tracing.expressions import calls
from autograph_jit.tracing.plain.calls import NOT_CONVERTED
from autograph_jit.tracing.sequences.loop_options import LoopOptions, next_trip
from autograph_jit.tracing.values.abstract import StagedScalar
from autograph_jit.tracing.values.trace import current

F = TypeVar("F", bound=Callable[..., Any])
State = TypeVar("State")
MISSING = object()
CONDITIONS = (bool, int, float, np.generic, StagedScalar)


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], *operands: Any) -> Any:
    """`true_fn(*operands)` where `pred` is true, otherwise `false_fn(*operands)`; only one of them runs.

    >>> cond(2.0 > 1.0, lambda x: x + 1, lambda x: x - 1, 10)
    11
    >>> cond(2.0 < 1.0, true_fn=lambda: "less", false_fn=lambda: "more")
    'more'
    """
    if pred:
        result = true_fn(*operands)
    else:
        result = false_fn(*operands)
    return result


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], state: Any = MISSING, max_iterations: int | None = None, *, loop_vars: Any = MISSING
) -> Any:
    """`body` applied to the state as long as `cond(state)` is true; the state may be any structure of arrays and numbers.

    loop_vars: in the place of `state`, a list or tuple of loop variables, each an argument of its own: `cond(*loop_vars)`, and
    `loop_vars = body(*loop_vars)`, which has to keep their number, dtypes and shapes, or LoopVariableError (a TypeError and a ValueError).
    max_iterations: IterationLimitError where another trip would begin after so many.

    >>> while_loop(lambda x: x < 100, lambda x: 2 * x, 3)
    192
    >>> while_loop(lambda i, total: i < 5, lambda i, total: (i + 1, total + i), loop_vars=[0, 0])
    [5, 10]
    """
    expect_limit("ag.while_loop", max_iterations)
    if (state is MISSING) is (loop_vars is MISSING):
        raise SettingError("ag.while_loop takes a state, or loop_vars=[...], and not both")
    trips = 0
    if state is MISSING:
        variables = tuple(loop_vars)
        while cond(*variables):
            trips = next_trip(trips, max_iterations)
            variables = next_variables(variables, body(*variables))
        state = list(variables) if isinstance(loop_vars, list) else variables
    else:
        while cond(state):
            trips = next_trip(trips, max_iterations)
            state = body(state)
    return state


def for_loop(start: int, stop: int, body: Callable[[int, State], State], state: State) -> State:
    """`state = body(i, state)` for every i from `start` up to `stop`.

    >>> for_loop(0, 5, lambda i, total: total + i, 0)
    10
    """
    for i in range(start, stop):
        state = body(i, state)
    return state


def unroll(iterable: Iterable[Any]) -> LoopOptions:
    """In a compiled function, the loop over this iterable is written out, trip by trip: its items are Python values.

    >>> [2 * i for i in unroll(range(3))]
    [0, 2, 4]
    """
    return LoopOptions(iterable, True)


def loop_options(iterable: Any, *, unroll: bool | None = None, checkpoint: bool | int = False, max_iterations: int | None = None) -> Any:
    """How a compiled function runs the loop over this iterable, or the `while` loop with this condition, which it returns.

    unroll      True: written out; False: a loop even where it is short; None: as the compiler finds best
    checkpoint  how a gradient goes back through it. False: from what every trip saved; an int k: from the variables as they were every k
                trips, running these k trips again; True: the same with k about the square root of the number of trips
    max_iterations  IterationLimitError where the loop begins another trip after so many, compiled or not

    >>> list(loop_options(range(3), max_iterations=3))
    [0, 1, 2]
    >>> x = 0.5
    >>> while loop_options(x < 100.0, checkpoint=True):
    ...     x = x * x + 0.5
    """
    expect_limit("ag.loop_options", max_iterations)
    if not isinstance(checkpoint, (bool, int, np.integer)) or checkpoint < 0:
        raise SettingError(f"ag.loop_options(checkpoint={checkpoint!r}): expected True, False or a positive int")
    if isinstance(iterable, CONDITIONS) or (isinstance(iterable, Boxed) and iterable.array.ndim == 0):
        return condition(iterable, unroll, checkpoint, max_iterations)
    if checkpoint and unroll is None:
        unroll = False
    segment = (0 if checkpoint is True else int(checkpoint)) if checkpoint else None
    return LoopOptions(iterable, unroll, segment, None if max_iterations is None else int(max_iterations))


def expect_limit(name: str, limit: Any) -> None:
    """Refuse what is no number of trips."""
    if limit is not None and (not isinstance(limit, (int, np.integer)) or limit < 0):
        raise SettingError(f"{name}(max_iterations={limit!r}): expected an int that is not negative")


def condition(test: Any, unroll: bool | None, checkpoint: bool | int, max_iterations: int | None) -> Any:
    """The condition of a `while` loop as it is; the trace notes what it asks for."""
    if unroll is not None or max_iterations is not None:
        raise SettingError(
            "ag.loop_options of a condition takes checkpoint only: unroll is for loops over an iterable, "
            "max_iterations for them and for ag.while_loop"
        )
    trace = current()
    if trace is not None and checkpoint:
        trace.loops.checkpoint = 0 if checkpoint is True else int(checkpoint)
    return test


def do_not_convert(function: F) -> F:
    """Marks a function that compiled code calls as it is, in Python, with real arrays and numbers."""
    try:
        setattr(function, NOT_CONVERTED, True)
    except AttributeError:
        raise SettingError(f"ag.do_not_convert takes a Python function, not {function!r}") from None
    return function


def converted_rule(function: Callable[..., Any]) -> Callable[..., Any]:
    """The staged form of a function of this module: its own conversion."""

    def rule(*args: Any, **kwargs: Any) -> Any:
        assert calls.converter is not None
        return calls.converter(function)(*args, **kwargs)

    return rule


for _function in (cond, while_loop, for_loop):
    calls.BUILTINS[_function] = converted_rule(_function)
calls.BUILTINS[unroll] = unroll
calls.BUILTINS[loop_options] = loop_options
calls.BUILTINS[next_trip] = next_trip
calls.BUILTINS[next_variables] = next_variables
