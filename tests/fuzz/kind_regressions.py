"""Programs in which numbers, lists and dicts are used as what they may not be: their faults were found by fuzzing and by hand."""

from __future__ import annotations

import copy
import dataclasses
import math
import operator
from collections import deque

import numpy as np

from tests.differential.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add
WAYS = (lambda: (np.array([1.5, 2.0]), 3), lambda: (np.array([1.5, 2.0]), -3), lambda: (np.array([1.5, 2.0]), 0))


def unpacked(z):
    first, *_ = z
    return first


def set_item(z):
    z[0] = 1


def deleted_item(z):
    del z[0]


def set_attribute(z):
    z.level = 1


def entered(z):
    with z:
        return 1


def raised(z):
    raise z


def caught(z):
    try:
        raise ValueError
    except z:
        return 1


USES = (
    [len, list, next, sum, sorted, max, reversed, enumerate, math.gcd, operator.index, any, dict, unpacked, set_item, deleted_item]
    + [set_attribute, entered, raised, caught, lambda z: z[0], lambda z: z(1), lambda z: max(*z), lambda z: max(**z), lambda z: [*z]]
    + [lambda z: 1 in z, lambda z: [1, 2, 3][z], lambda z: (1, 2)[z], lambda z: [1] + z, lambda z: [v for v in z], lambda z: z @ 2]
    + [lambda z: list(zip(z, [1])), lambda z: list(map(abs, z)), lambda z: ",".join(z), lambda z: z.level, lambda z: math.gcd(z, 2)]
    + [lambda z: {z: 1}, lambda z: {**{z: 2}, "a": z}]
)


def each_use(z):
    """What becomes of a number in each use, until it is one that ends."""
    found = []
    for use in USES:
        try:
            found.append(use(z))
        except (TypeError, AttributeError) as error:
            found.append((type(error).__name__, str(error)))
    return found


@program(*WAYS)
def number_whose_type_the_path_decides(x, n):  # errors named the common type, and gcd failed where the path made an int
    z = 1 if n > 0 else 1.5 if n < 0 else x[1]
    return each_use(z)


@program(*WAYS)
def number_whose_type_a_handler_decides(x, n):  # likewise
    z = 1
    try:
        z = 12 // n
        z = 2.5
        if n < 0:
            raise ValueError
        z = x[0]
    except (ValueError, ZeroDivisionError):
        pass
    return each_use(z)


@program(*WAYS)
def list_updated_by_a_number(x, n):  # it was iterated, where NumPy adds to each element
    z = 1.5 if n < 0 else x[1]
    a = [1.0, 2.0]
    b = a
    a += x
    c = [2.0]
    try:
        c += z
    except TypeError as error:
        return str(error), a, b
    return a, b, c


@program(*WAYS)
def list_multiplied_in_place(x, n):  # it became another list
    a = [n]
    b = a
    a *= 2
    b *= n
    return a, a is b


@program(lambda: (np.array([1, 7], np.uint8), 1), lambda: (np.array([], np.uint8), 1), lambda: (np.array([2.5], np.float32), 2))
def array_compared_with_a_function(x, n):  # the error named a class of the package; an array of nothing is compared
    def g(v):
        return v + n

    found = []
    for use in (lambda: x == g, lambda: x <= g, lambda: len < x, lambda: x + g, lambda: g * x):
        try:
            found.append(use())
        except TypeError as error:
            found.append(str(error))
    return found


@program(lambda: (np.array([1.0, 2.0]), 3), lambda: (np.array([1.0, 2.0]), -1))
def list_that_grows_while_it_is_enumerated(x, n):  # its first length was taken
    items, pairs, doubled = [1, 2, 3], [], []
    for i, v in enumerate(items):
        if v == 2 and n > 0:
            items.append(9)
    for a, b in zip(items, range(10)):
        if a + n > 5:
            items.append(a - 3)
        pairs.append((a, b))
    for a in map(lambda v: v * 2, items):
        if a < n:
            items.pop()
        doubled.append(a)
    return items, pairs, doubled, i


@program(lambda: (np.array([1.0, 2.0]), 3), lambda: (np.array([1.0, 2.0]), -1))
def methods_called_by_name(x, n):  # arrays and numbers were said not to have them
    y = x[0]
    found = [x.__add__(1), x.__rsub__(n), x.__neg__(), x.__lt__(n), x.__matmul__(x), x.__contains__(2.0), y.__mul__(n), y.__float__()]
    found += [n.__add__(2), n.__divmod__(2), n.__bool__(), n.__add__(1.5), n.__lt__("a"), n.__index__(), n.__format__("d"), n.__eq__(n)]
    x.__iadd__(1.5)
    return found, x, hasattr(x, "__call__"), hasattr(n, "__iadd__"), hasattr(n, "__add__")


class Reflecting:
    """What multiplies and adds to lists from the right."""

    def __rmul__(self, other):
        return "times", len(other)

    def __radd__(self, other):
        return "plus", len(other)


@program(
    lambda: (np.array([3, 2]), 3),
    lambda: (np.array([1.5, 1.0]), 0),
    lambda: (np.array([1, 2], np.uint8), 2),
    lambda: (np.array([True, False]), 2),
)
def sequences_multiplied_and_indexed(x, n):  # NumPy's ints repeat tuples as Python's do; errors were those of list's methods
    s, found = x[0], []
    for q in ([1, 2], (1, 2), "ab", [n], (n, n)):
        uses = (lambda: s * q, lambda: q * s, lambda: q * x, lambda: x * q, lambda: q + s, lambda: s - q, lambda: q * "a", lambda: q[x])
        for use in (*uses, lambda: q * 2.0, lambda: q[0.5], lambda: q[None], lambda: q * Reflecting(), lambda: q + Reflecting()):
            try:
                found.append(use())
            except (TypeError, ValueError, IndexError) as error:
                found.append((type(error).__name__, str(error)))
    return found


class Slotted:
    """An instance without a dict."""

    __slots__ = ("level", "other")

    def __init__(self, level):
        self.level = level


@program(lambda: (3,), lambda: (-1,))
def attribute_that_no_slot_holds(n):  # a fault of the package
    tank, found = Slotted(n), []
    for name in ("level", "depth"):
        try:
            setattr(tank, name, n + 1)
            found.append(getattr(tank, name))
        except AttributeError as error:
            found.append(str(error))
    try:
        tank.width = n
    except AttributeError as error:
        found.append(str(error))
    return found


@program(lambda: (3,), lambda: (0,))
def large_ints_of_library_functions(n):  # an OverflowError that the program caught
    found = []
    for use in (lambda: math.factorial(n + 20), lambda: math.comb(n + 90, 45), lambda: math.lcm(n + 3, 7)):
        try:
            found.append(use() % 1000)
        except OverflowError as error:
            found.append(str(error))
    return found


@dataclasses.dataclass
class Point:
    """A record."""

    x: float
    y: float = 0.0

    def shifted(self, amount):
        return dataclasses.replace(self, y=self.y - amount) if amount > 1 else Point(self.x + amount, self.y)


@program(lambda: (3, 2.5), lambda: (1, 1.0))
def functions_in_a_dict_that_capture_an_object(n, r):  # what they capture was taken for a variable of the caller's
    z = Point(r).y if Point(r) == Point(1.0) else Point(r).x
    for _ in (n, 2):
        p = Point(z, 3.25)
        for _ in range(6):
            p = p.shifted(z)
            p.x *= 0.5
    made = {"a": lambda t: t + z, "b": lambda t: t * n}
    return made.get("b" if n > 2 else "a", abs)(z * z), p.x - p.y


@program(*[lambda first=first, n=n: (np.array([first, np.nan]), n) for first in (1.0, -1.0) for n in (3.0, np.nan)])
def integers_of_a_float_that_may_be_numpys(x, n):  # Python's NaN was converted without a word
    v = n * 0.5
    if x[0] > 0:
        v = x[1]
    try:
        return int(np.int64(v)) == np.iinfo(np.int64).min
    except ValueError as error:
        return str(error)


@program(*((lambda n=n: (n,)) for n in (0, 5, 6)))
def variables_that_a_branch_of_a_loop_gives_a_set_or_a_deque(n):  # refused: where they were made was only known of lists and dicts
    some, pair, queue, slots = None, (None, 0), None, [0]
    for i in range(n):
        if some is None:
            some = {i, 3}
        elif i == 3:
            some = None
        if i > 2:
            pair = ({i}, 2)
        if i % 3 == 1:
            queue = deque([i])
        elif queue is not None:
            queue.append(i)
        if i == 4:
            slots = {i}
    return some, pair, queue, slots


@program(*((lambda n=n: (n, np.arange(9.0))) for n in (0, 3, 6)))
def slices_and_ranges_that_loops_change(n, x):  # refused, as slices of the run were compared by Python; ranges of the run equalled none
    part, other, steps, total = slice(0, 1), slice(None, n), range(3), 0.0
    for i in range(n):
        part, other = other, slice(i, i + 2)
        total += x[part].sum()
        if i % 3 == 1:
            steps = range(i, i + 3)
    equal = range(n) == range(3), range(n) != steps, range(0, n, 2) == range(0, n + 1, 2), range(n) in [range(6)], range(n, 0) == range(0)
    return total, part, other, list(steps), steps, equal


@program(*((lambda n=n, b=b: (n, b)) for n, b in ((97, b"ab"), (98, b"xab"), (300, b"")) for b in (bytearray(b), bytearray(b + b"a"))))
def bytes_in_bytearrays(n, q):  # only numbers were, whatever they were
    own = bytearray()
    for i in range(3):
        own.append(i + 97)
    found = b"ab" in bytearray(b"xab"), b"a" in q, bytearray(b"ab") in q, b"bc" in own, 98 in own, b"\x01\x02" in own
    return found, n in q


@program(*((lambda n=n: (n,)) for n in (0, 2, 3)))
def views_of_dicts_among_sets(n):  # refused where one holds pairs and the other numbers
    made = {k: k + 1 for k in range(n)}
    same = made.items() == {(0, 1)}, made.keys() == made.items(), {(0, 1)} <= made.items(), made.keys() < {0, 1, 2, 3}
    return same, made.items() | {3}, made.keys() & {1}


@program(*((lambda n=n: (n, np.ones(2))) for n in (2, 3)))
def numbers_or_texts_copied_raised_and_compared(n, x):  # a stand-in was copied; an exception without operands; an array of one item
    a = n if n % 2 else "x" * n
    b = copy.deepcopy(a)
    steps = copy.deepcopy(range(n))
    out = []
    for i in range(4):
        try:
            if i % 2:
                raise ValueError(i if i > 1 else "x")
        except ValueError as error:
            out.append(error.args[0])
    return a, b, list(steps), out, x == "a" * n, "a" * n != x * 2.0


@program(*((lambda n=n, kind=kind: (n, kind)) for n in (0, 1, 2, 5) for kind in range(5)))
def kinds_that_patterns_and_conditions_meet(n, kind):  # deques and ranges matched no sequence; empty arrays were said to have several items
    made = {k: k for k in range(n)}
    parts = deque([n, 1]) if kind == 0 else deque(k for k in range(n))
    steps = range(n)
    found = type(made.items()).__name__, [k for k in range(n)] == np.float32(n), range(n) != np.float32(n)
    match parts:
        case [a, b]:
            found += (a, b)
        case [a, *rest]:
            found += (rest, a)
    match steps:
        case [a, b]:
            found += (b, a)
        case []:
            found += ("empty",)

    def bytearrays():
        for i in range(n):
            yield bytearray([i])

    iterator = bytearrays()
    found += (next(iterator, None), list(iterator))
    if kind == 4 and np.arange(n):
        found += ("true",)
    return found
