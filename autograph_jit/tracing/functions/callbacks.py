"""Functions of the program that Python code calls while the compiled function runs: what they capture goes along, and what they assign
comes back.

A library function that is given such a function calls it before it returns. What an object keeps it may call at any time: such functions,
and those that leave with a result, may capture nothing that changes.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Callable, Collection, Iterable, Sequence
from enum import Enum
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.types import OBJECT
from autograph_jit.ops.dispatch import Boxed
from autograph_jit.originals import original_code
from autograph_jit.records import dataclass
from autograph_jit.tensor.functions import elements_of_function
from autograph_jit.tracing.aliasing.journal import stored_free_names
from autograph_jit.tracing.containers.outside import form_of
from autograph_jit.tracing.functions.closures import (
    Capture,
    Shape,
    attributes_of,
    expect_objects,
    rebuilt,
    take_back,
    with_attributes,
)
from autograph_jit.tracing.functions.host_objects import give_object
from autograph_jit.tracing.functions.made_in_loops import function_of_run
from autograph_jit.tracing.functions.originals import REBOUND, as_written
from autograph_jit.tracing.hosting.host_calls import by_name, host, host_object
from autograph_jit.tracing.objects.callers_objects import is_reached
from autograph_jit.tracing.plain.calls import FORM, NEVER_CONVERTED, is_library
from autograph_jit.tracing.sequences.cursors import Cursor
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.structures.guards import is_constant
from autograph_jit.tracing.structures.rebuilding import Fixed, Rebuild
from autograph_jit.tracing.structures.templates import (
    OF_KIND,
    Template,
    contains_staged,
    is_made_here,
    is_user_instance,
    made_here_in,
)
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.trace import Trace, active, current, user_span

STORES = ("STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
CHANGES = frozenset("append appendleft extend insert pop popleft remove clear update setdefault sort reverse add discard".split())
MODULES = ("np", "numpy")
KNOWN_BY_THEMSELVES = (type, ModuleType, FunctionType, BuiltinFunctionType, Enum)


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a callback among arguments."""

    number: int


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes a callback of the run from what its variables hold."""

    shape: Shape
    names: dict[int, dict[str, Any]]


def needs_variables(x: Any) -> bool:
    """Whether a function of the traced program captures, or assigns, what only the run knows or what the trace keeps; or has it as a
    default; or captures what the program changes after it has given the function away."""
    if not isinstance(x, FunctionType) or not is_of_program(x):
        return False
    if (REBOUND, x.__code__) in active().decisions:
        return True
    captured = Capture(x)
    if any(stored_free_names(function.__code__) for function in captured.functions):
        return True
    return any(map(is_of_the_call, captured.leaves))


def is_of_the_call(leaf: Any) -> bool:
    """Whether what a function captures is another in each call."""
    return comes_from_the_run(leaf) or is_state(leaf)


def reaches_staged(x: FunctionType) -> bool:
    """Whether a function of the traced program captures what only the run knows, itself or by the functions that it captures."""
    return any(map(comes_from_the_run, Capture(x).leaves))


def comes_from_the_run(leaf: Any) -> bool:
    """Whether what a function captures, or has as a default, is or holds what only the run knows, an object that the caller holds among
    it, or a function that captures such."""
    if isinstance(leaf, FunctionType):
        return asks_the_run(leaf)
    return any(map(comes_from_the_run, parts_held_by(leaf))) or contains_staged(leaf) or is_held_by_caller(leaf)


def parts_held_by(x: Any) -> Collection[Any]:
    """What a tuple, dict, partial, method or exception of the trace holds."""
    if type(x) is functools.partial:
        return x.func, *x.args, *x.keywords.values()
    if isinstance(x, (MethodType, BaseException)):
        return (x.__self__,) if isinstance(x, MethodType) else x.args
    return x if isinstance(x, tuple) else x.values() if type(x) is dict else ()


def is_held_by_caller(x: Any) -> bool:
    """Whether a value is an object of the caller's that no guard knows by itself: each call brings its own."""
    return not isinstance(x, KNOWN_BY_THEMSELVES) and not is_constant(x) and is_reached(x)


def is_users(x: Any) -> bool:
    """Whether x is a function or method of the user's: what it does happens when the program runs, not while it is traced."""
    function = x.func if type(x) is functools.partial else x
    function = function.__func__ if isinstance(function, MethodType) else function
    return isinstance(function, FunctionType) and (not is_library(function) or is_defined_here(function))


def is_defined_here(x: FunctionType) -> bool:
    """Whether the traced program, which may be a library's own code, defines a function."""
    trace = current()
    return trace is not None and id(x) in trace.definitions.functions


def is_of_program(x: FunctionType) -> bool:
    """Whether the traced program defines a function, which may be a generator."""
    return is_defined_here(x) or FORM in x.__dict__


def asks_the_run(x: Any) -> bool:
    """Whether a function of the traced program captures what only the run knows."""
    return isinstance(x, FunctionType) and x.__closure__ is not None and is_of_program(x) and reaches_staged(x)


def is_state(x: Any) -> bool:
    """Whether a value is, or holds, a list, dict or instance that the trace makes: it has its content while tracing only."""
    trace = active()
    if isinstance(x, (Dynamic, Cursor)) or id(x) in trace.outside.made or made_here_in(x) is not None:
        return True
    return isinstance(x, tuple) and any(map(is_state, x))


def host_calling_back(function: Callable[..., Any], *args: Any, label: str, python_type: type | None = None, **kwargs: Any) -> StagedObject:
    """A host call of a function that may call what it is given before it returns; its result stays a Python object."""
    for x in (*args, *kwargs.values()):
        if type(x) is functools.partial:
            give_held(active(), [x])
    found = [x for x in (*args, *kwargs.values()) if needs_variables(x)]
    if not found:
        return host_object(function, *args, label=label, python_type=python_type, **kwargs)
    trace = active()
    captured = [Capture(x) for x in found]
    for one in captured:
        give_held(trace, (*one.functions, *one.leaves))
    leaves = tuple(tuple(form_of(leaf) for leaf in one.leaves) for one in captured)
    expect_objects(trace, leaves)
    assigned = sum(len(one.shape.assigned) for one in captured)
    if assigned and trace.handling.tries:
        raise leaves_program(found[0], "it assigns variables of the function around it, and may raise", "collect the values in a list")
    makers = [Maker(one.shape, {id(part.__globals__): part.__globals__ for part in one.functions}) for one in captured]
    place = {id(x): Slot(number) for number, x in enumerate(found)}
    args = tuple(place.get(id(x), x) for x in args)
    kwargs = {name: place.get(id(x), x) for name, x in kwargs.items()}
    result, *results = host(caller(by_name(function), makers), (leaves, *args), kwargs, types=(OBJECT,) * (1 + assigned), label=label)
    contents = iter(results)
    for one in captured:
        take_back(one, [next(contents) for _ in one.shape.assigned])
    result.python_type = python_type
    return result


def give_held(trace: Trace, values: Iterable[Any]) -> None:
    """What functions among these may change of the caller's, itself or in what holds it, is an object of the run: what the trace knows of
    it holds no longer."""
    reached = list(values)
    for x in reached:
        reached += [*parts_held_by(x), *([x.__func__] if isinstance(x, MethodType) else [])]
    held = [x for x in reached if is_held_by_caller(x)]
    if held and may_change([x for x in reached if isinstance(x, FunctionType)], set(map(type, held))):
        for x in held:
            give_object(trace, x)


def caller(function: Callable[..., Any], makers: Sequence[Maker]) -> Callable[..., Any]:
    """The call on real values: callbacks are made first; what they assigned follows the result."""

    def call(leaves: tuple[Any, ...], *args: Any, **kwargs: Any) -> Any:
        made = [rebuilt(maker.shape, maker.names, part, as_written=True) for maker, part in zip(makers, leaves)]
        given = [made[x.number][0] if isinstance(x, Slot) else x for x in args]
        named = {name: made[x.number][0] if isinstance(x, Slot) else x for name, x in kwargs.items()}
        result = function(*given, **named)
        contents = [cells[number].cell_contents for maker, (_, cells) in zip(makers, made) for number in maker.shape.assigned]
        return (result, *contents) if contents else result

    return call


def vectorized(fn: np.vectorize, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of what `np.vectorize` made of a function of the program."""
    otypes, excluded, cache, signature = fn.otypes, fn.excluded, fn.cache, fn.signature

    def run(function: Any, *values: Any, **named: Any) -> Any:
        if values and not (named or excluded or signature) and any(isinstance(value, Boxed) for value in values):
            return elements_of_function(function, *values)
        return np.vectorize(function, otypes, None, excluded, cache, signature)(*values, **named)

    return host_calling_back(run, fn.pyfunc, *args, label="vectorize", **kwargs)


def callable_parts(template: Template, x: Any) -> Rebuild | None:
    """How to rebuild a method of what only the run knows, and a function of the traced program as the user has written it; None for what
    stands as it is. Refused: a function with variables of its own, and a class with values of the run."""
    if isinstance(x, type):
        expect_plain_class(x)
        return None
    if isinstance(x, MethodType) and current() is not None:
        return method_parts(template, x, active()) or as_it_was_written(x)
    if isinstance(x, functools.partial):
        if isinstance(x.func, FunctionType):
            callable_parts(template, x.func)  # refused where that is
        if isinstance(x.func, MethodType) or not is_reached(x) and any(map(is_of_the_call, (*x.args, *x.keywords.values()))):
            parts = template.of((x.func, x.args, x.keywords))
            return lambda values: rebuilt_partial(*parts(values))
        return as_it_was_written(x)
    if needs_variables(x):
        changes = bool(stored_free_names(x.__code__))
        why = "it assigns variables of the function around it" if changes else "it captures variables that only the run knows"
        raise leaves_program(x, why, "call it in the compiled function, or return what it captures")
    attributes = attributes_of(x)
    if attributes is None:
        found, made = as_it_was_written(x), function_of_run(active(), x) if isinstance(x, FunctionType) and current() is not None else None
        return found if made is None else template.of(made)
    parts, given = template.of(attributes), as_written(x)
    return lambda values: with_attributes(given, parts(values))


def rebuilt_partial(function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    return functools.partial(function, *args, **keywords)


def as_it_was_written(x: Any) -> Rebuild | None:
    """The original in the place of a function; None for what is one."""
    found = as_written(x)
    return None if found is x else Fixed(found)


def expect_plain_class(kind: type) -> None:
    """Refuse a class of the traced program that holds values of the call, itself or by what its methods capture: there is one class for
    all runs; and any class that holds a value of the run."""
    if kind.__module__ in NEVER_CONVERTED:
        return
    is_own = id(kind) in active().created
    for name, value in vars(kind).items():
        leaves = Capture(value).leaves if isinstance(value, FunctionType) else [value]
        if any(is_of_the_call(leaf) if is_own else contains_staged(leaf) for leaf in leaves):
            what, why = f"the class `{kind.__name__}` leaves the traced program", f"`{name}` holds a value that only the run knows"
            raise ConversionError(what, user_span(), why, "define the class outside of the function, and give its instances the value")


def method_parts(template: Template, method: MethodType, trace: Trace) -> Rebuild | None:
    """A method of a list, dict or instance that the trace makes, as the method of the object of the run; of an instance from outside, of
    that of the call. Refused: one that may change such an instance, whose attributes the trace knows."""
    owner, name = method.__self__, method.__name__
    if not isinstance(owner, Dynamic) and not is_made_here(owner):
        if trace.inputs is None or not trace.inputs.is_reached(owner):
            return None
        if is_user_instance(owner) and may_change([method.__func__], [type(owner)]):
            why = f"it may change the {type(owner).__name__}, whose attributes are kept in compiled code"
            raise leaves_program(method, why, "call it in the compiled function, or keep what it changes in an array")
        build, function = template.of(owner), as_written(method).__func__
        return lambda values: MethodType(function, build(values))
    if id(type(owner)) in trace.created:
        expect_plain_class(type(owner))
    expect_objects(trace, owner)
    parts = template.of(owner)
    return lambda values: getattr(parts(values), name)


def may_change(functions: Iterable[Any], kinds: Iterable[type]) -> bool:
    """Whether one of these functions, a function or a method of one of these classes that it names, or one of theirs, stores attributes or
    items, or calls what changes containers."""
    seen, left = set(), [(original_code(function.__code__) or function.__code__, function.__globals__) for function in functions]
    while left:
        code, names = left.pop()
        if code in seen:
            continue
        seen.add(code)
        if changes_something(code):
            return True
        others = [found for name in code.co_names for found in (names.get(name), *(getattr(kind, name, None) for kind in kinds))]
        left += [(other.__code__, other.__globals__) for other in others if isinstance(other, FunctionType) and not is_library(other)]
        left += [(const, names) for const in code.co_consts if isinstance(const, CodeType)]
    return False


def changes_something(code: CodeType) -> bool:
    """Whether a function's own code stores attributes or items, or calls a method that changes a container."""
    before = None
    for step in dis.get_instructions(code):
        if step.opname in STORES or (step.argval in CHANGES and step.opname in ATTRIBUTES and before not in MODULES):
            return True
        before = step.argval
    return False


def leaves_program(function: Any, why: str, remedy: str) -> ConversionError:
    return ConversionError(
        f"the function `{function.__name__}` leaves the traced program, or is kept where only the run knows it", user_span(), why, remedy
    )


OF_KIND[FunctionType] = callable_parts
