"""Opaque objects: their attributes, items and calls are host calls."""

from __future__ import annotations

import inspect
import operator
import random
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from functools import partialmethod
from types import BuiltinFunctionType, ClassMethodDescriptorType, FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.aliasing.escapes import note_changed
from autograph_jit.tracing.aliasing.families import note_length_changed
from autograph_jit.tracing.hosting.host_calls import host_effect, host_object
from autograph_jit.tracing.objects.callers_objects import object_of_call
from autograph_jit.tracing.objects.left_to_python import note_attribute, note_left
from autograph_jit.tracing.plain.calls import is_library
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.trace import user_span

TYPED_METHODS: dict[type, Callable[[StagedObject, str], Any]] = {}
NATIVE_METHODS: dict[tuple[type, str], Callable[..., Any]] = {}  # of (owner, args, kwargs); NotImplemented where Python has to be called
OF_CONSTANTS: dict[tuple[type, str], Callable[..., Any]] = {}  # the same of owners that the trace knows
EFFECT_METHODS = set("append appendleft extend clear add discard remove update sort reverse insert move_to_end write".split())
METHODS = (
    *(FunctionType, BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, ClassMethodDescriptorType),
    *(staticmethod, classmethod, partialmethod),
)
GIVING_NONE = (None, list, dict, set, deque, defaultdict, OrderedDict, Counter)  # classes whose methods of these names have no result
LENGTH_METHODS = frozenset({"append", "extend", "insert", "pop", "remove", "clear"})
STRING_METHODS = set("upper lower strip lstrip rstrip replace join format title capitalize zfill ljust rjust center".split())


class ObjectMethod:
    """An attribute of an opaque object that is probably called."""

    def __init__(self, owner: StagedObject, name: str) -> None:
        self.owner, self.name = owner, name

    def __template__(self, template: Template) -> Rebuild:
        owner, name = template.of(self.owner), self.name
        return lambda values: getattr(owner(values), name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = self.name
        label = f"method {name}"
        if name in LENGTH_METHODS and self.owner.python_type in (None, list):
            note_length_changed()
        if name in EFFECT_METHODS and self.owner.python_type in GIVING_NONE:
            host_effect(lambda x, *rest, **named: getattr(x, name)(*rest, **named), self.owner, *args, label=label, **kwargs)
            return None
        python_type = str if name in STRING_METHODS and self.owner.python_type is str else None
        return host_object(
            lambda x, *rest, **named: getattr(x, name)(*rest, **named), self.owner, *args, label=label, python_type=python_type, **kwargs
        )


def object_attribute(x: StagedObject, name: str) -> Any:
    """`x.name`: a method where the type is known to have one, the attribute's value otherwise."""
    known = getattr(x.python_type, name, None) if x.python_type is not None else None
    if callable(known) and x.python_type in TYPED_METHODS:
        return TYPED_METHODS[x.python_type](x, name)
    if callable(known) and (x.python_type, name) in NATIVE_METHODS:
        return lambda *args, **kwargs: call_native_method(x, name, args, kwargs)
    static = inspect.getattr_static(x.python_type, name, None)
    if not isinstance(static, METHODS):
        known = None  # a descriptor of a library's gives what it likes
    if callable(known):
        if known is random.Random.shuffle:
            refuse_shuffle()
        if name in EFFECT_METHODS:
            note_changed(x.python_type)
        if isinstance(known, FunctionType):
            note_changed(x.python_type)
            note_left(x.python_type, known)
        return ObjectMethod(x, name)
    if isinstance(static, property):
        note_left(x.python_type, static)
    note_attribute(name)
    return host_object(getattr, x, name, label=f"attribute {name}")


def call_native_method(owner: StagedObject, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method that has a native form for most arguments."""
    assert owner.python_type is not None
    found = NATIVE_METHODS[owner.python_type, name](owner, args, kwargs)
    if found is not NotImplemented:
        return found
    if name == "shuffle":
        refuse_shuffle()
    return ObjectMethod(owner, name)(*args, **kwargs)


def host_method(fn: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of a library's object, called when the program runs: of the object that is then in its place."""
    name, label = fn.__name__, f"{type(owner).__name__}.{fn.__name__}"
    rule = OF_CONSTANTS.get((type(owner), name))
    if rule is not None and (found := rule(owner, args, kwargs)) is not NotImplemented:
        return found
    if object_of_call(owner) is None:
        return host_object(fn, *args, label=label, **kwargs)
    own = getattr(type(owner), name, None)
    if isinstance(own, FunctionType) and not is_library(own):  # the user's, which asked for this one by `super()`
        found = next(vars(base)[name] for base in type(owner).__mro__ if not isinstance(vars(base).get(name, name), (str, FunctionType)))
        return host_object(found, owner, *args, label=label, **kwargs)
    return host_object(lambda x, *given, **named: getattr(x, name)(*given, **named), owner, *args, label=label, **kwargs)


def refuse_shuffle() -> None:
    """Python would shuffle a copy of the program's list."""
    raise ConversionError(
        "`shuffle` of the module random in compiled code",
        user_span(),
        "it changes a list in Python, which has a copy of the program's",
        "items = r.sample(items, len(items)), or shuffle an array with numpy.random",
    )


def object_getitem(x: StagedObject, key: Any) -> Any:
    return host_object(operator.getitem, x, key, label="object item", python_type=str if x.python_type is str else None)


def object_setitem(x: StagedObject, key: Any, value: Any) -> None:
    note_changed(x.python_type)
    host_effect(operator.setitem, x, key, value, label="object item assignment")


def object_call(x: StagedObject, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    note_changed(None)
    note_length_changed()
    return host_object(lambda function, *rest, **named: function(*rest, **named), x, *args, label="object call", **kwargs)
