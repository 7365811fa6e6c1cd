"""Tables of dicts with constant texts as keys: a native list for each key, a row for each dict.

Before: `for row in rows: total += row["price"] * row["n"]` of a list of 1,000 dicts: 3,000 inputs and a guard for each
After:  a native list for each of "price" and "n", filled once when the call begins; `rows` holds row numbers
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MethodType
from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.ir.in_c import WHOLE
from autograph_jit.tracing.aliasing.references import COLUMN, InstanceReference
from autograph_jit.tracing.aliasing.row_classes import may_be_rows
from autograph_jit.tracing.containers.cell_tables import CellTable
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.function_tables import FunctionTable
from autograph_jit.tracing.containers.generator_tables import GeneratorTable
from autograph_jit.tracing.containers.instance_tables import InstanceTable
from autograph_jit.tracing.containers.nested_tables import NestedTable, TupleTable
from autograph_jit.tracing.sequences.dynamic import kind_of
from autograph_jit.tracing.structures.cells import is_cell
from autograph_jit.tracing.structures.dict_rows import is_dict_row, row_class_of
from autograph_jit.tracing.structures.function_rows import is_function_row
from autograph_jit.tracing.structures.generator_rows import is_generator_row
from autograph_jit.tracing.values.abstract import StagedScalar, check
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.nesting import is_nested
from autograph_jit.tracing.values.trace import Restart, Trace, active, in_c
from autograph_jit.tracing.values.types import Optional, Scalar


def new_table(kind: type) -> InstanceTable:
    """A new table for the instances of a class, or for dicts."""
    if is_nested(kind):
        return (TupleTable if hasattr(kind, "length") else NestedTable)(kind)
    if is_function_row(kind) or is_cell(kind):
        return (CellTable if is_cell(kind) else FunctionTable)(kind)
    if is_generator_row(kind):
        return GeneratorTable(kind)
    return (DictTable if is_dict_row(kind) else InstanceTable)(kind)


def open_tables(trace: Trace) -> None:
    """The tables that earlier traces asked for, with the attributes that were found in loops or branches: what an operation that fails
    leaves to the caller may hold instances that a later one makes, an iteration before."""
    for decision in trace.decisions:
        if decision[0] == "rows" and may_be_rows(trace, decision[1]):
            trace.aliasing.tables.setdefault(decision[1], new_table(decision[1]))  # one of the caller's rows may be there
    for decision in trace.decisions:
        if decision[0] == "dynamic" and decision[1][0][0] == COLUMN and decision[1][0][1] in trace.aliasing.tables:
            _, kind, name = decision[1][0]
            trace.aliasing.tables[kind].open_column(name)


def row_made(trace: Trace, items: dict[Any, Any]) -> DictReference | None:
    """A dict that the program makes, as a new row; None where there is no table of dicts with these keys."""
    kind = row_class_of([items]) if trace.aliasing.tables else None
    made: DictReference | None = trace.aliasing.tables[kind].add(items) if kind in trace.aliasing.tables else None
    return made


class DictReference(InstanceReference):
    """The stand-in of a dict that is a row of a table. What only looks at its entries reads a dict of them; what the table has no form for
    makes it a dict again."""

    __slots__ = ()
    __rebuilt_type__ = dict

    @acts_for_program
    def __getitem__(self, key: Any) -> Any:
        if self.table.may_have(key):
            found = self.table.value(self, key)
            check(found.present.value, KeyError, key.replace("{", "{{").replace("}", "}}"))
            return found.content
        if not self.table.knows(key) and self.table.lacks(key):
            raise KeyError(key)
        return self.table.value(self, key) if self.table.knows(key) else self.table.entries(self)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.table.knows(key) and not self.table.may_have(key):
            self.table.be_given(key, value)
        self.table.store(self, key, value)

    def __delitem__(self, key: Any) -> None:
        self.table.give_up()

    def __contains__(self, key: Any) -> Any:
        if self.table.may_have(key):
            return self.table.value(self, key).present
        is_known = self.table.knows(key)
        return is_known if is_known or self.table.lacks(key) else language.compare("in", key, self.table.entries(self))

    def __len__(self) -> int:
        return len(self.table.entries(self))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.table.entries(self))

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self.table.entries(self))  # type: ignore[no-any-return]

    def __eq__(self, other: Any) -> Any:
        self.table.give_up()

    __ne__ = __or__ = __ror__ = __ior__ = __eq__

    @acts_for_program
    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'dict'")

    def get(self, key: Any, default: Any = None, /) -> Any:
        if self.table.may_have(key):
            found = self.table.value(self, key)
            return language.if_exp(found.present, lambda: found.content, lambda: default)
        if not self.table.knows(key) and self.table.lacks(key):
            return default
        return self.table.value(self, key) if self.table.knows(key) else self.table.entries(self).get(key, default)

    def keys(self) -> Any:
        return self.table.entries(self).keys()

    def values(self) -> Any:
        return self.table.entries(self).values()

    def items(self) -> Any:
        return self.table.entries(self).items()

    def copy(self) -> Any:
        return self.table.entries(self)


LOOKING = ("get", "keys", "values", "items", "copy")


class DictTable(InstanceTable):
    """The entries of dicts with the same keys."""

    def reference(self, row: Value) -> DictReference:
        return DictReference(self, row)

    def entry(self, x: Any, name: str, default: Any) -> Any:
        return x.get(name, default)

    def knows(self, key: Any) -> bool:
        """Whether each of the dicts has a key."""
        return isinstance(key, str) and self.has(key) and key not in self.added

    @property
    def added(self) -> set[str]:
        """The keys that the program gives to some of the caller's dicts, none of which has them before: columns that may be None."""
        return {decision[2] for decision in active().decisions if decision[:2] == ("added", self.kind)}

    def may_have(self, key: Any) -> bool:
        """Whether a key is one of these."""
        return isinstance(key, str) and key in self.added and self.has(key)

    def be_given(self, key: Any, value: Any) -> None:
        """Trace again with a key that the program gives to dicts: one, since which of several comes first only the run knows."""
        kind = kind_of(value) if isinstance(key, str) and self.lacks(key) and not self.names and not self.added else None
        if self.callers is None or not isinstance(kind, Scalar):
            self.give_up()
        raise Restart(("added", self.kind, key), ("dynamic", ((COLUMN, self.kind, key), 0), Optional(kind)))

    def has(self, name: str) -> bool:
        if name not in self.columns and name in self.added and self.callers is not None:
            self.columns[name] = self.callers.new_empty(self, name)
        return super().has(name)

    def add(self, fields: dict[str, Any]) -> InstanceReference:
        if self.added:
            self.give_up()
        return super().add(fields)

    def lacks(self, key: Any) -> bool:
        """Whether a key is a constant that none of the dicts has; of the caller's none may have it from then on."""
        if not isinstance(key, str) or self.has(key):
            return False
        if self.callers is not None:
            self.callers.plan.absent.setdefault(self.kind, set()).add(key)
        return True

    def value(self, x: InstanceReference, key: str) -> Any:
        """An entry under a key that each of the dicts has."""
        with in_c(WHOLE):
            return self.columns[key].native.get(StagedScalar(x.value, True))

    def entries(self, x: InstanceReference) -> TracedDict:
        """The entries of a row as a dict of the trace's; of the caller's dicts all have these keys and no other."""
        if self.added:
            self.give_up()
        if self.callers is not None:
            self.callers.plan.whole.add(self.kind)
        names = self.names or self.callers.fields(self.kind)
        return TracedDict.made({name: self.value(x, name) for name in names if self.has(name)})

    def attribute(self, x: InstanceReference, name: str) -> Any:
        if name in LOOKING:
            return MethodType(vars(DictReference)[name], x)
        if hasattr(dict, name):
            self.give_up()
        raise AttributeError(f"'dict' object has no attribute '{name}'", name=name)


DictReference.__name__ = DictReference.__qualname__ = "dict"  # in the texts of errors that Python raises itself
