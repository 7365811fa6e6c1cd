"""Programs whose classes define operators, iteration, calls, truth and length in Python, by data and with state."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass, replace

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


class Count:
    """An iterator by hand."""

    def __init__(self, n):
        self.n, self.i = n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


@program(lambda: (5, 1.0), lambda: (0, 1.0), lambda: (40, 0.5))
def iterator_of_class(n, x):
    total = 0.0
    for i in Count(n):
        if i * x > 10:
            break
        total += i * x
    return total, list(Count(n)), sum(Count(n))


class Halving:
    """An iterator that the data ends, and that counts."""

    def __init__(self, x):
        self.x = x
        self.steps = 0

    def __iter__(self):
        return self

    def __next__(self):
        if abs(self.x) < 0.01:
            raise StopIteration
        self.x = self.x / 2
        self.steps += 1
        return self.x


@program(lambda: (Halving(3.0),), lambda: (Halving(0.0),))
def iterator_argument_keeps_its_state(w):
    total = 0.0
    for v in w:
        total += v
    return total, w.steps, next(w, -1.0)


class Tree:
    """Iterates its branches by a recursive generator."""

    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

    def __iter__(self):
        if self.left is not None:
            yield from self.left
        if self.value > 0:
            yield self.value
        if self.right is not None:
            yield from self.right


@program(lambda: (Tree(1.0, Tree(-2.0), Tree(3.0, Tree(0.5))),))
def tree_in_order(tree):
    total = 0.0
    for v in tree:
        if v > 0.7:
            total += v
    return total, list(tree), max(tree)


class Dual:
    """A number with its derivative."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.a + other.a, self.b + other.b)

    __radd__ = __add__

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.a * other.a, self.a * other.b + self.b * other.a)

    __rmul__ = __mul__

    def __sub__(self, other):
        return self + (-1.0) * other

    def __truediv__(self, other):
        if other.a == 0:
            raise ZeroDivisionError("dual")
        return Dual(self.a / other.a, (self.b * other.a - self.a * other.b) / (other.a * other.a))

    def __pow__(self, n):
        result = Dual(1.0, 0.0)
        for _ in range(n):
            result = result * self
        return result

    def __lt__(self, other):
        return self.a < (other.a if isinstance(other, Dual) else other)

    def __gt__(self, other):
        return self.a > (other.a if isinstance(other, Dual) else other)

    def __abs__(self):
        return self if self.a >= 0 else Dual(-self.a, -self.b)


@program(lambda: (2.0, 3), lambda: (-1.5, 6), lambda: (0.0, 2), lambda: (1.5, 0))
def dual_numbers(x, n):
    d = Dual(x, 1.0)
    for _ in range(n):
        d = abs(d * d - 2.0) if d > 0.5 else d + 1
    try:
        e = Dual(1.0, 0.0) / d
    except ZeroDivisionError as error:
        return str(error)
    return e.a, e.b, (d**3).a, (2.0 * d + 1).b, sum([d, d]).a


class Meter:
    """Operators that change the object."""

    def __init__(self, v):
        self.v = v
        self.calls = 0

    def __add__(self, other):
        self.calls += 1
        if other > 0:
            self.v += other
        return self

    def __call__(self, k):
        self.calls += 1
        return self.v * k

    def __bool__(self):
        return bool(self.v > 1.0)

    def __len__(self):
        return self.calls

    def __neg__(self):
        self.calls += 100
        return Meter(-self.v)


@program(lambda: (Meter(0.5), rnd(1, 7)), lambda: (Meter(5.0), rnd(2, 12)))
def operators_with_effects(m, xs):
    for x in xs:
        if x > -0.5:
            m = m + x
    neg = -m
    return m.v, m.calls, len(m), m(2.0), bool(m), neg.v, "yes" if m else "no"


@dataclass(order=True)
class Card:
    """A record with generated comparisons."""

    rank: float
    suit: int = 0


@program(lambda: (1.0, 2.0), lambda: (2.0, 2.0), lambda: (3.0, 2.0))
def generated_comparisons(a, b):
    p, q = Card(a), Card(b)
    return p == q, p != q, p < q, p >= q, max(p, q).rank


@program(lambda: (rnd(3, 5),), lambda: (rnd(4, 2),))
def best_of_records(xs):
    best = None
    for card in [Card(x, i) for i, x in enumerate(xs)]:
        if best is None or card > best:
            best = card
    return best.rank, best.suit


class Matrix2:
    """A matrix with items by rule."""

    def __init__(self, m):
        self.m = m

    def __matmul__(self, other):
        return Matrix2(self.m @ other.m)

    def __getitem__(self, key):
        i, j = key
        return self.m[i, j] if i <= j else 0.0

    def __contains__(self, v):
        for x in self.m.ravel():
            if x == v:
                return True
        return False

    def __iadd__(self, other):
        if other.m.sum() > 0:
            self.m = self.m + other.m
        return self

    def __eq__(self, other):
        return bool((self.m == other.m).all())

    __hash__ = None


@program(lambda: (rnd(3, 2, 2), rnd(4, 2, 2)), lambda: (np.eye(2), np.eye(2)))
def matrix_class(a, b):
    p, q = Matrix2(a), Matrix2(b)
    r = p @ q
    r += q
    return r.m, r[0, 1], r[1, 0], 1.0 in p, p == q, p != q


@program(lambda: (2.0,), lambda: (-2.0,))
def instance_from_one_branch(x):
    def inner(v):
        if v < 0:
            return None
        return Dual(v * 2, v)

    r = inner(x)
    if r is None:
        return 0.0
    return r.a + r.b


@program(lambda: (2.0,), lambda: (-2.0,), lambda: (0.5,))
def containers_from_one_branch(x):
    pair = table = None
    if x > 0:
        pair = [x * 2, x]
        table = {"a": (x, [x + 1])}
    if x > 1:
        return pair[0] + table["a"][1][0]
    return -1.0 if pair is None else pair[1]


@program(lambda: (2.0, 5), lambda: (-2.0, 5), lambda: (1.0, 0))
def joined_instance_is_changed(x, n):
    """An instance that is one of two is changed: both names see it."""
    first = Meter(x)
    chosen = first if x > 0 else Meter(0.25)
    for _ in range(n):
        chosen.v += 1.0
    return first.v, chosen.v, chosen is first


@program(lambda: (np.array([1.0, -2.0, 3.0]),), lambda: (np.zeros(0),))
def chain_of_nodes(xs):
    class Node:
        def __init__(self, value, rest):
            self.value, self.rest = value, rest

    head = None
    for x in xs:
        if x > 0:
            head = Node(x, head)
    total = 0.0
    while head is not None:
        total = total * 10 + head.value
        head = head.rest
    return total


class Best:
    """Attributes of the class stand until the instance has its own."""

    total = 0.0
    best = None

    def add(self, v):
        if self.best is None or v > self.best:
            self.best = v
        self.total += v
        return self


@program(lambda: (np.array([1.0, -2.0, 3.0]),), lambda: (np.array([-1.0, -2.0]),))
def attributes_of_the_class_until_set(x):
    a = Best()
    for v in x:
        if v > 0:
            a.add(v).add(1)
    return a.total, a.best, Best.total


class Lengths:
    """An attribute that nothing has set is computed."""

    def __init__(self):
        self.n = 0.0

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return len(name) * 1.0


@program(lambda: (np.array([1.0, -2.0, 3.0]),), lambda: (np.array([-1.0, -2.0]),))
def attribute_computed_until_set(x):
    a = Lengths()
    for v in x:
        if v > 2:
            a.extra = v
        a.n += a.extra
    return a.n, a.extra


@dataclass
class Part:
    mass: float
    place: np.ndarray


@dataclass
class Machine:
    part: Part
    log: list
    settings: dict
    x: float = 0.0

    def step(self, k):
        self.x += k
        self.log.append(Part(self.x, self.part.place * k))
        self.settings["k"] = k


def machine():
    return Machine(Part(1.0, np.ones(2)), [], {"a": [1, 2]})


@program(lambda: (machine(), 3), lambda: (machine(), 0))
def dataclass_taken_apart_and_replaced(m, n):
    for k in range(n):
        m.step(k)
    other = replace(m, x=9.0)
    return astuple(m), asdict(other), other.log is m.log, other


@program(lambda: (3,), lambda: (0,))
def fresh_dataclass_taken_apart(n):
    m = machine()
    for k in range(n):
        m.step(k)
    before, as_dict = astuple(m), asdict(m)
    m.part.place[0] = 7.0
    return before, as_dict, asdict(m, dict_factory=lambda items: [name for name, _ in items])
