"""Python lists in compiled code: of known structure, and kept at run time where the data decides."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees


def test_list_grows_as_the_data_says() -> None:
    def f(x: Any) -> Any:
        out = []
        for value in x:
            if value > 0:
                out.append(value * 2)
        return out

    assert_agrees(f, np.arange(-6.0, 6.0), np.zeros(0))


def test_list_of_rows_shares_their_memory() -> None:
    def f(a: Any) -> Any:
        rows = []
        for i in range(a.shape[0]):
            rows.append(a[i])
        rows[0][0] = 99.0
        return len(rows)

    assert_agrees(f, np.zeros((11, 2)))


def test_pop_and_index_while_the_length_is_data() -> None:
    def f(n: int) -> Any:
        stack = [n]
        total = 0
        while stack:
            k = stack.pop()
            total += k
            if k > 1:
                stack.append(k - 1)
                stack.append(k // 3)
        return total

    assert_agrees(f, 12, 1)


def test_index_beyond_the_end_raises() -> None:
    def f(n: int) -> Any:
        out = []
        for i in range(n):
            out.append(i)
        return out[10]

    assert_agrees(f, 20, 5)


def test_pop_of_an_empty_list_raises() -> None:
    def f(n: int) -> Any:
        out = [1] * n
        out.pop()
        return out

    assert_agrees(f, 2, 0)


def test_list_argument_is_changed_in_place() -> None:
    def f(items: list, n: int) -> None:
        items[0] = n
        items.append(n + 1)

    assert_agrees(f, ([1, 2], 5), ([1, 2], 6))


def test_two_names_of_one_list_see_each_others_changes() -> None:
    def f(n: int) -> Any:
        a = []
        b = a
        for i in range(n):
            b.append(i)
        return len(a), a == b

    assert_agrees(f, 11, 0)


def test_slices_and_sums_of_lists_of_the_run() -> None:
    def f(x: Any, start: Any, stop: Any, step: Any) -> Any:
        pairs, numbers = [], []
        for value in x:
            if value > 0:
                pairs.append((value, value * value))
                numbers.append(value)
        back = pairs[::-1]
        back.append((1.0, 2.0))
        joined = [x[0]] + numbers[1:] + numbers[start:stop:step]
        joined.sort()
        return pairs[start:stop:step] + back, joined, len(numbers[:-1]), numbers

    for bounds in ((0, 3, 1), (-2, 9, 1), (3, 0, -1), (None, None, 2), (5, -9, -2)):
        assert_agrees(lambda x, bounds=bounds: f(x, *bounds), np.array([1.0, 2.0, -1.0, 3.0, 4.0, 5.0]), np.array([3.0, -1.0]))


def test_slice_of_a_list_of_the_run_runs_without_python() -> None:
    @ag.compile(fallback="error")
    def f(x: Any) -> Any:
        numbers = []
        for value in x:
            if value > 0:
                numbers.append(value)
        return (numbers[1:] + numbers)[::2]

    assert f(np.arange(4.0)) == [2.0, 1.0, 3.0]
    assert "host_call" not in str(f.graph(np.arange(4.0)))


def test_slice_assignment_and_deletion() -> None:
    def f(n: int) -> Any:
        items = [1, 2, 3, 4, 5]
        items[1:3] = [n]
        del items[0]
        return items

    assert_agrees(f, 10)


def test_sort_and_reverse_lists_of_the_run() -> None:
    def f(x: Any) -> Any:
        items = []
        for value in x:
            items.append(-value)
        items.sort()
        items.reverse()
        return items

    assert_agrees(f, np.array([3.0, 1, 2, 9, 8, 7, 6, 5, 4, 0]))


def test_reverse_of_a_list_of_numbers_is_native() -> None:
    def f(x: Any) -> Any:
        items = [(0, 0.5)]
        for i, value in enumerate(x):
            if value > 0:
                items.append((i, value))
            items.reverse()
        return items

    def digits(n: int) -> Any:
        found = []
        while n > 0:
            found.append(n % 3)
            n //= 3
        found.reverse()
        return found

    assert_agrees(f, np.array([3.0, -1, 2, -9, 8, -7, 6, 5, 4, 0]), -np.ones(3))
    assert_agrees(digits, 77, 1, 0)
    assert "host_call" not in str(ag.compile(digits, fallback="error").graph(77))


def test_comprehension_with_a_condition_on_data() -> None:
    def f(x: Any) -> Any:
        return [value + 1 for value in x if value % 2 == 0]

    assert_agrees(f, np.arange(13), np.ones(10, np.int64))


def test_list_of_tuples_of_the_run() -> None:
    def f(x: Any) -> Any:
        pairs = []
        for i, value in enumerate(x):
            if value > 1:
                pairs.append((i, value))
        return pairs

    assert_agrees(f, np.arange(12.0))


def test_membership_and_equality() -> None:
    def f(n: int) -> Any:
        items = [1, n, 3]
        return 2 in items, items == [1, 2, 3], items.index(3), items.count(1)

    assert_agrees(f, 2, 1)


def removed(items: Any) -> Any:
    taken = []
    for _ in range(3):
        item = items[len(items) // 2]
        items.remove(item)
        taken.append(item)
    return taken, items


def removed_too_often(items: Any) -> Any:
    item = items[1]
    while True:
        items.remove(item)


@table(
    "items",
    [
        [k * 7 % 13 for k in range(40)],
        [str(k % 9) for k in range(40)],
        [(k % 5, "a" * (k % 3)) for k in range(40)],
        [[k % 4, k % 3] for k in range(40)],
        [k % 7 * 0.5 for k in range(40)],
        [k % 2 == 0 for k in range(12)],
    ],
)
def test_items_are_removed_by_what_they_are(items: Any) -> None:
    assert_agrees(lambda given: removed(given), items)
    assert_agrees(lambda given: removed([item for item in given]), items)
    assert_agrees(removed_too_often, items)


def test_items_are_removed_by_compiled_code() -> None:
    def f(n: int) -> Any:
        items = [k * 7 % n for k in range(n)]
        for k in range(0, n, 3):
            items.remove(k)
        return sum(items)

    assert "host calls    none" in ag.compile(f, fallback="error").explain(61)
