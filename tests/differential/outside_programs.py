"""Programs that change and read lists, dicts, sets and deques of the caller's: globals, captured ones, attributes, entries of others."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add

LOG: list = []
STATS: dict = {}
SEEN: set = set()
RECENT: deque = deque(maxlen=3)
GROUPS: defaultdict = defaultdict(list)
TALLY: Counter = Counter()
GRID: list = []
TABLE: dict = {}


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def reset():
    LOG.clear()
    STATS.clear()
    STATS.update(calls=0, largest=0.0, name="none")
    SEEN.clear()
    RECENT.clear()
    GROUPS.clear()
    TALLY.clear()
    GRID[:] = [[0.0, 1.0], [2.0, 3.0]]
    TABLE.clear()
    TABLE.update(rows=[1.0], inner={"k": 1})


@program(lambda: (rnd(1, 5),), lambda: (rnd(2, 3),), start=reset)
def statistics_are_kept(x):
    STATS["calls"] += 1
    for v in x:
        if v > STATS["largest"]:
            STATS["largest"] = v
            STATS["name"] = "new"
    return STATS["calls"], STATS["largest"], STATS["name"], sorted(STATS)


@program(lambda: (rnd(1, 5),), lambda: (rnd(2, 3),), start=reset)
def history_grows_and_is_read(x):
    for v in x:
        if len(LOG) == 0 or v > LOG[-1]:
            LOG.append(v)
    total = 0.0
    for v in LOG:
        total += v
    return total, len(LOG), LOG[0], list(LOG), max(LOG), LOG


@program(lambda: (np.array([1, 2, 2, 5]),), lambda: (np.array([5, 7]),), start=reset)
def sets_and_deques(x):
    fresh = 0
    for v in x:
        k = int(v)
        if k not in SEEN:
            SEEN.add(k)
            fresh += 1
        RECENT.append(k)
    return fresh, len(SEEN), sorted(SEEN), list(RECENT), RECENT[-1], sum(RECENT)


@program(lambda: (np.array([1, 2, 2, 5]),), lambda: (np.array([5, 7]),), start=reset)
def groups_and_tallies(x):
    for i, v in enumerate(x):
        k = int(v)
        GROUPS[k].append(i)
        TALLY[k] += 1
    return [(k, list(v)) for k, v in sorted(GROUPS.items())], TALLY.most_common(1), TALLY[99], len(GROUPS)


@program(lambda: (0, 2.0), lambda: (1, -1.0), start=reset)
def nested_containers(i, x):
    GRID[i][1] = x
    GRID[1].append(x)
    for row in GRID:
        row[0] += 1.0
    TABLE["rows"].append(x)
    TABLE["inner"]["k"] += 1
    TABLE["inner"]["new"] = x
    return sum(len(row) for row in GRID), GRID[0][0], TABLE["rows"][-1], dict(TABLE["inner"])


class Model:
    """Keeps lists and dicts."""

    registry: list = []

    def __init__(self):
        self.history = []
        self.scores = {"best": 0.0}
        self.queue = deque()

    def step(self, v):
        self.history.append(v)
        if v > self.scores["best"]:
            self.scores["best"] = v
        self.queue.append(len(self.history))
        return len(self.history)


@program(lambda: (Model(), rnd(3, 6)), lambda: (Model(), rnd(4, 1)))
def attributes_that_are_containers(model, x):
    last = 0
    for v in x:
        last = model.step(v)
    while len(model.queue) > 2:
        model.queue.popleft()
    return last, len(model.history), model.history[-1], model.scores["best"], list(model.queue)


def reset_registry():
    del Model.registry[:]


@program(lambda: (1.0,), lambda: (-1.0,), start=reset_registry)
def class_attribute_is_a_registry(x):
    if x > 0:
        Model.registry.append(x)
    return len(Model.registry), Model.registry[:]


def memoised():
    cache = {}
    order = []

    def square(n):
        if n in cache:
            order.append(-n)
            return cache[n]
        cache[n] = n * n
        order.append(n)
        return cache[n]

    return square, cache, order


SQUARE, CACHE, ORDER = memoised()


def reset_cache():
    CACHE.clear()
    ORDER.clear()


@program(lambda: (np.array([3, 4, 3]),), lambda: (np.array([4, 4]),), start=reset_cache)
def captured_cache(x):
    return [SQUARE(int(v)) for v in x], len(CACHE), list(ORDER)


@program(lambda: (np.array([1.0, -1.0, 2.0]),), lambda: (np.ones(2),), start=reset)
def log_before_an_exception(x):
    for v in x:
        LOG.append(v)
        STATS["calls"] += 1
        if v < 0:
            raise ValueError(f"after {len(LOG)} of {STATS['calls']}")
    return len(LOG)


@program(lambda: (OrderedDict(a=1.0), {1, 2}, 0.5), lambda: (OrderedDict(b=2.0), {5}, -0.5))
def other_containers_as_arguments(ordered, known, x):
    ordered["z"] = x
    if x > 0:
        known.add(9)
        ordered.move_to_end("a")
    return list(ordered), len(known), 9 in known


@program(lambda: (1.0,), lambda: (2.5,), start=reset)
def two_names_of_one_list(x):
    other = LOG
    LOG.append(x)
    other.append(-x)
    return len(LOG), LOG is other, LOG == other, other[0]


@program(lambda: ({"a": 1.0}, 0.5), lambda: ({"a": 1.0}, -0.5), lambda: ({"a": 1.0, "new": 2.0}, -0.5))
def entry_made_in_a_branch(d, x):
    if x > 0:
        d["new"] = x
    return d.get("new"), d.get("new", 7.0), len(d), "new" in d, d.get("a")


@program(lambda: (1.0,), lambda: (-1.0,), start=reset)
def log_is_looked_through(x):
    LOG.append(x)
    LOG.extend([2.0 * x, 3.0])
    first, *rest = LOG
    *_, last = LOG
    total = 0.0
    for i in range(len(LOG)):
        total += LOG[i]
    doubled = [v * 2 for v in LOG]
    return first, rest, last, total, doubled, sorted(LOG), np.array(LOG).sum(), LOG[1:], LOG + [9], [*LOG], 3.0 in LOG, str(LOG), bool(LOG)


class Part:
    """An entry of a captured list."""

    def __init__(self, v):
        self.v = v
        self.log = []


PARTS: list = []
WEIGHTS = [1.0, 2.0]
SCALES = {"a": 1.0}


def make_parts():
    PARTS[:] = [Part(1.0), Part(2.0)]
    WEIGHTS[:] = [1.0, 2.0]
    SCALES.clear()
    SCALES["a"] = 1.0


@program(lambda: (1.0,), lambda: (-1.0,), start=make_parts)
def objects_in_a_captured_list(x):
    for part in PARTS:
        part.log.append(x)
        part.v += x
    PARTS[1].log.append(2 * x)
    for i, part in enumerate(PARTS):
        part.v += i
    return [len(part.log) for part in PARTS], PARTS[0].v, PARTS[1].v, PARTS[1].log[-1]


def next_weights():
    """Arguments whose making changes what is captured."""
    WEIGHTS[0] += 1.0
    SCALES[f"k{len(SCALES)}"] = 0.5
    return (2.0,)


@program(next_weights, next_weights, start=make_parts)
def captured_numbers_change_between_calls(x):
    total = 0.0
    for w in WEIGHTS:
        total += w * x
    for k, w in SCALES.items():
        total += w * len(k)
    return total, max(WEIGHTS), 3.0 in WEIGHTS, list(SCALES), sum(SCALES.values())
