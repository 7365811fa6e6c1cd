"""Which of the caller's lists a program may change: those that may be one list with a list that an operation writes to.

Before: a program that appends to a list of ints of its own gives every list of ints of the caller's its items back when it ends
After:  it gives back none of them, as no path makes one of the caller's the list that it appends to

Lists that may be one are of one class, found without regard to the order of operations, and so are the lists that stand in lists of one
class (B. Steensgaard, "Points-to analysis in almost linear time", 1996).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autograph_jit.ir.function import CALLS
from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.types import ListType, Type

GIVE_ITEMS, TAKE_ITEMS = ("list_get", "list_pop"), ("list_set", "list_push", "list_insert", "list_put")


class ListClass:
    """Lists that may be one."""

    def __init__(self, type_: ListType) -> None:
        self.type = type_
        self.joined: ListClass | None = None
        self.items: ListClass | None = None  # the lists in them
        self.is_written = False

    def found(self) -> ListClass:
        """The class that this one has become a part of."""
        if self.joined is None:
            return self
        self.joined = self.joined.found()
        return self.joined

    def item(self) -> ListClass | None:
        """The class of the lists in these."""
        own = self.found()
        if own.items is None and isinstance(own.type.elem, ListType):
            own.items = ListClass(own.type.elem)
        return own.items

    def join(self, other: ListClass) -> None:
        """These lists may be those of another class of the same type."""
        first, second = self.found(), other.found()
        if first is second:
            return
        second.joined, first.is_written = first, first.is_written or second.is_written
        if second.items is not None:
            item = first.item()
            assert item is not None
            item.join(second.items)


class ListClasses:
    """The classes of the lists of a graph."""

    def __init__(self, graph: Graph) -> None:
        self.known: dict[int, ListClass] = {}
        for operation in graph.walk():
            self.add(operation)

    def of(self, x: Value) -> ListClass:
        assert isinstance(x.type, ListType)
        return self.known.setdefault(id(x), ListClass(x.type)).found()

    def add(self, operation: Operation) -> None:
        """What an operation tells of lists."""
        for target in lists_among(operation.written):
            for each in list(self.levels(target))[: None if operation.name in CALLS else 1]:
                each.is_written = True
        operands, results = lists_among(operation.operands), lists_among(operation.results)
        if operation.name in GIVE_ITEMS or operation.name in TAKE_ITEMS:
            for item in (*operands[1:], *results):
                self.join_item(operands[0], item)
        elif operation.name == "list_copy":
            inner = self.of(results[0]).item()
            if inner is not None:
                self.join_item(operands[0], inner)
        elif operation.regions or results or operation.name in CALLS:
            inside = [value for region in operation.regions for value in (*region.args, *region.yields)]
            self.join_by_type([*operands, *results, *lists_among(inside)])

    def join_item(self, holder: Value, item: Value | ListClass) -> None:
        """A list may stand in another one."""
        inner = self.of(holder).item()
        assert inner is not None
        inner.join(item if isinstance(item, ListClass) else self.of(item))

    def join_by_type(self, values: Iterable[Value]) -> None:
        """Values of one type, or the lists in them, may be one list."""
        by_type: dict[Type, ListClass] = {}
        for value in values:
            each: ListClass | None = self.of(value)
            while each is not None:
                by_type.setdefault(each.type, each).join(each)
                each = each.item()

    def written_in(self, x: Value) -> tuple[ListType, ...]:
        """The types of those lists, of this one and those in it, that the program may write to."""
        return tuple(each.type for each in self.levels(x) if each.is_written)

    def levels(self, x: Value) -> Iterator[ListClass]:
        each: ListClass | None = self.of(x)
        while each is not None:
            yield each.found()
            each = each.item()


def lists_among(values: Iterable[Value]) -> list[Value]:
    return [value for value in values if isinstance(value.type, ListType)]


def find_written(graph: Graph) -> dict[int, tuple[ListType, ...]]:
    """For each value, by identity, that is a list of the caller's, or Python's, which of its lists the program may write to."""
    given = [*graph.block.args, *(result for operation in graph.walk() if operation.name == "host_call" for result in operation.results)]
    lists = lists_among(given)
    classes = ListClasses(graph) if lists else None
    return {id(x): classes.written_in(x) for x in lists} if classes is not None else {}
