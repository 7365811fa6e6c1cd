"""Items that are made one by one while a loop runs or a container grows: what they read may have changed since the item before."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees, conversion_error

pytestmark = pytest.mark.native


class Ticket:
    def __init__(self) -> None:
        self.number = 0

    def following(self) -> int:
        self.number += 1
        return self.number


def reads_what_the_body_writes(n: int) -> Any:
    seen: list[int] = []
    factor = 1
    for item in (len(seen) + factor * k for k in range(n)):
        seen.append(item)
        factor += 1
    return seen


def left_early(n: int) -> Any:
    ticket, out, k = Ticket(), [], 99
    for item in (ticket.following() + k for k in range(n) if k % 2 if k > 1):
        if item == 4:
            continue
        if item > 12:
            break
        out.append(item)
    else:
        out.append(-1)
    return out, ticket.number, k, item


def left_before_an_error(n: int) -> Any:
    out = []
    for item in (1 / (3 - k) for k in range(n)):
        out.append(item)
        if item == 1.0:
            break
    return out


def ended_by_an_error(n: int) -> Any:
    out = []
    try:
        for item in (1 / (3 - k) for k in range(n)):
            out.append(item)
    except ZeroDivisionError as error:
        return out, str(error)
    return out


def names_of_its_own(n: int) -> Any:
    x, total = 3, 0
    for x in (x + 1 for x in range(n)):
        for y in (x * y for y in range(x)):
            total += y
    for i, (a, b) in ((i, (a, b)) for i, a, b in [(1, 2, 3), (4, 5, 6)]):
        total += i * a + b
    return total, x


def no_items(n: int) -> Any:
    for item in (k for k in range(n) if k < 0):
        pass
    return item


def of_generator(n: int) -> Any:
    found: list[int] = []

    def lengths() -> Any:
        for _ in range(n):
            yield len(found)

    found.extend(lengths())
    found += lengths()
    return found


def queue_of_generator(n: int) -> Any:
    found: deque[int] = deque()

    def lengths() -> Any:
        for _ in range(n):
            yield len(found)

    found.extend(lengths())
    return found


def dict_of_generator(n: int) -> Any:
    found: dict[int, int] = {}

    def pairs() -> Any:
        for k in range(n):
            yield k % 5, len(found)

    found.update(pairs())
    return found


@table(
    "function",
    [
        *(reads_what_the_body_writes, left_early, left_before_an_error, ended_by_an_error, names_of_its_own, no_items),
        *(of_generator, queue_of_generator, dict_of_generator),
    ],
)
def test_items_are_made_when_they_are_asked_for(function: Any) -> None:
    assert_agrees(function, 7, 2)


def variable_assigned_again(n: int) -> Any:
    factor, numbers = 1, list(range(n))
    items = (x * factor for x in numbers)
    factor = 2
    numbers.append(100)
    return sum(items)


def item_written(n: int) -> Any:
    cell = [0]
    items = (cell[0] + x for x in range(n))
    cell[0] = 5
    return list(items)


def zipped(n: int) -> Any:
    seen: list[int] = []
    for item, k in zip((len(seen) for _ in range(n)), range(n)):
        seen.append(item + k)
    return seen


def asked_between(n: int) -> Any:
    seen: list[int] = []
    items = (len(seen) for _ in range(n))
    first = next(items)
    seen.append(1)
    return first, next(items)


def list_that_it_reads(n: int) -> Any:
    numbers = [5, 5]
    numbers.extend(x for x in numbers if len(numbers) < n)
    numbers += (x + 1 for x in numbers if len(numbers) < 2 * n)
    return numbers


def dict_that_it_reads(n: int) -> Any:
    known = {0: 1}
    known.update((k, len(known)) for k in range(n))
    return known


@table("function", [variable_assigned_again, item_written, zipped, asked_between, list_that_it_reads, dict_that_it_reads])
def test_expression_whose_items_would_be_made_too_early_is_pythons(function: Any) -> None:
    assert "a generator expression reads changes" in str(conversion_error(function, 7))
    with pytest.warns(UserWarning, match="runs in Python"):
        assert ag.compile(function)(7) == function(7)


def used_up_before_the_change(n: int) -> Any:
    total, k, numbers = 0, 1, [1, 2, 3]
    for _ in range(n):
        items = (x * k for x in numbers)
        total += sum(items)
        k += 1
    doubled = [(i, v) for i, v in enumerate(x * 2 for x in numbers)]
    numbers.append(max((x for x in numbers if x < k), default=0))
    first, *rest = (x for x in numbers)
    return total, doubled, first, rest


def test_expression_that_is_used_up_before_a_change_is_compiled() -> None:
    assert_agrees(used_up_before_the_change, 5)
