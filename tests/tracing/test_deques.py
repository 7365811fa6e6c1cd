"""Deques of numbers, tuples and lists are lists of compiled code, in Python's meaning."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees

RNG = np.random.default_rng(9)
REAL = RNG.random(60).tolist()
GRID = (RNG.random((9, 8)) < 0.3).astype(int).tolist()


def queue(n):
    q = deque()
    out = []
    for i in range(n):
        q.append(i)
        q.append(i * i)
        out.append(q.popleft())
    return q, out, len(q)


def both_ends(n):
    q = deque([1, 2, 3])
    for i in range(n):
        if i % 3 == 0:
            q.appendleft(i)
        elif i % 3 == 1:
            q.append(-i)
        else:
            q.appendleft(q.pop())
    return q, q[0], q[-1], q[len(q) // 2]


def many_left(n):
    q = deque()
    for i in range(n):
        q.appendleft(i)
    s = 0
    while q:
        s = 3 * s % 1009 + q.pop()
        if q:
            s += q.popleft()
    return s, q


def bounded(xs, k):
    q = deque(maxlen=4)
    out = []
    for x in xs:
        q.append(x)
        out.append(sum(q) / len(q))
    for x in xs:
        q.appendleft(x)
    q.extend([k, k + 1.0])
    return out, q, q.maxlen, list(q)


def no_room(n):
    q = deque(maxlen=0)
    for i in range(n):
        q.append(i)
        q.appendleft(i)
    return q, len(q)


def sliding(xs, k):
    q = deque()
    out = []
    for i, x in enumerate(xs):
        while q and xs[q[-1]] <= x:
            q.pop()
        q.append(i)
        if q[0] <= i - k:
            q.popleft()
        if i >= k - 1:
            out.append(xs[q[0]])
    return out


def search(grid):
    h, w = len(grid), len(grid[0])
    seen = {(0, 0)}
    q = deque([(0, 0, 0)])
    far = 0
    while q:
        i, j, d = q.popleft()
        far = max(far, d)
        for a, b in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if 0 <= a < h and 0 <= b < w and grid[a][b] == 0 and (a, b) not in seen:
                seen.add((a, b))
                q.append((a, b, d + 1))
    return far, len(seen)


def too_many(n):
    q = deque([0.5])
    for _ in range(n):
        q.popleft()
    return q


def too_many_right(n):
    q = deque()
    for i in range(n):
        q.append(i)
    for _ in range(n + 1):
        q.pop()


def out_of_range(n):
    q = deque()
    for i in range(n):
        q.append(i)
    return q[n]


def changed_meanwhile(n):
    q = deque()
    for i in range(n):
        q.append(i)
    s = 0
    for x in q:
        s += x
        if x == 5:
            q.append(q.popleft())
    return s


def known_changed_meanwhile(n):
    q = deque([1, 2, 3])
    t = n
    for x in q:
        t += x
        if x == 3:
            q.append(1)
    return t


def known_dict_changed_meanwhile(n):
    d = {1: 2, 2: 3}
    for k in d:
        d[k + 10] = n


def looked_up(n):
    q = deque([1, 2, 3])
    return q[n % 3] + q[-1]


def written(n):
    q = deque()
    for i in range(n):
        q.append(i)
        q[i // 2] = -i
        q[-1] += 1
    s = 0
    for i, x in enumerate(q):
        s += i * x
    return s, max(q), min(q), 3 in q, -5 in q, sorted(q), list(reversed(list(q)))


def rotated(n, k):
    q = deque()
    for i in range(n):
        q.append(i)
    for i in range(k):
        q.rotate(i)
        q.rotate(-2 * i)
        q.rotate()
    return q


def josephus(n, k):
    q = deque(range(n))
    order = []
    while len(q) > 1:
        q.rotate(-(k - 1))
        order.append(q.popleft())
    return order, q[0]


def exchanged(n):
    now, later = deque(), deque()
    for i in range(n):
        now.append(i)
    rounds = 0
    while now:
        x = now.popleft()
        if x % 2:
            later.append(x // 2)
        if not now:
            now, later = later, now
            rounds += 1
    return rounds, now is later, now, later


def copied(n):
    q = deque()
    for i in range(n):
        q.append(i)
    r = q.copy()
    r.append(100)
    same = q
    same.append(7)
    return q, r, same is q, q is r


def extended(n, xs):
    q = deque(xs)
    for _ in range(n):
        q.extend(xs[:3])
        q.extendleft(xs[:2])
        q += [1.5]
    q.extend(q)
    cleared = deque(xs)
    for _ in range(n):
        cleared.clear()
        cleared.append(2.5)
    return q, cleared


def kinds(n):
    q = deque()
    for i in range(n):
        q.append(i if i % 2 else 0.5 * i)
    return q, sum(q)


def of_texts(n):
    q = deque()
    for i in range(n):
        q.append(str(i))
    return q.popleft(), len(q)


def of_lists(n):
    paths, kept, found = deque([[1]]), [], 0
    while paths and len(paths) < n:
        path = paths.popleft()
        paths.append(path + [path[-1] * 2 % 7])
        paths.append(path)
        paths.appendleft([n])
        path.append(len(paths))
        if len(paths) % 5 == 0:
            kept.append(paths.pop())
        if len(path) > 6:
            paths[0] = [0, 1]
    for path in paths:
        found = (found * 31 + sum(path)) % 10007
    return found, kept, [len(path) for path in paths], paths.pop() is path


def by_python(n):
    q = deque()
    for i in range(n):
        q.append(i % 4)
    q.reverse()
    q.insert(2, 9)
    q.remove(3)
    return q, q.count(1), q.index(9), q == deque([1])


def changed_inside(n):
    q, bounded, counts = deque(), deque(maxlen=4), []
    for i in range(n):
        q.append(i * 7 % 5)
        q.insert(i % 5 - 2, i)
        q.insert(i * 3, -i)
        q.insert(-50, i % 3)
        if i % 3 == 0:
            q.reverse()
        if i % 4 == 0:
            q.popleft()
        q.remove(i % 3) if i % 3 in q else q.appendleft(i)
        counts.append(q.count(i % 5))
        bounded.append("ab"[i % 2])
        bounded.remove("ab"[i % 2])
    return q, bounded, counts


def not_there(n):
    q = deque()
    for i in range(n):
        q.append(i)
    q.remove(n + 1)


def removed_floats(n):
    q = deque()
    for i in range(n):
        q.append(i * 0.5)
        q.append(float("nan"))
    q.remove(1.0)
    bounded, rows = deque(maxlen=3), deque()
    for i in range(n):
        rows.append([i % 3])
        bounded.insert(i, i)
    rows.remove([2])
    return list(q)[::2], bounded, rows


def boxes(n):
    """Deques in a dict, made where a key is new, gone where one is empty."""
    waiting, order, bounded = {}, [], defaultdict(lambda: deque(maxlen=2))
    for k in range(n):
        waiting.setdefault(k * k % 5, deque()).append((k, str(k)))
        bounded[k % 3].append(k)
    while waiting:
        for key in list(waiting):
            order.append(waiting[key].popleft())
            if not waiting[key]:
                del waiting[key]
    return order, [list(q) for q in bounded.values()], defaultdict(deque)[n]


def rows_of_deques(n):
    own = deque()
    rows, pairs = [own, deque([1]), own], []
    for k in range(n):
        rows[k % 3].appendleft(k)
        pairs.append((k, deque((k, -k))))
    return len(own), rows[0] is rows[2], rows[0] is rows[1], [x for q in rows for x in q], sum([q.pop() * k for k, q in pairs])


def boxes_of_known_keys(n):
    """One of some deques that the trace knows, by a number of the run: what was done to it was lost."""
    known = {k: deque() for k in range(3)}
    one, other = deque(), deque()
    for k in range(n):
        known[k % 3].append(k)
        (one if k % 2 else other).append(k)
    return [known[k].popleft() if known[k] else -1 for k in range(3)], [list(q) for q in known.values()], len(one), list(other)


def letters_of_known_keys(n):
    known = {0: deque([None]), 1: deque([object])}
    for k in range(n):
        known[k % 2].append(str)
    return [len(q) for q in known.values()]


def box_missing(n):
    rows = {k: deque([k]) for k in range(n)}
    return sum([rows[k].popleft() for k in range(n + 1)])


def boxes_that_leave(n):
    rows = [deque([k]) for k in range(n)]
    rows[n // 2].extend("ab")
    return rows, {k: q for k, q in enumerate(rows)}


CASES: dict[Any, list[tuple[Any, ...]]] = {
    queue: [(5,), (200,), (0,)],
    both_ends: [(3,), (200,)],
    many_left: [(2,), (101,), (300,)],
    bounded: [(REAL, 0.5), ([1.0], 2.0)],
    no_room: [(9,)],
    sliding: [(REAL, 7), (REAL, 1)],
    search: [(GRID,)],
    too_many: [(1,), (12,)],
    too_many_right: [(12,)],
    out_of_range: [(12,)],
    changed_meanwhile: [(5,), (20,)],
    known_changed_meanwhile: [(12,)],
    known_dict_changed_meanwhile: [(12,)],
    looked_up: [(4,), (5,)],
    written: [(12,), (40,)],
    rotated: [(12, 9), (1, 9), (30, 20)],
    josephus: [(41, 3), (12, 7)],
    exchanged: [(12,), (60,)],
    copied: [(12,)],
    extended: [(12, REAL)],
    kinds: [(12,)],
    of_texts: [(12,)],
    of_lists: [(60,), (1,)],
    changed_inside: [(40,)],
    not_there: [(12,)],
    removed_floats: [(12,)],
    by_python: [(20,)],
    boxes: [(7,), (40,)],
    rows_of_deques: [(7,), (40,)],
    boxes_of_known_keys: [(2,), (7,)],
    letters_of_known_keys: [(3,), (9,)],
    box_missing: [(4,)],
    boxes_that_leave: [(4,), (9,)],
}


@pytest.mark.parametrize("program", list(CASES))
def test_program_agrees_with_python(program: Any) -> None:
    assert_agrees(program, *CASES[program])


@pytest.mark.parametrize("program", [boxes, boxes_of_known_keys, box_missing])
def test_deques_in_containers_call_nothing(program: Any) -> None:
    compiled = ag.compile(program, fallback="error")
    assert "host calls    none" in compiled.explain(12)


def test_deques_of_lists_call_nothing() -> None:
    compiled = ag.compile(of_lists, fallback="error")
    compiled(60)
    assert "host calls    none" in compiled.explain(60)
    graph = str(ag.compile(changed_inside, fallback="error").graph(12))
    assert graph.count("host_call()") + graph.count("host_call(%") == graph.count('"deque.remove"')  # the error alone
