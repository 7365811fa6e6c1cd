"""What functions that nobody wrote for the compiler do, in small: constructors, iterators without a length, tables, places in texts."""

from __future__ import annotations

import abc
import math
import numbers
import typing
from math import fsum, log

import numpy as np

from .harness import Programs

HAS_ARRAYS_OUT = np.lib.NumpyVersion(np.__version__) >= "2.3.0"

PROGRAMS = Programs()
program = PROGRAMS.add


class Ratio(numbers.Rational):
    """A number with a metaclass, slots and a `__new__` that asks for the types of its arguments."""

    __slots__ = ("d", "n")

    def __new__(cls, n, d=1):
        self = super(Ratio, cls).__new__(cls)
        if type(n) is int is type(d):
            pass
        elif not isinstance(n, numbers.Rational):
            raise TypeError("not rational")
        g = math.gcd(n, d)
        self.n, self.d = n // g, d // g
        return self

    def _missing(*args):
        raise NotImplementedError

    def __add__(a, b):
        return Ratio(a.n * b.d + b.n * a.d, a.d * b.d) if isinstance(b, Ratio) else NotImplemented

    def __eq__(a, b):
        return (a.n, a.d) == (b.n, b.d)

    def __hash__(a):
        return hash((a.n, a.d))

    numerator, denominator = property(lambda self: self.n), property(lambda self: self.d)
    __abs__ = __ceil__ = __floor__ = __floordiv__ = __le__ = __lt__ = __mod__ = __mul__ = __neg__ = __pos__ = __pow__ = _missing
    __radd__ = __rfloordiv__ = __rmod__ = __rmul__ = __round__ = __rpow__ = __rtruediv__ = __truediv__ = __trunc__ = _missing


@program(lambda: (3,), lambda: (5,), lambda: (4,))
def number_made_by_its_own_new(a):
    x = Ratio(a, 6) + Ratio(1, 4)
    return x, x.n, x.d, x == Ratio(2, 3)


class Named(abc.ABC):
    def __init__(self, x):
        self.is_int, self.next = type(x) is int, x + 1


class Listed(list):
    def __init__(self, x, times):
        super().__init__([x, 1.0])
        self.is_int = type(x) is int
        for k in range(times):
            self.append(k * 2.0)


class Mapped(dict):
    def __init__(self, **items):
        super().__init__(**items)
        self.count = len(self)

    def __missing__(self, key):
        return self.count


class Both:
    def __new__(cls, x):
        self = object.__new__(cls)
        self.a = x
        return self

    def __init__(self, x):
        self.b = self.a * x


class Told(typing.Protocol):
    def tell(self): ...


class Teller(Told):
    def __init__(self, x):
        self.x = type(x) is int

    def tell(self):
        return self.x


@program(lambda: (3,), lambda: (5,))
def constructors_see_python_types(a):
    named, listed, mapped, both = Named(a), Listed(a, 2), Mapped(x=a, y=1), Both(a)
    return (
        *(named.is_int, named.next, listed, listed.is_int, mapped, mapped["z"], mapped.count, both.a, both.b, both),
        *(Teller(a).tell(), list(listed)),
    )


class Once(type):
    made: dict = {}

    def __call__(cls, *args):
        if cls not in cls.made:
            cls.made[cls] = super().__call__(*args)
        return cls.made[cls]


class Counter(metaclass=Once):
    def __init__(self):
        self.value = 0


def forget():
    Once.made.clear()
    return ()


@program(lambda: (*forget(), 3), lambda: (*forget(), 5))
def metaclass_with_a_call_of_its_own(a):
    counter = Counter()
    counter.value += a
    return counter.value, Counter() is counter


class Abstract(abc.ABC):
    def __init__(self, x):
        self.x = x

    @abc.abstractmethod
    def tell(self): ...


@program(lambda: (3,))
def abstract_class(a):
    return Abstract(a)


@program(lambda: ([1.0, 2.0],), lambda: ([4.0],))
def iterators_have_no_length(data):
    said = []
    for make in (lambda: map(log, data), lambda: zip(data, data), lambda: enumerate(data), lambda: iter(data)):
        items = make()
        try:
            said.append(len(items))
        except TypeError as error:
            said.append(str(error))
        said.append((bool(items), [str(item) for item in items]))
    items = map(log, data)
    try:
        n = len(items)
    except TypeError:
        n = -1
    return said, n, fsum(items)


NAMES, NUMBERS, MIXED = ["x", "y"], [1, 2], [None, 1, "s"]


def rename(names, numbers, mixed):
    NAMES[:], NUMBERS[:], MIXED[:] = names, numbers, mixed
    return ()


@program(
    lambda: (*rename("xy", (1, 2), (None, 1, "s")), 1),
    lambda: (*rename("xz", (1, 9), (None, None, "s")), 1),
    start=lambda: rename("xy", (1, 2), (None, 1, "s")),
)
def tables_that_change_between_calls(k):
    return NAMES[k], NUMBERS[k], MIXED[k] is None


class Table:
    names = ["a", "b"]


def table(names=None):
    made = Table()
    if names:
        made.names = names
    return made


@program(lambda: (table(), 1), lambda: (table(["c", "d"]), 1), lambda: (table(), 0))
def attribute_in_front_of_the_one_of_the_class(o, k):
    return o.names[k]


ONE = 1


@program(lambda: (3, 1), lambda: (300, 1), lambda: (3, 2), lambda: (1, 1))
def small_ints_are_one_object(x, step):
    return x if step is not ONE else x * 2, x is step


@program(lambda: ("abc-defghijk", 7), lambda: ("abc-de", 2), lambda: ("abcdefgh", 5))
def places_in_texts(text, width):
    end = width
    if len(text) > width:
        hyphen = text.rfind("-", 0, width)
        if hyphen > 0 and any(c != "-" for c in text[:hyphen]):
            end = hyphen + 1
    return text[:end], text[end:], text.find("d", 0, width), text.count("-", 0, width), [1] * end, "a" * end


@program(lambda: ([1, 2, 3, 4], "ab-d", 3))
def place_in_a_text_for_a_list(items, text, width):
    end = text.index("-", 0, width)
    return items[:end], items[end], range(end), items[end:]


class Place:
    pass


@program(lambda: (Place(), 3), lambda: (Place(), 4))
def attributes_come_in_the_order_of_writing(o, x):
    o.zebra = x
    o.b = None
    o.a = x * 2
    return list(vars(o))


@program(lambda: ([1, 2], None, 3), lambda: ([1, 2], "a", 3))
def items_stored_at_what_is_no_index(items, key, value):
    items[key] = value


@program(lambda: (np.arange(3.0), 2), lambda: (np.float64(3.0), 1), lambda: (3.0, 2.0))
def results_as_arrays(x, y):
    out = ... if HAS_ARRAYS_OUT else None
    return np.add(x, y, out=out), np.multiply(x, 2, out=out, dtype=np.float64).ndim


class Collected(Exception):
    def __init__(self, x):
        super().__init__(x)
        self.errors = []
        self.by = {}

    def add(self, x):
        self.errors.append(x)
        self.by[str(len(self.errors))] = x


@program(lambda: (3,), lambda: (4,))
def exceptions_as_values(x):
    error = Collected(x)
    error.add(x * 2)
    other = Collected("a")
    return type(error.errors) is list, error.errors, error.by, error.args, other, other.errors, error


class Refused(Exception):
    pass


@program(lambda: (2, 3), lambda: (2**40, 2**40), lambda: (2, 0))
def large_ints_behind_an_error_with_a_text(n, d):
    if d == 0:
        raise ZeroDivisionError("Ratio(%s, 0)" % n)
    if d < 0:
        raise Refused(f"{n} and {d}")
    return n * d
