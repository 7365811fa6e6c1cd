"""Attributes, subscripts and unpacking in converted code."""

from __future__ import annotations

import enum
import functools
import operator
import sys
import types
from collections import deque
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ops.dispatch import Boxed, expect_convertible
from autograph_jit.tracing.aliasing.escapes import note_changed
from autograph_jit.tracing.aliasing.journal import AttributePlace, is_as_found, is_written, write
from autograph_jit.tracing.aliasing.references import InstanceReference, chosen_method
from autograph_jit.tracing.containers.buffers import ViewedObject
from autograph_jit.tracing.containers.entries import is_of_run
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.outside import contents_of, form_of, is_container, note_lookup, note_read, note_write, sequence_of_run
from autograph_jit.tracing.containers.text_keys import entry_of_run
from autograph_jit.tracing.containers.tuples import as_run_time_tuple
from autograph_jit.tracing.expressions.chosen_arguments import is_taken_by_cases, method_of_row
from autograph_jit.tracing.expressions.exception_attributes import attribute_of_exception
from autograph_jit.tracing.expressions.library_containers import is_made_here
from autograph_jit.tracing.expressions.number_errors import NO_INDICES, expect_index, refuse_attribute, refuse_change
from autograph_jit.tracing.expressions.picking import item_of_number, pick
from autograph_jit.tracing.expressions.text_entries import is_by_text, with_text
from autograph_jit.tracing.hosting.exceptions import StagedException, object_of
from autograph_jit.tracing.hosting.host_calls import host_effect, host_object
from autograph_jit.tracing.hosting.purity import is_foreign
from autograph_jit.tracing.objects.callers_objects import attributes_of, guard_method, note_library_name
from autograph_jit.tracing.objects.descriptors import accessor, class_attribute, is_computed, is_of_class
from autograph_jit.tracing.objects.instance_dicts import change_attributes, is_instance_dict, show_attributes
from autograph_jit.tracing.objects.linked import expect_no_chain
from autograph_jit.tracing.plain.calls import is_library_module
from autograph_jit.tracing.sequences.dynamic import Dynamic, Rowed, is_place_of_run, position
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.sequences.ranges import StagedRange
from autograph_jit.tracing.structures.choices import Chosen, in_each_choice
from autograph_jit.tracing.structures.demands import write_out_short
from autograph_jit.tracing.structures.getters import Known
from autograph_jit.tracing.structures.guards import has_own_content
from autograph_jit.tracing.structures.templates import contains_staged, fields_of
from autograph_jit.tracing.texts.constants import expect_constant, expect_data, is_data_method
from autograph_jit.tracing.texts.text import Text, as_object, known_text
from autograph_jit.tracing.values.abstract import (
    Maybe,
    OfTheRun,
    Staged,
    StagedArray,
    StagedObject,
    StagedScalar,
    TaggedScalar,
    Undefined,
    check,
    content_of,
    is_staged,
    may_be_missing,
)
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.checks import with_numbers
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import element, lift_array
from autograph_jit.tracing.values.trace import Trace, active, current, user_span

MEMBER_FOUND = 4 if sys.version_info < (3, 12) else 0  # calls that take Python as long as to find a member of an enumeration in its class


def getattr_(obj: Any, name: str) -> Any:
    """`obj.name`."""
    trace = current()
    if trace is None:
        return getattr(obj, name)
    obj = form_of(obj)
    if name == "__class__" and isinstance(obj, (Dynamic, Staged, Indexed, InstanceReference)):
        return language.call(type, (obj,), None)
    if isinstance(obj, Dynamic):
        return container_attribute(obj, name)
    if isinstance(obj, (OfTheRun, StagedException)):
        return staged_attribute(obj, name)
    if isinstance(obj, Chosen):
        return chosen_method(obj, name) or method_of_row(obj, name, getattr_) or distribute(obj, lambda option: getattr_(option, name))
    if isinstance(obj, InstanceReference):
        return obj.table.attribute(obj, name)
    if is_data_method(name):
        expect_data(obj)
    if isinstance(obj, Indexed) and not hasattr(getattr(type(obj), "__rebuilt_type__", obj), name):
        raise AttributeError(f"'{type(obj).__name__}' object has no attribute '{name}'", name=name)
    if isinstance(obj, Indexed) and name in obj.covered_names:
        return obj.attribute_of_object(name)  # type: ignore[attr-defined]
    found = accessor(obj, name, "__get__")
    if found is not None:
        if isinstance(class_attribute(obj, name), (property, functools.cached_property)) and not isinstance(obj, super):
            guard_method(trace, type(obj), name, class_attribute(obj, name))
        return language.call(*found, None)
    if is_of_class(trace, obj, name):
        return getattr_(type(obj), name)
    try:
        value = getattr(obj, name)
    except AttributeError:
        if trace.inputs is not None and id(obj) not in trace.created:
            trace.inputs.attribute_presence(obj, name)
        raise
    trace.calls.entered += MEMBER_FOUND if isinstance(value, enum.Enum) and isinstance(obj, type) else 0
    if trace.inputs is not None and (isinstance(obj, (type, types.ModuleType)) or name not in (fields_of(obj) or (name,))):
        trace.inputs.asked.add(name)  # of a class, which methods that Python runs may set
    if name == "__dict__":
        show_attributes(obj)
        if type(value) is dict:
            return attributes_of(obj, value)
    if may_be_missing(value):
        return attribute_or_default(obj, name, value)
    if (
        isinstance(value, (Staged, Dynamic))
        or trace.inputs is None
        or (isinstance(obj, np.ndarray) or is_library_module(obj))
        and not (isinstance(value, (np.ndarray, list, dict)) or has_own_content(value) or is_foreign(value))
    ):
        if is_library_module(obj):
            note_library_name(trace, obj, name, value)
        return trace.inputs.found_inside(value) if trace.inputs is not None and is_container(value) else value
    if is_library_module(obj):
        trace.inputs.origins.setdefault(id(obj), (obj, Known(obj), obj.__name__))
    elif is_of_program(trace, AttributePlace(holder_of(obj, name), name)):
        return value
    expect_no_chain(trace.inputs, obj, value)
    return trace.inputs.attribute(obj, name, value)


ASKED_BY: dict[str, Any] = {"__len__": len, "__iter__": iter, "__reversed__": reversed, "__str__": str, "__repr__": repr}


def container_attribute(obj: Dynamic, name: str) -> Any:
    """A method of a list or dict."""
    if not hasattr(obj.__rebuilt_type__, name):  # type: ignore[attr-defined]
        raise AttributeError(text_with_stand_ins(getattr, obj, name), name=name)
    builtin = ASKED_BY.get(name)
    return getattr(obj, name) if builtin is None else lambda: language.call(builtin, (obj,), None)


def attribute_or_default(obj: Any, name: str, value: Maybe) -> Any:
    """An attribute that some way through the program has not set on the instance: there, it is the class's, or missing."""
    if isinstance(obj, type):
        missing = f"type object '{obj.__name__}' has no attribute '{name}'"
        base = next((kind for kind in obj.__mro__[1:] if name in kind.__dict__), None)
        if base is not None:
            return language.if_exp(value.present, lambda: value.content, lambda: getattr_(base, name))
    else:
        missing = f"'{type(obj).__name__}' object has no attribute '{name}'"
    if any(name in kind.__dict__ for kind in type(obj).__mro__):
        return language.if_exp(value.present, lambda: value.content, lambda: getattr_(type(obj), name))
    method = getattr(type(obj), "__getattr__", None)
    if isinstance(method, types.FunctionType):
        return language.if_exp(value.present, lambda: value.content, lambda: language.call(method, (obj, name), None))
    check(value.present.value, AttributeError, missing)
    return value.content


def staged_attribute(obj: Any, name: str) -> Any:
    """An attribute of a stand-in: never one of the stand-in itself."""
    if isinstance(obj, Maybe):
        return getattr_(content_of(obj, AttributeError, f"'NoneType' object has no attribute '{name}'"), name)
    if isinstance(obj, StagedException):
        found = attribute_of_exception(obj, name)
        return staged_attribute(object_of(obj), name) if found is NotImplemented else found
    if isinstance(obj, TaggedScalar) and name != "dtype":
        return tagged_attribute(obj, name)
    if isinstance(obj, (StagedArray, StagedScalar)):
        return attribute_of_number(obj, name)
    return language.attribute(obj, name)


def is_of_program(trace: Trace, place: AttributePlace) -> bool:
    """Whether the program has put there what an attribute holds."""
    return is_written(trace, place) and not is_as_found(trace, place)


def holder_of(obj: Any, name: str) -> Any:
    """What holds an attribute of an object: itself, or a class."""
    if not isinstance(obj, type) and name in (fields_of(obj) or (name,)):
        return obj
    classes: Any = obj.__mro__ if isinstance(obj, type) else type(obj).__mro__
    return next((kind for kind in classes if name in vars(kind)), obj)


def attribute_of_number(x: StagedArray | StagedScalar, name: str) -> Any:
    """An attribute of an array or number; a special method without a form is refused, for the program may expect that there is none."""
    try:
        if name in ("dtype", "ndim"):
            return getattr(x, name)
        return language.attribute(x, name)
    except AttributeError:
        if name.startswith("__") and language.call(hasattr, (x, name), None):
            what, why = f"the method `{name}` of an array or number", "it has no form in compiled code"
            raise ConversionError(what, user_span(), why, "write the operator or function that calls it") from None
        raise


def tagged_attribute(x: TaggedScalar, name: str) -> Any:
    """An attribute of a number whose type the path decides: a method is one of each type when it is called."""
    if any(hasattr(kind, name) for kind in x.python_types) and all(callable(getattr(kind, name, int)) for kind in x.python_types):
        return lambda *args, **kwargs: distribute(x, lambda plain: staged_attribute(plain, name)(*args, **kwargs))
    return distribute(x, lambda plain: staged_attribute(plain, name))


@in_each_choice
def setattr_(obj: Any, name: str, value: Any) -> None:
    """`obj.name = value`."""
    obj = object_of(obj)
    if isinstance(obj, StagedArray):
        language.set_attribute(obj, name, value)
        return
    if isinstance(obj, StagedObject):
        note_changed(obj.python_type)
        host_effect(setattr, obj, name, value, label=f"assignment of attribute {name}")
        return
    if current() is None:
        setattr(obj, name, value)
        return
    if isinstance(obj, InstanceReference):
        obj.table.set_attribute(obj, name, value)
        return
    if isinstance(obj, (Staged, Dynamic)) and not isinstance(obj, Maybe):
        refuse_attribute(obj, setattr, name, value)
    if isinstance(obj, Maybe):
        setattr_(content_of(obj, AttributeError, f"'NoneType' object has no attribute '{name}'"), name, value)
        return
    expect_no_copy(obj, name)
    found = accessor(obj, name, "__set__")
    if found is not None:
        language.call(found[0], (*found[1], value), None)
    elif is_computed(obj, name) or has_own(type(obj), "__setattr__") and not isinstance(obj, (type, types.ModuleType)):
        setattr(obj, name, value)
    else:
        write(AttributePlace(obj, name), value)


def expect_no_copy(obj: Any, name: str) -> None:
    """Refuse to give a named tuple or a partial of the caller's an attribute: the program has its parts."""
    trace = active()
    is_tuple = isinstance(obj, tuple) and type(obj).__dictoffset__ and id(obj) not in trace.created
    if is_tuple or trace.inputs is not None and ("partial", id(obj)) in trace.inputs.reads:
        what, why = f"the attribute {name} of a {type(obj).__name__} of the caller's is set", "it is read part by part"
        raise ConversionError(what, user_span(), why, "pass a dataclass or an instance of a class instead")


def has_own(kind: Any, method: str) -> bool:
    """Whether a class defines how its attributes are set, or deleted."""
    return not any(getattr(kind, method) is getattr(base, method) for base in (object, types.SimpleNamespace))


def store_attribute(obj: Any, name: str, value: Any) -> None:
    """`object.__setattr__(obj, name, value)`: the class's own `__setattr__` is not asked."""
    if isinstance(obj, InstanceReference):
        obj.table.store(obj, name, value)
    elif current() is None or isinstance(obj, (OfTheRun, Dynamic, Chosen)) or is_computed(obj, name):
        setattr_(obj, name, value)
    else:
        write(AttributePlace(obj, name), value)


def drop_attribute(obj: Any, name: str) -> None:
    """`object.__delattr__(obj, name)`."""
    if isinstance(obj, InstanceReference):
        obj.table.give_up()
    getattr_(obj, name)
    write(AttributePlace(obj, name), Undefined(name))


@in_each_choice
def delattr_(obj: Any, name: str) -> None:
    """`del obj.name`."""
    if current() is None:
        delattr(obj, name)
        return
    obj = object_of(obj)
    if isinstance(obj, StagedObject):
        note_changed(obj.python_type)
        host_effect(delattr, obj, name, label=f"deletion of attribute {name}")
        return
    if isinstance(obj, (Staged, Dynamic)) and not isinstance(obj, Maybe):
        refuse_attribute(obj, delattr, name)
    found = accessor(obj, name, "__delete__")
    if found is not None:
        language.call(*found, None)
    elif is_computed(obj, name) or has_own(type(obj), "__delattr__") and not isinstance(obj, (type, types.ModuleType)):
        delattr(obj, name)
    else:
        drop_attribute(obj, name)


def getitem(obj: Any, key: Any) -> Any:
    """`obj[key]`."""
    if current() is None:
        return obj[key]
    obj = content_of(obj, TypeError, "'NoneType' object is not subscriptable")
    if isinstance(obj, Chosen):
        return distribute(obj, lambda option: getitem(option, key))
    if is_taken_by_cases(obj, key):
        return distribute(key, lambda option: getitem(obj, option))
    return item_at_key(form_of(obj), key)


def text_looked_at(text: str | bytes, key: Any) -> Any:
    """A text of which an item or a slice is looked at: one of the run where only that knows the place."""
    expect_data(text)
    if not contains_staged(key):
        return text
    write_out_short(getattr(key, "size", None))
    return known_text(text)


@acts_for_program
def item_at_key(obj: Any, key: Any) -> Any:
    """The same of one object and one key."""
    trace = active()
    method = getattr(type(obj), "__getitem__", None)
    if isinstance(method, types.FunctionType) and not isinstance(obj, (Staged, Dynamic, Indexed)):
        return language.call(method, (obj, key), None)
    if not isinstance(obj, dict):
        key = with_numbers(key)
    if isinstance(obj, np.ndarray):
        return language.getitem(lift_array(obj), key)
    if isinstance(obj, (str, bytes)):
        obj = text_looked_at(obj, key)
    elif isinstance(obj, dict) and (isinstance(key, Text) or type(obj) is dict and is_of_run(key)):
        if (entry := entry_of_run(obj, key)) is not NotImplemented:
            return entry
        key = as_object(key)
    if isinstance(key, (StagedScalar, StagedArray, Text, *NO_INDICES)) and isinstance(obj, (tuple, str, list, range)):
        key = element(key) if isinstance(key, StagedArray) and key.ndim == 0 else key
        expect_index(key, obj)
    if isinstance(obj, range) and contains_staged(key):
        return StagedRange.of(obj)[key]
    if isinstance(obj, StagedScalar):
        return item_of_number(obj, key)
    if isinstance(obj, TracedList) and isinstance(key, StagedScalar) and obj.holds_functions():
        return pick(list.copy(obj), key)
    if isinstance(obj, (Staged, Dynamic, Indexed)):
        return obj[key]  # type: ignore[index]
    if (found := sequence_of_run(obj, key)) is not None:
        return item_at_key(found, key)
    note_lookup(obj, key)
    if isinstance(obj, (str, bytes)) and isinstance(key, slice) and any(isinstance(bound, StagedObject) for bound in bounds_of(key)):
        return host_object(operator.getitem, obj, key, label="slice", python_type=type(obj), pure=True)
    if type(obj) is tuple and isinstance(key, slice) and is_place_of_run(key) and (made := as_run_time_tuple(obj)) is not None:
        return made.item(key) if obj else obj
    if isinstance(obj, tuple) and isinstance(key, slice):
        key = position(key)
    if isinstance(obj, (tuple, str, list)) and isinstance(key, (StagedScalar, StagedObject, Maybe)):
        if id(obj) in trace.outside.made:
            is_made_here(obj, (key,), False)
        return pick(contents_of(obj), key)
    if type(obj) is deque and is_staged(key):
        is_made_here(obj, (key,), False)
    if isinstance(obj, dict) and is_made_here(obj, (key,), hasattr(obj, "default_factory")):
        factory = getattr(obj, "default_factory", None)
        if factory is not None and key not in obj:
            obj[key] = language.call(factory, (), None)
        return obj[key]
    if isinstance(obj, dict) and is_of_run(key):
        return host_object(operator.getitem, obj, key, label="dict item")
    note_read(obj)
    if type(obj) is list and isinstance(key, slice) and trace.inputs is not None and trace.inputs.is_reached(obj):
        return TracedList.made(list(contents_of(obj))[key])  # another list each time
    value = obj[key]
    return (
        trace.inputs.item(obj, key, value)
        if trace.inputs is not None and not isinstance(value, Staged) and isinstance(obj, (list, dict))
        else value
    )


def bounds_of(part: slice) -> tuple[Any, Any, Any]:
    return part.start, part.stop, part.step


def setitem(obj: Any, key: Any, value: Any) -> None:
    """`obj[key] = value`; a Tensor that a tape records does not become an element of a plain array, which would be a constant."""
    if current() is None:
        if isinstance(value, Boxed) and isinstance(obj, np.ndarray):
            expect_convertible(value)
        obj[key] = value
        return
    obj = content_of(obj, TypeError, "'NoneType' object does not support item assignment")
    if isinstance(obj, Chosen):
        return distribute(obj, lambda option: setitem(option, key, value))  # type: ignore[no-any-return]
    if is_by_text(obj, key):
        return with_text(key, lambda text: setitem(obj, text, value))  # type: ignore[no-any-return]
    if is_taken_by_cases(obj, key, is_set=True):
        return distribute(key, lambda option: setitem(obj, option, value))  # type: ignore[no-any-return]
    obj = form_of(obj)
    if is_instance_dict(obj):
        expect_constant(key)
    key = key if isinstance(obj, Rowed) else as_object(key)
    if isinstance(obj, np.ndarray):
        language.setitem(lift_array(obj), key, value)
    elif isinstance(obj, StagedScalar):
        refuse_change(obj, operator.setitem, 0, 0)
    elif isinstance(obj, (Staged, Dynamic, ViewedObject)):
        if isinstance(obj, list) and isinstance(key, (StagedScalar, Text, *NO_INDICES)):
            expect_index(key, obj)
        obj[key] = value  # type: ignore[index]
    elif is_instance_dict(obj) and isinstance(key, str):
        change_attributes(obj, "__setitem__", key, value)
    elif is_container(obj):
        change_item(operator.setitem, obj, key, value)
    elif isinstance(getattr(type(obj), "__setitem__", None), types.FunctionType):
        language.call(type(obj).__setitem__, (obj, key, value), None)
    else:
        obj[key] = value


@acts_for_program
def change_item(change: Any, obj: Any, *args: Any) -> None:
    """Set or delete an item of a real container: of the program's own while tracing, of the caller's when the program runs."""
    if is_made_here(obj, args[:1], True):
        change(obj, *args)
    else:
        note_write(obj)
        host_effect(change, obj, *args, label=f"{change.__name__} of an outer container")


@in_each_choice
def delitem(obj: Any, key: Any) -> None:
    """`del obj[key]`."""
    obj = form_of(obj)
    if isinstance(obj, StagedObject):
        host_effect(operator.delitem, obj, key, label="del item")
    elif isinstance(obj, StagedArray):
        raise ValueError(text_with_stand_ins(operator.delitem, obj, 0))
    elif isinstance(obj, StagedScalar):
        refuse_change(obj, operator.delitem, 0)
    elif is_instance_dict(obj):
        change_attributes(obj, "__delitem__", key)
    elif is_container(obj) and current() is not None:
        change_item(operator.delitem, obj, key)
    elif current() is not None and isinstance(getattr(type(obj), "__delitem__", None), types.FunctionType):
        language.call(type(obj).__delitem__, (obj, key), None)
    else:
        del obj[key]
