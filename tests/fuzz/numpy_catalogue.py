"""NumPy calls for the fuzzers of special values and of canaries, as texts, by the dtypes that their arrays may have.

The names in a text say what it is called with (`numpy_arguments.py`): x, y, o vectors of one length, u a longer one, r an ordered one,
a, b, q matrices of one shape, c a matrix to multiply by, e a square one, s, t NumPy scalars, g a Python float, h a small count, i, j Python
ints, k, l vectors of indices, v one of counts, m, n masks of vectors, w one of matrices.
"""

from __future__ import annotations

UNARY = (
    "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1 log log2 log10 log1p sqrt square absolute "
    "negative positive sign reciprocal isfinite isnan isinf conjugate logical_not"
).split()
REAL_UNARY = "cbrt fabs floor ceil trunc rint signbit spacing degrees radians deg2rad rad2deg modf frexp fix sinc nan_to_num".split()
BINARY = "add subtract multiply true_divide power equal not_equal logical_and logical_or logical_xor float_power".split()
REAL_BINARY = (
    "floor_divide remainder fmod maximum minimum fmax fmin arctan2 hypot copysign nextafter logaddexp logaddexp2 less less_equal greater "
    "greater_equal heaviside divmod"
).split()
INTEGER_BINARY = "bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm floor_divide remainder power".split()
FOLDS = "sum prod mean var std any all count_nonzero nansum nanprod".split()
REAL_FOLDS = "max min argmax argmin ptp median nanmax nanmin nanmean nanmedian nanstd nanvar nanargmax".split()


def calls(text: str) -> list[str]:
    """The calls of a table."""
    return [call.strip(" |") for line in text.splitlines() for call in line.split(" | ") if call]


ANY = [
    *(f"np.{name}(x)" for name in UNARY),
    *(f"np.{name}(s)" for name in UNARY),
    *(f"np.{name}({operands})" for name in BINARY for operands in ("x, y", "x, s", "s, y", "s, t")),
    *(f"np.{name}(x, y, out=o)" for name in BINARY[:4]),
    *(f"np.{name}({operands})" for name in FOLDS for operands in ("x", "a", "a, axis=0", "a, axis=1", "a, axis=1, keepdims=True")),
    *calls("""
np.cumsum(x) | np.cumprod(x) | np.cumsum(a, axis=0) | np.cumsum(a, axis=1) | np.nancumsum(x) | np.nancumprod(x) | np.diff(x) |
np.diff(x, n=2) | np.ediff1d(x) | np.where(m, x, y) | np.where(x, x, y) | np.where(m, s, y) | np.select([m, n], [x, y], s) |
np.nonzero(x) | np.flatnonzero(a) | np.argwhere(a) | np.isclose(x, y) | np.isclose(x, y, equal_nan=True) | np.allclose(x, y) |
np.array_equal(x, y) | np.array_equal(x, x, equal_nan=True) | np.real(x), np.imag(x) | np.angle(x) | np.isreal(x), np.iscomplex(x) |
np.average(x) | np.trace(e) | np.diag(e) | np.tril(e) | np.triu(e) | np.kron(x, y) | np.outer(x, y) | np.gradient(x) |
np.gradient(x, 2.0) | np.trapezoid(x) | np.trapezoid(x, y) | np.vander(x, 3) | np.polyval(x[:3], y) | np.concatenate([x, y]) |
np.full(3, s) | np.full_like(x, s) | np.array([s, t, s]) | np.linspace(s, t, 5) | np.pad(x, 2, mode='edge') |
np.pad(x, 2, constant_values=s) | np.ptp(x) | np.nan_to_num(x, nan=g) | np.piecewise(x, [m], [s, t]) |
 np.cross(x[:3], y[:3]) | x + y | x - y | x * y | x / y | x ** 2 | x ** g | -x |
abs(x) | x + g | g - x | g / x | s + t | s * t | s / t | s ** t | x == y | x != s | x += y; x | x *= s; x | x[k] += y[k]; x |
np.add.at(x, k, s); x | np.add.reduce(a, axis=0) | np.multiply.reduce(x) | np.add.accumulate(x) | np.subtract.outer(x, y) |
np.sum(x, where=m) | np.sum(x, initial=s) | np.mean(a, axis=0, where=w) | np.add(x, y, where=m, out=o) | x.astype(np.complex128) |
x.astype(bool) | x.sum(), x.mean(), x.prod() | np.copyto(o, x, where=m); o | np.putmask(o, m, x); o | np.place(o, m, u); o |
np.unwrap(x) | np.ravel(a) * s | x.round(1) | np.round(x, 2) | np.around(a, h) | bool(s), s == t | np.fill_diagonal(e, s); e |
np.poly(x[:3]) | np.polyder(x) | np.polyint(x) | np.polyadd(x, u) | np.sum(x * y) | np.mean(x - y) | sum(x) | sum([v for v in x]) |
x.var(ddof=1) | np.std(x, ddof=h) | np.where(np.isnan(x), s, x) | np.block([[a, b], [b, a]])
"""),
]  # fmt: skip

REAL = [
    *(f"np.{name}(x)" for name in REAL_UNARY),
    *(f"np.{name}(s)" for name in REAL_UNARY),
    *(f"np.{name}({operands})" for name in REAL_BINARY for operands in ("x, y", "x, s", "s, y", "s, t", "x, g", "g, y")),
    *(f"np.{name}({operands})" for name in REAL_FOLDS for operands in ("x", "a", "a, axis=0", "a, axis=1")),
    *calls("""
np.convolve(x, u) | np.correlate(x, u, 'full') | np.correlate(u, x[:3]) |
np.interp(x, r, u) | np.interp(s, r, u) | np.interp(x, r, u, left=s, right=t) | np.interp(x, r, u, g, g) |
np.interp(g, r, u, right=g) | np.interp(x, r, u, period=g) | np.interp(x, r, u, period=3.0) | np.interp(x, r[:1], u[:1]) |
np.interp(a, r, u) | np.clip(x, s, t) | np.clip(x, y, None) | np.clip(x, None, s) | np.clip(x, g, 2) | x.clip(y, s) | np.sort(x) |
np.argsort(x, kind='stable') | np.sort(a, axis=0) | np.searchsorted(r, x) | np.searchsorted(r, x, 'right') | np.digitize(x, r) |
np.histogram(x, 4) | np.histogram(x, r) | np.histogram(x, 4, (0.0, 2.0)) | np.histogram(x, h, weights=y) | np.unique(x) |
np.percentile(x, 30) | np.percentile(x, g) | np.quantile(x, 0.25) | np.quantile(x, [0.1, 0.9]) | np.nanpercentile(x, 40) |
np.nanquantile(a, 0.5, axis=1) | np.quantile(x, 0.3, method='lower') | np.quantile(x, 0.3, method='nearest') | np.median(a, axis=0) |
np.maximum.reduce(x) | np.minimum.accumulate(x) | np.maximum.accumulate(x) | np.maximum.at(x, k, s); x | np.fmax.reduce(x) |
np.logaddexp.reduce(x) | np.max(x, initial=s) | np.min(a, axis=0, initial=g) | np.max(x, where=m, initial=g) |
np.argmax(x), np.argmin(x) | x // y | x % y | s // t | s % t | x < y | x >= s | g < x | x // s | g // x | g % x | divmod(s, t) |
x % g | max(s, t), min(s, t) | max(x), min(x) | x.max(), x.min() | x.argmax(), x.argmin() | x.sort(); x | np.bincount(v, weights=x) |
np.average(x, weights=y) | np.cov(x, y) | np.corrcoef(x, y) | float(s), abs(s) | np.arange(s, t, 0.5) | np.logspace(0.0, 1.0, h) |
np.nan_to_num(x, nan=s, posinf=t, neginf=g) | sorted(x) | np.apply_along_axis(np.sum, 0, a) | np.sign(x) * np.abs(x) |
np.modf(x)[0] + np.modf(x)[1] | np.lexsort((x, y)) | np.partition(x, 0)[0] | np.ldexp(x, h) | x.astype(np.float32) | round(s, 1) |
np.round(s) | np.where(x > s, x, s) | np.nanmax(a, axis=0) | np.nanargmin(a, axis=1) | np.fmin(x, y, out=o) |
np.maximum(x, y, where=m, out=o) | np.cumulative_sum(x) | np.linalg.norm(x) | np.linalg.norm(x, 1) | np.linalg.norm(x, np.inf) |
np.linalg.norm(a) | np.linalg.norm(x, -np.inf) | np.linalg.norm(a, axis=1) | np.linalg.norm(x, 3) | np.linalg.norm(x, 0) | x @ y |
a @ c | np.dot(x, y) | np.inner(x, y) | np.vdot(x, y) | e @ e | a @ x[:1].repeat(a.shape[1]) | np.einsum('i,i', x, y) |
np.einsum('ij->j', a) | np.tensordot(a, c, 1)
"""),
]  # fmt: skip

INTEGERS = [
    *(f"np.{name}({operands})" for name in INTEGER_BINARY for operands in ("x, y", "x, s", "s, t", "x, h", "x, i")),
    *calls("""
~x | x & y | x ^ s | x ^ y | x << h | x >> h | x // i | x % i | x ** h | -x | abs(x) | x + i | x * i | i - x | np.bitwise_count(x) |
np.invert(x) | x == i | x < i | np.bincount(v) | np.bincount(v, minlength=h) | np.bincount(x) | np.bincount(x % 7) |
np.bitwise_and.reduce(x) | np.bitwise_xor.reduce(x) | np.bitwise_or.reduce(a, axis=0) | x += i; x | x //= y; x | x %= s; x |
x <<= h; x | x.astype(np.int8) | x.astype(np.uint64) | x.astype(np.float32) | np.sum(x, dtype=np.int8) | np.mean(x, dtype=np.float32) |
np.clip(x, i, j) | np.clip(x, i, s) | np.take(u, x % 3) | np.abs(s) | int(s), float(s) | s // t, s % t | np.average(x) |
np.add.reduce(x, dtype=np.uint8) | np.sum(x, initial=i) | np.true_divide(x, i) | x / i | np.power(x, h) | np.floor_divide(i, x) |
np.round(x, -1) | np.max(x, initial=i) | np.repeat(x, h) | np.full(h, i) | np.arange(i, j) | np.arange(i, j, h)
"""),
]  # fmt: skip

# What moves elements, and what writes: places are wrong now and then, results may lie in arrays given by the caller.
PLACES = calls("""
x[i] | x[i:j] | x[i:j:2].copy() | x[j:i:-1].copy() | a[i, j] | a[i] | a[:, j] | x[k] | a[k] | a[k, l] | a[:, k] | x[m] | a[w] | a[m] |
x[m][i:] | x[-h:] | x[::-h] | x[i] = s; x | x[i:j] = s; x | x[i:j] = y[i:j]; x | x[k] = s; x | x[k] = u[k]; x | x[m] = s; x |
x[m] = y[m]; x | a[i, j] = s; a | a[k, l] = s; a | a[k] = b[k]; a | a[w] = s; a | a[:, i] = x; a | a[i] = b[j]; a | a[i:j, k] = s; a |
x[i] += s; x | x[k] += y[k]; x | x[m] *= s; x | x[1:] = x[:-1]; x | x[:-1] += x[1:]; x | x[::-1] = x; x | a[1:] = a[:-1]; a |
x[h:] = x[: len(x) - h]; x | o[:] = x; o | o[...] = x + y; o | o[::-1] += x; o | q[:] = a; q | q[:] = a * b; q | q[1:] += a[:-1]; q |
q[:, ::-1] = a; q | q[:] = a.T; q | np.add(x, y, out=o) | np.multiply(a, b, out=q) | np.add(x, y, out=o, where=m) |
np.add(x[1:], y[:-1], out=o[1:]) | np.add(x, y, x) | np.subtract(a, a[::-1], out=a) | np.negative(x, out=o) | np.cumsum(x, out=o) |
np.cumsum(a, axis=0, out=q) | np.cumprod(x, out=o) | np.sum(a, axis=1, out=o) | np.max(a, axis=1, out=o) |
np.add.reduce(a, axis=0, out=a[0]) | np.clip(x, s, t, out=o) | np.take(x, k) | np.take(x, k, mode='clip') |
np.take(x, k, mode='wrap') | np.take(a, k, axis=0) | np.take(a, k, axis=1) | np.take(x, k, out=u[:0]) | np.take(x, i) | x.take(l) |
np.take(a, k, axis=i) | np.put(x, k, s); x | np.put(x, k, y); x | np.put(x, k, y, mode='clip'); x | np.put(x, k, y, mode='wrap'); x |
np.put(a, l, s); a | x.put(k, u); x | np.putmask(x, m, y); x | np.putmask(x, m, u); x | np.place(x, m, u); x |
np.place(x, m, y[:2]); x | np.copyto(o, x); o | np.copyto(o, x, where=m); o | np.copyto(q, a, where=w); q | np.copyto(q, x); q |
np.copyto(x[1:], x[:-1]); x | np.fill_diagonal(a, s); a | np.fill_diagonal(e, x); e | x.fill(s); x | a.fill(s); a |
np.take_along_axis(x, k, axis=0) | np.put_along_axis(x, k, s, axis=0); x | np.take_along_axis(a, k[:, None], axis=0) |
np.add.at(x, k, s); x | np.add.at(x, k, y[: len(k)]); x | np.add.at(a, (k, l), s); a | np.multiply.at(x, k, s); x |
np.subtract.at(a, k, s); a | np.repeat(x, v) | np.repeat(x, h) | np.repeat(a, h, axis=1) | np.repeat(a, v, axis=0) | np.tile(x, h) |
np.tile(a, (h, 2)) | np.tile(x, (2, h, 1)) | np.roll(x, i) | np.roll(a, i, axis=0) | np.roll(a, j) | np.flip(a, 0).copy() |
np.rot90(a).copy() | np.concatenate([x, u, y]) | np.concatenate([a, b], axis=1) | np.concatenate([a, c]) |
np.concatenate([x, y], out=u) | np.stack([x, y]) | np.stack([x, y], axis=1) | np.vstack([a, x]) | np.hstack([x, u]) |
np.column_stack([x, y]) | np.dstack([a, b]) | np.block([[a], [b]]) | np.split(x, h) | np.array_split(x, h) | np.append(x, s) |
np.insert(x, i, s) | np.insert(a, i, s, axis=0) | np.insert(x, k, s) | np.delete(x, i) | np.delete(x, k) | np.delete(a, i, axis=1) |
np.pad(x, h) | np.pad(a, ((1, h), (0, 2))) | np.pad(x, h, mode='edge') | np.pad(x, h, mode='reflect') | np.pad(x, h, mode='wrap') |
np.pad(a, h, mode='symmetric') | np.resize(x, h) | np.resize(a, (h, 3)) | x.reshape(h, -1) | a.reshape(-1)[i:j] | a.ravel()[k] |
np.compress(m, x) | np.compress(m, a, axis=0) | np.extract(m, x) | np.choose(v % 2, [x, y]) | np.where(m, x, y) | np.where(w, a, b) |
np.select([m, n], [x, y], s) | np.nonzero(m) | np.argwhere(w) | np.flatnonzero(m) | np.sort(x) | np.sort(a, axis=0) | x.sort(); x |
a.sort(axis=0); a | a.sort(); a | np.argsort(x, kind='stable') | np.searchsorted(r, x) | np.unique(x) | np.partition(x, 0)[:1] |
np.bincount(v) | np.bincount(v, minlength=h) | np.bincount(k) | np.convolve(x, u) | np.convolve(x, u, 'same') |
np.convolve(x, u, 'valid') | np.correlate(x, u, 'same') | np.diff(x) | np.diff(a, axis=0) | np.gradient(x) | np.gradient(a) |
np.interp(x, r, r) | np.histogram(x, 3) | np.diagonal(a).copy() | np.diag(x) | np.diag(x, i) | np.diag(a, j) | np.diagflat(x, i) |
np.trace(a, i) | np.tril(a, i) | np.triu(a, j) | np.tri(h, h, i) | np.eye(h, h + 1, i) | np.vander(x, h) | np.kron(a, x) |
np.outer(x, y) | a @ c | np.matmul(a, c) | np.dot(x, y) | e @ e | np.matmul(e, e, out=e) | np.matmul(a, a.T) | a.T @ b |
np.einsum('ij,jk->ik', a, c) | np.einsum('ij->i', a) | np.einsum('ii', e) | np.tensordot(a, b, 2) | np.sum(a, axis=0) |
np.sum(a, axis=1) | np.sum(a[::-1, ::2], axis=0) | np.max(x) | np.argmax(a, axis=0) | np.argmin(a, axis=1) | np.cumsum(a, axis=1) |
np.sum(a, axis=i) | np.median(x) | np.all(a, axis=0) | np.mean(a.T, axis=0) | x.astype(np.float32) + y | x + y | a * b | a + x[:1] |
x * a[:1, :1] | a[:, None] + b | x += y; x | a *= b; a | a += a.T; a | x += x[::-1]; x | np.maximum(x, y) | x == y | (x + y)[m] |
(a + b)[k] | np.lib.stride_tricks.sliding_window_view(x, h).copy() | np.broadcast_to(x, (h, len(x))).copy() |
np.swapaxes(a, 0, 1).copy() | np.squeeze(a[:, :1]).copy() | a.flat[i] | a.flat[k] | a.flat[i] = s; a | a.flat[k] = s; a |
np.linspace(s, t, h) | np.arange(h) + x[:1] | np.full((h, 2), s) | np.zeros(h) + x[:1] | np.meshgrid(x, u) | np.indices((h, 2)) |
np.trapezoid(x) | np.cross(x[:3], y[:3]) | np.nancumsum(x) | np.ediff1d(x) | np.copyto(x, y); x | x[:] = y[::-1]; x |
x[::2] = y[::2]; x | x[k] = x[l]; x | a[::-1] = a; a | a[:] = a.T; a | a[i:j] += b[i:j]; a | np.array([x, y]) |
np.array([x[i], y[j]])
""")
