"""Arrays that several operations of one nest read: which of them are numbers of the nest, and that the results are NumPy's bits, but for
sums and functions."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import autograph_jit as ag

ROUNDED = 1e-14  # relative, where NumPy adds in another order or calls another function


def counted(function, *args, rtol=0.0):
    """How many nests a function has, after its results and what it does to its arguments were compared with Python's."""
    compiled = ag.compile(function, fallback="error")
    mine, expected = [np.copy(arg) for arg in args], [np.copy(arg) for arg in args]
    found, wanted = compiled(*mine), function(*expected)
    for x, y in zip((*mine, found), (*expected, wanted)):
        np.testing.assert_allclose(x, y, rtol=rtol, strict=True)
    return compiled.kernels(*args).count("kernel ")


def root_and_square(x):
    y = x * x * x + 1.0 - x
    return np.sqrt(np.abs(y)) * x / (y + 2.0)


def chain_of_diamonds(x):
    for _ in range(6):
        y = x * x - 0.5 * x + 0.25
        x = y / (y * y + 1.0)
    return x


def into_a_sum(x):
    y = x * x * x + x
    return np.sum(y * y + 2.0 / (y * y + 1.0))


def into_a_slice(x):
    y = 0.5 * x[1:] - x[:-1] * x[:-1]
    z = np.zeros(len(x))
    z[:-1] = y / (1.0 + y * y)
    return z


def of_a_row(x):
    rows = np.outer(x, x)
    row = x * x * x - x
    return rows * row + row


@pytest.mark.parametrize("function, nests", [(root_and_square, 1), (into_a_sum, 1), (into_a_slice, 2)])
@pytest.mark.parametrize("size", [2, 9, 100])
def test_what_one_nest_reads_is_computed_in_it(function, nests, size):
    rtol = ROUNDED if function is into_a_sum else 0.0
    assert counted(function, np.random.default_rng(size).standard_normal(size), rtol=rtol) == nests


@pytest.mark.parametrize("function", [chain_of_diamonds, of_a_row])
@pytest.mark.parametrize("size", [2, 9, 100])
def test_results_stay(function, size):
    counted(function, np.random.default_rng(size).standard_normal(size))


def written_in_between(x):
    y = x * x * x + 1.0
    z = y * 2.0
    x[0] = 100.0
    return z - y / (y * y + 1.0)


def two_nests(x):
    y = x * x * x + 1.0
    return np.sum(y * 2.0), y - 1.0


def with_functions(x):
    y = np.exp(x * x - 1.0)
    return np.sin(y) + y * y


def read_twice_through_a_view(x):
    y = x * x * x + 1.0
    return y[1:] * y[:-1]


def life(x):
    neighbours = x[:-2] + x[2:] + x[:-2] * x[2:] * 0.5
    x[1:-1] = np.where((neighbours > 0) & (neighbours < 1.0), 1.0, neighbours * x[1:-1])
    return x * 1.0


@pytest.mark.parametrize("function", [written_in_between, with_functions, read_twice_through_a_view, life])
def test_what_changes_what_is_costly_and_what_is_viewed_has_an_array(function):
    rtol = ROUNDED if function is with_functions else 0.0
    assert counted(function, np.random.default_rng(3).standard_normal(50), rtol=rtol) > 1


def test_two_nests_read_one_array():
    x = np.random.default_rng(4).standard_normal(50)
    compiled = ag.compile(two_nests, fallback="error")
    for mine, wanted in zip(compiled(x), two_nests(x)):
        np.testing.assert_allclose(mine, wanted, rtol=ROUNDED)
    assert compiled.kernels(x).count("kernel ") == 3


def weighted(x, w):
    return np.sum(x + w * x * x)


def test_the_value_of_a_gradient_is_not_computed():
    rng = np.random.default_rng(5)
    x, w = rng.standard_normal(50), rng.standard_normal(50)
    gradient = ag.compile(lambda x, w: ag.grad(weighted)(x, w), fallback="error")
    np.testing.assert_allclose(gradient(x, w), 1 + 2 * w * x, rtol=1e-14, atol=1e-14)
    assert gradient.kernels(x, w).count("for i0") == 2  # the cotangent of one product is read by two
    with pytest.raises(ValueError, match="operands could not be broadcast together with shapes"):
        gradient(x, w[:20])


def test_long_chains_of_diamonds_compile():
    """Each of 30 statements doubles the ways from the result to the argument: nothing may go through all of them."""
    text = "def chain(x):\n" + "    x = x * 0.5 + x / (x * x + 1.0)\n" * 30 + "    return np.sum(x)\n"
    names = {"np": np}
    linecache.cache["<diamonds>"] = (len(text), None, text.splitlines(True), "<diamonds>")
    exec(compile(text, "<diamonds>", "exec"), names)  # noqa: S102
    ag.testing.check_grads(names["chain"], (np.random.default_rng(6).standard_normal(9),), order=1)


@pytest.mark.parametrize("size", [1, 2, 40])
def test_what_is_gathered_or_rotated_keeps_its_nest(size):
    def gathered(x, i, out):
        y = x[i] * 2.0 + 1.0
        out[:] = y * y + 1.0 / (y * y + 1.0)
        return np.sum(y * y - 3.0 / (y * y + 1.0))

    def rotated(x, i, out):
        y = np.roll(x, 1) * 2.0 + 1.0
        out[:] = y * y + 1.0 / (y * y + 1.0)
        return np.roll(x, 2) * x

    rng = np.random.default_rng(size)
    for function in (gathered, rotated):
        counted(function, rng.standard_normal(size), rng.integers(-size, size, size), np.zeros(size), rtol=ROUNDED)


def test_sizes_of_an_array_that_is_not_computed():
    def sizes(x, y):
        return (x * y + 1.0).shape[0] * x[:2]

    x = np.arange(5.0)
    np.testing.assert_array_equal(ag.compile(sizes, fallback="error")(x, x), sizes(x, x))
    np.testing.assert_array_equal(ag.compile(sizes, fallback="error")(x, x[:1]), sizes(x, x[:1]))
    with pytest.raises(ValueError, match="could not be broadcast"):
        ag.compile(sizes, fallback="error")(x, x[:3])
