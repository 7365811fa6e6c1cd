"""Frozensets of the run: their items stand in a table of compiled code that nothing else refers to.

Before: `taken | {column}` of a frozenset: a call of Python
After:  the table of a new one, with the slots that CPython's has; what has no rule here is done with the object that it is in Python
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import islice
from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.ops.set_slots import retyped
from autograph_jit.tracing.containers.entries import set_of
from autograph_jit.tracing.containers.native_tables import NativeTable
from autograph_jit.tracing.containers.set_kinds import kind_of_items
from autograph_jit.tracing.containers.sets import COMPARISONS, MAKING, TracedSet, items_of_frozen, of_sets
from autograph_jit.tracing.containers.unchanging import Unchanging
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.joining.descriptions import FORMS
from autograph_jit.tracing.joining.tuples import kind_of_frozen_set
from autograph_jit.tracing.objects.opaque import NATIVE_METHODS
from autograph_jit.tracing.sequences.dynamic import decided
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.trace import active, note_tracer
from autograph_jit.tracing.values.types import PYTHON_OBJECT, TableOf

OF_FROZEN = ("frozenset",)  # the key of the items of all of them
OPERATORS = {"|": "union", "&": "intersection", "-": "difference", "^": "symmetric_difference"}
ORDERINGS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


class TracedFrozenSet(Unchanging):
    """A frozenset with its `items`, a set."""

    __slots__ = ()

    def __init__(self, items: TracedSet) -> None:
        self.items, self.python_type, self.source = items, frozenset, None
        note_tracer(self)

    @property
    def value(self) -> Value:  # type: ignore[override]
        return host_object(lambda made: made, self, label="frozenset", python_type=frozenset, pure=True, fails=False).value

    @classmethod
    def of_parts(cls, kind: TableOf, parts: list[Value]) -> TracedFrozenSet:
        """A frozenset of a kind from its graph values."""
        items = TracedSet()
        items.key, items.depth, items.kind = OF_FROZEN, len(active().regions), kind
        items.native = NativeTable(kind, [*parts, None])  # type: ignore[list-item]  # nothing asks which one it is
        items.dynamic = items.native.index
        return cls(items)

    @staticmethod
    def parts_of(kind: TableOf, x: Any) -> list[Value]:
        """The graph values of a frozenset under a kind that covers it."""
        return (x.items if isinstance(x, TracedFrozenSet) else table_of_known(kind, x)).native.parts

    def kind_where_paths_meet(self) -> TableOf | None:
        return None if is_pythons() else self.items.kind

    def listed(self) -> Any:
        return self.items.listed()

    def __template__(self, template: Template) -> Rebuild:
        native = self.items.native
        native.close_gaps()
        return native.template(template, False, frozen_set_of, template.leaves.position(native.order("place")))


def frozen_set_of(items: list[Any], places: list[int]) -> frozenset[Any]:
    """A table's items as a frozenset of Python that has them in the same order."""
    wanted = [items[position] for position in places[: len(items)]]
    found = frozenset(wanted)
    return found if all(map(operator.is_, found, wanted)) else retyped(set_of(items, places))


def is_pythons() -> bool:
    """Whether frozensets of the run have turned out to be objects of Python's."""
    return decided(active(), OF_FROZEN) is not None


def table_of_known(kind: TableOf, x: frozenset[Any]) -> TracedSet:
    """The items of a frozenset that the trace knows as a table of a kind."""
    made = TracedSet.of_kind(kind, OF_FROZEN)
    assert made is not None
    for item in x:
        made.put(item)
    return made


def as_frozen_set(made: TracedSet) -> TracedFrozenSet:
    """The frozenset of a set that nothing else refers to."""
    made.key, made.depth = OF_FROZEN, len(active().regions)
    return TracedFrozenSet(made)


def items_behind(x: Any, other: Any) -> TracedSet | None:
    """The items of a frozenset, beside another operand, as a set of compiled code; None of what none holds."""
    if isinstance(x, TracedFrozenSet):
        return x.items
    if isinstance(x, TracedSet):
        return x
    kind = kind_of_frozen_set(x, kind_of_items(other)) if type(x) is frozenset else PYTHON_OBJECT
    return table_of_known(kind, x) if isinstance(kind, TableOf) and TableOf(kind.key, None) == kind_of_items(other) else None


def binary(symbol: str, x: Any, y: Any) -> Any:
    """`x symbol y` where one is a frozenset of the run, and compiled code has both; NotImplemented elsewhere."""
    if is_pythons() or not isinstance(x, TracedFrozenSet) and not isinstance(y, TracedFrozenSet):
        return NotImplemented
    is_set = [isinstance(each, (TracedFrozenSet, TracedSet, set, frozenset)) for each in (x, y)]
    first, second = items_behind(x, items_of_frozen(y)), items_of_frozen(y)
    if not all(is_set) or first is None or kind_of_items(second) not in (None, first.kind):
        return NotImplemented
    if symbol in ORDERINGS:
        return COMPARISONS[ORDERINGS[symbol]](first, first.as_set(second))
    if symbol not in OPERATORS or not isinstance(x, (TracedFrozenSet, frozenset)):
        return NotImplemented
    return as_frozen_set(MAKING[OPERATORS[symbol]](first, second))


def reflected(step: Callable[[TracedSet, Any], TracedSet]) -> Callable[[TracedSet, Any], Any]:
    """An operator of a set of the run behind its left operand, of whose class the new one is."""
    of_two = of_sets(lambda x, y: step(y, x))

    def method(self: TracedSet, other: Any) -> Any:
        if not isinstance(other, frozenset):
            return of_two(self, other)
        items = None if is_pythons() else items_behind(other, self)
        if items is None:
            return self.keep_for_key(PYTHON_OBJECT)
        return as_frozen_set(step(items, self))

    return method


def frozen_method(step: Callable[[TracedSet, Any], Any], is_question: bool) -> Callable[..., Any]:
    """A method of a frozenset of the run, given one other; Python's for what compiled code has no items of."""

    def method(owner: StagedObject, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not isinstance(owner, TracedFrozenSet) or is_pythons() or len(args) != 1 or kwargs:
            return NotImplemented
        other = items_of_frozen(args[0])
        if kind_of_items(other) not in (None, owner.items.kind):
            return NotImplemented
        found = step(owner.items, other)
        return found if is_question else as_frozen_set(found)

    return method


def copy_of(owner: StagedObject, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`owner.copy()`: itself."""
    return owner if isinstance(owner, TracedFrozenSet) and not args and not kwargs else NotImplemented


for _name, _symbol in (("or", "|"), ("and", "&"), ("sub", "-"), ("xor", "^")):
    _step = MAKING[OPERATORS[_symbol]]
    setattr(TracedSet, f"__r{_name}__", reflected(_step))
    NATIVE_METHODS[frozenset, OPERATORS[_symbol]] = frozen_method(_step, False)
for _name in ("issubset", "issuperset", "isdisjoint"):
    NATIVE_METHODS[frozenset, _name] = frozen_method(getattr(TracedSet, _name), True)
NATIVE_METHODS[frozenset, "copy"] = copy_of
FORMS[TableOf] = (
    TracedFrozenSet.parts_of,
    lambda kind, values: TracedFrozenSet.of_parts(kind, list(islice(values, len(kind.parts)))),
)
