"""Attributes of instances under the names of their class's methods and constants: a program that took the class's sees them."""

from __future__ import annotations

import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.shadowing import unshadowed
from tests.tables import table


class Shape:
    scale = 2.0

    def __init__(self, size):
        self.size = size

    def area(self):
        return self.size * 2

    @staticmethod
    def grown(x):
        return x + 1


class Slotted:
    __slots__ = ("size",)
    area = Shape.area
    __init__ = Shape.__init__


def total(shapes):
    return sum(shape.area() for shape in shapes)


def scaled(shapes):
    found = 0.0
    for shape in shapes:
        found += shape.size * shape.scale + shape.grown(shape.size)
    return found


def shapes_of(count, kind=Shape):
    return [kind(float(i)) for i in range(count)]


def with_own_method():
    shapes = shapes_of(30)
    shapes[7].area = lambda: 1000.0
    return shapes


def with_own_constant():
    shapes = shapes_of(30)
    shapes[9].scale, shapes[11].grown = 7.0, lambda x: 3.0
    return shapes


def with_own_dict():
    shapes = shapes_of(30)
    shapes[3].__dict__ = {"size": 2.0, "area": lambda: 5.0, "scale": 4.0}
    return shapes


def with_dicts_read():
    shapes = shapes_of(40)
    assert [vars(shape) for shape in shapes]
    shapes[3].__dict__ = {"size": 2.0}
    return shapes


@pytest.mark.native
@table("function", [total, scaled])
def test_instances_that_shadow_their_class(function) -> None:
    made = ag.compile(function, fallback="error")
    for shapes in (shapes_of(30), with_dicts_read(), with_own_dict(), with_own_method(), with_own_constant(), shapes_of(20)):
        assert made(shapes) == function(shapes)
    assert "attributes of instances" in made.explain(shapes_of(20))


@pytest.mark.native
def test_instances_with_slots_shadow_nothing() -> None:
    made = ag.compile(total, fallback="error")
    assert made(shapes_of(20, Slotted)) == made(shapes_of(20, Slotted)) == total(shapes_of(20))


def test_native_code_sees_what_is_shadowed() -> None:
    class Own(Shape):
        pass

    check = unshadowed(Own, ("area", "scale"))
    assert unshadowed(Slotted, ("area",)) is None
    if check is None:
        pytest.skip("this Python keeps instances in a way of its own")
    assert check(shapes_of(5, Own)) == 5
    shapes = shapes_of(5, Own)
    shapes[3].__dict__ = {"size": 2.0, "scale": 4.0}
    assert check(shapes) is None
    shapes[3].__dict__ = {1: 2}
    assert check(shapes) is None  # a key that is no text may be equal to any
    shapes[3].__dict__ = {"size": 2.0}
    assert check(shapes) == 5
    shapes[2].area = 1.0
    assert check(shapes) is None
