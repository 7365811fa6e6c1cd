"""Lists, dicts and tuples among the inputs: by their structure, each item an input, or as data.

Before: `def total(x): ...` of a list of 5,000 floats, 5,000 inputs and a guard for each
After:  one input, the list itself, under one guard: all its items are floats; one program for all lengths and contents
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import ListType
from autograph_jit.tracing.aliasing.families import PYTHON_LISTS
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import NativeList
from autograph_jit.tracing.joining.list_references import part_types
from autograph_jit.tracing.sequences.dynamic import KNOWN_KIND, TEXT_KIND, ElementKind, decided
from autograph_jit.tracing.structures.getters import Applied, Getter
from autograph_jit.tracing.structures.guards import SMALL_SIZE, items_of_list, share_no_list
from autograph_jit.tracing.values.trace import Restart, Trace, emit, user_span

DTYPES: dict[type, np.dtype] = {kind: np.dtype(kind) for kind in (bool, int, float, complex)}
Leaf = Callable[[Any, Getter, str], Any]


def container(inputs: Any, x: Any, getter: Getter, name: str, leaf: Leaf) -> Any:
    """Of the `Inputs` of a trace: a list that is data, else a structure, whose items are what `leaf` makes of them."""
    known = inputs.reads.get(("container", id(x)))
    if type(x) in (list, dict):
        inputs.identify(x, getter, name)
        if known is not None:
            return known[1]
    if id(x) in inputs.under_way:
        remedy = "pass what it holds, or instances that refer to each other"
        raise ConversionError(f"the {type(x).__name__} {name} holds itself", user_span(), "taking it apart would not end", remedy)
    if is_data(inputs.trace, x, name):
        staged: Any = native_argument(inputs, x, getter, name)
    else:
        inputs.under_way.add(id(x))
        staged = structure(inputs, x, getter, name, leaf)
        inputs.under_way.remove(id(x))
    inputs.reads["container", id(x)] = (x, staged)
    return staged


def structure(inputs: Any, x: Any, getter: Getter, name: str, leaf: Leaf) -> Any:
    """A list, dict or tuple of so many items, each an input of its own."""
    inputs.guard(getter, "length", (type(x), len(x)), f"{name} is a {type(x).__name__} of {len(x)}")
    if isinstance(x, dict):
        inputs.guard(Applied(tuple, (getter,)), "value", tuple(x), f"{name} has keys {list(x)}")
        entries = TracedDict({key: leaf(value, inputs.entry(getter, key), f"{name}[{key!r}]") for key, value in x.items()})
        return mutable_container(inputs, entries, getter, name)
    items = [leaf(value, inputs.entry(getter, index), f"{name}[{index}]") for index, value in enumerate(x)]
    if isinstance(x, list):
        return mutable_container(inputs, TracedList(items), getter, name)
    return type(x)._make(items) if hasattr(x, "_make") else tuple(items)


def mutable_container(inputs: Any, staged: TracedList | TracedDict, getter: Getter, name: str) -> TracedList | TracedDict:
    """A list or dict argument: kept at run time where an earlier trace asked for it, else remembered as it came in."""
    staged.key, staged.depth = key_of(name), 0
    before: Any = len(inputs.trace.block.operations)
    asked_for = {decision[2] for decision in inputs.trace.decisions if decision[0] == "dynamic" and decision[1] == staged.key}
    if asked_for - {KNOWN_KIND}:
        staged.become_as_decided() if isinstance(staged, TracedList) else staged.become(list(dict.items(staged)))
    if staged.dynamic is not None:
        before = tuple(inputs.trace.block.operations[before:])  # what fills it
    else:
        before = list(staged) if isinstance(staged, list) else dict(dict.items(staged))
    inputs.containers.append((staged, getter, before))
    return staged


def is_data(trace: Trace, x: Any, name: str) -> bool:
    """Whether a list argument is data: it is longer than those whose structure is looked at first, or its length was seen to change, or an
    earlier trace asked for a list of the run; and none needs to know its items or keeps it as Python's."""
    if type(x) is not list or PYTHON_LISTS in trace.decisions:
        return False
    known = decided(trace, key_of(name))
    is_long = len(x) > SMALL_SIZE or ("size", name, 0) in trace.inputs.generalized or known is not None
    kind = kind_of_items(x) if is_long else None
    if kind is None or known not in (None, kind):
        return False
    return kind[0] != "list" or decided(trace, key_of_rows(name)) in (None, kind[1])


def key_of(name: str) -> tuple[str, str]:
    """What names an argument's container across traces."""
    return "argument", name


def key_of_rows(name: str) -> tuple[tuple[str, str], int]:
    """What names the lists in a list argument."""
    return ("rows of argument", name), 0


def kind_of_items(x: list[Any]) -> ElementKind | None:
    """The element kind of a list of numbers of one type of Python's, or of texts, or of lists of such; None of anything else."""
    found = items_of_list(x)
    if found is None:
        return None
    kind = TEXT_KIND if found[0] is str else ("scalar", DTYPES[found[0]], True)
    return ("list", kind) if found[1] else kind


def native_argument(inputs: Any, x: list[Any], getter: Getter, name: str) -> TracedList:
    """The stand-in of a list argument that is data: its items are read in when the call begins, and go back when it ends."""
    found, kind = items_of_list(x), kind_of_items(x)
    assert kind is not None and found is not None
    shared = [other for other, known, _ in inputs.lists if not share_no_list(x, known)]
    if shared:  # where each is known by its items, a list that stands in several is one input
        raise Restart(*(("dynamic", key, KNOWN_KIND) for key in (key_of(name), *(other.key for other in shared))))
    what = "a list of lists" if found[1] else "a list"
    inputs.guard(getter, "items", found, f"{name} is {what} of items of type {found[0].__name__}")
    (elem,) = part_types(kind)
    value = inputs.parameter(ListType(elem), getter, name)
    staged = native_list(kind, value, key_of(name))
    staged.is_argument = True
    if found[1]:
        row = TracedList()
        row.key, row.depth, row.kind = key_of_rows(name), 0, kind[1]
        staged.native.rows.add(row)
    inputs.lists.append((staged, x, getter))
    return staged


def keep_lists_apart(inputs: Any) -> None:
    """Guard that no list is a row of two arguments, or an argument and a row: each is read in for itself."""
    getters = tuple(getter for _, _, getter in inputs.lists)
    if len(getters) > 1 and any(staged.kind[0] == "list" for staged, *_ in inputs.lists):
        inputs.guard(Applied(share_no_list, getters), "value", True, "no list stands in two of the lists")


def native_list(kind: ElementKind, value: Value, key: Any) -> TracedList:
    """The stand-in of a list that a value of the graph refers to."""
    staged = TracedList()
    staged.key, staged.depth, staged.kind = key, 0, kind
    staged.native = NativeList(kind, [value, emit("list_identity", value).result])
    staged.dynamic = value
    return staged
