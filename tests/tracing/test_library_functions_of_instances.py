"""Python's own functions of an instance that the program chooses, or that has an attribute on some paths only."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass, fields, is_dataclass, replace
from typing import Any

import pytest

from tests.tracing.agreement import assert_agrees


@dataclass
class Point:
    x: int
    y: int
    z: Any = None


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "astuple": astuple,
    "asdict": asdict,
    "asdict of what holds it": lambda p: asdict(Point(1, 2, [p])),
    "replace": lambda p: replace(p, y=7),
    "copy": copy.copy,
    "deepcopy": lambda p: copy.deepcopy([p]),
    "fields": lambda p: [each.name for each in fields(p)],
    "is_dataclass": is_dataclass,
    "map": lambda p: list(map(astuple, [p, p])),
}


def points(n: int) -> list[Point]:
    return [Point(k * 3 % 5, k) for k in range(n)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_one_of_several_instances(name: str) -> None:
    function = FUNCTIONS[name]

    def of_callers(k: int, given: list[Point]) -> Any:
        p = given[1] if k > 2 else given[0]
        return function(p), p

    def of_own(xs: list[int], k: int, given: list[Point]) -> Any:
        p, out = Point(k, 1), []
        for x in xs:
            out.append(function(p))
            if x > 2:
                p = given[0]
        return out, function(p)

    assert_agrees(of_callers, (4, points(3)), (1, points(3)))
    assert_agrees(of_own, ([0, -2, 3, 1], 4, points(4)), ([0], 1, points(4)))


class Shape:
    unit = "cm"

    def __init__(self, w: int) -> None:
        self.w = w

    def scale(self, by: int) -> None:
        self.w *= by
        self.unit = f"{by}mm"

    def __repr__(self) -> str:
        return f"Shape({self.w}, {self.unit})"


def shown(k: int, shapes: list[Shape]) -> str:
    if k > 2:
        shapes[0].scale(2)
    return f"{shapes}"


def test_text_of_objects_that_may_have_got_an_attribute() -> None:
    assert_agrees(shown, (3, [Shape(1), Shape(2)]), (2, [Shape(1), Shape(2)]), (0, [Shape(5)]))
