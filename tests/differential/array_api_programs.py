"""Programs over the functions of the Python Array API standard (2024.12), each function with its rarer arguments."""

from __future__ import annotations

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def uni(seed, *shape):
    return np.random.default_rng(seed).uniform(0.05, 0.95, shape)


def ints(seed, low, high, *shape, dtype=np.int64):
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


# ---------------------------------------------------------------- elementwise


@program(lambda: (uni(1, 5),), lambda: (uni(1, 2, 3).astype(np.float32),), lambda: (np.zeros(0),))
def inverse_trigonometry(x):
    return (
        np.acos(x),
        np.asin(x),
        np.atan(x),
        np.atan2(x, x - 0.5),
        np.acosh(1 + x),
        np.asinh(x),
        np.atanh(x),
        np.arccos(x) + np.arcsin(x),
        np.cosh(x) ** 2 - np.sinh(x) ** 2,
        np.tan(x) - np.tanh(x),
        np.sinc(x),
        np.deg2rad(np.rad2deg(x)),
        np.degrees(x),
        np.radians(x),
        np.cbrt(x),
        np.exp2(x),
        np.log2(x),
        np.log10(x),
        np.logaddexp2(x, 2 * x),
        np.i0(x),
        np.unwrap(x * 20),
    )


@program(lambda: (ints(2, -9, 9, 6), ints(3, 1, 7, 6)), lambda: (ints(2, -9, 9, 6, dtype=np.int8), ints(3, 1, 7, 6, dtype=np.int8)))
def integer_operations_by_their_new_names(a, b):
    return (
        np.bitwise_invert(a),
        np.bitwise_left_shift(a, b),
        np.bitwise_right_shift(a, b),
        np.bitwise_and(a, b) | np.bitwise_xor(a, 3),
        np.bitwise_count(b),
        np.pow(b, 2),
        np.pow(a, b % 3),
        np.floor_divide(a, b),
        np.remainder(a, b),
        np.fmod(a, b),
        np.divmod(a, b),
        np.gcd(a, b),
        np.lcm(a, b),
        np.invert(a),
        np.negative(a),
        np.positive(a),
        np.sign(a),
        np.signbit(a.astype(np.float64)),
        np.square(a),
        np.abs(a),
        np.absolute(a),
        np.fabs(a),
        np.trunc(a),
        np.ceil(a),
        np.floor(a),
        np.round(a),
        np.reciprocal(b),
        np.conj(a),
        np.real(a),
        np.imag(a),
    )


@program(lambda: (rnd(4, 4), rnd(5, 4)), lambda: (rnd(4, 3, 1), rnd(5, 4)), lambda: (rnd(4, 2).astype(np.float32), rnd(5, 2)))
def binary_float_operations(a, b):
    return (
        np.hypot(a, b),
        np.copysign(a, b),
        np.nextafter(a, b),
        np.logaddexp(a, b),
        np.maximum(a, b),
        np.minimum(a, b),
        np.fmax(a, b),
        np.fmin(a, b),
        np.heaviside(a, b),
        np.ldexp(a, 3),
        np.frexp(a),
        np.modf(a),
        np.spacing(a),
        np.float_power(np.abs(a), b),
        np.true_divide(a, b),
        np.remainder(a, b),
        np.mod(a, b),
        np.fmod(a, b),
        np.divmod(a, b),
        np.floor_divide(a, b),
        np.rint(a * 3),
        np.fix(a * 3),
        np.round(a, 2),
        np.around(a, decimals=1),
        np.logical_xor(a > 0, b > 0),
        np.logical_not(a > 0),
        np.not_equal(a, b),
        np.greater_equal(a, b),
        np.less_equal(a, b),
        np.equal(a, a),
    )


@program(lambda: (np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.5]),), lambda: (np.array([np.nan, 2.0], dtype=np.float32),))
def classification(x):
    return (
        np.isfinite(x),
        np.isinf(x),
        np.isnan(x),
        np.isposinf(x),
        np.isneginf(x),
        np.signbit(x),
        np.sign(x),
        np.isreal(x),
        np.iscomplex(x),
        np.isrealobj(x),
        np.iscomplexobj(x),
        np.nan_to_num(x, nan=-1.0, posinf=9.0, neginf=-9.0),
        np.copysign(1.0, x),
        np.isclose(x, x, equal_nan=True),
        np.array_equal(x, x, equal_nan=True),
        np.array_equal(x, x),
        np.allclose(x, x),
        np.array_equiv(x, x[None]),
        np.real_if_close(x),
        np.nanmax(x),
        np.nanargmin(x),
    )


@program(lambda: (rnd(6, 3) + 1j * rnd(7, 3),), lambda: (np.array([1 + 2j, 0j, -3j], dtype=np.complex64),))
def complex_numbers(z):
    return (
        np.real(z),
        np.imag(z),
        np.conj(z),
        np.conjugate(z),
        np.angle(z),
        np.angle(z, deg=True),
        np.abs(z),
        np.exp(z),
        np.sqrt(z),
        np.sin(z),
        np.cosh(z),
        np.square(z),
        np.sign(z),
        np.log(z + 3),
        np.expm1(z),
        np.log1p(z + 3),
        np.pow(z, 2),
        z**0.5,
        np.isfinite(z),
        np.prod(z),
        np.cumulative_sum(z),
        np.vecdot(z, z),
        np.vdot(z, z),
        np.mean(z),
        np.var(z),
        np.iscomplex(z),
        np.sort(z),
        np.maximum(z, z[::-1]),
        np.argmax(z),
        np.round(z, 1),
    )


@program(lambda: (rnd(8, 5), rnd(9, 5)), lambda: (rnd(8, 1), rnd(9, 1)))
def ufuncs_with_out_where_and_dtype(a, b):
    out = np.zeros(a.shape)
    mask = a > b
    r = np.add(a, b, out=out, where=mask)
    np.multiply(a, 2.0, out=a)
    s = np.subtract(a, b, where=mask, out=np.full(a.shape, 7.0))
    t = np.add(a, b, dtype=np.float32, casting="same_kind")
    u = np.sqrt(np.abs(a), dtype=np.float32)
    whole = np.empty(a.shape, dtype=np.int64)
    np.floor(a, out=out)
    np.add(whole * 0, 3, out=whole, casting="unsafe")
    q, w = np.divmod(a, b)
    frac, ip = np.zeros_like(a), np.zeros_like(a)
    np.modf(a, frac, ip)
    return r is out, out, s, t, u, whole, q, w, frac, ip


@program(lambda: (ints(10, 0, 9, 3, 4),), lambda: (ints(10, 0, 9, 1, 4, dtype=np.uint8),))
def ufunc_methods(a):
    counts = np.zeros(9, dtype=np.int64)
    np.add.at(counts, a.ravel(), 1)
    tops = np.zeros(9)
    np.maximum.at(tops, a[0], a[0] * 1.5)
    return (
        counts,
        tops,
        np.add.reduce(a, axis=1),
        np.add.reduce(a, axis=(0, 1), keepdims=True),
        np.multiply.reduce(a, axis=0, dtype=np.float64),
        np.maximum.reduce(a, axis=None, initial=4),
        np.logical_or.reduce(a > 7, axis=1),
        np.bitwise_xor.reduce(a, axis=0),
        np.subtract.accumulate(a, axis=1),
        np.minimum.accumulate(a, axis=0),
        np.add.accumulate(a[0], dtype=np.float32),
        np.add.reduceat(a[0], [0, 2]),
        np.multiply.outer(a[0], a[0]),
        np.subtract.outer(a[0], [1, 2]),
        np.add.reduce(a, where=a > 3, axis=1, initial=10),
    )


# ---------------------------------------------------------------- statistics, cumulative, utility


@program(lambda: (rnd(11, 3, 4),), lambda: (rnd(11, 1, 1),), lambda: (rnd(11, 2, 5).astype(np.float32),))
def statistics_with_every_argument(a):
    out = np.empty(a.shape[1], dtype=a.dtype)
    np.mean(a, axis=0, out=out)
    top = np.empty(a.shape[0], dtype=a.dtype)
    np.max(a, axis=1, out=top)
    return (
        out,
        top,
        np.mean(a, axis=1, dtype=np.float64, keepdims=True),
        np.mean(a, where=a > -9),
        np.sum(a, axis=-1, keepdims=True, initial=2.0),
        np.sum(a, axis=(), dtype=np.float64),
        np.prod(a, axis=(0, 1), keepdims=True),
        np.std(a, axis=0, correction=0),
        np.var(a, axis=(0, 1), mean=np.mean(a, axis=(0, 1), keepdims=True)),
        np.std(a, axis=1, keepdims=True, where=a < 9),
        np.min(a, axis=0, initial=0.0),
        np.max(a, axis=1, where=a > 0, initial=-1.0),
        np.amax(a, 1),
        np.amin(a, 0),
        np.ptp(a, axis=0),
        np.median(a, axis=1, keepdims=True),
        np.average(a, axis=1, weights=np.abs(a)),
        np.average(a, axis=0, weights=np.arange(1.0, a.shape[0] + 1.0), returned=True),
        np.quantile(a, 0.25, axis=1, method="lower"),
        np.percentile(a, [10, 50], axis=0),
        np.nanmean(a, axis=0),
        np.nanstd(a, axis=1),
        np.nanvar(a),
        np.nanmedian(a, axis=0),
        np.nanpercentile(a, 30),
        np.nanprod(a, axis=0),
        np.nansum(a, axis=1, keepdims=True),
        np.nanmin(a, axis=0),
        np.nancumsum(a, axis=1),
        np.cov(a),
        np.corrcoef(a + np.arange(a.shape[1])) if a.size > 1 else 0,
    )


@program(lambda: (ints(12, -5, 9, 3, 4),), lambda: (ints(12, 0, 2, 2, 3) > 0,), lambda: (ints(12, 0, 200, 2, 3, dtype=np.uint8),))
def statistics_of_integers(a):
    return (
        np.sum(a),
        np.sum(a, dtype=np.int32),
        np.prod(a, axis=0),
        np.mean(a, axis=1),
        np.std(a),
        np.max(a, axis=0),
        np.argmax(a, axis=1, keepdims=True),
        np.argmin(a, axis=None),
        np.cumulative_sum(a, axis=0),
        np.cumulative_sum(a, axis=1, include_initial=True),
        np.cumulative_prod(a, axis=1, dtype=np.float64),
        np.cumulative_prod(a, axis=0, include_initial=True),
        np.cumsum(a),
        np.cumprod(a, axis=1),
        np.count_nonzero(a, axis=0),
        np.count_nonzero(a, keepdims=True),
        np.all(a, axis=1, keepdims=True),
        np.any(a, axis=(0, 1)),
        np.median(a),
        np.bincount(a.ravel() % 3),
        np.diff(a.astype(np.int64), n=2, axis=1),
        np.average(a),
    )


@program(lambda: (rnd(13, 6),), lambda: (rnd(13, 2, 3),))
def differences_with_every_argument(a):
    return (
        np.diff(a),
        np.diff(a, n=0),
        np.diff(a, axis=0),
        np.diff(a, prepend=0.0),
        np.diff(a, append=a[..., -1:] + 1),
        np.diff(a, n=2, prepend=a[..., :1], append=9.0),
        np.ediff1d(a),
        np.ediff1d(a, to_end=[1.0, 2.0], to_begin=0.0),
        np.gradient(a, axis=-1),
        np.gradient(a, 0.5, edge_order=2, axis=-1) if a.shape[-1] > 2 else 0,
        np.trapezoid(a),
        np.trapezoid(a, dx=0.1, axis=0),
        np.trapezoid(a, x=np.arange(a.shape[-1]) ** 2),
        np.cumulative_sum(a.ravel()),
        np.cumulative_prod(a.ravel(), include_initial=True),
        np.interp(0.5, np.sort(a.ravel()), a.ravel()),
        np.interp([0.0, 9.0], np.sort(a.ravel()), a.ravel(), left=-1.0, right=1.0),
        np.interp(a, np.linspace(-3, 3, 4), np.arange(4.0), period=4),
    )


# ---------------------------------------------------------------- sorting, searching, sets


@program(lambda: (ints(14, 0, 6, 3, 5),), lambda: (rnd(14, 2, 4),), lambda: (rnd(14, 1, 1),))
def sorting_and_searching(a):
    order = np.argsort(a, axis=0, stable=True)
    flat = np.sort(a, axis=None)
    return (
        np.sort(a, stable=True),
        np.sort(a, axis=0, kind="mergesort"),
        order,
        np.take_along_axis(a, order, axis=0),
        np.take_along_axis(a, np.argsort(a), axis=-1),
        np.argsort(a, axis=None, kind="stable"),
        np.searchsorted(flat, a),
        np.searchsorted(flat, a[0], side="right"),
        np.searchsorted(flat, 2),
        np.searchsorted(a[0], [0, 3], sorter=np.argsort(a[0], kind="stable")),
        np.nonzero(a > 1),
        np.argwhere(a > 1),
        np.flatnonzero(a > 1),
        np.where(a > 1),
        np.where(a > 1, a, 0),
        np.argmax(a),
        np.argmin(a, axis=1),
        np.partition(a, 0, axis=1)[:, 0],
        np.digitize(a, [1, 2, 4]),
        np.digitize(a, [4, 2, 1], right=True),
        np.take(a, [0, 0], axis=1),
        np.take(a, 0),
        np.take(a, [7, -9], mode="clip"),
        np.take(a, [[7], [-9]], mode="wrap"),
        np.lexsort((a[0], a[-1])),
        np.unravel_index(np.argmax(a), a.shape),
        np.ravel_multi_index((0, 0), a.shape),
        np.sort_complex(a[0]),
        np.histogram(a, bins=3),
        np.histogram_bin_edges(a, bins=4),
    )


@program(lambda: (ints(15, 0, 5, 9), ints(16, 2, 8, 6)), lambda: (ints(15, 0, 5, 2, 3).astype(float), ints(16, 0, 3, 4).astype(float)))
def sets_of_numbers(a, b):
    values, index, inverse, counts = np.unique_all(a)
    result = np.unique_counts(b)
    twice = np.unique_inverse(a)
    return (
        values,
        index,
        inverse,
        counts,
        result.values,
        result.counts,
        twice.values[twice.inverse_indices],
        np.unique_values(a),
        np.unique(a, return_index=True),
        np.unique(a, return_inverse=True, return_counts=True),
        np.union1d(a, b),
        np.intersect1d(a, b),
        np.setdiff1d(a, b),
        np.setxor1d(a, b),
        np.isin(a, b),
        np.isin(a, b, invert=True),
        np.isin(a, [1, 2]),
    )


# ---------------------------------------------------------------- manipulation


@program(lambda: (rnd(17, 2, 3, 4),), lambda: (ints(17, 0, 9, 1, 2, 1),))
def manipulation_by_the_standards_names(a):
    x, y = np.broadcast_arrays(a[0], a[0, :1])
    first, *rest = np.unstack(a)
    return (
        x + y,
        first,
        rest,
        np.unstack(a, axis=1),
        np.concat([a, a], axis=2),
        np.concat((a, a), axis=None),
        np.concat([a[0], a[0] * 2.5]),
        np.concatenate([a, a], axis=1, dtype=np.float32, casting="same_kind") if a.dtype.kind == "f" else 0,
        np.permute_dims(a, (2, 0, 1)),
        np.permute_dims(a, axes=(0, 2, 1)),
        np.matrix_transpose(a),
        a.mT,
        np.expand_dims(a, axis=(0, 2)),
        np.squeeze(a[:, :1], axis=1),
        np.flip(a),
        np.flip(a, axis=(0, 2)),
        np.moveaxis(a, (0, 1), (2, 0)),
        np.repeat(a, 2),
        np.repeat(a, 3, axis=1),
        np.reshape(a, (-1, 2), copy=True),
        np.reshape(a, shape=(a.size,)),
        np.roll(a, 2),
        np.roll(a, (1, 2), axis=(0, 2)),
        np.stack([a, a * 2], axis=-1),
        np.tile(a[0], (2, 1, 2)),
        np.broadcast_to(a[:, :1], (3, *a[:, :1].shape)),
        np.broadcast_shapes((2, 1), (3,)),
        np.astype(a, np.float32),
        np.astype(a, np.int8, copy=False),
        np.atleast_3d(a[0]),
        np.rollaxis(a, 2),
        np.resize(a, (2, 3)),
        np.trim_zeros(np.array([0, 0, 1, 2, 0])),
        np.rot90(a[0], k=3),
        np.fliplr(a),
        np.flipud(a),
        np.array_split(a, 3, axis=2),
        np.dsplit(a, [1]),
        np.tril(a),
        np.triu(a, k=-1),
    )


@program(lambda: (rnd(18, 3), 4), lambda: (ints(18, 0, 5, 2), 1))
def creation_by_the_standard(x, n):
    xs, ys = np.meshgrid(x, np.arange(n), indexing="ij")
    sparse = np.meshgrid(x, x[:1], sparse=True)
    return (
        xs,
        ys,
        sparse,
        np.arange(n),
        np.arange(1, n, dtype=np.float32),
        np.arange(0.0, 2.0, 0.5),
        np.arange(n, 0, -1),
        np.asarray(x, dtype=np.float64),
        np.asarray([x[0], 2]),
        np.empty(n).shape,
        np.empty_like(x, shape=(2, n)).shape,
        np.eye(n),
        np.eye(n, 3, k=-1, dtype=np.int32),
        np.full((n, 2), 7),
        np.full(n, x[0]),
        np.full_like(x, 1.9),
        np.full_like(x, 2, dtype=np.float32, shape=(1, 2)),
        np.linspace(x[0], 5, n),
        np.linspace(0, 5, n, endpoint=False),
        np.linspace(x, x + 1, 3),
        np.linspace(x, x + 1, 3, axis=1),
        np.linspace(0, 1, 3, dtype=np.float32),
        np.ones((n, n), dtype=bool),
        np.ones_like(x, dtype=np.uint8),
        np.zeros(n, dtype=np.complex64),
        np.zeros_like(x, shape=(n,)),
        np.geomspace(1, 100, n),
        np.logspace(0, 2, n, base=2),
        np.tri(n, 3, -1),
        np.identity(n),
        np.diagflat(x),
        np.diag(x, k=1),
        np.vander(x, 3, increasing=True),
        np.fromiter((v * 2 for v in x), dtype=np.float64),
        np.ascontiguousarray(x),
        np.array(x, ndmin=2),
        np.copy(x),
        np.e + np.pi - np.euler_gamma,
        x[np.newaxis, :, None],
    )


@program(lambda: (rnd(19, 3),), lambda: (ints(19, 0, 5, 2, dtype=np.int16),), lambda: (np.array([True, False]),))
def data_type_functions(x):
    return (
        np.isdtype(x.dtype, "integral"),
        np.isdtype(x.dtype, ("real floating", "bool")),
        np.isdtype(x.dtype, np.float64),
        np.can_cast(x.dtype, np.float32),
        np.can_cast(np.int8, np.int16, casting="safe"),
        np.result_type(x, np.float32) == np.float64,
        np.result_type(x.dtype, 1).name,
        np.promote_types(x.dtype, np.int64).name,
        np.finfo(np.float32).eps,
        np.finfo(np.float64).max,
        np.iinfo(np.int16).max,
        np.iinfo(np.int64).min,
        np.min_scalar_type(300).name,
        np.issubdtype(x.dtype, np.integer),
        x.dtype.kind,
        x.dtype.itemsize,
        np.common_type(np.zeros(1), np.zeros(1, np.float32)).__name__,
        x.astype(np.float32) + np.float32(1),
        x.astype("int32"),
        x.astype(float, copy=False),
        x.astype(complex).dtype.name,
        x.view(np.uint8).sum(),
        np.isscalar(x[0]),
        np.ndim(x),
        np.shape(x),
        np.size(x),
    )


# ---------------------------------------------------------------- linalg, fft


@program(lambda: (rnd(20, 3, 3), rnd(21, 3)), lambda: (rnd(20, 2, 2), rnd(21, 2)))
def linear_algebra_extension(a, v):
    s = a @ a.T + 3 * np.eye(len(v))
    q, r = np.linalg.qr(a)
    u, d, vt = np.linalg.svd(a)
    sign, logabs = np.linalg.slogdet(a)
    values, vectors = np.linalg.eigh(s)
    named = np.linalg.svd(a, full_matrices=False)
    return (
        np.abs(q @ r - a) < 1e-9,
        np.abs((u * d) @ vt - a) < 1e-9,
        sign * np.exp(logabs),
        np.abs(vectors @ np.diag(values) @ vectors.T - s) < 1e-9,
        named.S,
        np.linalg.cholesky(s),
        np.linalg.cholesky(s, upper=True),
        np.linalg.det(a),
        np.linalg.diagonal(a),
        np.linalg.diagonal(a, offset=1),
        np.linalg.eigvalsh(s),
        np.linalg.inv(a),
        np.linalg.matmul(a, a),
        np.linalg.matrix_norm(a),
        np.linalg.matrix_norm(a, ord=1, keepdims=True),
        np.linalg.matrix_norm(a, ord="nuc"),
        np.linalg.matrix_power(a, 3),
        np.linalg.matrix_power(a, -2),
        np.linalg.matrix_power(a, 0),
        np.linalg.matrix_rank(a),
        np.linalg.matrix_rank(np.outer(v, v)),
        np.linalg.matrix_transpose(a),
        np.linalg.outer(v, v),
        np.linalg.pinv(a[:, :-1]),
        np.linalg.solve(s, v),
        np.linalg.solve(s, a),
        np.linalg.svdvals(a),
        np.linalg.tensordot(a, a, axes=([1], [0])),
        np.linalg.trace(a),
        np.linalg.trace(a, offset=-1, dtype=np.float32),
        np.linalg.vecdot(a, v),
        np.linalg.vector_norm(a),
        np.linalg.vector_norm(a, axis=1, ord=1, keepdims=True),
        np.linalg.vector_norm(v, ord=np.inf),
        np.linalg.norm(a, axis=0),
        np.linalg.norm(a, 2),
        np.linalg.norm(v, 3),
        np.linalg.norm(v, 0),
        np.linalg.norm(a, "fro", keepdims=True),
        np.linalg.cond(s),
        np.linalg.lstsq(a, v, rcond=None)[0],
        np.linalg.multi_dot([a, s, a]),
        np.linalg.tensorsolve(s, v),
        np.linalg.eigvals(s).real.sum(),
        np.matvec(a, v),
        np.vecmat(v, a),
        np.vecdot(a, v),
        np.vecdot(a, a, axis=0),
        np.linalg.cross(np.array([1.0, 2.0, 3.0]), np.array([a[0, 0], 0.0, 1.0])),
    )


@program(lambda: (rnd(22, 8),), lambda: (rnd(22, 3, 4),), lambda: (rnd(22, 5).astype(np.float32),))
def fourier_extension(x):
    f = np.fft.fft(x)
    return (
        f,
        np.fft.ifft(f).real,
        np.fft.fft(x, n=6),
        np.fft.fft(x, axis=0, norm="ortho"),
        np.fft.rfft(x),
        np.fft.irfft(np.fft.rfft(x)),
        np.fft.irfft(np.fft.rfft(x), n=x.shape[-1]),
        np.fft.fftn(x),
        np.fft.ifftn(x, norm="forward"),
        np.fft.rfftn(x),
        np.fft.irfftn(np.fft.rfftn(x), s=x.shape, axes=tuple(range(x.ndim))),
        np.fft.hfft(f),
        np.fft.ihfft(x),
        np.fft.fftfreq(x.shape[-1], d=0.1),
        np.fft.rfftfreq(x.shape[-1]),
        np.fft.fftshift(x),
        np.fft.ifftshift(x, axes=0),
        np.fft.fftshift(np.fft.fftfreq(5)),
        np.abs(np.fft.fft2(x)) if x.ndim == 2 else 0,
        np.real(np.fft.ifft2(x)) if x.ndim == 2 else 0,
    )


@program(
    lambda: (rnd(23, 2, 3), rnd(24, 3, 4)), lambda: (ints(23, 0, 5, 2, 2), ints(24, 0, 5, 2, 2)), lambda: (rnd(23, 4, 2, 3), rnd(24, 3, 2))
)
def products_with_every_argument(a, b):
    out = np.zeros((*a.shape[:-1], b.shape[-1]), dtype=a.dtype)
    r = np.matmul(a, b, out=out)
    return (
        r is out,
        out,
        np.matmul(a, b, dtype=np.float64),
        np.dot(a, b),
        np.tensordot(a, b, axes=1),
        np.tensordot(a, a, axes=(list(range(a.ndim)), list(range(a.ndim)))),
        np.inner(a, a),
        np.outer(a, b),
        np.vdot(a, a),
        np.kron(a, b) if a.ndim == 2 else 0,
        np.einsum("...ij,jk->...ik", a, b),
        np.einsum("...ij->...", a),
        np.einsum("...ij,...ij->...i", a, a, optimize=True),
        np.einsum(a, [0, 1], b, [1, 2], [0, 2]) if a.ndim == 2 else 0,
        np.trace(a, axis1=-2, axis2=-1),
        np.trace(a, offset=1),
        np.diagonal(a, axis1=0, axis2=1),
        np.cross(a[..., :3], a[..., :3] + 1) if a.shape[-1] == 3 else 0,
        np.vecdot(a, a),
        a.dot(b),
    )


# ---------------------------------------------------------------- masks, fancy indices, places


@program(lambda: (rnd(25, 4, 5), ints(26, 0, 4, 3)), lambda: (ints(25, 0, 9, 4, 5), ints(26, 0, 4, 3)))
def places_written(a, k):
    b = a.copy()
    np.put(b, [0, -1], [100, 200])
    np.put(b, [3, 50], 7, mode="clip")
    c = a.copy()
    np.place(c, c > 0, [1, 2, 3])
    d = a.copy()
    np.putmask(d, d > 0, -d)
    e = a.copy()
    np.copyto(e, 5, where=e < 0)
    f = a.copy()
    np.put_along_axis(f, np.argmax(f, axis=1, keepdims=True), 99, axis=1)
    g = a.copy()
    np.fill_diagonal(g, 0)
    h = a.copy()
    h[k] = h[k[::-1]] + 1
    h[:, k] *= 2
    h[np.ix_(k[:1], [0, 2])] = -5
    i, j = np.tril_indices(3)
    h[i, j] = 0
    h[np.triu_indices_from(h[:4, :4], 1)] += 1
    return (
        b,
        c,
        d,
        e,
        f,
        g,
        h,
        np.diag_indices(3),
        np.select([a > 1, a < -1], [a, -a], 0),
        np.choose(k % 2, [k, -k]),
        np.compress([True, False, True], a, axis=1),
    )


@program(lambda: (rnd(27, 3, 4, 5), ints(28, 0, 3, 2)), lambda: (ints(27, 0, 9, 3, 4, 5), ints(28, 0, 3, 2)))
def indices_of_every_kind(a, k):
    m = a[..., 0] > 0
    return (
        a[k],
        a[k, k],
        a[k, :, k],
        a[:, k],
        a[:, k, k],
        a[k, ..., 1],
        a[k[:, None], k],
        a[k[:, None], :, k],
        a[None, k],
        a[k, None],
        a[m],
        a[m, 1],
        a[a > 0.5].sum(),
        a[:, m[0]],
        a[1, m[1]],
        a[[0, 2], :, [1, 1]],
        a[[True, False, True]],
        a[..., [0, -1]],
        a[()].shape,
        a[k[0]],
        a[k[0], k[1]],
        a[k[0], k[1], 2],
        a[::-1, 1:3, -2:],
        a[np.array([], dtype=int)],
        a[:, :, None, 0],
        a[tuple(k)],
        a.take(k, axis=1),
        a[np.newaxis, ..., np.newaxis].shape,
        a[-1][-1][-1],
        a.item(3),
        a.flat[7],
        a.ravel()[k],
    )
