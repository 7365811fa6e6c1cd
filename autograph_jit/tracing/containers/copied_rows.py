"""Lists of tuples, dicts and sets in an argument: compiled code has copies of them, by columns, the same as long as they are only read."""

from __future__ import annotations

from typing import Any, NoReturn

from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.given_sets import GivenSet
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_tables import GivenTable, NativeTable
from autograph_jit.tracing.containers.sets import TracedSet
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.trace import Restart
from autograph_jit.tracing.values.types import PYTHON_OBJECT, ValueType


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


class CopiedSet(CopiedTable, GivenSet):
    """A set."""

    renamed = TracedSet.renamed

    def expect_no_order(self) -> NoReturn:
        self.expect_only_read()


for _kind, _name in ((CopiedRow, "list"), (CopiedDict, "dict"), (CopiedSet, "set")):
    _kind.__name__ = _kind.__qualname__ = _name  # in the texts of errors that Python raises itself
    _kind.__module__ = "builtins"
