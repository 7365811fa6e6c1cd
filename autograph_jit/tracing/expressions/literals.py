"""Containers that converted code makes, generator expressions, assertions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.containers.dict_tables import row_made
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.entries import Spread, is_of_run
from autograph_jit.tracing.containers.lists import Rest, TracedList
from autograph_jit.tracing.control.branches import if_stmt
from autograph_jit.tracing.control.user_iterators import is_user_iterator
from autograph_jit.tracing.expressions.calls import call
from autograph_jit.tracing.expressions.library_containers import construct_container
from autograph_jit.tracing.plain import operators as plain
from autograph_jit.tracing.sequences.cursors import Cursor, cursor
from autograph_jit.tracing.sequences.dynamic import table_kind
from autograph_jit.tracing.values.trace import current, user_span
from autograph_jit.tracing.values.types import PYTHON_OBJECT


def new_list(items: list[Any]) -> Any:
    """`[...]`."""
    if current() is None:
        return items
    if not any(isinstance(item, Rest) for item in items):
        return TracedList.made(items)
    result = TracedList.made([])
    for item in items:
        if isinstance(item, Rest):
            result.extend(item.items)
        else:
            result.append(item)
    return result


def new_tuple(items: list[Any]) -> Any:
    """`(..., *more)`. The items of an object of the run are asked for: a loop that makes a tuple longer is rather written out."""
    rests = [item for item in items if isinstance(item, Rest)] if current() is not None else []
    if not rests:
        return tuple(items)
    for rest in rests:
        if rest.items.key is None:
            tuple(rest.items)
    return call(tuple, (new_list(items),), None)


def new_dict(items: dict[Any, Any]) -> Any:
    """`{key: value}`."""
    trace = current()
    return items if trace is None else row_made(trace, items) or TracedDict.made(items)


def new_dict_of(*parts: Any) -> Any:
    """`{key: value}` with keys that are not literals: `(key, value)`, and `[entries]` for `**mapping`. One with keys of the run is filled
    as it would be by assignments, where a table holds it: otherwise its keys would be asked for."""
    try:
        if current() is None or not is_table_of_run([part for part in parts if isinstance(part, tuple)]):
            return new_dict(plain.new_dict_of(*parts))
    except ConversionError:
        if current() is None:
            raise
    made = TracedDict.made({})
    for part in parts:
        if isinstance(part, tuple):
            made[part[0]] = part[1]
        else:
            for key, value in part[0].items():
                made.update(value if isinstance(key, Spread) else {key: value})
    return made


def is_table_of_run(pairs: list[tuple[Any, Any]]) -> bool:
    """Whether only the run knows a key of these entries, and a table can hold them."""
    return any(is_of_run(key) for key, _ in pairs) and table_kind([key for key, _ in pairs], [value for _, value in pairs]) != PYTHON_OBJECT


def new_set(items: Any) -> Any:
    """`{...}`."""
    trace = current()
    if trace is None:
        return set(items)
    return construct_container(trace, set, (new_list(list(items)),), {}) if items else construct_container(trace, set, (), {})


def list_append(items: Any, item: Any) -> None:
    """Append in a list comprehension."""
    items.append(item)


def set_add(items: Any, item: Any) -> None:
    """Add in a set comprehension."""
    call(items.add, (item,), None)


def genexp(lazy: Callable[[Any], Any], listed: Callable[[Any], Any], source: Any, is_used_up: bool, is_late: bool) -> Any:
    """A generator expression over `source`: a list of its items where all are asked for at once, otherwise an iterator over it."""
    if current() is None:
        return lazy(source)
    if is_late:
        why = "compiled code would make its items at once"
        what = "something that a generator expression reads changes before its items are asked for"
        raise ConversionError(what, user_span(), why, "write a generator function, or a list comprehension")
    items = listed(source)
    if is_used_up:
        return items
    result = cursor(items, "generator")
    result.upstream = source if isinstance(source, Cursor) or is_user_iterator(source) else None
    return result


def assert_stmt(condition: Any, message: Callable[[], Any] | None) -> None:
    """`assert condition, message`."""

    def fail() -> None:
        raise AssertionError(*([message()] if message is not None else []))

    if_stmt(condition, lambda: None, fail, lambda: (), lambda state: None, ())
