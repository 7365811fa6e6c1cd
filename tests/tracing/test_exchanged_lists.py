"""Lists that branches and loops exchange for others: references in compiled code, one list under all its names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees


def edit_distance(a: Any, b: Any) -> Any:
    prev = [0] * (len(b) + 1)
    for j in range(len(b) + 1):
        prev[j] = j
    for i in range(1, len(a) + 1):
        cur = [i] + [0] * len(b)
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                cur[j] = prev[j - 1]
            else:
                cur[j] = 1 + min(prev[j - 1], prev[j], cur[j - 1])
        prev = cur
    return prev[len(b)]


def two_rows_that_change_places(a: Any, b: Any) -> Any:
    prev, cur = list(range(len(b) + 1)), [0] * (len(b) + 1)
    for i in range(1, len(a) + 1):
        cur[0] = i
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            cur[j] = min(prev[j - 1] + cost, prev[j] + 1, cur[j - 1] + 1)
        prev, cur = cur, prev
    return prev, cur, prev is cur


def pascal(n: int) -> Any:
    row = [1]
    for _ in range(n):
        following = [1]
        for k in range(len(row) - 1):
            following.append(row[k] + row[k + 1])
        following.append(1)
        row = following
    return row


def layers(n: int) -> Any:
    frontier, depth, total = [0], 0, 0
    while frontier:
        reached = []
        for node in frontier:
            total += node
            for child in (2 * node + 1, 2 * node + 2):
                if child < n:
                    reached.append(child)
        frontier = reached
        depth += 1
    return depth, total, frontier


def chosen_by_the_data(n: int) -> Any:
    first, second = [1] * n, [2] * (n + 1)
    for i in range(n):
        target = first if i % 3 else second
        target[i] = 10 * i
        target.append(i)
    return first, second, target is first, target is second, len(target)


def name_of_a_row_before(n: int) -> Any:
    prev = [0] * n
    kept = prev
    for i in range(n):
        before = prev
        prev = [i] * n
        before.append(-1)
        if i == 2:
            kept = before
            kept.append(7)
    return prev, kept, kept is prev, before


def same_list_twice(n: int) -> Any:
    a, b = [0] * n, [1] * n
    for i in range(n):
        a, b = b, a
        if i == 3:
            b = a
    a.append(5)
    return a, b, (a, b), a is b


def no_trips(n: int) -> Any:
    rows = [3] * 5
    for i in range(n - n):
        rows = [i] * n
    rows[2] = n
    return rows


def ints_then_floats(n: int) -> Any:
    row = [1] * n
    for i in range(n):
        made = [0] * n
        for j in range(n):
            made[j] = row[j] * 0.5 if i > 2 else row[j] + 1
        row = made
    return row


def pairs(n: int) -> Any:
    best = [(0, 0.5)] * n
    for i in range(n):
        found = []
        for j, (count, weight) in enumerate(best):
            found.append((count + j, weight * 2) if j % 2 else (count, weight))
        best = found
    return best, best[1][0], [weight for _, weight in best]


def optional_items(n: int) -> Any:
    known: list[Any] = [None] * n
    for i in range(n):
        following: list[Any] = [None] * n
        for j in range(n):
            if known[j] is None:
                if (i + j) % 3 == 0:
                    following[j] = i
            else:
                following[j] = known[j] + 1
        known = following
    return known, known.count(None)


def slices_and_copies(n: int) -> Any:
    a = [0] * n
    for i in range(n):
        b = a[1:] + [i]
        c = b[:]
        c[0] = 100
        a = c if i % 4 == 3 else b
    return a, b, c, a[::-2], a == b, a != c


def popped(n: int) -> Any:
    stack, other, total = [n], [n + 1], 0
    while stack or other:
        if not stack:
            stack, other = other, stack
        k = stack.pop()
        total += k
        if k > 0:
            other.append(k - 1)
            if k % 3 == 0:
                stack.insert(0, k // 3)
    return total, stack, other


def undefined_before(n: int) -> Any:
    for i in range(n):
        rows = [i] * n
        if i > 3:
            break
    return rows


def none_before(n: int) -> Any:
    last = None
    for i in range(n):
        if last is not None:
            last.append(i)
        if i % 2 == 0:
            last = [i]
    return last


def in_attributes(n: int) -> Any:
    class Grid:
        def __init__(self, n: int) -> None:
            self.now, self.then = [1] * n, [0] * n

        def step(self) -> None:
            for j in range(len(self.now)):
                self.then[j] = self.now[j - 1] + self.now[j]
            self.now, self.then = self.then, self.now

    grid = Grid(n)
    for _ in range(n):
        grid.step()
    return grid.now, grid.then


def in_tuples_and_dicts(n: int) -> Any:
    both = ([0] * n, [1] * n)
    named = {"x": both[0], "y": both[1]}
    for i in range(n):
        both = (both[1], both[0])
        both[0][i] = i
        named["x"], named["y"] = named["y"], named["x"]
    return both, named["x"], named["x"] is both[0], named["y"] is both[0]


def by_a_function(n: int) -> Any:
    def step(row: Any, i: int) -> Any:
        if i % 2:
            return row
        return [each + 1 for each in row]

    row, seen = [0] * n, 0
    for i in range(n):
        after = step(row, i)
        seen += after is row
        row = after
    return row, seen


def grows_under_another_name(n: int) -> Any:
    a, b = [1, 2, 3] * n, [0]
    for i in range(3):
        if i != 1:
            b = a
        count = 0
        for x in a:
            if count < 5:
                b.append(x)
            count += 1
        a = [count, i, len(b)] * n
    return a, b, count


def in_a_try(n: int) -> Any:
    row, failed = [0] * n, 0
    for i in range(2 * n):
        following = [each + 1 for each in row]
        try:
            following[i] = -i
            row = following
            row[i + 1] = 0
        except IndexError:
            failed += 1
            row.append(failed)
    return row, following, row is following


def extended_by_another(n: int) -> Any:
    a, b = [1], [0.5] * n
    for i in range(n):
        a += b[:2]
        b.extend(a)
        b += b
        if i % 2:
            a, b = b, [i]
    return a, b


def cleared_and_reversed(n: int) -> Any:
    a, b = list(range(n)), [9]
    for i in range(n):
        if i % 2:
            a.reverse()
            a, b = b, a
        if i % 5 == 4:
            b.clear()
        b.append(i)
        a += [i]
    return a, b


def iterated(n: int) -> Any:
    a, b, total = list(range(n)), [2] * n, 0
    for i in range(n):
        for x, y in zip(a, b):
            total += x * y
        total += sum(a) - max(b) + len(a) + (3 in b)
        a, b = b, [total % 7 for _ in range(n)]
    return total, a, b


def bools_then_none(n: int) -> Any:
    flags: list[Any] = [False] * n
    for i in range(n):
        made: list[Any] = []
        for flag in flags:
            made.append(not flag if i % 2 else flag)
        if i == 4:
            made[0] = None
        flags = made if i < 5 else [True] + made
    return flags


def emptied_and_filled(n: int) -> Any:
    sizes, batch, pairs, rest = [], [], [], []
    for i in range(3 * n):
        if i * i % 7 > 2:
            sizes.append(len(batch))
            batch = []
        batch.append(i * i % 7)
        if i % 5 == 4:
            pairs = []
        pairs.insert(0, (i, 0.5 * i))
        if i % 4 == 3:
            rest.clear()
        rest.append(i)
    return sizes, batch, pairs, rest


def emptied_under_another_name(n: int) -> Any:
    group, last, total = [], [], 0
    for i in range(3 * n):
        if i % 4 == 3:
            last, group = group, []
        for each in last:
            total += each
        group.append(-i)
        last.append(i)
    return group, last, total, group is last


PROGRAMS = [
    emptied_and_filled, emptied_under_another_name,
    pascal, layers, chosen_by_the_data, name_of_a_row_before, same_list_twice, no_trips, ints_then_floats, pairs, optional_items,
    slices_and_copies, popped, undefined_before, none_before, in_attributes, in_tuples_and_dicts, by_a_function,
    grows_under_another_name, in_a_try, extended_by_another, cleared_and_reversed, iterated, bools_then_none,
]  # fmt: skip
NATIVE = [program for program in PROGRAMS if program not in (in_tuples_and_dicts, iterated, optional_items, slices_and_copies)]
each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)


@each_program
def test_program_agrees_with_python(program: Callable[[int], Any]) -> None:
    assert_agrees(program, 6, 9, 5)


@pytest.mark.parametrize("program", [edit_distance, two_rows_that_change_places], ids=lambda program: program.__name__)
def test_rows_of_a_table_agree_with_python(program: Callable[[Any, Any], Any]) -> None:
    x, y = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5]), np.array([2, 7, 1, 8, 2, 8, 1])
    assert_agrees(program, (x, y), (y, x), (x[:0], y), (x, y[:0]), ("kitten", "sitting"), ([1, 2, 3], [2, 3]))


@pytest.mark.parametrize("program", NATIVE, ids=lambda program: program.__name__)
def test_program_runs_without_python(program: Callable[[int], Any]) -> None:
    assert "host_call" not in str(ag.compile(program, fallback="error").graph(9))


def test_rows_of_a_table_run_without_python() -> None:
    for x in (np.arange(9), list(range(9))):
        for program in (edit_distance, two_rows_that_change_places):
            assert "host_call" not in str(ag.compile(program, fallback="error").graph(x, x))


@pytest.mark.parametrize("n", [5, 9])
def test_one_list_leaves_as_one_object(n: int) -> None:
    for function in (same_list_twice, name_of_a_row_before):
        found, expected = ag.compile(function, fallback="error")(n), function(n)
        assert (found[0] is found[1]) == (expected[0] is expected[1])
    a, b, (c, d), _ = ag.compile(same_list_twice, fallback="error")(n)
    assert a is b is c is d


def test_joined_lists_of_known_length_leave_as_one_object() -> None:
    def carried(n: int) -> Any:
        a, b = [1, 2], [3, 4]
        for _ in range(n):
            a = b
        return a, b

    def chosen(n: int) -> Any:
        a, b = {"u": 1}, {"u": 2}
        return a, a if n > 3 else b

    for function in (carried, chosen):
        for n in (0, 2, 5):
            found, expected = ag.compile(function, fallback="error")(n), function(n)
            assert found == expected
            assert (found[0] is found[1]) == (expected[0] is expected[1])


def test_index_error_leaves_what_was_done() -> None:
    def f(out: list, n: int) -> Any:
        a, b = [0] * n, [1] * (n - 1)
        for i in range(n):
            a, b = b, a
            out[0] = i
            a[i] = i
        return a

    assert_agrees(f, ([0], 5), ([0], 9))


def test_text_of_errors() -> None:
    def get(n: int) -> Any:
        a, b = [0] * n, [1]
        for _ in range(n):
            a, b = b, a
        return b[n]

    def set_(n: int) -> Any:
        a, b = [0] * n, [1]
        for _ in range(n):
            a, b = b, a
        a[n] = 1

    def pop(n: int) -> Any:
        a, b = [0] * n, [1]
        while True:
            a, b = b, a
            a.pop()

    for function in (get, set_, pop):
        assert_agrees(function, 5, 8)


def test_what_python_does_to_a_list_falls_back() -> None:
    def sorted_in_place(n: int) -> Any:
        a, b = [0] * n, [1] * n
        for i in range(n):
            a[i] = -i * (i % 3)
            a, b = b, a
            a.sort()
        return a, b

    def removed(n: int) -> Any:
        a, b = list(range(n)), list(range(n))
        for i in range(n):
            a, b = b, a
            a.remove(i)
            del b[0]
            a[:0] = [i, i]
            b.append(1)
        return a, b

    def kept_in_a_list(n: int) -> Any:
        row, rows = [0] * n, []
        for i in range(n):
            rows.append(row)
            if i % 2:
                row = [i] * n
            row[0] = -i
        return rows, [row is each for each in rows]

    def holds_strings(n: int) -> Any:
        a, b = ["x"] * n, ["y"] * n
        for i in range(n):
            a, b = b, a
            a[i] = "z"
        return a, b

    for function in (sorted_in_place, removed, kept_in_a_list, holds_strings):
        assert_agrees(function, 5, 8)


def test_loop_over_a_list_that_grows_under_another_name() -> None:
    def of_python(n: int) -> Any:
        a = [3, "x"] * n
        b = a
        for i in range(n):
            if i > 2:
                b = ["y", 1]
            count = 0
            for _ in b:
                if count < 4:
                    b.append(i)
                count += 1
        return a, b, count

    def in_a_list(n: int) -> Any:
        rows = [[1] * n for _ in range(n)]
        count = 0
        for each in rows[1]:
            if count < 20:
                rows[1].append(each)
            count += 1
        return count, rows

    for function in (of_python, in_a_list):
        assert_agrees(function, 5, 8)


def test_index_that_is_no_integer() -> None:
    def f(n: int) -> None:
        a, b = [0] * n, [1] * n
        for _ in range(n):
            a, b = b, a
        a[n * 0.5] = 1

    assert_agrees(f, 5)


def test_argument_is_exchanged() -> None:
    def f(items: list, n: int) -> Any:
        mine = [0] * n
        for i in range(n):
            items, mine = mine, items
            items.append(i)
        return items, mine

    assert_agrees(f, ([1, 2], 5), ([1, 2], 6))


def test_list_argument_of_numbers_is_native_where_the_run_asks_for_items() -> None:
    def changed(items: list, n: int) -> Any:
        for i in range(n):
            items[i] += i
            items.append(i)
        return items, items[1:]

    def read(items: list, others: list, n: int) -> Any:
        total = 0
        for i in range(n):
            items.append(others[i % len(others)])
            total += items[i]
        return total, items is others

    both = [3, 4]
    assert_agrees(changed, ([1, 2, 3], 4), ([1, 2.5, None], 2), ([1, 2, 3], 12), ([2**70, 1], 1), ([True], 1), (["x"], 1))
    assert_agrees(read, ([1, 2], [3, 4], 5), (both, both, 3))
    assert str(ag.compile(changed, fallback="error").graph([1, 2, 3], 5)).count("host_call") == 0


def test_kind_is_settled_after_the_loop() -> None:
    def f(n: int) -> Any:
        a, b = [0] * n, [1] * n
        for _ in range(n):
            a, b = b, a
        a.append(2.5)
        b[0] = None
        return a, b

    assert_agrees(f, 5, 8)


def best_sums(x: Any, n: int) -> Any:
    row = [0.0] * len(x)
    for _ in range(n):
        made = [0.0] * len(x)
        for j in range(len(x)):
            left = row[j - 1] if j else 0.0
            made[j] = x[j] * max(left, row[j]) + np.sin(x[j])
        row = made
    return row[len(x) - 1]


def test_gradient_of_a_table() -> None:
    x = np.linspace(0.2, 1.7, 6)
    step = 1e-6
    expected = [(best_sums(x + step * e, 5) - best_sums(x - step * e, 5)) / (2 * step) for e in np.eye(6)]
    np.testing.assert_allclose(ag.grad(best_sums)(x, 5), expected, rtol=1e-6)
    _, along = ag.jvp(lambda x: best_sums(x, 5), (x,), (np.ones(6),))
    np.testing.assert_allclose(along, sum(expected), rtol=1e-6)
    with ag.GradientTape() as tape:
        t = ag.asarray(x)
        tape.watch(t)
        result = ag.compile(best_sums)(t, 5)
    np.testing.assert_allclose(np.asarray(tape.gradient(result, t)), expected, rtol=1e-6)


def test_gradient_beside_rows_of_ints() -> None:
    def f(x: Any, n: int) -> Any:
        row = [1] * n
        for i in range(n):
            made = [i] * n
            for j in range(1, n):
                made[j] = row[j] + row[j - 1]
            row = made
        total = 0.0
        for j in range(n):
            total += x * x * row[j]
        return total

    assert ag.grad(f)(1.5, 5) == pytest.approx(2 * 1.5 * f(1.0, 5))


@pytest.mark.native
def test_memory_is_given_back() -> None:
    @ag.compile(fallback="error")
    def f(n: int, m: int) -> Any:
        row = [0] * m
        for i in range(n):
            made = [i] * m
            made[0] = row[m - 1]
            row = made
        return row[0]

    def peak() -> int:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

    f(10, 100_000)
    before = peak()
    assert f(1000, 100_000) == 998
    assert peak() - before < 100_000


class Owner:
    def __init__(self, items: list[float]) -> None:
        self.items = items


def give(owner: Owner, given: list[float], n: int) -> Any:
    for k in range(n):
        owner.items = given
        given[k % 2] = 5.0
    return owner.items


def test_an_argument_that_stays_a_list_of_pythons_is_that_list() -> None:
    compiled = ag.compile(give, fallback="error")
    for n in (1, 3):
        owner, given = Owner([1.0, 2.0, 3.0]), [7.0, 8.0]
        assert compiled(owner, given, n) is given and owner.items is given
        assert given == give(Owner([]), [7.0, 8.0], n)
