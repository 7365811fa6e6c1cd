"""Functions of the traced program in the hands of Python: the user's own code, with the variables that the trace has made.

Before: Python calls a converted function, whose every operation asks whether a trace is under way.
After:  it calls the function as it was written. Both have the same variables, defaults and names.
"""

from __future__ import annotations

import functools
from types import CellType, FunctionType, MethodType
from typing import Any

from autograph_jit.originals import original_code, with_code
from autograph_jit.tracing.functions.closures import Capture
from autograph_jit.tracing.plain.undefined import Undefined
from autograph_jit.tracing.values.trace import Restart, Trace, current

REBOUND = "variables that change"


def as_written(x: Any) -> Any:
    """The user's function in the place of a converted one of the trace, always the same; so for partials and methods. Anything else as it
    is."""
    trace = current()
    if trace is None:
        return x
    found, function = original(trace, x), x.func if type(x) is functools.partial else x
    if isinstance(function, FunctionType) and id(function) in trace.definitions.functions:
        trace.definitions.originals[id(function)][2].append([(cell, content_of(cell)) for cell in Capture(function).cells])
    return found


def content_of(cell: CellType) -> Any:
    """What a variable holds; that it has no value is the same whichever way a trace says so."""
    try:
        content = cell.cell_contents
    except ValueError:
        return Undefined
    return Undefined if isinstance(content, Undefined) else content


def expect_kept_variables(trace: Trace) -> None:
    """At the end of a trace: Python was given functions with variables that still hold what they held. Otherwise they are made from what
    the variables hold at the call, in another trace."""
    changed = [
        x
        for x, _, held in trace.definitions.originals.values()
        for cells in held
        if any(content_of(cell) is not was for cell, was in cells)
    ]
    if changed:
        raise Restart(*((REBOUND, x.__code__) for x in changed))


def original(trace: Trace, x: Any) -> Any:
    """The same of a trace that is about to end."""
    if id(x) in trace.definitions.originals:
        return trace.definitions.originals[id(x)][1]
    found: Any = x
    if type(x) is functools.partial:
        function = original(trace, x.func)
        if function is not x.func:
            found = functools.partial(function, *x.args, **x.keywords)
    elif isinstance(x, MethodType):
        function = original(trace, x.__func__)
        if function is not x.__func__:
            found = MethodType(function, x.__self__)
    elif isinstance(x, FunctionType) and id(x) in trace.definitions.functions:
        code = original_code(x.__code__)
        if code is not None:
            found = with_code(x, code)
    if found is not x or id(x) in trace.definitions.functions:
        trace.definitions.originals[id(x)] = x, found, []
    if found is not x and isinstance(found, FunctionType):
        found.__defaults__ = found.__defaults__ and tuple(original(trace, item) for item in found.__defaults__)
        found.__kwdefaults__ = found.__kwdefaults__ and {name: original(trace, item) for name, item in found.__kwdefaults__.items()}
    return found


def leave_originals(trace: Trace) -> None:
    """At the end of a trace: the variables of functions that leave hold what was written, and those without a value are empty; classes
    that the trace has made have the methods as they were written."""
    for kind in [made for made, _ in trace.created.values() if isinstance(made, type)]:
        for name, value in list(vars(kind).items()):
            found = original_member(trace, value)
            if found is not value:
                type.__setattr__(kind, name, found)
    settled: set[int] = set()
    while len(settled) < len(trace.definitions.originals):
        for number, (_, function, _) in list(trace.definitions.originals.items()):
            settled.add(number)
            for cell in getattr(function, "__closure__", None) or ():
                settle_cell(trace, cell)


def settle_cell(trace: Trace, cell: Any) -> None:
    """One variable of a function that leaves."""
    try:
        content = cell.cell_contents
    except ValueError:
        return
    if isinstance(content, Undefined):
        del cell.cell_contents
    elif (found := original(trace, content)) is not content:
        cell.cell_contents = found


def original_member(trace: Trace, x: Any) -> Any:
    """A method, or what a decorator of the library made of one, as it was written."""
    if isinstance(x, (staticmethod, classmethod)):
        found = original(trace, x.__func__)
        return x if found is x.__func__ else type(x)(found)
    if type(x) is property:
        before = x.fget, x.fset, x.fdel
        fget, fset, fdel = (original(trace, part) for part in before)
        return x if (fget, fset, fdel) == before else property(fget, fset, fdel, x.__doc__)
    if isinstance(x, functools.cached_property):
        x.func = original(trace, x.func)
        return x
    return original(trace, x)
