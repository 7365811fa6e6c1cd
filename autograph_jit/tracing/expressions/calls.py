"""Calls in converted code: which function runs on stand-ins, which is converted first, which becomes a host call."""

from __future__ import annotations

import array
import enum
import functools
import inspect
import itertools
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit import budget
from autograph_jit.errors import ConversionError
from autograph_jit.ops.derivatives import matrices
from autograph_jit.tracing import ACTING
from autograph_jit.tracing.aliasing.journal import expect_cells, note_created
from autograph_jit.tracing.aliasing.row_classes import class_key
from autograph_jit.tracing.arrays.register import NotNative
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.function_tables import FunctionReference
from autograph_jit.tracing.containers.instance_tables import as_row, is_to_be_row
from autograph_jit.tracing.containers.lists import Rest, TracedList
from autograph_jit.tracing.containers.outside import contents_of, forms_of_defaults, note_write
from autograph_jit.tracing.containers.own_methods import call_own_method, call_rule
from autograph_jit.tracing.containers.tuples import as_run_time_tuple
from autograph_jit.tracing.control import generators
from autograph_jit.tracing.control.recursive_units import call_in_place, call_recursive
from autograph_jit.tracing.control.unit_calls import call_unit
from autograph_jit.tracing.control.units import NO_UNIT, note_body
from autograph_jit.tracing.control.user_iterators import iterator_of
from autograph_jit.tracing.expressions.access import drop_attribute, getattr_, store_attribute
from autograph_jit.tracing.expressions.call_arguments import argument, form_for_row, noted
from autograph_jit.tracing.expressions.chosen_arguments import choice_among
from autograph_jit.tracing.expressions.constructors import CONTAINERS, HOST_CONTAINERS, adopt, construct_by_own, made_type, note_container
from autograph_jit.tracing.expressions.library_containers import construct_container, frozen_of_run
from autograph_jit.tracing.expressions.library_kinds import MADE_BY_PYTHON, has_no_source, is_library_class, is_special, is_structural
from autograph_jit.tracing.expressions.list_arguments import array_argument, table_argument
from autograph_jit.tracing.expressions.named_parts import GETTERS, call_getter
from autograph_jit.tracing.expressions.none_arguments import contents_for
from autograph_jit.tracing.expressions.number_errors import refuse_call
from autograph_jit.tracing.expressions.package_forms import form_of_call
from autograph_jit.tracing.expressions.partials import form_of_callable
from autograph_jit.tracing.expressions.python_containers import READERS, call_container_method
from autograph_jit.tracing.expressions.spread_calls import Packed, call_with_rest, packed_form
from autograph_jit.tracing.expressions.tagged import by_kinds_among, by_options
from autograph_jit.tracing.expressions.text import method_of_text
from autograph_jit.tracing.functions.callbacks import asks_the_run, host_calling_back, is_users, vectorized
from autograph_jit.tracing.functions.host_objects import give
from autograph_jit.tracing.functions.recursion import MAX_DEPTH, RECURSION, branch_out, call_again, too_deep
from autograph_jit.tracing.hosting.exceptions import StagedException
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.hosting.known_exceptions import may_be_known
from autograph_jit.tracing.hosting.purity import is_mutable, is_pure
from autograph_jit.tracing.hosting.texts_of_numbers import of_plain_numbers
from autograph_jit.tracing.objects.callers_objects import (
    depends_on_run,
    guard_method,
    is_callers_instance,
    is_of_the_run,
    is_reached,
    object_itself,
)
from autograph_jit.tracing.objects.left_to_python import note_constructed
from autograph_jit.tracing.objects.opaque import NATIVE_METHODS, ObjectMethod, host_method, object_call, refuse_shuffle
from autograph_jit.tracing.objects.operator_methods import meet
from autograph_jit.tracing.plain import calls as plain_calls
from autograph_jit.tracing.plain.calls import MISFIT, Misfit, forwarded, is_numpy
from autograph_jit.tracing.plain.identity import entry_of, is_one_of, owner_of
from autograph_jit.tracing.sequences.cursors import Cursor, adopted, collected_arguments, looks_through
from autograph_jit.tracing.sequences.dynamic import Dynamic, decided
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.made_containers import library_base
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.texts.constants import expect_data_for, note_derived
from autograph_jit.tracing.texts.text import CLASSES, as_object, known_text, method_of
from autograph_jit.tracing.values.abstract import Maybe, OfTheRun, Staged, StagedObject, TaggedScalar, content_of
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.callers_iterators import expect_not_callers, expect_own
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import lift_array
from autograph_jit.tracing.values.trace import FOLLOWED, UNKNOWN, Trace, active, current, user_span
from autograph_jit.tracing.values.types import ListOf

BUILTINS: dict[Any, Callable[..., Any]] = {}
OF_FUNCTOOLS: dict[str, Callable[..., Any]] = {}  # the call of a function with a cache; the function for the type of an argument
UNBOUND = (types.MethodDescriptorType, types.WrapperDescriptorType)
ITERATORS = tuple(value for value in vars(itertools).values() if isinstance(value, type))
ASYNCHRONOUS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
NOT_GONE_THROUGH = (itertools.repeat, itertools.count, itertools.product)
GOING_THROUGH = {id(fn) for fn in (*ITERATORS, itertools.tee) if fn not in NOT_GONE_THROUGH}
STRUCTURAL = (functools.reduce, slice, np.vectorize, *ITERATORS)
converter: Callable[[Any], Any] | None = None


def call(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
    """`fn(*args, **kwargs)`."""
    trace = current()
    if trace is None:
        return plain_calls.call(fn, args, kwargs)
    budget.spend(FOLLOWED)
    args = tuple(map(argument, args))
    kwargs = {name: argument(arg) for name, arg in (kwargs or {}).items()}
    if any(isinstance(arg, (Rest, Misfit)) for arg in args) or MISFIT in kwargs:
        return call_with_rest(fn, args, kwargs)
    if isinstance(fn, (OfTheRun, Chosen)):
        return call_staged(fn, args, kwargs)
    if isinstance(fn, FunctionReference):
        form = form_for_row(trace, fn, args)
        return call(fn.as_function(), args, kwargs) if form is None else enter_function(trace, form, form, (fn, *args), kwargs)
    args = contents_for(fn, noted(trace, fn, args))
    if not is_users(fn) and (chosen := choice_among(fn, args)) is not None and id(fn) not in GOING_THROUGH:
        return distribute(chosen, lambda option: call(fn, tuple(option if arg is chosen else arg for arg in args), kwargs))
    if not is_users(fn) and any(isinstance(arg, TaggedScalar) for arg in (*args, *kwargs.values())):
        return call_with_undecided(trace, fn, args, kwargs)
    return call_known(trace, fn, args, kwargs)


def look_up(fn: Any, args: tuple[Any, ...], kwargs: None) -> Any:
    """`d.get(key, ())`, of which nothing but the items is asked for: in a dict of lists an empty list gives as many, and can be joined."""
    owner = getattr(fn, "__self__", None)
    if current() is not None and isinstance(owner, dict) and getattr(type(owner), "get", None) in (dict.get, TracedDict.get):
        known = owner.kind.value if isinstance(owner, TracedDict) and owner.is_native else None
        if isinstance(known, ListOf) or any(isinstance(value, list) for value in dict.values(owner)):
            args = args[0], TracedList.made([])
    return call(fn, args, kwargs)


@acts_for_program
def call_with_undecided(trace: Trace, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call with a number whose type the path decides: where it fails, one for each type."""
    try:
        return call_known(trace, fn, args, kwargs)
    except ConversionError:
        raise
    except Exception:
        return by_kinds_among(args, kwargs, lambda plain, named: call(fn, plain, named))


def call_known(trace: Trace, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a function that the trace knows."""
    if id(fn) in GOING_THROUGH:
        args = tuple(map(iterator_of, args))
    rule = builtin_rule(fn)
    expect_data_for(fn, args)
    if isinstance(fn, type) and issubclass(fn, BaseException) and not may_be_known(fn):
        args = as_object(args)
    expect_own(() if is_users(fn) else args, files=is_traced(fn, rule))
    if any(isinstance(arg, Cursor) for arg in args) or isinstance(owner_of(fn), (str, bytes)):
        args = collected_arguments(fn, args)
    if rule is not None:
        try:
            return adopted(by_options(args, kwargs, functools.partial(call_rule, rule, fn), len(args)), args)
        except NotNative:
            return native(fn, args, kwargs)
    if isinstance(fn, UNBOUND) and fn.__objclass__ in CONTAINERS and args and isinstance(args[0], (*CONTAINERS, Staged)):
        return call_unbound(fn, *args, **kwargs)
    compiled = getattr(type(fn), "__staged__", None)
    if compiled is not None:
        return call(compiled(fn), args, kwargs)
    if (form := form_of_callable(fn)) is not None:
        return form(fn, args, kwargs)
    if isinstance(fn, ObjectMethod):
        give(trace, getattr(fn.owner.python_type, fn.name, None), args, kwargs)
    owner = owner_of(fn)
    if owner is not None and not isinstance(owner, types.ModuleType):
        result = call_method(trace, fn, owner, args, kwargs)
        note_derived(owner, result)
        return fresh_lists(result) if isinstance(owner, Staged) else result
    if type(fn) is np.vectorize and is_users(fn.pyfunc):
        return vectorized(fn, args, kwargs)
    if is_numpy(fn):
        give(trace, fn, args := table_argument(fn, args, kwargs), kwargs)
        args = tuple(array_argument(fn, arg) for arg in args)
        if (result := language.call_numpy(fn, args, kwargs)) is not NotImplemented:
            return fresh_lists(result)
    if isinstance(fn, type):
        return adopted(construct(trace, fn, args, kwargs), args)
    return adopted(call_function(trace, fn, args, kwargs), args)


def call_unbound(fn: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """`list.append(items, x)`: not the method of that name that the class of the items may have."""
    if isinstance(owner, StagedObject) and owner.python_type is not None and library_base(owner.python_type) is not None:
        return host_object(fn, owner, *args, label=f"method {fn.__name__}", **kwargs)
    is_real = isinstance(owner, CONTAINERS) and not isinstance(owner, Dynamic)
    return call(fn.__get__(owner) if is_real else getattr_(owner, fn.__name__), args, kwargs)


def decorator(fn: Any) -> Any:
    """A decorator of a definition in converted code: applying it is a call like any other."""
    trace = current()
    if trace is None or builtin_rule(fn) is None and isinstance(fn, types.FunctionType) and plain_calls.is_library(fn):
        return fn if trace is None else lambda defined: note_created(trace, fn(defined))
    return lambda defined: call(fn, (defined,), None)


def fresh_lists(result: Any) -> Any:
    """Lists that NumPy makes, as lists of converted code."""
    return TracedList.made([fresh_lists(item) for item in result]) if type(result) is list else result


def builtin_rule(fn: Any) -> Callable[..., Any] | None:
    """The staged form of a builtin function or type."""
    plain_kind = isinstance(fn, (type, types.FunctionType, types.WrapperDescriptorType)) or (
        isinstance(fn, types.BuiltinFunctionType) and isinstance(fn.__self__, (types.ModuleType, type, types.NoneType))
    )
    rule = entry_of(BUILTINS, fn) if plain_kind else None
    return None if rule is None else acts_for_program(rule)


def is_traced(fn: Any, rule: Any) -> bool:
    """Whether the trace itself goes through what a function is given."""
    return isinstance(owner_of(fn), Dynamic) or (rule is not None or is_one_of(fn, HOST_CONTAINERS)) and looks_through(fn)


@acts_for_program
def call_staged(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call something that only the run knows: a choice branches."""
    if isinstance(fn, Maybe):
        return call(content_of(fn, TypeError, "'NoneType' object is not callable"), args, kwargs)
    if isinstance(fn, Chosen):
        return distribute(fn, lambda option: call(option, args, kwargs))
    if isinstance(fn, StagedObject):
        give(active(), fn, args, kwargs)
        return object_call(fn, args, kwargs)
    refuse_call(fn)


def add_note(exception: BaseException, note: Any) -> None:
    """`exception.add_note(note)`: its notes become another list, as a branch may add one, of text that only the run knows."""
    note = as_object(note)
    if not isinstance(note, str) and not (isinstance(note, StagedObject) and note.python_type is str):
        raise TypeError(text_with_stand_ins(BaseException().add_note, note))
    known = getattr(exception, "__notes__", None)
    store_attribute(exception, "__notes__", TracedList.made([note]) if known is None else known + TracedList.made([note]))


@acts_for_program
def call_method(trace: Trace, fn: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a bound method or a builtin method."""
    if isinstance(owner, Dynamic):
        return call_own_method(fn, owner, args, kwargs)
    if isinstance(owner, BaseException) and fn.__name__ == "add_note" and len(args) == 1 and not isinstance(owner, StagedException):
        return add_note(owner, args[0])
    if isinstance(owner, (OfTheRun, Indexed)) or isinstance(owner, BaseException) and not is_users(fn):
        return fn(*args, **kwargs)
    if isinstance(fn, types.MethodWrapperType):
        rule = BUILTINS.get(vars(fn.__objclass__).get(fn.__name__))  # `super().__setattr__`
        if rule is not None:
            return rule(owner, *args, **kwargs)
    if isinstance(owner, MADE_BY_PYTHON) and is_library_class(type(owner)):
        if (type(owner), fn.__name__) in NATIVE_METHODS:
            result = NATIVE_METHODS[type(owner), fn.__name__](object_itself(owner, fn), args, kwargs)
            if result is not NotImplemented:
                return result
        if fn.__name__ == "shuffle":
            refuse_shuffle()
        if isinstance(owner, (array.array, bytearray)) and fn.__name__ not in READERS:
            note_write(owner)
        give(trace, fn, args, kwargs)
        return host_method(fn, owner, tuple(map(contents_of, map(language.collected, args))), kwargs)
    if isinstance(owner, np.ndarray):
        return call(getattr(lift_array(owner), fn.__name__), args, kwargs)
    if is_numpy(fn) or type(owner).__module__.startswith("numpy"):
        if (result := language.call_numpy(fn, args, kwargs)) is not NotImplemented:
            return result
    expect_not_callers(owner)
    if isinstance(owner, CONTAINERS) and not is_users(fn):
        return call_container_method(trace, fn, owner, args, kwargs)
    if isinstance(owner, generators.Stepped):
        if depends_on_run((args, kwargs)):
            generators.keep_instead(owner.function)
            what, why = f"`{fn.__name__}` of a generator with a value of the run", "the generator ran while the program was traced"
            raise ConversionError(what, user_span(), why, "write a class with the generator's variables as attributes")
        return fn(*args, **kwargs)
    if isinstance(fn, types.MethodType):
        rule = builtin_rule(fn.__func__)
        return rule(owner, *args, **kwargs) if rule else call_function(trace, fn.__func__, (owner, *args), kwargs)
    if isinstance(owner, type):
        made = native(fn, args, kwargs)
        return note_container(trace, meet(trace, made), args) if fn.__name__ == "__new__" and not isinstance(made, Staged) else made
    if isinstance(owner, tuple) and getattr(tuple, fn.__name__, None) and contains_staged(owner):
        name, as_list = fn.__name__, as_run_time_tuple(owner)
        if as_list is not None:
            return getattr_(as_list, name)(*args, **kwargs)
        return host_object(lambda items, *values: getattr(items, name)(*values), owner, *args, label=f"tuple.{name}")
    is_late = depends_on_run((args, kwargs)) or any(isinstance(arg, (Indexed, Cursor)) or is_callers_instance(arg) for arg in args)
    if isinstance(owner, (str, bytes)) and not is_late:
        return fresh_lists(fn(*args, **kwargs))
    if is_late:
        if isinstance(owner, str) and (made := method_of_text(owner, fn.__name__, args, kwargs)) is not None:
            return made
        if type(owner) in CLASSES:
            return method_of(known_text(owner), fn.__name__)(*args, **kwargs)
        return host_method(fn, owner, args, kwargs)
    if is_pure(fn) and not is_mutable(owner):
        return fn(*args, **kwargs)
    return host_method(fn, owner, args, kwargs)


def construct(trace: Trace, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make an instance: a user's `__init__` is converted, a container of the library's is kept at run time where it must be."""
    if is_one_of(kind, HOST_CONTAINERS):
        return construct_container(trace, kind, args, kwargs)
    if kind is frozenset and not kwargs and (made := frozen_of_run(trace, args)) is not None:
        return made
    if issubclass(kind, MADE_BY_PYTHON) and is_library_class(kind):
        give(trace, kind, args, kwargs)
        return host_object(kind, *map(contents_of, map(language.collected, args)), label=kind.__name__, python_type=kind, **kwargs)
    key = class_key(kind)
    if key in trace.decisions or decided(trace, key) is not None or issubclass(kind, enum.Enum) and contains_staged(args):
        note_constructed(kind)
        return host_object(kind, *args, label=kind.__name__, python_type=made_type(kind), **kwargs)
    calls = getattr(type(kind), "__call__", None)  # noqa: B004 the metaclass's
    if isinstance(calls, types.FunctionType) and not plain_calls.is_library(calls):
        guard_method(trace, type(kind), "__call__", calls)
        return call_function(trace, calls, (kind, *args), kwargs)
    if issubclass(kind, BaseException) and not kwargs and may_be_known(kind) and not isinstance(kind.__init__, types.FunctionType):
        return note_created(trace, kind(*args))
    made = construct_by_own(trace, kind, args, kwargs) if calls is type.__call__ else None
    if made is None:
        made = adopt(note_container(trace, meet(trace, native(kind, args, kwargs)), args), (*args, *kwargs.values()))
    if trace.aliasing.tables and is_to_be_row(trace, made):
        number = id(made)
        del made
        return as_row(trace, number)
    return made


def construct_as_type(kind: type, *args: Any, **kwargs: Any) -> Any:
    """`super().__call__(*args)` in a metaclass."""
    made = construct_by_own(active(), kind, args, kwargs)
    return native(functools.partial(type.__call__, kind), args, kwargs) if made is None else made


@acts_for_program
def call_function(trace: Trace, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a Python function, converted; anything else as it is."""
    if not isinstance(fn, types.FunctionType):
        method = getattr(type(fn), "__call__", None)  # noqa: B004 the function itself is wanted, to convert it
        if isinstance(method, types.FunctionType) and not plain_calls.is_library(method):
            guard_method(trace, type(fn), "__call__", method)
            return call_function(trace, method, (fn, *args), kwargs)
        if isinstance(fn, GETTERS) and len(args) == 1 and not kwargs:
            return call_getter(fn, args[0])
        if type(fn) is functools._lru_cache_wrapper:
            return OF_FUNCTOOLS["cached"](fn, args, kwargs)
        return fn(*args, **kwargs) if type(fn).__module__.startswith("autograph_jit.") else native(fn, args, kwargs)
    fn = forwarded(fn) or form_of_call(fn, args, kwargs)
    if (fn.__module__ or "").startswith(ACTING):
        return fn(*args, **kwargs)
    if not plain_calls.is_library(fn) and has_no_source(fn):
        return fn(*args, **kwargs) if is_special(fn) else native(fn, args, kwargs)
    if matrices.name_of(fn) and contains_staged((args, kwargs)):
        return language.numpy(fn, args, kwargs)
    if (chosen := OF_FUNCTOOLS["by type"](fn, args)) is not None:
        return call(chosen, args, kwargs)
    if not is_users(fn):
        return note_created(trace, native(fn, args, kwargs))
    kwargs = {**kwargs, **forms_of_defaults(fn, args, kwargs)}
    if fn.__code__.co_flags & ASYNCHRONOUS:
        return host_object(fn, *args, label=fn.__name__, **kwargs)
    if generators.is_generator_function(fn):
        return generators.start(fn, args, kwargs)
    if fn.__name__ == "__post_init__" and trace.calls.constructing and trace.calls.constructing[-1][0] is args[0]:
        adopt(*trace.calls.constructing[-1])
    target = fn if converter is None or trace.definitions.functions.get(id(fn)) is fn else converter(fn)  # whose variables are the trace's
    trace.inputs.function(fn)
    expect_cells(trace, fn)
    trace.watch.step(trace)
    if args and isinstance(args[-1], Packed):
        return enter_function(trace, fn, packed_form(target), (*args[:-1], args[-1].items), kwargs, is_packed=True)
    return enter_function(trace, fn, target, args, kwargs)


@acts_for_program
def enter_function(
    trace: Trace, fn: types.FunctionType, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], is_packed: bool = False
) -> Any:
    """A call of a function of the user's: of a function of the graph, of one that is compiled on its own, or traced where it stands. Where
    its arguments are packed into one, `target` is of another form than others, and is traced where it stands."""
    code, frame = fn.__code__, sys._getframe(1)
    depth, level = trace.calls.depths.get(code, 0), trace.calls.levels.get(code, 0)
    is_recursive = ("recursive", code) in trace.decisions
    trace.calls.depths[code], trace.calls.levels[code] = depth + 1, len(trace.regions)
    trace.calls.frames[frame], trace.calls.innermost = (), 0
    around, trace.calls.for_c = trace.calls.for_c, None
    try:
        if not is_packed and (is_recursive or trace.follows((RECURSION, code))):
            result = call_recursive(trace, fn, target, args, kwargs)
        else:
            result = NO_UNIT if depth or around or is_packed else call_unit(trace, fn, target, args, kwargs)
        if result is not NO_UNIT:
            return result
        if (is_packed or not is_recursive) and depth >= MAX_DEPTH:
            too_deep(trace, fn)
        if not is_recursive and depth and len(trace.regions) > level:
            branch_out(trace, fn)
        trace.calls.frames[frame], trace.calls.innermost = UNKNOWN, 0
        if depth and is_recursive and not is_packed:
            return call_again(trace, fn, args, kwargs)
        block, before = trace.block, len(trace.block.operations)
        trace.calls.entered += 1
        result = target(*args, **kwargs) if depth or is_packed else call_in_place(trace, fn, target, args, kwargs)
        if not is_recursive and not is_packed:
            note_body(trace, fn, block, before)
        return result
    finally:
        trace.calls.for_c, trace.calls.innermost = around, 0
        del trace.calls.frames[frame]
        trace.calls.depths[code], trace.calls.levels[code] = depth, level


@acts_for_program
def native(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of a library: on stand-ins if it is only structural, in Python when the compiled function runs otherwise."""
    opaque = (isinstance(fn, type) or getattr(fn, "__module__", None) == "dataclasses") and any(map(is_of_the_run, args))
    is_callers_method = fn is np.vectorize and any(not is_users(arg) and is_reached(getattr(arg, "__self__", None)) for arg in args)
    calls_users = any(map(asks_the_run if isinstance(fn, type) and not is_one_of(fn, ITERATORS) else is_users, (*args, *kwargs.values())))
    is_open = depends_on_run((args, kwargs)) or any(map(is_callers_instance, (*args, *kwargs.values())))
    moves = not opaque and (is_one_of(fn, STRUCTURAL) or is_structural(fn))
    if not is_callers_method and (moves or not (is_open or calls_users) and is_pure(fn)):
        if calls_users and is_one_of(fn, ITERATORS):
            return fn(*map(staged_callable, args), **{name: staged_callable(arg) for name, arg in kwargs.items()})
        result = fn(*args, **kwargs)
        if not is_mutable(result):
            return result
    give(active(), fn, args, kwargs)
    kind = fn if isinstance(fn, type) else None
    label = getattr(fn, "__name__", type(fn).__name__)
    run = fn if kind is not None else of_plain_numbers(fn)
    hosted = host_object if isinstance(fn, type) else host_calling_back
    return hosted(run, *args, label=label, python_type=made_type(kind), **kwargs)


def staged_callable(x: Any) -> Any:
    """What is called of the user's as a function that is converted, and called in the trace; anything else as it is."""
    return (lambda *args: call(x, args, None)) if is_users(x) or is_callers_instance(x) and callable(x) else x


BUILTINS[object.__setattr__], BUILTINS[object.__delattr__] = store_attribute, drop_attribute
BUILTINS[type.__call__] = construct_as_type
