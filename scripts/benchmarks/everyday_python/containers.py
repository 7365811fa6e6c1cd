"""Dicts, sets, deques and lists of tuples, made and passed: searches in graphs, sliding windows, queues, tallies, sparse matrices."""

from __future__ import annotations

import bisect
import heapq
import random
from collections import defaultdict, deque

from benchmarks.everyday_python.program import Program


def hops_from(graph, start):
    """Breadth-first search over a dict of lists."""
    hops = {start: 0}
    queue = deque([start])
    while queue:
        u = queue.popleft()
        for v in graph[u]:
            if v not in hops:
                hops[v] = hops[u] + 1
                queue.append(v)
    return hops


def flood(grid):
    """Breadth-first search over the free cells of a grid."""
    height, width = len(grid), len(grid[0])
    seen = {(0, 0)}
    queue = deque([(0, 0, 0)])
    far = 0
    while queue:
        i, j, steps = queue.popleft()
        far = max(far, steps)
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            a, b = i + di, j + dj
            if 0 <= a < height and 0 <= b < width and grid[a][b] == 0 and (a, b) not in seen:
                seen.add((a, b))
                queue.append((a, b, steps + 1))
    return far, len(seen)


def window_maxima(values, width):
    """The largest of each window, by a deque of candidates."""
    queue, found = deque(), []
    for i, value in enumerate(values):
        while queue and values[queue[-1]] <= value:
            queue.pop()
        queue.append(i)
        if queue[0] <= i - width:
            queue.popleft()
        if i >= width - 1:
            found.append(values[queue[0]])
    return found


def moving_means(values):
    last = deque(maxlen=10)
    means = []
    for value in values:
        last.append(value)
        means.append(sum(last) / len(last))
    return means


def shortest_ways(edges, start):
    """Dijkstra over a dict of lists that is made of edges."""
    graph = defaultdict(list)
    for u, v, length in edges:
        graph[u].append((v, length))
        graph[v].append((u, length))
    distances = {start: 0.0}
    heap = [(0.0, start)]
    while heap:
        distance, u = heapq.heappop(heap)
        if distance > distances[u]:
            continue
        for v, length in graph[u]:
            way = distance + length
            if v not in distances or way < distances[v]:
                distances[v] = way
                heapq.heappush(heap, (way, v))
    return distances


def count_groups(pairs):
    """Union-find over a dict."""
    parent = {}
    for a, b in pairs:
        for x in (a, b):
            if x not in parent:
                parent[x] = x
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        parent[a] = b
    return sum(1 for x in parent if parent[x] == x)


def in_order(graph):
    """A topological order."""
    waiting = {u: 0 for u in graph}  # noqa: C420
    for u in graph:
        for v in graph[u]:
            waiting[v] += 1
    ready = deque([u for u in waiting if waiting[u] == 0])
    order = []
    while ready:
        u = ready.popleft()
        order.append(u)
        for v in graph[u]:
            waiting[v] -= 1
            if waiting[v] == 0:
                ready.append(v)
    return order


def generations(cells, steps):
    """The game of life on a set of cells without bounds."""
    cells = set(cells)
    for _ in range(steps):
        counts = {}
        for x, y in cells:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if dx or dy:
                        cell = (x + dx, y + dy)
                        counts[cell] = counts.get(cell, 0) + 1
        following = set()
        for cell, count in counts.items():
            if count == 3 or (count == 2 and cell in cells):
                following.add(cell)
        cells = following
    return len(cells)


def sparse_product(a, b, n):
    """The product of two matrices that are dicts of pairs."""
    product = {}
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += a[i, k] * b[k, j]
            product[i, j] = total
    return product


def best_load(weights, capacity):
    """The knapsack's table as a dict."""
    table = {}
    for i in range(len(weights) + 1):
        for room in range(capacity + 1):
            if i == 0:
                table[i, room] = 0
            elif weights[i - 1] > room:
                table[i, room] = table[i - 1, room]
            else:
                table[i, room] = max(table[i - 1, room], table[i - 1, room - weights[i - 1]] + weights[i - 1])
    return table[len(weights), capacity]


def cheapest_tree(edges, n):
    """Kruskal over a list of edges, sorted by length."""
    parent = list(range(n))
    total = 0.0
    for u, v, length in sorted(edges, key=lambda edge: edge[2]):
        while parent[u] != u:
            u = parent[u]
        while parent[v] != v:
            v = parent[v]
        if u != v:
            parent[u] = v
            total += length
    return total


def value_of_stock(stock):
    total = 0.0
    for item, price in stock.items():
        total += item * price
    return total


def by_remainder(n, modulus):
    groups = {}
    for i in range(n):
        groups.setdefault(i * i % modulus, []).append(i)
    return [len(groups[remainder]) for remainder in sorted(groups)]


def keep_sorted(values):
    kept = []
    for value in values:
        bisect.insort(kept, value)
    return kept[len(kept) // 2]


def last_one(n, step):
    """Josephus' problem by turning a deque."""
    circle = deque(range(n))
    while len(circle) > 1:
        for _ in range(step - 1):
            circle.append(circle.popleft())
        circle.popleft()
    return circle[0]


def links(n):
    rng = random.Random(n)
    return {u: [rng.randrange(n) for _ in range(4)] for u in range(n)}


def roads(n):
    rng = random.Random(n)
    return [(rng.randrange(n), rng.randrange(n), rng.random()) for _ in range(5 * n)]


def numbers(n):
    rng = random.Random(n)
    return [rng.random() for _ in range(n)]


def holes(n):
    rng = random.Random(n)
    return ([[1 if rng.random() < 0.25 and i + j else 0 for j in range(n)] for i in range(n)],)


def full_matrix(n, factor):
    return {(i, j): float(factor * i * j % 7) for i in range(n) for j in range(n)}


PROGRAMS = (
    Program(hops_from, lambda n: (links(n), 0), 2000, 12),
    Program(flood, holes, 60, 5),
    Program(window_maxima, lambda n: (numbers(n), 20), 5000, 30),
    Program(moving_means, lambda n: (numbers(n),), 5000, 30),
    Program(shortest_ways, lambda n: (roads(n), roads(n)[0][0]), 600, 8),
    Program(count_groups, lambda n: ([(u, v) for u, v, _ in roads(n)],), 500, 8),
    Program(in_order, lambda n: ({i: [j for j in (2 * i, 2 * i + 1) if j < n] for i in range(1, n)},), 2000, 12),
    Program(generations, lambda n: ([(u % 40, v % 40) for u, v, _ in roads(n)], 4), 100, 8),
    Program(sparse_product, lambda n: (full_matrix(n, 1), full_matrix(n, 3), n), 20, 4),
    Program(best_load, lambda n: ([i * 7 % 23 + 1 for i in range(n)], 5 * n), 40, 5),
    Program(cheapest_tree, lambda n: (roads(n), n), 600, 8),
    Program(value_of_stock, lambda n: ({7 * i: float(i) for i in range(n)},), 10000, 12),
    Program(by_remainder, lambda n: (n, 97), 5000, 20),
    Program(keep_sorted, lambda n: (numbers(n),), 3000, 20),
    Program(last_one, lambda n: (n, 7), 2000, 12),
)
