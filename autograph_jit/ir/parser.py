"""Reads the text that `ir.printer` prints back into a graph."""

from __future__ import annotations

import builtins
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.dims import Size, normalize
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import ErrorSpec, OpDef
from autograph_jit.ir.types import LONG_NAMES, OBJECT, TEXT_REFERENCES, ArrayType, ListType, ScalarType, Type
from autograph_jit.source import SourceSpan

NUMBER = r"[-+]?(?:nan|inf|\d[\d.]*(?:[eE][-+]?\d+)?)"
NAME = r"[A-Za-z_]\w*"


def parse_graph(text: str, get: Callable[[str], OpDef], symbols: Mapping[str, Any] | None = None) -> Graph:
    """The graph of a text; `get` finds operations by name, `symbols` gives the objects that the text names by `$name`."""
    return GraphReader(text, get, symbols or {}).graph()


class GraphReader:
    """Reads one text from left to right."""

    def __init__(self, text: str, get: Callable[[str], OpDef], symbols: Mapping[str, Any]) -> None:
        self.text, self.get, self.symbols = text, get, symbols
        self.position = 0
        self.values: dict[str, Value] = {}

    def fail(self, expected: str) -> GraphError:
        """An error that shows where the text stops making sense."""
        line = self.text.count("\n", 0, self.position) + 1
        return GraphError(f"line {line}: expected {expected}, found {self.text[self.position : self.position + 30]!r}")

    def skip_space(self) -> None:
        match = re.compile(r"(?:\s|#[^\n]*)*").match(self.text, self.position)
        self.position = match.end() if match else self.position

    def take(self, pattern: str) -> str | None:
        """The text that matches here, if any does."""
        self.skip_space()
        match = re.compile(pattern).match(self.text, self.position)
        if match is None:
            return None
        self.position = match.end()
        return match.group()

    def expect(self, pattern: str, what: str = "") -> str:
        found = self.take(pattern)
        if found is None:
            raise self.fail(what or repr(pattern.replace("\\", "")))
        return found

    def separated(self, read: Callable[[], Any], end: str) -> list[Any]:
        """Items separated by commas, up to and with the closing text; a comma may stand last."""
        items = []
        while self.take(end) is None:
            items.append(read())
            if self.take(",") is None:
                self.expect(end)
                break
        return items

    def graph(self) -> Graph:
        self.expect("graph")
        graph = Graph(self.expect(r"[^\s(]+", "a name"))
        self.block(graph.block)
        self.skip_space()
        if self.position != len(self.text):
            raise self.fail("the end of the text")
        return graph

    def block(self, block: Block) -> None:
        """Arguments, operations, yield."""
        self.expect(r"\(")
        self.separated(lambda: self.argument(block), r"\)")
        self.expect(r"\{")
        while True:
            if self.take(r"yield\b") is not None:
                block.yields = self.uses_up_to_line_end()
                self.expect(r"\}")
                return
            if self.take(r"\}") is not None:
                block.terminated = True
                return
            self.operation(block)

    def uses_up_to_line_end(self) -> list[Value]:
        values: list[Value] = []
        while self.take(r"%|,\s*%") is not None:
            values.append(self.use())
        return values

    def argument(self, block: Block) -> None:
        name, type = self.definition()
        self.values[name] = block.add_argument(type, hint_of(name))

    def definition(self) -> tuple[str, Type]:
        """`%name: type`."""
        self.expect("%")
        name = self.expect(r"[\w.]+", "a value name")
        self.expect(":")
        return name, self.type()

    def use(self) -> Value:
        """The value of the name after `%`."""
        name = self.expect(r"[\w.]+", "a value name")
        if name not in self.values:
            raise self.fail(f"a defined value, not %{name},")
        return self.values[name]

    def operand(self) -> Value:
        self.expect("%")
        return self.use()

    def operation(self, block: Block) -> None:
        """`results = name(operands) {attributes} contract unwind(values) @file:line do (args) { ... }`."""
        definitions: list[tuple[str, Type]] = []
        self.skip_space()
        if self.text.startswith("%", self.position):
            definitions = self.separated(self.definition, "=")
        name = self.expect(NAME, "an operation")
        self.expect(r"\(")
        operands = self.separated(self.operand, r"\)")
        attributes = dict(self.separated(self.attribute, r"\}")) if self.take(r"\{") else {}
        contract = self.take(r"contract\b") is not None
        unwind = self.separated(self.operand, r"\)") if self.take(r"unwind\(") else []
        span = self.span() if self.take("@") else None
        operation = Operation(self.get(name), operands, attributes, [], span)
        operation.unwind, operation.block, operation.contract = unwind, block, contract
        while self.take(r"do\b") is not None:
            region = Block(block)
            operation.regions.append(region)
            self.block(region)
        for index, (result, type) in enumerate(definitions):
            self.values[result] = Value(type, operation, index, hint_of(result))
            operation.results.append(self.values[result])
        block.operations.append(operation)

    def span(self) -> SourceSpan:
        """`file:line`."""
        quoted = self.take(r'"(?:[^"\\]|\\.)*"')
        file = json.loads(quoted) if quoted else self.expect(r"[\w.<>/-]+", "a file name")
        self.expect(":")
        return SourceSpan(file, int(self.expect(r"\d+", "a line number")))

    def attribute(self) -> tuple[str, Any]:
        key = self.expect(NAME, "an attribute")
        self.expect("=")
        return key, self.literal()

    def literal(self) -> Any:
        """An attribute's value."""
        if self.take(r"\("):
            return tuple(self.separated(self.literal, r"\)"))
        if self.take(r"\["):
            return self.separated(self.literal, r"\]")
        if (text := self.take(r'"(?:[^"\\]|\\.)*"')) is not None:
            return json.loads(text)
        if self.take("<"):
            size = self.size()
            self.expect(">")
            return size
        if self.take(r"\$"):
            return self.symbol()
        if (word := self.take(r"(?:None|True|False)\b")) is not None:
            return {"None": None, "True": True, "False": False}[word]
        if (text := self.take(NUMBER)) is not None:
            return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
        return self.named_literal()

    def symbol(self) -> Any:
        name = self.expect(r"\w+", "a symbol")
        if name not in self.symbols:
            raise self.fail(f"a known symbol, not ${name},")
        return self.symbols[name]

    def named_literal(self) -> Any:
        """`dtype(f64)`, `error(...)`, `array(...)`, a NumPy scalar or a type."""
        if self.take(r"dtype\("):
            dtype = self.dtype()
            self.expect(r"\)")
            return dtype
        if self.take(r"error\("):
            exception = self.symbol() if self.take(r"\$") else getattr(builtins, self.expect(NAME))
            self.expect(",")
            template = self.literal()
            self.expect(r"\)")
            return ErrorSpec(exception, template)
        if self.take(r"array\("):
            return self.array()
        if self.take(rf"(?:{'|'.join(LONG_NAMES)})(?=\()"):
            return self.scalar(np.dtype(LONG_NAMES[self.last_word()]))
        return self.type()

    def last_word(self) -> str:
        """The word that ends here."""
        match = re.search(r"\w+$", self.text[: self.position])
        assert match is not None
        return match.group()

    def array(self) -> np.ndarray:
        type = self.type()
        if not isinstance(type, ArrayType):
            raise self.fail("an array type")
        self.expect(",")
        self.expect(r"\[")
        numbers = self.separated(lambda: self.number(type.dtype, r"[^,\]]+"), r"\]")
        self.expect(r"\)")
        return np.array(numbers, type.dtype).reshape([int(str(size)) for size in type.dims])

    def scalar(self, dtype: np.dtype) -> Any:
        self.expect(r"\(")
        value = self.number(dtype, r"[^)]+")
        self.expect(r"\)")
        return value

    def number(self, dtype: np.dtype, pattern: str) -> Any:
        """A NumPy scalar of the dtype."""
        text = self.expect(pattern, "a number").strip()
        if dtype.kind == "b":
            return np.bool_(text == "True")
        read = {"c": complex, "f": float}.get(dtype.kind, int)
        return dtype.type(read(text))

    def dtype(self) -> np.dtype:
        return np.dtype(LONG_NAMES[self.expect("|".join(rf"{name}\b" for name in LONG_NAMES), "a dtype")])

    def type(self) -> Type:
        """`f64`, `f64[s0, 3]`, `list[f64]`, `list[list[f64]]`, `text`, `bytes`, `object`."""
        if self.take(r"object\b"):
            return OBJECT
        for reference in TEXT_REFERENCES:
            if self.take(rf"{reference}\b"):
                return reference
        if self.take(r"list\["):
            elem = self.type()
            if not isinstance(elem, ScalarType | ListType):
                raise GraphError(f"a list holds scalars or lists, not {elem}")
            self.expect(r"\]")
            return ListType(elem)
        dtype = self.dtype()
        return ArrayType(dtype, tuple(self.separated(self.size, r"\]"))) if self.take(r"\[") else ScalarType(dtype)

    def size(self) -> Size:
        """An affine sum: `s0`, `2*s0-d1+3`, `7`."""
        terms: dict[str, int] = {}
        const = 0
        first = True
        while first or self.text[self.position : self.position + 1] in ("+", "-"):
            first = False
            sign = -1 if self.take(r"[+-]") == "-" else 1
            factor = self.take(r"\d+(\*)?")
            if factor and not factor.endswith("*"):
                const += sign * int(factor)
                continue
            name = self.atom()
            terms[name] = terms.get(name, 0) + sign * int((factor or "1").rstrip("*"))
        return normalize(terms, const)

    def atom(self) -> str:
        """A label: anything but an operator or a bracket, then any text in balanced parentheses."""
        start = self.position
        self.expect(r"[A-Za-z_][^\s+*()\[\]{}<>,-]*", "an atom")
        depth = 0
        while self.text[self.position : self.position + 1] == "(" or depth:
            depth += {"(": 1, ")": -1}.get(self.text[self.position : self.position + 1], 0)
            self.position += 1
            if self.position > len(self.text):
                raise self.fail("a closing parenthesis")
        return self.text[start : self.position].strip()


def hint_of(name: str) -> str:
    """The hint that prints as this name; numbers are given anew."""
    return "" if name.isdigit() else name
