"""List arguments as data: one program for all lengths, written back when the call ends, one list under all its names."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees

pytestmark = pytest.mark.native  # what is read in and written back is compiled code's work

RNG = np.random.default_rng(5)
GRID = RNG.integers(0, 9, (15, 12)).tolist()
REAL = RNG.random((11, 11)).tolist()
ONE_ROW = [1, 2]
SHARED = [ONE_ROW] * 10 + [[3]]
LINKS = RNG.integers(0, 40, (40, 3)).tolist()


def total(g):
    s = 0
    for row in g:
        for v in row:
            s += v
    return s


def bump(g):
    for i in range(len(g)):
        for j in range(len(g[i])):
            g[i][j] += 1
    return g


def push_rows(g):
    for row in g:
        row.append(len(row))


def swap(g):
    g[0], g[1] = g[1], g[0]
    g[0][0] = 99
    g.append(g[0])
    g.pop(2)


def paths(grid):
    n = len(grid)
    m = len(grid[0])
    dp = [[0.0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            best = 0.0
            if i > 0:
                best = max(best, dp[i - 1][j])
            if j > 0:
                best = max(best, dp[i][j - 1])
            dp[i][j] = best + grid[i][j]
    return dp[n - 1][m - 1]


def floyd(d):
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]


def bfs(adj, s):
    dist = [-1] * len(adj)
    dist[s] = 0
    q = [s]
    h = 0
    while h < len(q):
        u = q[h]
        h += 1
        for v in adj[u]:
            if dist[v] < 0:
                dist[v] = dist[u] + 1
                q.append(v)
    return dist


def boom(g):
    for i in range(len(g) + 1):
        g[i][0] = -1


def same(g, h):
    g[0][0] = 5
    return h[0][0], g is h


def two(g, row):
    row[0] = 777
    return g[0][0]


def squares(x):
    s = 0.0
    for v in x:
        s += v * v
    return s


def prefix(x):
    out = []
    s = 0
    for v in x:
        s += v
        out.append(s)
    return out


def bubble(x):
    n = len(x)
    for i in range(n):
        for j in range(0, n - i - 1):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return x


def beyond(x):
    for i in range(100000):
        x[i] = x[i] + 1


def bisect(x, v):
    lo = 0
    hi = len(x)
    while lo < hi:
        mid = (lo + hi) // 2
        if x[mid] < v:
            lo = mid + 1
        else:
            hi = mid
    return lo


def other_types(x):
    for i in range(len(x)):
        x[i] = x[i] + 0.5 if i % 2 else x[i]
    return x


def kept(x, box):
    box.append(x)
    x[0] = 7
    return len(box)


def by_numpy(x):
    return np.array(x) * 2, np.sum(x), sorted(x), max(x), sum(x), x[1:4], x[::-1], 3 in x, x.index(x[3])


def smooth(x, n):
    for _ in range(n):
        y = x[:]
        for i in range(1, len(x) - 1):
            y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
        x = y
    return x


def swapped(x, n):
    y = [0.0] * len(x)
    for k in range(n):
        x[k] += 1.0
        x, y = y, x
    return x, y, x is y


def chosen(x, flag):
    y = x if flag else [9.0] * 3
    y.append(5.0)
    return y, y is x, len(x)


def life(board, n):
    first = board
    for _ in range(n):
        board = [[(a + b) % 2 for a, b in zip(row, row[1:] + row[:1])] for row in board]
        first[0][0] += 1
    return board, first is board


def parts(x, a, b):
    x[a:b] = [7, 8, 9]
    x[:a] = x[b:]
    del x[-2:b]
    x[1:2] = (v for v in x[:3])
    return x


def steps(x, a, b):
    x[a::3] = x[: len(range(len(x))[a::3])]
    x[::-2] = [5] * ((len(x) + 1) // 2)
    del x[b::-2]
    x[::3] = [1] * b
    return x


CASES = {
    smooth: [([0.5 * k * k for k in range(12)], 3), ([1.0, 4.0, 2.0], 2), ([1.0, 4.0, 2.0], 0)],
    swapped: [([0.5] * 12, 3), ([0.5] * 12, 4), ([0.5] * 12, 20)],
    chosen: [([0.5] * 12, True), ([0.5] * 12, False)],
    life: [(GRID, 3), (GRID, 0), (SHARED, 2)],
    parts: [(list(range(12)), a, b) for a, b in ((2, 5), (5, 2), (-3, 20), (0, 0), (-20, -1), (11, 12))],
    steps: [(list(range(12)), a, b) for a, b in ((2, 3), (0, 20), (-1, -2), (20, 4))],
    total: [(GRID,), (REAL,), (SHARED,), ([[] for _ in range(12)],), ([[1], [2]],), ([[1], [2], [3]],), ([[1, 2.5], [3]] * 6,)],
    bump: [(GRID,), (SHARED,), (REAL,)],
    push_rows: [(SHARED,), (GRID,)],
    swap: [(GRID,), (SHARED,)],
    paths: [(REAL,)],
    floyd: [(REAL,)],
    bfs: [(LINKS, 3), (LINKS, 5)],
    boom: [(GRID,), (REAL,)],
    same: [(GRID, GRID), (GRID, copy.deepcopy(GRID))],
    two: [(GRID, GRID[0]), (GRID, [1] * 10)],
    squares: [([0.5] * 10,), ([0.25] * 700,), ([1.0, 2.0],), ([1.0, 2.0, 3.0],), ([],), ([1, 2] * 20,), ([True] * 20,), ([1j] * 12,)],
    prefix: [(list(range(30)),), ([2**61] * 20,), ([2**62] * 12,), ([2**70] * 12,), ([-(2**60)] * 10,)],
    bubble: [(RNG.integers(0, 99, 40).tolist(),), (RNG.random(12).tolist(),)],
    beyond: [(list(range(20)),), ([0.5] * 10,)],
    bisect: [(list(range(50)), 17), (list(range(500)), 17.5)],
    other_types: [(list(range(20)),), ([0.5] * 12,)],
    kept: [(list(range(20)), []), (list(range(2)), [])],
    by_numpy: [(list(range(20)),), ([0.5, 3.0, 1.0] * 5,)],
}


@pytest.mark.parametrize("program", list(CASES))
def test_program_agrees_with_python(program: Any) -> None:
    assert_agrees(program, *CASES[program])


@pytest.mark.parametrize("program", [smooth, swapped, life, parts, steps])
def test_lists_that_are_exchanged_or_changed_by_slices_stay_native(program: Any) -> None:
    assert "host_call" not in str(ag.compile(program, fallback="error").graph(*copy.deepcopy(CASES[program][0])))


def test_a_list_that_stands_in_two_arguments_is_one_list() -> None:
    compiled = ag.compile(two, fallback="error")
    for shares in (False, True, False, True):
        grid = [[1] * 10 for _ in range(10)]
        row = grid[3] if shares else [5] * 10
        assert compiled(grid, row) == 1
        assert row[0] == 777 and grid[3][0] == (777 if shares else 1)
    assert len(compiled.specializations) == 2


def test_one_program_serves_all_lengths() -> None:
    for program in (squares, prefix, bubble):
        compiled = ag.compile(program)
        for length in (20, 9, 400, 33):
            x = RNG.random(length).tolist()
            assert compiled(list(x)) == program(list(x))
        assert len(compiled.specializations) == 1


def test_short_lists_become_data_when_their_length_changes() -> None:
    compiled = ag.compile(squares, fallback="error")
    for length in (2, 3, 4, 5, 6, 7):
        assert compiled([0.5] * length) == squares([0.5] * length)
    assert len(compiled.specializations) == 2


def test_caller_gets_the_list_that_was_passed_changed_so_far_on_exceptions_too() -> None:
    x, y = list(range(20)), list(range(20))
    compiled = ag.compile(bubble, fallback="error")
    assert compiled(x) is x
    with pytest.raises(IndexError, match="list index out of range"):
        ag.compile(beyond, fallback="error")(x)
    with pytest.raises(IndexError):
        beyond(y)
    assert x == y
    grid = copy.deepcopy(SHARED)
    rows = list(map(id, grid))
    ag.compile(push_rows, fallback="error")(grid)
    assert list(map(id, grid)) == rows and grid[0] == [1, 2, *range(2, 12)]


def test_gradients_by_and_beside_list_arguments() -> None:
    def weighted(w: list[float], x: Any) -> Any:
        total = 0.0
        for i in range(len(w)):
            total += w[i] * x[i] * x[i]
        return total

    w, x = [0.5 * i for i in range(30)], np.arange(30.0)
    assert ag.grad(weighted, argnums=1)(w, x) == pytest.approx(2 * np.array(w) * x)
    assert ag.grad(weighted)(w, x) == pytest.approx(list(x * x))
    assert ag.compile(lambda w, x: ag.grad(weighted, argnums=1)(w, x))(w, x) == pytest.approx(2 * np.array(w) * x)


def test_a_long_loop_over_a_short_list_is_written_once() -> None:
    def searched(words: list[str], n: int) -> Any:
        found = {}
        for word in words:
            counts: dict[str, int] = {}
            for k in range(n):
                text = word[k % 3 :] + str(k % 5)
                counts[text] = counts.get(text, 0) + 1
            best = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:3]
            found[word] = [text for text, _ in best if text.upper() != word]
        return found

    compiled = ag.compile(searched, fallback="error")
    for words in (["apple", "pear", "fig", "date"], ["melon"], ["x", "yy", "zzz"]):
        assert compiled(words, 40) == searched(words, 40)
    assert len(compiled.specializations) == 1
