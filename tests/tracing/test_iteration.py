"""Iteration over staged sources: arrays, ranges, enumerate, zip, reversed, map, filter, generators."""

from __future__ import annotations

import collections
import itertools
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees


def test_rows_of_a_matrix_are_views() -> None:
    def f(a: Any) -> Any:
        for row in a:
            row[0] = row.sum()
        return a

    assert_agrees(f, np.arange(22.0).reshape(11, 2))


def test_enumerate_counts_from_its_start() -> None:
    def f(x: Any, start: int) -> Any:
        total = 0.0
        for i, value in enumerate(x, start):
            total += i * value
        return total

    assert_agrees(f, (np.arange(12.0), 5))


def test_zip_ends_with_the_shortest() -> None:
    def f(x: Any, y: Any) -> Any:
        return [a * b for a, b in zip(x, y)]

    assert_agrees(f, (np.arange(12.0), np.arange(10.0)))


def test_reversed_array_and_range() -> None:
    def f(x: Any, n: int) -> Any:
        return [v for v in reversed(x)], [i for i in reversed(range(n))]

    assert_agrees(f, (np.arange(11.0), 12))


def test_map_and_filter_over_data() -> None:
    def f(x: Any) -> Any:
        return list(map(lambda v: v * 2, x)), list(filter(lambda v: v > 4, x))

    assert_agrees(f, np.arange(12.0))


def test_generator_expression_with_a_condition() -> None:
    def f(x: Any) -> Any:
        return sum(v * v for v in x if v > 3)

    assert_agrees(f, np.arange(12.0), np.zeros(10))


def test_iterating_a_rank_zero_array_raises() -> None:
    def f(x: Any) -> Any:
        for v in x:
            return v

    assert_agrees(f, np.array(1.0))


def test_product_and_chain_of_known_sequences() -> None:
    def f(x: Any) -> Any:
        total = 0.0
        for i, j in itertools.product(range(2), range(3)):
            total += x[i, j]
        for k in itertools.chain((0, 1), [1]):
            total *= x[k, k]
        return total

    assert_agrees(f, np.arange(1.0, 7.0).reshape(2, 3))


def test_iterator_is_used_up_between_two_loops() -> None:
    def f(items: Any) -> Any:
        source = iter((1.0, 2.0, 3.0))
        first = next(source)
        rest = [v * items[0] for v in source]
        return first, rest

    assert_agrees(f, np.array([2.0]))


def test_list_that_grows_while_it_is_iterated() -> None:
    def f(n: int) -> Any:
        queue = [n]
        for k in queue:
            if k > 1:
                queue.append(k - 2)
        return queue

    assert_agrees(f, 21)


def adds_at(container: Any, at: Any, leaves: bool) -> Any:
    last = -1
    for place, item in enumerate(container):
        if item == at:
            if isinstance(container, dict):
                container["new"] = 1
            elif isinstance(container, set):
                container.add("new")
            else:
                container.append("new")
            if leaves:
                break
        last = place
    return len(container), last


def adds_to_its_own(n: int, at: int) -> Any:
    held = {i: object() for i in range(n)}
    for key in held:
        if key == at:
            held[-1] = object()
    return len(held)


def adds_in_a_branch(x: float, leaves: bool) -> Any:
    held = {"a": 1.0, "b": 2.0}
    total = 0.0
    for value in held.values():
        if x > 1:
            held["c"] = 3.0
            if leaves:
                break
        total += value
    return total, len(held)


@pytest.mark.parametrize("leaves", [False, True])
def test_a_container_that_changes_while_it_is_gone_through_is_an_error_at_the_next_item(leaves: bool) -> None:
    for container in ({0: 1, "b": 2.0, 3: None}, {0, 1, 2.5}, collections.deque([0, "b", 3])):
        assert_agrees(adds_at, *((container, at, leaves) for at in (0, list(container)[-1], "none")))
    for n, at in ((3, 1), (3, 2), (3, 7), (0, 0)):
        assert_agrees(adds_to_its_own, (n, at))
    assert_agrees(adds_in_a_branch, (1.0, leaves), (2.0, leaves))


def test_few_numbers_are_sorted_where_they_stand() -> None:
    def ints(a: int, b: int, c: int) -> Any:
        return sorted((a, b, c)), sorted([c, a, b, b - 1], reverse=True), sorted([a < b, b < c])

    def floats(x: float, y: float) -> Any:
        return sorted((x, y))

    assert_agrees(ints, (3, 2, 1), (2, 2, -5), (1, 7, 4))
    assert_agrees(floats, (2.5, 1.5), (0.0, -0.0), (-0.0, 0.0), (float("nan"), 1.0), (1.0, float("nan")))
    for function, arguments in ((ints, (3, 2, 1)), (floats, (2.5, 1.5))):
        assert "host_call" not in str(ag.compile(function, fallback="error").graph(*arguments))


def test_the_order_of_sorted_is_asked_for_as_python_does() -> None:
    def in_order(x: Any, reverse: Any) -> Any:
        return sorted([x[0], x[1]], reverse=reverse)

    x = np.array([1.0, 2.0])
    for reverse in (np.bool_(True), np.bool_(False), 1.0, np.float32(0.0), 1, 0, np.int64(1), True):
        compiled = ag.compile(in_order, fallback="error")
        try:
            want = in_order(x, reverse)
        except TypeError as error:
            with pytest.raises(TypeError, match=str(error)):
                compiled(x, reverse)
        else:
            assert compiled(x, reverse) == want


def test_a_short_list_is_cut_by_the_length_of_what_the_run_has_cut_out() -> None:
    def padded(data: bytes) -> Any:
        lines = []
        for k in range(0, len(data), 3):
            part = data[k : k + 3]
            letters = ["abcdefgh"[part[0] >> shift & 7] for shift in (0, 2, 4, 5)]
            lines.append("".join(letters[: len(part) + 1]))
        return lines

    assert_agrees(padded, (bytes(range(250)),), (b"xy",), (b"",))


def test_zip_of_a_tuple_of_different_kinds_ends_with_a_list_of_the_run() -> None:
    def inside(numbers: list[int]) -> Any:
        kept, found = [number for number in numbers if number > 0], []
        for k, (number, value) in enumerate(zip(kept, ("a", 1, 2.5, "b", 3, 4))):
            if number == 7:
                break
            found.append(f"{k} {value}" if isinstance(value, str) else f"{number * value:.1f}")
        else:
            found.append("all")
        return found

    def grows(numbers: list[int]) -> Any:
        found = []
        for number, value in zip(numbers, ("a", 1, 2.5, "b", 3, 4)):
            if number < 3:
                numbers.append(number + 1)
            elif number > 5:
                numbers.pop()
            found.append(f"{number}{value}")
        return found

    def fails(numbers: list[int]) -> Any:
        kept = [number for number in numbers if number > 0]
        for number, value in zip(kept, ("a", 1, 2.5, "b", 0, 4)):
            if not isinstance(value, str):
                number = 12 // int(value)
        return number, value

    assert_agrees(inside, ([],), ([0, -1],), ([3],), ([3, 0, 1],), ([1, 7, 1],), ([*range(1, 6), 9],), ([*range(8, 18)],))
    assert_agrees(grows, ([],), ([1],), ([2, 2],), ([6, 7, 8],), ([1, 1, 1, 1, 1],))
    assert_agrees(fails, ([0],), ([1, 2],), ([1, 0, 2, 3, 4],), ([1, 2, 3, 4, 5],))
    graph = str(ag.compile(inside, fallback="error").graph([1, 2]))
    assert '"isinstance"' not in graph and '"box"' not in graph


def test_items_are_made_when_they_are_asked_for() -> None:
    def told(xs: list[int], way: int) -> Any:
        log: list[int] = []

        def seen(x: int) -> bool:
            log.append(x)
            return 12 // x > 3

        def items() -> Any:
            for x in xs:
                log.append(10 * x)
                yield x

        found: Any
        if way == 0:
            found = next(filter(seen, xs), None)
        elif way == 1:
            found = next(itertools.accumulate(map(seen, xs)))
        elif way == 2:
            found = next(itertools.cycle(map(seen, xs)))
        elif way == 3:
            found = next(filter(None, items()))
        elif way == 4:
            found = list(zip(map(seen, xs), items()))
        elif way == 5:
            found = [x for x, _ in zip(itertools.cycle(items()), range(7))]
        else:
            found = next(itertools.accumulate(xs, lambda a, b: a + 12 // b))
        return found, log

    for xs in ([5, 2, 0, 1], [1, 0], [*range(1, 20)]):
        assert_agrees(told, *((xs, way) for way in range(7)))
