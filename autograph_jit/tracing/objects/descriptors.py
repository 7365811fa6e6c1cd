"""Attributes that a user's class computes: properties, also those that are kept, and descriptors with `__get__`, `__set__` and
`__delete__` of the user's."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import Any

from autograph_jit.tracing.aliasing.journal import AttributePlace, write
from autograph_jit.tracing.objects.callers_objects import guard_names
from autograph_jit.tracing.plain.calls import is_library
from autograph_jit.tracing.structures.generator_rows import METHODS
from autograph_jit.tracing.structures.templates import fields_of, is_user_instance
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import Trace

PROPERTY_PARTS = {"__get__": "fget", "__set__": "fset", "__delete__": "fdel"}


def class_attribute(obj: Any, name: str) -> Any:
    """What the class of an object has under a name; None where it has nothing."""
    kind: Any = type(obj)
    kinds = kind.__mro__
    if kind is super:
        kinds = obj.__self_class__.__mro__
        kinds = kinds[kinds.index(obj.__thisclass__) + 1 :]
    return next((each.__dict__[name] for each in kinds if name in each.__dict__), None)


def is_of_class(trace: Trace, x: Any, name: str) -> bool:
    """Whether an instance that the program made has an attribute from its class as it stands there: it may change between calls."""
    found = class_attribute(x, name) if id(x) in trace.created and is_user_instance(x) else None
    return found is not None and not hasattr(type(found), "__get__") and name not in (fields_of(x) or ())


def accessor(obj: Any, name: str, method: str) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """The user's function that gets, sets or deletes an attribute, with its first arguments; None where the attribute is kept as it is."""
    found = class_attribute(obj, name)
    owner: Any = obj.__self__ if isinstance(obj, super) else obj  # type: ignore[attr-defined]
    if isinstance(found, property):
        function = getattr(found, PROPERTY_PARTS[method])
        return (function, (owner,)) if isinstance(function, FunctionType) else None
    if isinstance(found, cached_property) and method == "__get__" and name not in getattr(owner, "__dict__", (name,)):
        return compute_once, (found, owner)
    function = method_in_python(found, method)
    if function is None:
        return None
    if method != "__get__":
        return function, (found, owner)
    is_kept = not hasattr(type(found), "__set__") and not hasattr(type(found), "__delete__") and name in getattr(obj, "__dict__", ())
    return None if is_kept else (function, (found, owner, type(owner)))


def compute_once(found: cached_property[Any], owner: Any) -> Any:
    """What `functools.cached_property` does where the instance has no attribute of that name yet."""
    guard_names(owner)
    name = str(found.attrname)
    value = language.call(found.func, (owner,), None)
    write(AttributePlace(owner, name), value)
    return value


def is_computed(obj: Any, name: str) -> bool:
    """Whether setting an attribute is the business of a property or of a descriptor of the user's."""
    found = class_attribute(obj, name)
    return isinstance(found, property) or method_in_python(found, "__set__") is not None


def method_in_python(x: Any, name: str) -> FunctionType | None:
    """A method that the class of `x` defines in Python, outside of libraries, or that runs a generator of the user's."""
    method = getattr(type(x), name, None)
    return method if isinstance(method, FunctionType) and (method in METHODS or not is_library(method)) else None
