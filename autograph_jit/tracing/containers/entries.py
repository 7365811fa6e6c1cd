"""Entries of dicts and items of sets on their way: those that one path made, those that only the run knows, those that leave."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

from autograph_jit.ops.set_slots import set_in_slots
from autograph_jit.tracing.containers.item_readers import holds
from autograph_jit.tracing.containers.native_tables import expect_key
from autograph_jit.tracing.objects.callers_objects import is_open
from autograph_jit.tracing.sequences.dynamic import Dynamic, kind_of, table_kind
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.demands import keep_at_run_time
from autograph_jit.tracing.structures.templates import OF_KIND, Template, contains_staged
from autograph_jit.tracing.texts.constants import expect_all_data
from autograph_jit.tracing.texts.text import Text, as_object
from autograph_jit.tracing.values.abstract import OfTheRun, StagedScalar, Undefined
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.key_kinds import holds_texts, is_compared_as_tuple
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active
from autograph_jit.tracing.values.types import PYTHON_OBJECT, InParts, Tuple

MISSING = object()


def is_of_run(key: Any) -> bool:
    """Whether only the run knows a key: a number, text or object of the run, or a tuple with one."""
    return isinstance(key, (OfTheRun, Text, Chosen)) or is_compared_as_tuple(type(key)) and contains_staged(key) or is_open(key)


def are_pairs_of_run(x: Any) -> bool:
    """Whether a list has pairs alone, with keys that only the run knows."""
    if isinstance(x, Dynamic) and x.dynamic is not None:
        return isinstance(x, list) and x.is_native and isinstance(kind := getattr(x, "kind", None), Tuple) and len(kind.items) == 2
    return isinstance(x, list) and all(isinstance(y, (tuple, list, str)) and len(y) == 2 for y in x) and any(is_of_run(key) for key, _ in x)


def present_items(pairs: Any) -> dict[Any, Any]:
    """A dict of the pairs whose value is there; a value under SPREAD is a dict merged in its place."""
    result: dict[Any, Any] = {}
    for key, value in pairs:
        if isinstance(key, Spread):
            result.update(value)
        elif not isinstance(value, Undefined):
            result[key] = value
    return result


def pairs_as_dict(keys: Iterable[Any], values: Iterable[Any]) -> dict[Any, Any]:
    """The entries of a table as Python's dict."""
    return dict(zip(keys, values))


class Spread:
    """The key that stands for `**mapping` in a dict display, where the mapping is known only at run time."""


def merged_dict(pairs: list[tuple[Any, Any]], make: Callable[[dict[Any, Any]], Any]) -> Any:
    """A new dict of tables under `Spread`, and of entries, one after another."""
    (key, value), *rest = pairs
    made = value.plain_copy() if isinstance(key, Spread) else make({key: value})
    for key, value in rest:
        made.update(value if isinstance(key, Spread) else {key: value})
    return made


def picked(key: Any, items: list[tuple[Any, Any]], default: Any) -> Any:
    """The one of known entries that has a key of the run: a branch over them."""
    if not items and default is not MISSING:
        return default
    if not items:
        raise KeyError(as_object(key))
    (known, value), rest = items[0], items[1:]
    expect_all_data([item for _, item in items])
    is_same = language.call(bool, (language.compare("==", key, known),), None)
    kind = kind_of(key)
    if not rest and default is MISSING and isinstance(is_same, StagedScalar) and kind.is_native and not holds(kind, InParts):
        expect_key(is_same.value, key)
        return value
    return language.if_exp(is_same, lambda: value, lambda: picked(key, rest, default))


def set_of(items: list[Any], places: list[int]) -> set[Any]:
    """A table's items, as the program added them, as a set of Python that has them in the same order: one that grew item by item, or was
    made for all of them at once, or a copy of one that grew, or the union of such a copy with a set of the same items; else one whose slots
    are filled one by one. `places` tells the order, and what the slots hold."""
    wanted = [items[position] for position in places[: len(items)]]
    found = set_of_items(items)
    ways = [(make, content) for make in (copied_set, united) for content in (items, wanted)]
    for make, content in ((made_at_once, wanted), *ways):
        if all(map(operator.is_, found, wanted)):
            return found
        found = make(content)
    return found if all(map(operator.is_, found, wanted)) else set_in_slots(wanted, *places[len(items) :])


def expect_order(template: Template, x: set[Any]) -> None:
    """A set whose items the trace knows is about to leave: traced again as a table, which tells in which order Python has the items, where
    to add them one by one as they stand here would give another one. Hashes of texts are others in each process."""
    _, key, depth = active().outside.made.get(id(x), (x, None, 0))
    kind = table_kind(x, None) if key is not None else PYTHON_OBJECT
    if kind != PYTHON_OBJECT and (holds_texts(kind) or list(set_of_items(list(x))) != list(x)):
        keep_at_run_time(active(), key, depth, kind)


def set_of_items(items: list[Any]) -> set[Any]:
    """A set to which the items were added one by one."""
    found: set[Any] = set()
    for item in items:
        found.add(item)
    return found


def copied_set(items: list[Any]) -> set[Any]:
    """A copy of a set to which the items were added one by one: it has them side by side as far as it can."""
    return set(set_of_items(items))


def united(items: list[Any]) -> set[Any]:
    """The union of a set and one with the same items: CPython makes room for those of both."""
    found = copied_set(items)
    found |= set(items)
    return found


def made_at_once(items: list[Any]) -> set[Any]:
    """A set with room for all items before they come: CPython makes it for a dict's."""
    found: set[Any] = set()
    found.update(dict.fromkeys(items))
    return found


@acts_for_program
def dict_of(x: Any) -> dict[Any, Any]:
    """A mapping, or pairs, as a dict: what cannot be one fails as the program's own call does."""
    return dict(x)


OF_KIND[set] = expect_order
