"""Guards that inputs are different objects: no list, dict or set is read in under two names, each is a copy of its own in the run."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from autograph_jit.tracing.aliasing.shared_objects import guard_apart
from autograph_jit.tracing.containers.copied_rows import WrittenRows
from autograph_jit.tracing.inputs.containers import key_of
from autograph_jit.tracing.objects.callers_objects import changed_names, frozen
from autograph_jit.tracing.objects.left_to_python import expect_untouched
from autograph_jit.tracing.structures.getters import Applied, Getter
from autograph_jit.tracing.structures.guards import (
    are_apart,
    are_others,
    content_of,
    has_none_of,
    holds_none_of,
    is_none_of,
    rows_held,
    share_no_list,
)
from autograph_jit.tracing.values.trace import Restart
from autograph_jit.tracing.values.types import PYTHON_OBJECT, ListOf, TableOf


def keep_apart(inputs: Any) -> None:
    """Guard that inputs which are different objects in the trace are so in the call: `is`, overlap and changes depend on it."""
    keep_lists_apart(inputs)
    keep_contents(inputs)
    guard_apart(inputs)
    expect_untouched(inputs)
    if inputs.instances is not None:
        inputs.instances.guard()
    arrays = [getter for _, _, getter in inputs.arrays.values()]
    if len(arrays) > 1:
        inputs.guard(Applied(are_apart, tuple(arrays)), "apart", tuple(arrays), "the arrays are different objects")
    by_type: dict[type, list[Getter]] = {}
    for x, getter, _ in inputs.identities.values():
        by_type.setdefault(type(x), []).append(getter)
    for kind, getters in by_type.items():
        if len(getters) > 1:
            text = f"the objects of type {kind.__name__} are different ones"
            inputs.guard(Applied(are_apart, tuple(getters)), "apart", tuple(getters), text)


def note_whole(inputs: Any, x: Any) -> None:
    """A list or dict is used as a whole; one that nobody knows is what Python has made, maybe of any that the program has found."""
    if type(x) in (list, dict) and id(x) not in inputs.trace.outside.made:
        inputs.reads["whole", id(x) if id(x) in inputs.origins else None] = x


def keep_contents(inputs: Any) -> None:
    """Guard that a list or dict outside holds what it held, where Python may have read all of it (`TABLE * 2`), which nobody sees: one of
    which the program has asked for no single item, or that was used as a whole, too."""
    for x, getter, name in list(inputs.origins.values()):
        known = [("outside", id(x)), ("container", id(x)), ("contents", id(x)), ("constants", id(x)), ("as data", name)]
        if not inputs.reads.keys() & {("whole", id(x)), ("whole", None)}:
            known.append(("by item", id(x)))
        if type(x) in (list, dict) and not any(key in inputs.reads for key in known):
            written = frozenset(changed_names(x)) if id(x) in inputs.trace.definitions.instance_dicts else frozenset()
            is_frozen = frozen(rest_of(x, written)) is not None
            read = partial(content_without, names=written, read=frozen if is_frozen else content_of)
            inputs.guard(Applied(read, (getter,)), "value", read(x), f"{name} has the same content")


def content_without(x: Any, names: frozenset[str], read: Callable[[Any], Any]) -> Any:
    """The content of a list or dict, but for entries under some names."""
    return read(rest_of(x, names))


def rest_of(x: Any, names: frozenset[str]) -> Any:
    """A dict without what stands under some names; anything else as it is."""
    return {name: value for name, value in x.items() if name not in names} if names else x


def keep_lists_apart(inputs: Any) -> None:
    """Guard that no list is a row of two arguments, or an argument and a row: each is read in for itself."""
    keep_found_apart(inputs)
    for written, getter, _ in inputs.containers:
        if isinstance(written, WrittenRows):
            keep_rows_apart(inputs, written.key[0][1], written.rows, getter, are_others)
    for name, rows, getter in inputs.copies:
        keep_rows_apart(inputs, name, rows, getter, has_none_of)
    getters = tuple(getter for _, _, getter in inputs.lists)
    if len(getters) > 1 and any(isinstance(staged.kind, (ListOf, TableOf)) for staged, *_ in inputs.lists):
        inputs.guard(Applied(share_no_list, getters), "value", True, "no list stands in two of the lists")


def keep_found_apart(inputs: Any) -> None:
    """Guard that no container of the arguments, and no row of one, is one that the program finds outside: where one is, both names are
    of Python's object."""
    changed = [(x, getter, names) for x, getter, names in inputs.identities.values() if ("outside", id(x)) in inputs.reads]
    keep_changed_apart(inputs, changed)
    found = {id(x): (x, getter) for x, getter, _ in (*changed, *inputs.origins.values()) if type(x) in (list, dict, set)}
    given = [known for known in inputs.identities.values() if ("container", id(known[0])) in inputs.reads]
    for x, getter, names in given if found else ():
        if id(x) in found:
            raise Restart(*(("dynamic", key_of(name), PYTHON_OBJECT) for name in names), ("outside", id(x)))
        getters = (getter, *(other for each, other in found.values() if type(each) is type(x)))
        if len(getters) > 1:
            inputs.guard(Applied(is_none_of, getters), "value", True, f"this {type(x).__name__} is none outside")
    for x, getter, _ in changed:
        keep_rows_found_apart(inputs, x, getter, given)
    for staged, x, getter in inputs.lists if found else ():
        if isinstance(staged.kind, (ListOf, TableOf)):
            if shared := [id(row) for row in x if id(row) in found]:
                raise Restart(("dynamic", staged.key, PYTHON_OBJECT), *(("outside", each) for each in shared))
            getters = (getter, *(other for _, other in found.values()))
            inputs.guard(Applied(has_none_of, getters), "value", True, "no row of this list is one outside")


def keep_changed_apart(inputs: Any, changed: list[Any]) -> None:
    """Guard that no container outside that the program changes is one that it only reads, whose content is known to the trace."""
    taken = {id(x) for x, *_ in changed}
    both = {("outside", each) for each in taken & inputs.origins.keys()} - inputs.trace.decisions
    if both:  # arguments that are Python's, and are found outside, too
        raise Restart(*both)
    read = [(x, getter) for x, getter, _ in inputs.origins.values() if id(x) not in taken and ("container", id(x)) not in inputs.reads]
    for x, getter, _ in changed:
        others = [other for each, other in read if type(each) is type(x) and type(x) in (list, dict, set, deque)]
        if others:
            inputs.guard(Applied(is_none_of, (getter, *others)), "value", True, f"this {type(x).__name__} is none that is only read")


def keep_rows_found_apart(inputs: Any, x: Any, getter: Getter, given: list[Any]) -> None:
    """Guard that no list, dict or set in a container outside that stays Python's is read in, or a row of what is; where one is, both
    names are of Python's object."""
    if not rows_held(x) or not (given or inputs.lists):
        return
    read_in = [(each, found, {("dynamic", key_of(name), PYTHON_OBJECT) for name in names}) for each, found, names in given]
    read_in += [(each, found, {("dynamic", staged.key, PYTHON_OBJECT)}) for staged, each, found in inputs.lists]
    for each, _, decisions in read_in:
        if not holds_none_of(x, each):
            shared = rows_held(x).keys() & {id(each), *rows_held(each)}
            raise Restart(*decisions, *(("outside", row) for row in shared))
    getters = (getter, *(found for _, found, _ in read_in))
    inputs.guard(Applied(holds_none_of, getters), "value", True, f"what this {type(x).__name__} holds is no other input")


def keep_rows_apart(inputs: Any, name: str, rows: list[Any], getter: Getter, are_apart: Any) -> None:
    """Guard that the dicts, lists or sets in an argument of which there are copies are no other inputs, and different ones where they are
    changed; where any is another input, all are Python's."""
    kinds = {type(row) for row in rows[:1]}
    named = ((x, each, {found}) for x, each, found in inputs.origins.values())
    others = [found for found in (*inputs.identities.values(), *named) if type(found[0]) in kinds]
    if not are_apart(rows, *(x for x, *_ in others)):
        shared = [(x, names) for x, _, names in others if any(x is row for row in rows)]
        changes = [("outside", id(x)) for x, _ in shared]
        raise Restart(*(("dynamic", key_of(each), PYTHON_OBJECT) for each in {name}.union(*(names for _, names in shared))), *changes)
    getters = dict.fromkeys(each for _, each, _ in others)
    if getters or are_apart is are_others:
        text = f"what {name} holds is no other input, and different ones where it changes"
        inputs.guard(Applied(are_apart, (getter, *getters)), "value", True, text)
