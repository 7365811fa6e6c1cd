"""Programs as scientists write them, and the containers, iterators and recursions that they keep their state in."""

from __future__ import annotations

import itertools
from array import array
from collections import ChainMap, OrderedDict, UserDict, UserList, deque

import numpy as np
from scipy import integrate

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def fl(*values):
    return np.array(values, dtype=float)


CONTAINERS = (
    lambda: (fl(*range(1, 30)), deque([1.0, 2.0, 3.0])),
    lambda: (fl(*range(1, 30)), array("d", [1.0, 2.0, 3.0])),
    lambda: (fl(*range(1, 30)), UserList([1.0, 2.0, 3.0])),
    lambda: (fl(*range(1, 30)), OrderedDict({0: 1.0, 1: 2.0, 2: 3.0})),
    lambda: (fl(*range(1, 30)), UserDict({0: 1.0, 1: 2.0, 2: 3.0})),
    lambda: (fl(*range(1, 30)), ChainMap({0: 1.0, 1: 2.0}, {2: 3.0})),
)


@program(*CONTAINERS)
def items_of_the_callers_written_in_a_loop(x, held):
    total = 0.0
    for v in x:
        total += held[0] * v
        held[0] = 100.0
        held[1] += float(v)
    return total, held[1]


@program(*CONTAINERS)
def items_of_the_callers_written_in_a_branch(x, held):
    before = held[0]
    if x[1] > 3:
        held[0] = 100.0
    if x[1] > 1:
        held[1] = x[1]
    return before + held[0], held[1]


@program(*CONTAINERS)
def items_of_the_callers_deleted_in_a_branch(x, held):
    before = held[1]
    if x[1] > 3:
        del held[0]
    if x[1] > 1:
        del held[1]
    return before + held[0], len(held)


@program(lambda: (fl(1, 2), UserList([3.0, 2.0])), lambda: (fl(7, 2), UserList([3.0])))
def methods_of_a_users_list_of_the_callers(x, held):
    held.append(float(x[0]))
    if x[0] > 5:
        held.extend([1.0])
    held.sort()
    return held[-1], held.count(1.0), len(held)


@program(lambda: (fl(1, 2, 3), deque([1.0, 2.0])), lambda: (fl(), deque([1.0])))
def deque_of_the_callers_written_ahead_while_it_is_gone_through(x, held):
    total = 0.0
    for v, w in zip(held, x[x > 0]):
        total += v * w
        held[-1] = 50.0
    for v in held:
        total += v
        held[0] = 7.0
    return total


@program(lambda: (fl(1, 2, 3), deque([1.0, 2.0])))
def deque_of_the_callers_that_grows_while_it_is_gone_through(x, held):
    for v, w in zip(held, x[x > 0]):
        held.append(v * w)


LEVELS = {1: 2.0, 3: 4.0}
RECENT = deque([1.0, 5.0])


@program(lambda: (fl(1, -2, 3),), lambda: (fl(-1),), lambda: (fl(1, 2, 3, 4),))
def containers_without_numbers_beside_arrays_of_any_size(x):
    some = x[x > 0]
    out = [list(zip(some, LEVELS)), list(zip(RECENT, some)), dict(zip(LEVELS, some)), list(zip(some, reversed(RECENT)))]
    total = 0.0
    for (key, value), v in zip(LEVELS.items(), some):
        total += key * value * v
    for v, value in zip(some, LEVELS.values()):
        total += value * v
    return out, total, list(map(lambda a, b: a * b, RECENT, some))


@program(lambda: (fl(1, -2, 3),), lambda: (fl(1, 2, 3, 4),))
def values_of_a_dict_written_while_they_are_gone_through(x):
    held = {1: 2.0, 3: 4.0}
    total = 0.0
    for value, v in zip(held.values(), x[x > 0]):
        total += value * v
        held[3] = 100.0
    return total


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


@program(lambda: (fl(1, 2, 3, 4), 3), lambda: (fl(1, 2), 5), lambda: (fl(), 2), lambda: (fl(1), 0))
def users_iterators_beside_iterators_that_are_held(x, n):
    items, down = iter(list(x)), Countdown(n)
    total = 0.0
    for v, w in zip(down, items):
        total = total * v + w
    rest = next(items, None), down.n
    items, down = iter(list(x)), Countdown(n)
    for v, w in zip(items, down):
        total = total * w + v
    return total, rest, next(items, None), down.n


@program(lambda: (fl(1, 2, 3, 4),), lambda: (fl(5, 6),))
def deques_beside_iterators_that_are_held(x):
    held = deque(maxlen=2)
    total = 0.0
    for v in x:
        for u, w in zip(held, reversed([1.0, 2.0])):
            total += u * w
        for u, w in zip(reversed(held), iter((3.0, 4.0))):
            total += u * w
        held.append(v)
    return total


@program(lambda: (fl(-1.2, 1.0, 0.5),), lambda: (fl(1, 1),), lambda: (fl(0.3, 2.0, 1.0, -1.0),))
def minimum_by_limited_memory(x):
    def rosenbrock(x):
        d = x[1:] - x[:-1] ** 2
        g = np.zeros_like(x)
        g[:-1] = -400 * x[:-1] * d - 2 * (1 - x[:-1])
        g[1:] += 200 * d
        return 100 * np.sum(d**2) + np.sum((1 - x[:-1]) ** 2), g

    steps, changes = deque(maxlen=3), deque(maxlen=3)
    f, g = rosenbrock(x)
    for k in range(6):
        q, factors = g.copy(), []
        for s, y in zip(reversed(steps), reversed(changes)):
            a = (s @ q) / (y @ s)
            factors.append(a)
            q -= a * y
        if steps:
            q *= (steps[-1] @ changes[-1]) / (changes[-1] @ changes[-1])
        for (s, y), a in zip(zip(steps, changes), reversed(factors)):
            q += s * (a - (y @ q) / (y @ s))
        t = 1.0
        while True:
            new = x - t * q
            new_f, new_g = rosenbrock(new)
            if new_f <= f - 1e-4 * t * (g @ q) or t < 1e-10:
                break
            t *= 0.5
        if (new_g - g) @ (new - x) > 1e-12:
            steps.append(new - x)
            changes.append(new_g - g)
        x, f, g = new, new_f, new_g
        if np.abs(g).max() < 1e-8:
            break
    return x, f, k


@program(lambda: (0.0, 2.0, 3.0), lambda: (1.0, 1.0, 2.0), lambda: (0, 1, 5))
def integral_by_halves(a, b, w):
    def f(x):
        return np.exp(-x * x) * np.cos(w * x)

    def part(a, b, whole, depth):
        m = (a + b) / 2
        left, right = (m - a) * f((a + m) / 2), (b - m) * f((m + b) / 2)
        if abs(left + right - whole) <= 1e-3 or depth > 30:
            return left + right
        return part(a, m, left, depth + 1) + part(m, b, right, depth + 1)

    return part(a, b, (b - a) * f((a + b) / 2), 0)


def ground(t, y):
    return y[0]


@program(lambda: (9.81,), lambda: (4.0,))
def events_that_have_attributes(g):
    def moves(t, y):
        return [y[1], -g]

    def lands(t, y):
        return y[0]

    def rises_above(t, y):
        return y[0] - g / 4

    lands.terminal, lands.direction = True, -1
    rises_above.direction = g / 3
    if g > 5:
        rises_above.terminal = 2
    found = integrate.solve_ivp(moves, (0, 10), [0.0, 10.0], events=[lands])
    other = integrate.solve_ivp(moves, (0, 10), [1.0, 10.0], events=rises_above)
    ground.terminal = g > 5
    third = integrate.solve_ivp(moves, (0, 3), [0.1, 5.0], events=ground)
    return [(np.round(s.t_events[0], 6), s.status, len(s.t)) for s in (found, other, third)], vars(lands), hasattr(rises_above, "terminal")


@program(lambda: (fl(1, -2, 3),), lambda: (fl(-1),), lambda: (fl(1, 2, 3, 4),))
def products_of_sequences_and_arrays_of_any_size(x):
    some = x[x > 0]
    total = 0.0
    for i, (a, b) in enumerate(itertools.product((1.0, 2.0), some)):
        total += i * a * b
    for v in some:
        for off in itertools.product((-1, 2), repeat=x.ndim + 1):
            total += (off[0] * 2 + off[1]) * v
    for a, (i, b) in zip(some, enumerate((5.0, 7.0))):
        total += a * b * i
    return total
