"""Programs on graphs: shortest paths, mazes, orders, components, spanning trees, ranks, flows, word ladders."""

from __future__ import annotations

import heapq
import random
from collections import defaultdict, deque

from benchmarks.everyday_python.program import Program


def road_map(n):
    source = random.Random(3)
    roads = {k: {} for k in range(n)}
    for k in range(n):
        for _ in range(3):
            other = source.randrange(n)
            if other != k:
                roads[k][other] = roads[other][k] = source.randint(1, 20)
    return roads


def dijkstra(roads, start):
    distance = {start: 0}
    before = {}
    waiting = [(0, start)]
    done = set()
    while waiting:
        so_far, town = heapq.heappop(waiting)
        if town in done:
            continue
        done.add(town)
        for other, length in roads[town].items():
            through = so_far + length
            if through < distance.get(other, float("inf")):
                distance[other] = through
                before[other] = town
                heapq.heappush(waiting, (through, other))
    furthest = max(distance, key=distance.get)
    path = [furthest]
    while path[-1] != start:
        path.append(before[path[-1]])
    return distance[furthest], path[::-1], len(done)


def maze(n):
    source = random.Random(5)
    grid = [["#" if source.random() < 0.27 else "." for _ in range(n)] for _ in range(n)]
    grid[0][0] = grid[n - 1][n - 1] = "."
    return (["".join(row) for row in grid],)


def walk_maze(rows):
    """Breadth first from the upper left; the length of the way to the lower right, or how much was reached."""
    height, width = len(rows), len(rows[0])
    queue = deque([(0, 0)])
    steps = {(0, 0): 0}
    while queue:
        i, j = queue.popleft()
        if (i, j) == (height - 1, width - 1):
            return steps[i, j]
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            place = (i + di, j + dj)
            if 0 <= place[0] < height and 0 <= place[1] < width and rows[place[0]][place[1]] == "." and place not in steps:
                steps[place] = steps[i, j] + 1
                queue.append(place)
    return -len(steps)


def a_star(rows):
    goal = (len(rows) - 1, len(rows[0]) - 1)

    def estimate(place):
        return abs(place[0] - goal[0]) + abs(place[1] - goal[1])

    costs = {(0, 0): 0}
    heap = [(estimate((0, 0)), (0, 0))]
    looked_at = 0
    while heap:
        _, place = heapq.heappop(heap)
        looked_at += 1
        if place == goal:
            return costs[place], looked_at
        for step in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            other = (place[0] + step[0], place[1] + step[1])
            if not (0 <= other[0] <= goal[0] and 0 <= other[1] <= goal[1]) or rows[other[0]][other[1]] == "#":
                continue
            cost = costs[place] + 1
            if other not in costs or cost < costs[other]:
                costs[other] = cost
                heapq.heappush(heap, (cost + estimate(other), other))
    return None, looked_at


class CycleError(ValueError):
    pass


def build_order(needs):
    """Kahn's algorithm of 1962: what is built when everything that it needs is there."""
    followers = defaultdict(list)
    missing = {}
    for target, sources in needs.items():
        missing[target] = len(sources)
        for source in sources:
            followers[source].append(target)
    ready = sorted(target for target, count in missing.items() if count == 0)
    order = []
    while ready:
        target = ready.pop(0)
        order.append(target)
        for follower in followers[target]:
            missing[follower] -= 1
            if missing[follower] == 0:
                ready.append(follower)
    if len(order) < len(needs):
        raise CycleError(f"{len(needs) - len(order)} targets wait for each other")
    return order


def build_orders(needs, extra):
    order = build_order(needs)
    try:
        build_order({**needs, **extra})
    except CycleError as error:
        return order, str(error)
    return order, "no cycle"


def targets(n):
    needs = {f"t{k}": [f"t{k // 2}", f"t{k // 3}"] if k > 3 else [] for k in range(n)}
    return needs, {"t0": [f"t{n - 1}"]}


class DisjointSets:
    def __init__(self, members):
        self.parent = {member: member for member in members}
        self.rank = dict.fromkeys(self.parent, 0)

    def find(self, member):
        while self.parent[member] != member:
            self.parent[member] = self.parent[self.parent[member]]
            member = self.parent[member]
        return member

    def union(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self.rank[a] < self.rank[b]:
            a, b = b, a
        self.parent[b] = a
        if self.rank[a] == self.rank[b]:
            self.rank[a] += 1
        return True


def spanning_tree(roads):
    """Kruskal's algorithm of 1956."""
    edges = sorted((length, a, b) for a, others in roads.items() for b, length in others.items() if a < b)
    sets = DisjointSets(roads)
    chosen = [edge for edge in edges if sets.union(edge[1], edge[2])]
    return sum(length for length, _, _ in chosen), len(chosen), len({sets.find(town) for town in roads})


def strong_components(graph):
    """Tarjan's algorithm of 1972, by recursion."""
    index, low, stack, on_stack, components = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = []
            while True:
                other = stack.pop()
                on_stack.discard(other)
                component.append(other)
                if other == node:
                    break
            components.append(sorted(component))

    for node in graph:
        if node not in index:
            visit(node)
    return sorted(components, key=lambda component: (-len(component), component))


def links(n):
    return {k: [(k * 2 + 1) % n, (k * 3) % n] if k % 5 else [(k + 1) % n] for k in range(n)}


def rank_pages(graph, damping=0.85, rounds=20):
    rank = {page: 1.0 / len(graph) for page in graph}
    for _ in range(rounds):
        following = {page: (1.0 - damping) / len(graph) for page in graph}
        for page, outgoing in graph.items():
            for other in outgoing:
                following[other] += damping * rank[page] / len(outgoing)
        rank = following
    best = sorted(rank.items(), key=lambda entry: (-entry[1], entry[0]))[:5]
    return best, sum(rank.values())


def all_distances(matrix):
    """Floyd and Warshall on a list of lists."""
    n = len(matrix)
    distance = [row[:] for row in matrix]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if distance[i][k] + distance[k][j] < distance[i][j]:
                    distance[i][j] = distance[i][k] + distance[k][j]
    return distance, max(max(row) for row in distance)


def largest_flow(capacity, source, sink):
    """Edmonds and Karp on a dict of dicts, which it changes."""
    flow = 0
    while True:
        before = {source: None}
        queue = deque([source])
        while queue and sink not in before:
            node = queue.popleft()
            for other, room in capacity[node].items():
                if room > 0 and other not in before:
                    before[other] = node
                    queue.append(other)
        if sink not in before:
            return flow
        path, node = [], sink
        while before[node] is not None:
            path.append((before[node], node))
            node = before[node]
        room = min(capacity[a][b] for a, b in path)
        for a, b in path:
            capacity[a][b] -= room
            capacity[b][a] = capacity[b].get(a, 0) + room
        flow += room


def pipes(n):
    return {k: {other: (k * 5 + other) % 9 + 1 for other in range(k + 1, min(n, k + 5))} for k in range(n)}, 0, n - 1


def word_ladder(words, start, goal):
    """The fewest changes of a letter from one word to another."""
    buckets = defaultdict(list)
    for word in words:
        for k in range(len(word)):
            buckets[word[:k] + "_" + word[k + 1 :]].append(word)
    queue, seen = deque([[start]]), {start}
    while queue:
        path = queue.popleft()
        if path[-1] == goal:
            return path
        for k in range(len(goal)):
            for word in buckets[path[-1][:k] + "_" + path[-1][k + 1 :]]:
                if word not in seen:
                    seen.add(word)
                    queue.append([*path, word])
    return None


def some_words(n):
    source = random.Random(9)
    words = sorted({"".join(source.choice("abcde") for _ in range(4)) for _ in range(n)})
    return words, words[0], words[-1]


PROGRAMS = (
    Program(dijkstra, lambda n: (road_map(n), 0), 600, 8),
    Program(walk_maze, maze, 50, 5),
    Program(a_star, maze, 50, 5),
    Program(build_orders, targets, 600, 8),
    Program(spanning_tree, lambda n: (road_map(n),), 500, 8),
    Program(strong_components, lambda n: (links(n),), 400, 10),
    Program(rank_pages, lambda n: (links(n),), 300, 8),
    Program(all_distances, lambda n: ([[0 if i == j else (i * 7 + j * 3) % 20 + 1 for j in range(n)] for i in range(n)],), 30, 4),
    Program(largest_flow, pipes, 60, 6),
    Program(word_ladder, some_words, 300, 20),
)
