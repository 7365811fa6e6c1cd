"""Programs that spread, match, group and look up by what only the run knows."""

from __future__ import annotations

import enum
import itertools

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def fl(*values):
    return np.array(values, dtype=float)


def it(*values):
    return np.array(values, dtype=np.int64)


@program(lambda: (fl(1, 2, 3, 4),), lambda: (fl(1, 2),), lambda: (fl(1),))
def star_forms_of_two_kinds(x):
    first, *rest = x
    *init, last = x
    pairs = [(a, *b) for a, *b in [(1, 2, 3), (4,), tuple(x)]]
    f = lambda *a, k=0, **kw: (len(a), k, sorted(kw))
    merged = {**{"a": first}, **({"b": last} if last > 1 else {}), "c": len(rest)}
    fixed = {"a": last, **{"d": 3}}
    return (
        first,
        rest,
        init,
        last,
        pairs,
        f(*x, *rest, k=last, **fixed),
        merged,
        [*x, *rest],
        (*init,),
        {*map(int, x)},
        dict(**merged),
        "{a:.1f}{c}".format(**merged),
    )


@program(
    lambda: (fl(1, 2), 0),
    lambda: (fl(1, 2), 1),
    lambda: (fl(1, 2), 2),
    lambda: (fl(1, 2), 3),
    lambda: (fl(1, 2), 4),
    lambda: (fl(1, 2), 5),
    lambda: (fl(1, 2), 6),
    lambda: (fl(1, 2), 7),
)
def texts_of_wrong_spreads(x, which):
    def f(*args, **named):
        return args

    if which == 0:
        return f(*x[0])
    if which == 1:
        return f(**x)
    if which == 2:
        return f(1, *x[0])
    if which == 3:
        return {**x}
    if which == 4:
        return f(**x[0])
    if which == 5:
        return [*x[0]]
    if which == 6:
        return f(a=1, **x)
    return {**{"k": 1}, **x[1]}


@program(lambda: (it(3, 1, 2, 2),), lambda: (it(1),), lambda: (it(),))
def keys_as_sets(n):
    d = {int(v): i for i, v in enumerate(n)}
    e = {k: 1 for k in (1, 2)}
    common = d.keys() & e.keys()
    return (
        sorted(common),
        sorted(d.keys() | {7}),
        sorted(d.keys() - {1}),
        sorted({1, 9} - d.keys()),
        1 in d.keys(),
        len(d.keys()),
        sorted(d.keys() ^ e.keys()),
        list(d.keys()),
    )


class Kind(enum.Enum):
    OFF = 0
    LOW = 1
    HIGH = 2

    @property
    def weight(self):
        return self.value * 1.5

    def up(self):
        return Kind(min(self.value + 1, 2))


@program(lambda: (it(0, 1, 2),), lambda: (it(2),), lambda: (it(),), lambda: (it(1, 5),))
def members_by_number(n):
    names = []
    total = 0.0
    state = Kind.OFF
    for v in n:
        k = Kind(int(v))
        names.append(k.name)
        total += k.weight
        if k is Kind.HIGH:
            state = Kind.OFF
        elif k == Kind.LOW:
            state = k.up()
        match k:
            case Kind.OFF:
                names.append("zero")
            case Kind.LOW | Kind.HIGH:
                names.append(state.name)
    return names, total, state, {Kind.LOW: "l", Kind.OFF: "o", Kind.HIGH: "h"}[state]


@program(lambda: (fl(3, 1, 2),), lambda: (fl(-1),), lambda: (fl(0, 0),), lambda: (fl(),), lambda: (fl(1, 2, 3, 4),))
def patterns_on_lists_of_the_run(x):
    items = [float(v) for v in x if v >= 0]
    match items:
        case []:
            return "empty"
        case [v]:
            return "one", v
        case [0.0, 0.0]:
            return "origin"
        case [a, b, c] if a > b:
            return a + b * c
        case [a, *mid, z] if sum(mid) > a:
            return mid, z
        case [*all_]:
            return len(all_)


@program(lambda: (fl(3, 1), 3), lambda: (fl(0, 5), 2))
def called_until_a_value(x, n):
    state = [x[0]]

    def step():
        state[0] = state[0] + 1
        return int(state[0]) % 7

    out = [v * 2 for v in iter(step, n)]
    return out, state[0]


@program(lambda: (fl(1, 2, 3, 1, 1),), lambda: (fl(-1),), lambda: (fl(),))
def groups_and_choices_by_data(x):
    runs = [(k, len(list(g))) for k, g in itertools.groupby(x, key=lambda v: v > 1)]
    same = [sum(g) for _, g in itertools.groupby(x)]
    best = max((len(list(g)) for _, g in itertools.groupby(x)), default=0)
    kept = list(itertools.compress(x, x > 1))
    marks = list(itertools.compress("abcde", [v > 1 for v in x]))
    words = [k for k, g in itertools.groupby("aabbb")]
    return runs, same, best, kept, marks, words


@program(lambda: (fl(3, 1, 2),), lambda: (fl(-1),), lambda: (fl(0, 0),), lambda: (fl(1, 2, 3, 4),))
def match_sequences_of_values(x):
    match [float(v) for v in x]:
        case []:
            return "empty"
        case [v] if v < 0:
            return "neg", v
        case [0.0, 0.0]:
            return "origin"
        case [a, b, c]:
            return a + b * c
        case [a, *mid, z] if sum(mid) > a:
            return mid, z
        case [*all_]:
            return len(all_)


@program(lambda: (fl(3, 1, 2),), lambda: (fl(1),), lambda: (fl(),))
def dict_comprehensions(x):
    d = {i: v for i, v in enumerate(x) if v > 1}
    inv = {float(v): k for k, v in d.items()}
    n = {i: {j: x[i] * x[j] for j in range(i)} for i in range(len(x))}
    s = {int(v) for v in x}
    return d, inv, n, s, d.keys() & {0, 2}, list(d.values()), dict(zip("abc", x)), {**d, -1: 0}, d | {5: 5}


def volume(w, h=1, d=2, *, scale=1):
    return w * h * d * scale


class Box:
    """Two numbers by position."""

    def __init__(self, w, h):
        self.w, self.h = w, h

    def grow(self, a, b=0):
        return self.w * a + self.h * b


@program(lambda: (it(3, -1, 4),), lambda: (fl(2, -5),), lambda: (fl(-1),), lambda: ([1, 2, 3, 4],), lambda: (np.arange(1, 11),))
def parameters_filled_by_a_list_of_the_run(x):
    kept = [v for v in x if v > 0]
    try:
        box = Box(*kept)
    except TypeError as error:
        found = str(error)
    else:
        found = box.grow(*kept), box.grow(1, *[v for v in x if v < 0])
    return found, volume(*kept), volume(*kept, scale=2)
