"""Local, global and captured variables of converted code."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from autograph_jit.tracing.aliasing.journal import CellPlace, EntryPlace, Place, assigned_cells, expect_open, is_as_found, write
from autograph_jit.tracing.containers.function_tables import function_made
from autograph_jit.tracing.functions.made_in_loops import note_made
from autograph_jit.tracing.plain import calls as plain_calls
from autograph_jit.tracing.plain.undefined import expect_reachable
from autograph_jit.tracing.values.abstract import Maybe, Undefined, check, is_staged, may_be_missing, unbound_message
from autograph_jit.tracing.values.trace import Trace, current

MISSING = object()


def state_of(read: Callable[[], Any], name: str) -> Any:
    """The value of a variable, or Undefined."""
    try:
        return read()
    except NameError:
        return Undefined(name)


def ld(value: Any, name: str) -> Any:
    """Read a variable that may be unbound."""
    if isinstance(value, Undefined):
        expect_reachable(value)
        raise UnboundLocalError(unbound_message(name))
    if may_be_missing(value):
        check(value.present.value, UnboundLocalError, unbound_message(name))
        return value.content
    return value


def ld_free(value: Any, name: str) -> Any:
    """A read, by an inner function, of a variable of the function around it that may be unbound."""
    message = f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
    if isinstance(value, Undefined):
        raise NameError(message)
    if may_be_missing(value):
        check(value.present.value, NameError, message)
        return value.content
    return value


def deleted(value: Any, name: str) -> Undefined:
    """`del name`: the value that marks the variable unbound."""
    ld(value, name)
    return Undefined(name)


def outer(read: types.FunctionType, name: str) -> Any:
    """Read a global or a variable of the enclosing function that is not being compiled."""
    trace = current()
    try:
        value = read()
    except NameError:
        if trace is not None and trace.inputs is not None:
            trace.inputs.missing_variable(read, name)
        raise
    if trace is None or trace.inputs is None:
        return value
    if name in read.__code__.co_freevars:
        cell = (read.__closure__ or ())[read.__code__.co_freevars.index(name)]
        return read_place(trace, CellPlace(cell, name), value, read)
    return read_place(trace, EntryPlace(read.__globals__, name), value, read)


def read_place(trace: Trace, place: Place, value: Any, read: Callable[[], Any]) -> Any:
    """An outer variable: an input, or what stands there because the program assigns it, or made the function that reads it. A place of
    which this trace has found that it is assigned still holds the caller's."""
    is_open = place.key in trace.journals[0].before if trace.journals else False
    trace.inputs.asked_variables.add(place.name)
    is_open = is_open and (place.key in trace.outside.opened or not is_as_found(trace, place))
    return value if is_open or is_staged(value) else trace.inputs.outer(value, read, place.name)


def converted(fn: Any) -> Any:
    """Marks a function or class that is defined in converted code: it is converted itself, and its variables are the trace's."""
    trace = current()
    if trace is not None and isinstance(fn, type):
        note_defined_class(trace, fn)
    elif trace is not None:
        trace.definitions.functions[id(fn)] = fn
        for place in assigned_cells(fn) if isinstance(fn, types.FunctionType) else ():
            trace.outside.cells.setdefault(place.key, place)
            trace.created.setdefault(id(place.owner), (place.owner, len(trace.regions)))
        note_made(trace, fn)
        return fn if isinstance(fn, type) else function_made(trace, fn, sys._getframe(1))
    return fn


def lambda_(fn: types.FunctionType, defaults: tuple[Any, ...], kwdefaults: dict[str, Any]) -> Any:
    """A lambda that was written out as a function."""
    return converted(plain_calls.lambda_(fn, defaults, kwdefaults))


def note_defined_class(trace: Trace, kind: type) -> None:
    """The trace makes this class: what `__init_subclass__` or a metaclass has set on it so far is not taken back."""
    trace.created[id(kind)] = (kind, len(trace.regions))
    before = trace.journals[-1].before
    for key in [key for key, (place, _) in before.items() if place.owner is kind]:
        del before[key]


def global_load(variables: dict[str, Any], name: str) -> Any:
    """Read a name declared `global`."""
    value = variables.get(name, MISSING)
    if value is MISSING:
        builtins = variables.get("__builtins__", {})
        value = builtins.get(name, MISSING) if isinstance(builtins, dict) else getattr(builtins, name, MISSING)
        if value is MISSING:
            trace = current()
            if trace is not None and trace.inputs is not None:
                trace.inputs.missing_variable(partial(global_load, variables, name), name)
            raise NameError(f"name '{name}' is not defined")
        return value
    if may_be_missing(value):
        check(value.present.value, NameError, f"name '{name}' is not defined")
        return value.content
    trace = current()
    if trace is None or trace.inputs is None:
        return value
    place = EntryPlace(variables, name)
    expect_open(trace, place)
    return read_place(trace, place, value, lambda: variables[name])


def global_store(variables: dict[str, Any], name: str, value: Any) -> Any:
    """Assign a name declared `global`; returns the value."""
    write(EntryPlace(variables, name), value)
    return value


def global_del(variables: dict[str, Any], name: str) -> None:
    """Delete a name declared `global`."""
    if name not in variables:
        raise NameError(f"name '{name}' is not defined")
    write(EntryPlace(variables, name), Undefined(name))


def returned(do_return: Any, value: Any) -> Any:
    """The result of a function with early returns: None where it fell off its end."""
    if isinstance(value, Undefined):
        return None
    if may_be_missing(value):
        return value.content if do_return is True else none_instead(value)
    return value


def none_instead(value: Maybe) -> Any:
    """A return value that may be missing is None where it is."""
    if isinstance(value.content, Maybe) and value.content.absent is None:
        return value.content if is_true(value.present) else Maybe(value.present, value.content, None)
    return Maybe(value.present, value.content, None)


def is_true(present: Any) -> bool:
    """Whether a presence bit is known to be set."""
    owner = present.value.owner
    return getattr(owner, "name", "") == "constant" and bool(owner.attributes["value"])
