"""Subscripts of staged arrays against NumPy: reads, writes, views, errors."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.staged_run import check_like_numpy, hosted_calls

KEYS = {
    "int": 1,
    "negative int": -1,
    "numpy int": np.int64(1),
    "slice": slice(1, None),
    "to": slice(None, -1),
    "both": slice(1, -1),
    "step": slice(None, None, 2),
    "reverse": slice(None, None, -1),
    "backwards": slice(2, 0, -1),
    "beyond": slice(-100, 100),
    "empty": slice(2, 1),
    "all": slice(None),
    "ellipsis": ...,
    "none": None,
    "int slice": (1, slice(None)),
    "slice int": (slice(1, None), -1),
    "none slice": (None, slice(1, None)),
    "ellipsis int": (..., 0),
    "int ellipsis": (0, ...),
    "two ints": (1, 0),
    "two slices": (slice(None, 2), slice(1, None)),
    "none between": (slice(None), None, 0),
    "list": [0, 1, 0],
    "array": np.array([1, 0]),
    "negative list": [-1, 0],
    "list and slice": ([0, 1], slice(1, None)),
    "slice and list": (slice(None), [1, 0]),
    "two lists": ([0, 1], [1, 0]),
    "broadcast lists": ([[0], [1]], [0, 1]),
    "int and list": (0, [1, 0]),
    "list and int": ([1, 0], 0),
    "2-d list": [[0, 1], [1, 1]],
    "empty list": [],
    "int array 0-d": np.array(1),
    "bool list": [True, False],
    "too many": (0, 0, 0, 0, 0),
    "float": 1.0,
    "string": "a",
    "float list": [0.5],
    "two ellipses": (..., ...),
    "out": 7,
    "out negative": -8,
    "out list": [0, 9],
    "int32 array": np.array([0, 1], np.int32),
    "uint8 array": np.array([0, 1], np.uint8),
    "none and list": (None, [0, 1]),
    "list none": ([0, 1], None),
    "true": True,
    "ellipsis slice": (..., slice(0, 1)),
    "no index": (),
}
ARRAYS = {
    "vector": np.arange(2.0),
    "matrix": np.arange(6.0).reshape(2, 3),
    "square": np.arange(4).reshape(2, 2),
    "cube": np.arange(12.0).reshape(2, 3, 2),
    "reversed": np.arange(6.0).reshape(2, 3)[::-1, ::-1],
    "transposed": np.arange(6.0).reshape(3, 2).T,
    "scalar": np.array(3.5),
    "one": np.arange(1.0),
    "empty": np.zeros((0, 2)),
}


@table("key", KEYS)
@table("array", ARRAYS)
def test_reads(array: str, key: str) -> None:
    check_like_numpy(lambda np, x: x[KEYS[key]], ARRAYS[array])


@table("key", KEYS)
@table("array", ARRAYS)
def test_writes_of_a_number(array: str, key: str) -> None:
    def write(np, x):
        x[KEYS[key]] = 7

    check_like_numpy(write, ARRAYS[array])


@table("key", KEYS)
@table("array", ARRAYS)
def test_augmented_assignment(array: str, key: str) -> None:
    def write(np, x):
        part = x[KEYS[key]]
        part += 2
        x[KEYS[key]] = part
        return part

    check_like_numpy(write, ARRAYS[array])


@table("key", KEYS)
@table("array", ["vector", "matrix", "cube", "reversed"])
def test_writes_of_arrays(array: str, key: str) -> None:
    def write(np, x, y, z):
        x[KEYS[key]] = x[KEYS[key]] * y
        x[KEYS[key]] = y
        x[KEYS[key]] = z

    check_like_numpy(write, ARRAYS[array], np.array([5.0]), np.arange(3))


@table("mask_rank", [1, 2, 3])
@table("value", [9, np.array([4.5]), np.array(2.0), [1.0]])
def test_masks(mask_rank: int, value: object) -> None:
    def function(np, x, mask):
        kept = x[mask]
        x[mask] = value
        x[~mask] *= 2
        return kept, x[mask].sum(), x[mask, ...]

    x = np.arange(24.0).reshape(2, 3, 4)
    check_like_numpy(function, x, x.reshape(2, -1)[:, 0] > 5 if mask_rank == 1 else x[..., 0] > 6 if mask_rank == 2 else x % 3 > 1)


def test_a_mask_takes_as_many_values_as_it_selects() -> None:
    def function(np, x, mask, values):
        x[mask] = values

    x = np.arange(6.0).reshape(2, 3)
    check_like_numpy(function, x, x > 2, np.array([1, 2, 3]))
    check_like_numpy(function, x, x > 2, np.array([1, 2]))
    check_like_numpy(lambda np, x, m: x[m], x, np.array([True, False, True]))


@table("seed", range(40))
def test_random_slices_of_random_arrays(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    x = rng.standard_normal(tuple(rng.integers(0, 6, rank)))
    key = tuple(random_part(rng) for _ in range(int(rng.integers(1, rank + 1))))

    def function(np, x):
        view = x[key]
        copy = view.copy() if hasattr(view, "copy") else view
        x[key] = view * 2 + 1
        return view, copy, x.sum()

    check_like_numpy(function, x)


def random_part(rng: np.random.Generator) -> object:
    bounds = [None if rng.random() < 0.3 else int(rng.integers(-6, 7)) for _ in range(2)]
    step = [None, 1, 2, -1, -2, 3][int(rng.integers(6))]
    return slice(*bounds, step)


def test_staged_bounds_and_indices() -> None:
    def function(np, x, a, i, j):
        n = i[0]
        s = slice(None, None, n)
        out = [
            x[:n],
            x[n:],
            x[-n:],
            x[n::-1],
            x[::-n],
            x[n:n],
            x[n - 1 : n + 1],
            x[s],
            a[..., n],
            a[n, ...],
            a[n - 1, :n],
            a[j],
            a[j, n],
            a[n, j],
            x[j],
            a[j - 1, 1:],
        ]
        x[n - 1 : n + 1] = x[n : n + 2]
        a[s, s] = 0
        x[j] += 1
        a[j, j] -= 2
        return out

    check_like_numpy(function, np.arange(7.0), np.arange(12.0).reshape(4, 3), np.array([2]), np.array([2, 0, 2]))


def test_python_int_arguments_as_bounds() -> None:
    def function(np, x, i, n):
        y = np.zeros(n)
        y[:n] = x[i : i + n]
        y[:] = x[i - n :][:n]
        return y, x[:n], x[n:], x[i:n], x[-n:], x[i], x[i, None], x[i : i + 1] + x[n : n + 1], np.arange(n)[:n]

    check_like_numpy(function, np.arange(9.0), 4, 3)


def test_views_see_later_writes() -> None:
    def function(np, x):
        v, m = x[2:6], x.reshape(2, 4)
        w, t = v[::-1], m.T
        x[3] = 100
        t[0, 1] = 50
        w[0] += 7
        v[1:] *= 2
        return v, w, m, t, x

    check_like_numpy(function, np.arange(8.0))


STORES = [
    300,
    -1,
    2.9,
    -2.9,
    True,
    np.float64(3.7),
    np.int64(300),
    1e30,
    float("nan"),
    float("inf"),
    1j,
    np.complex128(2 + 1j),
    "abc",
    "4",
    None,
    [1.0],
    [1.0, 2.0],
    np.array(2.5),
    np.array([2.5]),
    np.array([300, 1]),
    [300, 1],
    np.float32(2.5),
    np.uint64(2**63),
    (1, 2),
    {},
]


@table("dtype", ["?", "i1", "u1", "i4", "i8", "u8", "f4", "f8", "c16"])
@table("value", range(len(STORES)))
@table("key", [0, slice(None), [1, 0]])
@pytest.mark.filterwarnings("ignore")
def test_stores_convert_and_refuse_as_numpy_does(dtype: str, value: int, key: object) -> None:
    def function(np, x):
        x[key] = STORES[value]

    check_like_numpy(function, np.ones(2, dtype))


@table("dtype", ["?", "i1", "u1", "i4", "i8", "u8", "f4", "f8", "c16"])
@table(
    "value",
    [
        300,
        -1,
        2.9,
        1e30,
        float("nan"),
        float("inf"),
        1j,
        np.float64(3.7),
        np.float64("nan"),
        np.int64(300),
        np.complex128(1j),
        np.float32(-1.5),
        np.uint64(2**63),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore")
def test_stores_of_staged_numbers(dtype: str, value: object) -> None:
    def function(np, x, v):
        x[0] = v
        x[1:] = v

    check_like_numpy(function, np.ones(3, dtype), value)


def test_read_only_arrays_refuse_stores() -> None:
    def function(np, x):
        b = np.broadcast_to(x, (2, 3))
        y = x * 1
        y.flags.writeable = False
        return b, y

    for write in (
        lambda np, x: function(np, x)[0].__setitem__(0, 1),
        lambda np, x: function(np, x)[1].__setitem__(0, 1),
        lambda np, x: function(np, x)[1][1:].fill(0),
    ):
        check_like_numpy(write, np.arange(3.0))


def test_native_subscripts_make_no_host_calls() -> None:
    def function(np, x, k):
        x[1:, 0] = x[:-1, 1]
        x[k] += x[k, ::-1]
        x[x > 2] = 0
        return x[..., None], x[0, 1], x[[0, 1], [1, 0]]

    assert hosted_calls(function, np.ones((3, 2)), np.array([0, 1])) == []


def test_a_mask_without_elements_fits_every_axis() -> None:
    read = ag.compile(lambda x, mask: x[mask], fallback="error")
    for x, mask in ((np.ones((2, 3)), np.zeros(0, bool)), (np.ones(3), np.zeros(0, bool)), (np.ones((2, 3)), np.zeros((0, 3), bool))):
        assert read(x, mask).shape == x[mask].shape
