"""Instances of the user's classes: their own `__new__` and `__init__`, converted."""

from __future__ import annotations

import types
from typing import Any

from autograph_jit.tracing.aliasing.escapes import HOST_CONTAINERS
from autograph_jit.tracing.aliasing.journal import note_created
from autograph_jit.tracing.aliasing.row_classes import class_key
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.expressions.library_kinds import has_no_source, is_library_class
from autograph_jit.tracing.hosting.purity import is_extension
from autograph_jit.tracing.objects.callers_objects import guard_method
from autograph_jit.tracing.objects.operator_methods import meet
from autograph_jit.tracing.plain.calls import is_library
from autograph_jit.tracing.structures.made_containers import known_inside
from autograph_jit.tracing.structures.templates import fields_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import Trace

CONTAINERS = (list, dict, *HOST_CONTAINERS)


def note_container(trace: Trace, made: Any, args: tuple[Any, ...]) -> Any:
    """An instance that was made here; of a user's class of lists, dicts or sets one that may have to be kept at run time."""
    note_created(trace, made)
    if isinstance(made, CONTAINERS) and not is_library_class(type(made)):
        inside = [item for item in known_inside(made) if not any(item is arg for arg in args)]
        trace.outside.made |= {id(item): (item, class_key(type(made)), len(trace.regions)) for item in (made, *inside)}
    return made


def construct_by_own(trace: Trace, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make an instance by the class's own `__new__` and `__init__`, converted; None where it has none, or builtins need the arguments."""
    if is_extension(kind):
        return None
    new: Any = kind.__new__
    if isinstance(new, types.FunctionType) and not is_library(new) and not has_no_source(new):
        guard_method(trace, kind, "__new__", new)
        made = language.call_function(trace, new, (kind, *args), kwargs)
        return initialised(trace, made, args, kwargs) if isinstance(made, kind) else made
    init: Any = kind.__init__  # type: ignore[misc]
    makes_itself = isinstance(new, types.BuiltinFunctionType) and issubclass(kind, (BaseException, *CONTAINERS)) or new is object.__new__
    is_abstract = getattr(kind, "__abstractmethods__", None)  # Python says so
    if not makes_itself or not isinstance(init, types.FunctionType) or is_library(init) or is_abstract:
        return None
    made = kind.__new__(kind, *(args if issubclass(kind, BaseException) else ()))
    return initialised(trace, note_container(trace, meet(trace, made), args), args, kwargs)


def initialised(trace: Trace, made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An instance after its `__init__`, which is converted; what one without source makes is adopted."""
    init = type(made).__init__
    if init is object.__init__:
        return made
    guard_method(trace, type(made), "__init__", init)
    if not isinstance(init, types.FunctionType) or not has_no_source(init):
        language.call_function(trace, init, (made, *args), kwargs)
        return made
    trace.calls.constructing.append((made, (*args, *kwargs.values())))
    try:
        language.call_function(trace, init, (made, *args), kwargs)
        return adopt(*trace.calls.constructing[-1])
    finally:
        trace.calls.constructing.pop()


def adopt(made: Any, given: tuple[Any, ...]) -> Any:
    """Lists and dicts that a constructor of a library or of a dataclass made, and did not get, are the traced program's."""
    for name, value in list((fields_of(made) or {}).items()):
        if type(value) in (list, dict) and not any(value is arg for arg in given):
            object.__setattr__(made, name, TracedList.made(value) if type(value) is list else TracedDict.made(value))
    return made


def made_type(kind: type | None) -> type | None:
    """The class of what a call of `kind` gives; None where it may give an instance of another one, as a `__new__` in Python may."""
    return None if kind is None or isinstance(kind.__new__, types.FunctionType) or type(kind).__call__ is not type.__call__ else kind
