"""Tables of captured variables that change: a native list of what a variable holds, with a row for each call of the function that has it.

A variable that something may read before it has a value has a second list, which says whether it has one.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.ir.in_c import WHOLE
from autograph_jit.ir.types import ScalarType
from autograph_jit.tracing.aliasing.references import COLUMN, InstanceReference
from autograph_jit.tracing.containers.instance_tables import InstanceTable
from autograph_jit.tracing.sequences.dynamic import decided, kind_of
from autograph_jit.tracing.structures.cells import cell_class
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedScalar, check, unbound_message
from autograph_jit.tracing.values.trace import Restart, active, constant, emit, in_c
from autograph_jit.tracing.values.types import NEVER

CONTENTS, IS_BOUND = "contents", "is_bound"


class CellTable(InstanceTable):
    """What a variable holds in each call of the function that has it."""

    def reference(self, row: Value) -> InstanceReference:
        return InstanceReference(self, row)

    def add_unbound(self) -> InstanceReference:
        """A new row, of a variable that has no value yet. What it will hold is known from an earlier trace; otherwise this one ends where
        it gets its first value."""
        kind = decided(active(), ((COLUMN, self.kind, CONTENTS), 0))
        if kind is None:
            return self.reference(constant(np.int64(0)))
        parts = [part for part in kind.parts if isinstance(part, ScalarType) and part.dtype.kind in "biufc"]
        if kind == NEVER or not kind.is_flat or len(parts) < len(kind.parts):
            self.give_up()
        self.names = CONTENTS, IS_BOUND
        if CONTENTS not in self.columns:
            self.open_column(CONTENTS)
        flags = self.column(IS_BOUND, False)
        row = emit("list_len", flags.native.parts[0]).result
        flags.native.push(False)
        self.columns[CONTENTS].native.push_numbers([constant(part.dtype.type(0)) for part in parts])
        return self.reference(row)

    def attribute(self, x: InstanceReference, name: str) -> Any:
        """What the variable holds; `name` says which function reads it."""
        variable: str = self.kind.variable[2]  # type: ignore[attr-defined]
        is_own = name == CONTENTS
        free = f"cannot access free variable '{variable}' where it is not associated with a value in enclosing scope"
        error, message = (UnboundLocalError, unbound_message(variable)) if is_own else (NameError, free)
        if not self.has(CONTENTS):
            raise error(message)
        with in_c(WHOLE):
            if self.has(IS_BOUND):
                check(self.columns[IS_BOUND].native.get(StagedScalar(x.value, True)).value, error, message)
            return self.columns[CONTENTS].native.get(StagedScalar(x.value, True))

    def set_attribute(self, x: InstanceReference, name: str, value: Any) -> None:
        if not self.has(CONTENTS):
            kind = kind_of(value)
            self.expect_native(kind)
            raise Restart(("dynamic", ((COLUMN, self.kind, CONTENTS), 0), kind))
        self.store(x, CONTENTS, value)
        if self.has(IS_BOUND):
            self.store(x, IS_BOUND, True)

    def add_to(self, template: Template, builders: Any) -> NoReturn:
        self.give_up()

    def rebuild(self, template: Template, x: InstanceReference) -> NoReturn:
        self.give_up()


def new_cell(filename: str, line: int, name: str, *value: Any) -> Any:
    """The cell of a variable in a call of the function that has it, with its first value where it has one already."""
    kind = cell_class((filename, line, name))
    table: CellTable | None = active().aliasing.tables.get(kind)
    if table is None:
        raise Restart(("rows", kind))
    return table.add({CONTENTS: value[0]}) if value else table.add_unbound()
