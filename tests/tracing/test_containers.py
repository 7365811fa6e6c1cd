"""Containers of objects: tuples, namedtuples, dataclasses, sets, deques, and functions chosen by the data."""

from __future__ import annotations

import collections
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tests.tracing.agreement import assert_agrees


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass
class Ball:
    position: Any
    speed: float
    bounces: int = 0


def test_namedtuple_comes_back_as_it_went_in() -> None:
    def f(pair: Pair) -> Any:
        return pair._replace(first=pair.first + pair.second)

    assert_agrees(f, Pair(1, 2.5), Pair(np.ones(2), np.zeros(2)))


def test_dataclass_argument_is_changed_in_place() -> None:
    def f(ball: Ball, n: int) -> Any:
        for _ in range(n):
            ball.speed -= 1.0
            ball.position = ball.position + ball.speed
            if ball.position[0] < 0:
                ball.bounces += 1
                ball.speed = -ball.speed
        return ball.bounces

    assert_agrees(f, (Ball(np.array([5.0]), 0.0), 12), (Ball(np.array([50.0]), 0.0), 3))


def test_dataclass_made_in_compiled_code_leaves_as_one() -> None:
    def f(x: Any) -> Any:
        return Ball(x * 2, float(x[0]))

    assert_agrees(f, np.arange(3.0))


def test_tuple_is_indexed_by_data() -> None:
    def f(n: int) -> Any:
        return (10, 20, 30)[n]

    assert_agrees(f, 0, 2, -1, 3)


def test_set_of_numbers_of_the_run() -> None:
    def f(x: Any) -> Any:
        seen = set()
        for value in x:
            seen.add(int(value) % 5)
        return sorted(seen), 3 in seen

    assert_agrees(f, np.arange(12.0), np.zeros(11))


def test_deque_in_a_loop() -> None:
    def f(n: int) -> Any:
        queue = collections.deque([n])
        seen = 0
        while queue:
            k = queue.popleft()
            seen += 1
            if k > 1:
                queue.append(k // 2)
        return seen

    assert_agrees(f, 100, 1)


def test_function_from_a_list_chosen_by_data() -> None:
    def f(x: Any, n: int) -> Any:
        functions = [np.sin, np.cos, lambda v: v * 2]
        return functions[n](x)

    assert_agrees(f, (np.ones(2), 0), (np.ones(2), 2))


def test_nested_containers_keep_their_structure() -> None:
    def f(state: Any) -> Any:
        return {"a": [state["x"] + 1, (state["y"], None)], "b": state}

    assert_agrees(f, {"x": np.ones(2), "y": 3})


def test_one_object_in_two_places_stays_one_object() -> None:
    def f(x: Any) -> Any:
        y = x + 1
        pair = [y, y]
        pair[0][0] = 9.0
        return pair[1][0], pair[0] is pair[1]

    assert_agrees(f, np.zeros(2))
