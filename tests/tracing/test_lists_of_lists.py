"""Lists of lists in compiled code: rows that grow, that are shared, exchanged, copied, that leave; each agrees with Python."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.runtime_library import runtime
from tests.tracing.agreement import assert_agrees

pytestmark = pytest.mark.native  # what is read in and written back is compiled code's work


def grid(n, m):
    g = [[0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            g[i][j] = i * j
    return g


def lcs(a, b):
    n = len(a)
    m = len(b)
    dp = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                dp[i][j] = dp[i - 1][j - 1] + 1
            else:
                dp[i][j] = max(dp[i - 1][j], dp[i][j - 1])
    return dp[n][m]


def adjacency(n, src, dst):
    adj = [[] for _ in range(n)]
    for k in range(len(src)):
        adj[src[k]].append(dst[k])
        adj[dst[k]].append(src[k])
    seen = [False] * n
    order = []
    stack = [0]
    while stack:
        u = stack.pop()
        if seen[u]:
            continue
        seen[u] = True
        order.append(u)
        for v in adj[u]:
            if not seen[v]:
                stack.append(v)
    return order


def pascal(n):
    rows = []
    for i in range(n):
        row = [1]
        if i > 0:
            prev = rows[-1]
            for j in range(len(prev) - 1):
                row.append(prev[j] + prev[j + 1])
            row.append(1)
        rows.append(row)
    return rows


def matmul(n):
    a = [[float(i + j) for j in range(n)] for i in range(n)]
    b = [[float(i - j) for j in range(n)] for i in range(n)]
    c = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i][k] * b[k][j]
            c[i][j] = s
    return c


def shared_rows(n):
    row = [0] * n
    g = []
    for i in range(n):
        g.append(row)
    g[0][1] = 5
    return g, g[1] is g[2], row


def life(n, steps):
    g = [[(i * 7 + j * 3) % 5 == 0 for j in range(n)] for i in range(n)]
    for _ in range(steps):
        new = [[False] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                c = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di or dj:
                            if g[(i + di) % n][(j + dj) % n]:
                                c += 1
                new[i][j] = c == 3 or (g[i][j] and c == 2)
        g = new
    return sum(sum(r) for r in g)


def weighted(n):
    adj = [[] for _ in range(n)]
    for i in range(n - 1):
        adj[i].append((i + 1, 0.5 * i))
        adj[i + 1].append((i, 0.25 * i))
    s = 0.0
    for u in range(n):
        for v, w in adj[u]:
            s += v * w
    return s, adj


def swap_rows(n):
    g = [[i] * 3 for i in range(n)]
    for i in range(n // 2):
        g[i], g[n - 1 - i] = g[n - 1 - i], g[i]
    g.reverse()
    h = g[1:]
    h[0][0] = 99
    return g, h


def transpose(n):
    g = [[i * n + j for j in range(n)] for i in range(n)]
    return [[g[j][i] for j in range(n)] for i in range(n)]


def rotate_pop(n):
    q = [[i, i + 1] for i in range(n)]
    out = []
    while q:
        a = q.pop(0)
        out.append(a[0] + a[1])
    return out


def buckets(n):
    b = [[] for _ in range(10)]
    for i in range(n):
        b[(i * i) % 10].append(i)
    out = []
    for x in b:
        for v in x:
            out.append(v)
    return out, len(b[3])


def copies(n):
    g = [[i, i] for i in range(n)]
    h = [row[:] for row in g]
    h[0][0] = -1
    return g, h


def grow_rows(n):
    tri = [[0.0]]
    for i in range(n):
        tri.append(tri[-1] + [float(i)])
    return tri


def three(n):
    c = [[[i * j * k for k in range(n)] for j in range(n)] for i in range(n)]
    t = 0
    for i in range(n):
        for j in range(n):
            for k in range(n):
                t += c[i][j][k]
    return t


def sieve_lists(n):
    fac = [[] for _ in range(n + 1)]
    for p in range(2, n + 1):
        if len(fac[p]) == 0:
            for q in range(p, n + 1, p):
                fac[q].append(p)
    return fac


def fails(n):
    g = [[1, 2] for _ in range(n)]
    s = 0
    for i in range(n + 1):
        s += g[i][1]
    return s


def fails2(n):
    g = [[1, 2] for _ in range(n)]
    for i in range(n):
        g[i][i] = 7
    return g


def given(n):
    g = [[i] for i in range(n)]
    print(g, len(g))
    g[0].append(5)
    return str(g)


def mixed(n):
    g = []
    for i in range(n):
        if i % 2:
            g.append([i, None])
        else:
            g.append([0.5, i])
    return g


def nested_choice(n, flag):
    a = [[1] * 3 for _ in range(n)]
    b = [[2] * 3 for _ in range(n)]
    c = a if flag > 0 else b
    c[0][0] = 9
    return a, b, c


def row_var(n):
    g = [[i, i + 1] for i in range(n)]
    best = None
    for row in g:
        if best is None or row[0] * 7 % 11 > best[0] * 7 % 11:
            best = row
    best[1] = -1
    return g, best


def enum(n):
    g = [[i * j % 5 for j in range(n)] for i in range(n)]
    out = []
    for i, row in enumerate(g):
        for j, v in enumerate(row):
            if v == 3:
                out.append((i, j))
    return out


def zipit(n):
    a = [[i, 1] for i in range(n)]
    b = [[2, i] for i in range(n)]
    return [x[0] * y[1] + x[1] * y[0] for x, y in zip(a, b)]


def sums(n):
    g = [[i * j for j in range(n)] for i in range(n)]
    return [sum(r) for r in g], [max(r) for r in g], [len(r) for r in g], sorted(g[2])


def sort_rows(n):
    g = [[(i * 7) % n, i] for i in range(n)]
    g.sort()
    return g


def sorted_key(n):
    g = [[(i * 7) % n, i] for i in range(n)]
    return sorted(g, key=lambda r: r[0])


def contains(n):
    g = [[i, i] for i in range(n)]
    return [3, 3] in g, g == [[i, i] for i in range(n)], g.index([2, 2])


def in_dict(n):
    d = {}
    for i in range(n):
        d[i] = [i]
    g = [d[i] for i in range(n)]
    g[0].append(1)
    return d, g


def attr(n):
    class Box:
        pass

    b = Box()
    b.g = [[0] * n for _ in range(n)]
    for i in range(n):
        b.g[i][i] = 1
    return b.g


def np_from(n):
    g = [[float(i * j) for j in range(n)] for i in range(n)]
    return np.array(g).sum()


def tuple_rows(n):
    g = []
    for i in range(n):
        g.append((i, [i, i * 2]))
    t = 0
    for k, r in g:
        t += k * r[1]
    return t


def del_rows(n):
    g = [[i] for i in range(n)]
    del g[0]
    g.insert(1, [100])
    g.remove([3])
    g.extend([[7], [8]])
    g += [[9]]
    return g


def unpack_rows(n):
    g = [[i, i + 1] for i in range(n)]
    s = 0
    for a, b in g:
        s += a * b
    return s


def queens(n):
    board = [[0] * n for _ in range(n)]
    cols = [False] * n
    count = 0
    placed = []
    row = 0
    col = 0
    while True:
        while col < n:
            ok = True
            for k in range(len(placed)):
                if placed[k] == col or abs(placed[k] - col) == row - k:
                    ok = False
            if ok:
                break
            col += 1
        if col < n:
            placed.append(col)
            board[row][col] = 1
            row += 1
            col = 0
            if row == n:
                count += 1
        if col >= n or row == n:
            if not placed:
                break
            col = placed.pop()
            row -= 1
            board[row][col] = 0
            col += 1
    return count, board


def paths(n):
    queue = deque([(0, [0])])
    found = []
    while queue:
        at, path = queue.popleft()
        if at >= n:
            found.append((len(path), path))
            continue
        queue.append((at + 2, [*path, at + 2]))
        if at % 3 == 0:
            queue.append((at + 3, path + [at + 3]))
    found.sort(key=lambda entry: (-entry[0], entry[1]))
    found[0][1].append(99)
    return found, found[0][1] in [path for _, path in found]


def cheapest(n):
    heap = [(0, [0])]
    made = []
    while len(made) < n:
        cost, path = heapq.heappop(heap)
        made.append((cost, path))
        for step in range(3, n % 3 + 6):
            heapq.heappush(heap, (cost + step % 4, path + [step]))
    return made


def grouped(n):
    groups = {}
    for i in range(n * 3):
        groups.setdefault(i * i % 7, []).append(i)
    pairs = sorted(groups.items(), key=lambda item: (len(item[1]), item[1]), reverse=True)
    pairs[0][1].append(1)
    kept = {key: (sum(values), values) for key, values in pairs}
    return pairs, kept, [values > pairs[1][1] for _, values in pairs], groups


def one_row_of_pairs(n):
    row = [(1, 2)]
    rows = []
    for i in range(n):
        if i % 3 == 0:
            row = [(i, i)]
        rows.append((i, row))
    row.append((7, 7))
    return rows, row, [each is row for _, each in rows]


def beside_known_lists(n):
    rows = [[i % 3, i % 2] for i in range(n)]
    texts = ["ab"[i % 2] for i in range(n)]
    found = []
    for row in rows:
        found.append((row == [1, 1], [2, 0] != row, row == [1.0, True], row == [], row < [1, 0], row == [1, "a"], [[1], 1] == row))
    return found, rows[:2] == [[0, 0], [1, 1]], texts[:2] == ["a", "b"], texts != ["a"], [rows[1][0], 1] >= rows[1]


NATIVE = {
    beside_known_lists: [5, 11],
    paths: [5, 11],
    grouped: [5, 11],
    one_row_of_pairs: [5, 11],
    grid: [(5, 7), (12, 3)],
    lcs: [([1, 2, 3, 1, 5] * 3, [2, 3, 1, 1] * 4)],
    adjacency: [(12, list(range(11)), [(i * 7 + 1) % 12 for i in range(11)])],
    pascal: [5, 11],
    matmul: [6, 9],
    shared_rows: [5, 11],
    life: [(6, 3)],
    weighted: [5, 11],
    swap_rows: [5, 11],
    transpose: [5, 11],
    rotate_pop: [5, 11],
    buckets: [5, 11],
    copies: [5, 11],
    grow_rows: [5, 11],
    three: [5, 11],
    sieve_lists: [5, 11],
    fails: [5, 11],
    fails2: [5, 11],
    mixed: [5, 11],
    nested_choice: [(11, 1), (11, -1)],
    row_var: [5, 11],
    enum: [5, 11],
    zipit: [5, 11],
    unpack_rows: [5, 11],
    queens: [4],
}
OTHERS = {
    cheapest: [5, 11],
    sums: [5, 11],
    sort_rows: [5, 11],
    sorted_key: [5, 11],
    contains: [5, 11],
    in_dict: [5, 11],
    np_from: [5, 11],
    tuple_rows: [5, 11],
    del_rows: [5, 11],
    given: [5, 11],
}


@pytest.mark.parametrize("program", [*NATIVE, *OTHERS])
def test_program_agrees_with_python(program: Callable[..., Any]) -> None:
    assert_agrees(program, *(NATIVE | OTHERS)[program])


def test_programs_run_without_python() -> None:
    for program, calls in NATIVE.items():
        compiled = ag.compile(program, fallback="error")
        first = calls[0] if isinstance(calls[0], tuple) else (calls[0],)
        assert "host_call" not in str(compiled.graph(*first)), program.__name__


def test_memory_is_given_back() -> None:
    for program, calls in NATIVE.items():
        compiled = ag.compile(program, fallback="error")
        before = runtime().live
        for call in calls:
            arguments = call if isinstance(call, tuple) else (call,)
            try:
                result = compiled(*arguments)
            except IndexError:
                result = None
            del result
        assert runtime().live == before, program.__name__


def test_rows_keep_their_identity() -> None:
    def f(n: int) -> Any:
        row = [0] * n
        grid = []
        for _ in range(n):
            grid.append(row)
        grid[0][1] = 5
        return grid, row

    grid, row = ag.compile(f, fallback="error")(11)
    assert all(each is row for each in grid) and row[1] == 5


def test_gradient_of_a_program_with_rows() -> None:
    def f(x: float, n: int) -> Any:
        rows = []
        for i in range(n):
            row = []
            for j in range(3):
                row.append(x * i + j)
            rows.append(row)
        total = 0.0
        for i in range(n):
            total += rows[i][1] * rows[i][2]
        return total

    compiled = ag.grad(f)(0.5, 6)
    assert compiled == pytest.approx((f(0.5 + 1e-6, 6) - f(0.5 - 1e-6, 6)) / 2e-6, rel=1e-6)
