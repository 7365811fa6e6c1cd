"""Programs of users' classes: special methods, hooks of attributes, bodies of classes, dataclasses."""

from __future__ import annotations

import functools
import math
import types
from collections import Counter
from dataclasses import asdict, astuple, dataclass, field

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def fl(*values):
    return np.array(values, dtype=float)


def it(*values):
    return np.array(values, dtype=np.int64)


@dataclass(frozen=True)
class Unit:
    x: float
    y: float
    norm: float = field(init=False, default=0.0)

    def __post_init__(self):
        n = math.hypot(self.x, self.y)
        if n > 0:
            object.__setattr__(self, "norm", n)


@program(lambda: (fl(3, 4),), lambda: (fl(0, 0),))
def frozen_post_init_setattr(x):
    u = Unit(x[0], x[1])
    return u, u.norm, repr(u)


class Watched:
    def __init__(self, v):
        self.__dict__["log"] = []
        self.v = v

    def __setattr__(self, name, value):
        if value is not None and value > 10:
            value = 10.0
        self.log.append(name)
        super().__setattr__(name, value)

    def __getattr__(self, name):
        if self.v > 5:
            return name.upper()
        raise AttributeError(name)

    def __delattr__(self, name):
        self.log.append("-" + name)
        object.__delattr__(self, name)


@program(lambda: (fl(3, 40),), lambda: (fl(0, 0),), lambda: (fl(20, 1),))
def setattr_hook(x):
    w = Watched(x[0])
    for v in x:
        if v > 1:
            w.v = v
            w.extra = 2
    r = w.v
    got = getattr(w, "zzz", "none")
    w.tmp = 1
    del w.tmp
    return r, w.log, got, w.v


class Celsius:
    def __init__(self, v):
        self.v = v

    def __float__(self):
        return float(self.v)

    def __int__(self):
        return int(self.v)

    def __index__(self):
        return int(self.v)

    def __complex__(self):
        return complex(self.v, 1)

    def __bool__(self):
        return bool(self.v > 0)

    def __len__(self):
        return int(abs(self.v))

    def __str__(self):
        return f"{self.v:.1f}C"

    def __repr__(self):
        return "Celsius(%r)" % float(self.v)

    def __hash__(self):
        return 7

    def __contains__(self, k):
        return k < self.v

    def __iter__(self):
        return iter([self.v, 1.0])

    def __ceil__(self):
        return math.ceil(self.v)

    def __trunc__(self):
        return int(self.v)

    def __floor__(self):
        return math.floor(self.v)

    def __format__(self, spec):
        return format(float(self.v), spec)


@program(lambda: (fl(3, 1.5),), lambda: (fl(2, 0),), lambda: (fl(1, -1),))
def number_protocols(x):
    out = []
    for v in x:
        c = Celsius(v)
        out += [
            float(c),
            int(c),
            complex(c),
            bool(c),
            len(c),
            str(c),
            repr(c),
            1.0 in c,
            list(c),
            [10, 11, 12, 13][c],
            math.ceil(c),
            math.floor(c),
            f"{c:.2f}",
            "%.1f" % c,
            tuple(c),
            math.sqrt(Celsius(abs(v))),
            max(c),
            sum(c),
            range(5)[c],
            not c,
        ]
        a, b = c
        out.append(a + b)
    return out


@program(lambda: (fl(3, 1.5),), lambda: (fl(2, 0),), lambda: (fl(1, -1),))
def namespace_and_hasattr(x):
    ns = types.SimpleNamespace(total=0.0)
    if x[0] > 1:
        ns.big = x[0]
    ns.total += x.sum()
    has = hasattr(ns, "big")
    return ns, has, hasattr(ns, "total"), getattr(ns, "big", -1.0)


@program(lambda: (fl(3, 1.5),), lambda: (fl(2, 0),), lambda: (fl(1, -1),))
def class_body_containers(x):
    class Stats:
        seen = []
        table = {"n": 0}
        pair = (x[0], [1])
        limit = 2 * x[1]
        names = {n: n * 2 for n in ("a", "b")}
        squares = [k * k for k in range(3)]

        def note(self, v):
            self.seen.append(v)
            self.table["n"] += 1
            self.pair[1].append(v)
            self.squares[0] += v
            return v > self.limit

    s = Stats()
    got = []
    for v in x:
        got.append(s.note(v))
        if v > 1:
            Stats.table["big"] = v
            Stats.limit = v
    return Stats.seen, Stats.table, Stats.pair, got, s.limit, Stats.names, s.squares


@dataclass(order=True)
class Item:
    weight: float
    name: str = field(compare=False, default="")
    tags: list = field(default_factory=list, compare=False, repr=False)

    def __post_init__(self):
        if self.weight < 0:
            self.tags.append("neg")
            self.weight = -self.weight


@program(lambda: (fl(3, -1, 2),), lambda: (fl(1),), lambda: (fl(),))
def dataclass_order_and_post_init(x):
    items = [Item(v, f"n{i}") for i, v in enumerate(x)]
    items.sort()
    best = max(items) if items else None
    return (
        items,
        [i.tags for i in items],
        repr(best),
        best == items[-1] if items else None,
        [astuple(i) for i in items],
        asdict(best) if best else {},
    )


@dataclass(frozen=True)
class Interval:
    lo: float
    hi: float

    def __post_init__(self):
        if self.hi < self.lo:
            raise ValueError(f"empty interval [{self.lo}, {self.hi}]")

    def __contains__(self, v):
        return self.lo <= v <= self.hi

    def __or__(self, o):
        return Interval(min(self.lo, o.lo), max(self.hi, o.hi))

    def __and__(self, o):
        return Interval(max(self.lo, o.lo), min(self.hi, o.hi))

    @property
    def width(self):
        return self.hi - self.lo


@program(lambda: (fl(3, 4, 3.5, 9), 1), lambda: (fl(1, 2, 5, 6), 1), lambda: (fl(2, 1), 0))
def frozen_intervals(x, k):
    a = Interval(x[0], x[1])
    b = Interval(x[2 * k], x[2 * k + 1])
    u = a | b
    n = 0
    for v in x:
        if v in a and v not in b:
            n += 1
    try:
        a.lo = 3.0
    except AttributeError as e:
        msg = type(e).__name__, str(e)
    return u, n, u.width, msg, (a & b).width


class Meta(type):
    def __new__(m, name, bases, ns, **kw):
        c = super().__new__(m, name, bases, ns)
        c.tag = kw.get("tag", name.lower())
        return c


@program(lambda: (fl(1, 2, 3),), lambda: (fl(-1),))
def metaclass_and_init_subclass(x):
    registry = []

    class Base:
        def __init_subclass__(cls, /, weight=1, **kw):
            super().__init_subclass__(**kw)
            cls.weight = weight
            registry.append(cls.__name__)

    class A(Base, weight=3):
        def go(self, v):
            return v * self.weight

    class B(Base):
        def go(self, v):
            return v - self.weight

    class C(metaclass=Meta, tag="see"):
        pass

    out = []
    for v in x:
        k = A() if v > 1 else B()
        out.append(k.go(v))
        out.append(type(k).__name__)
    return out, registry, C.tag


@program(lambda: (fl(1.25, 2.5, 3),), lambda: (fl(-1),), lambda: (fl(),))
def local_class_closes_over_data(x):
    scale = x.sum()

    class Scaler:
        factor = scale
        bias = [0.0]

        def apply(self, v):
            self.bias[0] += v
            return v * self.factor + scale

    s, t = Scaler(), Scaler()
    out = []
    for v in x:
        out.append(s.apply(v))
        if v > 2:
            t.factor = 0.5
            out.append(t.apply(v))
    return out, Scaler.bias, t.factor, s.factor


class Vector:
    def __init__(self, *xs):
        self.xs = list(xs)

    def __add__(self, o):
        if not isinstance(o, Vector):
            return NotImplemented
        return Vector(*(a + b for a, b in zip(self.xs, o.xs)))

    def __radd__(self, o):
        return self if o == 0 else NotImplemented

    def __mul__(self, k):
        return Vector(*(a * k for a in self.xs)) if isinstance(k, (int, float)) else NotImplemented

    def __rmul__(self, k):
        return self * k

    def __abs__(self):
        return math.hypot(*self.xs)

    def __getitem__(self, i):
        return Vector(*self.xs[i]) if isinstance(i, slice) else self.xs[i]

    def __reversed__(self):
        return iter(self.xs[::-1])

    def __divmod__(self, k):
        return [divmod(v, k) for v in self.xs]

    def __round__(self, n=0):
        return Vector(*(round(v, n) for v in self.xs))

    def __float__(self):
        return float(self.xs[0])

    def __index__(self):
        return int(self.xs[0])


@program(lambda: (fl(1.25, 2.5, 3),), lambda: (fl(-1),))
def vector_protocols(x):
    v = Vector(*x)
    w = sum([v, v, v])
    try:
        v + 1
    except TypeError as e:
        msg = str(e)
    return w.xs, (2 * v).xs, abs(v), v[1:].xs, list(reversed(v)), divmod(v, 2), round(v, 1).xs, float(v), [7, 8, 9][v], msg


@program(lambda: (fl(1, 2, 3), 2), lambda: (fl(-1), 1))
def partial_chain(x, k):
    def f(a, b, *c, d=0, **e):
        return a * 100 + b * 10 + sum(c) + d + sum(e.values())

    p = functools.partial(f, k, d=x[0])
    q = functools.partial(p, 5, z=1)
    total = 0
    for v in x:
        total += p(v) + q() + q(v, d=v)
    return total, p.args, sorted(q.keywords), q.func is f


@program(lambda: (it(3, 1, 2, 3, 3),), lambda: (it(1),), lambda: (it(),))
def counter_arithmetic(n):
    c = Counter(int(v) for v in n)
    d = Counter([1, 1, 2])
    c.update([1])
    e = c + d
    f = c - d
    return c, e, f, c.most_common(2), sum(c.values()), c[99], sorted(c.elements()), dict(c & d), c | d, c.total()
