"""Instances of users' classes as rows of tables: in lists, in one another, of the caller's; what leaves and what is written is Python's."""

from __future__ import annotations

import dataclasses
import heapq
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

import autograph_jit as ag
from tests.tables import table


class Body:
    def __init__(self, x, v, m):
        self.x = x
        self.v = v
        self.m = m

    def step(self, dt):
        self.x += self.v * dt

    def energy(self):
        return 0.5 * self.m * self.v * self.v


class Node:
    __slots__ = ("value", "next")

    def __init__(self, value, next):
        self.value = value
        self.next = next


class Knot:
    def __init__(self, value):
        self.value = value
        self.next = None
        self.others = []


class Tree:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


class Vec:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vec(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __abs__(self):
        return (self.x * self.x + self.y * self.y) ** 0.5

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y


class Agent:
    def __init__(self, place, speed):
        self.place = place
        self.speed = speed
        self.alive = True

    def move(self, dt):
        self.place = self.place + self.speed * dt


class Base:
    kind = "base"

    def __init__(self, a):
        self.a = a

    def size(self):
        return self.a


class Derived(Base):
    scale = 3

    def __init__(self, a, b):
        super().__init__(a)
        self.b = b

    def size(self):
        return super().size() * self.scale + self.b


@dataclass
class Account:
    number: int
    balance: float = 0.0
    changes: int = 0
    limit: float | None = None
    notes: list = field(default_factory=list)

    def deposit(self, amount):
        if amount < 0:
            raise ValueError(f"negative: {amount}")
        self.balance += amount
        self.changes += 1

    @property
    def is_rich(self):
        return self.balance > 50.0


@dataclass(order=True)
class Item:
    score: float
    number: int


@dataclass(frozen=True)
class Fixed:
    a: float
    b: int

    def product(self):
        return self.a * self.b


@dataclass(slots=True)
class Slotted:
    a: float
    b: int = 3

    def up(self):
        self.a += self.b


class Matrix:
    def __init__(self, n):
        self.n = n
        self.data = [0.0] * (n * n)

    def __getitem__(self, key):
        i, j = key
        return self.data[i * self.n + j]

    def __setitem__(self, key, value):
        i, j = key
        self.data[i * self.n + j] = value


class Watched:
    """Attributes set by Python code."""

    def __init__(self, a):
        object.__setattr__(self, "a", a)

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)


class Registered:
    """The constructor gives the instance to others."""

    def __init__(self, a, others):
        self.a = a
        others.append(self)


class Called:
    """Instances that can be called are objects of each call, too."""

    def __init__(self, x):
        self.x = x
        self.other = None

    def __call__(self, k):
        return self.x + k


class World:
    def __init__(self, n):
        self.nodes = [Knot(i) for i in range(n)]
        self.best = None
        self.log = []

    def spawn(self, k):
        for i in range(k):
            self.nodes.append(Knot(100 + i))
        self.best = self.nodes[-1]

    def keep(self, k):
        made = []
        for i in range(k):
            made.append(Tree(i))
        self.best = made[k // 2]
        self.log.append(made[0])
        for i in range(k):
            if i == k - 2:
                raise KeyError(i)
            made[k // 2].key += 1
            self.log.append(made[i])


Point = namedtuple("Point", "x y")


class Event(NamedTuple):
    time: float
    kind: int = 0

    def is_late(self):
        return self.time > 5.0


def accounts(n):
    made = []
    for i in range(n):
        made.append(Account(i))
    for i in range(5 * n):
        made[i * 7 % n].deposit(float(i % 13))
    for a in made:
        if a.changes > 3:
            a.limit = a.balance
    return sum(1 for a in made if a.is_rich), sum(a.limit for a in made if a.limit is not None), made


def refused_deposit(n):
    made = [Account(i) for i in range(n)]
    refused = 0
    try:
        for i in range(n):
            made[i].deposit(5.0 - i)
    except ValueError:
        refused += 1
    return refused, [a.balance for a in made]


def linked(n):
    head = None
    for i in range(n):
        head = Node(i, head)
    total, node = 0, head
    while node is not None:
        total = total * 3 % 1009 + node.value
        node = node.next
    return total, head


def tree(n):
    root = Tree(n // 2)
    x = 12345
    for _ in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        node = root
        while True:
            if x % n < node.key:
                if node.left is None:
                    node.left = Tree(x % n)
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = Tree(x % n)
                    break
                node = node.right
    return root


def sides(n):
    """A way down by the name of an attribute, of which one is None in all instances for a while."""
    root = Tree(n // 2)
    for i in range(n):
        node, key = root, i * 7919 % n
        while node is not None:
            side = "left" if key < node.key else "right"
            if getattr(node, side) is None:
                setattr(node, side, Tree(key))
                break
            node = getattr(node, side)
    return root, getattr(root, "key" if n % 2 else "nothing", 3)


def knots(n):
    made = [Knot(i) for i in range(n)]
    for i in range(n):
        made[i].next = made[(i + 1) % n]
        for j in range(i % 4):
            made[i].others.append(made[(i * j + 1) % n])
    total = 0
    for a in made:
        for other in a.others:
            total += other.value
        total += a.next.next.value
    return total, made


def agents(n):
    made = [Agent(Vec(1.0 * i, 0.0), Vec(0.5, 1.0 * i)) for i in range(n)]
    for _ in range(8):
        for a in made:
            a.move(0.1)
            if a.place.x > 20:
                a.alive = False
    return made, made[n - 1].place == made[n - 2].place, made[n - 1].place != made[n - 2].place


def derived(n):
    made = [Derived(i, 2 * i) for i in range(n)]
    return sum(x.size() for x in made), made[0].kind, isinstance(made[n - 1], Base), type(made[1]) is Derived, made[1].__class__ is Derived


def identities(n, flag):
    made = [Slotted(i * 1.0) for i in range(n)]
    best = None
    for x in made:
        if best is None or x.a > best.a:
            best = x
    best.a = -1.0
    first, second = made[0], made[1]
    for i in range(2, n):
        if made[i].a > first.a:
            first, second = second, made[i]
    chosen = first if flag else second
    chosen.b = 100
    return made, best is made[n - 1], first is second, [i for i, x in enumerate(made) if x is chosen], best is None


def swaps(n):
    made = [Slotted(i * 1.0, i) for i in range(n)]
    i, j = 0, n - 1
    while i < j:
        made[i], made[j] = made[j], made[i]
        i += 1
        j -= 1
    made.pop()
    made.insert(1, Slotted(-1.0))
    other = made[:3] + [made[0]]
    other[3].a = 100.0
    made.append(made[2])
    made.sort(key=lambda x: -x.a)
    return made, other, made[0] is other[0]


def sorting(n):
    made = [Item((i * 37 % 101) / 7.0, i) for i in range(n)]
    ordered = sorted(made, key=lambda t: t.score)
    return ordered, min(made, key=lambda t: (t.score, t.number)).number, made[0] < made[1], made[0] == made[1], made[2] == made[2]


def queue(n):
    heap = []
    for i in range(n):
        heapq.heappush(heap, Item(i * 37 % 101 * 1.0, i))
    total = 0.0
    while heap:
        item = heapq.heappop(heap)
        total = total * 0.5 + item.score + item.number
    return total


def tuples(n):
    heap, pairs = [], []
    for i in range(n):
        item = Item(i * 1.0, i)
        heapq.heappush(heap, (i * 37 % 101, i, item))
        pairs.append((item, i))
    for item, i in pairs:
        item.score += i
    total = 0.0
    while heap:
        _, _, item = heapq.heappop(heap)
        total = total * 0.5 + item.score
    return total, pairs


def in_dict(n):
    made = {}
    for i in range(n):
        made[i * 7 % n] = Slotted(i * 1.0, i)
    for k in made:
        made[k].up()
    return sum(v.a for v in made.values()), made[3].b


def named_tuples(n):
    points = []
    for i in range(n):
        points.append(Point(i * 0.5, i))
    total = 0.0
    for p in points:
        total += p.x * p.y
    best = max(points, key=lambda p: p.x - p.y)
    return points, total, best, points[n // 2], points[0] < points[1], type(points[n - 2]) is Point


def events(n):
    heap, late = [], []
    for i in range(n):
        heapq.heappush(heap, Event(i * 37 % 101 / 10.0, i))
    while heap:
        event = heapq.heappop(heap)
        if event.is_late():
            late.append(event.kind)
    return late


def frozen(n):
    made = [Fixed(i * 1.5, i) for i in range(n)]
    total = 0.0
    for x in made:
        total += x.product()
    try:
        made[n // 2].a = 3.0
    except dataclasses.FrozenInstanceError as error:
        return total, str(error), made[0] == made[1], made


def matrices(n):
    made = [Matrix(3) for _ in range(n)]
    for k in range(n):
        for i in range(3):
            for j in range(3):
                made[k][i, j] = i * j + k
    return sum(m[2, 2] for m in made), made


def missing(n):
    made = [Slotted(i * 1.0) for i in range(n)]
    return sum(x.nothing for x in made)


def absent(n):
    made = [Slotted(i * 1.0) for i in range(n)]
    found = None
    for x in made:
        if x.a > 1000:
            found = x
    return found.a


def other_types(n):
    made = [Slotted(0, 1) for i in range(n)]
    for i in range(n):
        made[i].a = made[i].a + 0.5 * i if i % 2 else made[i].a
    made[n // 2].b = None if n > 5 else 3
    return made


def attributes_by_name(n):
    made = [Fixed(i * 1.0, i) for i in range(n)]
    return sum(getattr(x, "a") for x in made), hasattr(made[n - 1], "b"), hasattr(made[n - 1], "c"), getattr(made[n - 1], "q", 5)  # noqa: B009


def orbit(n):
    place, speed = Vec(1.0, 0.5), Vec(0.0, 1.0)
    for _ in range(n):
        speed = speed + -0.01 / abs(place) ** 3 * place
        place = place + 0.01 * speed
    return place.x, place.y, abs(speed)


def watched(n):
    made = [Watched(i) for i in range(n)]
    for x in made:
        x.a = x.a + 1
    return [x.a for x in made]


def registered(n):
    others = []
    made = [Registered(i, others) for i in range(n)]
    for x in made:
        x.a += 1
    return [x.a for x in others], made[3] is others[3]


def hashed(n):
    made = [Body(1.0 * i, 0.0, 1.0) for i in range(n)]
    counts = {}
    for x in made:
        counts[x] = 1
    return len(counts), len(set(made)), f"{made[0].x}", vars(made[1])


MADE: dict[Any, tuple[Any, ...]] = {
    accounts: (20,), refused_deposit: (20,), linked: (20,), tree: (40,), sides: (40,),
    knots: (20,), agents: (12,), derived: (20,), swaps: (20,),
    sorting: (20,), queue: (30,), tuples: (20,), in_dict: (20,), named_tuples: (20,), events: (20,), frozen: (20,), matrices: (12,),
    missing: (20,), absent: (20,), other_types: (20,), attributes_by_name: (20,), watched: (12,), registered: (12,), hashed: (12,),
    identities: (20, True), orbit: (20,),
}  # fmt: skip
AS_OBJECTS = (watched, registered, hashed)
COMPILED = (accounts, linked, tree, sides, knots, agents, identities, swaps, tuples, named_tuples, other_types, orbit)


def attract(bodies, dt):
    for i in range(len(bodies)):
        a = bodies[i]
        for j in range(i + 1, len(bodies)):
            b = bodies[j]
            d = a.x - b.x
            a.v -= d * b.m * dt / (d * d + 1.0)
            b.v += d * a.m * dt / (d * d + 1.0)
    for b in bodies:
        b.step(dt)
    return sum(b.energy() for b in bodies)


def deposit_all(made, amounts):
    for x, amount in zip(made, amounts):
        x.deposit(amount)


def limits(made):
    for x in made:
        if x.limit is None:
            x.limit = 1.0
        elif x.limit > 5:
            x.limit = None
    return [x.limit for x in made]


def move_all(made, steps):
    for _ in range(steps):
        for a in made:
            a.move(0.1)
    return made[2].place


def relink(nodes):
    n = len(nodes)
    for i in range(n):
        nodes[i].next = nodes[(i + 3) % n]
    total, a = 0, nodes[0]
    for _ in range(n):
        a = a.next
        total = total * 3 % 1000 + a.value
    return total


def lengthen(nodes, k):
    for i in range(k):
        nodes.append(Node(i, nodes[i]))
    return nodes[-1], nodes[0], nodes[-1].next is nodes[k - 1]


def halve(nodes):
    for a in nodes:
        a.value = a.value * 0.5
    return nodes[3].value


def highest(items):
    return max(items, key=lambda t: t.score), sorted(items, key=lambda t: -t.score)[:3]


def with_one(items, one):
    for t in items:
        t.score += 1.0
    one.score += 10.0
    return items[0].score


def in_two_lists(first, second):
    for t in first:
        t.score += 1.0
    for t in second:
        t.score *= 2.0
    return first[0].score


def rotate(items):
    items.append(items.pop(0))
    items[0], items[1] = items[1], items[0]
    items[2].score = -1.0


class Saving(Account):
    pass


def total_balance(made):
    return sum(x.balance for x in made)


def farthest(points):
    best, total = points[0], 0.0
    for p in points:
        total += p.x
        if p.y > best.y:
            best = p
    return best, total


def by_place(pairs):
    total = 0
    for a, b in pairs:
        total += a * b
    pairs.append((total, 1.5))
    pairs[0] = pairs[1]
    return sorted(pairs)[0], len(pairs)


def unpacked(pairs):
    first, *rest = pairs
    return first, rest


def pair_up(made):
    for i in range(len(made)):
        made[i].other = made[-1 - i]
    return sum(a.other(1) for a in made)


def all_to_one(made, one):
    for a in made:
        a.other = one
    return made[0].other is one


def stop_in_the_middle(made, k):
    for i in range(len(made)):
        made[i].value += 1
        if i == k:
            made.pop()
            raise ValueError(made[i].value)


def spawn(world, k):
    return world.spawn(k)


def keep(world, k):
    return world.keep(k)


def chain(n):
    nodes = [Node(k, None) for k in range(n)]
    for k in range(n - 1):
        nodes[k].next = nodes[k + 1]
    return nodes


def items(n):
    return [Item(k * 37 % 101 * 1.0, k) for k in range(n)]


class Named:
    def __init__(self, name, place, count):
        self.name, self.place, self.count = name, place, count

    def move(self, place):
        self.count += 1
        self.place = place + self.name[:1]


def named(n, last=""):
    return [Named(f"n{k}ä", f"place{k % 5}", k) for k in range(n)] + ([Named("x", last, 1)] if last != "" else [])


def neighbours(made):
    pairs, index = 0, {}
    for a in made:
        index[a.name] = a
        for b in made:
            if a.place == b.place and a.name < b.name:
                pairs += 1
    return pairs, index["n3ä"].count, [x.name for x in made[:3]]


def move_round(made, n):
    for k in range(n):
        made[k].move(made[k - 1].place)
        made[k].name, made[k + 1].name = made[k + 1].name, made[k].name
    return made[0].place


class Ball:
    def __init__(self, k: int) -> None:
        self.place, self.velocity = [k * 0.5, 1.0 - k, 2.0], [0.1 * k, 0.2]
        self.colour, self.tags, self.mass = (k, k + 1, 2.5), ["a", f"b{k}"], 1.0 + k

    def energy(self) -> float:
        return 0.5 * self.mass * sum(v * v for v in self.velocity)


def balls(n: int, change: Any = None) -> list[Ball]:
    made = [Ball(k) for k in range(n)]
    if change is not None:
        change(made)
    return made


def bounce(balls: list[Ball], steps: int) -> Any:
    hits = 0
    for _ in range(steps):
        for ball in balls:
            for axis in range(2):
                ball.place[axis] += ball.velocity[axis] * 0.25
                if not 0.0 <= ball.place[axis] <= 2.0:
                    ball.velocity[axis] = -ball.velocity[axis]
                    hits += 1
    return hits, sum(ball.energy() for ball in balls), balls[1].place


def exchange(balls: list[Ball], steps: int) -> Any:
    for k in range(steps):
        for one, other in zip(balls, balls[1:]):
            one.place, other.velocity = other.velocity, one.place
            one.colour = (one.colour[1], k, one.colour[2] * 0.5)
            other.tags = other.tags[1:] + [one.tags[-1]]
            one.tags.append("z")
    return [ball.place for ball in balls], balls[0].colour, [len(ball.tags) for ball in balls]


def lend(balls: list[Ball], lent: list[float], last: int) -> Any:
    for k, ball in enumerate(balls):
        lent[k % 2] += ball.mass
        ball.place = lent if k % 3 else [ball.place.pop()]
        if k == last:
            ball.velocity.pop(7)
    return lent is balls[1].place


def shown(balls: list[Ball]) -> Any:
    found: list[Any] = []
    for ball in balls:
        if ball.mass > 9.0:
            found.append(ball.colour)
        found.append(ball.place)
    return found


def one_list(made: list[Ball]) -> None:
    made[3].velocity = made[2].velocity
    made[5].place = made[4].place


def one_list_under_two_names(made: list[Ball]) -> None:
    made[3].velocity = made[2].place


def whole_numbers(made: list[Ball]) -> None:
    made[3].place = [1, 2, 3]


WITH_LISTS: list[tuple[Any, Any]] = [
    (bounce, lambda: (balls(10), 3)),
    (bounce, lambda: (balls(30), 4)),
    (bounce, lambda: (balls(10, one_list), 3)),
    (exchange, lambda: (balls(12), 3)),
    (exchange, lambda: (balls(9, one_list), 3)),
    (lend, lambda: (balls(9), [1.0, 2.0], 99)),
    (lend, lambda: (balls(12), [1.0, 2.0, 3.0], 99)),
    (lend, lambda: (balls(12), [1.0, 2.0, 3.0], 7)),
]
GIVEN: list[tuple[Any, Any]] = [
    *WITH_LISTS,
    (shown, lambda: (balls(11),)),
    (bounce, lambda: (balls(10, one_list_under_two_names), 3)),
    (bounce, lambda: (balls(10, whole_numbers), 2)),
    (lend, lambda: (lambda made: (made, made[4].place, 99))(balls(9))),
    (neighbours, lambda: (named(70),)),
    (neighbours, lambda: (named(66),)),
    (neighbours, lambda: (named(9),)),
    (move_round, lambda: (named(70), 60)),
    (move_round, lambda: (named(70), 90)),
    (move_round, lambda: (named(70, None), 20)),
    (attract, lambda: ([Body(float(i), 0.1 * i, 1.0 + i) for i in range(12)], 0.01)),
    (deposit_all, lambda: ([Account(i, i * 2.0) for i in range(12)], [1.0 * i for i in range(12)])),
    (deposit_all, lambda: ([Account(i, i * 2.0) for i in range(12)], [5.0 - i for i in range(12)])),
    (limits, lambda: ([Account(i, 0.0, 0, None if i % 3 else float(i)) for i in range(12)],)),
    (move_all, lambda: ([Agent(Vec(1.0 * i, 2.0), Vec(0.5, i * 1.0)) for i in range(10)], 3)),
    (relink, lambda: (chain(12),)),
    (relink, lambda: (chain(30)[:11],)),
    (relink, lambda: (chain(10) * 2,)),
    (lengthen, lambda: (chain(12), 5)),
    (halve, lambda: (chain(12),)),
    (highest, lambda: (items(12),)),
    (with_one, lambda: (items(12), Item(3.0, 4))),
    (with_one, lambda: (lambda made: (made, made[0]))(items(12))),
    (with_one, lambda: (lambda made: (made, made[0]))([*items(12), None])),
    (in_two_lists, lambda: (items(12), items(10))),
    (in_two_lists, lambda: (lambda made: (made, made[3:14]))(items(20))),
    (in_two_lists, lambda: (lambda made: (made, made))(items(12))),
    (rotate, lambda: (items(12),)),
    (pair_up, lambda: ([Called(i) for i in range(12)],)),
    (all_to_one, lambda: ([Called(i) for i in range(12)], Called(1))),
    (all_to_one, lambda: (lambda made: (made, made[3]))([Called(i) for i in range(12)])),
    (stop_in_the_middle, lambda: (chain(12), 4)),
    (stop_in_the_middle, lambda: (chain(20), 40)),
    (spawn, lambda: (World(12), 3)),
    (keep, lambda: (World(12), 12)),
    (farthest, lambda: ([Point(k * 0.5, k * 7 % 11) for k in range(12)],)),
    (farthest, lambda: ([Point(k, k * 7 % 11) for k in range(12)],)),
    (farthest, lambda: ([Point(k, k * 7 % 11 if k else 0.5) for k in range(12)],)),
    (farthest, lambda: ([Point(2**70, k * 7 % 11) for k in range(12)],)),
    (farthest, lambda: ([Point(0.5, k * 7 % 11) if k else Vec(0.5, 1) for k in range(12)],)),
    (by_place, lambda: ([(k, k * 0.5) for k in range(12)],)),
    (by_place, lambda: ([(k, k * 0.5, 3)[: 2 + k // 11] for k in range(12)],)),
    (unpacked, lambda: ([(k, k * 0.5) for k in range(12)],)),
    (total_balance, lambda: ([Account(i, i * 2.0) for i in range(12)],)),
    (total_balance, lambda: ([Account(i, i) for i in range(12)],)),
    (total_balance, lambda: ([Account(i, 2**70) for i in range(12)],)),
    (total_balance, lambda: ([Account(i, i * 0.5 if i % 2 else i) for i in range(12)],)),
]


def pictured(x: Any, seen: dict[int, int]) -> Any:
    """A value with the attributes of its instances; each instance and list by a number where it comes again."""
    names = [*getattr(type(x), "__slots__", ()), *getattr(x, "__dict__", ())]
    if names or isinstance(x, list):
        if id(x) in seen:
            return "again", seen[id(x)]
        seen[id(x)] = len(seen)
    if isinstance(x, (list, tuple, dict)):
        parts = x.items() if isinstance(x, dict) else x
        return type(x).__name__, [pictured(part, seen) for part in parts]
    if not names:
        return type(x).__name__, repr(x)
    return type(x).__name__, [(name, pictured(getattr(x, name), seen)) for name in names]


def outcome(function: Any, arguments: tuple[Any, ...]) -> Any:
    """What a call gives or raises, and what it leaves in its arguments."""
    try:
        result = function(*arguments)
    except ag.ConversionError:
        raise
    except Exception as error:
        result = type(error).__name__, str(error)
    return pictured((result, arguments), {})


@table(("function", "arguments"), MADE.items())
def test_instances_of_a_program_are_those_of_python(function: Any, arguments: tuple[Any, ...]) -> None:
    is_native = function in COMPILED
    with ag.config(backend="cpu" if is_native else "interpreter"):
        made = ag.compile(function, fallback="error")
        assert outcome(made, arguments) == outcome(function, arguments)
        told = made.explain(*arguments)
        assert not is_native or "host calls    none" in told or "host calls    sorted" in told


@table("function", AS_OBJECTS)
def test_instances_that_are_more_than_their_attributes_are_made_by_python(function: Any) -> None:
    with ag.config(backend="interpreter"):
        made = ag.compile(function, fallback="error")
        made(*MADE[function])
        assert "host calls    none" not in made.explain(*MADE[function])


@pytest.mark.native
def test_instances_of_the_caller_hold_what_python_leaves() -> None:
    made: dict[Any, Any] = {}
    for number, (function, arguments) in enumerate(GIVEN):
        one = made.setdefault(function, ag.compile(function, fallback="error"))
        assert outcome(one, arguments()) == outcome(function, arguments()), (number, function)
        assert outcome(one, arguments()) == outcome(function, arguments()), (number, function)


@pytest.mark.native
def test_one_program_serves_lists_of_instances_of_any_length() -> None:
    made = ag.compile(attract, fallback="error")
    for n in (9, 20, 50):
        arguments = [([Body(float(i), 0.1 * i, 1.0 + i) for i in range(n)], 0.01) for _ in range(2)]
        assert outcome(made, arguments[0]) == outcome(attract, arguments[1])
    assert "1 program" in made.explain(*arguments[0])


@pytest.mark.native
def test_lists_and_tuples_of_instances_are_data() -> None:
    made = {function: ag.compile(function, fallback="error") for function in (bounce, exchange, lend)}
    for function, arguments in WITH_LISTS:
        assert outcome(made[function], arguments()) == outcome(function, arguments())
    for function, arguments in {function: arguments for function, arguments in WITH_LISTS}.items():
        told = made[function].explain(*arguments())
        assert "1 program" in told and "host calls    attributes of instances" in told


@pytest.mark.native
def test_texts_of_instances_are_data() -> None:
    made = ag.compile(neighbours, fallback="error")
    for n in (70, 90):
        assert made(named(n)) == neighbours(named(n))
    assert "1 program" in made.explain(named(70)) and "host calls    attributes of instances" in made.explain(named(70))


@pytest.mark.native
def test_only_what_is_written_goes_back() -> None:
    accounts_given = [Account(i, i * 2.0) for i in range(12)]
    numbers = [x.balance for x in accounts_given]
    assert ag.compile(total_balance, fallback="error")(accounts_given) == sum(numbers)
    assert all(x.balance is number for x, number in zip(accounts_given, numbers))


@pytest.mark.native
def test_a_loop_over_instances_that_is_quicker_in_python_runs_there() -> None:
    made = ag.compile(total_balance)
    with pytest.warns(UserWarning, match="runs in Python"):
        made([(Account, Saving)[i % 2](i, i * 2.0) for i in range(200)])
