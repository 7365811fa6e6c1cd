"""Signatures of calls: what the arguments are, and what the function reads of its surroundings, as far as a trace of it depends on them."""

from __future__ import annotations

import dis
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph_jit.ir.dims import Dim, Size, atom, lower_bound
from autograph_jit.records import dataclass
from autograph_jit.tracing.aliasing.families import decisions_for
from autograph_jit.tracing.aliasing.instances import is_user_instance
from autograph_jit.tracing.aliasing.journal import AttributePlace, CellPlace, Place
from autograph_jit.tracing.aliasing.references import InstanceReference, references_in
from autograph_jit.tracing.containers.outside import is_changed
from autograph_jit.tracing.containers.unchanging import Unchanging
from autograph_jit.tracing.functions.closures import OPERATORS
from autograph_jit.tracing.joining.descriptions import as_scalar, describe
from autograph_jit.tracing.joining.list_references import as_reference, list_of
from autograph_jit.tracing.plain.calls import is_library, is_library_module
from autograph_jit.tracing.plain.undefined import Undefined
from autograph_jit.tracing.sequences.dynamic import Dynamic, kind_of, structure
from autograph_jit.tracing.structures.choices import is_mixed
from autograph_jit.tracing.structures.demands import keep_at_run_time
from autograph_jit.tracing.structures.templates import fields_of
from autograph_jit.tracing.texts.text import Character, Text
from autograph_jit.tracing.values.abstract import Maybe, Staged, StagedArray, StagedScalar, may_be_none
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import Trace
from autograph_jit.tracing.values.types import LETTER, NEVER, STORED, Array, Constant, Optional, Scalar, Tuple, ValueType
from autograph_jit.weak import WeakKeys

LEAST_BITS = 31
LOOKS_UP = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
LOOKED_UP: WeakKeys[CodeType, frozenset[str]] = WeakKeys()  # by function, the module variables that it looks up
VALUES = "numbers, texts, arrays, containers of compiled code and tuples of such"


@dataclass(slots=True)
class Body:
    """What is known of a function of the user's: the places that call it, what its body weighs, why it is no function of the graph;
    its functions by signature, parameters that have to be known; whether it calls itself, whether variables and attributes around it are
    arguments of its calls, the trace under way then, the one before, which these are; what it found around it first, what was something
    else in a later call, which it is given though it does not write it, and which of these the last signature has met."""

    sites: set[Any] = field(default_factory=set)
    weight: int = 0
    refusal: str = ""
    units: dict[Any, Any] = field(default_factory=dict)
    known: set[int] = field(default_factory=set)
    numbers: dict[int, Any] = field(default_factory=dict)
    calls: int = 0
    is_recursive: bool = False
    takes_places: bool = False
    under_way: Any = None
    last: Any = None
    places: set[Any] = field(default_factory=set)
    found: dict[Any, Any] = field(default_factory=dict)
    changing: set[Any] = field(default_factory=set)
    met: dict[Any, Any] = field(default_factory=dict)

    def is_argument(self, place: Place) -> bool:
        """Whether a place around the function is an argument of its calls, rather than a part of what tells its signatures apart."""
        if place.key not in self.places:
            value = place.read()
            before = self.found.setdefault(place.key, value)
            if not self.takes_places or before is value or not isinstance(value, (StagedScalar, StagedArray, Text)):
                return False
            self.changing.add(place.key)
            self.places.add(place.key)
        if place.key in self.changing:
            self.met[place.key] = place
        return True

    @property
    def takes_instances(self) -> bool:
        """Whether it may be given, or find around it, an instance of the program's, whose attributes are places around it."""
        return self.is_recursive or self.takes_places


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments of a call by what they are, under labels of sizes of their own; `sizes` are those of the caller by these labels.
    `surroundings` is what the function reads around it, `changing` where it finds something else in each call."""

    key: Any
    surroundings: tuple[Any, ...]
    descriptions: tuple[ValueType, ...]
    sizes: dict[str, Size]
    changing: dict[Any, Place]

    def size_here(self, trace: Trace, size: Size) -> Size:
        """A size of the function's as the caller calls it: one of the arguments' sizes, or a new label."""
        if isinstance(size, int):
            return size
        total: Size = size.const
        for name, coefficient in size.terms:
            if name not in self.sizes:
                self.sizes[name] = trace.fresh_atom(name[0], "call")
            total = total + self.sizes[name] * coefficient
        return total


def call_signature(trace: Trace, body: Body, fn: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Signature | None:
    """The signature of a call; None where an argument, or what the function reads around it, is not of the kinds that are known."""
    body.met = {}
    is_own = trace.handling.is_total  # this package's, which reads constants alone
    surroundings = (fn,) if is_own else surroundings_of(trace, body, fn, (*args, *kwargs.values()))
    if surroundings is None:
        return None
    labels: dict[Size, Size] = {}
    found: list[ValueType] = []
    identities: list[int | None] = []
    first: dict[int, int] = {}
    axes = itertools.count()

    def any_size(size: Size) -> Size:
        """A label of its own: what is of one size in one call of a recursion need not be in the next."""
        label = atom(f"d:a{next(axes)}")
        return size if isinstance(size, int) else label

    for position, value in enumerate((*args, *kwargs.values())):
        description = described(trace, body, position, value)
        if description is None:
            return None
        found.append(in_sizes(description, any_size) if body.is_recursive else relabelled(description, labels))
        identities.append(first.setdefault(identity_of(value), position) if has_identity(value) else None)
    sizes = {label.terms[0][0]: size for size, label in labels.items() if isinstance(label, Dim)}
    key = (*surroundings, len(args), tuple(kwargs), tuple(map(description_key, found)), tuple(identities), tuple(sorted(body.known)))
    return Signature(key, surroundings, tuple(found), sizes, body.met)


def described(trace: Trace, body: Body, position: int, value: Any) -> ValueType | None:
    """What an argument is: a number, an array, a text, a container of compiled code, a constant or a tuple of such; None for anything else.
    What a recursion is given is a container of compiled code from the beginning; an empty one is known until something goes in."""
    if type(value) is StagedScalar:
        found = describe(value)
        return replace(found, bits=max(found.bits, LEAST_BITS)) if isinstance(found, Scalar) else None
    if type(value) is StagedArray:
        return describe(value)
    if type(value) is tuple:
        items = [described(trace, body, -1, item) for item in value]
        return None if None in items else Tuple(tuple, tuple(items))
    if isinstance(value, Text):
        return LETTER if isinstance(value, Character) else STORED[value.__rebuilt_type__]
    if isinstance(value, Unchanging):
        return value.kind_where_paths_meet()
    if isinstance(value, Dynamic):
        return container(trace, body, value)
    if type(value) is set:
        return known_set(trace, body, value)
    if references_in(value.content if isinstance(value, Maybe) else value):
        return describe(value)
    if is_mixed(value.content if isinstance(value, Maybe) else value):
        return describe(value)
    if may_be_none(value):
        content = described(trace, body, -1, value.content)
        return content if content is None or isinstance(content, Constant) else Optional(content)
    owner = value.__self__ if isinstance(value, MethodType) else value
    if isinstance(value, FunctionType) or body.takes_instances and is_known_instance(trace, owner):
        return Constant(value)
    if is_python_number(value) and position >= 0 and position not in body.known:
        known = body.numbers.setdefault(position, value)
        if isinstance(value, (float, complex)) or type(value) is int and type(known) is int and known != value:
            scalar = as_scalar(Constant(value))
            return None if scalar is None else replace(scalar, size=None, bits=max(scalar.bits, LEAST_BITS))
    return Constant(value) if is_immutable(value) else None


def container(trace: Trace, body: Body, value: Any) -> ValueType | None:
    """What a list, dict or set of converted code is."""
    if "backwards" in trace.differentiation.directions:
        return None
    found = as_reference(Constant(value))
    if found is not None or not body.is_recursive or list_of(Constant(value)) is None:
        return found
    kind = value.run_time_kind([value])
    if kind.is_native and NEVER not in kind.inner and not decisions_for(value, kind) <= trace.decisions:
        value.foresee(kind)
        return as_reference(Constant(value))
    found_parts = structure(value)
    return Constant(value) if found_parts is not None and not found_parts[1] else None


def known_set(trace: Trace, body: Body, value: set[Any]) -> ValueType | None:
    """What a set of converted code is whose items the trace knows: one that a recursion is given becomes a table where it has any."""
    _, key, depth = trace.outside.made.get(id(value), (value, None, 0))
    if key is None or not body.is_recursive or "backwards" in trace.differentiation.directions:
        return None
    kind = kind_of(value)
    if value and kind.is_native:
        keep_at_run_time(trace, key, depth, kind)
    return None if value else Constant(value)


def is_known_instance(trace: Trace, value: Any) -> bool:
    """Whether a value is an instance of the user's that stays what it is: one that becomes a row after its constructor is none."""
    return is_user_instance(value) and type(value) not in trace.aliasing.tables


def has_identity(value: Any) -> bool:
    """Whether a value is one object however it is called."""
    return isinstance(value, (StagedArray, Dynamic))


def identity_of(value: Any) -> int:
    """What is equal of values that may be one object."""
    return id((value.family if is_marked(value, "family") else None) or value)


def is_python_number(value: Any) -> bool:
    """Whether a value is a number of Python's."""
    return type(value) in (int, float, complex)


def is_immutable(value: Any) -> bool:
    """Whether a value never changes."""
    if type(value) in (tuple, frozenset):
        return all(map(is_immutable, value))
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic, type, np.ufunc, np.dtype)):
        return True
    owner = value.__self__ if type(value).__name__ == "builtin_function_or_method" else value
    return is_library_module(owner) or owner is not value and not hasattr(owner, "__dict__")


def description_key(description: ValueType) -> Any:
    """What tells descriptions of arguments apart."""
    if isinstance(description, Constant):
        value = description.value
        if isinstance(value, (Staged, Text, Dynamic, InstanceReference)) or is_user_instance(value):
            return description
        return type(value), repr(value) if isinstance(value, (float, complex, np.generic)) else value
    return ("tuple", *map(description_key, description.items)) if isinstance(description, Tuple) else description


def relabelled(description: ValueType, labels: dict[Size, Size]) -> ValueType:
    """A description with labels of its own for sizes: equal ones for equal sizes."""

    def label(size: Size) -> Size:
        if isinstance(size, int):
            return size
        if size not in labels:
            bound = lower_bound(size)
            labels[size] = atom(f"{'v' if bound is None or bound < 0 else 's' if bound >= 2 else 'd'}:p{len(labels)}")
        return labels[size]

    return in_sizes(description, label)


def kept_by(trace: Trace, body: Body, fn: FunctionType, seen: dict[int, Any]) -> tuple[Any, ...] | None:
    """A function and what its variables hold, by identity; None where any of it may change while the program runs."""
    if id(fn) in seen:
        return ()
    seen[id(fn)] = fn
    if any(is_global_of(fn, place) and key not in body.places for key, (place, _) in trace.journals[0].before.items()):
        return None
    found: list[Any] = [fn]
    variables = [place.read() for place in variables_around(fn) if not body.is_argument(place)]
    if any(isinstance(value, np.ndarray) for value in variables):
        return None
    looked_up = [fn.__globals__[name] for name in names_looked_up(fn.__code__) if name in fn.__globals__]
    for value in (*variables, *looked_up, *(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()):
        inner = kept_in(trace, body, value, seen)
        if inner is None:
            return None
        found += inner
    return tuple(found)


def variables_around(fn: FunctionType) -> list[CellPlace]:
    """The variables of functions around a converted one that it captures, and that have been assigned."""
    places = [CellPlace(cell, name) for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ())]
    return [place for place in places if place.name != OPERATORS and cell_has_content(place.owner)]


def kept_in(trace: Trace, body: Body, value: Any, seen: dict[int, Any]) -> tuple[Any, ...] | None:
    """A value that a function reads around it, by identity, and what it holds; None where that may change while the program runs."""
    if isinstance(value, FunctionType) and not is_library(value):
        return kept_by(trace, body, value, seen)
    if body.takes_instances and is_known_instance(trace, value):
        return kept_in_instance(trace, body, value, seen)
    if isinstance(value, Dynamic) and container(trace, body, value) is None:
        return None
    if isinstance(value, Maybe):
        return kept_in(trace, body, value.content, seen)
    if isinstance(value, MethodType):
        return kept_in(trace, body, value.__self__, seen)
    if isinstance(value, (StagedArray, StagedScalar, Text, Dynamic, Undefined)) or references_in(value) or is_immutable(value):
        return (description_key(Constant(value)),)
    if type(value) is tuple:
        parts = [None if isinstance(item, np.ndarray) else kept_in(trace, body, item, seen) for item in value]
        return None if None in parts else (len(parts), *itertools.chain(*filter(None, parts)))
    if type(value) in (list, dict, set):
        return kept_in_container(trace, body, value, seen)
    return () if isinstance(value, (FunctionType, np.ndarray)) else None


def kept_in_container(trace: Trace, body: Body, value: Any, seen: dict[int, Any]) -> tuple[Any, ...] | None:
    """The same of a container of the caller's world, which the trace knows by its items unless the program changes it."""
    if id(value) in seen:
        return ()
    seen[id(value)] = value
    items = (*value, *value.values()) if isinstance(value, dict) else value
    if is_changed(trace, value) or any(isinstance(item, np.ndarray) or kept_in(trace, body, item, seen) is None for item in items):
        return None
    return (Constant(value),)


def kept_in_instance(trace: Trace, body: Body, value: Any, seen: dict[int, Any]) -> tuple[Any, ...] | None:
    """The same of an instance, but of its attributes that are arguments of the calls."""
    if id(value) in seen:
        return ()
    seen[id(value)] = value
    found: list[Any] = [Constant(value)]
    for name, content in (fields_of(value) or {}).items():
        if body.is_argument(AttributePlace(value, name)):
            continue
        inner = kept_in(trace, body, content, seen)
        if inner is None:
            return None
        found += (name, *inner)
    return tuple(found)


def surroundings_of(trace: Trace, body: Body, fn: FunctionType, arguments: Iterable[Any]) -> tuple[Any, ...] | None:
    """What a call depends on besides the types of its arguments: what the function reads around it, what instances hold."""
    seen: dict[int, Any] = {}
    found = [kept_by(trace, body, fn, seen)]
    found += [kept_in(trace, body, each, seen) for consumer in trace.calls.consumers for each in (consumer.body, consumer.extra_test)]
    held = [each for each in arguments if isinstance(each, (FunctionType, MethodType)) or is_user_instance(each)]
    found += [kept_in(trace, body, each, seen) for each in held]
    return None if None in found else tuple(part for parts in found for part in parts or ())


def is_global_of(fn: FunctionType, place: Any) -> bool:
    """Whether a place that the program writes is a variable of a function's module."""
    return place.owner is fn.__globals__ or isinstance(place, AttributePlace) and isinstance(place.owner, ModuleType)


def cell_has_content(cell: Any) -> bool:
    """Whether a variable has been assigned."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def names_looked_up(code: CodeType) -> frozenset[str]:
    """The names of module variables that a function and those inside it look up."""
    known = LOOKED_UP.get(code)
    if known is None:
        own = [step.argval for step in dis.get_instructions(code) if step.opname in LOOKS_UP]
        known = LOOKED_UP[code] = frozenset(own).union(*(names_looked_up(const) for const in code.co_consts if isinstance(const, CodeType)))
    return known


def described_values(description: ValueType) -> Iterator[ValueType]:
    """The parts of a description that are values of the graph."""
    if isinstance(description, Tuple):
        for item in description.items:
            yield from described_values(item)
    elif not isinstance(description, Constant):
        yield description


def in_sizes(x: ValueType, size: Callable[[Size], Size]) -> ValueType:
    """A type with other sizes."""
    if isinstance(x, Array):
        return replace(x, dims=tuple(map(size, x.dims)))
    if isinstance(x, Scalar) and x.size is not None:
        return replace(x, size=size(x.size))
    return x.of(in_sizes(each, size) for each in x.inner) if x.inner else x
