"""Random numbers: generators are made and drawn from by NumPy when the compiled function runs."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from autograph_jit.library.numpy.attributes import StagedMethod
from autograph_jit.library.numpy.draws import draw_natively
from autograph_jit.library.numpy.host import call_host
from autograph_jit.tracing.arrays.register import NotNative
from autograph_jit.tracing.functions.host_objects import give_object
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.objects.callers_objects import object_itself
from autograph_jit.tracing.objects.opaque import TYPED_METHODS, ObjectMethod
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.trace import active

GENERATORS = (np.random.Generator, np.random.RandomState)
MADE: dict[Any, type] = {np.random.default_rng: np.random.Generator}


def make(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> StagedObject:
    """`np.random.default_rng(...)` and its like: a fresh object at every call."""
    kind = MADE.get(function, function if isinstance(function, type) else None)
    return host_object(function, *args, label=f"random.{function.__name__}", python_type=kind, **kwargs)


def draw(function: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A method of a generator that exists already."""
    return draw_from_object(object_itself(owner, function), function.__name__, *args, **kwargs)


def expect_objects(name: str, args: tuple[Any, ...]) -> None:
    """`shuffle` changes what it is given, also a list or a user's sequence: an object of the run."""
    if name == "shuffle":
        give_object(active(), args)


def example_generator(kind: type) -> Any:
    """A generator to try a method on."""
    return np.random.default_rng(0) if kind is np.random.Generator else np.random.RandomState(0)


def draw_from_object(owner: StagedObject, name: str, *args: Any, **kwargs: Any) -> Any:
    """A method of a generator of the run; one made to look shows the type of what NumPy gives."""
    kind = owner.python_type
    assert kind is not None

    def call(generator: Any, *values: Any, **named: Any) -> Any:
        return getattr(generator, name)(*values, **named)

    try:
        return draw_natively(kind, name, owner, args, kwargs)
    except NotNative:
        expect_objects(name, args)
        return call_host(functools.partial(call), (owner, *args), kwargs, f"random.{name}", Example(kind, name))


class Example:
    """A method on a fresh generator, in the place of the generator of the run."""

    def __init__(self, kind: type, name: str) -> None:
        self.kind, self.name = kind, name

    def __call__(self, generator: Any, *values: Any, **named: Any) -> Any:
        return getattr(example_generator(self.kind), self.name)(*values, **named)


def generator_attribute(owner: StagedObject, name: str) -> Any:
    """`rng.name`."""
    if name in ("bit_generator", "spawn", "get_state"):
        return ObjectMethod(owner, name)
    return StagedMethod(draw_from_object, owner, name)


for _kind in GENERATORS:
    TYPED_METHODS[_kind] = generator_attribute
