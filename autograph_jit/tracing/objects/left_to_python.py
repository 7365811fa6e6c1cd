"""Methods of the user's that Python runs with the program, of objects that only the run knows: what they set or read outside.

Before: `made = Account(k)`, where Python makes the object and its `__init__` adds to `Account.opened`; then `return Account.opened`
After:  the trace, which knows that attribute as an input, is refused; lists and instances that such a method names are Python's
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.aliasing.journal import AttributePlace, EntryPlace
from autograph_jit.tracing.aliasing.shared_objects import WITHOUT_ATTRIBUTES, note_shared
from autograph_jit.tracing.plain.calls import forwarded, is_library
from autograph_jit.tracing.structures.getters import Known
from autograph_jit.tracing.values.trace import Trace, active, user_span
from autograph_jit.tracing.values.trace_records import LeftToPython

CONSTRUCTORS = ("__new__", "__init__", "__post_init__")


def note_constructed(kind: type) -> None:
    """Python makes an instance when the program runs."""
    for name in CONSTRUCTORS:
        note_left(kind, getattr(kind, name, None))


def note_left(kind: type | None, method: Any) -> None:
    """Python calls a method of a class of the user's, or gets a property, when the program runs."""
    waiting, seen = list(functions_in(method)), set[int]()
    for fn in waiting:
        if id(fn) not in seen:
            seen.add(id(fn))
            waiting += note_function(active(), kind, fn)


def note_function(trace: Trace, kind: type | None, fn: FunctionType) -> Iterator[FunctionType]:
    """What one function sets and reads; the functions that it may call."""
    left = trace.aliasing.left
    attributes_set, attributes_read, variables_set, variables_read = touched_by(fn.__code__)
    left.sets |= {name: (fn.__qualname__, user_span()) for name in attributes_set}
    left.reads |= {name: (fn.__qualname__, user_span()) for name in attributes_read}
    left.variables |= {name: (fn.__qualname__, user_span()) for name in variables_set}
    left.variables_read |= {name: (fn.__qualname__, user_span()) for name in variables_read}
    cells = [cell.cell_contents for cell in fn.__closure__ or () if cell_is_full(cell)]
    for x in (*(fn.__globals__.get(name) for name in variables_read), *cells):
        yield from functions_in(x)
        if isinstance(x, type):
            yield from (found for name in CONSTRUCTORS for found in functions_in(getattr(x, name, None)))
        elif not isinstance(x, WITHOUT_ATTRIBUTES) and trace.inputs is not None:
            known = trace.inputs.origins.get(id(x))
            note_shared(x, Known(x) if known is None else known[1])
    for name in attributes_read:
        for each in () if kind is None else kind.__mro__:  # `super()` asks those behind the first
            yield from functions_in(each.__dict__.get(name))


def note_attribute(name: str) -> None:
    """Python reads an attribute, which may be one of the class, of an object that only the run knows."""
    active().aliasing.left.of_objects.setdefault(name, user_span())


def functions_in(x: Any) -> Iterable[FunctionType]:
    """The user's functions that a method, a property or a function is."""
    parts = (x.fget,) if isinstance(x, property) else (getattr(x, "__func__", x),)
    plain = [forwarded(part) or part for part in parts]
    return [part for part in plain if isinstance(part, FunctionType) and not is_library(part)]


def cell_is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


@functools.cache
def touched_by(code: CodeType) -> tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str]]:
    """The attributes of anything but its first argument that a function sets, those that it reads, the globals that it sets, and reads."""
    found: tuple[set[str], ...] = set(), set(), set(), set()
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("EXTENDED_ARG", "CACHE")]
    for place, step in enumerate(steps):
        if step.opname in ("STORE_ATTR", "DELETE_ATTR") and not is_of_first(code, steps, place):
            found[0].add(step.argval)
        elif step.opname.startswith(("LOAD_ATTR", "LOAD_METHOD")):
            found[1].add(step.argval)
        elif step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            found[2].add(step.argval)
        elif step.opname == "LOAD_GLOBAL":
            found[3].add(step.argval)
    for inner in (const for const in code.co_consts if isinstance(const, CodeType)):
        for names, more in zip(found, touched_by(inner)):
            names |= more
    return frozenset(found[0]), frozenset(found[1]), frozenset(found[2]), frozenset(found[3])


def is_of_first(code: CodeType, steps: list[dis.Instruction], place: int) -> bool:
    """Whether an attribute that is set is one of the function's first argument, which is the object itself: by `=` or by `+=`."""
    if steps[place - 1].opname == "SWAP":
        name = steps[place].argval
        read = next((k for k in range(place - 1, 1, -1) if steps[k].opname.startswith("LOAD_ATTR") and steps[k].argval == name), 2)
        place = read - 1
    before = steps[place - 1]
    names = before.argval if isinstance(before.argval, tuple) else (before.argval,)
    return before.opname.startswith("LOAD_FAST") and code.co_argcount > 0 and names[-1] == code.co_varnames[0]


def expect_untouched(inputs: Any) -> None:
    """At the end of a trace: refuse_left it where Python sets what compiled code has read, or either sets what the other has."""
    left: LeftToPython = inputs.trace.aliasing.left
    if not (left.reads or left.sets or left.variables_read or left.of_objects):
        return
    for name in inputs.asked:
        refuse_left(left.sets.get(name), name)
    for name in inputs.asked_variables:
        refuse_left(left.variables.get(name), name)
    trace = inputs.trace
    for key, (place, before) in trace.journals[0].before.items():
        is_changed = place.read() is not trace.outside.opened.get(key, before)  # else what it held may be stored again
        if isinstance(place, AttributePlace) and isinstance(place.owner, type) and is_changed and place.name in left.of_objects:
            refuse_class(place, left.of_objects[place.name])
        if isinstance(place, AttributePlace) and isinstance(place.owner, (type, ModuleType)):
            refuse_left(left.sets.get(place.name) or is_changed and left.reads.get(place.name), place.name)
        elif isinstance(place, EntryPlace) and type(place.owner) is dict and "__builtins__" in place.owner:
            refuse_left(left.variables.get(place.name) or is_changed and left.variables_read.get(place.name), place.name)


def refuse_left(found: Any, name: str) -> None:
    """Say which method it is."""
    if found:
        what, why = f"`{found[0]}` runs in Python here, and has to do with `{name}`", "compiled code keeps that until it ends"
        raise ConversionError(what, found[1], why, "keep it in an attribute of the object itself, or return it")


def refuse_class(place: AttributePlace, span: Any) -> None:
    """Say which attribute of a class it is."""
    what = f"`{place.name}` is read from an object that only the run knows, and `{place.owner.__name__}.{place.name}` is set"
    raise ConversionError(what, span, "compiled code keeps that until it ends", "keep it in a variable, or read it from the class")
