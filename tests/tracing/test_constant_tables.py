"""Lists and tuples of a module or class, indexed, sliced, searched and gone through by the run; what instances find in their class."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees, run

FEW = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4]
PRIMES = [p for p in range(2, 700) if all(p % q for q in range(2, p))]
WEIGHTS = [0.5 * k * k for k in range(100)]
NAMES = [f"n{k * 7 % 100}" for k in range(100)]
PAIRS = [(k, f"v{k}") for k in range(100)]
LONG = tuple(PRIMES)


def indexed(places: list[int]) -> Any:
    return [(FEW[k], WEIGHTS[k], NAMES[k], PAIRS[k], LONG[k]) for k in places]


def sliced(places: list[int]) -> Any:
    return [(FEW[:k], WEIGHTS[k : k + 2], NAMES[-k:][:2], PAIRS[k::40], LONG[k : k + 2], FEW[k:] == FEW[1:]) for k in places]


def sliced_and_changed(places: list[int]) -> Any:
    part = FEW[places[0] :]
    part.append(places[1])
    part[0] = -1
    return part, FEW


def searched(places: list[int]) -> Any:
    return [(k in PRIMES, k in LONG, NAMES.index(f"n{k}"), FEW.count(k), f"n{k}" in NAMES) for k in places]


def not_found(places: list[int]) -> Any:
    return [PRIMES.index(k - 1) for k in places]


def out_of_range(places: list[int]) -> Any:
    return [LONG[k * 30] for k in places]


def gone_through(places: list[int]) -> Any:
    total = 0
    for k in places:
        for place, prime in enumerate(PRIMES):
            if prime > k:
                total += place
                break
        for pair, weight in zip(PAIRS, reversed(WEIGHTS)):
            total += pair[0] + len(pair[1]) if weight > k else 0
    return total, max(PRIMES), [prime for prime in LONG if prime % 9 == places[0]]


def of_the_program(places: list[int]) -> Any:
    lengths = [8] * 144 + [9] * 112
    found = [0] * 10
    for place, length in enumerate(lengths):
        found[length] += place * places[0]
    return found, sum(lengths), max(lengths), lengths[places[1]]


def bytes_that_may_be_none(places: list[int]) -> Any:
    known = {1: 65, 2: 66, 3: 67}
    out, numbers = bytearray(), array("d")
    for k in places:
        out.append(known.get(k))  # type: ignore[arg-type]
        numbers.append(known.get(k))  # type: ignore[arg-type]
    return bytes(out), list(numbers)


TABLES = (indexed, sliced, sliced_and_changed, searched, gone_through, not_found, out_of_range, of_the_program, bytes_that_may_be_none)


@pytest.mark.parametrize("function", TABLES)
def test_places_of_the_run(function: Callable[..., Any]) -> None:
    compiled = ag.compile(function, fallback="error")
    for places in ([3, 1, 2], [3, 2, 3, 1, 1], [1, 9, 5, 1]):
        assert run(compiled, (places,)) == run(function, (places,))
    assert function in (searched, not_found) or "host calls    none" in compiled.explain()  # the texts, and the error, are Python's


def test_a_loop_over_a_long_table_is_not_written_out() -> None:
    compiled = ag.compile(gone_through, fallback="error")
    compiled([1, 2, 3])
    assert compiled.graph([1, 2, 3]).count("\n") < 400


class Machine:
    """What its instances share may be changed between two calls."""

    limit, name, steps = 3, "ab", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

    def __init__(self, place: int) -> None:
        self.place = place

    def step(self) -> Any:
        return self.steps[self.place] * self.limit, self.name


def one_machine(places: list[int]) -> Any:
    return Machine(places[0]).step()


def many_machines(places: list[int]) -> Any:
    machines = [Machine(k) for k in places]
    return [machine.step()[0] for machine in machines], machines[places[0]].step()


@pytest.mark.parametrize("function", [one_machine, many_machines])
def test_what_a_class_holds_may_change_between_calls(function: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = ag.compile(function, fallback="error")
    monkeypatch.setattr(Machine, "steps", list(Machine.steps))
    for name, value in (("limit", 3), ("limit", 8), ("name", "zz"), ("steps", [5, 6, 7, 8, 9]), ("limit", 9)):
        monkeypatch.setattr(Machine, name, value)
        assert compiled([1, 2, 0]) == function([1, 2, 0])
        Machine.steps[1] += 10
        assert compiled([1, 2, 0]) == function([1, 2, 0])


def named(k: int) -> str:
    names = "zero one two three four five six seven".split()
    tens = ("", "ten", "twenty", "thirty", "forty", "fifty")
    return names[k] if k < 8 else named(k // 8 % 8) + " " + tens[k % 6] + names[-1 - k % 8]


def of_a_function(places: list[int]) -> Any:
    return [named(k) for k in places]


def of_a_loop(places: list[int]) -> Any:
    found = []
    for k in places:
        mixed, zeros, few = [1, 2.5, True, "a", 3], [0.0, -0.0, 1.0], [k, 5, 7]
        counts = [0] * 5
        counts[k % 5] += 1
        counts[k * 3 % 5] += counts[k % 5]
        found.append((mixed[k % 5], zeros[k % 3], few[k % 3], counts, ("x", b"y", 3, 4.0, "z")[k % 5]))
        few.append(k)
        found.append(few[-(k % 4) - 1])
    return found


def beyond_a_tuple(places: list[int]) -> Any:
    return [("a", "b", "c", "d", "e")[k] for k in places]


def beyond_a_list(places: list[int]) -> Any:
    return [["a", "b", "c", "d", "e"][k] for k in places]


def test_items_of_lists_that_a_loop_or_function_makes_of_constants() -> None:
    for function, places in (
        (of_a_function, [5, 3, 70, 12, 61]),
        (of_a_loop, [5, 3, 70, 12, 61]),
        (beyond_a_tuple, [1, -5, 3]),
        (beyond_a_tuple, [1, 5]),
        (beyond_a_list, [1, -5, 3]),
        (beyond_a_list, [-6]),
    ):
        assert_agrees(function, places)
    compiled, many = ag.compile(of_a_function, fallback="error"), list(range(100))
    assert compiled(many) == of_a_function(many)
    assert str(compiled.graph(many)).count("list_push") == 8 + 6 + 1  # the items of both, in front of the loop, and those that it finds
