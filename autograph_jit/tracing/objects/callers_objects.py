"""Objects of the caller's in the hands of Python code: it is given the object of each call, and what it makes of one is not known before.

A trace knows what it reads of such an object, attribute by attribute, under guard. Code that is not converted reads without being seen, so
it runs with the program; where it may change the object or keep it, the object is one of the run from the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, singledispatchmethod
from inspect import getattr_static
from types import BuiltinFunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any

from autograph_jit.tracing.aliasing.journal import AttributePlace
from autograph_jit.tracing.aliasing.shared_objects import WITHOUT_ATTRIBUTES, is_looked_into, items_of, leave_to_run, note_shared, reachable
from autograph_jit.tracing.objects.callers_rows import find_origin
from autograph_jit.tracing.plain.calls import forwarded
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.structures.getters import Applied, Attribute, Getter, Known
from autograph_jit.tracing.structures.guards import CONSTANT, MAX_ITEMS, has_own_content, is_always_true, is_constant
from autograph_jit.tracing.structures.templates import contains_staged, fields_of, is_user_instance
from autograph_jit.tracing.values.abstract import OfTheRun, StagedObject, Undefined
from autograph_jit.tracing.values.trace import Restart, Trace, active, current

HEAP_TYPE = 1 << 9  # of `__flags__`: a class that a `class` statement made, whose attributes may change


def is_open(x: Any, depth: int = 4) -> bool:
    """Whether a value is, or holds, an object of the caller's that may hold something else in a later call."""
    trace = current()
    if trace is None or trace.inputs is None or depth == 0 or isinstance(x, (OfTheRun, WITHOUT_ATTRIBUTES)):
        return False
    if isinstance(x, (list, dict, tuple)):
        return getattr(x, "dynamic", None) is None and holds_open(trace, x, depth)
    if has_own_content(x):
        return not is_constant((*x, *(x.values() if isinstance(x, Mapping) else ())))
    return trace.inputs.is_reached(x)


def is_callers_instance(x: Any) -> bool:
    """Whether a value is an instance of a user's class that the caller holds, and may change between calls."""
    return is_reached(x) and is_user_instance(x)


def is_reached(x: Any) -> bool:
    """Whether a value is an object that was found by way of the call's arguments or of variables."""
    trace = current()
    return trace is not None and trace.inputs is not None and trace.inputs.is_reached(x)


def is_of_the_run(x: Any) -> bool:
    """Whether an object, or a list or dict, exists only when the program runs."""
    return isinstance(x, StagedObject) or isinstance(x, Dynamic) and x.dynamic is not None


def depends_on_run(x: Any) -> bool:
    """Whether what Python makes of a value is known only when the program runs."""
    return contains_staged(x) or is_open(x)


def holds_open(trace: Trace, x: Any, depth: int) -> bool:
    """Whether a list, dict or tuple holds such an object. One of the caller's that holds constants alone is guarded as it is."""
    if not isinstance(x, (tuple, Dynamic)) and trace.inputs.is_reached(x):
        return not guard_constants(trace, x)
    return any(is_open(item, depth - 1) for item in items_of(x))


def guard_constants(trace: Trace, x: Any) -> bool:
    """Guard that a list or dict of the caller's holds what it held, where that is constants, and lists and dicts of them."""
    known, key = trace.inputs.origins.get(id(x)), ("constants", id(x))
    if key not in trace.inputs.reads:
        content = frozen(x)
        trace.inputs.reads[key] = x, content is not None
        if content is not None:
            getter, name = (Known(x), "a container") if known is None else known[1:]
            trace.inputs.guard(Applied(frozen, (getter,)), "value", content, f"{name} has the same content")
    return trace.inputs.reads[key][1]


def frozen(x: Any, depth: int = 4) -> tuple[Any, ...] | None:
    """The content of a list, dict or tuple of constants, at any depth, to compare; None where it holds anything else, or too much."""
    if type(x) not in (list, dict, tuple) or depth == 0 or len(x) > MAX_ITEMS:
        return None
    items = [*x, *x.values()] if type(x) is dict else x
    parts = [item if isinstance(item, CONSTANT) else frozen(item, depth - 1) for item in items]
    wrong = any(part is None and item is not None for part, item in zip(parts, items))
    return None if wrong else (type(x).__name__, *parts)


def object_of_call(x: Any) -> StagedObject | None:
    """The object that a later call has in the place of this one, as a parameter; None where the trace or a guard knows which it is."""
    trace = current()
    if trace is None or trace.inputs is None or isinstance(x, (OfTheRun, Dynamic, tuple, WITHOUT_ATTRIBUTES)):
        return None
    find_origin(trace.inputs, x)
    known = trace.inputs.origins.get(id(x))
    if known is None or known[0] is not x:
        return None
    key = "object of the call", id(x)
    if key not in trace.inputs.reads:
        expect_not_read_in(trace, x)
        note_shared(x, known[1])
        trace.inputs.reads[key] = trace.inputs.opaque(x, known[1], known[2])
    return trace.inputs.reads[key]


def expect_not_read_in(trace: Trace, x: Any) -> None:
    """Python is given an object of the caller's: a restart where compiled code has read in what its attributes hold, for all that Python
    can reach of it has to be as the program left it, and may be resized."""
    found = reachable(x)
    trace.inputs.given |= found.keys()
    decisions = [decision for content, staged, decision, _ in trace.inputs.read_in if {id(content), id(staged)} & found.keys()]
    if decisions:
        raise Restart(*decisions)


def object_itself(x: Any, method: Any) -> StagedObject:
    """An object whose method is called natively, as a parameter: that of the call, or the very object that the trace knows. Where the
    method was found as a function of a library's module, that is guarded."""
    trace = active()
    _, module, name = trace.definitions.library_names.get(id(method), (None, None, ""))
    key = "function", id(module), name
    if module is not None and key not in trace.inputs.reads:
        trace.inputs.reads[key] = method
        trace.inputs.guard(Attribute(Known(module), name), "is", method, f"{module.__name__}.{name} is what it was")
    found = object_of_call(x)
    if found is None:
        trace.inputs.origins[id(x)] = x, Known(x), type(x).__name__
        found = object_of_call(x)
        assert found is not None
    return found


def origin_of(inputs: Any, owner: Any) -> Any:
    """How an object is found again in a later call. An instance or class that was reached by a way that nobody sees is this very one."""
    find_origin(inputs, owner)
    known = inputs.origins.get(id(owner))
    if known is None and (isinstance(owner, type) or is_user_instance(owner)) and id(owner) not in inputs.trace.created:
        known = inputs.origins[id(owner)] = owner, Known(owner), (owner if isinstance(owner, type) else type(owner)).__name__
    return known


def method_made_anew(owner: Any, name: str, x: Any, getter: Getter) -> tuple[Any, Getter] | None:
    """What an attribute is made of that every access makes anew, a method of the object, and how that is found; None of any other one."""
    getter = Attribute(getter, name)
    if isinstance(x, (MethodType, BuiltinFunctionType, partial)) and getattr(x, "__self__", None) is owner:
        while isinstance(x, (MethodType, partial)):
            part = "func" if isinstance(x, partial) else "__func__"
            x, getter = getattr(x, part), Attribute(getter, part)
        return None if isinstance(owner, ModuleType) else (x, getter)
    static = getattr_static(type(owner), name, None)
    if isinstance(static, singledispatchmethod):
        dispatcher = Attribute(Applied(getattr_static, (Known(type(owner)), Known(name))), "dispatcher")
        return static.dispatcher.dispatch, Attribute(dispatcher, "dispatch")
    return None


def note_owner(inputs: Any, x: Any, getter: Getter, name: str) -> None:
    """The object of a method written in C comes from outside with it."""
    owner = x.__self__ if isinstance(x, (BuiltinFunctionType, MethodWrapperType)) else None
    if owner is not None and not isinstance(owner, (ModuleType, type)):
        inputs.origins.setdefault(id(owner), (owner, Attribute(getter, "__self__"), f"{name}.__self__"))


def note_library_name(trace: Trace, module: ModuleType, name: str, value: Any) -> None:
    """A function or object that a library's module holds is looked up there when the program runs."""
    if callable(value):
        trace.definitions.library_names[id(value)] = value, module, name
    elif trace.inputs is not None and not isinstance(value, WITHOUT_ATTRIBUTES):
        trace.inputs.origins.setdefault(id(value), (value, Attribute(Known(module), name), f"{module.__name__}.{name}"))


def guard_method(trace: Trace, kind: type, name: str, method: Any) -> None:
    """A class has a method, or a property, that Python looks up in it: an operator, a constructor, what a call of an instance calls."""
    key = "method", kind, name
    is_own = id(kind) in trace.created  # made anew by every trace, and given its methods as they were written when that ends
    if trace.inputs is not None and not is_own and key not in trace.inputs.reads:
        method = forwarded(method) or method
        trace.inputs.reads[key] = method
        trace.inputs.guard(Attribute(Known(kind), name), "is", method, f"{kind.__name__}.{name} is what it was")


def may_be_changed(kind: type) -> bool:
    """Whether a class is one of the user's, which may be given methods later."""
    return bool(kind.__flags__ & HEAP_TYPE) and not kind.__module__.startswith("autograph_jit.")


def guard_operator(kind: type, name: str) -> None:
    """A user's class is asked for an operator that it may have none of: one that it is given later is another program's."""
    trace = current()
    if trace is not None and may_be_changed(kind):
        guard_method(trace, kind, name, getattr(kind, name))


def guard_truth(kind: type) -> None:
    """Instances of a user's class are true, for it says nothing of that: a class that says it later is another program's."""
    trace, key = current(), ("truth", kind)
    if trace is None or trace.inputs is None or key in trace.inputs.reads or id(kind) in trace.created:
        return
    if may_be_changed(kind):
        trace.inputs.reads[key] = kind
        trace.inputs.guard(Applied(is_always_true, (Known(kind),)), "value", True, f"{kind.__name__} has neither __bool__ nor __len__")


def attributes_of(x: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """The dict of an instance: where it is the caller's, its names are guarded, and each item when it is read."""
    trace = current()
    if trace is None or trace.inputs is None:
        return fields
    known = trace.inputs.origins.get(id(x))
    if known is not None and known[0] is x:
        guard_names(x)
        trace.inputs.origins.setdefault(id(fields), (fields, Attribute(known[1], "__dict__"), f"{known[2]}.__dict__"))
    return fields


def names_of(x: Any) -> tuple[str, ...]:
    """The names of the attributes of an object, in their order."""
    return tuple(fields_of(x) or ())


def guard_names(x: Any) -> None:
    """All attributes of an object of the caller's are looked at: it has those that it had."""
    trace = current()
    if trace is None or trace.inputs is None:
        return
    known = trace.inputs.origins.get(id(x))
    if known is not None and known[0] is x:
        added = [place.name for place, before in trace.journals[0].before.values() if place.owner is x and isinstance(before, Undefined)]
        getter, names = known[1], tuple(name for name in names_of(x) if name not in added)
        trace.inputs.guard(Applied(names_of, (getter,)), "value", names, f"{known[2]} has attributes {list(names)}")


def changed_names(x: Any) -> list[str]:
    """The attributes of an object of the caller's, or of what `vars` gives of one, that the program sets: they reach it when it ends."""
    trace = current()
    if trace is None or not trace.journals:
        return []
    x = trace.definitions.instance_dicts[id(x)][1] if id(x) in trace.definitions.instance_dicts else x
    return [place.name for place, _ in trace.journals[0].before.values() if isinstance(place, AttributePlace) and place.owner is x]


def expect_unchanged(x: Any) -> None:
    """A value goes on as an object of Python's: where the program has set attributes of one of the caller's in it, that would be a copy,
    and belongs to the run instead."""
    trace, waiting, seen = active(), [x], set[int]()
    for each in waiting:
        if id(each) in seen or isinstance(each, (OfTheRun, WITHOUT_ATTRIBUTES)):
            continue
        seen.add(id(each))
        if is_user_instance(each):
            if changed_names(each) and is_looked_into(trace, each):
                leave_to_run(trace, [each])
            waiting += (fields_of(each) or {}).values()
        elif getattr(each, "dynamic", None) is None:
            waiting += items_of(each)
