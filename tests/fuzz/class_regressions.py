"""Programs over classes, exceptions and what is chosen of them that once gave another result than Python: a comment says what went wrong.

A function is called with each of its makers' arguments in turn; compared are portraits of result and arguments, in which it is told which
objects are one.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

PROGRAMS: list[tuple[Callable[..., Any], tuple[Callable[[], tuple[Any, ...]], ...]]] = []
NUMBERS = tuple((lambda n=n: (n,)) for n in (1, 2, 3, 4))


def program(*calls: Callable[[], tuple[Any, ...]]) -> Callable[[Any], Any]:
    """Note a function with its calls."""

    def note(function: Any) -> Any:
        PROGRAMS.append((function, calls))
        return function

    return note


class Low(Exception):
    pass


class High(Exception):
    pass


class Item:
    opened = 0  # a mark of stand-ins has this name, too

    def __init__(self, n=0, parent=None):
        self.n = n
        self.events = []

    def get(self):
        return self.n


class Counted:
    made = 0

    def __init__(self, n=0):
        self.n = n
        Counted.made += 1


class Kind(Counted):
    pass


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x

    def __call__(self, y):
        return self.x + y


class Half:
    """Knows what to do with small numbers only."""

    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        return NotImplemented if other > 2 else self.n + other

    def __eq__(self, other):
        if other > 2:
            return NotImplemented
        return self.n == other

    def __iadd__(self, other):
        if self.n > 1:
            return NotImplemented
        self.n += other
        return self


class Tail:
    def __init__(self, *items):
        self.items = list(items)

    def __iter__(self):
        return iter(self.items)

    def __radd__(self, other):
        return other + self.items + [0]


@program(*NUMBERS)
def classes_chosen_for_a_handler(n):  # every class was "no exception"
    kinds = (Low, High) if n % 2 else (KeyError,)
    try:
        if n > 3:
            raise KeyError(n)
        raise Low(n) if n > 1 else High(n)
    except kinds as error:
        return repr(error)
    except Exception as error:
        return "else", repr(error)


@program(*NUMBERS)
def classes_chosen_for_isinstance(n):  # "arg 2 must be a type"
    kind = Item if n % 2 else Kind
    x = Item() if n > 2 else Kind()
    return isinstance(x, kind), isinstance(x, (int, kind)), isinstance(n, (int, str) if n > 2 else float), issubclass(kind, Counted)


@program(*((lambda n=n: (n, Half(n % 2))) for n in (1, 2, 3, 4)))
def operators_that_the_data_leave(n, x):  # NotImplemented was the result, and true
    try:
        return x == n, x != n, 1 if x == n else 2, n in [x, 9], x + n
    except TypeError as error:
        return str(error)


@program(*((lambda n=n: (n, Half(n))) for n in (1, 2)))
def in_place_operators_that_are_left(n, x):  # x became NotImplemented
    try:
        x += n
    except TypeError as error:
        return str(error)
    return x if isinstance(x, int) else x.n


@program(*((lambda n=n: (n, [Item(1), Item(2)], [n], Tail(5))) for n in (1, 2)))
def what_stands_right_of_an_update(n, items, numbers, tail):  # the text named `+`; a list asked the tail for its items
    found = numbers
    numbers += tail
    try:
        n += items[n % 2]
    except TypeError as error:
        return str(error), numbers, found is numbers
    return n


@program(*((lambda n=n: (n, Slotted(n))) for n in (1, 2, 3)))
def instances_with_slots_and_calls_join(n, x):  # InternalError: vars() of an object without a dict
    y = Slotted(5)
    if n < 3:
        x = y
    return x(1), x is y


@program(*((lambda n=n: (n, [Item(k) for k in range(n)])) for n in (2, 5)))
def instances_with_a_name_of_our_own(n, items):  # InternalError: Item.opened was called
    best = None
    for item in items:
        if best is None or item.n > best.n:
            best = item
    best.n += 1
    return best is items[-1], best.n


@program(*((lambda n=n: (n, Item())) for n in (1, 5, 3)))
def instances_that_were_changed_go_on_in_a_container(n, x):  # a copy was returned
    x.n = n
    found = "early"
    if n < 4:
        found = [x, 1.5]
    return found, x


KEPT: list[Any] = []


@program(*((lambda n=n: (n, Item())) for n in (1, 5)))
def instances_that_were_changed_are_kept_elsewhere(n, x):  # a copy was
    x.n = n
    KEPT.append(x)
    table = {}
    for k in range(n):
        table[k] = [x, k, 1.5]
        table["t", k] = (x, {1: x})
    return KEPT[-1] is x, table, x


@program(*((lambda n=n: (n, Item(n))) for n in (7, 8, 3, 9)))
def tuples_with_the_callers_instance_meet_others(n, x):  # the first call's instance was returned by all
    found = (x,)
    if n == 3:
        found = (1, 2)
    return found


@program(*((lambda n=n: (n, Item(n))) for n in (7, 8, 3, 9)))
def methods_of_the_callers_instance_meet_numbers(n, x):  # the first call's instance was asked
    method, part = x.get, slice(x, 1)
    if n == 3:
        method = part = 5
    return method if n == 3 else (method(), part.start.n)


@program(*((lambda n=n: (range(n), [], {})) for n in (0, 3, 6)))
def empty_arguments_are_kept(numbers, items, entries):  # a copy was
    found = {}
    for k in numbers:
        found[k] = items
        found[k + 10] = entries
    pair = (items,)
    if len(found) == 6:
        pair = (1, 2)
    return found, items, entries, pair


@program(*((lambda n=n: (n, [(k, f"r{k}", k / 2) for k in range(4)])) for n in (3, 5)))
def lists_of_tuples_leave_in_tuples_of_two_lengths(n, rows):  # a copy did
    if n > 3:
        return n, 0.5, "early"
    return (rows,)


@program(*((lambda n=n: (range(n), Item())) for n in (2, 6)))
def slices_of_attributes_are_new_lists(numbers, x):  # one list was appended again and again
    found = []
    for _ in numbers:
        found.append(x.events[-2:])
        found.append(x.events[:])
    return found, x


@program(*((lambda n=n: (range(n),)) for n in (0, 3, 6)))
def class_attributes_of_a_base(numbers):  # "type object has no attribute"; the call after it found another base
    Kind.made = 3
    del Kind.made
    for k in numbers:
        if k > 2:
            Kind.made = Kind.made + 1
    return Kind.made >= Counted.made, Kind.made - Counted.made


@program(*((lambda n=n: (range(n), Item(3))) for n in (0, 3, 6)))
def constructors_that_python_runs_count(numbers, x):  # what they had counted was not seen
    before, made = Counted.made, x
    for k in numbers:
        made = Counted(k)
    return Counted.made - before, made


@program(*NUMBERS)
def lists_that_hold_themselves(n):  # InternalError: recursion without end
    out = []
    out.append((out, n, "x"))
    for k in range(n * 2):
        out.append(k)
    return len(out), out[0][0] is out


class Linked:
    def __init__(self, x):
        self.x, self.other = x, None


class World:
    def __init__(self, n, is_apart, k):
        parts = [Linked(j) for j in range(n)]
        for first, second in zip(parts, parts[1:]):
            first.other = second
        self.parts = parts if is_apart else [*parts, parts[0]]
        self.by, self.q, self.k = {"a": Linked(6) if is_apart else parts[1]}, Linked(7) if is_apart else parts[1], k


@program(lambda: (World(5, True, 2),), lambda: (World(5, False, 3),), lambda: (World(4, False, 1),))
def an_object_of_the_run_is_changed_before_it_is_looked_into(world):  # the change was not seen under the other name
    out = []
    for i in range(world.k + 2):
        world.by["a"].x += 2
        out.append(world.parts[-1])
    world.q.other.x += 1
    return [part.x for part in world.parts]


@dataclass(frozen=True, order=True)
class Place:
    x: int
    y: int


@program(lambda: (0, []), lambda: (5, []), lambda: (2, [Place(3, 4)]))
def a_frozen_instance_under_several_names(k, places):  # each append made another one
    one, out = Place(k, 1), [3]
    for i in range(k + 2):
        out.append(max(places, default=one))
    return out


@program(*((lambda n=n: (n, [])) for n in (5, 40, 0)))
def functions_of_each_trip(n, out):  # all trips gave the same two
    for i in range(n):

        def handle(x):
            return x

        out.append(handle)
        out.append((i, handle))

        def handle(x):
            return -x

        out.append(handle)
    return [each is out[0] for each in out]


@program(lambda: (2, [Linked(3), Place(1, 2)]), lambda: (0, [Linked(3), Linked(4)]))
def the_text_of_an_operator_in_place(i, items):  # named + instead of +=
    if i:
        items = items[:1]
    t = 0
    t += items[0]


@program(lambda: (Linked(1), 3), lambda: (Linked(2), 0))
def attributes_that_come_and_go(one, k):  # was asked of the call before it had begun
    before = hasattr(one, "extra")
    one.extra = k
    del one.x
    return before, hasattr(one, "extra"), hasattr(one, "x")


@program(lambda: (None,), lambda: (2.5,), lambda: ([2, 1],))
def what_cannot_be_gone_through(x):  # was an internal error
    texts = []
    for function in (max, lambda x: list(itertools.product(x, x)), lambda x: functools.reduce(max, x)):
        try:
            texts.append(function(x))
        except TypeError as error:
            texts.append(str(error))
    return texts
