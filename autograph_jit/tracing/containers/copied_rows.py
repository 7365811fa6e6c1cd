"""Lists of tuples, dicts and sets in an argument: compiled code has copies of them, by columns, the same as long as they are only read.

Dicts of numbers and texts may be changed: they are made up to date when the call ends. No two may be one, then, nor another argument.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.given_sets import GivenSet
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import rows_reader_of
from autograph_jit.tracing.containers.native_tables import GivenTable, NativeTable, entries_of
from autograph_jit.tracing.containers.objects_of_rows import ElementsOfRows, builders_for
from autograph_jit.tracing.containers.sets import TracedSet
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.trace import Restart, Trace, active
from autograph_jit.tracing.values.types import PYTHON_OBJECT, ListOf, TableOf, ValueType

WRITTEN = "written rows"  # the decision that the dicts in an argument change


class Copied:
    """What an argument holds; where it is changed, leaves, goes into another container or is told from others, the argument is Python's."""

    key: Any

    def expect_only_read(self) -> NoReturn:
        (_, name), _ = self.key
        raise Restart(("dynamic", ("argument", name), PYTHON_OBJECT))

    def __template__(self, template: Template) -> Any:
        self.expect_only_read()


class CopiedRow(Copied, TracedList):
    """A list of tuples."""

    def another(self) -> TracedList:
        return TracedList()

    def change(self, added: Any = ()) -> bool:
        self.expect_only_read()

    def __setitem__(self, key: Any, value: Any) -> None:
        self.expect_only_read()


class CopiedTable(Copied):
    """A dict or set."""

    native_class: type[NativeTable] = GivenTable

    def note_change(self) -> None:
        self.expect_only_read()

    def kind_as_item(self) -> ValueType:
        self.expect_only_read()

    def restructure(self, kind: ValueType = PYTHON_OBJECT) -> None:
        self.expect_only_read()

    def keep_for_key(self, kind: ValueType) -> None:
        self.expect_only_read()


class CopiedDict(CopiedTable, TracedDict):
    """A dict."""

    copy = TracedDict.plain_copy

    def note_change(self) -> None:
        (_, name), _ = self.key
        if not self.kind.value.is_flat or (WRITTEN, name) in active().decisions:
            self.expect_only_read()
        raise Restart((WRITTEN, name))


class WrittenDict(CopiedDict):
    """One that the program changes."""

    native_class = NativeTable
    note_change = TracedDict.note_change

    def foresee(self, kind: ValueType) -> None:
        self.expect_only_read()


class WrittenRows:
    """All dicts in an argument, by the lists of their indices and of the columns of their keys and values."""

    is_native, merged = True, None

    def __init__(self, name: str, kind: TableOf, parts: list[Value], rows: list[dict[Any, Any]]) -> None:
        self.key, self.kind, self.parts, self.rows = (("rows of argument", name), 0), kind, parts, rows
        self.native, self.dynamic = self, parts[0]

    def contents(self, template: Template, have_gaps: bool) -> Rebuild:
        """What makes the entries of each dict, in their order."""
        positions, count = list(map(template.leaves.position, self.parts[1 - have_gaps :])), len(ListOf(self.kind.key).parts)
        index = positions.pop(0) if have_gaps else None
        assert self.kind.value is not None
        parts = ((self.kind.key, positions[:count]), (self.kind.value, positions[count:]))
        keys_of, values_of = (ElementsOfRows(builders_for(template, kind), rows_reader_of(ListOf(kind)), places) for kind, places in parts)

        def build(values: Any) -> list[Iterable[tuple[Any, Any]]]:
            columns = keys_of(values), values_of(values)
            return list(map(zip, *columns)) if index is None else list(map(entries_of, values[index], *columns))

        return build


def has_written_rows(trace: Trace, name: str) -> bool:
    """Whether dicts in an argument change."""
    return (WRITTEN, name) in trace.decisions


class CopiedSet(CopiedTable, GivenSet):
    """A set."""

    renamed = TracedSet.renamed

    def expect_no_order(self) -> NoReturn:
        self.expect_only_read()


for _kind, _name in ((CopiedRow, "list"), (CopiedDict, "dict"), (WrittenDict, "dict"), (CopiedSet, "set")):
    _kind.__name__ = _kind.__qualname__ = _name  # in the texts of errors that Python raises itself
    _kind.__module__ = "builtins"
