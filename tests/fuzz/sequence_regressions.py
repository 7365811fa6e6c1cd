"""Programs that compare, join, search and go through sequences which only the run knows; a comment says what went wrong."""

from __future__ import annotations

import itertools

import numpy as np

from tests.differential.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add
CALLS = [lambda v=v: (np.array(v, dtype=np.int64), len(v)) for v in ([3, 1, 2, 0], [5], [2, 2], [-1, 4, 7], [])]


def split(x):
    large, small = [], []
    for v in x:
        if v > 1:
            large.append(v)
        else:
            small.append(v)
    return large, small


class Numbered:
    """Has items by number only."""

    def __init__(self, items):
        self.items = items

    def __getitem__(self, index):
        return self.items[index]


class Counting:
    """An iterator of the program's own."""

    def __init__(self, items):
        self.items, self.at = items, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.at += 1
        if self.at > len(self.items):
            raise StopIteration
        return self.items[self.at - 1]


@program(*CALLS)
def lists_that_numpys_numbers_order(x, n):  # Python's truth value, and with it Python's numbers
    a, b = split(x)
    c = [int(v) for v in b]
    first, mixed, own = a < b, a >= c, c > []
    return first, first + 1.0, not first, mixed, mixed or 7, own, own * 2, [*a] <= [*b, 1]


@program(*CALLS)
def lists_that_arrays_order(x, n):  # likewise, or their truth value
    a, b = [], []
    for v in x:
        a.append(x[:1] * v)
        if v > 1:
            b.append(x[:1])
    try:
        return a < b, a >= b
    except ValueError as error:
        return str(error)


@program(*CALLS)
def lists_and_tuples_have_no_order(x, n):  # they had one
    a, b = split(x)
    found = []
    for compare in (lambda: a < (1,), lambda: tuple(b) > a, lambda: (1, *a) <= b, lambda: a == (1,), lambda: (*b,) != b, lambda: a < 1):
        try:
            found.append(compare())
        except TypeError as error:
            found.append(str(error))
    return found


@program(*CALLS)
def tuples_of_lists_of_the_run(x, n):  # refused
    a, b = split(x)
    first, *rest = (0, *a)
    return (1, *a) <= (1, *b), (*a, *b), len((*a,)), first, rest, sum((*b, 1)), [v for v in (*a, 9)]


@program(*CALLS)
def lists_of_the_run_looked_up_in_lists(x, n):  # refused
    a, b = split(x)
    return [a, b].index(b), [a, b].count(a), a in [b], a in (b, [1]), {"a": a} == {"a": b}


@program(CALLS[0], CALLS[-1])
def items_by_number_only(x, n):  # unrolled to the limit of operations, which took a minute
    items = []
    for v in x:
        items.append(v + n)
    total = 0
    for i, v in enumerate(Numbered(items)):
        total += v * i
        if v > 8:
            break
    again = iter(Numbered(items))
    firsts = next(again, 0), next(again, 1), list(again), next(again, "none")
    return total, firsts, [*Numbered(items)], sum(Numbered(x)), max(Numbered(items), default=0), list(zip(Numbered(items), x))


@program(*CALLS)
def items_by_number_unpacked(x, n):  # the IndexError that ends them was the program's
    items = [v for v in x if v > 0]
    try:
        a, b = Numbered(items)
    except ValueError as error:
        return str(error)
    c, *d = Numbered(x)
    return a, b, c, d


@program(*CALLS)
def iterators_used_up_by_lists(x, n):  # they gave their items twice
    items = [v for v in x if v > 0]
    counting = Counting(items)
    made = []
    made.extend(counting)
    made += counting
    made += Counting(x)
    return made, counting.at


@program(*CALLS)
def iterators_by_their_names(x, n):  # those of the package's classes, or of a list's iterators
    items, found = [], []
    for v in x:
        items.append(v + n)
    makers = (
        lambda: range(n),
        lambda: iter(range(3)),
        lambda: (v + 1 for v in x),
        lambda: iter(set(items)),
        lambda: reversed(x),
        lambda: reversed(range(n)),
        lambda: reversed(items),
        lambda: enumerate(x),
        lambda: itertools.combinations(items, 2),
    )
    for make in makers:
        for use in (lambda made: made.length, lambda made: made + 1, lambda made: made < made, lambda made: -made):
            try:
                found.append(use(make()))
            except (AttributeError, TypeError) as error:
                found.append(str(error))
    for wrong in ((1, n), n, "ab", range(3)):
        try:
            found.append(next(wrong))
        except TypeError as error:
            found.append(str(error))
    return found


@program(*CALLS)
def shapes_that_misfit_behind_axes_of_one(x, n):  # NumPy leaves out leading axes of size 1
    try:
        x[:] = np.append(x, 1)[None, None]
    except ValueError as error:
        first = str(error)
        try:
            x[: n - 1] = np.ones((1, n + 2))
        except ValueError as second:
            return first, str(second)
    return x


@program(*CALLS, *(lambda v=v: (np.array(v), len(v)) for v in ([-1, 2], [-9, 1])))
def computed_places_in_lists_of_known_length(x, n):  # refused: the int was asked for while tracing
    k = int(x.sum())
    numbers, mixed, arrays, inner = [3, 1, 2], [1, "t", 2.5], [x, x[:1]], [k]
    same = numbers
    numbers.insert(k, 7)
    mixed.insert(k, None)
    arrays.insert(-k, x[1:])
    nested = [[1], [2]]
    nested.insert(k, inner)
    inner.append(8)
    found = [numbers[:k], mixed[k:]]
    for items in (numbers, mixed):
        try:
            found.append(items.pop(k))
            del items[-k]
        except IndexError as error:
            found.append(str(error))
    nested[k : k + 2] = [[9]]
    return numbers, same is numbers, mixed, arrays, nested, found
