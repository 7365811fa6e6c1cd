"""Run-time lists without Python: one growable list of scalars, or one for each part of tuples of scalars."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import ScalarType
from autograph_jit.staging.containers.shared import ElementKind, kind_of
from autograph_jit.staging.lift import array, index_value, lift_number, scalar
from autograph_jit.staging.templates import Rebuild, Template
from autograph_jit.staging.trace import active, constant, emit
from autograph_jit.staging.values import PYTHON_TYPES, Protocol, StagedArray, StagedScalar, TaggedScalar

NATIVE_KINDS = ("scalar", "either", "tuple")
WEAK, STRONG = 0, 1
TAG: ElementKind = ("scalar", np.dtype(np.int64), True)


def scalar_kinds(kind: ElementKind) -> tuple[ElementKind, ...]:
    """The kinds of an element's numbers: its own, those of a tuple's items, or that of a number and of the tag that tells its type."""
    return (kind,) if kind[0] == "scalar" else (("scalar", kind[1], False), TAG) if kind[0] == "either" else kind[2]


def tag_of(item: Any) -> Any:
    """Whether a number is Python's or NumPy's."""
    if not isinstance(item, TaggedScalar):
        return WEAK if kind_of(item)[2] else STRONG
    first = item.kinds[0][1]  # there are two kinds, of one dtype
    return StagedScalar(item.tag if first else emit("subtract", constant(np.int64(1)), item.tag).result, True)


def at_least_none(times: Any) -> StagedScalar:
    """How often a list is repeated: a negative number counts as 0."""
    return scalar(emit("maximum", index_value(times), constant(np.int64(0))).result, True)


class NativeList:
    """The lists that hold the numbers of elements of one kind, all of one length."""

    def __init__(self, kind: ElementKind) -> None:
        self.kind = kind
        self.parts: list[Value] = [emit("list_new", elem=ScalarType(part[1])).result for part in scalar_kinds(kind)]

    def numbers(self, item: Any) -> list[Value]:
        """The graph values of an element."""
        items = (item,) if self.kind[0] == "scalar" else (item, tag_of(item)) if self.kind[0] == "either" else item
        return [lift_number(number, part[1]) for number, part in zip(items, scalar_kinds(self.kind))]

    def element(self, values: list[Value]) -> Any:
        """The stand-in of an element."""
        if self.kind[0] == "either":
            return TaggedScalar(values[0], values[1], ((self.kind[1], True), (self.kind[1], False)))
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

    def copy_to(self, target: NativeList, places: StagedArray | slice) -> None:
        """Append the elements at some places, or those of a slice, to another list."""
        for part, other in zip(self.parts, target.parts):
            whole = array(emit("list_to_array", part, dims=(active().fresh_atom("d", "list"),)).result)
            emit("list_extend", other, whole[places].value)

    def repeated(self, times: Any) -> NativeList:
        """A new list of the elements as often as asked for."""
        made, count = NativeList(self.kind), at_least_none(times)
        for part, other in zip(self.parts, made.parts):
            whole = array(emit("list_to_array", part, dims=(active().fresh_atom("d", "list"),)).result)
            emit("list_extend", other, Protocol.function(np.tile, (whole, count), {}).value)
        return made

    @classmethod
    def filled(cls, kind: ElementKind, item: Any, times: Any) -> NativeList:
        """A list of one element as often as asked for."""
        made, count = cls(kind), at_least_none(times)
        for part, value in zip(made.parts, made.numbers(item)):
            emit("list_extend", part, Protocol.function(np.full, (count, scalar(value)), {}).value)
        return made

    def clear(self) -> None:
        for part in self.parts:
            emit("list_clear", part)

    def reverse(self) -> None:
        for part in self.parts:
            whole = array(emit("list_to_array", part, dims=(active().fresh_atom("d", "list"),)).result)
            emit("list_clear", part)
            emit("list_extend", part, whole[::-1].value)

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
        if self.kind[0] == "either":
            plain = PYTHON_TYPES[self.kind[1].kind]
            return lambda values: [x if tag == STRONG else plain(x) for x, tag in zip(column(values, 0), column(values, 1))]
        return lambda values: list(zip(*(column(values, number) for number in range(len(positions)))))
