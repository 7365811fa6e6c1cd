"""A few containers, of which the trace knows how many they are, sorted by a number of the run: in compiled code."""

from __future__ import annotations

from typing import Any

import autograph_jit as ag
from tests.tables import table


def longer_first(a: Any, b: Any) -> Any:
    longer, shorter = sorted((a, b), key=len, reverse=True)
    return longer, shorter, longer is a


def by_sum(a: Any, b: Any) -> Any:
    first, second, third = sorted([a, b, [len(a), len(b)]], key=sum)
    return first, second, third


def by_mean(a: Any, b: Any) -> Any:
    return [x[:1] for x in sorted([a, b], key=lambda x: sum(x) / 2.0)]


def names_by_size(a: Any, b: Any) -> Any:
    return sorted([("first", a), ("second", b)], key=lambda pair: len(pair[1]))[0][0]


CALLS = [([1, 2], [3]), ([1], [2, 3]), ([4], [4]), ([1, 5, 2], [9, 9, 9, 9])]


@table("function", [longer_first, by_sum, by_mean, names_by_size])
def test_few_containers_are_sorted_as_python_sorts_them(function: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    for call in CALLS:
        assert compiled(*map(list, call)) == function(*map(list, call))


def test_two_lists_are_ordered_without_python() -> None:
    program = ag.compile(longer_first, fallback="error").prepare(([1, 2], [3], {})).program
    assert not [operation for operation in program.graph.walk() if operation.attributes.get("label") == "sorted"]
