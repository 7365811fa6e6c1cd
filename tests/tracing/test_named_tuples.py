"""Named tuples of the run: as keys of dicts and items of sets, and by the methods that the library writes for them."""

from __future__ import annotations

import copy
import heapq
from collections import Counter, defaultdict, deque, namedtuple
from typing import NamedTuple

import pytest

import autograph_jit as ag
from autograph_jit.tracing.values.key_kinds import is_key_kind
from autograph_jit.tracing.values.types import PYTHON_INT, ListOf, OneOf, Tuple
from tests.tables import table
from tests.tracing.agreement import assert_agrees

Point = namedtuple("Point", "x y")  # noqa: PYI024
Other = namedtuple("Other", "x y")  # noqa: PYI024


class Cell(NamedTuple):
    row: int
    col: int = 0

    def near(self):
        return [Cell(self.row + a, self.col + b) for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))]

    def moved(self, k):
        return self._replace(row=self.row + k)


class Odd(NamedTuple):
    x: int
    y: int

    def __eq__(self, other):
        return self.x == other.x

    def __hash__(self):
        return hash(self.x)


def counts(points):
    found = {}
    for p in points:
        found[p] = found.get(p, 0) + 1
    return found, max(found, key=found.get)


def first_seen(points):
    seen, total = set(), 0
    for p in points:
        if p in seen:
            continue
        seen.add(p)
        total += p.x
    return total, seen


def flood(grid):
    n, start = len(grid), Cell(0, 0)
    dist, todo = {start: 0}, deque([start])
    while todo:
        c = todo.popleft()
        for other in c.near():
            if 0 <= other.row < n and 0 <= other.col < n and grid[other.row][other.col] == "." and other not in dist:
                dist[other] = dist[c] + 1
                todo.append(other)
    return max(dist.values()), max(dist, key=lambda c: (dist[c], c)), Cell(n, n) in dist, (0, 1) in dist


def shortest(walls, n):
    start, goal = Point(0, 0), Point(n - 1, n - 1)
    came, cost, heap = {start: None}, {start: 0}, [(0, start)]
    while heap:
        _, p = heapq.heappop(heap)
        if p == goal:
            break
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            q = Point(p.x + dx, p.y + dy)
            if q in walls or not (0 <= q.x < n and 0 <= q.y < n):
                continue
            c = cost[p] + 1
            if q not in cost or c < cost[q]:
                cost[q], came[q] = c, p
                heapq.heappush(heap, (c + abs(goal.x - q.x) + abs(goal.y - q.y), q))
    path, p = [], goal
    while p is not None:
        path.append(p)
        p = came[p]
    return path[::-1], cost[goal]


def asked_by_tuples(points):
    d = {p: i for i, p in enumerate(points)}
    others = (1, 2, 3) in d, Other(3, 3) in d, 5 in d, None in d, "a" in d
    return d[(3, 3)], (2, 2) in d, others, d.get((99, 99)), d.get(Other(2, 2), -2)


def asked_by_points(points):
    d = {(p.x, p.y): i for i, p in enumerate(points)}
    return d.get(points[3]), points[4] in d, list(d)[:2], [type(k).__name__ for k in list(d)[:2]]


def of_both(points):
    d = {}
    for i, p in enumerate(points):
        if i % 2:
            d[p] = i
        else:
            d[(p.x, p.y)] = i
    return d


def of_two_classes(points):
    found = set()
    for i, p in enumerate(points):
        found.add(p if i % 3 else Other(p.x, p.y))
    return len(found), sum(p[0] for p in found)


def of_many_lengths(points, rows):
    d = {}
    for row in rows:
        d[tuple(row)] = 1
    for p in points:
        d[p] = d.get(p, 0) + 5
    return len(d), sum(d.values())


def among_others(points, words, n):
    numbers, texts = {i * 7 % 11: i for i in range(n)}, {word + "!" for word in words}
    return [p in numbers for p in points], sum(p in texts for p in points), numbers.get(points[0], 3)


def missing(points, k):
    d = {p: p.x for p in points}
    return d[Point(k, k + 1)]


def popped(points):
    d = {p: p.x for p in points}
    first, none = d.pop(points[2]), d.pop(Point(77, 77), None)
    del d[points[0]]
    try:
        d.pop(Point(50, 51))
    except KeyError as error:
        text = repr(error)
    return first, none, text, list(d.items())[:3], d.popitem()


def of_own_equality(pairs):
    d = {}
    for x, y in pairs:
        k = Odd(x, y)
        d[k] = d.get(k, 0) + y
    return len(d), sum(d.values())


def tallied(points):
    c = Counter(points)
    return c.most_common(3), c[Point(0, 0)], c[(1, 1)], sum(c.values())


def grouped(points):
    g = defaultdict(list)
    for p in points:
        g[Point(p.x // 2, p.y // 2)].append(p)
    return {k: len(v) for k, v in g.items()}, sorted(g)


def states(n):
    seen, p, d = set(), Point(0, 0), 0
    for i in range(n):
        seen.add((p, d))
        p = p._replace(x=(p.x + 1) % 7) if i % 3 else Point(p.x, (p.y + 2) % 5)
        d = (d + i) % 4
    return len(seen), (Point(1, 2), 3) in seen, ((1, 2), 3) in seen, sorted(seen)[:3]


def met(points, more):
    a, b = set(points), set(more)
    return sorted(a & b), sorted(a - b), len(a | b), a <= b, a ^ b == b ^ a, a.isdisjoint(b)


def of_argument(d, s):
    total = 0
    for p, v in d.items():
        total += p.x * v + p.y
    for p in s:
        total += p.x - p.y
    return total, Point(3, 4) in d, (0, 0) in s


def replaced(n):
    p, c = Point(0, 0), Cell(1)
    for i in range(n):
        p = p._replace(x=(p.x + i) % 7) if i % 3 else p._replace(y=p.y + 1)
        c = c.moved(i % 4)
    return p, c, c._asdict(), c._fields, p.index(p.y), p.count(n)


def made(n, parts):
    few = Point._make([n, n + 1]), Point._make(range(n, n + 2)), Point._make(str(n + 10).split() * 2)
    return few, Cell._make(map(int, parts)), Point._make(x for x in (n, 2)), str(few[0])


def made_of_others(n, parts):
    return Cell._make(parts[n:])


def with_unknown_name(n):
    return Point(n, n)._replace(z=n)


POINTS = [Point(i % 7, i % 5) for i in range(80)]
MORE = [Point(i % 9, i % 4) for i in range(90)]
HALVES = [Point(i % 7 / 2, i % 5 / 4) for i in range(80)]
GRID = ["".join("#" if (r * 7 + c * 5) % 11 == 3 else "." for c in range(15)) for r in range(15)]
WALLS = [{Point(i * 3 % 12, (i * 5 + k) % 12) for i in range(1, 14)} - {Point(0, 0), Point(11, 11)} for k in range(2)]
PROGRAMS = [
    (counts, [(POINTS,), (POINTS[:9],)]), (first_seen, [(HALVES,), (HALVES[3:],)]), (flood, [(GRID,)]),
    (shortest, [(WALLS[0], 12), (WALLS[1], 12)]), (asked_by_tuples, [(POINTS,)]), (asked_by_points, [(POINTS,)]), (of_both, [(POINTS,)]),
    (of_two_classes, [(POINTS,)]), (of_many_lengths, [(POINTS, [list(range(i % 4)) for i in range(12)])]),
    (among_others, [(POINTS, ["a", "b", "cc"] * 5, 20)]),
    (missing, [(POINTS, 90)]), (popped, [(POINTS,)]), (tallied, [(POINTS,)]), (grouped, [(POINTS,)]),
    (states, [(100,), (9,)]), (met, [(POINTS, MORE)]), (of_argument, [({p: i for i, p in enumerate(POINTS)}, set(MORE))]),
    (replaced, [(100,)]),
    (made, [(5, ["3", "4"])]), (made_of_others, [(1, [1, 2, 3]), (0, [1, 2, 3]), (3, [1, 2, 3])]), (with_unknown_name, [(4,)]),
]  # fmt: skip


@table("function, calls", PROGRAMS)
def test_named_tuples_are_as_in_python(function, calls) -> None:
    assert_agrees(function, *calls)


def test_keys_with_an_equality_of_their_own_are_pythons() -> None:
    pairs = [(i % 5, i) for i in range(80)]
    with pytest.warns(UserWarning, match="runs in Python"):
        assert ag.compile(of_own_equality)(pairs) == of_own_equality(pairs)


def test_no_table_has_keys_that_are_tuples_of_two_classes() -> None:
    pair, many = (PYTHON_INT, PYTHON_INT), ListOf(PYTHON_INT, tuple)
    alone = Tuple(Point, pair), OneOf((Tuple(Point, pair), PYTHON_INT)), OneOf((many, PYTHON_INT))
    assert all(map(is_key_kind, alone))
    for other in (Tuple(tuple, pair), Tuple(Other, pair), many):
        assert not is_key_kind(OneOf((Tuple(Point, pair), other)))


@pytest.mark.native
def test_named_tuples_call_no_python() -> None:
    wanted = (counts, first_seen, flood, shortest, asked_by_tuples, tallied, grouped, states, met, replaced)
    for function, calls in PROGRAMS:
        if function in wanted:
            explained = ag.compile(function, fallback="error").explain(*copy.deepcopy(calls[0]))
            assert "host calls    none" in explained, (function, explained)


@pytest.mark.native
def test_one_program_is_for_all_sets_of_named_tuples() -> None:
    function = ag.compile(shortest, fallback="error")
    for walls in (*WALLS, *({Point(x + 1, 5) for x in range(k)} for k in range(9, 12))):
        assert function(copy.deepcopy(walls), 12) == shortest(walls, 12)
    assert len(function.specializations) == 1


@pytest.mark.native
@table("known", [{Point(1, 2), Point(3, 4)}, {(Point(1, 2), 3)}, frozenset({(Point(1, 2), (3, "a"))})])
def test_a_set_of_named_tuples_that_is_known_equals_another_of_the_same_content(known) -> None:
    function = ag.compile(lambda x: (len(x), sorted(x)), fallback="error")
    for _ in range(3):
        assert function(copy.deepcopy(known)) == (len(known), sorted(known))
    assert len(function.specializations) == 1
    others = {tuple(x) for x in known}
    assert function(others) == (len(others), sorted(others))
    assert [type(x) for x in function(copy.deepcopy(known))[1]] == [type(x) for x in sorted(known)]


class Labelled(namedtuple("Labelled", "x y")):
    """Unlike a class with `__slots__ = ()` it lets its instances have attributes."""


def label_of(point):
    return point.label, point.x


def itself(point):
    return point


def labelled(point):
    point.label = "b"
    return point.label


def made_with_label(n):
    point = Labelled(n, 2)
    point.label = "c"
    return point


def test_named_tuples_keep_the_attributes_that_they_were_given():
    point = Labelled(1, 2)
    point.label = "a"
    assert ag.compile(label_of, fallback="error")(point) == ("a", 1)
    assert ag.compile(itself, fallback="error")(point) is point
    made = ag.compile(made_with_label, fallback="error")(3)
    assert made == (3, 2) and made.label == "c"


def test_no_attribute_that_a_named_tuple_is_given_is_lost():
    with pytest.raises(ag.ConversionError, match="the attribute label of a Labelled of the caller's is set"):
        ag.compile(labelled, fallback="error")(Labelled(1, 2))
    point = Labelled(1, 2)
    with pytest.warns(UserWarning, match="runs in Python"):
        assert ag.compile(labelled)(point) == point.label == "b"


class Found:
    """Looks its attributes up, and has an error of its own for those that are not there."""

    def __init__(self, entries):
        self.entries = entries

    def __getattr__(self, name):
        return self.entries[name]


def read_attribute(found):
    return found.x


def test_an_object_that_is_no_tuple_is_asked_for_no_method_of_named_ones():
    for x in (1, "a"):
        assert ag.compile(read_attribute, fallback="error")(Found({"x": x})) == x
