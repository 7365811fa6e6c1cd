"""Unpacking assignments in converted code: `a, b = value`, with a star or without."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.outside import contents_of
from autograph_jit.tracing.containers.tuples import TracedTuple
from autograph_jit.tracing.expressions.number_errors import parts_of_number
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.plain import operators as plain
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.structures.choices import is_mixed
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, check, content_of
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.callers_iterators import expect_not_callers
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import index_value
from autograph_jit.tracing.values.trace import constant, current, emit


def unpack(value: Any, before: int, after: int | None) -> tuple[Any, ...]:
    """The parts of an unpacking assignment: `before` items, then with a star a list and `after` items."""
    if current() is not None:
        value = content_of(value, TypeError, "cannot unpack non-iterable NoneType object")
        if is_mixed(value):
            return distribute(value, lambda option: unpack(option, before, after))  # type: ignore[no-any-return]
        expect_not_callers(value)
        value = contents_of(language.collected(value))
        if isinstance(value, TracedTuple):
            value = value.items
        if isinstance(value, StagedObject):
            return unpack_object(value, before, after)
        if isinstance(value, StagedArray):
            return unpack_array(value, before, after)
        if isinstance(value, StagedScalar):
            parts_of_number(value)
        if isinstance(value, Indexed) and after is not None and not isinstance(value.length(), int):
            value = language.call(list, (value,), None)
        if (isinstance(value, Dynamic) and value.dynamic is not None or isinstance(value, Indexed)) and after is None:
            return unpack_indexed(value, value.length(), before)
        if isinstance(value, TracedList) and value.dynamic is not None and after is not None:
            return unpack_starred(value, before, after)
        return starred_list(plain.unpack(value, before, after), before, after)
    return plain.unpack(value, before, after)


def starred_list(parts: tuple[Any, ...], before: int, after: int | None) -> tuple[Any, ...]:
    """The parts of an unpacking assignment, with the list of the starred target as one that converted code made."""
    return parts if after is None else (*parts[:before], TracedList.made(parts[before]), *parts[before + 1 :])


def unpack_array(value: StagedArray, before: int, after: int | None) -> tuple[Any, ...]:
    """Unpack along the first axis; its size is checked at run time where the trace does not know it."""
    if value.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    length = value.shape[0]
    if isinstance(length, int) or after is not None:
        return starred_list(plain.unpack(iter(list(value)), before, after), before, after)
    return unpack_indexed(value, length, before)


def unpack_indexed(value: Any, length: Any, count: int) -> tuple[Any, ...]:
    """Check the length at run time, then take the items."""
    few = emit("greater_equal", index_value(length), constant(np.int64(count))).result
    check(few, ValueError, f"not enough values to unpack (expected {count}, got {{0}})", index_value(length))
    many = emit("less_equal", index_value(length), constant(np.int64(count))).result
    told = plain.too_many_text(list if isinstance(value, TracedList) else type(value), count, "{0}")
    check(many, ValueError, told, index_value(length))
    return tuple(value.item(index) if isinstance(value, Indexed) else value[index] for index in range(count))


def unpack_starred(value: TracedList, before: int, after: int) -> tuple[Any, ...]:
    """Unpack a run-time list with a starred target: a slice of it."""
    length, least = value.length(), before + after
    enough = emit("greater_equal", index_value(length), constant(np.int64(least))).result
    check(enough, ValueError, f"not enough values to unpack (expected at least {least}, got {{0}})", index_value(length))
    first, last = [value[index] for index in range(before)], [value[length - after + index] for index in range(after)]
    return (*first, value[slice(before, length - after)], *last)


def unpack_object(value: StagedObject, before: int, after: int | None) -> tuple[Any, ...]:
    """Unpack an opaque object in Python."""
    parts = host_object(lambda x: plain.unpack(x, before, after), value, label="unpack", python_type=tuple)
    count = before + (0 if after is None else 1 + after)
    return tuple(host_object(operator.getitem, parts, index, label="unpack item", pure=True, fails=False) for index in range(count))
