"""Combinations and permutations of what the program runs on: the tuples of Python's itertools in their order, by loops."""

from __future__ import annotations

import itertools
from itertools import combinations, combinations_with_replacement, permutations
from typing import Any

import autograph_jit as ag
from tests.tables import table


class Place:
    def __init__(self, x: int, y: int) -> None:
        self.x = x
        self.y = y


def pairs(xs: list[int]) -> Any:
    found = []
    for x, y in combinations(xs, 2):
        if x > 90:
            break
        if (x + y) % 3 == 0:
            continue
        found.append((x, y))
    else:
        found.append((0, 0))
    return found


def of_all_sizes(xs: list[int]) -> Any:
    fewer = xs[:7]
    made = [[sum(t) for t in combinations(fewer, r)] for r in (1, 2, 3, 4, 5, 6)]
    made += [[t[0] * t[-1] for t in permutations(fewer, r=r)] for r in (1, 2, 3)]
    largest = max(combinations(xs, 3), key=lambda t: t[0] * t[1] - t[2], default=None)
    return made, [t for t in combinations_with_replacement(fewer, 3)], largest


def longer(xs: list[int]) -> Any:
    fewer = xs[:6]
    return [t[0] * t[4] - t[2] for t in permutations(fewer, 5)], [sum(t) for t in combinations(fewer, 5)]


def changed_meanwhile(xs: list[int]) -> Any:
    count = 0
    for x, _ in combinations(xs, 2):
        if count < 3:
            xs.append(x)
        count += 1
    return count, len(xs)


def of_ranges(xs: list[int]) -> Any:
    n = len(xs)
    inner = sum(i * j for i, j in combinations(range(n), 2)) + sum(i - j for i, j in permutations(range(0, n, 3), 2))
    return inner, sum(1 for p in permutations(range(5)) if p[0] < p[4]), [a + b for a, b in combinations("abcdefghijklm", 2)][-3:]


def of_instances(xs: list[int]) -> Any:
    places = [Place(x, 7 * x % 13) for x in xs]
    return min([abs(a.x - b.x) + abs(a.y - b.y) for a, b in combinations(places, 2)], default=0)


def of_generators(xs: list[int]) -> Any:
    return sum(a * b for a, b in combinations((x * x for x in xs), 2)), [list(p) for p in permutations(x + 1 for x in xs[:3] if x)]


def of_sizes_of_the_run(xs: list[int]) -> Any:
    r = len(set(xs)) % 4
    return sum(p[0] for p in permutations(range(4), r) if p), [list(c) for c in combinations(xs[:6], r)], len(list(permutations("abc", r)))


def of_negative_sizes(xs: list[int]) -> Any:
    total = 0
    for choose in (combinations, permutations):
        try:
            total += len(list(choose(xs, len(set(xs)) - 20)))
        except ValueError as error:
            total += len(str(error))
    return total


FUNCTIONS = (
    *(pairs, of_all_sizes, longer, changed_meanwhile, of_ranges, of_instances, of_generators),
    *(of_sizes_of_the_run, of_negative_sizes),
)
LISTS = ([3, 1, 4, 1, 5, 9, 2, 6, 5, 3], [k * k % 97 for k in range(14)], list(range(80, 100)), [7], [1, 2])


@table("function", FUNCTIONS)
def test_tuples_are_those_of_itertools_in_their_order(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    for xs in LISTS:
        ours, plain = list(xs), list(xs)
        assert compiled(ours) == function(plain) and ours == plain


@table("function", [pairs, changed_meanwhile, of_instances])
def test_loops_over_them_call_no_python(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    for xs in LISTS[:2]:
        compiled(list(xs))
    assert not [x for x in compiled.specializations[-1].program.graph.walk() if x.name == "host_call" and x.operands]


def test_sizes_that_python_refuses_are_its_errors() -> None:
    def chosen(xs: list[int], r: Any) -> Any:
        return list(itertools.combinations(xs, r))

    for r in (-1, "x", None, 1.5):
        errors = []
        for function in (chosen, ag.compile(chosen, fallback="error")):
            try:
                function([1, 2, 3], r)
            except (TypeError, ValueError) as error:
                errors.append((type(error), str(error)))
        assert len(errors) == 2 and errors[0] == errors[1]
