"""Slices of lists of compiled code that are assigned or deleted: by functions that are written in Python and converted like it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_jit.tracing.containers.repeated import Repeatable
from autograph_jit.tracing.sequences.dynamic import Dynamic, common_kind
from autograph_jit.tracing.texts.searching import clipped
from autograph_jit.tracing.texts.text import is_int
from autograph_jit.tracing.values.abstract import StagedObject, check
from autograph_jit.tracing.values.callers_iterators import expect_own
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import lift_number, truth
from autograph_jit.tracing.values.types import NEVER, PYTHON_OBJECT, ValueType, join_items

FEW = 4  # items that come or go


def kind_with(x: Repeatable, other: Any) -> ValueType:
    """The kind that fits the items of a list and of another one; PYTHON_OBJECT where compiled code has none."""
    if not isinstance(other, Repeatable):
        return PYTHON_OBJECT
    kind = join_items(each.kind if each.dynamic is not None else common_kind(list.copy(each)) or NEVER for each in (x, other))
    return kind if kind.is_native else PYTHON_OBJECT


def is_of_ints(places: slice) -> bool:
    """Whether the bounds and the step of a slice are ints or None."""
    return all(bound is None or is_int(bound) for bound in (places.start, places.stop, places.step))


@acts_for_program
def assign_known(target: Any, places: slice, value: Any) -> None:
    """`target[places] = value` of a list that the trace knows, which it may be no longer once it changes."""
    expect_own((value,), files=True)
    if target.change(list.copy(value) if isinstance(value, list) else ()):
        target[places] = value
        return
    if isinstance(value, StagedObject) or isinstance(value, Dynamic) and value.dynamic is not None:
        target.restructure(kind_with(target, value))
    list.__setitem__(target, target.known_position(places), value)


def assign(target: Any, places: slice, value: Any) -> bool:
    """`target[places] = value` of lists of compiled code; False where the one or the other is Python's."""
    value = language.collected(value)
    value = type(target)(value) if type(value) in (list, tuple) else value
    kind = kind_with(target, value) if target.is_native and is_of_ints(places) else PYTHON_OBJECT
    if kind == PYTHON_OBJECT:
        return False
    if kind != target.kind:
        target.restructure(kind)
    values = value.natively(kind, value is target or value.has_names)
    target.change()
    first, count, step = found(target, places)
    if type(step) is not int or step != 1:
        wording, size = "attempt to assign sequence of size {0} to extended slice of size {1}", values.length()
        check(truth(language.call(fits, (step, size, count), None)), ValueError, wording, lift_number(size), lift_number(count))
    language.call(assign_items, (target, first, count, step, values), None)
    return True


def delete(target: Any, places: slice) -> None:
    """`del target[places]`."""
    language.call(delete_each, (target, *found(target, places)), None)


def found(target: Any, places: slice) -> tuple[Any, Any, Any]:
    """Where a slice of a list begins, how many items it takes, and its step."""
    step = 1 if places.step is None else places.step
    check(truth(language.compare("!=", step, 0)), ValueError, "slice step cannot be zero")
    return (*language.call(places_of, (places.start, places.stop, step, target.length()), None), step)


def places_of(start: Any, stop: Any, step: Any, n: Any) -> Any:
    """Where a slice of n items begins, and how many it takes."""
    if step > 0:
        first = 0 if start is None else clipped(start, n)
        end = n if stop is None else clipped(stop, n)
        return first, max((end - first + step - 1) // step, 0)
    first = n - 1 if start is None else min(max(start + n if start < 0 else start, -1), n - 1)
    end = -1 if stop is None else min(max(stop + n if stop < 0 else stop, -1), n - 1)
    return first, max((first - end - step - 1) // -step, 0)


def fits(step: Any, size: Any, count: Any) -> Any:
    """Whether a slice that takes so many items may be assigned so many."""
    return step == 1 or size == count


def assign_items(items: Any, first: Any, count: Any, step: Any, values: Any) -> None:
    """Put values into a slice that begins there and takes so many items."""
    if step == 1:
        assign_part(items, first, count, values)
    else:
        assign_each(items, first, step, values)


def assign_each(items: Any, first: Any, step: Any, values: Any) -> None:
    """Put values into the places of a slice that takes as many items."""
    for k in range(len(values)):
        items[first + k * step] = values[k]


def assign_part(items: Any, first: Any, count: Any, values: Any) -> None:
    """Put values in the place of so many items: those behind them move."""
    length, n, end = len(items), len(values), first + count
    for k in range(min(count, n)):
        items[first + k] = values[k]
    if count < n <= count + FEW:  # which the others make way for one by one, in memory
        for k in range(count, n):
            items.insert(first + k, values[k])
    elif n < count <= n + FEW:
        for _ in range(count - n):
            items.pop(first + n)
    elif n > count:
        more = n - count
        for k in range(more):
            items.append(values[count + k])
        for k in range(length - 1, end - 1, -1):
            items[k + more] = items[k]
        for k in range(more):
            items[end + k] = values[count + k]
    else:
        for k in range(end, length):
            items[k - count + n] = items[k]
        for _ in range(count - n):
            items.pop()


def delete_each(items: Any, first: Any, count: Any, step: Any) -> None:
    """Remove the items in the places of a slice."""
    length = len(items)
    if step < 0:
        first, step = first + (count - 1) * step, -step
    if count <= FEW:
        for k in range(count):
            items.pop(first + k * (step - 1))
        return
    kept = first
    for k in range(first, length if count > 0 else first):
        if (k - first) % step != 0 or (k - first) // step >= count:
            items[kept] = items[k]
            kept += 1
    for _ in range(count):
        items.pop()


CONVERTED: tuple[Callable[..., Any], ...] = (places_of, fits, assign_items, assign_each, assign_part, delete_each)
