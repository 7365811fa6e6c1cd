"""Instances that paths of control flow join, and those of the caller's that meet them: each stays the object that Python has."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import autograph_jit as ag
from tests.tables import table


class Place:
    def __init__(self, x: float) -> None:
        self.x = x


class Matrix:
    def __init__(self, rows: list[list[int]]) -> None:
        self.rows, self.shape = [list(row) for row in rows], (len(rows), len(rows[0]) if rows else 0)

    def __matmul__(self, other: Matrix) -> Matrix:
        if self.shape[1] != other.shape[0]:
            raise ValueError(f"shapes {self.shape} and {other.shape}")
        return Matrix([[sum(a * b for a, b in zip(row, column)) for column in zip(*other.rows)] for row in self.rows])

    @classmethod
    def eye(cls, n: int) -> Matrix:
        return cls([[int(i == j) for j in range(n)] for i in range(n)])


class Held:
    __slots__ = ("entries", "kinds", "waiting", "x")

    def __init__(self, x: float) -> None:
        self.x, self.entries, self.kinds, self.waiting = x, {"k": x}, {int(x)}, deque([x])


class Items(list):
    pass


class Entries(dict):
    pass


def last_and_best(xs: list[float]) -> Any:
    p = Place(0.0)
    best = p
    for x in xs:
        p = Place(p.x + x)
        if p.x > best.x:
            best = p
    return p, {"best": [best]}


def lists_of_a_class(xs: list[float]) -> Any:
    p = best = Items([0.5])
    for x in xs:
        p = Items([x])
        if x > 2:
            best = p
    return p, best, p is best


def dicts_of_a_class(xs: list[float]) -> Any:
    p, q = Entries(a=1.0), Entries(a=2.0)
    for x in xs:
        if x > 2:
            p, q = q, p
    return {"p": p, "q": q, "r": p}


def namespaces(xs: list[float]) -> Any:
    p = best = SimpleNamespace(x=0.5)
    for x in xs:
        p = SimpleNamespace(x=x)
        if x > 2:
            best = p
    return p, best, p is best


def holding_tables(xs: list[float]) -> Any:
    last = Held(0.5)
    made = [last]
    for x in xs:
        last = Held(x)
        if x > 1:
            made.append(last)
    return made, last


def one_or_two(xs: list[float]) -> Any:
    if xs[0] > 2:
        p = q = Place(xs[0])
    else:
        p, q = Place(1.0), Place(2.0)
    return [p, q]


def kept_with_the_last(xs: list[float], out: list[Any]) -> None:
    p = best = Place(0.0)
    for x in xs:
        p = Place(x)
        if x > best.x:
            best = p
    out.append(p)
    out.append(best)


def never_one(xs: list[float]) -> Any:
    p, v = Place(0.0), Place(1.0)
    for x in xs:
        v = Place(v.x + x * 0.5)
        p = Place(p.x + v.x)
    return p, v


def best_with_callers(xs: list[float], start: Place) -> Any:
    best = start
    for x in xs:
        if x > best.x:
            best = Place(x)
    return best, start


def keys_of_dicts(xs: list[float]) -> Any:
    p = Place(xs[0])
    names: dict[Any, Any] = {p: 1.0, (p, 1): 2.0}
    p.x += 1.0
    names[Place(xs[-1])] = xs[-1]
    return names, p


def looked_up(xs: list[float]) -> Any:
    p, q = Place(1.0), Place(2.0)
    names = {p: "p", q: "q"}
    for x in xs:
        if x > 2:
            p, q = q, p
    return names[p], names[q]


def product_in_a_try(xs: list[float], m: Matrix) -> Any:
    try:
        m = m @ Matrix.eye(len(xs))
    except ValueError as error:
        return str(error)


def copies_in_a_branch(xs: list[float]) -> Any:
    rows = [[x, 1.0] for x in xs]
    places = [Place(x) for x in xs]
    if len(rows) > 1:
        found, others = copy.deepcopy(rows[0]), copy.deepcopy(places)
        for each in others:
            each.x += 1
        return found, [each.x for each in places], others[0] is places[0], copy.deepcopy(rows)
    return None


def identities(x: Any, known: list[Any] | None = None) -> Any:
    """What a result is made of: classes, numbers, and which objects are one."""
    known = [] if known is None else known
    if not isinstance(x, (list, dict, set, deque, Place, Matrix, Held, SimpleNamespace)):
        return (type(x), [identities(each, known) for each in x]) if isinstance(x, tuple) else (type(x), x)
    is_new = not any(each is x for each in known)
    known += [x] if is_new else []
    number = next(k for k, each in enumerate(known) if each is x)
    names = getattr(type(x), "__slots__", ()) or getattr(x, "__dict__", ())
    parts = [*(x.items() if isinstance(x, dict) else x if hasattr(x, "__iter__") else ()), *((name, getattr(x, name)) for name in names)]
    return type(x), number, [identities(each, known) for each in parts] if is_new else []


NUMBERS = ([1.0, 3.0], [5.0, 2.0, 1.5], [2.0], [0.5, 0.5, 3.0], [3.0, -3.0, 1.0])
CALLS: list[tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = [
    (last_and_best, lambda: ()),
    (lists_of_a_class, lambda: ()),
    (dicts_of_a_class, lambda: ()),
    (namespaces, lambda: ()),
    (holding_tables, lambda: ()),
    (one_or_two, lambda: ()),
    (kept_with_the_last, lambda: ([],)),
    (never_one, lambda: ()),
    (best_with_callers, lambda: (Place(2.5),)),
    (keys_of_dicts, lambda: ()),
    (looked_up, lambda: ()),
    (product_in_a_try, lambda: (Matrix([[1, 2], [3, 4]]),)),
    (copies_in_a_branch, lambda: ()),
]


@table(("function", "further"), CALLS)
def test_instances_stay_the_objects_that_they_are(function: Callable[..., Any], further: Callable[[], tuple[Any, ...]]) -> None:
    compiled = ag.compile(function, fallback="error")
    for xs in NUMBERS:
        expected, given = (list(xs), *further()), (list(xs), *further())
        result = function(*expected)
        assert identities([compiled(*given), *given]) == identities([result, *expected]), xs


def test_instances_that_cannot_be_one_stay_numbers() -> None:
    compiled = ag.compile(never_one, fallback="error")
    for xs in NUMBERS:
        compiled(list(xs))
    assert "list_push" not in compiled.graph([1.0, 2.0, 3.0])
