"""Generators that call themselves: the body of the loop that takes their items is a part of a function of the graph."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.tables import table
from tests.tracing.agreement import assert_agrees

LEFT, RIGHT = [1, 3, 5, -1, -1, -1, -1], [2, 4, 6, -1, -1, -1, -1]


def walk(left: list[int], right: list[int], node: int) -> Iterator[int]:
    if node >= 0:
        yield from walk(left, right, left[node])
        yield node
        yield from walk(left, right, right[node])


def in_order(left: list[int], right: list[int]) -> Any:
    return list(walk(left, right, 0)), sum(walk(left, right, 1)), max(walk(left, right, 2)), 4 in walk(left, right, 0)


def ended_early(left: list[int], right: list[int], stop: int) -> Any:
    seen = []
    for node in walk(left, right, 0):
        if node == stop:
            break
        seen.append(node)
    else:
        seen.append(-7)
    return seen, node


def place_of(left: list[int], right: list[int], wanted: int) -> Any:
    for place, node in enumerate(walk(left, right, 0)):
        if node == wanted:
            return place
    return None


def stopped_by_the_body(left: list[int], right: list[int], out: Any, stop: int) -> Any:
    for place, node in enumerate(walk(left, right, 0)):
        out[place] = node * 2.0
        if node == stop:
            raise ValueError(f"at {node}")


def caught_in_the_body(left: list[int], right: list[int]) -> Any:
    total: Any = 0
    try:
        for node in walk(left, right, 0):
            try:
                total = total / 2 + [5, 7, 9][node]
            except IndexError:
                total += 100
                if node == 6:
                    raise ValueError from None
    except ValueError:
        total += 1000
    return total


def loops_in_loops(left: list[int], right: list[int]) -> Any:
    total = 0
    for a in walk(left, right, 0):
        for b in walk(left, right, 0):
            if b > a:
                break
            total += a * b
        if total > 50:
            break
    return total, a, b


def moves(n: int, source: str = "A", target: str = "C", spare: str = "B") -> Iterator[tuple[str, str]]:
    if n:
        yield from moves(n - 1, source, spare, target)
        yield source, target
        yield from moves(n - 1, spare, target, source)


def towers(n: int) -> Any:
    discs: dict[str, list[int]] = {"A": list(range(n, 0, -1)), "B": [], "C": []}
    for source, target in moves(n):
        discs[target].append(discs[source].pop())
    return discs


def guarded(n: int, log: list[int]) -> Iterator[int]:
    try:
        if n > 0:
            yield from guarded(n - 1, log)
            yield n
    finally:
        log.append(n)


def finally_in_each(n: int, stop: int) -> Any:
    log: list[int] = []
    for x in guarded(n, log):
        log.append(100 + x)
        if x == stop:
            break
    return log


def down(n: int) -> Iterator[int]:
    yield n
    if n > 0:
        yield from down(n - 1)


def taken(n: int) -> Any:
    counts: dict[int, int] = {}
    for x in down(n):
        counts[x % 3] = counts.get(x % 3, 0) + x
    first = next(down(n)), any(x == 2 for x in down(n)), list(itertools.islice(down(n), 3))
    return counts, first, [(a, b) for a, b in zip(down(n), range(4))], [x * k for k in range(n) for x in down(k)]


def other_kinds_between(n: int) -> Any:
    scale: Any = 1

    def both() -> Iterator[int]:
        nonlocal scale
        yield from down(n)
        scale = scale * 2.5
        yield from down(n + 1)

    total: Any = 0
    for x in both():
        total += x * scale
    return total, scale


def chosen_in_place(n: int, k: int) -> Any:
    chosen: list[int] = []

    def go(start: int) -> Iterator[int]:
        if len(chosen) == k:
            yield sum(chosen)
            return
        for i in range(start, n):
            chosen.append(i)
            yield from go(i + 1)
            chosen.pop()

    return [total for total in go(0) if total % 3], chosen


class Node:
    def __init__(self, key: int) -> None:
        self.key = key
        self.left: Node | None = None
        self.right: Node | None = None


class Tree:
    def __init__(self) -> None:
        self.root: Node | None = None

    def insert(self, key: int) -> None:
        if self.root is None:
            self.root = Node(key)
            return
        node = self.root
        while True:
            if key < node.key:
                if node.left is None:
                    node.left = Node(key)
                    return
                node = node.left
            else:
                if node.right is None:
                    node.right = Node(key)
                    return
                node = node.right

    def __iter__(self) -> Iterator[int]:
        return self.walk(self.root)

    def walk(self, node: Node | None) -> Iterator[int]:
        if node is not None:
            yield from self.walk(node.left)
            yield node.key
            yield from self.walk(node.right)


def sorted_by_a_tree(keys: list[int]) -> Any:
    tree = Tree()
    for key in keys:
        tree.insert(key)
    return list(tree)


def subsets(items: list[int]) -> Iterator[list[int]]:
    if not items:
        yield []
        return
    for chosen in subsets(items[1:]):
        yield chosen
        yield [items[0], *chosen]


def all_subsets(n: int) -> Any:
    found = []
    for chosen in subsets(list(range(n))):
        found.append(chosen)
        if sum(chosen) == n:
            break
    return found, list(subsets([]))


def trees(low: int, high: int) -> Iterator[int]:
    if low >= high:
        yield 1
        return
    for root in range(low, high):
        for left in trees(low, root):
            for right in trees(root + 1, high):
                yield left * 3 + right * root


def all_trees(n: int) -> Any:
    return list(trees(0, n))


def two_loops(n: int) -> Iterator[int]:
    if n == 0:
        yield 1
        return
    best = count = 0
    yield from two_loops(n - 2 if n > 1 else 0)
    for v in two_loops(n - 1):
        best = max(best, v)
        yield v + best
    for v in two_loops(n - 1):
        count += 1
        if count > 2:
            break
        yield v * 10 + count
    yield best * 1000 + count


def all_of_two_loops(n: int) -> Any:
    return list(two_loops(n))


def failing(n: int, bad: int) -> Iterator[int]:
    if n == 0:
        yield 1
        yield 2
        return
    for v in failing(n - 1, bad):
        if v == bad:
            raise ValueError(f"bad {v}")
        yield v + n
        yield v * 2


def stopped_inside(n: int, bad: int, out: Any) -> Any:
    for k, v in enumerate(failing(n, bad)):
        out[k % 5] = v


class Halver:
    def __init__(self, step: int) -> None:
        self.step, self.calls = step, 0

    def steps(self, n: int) -> Iterator[int]:
        self.calls += 1
        if n <= 0:
            yield n
            return
        for v in self.steps(n - self.step):
            yield v + n
            yield v


def steps_of_an_instance(n: int) -> Any:
    halver = Halver(2)
    return list(halver.steps(n)), halver.calls


@table(
    ("function", "arguments"),
    [
        (in_order, (LEFT, RIGHT)),
        (ended_early, (LEFT, RIGHT, 2)),
        (place_of, (LEFT, RIGHT, 5)),
        (stopped_by_the_body, (LEFT, RIGHT, np.zeros(7), 0)),
        (caught_in_the_body, (LEFT, RIGHT)),
        (loops_in_loops, (LEFT, RIGHT)),
        (towers, (5,)),
        (finally_in_each, (4, 2)),
        (taken, (5,)),
        (other_kinds_between, (4,)),
        (chosen_in_place, (5, 3)),
        (sorted_by_a_tree, ([5, 2, 8, 1, 9, 3],)),
        (all_subsets, (4,)),
        (all_trees, (3,)),
        (all_of_two_loops, (3,)),
        (stopped_inside, (3, 8, np.zeros(5))),
        (steps_of_an_instance, (5,)),
    ],
)
def test_generators_that_call_themselves_are_native_calls(function: Any, arguments: Any) -> None:
    assert_agrees(function, arguments)
