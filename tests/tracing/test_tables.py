"""Dicts and sets whose keys only the run knows are tables of compiled code: Python's results, order and errors, and no call of Python."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime import program
from tests.tracing.agreement import assert_agrees

NUMBERS = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, -1, -2, 40, 41, 3])


def agrees_natively(function: Callable[..., Any], *calls: Any) -> Any:
    """Compiled code does what Python does, without a call of Python; the compiled function, called once."""
    assert_agrees(function, *calls)
    compiled = ag.compile(function, fallback="error")
    compiled(calls[0])
    explained = str(compiled.explain(calls[0]))
    assert "host calls    none" in explained or "host calls" not in explained
    return compiled


def count(x: Any) -> Any:
    counts = {}
    for value in x:
        counts[value] = counts.get(value, 0) + 1
    return counts


def pairs(x: Any) -> Any:
    found = {}
    for i in range(len(x) - 1):
        found[int(x[i]), x[i + 1] * 0.5] = i
    return found, (3, 0.5) in found, found.get((1, 9.0), -1)


def removed(x: Any) -> Any:
    kept = {}
    total = 0
    for i in range(len(x)):
        key = int(x[i]) % 5
        if key in kept:
            total += kept.pop(key)
        kept[key] = i
        kept.pop(i, None)
        if len(kept) > 3:
            del kept[min(kept)]
    return total, kept, list(kept.items()), sum(kept.values())


def many_removed(x: Any) -> Any:
    queue = {}
    for i in range(300):
        queue[i] = i * i
        if i >= 5:
            del queue[i - 5]
    return queue, [key for key in queue]


def optional_values(x: Any) -> Any:
    parents = {int(x[0]): None}
    for i in range(1, len(x)):
        parents.setdefault(int(x[i]), int(x[i - 1]))
    return parents


def exchanged(x: Any) -> Any:
    ways = {0: 1}
    for value in x:
        after = {}
        for total, number in ways.items():
            for more in (0, int(value) % 4):
                after[total + more] = after.get(total + more, 0) + number
        ways = after
    return ways


def views(x: Any) -> Any:
    d = {}
    for i, value in enumerate(x):
        d[int(value)] = i
    e = d.copy()
    e[100] = 1
    d.update(e)
    doubled = {key: value * 2 for key, value in d.items() if value % 2}
    both = dict(zip(x.tolist(), range(len(x))))
    return list(d), max(d.values()), sorted(d.items()), 3 in d.keys(), len(d.values()), sorted(d.keys() - {3, 1}), doubled, len(both)


def unique(x: Any) -> Any:
    seen = set()
    order = []
    for value in x:
        if int(value) not in seen:
            seen.add(int(value))
            order.append(int(value))
    return order, seen, len(seen), sum(seen)


def algebra(x: Any) -> Any:
    a = {int(value) for value in x}
    b = set(range(len(x)))
    c = set(x)
    joined = [*(a | b), -7, *(a & b), -7, *(a - b), -7, *(b - a), -7, *(a ^ b)]
    b |= a
    b -= {3, 4}
    b.discard(1000)
    return joined, a <= b, a == c, a.isdisjoint(b), a.issubset(c), list(b), len(c), b > a


def popped(x: Any) -> Any:
    left = set()
    for value in x:
        left.add(int(value) * 37 % 61)
    order = []
    while left:
        order.append(left.pop())
        left.discard(order[-1] + 1)
    return order


def life(n: Any) -> Any:
    alive = {(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)}
    for _ in range(n):
        counts = {}
        for i, j in alive:
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di or dj:
                        counts[i + di, j + dj] = counts.get((i + di, j + dj), 0) + 1
        after = set()
        for cell, number in counts.items():
            if number == 3 or number == 2 and cell in alive:
                after.add(cell)
        alive = after
    return alive, len(alive)


def remembered(n: Any) -> Any:
    known = {1: 0}
    best = 0
    for start in range(1, n):
        k = start
        steps = 0
        while k not in known:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
        known[start] = steps + known[k]
        best = max(best, known[start])
    return best, known


def distances(n: Any) -> Any:
    far = {0: 0}
    front = [0]
    while front:
        later = []
        for u in front:
            for v in (u * 2 % n, (u + 7) % n):
                if v not in far:
                    far[v] = far[u] + 1
                    later.append(v)
        front = later
    return far


def from_a_start(start: Any) -> Any:
    far, seen, named = {start: 0}, {start}, {start + 1: 2.5, start: 0.5, 4: 1.0}
    front = [(0, start)]
    while front:
        steps, u = front.pop()
        for v in (u * 2 % 30, (u + 7) % 30):
            if v not in far or steps + 1 < far[v]:
                far[v] = steps + 1
                seen.add(v)
                front.append((steps + 1, v))
    return far, len(seen), named


def defaults(x: Any) -> Any:
    sums = defaultdict(float)
    for value in x:
        sums[int(value) % 3, 1] += value
    counted = Counter()
    for value in x:
        counted[int(value) % 4] += 1
    return sums, counted, counted[77], Counter(x).total()


def same_keys(x: Any) -> Any:
    d = {}
    for value in x:
        d[int(value)] = 1
    return True in d, None in d, "3" in d, d.get("3", 7), (1, 2) in d


def items_popped(x: Any) -> Any:
    d, rows, out = {}, {}, []
    for i in range(len(x)):
        d[x[i] * 0.5], d[float("nan")] = i, -1
        rows.setdefault(int(x[i]) % 5, []).append(i)
        if i % 3 == 0:
            d.pop(x[i - 1] * 0.5, None)
        if i % 4 == 3:
            out.append(d.popitem()[1])
    while rows:
        key, row = rows.popitem()
        out.append(key + sum(row))
    d.popitem()
    return out, list(d.values()), d.popitem()[1]


def put_together(x: Any) -> Any:
    a, b, c = {}, {}, defaultdict(int)
    for value in x:
        a[int(value)] = 1
        b[int(value) * 2] = 2.5
        c[int(value) // 2] += 2
    d = a.copy()
    d[3] = 0.5
    e = {3: 7, **a}
    e |= a
    orders = [list(each) for each in ({**a, 3: 4, **b, 100: 9}, a | b, e, {3: 9} | a)]
    return orders, {**a, **b}, {3: 9} | a, d, a | c, c | a, {**c}


def counted(x: Any) -> Any:
    a, b, base = Counter([int(value) % 5 for value in x]), Counter([int(value) // 3 for value in x]), Counter({3: 1, 99: 2})
    kept = a
    a += b
    c = Counter(a)
    c.subtract(b)
    c.update(a)
    made = a + c, base - b, c & b
    return [list(each.items()) for each in made], made[1], a == b, base >= a, kept is a, c.most_common(2)


def rows_of_the_library(x: Any) -> Any:
    follow, pairs = defaultdict(Counter), defaultdict(lambda: defaultdict(list))
    sums, plain = defaultdict(lambda: [0, 0.5]), {}
    for i in range(len(x) - 1):
        key, after = int(x[i]) % 4, int(x[i + 1]) % 4
        follow[key][after] += 1
        pairs[key][after].append(i)
        sums[key][0] += after
        if key not in plain:
            plain[key] = Counter()
        plain[key].update([after, i])
    best = {key: counts.most_common(1)[0][0] for key, counts in follow.items()}
    found = [(a, b, sum(row)) for a, rows in pairs.items() for b, row in rows.items()]
    return best, found, sums[9][1] + sums[0][0], plain[1][2], plain[1][77]


def compared(x: Any) -> Any:
    one, other = {}, {}
    for i in range(len(x)):
        one[int(x[i]), i % 2] = None if i % 3 else i
        other[int(x[-1 - i]), 1 - i % 2] = None if i % 3 else i
    found = [one == other, one != other, one == one.copy()]
    one[3, 0] = 77
    counts, counter, zeros, known = {}, Counter(), Counter([1, 1, 0]), {1: 1}
    for value in x:
        counts[int(value) % 2] = counts.get(int(value) % 2, 0) + 1
        counter[int(value) % 2] += 1
        found += [counts == zeros, zeros != counts, counts == known, known == counter, counter != {1: 2, 0: 1}, counter == counts]
    return found, one == other


def never_filled(x: Any) -> Any:
    d = {}
    for value in x:
        d.pop(int(value), None)
        d = d.copy()
    return list(d.items()), list(d), list(d.values())


def rows_that_leave(x: Any) -> Any:
    follow = defaultdict(Counter)
    for i in range(len(x) - 1):
        follow[int(x[i]) % 4][int(x[i + 1]) % 4] += 1
    return follow, follow[1], follow[77]


def ordered(x: Any) -> Any:
    cache, gone, plain = OrderedDict(), [], OrderedDict()
    for i in range(len(x) * 3):
        key = int(x[i % len(x)]) % 7
        plain[key] = i
        if key in cache:
            cache.move_to_end(key)
            cache[key].append(i)
        else:
            cache[key] = [i]
            if len(cache) > 4:
                gone.append(cache.popitem(last=False))
    plain |= {99: 3}
    gone.append(cache.popitem())
    plain.move_to_end(99)
    return cache, gone, list(plain.items()), plain.copy(), {77: 1} | plain, plain == dict(plain), dict(cache)


def ordered_by_python(x: Any) -> Any:
    cache, of_floats = OrderedDict(), OrderedDict()
    for value in x:
        cache[int(value)] = 1
        of_floats[value * 0.5] = 1
    of_floats.move_to_end(x[0] * 0.5)
    other = cache.copy()
    other.move_to_end(int(x[0]), last=False)
    return cache == other, of_floats, other


def first_keys(x: Any) -> Any:
    left, order = {}, []
    for value in x:
        left[int(value)] = left.pop(int(value), 0) + 1
    while left:
        key = next(iter(left))
        if left.pop(key) > 1:
            left[key + 100] = 1
        order.append(key)
    return order, next(iter(left), -1)


def counted_together(x: Any) -> Any:
    a, b, found = {int(value) for value in x}, set(range(len(x) // 2)), []
    for k in range(4):
        b.add(k * 5)
        found += [len(a & b), len(a | b), len(b | a), len(a & a)]
    return found, len({} | {k: 1 for k in range(3)}), len(a & set()), len(a | {-50})


class Named:
    def get(self, key: int, default: Any) -> Any:
        return [len(type(default).__name__)] if default == () else [key]


def nothing_by_default(x: Any) -> Any:
    """Look-ups with `()` of which nothing but the items is asked for."""
    near, found = {}, []
    for value in x:
        near.setdefault(int(value) % 7, []).append(int(value))
    for k in range(9):
        for other in near.get(k, ()):
            found.append(other)
        found.append(len(near.get(k, ())) + sum([other for other in near.get(k, ())]))
        if k in near.get(k, ()) or all(other > 3 for other in near.get(k, ())):
            found.append(-k)
        for length in Named().get(k, ()):
            found.append(length)
    return found, len({1: (2, 3)}.get(1, ())), sorted(near.get(50, ()))


def changed_behind_an_iterator(x: Any) -> Any:
    d = {}
    for value in x:
        d[int(value)] = 1
    keys = iter(d)
    first = next(keys)
    del d[int(x[1])]
    return first, next(keys)


def emptied(x: Any) -> Any:
    rounds, seen, never = 0, set(), set()
    for value in x:
        if value in seen:
            rounds += len(seen)
            seen = set()
        seen.add(value)
        if value > 100:
            never = set()
    return rounds, len(seen), 3 in never


ALONE = [  # fmt: skip
    counted_together, nothing_by_default, count, pairs, removed, many_removed, optional_values, exchanged, unique,
    algebra, popped, defaults, same_keys, items_popped,
]


def test_the_first_key_is_found_where_keys_were_removed_without_closing_gaps() -> None:
    graph = str(agrees_natively(first_keys, NUMBERS).graph(NUMBERS))
    assert "table_first" in graph


@pytest.mark.parametrize("function", [*ALONE, put_together, counted, rows_of_the_library, compared, ordered, emptied])
def test_tables_do_what_python_does_without_calling_it(function: Callable[..., Any]) -> None:
    agrees_natively(function, NUMBERS, np.arange(40) * 7 % 23 - 5)


def test_searches_and_recursions_over_tables_call_nothing() -> None:
    for function, calls in ((life, (9, 12)), (remembered, (30, 31)), (distances, (40, 41)), (from_a_start, (3, 4))):
        compiled = agrees_natively(function, *calls)
        compiled(calls[1])
        assert len(compiled.specializations) == 1


def test_one_item_more_needs_no_set_of_it() -> None:
    def one_more(x: Any) -> Any:
        found, sizes = set(), []
        for value in x:
            found = found | {int(value)}
            last = {int(value) * 3}
            wider = found | last
            last.add(40)
            sizes.append(len(wider | last))
        return found, sizes

    assert str(agrees_natively(one_more, NUMBERS).graph(NUMBERS)).count("table_insert") == 5


def test_sets_are_counted_together_without_a_new_one() -> None:
    def both(x: Any) -> Any:
        a, b = {int(value) for value in x}, {int(value) for value in x if value > 3}
        return len(a & b), len(a | b)

    assert str(agrees_natively(both, NUMBERS).graph(NUMBERS)).count("table_insert") == 2  # what makes the two sets


def test_views_give_what_python_gives() -> None:
    assert_agrees(views, NUMBERS)
    for function in (rows_that_leave, never_filled, ordered_by_python, changed_behind_an_iterator):
        assert_agrees(function, NUMBERS)


def missing(x: Any) -> Any:
    d = {}
    for value in x:
        d[int(value), 1] = value
    return d[2, 2]


def missing_item(x: Any) -> Any:
    s = set()
    for value in x:
        s.add(value * 0.5)
    s.remove(100.0)


def none_left(x: Any) -> Any:
    s = set()
    for value in x:
        s.add(int(value))
    while True:
        s.pop()


def no_entry_left(x: Any) -> Any:
    d = {}
    for value in x:
        d[int(value)] = 1
    while True:
        d.popitem()


def no_first_left(x: Any) -> Any:
    d = OrderedDict()
    for value in x:
        d[int(value)] = 1
    while True:
        d.popitem(last=False)


def not_to_end(x: Any) -> Any:
    d = OrderedDict()
    for value in x:
        d[int(value)] = 1
    d.move_to_end(77)


def moves(x: Any) -> Any:
    d = OrderedDict()
    for value in x:
        d[int(value)] = 1
    for key in d:
        d.move_to_end(key)


def grows(x: Any) -> Any:
    d = {}
    for value in x:
        d[int(value)] = 1
    for key in d:
        d[key + 100] = 2


def set_grows(x: Any) -> Any:
    s = set()
    for value in x:
        s.add(int(value))
    for item in s:
        s.add(item + 100)


def caught(x: Any) -> Any:
    d = {}
    total = 0
    for value in x:
        try:
            total += d[int(value)]
        except KeyError as error:
            d[int(value)] = error.args[0]
    return total, d


def test_errors_are_pythons() -> None:
    for function in (missing, missing_item, none_left, no_entry_left, no_first_left, not_to_end, moves, grows, set_grows, caught):
        assert_agrees(function, NUMBERS)


def test_keys_of_several_types_make_an_object_of_python() -> None:
    def f(x: Any) -> Any:
        d = {}
        for value in x:
            d[int(value)] = 1
            d[value * 0.5] = 2
        return d

    assert_agrees(f, NUMBERS)


def test_gradients_go_through_the_values_of_a_dict() -> None:
    def f(x: Any) -> Any:
        d = {}
        total = 0.0
        for i in range(len(x)):
            key = i * 5 % 7
            d[key] = d.get(key, 1.0) * x[i]
            if i % 3 == 2:
                total += d.pop(key) * i
            for k, value in d.items():
                total += value * (k + 1)
        return total * sum(d.values())

    x, step = np.linspace(0.3, 1.7, 9), 1e-6
    slopes = np.array([(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(9)])
    for found in (ag.grad(f)(x), ag.jacobian(ag.compile(f, fallback="error"))(x)):
        np.testing.assert_allclose(found, slopes, rtol=1e-6)


def test_a_trace_goes_on_to_find_all_containers_that_the_run_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def statistics(x: Any) -> Any:
        squares, halves, seen, kinds = [], [], {}, []
        for i in range(len(x)):
            squares.append(x[i] * x[i])
            halves.append(i // 2)
            seen[i % 3] = i
            kinds.append(1 if i else 2)
            kinds.append(0.5)
        return len(squares), sum(halves), len(seen), kinds[0] + kinds[1]

    begun: list[Any] = []
    trace_once = program.trace_once
    monkeypatch.setattr(program, "trace_once", lambda trace, *rest: begun.append(trace.decisions) or trace_once(trace, *rest))
    assert ag.compile(statistics, fallback="error")(np.arange(9.0)) == statistics(np.arange(9.0))
    assert len(begun) == 2 and len(begun[1]) == 5  # one kind of each container, and a second one of the last


def test_set_of_known_items_leaves_in_pythons_order() -> None:
    def made(words: tuple[str, ...]) -> Any:
        numbers, texts = set(), set()
        for item in (35, 59, 18, 7, 47):
            numbers.add(item)
            texts.add(str(item))
        for word in words:
            texts.add(word)
        return numbers, texts, set(words)

    for words in (("h", "e", "l", "o"), tuple("abcdefgh")):
        for found, expected in zip(ag.compile(made, fallback="error")(words), made(words), strict=True):
            assert list(found) == list(expected)


def keys_of_a_set_filled_later(n: int) -> Any:
    d: dict[Any, Any] = {}
    s: set[Any] = set()
    for i in range(n):
        s = set(s)
        d = {q: i * 0.25 for q in s}
    s.add((n % 5, 0))
    return list(d.items()), sorted(s)


def test_tuples_are_no_keys_as_rows_where_numbers_were_expected() -> None:
    assert_agrees(keys_of_a_set_filled_later, 20, 0, 3)
