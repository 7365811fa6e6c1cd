"""Programs that compute something known: graphs, sorting, dynamic programming, search, compression, over arrays and lists."""

from __future__ import annotations

import heapq
import math
from collections import deque

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def uni(seed, *shape):
    return np.random.default_rng(seed).uniform(0.0, 1.0, shape)


def ints(seed, low, high, *shape):
    return np.random.default_rng(seed).integers(low, high, shape)


def weights(seed, n):
    w = ints(seed, 1, 20, n, n).astype(float)
    w[np.random.default_rng(seed).uniform(size=(n, n)) < 0.5] = np.inf
    np.fill_diagonal(w, 0.0)
    return w


# ---------------------------------------------------------------- graphs


@program(lambda: (weights(1, 7), 0), lambda: (weights(2, 12), 3), lambda: (weights(3, 1), 0))
def dijkstra_by_scan(w, source):
    n = w.shape[0]
    dist = np.full(n, np.inf)
    dist[source] = 0.0
    previous = np.full(n, -1)
    done = np.zeros(n, dtype=bool)
    for _ in range(n):
        best, u = np.inf, -1
        for v in range(n):
            if not done[v] and dist[v] < best:
                best, u = dist[v], v
        if u < 0:
            break
        done[u] = True
        for v in range(n):
            if not done[v] and dist[u] + w[u, v] < dist[v]:
                dist[v] = dist[u] + w[u, v]
                previous[v] = u
    return dist, previous


@program(lambda: (weights(1, 7), 0), lambda: (weights(2, 12), 3))
def dijkstra_with_heapq(w, source):
    dist = [math.inf] * len(w)
    dist[source] = 0.0
    heap = [(0.0, source)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v in range(len(w)):
            alt = d + w[u, v]
            if alt < dist[v]:
                dist[v] = alt
                heapq.heappush(heap, (alt, v))
    return dist


@program(
    lambda: (5, np.array([[0, 1, 4], [1, 2, -3], [0, 2, 9], [2, 3, 2], [3, 4, 1]]), 0),
    lambda: (3, np.array([[0, 1, -1], [1, 2, -1], [2, 0, -1]]), 0),
    lambda: (2, np.zeros((0, 3), dtype=int), 1),
)
def bellman_ford(n, edges, source):
    dist = np.full(n, np.inf)
    dist[source] = 0
    for _ in range(n - 1):
        changed = False
        for u, v, w in edges:
            if dist[u] + w < dist[v]:
                dist[v] = dist[u] + w
                changed = True
        if not changed:
            break
    else:
        for u, v, w in edges:
            if dist[u] + w < dist[v]:
                raise ValueError("negative cycle")
    return dist


@program(
    lambda: (6, np.array([[5, 2], [5, 0], [4, 0], [4, 1], [2, 3], [3, 1]])),
    lambda: (3, np.array([[0, 1], [1, 2], [2, 0]])),
)
def topological_order(n, edges):
    degree = np.zeros(n, dtype=np.int64)
    for _, v in edges:
        degree[v] += 1
    ready = [i for i in range(n) if degree[i] == 0]
    order = []
    while ready:
        u = ready.pop()
        order.append(u)
        for a, b in edges:
            if a == u:
                degree[b] -= 1
                if degree[b] == 0:
                    ready.append(b)
    if len(order) != n:
        raise RuntimeError(f"cycle among {n - len(order)} nodes")
    return order


@program(lambda: (8, ints(4, 0, 8, 6, 2)), lambda: (3, ints(5, 0, 3, 1, 2)), lambda: (4, np.zeros((0, 2), dtype=int)))
def union_find_components(n, edges):
    parent = np.arange(n)
    size = np.ones(n, dtype=int)

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    merged = 0
    for a, b in edges:
        ra, rb = find(a), find(b)
        if ra == rb:
            continue
        if size[ra] < size[rb]:
            ra, rb = rb, ra
        parent[rb] = ra
        size[ra] += size[rb]
        merged += 1
    return n - merged, [int(find(i)) for i in range(n)], size.max()


@program(lambda: (weights(6, 6),), lambda: (weights(7, 9),))
def minimum_spanning_tree_prim(w):
    w = np.minimum(w, w.T)
    n = len(w)
    inside = np.zeros(n, dtype=bool)
    inside[0] = True
    key = w[0].copy()
    total, edges = 0.0, []
    last = np.zeros(n, dtype=int)
    while not inside.all():
        k = int(np.argmin(np.where(inside, np.inf, key)))
        if np.isinf(key[k]):
            return None
        inside[k] = True
        total += key[k]
        edges.append((int(last[k]), k))
        closer = w[k] < key
        last[closer] = k
        key = np.minimum(key, w[k])
    return total, edges


@program(lambda: (uni(8, 6, 6) < 0.4,), lambda: (uni(9, 3, 3) < 0.1,))
def transitive_closure(reach):
    n = reach.shape[0]
    for k in range(n):
        for i in range(n):
            if reach[i, k]:
                reach[i] |= reach[k]
    return reach, int(reach.sum())


@program(lambda: (uni(10, 5, 5) < 0.5, 0), lambda: (np.eye(4, dtype=bool), 2))
def depth_first_times(adjacency, start):
    n = len(adjacency)
    opened = np.full(n, -1)
    closed = np.full(n, -1)
    clock = 0
    stack = [(start, 0)]
    opened[start] = clock
    while stack:
        node, child = stack.pop()
        while child < n and not (adjacency[node, child] and opened[child] < 0):
            child += 1
        clock += 1
        if child == n:
            closed[node] = clock
        else:
            stack.append((node, child + 1))
            opened[child] = clock
            stack.append((child, 0))
    return opened, closed, clock


@program(lambda: (ints(11, 0, 2, 6, 7), (0, 0), (5, 6)), lambda: (np.zeros((4, 4), dtype=int), (0, 0), (3, 3)))
def maze_shortest_path(walls, start, goal):
    rows, cols = walls.shape
    steps = -np.ones(walls.shape, dtype=int)
    steps[start] = 0
    queue = deque([start])
    while queue:
        r, c = queue.popleft()
        if (r, c) == goal:
            return steps[goal], steps
        for dr, dc in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            a, b = r + dr, c + dc
            if 0 <= a < rows and 0 <= b < cols and not walls[a, b] and steps[a, b] < 0:
                steps[a, b] = steps[r, c] + 1
                queue.append((a, b))
    return None, steps


@program(lambda: (uni(12, 5, 5), 0.85, 1e-10), lambda: (np.zeros((3, 3)), 0.5, 1e-3))
def page_rank(links, damping, tolerance):
    n = links.shape[0]
    out = links.sum(axis=0)
    m = np.where(out > 0, links / np.where(out > 0, out, 1.0), 1.0 / n)
    rank = np.full(n, 1.0 / n)
    for iteration in range(1000):
        new = damping * (m @ rank) + (1 - damping) / n
        if np.abs(new - rank).sum() < tolerance:
            break
        rank = new
    return new, iteration


@program(lambda: (np.array([[0, 1], [1, 2], [2, 0], [2, 3], [3, 4]]), 5), lambda: (np.array([[0, 1]]), 3))
def graph_colouring_greedy(edges, n):
    neighbours = [[] for _ in range(n)]
    for a, b in edges.tolist():
        neighbours[a].append(b)
        neighbours[b].append(a)
    colour = [-1] * n
    for node in range(n):
        used = {colour[m] for m in neighbours[node] if colour[m] >= 0}
        c = 0
        while c in used:
            c += 1
        colour[node] = c
    return colour, max(colour) + 1


@program(lambda: (np.array([[0, 3, 2, 0], [0, 0, 1, 3], [0, 0, 0, 2], [0, 0, 0, 0]]), 0, 3))
def maximum_flow_edmonds_karp(capacity, source, sink):
    residual = capacity.copy()
    n = len(residual)
    flow = 0
    while True:
        parent = [-1] * n
        parent[source] = source
        queue = [source]
        for u in queue:
            for v in range(n):
                if parent[v] < 0 and residual[u, v] > 0:
                    parent[v] = u
                    queue.append(v)
        if parent[sink] < 0:
            return flow, residual
        push, v = 10**9, sink
        while v != source:
            push = min(push, residual[parent[v], v])
            v = parent[v]
        v = sink
        while v != source:
            residual[parent[v], v] -= push
            residual[v, parent[v]] += push
            v = parent[v]
        flow += push


# ---------------------------------------------------------------- sorting and selection


@program(lambda: (ints(13, -50, 50, 20),), lambda: (rnd(14, 9),), lambda: (np.zeros(0),), lambda: (np.array([2]),))
def heap_sort(a):
    n = len(a)

    def sift(root, end):
        while (child := 2 * root + 1) < end:
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                return
            a[root], a[child] = a[child], a[root]
            root = child

    for start in range(n // 2 - 1, -1, -1):
        sift(start, n)
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        sift(0, end)
    return a


@program(lambda: (ints(15, -50, 50, 20),), lambda: (rnd(16, 9),))
def shell_sort(a):
    gap = len(a) // 2
    moves = 0
    while gap > 0:
        for i in range(gap, len(a)):
            item, j = a[i], i
            while j >= gap and a[j - gap] > item:
                a[j] = a[j - gap]
                j -= gap
                moves += 1
            a[j] = item
        gap //= 2
    return moves


@program(lambda: (rnd(17, 11), 3), lambda: (rnd(18, 11), 10), lambda: (np.array([5.0, 5.0, 5.0]), 1))
def quickselect(a, k):
    low, high = 0, len(a) - 1
    while low < high:
        pivot = a[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i, j = i + 1, j - 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return a[k]


@program(lambda: (ints(19, 0, 9, 15), 10), lambda: (ints(20, 0, 3, 4), 3), lambda: (np.zeros(0, dtype=int), 2))
def counting_sort_stable(keys, buckets):
    counts = [0] * buckets
    for k in keys:
        counts[k] += 1
    starts = [sum(counts[:i]) for i in range(buckets)]
    out = np.empty_like(keys)
    order = np.empty(len(keys), dtype=np.int32)
    for i, k in enumerate(keys):
        out[starts[k]] = k
        order[starts[k]] = i
        starts[k] += 1
    return out, order, counts


@program(lambda: (rnd(21, 8), rnd(22, 5)), lambda: (rnd(21, 1), rnd(22, 0)))
def merge_of_two_sorted(a, b):
    a, b = np.sort(a), np.sort(b)
    merged = np.empty(a.size + b.size)
    i = j = 0
    for k in range(merged.size):
        if j >= b.size or (i < a.size and a[i] <= b[j]):
            merged[k], i = a[i], i + 1
        else:
            merged[k], j = b[j], j + 1
    return merged


@program(lambda: (ints(23, 0, 99, 10),), lambda: (np.arange(4),), lambda: (np.arange(6)[::-1].copy(),))
def count_inversions(a):
    def sort(lo, hi):
        if hi - lo < 2:
            return 0
        mid = (lo + hi) // 2
        count = sort(lo, mid) + sort(mid, hi)
        left, right = list(a[lo:mid]), list(a[mid:hi])
        i = j = 0
        for k in range(lo, hi):
            if j == len(right) or (i < len(left) and left[i] <= right[j]):
                a[k] = left[i]
                i += 1
            else:
                a[k] = right[j]
                j += 1
                count += len(left) - i
        return count

    return sort(0, 4), a


@program(lambda: (rnd(24, 12), 4), lambda: (rnd(25, 3), 5), lambda: (rnd(26, 6), 1))
def largest_k_with_heap(values, k):
    heap = []
    for v in values:
        if len(heap) < k:
            heapq.heappush(heap, float(v))
        elif v > heap[0]:
            heapq.heapreplace(heap, float(v))
    return sorted(heap, reverse=True)


@program(lambda: (ints(27, 1, 30, 8),), lambda: (np.array([4, 4]),), lambda: (np.array([7]),))
def huffman_cost(frequencies):
    heap = [int(f) for f in frequencies]
    heapq.heapify(heap)
    cost = 0
    while len(heap) > 1:
        a = heapq.heappop(heap)
        b = heapq.heappop(heap)
        cost += a + b
        heapq.heappush(heap, a + b)
    return cost


@program(lambda: ([5, 9, 12, 13, 16, 45],), lambda: ([1, 1],))
def huffman_lengths(frequencies):
    nodes = [(f, [i]) for i, f in enumerate(frequencies)]
    lengths = [0] * len(frequencies)
    while len(nodes) > 1:
        nodes.sort(key=lambda node: node[0])
        (fa, a), (fb, b), *nodes = nodes
        for leaf in a + b:
            lengths[leaf] += 1
        nodes.append((fa + fb, a + b))
    return lengths, sum(f * n for f, n in zip(frequencies, lengths))


# ---------------------------------------------------------------- dynamic programming


@program(lambda: (np.array([1, 5, 10, 25]), 63), lambda: (np.array([4, 6]), 7), lambda: (np.array([3]), 0))
def coin_change(coins, amount):
    best = np.full(amount + 1, amount + 1)
    best[0] = 0
    ways = np.zeros(amount + 1, dtype=np.int64)
    ways[0] = 1
    for c in coins:
        for a in range(c, amount + 1):
            best[a] = min(best[a], best[a - c] + 1)
            ways[a] += ways[a - c]
    return -1 if best[amount] > amount else best[amount], ways[amount]


@program(lambda: (rnd(28, 4, 6),), lambda: (rnd(29, 1, 1),))
def minimum_seam(energy):
    cost = energy.copy()
    rows, cols = cost.shape
    for i in range(1, rows):
        for j in range(cols):
            cost[i, j] += min(cost[i - 1, max(j - 1, 0) : min(j + 2, cols)])
    seam = [int(np.argmin(cost[-1]))]
    for i in range(rows - 2, -1, -1):
        j = seam[-1]
        lo = max(j - 1, 0)
        seam.append(lo + int(np.argmin(cost[i, lo : min(j + 2, cols)])))
    return seam[::-1], cost[-1].min()


@program(lambda: (rnd(30, 12),), lambda: (-uni(31, 4),), lambda: (np.array([2.0]),))
def maximum_subarray(x):
    best = current = x[0]
    start = best_start = best_end = 0
    for i in range(1, len(x)):
        if current < 0:
            current, start = x[i], i
        else:
            current += x[i]
        if current > best:
            best, best_start, best_end = current, start, i
    return best, best_start, best_end


@program(
    lambda: (np.array([0, 1, 0]), uni(32, 2, 2) + 0.1, uni(33, 2, 2) + 0.1, np.array([0.6, 0.4])),
    lambda: (ints(34, 0, 3, 20), uni(35, 4, 4) + 0.1, uni(36, 4, 3) + 0.1, uni(37, 4)),
)
def hidden_markov_viterbi(observed, transition, emission, initial):
    transition = transition / transition.sum(axis=1, keepdims=True)
    states, steps = len(initial), len(observed)
    score = np.empty((steps, states))
    back = np.zeros((steps, states), dtype=int)
    score[0] = np.log(initial) + np.log(emission[:, observed[0]])
    for t in range(1, steps):
        for s in range(states):
            candidates = score[t - 1] + np.log(transition[:, s])
            back[t, s] = candidates.argmax()
            score[t, s] = candidates[back[t, s]] + np.log(emission[s, observed[t]])
    path = [int(score[-1].argmax())]
    for t in range(steps - 1, 0, -1):
        path.insert(0, int(back[t, path[0]]))
    return path, score[-1].max()


@program(
    lambda: (np.array([0, 1, 0]), uni(32, 2, 2) + 0.1, uni(33, 2, 2) + 0.1, np.array([0.6, 0.4])),
    lambda: (ints(34, 0, 3, 20), uni(35, 4, 4) + 0.1, uni(36, 4, 3) + 0.1, uni(37, 4)),
)
def hidden_markov_forward_backward(observed, transition, emission, initial):
    steps = observed.size
    alpha = np.zeros((steps, initial.size))
    beta = np.ones_like(alpha)
    scale = np.zeros(steps)
    alpha[0] = initial * emission[:, observed[0]]
    for t in range(steps):
        if t:
            alpha[t] = alpha[t - 1] @ transition * emission[:, observed[t]]
        scale[t] = alpha[t].sum()
        alpha[t] /= scale[t]
    for t in reversed(range(steps - 1)):
        beta[t] = transition @ (emission[:, observed[t + 1]] * beta[t + 1]) / scale[t + 1]
    gamma = alpha * beta
    return gamma / gamma.sum(axis=1)[:, None], np.log(scale).sum()


@program(lambda: ("kitten", "sitting"), lambda: ("", "abc"), lambda: ("aa", "aa"))
def damerau_distance(a, b):
    codes_a = np.array([ord(c) for c in a], dtype=np.int64)
    codes_b = np.array([ord(c) for c in b], dtype=np.int64)
    d = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    d[:, 0] = np.arange(len(a) + 1)
    d[0] = np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = int(codes_a[i - 1] != codes_b[j - 1])
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
            if i > 1 and j > 1 and codes_a[i - 1] == codes_b[j - 2] and codes_a[i - 2] == codes_b[j - 1]:
                d[i, j] = min(d[i, j], d[i - 2, j - 2] + 1)
    return d[-1, -1], d


@program(lambda: (rnd(38, 6), rnd(39, 8), 2), lambda: (rnd(38, 1), rnd(39, 3), 10))
def dynamic_time_warping(a, b, window):
    n, m = len(a), len(b)
    w = max(window, abs(n - m))
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(max(1, i - w), min(m, i + w) + 1):
            cost[i, j] = abs(a[i - 1] - b[j - 1]) + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    i, j, path = n, m, []
    while i > 0 and j > 0:
        path.append((i - 1, j - 1))
        step = np.argmin([cost[i - 1, j - 1], cost[i - 1, j], cost[i, j - 1]])
        if step == 0:
            i, j = i - 1, j - 1
        elif step == 1:
            i -= 1
        else:
            j -= 1
    return cost[n, m], path


@program(lambda: (ints(40, 0, 4, 10), ints(41, 0, 4, 12)), lambda: (np.array([1]), np.array([2])))
def local_alignment(a, b, match=2, mismatch=-1, gap=-1):
    h = np.zeros((a.size + 1, b.size + 1), int)
    for i, p in enumerate(a, 1):
        for j, q in enumerate(b, start=1):
            h[i, j] = max(0, h[i - 1, j - 1] + (match if p == q else mismatch), h[i - 1, j] + gap, h[i, j - 1] + gap)
    i, j = np.unravel_index(h.argmax(), h.shape)
    out = []
    while h[i, j] > 0:
        if h[i, j] == h[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch):
            i, j = i - 1, j - 1
            out.append(a[i])
        elif h[i, j] == h[i - 1, j] + gap:
            i -= 1
            out.append(-1)
        else:
            j -= 1
            out.append(-2)
    return h.max(), out[::-1]


# ---------------------------------------------------------------- search and backtracking


@program(lambda: (5,), lambda: (6,), lambda: (3,))
def queens_iterative(n):
    column = [-1] * n
    row, solutions = 0, 0
    while row >= 0:
        column[row] += 1
        while column[row] < n:
            for r in range(row):
                if column[r] == column[row] or abs(column[r] - column[row]) == row - r:
                    break
            else:
                break
            column[row] += 1
        if column[row] == n:
            column[row] = -1
            row -= 1
        elif row == n - 1:
            solutions += 1
        else:
            row += 1
    return solutions


@program(
    lambda: (np.array([[1, 0, 0, 0], [0, 0, 3, 0], [0, 4, 0, 0], [0, 0, 0, 2]]),),
    lambda: (np.array([[1, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 3, 4]]),),
)
def small_sudoku(board):
    empty = [(i, j) for i in range(4) for j in range(4) if board[i, j] == 0]

    def allowed(r, c, v):
        if (board[r] == v).any() or (board[:, c] == v).any():
            return False
        r0, c0 = r // 2 * 2, c // 2 * 2
        return not (board[r0 : r0 + 2, c0 : c0 + 2] == v).any()

    k = 0
    while 0 <= k < len(empty):
        r, c = empty[k]
        for v in range(board[r, c] + 1, 5):
            board[r, c] = 0
            if allowed(r, c, v):
                board[r, c] = v
                k += 1
                break
        else:
            board[r, c] = 0
            k -= 1
    return k == len(empty), board


@program(lambda: (np.array([3, 34, 4, 12, 5, 2]), 9), lambda: (np.array([3, 34, 4]), 30), lambda: (np.zeros(0, dtype=int), 0))
def subset_sum_bits(values, target):
    reachable = np.zeros(target + 1, dtype=bool)
    reachable[0] = True
    for v in values:
        if v <= target:
            reachable[v:] |= reachable[: target + 1 - v].copy()
    return bool(reachable[target]), np.flatnonzero(reachable)


@program(lambda: (4,), lambda: (1,), lambda: (0,))
def permutations_in_order(n):
    p = np.arange(n)
    out = [p.copy()]
    while True:
        i = n - 2
        while i >= 0 and p[i] >= p[i + 1]:
            i -= 1
        if i < 0:
            return np.array(out)
        j = n - 1
        while p[j] <= p[i]:
            j -= 1
        p[i], p[j] = p[j], p[i]
        p[i + 1 :] = p[i + 1 :][::-1].copy()
        out.append(p.copy())


@program(lambda: (np.array([0, 0, 1, 1, 1, 2, 0, 0]),), lambda: (np.array([5]),), lambda: (np.zeros(0, dtype=int),))
def run_length_encoding(x):
    values, lengths = [], []
    for v in x:
        if values and values[-1] == v:
            lengths[-1] += 1
        else:
            values.append(v)
            lengths.append(1)
    decoded = np.repeat(values, lengths) if values else np.zeros(0, dtype=int)
    return values, lengths, bool(np.array_equal(decoded, x))


@program(lambda: ([1, 2, 1, 2, 1, 2, 3],), lambda: ([0, 0, 0, 0],), lambda: ([7],))
def lempel_ziv(text):
    table = {(i,): i for i in range(8)}
    out, word = [], ()
    for symbol in text:
        if word + (symbol,) in table:
            word += (symbol,)
        else:
            out.append(table[word])
            table[word + (symbol,)] = len(table)
            word = (symbol,)
    out.append(table[word])
    return out, len(table)


@program(lambda: (97,), lambda: (360,), lambda: (1,), lambda: (2**20,))
def factorisation(n):
    factors = {}
    p = 2
    while p * p <= n:
        while n % p == 0:
            factors[p] = factors.get(p, 0) + 1
            n //= p
        p += 1 if p == 2 else 2
    if n > 1:
        factors[n] = factors.get(n, 0) + 1
    return factors


@program(lambda: (3, 200, 13), lambda: (2, 0, 7), lambda: (10, 5, 1))
def modular_power_and_inverse(base, exponent, modulus):
    result, b, e = 1 % modulus, base % modulus, exponent
    while e:
        if e & 1:
            result = result * b % modulus
        b = b * b % modulus
        e >>= 1
    old_r, r, old_s, s = base, modulus, 1, 0
    while r:
        q = old_r // r
        old_r, r = r, old_r - q * r
        old_s, s = s, old_s - q * s
    return result, old_r, old_s % modulus if old_r == 1 else None, pow(base, exponent, modulus)


@program(lambda: (30,), lambda: (2,), lambda: (1,))
def totients_and_perfect_numbers(n):
    phi = np.arange(n + 1)
    for i in range(2, n + 1):
        if phi[i] == i:
            phi[i::i] -= phi[i::i] // i
    perfect = []
    for k in range(2, n + 1):
        if sum(d for d in range(1, k) if k % d == 0) == k:
            perfect.append(k)
    return phi, perfect


@program(
    lambda: (np.array([3, 1, 4, 1, 5]), np.array([2, 7, 1, 8])),
    lambda: (np.array([9, 9]), np.array([1])),
    lambda: (np.array([0]), np.array([0])),
)
def long_multiplication_of_digits(a, b):
    digits = np.zeros(len(a) + len(b), dtype=int)
    for i, x in enumerate(a[::-1]):
        carry = 0
        for j, y in enumerate(b[::-1]):
            carry, digits[i + j] = divmod(digits[i + j] + x * y + carry, 10)
        digits[i + len(b)] += carry
    text = "".join(str(d) for d in digits[::-1]).lstrip("0")
    return digits, text or "0"


@program(lambda: (np.array([2, 0, 2, 1, 1, 0]),), lambda: (np.zeros(0, dtype=int),), lambda: (np.array([1, 0]),))
def dutch_flag(a):
    low = mid = 0
    high = len(a) - 1
    while mid <= high:
        match a[mid]:
            case 0:
                a[low], a[mid] = a[mid], a[low]
                low += 1
                mid += 1
            case 1:
                mid += 1
            case _:
                a[mid], a[high] = a[high], a[mid]
                high -= 1
    return a, (low, mid, high)
