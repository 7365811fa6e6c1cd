"""Run-time lists without Python: one growable list of scalars, or one for each part of tuples of scalars."""

from __future__ import annotations

from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import ScalarType
from autograph_jit.staging.containers.shared import ElementKind
from autograph_jit.staging.lift import index_value, lift_number, scalar
from autograph_jit.staging.templates import Rebuild, Template
from autograph_jit.staging.trace import emit
from autograph_jit.staging.values import PYTHON_TYPES

NATIVE_KINDS = ("scalar", "tuple")


def scalar_kinds(kind: ElementKind) -> tuple[ElementKind, ...]:
    """The kinds of an element's numbers: its own, or those of a tuple's items."""
    return (kind,) if kind[0] == "scalar" else kind[2]


class NativeList:
    """The lists that hold the numbers of elements of one kind, all of one length."""

    def __init__(self, kind: ElementKind) -> None:
        self.kind = kind
        self.parts: list[Value] = [emit("list_new", elem=ScalarType(part[1])).result for part in scalar_kinds(kind)]

    def numbers(self, item: Any) -> list[Value]:
        """The graph values of an element."""
        items = (item,) if self.kind[0] == "scalar" else item
        return [lift_number(number, part[1]) for number, part in zip(items, scalar_kinds(self.kind))]

    def element(self, values: list[Value]) -> Any:
        """The stand-in of an element."""
        numbers = [scalar(value, part[2]) for value, part in zip(values, scalar_kinds(self.kind))]
        return numbers[0] if self.kind[0] == "scalar" else tuple(numbers)

    def push(self, item: Any) -> None:
        for part, value in zip(self.parts, self.numbers(item)):
            emit("list_push", part, value)

    def insert(self, index: Any, item: Any) -> None:
        for part, value in zip(self.parts, self.numbers(item)):
            emit("list_insert", part, index_value(index), value)

    def replace(self, index: Any, item: Any) -> None:
        for part, value in zip(self.parts, self.numbers(item)):
            emit("list_set", part, index_value(index), value)

    def pop(self, index: Any) -> Any:
        return self.element([emit("list_pop", part, index_value(index)).result for part in self.parts])

    def get(self, index: Any) -> Any:
        return self.element([emit("list_get", part, index_value(index)).result for part in self.parts])

    def clear(self) -> None:
        for part in self.parts:
            emit("list_clear", part)

    def length(self) -> Any:
        return scalar(emit("list_len", self.parts[0]).result, True, bits=48)

    def template(self, template: Template) -> Rebuild:
        """How the list leaves: a Python list of numbers, or of tuples."""
        positions = [template.leaves.position(part) for part in self.parts]
        converts = [PYTHON_TYPES[part[1].kind] if part[2] else part[1].type for part in scalar_kinds(self.kind)]

        def column(values: Any, number: int) -> list[Any]:
            return [converts[number](item) for item in values[positions[number]]]

        if self.kind[0] == "scalar":
            return lambda values: column(values, 0)
        return lambda values: list(zip(*(column(values, number) for number in range(len(positions)))))
