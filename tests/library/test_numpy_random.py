"""Random numbers and element-wise iteration in compiled functions: drawn afresh at every call, equal to plain Python's."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.staged_run import hosted_calls


def seeded_global(n):
    np.random.seed(n)
    return np.random.rand(3), np.random.normal(2.0, 1.0), np.random.randint(0, 9, 4), np.random.choice(5)


def own_generator(n, seed):
    g = np.random.default_rng(seed)
    r = np.random.RandomState(3)
    return g.standard_normal(n) * 2, g.random() + 1, g.integers(0, 5, size=(2, n)).sum(0), r.rand(2), g.choice([1.0, 2.0], 3)


def every_element(x, n):
    s, t = 0.0, 0
    for v in x.flat:
        s = s * 0.5 + v
    for (i, j), v in np.ndenumerate(x):
        t += i * 10 + j
        x[i, j] = v + 1
    for i, j in np.ndindex(x.shape):
        s += x[i, j] * i
    for i in np.ndindex(n):
        t += i[0]
    x.flat[::2] = 0
    return s, t, x.flat[1], x


def user_functions(n, x):
    grid = np.fromfunction(lambda i, j: i * x[0] + j, (2, n))
    return grid, np.vectorize(lambda v: v * 2 if v > 1 else v)(x), np.apply_along_axis(np.sum, 0, x)


CASES = [
    (seeded_global, (5,)),
    (own_generator, (3, 7)),
    (every_element, (np.arange(12.0).reshape(3, 4), 3)),
    (user_functions, (3, np.array([1.0, 2.0]))),
]


def fresh(args):
    return [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]


@pytest.mark.parametrize(("function", "args"), CASES, ids=[function.__name__ for function, _ in CASES])
def test_every_call_gives_what_python_gives(function, args) -> None:
    want = function(*fresh(args))
    compiled = ag.compile(function, fallback="error")
    for _ in range(2):
        for got, expected in zip(compiled(*fresh(args)), want, strict=True):
            np.testing.assert_array_equal(got, expected)
            assert np.asarray(got).dtype == np.asarray(expected).dtype


def test_unseeded_draws_differ_from_call_to_call() -> None:
    @ag.compile(fallback="error")
    def draw():
        return np.random.rand(4), np.random.default_rng().random(4)

    first, second = draw(), draw()
    assert not np.array_equal(first[0], second[0])
    assert not np.array_equal(first[1], second[1])


def test_files_are_written_by_the_run_alone(tmp_path) -> None:
    path = str(tmp_path / "x.npy")

    @ag.compile(fallback="error")
    def save(x):
        np.save(path, x * 2)

    save(np.arange(3.0))
    np.testing.assert_array_equal(np.load(path), [0, 2, 4])


def test_the_present_time_is_asked_for_by_the_run() -> None:
    assert hosted_calls(lambda np: np.datetime64("now")) == ["np.datetime64"]


def test_where_of_numbers_is_a_number_in_compiled_code_and_an_array_where_it_leaves() -> None:
    def pick(x, y):
        found = np.where(x > y, x, y)
        return found, [found], found[()], found + 1.0, np.select([x > y], [x], y)

    for got, want in zip(ag.compile(pick, fallback="error")(2.0, 3.0), pick(2.0, 3.0)):
        assert type(got) is type(want) and repr(got) == repr(want)
