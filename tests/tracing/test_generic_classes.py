"""Instances of abstract classes, of classes with type parameters and of such with `__call__`: rows of tables, as those of other classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import autograph_jit as ag
from tests.tables import table

T = TypeVar("T")


class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...


class Square(Shape):
    def __init__(self, side: float) -> None:
        self.side = side

    def area(self) -> float:
        return self.side * self.side


class Disc(Shape):
    def __init__(self, radius: float) -> None:
        self.radius = radius

    def area(self) -> float:
        return 3.0 * self.radius**2


class Cell(Generic[T]):
    def __init__(self, value: T) -> None:
        self.value = value


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, x: T) -> None:
        self.items.append(x)

    def __len__(self) -> int:
        return len(self.items)


def of_abstract_classes(n: int) -> Any:
    shapes = []
    for k in range(n):
        shapes.append(Square(float(k)) if k % 2 else Disc(k * 0.5))
    shapes.sort(key=lambda shape: -shape.area())
    return sum(shape.area() for shape in shapes), len([1 for shape in shapes if isinstance(shape, Square)])


def of_cells(n: int) -> Any:
    cells = [Cell(k) for k in range(n)]
    for cell in cells:
        cell.value += 1
    return sum(cell.value for cell in cells)


def of_a_stack(n: int) -> Any:
    stack, total = Stack[int](), 0
    for k in range(n):
        stack.push(k * k % 7)
    while len(stack):
        total = (3 * total + stack.items.pop()) % 101
    return total


class Polynomial:
    """One that can be called is no function."""

    def __init__(self, *coefficients: int) -> None:
        self.coefficients = list(coefficients)

    def __mul__(self, other: Polynomial) -> Polynomial:
        out = [0] * (len(self.coefficients) + len(other.coefficients) - 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                out[i + j] += a * b
        return Polynomial(*out)

    def __call__(self, x: int) -> int:
        total = 0
        for a in reversed(self.coefficients):
            total = total * x + a
        return total


def of_calls(n: int) -> Any:
    p, q = Polynomial(1, 1), Polynomial(1)
    for _ in range(n % 13):
        q = q * p
    return q(2), q.coefficients[:3]


def made_abstract(n: int) -> Any:
    shapes: list[Shape] = [Square(1.0) for _ in range(n)]
    if n > 7:
        shapes.append(Shape())  # type: ignore[abstract]
    return len(shapes)


def outcome(function: Any, n: int) -> Any:
    try:
        return function(n)
    except TypeError as error:
        return str(error)


@table("function, calls", [(of_abstract_classes, 1), (of_cells, 0), (of_a_stack, 0), (of_calls, 0), (made_abstract, 1)])
def test_they_are_native(function: Any, calls: int) -> None:
    compiled = ag.compile(function, fallback="error")
    for n in (5, 40):
        assert outcome(compiled, n) == outcome(function, n)
    of_arguments = [x for x in compiled.specializations[0].program.graph.walk() if x.name == "host_call" and x.operands]
    assert len(of_arguments) <= calls


def test_what_a_class_with_types_makes_knows_it() -> None:
    def made(n: int) -> Any:
        return Stack[int](), list[int](range(n)), Cell[str]("text")

    stack, items, cell = ag.compile(made, fallback="error")(3)
    assert (type(stack), stack.__dict__) == (Stack, {"items": [], "__orig_class__": Stack[int]})
    assert items == [0, 1, 2] and cell.__dict__ == {"value": "text", "__orig_class__": Cell[str]}
