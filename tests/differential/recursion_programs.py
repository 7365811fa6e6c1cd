"""Programs with recursion that the data end, of local functions, and with decorators that keep state."""

from __future__ import annotations

import functools

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def fl(*values):
    return np.array(values, dtype=float)


def it(*values):
    return np.array(values, dtype=np.int64)


@program(lambda: (it(4, 2, 7, 1),), lambda: (it(3),), lambda: (it(),))
def calls_counted_in_recursion(n):
    calls = 0
    deepest = 0.0

    def down(k, depth):
        nonlocal calls, deepest
        calls += 1
        if depth > deepest:
            deepest = depth
        if k <= 1:
            return 1
        if k % 2:
            return down(k - 1, depth + 1) + down(k // 2, depth + 1)
        return down(k // 2, depth + 1) + 1

    return [down(int(v) * 3, 0) for v in n], calls, deepest


@program(lambda: (fl(3, 1, 2, 5, 4),), lambda: (fl(3),), lambda: (fl(),))
def quicksort_in_place(x):
    swaps = []

    def sort(lo, hi):
        if lo >= hi:
            return
        pivot = x[hi]
        i = lo
        for j in range(lo, hi):
            if x[j] < pivot:
                x[i], x[j] = x[j], x[i]
                swaps.append((i, j))
                i += 1
        x[i], x[hi] = x[hi], x[i]
        sort(lo, i - 1)
        sort(i + 1, hi)

    sort(0, len(x) - 1)
    return x, len(swaps), swaps[:2]


@program(
    lambda: (it(5, 6),),
    lambda: (it(0, 1),),
    lambda: (
        it(
            9,
        ),
    ),
)
def two_local_functions_recur(n):
    scale = 2
    log = {}

    def even(k):
        log[k] = log.get(k, 0) + 1
        return scale if k == 0 else odd(k - 1)

    def odd(k):
        return -scale if k == 0 else even(k - 1)

    return [even(int(v)) for v in n], sorted(log.items())


@program(
    lambda: (it(5, 6, 0),),
    lambda: (
        it(
            -1,
        ),
    ),
)
def recursion_that_raises(n):
    seen = []

    def walk(k, path=()):
        if k < 0:
            raise ValueError(f"negative after {len(path)}")
        seen.append(k)
        if k == 0:
            return len(path)
        return walk(k - 2, (*path, k))

    out = []
    for v in n:
        try:
            out.append(walk(int(v)))
        except ValueError as error:
            out.append(str(error))
    return out, seen


def counted_by(table):
    def apply(fn):
        @functools.wraps(fn)
        def inner(*args):
            table[fn.__name__] = table.get(fn.__name__, 0) + 1
            return fn(*args)

        inner.cache = []
        return inner

    return apply


@program(lambda: (fl(1, -2, 3),), lambda: (fl(-1),), lambda: (fl(),))
def decorators_keep_nothing_between_calls(x):
    table = {}

    @counted_by(table)
    def positive(v):
        if v > 0:
            positive.cache.append(v)
        return v

    class Kept:
        rows = []

        @counted_by(table)
        def add(self, v):
            self.rows.append(v)
            return len(self.rows)

    k = Kept()
    total = 0.0
    for v in x:
        total += positive(v)
        if v > 2:
            k.add(v)
    return total, table, positive.cache, k.rows, positive.__name__


@program(lambda: (it(12, 18),), lambda: (it(7, 0),), lambda: (it(0, 0),))
def recursion_by_data_local(n):
    def g(a, b):
        return a if b == 0 else g(b, a % b)

    depth = 0

    def d(k):
        nonlocal depth
        depth += 1
        if k > 1:
            return d(k // 2) + 1
        return 0

    return g(int(n[0]), int(n[1])), d(int(n[0])), depth


def memo(fn):
    table = {}

    @functools.wraps(fn)
    def wrapper(*args):
        if args not in table:
            table[args] = fn(*args)
        return table[args]

    wrapper.table = table
    return wrapper


@program(lambda: (it(5, 3),), lambda: (it(0, 1),))
def recursion_memo_local(n):
    memo = {}

    def ways(k):
        if k < 0:
            return 0
        if k == 0:
            return 1
        if k in memo:
            return memo[k]
        memo[k] = ways(k - 1) + ways(k - 2) + ways(k - 3)
        return memo[k]

    return [ways(int(v)) for v in n], len(memo), sorted(memo)


@program(lambda: (it(4, 2, 7, 1),), lambda: (it(3),), lambda: (it(),))
def tree_of_dicts(n):
    root = None

    def insert(node, v):
        if node is None:
            return {"v": v, "l": None, "r": None}
        if v < node["v"]:
            node["l"] = insert(node["l"], v)
        else:
            node["r"] = insert(node["r"], v)
        return node

    for v in n:
        root = insert(root, int(v))
    out = []

    def walk(node):
        if node is not None:
            walk(node["l"])
            out.append(node["v"])
            walk(node["r"])

    walk(root)
    return out


@program(lambda: (it(5, 7),), lambda: (it(0, 1),))
def memo_decorator_with_static_keys(n):
    calls = []

    @memo
    def paths(r, c):
        calls.append((r, c))
        return 1 if r == 0 or c == 0 else paths(r - 1, c) + paths(r, c - 1)

    return paths(3, 3) * n, len(calls), len(paths.table)


@program(lambda: (it(5, 7),), lambda: (it(0, 1),))
def memo_decorator_with_data_keys(n):
    calls = []

    @memo
    def square(v):
        calls.append(v)
        return v * v

    return [square(int(k)) for k in n] + [square(5)], calls


@program(lambda: (fl(1, 2, 3),), lambda: (fl(-5, 2),))
def decorators_with_state(x):
    log = []

    def logged(level):
        def deco(fn):
            @functools.wraps(fn)
            def inner(*a, **k):
                log.append((level, fn.__name__, len(a)))
                r = fn(*a, **k)
                log.append(r > 0)
                return r

            return inner

        return deco

    @logged("info")
    @logged("debug")
    def f(v, w=1):
        return v * w

    out = 0.0
    for v in x:
        out += f(v) + f(v, w=2)
    return out, log


@program(lambda: (it(7, 27, 97),), lambda: (it(1),))
def deep_recursion_with_new_numbers_in_every_call(x):
    def steps(n, depth):
        return depth if n == 1 else steps(n // 2 if n % 2 == 0 else 3 * n + 1, depth + 1)

    return [steps(int(v), 0) for v in x]


@program(lambda: (np.array([0.3, 1.9, 0.7]),), lambda: (np.array([-1.0, 0.2, 2.5]),))
def variable_of_a_loop_assigned_by_a_function_of_its_trip(x):
    r = 0.5
    k = 0

    def keep(t):
        nonlocal r
        r = 0.5 * r + 0.3 * t

    while r > 0.1 and k < 6:

        def choose(t):
            if t < -0.6:
                return 0.0
            keep(t)
            return r

        k += choose(x[k % 3]) > 0.3 or 2
    return r, k


@program(lambda: (np.array([0.3, 1.9, 0.7]),), lambda: (np.array([-1.0, 0.2, 2.5]),))
def variable_of_a_loop_over_a_list_that_grows(x):
    r = 0.5

    def keep(t):
        nonlocal r
        r = r * 0.5 + t

    items = [x[0], x[1]]
    for v in items:

        def choose(t):
            if t < -0.6:
                return
            keep(t)

        choose(v)
        if len(items) < 5 and r > 0.1:
            items.append(r)
    return r, len(items)


@program(lambda: (np.array([0.3, 1.9, 0.7]),), lambda: (np.array([-1.0, 0.2, 2.5]),))
def variables_assigned_in_handlers_of_inner_functions(x):
    r, n = 0.5, 0

    def keep(t):
        nonlocal r, n
        r = r * 0.5 + t
        n += 1

    def outer(a):
        def choose(t):
            if t < -0.6:
                return False
            try:
                keep(t)
                if t > 2:
                    raise ValueError
            except ValueError:
                keep(1.0)
            return True

        while n < 4:
            if not choose(a):
                break
            choose(a + n)
        return n

    for v in x:
        outer(v)
    return r, n
