"""The builtin `sum` gives what that of this Python gives, to the last digit: floats are added with the errors of additions from 3.12 on."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees

SPREAD = [1e16, 1.0, -1e16, 0.1, 0.2, 0.3]


def of_items(xs):
    return sum(xs)


def from_a_start(xs):
    return sum(xs, 5), sum(xs, 0.5), sum(xs, -0.0)


def of_a_generator(xs):
    return sum(x * 0.1 for x in xs), sum(x for x in xs if x > 0)


def of_a_made_list(xs):
    tenths = []
    for x in xs:
        tenths.append(x * 0.1)
    return sum(tenths), sum(tenths) / max(len(tenths), 1)


def of_a_display(xs):
    x = xs[0] * 1.0 if len(xs) > 0 else 0.5
    return sum([x, 1, -x]), sum([1, x, 0.1]), sum((0.1, 0.2, x)), sum([0.1] * 10), sum([x, np.float64(1.0), 1e16, 1.0, -1e16])


def of_complex(xs):
    return sum([complex(x, -x) for x in xs]), sum((x * 1j for x in xs), 0.5), sum([1, 0.1, 1j, 0.1, 2])


def of_arrays(xs):
    return sum(np.array(xs, dtype=float)), sum([np.arange(3.0), 1.0, 1e16])


PROGRAMS = (of_items, from_a_start, of_a_generator, of_a_made_list, of_a_display, of_complex, of_arrays)


LISTS = ([], SPREAD, [0.1] * 10, [-0.0], [math.inf, 1.0], [math.inf, -math.inf], [1e308, 1e308, -1e308], [1, 2, 3])


@pytest.mark.parametrize("xs", LISTS, ids=str)
@pytest.mark.parametrize("program", PROGRAMS)
def test_sums_are_pythons(program: Any, xs: list[Any]) -> None:
    assert repr(ag.compile(program, fallback="error")(xs)) == repr(program(xs))


def test_random_mixtures_of_numbers() -> None:
    random.seed(1)
    for _ in range(30):
        kinds = random.choices([int, float, complex], weights=(3, 5, random.choice((0, 1))), k=random.randint(1, 6))
        xs = [kind(random.choice((1, 3, 2**53, -(2**53)))) * (1 if kind is int else random.uniform(0.1, 3)) for kind in kinds]
        assert repr(ag.compile(of_items, fallback="error")(xs)) == repr(sum(xs)), xs


def test_sums_in_loops_whose_items_the_run_decides() -> None:
    def program(n, flag):
        total = sum(0.1 * i if i % 3 else i for i in range(n))
        items = [i if flag else 0.1 * i for i in range(n)]
        return total, sum(items), sum(items, 3), sum(i * i for i in range(n))

    compiled = ag.compile(program, fallback="error")
    for n in (0, 1, 10, 77):
        for flag in (True, False):
            assert repr(compiled(n, flag)) == repr(program(n, flag))


def test_errors_of_additions_have_no_derivative() -> None:
    def objective(xs, scale):
        return sum(x * scale for x in xs) + sum([scale, scale * scale, 2.0])

    assert ag.grad(objective, argnums=1)([0.1] * 10, 3.0) == pytest.approx(1 + 1 + 6)


@pytest.mark.native
def test_sums_so_far_call_no_python() -> None:
    def f(xs: list[int]) -> Any:
        sums, most = list(itertools.accumulate(xs)), list(itertools.accumulate(xs, max))
        return sums, most, sum(itertools.accumulate(xs)), [b - a for a, b in zip(sums, sums[1:])]

    assert_agrees(f, list(range(20)), [], [3, -7, 2**40] * 9)
    assert "host calls    none" in ag.compile(f, fallback="error").explain(list(range(20)))
