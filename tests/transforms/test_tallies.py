"""Where programs count: branches and trips that call Python, and in front of the loops beside them; programs stay valid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograph_jit as ag
from autograph_jit.ir.copying import copy_graph
from autograph_jit.ir.graph import Block, Graph
from autograph_jit.ir.verifier import verify
from autograph_jit.transforms.pipeline import run_pipeline
from autograph_jit.transforms.tallies import add_tallies, find_tallies
from tests.tables import table


def loop(n: int, m: int, seen: set[int]) -> None:
    for i in range(n):
        seen.add(i)


def loop_of_many(n: int, m: int, seen: set[int]) -> None:
    for _i in range(1000):
        while n > m:
            seen.add(n)
            n -= 1


def rare(n: int, m: int, seen: set[int]) -> float:
    total = 0.0
    for i in range(n):
        total += i * 0.5
        if i > m:
            seen.add(i)
    return total


def beside(n: int, m: int, seen: set[int]) -> float:
    total = 0.0
    for i in range(n):
        for k in range(m):
            total += i * 0.5 * k
        seen.add(i)
    return total


def in_front(n: int, m: int, seen: set[int]) -> float:
    total = 0.0
    for i in range(n):
        for k in range(m):
            total += i * 0.5 * k
    for i in range(n):
        for k in range(i):
            total += i * 0.5 * k
    if total > 3.0:
        seen.add(1)
    return total


def once(n: int, m: int, seen: set[int]) -> float:
    seen.add(1)
    return native(n, m, seen)


def native(n: int, m: int, seen: set[int]) -> float:
    total = 0.0
    for i in range(n):
        if i > m:
            total += i * 0.5
    return total


def caught(n: int, m: int, seen: set[int]) -> float:
    total = 0.0
    for i in range(n):
        try:
            total += 1 // (i - m)
        except ZeroDivisionError:
            total -= i * 0.5
    return total


def letters(n: int, m: int, seen: set[int]) -> int:
    last: dict[str, int] = {}
    for i in range(n):
        for letter in str(i):
            last[letter] = i
    return len(last)


def program_of(function: Callable[..., Any], *arguments: Any) -> Graph:
    """The traced graph."""
    compiled = ag.compile(function, fallback="error")
    compiled.graph(*arguments)
    return compiled.specializations[0].program.graph


def places(block: Block, path: str = "") -> list[str]:
    """For each tally, in which regions it is, and whether it counts each run or the trips of a loop."""
    found = []
    for operation in block.operations:
        if operation.name == "tally":
            found.append(f"{path}trips" if operation.operands else f"{path}each")
        for number, region in enumerate(operation.regions):
            found += places(region, f"{path}{operation.name}{number} ")
    return found


@table(
    "function, expected",
    [
        (loop, ["for_loop0 each"]),
        (loop_of_many, ["for_loop0 while_loop1 each"]),
        (rare, ["trips", "for_loop0 cond0 each"]),
        (beside, ["for_loop0 each", "for_loop0 trips"]),
        (in_front, ["trips", "trips", "trips", "cond0 each"]),
        (caught, ["trips", "for_loop0 try_1 each"]),
        (letters, ["trips", "for_loop0 trips"]),
        (once, []),
        (native, []),
    ],
)
def test_counters_stand_where_python_is_called_and_in_front_of_other_loops(function: Any, expected: list[str]) -> None:
    graph = copy_graph(program_of(function, 5, 3, set()))
    add_tallies(graph)
    verify(graph)
    assert places(graph.block) == expected
    run_pipeline(graph, verify=True)
    assert places(graph.block) == expected


def test_loops_are_counted_beside_many_values_that_a_call_reads() -> None:
    def halved(numbers: tuple[float, ...]) -> float:
        total = sum(numbers)
        while total > 1.0:
            total *= 0.5
        return total

    def places_counted(count: int) -> int:
        compiled = ag.compile(halved, fallback="error")
        compiled((1.5,) * count)
        return len(find_tallies(compiled.specializations[0].program.graph))

    assert (places_counted(4), places_counted(30)) == (0, 1)


def test_loops_are_counted_where_sets_in_a_dict_of_the_call_are_read() -> None:
    def summed(groups: dict[int, set[int]]) -> int:
        total = 0
        for key in groups:
            for number in groups[key]:
                total += number
        return total

    compiled = ag.compile(summed, fallback="error")
    assert compiled({i: {i} for i in range(70)}) == 69 * 35
    assert find_tallies(compiled.specializations[0].program.graph)
