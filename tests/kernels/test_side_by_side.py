"""Assignments to parts of one array in one nest: what is joined, what keeps them apart, NumPy's numbers."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def colours(image):
    out = np.empty_like(image)
    out[..., 0] = 0.4 * image[..., 0] + 0.7 * image[..., 1]
    out[..., 1] = 0.3 * image[..., 0] + 0.6 * image[..., 1]
    out[..., 2] = 0.2 * image[..., 0] + 0.5 * image[..., 2]
    return out


def crossed(x, y):
    return np.cross(x, y)


def stacked(x, y):
    return np.stack([x + y, x - y, x * y], axis=-1), np.stack([x + y, x - y])


def reads_what_it_wrote(x):
    out = np.zeros((len(x), 3))
    out[:, 0] = x * 2.0
    out[:, 1] = out[:, 0] + x
    t = out[:, 1] * 3.0
    out[:, 2] = t + x
    return out


def writes_twice(x):
    out = np.zeros((len(x), 2))
    out[:, 0] = x * 2.0
    out[:, 0] = x * 3.0
    out[:, -2] = x * 4.0
    return out


def looks_between(x):
    out = np.zeros((len(x), 2))
    out[:, 0] = x * 2.0
    first = out[0, 0]
    out[:, 1] = x + first
    return out, out.sum()


def rotates(x):
    x[:, 0] = x[:, 1] * 2.0
    x[:, 1] = x[:, 0] - x[:, 2]
    return x


def fails_between(x, k):
    out = np.zeros((len(x), 2))
    try:
        out[:, 0] = x * 2.0
        out[:, 1] = x / np.ones(k)
    except ValueError:
        pass
    return out


def kernels_of(function, *arguments):
    compiled = ag.compile(function, fallback="error")
    compiled(*arguments)
    return compiled.kernels(*arguments)


def assert_same(function, *arguments):
    mine = ag.compile(function, fallback="error")(*(np.copy(x) if isinstance(x, np.ndarray) else x for x in arguments))
    theirs = function(*(np.copy(x) if isinstance(x, np.ndarray) else x for x in arguments))
    for x, y in zip(mine if isinstance(mine, tuple) else (mine,), theirs if isinstance(theirs, tuple) else (theirs,), strict=True):
        assert np.asarray(x).dtype == np.asarray(y).dtype
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(
    "function, arguments", [(colours, (np.ones((4, 5, 3)),)), (crossed, (np.ones((9, 3)), np.ones((9, 3)))), (stacked, (np.ones(9),) * 2)]
)
def test_parts_are_stored_by_one_nest(function, arguments):
    text = kernels_of(function, *arguments)
    assert text.count("side by side") == (5 if function is stacked else 3) and "kernel assign" not in text


def test_arrays_that_are_stacked_are_stored_by_one_nest_once_their_sizes_are_compared():
    def columns(x, y, z):
        return np.stack([x, y, z], axis=1)

    arguments = np.arange(5.0), np.ones(5), np.full(5, 2.0)
    assert kernels_of(columns, *arguments).count("side by side") == 3
    assert_same(columns, *arguments)
    with pytest.raises(ValueError, match="must have the same shape"):
        ag.compile(columns, fallback="error")(np.ones(5), np.ones(5), np.ones(1))


@pytest.mark.parametrize("function", [reads_what_it_wrote, rotates])
def test_what_is_read_is_not_joined(function):
    assert "side by side" not in kernels_of(function, np.ones((4, 3)) if function is rotates else np.ones(4))


@pytest.mark.parametrize("dtype", ["i1", "u4", "i8", "f4", "f8", "c16"])
@pytest.mark.parametrize("count", [0, 1, 2, 9, 40])
def test_numbers_of_every_dtype_and_size(dtype, count):
    rng = np.random.default_rng(3)
    x, y = (rng.integers(0, 9, (count, 3)).astype(dtype) for _ in range(2))
    assert_same(crossed, x, y)
    assert_same(stacked, x, y)
    assert_same(stacked, x[::-1, 1], y[:, 2])


@pytest.mark.parametrize("function", [reads_what_it_wrote, writes_twice, looks_between])
@pytest.mark.parametrize("count", [1, 2, 9])
def test_order_of_reads_and_writes(function, count):
    assert_same(function, np.arange(1.0, count + 1))


def test_parts_of_an_argument():
    x = np.random.default_rng(4).random((9, 3))
    assert_same(rotates, x)
    assert_same(colours, np.random.default_rng(4).random((5, 6, 3)))
    assert_same(colours, np.asfortranarray(np.random.default_rng(4).random((5, 6, 3))))


def test_what_was_written_before_a_failure_stays():
    assert_same(fails_between, np.ones(3), 3)
    assert_same(fails_between, np.ones(3), 4)
