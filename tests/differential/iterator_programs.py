"""Programs that hold iterators and take their items in pieces: in loops, in branches, by other iterators."""

from __future__ import annotations

import functools
import heapq
import itertools
import math

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def five_numbers():
    return (np.array([1.0, -2.0, 3.0, -4.0, 5.0]),)


def two_numbers():
    return (np.array([-1.0, 2.0]),)


@program(five_numbers, two_numbers)
def count_in_loop(x):
    ids = itertools.count(10)
    out = []
    for v in x:
        if v > 0:
            out.append(next(ids))
    return out, next(ids)


@program(five_numbers, two_numbers)
def cycle_in_loop(x):
    signs = itertools.cycle([1, -1, 2])
    s = 0.0
    for v in x:
        s += v * next(signs)
    return s


@program(five_numbers, two_numbers)
def zip_next_in_branch(x):
    it = zip([1, 2, 3], [4, 5, 6])
    a = next(it)
    if x[0] > 0:
        b = next(it)
    else:
        b = (0, 0)
    c = next(it)
    return a, b, c


@program(five_numbers, two_numbers)
def enumerate_next_in_while(x):
    it = enumerate(["a", "b", "c"])
    n = 0
    while (p := next(it, None)) is not None:
        n += p[0] * x[0]
    return n


@program(five_numbers, two_numbers)
def map_next_in_branch(x):
    it = map(lambda v: v * 2, [1, 2, 3])
    s = next(it)
    if x[1] > 0:
        s += next(it)
    return s, list(it)


@program(five_numbers, two_numbers)
def dict_iter_next(x):
    d = {"a": x[0], "b": x[1]}
    it = iter(d)
    k = next(it)
    if x[0] > 0:
        k = next(it)
    return k


@program(five_numbers, two_numbers)
def dict_items_iter_next(x):
    d = {"a": x[0], "b": x[1]}
    it = iter(d.items())
    k, v = next(it)
    if v > 0:
        k, v = next(it)
    return k, v


@program(five_numbers, two_numbers)
def reversed_next(x):
    it = reversed([1, 2, 3])
    s = 0
    for v in x:
        if v > 2:
            s += next(it)
    return s


@program(five_numbers, two_numbers)
def str_iter(x):
    it = iter("hello")
    out = ""
    for v in x:
        if v > 0:
            out += next(it)
    return out


@program(five_numbers, two_numbers)
def shared_iter_zip(x):
    it = iter([1, 2, 3, 4])
    out = []
    for a, b in zip(it, it):
        out.append(a * x[0] + b)
    return out


@program(five_numbers, two_numbers)
def shared_iter_zip_array(x):
    it = iter(x)
    out = []
    for a, b in zip(it, it):
        out.append(a * 10 + b)
    return out


@program(five_numbers, two_numbers)
def for_then_rest(x):
    it = iter([1, 2, 3, 4, 5])
    for k in it:
        if k * x[0] > 1:
            break
    return list(it)


@program(five_numbers, two_numbers)
def takewhile_rest(x):
    it = iter(x.tolist())
    a = list(itertools.takewhile(lambda v: v > 0, it))
    return a, list(it)


@program(five_numbers, two_numbers)
def genexp_partial(x):
    g = (v * 2 for v in [1, 2, 3])
    s = next(g)
    if x[0] > 0:
        s += next(g)
    return s, sum(g)


@program(five_numbers, two_numbers)
def tee_and_chain(x):
    a, b = itertools.tee(iter([1, 2, 3]))
    s = next(a)
    if x[0] > 0:
        s += next(a)
    return s, list(b), list(a)


@program(five_numbers, two_numbers)
def cycle_zip(x):
    return [v * s for v, s in zip(x, itertools.cycle([1, -1]))]


@program(five_numbers, two_numbers)
def count_zip(x):
    t = 0.0
    for i, v in zip(itertools.count(1), x):
        t += i * v
    return t


@program(five_numbers, two_numbers)
def islice_in_while_arr(x):
    it = iter(x)
    t = []
    while True:
        c = list(itertools.islice(it, 2))
        if not c:
            break
        t.append(sum(c))
    return t


@program(five_numbers, two_numbers)
def while_probe_next(x):
    it = itertools.count()
    s = 0.0
    while (i := next(it)) < 3:
        s += i * x[0]
    return s, next(it)


@program(five_numbers, two_numbers)
def set_pop_static(x):
    s = {1}
    n = 0.0
    while s and (k := s.pop()):
        n += k * x[0]
    return n, s


@program(five_numbers, two_numbers)
def map_with_effects_taken_by_data(x):
    seen = []

    def noted(v):
        seen.append(v)
        return v * 2

    items = map(noted, [1, 2, 3])
    total = next(items)
    if x[1] > 0:
        total += next(items)
    return total, list(items), seen


@program(five_numbers, two_numbers)
def two_sources_in_step(x):
    pairs = zip(x, [7, 8, 9])
    first = next(pairs)
    if first[0] > 0:
        first = next(pairs)
    return first, sum(a * b for a, b in pairs)


@program(five_numbers, two_numbers)
def rest_of_an_array(x):
    items = iter(x)
    first = next(items)
    if first > 0:
        first += next(items)
    return first, [*items], next(items, None)


@program(five_numbers, two_numbers)
def rest_by_every_consumer(x):
    def started():
        items = iter(x)
        if next(items) > 0:
            next(items)
        return items

    return (
        sum(started()),
        max(started(), default=0.0),
        sorted(started()),
        tuple(started()),
        list(enumerate(started())),
        math.fsum(started()),
        np.fromiter(started(), float),
        functools.reduce(lambda a, b: a + b, started(), 0.0),
        list(itertools.chain([0.0], started())),
        list(itertools.accumulate(started(), initial=1.0)),
        list(itertools.takewhile(lambda v: v < 4, started())),
        list(itertools.pairwise(started())),
        list(filter(lambda v: v > 0, started())),
        len(set(started())),
        ",".join(str(float(v)) for v in started()),
        max(0.0, 1.0, *started()),
        all(map(lambda v: v > 0, started())),
        3.0 in started(),
    )


@program(five_numbers, two_numbers)
def accumulated_from_the_middle(x):
    items = iter(x)
    first = next(items)
    if first > 0:
        first += next(items)
    return list(itertools.accumulate(items)), list(items)


@program(five_numbers, two_numbers)
def generator_expression_in_two_loops(x):
    squares = (v * v for v in x)
    total = 0.0
    for s in squares:
        total += s
        if total > 3:
            break
    return total, list(squares), list(squares)


def first_two(items):
    return next(items), next(items, None)


@program(five_numbers, two_numbers)
def generator_expression_as_argument(x):
    return first_two(v + 1 for v in x), first_two(iter([x[0], 2.0])), first_two(map(abs, x))


@program(five_numbers, two_numbers)
def repeated_and_counted(x):
    ones = itertools.repeat(1.0)
    steps = itertools.count(5, -2)
    total = 0.0
    for v, step in zip(x, steps):
        if v > 0:
            total += next(ones) * step
    return total, list(itertools.repeat(x[0], 2)), [v * s for v, s in zip(x, itertools.cycle((1, -1)))]


@program(five_numbers, two_numbers)
def generator_expression_over_an_iterator(x):
    items = iter(x)
    found = any(v > 2 for v in items)
    return found, next(items, None)


@program(five_numbers, two_numbers, refused="how many the other one has taken")
def named_generator_expression_over_an_iterator(x):
    items = iter(x)
    larger = (v > 2 for v in items)
    return any(larger), next(items, None)


@program(five_numbers, two_numbers)
def chained_items_numbered(x):
    total = 0.0
    for k, v in zip(itertools.count(5), itertools.chain(x, [2.0])):
        total -= k * v
    return total, [k * v for v, k in zip((v * v for v in x), itertools.cycle([1, -1]))]


@program(five_numbers, two_numbers)
def iterator_returned(x):
    items = iter(x)
    next(items)
    pairs = zip(x, [1, 2])
    return [*items], list(pairs)


@program(five_numbers, refused="an iterator without an end")
def endless_iterator_returned(x):
    return itertools.cycle([x[0]])


@program(five_numbers, two_numbers)
def filter_taken_in_pieces(x):
    items = filter(lambda v: v > 0, x)
    return next(items), next(items, -1), list(items), sum(filter(None, [x[0], 0, 2]))


@program(five_numbers, two_numbers)
def running_totals_taken_in_pieces(x):
    totals, known = itertools.accumulate(x), itertools.accumulate([1, x[0], 3])
    return next(totals), list(totals), next(known), list(known)


@program(five_numbers, two_numbers)
def first_of_a_list(x):
    items = [v for v in x if v > 0]
    try:
        next(items)
    except TypeError as error:
        return str(error), next(iter(items))


@program(five_numbers)
def first_of_what_is_sorted(x):
    return next(sorted(x))


@program(five_numbers, two_numbers)
def heads_merged(x):
    merged = heapq.merge([3, x[0], 2], [x[1], 5], [0])
    by_key = [v for v in heapq.merge(x, x * 2, key=lambda v: -v)]
    return next(merged), list(merged), by_key, list(heapq.merge([5, 4], [2, x[1]], reverse=True))
