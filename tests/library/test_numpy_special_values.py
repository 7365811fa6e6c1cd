"""NumPy functions of special values and of sizes that no memory holds: NumPy's results, its dtypes and its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autograph_jit as ag

EDGES = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 2.0, 3.0, -1.0, 0.5, 2.5, 4.0)
HUGE = 2**62


def outcome(function: Callable[..., Any], *args: Any) -> tuple[Any, ...]:
    """The type, shape, dtype and bytes of a result, or an exception."""
    try:
        with np.errstate(all="ignore"):
            result = function(*args)
    except Exception as error:
        return type(error).__name__, str(error)
    return type(result).__name__, np.shape(result), np.asarray(result).dtype, np.asarray(result).tobytes()


def test_interp_among_points_and_values_that_are_no_numbers(rng: np.random.Generator) -> None:
    """NaNs stand last among the points, as `np.sort` puts them; behind four points each search depends on the one before."""
    plain = ag.compile(lambda x, xp, fp: np.interp(x, xp, fp), fallback="error")
    ends = ag.compile(lambda x, xp, fp, left, right: np.interp(x, xp, fp, left, right), fallback="error")
    for turn in range(150):
        size = int(rng.integers(2, 12))
        xp = np.sort(rng.choice(EDGES if turn % 3 else EDGES[3:], size))
        fp, x = rng.choice(EDGES, size), rng.choice(EDGES, 7)
        for function, original, args in (
            (plain, np.interp, (x, xp, fp)),
            (plain, np.interp, (x[0], xp, fp)),
            (ends, np.interp, (x, xp, fp, x[0], x[1])),
        ):
            with np.errstate(all="ignore"):
                got, want = np.asarray(function(*args)), np.asarray(original(*args))
            np.testing.assert_allclose(got, want, rtol=1e-14, err_msg=repr(args))
            assert (np.signbit(got) == np.signbit(want))[want == 0].all(), args


def test_bincount_of_each_dtype_and_with_several_faults() -> None:
    function = ag.compile(lambda x, weights, minlength: np.bincount(x, weights, minlength), fallback="error")
    dtypes = (bool, np.int8, np.uint8, np.int64, np.uint64, np.float32, complex)
    indices = [np.array([0, 1, 1], dtype) for dtype in dtypes] + [np.array([0, -1, 1]), np.array([[0, 1]]), np.zeros(0, int)]
    weights = (None, np.ones(3), np.ones(2), np.ones(2, complex))
    calls = [(x, w, m) for x in indices for w in weights for m in ((0, 5, -1) if x.dtype.kind in "iu" else (0,))]
    with ag.config(max_programs=500):
        different = [call for call in calls if outcome(function, *call) != outcome(np.bincount, *call)]
    assert not different


def test_sizes_whose_bytes_overflow_are_errors_as_in_numpy() -> None:
    """A size of zero hides no other one: NumPy leaves it out when it counts bytes."""
    makers: tuple[Callable[..., Any], ...] = (
        lambda *shape: np.zeros(shape),
        lambda *shape: np.ones(shape),
        lambda *shape: np.empty(shape)[:0],
        lambda *shape: np.full(shape, 2.0),
        lambda *shape: np.zeros((3, 0, *shape), np.int8),
        lambda *shape: np.zeros_like(np.zeros(2), shape=shape),
    )
    shapes = ((2, 3), (HUGE, HUGE), (HUGE, 2), (HUGE, 0), (0, HUGE), (2**60, 8), (2**32, 2**31), (-1, 0), (0, -1), (5, 0), (0, 0))
    for maker in makers:
        function = ag.compile(maker, fallback="error")
        for shape in shapes:
            assert outcome(function, *shape) == outcome(maker, *shape), shape
    cube = ag.compile(lambda n, m: np.zeros((n, n, m)), fallback="error")
    assert outcome(cube, HUGE, 0) == outcome(lambda n, m: np.zeros((n, n, m)), HUGE, 0)


def test_counts_below_zero_are_errors() -> None:
    makers: tuple[Callable[..., Any], ...] = (
        lambda n: np.indices((n,)),
        lambda n: np.vander(np.ones(2), n),
        lambda n: np.fromfunction(lambda i: i, (n,)),
        lambda n: np.pad(np.ones(2), n),
        lambda n: np.pad(np.ones(2), (1, n), mode="edge"),
    )
    for maker in makers:
        function = ag.compile(maker, fallback="error")
        for count in (3, 0, -1, -HUGE):
            assert outcome(function, count) == outcome(maker, count), count


def test_running_sums_and_products_of_complex_numbers_begin_with_the_first() -> None:
    x = np.array([[complex(-np.inf, 7), complex(1, -0.0)], [complex(-0.0, -0.0), complex(2, np.inf)]])
    for original in (np.cumsum, np.cumprod):
        for axis in (0, 1):
            function = ag.compile(lambda x, original=original, axis=axis: original(x, axis=axis), fallback="error")
            with np.errstate(all="ignore"):
                got, want = function(x), original(x, axis=axis)
            for part, expected in ((got.real, want.real), (got.imag, want.imag)):
                np.testing.assert_array_equal(part, expected)
                assert (np.signbit(part) == np.signbit(expected))[expected == 0].all()


def test_extrema_of_nothing_are_named_as_in_numpy() -> None:
    for original, dtype in ((np.nanmax, int), (np.nanmin, np.int8), (np.nanmax, float)):
        function = ag.compile(lambda x, original=original: original(x, axis=1), fallback="error")
        assert outcome(function, np.zeros((4, 0), dtype)) == outcome(original, np.zeros((4, 0), dtype), 1)


def test_ranges_of_floats_are_numpys_to_the_bit_and_so_are_their_errors() -> None:
    """NumPy's step is what lies between the first two elements as they are rounded; the first element is the start itself."""
    inf, nan = np.inf, np.nan
    ranges = [(0.1, 3.0, 0.1), (1.0, 2.0, 0.1), (-0.0, 3.0, 1.0), (5.0, 1.0, -1.3), (2.0, 2.0, 0.1), (0.0, 1.0, inf), (0.0, 1.0, -inf)]
    ranges += [(0.5, 9.2e18, 1.0)]
    ranges += [(0.0, 1e30, 1.0), (-inf, 7.0, 1.0), (0.0, inf, inf), (nan, 1.0, 1.0), (0.0, 1.0, 0.0), (0.0, 1e-30, 1e30)]
    function = ag.compile(lambda start, stop, step: np.arange(start, stop, step), fallback="error")
    for kind in (float, np.float32):
        for parts in ranges:
            args = tuple(kind(part) for part in parts)
            assert outcome(function, *args) == outcome(np.arange, *args), args


def test_powers_of_complex_zeros() -> None:
    zeros = np.array([complex(re, im) for re in (0.0, -0.0) for im in (0.0, -0.0)])
    exponents = np.array([complex(re, im) for re in (2.0, -2.0, -0.0, 0.5) for im in (3.0, -0.0)])
    function = ag.compile(lambda x, y: x**y, fallback="error")
    x, y = zeros.repeat(8), np.tile(exponents, 4)
    with np.errstate(all="ignore"):
        got, want = function(x, y), x**y
    for part, expected in ((got.real, want.real), (got.imag, want.imag)):
        np.testing.assert_array_equal(part, expected)
        assert (np.signbit(part) == np.signbit(expected))[expected == 0].all()


def test_an_assigned_transpose_that_does_not_fit_is_named_as_the_program_has_it() -> None:
    def assign(target: Any, x: Any) -> None:
        target[:] = x.T

    function = ag.compile(assign, fallback="error")
    for shape in ((4, 3), (3, 5), (2, 3)):
        assert outcome(function, np.zeros((3, 4)), np.ones(shape)) == outcome(assign, np.zeros((3, 4)), np.ones(shape))
