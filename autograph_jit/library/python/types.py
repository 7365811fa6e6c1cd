"""Python's builtins about types, attributes and text of stand-ins: isinstance, type, callable, getattr, setattr, str, repr, print."""

from __future__ import annotations

import functools
import hashlib
import operator
import threading
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NoReturn

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.types import I64
from autograph_jit.library.numpy.tensors import class_of_array
from autograph_jit.tracing.aliasing.escapes import keep_one
from autograph_jit.tracing.aliasing.references import InstanceReference
from autograph_jit.tracing.arrays.explicit_methods import has_attribute as has_own_attribute
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.control.regions import Unreachable
from autograph_jit.tracing.expressions.access import delattr_, getattr_, setattr_
from autograph_jit.tracing.expressions.calls import BUILTINS
from autograph_jit.tracing.expressions.exception_attributes import as_known, is_exception_of, text_of_exception, with_cases
from autograph_jit.tracing.expressions.register import builtin, convert_on_call
from autograph_jit.tracing.functions.host_objects import give_object
from autograph_jit.tracing.hosting.exceptions import StagedException, object_of
from autograph_jit.tracing.hosting.host_calls import host_bool, host_effect, host_object, host_scalar
from autograph_jit.tracing.objects.callers_objects import depends_on_run, is_open
from autograph_jit.tracing.objects.instance_dicts import show_attributes
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.structures.choices import Chosen, is_mixed
from autograph_jit.tracing.structures.templates import contains_staged, fields_of, is_made_here, is_user_instance
from autograph_jit.tracing.texts.constants import expect_constant
from autograph_jit.tracing.texts.text import Text, as_object
from autograph_jit.tracing.values.abstract import (
    Maybe,
    OfTheRun,
    Staged,
    StagedArray,
    StagedObject,
    StagedScalar,
    TaggedScalar,
    Undecided,
    may_be_missing,
    may_be_none,
)
from autograph_jit.tracing.values.alternatives import distribute, of_each_case
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active, emit, user_span

SAME_IN_ALL_CALLS = (type, ModuleType, FunctionType, BuiltinFunctionType)
MOST_METHODS = 32  # of a class, of which data may name one


@builtin(id)
def staged_id(x: Any) -> Any:
    """The address of an object that is Python's in every call; instances, lists and dicts of the program become such objects."""
    if x is None or isinstance(x, SAME_IN_ALL_CALLS):
        return id(x)
    if isinstance(x, InstanceReference):
        x.table.give_up()
    if isinstance(x, (TracedList, TracedDict)):
        x = x.as_object().dynamic
    elif is_made_here(x):
        keep_one(x)
    if not isinstance(x, StagedObject) and not is_user_instance(x):
        why = "arrays, numbers, texts and what else compiled code has in its own form have no address"
        raise ConversionError("id() of a value of compiled code", user_span(), why, "compare with `is`, or number the objects yourself")
    return host_scalar(id, x, dtype=np.dtype(np.int64), weak=True, label="id")


@builtin(isinstance)
def staged_isinstance(x: Any, kinds: Any) -> Any:
    return of_each_case(kinds, lambda known: is_of_kinds(x, known)) if isinstance(kinds, (tuple, Undecided)) else is_of_kinds(x, kinds)


@acts_for_program
def is_of_kinds(x: Any, kinds: Any) -> Any:
    """`isinstance` of classes of which the run does not decide between a few."""
    if contains_staged((kinds,)):
        return host_bool(isinstance, object_of(x), kinds, label="isinstance")
    if isinstance(x, TaggedScalar):
        found = {issubclass(kind, kinds) for kind in x.python_types}
        return found.pop() if len(found) == 1 else distribute(x, lambda plain: issubclass(plain.python_type, kinds))
    if isinstance(x, Chosen) and len(types := list(filter(None, map(type_of, x.alternatives)))) == len(x.alternatives):
        return x.is_among([issubclass(kind, kinds) for kind in types])
    if isinstance(x, (Maybe, Chosen)):
        return distribute(x, lambda option: is_of_kinds(option, kinds))
    if isinstance(x, StagedException):
        isinstance(None, kinds)
        return is_exception_of(x, kinds)
    kind = type_of(x)
    if kind is not None:
        isinstance(None, kinds)  # the error of what is no type
        return issubclass(kind, kinds)
    return host_bool(isinstance, x, kinds, label="isinstance", pure=True)


def type_of(x: Any) -> type | None:
    """The type that a value has when it leaves, or None where only the run knows."""
    if isinstance(x, StagedScalar):
        return None if x.is_tagged else x.python_type
    if isinstance(x, StagedArray):
        return class_of_array(x)
    if isinstance(x, StagedObject):
        return x.python_type if x.python_type is not Exception else None
    if isinstance(x, StagedException):
        return type_of(x.__dict__["object"])
    if isinstance(x, Maybe):
        return None
    if isinstance(x, Chosen):
        types = {type_of(option) for option in x.alternatives}
        return types.pop() if len(types) == 1 else None
    return getattr(type(x), "__rebuilt_type__", type(x))


@builtin(type)
def staged_type(*args: Any, **kwargs: Any) -> Any:
    if len(args) != 1:
        return type(*args, **kwargs)
    if isinstance(args[0], StagedException) and (found := as_known(args[0])) is not None:
        return with_cases(found, lambda one, case: case.kind)
    kind = type_of(args[0])
    if kind is None and isinstance(args[0], Chosen) and None not in map(type_of, args[0].alternatives):
        return args[0].each(type_of)
    if may_be_none(args[0]) or is_mixed(args[0]) or isinstance(args[0], TaggedScalar):
        return distribute(args[0], staged_type)
    return kind if kind is not None else host_object(type, args[0], label="type", python_type=type)


def attribute_lister(function: Any) -> None:
    """`vars` or `dir` under another name, which call_in_frame does not see."""

    def listed(x: Any) -> Any:
        if isinstance(x, (Staged, Dynamic, Indexed)):
            return host_object(function, x, label=function.__name__)
        show_attributes(x)
        if is_open(x) and fields_of(x) is not None:
            return getattr_(x, "__dict__") if function is vars else host_object(function, x, label="dir", python_type=list)
        return function(x)

    BUILTINS[function] = listed


for _lister in (vars, dir):
    attribute_lister(_lister)


def made_by_python(function: Any) -> None:
    """A function that makes an object which changes: every run makes its own."""

    def made(*args: Any, **kwargs: Any) -> Any:
        return host_object(function, *args, label=function.__name__, **kwargs)

    BUILTINS[function] = made


for _maker in (open, threading.Lock, threading.RLock, hashlib.md5, hashlib.sha1, hashlib.sha256, hashlib.sha512, hashlib.new):
    made_by_python(_maker)


@builtin(print)
def staged_print(*args: Any, **kwargs: Any) -> None:
    host_effect(print, *args, label="print", **kwargs)


def text_function(function: Any, name: str) -> None:
    def rule(x: Any = "", *args: Any) -> Any:
        if isinstance(x, StagedException):
            found = text_of_exception(function, x) if function in (str, repr) and not args else NotImplemented
            if found is not NotImplemented:
                return found
            x = object_of(x)
        if depends_on_run((x, args)):
            return host_object(function, x, *args, label=name, python_type=str, pure=isinstance(x, StagedScalar))
        return function(x, *args)

    BUILTINS[function] = rule


def texts_of(value: Value) -> set[str] | None:
    """The texts of which the run takes one, where each is known, by the code points of that; None where only the run knows them."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.name not in ("constant", "array_constant", "cond"):
        return None
    if owner.name != "cond":
        return {"".join(map(chr, np.ravel(owner.attributes["value"])))}
    sides = [texts_of(region.yields[owner.results.index(value)]) for region in owner.regions if not region.terminated]
    return None if None in sides else set().union(*filter(None, sides))


def by_name(use: Callable[..., Any]) -> Callable[..., Any]:
    """A function of an object and the name of an attribute: of one of a few names, in a branch for each."""

    @functools.wraps(use)
    def run(obj: Any, name: Any, *rest: Any) -> Any:
        if not isinstance(name, Text) or isinstance(obj, StagedObject):
            return use(obj, name, *rest)
        if names := texts_of(name.held.value):
            first, *others = sorted(names)
            return among(name, others, lambda known: use(obj, known, *rest), lambda: use(obj, first, *rest))
        if names := set() if rest else methods_of(obj):
            return among(name, sorted(names), lambda known: use(obj, known), lambda: refuse_name(name))
        return use(obj, name, *rest)

    return run


def among(x: Any, known: list[Any], use: Callable[[Any], Any], otherwise: Callable[[], Any]) -> Any:
    """`use` of the one of known values that a value of the run equals; what `otherwise` gives where it equals none."""
    if not known:
        return otherwise()
    first, *others = known
    return language.if_exp(language.compare("==", x, first), lambda: use(first), lambda: among(x, others, use, otherwise))


def methods_of(obj: Any) -> set[str]:
    """The names of methods that data may well ask an instance for: those written for it that are not under way and are not Python's own."""
    trace = active()
    kind: Any = obj.instance_class if isinstance(obj, InstanceReference) else type(obj)
    is_caught = trace.handling.tries or any(region.kind == "function" for region in trace.regions)
    if not (isinstance(obj, InstanceReference) or is_user_instance(obj)) or is_caught or hasattr(kind, "__getattr__"):
        return set()
    found = {name: value for base in reversed(kind.__mro__[:-1]) for name, value in vars(base).items() if name[:2] != "__"}
    functions = {name: getattr(value, "__func__", value) for name, value in found.items()}
    methods = {name for name, fn in functions.items() if isinstance(fn, FunctionType) and not trace.calls.depths.get(fn.__code__)}
    return methods if len(methods) <= MOST_METHODS and kind.__getattribute__ is object.__getattribute__ else set()


def refuse_name(name: Any) -> NoReturn:
    """The run asks for another attribute: the call goes on in Python."""

    def refusal(found: str) -> ConversionError:
        why = "data name it, and compiled code looks for methods that were not under way"
        return ConversionError(f"the attribute `{found}` is asked for by its name", None, why, "write the name")

    emit("raise_", host_object(refusal, name, label="raise ConversionError", pure=True, fails=False).value, error=None)
    raise Unreachable


@builtin(getattr)
@by_name
def staged_getattr(obj: Any, name: Any, *default: Any) -> Any:
    expect_constant(name)
    name = as_object(name) if isinstance(name, Text) else name
    if isinstance(name, StagedObject):
        give_object(active(), obj)  # it may be any method, and change what the trace knows
        return host_object(getattr, obj, name, *default, label="getattr")
    if isinstance(obj, Undecided) and not may_be_missing(obj):
        return distribute(obj, lambda case: staged_getattr(case, name, *default))
    if default and isinstance(obj, (StagedObject, StagedException)) and not hasattr(type_of(obj) or object, name):
        return host_object(getattr, object_of(obj), name, default[0], label="getattr")
    if default and (computes_attributes(obj) or may_lack(obj, name)):
        return attribute_or(obj, name, default[0])
    if default:
        try:
            return getattr_(obj, name)
        except AttributeError:
            return default[0]
    return getattr_(obj, name)


@builtin(hasattr)
def staged_hasattr(obj: Any, name: str) -> Any:
    """Of arrays and numbers their type tells. It is not asked when the program runs: there a number that is differentiated is in a box."""
    if isinstance(obj, Undecided) and not may_be_missing(obj):
        return distribute(obj, lambda case: staged_hasattr(case, name))
    if isinstance(obj, StagedArray):
        return has_own_attribute(np.ndarray, name)
    if isinstance(obj, StagedScalar):
        return has_own_attribute(obj.python_type, name)
    if isinstance(obj, StagedObject):
        return host_bool(hasattr, obj, name, label="hasattr", pure=True)
    if computes_attributes(obj) or may_lack(obj, name):
        return has_attribute(obj, name)
    trace = active()
    if trace.inputs is not None and fields_of(obj) is not None and id(obj) not in trace.created and not isinstance(obj, (ModuleType, type)):
        trace.inputs.attribute_presence(obj, name)
    return hasattr(obj, name)


def computes_attributes(obj: Any) -> bool:
    """Whether the class of an object computes attributes that it does not have."""
    return isinstance(getattr(type(obj), "__getattr__", None), FunctionType) and not isinstance(obj, (OfTheRun, Chosen))


def may_lack(obj: Any, name: str) -> bool:
    """Whether only some ways through the program set an attribute of an instance."""
    value = (fields_of(obj) or {}).get(name) if not isinstance(obj, (OfTheRun, Chosen)) else None
    return may_be_missing(value)


@convert_on_call
def attribute_or(obj: Any, name: str, default: Any) -> Any:
    """`getattr(obj, name, default)` where only the run knows."""
    try:
        return getattr(obj, name)
    except AttributeError:
        return default


@convert_on_call
def has_attribute(obj: Any, name: str) -> bool:
    """`hasattr(obj, name)` where only the run knows."""
    try:
        getattr(obj, name)
    except AttributeError:
        return False
    return True


@builtin(setattr)
@by_name
def staged_setattr(obj: Any, name: str, value: Any) -> None:
    setattr_(obj, name, value)


@builtin(delattr)
def staged_delattr(obj: Any, name: str) -> None:
    delattr_(obj, name)


@builtin(callable)
def staged_callable(x: Any) -> Any:
    if isinstance(x, (Maybe, Chosen)):
        return distribute(x, staged_callable)
    if isinstance(x, StagedObject):
        kind = type_of(x)
        return has_own_attribute(kind, "__call__") if kind is not None else host_bool(callable, x, label="callable", pure=True, fails=False)
    return callable(x) and not isinstance(x, (StagedArray, StagedScalar))


def unbox_index(x: StagedObject) -> StagedScalar:
    """An opaque object used as an index."""
    return host_scalar(operator.index, x, dtype=I64.dtype, weak=True, label="index", pure=True)


@builtin(super)
def staged_super(*args: Any) -> Any:
    """`super(kind, obj)`; of an object of the run it is one itself."""
    return host_object(super, *args, label="super") if any(isinstance(arg, StagedObject) for arg in args) else super(*args)


for _function, _name in ((str, "str"), (repr, "repr"), (format, "format"), (chr, "chr"), (bin, "bin"), (hex, "hex"), (oct, "oct")):
    text_function(_function, _name)
