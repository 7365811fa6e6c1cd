"""Programs of everyday Python: objects and lists that stand in several places, schedulers, backtracking, sets that are arguments."""

from __future__ import annotations

import enum
import heapq
import itertools
import math
from collections import defaultdict, deque
from dataclasses import dataclass, field

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add
few = (lambda: (1,), lambda: (2,), lambda: (5,))


class Item:
    def __init__(self, state):
        self.state = state
        self.x = 0

    def bump(self):
        self.x += 1


@dataclass
class Basket:
    name: str
    items: list = field(default_factory=list)


@program(*few)
def chosen_objects_are_changed(n):
    a, b = Item(0), Item(1)
    for _ in range(n):
        for t in [t for t in (a, b) if t.state < n]:
            t.state += 3
    return a.state, b.state


@program(*few)
def object_is_changed_behind_append(n):
    kept, first = [], Item(0)
    for k in range(n):
        t = Item(k)
        kept.append(t)
        t.state += 7
        first.x += 1
        kept.append(first)
    return [t.state for t in kept], [t.x for t in kept]


@program(*few)
def object_in_a_dict_is_changed(n):
    kept, t = {}, Item(0)
    for k in range(n):
        kept[k] = t
        t.state += 7
    return [t.state for t in kept.values()], t.state


@program(*few)
def object_in_a_deque_is_changed(n):
    kept, t = deque(), Item(0)
    for _ in range(n):
        kept.append(t)
        kept[-1].x += 7
    return [t.x for t in kept], t.x


@program(*few)
def object_in_a_heap_is_changed(n):
    heap, t = [], Item(0)
    for k in range(n):
        heapq.heappush(heap, (-k, t))
    heap[0][1].x = 7
    return t.x


@program(*few)
def best_object_is_changed(n):
    a, b = Item(0), Item(1)
    max((t for t in (a, b) if t.state <= n), key=lambda t: t.state).x = 5
    sorted([a, b], key=lambda t: (t.state - n) ** 2)[0].x += 2
    return a.x, b.x


@program(*few)
def filtered_and_grouped_objects_are_changed(n):
    items = [Item(k) for k in range(3)]
    for t in list(filter(lambda t: t.state >= n, items)):
        t.x = 9
    groups = defaultdict(list)
    for t in items:
        groups[t.state % n].append(t)
    for t in groups[0]:
        t.bump()
    return [t.x for t in items]


@program(*few)
def object_is_told_by_identity(n):
    a, b = Item(0), Item(1)
    found = [t for t in (a, b) if t.state < n]
    seen = set()
    if n > 1:
        seen.add(a)
    for t in seen:
        t.x = 4
    return [t is a for t in found], a in found, found.index(a), a in seen, b in seen, a.x


@program(*few)
def chained_objects_are_changed(n):
    def change(t):
        t.x += 1

    a, b = Item(0), Item(1)
    for t in itertools.chain([a], (b for _ in range(n))):
        change(t)
    for t in itertools.islice([a, b], n):
        change(t)
    return a.x, b.x


@program(*few)
def list_is_changed_behind_append(n):
    rows, last = [], []
    for k in range(n):
        row = []
        rows.append(row)
        row.append(k)
        rows.append(last)
        last.append(-k)
    return rows, last


@program(*few)
def chosen_lists_and_dicts_are_changed(n):
    a, b, c, d = [1], [2], {1: 1}, {1: 2}
    for items in [items for items in (a, b) if items[0] <= n]:
        items.append(7)
    for entries in [entries for entries in (c, d) if entries[1] <= n]:
        entries[5] = 7
    return a, b, c, d


@program(*few)
def list_of_an_object_is_changed(n):
    kept, shared = [], Basket("s")
    for k in range(n):
        t = Basket("a")
        kept += [t, shared]
        t.items.append(k)
    kept[1].items.append(9)
    return [t.items for t in kept], shared.items


@program(*few)
def current_dict_of_a_report(n):
    current = {"n": 0}
    report = [current]
    for k in range(n):
        if k % 3 == 2:
            current = {"n": 0}
            report.append(current)
        current["n"] += k
    return report


@program(*few)
def tree_of_nodes(n):
    nodes = [Basket("0", [])]
    for k in range(1, n + 1):
        t = Basket(str(k))
        nodes[(k - 1) // 2].items.append(t)
        nodes.append(t)
    return [[kid.name for kid in t.items] for t in nodes]


class State(enum.Enum):
    WAIT = "wait"
    DONE = "done"
    FAILED = "failed"

    @property
    def is_final(self):
        return self in (State.DONE, State.FAILED)


class CycleError(RuntimeError):
    pass


@dataclass
class Task:
    name: str
    cost: float
    needs: tuple = ()
    state: State = State.WAIT
    finish: float = math.nan

    def is_ready(self, tasks):
        return self.state is State.WAIT and all(tasks[d].state is State.DONE for d in self.needs)


JOBS = [("a", 3, []), ("b", 2, ["a"]), ("c", 4, ["a"])]


@program(lambda: (JOBS, 2, set()), lambda: (JOBS, 1, {"a"}), lambda: ([("x", 1, ["y"]), ("y", 1, ["x"])], 1, set()))
def schedule(spec, workers, bad):
    tasks = {n: Task(n, c, tuple(d)) for n, c, d in spec}
    free, log = [0.0] * workers, []
    while any(not t.state.is_final for t in tasks.values()):
        ready = sorted((t for t in tasks.values() if t.is_ready(tasks)), key=lambda t: (-t.cost, t.name))
        if not ready:
            blocked = [t for t in tasks.values() if any(tasks[d].state is State.FAILED for d in t.needs) and not t.state.is_final]
            if not blocked:
                raise CycleError(", ".join(tasks))
            for t in blocked:
                t.state = State.FAILED
            continue
        for t in ready:
            w = min(range(workers), key=free.__getitem__)
            begin = max([free[w]] + [tasks[d].finish for d in t.needs])
            free[w] = t.finish = begin + t.cost
            t.state = State.FAILED if t.name in bad else State.DONE
            log.append(f"{t.name}@{w}:{begin:g}-{t.finish:g}")
    return log, max(free), {n: t.state.name for n, t in tasks.items()}


@program(lambda: (5, 3), lambda: (4, 9), lambda: (3, 1))
def queens(n, limit):
    found, tried = [], 0
    columns, up, down, places = set(), set(), set(), []

    def place(r):
        nonlocal tried
        if r == n:
            found.append(tuple(places))
            return len(found) < limit
        for c in range(n):
            tried += 1
            if c in columns or r + c in up or r - c in down:
                continue
            columns.add(c), up.add(r + c), down.add(r - c), places.append(c)
            goes_on = place(r + 1)
            columns.discard(c), up.remove(r + c), down.remove(r - c), places.pop()
            if not goes_on:
                return False
        return True

    return place(0), found, tried


@program(lambda: ({1}, {1}), lambda: ({2}, {1}), lambda: ({8, 0}, {0, 8}))
def sets_are_arguments(a, b):
    return a is b, a == b, list(a), a | b, a


@program(lambda: (deque([1, 2]), 1), lambda: (deque([1, 2]), 3), lambda: (deque(["a"]), 3))
def deque_chosen_by_data(items, n):
    other = deque([5])
    chosen = items if n > 2 else other
    return chosen, chosen is items, np.arange(len(items))


class Cache:
    def __init__(self, capacity):
        self.capacity = capacity
        self.map = {}
        self.hits = self.misses = 0

    def __getitem__(self, key):
        try:
            value = self.map[key]
        except KeyError:
            self.misses += 1
            raise
        self.hits += 1
        self.map[key] = self.map.pop(key)
        return value

    def __setitem__(self, key, value):
        if len(self.map) >= self.capacity:
            self.map.clear()
        self.map[key] = value


@program(lambda: (2, [1, 2, 1, 3, 2, 1, 3]), lambda: (3, []), lambda: (1, [3, 3, 4]))
def cache_counts_before_it_raises(capacity, keys):
    cache = Cache(capacity)
    for key in keys:
        try:
            value = cache[key]
        except KeyError:
            value = cache[key] = key * key
        assert value == key * key
    return list(cache.map.items()), cache.hits, cache.misses


@program(lambda: ({}, 1), lambda: ({1: 2}, 1))
def change_before_raise_is_seen_outside(known, key):
    item = Item(0)
    try:
        try:
            item.state = known[key]
        except KeyError:
            item.bump()
            raise ValueError(key) from None
    except ValueError:
        item.x += 10
    return item.state, item.x


@program(*few)
def attribute_of_nothing(n):
    item = None
    try:
        item.x = n
    except AttributeError as error:
        return str(error)


@program(lambda: (Item(1), 0), lambda: (Item(2), 5), lambda: ({5}, 0), lambda: ({6}, 5))
def argument_kept_by_an_object(given, n):
    holder = Item(given)
    if n > 1:
        holder.state = {7}
    return holder.state is given, holder.state


@program(lambda: (np.array([3, 1, 4, 9]), 2), lambda: (np.array([1]), 3))
def values_of_a_dict_are_read_when_it_is_their_turn(keys, n):
    d = {}
    for k in keys:
        d[int(k)] = n
    total, seen, values = 0, [], d.values()
    for v in d.values():
        d[int(keys[-1])] = 100
        total += v
    for k, v in d.items():
        d[int(keys[-1])] = k
        seen.append((k, v))
    d[int(keys[0])] = -1
    return total, seen, list(values), sum(values), max(d.items())


@program(lambda: (np.array([3, 1, 4, 9]), 2))
def a_dict_that_grows_while_it_is_gone_through(keys, n):
    d = {}
    for k in keys:
        d[int(k)] = n
    try:
        for k in d:
            d[k + 50] = 1
    except RuntimeError as error:
        return str(error), d


@program(lambda: (np.array([3, 1, 3, 9, 1, 3]),), lambda: (np.array([7]),))
def counts_by_a_dict(keys):
    d = {}
    for k in keys:
        d[int(k)] = d.get(int(k), 0) + 1
    best, count = max(d.items(), key=lambda entry: (entry[1], -entry[0]))
    total = sum(d.values())
    parts = {k: v / total for k, v in d.items()}
    first, *rest = d.values()
    turned = dict(zip(d.values(), d.keys()))
    return best, count, parts, next(iter(d)), next(iter(d.items())), first, rest, np.array(list(d.values())), turned


@program(lambda: (np.array([3, 1, 4, 9]),), lambda: (np.array([2, 2]),))
def keys_of_a_dict_are_a_set_that_follows_it(numbers):
    d = {}
    for n in numbers:
        d[int(n)] = 1
    keys, values = d.keys(), d.values()
    before = len(keys), 99 in keys, keys & {1, 3}, {1, 7} | keys, keys - {1}, keys <= {1, 2, 3, 4, 9}
    d[99] = 5
    return before, len(keys), 99 in keys, len(values), 5 in values, list(keys), sorted(keys, reverse=True), sum(keys), [k * 2 for k in keys]
