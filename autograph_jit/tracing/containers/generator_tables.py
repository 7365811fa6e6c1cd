"""Tables of generators that are kept: a row for each, whose variables have a value from the `yield` on that keeps them first."""

from __future__ import annotations

from types import MethodType
from typing import Any, NoReturn

from autograph_jit.ir.in_c import WHOLE
from autograph_jit.tracing.aliasing.references import COLUMN, InstanceReference
from autograph_jit.tracing.containers.instance_tables import InstanceTable
from autograph_jit.tracing.joining.placeholders import placeholder
from autograph_jit.tracing.sequences.dynamic import kind_of
from autograph_jit.tracing.structures.generator_rows import LOOKED_AT, PLACE, cannot_leave, not_there
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedScalar, Undefined
from autograph_jit.tracing.values.trace import Restart, emit, in_c

METHODS = ("__iter__", "__next__", "send")


class GeneratorTable(InstanceTable):
    """What the generators of a function keep."""

    def add(self, fields: dict[str, Any]) -> InstanceReference:
        """A new row, of a generator that nothing has advanced yet."""
        self.names = tuple(fields)
        columns = {name: self.column(name, value) for name, value in fields.items()}
        row = emit("list_len", columns[PLACE].native.parts[0]).result
        for name, column in columns.items():
            column.native.push(fields[name])
        for name, column in self.columns.items():
            if name not in fields:
                column.native.push_numbers(placeholder(column.kind))
        return self.reference(row)

    def kept(self, x: InstanceReference, name: str) -> Any:
        """What the generator of a row keeps under a name; nothing has kept any yet where there is no list."""
        if not self.has(name):
            return Undefined(name)
        with in_c(WHOLE):
            return self.columns[name].native.get(StagedScalar(x.value, True))

    def store(self, x: InstanceReference, name: str, value: Any) -> None:
        if not self.has(name):
            kind = kind_of(value)
            self.expect_native(kind)
            raise Restart(("dynamic", ((COLUMN, self.kind, name), 0), kind))
        super().store(x, name, value)

    def attribute(self, x: InstanceReference, name: str) -> Any:
        if name in METHODS:
            return MethodType(getattr(self.kind, name), x)
        if name in LOOKED_AT or name.startswith("__"):
            raise not_there(name)
        raise AttributeError(f"'generator' object has no attribute '{name}'", name=name)

    def set_attribute(self, x: InstanceReference, name: str, value: Any) -> NoReturn:
        raise not_there(name)

    def add_to(self, template: Template, builders: Any) -> NoReturn:
        raise cannot_leave(self.kind)

    def rebuild(self, template: Template, x: InstanceReference) -> NoReturn:
        raise cannot_leave(self.kind)
