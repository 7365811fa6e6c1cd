"""A list times a number that only the run knows: one program for all numbers, the same items, and gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag


def sieve(n: int) -> list[int]:
    prime = [True] * (n + 1)
    prime[0] = prime[1] = False
    p = 2
    while p * p <= n:
        if prime[p]:
            for multiple in range(p * p, n + 1, p):
                prime[multiple] = False
        p += 1
    return [i for i, is_prime in enumerate(prime) if is_prime]


def coins(amount: int) -> float:
    least = [0.0] + [float("inf")] * amount
    for total in range(1, amount + 1):
        for coin in (3, 5):
            if coin <= total:
                least[total] = min(least[total], least[total - coin] + 1)
    return least[amount]


def products(n: int) -> Any:
    twice = [1, 2] * n
    again = twice * 2
    twice[0] = 9
    return twice, again, n * [3], [0] * -n, [(1, 2.5)] * n


def updated(n: int) -> Any:
    items = [1] * n
    items += [2] * n
    items *= 2
    return len(items), sum(items), items[::-1][:2], 2 in items


def table(n: int) -> Any:
    rows = [[0] * n for _ in range(n)]
    for i in range(1, n):
        for j in range(1, n):
            rows[i][j] = max(rows[i - 1][j], rows[i][j - 1]) + i * j
    return rows


@pytest.mark.parametrize("function", [sieve, coins, products, updated, table])
def test_one_program_is_for_all_lengths(function: Callable[..., Any]) -> None:
    compiled = ag.compile(function, fallback="error")
    for n in (12, 5, 30, 2):
        assert compiled(n) == function(n)
    assert len(compiled.specializations) == 1


def test_lengths_of_arrays_make_lists_of_any_length() -> None:
    @ag.compile(fallback="error")
    def counts(x: Any) -> list[int]:
        found = [0] * len(x)
        for value in x:
            found[int(value)] += 1
        return found

    for size in (3, 7, 20):
        assert counts(np.zeros(size)) == [size] + [0] * (size - 1)
    assert len(counts.specializations) <= 2  # the first one may be for the size of the first call


def unpacked(n: int) -> Any:
    first, *rest = [1.5] * n
    return first, rest


def shaped(n: int) -> Any:
    return np.ones([2] * n).shape


@pytest.mark.parametrize("function", [unpacked, shaped])
def test_items_that_the_trace_needs_are_made_anew_for_each_number(function: Callable[..., Any]) -> None:
    compiled = ag.compile(function, fallback="error")
    for n in (3, 2, 3):
        assert compiled(n) == function(n)


def test_a_list_that_comes_to_hold_other_things_is_pythons() -> None:
    def labelled(n: int) -> list[Any]:
        items: list[Any] = [0] * n
        for i in range(n):
            items[i] = f"item {i}"
        return items

    compiled = ag.compile(labelled, fallback="error")
    assert [compiled(n) for n in (2, 5)] == [labelled(n) for n in (2, 5)]


@pytest.mark.native
def test_wrong_factors_are_pythons_errors() -> None:
    compiled = ag.compile(lambda n: [0] * n, fallback="error")
    with pytest.raises(TypeError, match="can't multiply sequence by non-int of type 'float'"):
        compiled(2.5)


def test_lists_that_no_memory_has_room_for_are_memory_errors() -> None:
    for repeated in (lambda n: [0] * n, lambda n: [1.5] * n, lambda n: [1, 2] * n, lambda n: n * [(1, 2.5)]):
        compiled = ag.compile(repeated, fallback="error")
        for n in (2**61, 2**60, 2**62):
            with pytest.raises(MemoryError):
                compiled(n)
        assert compiled(3) == repeated(3)


def test_gradients_go_through_the_items() -> None:
    def running(x: Any, n: int) -> Any:
        sums = [0.0] * (n + 1)
        for i in range(n):
            sums[i + 1] = sums[i] + x[i] ** 2
        return sums[n] * sums[1]

    gradient = ag.grad(running)
    for n in (3, 5):
        x = np.linspace(1.0, 2.0, 6)
        expected = np.where(np.arange(6) < n, 2 * x * x[0] ** 2, 0.0)
        expected[0] += 2 * x[0] * np.sum(x[:n] ** 2)
        np.testing.assert_allclose(gradient(x, n), expected, rtol=1e-14)
