"""Structural pattern matching on stand-ins: what `case [a]`, `case {k: v}` and `case C(x)` take from a subject that the trace knows."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from autograph_jit.tracing.containers.dict_tables import DictReference
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.control.branches import if_exp
from autograph_jit.tracing.expressions.access import getattr_, getitem
from autograph_jit.tracing.expressions.calls import BUILTINS
from autograph_jit.tracing.expressions.comparison import compare
from autograph_jit.tracing.hosting.host_calls import host_object, is_none
from autograph_jit.tracing.plain import patterns as plain_patterns
from autograph_jit.tracing.sequences.ranges import StagedRange
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedObject
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.checks import settle
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import current

OTHER_SEQUENCES = (deque, array)  # than lists, tuples and ranges


def match_sequence(subject: Any, before: int, after: int | None, wanted: Literal["all", "ends", "none"] = "all") -> Any:
    """The items of a sequence of the right length, or None."""

    def match(known: Any) -> Any:
        if isinstance(known, StagedRange) or isinstance(known, TracedList) and known.dynamic is not None:
            return match_items(known, known.length(), before, after)
        if getattr(type(known), "__rebuilt_type__", None) in OTHER_SEQUENCES:
            return match(language.call(list, (known,), None))
        if isinstance(known, StagedArray) and np.ndarray.__flags__ & plain_patterns.SEQUENCE_FLAG:
            return match_array(known, before, after, wanted)
        return plain_patterns.match_sequence(known, before, after, wanted)

    starred = wanted == "all" and after is not None
    count = 0 if wanted == "none" else before + (after or 0) + starred
    return matched(subject, match, lambda object_: match_object(count, plain_patterns.match_sequence, object_, before, after, wanted))


def match_array(subject: StagedArray, before: int, after: int | None, wanted: Literal["all", "ends", "none"]) -> Any:
    """The items along the first axis: NumPy's arrays are sequences to Python's `match`, where NumPy says so."""
    if after is not None and before + after == 0 and wanted == "none":
        return ()
    length = language.call(len, (subject,), None)
    if wanted == "all":
        return match_items(subject, length, before, after)
    places = [*range(before), *(length - k for k in range(after or 0, 0, -1))] if wanted == "ends" else []
    fits = compare("==" if after is None else ">=", length, before + (after or 0))
    return if_exp(fits, lambda: tuple(subject[place] for place in places), lambda: None)


def match_items(subject: Any, length: Any, before: int, after: int | None) -> Any:
    """The items of a list, range or array of the run, where it has the right length."""
    least = before + (after or 0)

    def items() -> tuple[Any, ...]:
        first = [subject[index] for index in range(before)]
        if after is None:
            return tuple(first)
        middle = subject[slice(before, length - after)]
        return (*first, language.call(list, (middle,), None), *[subject[length - after + index] for index in range(after)])

    return if_exp(compare("==" if after is None else ">=", length, least), items, lambda: None)


def match_mapping(subject: Any, keys: tuple, with_rest: bool) -> Any:
    """The values of the keys, then a dict of the others where `with_rest`; None where a key is missing."""
    count = len(keys) + with_rest
    return matched(
        subject,
        lambda known: plain_patterns.match_mapping(known.copy() if isinstance(known, DictReference) else known, keys, with_rest),
        lambda object_: match_object(count, plain_patterns.match_mapping, object_, keys, with_rest),
    )


def match_class(subject: Any, cls: Any, count: int, names: tuple[str, ...]) -> Any:
    """The attributes that a class pattern looks at; None without a match."""
    if current() is None or not isinstance(cls, type):
        return plain_patterns.match_class(subject, cls, count, names)

    def values() -> Any:
        positional = plain_patterns.positional_names(cls, count)
        if positional is None:
            return (settle(subject), *(getattr_(subject, name) for name in names))
        if isinstance(subject, StagedObject):
            return match_object(len(positional) + len(names), attributes_of, subject, (*positional, *names))
        try:
            return tuple(getattr_(subject, name) for name in (*positional, *names))
        except AttributeError:
            return None

    return if_exp(BUILTINS[isinstance](subject, cls), values, lambda: None)


def matched(subject: Any, match: Callable[[Any], Any], match_staged: Callable[[StagedObject], Any]) -> Any:
    """Match a structure that the trace knows; one that may be absent only where it is there; one of the run when it runs."""
    if current() is None:
        return match(subject)
    subject = settle(subject)
    if isinstance(subject, Maybe):
        return if_exp(subject.present, lambda: matched(subject.content, match, match_staged), lambda: match(subject.absent))
    if isinstance(subject, Chosen):
        return distribute(subject, lambda case: matched(case, match, match_staged))
    return match_staged(subject) if isinstance(subject, StagedObject) else match(subject)


def match_object(count: int, take: Callable[..., Any], subject: StagedObject, *pattern: Any) -> Any:
    """The parts that Python takes of an object of the run, so many, or None."""
    parts = host_object(take, subject, *pattern, label="match")
    return if_exp(is_none(parts, negate=True), lambda: tuple(getitem(parts, place) for place in range(count)), lambda: None)


def attributes_of(subject: Any, names: tuple[str, ...]) -> tuple[Any, ...] | None:
    """The attributes of these names; None where one is missing."""
    try:
        return tuple(getattr(subject, name) for name in names)
    except AttributeError:
        return None
