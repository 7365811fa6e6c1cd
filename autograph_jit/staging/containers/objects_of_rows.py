"""How instances that are rows of tables leave: for each row one object of the class, made once a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from autograph_jit.records import dataclass
from autograph_jit.staging.rebuilding import LeafValues, Rebuild
from autograph_jit.staging.templates import Template
from autograph_jit.staging.trace import active

Objects = Callable[[type], list[Any]]
Reader = Callable[[Any, Objects], list[Any]]


def no_objects(kind: type) -> list[Any]:
    """For elements among which there are no instances."""
    raise NotImplementedError(kind.__name__)


@dataclass(slots=True, eq=False)
class TableObjects:
    """The objects of the rows of one class: the caller's, of the `heap`, then those that are made first and filled then, since they may
    refer to each other."""

    kind: type
    builders: dict[type, TableObjects]
    heap: int | None = None
    columns: list[tuple[str, list[int], Reader]] = field(default_factory=list)

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        assert isinstance(values, LeafValues)
        key = "rows", self.kind
        if key not in values.memo:
            made = values.memo[key] = [] if self.heap is None else list(values[self.heap].objects.get(self.kind, ()))
            known, rows = len(made), len(values[self.columns[0][1][0]]) if self.columns else 0
            made += [object.__new__(self.kind) for _ in range(known, rows)]
            for name, positions, read in self.columns if rows > known else ():
                items = read(iter([values[position] for position in positions]), resolver(self.builders, values))
                for instance, item in zip(made[known:], items[known:], strict=True):
                    object.__setattr__(instance, name, item)
        return values.memo[key]  # type: ignore[no-any-return]


def resolver(builders: dict[type, TableObjects], values: Sequence[Any]) -> Objects:
    """What gives the objects of a class's rows in this call."""
    return lambda kind: builders[kind](values)


@dataclass(frozen=True, slots=True, eq=False)
class RowObject:
    """The object of one row."""

    objects: TableObjects
    row: int

    def __call__(self, values: Sequence[Any]) -> Any:
        return self.objects(values)[int(values[self.row])]


def classes_in(kind: tuple[Any, ...]) -> list[type]:
    """The classes of the instances that elements of this kind refer to."""
    if kind[0] == "record":
        return [kind[1]]
    inner = kind[2] if kind[0] == "tuple" else kind[1:] if kind[0] in ("list", "table") else ()
    return [found for part in inner if part is not None for found in classes_in(part)]


def builders_for(template: Template, kind: tuple[Any, ...]) -> dict[type, TableObjects]:
    """What makes the objects that elements of this kind refer to."""
    found: dict[type, TableObjects] = {}
    for each in classes_in(kind):
        found |= active().tables[each].builders(template)
    return found


def of_builders(builders: dict[type, TableObjects], read: Reader, positions: list[int]) -> Rebuild:
    """A function from the leaf values to the elements that some of them hold."""

    def build(values: Sequence[Any]) -> list[Any]:
        return read(iter([values[position] for position in positions]), resolver(builders, values))

    return build
