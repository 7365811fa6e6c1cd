"""Sample calls of NumPy and SciPy functions whose derivative comes of an equivalent or of a rule by name, as in `samples`."""

from __future__ import annotations

import numpy as np
import scipy.special as sp
from numpy.lib import stride_tricks
from numpy.polynomial import polynomial as series

V = np.array([-1.3, 0.4, 1.1, -0.2, 0.7])
W = np.array([0.8, -0.5, 0.3, 1.6, -1.1])
U = np.array([0.2, 0.9, 0.35, 0.7, 0.55])
M = np.array([[0.3, -1.2, 0.8], [1.5, 0.1, -0.7], [-0.4, 0.9, 2.1], [0.6, -1.6, 0.2]])
S = np.array([[3.1, 0.4, -0.3], [0.2, 2.5, 0.6], [-0.5, 0.1, 2.2]])
B = np.linspace(-1.0, 1.5, 24).reshape(2, 3, 4) ** 3
C = V + 1j * W


def written_transposed(x):
    y = x * 1.0
    y.T[1] = x[:, 0] ** 2
    y.T.reshape(-1)[0] = x[1, 1] * 3.0
    y.T[:2].reshape(-1)[1] = x[2, 1]
    return y * y


def written_reshaped(x):
    y = x * 1.0
    y[1:].reshape(-1)[2] = x[0, 0] ** 2
    y[:, 1:].reshape(-1)[0] = 7.0
    return y * y


def read_reshaped(x):
    """Reshaped reads of a turned array and of a part, which copy, of memory that is written, in the trips of loops."""
    y = np.zeros((3, 4))
    for i in range(len(y)):
        y[i] = x[:, i]
    turned, total = y.T, 0.0
    for i in range(int(np.sum(M > 0.5))):
        total += np.sum(np.reshape(turned, (-1, 2)) ** 2) * i + np.sum(turned)
        if total < 100.0:
            total += np.sum(y[:, :2].reshape(-1) ** 3)
    return total


GENERAL = S + 1j * np.array([[0.2, -0.4, 0.6], [0.9, 0.1, 0.3], [-0.7, 0.5, -0.2]])

FUNCTIONS = {
    "eigenvalues of eig": (lambda x: np.linalg.eig(x).eigenvalues, GENERAL),
    "eigenvectors of eig": (lambda x: np.abs(np.linalg.eig(x)[1]) ** 2, GENERAL),
    "eigvals": (lambda x: np.linalg.eigvals(x + 0j), S),
    "eigvals of a stack": (lambda x: np.linalg.eigvals(np.stack([x, x @ x])), GENERAL),
    "roots": (lambda x: np.roots(x), C),
    "apply_along_axis": (lambda x: np.apply_along_axis(np.sum, 0, x**2), M),
    "apply_along_axis of cumsum": (lambda x: np.apply_along_axis(np.cumsum, 1, x**2), M),
    "apply_over_axes": (lambda x: np.apply_over_axes(np.sum, x * x, [0, 2]), B),
    "vectorize": (lambda x: np.vectorize(lambda a: a * a if a > 0 else -a)(x), V),
    "vectorize of two": (lambda x, y: np.vectorize(lambda a, b: a * b)(x, y), M, M[0]),
    **{
        f"{name} of what the data choose, {mode}, {order}": (
            lambda x, function=getattr(np, name), mode=mode, order=order: function(*(x[x > -0.8], x[x > 0.5])[::order], mode), V
        )
        for name in ("convolve", "correlate") for mode in ("full", "same", "valid") for order in (1, -1)
    },
    "asarray_chkfinite": (lambda x: np.asarray_chkfinite(x) ** 2, V),
    "asfortranarray": (lambda x: np.asfortranarray(x) ** 2, M),
    "astype": (lambda x: np.astype(x, np.complex128).real ** 2, V),
    "dsplit": (lambda x: np.dsplit(x, 2)[1] ** 2, B),
    "geomspace": (lambda x: np.geomspace(x[0], x[1], 5), U),
    "i0": (lambda x: np.i0(x), V),
    "kaiser": (lambda x: np.kaiser(5, x[0]), U),
    "resize": (lambda x: np.resize(x, (3, 4)) ** 2, V),
    "sort_complex": (lambda x: np.sort_complex(x) ** 2, C),
    "delete": (lambda x: np.delete(x, [1, 2]) ** 2, V),
    "delete along an axis": (lambda x: np.delete(x, 1, 0) ** 2, M),
    "unique": (lambda x: np.unique(x, return_counts=True, return_inverse=True)[0] ** 2, V),
    "unique_values": (lambda x: np.unique_values(x) ** 2, V),
    "union1d": (lambda x: np.union1d(x, x * 2) ** 2, V),
    "setdiff1d": (lambda x: np.setdiff1d(x, x[1:]) ** 2, V),
    "ediff1d": (lambda x: np.ediff1d(x, to_end=x[:2], to_begin=x[0]) ** 2, V),
    "cumulative_sum": (lambda x: np.cumulative_sum(x, include_initial=True) ** 2, V),
    "cumulative_prod": (lambda x: np.cumulative_prod(x, include_initial=True), V),
    "linalg.vecdot": (lambda x, y: np.linalg.vecdot(x, y), M, M[1]),
    "vecmat": (lambda x, y: np.vecmat(x, y), V[:4], M),
    "interp with period": (lambda x: np.interp(x, np.array([0.1, 1.2, 2.3]), x[:3] * 2, period=3), V),
    "nanargmax": (lambda x: x[np.nanargmax(x)] ** 2, V),
    "matrix_rank": (lambda x: x * np.linalg.matrix_rank(x), S),
    "polymul": (lambda x, y: np.polymul(x, y), V, W),
    "poly": (lambda x: np.poly(x), V),
    "polyfit with weights": (lambda x, y: np.polyfit(np.arange(5.0) + x * 0.1, y, 2, w=np.arange(1.0, 6.0)), V, W),
    "polyfit by weights": (lambda y, w: np.polyfit(np.arange(5.0), y, 2, w=w), V, U),
    "residuals of polyfit": (lambda x: np.polyfit(U, x, 1, full=True)[1], V),
    "polynomial.polyfit": (lambda x, y: series.polyfit(np.arange(5.0) + 0.1 * x, y, 2), V, W),
    "polynomial.polyadd": (lambda x: series.polyadd(x, x[1:]) ** 2, V),
    "polynomial.polysub": (lambda x: series.polysub(x, x[1:] ** 2), V),
    "polynomial.polymul": (lambda x: series.polymul(x, x), V),
    "polynomial.polymulx": (lambda x: series.polymulx(x) ** 2, V),
    "polynomial.polypow": (lambda x: series.polypow(x, 3), V),
    "polynomial.polyder": (lambda x: series.polyder(x) ** 2, V),
    "polynomial.polyint": (lambda x: series.polyint(x, 2) ** 2, V),
    "polynomial.polyfromroots": (lambda x: series.polyfromroots(x), V),
    "polynomial.polyvander": (lambda x: series.polyvander(x, 3), V),
    "polynomial.polyvander2d": (lambda x, y: series.polyvander2d(x, y, [1, 2]), V, W),
    "polynomial.polyval2d": (lambda x, y: series.polyval2d(x, y, x[:4].reshape(2, 2)), V, W),
    "polynomial.polyval3d": (lambda x, y: series.polyval3d(x, y, x * y, B), V, W),
    "polynomial.polygrid2d": (lambda x, y: series.polygrid2d(x, y, S), V, W),
    "polynomial.polyvalfromroots": (lambda x: series.polyvalfromroots(0.3, x), V),
    "histogram by weights": (lambda x: np.histogram(np.arange(5.0), bins=3, weights=x)[0] ** 2, V),
    "histogram of density": (lambda x: np.histogram(np.arange(5.0), bins=3, range=(0, 6), weights=x * x, density=True)[0], U),
    "edges of a histogram": (lambda x: np.histogram(x, bins=3)[1] ** 2, V),
    "histogram_bin_edges": (lambda x: np.histogram_bin_edges(x, bins=4) ** 2, V),
    "quantile by a method": (lambda x: np.quantile(x, 0.3, method="hazen") ** 2, V),
    "quantiles along an axis": (lambda x: np.quantile(x, [0.3, 0.8], axis=1, keepdims=True) ** 2, M),
    "percentile with keepdims": (lambda x: np.percentile(x, 30.0, axis=0, keepdims=True) ** 2, M),
    "cov with weights": (lambda x: np.cov(x, aweights=np.array([1.0, 2.0, 3.0])), M),
    "cov with frequencies": (lambda x: np.cov(x, fweights=np.array([1, 2, 3])), M),
    "cov of two": (lambda x, y: np.cov(x, y), V, W),
    "interp through what the data choose": (lambda x: np.interp(np.linspace(-2, 2, 8), np.cumsum(x[x > 0]), x[x > 0] ** 2, left=x[0]), V),
    "polyval of what the data choose": (lambda x: np.polyval(x[x > -0.8], x), V),
    "diag_indices_from": (lambda x: x[np.diag_indices_from(x)] ** 2, S),
    "triu_indices_from": (lambda x: x[np.triu_indices_from(x)] ** 2, M),
    "tril_indices_from": (lambda x: x[np.tril_indices_from(x, -1)] ** 2, M),
    "corrcoef of two": (lambda x, y: np.corrcoef(x, y), V, W),
    "corrcoef of columns of two": (lambda x, y: np.corrcoef(x, y, rowvar=False), M, M[:, :1] ** 2),
    "cov of columns": (lambda x: np.cov(x, rowvar=False, ddof=0, aweights=U[:4]), M),
    "nanmean of complex": (lambda x: np.nanmean(np.where(np.abs(x) > 1.4, np.nan, x * x)), C),
    "nanvar of complex": (lambda x: np.nanvar(x), C),
    "nanstd of complex": (lambda x: np.nanstd(x), C),
    "unwrap with a period": (lambda x: np.unwrap(4 * x, period=3.0) ** 2, V),
    "unwrap with a discontinuity": (lambda x: np.unwrap(4 * x, discont=4.0) ** 2, V),
    "pinv with a tolerance": (lambda x: np.linalg.pinv(x, rtol=1e-3), M),
    "singular values of lstsq": (lambda x: np.linalg.lstsq(x, np.ones(4))[3], M),
    "as_strided": (lambda x: stride_tricks.as_strided(x, (3, 2), (8, 8)) ** 2, V),
    "sliding_window_view": (lambda x: stride_tricks.sliding_window_view(x, 3) ** 2, V),
    "writes through transposed and reshaped views": (written_transposed, M),
    "writes through reshaped views": (written_reshaped, M),
    "reads through reshaped views in loops": (read_reshaped, M),
    **{
        f"{ufunc.__name__}.{method}": (lambda x, call=getattr(ufunc, method): call(x) ** 2, U)
        for ufunc in (np.subtract, np.divide, np.power, np.hypot, np.logaddexp, np.fmax)
        for method in ("reduce", "accumulate")
        if (ufunc, method) != (np.power, "reduce")
    },
    **{
        f"{ufunc.__name__}.reduceat": (lambda x, call=ufunc.reduceat: call(x, [0, 2, 4, 1]) ** 2, U)
        for ufunc in (np.add, np.multiply, np.maximum)
    },
    "add.reduceat along an axis": (lambda x: np.add.reduceat(x, [0, 2], axis=1) ** 2, M),
    **{
        f"special.{name}": (lambda x, function=getattr(sp, name): function(x), U)
        for name in (
            "gammaln", "gamma", "rgamma", "expit", "logit", "log_expit", "entr", "exp10", "erfinv", "erfcinv", "ndtr", "ndtri", "log_ndtr",
            "dawsn", "i0", "i1", "i0e", "i1e", "j0", "j1", "k0", "k1",
        )
    },
    **{
        f"special.{name}": (lambda x, y, function=getattr(sp, name): function(x, y + 0.3), U, U[::-1].copy())
        for name in ("xlogy", "xlog1py", "rel_entr", "kl_div", "beta", "betaln")
    },
    **{
        f"special.{name}": (lambda x, function=getattr(sp, name): function(1.5, x), U)
        for name in ("iv", "ive", "jv", "kv", "gammainc", "gammaincc")
    },
    "special.boxcox": (lambda x: sp.boxcox(x, 0.4), U),
}  # fmt: skip
