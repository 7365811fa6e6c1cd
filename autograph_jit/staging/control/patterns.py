"""Structural pattern matching on stand-ins: what `case [a]`, `case {k: v}` and `case C(x)` take from a subject that the trace knows."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.staging.checks import settle
from autograph_jit.staging.containers.lists import TracedList
from autograph_jit.staging.control.branches import if_exp
from autograph_jit.staging.expressions.access import getattr_
from autograph_jit.staging.expressions.comparison import compare
from autograph_jit.staging.plain import patterns as plain_patterns
from autograph_jit.staging.standard_library.types import staged_isinstance
from autograph_jit.staging.trace import current, user_span
from autograph_jit.staging.values import Maybe, Protocol, StagedArray, StagedObject


def match_sequence(subject: Any, before: int, after: int | None, wanted: Literal["all", "ends", "none"] = "all") -> Any:
    """The items of a sequence of the right length, or None."""

    def match(known: Any) -> Any:
        if isinstance(known, TracedList) and known.dynamic is not None:
            return match_items(known, known.length(), before, after)
        if isinstance(known, StagedArray) and np.ndarray.__flags__ & plain_patterns.SEQUENCE_FLAG:
            return match_array(known, before, after, wanted)
        return plain_patterns.match_sequence(known, before, after, wanted)

    return matched(subject, match)


def match_array(subject: StagedArray, before: int, after: int | None, wanted: Literal["all", "ends", "none"]) -> Any:
    """The items along the first axis: NumPy's arrays are sequences to Python's `match`, where NumPy says so."""
    if after is not None and before + after == 0 and wanted == "none":
        return ()
    length = Protocol.call(len, (subject,), None)
    if wanted == "all":
        return match_items(subject, length, before, after)
    places = [*range(before), *(length - k for k in range(after or 0, 0, -1))] if wanted == "ends" else []
    fits = compare("==" if after is None else ">=", length, before + (after or 0))
    return if_exp(fits, lambda: tuple(subject[place] for place in places), lambda: None)


def match_items(subject: Any, length: Any, before: int, after: int | None) -> Any:
    """The items of a list or array of the run, where it has the right length."""
    least = before + (after or 0)

    def items() -> tuple[Any, ...]:
        first = [subject[index] for index in range(before)]
        if after is None:
            return tuple(first)
        middle = subject[slice(before, length - after)]
        return (*first, Protocol.call(list, (middle,), None), *[subject[length - after + index] for index in range(after)])

    return if_exp(compare("==" if after is None else ">=", length, least), items, lambda: None)


def match_mapping(subject: Any, keys: tuple, with_rest: bool) -> Any:
    """The values of the keys, then a dict of the others where `with_rest`; None where a key is missing."""
    return matched(subject, lambda known: plain_patterns.match_mapping(known, keys, with_rest))


def match_class(subject: Any, cls: Any, count: int, names: tuple[str, ...]) -> Any:
    """The attributes that a class pattern looks at; None without a match."""
    if current() is None or not isinstance(cls, type):
        return plain_patterns.match_class(subject, cls, count, names)

    def values() -> Any:
        positional = plain_patterns.positional_names(cls, count)
        if positional is None:
            return (subject, *(getattr_(subject, name) for name in names))
        try:
            return tuple(getattr_(subject, name) for name in (*positional, *names))
        except AttributeError:
            return None

    return if_exp(staged_isinstance(subject, cls), values, lambda: None)


def matched(subject: Any, match: Any) -> Any:
    """Match a structure that the trace knows; one that may be absent only where it is there."""
    if current() is None:
        return match(subject)
    subject = settle(subject)
    if isinstance(subject, Maybe):
        return if_exp(subject.present, lambda: matched(subject.content, match), lambda: match(subject.absent))
    if isinstance(subject, StagedObject):
        raise ConversionError(
            "the structure of an object that only the run knows is matched here",
            user_span(),
            "the trace cannot tell which pattern fits",
            "give the subject one structure, or test it with isinstance and indexing",
        )
    return match(subject)
