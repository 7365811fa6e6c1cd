"""Tuples of which only the run knows how long they are: their items, keys made of them, columns of rows, star arguments."""

from __future__ import annotations

import copy
from collections import deque
from functools import cache
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees

pytestmark = pytest.mark.native

ROWS = [[k % 3, 1, k % 2][: k % 3 + 1] for k in range(70)]
LONG = [(k * 7) % 11 for k in range(70)]
WORDS = ["ab", "c", "ab", "", "xyz"] * 14


def parts(xs: Any) -> Any:
    t = tuple(xs)
    return t[3:5], t[::-1], t[-1], len(t), t * 2, t[:2] + (7,), (1, *t[:1]), bool(t[:0]), t.index(5), t.count(5)


def compared(xs: Any) -> Any:
    t, u = tuple(xs), tuple(xs[1:])
    return t == u, t != u, t < u, t >= t, t == list(t), t[:1] == (xs[0],), 5 in t, None in t


def keys(rows: Any) -> Any:
    seen: dict[Any, Any] = {}
    for row in rows:
        seen[tuple(row)] = seen.get(tuple(row), 0) + 1
    return seen, {tuple(row) for row in rows}, (0, 1) in seen, seen[0, 1]


def keys_of_pairs(rows: Any) -> Any:
    seen = set()
    for row in rows:
        seen.add((len(row), tuple([(v, -v) for v in row])))
    return len(seen), (1, ((0, 0),)) in seen


def keys_of_texts(words: Any) -> Any:
    groups: dict[Any, Any] = {}
    for word in words:
        groups.setdefault(tuple(sorted(word)), []).append(word)
    return groups


def keys_of_keys(rows: Any) -> Any:
    seen = {}
    grid = rows[:3]
    for k in range(9):
        state = tuple(map(tuple, grid))
        if state in seen:
            return k, seen[state]
        seen[state] = k
        grid = [[(3 * v + 1) % 4 for v in row] for row in grid]
    return None


def missing(rows: Any) -> Any:
    seen = {tuple(row): 1 for row in rows}
    return seen[tuple(rows[0]) + (5,)]


def beyond(xs: Any) -> Any:
    return tuple(xs)[len(xs) + 2]


def not_found(xs: Any) -> Any:
    return tuple(xs).index(1000)


def not_changed(xs: Any) -> Any:
    t: Any = tuple(xs)
    t[0] = 1
    return t


def no_list(xs: Any) -> Any:
    return tuple(xs) + xs


def not_unpacked(xs: Any) -> Any:
    a, b = tuple(xs)
    return a, b


def grown(xs: Any) -> Any:
    t: tuple[Any, ...] = ()
    for x in xs:
        if x % 2:
            t = t + (x,)
        elif t and x % 3 == 0:
            t = t[1:]
    return t


def chosen(xs: Any) -> Any:
    a, b, total = tuple(xs), tuple(xs[:3]), 0
    for k in range(20):
        c = a if xs[k] > 4 else b
        total += c[k % len(c)] + (c == a)
    return total, c


def columns(rows: Any) -> Any:
    square = [row * 3 for row in rows]
    return [sum(column) for column in zip(*square)], list(zip(*square))[:1], list(map(list, zip(*square)))


def columns_of_pairs(rows: Any) -> Any:
    xs, ys = zip(*[(len(row), 0.5 * row[0]) for row in rows])
    return max(xs), sum(ys), xs[:3], [len(column) for column in zip(*[(row[0], row[0]) for row in rows])]


def columns_of_nothing(rows: Any) -> Any:
    pairs = [(row[0], 1) for row in rows if row[0] > 100]
    x, y = zip(*pairs)
    return x, y


def rows_of_changing_length(rows: Any) -> Any:
    made = []
    for column in zip(*rows):
        made.append(column)
        rows[3].append(5)
        rows[0].append(5)
    return made


def held(rows: Any) -> Any:
    queue = deque([tuple(rows[0])])
    for row in rows:
        queue.append(tuple(row) + queue[0][:1])
        if len(queue) > 5:
            queue.popleft()
    kept = sorted(queue)
    return kept, max(queue), [*queue[1]], {0: queue[2]}, kept.count((1, 1, 1)), (1, 1, 1) in kept


def total_of(*items: Any) -> Any:
    total = 0
    for item in items:
        total += item
    return total, len(items)


def after_first(first: Any, *rest: Any) -> Any:
    return first, rest


def spread(rows: Any) -> Any:
    return [total_of(*row) for row in rows[:5]], after_first(1, *rows[2]), total_of(*rows[1], 7, *rows[2])


def sliced_constant(xs: Any) -> Any:
    order, n = (5, 3, 1, 2, 0), 0
    for x in xs:
        n = (n + x) % 5
    empty: tuple[int, ...] = ()
    return order[:n], order[n:], empty[n:], (*(order * n), 1), (*(empty * n), n)


def taken(t: Any) -> Any:
    total = 0
    for k in range(40):
        total += t[k * 7 % len(t)]
    first, *others = t
    return total, first, others, t[1:3], (*t[:2], 5), {t[:2]: 1}, 5 in t, max(t), np.array(t).sum(), np.zeros(t[3:5]).shape


def pairs_taken(t: Any) -> Any:
    return sum(a * b for a, b in t), t[7], (3, 1.5) in t, list(zip(*t))[1][:2]


def grid_taken(t: Any) -> Any:
    return sum(t[i][j] for i in range(len(t)) for j in range(len(t[0]))), t[2], [row[:2] for row in t], (0,) * 12 in t


def rows_taken(rows: Any) -> Any:
    rows.append((9, 9, 9))
    rows[0] = rows[3]
    rows.sort()
    return sum(v for row in rows for v in row), max(rows), rows.count((0, 1)), {row: 1 for row in rows}, rows


def rows_left_by_an_error(rows: Any) -> Any:
    for k in range(len(rows)):
        if k == 50:
            raise ValueError(rows[k])
        rows[k] = rows[k] + (1,)


def entries_taken(d: Any) -> Any:
    d[7, 7] = (1, 2, 3)
    d[()] += (5,)
    return sum(len(key) * sum(value) for key, value in d.items()), (0, 1) in d, d[0, 1, 2], d.get((5,))


def best_of(xs: Any) -> Any:
    @cache
    def best(t: Any) -> Any:
        return max(t[0] + best(t[2:]), best(t[1:])) if t else 0

    return best(tuple(xs[:20])), tree_of(tuple(xs[:9]), {})


def tree_of(t: Any, known: Any) -> Any:
    if len(t) < 2:
        return len(t)
    if t not in known:
        known[t] = tree_of(t[1:], known) + tree_of(t[2:], known)
    return known[t]


class Both:
    """A class whose parts are all given what `*rest` takes."""

    def __new__(cls, *rest: Any) -> Any:
        made = object.__new__(cls)
        made.count = len(rest)
        return made

    def __init__(self, *rest: Any) -> None:
        self.rest = rest[:2]


def one_more(*rest: Any) -> Any:
    for item in rest:
        yield item + 1


def spread_everywhere(xs: Any) -> Any:
    made = Both(*xs)
    return made.count, made.rest, list(one_more(*xs)), next(one_more(*xs)), (lambda *rest, **named: (len(rest), named))(*xs, z=1)


def no_such_parameter(xs: Any) -> Any:
    return (lambda *rest: len(rest))(*xs, rest=3)  # type: ignore[call-arg]


def too_often(xs: Any) -> Any:
    return tuple(xs) * 10**30


@table("key", [lambda xs: 1.5, lambda xs: xs[0] * 0.5, lambda xs: "a", lambda xs: None, lambda xs: (1, 2)])
def test_tuple_is_not_indexed_by_anything_else_than_an_int(key: Any) -> None:
    assert_agrees(lambda xs: tuple(xs)[key(xs)], LONG)


@table(
    "function, arguments",
    [
        *[(f, (LONG,)) for f in (parts, compared, beyond, not_found, not_changed, no_list, not_unpacked, grown, chosen, best_of)],
        *[(f, (LONG,)) for f in (sliced_constant, spread_everywhere, no_such_parameter, too_often)],
        *[(f, (ROWS,)) for f in (keys, keys_of_pairs, keys_of_keys, missing, columns, columns_of_pairs, columns_of_nothing)],
        *[(f, (ROWS,)) for f in (rows_of_changing_length, held, spread)],
        *[(keys_of_texts, (WORDS,)), (taken, (tuple(LONG),)), (taken, (tuple(WORDS),))],
        *[(f, ([tuple(range(k % 5)) for k in range(70)],)) for f in (rows_taken, rows_left_by_an_error)],
        (entries_taken, ({tuple(range(k)): tuple(range(k % 6)) for k in range(70)},)),
        (pairs_taken, (tuple((k, 0.5 * k) for k in range(70)),)),
        (grid_taken, (tuple(tuple(i * j % 3 for j in range(12)) for i in range(12)),)),
    ],
)
def test_tuple_is_what_it_is_in_python(function: Any, arguments: Any) -> None:
    assert_agrees(function, *arguments)


@table(
    "function, argument",
    [(parts, LONG), (grown, LONG), (chosen, LONG), (best_of, LONG), (keys, ROWS), (keys_of_keys, ROWS), (columns, ROWS), (spread, ROWS)],
)
def test_tuple_is_compiled_codes(function: Any, argument: Any) -> None:
    assert "host calls    none" in ag.compile(function, fallback="error").explain(copy.deepcopy(argument))


def test_long_tuple_among_the_arguments_is_data_and_itself() -> None:
    compiled = ag.compile(lambda t: (t, sum(t)), fallback="error")
    for n in (70, 90):
        given = tuple(range(n))
        found, total = compiled(given)
        assert found is given and total == sum(given)
    assert len(compiled.specializations) == 1
    assert compiled([3] * 70) == ([3] * 70, 210)


def test_whether_two_tuples_are_one_object_is_pythons_to_say() -> None:
    def f(xs: Any) -> Any:
        t, u = tuple(xs), tuple(xs)
        return t is t, tuple(t) is t, t is None, t is u

    with pytest.raises(ag.ConversionError, match="`is` between values of type tuple"):
        ag.compile(f, fallback="error")(LONG)
    assert ag.compile(f)(LONG) == f(LONG)


def test_tuple_of_a_tuple_is_that_tuple() -> None:
    def f(t: Any, x: float) -> Any:
        made = (x, 2.0)
        return tuple(t) is t, tuple(made) is made

    assert_agrees(f, ((1, 2.0), 3.0), (("a",), 1.0))


def test_a_key_of_any_length_that_is_missing_in_a_known_dict_is_the_programs_error() -> None:
    def seen_before(rows: dict[int, list[int]], n: int) -> int:
        seen, key, total = {(): 1}, (), 0
        for i in range(n):
            total += seen[key]
            key = tuple(rows[i])
        return total

    rows = {i: [i * j for j in range(i % 4)] for i in range(70)}
    assert_agrees(seen_before, (rows, 2), (rows, 5))


def users_of(tasks: Any) -> Any:
    users: dict[str, list[str]] = {}
    for name, _, others in tasks:
        for other in others:
            users.setdefault(other, []).append(name)
    return users


def in_order(tasks: Any) -> Any:
    known, done = {task[0]: task for task in tasks}, []

    def visit(name: str) -> None:
        if name not in done:
            for other in known[name][2]:
                visit(other)
            done.append(name)

    for task in tasks:
        visit(task[0])
    return done, known


def largest(tasks: Any) -> Any:
    best = max(tasks, key=lambda task: len(task[2]))
    return best, tasks.index(best), best in tasks, [task for task in tasks if len(task[2]) > 1]


def changed(tasks: Any) -> Any:
    tasks.append(("new", 1, ("x", "y")))
    tasks.pop(0)
    return tasks[2], len(tasks)


def tasks_of(count: int) -> list[tuple[str, int, tuple[str, ...]]]:
    return [(f"t{i}", i * 7 % 5, tuple(f"t{j}" for j in range(i) if (i + j) % 5 == 0)) for i in range(count)]


@table("function", [users_of, in_order, largest, changed])
def test_arguments_with_tuples_of_any_length_in_their_items(function: Any) -> None:
    assert_agrees(function, tasks_of(30), tasks_of(12))
    compiled = ag.compile(function, fallback="error")
    for tasks in (tasks_of(30), tasks_of(45)):
        assert compiled(copy.deepcopy(tasks)) == function(tasks)
    explained = compiled.explain(tasks_of(20))
    assert "the items of tasks are of type tuple[str, int, tuple[str, ...]]" in explained and "1 program" in explained


def test_a_tuple_of_another_type_among_tuples_of_any_length_is_seen() -> None:
    compiled = ag.compile(users_of, fallback="error")
    assert compiled(tasks_of(30)) == users_of(tasks_of(30))
    for odd in (("a", 1, ("t1", 2)), ("a", 1, ["t1"]), ("a", 1, (None,))):
        assert compiled([*tasks_of(30), odd]) == users_of([*tasks_of(30), odd])


def same_constants(n: Any) -> Any:
    one, x, found = (1, 2), None, 0
    for _ in range(n):
        if x is one:
            found += 1
        x = one
    return found


def same_object(n: Any) -> Any:
    one, x, found = (1, 2), object() if n > 100 else n, 0
    for _ in range(n):
        if x is one:
            found += 1
        x = one
    return found, str(x)


def different(n: Any) -> Any:
    one, x, nothing, found = (1, 2), (3, 4), (), 0
    for k in range(n):
        if x is one:
            found += 1
        if k > 3:
            x = None
    return found, one is one, nothing is nothing, one is nothing


def test_tuples_that_paths_have_put_together_again_are_not_told_apart() -> None:
    """They were two objects, where Python has one."""
    for program in (same_constants, same_object):
        with pytest.raises(ag.ConversionError, match="`is` between values of type tuple"):
            ag.compile(program, fallback="error")(5)
        with pytest.warns(UserWarning, match="runs in Python"):
            assert ag.compile(program)(5) == program(5)
    assert ag.compile(different, fallback="error")(5) == different(5)
