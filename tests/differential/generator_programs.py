"""Programs with generators: consumed by loops that stop early, by builtins, one inside another, recursive, with effects between items."""

from __future__ import annotations

import itertools

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def naturals(start):
    n = start
    while True:
        yield n
        n += 1


@program(lambda: (7,), lambda: (50,))
def endless_generator_is_left(limit):
    for n in naturals(1):
        if n * n > limit:
            break
    else:
        n = -1
    return n


@program(lambda: (rnd(1, 9),), lambda: (rnd(1, 0),))
def builtins_consume(x):
    def positive():
        for v in x:
            if v > 0:
                yield v

    total = 0.0
    for i, v in enumerate(positive(), 1):
        total += i * v
    first = next(positive(), None)
    return total, list(positive()), sum(positive()), max(positive(), default=-1.0), sorted(positive()), tuple(positive()), first


def chunks(x, n):
    for i in range(0, len(x), n):
        yield i, x[i : i + n]


@program(lambda: (rnd(1, 9), 2), lambda: (rnd(1, 3), 5))
def chunk_sums(x, n):
    out = []
    for i, part in chunks(x, n):
        out.append(part.sum() * i)
    return out


def ordered_pairs(x):
    for i in range(len(x)):
        for j in range(i):
            if x[i] > x[j]:
                yield i, j


@program(lambda: (rnd(3, 7), 2.5), lambda: (rnd(4, 7), 0.1), lambda: (-rnd(4, 7), 90.0))
def return_and_break_from_consumer(x, limit):
    total = 0.0
    count = 0
    for i, j in ordered_pairs(x):
        total += x[i] - x[j]
        count += 1
        if total > limit:
            break
        if count > 12:
            return "many"
    return total, count


def collatz(n):
    while n != 1:
        yield n
        n = n // 2 if n % 2 == 0 else 3 * n + 1


@program(lambda: (27,), lambda: (1,))
def collatz_items(n):
    return max(collatz(n), default=0), sum(1 for _ in collatz(n)), list(collatz(n))


@program(lambda: (rnd(5, 6), rnd(6, 6)), lambda: (rnd(5, 6), rnd(6, 2)))
def zipped_with_array(x, y):
    def large():
        for v in x:
            if v > -0.5:
                yield v

    s = 0.0
    for a, b in zip(large(), y):
        s += a * b
    for a, b in zip(y, large()):
        s -= a * b * 0.5
    return s


def logged(x, log):
    for v in x:
        log.append(v)
        if v > 0:
            yield v * 2
    log.append(-99.0)


@program(lambda: (rnd(7, 5),), lambda: (rnd(8, 9),))
def effects_keep_their_order(x):
    log = []
    for v in logged(x, log):
        log.append(v)
        if v > 1.5:
            break
    return log


def running(x):
    total = 0.0
    for v in x:
        total += v
        yield total


@program(lambda: (rnd(7, 5),), lambda: (rnd(8, 9),))
def pipeline(x):
    def clip(source, high):
        for v in source:
            yield v if v < high else high

    out = []
    for t in clip(running(x), 0.5):
        out.append(t)
    return out, [v for v in running(x) if v > 0]


@program(lambda: (rnd(7, 5),), lambda: (rnd(8, 9),))
def generator_error_is_caught(x):
    def checked():
        for i, v in enumerate(x):
            if v < -1:
                raise ValueError(f"bad {i}")
            yield v

    total = 0.0
    try:
        for v in checked():
            total += v
    except ValueError as error:
        return total, str(error)
    return total, "ok"


class Model:
    """A generator method that counts."""

    def __init__(self, n):
        self.n = n
        self.seen = 0

    def layers(self):
        for i in range(self.n):
            self.seen += 1
            yield i * 0.5


@program(lambda: (Model(5), 1.0), lambda: (Model(0), 1.0))
def generator_method(m, x):
    for s in m.layers():
        x = x * 0.9 + s
        m.seen += 10
    return x, m.seen


@program(lambda: (rnd(9, 4, 3), 0.2), lambda: (rnd(9, 1, 3), 9.0))
def generator_made_in_loop(m, limit):
    counts = []
    for row in m:
        count = 0
        for t in running(row):
            if t > limit:
                count += 1
        counts.append(count)
    return counts


@program(lambda: (rnd(7, 5),))
def items_one_by_one(x):
    """What only Python's own generator can do stays Python's where it does not depend on data."""
    items = running(x)
    first = next(items)
    rest = [v for v in items] if len(x) < 4 else None
    return first, rest


def received():
    total = 0.0
    while total < 3.0:
        total += yield total


@program(lambda: (1.0,))
def generator_with_send(x):
    items = received()
    return next(items), items.send(2.0), x


def reads_in_branches(x):
    if x[0] > 0:
        yield from (v for v in x if v > 0)
    else:
        yield -1.0
        yield from x[1:]
        return
    yield 100.0


@program(lambda: (np.array([1.0, -2.0, 3.0]),), lambda: (np.array([-1.0, 2.0]),))
def yields_in_branches(x):
    return [v * 2 for v in reads_in_branches(x)]


@program(lambda: (rnd(10, 6), 2), lambda: (rnd(11, 1), 0))
def itertools_by_data(x, n):
    out = []
    for i in itertools.count(1):
        if i * i > 10 * n + 1:
            break
        out.append(i)
    rising = list(itertools.takewhile(lambda v: v < 1.0, x))
    rest = list(itertools.dropwhile(lambda v: v < 0.0, x))
    steps = [b - a for a, b in itertools.pairwise(x)]
    both = sum(itertools.chain(x, running(x)))
    first = list(itertools.islice(running(x), n))
    powers = [v for v in itertools.starmap(lambda a, b: a * b, zip(x, x))]
    numbered = [i * v for i, v in zip(itertools.count(), x)]
    return out, rising, rest, steps, both, first, powers, numbered, list(itertools.filterfalse(lambda v: v > 0, x))


@program(lambda: (rnd(1, 6), 0.3), lambda: (rnd(2, 3), 9.0))
def generators_of_a_local_class(x, k):
    class Bag:
        def __init__(self, items):
            self.items = items

        def __iter__(self):
            for v in self.items:
                if v > k:
                    yield v

        def pairs(self):
            before = 0.0
            for v in self:
                yield before, v
                before = v

    bag = Bag(x)
    total = 0.0
    for before, v in bag.pairs():
        total += before * v
    return total, list(bag), sum(bag)


@program(lambda: (rnd(1, 6),), lambda: (rnd(2, 6),))
def generator_assigns_outer_variable(x):
    count = 0

    def positive():
        nonlocal count
        for v in x:
            count += 1
            if v > 0:
                yield v

    total = 0.0
    for v in positive():
        total += v
        if total > 1:
            break
    return total, count


def permutations(n):
    if n == 0:
        yield ()
        return
    for p in permutations(n - 1):
        for i in range(n):
            yield p[:i] + (n,) + p[i:]


@program(lambda: (rnd(3, 4),), lambda: (-rnd(3, 4),))
def recursive_generator(w):
    best = -1e9
    for p in permutations(3):
        s = 0.0
        for i, k in enumerate(p):
            s += w[k] * i
        if s > best:
            best = s
    return best


def primes(n):
    sieve = np.ones(n + 1, dtype=bool)
    for p in range(2, n + 1):
        if sieve[p]:
            yield p
            sieve[p * p :: p] = False


@program(lambda: (50,), lambda: (2,))
def sieve_between_items(n):
    return sum(primes(n)), [p for p in primes(n) if p % 4 == 1], max(primes(n))


@program(lambda: (rnd(1, 6),), lambda: (rnd(2, 6),))
def containers_of_items(x):
    def numbered():
        for i, v in enumerate(x):
            if v > 0:
                yield i, v

    first, *rest = numbered()
    text = ",".join(str(i) for i, _ in numbered())
    return dict(numbered()), first, rest, any(v > 1 for i, v in numbered()), np.array([v for _, v in numbered()]), text


def running_sum():
    total = 0.0
    while True:
        item = yield total
        if item is None:
            return total
        total += item


@program(lambda: (rnd(3, 4),))
def generator_is_closed_in_a_try(x):
    sums = running_sum()
    next(sums)
    sums.send(1.0)
    try:
        sums.send(None)
    except StopIteration as stop:
        return stop.value + x.sum()


@program(lambda: (rnd(3, 4),))
def generator_goes_on_in_one_branch(x):
    sums = running_sum()
    next(sums)
    if x[0] > 0:
        sums.send(1.0)
    return sums.send(2.0)


@program(lambda: (rnd(3, 4),), lambda: (-rnd(3, 4),))
def generator_is_made_in_one_branch(x):
    sums = None
    if x[0] > 0:
        sums = running_sum()
        next(sums)
    return 0.0 if sums is None else sums.send(3.0)


@program(lambda: (rnd(3, 4),))
def generator_is_advanced_where_it_was_made(x):
    sums = running_sum()
    seen = [next(sums), sums.send(1.0), sums.send(2.5)]
    if x[0] > 0:
        others = running_sum()
        next(others)
        seen.append(others.send(4.0))
    return seen, sums.send(x.size)
