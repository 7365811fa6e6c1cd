"""Dicts, lists of tuples and arrays of Python's among the arguments, and what attributes hold, are data; lists are values of dicts: one
program for all contents, Python's meaning."""

from __future__ import annotations

import copy
import heapq
from array import array
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.matching import Expected, Match
from autograph_jit.runtime.layouts import are_distinct
from tests.tables import table
from tests.tracing.agreement import assert_agrees

pytestmark = pytest.mark.native  # what is read in and written back is compiled code's work

RNG = np.random.default_rng(7)
NUMBERS = {7 * i: float(i) for i in range(70)}
COUNTS = {i: i % 5 for i in range(80)}
MATRIX = {(i, j): float(i * j % 7) for i in range(9) for j in range(9)}
REAL_KEYS = {0.5 * i: i for i in range(70)}
FLAGS = {i: i % 3 == 0 for i in range(70)}
GRAPH = {i: RNG.integers(0, 70, int(RNG.integers(0, 5))).tolist() for i in range(70)}
ROW = [1, 2]
SHARED = {i: ROW if i % 2 else [i] for i in range(70)}
EDGES = [(int(u), int(v), float(w)) for u, v, w in zip(RNG.integers(0, 20, 80), RNG.integers(0, 20, 80), RNG.random(80))]
NAMES = [f"n{i}" if i % 9 else f"ä{i}" for i in range(70)]
PRICES = {name: 1.5 * i for i, name in enumerate(NAMES)}
ROADS = {name: [NAMES[(7 * i + 13 * j) % 70] for j in range(i % 4)] for i, name in enumerate(NAMES)}
STAFF = [(name, f"team{i % 5}", 20 + 7 * i % 41) for i, name in enumerate(NAMES)]
POINTS = [(i, (0.5 * i, i % 2 == 0)) for i in range(70)]


class Edge(NamedTuple):
    u: int
    v: int
    w: float


class Leg(NamedTuple):
    name: int
    edge: Edge


NAMED = [Edge(*edge) for edge in EDGES]
LEGS = {i: Leg(i, edge) for i, edge in enumerate(NAMED)}


def named(edges, legs):
    s = 0.0
    for edge in edges:
        s += edge.u * edge.w + edge.v
    for k, leg in legs.items():
        s += k * leg.edge.w + leg.name
    edges.append(Edge(1, 2, s))
    return s, edges[3], legs[5].edge


def items(d):
    s = 0
    for k, v in d.items():
        s += k * v
    return s, len(d)


def parts(d):
    return sum(d.values()), sum(d), max(d), list(d), list(d.values()), sorted(d), 3 in d, d.get(5), d.get(7, 0)


def look_up(d, n):
    s = 0
    for i in range(n):
        if i in d:
            s += d[i]
        s += d.get(i + 1, 2)
    return s


def count(d, xs):
    for x in xs:
        d[x] = d.get(x, 0) + 1
    return d


def remove(d, n):
    for i in range(n):
        if i % 3 == 0 and i in d:
            del d[i]
        elif i % 3 == 1:
            d.pop(i, None)
        else:
            d[i + 100] = i
    return len(d), list(d)


def fails_late(d, n):
    for i in range(n):
        d[i] = d[i] * 2
        if i % 4 == 3:
            del d[i]
        d[1000 + i] = i
    return d


def clear_and_fill(d):
    d.clear()
    for i in range(5):
        d[i] = i * 10
    return d


def update(d, e):
    d.update(e)
    d.setdefault(3, 77)
    e[99] = 5
    return d is e, d.setdefault(4, 1)


def keeps_place(d):
    first = 0
    for k in d:
        first = k
        break
    v = d.pop(first)
    d[first] = v
    return list(d)


def changes_size(d):
    for k in d:
        d[k + 1000] = 1


def other_values(d):
    for k in d:
        d[k] = d[k] + 0.5
    return d


def multiply(a, b, n):
    c = {}
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


def memo(d, n):
    for i in range(n):
        for w in range(n):
            if (i, w) not in d:
                d[i, w] = 0 if i == 0 or w == 0 else max(d[i - 1, w], d[i - 1, max(0, w - i)] + i)
    return d[n - 1, n - 1]


def visit(graph, start):
    seen = {start: 0}
    order = [start]
    head = 0
    while head < len(order):
        u = order[head]
        head += 1
        for v in graph[u]:
            if v not in seen:
                seen[v] = seen[u] + 1
                order.append(v)
    return order, seen


def push_rows(graph):
    for k in graph:
        graph[k].append(len(graph[k]))
    return graph[1] is graph[3], graph[0]


def new_rows(graph):
    for i in range(3):
        graph[i] = [i, i + 1]
    graph[500] = graph[1]
    graph[1].append(9)
    return graph[500]


def rows_then_error(graph):
    for i in range(100):
        graph[i].append(-1)


def two_graphs(g, h):
    g[0].append(5)
    return len(h[0]), g is h


def longer_row(rows, row):
    row.append(5)
    return len(rows[3])


def passed_entries(d):
    return [*d], {**d, 1: 2}, d | {3: 4}, d == {1: 2}, dict(d), list(d.items())[:2]


def popped(g):
    return g.pop(3), len(g)


def tuples(edges):
    s = 0.0
    for u, v, w in edges:
        s += u * w - v
    return s, edges[0], edges[-1][2], len(edges)


def sort_tuples(edges):
    return sorted(edges, key=lambda e: e[2])[:3], min(edges), max(edges, key=lambda e: -e[1])


def nested(points):
    s = 0.0
    for i, (x, flag) in points:
        if flag:
            s += i * x
    return s


def change_tuples(edges):
    edges.append((1, 2, 3.5))
    edges[0] = (9, 9, 9.5)
    edges.pop(1)
    return edges


def swap_tuples(edges):
    for i in range(len(edges) + 1):
        edges[i] = (edges[i][1], edges[i][0], edges[i][2])


def rise(prices, names):
    s = 0.0
    for name in names:
        if name in prices:
            s += prices[name]
            prices[name] += 1.0
        prices[name + "!"] = s
    for name in names[:3]:
        del prices[name]
    return s, prices.get("x"), max(prices), "n5" in prices


def teams(staff):
    found, oldest = {}, ("", -1)
    for name, team, age in staff:
        found.setdefault(team, []).append(name)
        if age > oldest[1]:
            oldest = name, age
    staff.append(("new", oldest[0], 1))
    staff[0] = ("first", staff[1][0], 2)
    return found, oldest, sorted(staff)[0]


def distances(pairs):
    s = 0
    for (a, b), d in pairs.items():
        s += d if a < b else -d
    return s, pairs[NAMES[3], NAMES[2]]


CASES: dict[Any, list[tuple[Any, ...]]] = {
    items: [(NUMBERS,), (COUNTS,), (REAL_KEYS,), (FLAGS,), ({},), ({1: 2},), ({1: 2, 3: 4},), ({2**70: 1.5},), ({1: 2, 2.5: 1} | COUNTS,)],
    parts: [(NUMBERS,), (COUNTS,), ({1: 2.5},)],
    look_up: [(COUNTS, 60), (NUMBERS, 60), (FLAGS, 20), (REAL_KEYS, 30), ({1: 2}, 5)],
    count: [(COUNTS, list(range(60, 90))), (COUNTS, []), ({}, [1, 2, 1]), ({5: 1}, [1, 2, 1] * 5), (NUMBERS, [1, 7, 7])],
    remove: [(COUNTS, 30), (NUMBERS, 30), ({}, 20)],
    fails_late: [(COUNTS, 90), (COUNTS, 10), (NUMBERS, 9), (FLAGS, 20)],
    clear_and_fill: [(COUNTS,), (dict.fromkeys(range(9), 1),)],
    update: [(COUNTS, {i: 1 for i in range(75, 150)}), (COUNTS, COUNTS), ({1: 2}, {3: 4})],
    keeps_place: [(COUNTS,), (NUMBERS,)],
    changes_size: [(COUNTS,), ({1: 1},)],
    other_values: [(COUNTS,), (NUMBERS,)],
    multiply: [(MATRIX, MATRIX, 5), (MATRIX, dict(MATRIX), 6)],
    memo: [({}, 6), ({(0, 0): 0}, 5), ({(i, i): i for i in range(9)}, 5), ({(i, i): i for i in range(70)}, 13)],
    push_rows: [(SHARED,), (GRAPH,)],
    new_rows: [(SHARED,), (GRAPH,)],
    rows_then_error: [(SHARED,), (GRAPH,)],
    two_graphs: [(GRAPH, GRAPH), (GRAPH, copy.deepcopy(GRAPH)), (SHARED, dict(SHARED))],
    longer_row: [(g, row) for g in (SHARED, [[i] for i in range(20)]) for row in ([1], g[3], [2], list(range(12)))],
    passed_entries: [(COUNTS,)],
    popped: [(GRAPH,), ({i: [(i, 0.5)] for i in range(70)},), ({i: [(i, 0.5)] for i in range(5)},)],
    tuples: [(EDGES,), (EDGES[:3],), ([(1, 2, 3)] * 70,), (EDGES + [(1, 2, 3)],), (EDGES + [(1, 2)],)],
    named: [(NAMED, LEGS), (NAMED[:3], LEGS), (NAMED + [Edge(1, 2, 3)], LEGS), (NAMED + [(1, 2, 3.5)], LEGS)],
    sort_tuples: [(EDGES,), (EDGES[:9],)],
    nested: [(POINTS,), (POINTS[:2],)],
    change_tuples: [(EDGES,), (EDGES[:9],)],
    swap_tuples: [(EDGES,)],
    visit: [(ROADS, "n3"), (ROADS, "none"), (GRAPH, 3), (GRAPH, 99), ({0: [1], 1: [0, 2], 2: []}, 0)],
    rise: [(PRICES, NAMES[::2]), (PRICES, ["n1", "n1", "none"] * 4), ({"a": 1.0}, ["a"])],
    teams: [(STAFF,), (STAFF[1:],), (STAFF[:3],)],
    distances: [({(a, b): i for i, (a, b) in enumerate(zip(NAMES, NAMES[-1:] + NAMES))},)],
}


def grouped(n):
    g = {}
    for i in range(n):
        g.setdefault(i % 7, []).append(i)
    return g, [len(g[k]) for k in g]


def grouped_by_default(n):
    g = defaultdict(list)
    for i in range(n):
        g[i * i % 11].append(0.5 * i)
    g[100]
    return g, len(g), g[3]


def adjacency(n, edges):
    adj = {i: [] for i in range(n)}
    for u, v, w in edges:
        adj[u].append((v, w))
        adj[v].append((u, w))
    s = 0.0
    for u in range(n):
        for v, w in adj[u]:
            s += v * w
    return s, adj


def shared_rows(n):
    row = [0]
    d = {}
    for i in range(n):
        d[i] = row if i % 2 else [i]
    d[1].append(5)
    return d, d[1] is d[3], d[0] is d[2], row


def removed_rows(n):
    d = {i: [i] for i in range(n)}
    for i in range(0, n, 2):
        del d[i]
    for i in range(0, n, 3):
        d[i] = [i, i]
    t = 0
    for k, row in d.items():
        t += k * len(row)
    return d, t, list(d.values()), d.get(1), d.pop(3), d.get(1000)


def copied_rows(n):
    d = {i: [i] for i in range(n)}
    e = d.copy()
    e[0].append(7)
    e[1] = [8]
    return d, e, d[0] is e[0]


def pushed(rows, moves, other, lost=31):
    """Dicts in a dict or list of the caller's that gain, change and lose entries, until a key is missing."""
    total, names = 0, {row: row for row, _ in moves} | {lost: None}
    for row, key in moves:
        if key in rows[row] and key in other:
            total += rows[row].pop(key)
        rows[row][key] = rows[row].get(key, 0) + 1
        total += other.get(key, 0)
        own = dict(rows[row])
        own.pop(key)
        own[-1] = 3
        total += len(own) + sum(own)
        rows[names[row]][key] -= 2
    return total


def missing_row(n):
    d = {}
    for i in range(n):
        d.setdefault(i, []).append(i)
    return d[n]


def counters(xs):
    c = Counter()
    groups = defaultdict(list)
    for x in xs:
        c[x % 3] += 1
        groups[x % 3].append(x)
    return c, groups


def dijkstra(n, edges):
    adj = defaultdict(list)
    for u, v, w in edges:
        adj[u].append((v, w))
        adj[v].append((u, w))
    dist = {0: 0.0}
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v, w in adj[u]:
            if v not in dist or d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return dist


def ways(n):
    roads = defaultdict(dict)
    for i in range(n):
        j = (7 * i + 3) % n
        roads[i][j] = roads[j][i] = 0.5 * i + 1
    dist, waiting = {0: 0.0}, [0]
    while waiting:
        u = waiting.pop()
        for v, w in roads[u].items():
            if v not in dist or dist[u] + w < dist[v]:
                dist[v] = dist[u] + w
                waiting.append(v)
    return dist, len(roads), roads[3].get(1), 5 in roads[2], max(len(near) for near in roads.values())


def triangles(edges):
    near, found = defaultdict(set), 0
    for u, v, _ in edges:
        near[u].add(v)
        near[v].add(u)
    for u in near:
        for v in near[u]:
            if v > u:
                found += len(near[u] & near[v])
        near[u].discard(3)
    return found, sum(len(group) for group in near.values()), sum(near[5]), near[99] is near[99]


def by_name(names, n):
    counts = {}
    for i in range(n):
        first = names[i % len(names)]
        if first not in counts:
            counts[first] = {}
        inner = counts[first]
        inner[names[i % 3]] = inner.get(names[i % 3], 0) + i
        if i % 9 == 8:
            del counts[first]
    total = 0
    for first in counts:
        for second, count in counts[first].items():
            total += count * len(second)
    return total, len(counts), counts["missing"] if n > 50 else None


def of_sets(n):
    rows, one = [], defaultdict(set)
    for i in range(n):
        rows.append(one[i % 4])
        rows[-1].add(i)
        one[i % 4].add(0.5 * i if n == 9 else i)
    return rows[0] is rows[4], rows[0] is rows[1], sum(len(row) for row in rows), 4 in rows[0]


def ranks(graph, rounds):
    rank = dict.fromkeys(graph, 1.0)
    for _ in range(rounds):
        new = {}
        for k, near in graph.items():
            for j in near:
                new[j] = new.get(j, 0.15) + rank[k] / len(near)
        rank = new
    return rank, len(graph), 3 in graph[2]


def common(rows):
    found = 0
    for row in rows:
        for other in rows:
            for x in row:
                found += x in other
    return found


def cheapest(roads, start):
    dist, heap = {start: 0.0}, [(0.0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        for v, w in roads[u].items():
            if v not in dist or d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return dist, [len(near) for near in roads.values()], roads[start].get(start), start in roads[start]


def table_of_pairs(table, n):
    total = 0
    for i in range(n):
        for (a, b), (c, d) in table[i % len(table)].items():
            total += a * b + c - d
    return total, (0, 1) in table[0]


def missing_road(roads, n):
    return sum(roads[i][0] for i in range(n))


def gone_through(group):
    total = 0
    for x in group:
        total = total * 31 % 1000003 + x
    return total, [x + 1 for x in group], max(group), 40 in group


def same_group(groups, i, j):
    return groups[i] is groups[j]


def changed_while(group):
    for x in group:
        if x > 20:
            group.add(x + 1000)


def changed_row(roads, n):
    for i in range(n):
        roads[i % 3][n + i] = 1.0
    return roads, roads[0] is roads[1], roads[2] is roads[2]


def row_that_leaves(roads, n):
    last = roads[0]
    for i in range(n):
        last = roads[i]
    return last, last is roads[n - 1], dict(last), max(last.values())


def put_into_another(groups, n):
    mine = []
    for i in range(n):
        mine.append(groups[i])
    mine[0].add(1000)
    return len(mine), groups[1] | groups[2], sorted(groups[0])


def memberships(n):
    groups, rooms, tags = {}, [set() for _ in range(n)], []
    for i in range(n):
        if i % 5 not in groups:
            groups[i % 5] = set()
        groups[i % 5].add(i)
        groups.setdefault(i % 3, set()).add(-i)
        rooms[i * i % n].add(f"{i}")
        rooms[i].update({"a", "b"})
        tags.append({(1, "a"), (2, "b")})
    first = groups[1] | groups[2]
    sizes = sum(map(len, rooms)), sum((1, "a") in tag for tag in tags)
    return sizes, [len(group) for group in groups.values()], sum(first), rooms[0] is rooms[1], "4" in rooms[4], sum(groups[4])


def leaving(n):
    inner = defaultdict(dict)
    for i in range(n):
        inner[i % 3][i] = i
    for k in inner:
        for x in inner[k]:
            if x == 9:
                inner[k][1000] = 1
    return inner


ROADS = {i: {(7 * i + j) % 80: 0.5 * j + 1 for j in range(4)} | {0: 9.0} for i in range(80)}
TOWNS = {f"town {i}": {f"town {j}": w for j, w in near.items()} for i, near in ROADS.items()}
ROWS: dict[int, dict[int, int]] = {k: {j: j + k for j in range(k % 5)} for k in range(80)}
MOVES = [(k * 7 % 30, k % 6) for k in range(70)] + [(31, 1)]
GROUPS = {i: {(7 * i + j * j) % 80 for j in range(5)} for i in range(80)}
MADE: dict[Any, list[tuple[Any, ...]]] = {
    grouped: [(30,), (0,)],
    grouped_by_default: [(30,), (1,)],
    adjacency: [(20, EDGES), (20, [])],
    shared_rows: [(9,), (20,)],
    removed_rows: [(20,), (60,)],
    copied_rows: [(9,), (30,)],
    missing_row: [(12,)],
    pushed: [(ROWS, MOVES, {1: 5, 3: 7}), (dict.fromkeys(range(80), ROWS[1]), MOVES, {1: 5})],
    counters: [(list(range(40)),)],
    dijkstra: [(20, EDGES)],
    ways: [(40,), (9,)],
    triangles: [(EDGES,), ([],)],
    by_name: [(NAMES, 40), (NAMES, 60)],
    of_sets: [(12,), (9,)],
    memberships: [(20,), (9,)],
    ranks: [(GROUPS, 3), ({i: {i, 99} for i in range(100)}, 2)],
    common: [(list(GROUPS.values()),), ([{0.5 * i} for i in range(80)],), ([{1}, {"a"}] * 40,)],
    cheapest: [(ROADS, 0), (TOWNS, "town 0"), ({i: {} for i in range(80)} | {80: {1: 0.5}}, 80)],
    table_of_pairs: [([{(i, j): (j, i) for j in range(3)} for i in range(70)], 80)],
    missing_road: [(ROADS, 80), (ROADS, 90)],
    put_into_another: [(GROUPS, 20)],
    same_group: [(GROUPS | {1: GROUPS[0]}, 0, 1), (GROUPS, 0, 1)],
    gone_through: [({7 * i % 1009 for i in range(90)},), ({-i for i in range(70)},)],
    changed_while: [({7 * i % 1009 for i in range(90)},), ({30, 31, 2.5, 7.5, 8},)],
    leaving: [(8,), (20,)],
}


class Grid:
    def __init__(self, width, height):
        self.width, self.height, self.changes = width, height, 0
        self.rows, self.notes, self.seen = [[0] * width for _ in range(height)], [], {}

    def __getitem__(self, place):
        x, y = place
        return self.rows[y][x]

    def __setitem__(self, place, value):
        x, y = place
        self.rows[y][x] = value
        self.changes += 1

    def __contains__(self, place):
        return 0 <= place[0] < self.width and 0 <= place[1] < self.height

    def __len__(self):
        return self.width * self.height

    def __iter__(self):
        for row in self.rows:
            yield from row


class World:
    def __init__(self, *parts):
        self.parts = self.others = list(parts)
        self.grid = Grid(12, 10)


def relax(grid, n):
    for k in range(n):
        for x in range(1, grid.width - 1):
            for y in range(1, grid.height - 1):
                grid[x, y] = (grid[x - 1, y] + grid[x + 1, y] + k + x * y) % 9
    return grid[3, 4], len(grid), (20, 3) in grid, sum(c for c in grid), grid


def notes(grid, n):
    for i in range(n):
        grid.notes.append(0.5 * i)
        grid.seen[i % 7] = grid.seen.get(i % 7, 0) + i
    return len(grid.notes), grid.seen


def walk_world(world, n):
    for i in range(n):
        world.grid[i % 12, 3] += i
        world.parts[i % 20] += world.others[i % 5]
    world.parts, world.others = world.others, [world.parts[0]]
    world.parts[1] = -1.0
    return world.parts is world.others, world.parts, world.grid.rows[3]


def halt(world, n):
    for i in range(n):
        world.parts[i] *= 2.0
        world.parts[i + 1] /= n - i - 3
    return world


def seen_by_python(world, n):
    total = 0.0
    for i in range(n):
        world.parts[i] += 1.0
        total += total_of(world)
    return total


@ag.do_not_convert
def total_of(world):
    world.parts[0] *= 0.5
    return sum(world.parts)


PARTS = [0.25 * i for i in range(20)]
ATTRIBUTES: dict[Any, list[tuple[Any, ...]]] = {
    relax: [(Grid(12, 10), 3), (Grid(9, 11), 2)],
    notes: [(Grid(2, 2), 0), (Grid(2, 2), 40)],
    walk_world: [(World(*PARTS), 30), (World(*PARTS, 1.0), 7)],
    halt: [(World(*PARTS), 9), (World(*PARTS), 25)],
    seen_by_python: [(World(*PARTS), 9)],
}


def past_the_end(a, n):
    for i in range(n):
        a[i] = a[i] + 1


def out_of_range(a, k):
    for i in range(len(a)):
        a[i] = a[i] * 10 - k


def from_the_end(a):
    s = 0
    for i in range(1, len(a) + 1):
        s = s * 0.5 + a[-i]
        a[-i] = True
    return s, a


def made_longer(a):
    for i in range(5):
        a.append(a[i])
    a += a[1:3]
    return len(a), a


def asked(a, b):
    same = a == b
    b[0] = 1
    return same, a == b, a is b, a is a, list(a), sum(a), max(a), sorted(a)[:2], 3 in a, a.tobytes(), np.array(a), a[::-1], str(b)


def exchanged(a, b):
    for i in range(5):
        a, b = b, a
        a[i] = 7
    return a


class Stream:
    def __init__(self, n):
        self.bytes, self.place, self.data = bytearray(n), 0, array("d", range(n))

    def put(self, x):
        self.bytes[self.place % len(self.bytes)] = x & 255
        self.place += 1


def streamed(stream, n):
    for i in range(n):
        stream.put(7 * i)
        stream.data[i % 9] += i
    if n > 50:
        stream.bytes.extend(b"abc")
    return stream.place, sum(stream.bytes), stream


def put_none(a, b):
    a[0] = 1.5
    a[1] = b


def drifting(a, n):
    for _ in range(n):
        a["x"] += 0.1 * a["v"]
        for i in range(len(a)):
            a["v"][i] -= 0.01 * a["x"][i] * a[i]["id"]
    return a["x"].sum(), a[a["id"] > 3]["v"].mean(), a


def of_rows(a, n):
    s = 0.0
    for row in a:
        row["v"] += 1.5
        s += row["x"] * row["id"] + row[1]
    a[n] = (0.5, -1.0, 7)
    part = a[1:9:2]
    part["x"][1] = 55.5
    return s, a[-1]["x"], len(a), a.shape, a.ndim, a.dtype.names, a[n]["id"], part["x"]


def row_of_object(a):
    return a[2], np.sort(a, order="v")[:2], a["x"] is a["v"], a == a


def removes_by_calls(d, k):
    if k > 0:
        d.pop(k, None)
        d[k + 50] = k
        removes_by_calls(d, k - 2)


def removed_by_a_recursion(d, k):
    removes_by_calls(d, k)
    return sum(d.values()), [*d]


def chosen_by_a_recursion(near, colours):
    chosen = {}

    def choose(k):
        if k == len(near):
            return True
        for colour in colours:
            if all(chosen.get(other) != colour for other in near[k]):
                chosen[k] = colour
                if choose(k + 1):
                    return True
                del chosen[k]
        return False

    return choose(0), list(chosen.items()), [chosen[k] for k in chosen]


def without_field(a):
    return a["mass"]


REALS, SHORTS = array("d", range(20)), array("h", range(20))
BODIES = np.zeros(20, [("x", float), ("v", float), ("id", np.int64)])
BODIES["x"], BODIES["id"] = np.arange(20) * 0.5, np.arange(20)
VIEWED: dict[Any, list[tuple[Any, ...]]] = {
    past_the_end: [(REALS, 20), (REALS, 22), (SHORTS, 21), (bytearray(9), 9), (array("q"), 1)],
    out_of_range: [(array("b", range(20)), 0), (array("I", [3, 2**32 - 1]), 4), (bytearray(range(30)), 1), (array("f", [0.1]), 0.3)],
    from_the_end: [(REALS,), (SHORTS,), (bytearray(b"abc"),)],
    made_longer: [(REALS,), (bytearray(b"abcdef"),)],
    asked: [(REALS, REALS), (SHORTS, array("h", range(20))), (bytearray(b"ab"), bytearray(b"ac"))],
    exchanged: [(REALS, array("d", range(9))), (SHORTS, SHORTS)],
    streamed: [(Stream(16), 40), (Stream(16), 60)],
    drifting: [(BODIES, 3), (BODIES[::3], 2), (BODIES[:1], 1)],
    of_rows: [(BODIES, 4), (BODIES, 19), (BODIES, 20)],
    row_of_object: [(BODIES,)],
    removed_by_a_recursion: [({i: i for i in range(20)}, 12), ({i: i for i in range(30)}, 9)],
    chosen_by_a_recursion: [({k: [j for j in (k - 7, k - 5, k - 2, k + 2, k + 5, k + 7) if 0 <= j < 40] for k in range(40)}, [5, 6, 7])],
    without_field: [(BODIES,)],
    put_none: [(REALS, None), (SHORTS, 1), (array("d", [1.0, 2.0]), np.float32(0.1))],
}


@pytest.mark.parametrize("program", [*CASES, *MADE, *ATTRIBUTES, *VIEWED])
def test_program_agrees_with_python(program: Any) -> None:
    assert_agrees(program, *{**CASES, **MADE, **ATTRIBUTES, **VIEWED}[program])


def test_what_attributes_hold_is_data() -> None:
    compiled = ag.compile(relax, fallback="error")
    for width, height in ((12, 10), (11, 30), (13, 13), (14, 15)):
        assert compiled(Grid(width, height), 2)[:4] == relax(Grid(width, height), 2)[:4]
    assert len(compiled.specializations) == 2  # the first one has the width and height as constants
    assert "host calls    none" in compiled.explain()


def test_one_program_serves_all_contents() -> None:
    graphs = [GRAPH, {i: [i] for i in range(50)}]
    lists: Any = [(tuples, [EDGES, EDGES * 3]), (named, [NAMED, NAMED * 2]), (gone_through, [set(range(70)), set(range(99, 9, -1))])]
    for program, contents in ((items, [NUMBERS, dict.fromkeys(range(90), 1.5)]), (visit, graphs), *lists):
        compiled = ag.compile(program, fallback="error")
        rest = (0,) if program is visit else (LEGS,) if program is named else ()
        for content in contents:
            assert compiled(copy.copy(content), *rest) == program(copy.copy(content), *rest)
        assert len(compiled.specializations) == 1


def test_dicts_and_sets_in_dicts_are_compiled_code() -> None:
    of_roads = ((cheapest, ROADS, 0), (missing_road, ROADS, 80))
    copied = (*of_roads, (common, list(GROUPS.values())), (ranks, GROUPS, 3), (pushed, ROWS, MOVES, {1: 5}, -1))
    for program, *arguments in ((ways, 40), (triangles, EDGES), (memberships, 20), (gone_through, GROUPS[0]), *copied):
        compiled = ag.compile(program, fallback="error")
        compiled(*copy.deepcopy(arguments))
        assert "host calls    none" in compiled.explain(), program.__name__


@pytest.mark.filterwarnings("ignore")
def test_copies_of_dicts_in_an_argument_are_never_seen() -> None:
    for program in (changed_row, row_that_leaves):
        compiled, mine, pythons = ag.compile(program), copy.deepcopy(ROADS), copy.deepcopy(ROADS)
        for _ in range(2):
            assert compiled(mine, 20) == program(pythons, 20) and mine == pythons
    assert ag.compile(cheapest)(ROADS | {"x": {}}, 1) == cheapest(ROADS | {"x": {}}, 1)


def test_gradients_by_and_beside_containers() -> None:
    def weighted(d: dict[int, float], edges: list[tuple[int, int, float]], x: Any) -> Any:
        groups = defaultdict(list)
        for k, v in d.items():
            groups[k % 2].append(v * x[k % 3] * x[k % 3])
        total = 0.0
        for k in groups:
            for part in groups[k]:
                total += part
        for u, v, w in edges:
            total = total + w * x[u % 3] * x[v % 3]
        return total

    x, d = np.array([1.0, 2.0, 3.0]), {i: 0.5 * i for i in range(70)}
    steps = np.eye(3) * 1e-6
    expected = [(weighted(d, EDGES, x + step) - weighted(d, EDGES, x - step)) / 2e-6 for step in steps]
    assert ag.grad(weighted, argnums=2)(d, EDGES, x) == pytest.approx(expected)
    assert ag.grad(weighted)(d, EDGES, x) == pytest.approx({k: x[k % 3] ** 2 for k in d})


def test_callers_dict_is_the_one_that_was_passed_and_its_rows_are_its_own() -> None:
    graph = copy.deepcopy(SHARED)
    rows = {key: id(row) for key, row in graph.items()}
    assert ag.compile(push_rows, fallback="error")(graph)[1] is graph[0]
    assert {key: id(row) for key, row in graph.items()} == rows
    counts = dict(COUNTS)
    assert ag.compile(count, fallback="error")(counts, [500, 1]) is counts
    assert list(counts) == [*COUNTS, 500]


def test_fields_of_records_share_no_memory() -> None:
    x, v, ids = (BODIES[name] for name in ("x", "v", "id"))
    for first, second, apart in ((x, v, True), (ids[::-1], x, True), (v, ids[2:5], True), (x, x[1:], False), (x[::2], v, False)):
        for pair in ((first, second), (second, first)):
            match = Match([Expected(each.dtype, (None,), False, True) for each in pair], apart)
            assert are_distinct(list(pair)) is apart and match.check(match.address, *pair)
    records = np.zeros(9, [("a", "i4", (2, 3)), ("x", float), ("b", "u1", (5,))])
    a, x, b = (records[name] for name in ("a", "x", "b"))
    pairs = (a, x, True), (a[:, :, ::-1], b[::-1], True), (a[:, 0], a[:, 1], True), (a, a[:, 1], False), (b, b[1:], False)
    for first, second, apart in pairs:
        for pair in ((first, second), (second, first)):
            match = Match([Expected(each.dtype, (None,) * each.ndim, False, True) for each in pair], apart)
            assert are_distinct(list(pair)) is apart and match.check(match.address, *pair)


def failing_on_the_way(g: Any, n: int) -> None:
    u = 0
    for k in range(n):
        g[u].append(k)
        g[u + 7] = g[u]
        u = (u * 3 + 1) % 20
        if k == 3:
            raise ValueError("on the way")


@pytest.mark.parametrize("count", [20, 100])
def test_an_exception_leaves_the_lists_in_a_dict_that_are_the_callers(count: int) -> None:
    left = []
    for function in (ag.compile(failing_on_the_way, fallback="error"), failing_on_the_way):
        graph = {k: [k] for k in range(count)}
        lists = list(graph.values())
        with pytest.raises(ValueError, match="on the way"):
            function(graph, 7)
        left.append((graph, [next(i for i, each in enumerate(lists) if each is value) for value in graph.values()]))
    assert left[0] == left[1]


def paths_of_all(g: Any, n: int) -> Any:
    total = 0
    for start in g:
        distance, queue = {start: 0}, [start]
        for u in queue:
            for v in g[u]:
                if v not in distance:
                    distance[v] = distance[u] + n
                    queue.append(v)
        total += sum(distance.values())
    return total


def test_a_short_dict_of_lists_is_data_where_the_run_knows_its_keys() -> None:
    compiled = ag.compile(paths_of_all, fallback="error")
    for count in (8, 20, 5):
        graph = {k: [(k * 3 + 1) % count, (k * 7 + 2) % count] for k in range(count)}
        assert compiled(graph, 2) == paths_of_all(graph, 2)
    assert "host calls    none" in compiled.explain(graph, 2)


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 2], [2.5], [3]],
        [[1], [None], [4]],
        [[[1]], [[2]], [[3]]],
        {0: [1], 1: [2.5], 2: ["a"]},
        {0: {1: 2}, 1: {}, 2: {"a": [3]}},
    ],
)
@pytest.mark.parametrize("fallback", ["error", "warn"])
def test_lists_and_dicts_that_are_no_data_stay_in_the_container_that_holds_them(rows: Any, fallback: str) -> None:
    def exchanged(rows: Any, n: int) -> int:
        count = 0
        for k in range(n):
            for _ in rows[k % 3]:
                count += 1
            rows[k % 3] = rows[(k + 1) % 3]
        return count

    left = []
    for function in (ag.compile(exchanged, fallback=fallback), exchanged):
        given = copy.deepcopy(rows)
        inside = [given[k] for k in range(3)]
        left.append((function(given, 4), given, [next(i for i, each in enumerate(inside) if each is given[k]) for k in range(3)]))
    assert left[0] == left[1]


def last_reached(x: Any, n: int) -> Any:
    y, k = x[0], 0
    while k < n:
        y = x[(k * 2) % 3]
        k += 1
    return y


def test_one_of_the_lists_of_the_caller_leaves_as_itself() -> None:
    compiled = ag.compile(last_reached)
    for n in (5, 6):
        rows = {0: [1], 1: [2], 2: [3]}
        assert compiled(rows, n) is last_reached(rows, n)


def reached(table: Any, word: str) -> int:
    state, count = "start", 0
    for letter in word:
        state = table[state].get(letter, "start")
        count += state == "end"
    return count


def test_a_short_dict_of_dicts_is_a_table() -> None:
    table = {"start": {"a": "mid"}, "mid": {"b": "end", "a": "mid"}, "end": {}}
    compiled = ag.compile(reached, fallback="error")
    inside = list(table.values())
    assert compiled(table, "abaab" * 9) == reached(table, "abaab" * 9)
    labels = [each.attributes["label"] for each in compiled.specializations[0].program.graph.walk() if each.name == "host_call"]
    assert set(labels) <= {"check"}  # of a key that is not there
    assert all(x is y for x, y in zip(inside, table.values()))


ITEMS: list[Any] = [7, 3, 4]
ENTRIES = {"a": 1}
MEMBERS = {1, 2, 3}


class Holder:
    items = ITEMS


def reads_a_variable(x: list[int], n: int) -> int:
    for k in range(n):
        x[k % 3] += k
    return ITEMS[0]


def reads_an_attribute(x: list[int], n: int) -> int:
    for k in range(n):
        x[k % 3] += k
    return Holder.items[0]


def grows_a_variable(x: list[int], n: int) -> int:
    ITEMS.append(n)
    return len(x)


def reads_a_dict(x: dict[str, int], n: int) -> int:
    for k in range(n):
        x["a"] += k
    return ENTRIES["a"]


def reads_a_set(x: set[int], n: int) -> Any:
    for k in range(n):
        x.add(k)
    return 5 in MEMBERS, len(MEMBERS)


def reads_what_is_a_row(x: list[list[int]], n: int) -> int:
    for k in range(n):
        x[k % len(x)][k % 3] += k
    return ITEMS[0]


def changes_what_is_a_row(x: list[list[int]], n: int) -> int:
    for k in range(n):
        ITEMS[k % 3] += k
    return x[0][0]


@table(
    ("function", "owner", "argument"),
    [
        (reads_a_variable, ITEMS, lambda x: x),
        (reads_an_attribute, ITEMS, lambda x: x),
        (grows_a_variable, ITEMS, lambda x: x),
        (reads_a_dict, ENTRIES, lambda x: x),
        (reads_a_set, MEMBERS, lambda x: x),
        (reads_what_is_a_row, ITEMS, lambda x: [x, [1, 2, 3]]),
        (changes_what_is_a_row, ITEMS, lambda x: [x, *([k, 2, 3] for k in range(70))]),
    ],
)
def test_an_argument_may_be_a_container_that_is_read_outside(function: Any, owner: Any, argument: Any) -> None:
    before = copy.copy(owner)

    def outcome(run: Any, is_one: bool) -> Any:
        x = argument(owner if is_one else copy.copy(before))
        found = run(x, 50), copy.deepcopy(x), copy.copy(owner)
        owner.clear()
        (owner.extend if isinstance(owner, list) else owner.update)(before)
        return found

    for first in (False, True):
        compiled = ag.compile(function, fallback="error")
        for is_one in (first, True, False, True):
            assert outcome(compiled, is_one) == outcome(function, is_one)


def held_by_a_list(xs: Any, given: Any) -> Any:
    found = []
    given.append(xs[0])
    for x in xs:
        if x > 3:
            found.append(given)
    return found, given


def held_by_a_dict(xs: Any, given: Any) -> Any:
    found = {}
    given.append(xs[0])
    for x in xs:
        found[x] = given
    return list(found.values()), given


def chosen_or_another(xs: Any, given: Any) -> Any:
    found, other = [], [1]
    given.append(xs[0])
    for x in xs:
        chosen = given if x > 3 else other
        if x > 3:
            found.append(chosen)
    return found, given


class WithItems:
    def __init__(self, number: int, items: Any) -> None:
        self.number, self.items = number, items


def held_by_instances(xs: Any, given: Any) -> Any:
    holders = []
    given.append(xs[0])
    for x in xs:
        holders.append(WithItems(x, given))
    for holder in holders:
        holder.number += 1
    return holders, given


def test_empty_lists_of_the_caller_stay_the_callers_in_containers() -> None:
    for function in (held_by_a_list, held_by_a_dict, chosen_or_another, held_by_instances):
        compiled = ag.compile(function, fallback="error")
        for given in ([], [], [4], []):
            found, same = compiled([2, 7, 1, 8] * 5, given)
            assert same is given and given[-1] == 2
            assert found and all(each.items is given if isinstance(each, WithItems) else each is given for each in found), function


KEPT_ARRAYS: list[Any] = []


def keep_in_branch(n: int, x: Any) -> None:
    if n > 3:
        KEPT_ARRAYS.append(x)


def keep_in_loop(n: int, x: Any) -> float:
    total = 0
    for k in range(n):
        if k % 2:
            KEPT_ARRAYS.append(x * k)
        total += 0.5
    return total


def keep_in_try(n: int, x: Any) -> None:
    try:
        KEPT_ARRAYS.append(x)
        x[n] = 1.0
    except IndexError:
        x[0] = -5.0


@table("function", [keep_in_branch, keep_in_loop, keep_in_try])
def test_a_list_of_arrays_that_is_met_in_a_branch_a_loop_or_a_try_grows(function: Any) -> None:
    found = []
    for call in (function, ag.compile(function, fallback="error")):
        KEPT_ARRAYS[:], x = [np.ones(2)], np.arange(6.0)
        results = [call(n, x) for n in (5, 9, 1)]
        found.append((results, [each.tolist() for each in KEPT_ARRAYS], [each is x for each in KEPT_ARRAYS]))
    assert found[0] == found[1]
