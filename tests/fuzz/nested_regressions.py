"""Programs in which a statement in an unusual block went wrong; a comment says how."""

from __future__ import annotations

import copy
import math
from array import array
from collections import defaultdict, deque

import numpy as np

from tests.differential.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add
NUMBERS = tuple((lambda n=n: (n,)) for n in (5, 0, 1, 2, 3))


@program(*NUMBERS)
def slices_of_a_list_are_assigned_in_a_loop(n):  # what was assigned first was lost: the list had become one of the run
    whole, front, mixed, rows, kept = [], [7], [1], [[1], [2]], [1.5]
    for i in range(n):
        whole[:] = [i]
        front[1:1] = [i, 2]
        mixed[1:] = "ab" if i > 9 else [None, i]
        rows[1:] = [[i]]
        kept[:0] = (k * 0.5 for k in range(i))
    return whole, front, mixed, rows, kept


def of_parts(n):
    parts = iter([[n, 1], [2]])
    while True:
        yield from next(parts)


def halves(n):
    waiting = iter([n, 2])
    while True:
        yield next(waiting) / 2


@program(*NUMBERS)
def stop_iteration_leaves_a_generator(n):  # it left the loop over it as it was
    out = []

    def firsts():
        for i in range(n):
            yield i
            match i:
                case 2:
                    raise StopIteration(i)
                case _:
                    yield next(iter(range(i, n)))
        x = next(iter([n][: n % 2]))
        yield x

    for run in (firsts, lambda: halves(n), lambda: of_parts(n)):
        try:
            for item in run():
                out.append(item)
        except RuntimeError as error:
            out.append((str(error), repr(error.__cause__)))
    return out


@program(*NUMBERS)
def stop_iteration_of_the_consumer_of_a_generator(n):  # that one is the loop's own, and no error of the generator
    found = []

    def items():
        try:
            first = next(iter([]))
        except StopIteration:
            first = -1
        yield first
        yield n

    for run in (items, lambda: of_parts(n)):
        try:
            for k in run():
                if k == n:
                    raise StopIteration(k)
        except StopIteration as error:
            found.append(error.args)
    return found


@program(*NUMBERS)
def variable_deleted_in_a_finally(n):  # an object of the package's own came out
    x, out = 1.5, []
    try:
        out.append(n)
        if n == 3:
            raise ValueError(n)
    finally:
        del x
    return out, x  # noqa: F821 - deleted


@program(*NUMBERS)
def variable_of_a_handler_in_a_try(n):
    x = 1.5
    try:
        try:
            int("x" * (n > 2) + "1")
        except ValueError as x:
            pass
        int("x" * (n > 1) + "1")
    except ValueError:
        return x
    return n


@program(*NUMBERS)
def variable_deleted_by_a_function(n):  # where a branch or loop did so, it had no value on any way
    x = 1.5

    def drop():
        nonlocal x
        if n > 2:
            del x

    def drop_again():
        nonlocal x
        for _ in range(n):
            del x

    drop()
    try:
        drop_again()
    except NameError as error:
        return str(error)
    return x


@program(*NUMBERS)
def star_takes_the_rest_of_a_range(n):  # in a loop in a loop its length was asked for
    out = []
    for i in range(n):
        for _ in range(i):
            first, *rest = range(i + 1)
            out.append(rest)
        out.append(i)
    return out


@program(*NUMBERS)
def recursion_calls_a_function_of_its_own_name(n):  # that it takes another argument was an error of the package
    def inner(k, x=1.5):
        if k == 0:
            return 0

        def inner(i, x):
            x = {"a": 1}[("a", "b")[i % 2]]
            return x

        for k in range(n):
            x = inner(k, x)
        return inner(k - 1) + 1

    return inner(n)


@program(*((lambda c=c, n=n: (bytearray(c), n)) for c in (b"ab", b"") for n in (3, 0)))
def bytearray_of_the_caller_becomes_longer(c, n):  # it became so while the function was traced, and the call was refused
    for i in range(n):
        c += b"x"
        c *= 2
    return c


@program(*((lambda c=c, n=n: (array("d", c), n)) for c in ([1.5, 2.0], []) for n in (3, 0)))
def array_of_the_caller_becomes_longer(c, n):  # a new one did
    d = c
    c += array("d", [n])
    for i in range(n):
        d += c[:1]
    return c is d, c


@program(*NUMBERS)
def deque_copied_in_a_loop_is_kept(n):  # it was refused, as the copy had to become Python's
    c, out = deque([k % 3 for k in range(n)]), []

    def keep():
        out.append(c.copy())

    for _ in range(n):
        keep()
    return c, out


@program(*NUMBERS)
def empty_text_is_formatted(n):  # no texts to put together were an error of NumPy's
    c = ""
    for i in range(n):
        c = c.format(i) + "{}"[: 2 * (i % 2)]
    return c


def filled(n):
    found = defaultdict(list)
    for k in range(n):
        found[k % 2].append(k)
    return found


@program(*NUMBERS)
def dict_of_lists_among_others_loses_one(n):  # the list of dicts was taken for a dict
    rows, out = [filled(1), filled(n)], []
    c = rows[n % 2]
    if n > 2:
        out.append(c.pop(0, None))
    return c, out, rows


@program(*NUMBERS)
def item_is_put_into_an_empty_deque(n):  # the error was the package's own
    waiting = deque()
    waiting[0] = n
    return waiting


@program(*NUMBERS, refused="`is` between arrays")
def view_of_an_array_is_another_object(n):  # one of all of it was the same
    x = np.array([3.0, 1.0, 2.0])
    c, out = x, []
    for i in range(n):
        try:
            c = c[::-1]
        except IndexError:
            out.append(i)
    return x is c, out


@program(*((lambda n=n, s=s: (n, s)) for n in (4, 0) for s in ("ab,ba", "")))
def letters_are_exchanged(n, text):  # a dict of the program's was none to `str.maketrans`, and bytes had no second argument
    table = {letter: letter.upper() for letter in "abc"}
    table["b"] = None
    data = text.encode()
    return (
        [text.translate(str.maketrans(table)) for _ in range(n)],
        text.translate(str.maketrans({"a": "xx", 98: n})),
        text.translate(str.maketrans("a", "b", ",")),
        data.translate(None, b"b"),
        data.translate(bytes(range(256))[::-1], delete=b"a"),
    )


@program(*((lambda n=n: (n, str(n))) for n in (4, 0)))
def field_of_a_format_has_the_name_of_a_parameter(n, text):  # which was one of the package's own
    return text.encode().decode().format(x=n), (text + "{x}").format(x=n)


@program(*NUMBERS)
def frozenset_that_a_branch_exchanges(n):  # it was another one on the way on which it stays
    c = x = frozenset({3, 1, 2})
    if n > 2:
        c = c.union([n])
    return x is c


@program(*NUMBERS)
def conversions_that_numpy_makes_itself(n):  # the sign of the package for that left the function; `complex` took no text of the run
    found = [np.float64(str(n)), np.fromiter((k / 2 for k in range(n)), float), np.fromiter([n, 2], np.int32)]
    for text in (f"{n}+2j", "x" * n):
        for kind in (np.float64, complex):
            try:
                found.append(kind(text))
            except ValueError as error:
                found.append(str(error))
    return found


@program(*NUMBERS)
def attributes_of_what_has_none(n):  # those of the package's own objects were given
    found = []
    for x in ([n], "x" * n, (n, n), {"a": n}, {n}, range(n), np.zeros(n)):
        try:
            found.append(vars(x))
        except TypeError as error:
            found.append(str(error))
    return found


@program(*NUMBERS)
def functions_of_numbers_read_no_texts(n):  # they read bytearrays, and texts that are among other things
    found = []
    for function in (math.exp, math.sqrt, math.isnan):
        for x in (bytearray(b"2"), str(n), [n], None):
            try:
                found.append(function(x))
            except TypeError as error:
                found.append(str(error))
    return found


class Reading:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Reading({self.value})"

    def __eq__(self, other):
        return isinstance(other, Reading) and self.value == other.value


@program(*NUMBERS)
def copies_of_an_instance_or_none(n):  # None was no operand
    out = []
    for i in range(n):
        x = Reading(i) if i % 2 else None
        out += [copy.copy(x), copy.deepcopy(x)]
    return out
