"""`d.keys() & other` and the like: operators of the keys and items of a dict of compiled code give sets."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, KeysView
from functools import partial
from typing import Any

from autograph_jit.tracing.containers.set_kinds import kind_of_items
from autograph_jit.tracing.containers.sets import COMPARISONS, TracedSet
from autograph_jit.tracing.containers.table_views import TableView
from autograph_jit.tracing.sequences.dynamic import decided
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active
from autograph_jit.tracing.values.types import PYTHON_OBJECT


def install() -> None:
    """The operators by Python's names."""
    for name, use in VIEW_OPERATORS.items():
        setattr(TableView, f"__{name}__", of_views(use))


def set_from(x: Any) -> TracedSet:
    """The keys or items of a table, or the items of a known set, as a set of the run."""
    kind, key = kind_of_items(x), active().occurrence(("view",))
    is_python = decided(active(), key) == PYTHON_OBJECT
    made = TracedSet.of_kind(kind, key) if kind is not None and not is_python else None
    if made is None and isinstance(x, TableView):
        x.table.keep_for_key(PYTHON_OBJECT)
    assert made is not None
    made.fill(x)
    return made


def common_of_views(view: TableView, other: Any) -> TracedSet:
    """`d.keys() & other`: what is smaller is gone through."""
    keys = set_from(view)
    theirs, made = keys.as_set(other), keys.empty()
    is_set = isinstance(other, (set, frozenset))

    def search(source: Any, found: TracedSet) -> None:
        language.for_each(source, lambda item: language.if_exp(found.contains(item), lambda: made.put(item), lambda: None))

    few = keys.length() <= theirs.length() if is_set else keys.length() < theirs.length()
    language.if_exp(few, lambda: search(view, theirs), lambda: search(other if isinstance(other, TableView) else theirs, keys))
    return made


def changed(found: TracedSet, change: Callable[[TracedSet, Any], None], other: Any) -> TracedSet:
    change(found, found.as_set(other))
    return found


def compared(compare: Callable[[TracedSet, TracedSet], Any], view: TableView, other: Any) -> Any:
    keys = set_from(view)
    return compare(keys, keys.as_set(other))


VIEW_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "and": common_of_views,
    "rand": common_of_views,
    "or": lambda view, other: changed(set_from(view), TracedSet.update, other),
    "sub": lambda view, other: changed(set_from(view), TracedSet.take_out, other),
    "xor": lambda view, other: changed(set_from(view), TracedSet.exchange, other),
    "ror": lambda view, other: changed(set_from(view).as_set(other).copy(), TracedSet.update, view),
    "rsub": lambda view, other: changed(set_from(view).as_set(other).copy(), TracedSet.take_out, view),
    "rxor": lambda view, other: changed(set_from(view).as_set(other).copy(), TracedSet.exchange, view),
    **{name: partial(compared, compare) for name, compare in COMPARISONS.items()},
}


def of_views(use: Callable[[TableView, Any], Any]) -> Callable[[TableView, Any], Any]:
    """An operator of keys or items and a set, keys or items."""

    @acts_for_program
    def method(self: TableView, other: Any) -> Any:
        is_set = isinstance(other, (set, frozenset, KeysView, ItemsView)) or isinstance(other, TableView) and other.name != "values"
        return use(self, other) if is_set and self.name != "values" else NotImplemented

    return method
