"""Records behave as the standard library's dataclasses do, and share what they have in common."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field, replace

import pytest

from autograph_jit.ir.types import ScalarType
from autograph_jit.records import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: float = 2.0
    label: str = field(default="", compare=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Expected:
    x: int
    y: float = 2.0
    label: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Empty:
    pass


@dataclass(frozen=True, slots=True)
class Alone:
    items: tuple[int, ...]


@dataclass(slots=True)
class Cell:
    value: int
    seen: list[int] = field(default_factory=list, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    value: int


@dataclass(frozen=True, slots=True)
class Modulo:
    value: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Modulo) and self.value % 7 == other.value % 7

    def __repr__(self) -> str:
        return f"{self.value} mod 7"


def test_records_compare_and_hash_by_their_fields() -> None:
    assert Point(1) == Point(1, 2.0, "named") != Point(2)
    assert hash(Point(1)) == hash(Point(1, label="named")) == hash(Expected(1))
    assert Point(1) != Expected(1)  # type: ignore[comparison-overlap]
    assert Alone((1,)) == Alone((1,)) != Alone((2,))
    assert hash(Alone((1,))) == hash(((1,),))
    assert Empty() == Empty()
    assert len({Empty(), Empty()}) == 1


def test_records_show_their_fields() -> None:
    assert repr(Point(1)) == repr(Expected(1)).replace("Expected", "Point")
    assert repr(Cell(3)) == "Cell(value=3)"


def test_records_that_change_have_no_hash() -> None:
    cell = Cell(1)
    cell.value = 2
    assert cell == Cell(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(cell)


def test_records_by_identity() -> None:
    assert Node(1) != Node(1)
    assert len({Node(1), Node(1)}) == 2


def test_methods_of_the_class_stay() -> None:
    assert Modulo(1) == Modulo(8)
    assert repr(Modulo(1)) == "1 mod 7"


def test_records_have_slots_and_the_tools_of_dataclasses() -> None:
    assert not hasattr(Point(1), "__dict__")
    assert replace(Point(1), y=3.0) == Point(1, 3.0)
    assert copy.copy(Point(1)) == pickle.loads(pickle.dumps(Point(1))) == Point(1)
    match Point(4):
        case Point(x, _):
            assert x == 4


def test_the_functions_are_shared() -> None:
    assert Point.__repr__ is ScalarType.__repr__
    with pytest.raises(TypeError, match="has slots"):
        dataclass(slots=False)  # type: ignore[call-overload]
