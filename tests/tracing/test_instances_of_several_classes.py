"""Instances of several classes under one name: in lists, dicts, attributes, after branches, as results of recursions, among arguments."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees

pytestmark = pytest.mark.native


class Shape:
    def area(self) -> float:
        raise NotImplementedError

    def twice(self) -> float:
        return 2 * self.area()


class Circle(Shape):
    def __init__(self, r: Any) -> None:
        self.r = r

    def area(self) -> float:
        return math.pi * self.r**2


class Oblong(Shape):
    def __init__(self, w: Any, h: Any) -> None:
        self.w, self.h = w, h

    def area(self) -> float:
        return self.w * self.h


class Square(Oblong):
    def __init__(self, s: Any) -> None:
        super().__init__(s, s)


class Number:
    def __init__(self, v: float) -> None:
        self.v = v

    def value(self) -> float:
        return self.v


class Sum:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    def value(self) -> float:
        return self.a.value() + self.b.value()


class Product:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    def value(self) -> float:
        return self.a.value() * self.b.value()


class Arrival:
    def __init__(self, time: int, who: int) -> None:
        self.time, self.who = time, who

    def happen(self, room: Any) -> None:
        room.inside.append(self.who)
        room.events.append(Departure(self.time + 3, self.who))


class Departure:
    def __init__(self, time: int, who: int) -> None:
        self.time, self.who = time, who

    def happen(self, room: Any) -> None:
        room.inside.remove(self.who)
        room.left += 1


class Room:
    def __init__(self) -> None:
        self.inside: list[int] = []
        self.events: list[Any] = []
        self.left = 0


class Counted:
    def __init__(self, v: float) -> None:
        self.v = v

    def __add__(self, other: Any) -> Any:
        return Counted(self.v + other.v)

    def __eq__(self, other: object) -> bool:
        return self.v == other.v  # type: ignore[attr-defined]

    def __lt__(self, other: Any) -> bool:
        return self.v < other.v

    def __len__(self) -> int:
        return int(self.v)

    def __call__(self, x: float) -> float:
        return self.v * x


class Halved(Counted):
    def __add__(self, other: Any) -> Any:
        return Halved(self.v * other.v)

    def __call__(self, x: float) -> float:
        return self.v - x


def shapes_of(n: int) -> list[Any]:
    shapes: list[Any] = []
    for k in range(n):
        shapes.append(Circle(k * 0.5) if k % 3 == 0 else Oblong(k * 1.0, 2.0) if k % 3 == 1 else Square(k * 0.1))
    return shapes


def areas(n: int) -> Any:
    total = 0.0
    for shape in shapes_of(n):
        total += shape.twice()
        if isinstance(shape, Circle):
            total += shape.r
        elif isinstance(shape, Oblong) and not isinstance(shape, Square):
            total += shape.h
    return total


def kinds(n: int) -> Any:
    found: dict[str, int] = {}
    sides = 0.0
    for shape in shapes_of(n):
        name = type(shape).__name__
        found[name] = found.get(name, 0) + 1
        if type(shape) is Square or type(shape) is Oblong:
            sides += shape.w
        elif type(shape) is not Circle:
            sides += 1000
    return found, sides


def matched(n: int) -> Any:
    total = 0.0
    for shape in shapes_of(n):
        match shape:
            case Circle(r=r):
                total += r
            case Square(w=w):
                total -= w
            case Oblong(w=w, h=h):
                total += w * h
    return total


def attributes(n: int) -> Any:
    return sum((shape.r if hasattr(shape, "r") else 0.25) + getattr(shape, "w", 0.5) for shape in shapes_of(n))


def missing_attribute(n: int) -> Any:
    return sum(shape.r for shape in shapes_of(n))


def of_known_list(n: int) -> Any:
    shapes = [Circle(1.0), Oblong(1.0, 2.0), Circle(2.0)]
    return sum(shapes[k % 3].area() for k in range(n))


def largest(n: int) -> Any:
    best = shapes_of(n)[0]
    for shape in shapes_of(n):
        if shape.area() > best.area():
            best = shape
    return best.area(), isinstance(best, Oblong), best


def sought(n: int) -> Any:
    shapes = shapes_of(n)
    taken = shapes[4]
    shapes.remove(taken)
    return taken in shapes, shapes[3] in shapes, shapes.count(shapes[5]), shapes[1] is shapes[2], shapes[1] is not shapes[1], len(shapes)


def removed_twice(n: int) -> Any:
    shapes = shapes_of(n)
    taken = shapes[4]
    shapes.remove(taken)
    shapes.remove(taken)


def sorted_by_area(n: int) -> Any:
    shapes = shapes_of(n)
    shapes.sort(key=lambda shape: shape.area())
    return [round(shape.area(), 6) for shape in shapes], max(shapes, key=lambda shape: shape.area()).area(), shapes[:3]


def parted(n: int) -> Any:
    circles = [shape for shape in shapes_of(n) if isinstance(shape, Circle)]
    others = list(filter(lambda shape: not isinstance(shape, Circle), shapes_of(n)))
    return len(circles), sum(circle.r for circle in circles), sum(other.w for other in others)


def by_key(n: int) -> Any:
    shapes = {k: Circle(k * 1.0) if k % 2 else Oblong(k * 1.0, 1.0) for k in range(n)}
    shapes[0] = Circle(9.0)
    return sum(shape.area() * key for key, shape in shapes.items()), shapes[0].area()


def changed(n: int) -> Any:
    shapes = shapes_of(n)
    for shape in shapes:
        if isinstance(shape, Circle):
            shape.r += 1.0
        else:
            shape.w *= 2.0
    return sum(shape.area() for shape in shapes), shapes[:2]


def or_none(n: int) -> Any:
    last: Any = None
    made = []
    for k in range(n):
        last = Number(float(k)) if k % 2 else Sum(last, last) if last is not None and k % 4 == 0 else Number(0.0)
        made.append(last)
    return sum(each.value() for each in made)


def tree(depth: int, k: int) -> Any:
    if depth == 0:
        return Number(1.0 + k % 3)
    return Sum(tree(depth - 1, k + 1), tree(depth - 1, k + 2)) if depth % 2 else Product(tree(depth - 1, k), tree(depth - 1, k + 1))


def value_of(x: Any) -> float:
    if isinstance(x, Number):
        return x.v
    return value_of(x.a) + value_of(x.b) if isinstance(x, Sum) else value_of(x.a) * value_of(x.b)


def evaluated(depth: int) -> Any:
    return tree(depth, 0).value(), value_of(tree(depth, 1)), type(tree(depth, 0)).__name__


def simulated(n: int) -> Any:
    room = Room()
    for k in range(n):
        room.events.append(Arrival(k * 2 % 13, k))
    while room.events:
        soonest = 0
        for k in range(len(room.events)):
            if room.events[k].time < room.events[soonest].time:
                soonest = k
        room.events.pop(soonest).happen(room)
    return room.left, room.inside


def with_operators(n: int) -> Any:
    found = [Counted(k * 1.0) if k % 2 else Halved(k * 2.0) for k in range(1, n)]
    total = 0.0
    for k in range(len(found) - 1):
        total += (found[k] + found[k + 1]).v + len(found[k]) + found[k](3.0)
        total += 100 * (found[k] < found[k + 1]) + 1000 * (found[k] == found[k + 1])
    return total


class Spoken:
    def __init__(self, v: float) -> None:
        self.v = v

    def __str__(self) -> str:
        return f"A{self.v}"

    def __iter__(self) -> Any:
        return iter([1, 2, int(self.v)])

    def __abs__(self) -> float:
        return self.v

    def __float__(self) -> float:
        return self.v

    def __len__(self) -> int:
        return int(self.v)

    def __contains__(self, x: float) -> bool:
        return x == self.v

    def __getitem__(self, k: int) -> float:
        return self.v + k

    def __setitem__(self, k: int, x: float) -> None:
        self.v = x + k

    def __delitem__(self, k: int) -> None:
        self.v -= k

    def __neg__(self) -> Any:
        return Spoken(-self.v)

    def __bool__(self) -> bool:
        return self.v > 3

    def __enter__(self) -> Any:
        self.v += 1
        return self

    def __exit__(self, *caught: Any) -> None:
        self.v -= 5


class Yielding(Spoken):
    def __str__(self) -> str:
        return f"C{self.v}"

    def __iter__(self) -> Any:
        yield 7
        yield self.v


def entered(x: Any) -> Any:
    with x as y:
        v = y.v
    return v, x.v


def gone_through(x: Any) -> Any:
    total = 0.0
    for v in x:
        if v == 2:
            continue
        total += v
        if total > 20:
            break
    else:
        total += 100
    return total


def written(x: Any) -> Any:
    x[2] = 5.0
    del x[1]
    x.v += 0.5
    return x.v


def unpacked(x: Any) -> Any:
    first, *rest = x
    return first, rest


def called(x: Any) -> Any:
    return isinstance(x, (Spoken, int)), issubclass(type(x), Yielding), callable(x), vars(x)


USES = (
    *(len, str, list, tuple, sum, max, abs, float, int, bool, sorted, entered, gone_through, written, unpacked, called),
    *(lambda x: f"{x}", lambda x: f"{x!s:>9}", lambda x: (3.0 in x, 4.0 not in x), lambda x: x[2], lambda x: (-x).v),
    *(lambda x: max(*x), lambda x: [*x, 0], lambda x: list(zip(x, range(3))), lambda x: list(enumerate(x)), lambda x: list(map(float, x))),
    *(lambda x: 1 if x else 0, lambda x: not x, lambda x: (x == x, x is x, x != 1)),
)


def total_area(shapes: Any) -> Any:
    return sum(shape.area() for _ in range(20) for shape in shapes)


def exchanged(shapes: Any) -> None:
    for i in range(len(shapes)):
        for j in range(i + 1, len(shapes)):
            if shapes[j].area() < shapes[i].area():
                shapes[i], shapes[j] = shapes[j], shapes[i]
    shapes.append(shapes[0])
    shapes.append(Circle(7.0))
    for shape in shapes:
        if isinstance(shape, Oblong):
            shape.h += 0.5


def values(nodes: Any) -> Any:
    return [node.value() for node in nodes]


def walked(nodes: Any) -> Any:
    total = 0.0
    for node in nodes:
        while not isinstance(node, Number):
            node.b = node.a
            node = node.a
        total += node.v
    return total


MADE = (areas, kinds, matched, attributes, of_known_list, sought, parted, by_key, or_none, simulated, with_operators)
LEAVING = (missing_attribute, largest, removed_twice, sorted_by_area, changed)
TREES = [tree(k % 4, k) for k in range(30)]


@table(
    "function, arguments",
    [
        *[(function, (n,)) for function in (*MADE, *LEAVING) for n in (7, 31)],
        *[(evaluated, (depth,)) for depth in (0, 1, 4)],
        *[(function, (shapes_of(n),)) for function in (total_area, exchanged) for n in (9, 30)],
        *[(function, (TREES,)) for function in (values, walked)],
    ],
)
def test_instances_of_several_classes_are_what_they_are_in_python(function: Any, arguments: Any) -> None:
    assert_agrees(function, arguments)


@table("use", USES)
def test_uses_of_one_of_several_instances(use: Any) -> None:
    def of_list(n: int) -> Any:
        return [use(x) for x in [Spoken(k * 1.0) if k % 2 else Yielding(k * 2.0) for k in range(1, n)]]

    def of_choice(n: int) -> Any:
        first, second = Spoken(n * 0.5), Yielding(2.5)
        return use(first if n > 6 else second)

    assert_agrees(of_list, 9)
    assert_agrees(of_choice, 9, 4)


@table(
    "function, argument",
    [*[(function, 31) for function in MADE], (evaluated, 4), (total_area, shapes_of(30)), (values, TREES), (walked, TREES)],
)
def test_instances_of_several_classes_are_compiled_codes(function: Any, argument: Any) -> None:
    told = ag.compile(function, fallback="error").explain(copy.deepcopy(argument))
    assert "host calls    none" in told or "host calls    attributes of instances  at" in told, told


def test_list_of_the_callers_serves_other_numbers_of_each_class() -> None:
    compiled = ag.compile(total_area, fallback="error")
    for shapes in (shapes_of(30), [Circle(1.0)] * 12, shapes_of(9)[::-1], [Oblong(1.0, 2.0), *shapes_of(12)]):
        assert compiled(copy.deepcopy(shapes)) == total_area(shapes)
    assert len(compiled.specializations) == 1


def test_derivative_goes_through_instances_of_several_classes() -> None:
    def total(x: Any) -> Any:
        shapes = [Circle(x * k) if k % 2 else Oblong(x, x * k) for k in range(5)]
        return sum(shape.area() for shape in shapes)

    assert ag.grad(total)(1.5) == pytest.approx((2 * math.pi * (1 + 9) + 2 * (2 + 4)) * 1.5)
