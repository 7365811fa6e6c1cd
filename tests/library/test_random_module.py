"""Python's `random`: the numbers, states and errors of plain Python, drawn from the object's own state."""

from __future__ import annotations

import random

import numpy as np
import pytest

import autograph_jit as ag
from tests.tables import table

pytestmark = pytest.mark.native


def numbers(r, n):
    found = np.zeros((n, 8))
    for k in range(n):
        found[k, 0] = r.random()
        found[k, 1] = r.uniform(-2.0, 3.0)
        found[k, 2] = r.expovariate(0.7)
        found[k, 3] = r.normalvariate(1.0, 0.5)
        found[k, 4] = r.randint(-3, 9)
        found[k, 5] = r.randrange(100)
        found[k, 6] = r.triangular(0.0, 2.0, 0.5)
        found[k, 7] = r.randrange(3, 1000, 7)
    return found


def wide(r, n):
    found = np.zeros((n, 4), np.int64)
    for k in range(n):
        found[k] = [r.randrange(1, 2), r.randrange(2**31 + 1), r.randrange(2**32 + 5), r.randrange(2**63 - 1)]
    return found


def of_arrays(r, n):
    x = np.arange(50.0)
    picked = np.zeros(n)
    for k in range(n):
        picked[k] = r.choice(x)
    r.shuffle(x)
    return picked, x


def of_lists(r, n):
    items = list(range(40))
    total = 0
    for k in range(n):
        items.append(r.randint(0, k))
        r.shuffle(items)
        total = 3 * total % 1000 + items[0] + r.choice(items)
    return total, items


def bits(r, n):
    return [(r.getrandbits(1), r.getrandbits(31), r.getrandbits(32), r.getrandbits(33), r.getrandbits(62)) for _ in range(n)]


def samples(r, n):
    items, total = list("abcdefgh"), 0
    found = []
    for k in range(n):
        i, j = sorted(r.sample(range(15), 2))
        total += i * j + sum(r.sample(range(1000), 3)) + len(r.choices(items, k=2)[0])
        found.append((r.sample(items, 3), r.choices([1.5, 2.5, 4.0], weights=[1, 2, 3], k=2), r.choices(range(k + 1))[0]))
    return total, found


def made_by_the_program(r, n):
    own = random.Random(n)
    total = 0.0
    for _ in range(n):
        total += own.random() * own.randint(1, 6)
    return total


def of_the_module(r, n):
    random.seed(n)
    total = 0.0
    for _ in range(n):
        total += random.random() + random.randint(1, 6) * random.uniform(0.0, 2.0)
    return total, random.random()


@table("function", [numbers, wide, bits, samples, of_arrays, of_lists, made_by_the_program, of_the_module])
def test_numbers_and_states_are_those_of_python(function) -> None:
    compiled = ag.compile(function, fallback="error")
    expected, found = random.Random(11), random.Random(11)
    for n in (1, 700, 3):
        np.testing.assert_equal(compiled(found, n), function(expected, n))
        assert found.getstate() == expected.getstate()


@table("function", [numbers, wide, bits, samples, made_by_the_program, of_the_module])
def test_a_loop_that_draws_calls_no_python(function) -> None:
    compiled = ag.compile(function, fallback="error")
    compiled(random.Random(1), 5)
    calls = compiled.explain(random.Random(1), 5).partition("host calls")[2].partition("\n  memory")[0]
    drawing = ("total +=", "found[", "found.append", "getrandbits")
    in_loops = [line for line in calls.splitlines() if any(text in line for text in drawing) and "constant" not in line]
    assert in_loops == [], calls


def outcome(function, *args):
    try:
        return function(*args)
    except (ValueError, IndexError) as error:
        return type(error), str(error)


WRONG_RANGES = [("randint", (5, 3)), ("randrange", (0,)), ("randrange", (4, 4)), ("randrange", (7, -2)), ("choice", ([],))]
WRONG_SAMPLES = [("sample", ([1, 2], 3)), ("sample", ([1], -1)), ("choices", ([1, 2], [0, 0])), ("getrandbits", (-1,))]


@table("method, args", [*WRONG_RANGES, *WRONG_SAMPLES])
def test_wrong_arguments_raise_the_errors_of_python(method, args) -> None:
    def draw(r, *args):
        return getattr(r, method)(*args)

    assert outcome(ag.compile(draw, fallback="error"), random.Random(1), *args) == outcome(draw, random.Random(1), *args)


@table("method, args", [("gauss", (0.0, 1.0)), ("randbytes", (9,)), ("getrandbits", (200,)), ("getrandbits", (0,))])
def test_other_methods_are_calls_of_python(method, args) -> None:
    def draw(r):
        return r.random(), getattr(r, method)(*args), r.random()

    assert ag.compile(draw, fallback="error")(random.Random(1)) == draw(random.Random(1))


def test_derivatives_follow_the_stream() -> None:
    def mean(a, b):
        r, total = random.Random(5), 0.0
        for _ in range(20):
            total += r.uniform(a, b) ** 2 + r.normalvariate(a, b) ** 3 + r.expovariate(b)
        return total

    slopes, step = ag.grad(mean, argnums=(0, 1))(0.7, 1.9), 1e-6
    central = [(mean(0.7 + step, 1.9) - mean(0.7 - step, 1.9)) / (2 * step), (mean(0.7, 1.9 + step) - mean(0.7, 1.9 - step)) / (2 * step)]
    np.testing.assert_allclose(slopes, central, rtol=1e-7)


def test_ints_of_more_bits_are_pythons() -> None:
    def draw(r, n):
        return r.randrange(n)

    with pytest.warns(UserWarning, match="does not fit in 64 bits"):
        assert ag.compile(draw)(random.Random(1), 10**30) == draw(random.Random(1), 10**30)
