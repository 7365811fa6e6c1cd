"""Prints a graph as readable text that `ir.parser` reads back.

Example::

    graph halve(%x: f64[s0], %n: i64) {
        %half: f64 = constant() {value = f64(0.5)}
        %y: f64[s0] = multiply(%x, %half) @model.py:12
        %k: i64 = while_loop(%n) do (%i: i64) {
            ...
            yield %go, %i
        } do (%j: i64) {
            ...
            yield %next
        }
        yield %y, %k
    }

Types print as `f64`, `f64[s0, 3]`, `object`, `list[i64]`; in attributes a NumPy scalar is `i64(3)`, a symbolic size `<s0+1>`, a dtype
`dtype(f64)`, an error `error(ValueError, "text")`. What has no text (functions, other objects) prints as a symbol `$name`; `symbols(graph)`
gives the objects of these names.
"""

from __future__ import annotations

import builtins
import json
import re
from typing import Any

import numpy as np

from autograph_jit.ir.dims import Dim
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import ErrorSpec
from autograph_jit.ir.types import SHORT_NAMES, ArrayType, ListType, ObjectType, ScalarType
from autograph_jit.source import SourceSpan

INDENT = "    "


def print_graph(graph: Graph, spans: bool = True) -> str:
    """The text of a graph, with a line break at its end."""
    return GraphText(graph, spans).text()


def symbols(graph: Graph) -> dict[str, Any]:
    """The objects that the graph's text names by `$name`, for the parser."""
    writer = GraphText(graph, spans=False)
    writer.text()
    return writer.objects


class GraphText:
    """Writes one graph; names values and symbols in the order of their definition."""

    def __init__(self, graph: Graph, spans: bool) -> None:
        self.graph, self.spans = graph, spans
        self.names: dict[Value, str] = {}
        self.taken: set[str] = set()
        self.objects: dict[str, Any] = {}
        self.lines: list[str] = []

    def text(self) -> str:
        self.lines.append(f"graph {self.graph.name}({self.define_all(self.graph.block.args)}) {{")
        self.write_block(self.graph.block, INDENT)
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"

    def define(self, value: Value) -> str:
        """Name a value: after its hint, else by number."""
        stem = re.sub(r"[^\w.]", "_", value.hint)
        name, count = stem or str(len(self.names)), 0
        while name in self.taken:
            count += 1
            name = f"{stem}.{count}" if stem else str(len(self.names) + count)
        self.taken.add(name)
        self.names[value] = f"%{name}"
        return f"%{name}: {value.type}"

    def define_all(self, values: list[Value]) -> str:
        return ", ".join(self.define(value) for value in values)

    def use(self, values: list[Value]) -> str:
        """Values by name; one that is not defined so far prints as `%?`."""
        return ", ".join(self.names.get(value, "%?") for value in values)

    def write_block(self, block: Block, indent: str) -> None:
        for operation in block.operations:
            self.write_operation(operation, indent)
        if not block.terminated:
            self.lines.append(f"{indent}yield {self.use(block.yields)}".rstrip())

    def write_operation(self, operation: Operation, indent: str) -> None:
        call = f"{operation.name}({self.use(operation.operands)})"
        if operation.attributes:
            label = str(operation.attributes.get("label", ""))
            call += " {" + ", ".join(f"{key} = {self.literal(value, label or key)}" for key, value in operation.attributes.items()) + "}"
        if operation.contract:
            call += " contract"
        if operation.unwind:
            call += f" unwind({self.use(operation.unwind)})"
        if self.spans and operation.span:
            call += f" @{span_text(operation.span)}"
        if operation.results:
            call = f"{self.define_all(operation.results)} = {call}"
        for region in operation.regions:
            self.lines.append(f"{indent}{call} do ({self.define_all(region.args)}) {{")
            self.write_block(region, indent + INDENT)
            call = "}"
        self.lines.append(indent + call)

    def symbol(self, value: Any, stem: str) -> str:
        """Name an object that has no text; the same object keeps its name."""
        stem = re.sub(r"\W", "_", stem) or "object"
        name, count = stem, 1
        while name in self.objects and self.objects[name] is not value:
            count += 1
            name = f"{stem}_{count}"
        self.objects[name] = value
        return f"${name}"

    def literal(self, value: Any, stem: str) -> str:
        """An attribute's text."""
        if isinstance(value, tuple | list):
            inside = ", ".join(self.literal(item, stem) for item in value)
            return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
        if type(value) is ErrorSpec:
            return f"error({self.exception_name(value.exception)}, {json.dumps(value.template)})"
        if isinstance(value, np.ndarray) and value.dtype.name in SHORT_NAMES:
            inside = ", ".join(number_text(item) for item in value.ravel())
            return f"array({ArrayType(value.dtype, tuple(value.shape))}, [{inside}])"
        return plain_literal(value) or self.symbol(value, stem)

    def exception_name(self, exception: type[Exception]) -> str:
        """A builtin exception by its name, another as a symbol."""
        return (
            exception.__name__ if getattr(builtins, exception.__name__, None) is exception else self.symbol(exception, exception.__name__)
        )


def plain_literal(value: Any) -> str | None:
    """The text of a value that needs no symbol; None where there is none."""
    if value is None or isinstance(value, bool | int):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, np.generic) and value.dtype.name in SHORT_NAMES:
        return f"{SHORT_NAMES[value.dtype.name]}({number_text(value)})"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Dim):
        return f"<{value}>"
    if isinstance(value, np.dtype) and value.name in SHORT_NAMES:
        return f"dtype({SHORT_NAMES[value.name]})"
    if isinstance(value, ScalarType | ArrayType | ObjectType | ListType):
        return str(value)
    return None


def number_text(value: np.generic) -> str:
    """The shortest text that reads back as the same number."""
    return repr(value.item()).strip("()")


def span_text(span: SourceSpan) -> str:
    """`file:line`, the file quoted where it holds anything unusual."""
    file, _, line = span.location().rpartition(":")
    usual = re.fullmatch(r"[\w.<>/-]+", file)
    return f"{file if usual else json.dumps(file)}:{line}"
