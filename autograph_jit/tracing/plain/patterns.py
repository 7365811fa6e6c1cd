"""Structural pattern matching: what `case [a, *b]`, `case {k: v}` and `case C(x)` take from a subject, by Python's rules."""

from __future__ import annotations

from typing import Any, Literal

SEQUENCE_FLAG, MAPPING_FLAG, MATCH_SELF_FLAG = 1 << 5, 1 << 6, 1 << 22  # Py_TPFLAGS_*, CPython's own test in `match`
_MISSING = object()


def match_sequence(subject: Any, before: int, after: int | None, wanted: Literal["all", "ends", "none"] = "all") -> tuple | None:
    """The items of a sequence of the right length, or None; with a star (`after` is not None) its part is a list.

    wanted: "ends" leaves the star's part out and "none" everything: Python does not look at items that a pattern ignores.
    """
    if not type(subject).__flags__ & SEQUENCE_FLAG:
        return None
    if after is not None and before + after == 0 and wanted == "none":
        return ()
    length = len(subject)
    if length != before if after is None else length < before + after:
        return None
    if wanted != "all":
        places = [*range(before), *range(length - (after or 0), length)] if wanted == "ends" else []
        return tuple(subject[i] for i in places)
    items = [*subject]
    if after is None:
        return tuple(items)
    end = len(items) - after
    return (*items[:before], items[before:end], *items[end:])


def match_mapping(subject: Any, keys: tuple, with_rest: bool) -> tuple | None:
    """The values of the keys, followed by a dict of the others where `with_rest`; None where a key is missing."""
    if not type(subject).__flags__ & MAPPING_FLAG or (keys and len(subject) < len(keys)):
        return None
    values: list[Any] = []
    seen: set[Any] = set()
    for key in keys:
        if key in seen:
            raise ValueError(f"mapping pattern checks duplicate key ({key!r})")
        seen.add(key)
        value = subject.get(key, _MISSING)
        if value is _MISSING:
            return None
        values.append(value)
    if with_rest:
        rest = dict(subject)
        for key in keys:
            del rest[key]
        values.append(rest)
    return tuple(values)


def match_class(subject: Any, cls: Any, count: int, names: tuple[str, ...]) -> tuple | None:
    """The attributes that a class pattern looks at: `count` positional ones by `__match_args__`, then `names`; None without a match."""
    if not isinstance(cls, type):
        raise TypeError("called match pattern must be a class")
    if not isinstance(subject, cls):
        return None
    values: list[Any] = []
    positional = positional_names(cls, count)
    if positional is None:
        values, positional = [subject], ()
    for i, name in enumerate((*positional, *names)):
        if name in (*positional, *names)[:i]:
            raise TypeError(f"{cls.__name__}() got multiple sub-patterns for attribute {name!r}")
        value = getattr(subject, name, _MISSING)
        if value is _MISSING:
            return None
        values.append(value)
    return tuple(values)


def positional_names(cls: type, count: int) -> tuple[str, ...] | None:
    """The attributes of the positional sub-patterns, or None where the single one matches the subject itself."""
    if not count:
        return ()
    declared = getattr(cls, "__match_args__", _MISSING)
    if declared is _MISSING and cls.__flags__ & MATCH_SELF_FLAG:
        if count == 1:
            return None
        raise TypeError(f"{cls.__name__}() accepts 1 positional sub-pattern ({count} given)")
    if declared is _MISSING:
        declared = ()
    if not isinstance(declared, tuple):
        raise TypeError(f"{cls.__name__}.__match_args__ must be a tuple (got {type(declared).__name__})")
    if len(declared) < count:
        plural = "" if len(declared) == 1 else "s"
        raise TypeError(f"{cls.__name__}() accepts {len(declared)} positional sub-pattern{plural} ({count} given)")
    for name in declared[:count]:
        if not isinstance(name, str):
            raise TypeError(f"__match_args__ elements must be strings (got {type(name).__name__})")
    return declared[:count]
