"""The lists of tuples in an argument: compiled code has copies of them, by columns, which is the same as long as they are only read."""

from __future__ import annotations

from typing import Any

from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.trace import Restart
from autograph_jit.tracing.values.types import PYTHON_OBJECT


class CopiedRow(TracedList):
    """A row of an argument; where it is changed, leaves, goes into another container or is told from others, the argument is Python's."""

    def expect_only_read(self) -> Any:
        (_, name), _ = self.key
        raise Restart(("dynamic", ("argument", name), PYTHON_OBJECT))

    def change(self, added: Any = ()) -> bool:
        return bool(self.expect_only_read())

    def __setitem__(self, key: Any, value: Any) -> None:
        self.expect_only_read()

    def __template__(self, template: Template) -> Any:
        return self.expect_only_read()


CopiedRow.__name__ = CopiedRow.__qualname__ = "list"  # in the texts of errors that Python raises itself
CopiedRow.__module__ = "builtins"
