"""Instances of users' classes in compiled code, by reference: the number of a row in the table of the class.

Before: `nodes.append(Node(i))` in a loop, then `nodes[k].weight += 1.0`
After:  one native list for each attribute of `Node`; the list `nodes` holds row numbers, the attribute is an item of its list at the row
"""

from __future__ import annotations

from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.aliasing.row_classes import as_no_rows, may_be_rows
from autograph_jit.tracing.structures.templates import is_made_here
from autograph_jit.tracing.values.abstract import StagedObject, StagedScalar
from autograph_jit.tracing.values.trace import Restart, active, emit, note_tracer

COLUMN = "column"


class InstanceReference:
    """The stand-in of an instance that is a row of a table. Its class has the special methods of the user's, which Python looks up."""

    __slots__ = ("table", "value", "__weakref__")
    __array_ufunc__ = None

    def __init__(self, table: Any, value: Value) -> None:
        self.table, self.value = table, value
        note_tracer(self)

    @property
    def instance_class(self) -> type:
        """The user's class."""
        kind: type = self.table.kind
        return kind

    def __getattr__(self, name: str) -> Any:
        return self.table.attribute(self, name)

    def __eq__(self, other: Any) -> Any:
        return is_same_instance(self, other) if isinstance(other, InstanceReference) else NotImplemented

    def __ne__(self, other: Any) -> Any:
        return is_other_instance(self, other) if isinstance(other, InstanceReference) else NotImplemented

    def __hash__(self) -> int:
        raise Restart(as_no_rows(self.table.kind))

    def __staged_object__(self) -> StagedObject:
        """Python would be given a copy: instances of the class are no rows instead."""
        raise Restart(as_no_rows(self.table.kind))

    def __template__(self, template: Any) -> Any:
        """How the instance leaves: as the object of its row."""
        return self.table.rebuild(template, self)


def is_same_instance(x: InstanceReference, y: InstanceReference) -> Any:
    """`x is y`."""
    return x.table is y.table and StagedScalar(emit("equal", x.value, y.value).result, True)


def is_other_instance(x: InstanceReference, y: InstanceReference) -> Any:
    """`x is not y`."""
    return x.table is not y.table or StagedScalar(emit("not_equal", x.value, y.value).result, True)


def class_of(x: Any) -> type | None:
    """The class of an instance that is a row of a table, or can become one; None for anything else."""
    if isinstance(x, InstanceReference):
        return x.instance_class
    return type(x) if is_made_here(x) and may_be_rows(active(), type(x)) else None


def referred(kind: type, value: Value) -> InstanceReference:
    """The stand-in of the instance in a row of the table of a class."""
    table = active().aliasing.tables.get(kind)
    if table is None:
        raise Restart(("rows", kind))
    found: InstanceReference = table.reference(value)
    return found


def row_of(kind: type, x: Any) -> Value:
    """The row of an instance of a class: where it is none yet, trace again with all of them as rows; where it is another one,
    without rows."""
    if isinstance(x, InstanceReference) and x.table.kind is kind:
        return x.value
    raise Restart(as_no_rows(kind) if kind in active().aliasing.tables else ("rows", kind))
