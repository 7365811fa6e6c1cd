"""Programs that combine the features of the language with data: classes, closures, containers, recursion, patterns, jumps."""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def ints(seed, low, high, *shape):
    return np.random.default_rng(seed).integers(low, high, shape)


# ---------------------------------------------------------------- classes with operators


class Vec2:
    """A vector whose operators choose by data."""

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        if self.x > 100.0:
            return Vec2(100.0, self.y + other.y)
        return Vec2(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vec2(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __neg__(self):
        return Vec2(-self.x, -self.y)

    def __abs__(self):
        return math.sqrt(self.x * self.x + self.y * self.y)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __lt__(self, other):
        return abs(self) < abs(other)

    __hash__ = None


@program(lambda: (rnd(1, 6),), lambda: (rnd(1, 9) * 100,), lambda: (np.zeros(1),))
def vector_walk(steps):
    position = Vec2(0.0, 1.0)
    for s in steps:
        position = position + Vec2(s, -s)
        if abs(position) > 2.0:
            position = 0.5 * position
    return position.x, position.y


@program(lambda: (rnd(2, 5), 1.0), lambda: (rnd(3, 5), -1.0))
def operators_of_classes_compare(values, k):
    best = Vec2(0.0, 0.0)
    for v in values:
        candidate = -Vec2(v, k)
        if best < candidate:
            best = candidate
    return best.x, best.y, best == Vec2(0.0, 0.0)


class Accumulator:
    """`+=` changes the object in place, by data."""

    def __init__(self):
        self.total = 0.0
        self.rejected = 0

    def __iadd__(self, v):
        if v > 0:
            self.total += v
        else:
            self.rejected += 1
        return self


@program(lambda: (rnd(4, 8),), lambda: (rnd(5, 20),), lambda: (np.zeros(0),))
def inplace_operator_of_class(values):
    acc = Accumulator()
    for v in values:
        acc += v
    return acc.total, acc.rejected


@program(lambda: (rnd(4, 8), Accumulator()), lambda: (rnd(5, 3), Accumulator()))
def inplace_operator_of_argument(values, acc):
    for v in values:
        if v > -0.5:
            acc += v
    return len(values)


class Grid:
    """Items by user-defined methods that write state."""

    def __init__(self, n):
        self.cells = np.zeros((n, n))
        self.writes = 0
        self.last = None

    def __setitem__(self, key, value):
        i, j = key
        if value > 0:
            self.cells[i, j] = value
            self.writes += 1
        self.last = value

    def __getitem__(self, key):
        i, j = key
        return self.cells[i, j] if i <= j else self.cells[j, i]

    def __len__(self):
        return self.cells.shape[0]

    def __contains__(self, v):
        return bool((self.cells == v).any())


@program(lambda: (rnd(6, 4, 4),), lambda: (rnd(7, 2, 2),))
def items_of_class(values):
    grid = Grid(4)
    n = values.shape[0]
    for i in range(n):
        for j in range(n):
            grid[i, j] = values[i, j]
            grid[i, j] += 0.25
    return grid.cells, grid.writes, grid.last, grid[3, 0], len(grid), 0.25 in grid


class Clamped:
    """A property whose setter branches on data."""

    def __init__(self, low, high):
        self.low, self.high = low, high
        self._value = low
        self.clips = 0

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, v):
        if v < self.low:
            self.clips += 1
            v = self.low
        elif v > self.high:
            self.clips += 1
            v = self.high
        self._value = v


@program(lambda: (rnd(8, 9),), lambda: (rnd(9, 1),))
def property_setter_in_loop(values):
    c = Clamped(-0.5, 0.5)
    out = np.empty_like(values)
    for i, v in enumerate(values):
        c.value = v
        c.value += 0.1
        out[i] = c.value
    return out, c.clips


@program(lambda: (rnd(8, 9), Clamped(0.0, 1.0)), lambda: (rnd(9, 20) * 3, Clamped(-1.0, 1.0)))
def property_setter_of_argument(values, c):
    for v in values:
        if v > -1:
            c.value = v
    return c.value


@dataclass
class Particle:
    """A record with state and a method that branches."""

    position: float
    velocity: float
    bounces: int = 0

    def advance(self, dt):
        self.position += self.velocity * dt
        if self.position < 0.0:
            self.position = -self.position
            self.velocity = -self.velocity
            self.bounces += 1
        elif self.position > 1.0:
            self.position = 2.0 - self.position
            self.velocity = -self.velocity
            self.bounces += 1


@program(lambda: (0.3, 1.7, 20), lambda: (0.5, -3.0, 100), lambda: (0.1, 0.0, 1))
def bouncing_particle(x, v, steps):
    p = Particle(x, v)
    for _ in range(steps):
        p.advance(0.1)
    return p


@program(lambda: ([Particle(0.1, 1.0), Particle(0.9, 2.0)], 7), lambda: ([Particle(0.5, -4.0)], 3))
def particles_in_list(particles, steps):
    for _ in range(steps):
        for p in particles:
            p.advance(0.2)
    return sum(p.position for p in particles), max(p.bounces for p in particles)


class Point(NamedTuple):
    """A pair with names."""

    x: float
    y: float

    def reflect(self):
        return Point(self.y, self.x) if self.x > self.y else self


@program(lambda: (rnd(10, 5, 2),), lambda: (rnd(11, 1, 2),), lambda: (rnd(12, 20, 2),))
def named_tuples_in_loop(points):
    best = Point(0.0, 0.0)
    for x, y in points:
        p = Point(x, y).reflect()
        if p.x + p.y > best.x + best.y:
            best = p._replace(y=p.y * 2.0)
    return best


@dataclass(frozen=True)
class Interval:
    """A frozen record."""

    low: float
    high: float
    tags: list = field(default_factory=list, compare=False)

    def contains(self, v):
        return self.low <= v < self.high

    @property
    def middle(self):
        return (self.low + self.high) / 2


@program(lambda: (rnd(13, 9),), lambda: (rnd(14, 2),))
def frozen_records(values):
    parts = [Interval(-3.0, -0.5), Interval(-0.5, 0.5), Interval(0.5, 3.0)]
    counts = np.zeros(len(parts), dtype=int)
    total = 0.0
    for v in values:
        for k, part in enumerate(parts):
            if part.contains(v):
                counts[k] += 1
                total += part.middle
                break
        else:
            total -= 100.0
    return counts, total


class Shape:
    """A base class."""

    scale = 2.0

    def area(self):
        raise NotImplementedError("area")

    def scaled(self, k):
        return self.area() * k * self.scale


class Square(Shape):
    """Overrides and calls the base."""

    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


class Disc(Shape):
    """Another scale, and `super` with data."""

    scale = 0.5

    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return 3.0 * self.radius * self.radius

    def scaled(self, k):
        base = super().scaled(k)
        return base if base < 10.0 else 10.0


@program(lambda: (rnd(15, 6),), lambda: (rnd(16, 2) * 4,))
def inheritance_and_super(values):
    total = 0.0
    for v in values:
        for shape in (Square(v), Disc(v)):
            total += shape.scaled(1.5)
    return total


@program(lambda: (1.0,))
def abstract_method_raises(x):
    return Shape().scaled(x)


class Stack:
    """A list behind methods."""

    def __init__(self):
        self.items = []
        self.depth = 0

    def push(self, v):
        self.items.append(v)
        self.depth = max(self.depth, len(self.items))

    def pop(self):
        return self.items.pop()

    def __bool__(self):
        return len(self.items) > 0


@program(lambda: (np.array([3.0, 4.0, -1.0, 5.0, -2.0, -1.0]),), lambda: (rnd(17, 20),), lambda: (np.array([-1.0, 2.0]),))
def stack_machine(codes):
    stack = Stack()
    for c in codes:
        if c >= 0:
            stack.push(c)
        elif len(stack.items) >= 2:
            b = stack.pop()
            a = stack.pop()
            stack.push(a * b if c == -1.0 else a + b)
    return stack.items, stack.depth


@program(lambda: (np.array([1.0, -1.0, -1.0]),), lambda: (np.array([1.0, 2.0, -1.0]),))
def stack_underflow_raises(codes):
    stack = []
    for c in codes:
        if c > 0:
            stack.append(c)
        else:
            stack.pop()
    return stack


class Node:
    """A linked list of data."""

    def __init__(self, value, rest=None):
        self.value = value
        self.rest = rest


@program(lambda: (np.array([1.0, 2.0, 3.0]),))
def linked_list_of_three(values):
    head = None
    for i in range(3):
        head = Node(values[i], head)
    total = 0.0
    node = head
    while node is not None:
        total = total * 10 + node.value
        node = node.rest
    return total


# ---------------------------------------------------------------- closures


@program(lambda: (rnd(18, 7),), lambda: (rnd(19, 1),))
def counter_closure(values):
    count = 0
    total = 0.0

    def visit(v):
        nonlocal count, total
        if v > 0:
            count += 1
            total += v
        return count

    seen = [visit(v) for v in values]
    return count, total, seen


@program(lambda: (rnd(20, 5), 3), lambda: (rnd(21, 9), 0))
def closure_reads_loop_state(values, rounds):
    scale = 1.0

    def apply(v):
        return v * scale if scale < 4.0 else v

    total = 0.0
    for _ in range(rounds):
        for v in values:
            total += apply(v)
        scale = scale * 2.0 if total > 0 else scale + 0.5
    return total, scale


@program(lambda: (rnd(22, 4),))
def closures_made_in_loop(values):
    functions = []
    for k in range(3):
        functions.append(lambda v, k=k: v * k)
        functions.append(lambda v: v + k)
    return [f(values[1]) for f in functions]


@program(lambda: (2.0, 5), lambda: (3.0, 0))
def closure_factory(x, n):
    def make(power):
        def f(v):
            r = 1.0
            for _ in range(power):
                r *= v
            return r

        return f

    return make(n)(x), make(2)(x)


G_COUNT = 0
G_TABLE = {"a": 1.0, "b": 2.0}
G_LIST = [1.0, 2.0]


def reset_globals():
    global G_COUNT
    G_COUNT = 0
    G_TABLE.clear()
    G_TABLE.update(a=1.0, b=2.0)
    G_LIST[:] = [1.0, 2.0]


@program(lambda: (rnd(23, 6),), lambda: (rnd(24, 3),), start=reset_globals)
def global_counter(values):
    global G_COUNT
    for v in values:
        if v > 0:
            G_COUNT += 1
    return G_COUNT


@program(lambda: (0.5,), lambda: (-0.5,), start=reset_globals)
def global_dict_written_in_branch(x):
    if x > 0:
        G_TABLE["a"] = x
        G_TABLE["c"] = 3.0
    else:
        G_TABLE["b"] = x
    return dict(G_TABLE)


@program(lambda: (0.5,), lambda: (-0.5,), start=reset_globals)
def global_list_written_in_branch(x):
    if x > 0:
        G_LIST[0] = x
    G_LIST.append(x)
    return list(G_LIST)


# ---------------------------------------------------------------- containers in staged loops


@program(lambda: (ints(25, 0, 5, 20),), lambda: (ints(26, 0, 3, 2),), lambda: (np.zeros(0, dtype=int),))
def histogram_by_counter(values):
    c = Counter(values.tolist())
    return sorted(c.items()), c.most_common(1)


@program(lambda: (ints(27, 0, 9, 20),), lambda: (ints(27, 0, 9, 1),))
def seen_set(values):
    seen = set()
    firsts = []
    for v in values:
        k = int(v)
        if k not in seen:
            seen.add(k)
            firsts.append(k)
    return firsts, len(seen)


@program(lambda: (ints(28, 0, 4, 15),), lambda: (ints(29, 0, 4, 1),))
def grouping_dict(keys):
    groups = {}
    for i in range(len(keys)):
        groups.setdefault(int(keys[i]), []).append(i)
    return groups


@program(lambda: (ints(28, 0, 4, 15),), lambda: (ints(29, 0, 4, 1),))
def grouping_defaultdict(keys):
    groups = defaultdict(list)
    for i, k in enumerate(keys.tolist()):
        groups[k].append(i)
    return dict(groups)


@program(lambda: (rnd(30, 9), 3), lambda: (rnd(31, 20), 5), lambda: (rnd(31, 2), 5))
def sliding_deque(values, width):
    window = deque(maxlen=width)
    out = []
    for v in values:
        window.append(v)
        if len(window) == width:
            out.append(max(window))
    return out


@program(lambda: (rnd(32, 9),), lambda: (rnd(33, 1),))
def deque_both_ends(values):
    d = deque()
    for v in values:
        if v > 0:
            d.append(v)
        else:
            d.appendleft(v)
    return list(d)


@program(lambda: (5, [(0, 1), (1, 2), (2, 3), (0, 4)]), lambda: (2, [(0, 1)]))
def breadth_first(n, edges):
    neighbours = {i: [] for i in range(n)}
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    distance = np.full(n, -1)
    distance[0] = 0
    queue = deque([0])
    while queue:
        u = queue.popleft()
        for w in neighbours[u]:
            if distance[w] < 0:
                distance[w] = distance[u] + 1
                queue.append(w)
    return distance


@program(lambda: (rnd(34, 8),), lambda: (rnd(35, 2),))
def list_grows_and_shrinks(values):
    out = []
    for v in values:
        while out and out[-1] > v:
            out.pop()
        out.append(v)
    return out


@program(lambda: (rnd(36, 9),), lambda: (rnd(36, 1),))
def insertion_into_list(values):
    out = []
    for v in values:
        k = 0
        while k < len(out) and out[k] < v:
            k += 1
        out.insert(k, v)
    return out


@program(lambda: (rnd(37, 9),), lambda: (rnd(37, 0),))
def list_of_pairs(values):
    pairs = []
    for i, v in enumerate(values):
        if v > 0:
            pairs.append((i, v))
    return pairs


@program(lambda: (rnd(38, 6),), lambda: (rnd(38, 1),))
def list_of_arrays(values):
    rows = []
    for v in values:
        if v > -0.5:
            rows.append(np.array([v, v * v]))
    return rows, len(rows)


@program(lambda: (ints(39, 1, 30, 6),), lambda: (ints(40, 1, 30, 2),))
def memo_dict(values):
    memo = {0: 0, 1: 1}

    def fib(n):
        if n not in memo:
            memo[n] = fib(n - 1) + fib(n - 2)
        return memo[n]

    return [fib(int(v)) for v in values]


@program(lambda: (ints(41, 0, 26, 12),), lambda: (ints(42, 0, 26, 1),))
def letters(codes):
    text = ""
    for c in codes:
        text += chr(int(c) + 97)
    return text, text.upper(), len(text)


@program(lambda: ("hello world",), lambda: ("",), lambda: ("aabbb",))
def run_lengths(text):
    out = []
    i = 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        out.append((text[i], j - i))
        i = j
    return out


@program(lambda: (rnd(43, 4),), lambda: (rnd(44, 2),))
def printed_rows(values):
    for i, v in enumerate(values):
        print(f"{i:2d}: {v:+.3f}", "up" if v > 0 else "down", sep=" | ")
    print(end=".\n")


@program(lambda: ({"a": 1.0, "b": np.ones(3)}, 0.5), lambda: ({"b": np.zeros(2), "a": -1.0}, -0.5))
def dict_argument_updated(d, x):
    for k, v in d.items():
        d[k] = v + x
    if x > 0:
        d["new"] = x
    return d.get("a"), d.get("zz"), len(d)


@program(lambda: ([3, 1, 2], 2), lambda: ([5], 9))
def list_argument_mutated(items, k):
    items.sort()
    if k > 5:
        items.append(k)
    items.reverse()
    items.extend([k, k])
    del items[0]
    return items.index(k), items.count(k)


@program(lambda: (rnd(45, 6),))
def ordered_dict_of_results(values):
    d = OrderedDict()
    d["mean"] = values.mean()
    d["max"] = values.max()
    d.move_to_end("mean")
    return d


# ---------------------------------------------------------------- loops, jumps, patterns


@program(lambda: (27,), lambda: (1,), lambda: (97,))
def collatz(n):
    steps = 0
    peak = n
    while True:
        if n == 1:
            break
        n = 3 * n + 1 if n % 2 else n // 2
        peak = max(peak, n)
        steps += 1
    return steps, peak


@program(lambda: (rnd(46, 9),), lambda: (-np.abs(rnd(46, 5)),))
def walrus_in_while(values):
    i = 0
    total = 0.0
    while i < len(values) and (v := values[i]) > -1.0:
        total += v
        i += 1
    return total, i


@program(lambda: (ints(47, 0, 6, 9),), lambda: (ints(48, 0, 6, 2),))
def match_on_data(codes):
    out = []
    for c in codes:
        match int(c):
            case 0:
                out.append(0.0)
            case 1 | 2:
                out.append(1.5)
            case n if n > 4:
                out.append(float(n))
            case _:
                out.append(-1.0)
    return out


@program(
    lambda: (("scale", 2.0), rnd(49, 3)),
    lambda: (("shift", 1.0, 2.0), rnd(50, 3)),
    lambda: ({"op": "neg"}, rnd(51, 3)),
    lambda: (7, rnd(51, 3)),
)
def match_on_structure(command, x):
    match command:
        case ("scale", k):
            return x * k
        case ("shift", a, b) if x[0] > 0:
            return x + a
        case ("shift", a, b):
            return x + b
        case {"op": "neg"}:
            return -x
        case int(n):
            return x**n
    return None


@program(lambda: (Particle(0.5, 1.0), 0.2), lambda: (Particle(-0.5, 0.0), 0.2), lambda: (Point(1.0, 2.0), 0.3))
def match_on_classes(item, x):
    match item:
        case Particle(position=p, velocity=0.0):
            return p - x
        case Particle(position=p, velocity=v):
            return p + v * x
        case Point(a, b):
            return a * b * x


@program(lambda: (50,), lambda: (2,), lambda: (1,))
def primes_for_else(n):
    found = []
    for k in range(2, n):
        for d in range(2, int(k**0.5) + 1):
            if k % d == 0:
                break
        else:
            found.append(k)
    return found


@program(lambda: (rnd(52, 4, 5),), lambda: (rnd(53, 1, 1),), lambda: (np.ones((2, 9)),))
def nested_break_continue_return(m):
    total = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            v = m[i, j]
            if v < -1.5:
                continue
            if v > 1.2:
                break
            total += v
            if total > 8.0:
                return i, j, total
        else:
            total += 0.5
    return -1, -1, total


@program(lambda: (48, 36), lambda: (17, 5), lambda: (0, 9), lambda: (9, 0))
def gcd_by_recursion(a, b):
    return a if b == 0 else gcd_by_recursion(b, a % b)


@program(lambda: (2, 3), lambda: (0, 4), lambda: (2, 0))
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@program(lambda: (3,), lambda: (1,), lambda: (5,))
def hanoi(n):
    moves = []

    def move(k, a, b, c):
        if k > 0:
            move(k - 1, a, c, b)
            moves.append((a, c))
            move(k - 1, b, a, c)

    move(n, 0, 1, 2)
    return len(moves), moves[-1]


@program(lambda: (rnd(54, 7),), lambda: (rnd(55, 1),))
def undefined_until_found(values):
    for v in values:
        if v > 0:
            found = v
    return found


@program(lambda: (-np.ones(3),), lambda: (np.ones(2),))
def undefined_after_loop_raises(values):
    for v in values:
        if v > 0:
            found = v
    return found


@program(lambda: (0,), lambda: (3,))
def loop_variable_after_loop(n):
    for i in range(n):
        pass
    return i


@program(lambda: (np.zeros(4), 2), lambda: (np.ones(4), 2))
def optional_value(x, n):
    best = None
    for i in range(n):
        if x[i] > 0:
            best = i
    if best is None:
        return -1
    return best + 10


@program(lambda: (rnd(56, 9),), lambda: (rnd(57, 20),), lambda: (np.zeros(0),))
def optional_maximum(values):
    best = None
    where = None
    for i, v in enumerate(values):
        if best is None or v > best:
            best, where = v, i
    return best, where


@program(lambda: (5,), lambda: (0,), lambda: (1,))
def dtype_changes_in_loop(n):
    s = 0
    for i in range(n):
        s = s + i * 0.5
    return s


@program(lambda: (5, 2.0), lambda: (0, 2.0))
def array_replaces_number(n, x):
    s = 0
    for i in range(n):
        s = s + np.full(3, x)
    return s


@program(lambda: (np.arange(6.0),), lambda: (np.arange(1.0),))
def starred_unpacking(x):
    first, *rest = x
    total = first
    for r in rest:
        total += 2 * r
    a, (b, *c) = 1.0, (total, *rest)
    return total, a, b, c


@program(lambda: (rnd(58, 4), rnd(59, 4)), lambda: (rnd(58, 1), rnd(59, 3)))
def zip_enumerate_reversed(a, b):
    total = 0.0
    for i, (x, y) in enumerate(zip(a, reversed(b)), start=1):
        total += i * x * y
    for i, x in reversed(list(enumerate(a))):
        total -= i * x
    return total


@program(lambda: (rnd(60, 6),), lambda: (rnd(61, 2),))
def map_filter_any_all(values):
    squares = list(map(lambda v: v * v, values))
    large = list(filter(lambda v: v > 0.5, squares))
    return squares, large, any(v > 1 for v in values), all(v < 3 for v in values)


@program(lambda: (rnd(62, 6),), lambda: (rnd(63, 2),))
def sorted_min_max_with_key(values):
    items = [(i, v) for i, v in enumerate(values)]
    by_size = sorted(items, key=lambda p: -abs(p[1]))
    return by_size[0], min(items, key=lambda p: p[1]), max(values, key=lambda v: v % 1.0), sorted(values, reverse=True)


@program(lambda: (rnd(64, 5),), lambda: (rnd(65, 1),))
def itertools_on_data(values):
    total = 0.0
    for a, b in itertools.combinations(range(3), 2):
        total += a * b
    for a, b in itertools.pairwise(values.tolist()):
        total += abs(b - a)
    acc = list(itertools.accumulate(values.tolist()))
    head = list(itertools.takewhile(lambda v: v > -5.0, values))
    chained = [v for v in itertools.chain([1.0, 2.0], values)]
    return total, acc, head, chained


@program(lambda: (rnd(66, 5),), lambda: (rnd(67, 1),))
def functools_on_data(values):
    scale = functools.partial(lambda k, v: k * v, 2.5)
    total = functools.reduce(lambda a, b: a + b if b > 0 else a - b, values, 0.0)
    return total, scale(values)


@program(lambda: (rnd(68, 5, 4),), lambda: (rnd(69, 1, 1),))
def nested_comprehensions(m):
    kept = [[v for v in row if v > 0] for row in m]
    table = {i: sum(row) for i, row in enumerate(kept) if len(row) > 1}
    return kept, table, {len(row) for row in kept}


@program(lambda: (rnd(70, 5),), lambda: (rnd(70, 20),))
def generator_expression_sum(values):
    return sum(v * v for v in values if v > 0), max((abs(v) for v in values), default=0.0)


def positives(values):
    for v in values:
        if v > 0:
            yield v


@program(lambda: (rnd(71, 6),), lambda: (rnd(72, 20),), lambda: (-np.ones(3),))
def generator_with_data_branch(values):
    total = 0.0
    for v in positives(values):
        total += v * 2
    return total


def countdown(n):
    while n > 0:
        yield n
        n -= 1


@program(lambda: (5,), lambda: (0,))
def generator_with_while(n):
    return list(countdown(n)), sum(countdown(n))


class Level(Enum):
    """A few levels."""

    LOW = 1
    HIGH = 2


@program(lambda: (0.2, Level.LOW), lambda: (0.9, Level.HIGH), lambda: (0.9, Level.LOW))
def enum_arguments(x, level):
    if level is Level.HIGH and x > 0.5:
        return level.value * x
    return Level.LOW.name if x < 0.5 else "none"


@program(lambda: (0.3,), lambda: (0.7,), lambda: (1.5,), lambda: (-1.0,))
def strings_chosen_by_data(x):
    label = "low" if x < 0.5 else "high"
    if x > 1:
        label += "!"
    return f"{label}:{x:.2f}", label == "low"


@program(lambda: (3, 4), lambda: (3, 4, 5.0), lambda: ())
def variadic(*args, scale=2.0, **options):
    total = 0.0
    for a in args:
        total += a
    return total * scale, len(args), sorted(options)


@program(lambda: (True, 1.0), lambda: (False, 1.0))
def bool_arithmetic(flag, x):
    count = 0
    for v in (x > 0, x > 2, flag):
        count += v
    return count, flag + 1, flag * x, not flag, -True


@program(lambda: (rnd(73, 5), 0.1), lambda: (rnd(74, 20), 1.0))
def chained_comparisons(values, eps):
    n = 0
    for v in values:
        if -eps < v <= eps or 3 * eps > v > 2 * eps:
            n += 1
    return n


@program(lambda: (3.7, -3.7), lambda: (2.5, 1e-3), lambda: (-0.0, 5.0))
def number_builtins(a, b):
    return int(a), round(a), round(b, 2), abs(b), divmod(a, b), pow(a, 2), math.floor(b), math.ceil(a), a // b, a % b, math.copysign(1.0, a)


@program(lambda: (7, -3), lambda: (-7, 3), lambda: (0, 5))
def integer_builtins(a, b):
    return (
        a // b,
        a % b,
        divmod(a, b),
        abs(a),
        a**2,
        a << 2,
        a >> 1,
        a & b,
        a | b,
        a ^ b,
        ~a,
        -a,
        a / b,
        bin(a),
        hex(abs(a)),
        float(a),
        bool(a),
    )


class Schedule:
    """State that a call operator advances."""

    def __init__(self, rate):
        self.rate = rate
        self.step = 0
        self.history = []

    def __call__(self, loss):
        self.step += 1
        if loss > 1.0:
            self.rate *= 0.5
        if self.step % 2 == 0:
            self.history.append(self.rate)
        return self.rate


@program(lambda: (rnd(75, 6) * 2,), lambda: (rnd(75, 1),))
def callable_object_with_state(losses):
    s = Schedule(0.1)
    total = 0.0
    for v in losses:
        total += s(v)
    return total, s.step, s.rate, s.history


class Logged:
    """A context manager that writes state."""

    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return 2.0

    def __exit__(self, *exc):
        self.log.append("out")
        return False


@program(lambda: (0.5,), lambda: (-0.5,))
def with_in_branch(x):
    log = []
    y = 0.0
    with Logged(log) as k:
        if x > 0:
            y = x * k
        else:
            return log, -1.0
    return log, y


@program(lambda: (rnd(76, 3, 3),), lambda: (np.eye(2),))
def static_and_class_methods(m):
    class Solver:
        tolerance = 1e-3

        @staticmethod
        def norm(v):
            return np.sqrt((v * v).sum())

        @classmethod
        def limit(cls, v):
            return v if cls.norm(v) > cls.tolerance else v * 0

    return Solver.limit(m), Solver.norm(m)


@program(lambda: (6,), lambda: (1,), lambda: (0,))
def pascal(n):
    row = [1]
    for _ in range(n):
        row = [1] + [row[i] + row[i + 1] for i in range(len(row) - 1)] + [1]
    return row


@program(lambda: (np.array([5, 3, 8, 1]),), lambda: (np.array([2]),))
def swap_elements(x):
    n = len(x)
    for i in range(n):
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


@program(lambda: (rnd(77, 5), 0.0), lambda: (rnd(78, 5), 9.0))
def conditional_function_choice(x, threshold):
    f = np.sin if x.sum() > threshold else np.cos
    return f(x)


@program(lambda: (10,), lambda: (0,))
def while_else(n):
    k = n
    while k > 0:
        k -= 3
        if k == 1:
            found = "one"
            break
    else:
        found = "none"
    return found, k


@program(lambda: (rnd(79, 4), 3), lambda: (rnd(80, 1), 1))
def lists_of_lists(values, n):
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i <= j:
                table[i][j] = values[0] * i + j
    return table


@program(lambda: (rnd(81, 20), 4), lambda: (rnd(82, 5), 1))
def class_with_array_state(values, size):
    class Ring:
        def __init__(self, n):
            self.buffer = np.zeros(n)
            self.head = 0
            self.full = False

        def put(self, v):
            self.buffer[self.head] = v
            self.head += 1
            if self.head == self.buffer.size:
                self.head = 0
                self.full = True

        def mean(self):
            return self.buffer.mean() if self.full else self.buffer[: self.head].mean()

    ring = Ring(size)
    means = []
    for v in values:
        ring.put(v)
        means.append(ring.mean())
    return means, ring.head, ring.full


Pair = namedtuple("Pair", "left right")


@program(lambda: (3, 0.5), lambda: (0, 0.5))
def tuple_state_swapped(n, x):
    state = Pair(x, 1.0)
    for _ in range(n):
        state = Pair(state.right, state.left + state.right)
    left, right = state
    return state, left - right


@program(lambda: (np.float32(1.5), 3), lambda: (np.int8(5), 2), lambda: (np.uint8(200), 3), lambda: (True, 3), lambda: (1 + 2j, 2))
def accumulates_any_number(x, n):
    s = x
    for _ in range(n):
        s = s + x
    return s


@program(lambda: (0.5, 1.0), lambda: (1.5, 1.0))
def assertion_with_message(x, y):
    assert x < y, f"too large: {x}"
    return y - x


@program(lambda: (rnd(83, 6),), lambda: (rnd(84, 9),))
def del_and_rebind(values):
    t = values.sum()
    u = t * 2
    del t
    if u > 0:
        t = u
    else:
        t = -u
    return t


@program(lambda: (1.0,), lambda: (-1.0,))
def deleted_in_branch(x):
    t = 1.0
    if x > 0:
        del t
    return t
