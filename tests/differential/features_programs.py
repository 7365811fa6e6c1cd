"""Programs that use one feature of the language each, in the middle of computations on data."""

from __future__ import annotations

import contextlib
import datetime
import enum
import functools
import math
import operator
import types
from collections import deque, namedtuple
from dataclasses import astuple, dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import NamedTuple

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def ints(seed, low, high, *shape):
    return np.random.default_rng(seed).integers(low, high, shape)


# ---------------------------------------------------------------- classes


class Matrix2:
    """Slots, a class method and a static method as constructors."""

    __slots__ = ("a", "b", "c", "d")

    def __init__(self, a, b, c, d):
        self.a, self.b, self.c, self.d = a, b, c, d

    @classmethod
    def identity(cls):
        return cls(1.0, 0.0, 0.0, 1.0)

    @staticmethod
    def rotation(angle):
        c, s = math.cos(angle), math.sin(angle)
        return Matrix2(c, -s, s, c)

    def times(self, other):
        return Matrix2(
            self.a * other.a + self.b * other.c,
            self.a * other.b + self.b * other.d,
            self.c * other.a + self.d * other.c,
            self.c * other.b + self.d * other.d,
        )

    @property
    def determinant(self):
        return self.a * self.d - self.b * self.c


@program(lambda: (rnd(1, 6),), lambda: (np.zeros(0),), lambda: (rnd(2, 30),))
def product_of_rotations(angles):
    m = Matrix2.identity()
    for angle in angles:
        if angle > 0:
            m = m.times(Matrix2.rotation(float(angle)))
        else:
            m.b, m.c = m.c, m.b
    return m.a, m.b, m.c, m.d, m.determinant


class Filter:
    """A base class with a hook and a counter."""

    calls = 0

    def __init__(self, gain=1.0):
        self.gain = gain
        self.seen = 0

    def __call__(self, x):
        self.seen += 1
        return self.apply(x) * self.gain

    def apply(self, x):
        return x

    def reset(self):
        self.seen = 0
        return self


class LowPass(Filter):
    """Keeps its last output."""

    def __init__(self, alpha, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha
        self.last = 0.0

    def apply(self, x):
        self.last += self.alpha * (x - self.last)
        return self.last


class Gate(LowPass):
    """Opens above a level only."""

    def __init__(self, level, alpha=0.5, **kwargs):
        super().__init__(alpha, **kwargs)
        self.level = level
        self.opened = False

    def apply(self, x):
        smooth = super().apply(x)
        if not self.opened and abs(smooth) > self.level:
            self.opened = True
        return smooth if self.opened else 0.0


@program(lambda: (rnd(3, 9),), lambda: (rnd(4, 1),))
def filters_of_three_generations(signal):
    chain = [Filter(2.0), LowPass(0.3, gain=0.5), Gate(0.4)]
    out = np.zeros((len(chain), len(signal)))
    for t, s in enumerate(signal):
        for k, stage in enumerate(chain):
            s = stage(s)
            out[k, t] = s
    return out, [stage.seen for stage in chain], chain[2].opened, chain[1].reset().seen, isinstance(chain[2], LowPass)


@dataclass
class Body:
    """A dataclass with defaults and an array field."""

    position: np.ndarray
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(2))
    mass: float = 1.0
    trail: list = field(default_factory=list)

    def kick(self, force, dt):
        self.velocity = self.velocity + force / self.mass * dt

    def drift(self, dt):
        self.position += self.velocity * dt

    @property
    def energy(self):
        return 0.5 * self.mass * float(self.velocity @ self.velocity)


@program(lambda: (rnd(5, 2), 12), lambda: (np.ones(2), 0))
def orbit_of_dataclass(start, steps):
    body = Body(start.copy(), mass=2.0)
    for step in range(steps):
        r = math.sqrt(body.position[0] ** 2 + body.position[1] ** 2) + 0.1
        body.kick(-body.position / r**3, 0.05)
        body.drift(0.05)
        if step % 4 == 0:
            body.trail.append(r)
    return body, body.energy


@dataclass(frozen=True, order=True)
class Version:
    """Ordered by its fields."""

    major: int
    minor: int = 0

    def bumped(self, big):
        return replace(self, major=self.major + 1, minor=0) if big else replace(self, minor=self.minor + 1)


@program(lambda: (ints(6, 0, 2, 7),), lambda: (np.ones(2, dtype=int),))
def frozen_dataclass_replaced_in_loop(flags):
    v = Version(1)
    for f in flags:
        v = v.bumped(f == 1)
    return astuple(v), v.major, v.minor


class Colour(enum.IntEnum):
    """An enumeration of numbers."""

    RED = 1
    GREEN = 2
    BLUE = 4


class Mode(enum.Enum):
    """An enumeration of strings."""

    SUM = "sum"
    MAX = "max"

    def apply(self, x):
        return x.sum() if self is Mode.SUM else x.max()


@program(lambda: (rnd(7, 5), Mode.SUM), lambda: (rnd(7, 5), Mode.MAX))
def enumeration_with_method(x, mode):
    table = {Mode.SUM: 1.0, Mode.MAX: 2.0}
    total = mode.apply(x) * table[mode]
    for colour in Colour:
        total += colour * x[colour]
    return total, mode.name, mode.value, Colour(2).name, int(Colour.BLUE | Colour.RED)


Reading = namedtuple("Reading", "time value quality", defaults=(1.0,))


@program(lambda: (rnd(8, 6),), lambda: (rnd(9, 1),))
def namedtuples_with_defaults(values):
    readings = [Reading(t, v) for t, v in enumerate(values)]
    readings[0] = readings[0]._replace(quality=0.5)
    best = max(readings, key=lambda r: r.value * r.quality)
    time, value, *rest = best
    return time, value, rest, best._asdict()["quality"], Reading._fields, len(readings[0])


class Span(NamedTuple):
    """A typed pair with a method and a property."""

    low: float
    high: float = 1.0

    @property
    def width(self):
        return self.high - self.low

    def widened(self, x):
        return Span(min(self.low, x), max(self.high, x))


@program(lambda: (rnd(10, 8) * 3,), lambda: (np.zeros(0),))
def typed_namedtuple_widened(values):
    span = Span(0.0)
    for v in values:
        span = span.widened(v)
    return span, span.width


class Registry:
    """Class-level state and a lookup by name."""

    functions = {}

    @classmethod
    def register(cls, name):
        def wrap(fn):
            cls.functions[name] = fn
            return fn

        return wrap


@Registry.register("double")
def _double(x):
    return x * 2


@Registry.register("clip")
def _clip(x, limit=1.0):
    return limit if x > limit else x


@program(lambda: (rnd(11, 6), ["double", "clip"]), lambda: (rnd(11, 2), ["clip"]))
def functions_by_name(values, names):
    out = []
    for v in values:
        for name in names:
            v = Registry.functions[name](v)
        out.append(v)
    return out


class Temperature:
    """A property with a setter that converts, and a lazily made attribute."""

    def __init__(self, celsius):
        self.celsius = celsius
        self._history = None

    @property
    def kelvin(self):
        return self.celsius + 273.15

    @kelvin.setter
    def kelvin(self, value):
        if value < 0:
            raise ValueError(f"below absolute zero: {value:.2f}")
        self.celsius = value - 273.15

    @property
    def history(self):
        if self._history is None:
            self._history = []
        return self._history


@program(lambda: (np.array([300.0, 280.0]),), lambda: (np.array([300.0, -5.0, 1.0]),))
def property_setter_raises(kelvins):
    t = Temperature(0.0)
    for k in kelvins:
        t.kelvin = k
        t.history.append(t.celsius)
    return t.history, t.kelvin


# ---------------------------------------------------------------- functions, closures, decorators


def positional_only(a, b, /, c, *, d=4.0, **more):
    return a - b + c * d + sum(more.values())


@program(lambda: (rnd(12, 4),))
def every_kind_of_parameter(x):
    args = [x[0], x[1]]
    options = {"d": x[2], "e": 5.0}
    return positional_only(*args, 2.0), positional_only(*args, c=x[3], **options), positional_only(x[0], *x[1:3], e=1, f=2)


@program(lambda: (1.0, 2.0), lambda: (1, 2))
def wrong_arguments(a, b):
    try:
        positional_only(a, b)
    except TypeError as e:
        first = str(e)
    try:
        positional_only(a, b=b, c=1)
    except TypeError as e:
        second = str(e)
    return first, second


@program(lambda: (rnd(13, 3),))
def missing_argument_leaves(x):
    x[0] = 1.0
    return positional_only(x[0])


def counted(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return fn(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


def clamped(low, high):
    def decorate(fn):
        @functools.wraps(fn)
        def wrapper(*args):
            return min(max(fn(*args), low), high)

        return wrapper

    return decorate


@clamped(-1.0, 1.0)
def cubic(x, k=1.0):
    return k * x**3


@program(lambda: (rnd(14, 7) * 2,), lambda: (np.array([0.5]),))
def decorated_by_factory(values):
    @clamped(0.0, 0.5)
    def local(v):
        return v if v < 0.3 else v * v

    return [cubic(v) + local(v) for v in values], cubic.__name__


@program(lambda: (rnd(15, 5),), lambda: (rnd(15, 1),))
def compose_and_pipeline(x):
    def compose(*functions):
        return functools.reduce(lambda f, g: lambda v: g(f(v)), functions)

    steps = compose(np.tanh, lambda v: v * 2, abs, functools.partial(operator.add, 1.0))
    return steps(x), steps(x[0]), [step(x[0]) for step in (math.sin, math.exp, float)]


@program(lambda: (rnd(16, 6), 3), lambda: (rnd(16, 6), 1))
def nonlocal_through_two_levels(x, rounds):
    total = 0.0
    log = []

    def outer(k):
        scale = 1.0

        def inner(v):
            nonlocal total, scale
            total += v * scale
            scale *= 0.5
            if total < 0:
                total = -total
                log.append(k)

        for v in x:
            inner(v)
        return scale

    scales = [outer(k) for k in range(rounds)]
    return total, scales, log


@program(lambda: (np.array([4, 2, 7]), 3), lambda: (np.array([1]), 0))
def recursion_over_structure(x, depth):
    def tree(d):
        return None if d == 0 else (tree(d - 1), d, tree(d - 1))

    def total(node):
        if node is None:
            return 0
        left, value, right = node
        return total(left) + value * x[value % len(x)] + total(right)

    return total(tree(depth))


def binomial(n, k):
    if k == 0 or k == n:
        return 1
    return binomial(n - 1, k - 1) + binomial(n - 1, k)


@program(lambda: (6, 3), lambda: (5, 0), lambda: (9, 4))
def recursion_with_two_calls(n, k):
    return binomial(n, k)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@program(lambda: (7,), lambda: (10,), lambda: (0,))
def recursion_of_two_functions(n):
    return is_even(n), is_odd(n)


@program(lambda: (0.0, 1.0, 1e-6), lambda: (-1.0, 3.0, 1e-4))
def adaptive_simpson(a, b, eps):
    return simpson_rule(a, b, eps, gauss(a), gauss((a + b) / 2), gauss(b), 0)


def gauss(x):
    return math.exp(-x * x)


def simpson_rule(a, b, eps, fa, fm, fb, depth):
    m = (a + b) / 2
    fl, fr = gauss((a + m) / 2), gauss((m + b) / 2)
    whole = (b - a) / 6 * (fa + 4 * fm + fb)
    left = (m - a) / 6 * (fa + 4 * fl + fm)
    right = (b - m) / 6 * (fm + 4 * fr + fb)
    if depth > 12 or abs(left + right - whole) < 15 * eps:
        return left + right + (left + right - whole) / 15
    return simpson_rule(a, m, eps / 2, fa, fl, fm, depth + 1) + simpson_rule(m, b, eps / 2, fm, fr, fb, depth + 1)


# ---------------------------------------------------------------- statements


@program(lambda: (ints(17, 0, 40, 8), 13), lambda: (np.array([13]), 13), lambda: (np.zeros(0, dtype=int), 1))
def for_else_in_while_else(x, key):
    rounds = 0
    while rounds < 3:
        for i, v in enumerate(x):
            if v == key + rounds:
                where = i
                break
            if v == 0:
                continue
        else:
            rounds += 1
            continue
        break
    else:
        where = -1
    return where, rounds


@program(lambda: (rnd(18, 4, 5),), lambda: (np.ones((2, 2)),))
def return_from_three_loops(a):
    for sweep in range(5):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                if a[i, j] < -0.5:
                    a[i, j] = 0.0
                    if sweep > 1:
                        return "late", sweep, i, j
                    break
                elif a[i, j] > 1.0 + sweep:
                    return "large", sweep, i, j
            else:
                a[i] *= 0.9
    return None


@program(lambda: (rnd(19, 7),), lambda: (np.array([0.0]),))
def walrus_everywhere(x):
    if (n := len(x)) > 3 and (m := x.mean()) > -5:
        kept = [d for v in x if (d := v - m) > 0]
    else:
        kept = [(m := 1.0)]
    while (total := sum(kept)) > 1.0:
        kept = [v / 2 for v in kept]
    return n, m, kept, total, (last := x[-1]) + last


@program(
    lambda: (rnd(20, 6), (1, 2)),
    lambda: (rnd(20, 6), [3]),
    lambda: (rnd(20, 3), {"kind": "scale", "by": 2.0}),
    lambda: (rnd(20, 3), "text"),
)
def match_on_every_pattern(x, command):
    match command:
        case (a, b):
            y = x[a] + x[b]
        case [a]:
            y = x[a]
        case {"kind": "scale", "by": factor, **rest} if not rest:
            y = x * factor
        case str() as text:
            y = len(text)
        case _:
            y = None
    return y


@program(lambda: (rnd(21, 8) * 2,), lambda: (np.array([0.0, 5.0, -5.0]),))
def match_with_guards_on_numbers(x):
    counts = [0, 0, 0, 0]
    for v in x:
        match v:
            case 0.0 | 5.0:
                counts[0] += 1
            case u if u > 1:
                counts[1] += 1
            case u if -1 <= u <= 1:
                counts[2] += 1
            case _:
                counts[3] += 1
    return counts


@program(lambda: ([Span(0.1, 2.0), Body(np.ones(2)), 3.0, [1, 2, 3], None],), lambda: ([Span(5.0)],))
def match_on_classes_of_argument(items):
    out = []
    for item in items:
        match item:
            case Span(low=lo) if lo > 1:
                out.append(("far", lo))
            case Span(lo, hi):
                out.append(("span", hi - lo))
            case Body(position=p, mass=m):
                out.append(("body", float(p.sum()) * m))
            case float(v) | int(v):
                out.append(("number", v))
            case [first, *others]:
                out.append(("list", first + len(others)))
            case None:
                out.append(None)
    return out


@program(lambda: (rnd(22, 6),), lambda: (np.abs(rnd(22, 3)),))
def try_else_finally_in_loop(x):
    trail = []
    for i, v in enumerate(x):
        try:
            if v < -1:
                raise ArithmeticError(f"item {i}")
            root = math.sqrt(v)
        except ValueError as e:
            trail.append(("value", str(e)))
        except ArithmeticError as e:
            trail.append(("arithmetic", e.args[0]))
            continue
        else:
            trail.append(("root", root))
        finally:
            trail.append(i)
    return trail


@program(lambda: (rnd(23, 5),), lambda: (np.ones(3),))
def context_managers_of_library(x):
    total = 0.0
    with contextlib.suppress(ZeroDivisionError, IndexError):
        for i in range(10):
            total += x[i]
            if x[i] < -2:
                total /= 0
    with contextlib.nullcontext(2.0) as k, np.errstate(divide="ignore"):
        y = k / (x - x[0])
    return total, y


class Transaction:
    """Restores an array when an exception passes."""

    def __init__(self, target):
        self.target = target
        self.failed = False

    def __enter__(self):
        self.saved = self.target.copy()
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None:
            self.target[:] = self.saved
            self.failed = True
        return kind is ValueError


@program(lambda: (rnd(24, 5), 1.0), lambda: (rnd(24, 5), -9.0), lambda: (rnd(24, 2), 0.0))
def transaction_rolls_back(x, limit):
    with Transaction(x) as t:
        for i in range(len(x)):
            x[i] *= 2
            if x[i] < limit:
                raise ValueError(i)
        x[0] = 100.0
    return t.failed, x.sum()


@program(lambda: (rnd(25, 4), 2), lambda: (rnd(25, 4), 7))
def assert_with_computed_message(x, k):
    y = np.cumsum(x)
    for i in range(k):
        assert i < len(x), f"step {i} of {k}: only {len(x)} items, sum {y[-1]:.3f}"
        y[i] += i
    return y


@program(lambda: (rnd(26, 5),), lambda: (np.array([-1.0, 1.0]),))
def exceptions_chained_and_inspected(x):
    def inner(v):
        try:
            return 1.0 / max(0.0, float(v))
        except ZeroDivisionError as e:
            raise LookupError("no inverse") from e

    notes = []
    for v in x:
        try:
            notes.append(inner(v))
        except LookupError as e:
            notes.append(f"{e} because {type(e.__cause__).__name__}: {e.__cause__}")
    return notes


@program(lambda: (rnd(27, 6),), lambda: (np.array([2.0]),))
def deletion_and_rebinding(x):
    items = [v * 2 for v in x]
    del items[0]
    if len(items) > 2:
        del items[1:3]
    d = {"a": x[0], "b": x[-1]}
    del d["a"]
    y = x.copy()
    del x
    try:
        x  # noqa: B018, F821
    except UnboundLocalError as e:
        message = str(e)
    return items, d, y, message


@program(lambda: ([1.5, 2.5, 3.5, 4.5, 5.5],), lambda: ([1.0, 2.0],), lambda: ((1, 2, 3),))
def star_targets(items):
    first, *middle, last = items
    *init, end = items
    (a, *b), c = items, 7
    for head, *tail in [items, items[1:]]:
        b.append(head)
        c += len(tail)
    merged = [*middle, *init, last, *range(2)]
    return first, middle, last, init, end, a, b, c, merged, {**{"x": 1}, "y": [*b]}


@program(lambda: (rnd(28, 5),), lambda: (np.zeros(1),))
def printed_numbers(x):
    print("start", len(x), sep=":", end="|")
    for i, v in enumerate(x):
        if v > 0:
            print(f"{i:02d} {v:+.3e} {v!r:>25} {i % 2 == 0}", end=";")
        else:
            print("%d -> %6.2f%%" % (i, v * 100), "{:>8.1f}|{:<5}|{:^7}".format(v, i, "x"))
    print()
    return f"{x.sum():10.4f}", f"{len(x):>5d}", str(x[0] > 0), repr(len(x)), format(3.14159, ".2f"), f"{x.size=}"


@program(lambda: (12, 3.75), lambda: (-7, 0.5), lambda: (255, 1e20))
def formatted_numbers(n, v):
    return (
        f"{n:b} {n:o} {n:x} {n:#X} {n:,} {n:+d} {n:>6} {n:06d}",
        f"{v:.0f} {v:g} {v:e} {v:%} {v:12.4f} {v!r} {v:,.2f}",
        bin(n),
        hex(n),
        oct(n),
        str(n).zfill(5),
        "{0}-{1}-{0}".format(n, v),
        "%5.1f|%-6d|%s" % (v, n, v),
        round(v, 1),
        str(v),
        repr(n),
        str(n)[::-1],
        int(str(n)) + float("2.5"),
    )


@program(lambda: (7, 2), lambda: (-7, 3), lambda: (9, -4), lambda: (7.5, 2), lambda: (-7.5, 2.0))
def arithmetic_builtins(a, b):
    return (
        divmod(a, b),
        round(a / b, 3),
        round(a),
        abs(a),
        pow(b, 3),
        pow(a, 2) % 5,
        min(a, b, key=lambda v: -v),
        max([a, b, 1]),
        sum([a, b], 10),
        int(a / b),
        float(a),
        complex(a, b),
        bool(a),
        a // b,
        a % b,
        -a // b,
        math.floor(a / b),
        math.ceil(a / b),
        math.trunc(a / b),
        a.__class__.__name__,
        isinstance(a, (int, float)),
        hash(a) == hash(a),
    )


@program(lambda: (6, 4), lambda: (17, 5), lambda: (0, 3))
def integers_of_the_math_module(a, b):
    return (
        math.gcd(a, b),
        math.lcm(a, b),
        math.comb(a, b),
        math.perm(a, 2) if a > 1 else 0,
        math.factorial(b),
        math.isqrt(a),
        math.prod([a, b, 2]),
        math.hypot(a, b),
        math.dist((a, b), (0, 0)),
        math.fsum([a, b, 0.1]),
        math.copysign(a, -b),
        math.fmod(a, b),
        math.remainder(a, b),
        math.modf(a / b),
        math.frexp(a),
        math.ldexp(a, b),
        math.log(a + 1, b),
        math.log2(b),
        math.log1p(a),
        math.expm1(0.1 * b),
        math.isclose(a, b),
        math.isfinite(a),
        math.degrees(b),
        math.radians(a),
        math.erf(a / 10),
        math.gamma(b),
        math.lgamma(b + 0.5),
        math.cbrt(a),
        math.exp2(b),
        math.nextafter(a, b),
        math.ulp(b),
        math.sumprod([a, b], [1, 2]) if hasattr(math, "sumprod") else 0,
        a.bit_length(),
        a.bit_count(),
        (a / b).is_integer(),
        (0.5 * b).as_integer_ratio(),
    )


@program(lambda: (rnd(29, 6), rnd(30, 4)), lambda: (rnd(29, 1), rnd(30, 1)))
def iteration_builtins(a, b):
    return (
        [x * y for x, y in zip(a, b)],
        [(i, x) for i, x in enumerate(b, start=-1)],
        [x for x in reversed(b)],
        sorted(a, reverse=True),
        sorted(range(len(a)), key=lambda i: a[i]),
        list(map(lambda x, y: x - y, a, b)),
        list(filter(lambda x: x > 0, a)),
        any(x > 1 for x in a),
        all(x > -3 for x in b),
        min(a, key=abs),
        max(range(len(a)), key=a.__getitem__),
        sum((x for x in a if x > 0), 0.5),
        max((x for x in a if x > 99), default=-1.0),
        tuple(x + 1 for x in b),
        dict(zip("abc", b)),
        {i: x for i, x in enumerate(b) if i % 2 == 0},
        list(zip(*[(1, 2), (3, 4)])),
        [y for x in (a, b) for y in x[:2]],
        [[i * j for j in range(i)] for i in range(3)],
        len([*a, *b]),
    )


@program(lambda: (rnd(31, 6),), lambda: (np.array([0.5]),))
def slices_of_lists_and_tuples(x):
    items = [v for v in x]
    items[1:3] = [0.0]
    items[:0] = [9.0, 8.0]
    items[-1:] = []
    pair = tuple(items)[::-2]
    s = slice(0, None, 2)
    text = "abcdef"[1:-1:2]
    return items, pair, items[s], text, items[5:1:-1], s.indices(len(items)), [1, 2] * 2 + items[:1], items.index(8.0), items.count(9.0)


@program(lambda: (ints(32, 0, 6, 12),), lambda: (np.array([1, 1]),), lambda: (np.zeros(0, dtype=int),))
def dictionary_methods(x):
    counts = {}
    for v in x.tolist():
        counts[v] = counts.get(v, 0) + 1
    counts.setdefault(99, 7)
    popped = counts.pop(1, None)
    counts.update({5: 50}, extra=1) if False else counts.update({5: 50})
    ordered = sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))
    return counts, popped, ordered, list(counts), 99 in counts, len(counts), max(counts, key=counts.get), {v: k for k, v in counts.items()}


@program(lambda: (3, 4), lambda: (1, 1), lambda: (2, 0))
def nested_lists(n, m):
    grid = [[0.0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            grid[i][j] = i * 10 + j
            if j and grid[i][j - 1] > 10:
                grid[i][j] += 0.5
    transposed = [list(row) for row in zip(*grid)]
    flat = [v for row in grid for v in row]
    return grid, transposed, flat, [sum(row) for row in grid], [row[::-1] for row in grid[-1:]]


@program(lambda: (rnd(33, 5), 0.5), lambda: (rnd(33, 5), -3.0))
def global_and_conditional_definitions(x, k):
    if k > 0:

        def f(v, scale=k):
            return v * scale

    else:

        def f(v):
            return v - k

    class Local:
        factor = 3.0

        def use(self, v):
            return f(v) * self.factor

    g = (lambda v: v + 1) if x[0] > 0 else (lambda v: v - 1)
    return Local().use(x), g(x[1]), [h(2.0) for h in (f, g)]


@program(lambda: (5, 2.0), lambda: (0, 2.0), lambda: (3, -1.0))
def ternary_chains(n, x):
    grade = "low" if n < 2 else "mid" if n < 4 else "high"
    y = (x if x > 0 else -x) ** (2 if n % 2 else 3)
    z = n and x or -1
    w = None if n == 0 else n / (x or 1)
    return grade, y, z, w, not n, (n > 1) + (x > 1), 1 < n < 5 != 4, n == 3 or x


@program(lambda: (rnd(34, 6), 2), lambda: (rnd(34, 6), 0))
def while_with_complex_condition(x, patience):
    best, bad, i = -math.inf, 0, 0
    while i < len(x) and (x[i] > best or (bad := bad + 1) <= patience):
        best = max(best, x[i])
        i += 1
    return best, bad, i


@program(lambda: (3, 10), lambda: (1, 1))
def ranges_as_values(step, stop):
    r = range(1, stop, step)
    evens = range(stop)[::2]
    return (
        list(r),
        len(r),
        r[-1] if len(r) else None,
        4 in r,
        sum(r),
        r.index(1) if 1 in r else -1,
        evens,
        list(reversed(r)),
        r.start,
        r.step,
    )


@program(lambda: (rnd(16, 7), 0.0), lambda: (rnd(16, 7), 3.0), lambda: (-rnd(16, 7), 0.5))
def inner_function_changes_total_in_every_expression(x, total):
    calls = 0

    def add(v):
        nonlocal total, calls
        total += v
        calls += 1
        return total > 1

    def run(xs):
        for v in xs:
            add(v)
        return total

    return (
        run(x),
        add(x[0]) if x[0] > 0 else add(-x[1]),
        x[1] > 0 and add(5.0),
        add(x[0]) or add(x[1]) or add(5.0),
        0 < add(x[0]) < add(3.0),
        [add(v) for v in x if v > 0 and not add(v)],
        [1 if add(v) else add(2.0) for v in x],
        {v: add(v) for v in range(6) if add(v)},
        sum([1 for v in x if add(v)]),
        sorted(x, key=lambda v: add(v) or v),
        list(map(add, x)),
        list(filter(add, x)),
        max(x, key=add),
        functools.reduce(lambda a, b: a + add(b), x),
        total,
        calls,
    )


@program(lambda: (rnd(17, 5),), lambda: (-np.abs(rnd(17, 5)),))
def variable_assigned_after_inner_function(x):
    def put(v):
        nonlocal last
        last = v

    def count():
        nonlocal n
        n += 1
        return n

    def counts():
        out = []
        while count() < 5:
            out.append(n)
        return out

    if x[0] > 0:
        put(2.0)
    else:
        last = 1.0
    for v in x:
        if v > 0:
            put(v)
    n = 0
    return last, counts(), n


@program(lambda: (np.ones(3), 1), refused="a bound method of an array or number leaves")
def method_returned(x, k):
    return x.sum, k


@program(lambda: (3, 0.5), lambda: (1, 2.0))
def objects_of_the_library_with_numbers_of_the_run(n, y):
    queue = deque([n, y], maxlen=2)
    queue.append(n * y)
    best = queue
    if y > 1:
        best = deque([y])
    exact = Decimal("0.1") + n
    day = datetime.timedelta(days=n)
    return queue, best, exact, n * exact, day.total_seconds(), np.int64(n).bit_count(), types.SimpleNamespace(a=n, b=y).a


@program(lambda: (3, 0.5))
def partial_with_a_number_of_the_run(n, y):
    return partial(max, n)(5), partial(min, n)(y)
