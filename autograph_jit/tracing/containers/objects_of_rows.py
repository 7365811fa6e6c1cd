"""How instances that are rows of tables leave: for each row one object of the class, made once a call."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from itertools import repeat
from typing import Any

from autograph_jit.records import dataclass
from autograph_jit.tracing.aliasing.row_classes import by_reference
from autograph_jit.tracing.structures.dict_rows import entries_writer, is_dict_row
from autograph_jit.tracing.structures.heaps import Picker
from autograph_jit.tracing.structures.rebuilding import LeafValues
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.trace import Restart, active
from autograph_jit.tracing.values.types import ValueType


class Objects:
    """What stands for rows in one call: objects by class, each made once; lists by that of their first parts, which may be in several."""

    def __init__(self, memo: dict[Any, Any], made: Callable[[type], RowObjects]) -> None:
        self.memo, self.made = memo, made

    def __call__(self, kind: type) -> RowObjects:
        if ("rows", kind) not in self.memo:
            self.memo["rows", kind] = self.made(kind)
        found: RowObjects = self.memo["rows", kind]
        return found

    def lists(self, first_parts: Iterable[Any], made: Iterable[list[Any]]) -> list[list[Any]]:
        """The lists with these first parts: those that were made already, or else these."""
        return [self.memo.setdefault(("list", id(part)), items) for part, items in zip(first_parts, made)]


Reader = Callable[[Any, Objects], list[Any]]

# Objects that lead to one another, each to the next, are made by rounds. After some, all that are left are made, if these are as few as
# take no longer than the rounds did.
FEW_ROUNDS, ROWS_OF_A_ROUND = 4, 32


class RowObjects:
    """The objects of the rows of one class in one call: the caller's, then those that are made where anybody asks for them. One is made
    first and filled later: they may refer to each other."""

    def __init__(self, kind: type, known: list[Any], pick: Picker | None = None) -> None:
        self.kind, self.known, self.pick = kind, known, pick
        self.made: dict[int, Any] = {}
        self.empty: list[int] = []
        self.rounds = 0

    def __getitem__(self, row: int) -> Any:
        return self.known[row] if row < len(self.known) else self.of([row])[0]

    def of(self, rows: list[int]) -> list[Any]:
        """The objects of these rows."""
        first = len(self.known)
        if first and (picked := picked_items(self.known, rows) if self.pick is None else self.pick(self.known, rows)) is not None:
            return picked
        new = [row for row in dict.fromkeys(rows) if row >= first and row not in self.made]
        if new:
            self.made.update(zip(new, [{} for _ in new] if is_dict_row(self.kind) else map(object.__new__, repeat(self.kind))))
            self.empty += new
        if not first:
            return list(map(self.made.__getitem__, rows))
        return [self.known[row] if row < first else self.made[row] for row in rows]

    def fill(self, columns: Sequence[tuple[str, list[Any], Reader]], objects: Objects) -> None:
        """Give those that are new their attributes."""
        write = entries_writer(self.kind, tuple(name for name, _, _ in columns))
        count = len(columns[0][1][0]) if columns else -1
        while self.empty:
            self.rounds += 1
            if self.rounds > FEW_ROUNDS and count - len(self.known) - len(self.made) <= ROWS_OF_A_ROUND * self.rounds:
                self.of(list(range(len(self.known), count)))
            rows, self.empty = self.empty, []
            is_all = len(rows) == count and rows == list(range(count))
            taken = (parts if is_all else [list(map(part.__getitem__, rows)) for part in parts] for _, parts, _ in columns)
            items = [read(iter(parts), objects) for parts, (_, _, read) in zip(taken, columns)]
            deque(map(write, map(self.made.__getitem__, rows), *items), maxlen=0)


def picked_items(items: list[Any], places: list[int]) -> list[Any] | None:
    """The items at some places; None where there is no such place."""
    return list(map(items.__getitem__, places)) if max(places, default=-1) < len(items) else None


@dataclass(slots=True, eq=False)
class TableObjects:
    """How the objects of one class are found in the leaf values: the lists of its attributes, in the order of the attributes; the caller's
    objects are those of the `heap`."""

    kind: type
    heap: int | None = None
    columns: list[tuple[str, list[int], Reader]] = field(default_factory=list)

    def objects(self, values: LeafValues) -> RowObjects:
        """Those of a call, the caller's first."""
        if self.heap is None:
            return RowObjects(self.kind, [])
        return RowObjects(self.kind, values[self.heap].objects.get(self.kind, []), values[self.heap].pick)


@dataclass(frozen=True, slots=True, eq=False)
class NestedObjects:
    """The same of lists or dicts: one of two leaves in one has those of all rows."""

    kind: type
    leaf: int
    place: int
    columns: tuple[Any, ...] = ()
    heap: None = None

    def objects(self, values: LeafValues) -> RowObjects:
        return RowObjects(self.kind, values[self.leaf][self.place])


class Builders:
    """The tables whose objects leave by one template."""

    def __init__(self) -> None:
        self.tables: dict[type, TableObjects | NestedObjects] = {}

    def objects(self, values: Sequence[Any]) -> Objects:
        """What is made in a call."""
        assert isinstance(values, LeafValues)
        return Objects(values.memo, lambda kind: self.tables[kind].objects(values))

    def fill(self, values: Sequence[Any]) -> None:
        """Give all objects that were made so far, and those that they refer to, their attributes."""
        objects = self.objects(values)
        while unfilled := [table for kind, table in self.tables.items() if objects(kind).empty]:
            for table in unfilled:
                columns = [(name, [values[place] for place in positions], read) for name, positions, read in table.columns]
                objects(table.kind).fill(columns, objects)


@dataclass(frozen=True, slots=True, eq=False)
class RowObject:
    """The object of one row."""

    builders: Builders
    kind: type
    row: int

    def __call__(self, values: Sequence[Any]) -> Any:
        found = self.builders.objects(values)(self.kind)[int(values[self.row])]
        self.builders.fill(values)
        return found


def builders_for(template: Template, kind: ValueType) -> Builders:
    """What makes the objects that elements of this kind refer to."""
    builders = template.shared.setdefault(id(Builders), (Builders, Builders()))[1]  # type: ignore[arg-type]
    assert isinstance(builders, Builders)
    if missing := [each for each in kind.classes if each not in active().aliasing.tables]:
        raise Restart(*map(by_reference, missing))  # such objects are no rows any more, or none yet
    for each in kind.classes:
        active().aliasing.tables[each].add_to(template, builders)
    return builders


@dataclass(frozen=True, slots=True, eq=False)
class ElementsOfRows:
    """The elements of a list, which may be rows."""

    builders: Builders
    read: Reader
    positions: list[int]

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        found = self.read(iter([values[position] for position in self.positions]), self.builders.objects(values))
        if self.builders.tables:
            self.builders.fill(values)
        return found
