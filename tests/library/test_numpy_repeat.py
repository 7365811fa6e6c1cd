"""Elements that are repeated: one pass writes them, and what NumPy refuses or stretches is NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.arrays.repeats import BLOCK


def of_all(x, counts):
    return np.repeat(x, counts)


def of_first_axis(x, counts):
    return np.repeat(x, counts, axis=0)


def of_last_axis(x, counts):
    return x.repeat(counts, axis=-1)


def thrice(x):
    return np.repeat(x, 3)


def weighted(x, counts, axis):
    y = np.repeat(x, counts, axis)
    return np.sum(y * y * np.cos(np.arange(y.size)).reshape(y.shape))


FUNCTIONS = [of_all, of_first_axis, of_last_axis]
COMPILED = {}
SHAPES = [(0,), (1,), (2,), (7,), (100,), (3, 4), (4, 1), (3, 0), (0, 3), (2, 3, 2)]
DTYPES = ["float64", "float32", "int64", "uint8", "bool", "complex128"]


def outcome(function, *args):
    try:
        return function(*args)
    except (ValueError, TypeError) as error:
        return type(error), str(error)


@pytest.fixture(autouse=True)
def compiled():
    """Programs of one test: there is a limit to how many a function has."""
    COMPILED.update({function: ag.compile(function, fallback="error") for function in FUNCTIONS})


def expect_numpys(function, x, counts):
    want, got = outcome(function, x, counts), outcome(COMPILED[function], x, counts)
    if isinstance(want, tuple):
        assert got == want
        return
    np.testing.assert_array_equal(got, want, strict=True)
    assert not np.shares_memory(got, x) and (not want.size or got.strides == want.strides)


def counted(function, x):
    return {of_all: x.size, of_first_axis: x.shape[0], of_last_axis: x.shape[-1]}[function]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_as_often_as_its_count_says(function, shape, dtype):
    rng = np.random.default_rng(1)
    x = (rng.normal(size=shape) * 5).astype(dtype)
    n = counted(function, x)
    for highest in (1, 2, BLOCK, BLOCK + 1, 2 * BLOCK + 1, 40):
        expect_numpys(function, x, rng.integers(0, highest, n))
    expect_numpys(function, x, np.full(n, BLOCK))
    expect_numpys(function, x, np.full(n, 2 * BLOCK))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_views_and_counts_of_other_dtypes(function):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(6, 8))
    for view in (x.T, x[::2, ::-1], np.asfortranarray(x), np.broadcast_to(x[0], (3, 8)), x[0, ::-2]):
        counts = rng.integers(0, 4, counted(function, view))
        for each in (counts, np.repeat(counts, 2)[::2], counts.astype(np.int32), counts.astype(np.uint8), counts > 1):
            expect_numpys(function, view, each)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_numpy_refuses_or_stretches(function):
    x = np.arange(3.0)
    for counts in ([1, 2], [1, 2, 3, 4], [1, -1, 2], [-1, -1], [2], [1, 2, 0], [], 3, 0, -1, True, np.int32(2), [1.5, 1, 1]):
        expect_numpys(function, x, counts)
        expect_numpys(function, x, np.array(counts))
    for dtype in ("uint64", "float32"):
        expect_numpys(function, x, np.ones(3, dtype))


def test_nothing_is_repeated_as_often_as_anything():
    for counts in (-1, 2, np.array([-1]), np.array([3])):
        expect_numpys(of_all, np.empty(0), counts)
        expect_numpys(of_last_axis, np.empty((3, 0)), counts)


def test_counts_of_more_than_memory_has():
    with pytest.raises(ValueError, match="array is too big"):
        COMPILED[of_all](np.arange(4.0), np.full(4, 1 << 62))


def test_many_elements():
    rng = np.random.default_rng(3)
    x, counts = rng.normal(size=600_000), rng.integers(0, 3, 600_000)
    expect_numpys(of_all, x, counts)
    expect_numpys(of_first_axis, x.reshape(300_000, 2), counts[:300_000])
    expect_numpys(of_last_axis, x.reshape(300_000, 2), np.array([0, 5]))


@pytest.mark.native
def test_repeats_are_written_in_one_pass():
    assert ag.compile(thrice, fallback="error").kernels(np.ones(5)).count("kernel ") == 1
    text = ag.compile(of_all, fallback="error").graph(np.ones(5), np.ones(5, np.int64))
    assert "repeat(" in text and "searchsorted" not in text and "gather" not in text


@pytest.mark.parametrize("counts, axis", [([2, 0, 3, 1], 0), ([2, 0, 7], 1), ([1, 0, 2] * 4, None), (2, 1), (0, 0)])
def test_gradients_add_up_over_the_places(counts, axis):
    x = np.random.default_rng(4).normal(size=(4, 3))
    counts = np.array(counts) if isinstance(counts, list) else counts
    places = np.repeat(np.arange(12).reshape(4, 3), counts, axis)
    factors = np.cos(np.arange(places.size))
    want = 2 * x * np.bincount(places.ravel(), factors, 12).reshape(4, 3)
    np.testing.assert_allclose(ag.grad(weighted)(x, counts, axis), want, rtol=1e-12)
