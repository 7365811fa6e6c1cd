"""Functions of NumPy's namespace and methods of arrays against NumPy, over many shapes; which of them need no host call."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import autograph_jit as ag
from tests.tables import table
from tests.tracing.staged_run import check_like_numpy

EXPRESSIONS = [
    "x.sum()",
    "np.sum(x, 0)",
    "np.sum(x, axis=-1, keepdims=True)",
    "x.sum(axis=(0, -1)) if x.ndim > 1 else 0",
    "np.sum(x, dtype=np.float32)",
    "np.sum(x, initial=3)",
    "x.sum(())",
    "np.add.reduce(x)",
    "np.sum(x, where=x > 1)",
    "np.max(x, where=x > 1, initial=-5)",
    "np.mean(x, where=x > 1)",
    "np.prod(x, axis=0, where=x != 0)",
    "np.any(x > 1, where=x < 3)",
    "np.std(x, where=x > 1)",
    "x.min()",
    "x.max(0)",
    "np.min(x, -1)",
    "np.max(x, keepdims=True)",
    "np.max(x, initial=1)",
    "np.ptp(x)",
    "np.ptp(x, 0)",
    "x.argmax()",
    "x.argmin(0)",
    "np.argmax(x, axis=-1, keepdims=True)",
    "x.mean()",
    "x.mean(0)",
    "np.mean(x, -1, keepdims=True)",
    "np.mean(x, dtype=np.float32)",
    "x.std()",
    "x.var(0)",
    "x.std(ddof=1)",
    "np.var(x, axis=-1, ddof=1, keepdims=True)",
    "np.any(x > 1)",
    "np.all(x > -1)",
    "np.any(x, axis=0)",
    "np.all(x, -1)",
    "(x > 0).any(0)",
    "(x > 1).all()",
    "np.count_nonzero(x)",
    "np.count_nonzero(x > 1, axis=0)",
    "(x > 0).sum()",
    "(x > 0).mean()",
    "np.cumsum(x)",
    "np.cumprod(x)",
    "np.cumsum(x, axis=0)",
    "x.cumsum(-1)",
    "np.maximum.accumulate(x)",
    "np.minimum.accumulate(x, axis=-1)",
    "np.cumsum(x > 1)",
    "x.prod()",
    "np.prod(x, 0)",
    "np.prod(x, axis=-1, keepdims=True)",
    "np.multiply.reduce(x)",
    "x.sum(axis=5)",
    "x.sum(axis=(0, 0))",
    "np.median(x)",
    "np.median(x, 0)",
    "np.median(x, axis=-1)",
    "np.sort(x)",
    "np.sort(x, 0)",
    "np.argsort(x, kind='stable')",
    "np.sort(x, axis=None)",
    "np.argsort(x, axis=0, kind='stable')",
    "np.nansum(x)",
    "np.nanmax(x, 0)",
    "np.nanmin(x)",
    "np.nanmean(x)",
    "np.nanmean(x, axis=-1)",
    "np.nanprod(x, -1)",
    "np.nanstd(x)",
    "np.nan_to_num(x)",
    "np.sum(x, axis=0, out=np.zeros(x.shape[1:])) if x.ndim > 1 else 0",
    "np.percentile(x, 30)",
    "np.quantile(x, [0.2, 0.9])",
    "np.percentile(x, [10, 50], axis=0)",
    "np.unique(np.sign(x))",
    "np.average(x)",
    "np.average(x, axis=0)",
    "np.take(x, [0, -1])",
    "np.take(x, [0, 0], axis=0)",
    "np.take(x, 0)",
    "np.take(x, 0, axis=-1)",
    "x.take([5, -7], mode='wrap')",
    "x.take([5, -7], axis=0, mode='clip')",
    "np.repeat(x, 2)",
    "np.repeat(x, 3, axis=0)",
    "np.compress([True], x, axis=0)",
    "x.repeat(2, axis=-1)",
    "np.nonzero(x > 1)",
    "np.flatnonzero(x > 1)",
    "np.argwhere(x > 1)",
    "np.where(x > 1)",
    "np.extract(x > 1, x)",
    "x.nonzero()",
    "np.where(x > 1, x, 0)",
    "np.where(x > 1, 1, -1)",
    "np.where(x > 1, x, x[:1])",
    "np.select([x > 2, x > 1], [x, 10 * x], -1)",
    "np.clip(x, 0.5, 2)",
    "x.clip(max=1)",
    "x.clip(1)",
    "np.choose((x > 1).astype(int), [x, -x])",
    "np.round(x, 1)",
    "x.round()",
    "np.nan_to_num(x)",
    "x.T",
    "np.transpose(x)",
    "x.ravel()",
    "x.flatten()",
    "x.reshape(-1)",
    "np.reshape(x, (1, -1))",
    "np.flip(x)",
    "np.flip(x, 0)",
    "np.roll(x, 1)",
    "np.roll(x, -2, axis=0)",
    "np.expand_dims(x, 0)",
    "np.expand_dims(x, (0, -1))",
    "np.squeeze(x[None])",
    "np.atleast_1d(x)",
    "np.atleast_2d(x)",
    "np.atleast_3d(x)",
    "np.moveaxis(x, 0, -1)",
    "np.swapaxes(x, 0, -1)",
    "x.copy()",
    "np.copy(x)",
    "x.reshape(-1, order='F')",
    "np.ravel(x, order='F')",
    "x.T.ravel()",
    "x[::-1].ravel()",
    "x.size",
    "x.shape",
    "x.ndim",
    "x.nbytes",
    "x.itemsize",
    "x.dtype",
    "np.shape(x)",
    "np.size(x)",
    "np.ndim(x)",
    "np.concatenate([x, x])",
    "np.concatenate([x, x], axis=-1)",
    "np.concatenate([x, x[:1]])",
    "np.concatenate((x, x), axis=None)",
    "np.stack([x, x])",
    "np.stack([x, x], axis=-1)",
    "np.vstack([x, x])",
    "np.hstack([x, x])",
    "np.dstack([x, x])",
    "np.column_stack([x, x])",
    "np.append(x, x)",
    "np.append(x, x, 0)",
    "np.array([x, x * 2])",
    "np.array([x, x], dtype=np.float32)",
    "np.tile(x, 2)",
    "np.tile(x, (2, 1))",
    "np.array_split(x, 2)",
    "np.array_split(x, 3, axis=-1)",
    "np.split(x, [1], axis=0)",
    "np.block([x, x])",
    "np.pad(x, 1)",
    "np.pad(x, ((1, 2),) * x.ndim)",
    "np.pad(x, 2, mode='edge')",
    "np.pad(x, (1, 0), constant_values=7)",
    "np.insert(x, 0, 9.0)",
    "np.delete(x, 0, axis=0)",
    "np.pad(x, 1, mode='reflect')",
    "np.pad(x, 7, mode='reflect')",
    "np.pad(x, ((1, 6),) * x.ndim, mode='symmetric')",
    "np.pad(x, (5, 2), mode='wrap')",
    "np.pad(x, 2, mode='mean')",
    "np.pad(x, (1, 2), mode='maximum')",
    "np.pad(x, 2, mode='minimum')",
    "np.pad(x, 2, mode='median')",
    "np.pad(x, (3, 2), mode='linear_ramp')",
    "np.pad(x, 2, mode='linear_ramp', end_values=5.0)",
    "np.ediff1d(x)",
    "np.nancumsum(x, axis=0)",
    "np.nancumprod(x)",
    "np.nanmedian(x, axis=0)",
    "np.nanmedian(x)",
    "np.nanquantile(x, 0.3)",
    "np.nanpercentile(x, 70, axis=0)",
    "np.quantile(x, 0.3, method='lower')",
    "np.quantile(x, 0.3, axis=0, method='higher')",
    "np.percentile(x, 35, method='midpoint')",
    "np.polyadd(x.ravel(), x.ravel()[:1])",
    "np.polysub(x.ravel()[:2], x.ravel())",
    "np.polyder(x.ravel())",
    "np.polyder(x.ravel(), 2)",
    "np.polyint(x.ravel())",
    "np.polyint(x.ravel(), 2)",
    "np.polynomial.polynomial.polyval(x, [1.0, -2.0, 3.0])",
    "np.gradient(x.ravel(), edge_order=2)",
    "np.gradient(x.ravel(), 0.5, edge_order=2)",
    "np.fft.rfftn(x)",
    "np.fft.irfftn(x)",
    "np.fft.rfft2(x, s=(3, 4)) if x.ndim > 1 else 0",
    "np.fft.irfft2(x, s=(3, 4)) if x.ndim > 1 else 0",
    "np.fft.hfft(x)",
    "np.fft.hfft(x, 5, norm='ortho')",
    "np.fft.ihfft(x, norm='forward')",
    "np.zeros_like(x)",
    "np.ones_like(x, dtype=int)",
    "np.full_like(x, 3.7)",
    "np.empty_like(x).shape",
    "np.full_like(x, 2, dtype=bool)",
    "np.zeros(x.shape)",
    "np.zeros(x.shape, int)",
    "np.ones((2, *x.shape))",
    "np.full(x.shape, 7)",
    "np.full(x.shape, x.flat[0])",
    "np.zeros_like(x, shape=(2,))",
    "np.asarray(x) is x",
    "np.array(x)",
    "np.array(x, copy=False) is x",
    "np.array(x, ndmin=4)",
    "np.diff(x)",
    "np.diff(x, axis=0)",
    "np.diff(x, n=2)",
    "np.diff(x, prepend=0.0)",
    "np.diff(x > 1)",
    "np.trapezoid(x)",
    "np.trapezoid(x, axis=0)",
    "np.isclose(x, x + 1e-09)",
    "np.allclose(x, x)",
    "np.array_equal(x, x)",
    "np.array_equal(x, x[::-1])",
    "np.isclose(x, 1.0)",
    "np.allclose(x, x + 1)",
    "np.array_equiv(x, x)",
    "np.array_equal(x, x[:1])",
    "np.vdot(x, x)",
    "np.outer(x, x)",
    "np.inner(x, x)",
    "np.tensordot(x, x, x.ndim)",
    "np.linalg.norm(x)",
    "np.linalg.norm(x, axis=0)",
    "np.linalg.norm(x.ravel(), 1)",
    "np.linalg.norm(x.ravel(), np.inf)",
    "np.kron(x, x)",
    "np.trace(x) if x.ndim > 1 else 0",
    "x.astype(int)",
    "x.astype('f4')",
    "x.astype(bool)",
    "x.astype(complex)",
    "x.astype(x.dtype)",
    "x.dot(x.T)",
    "x.conj()",
    "x.conjugate()",
    "x.real",
    "x.imag",
    "x.view()",
    "x.item(0)",
    "x.searchsorted([0.5]) if x.ndim == 1 else 0",
    "x.squeeze()",
    "x.swapaxes(0, -1)",
    "x.transpose()",
    "x.diagonal() if x.ndim > 1 else 0",
    "x.trace() if x.ndim > 1 else 0",
    "x.strides",
    "x.flags.c_contiguous",
    "x.flags.f_contiguous",
    "x.flags.writeable",
    "x.ptp() if hasattr(x, 'ptp') else 0",
    "x.flat[0]",
    "x.flat[-1]",
    "x.byteswap().shape",
]
SHAPES = {
    "vector": np.array([3.0, 1.0, 2.0, 0.5, 1.5]),
    "matrix": np.array([[3.0, 1.0], [0.0, 2.0], [1.5, -1.0]]),
    "cube": np.arange(24.0).reshape(2, 3, 4) % 7 / 2,
    "ints": np.array([[3, 1, 2], [0, 2, 7]]),
    "one": np.array([2.0]),
    "small": np.arange(6, dtype=np.int8).reshape(2, 3),
    "f4": np.array([0.5, 1.5, 2.5], np.float32),
    "reversed": np.arange(12.0).reshape(3, 4)[::-1, ::-2],
    "transposed": np.arange(6.0).reshape(2, 3).T,
    "bools": np.array([True, False, True]),
    "nan": np.array([[1.0, np.nan], [np.nan, np.nan], [0.0, 3.0]]),
    "empty": np.zeros((0, 3)),
    "none": np.zeros(0),
    "complex": np.array([1 + 2j, 0.5, -1j]),
    "zero": np.array(2.5),
}


@table("expression", EXPRESSIONS)
@pytest.mark.filterwarnings("ignore")
def test_expression_over_all_shapes(expression: str) -> None:
    code = compile(expression, "<expression>", "eval")
    faults = []
    for name, array in SHAPES.items():
        if name == "zero" and expression.startswith(("np.where(x > 1,", "np.select")):
            continue  # a number stays a number where NumPy makes it a rank-0 array
        try:
            check_like_numpy(lambda np, x: eval(code, {"np": np, "x": x}), array)
        except Exception as error:  # noqa: BLE001 - collected, so that one shape does not hide another
            faults.append(f"{expression} on {name}: {type(error).__name__}: {str(error)[:160]}")
    assert not faults, "\n".join(faults)


def test_joining_functions_write_into_the_array_that_they_are_given() -> None:
    def joined(x, y, stacked, behind):
        made = np.stack([x, y], out=stacked), np.concatenate([x, y], out=behind)
        return made[0] is stacked, made[1] is behind, stacked.sum(), behind.sum()

    def arguments():
        return np.arange(3.0), np.ones(3), np.zeros((2, 3)), np.zeros(6)

    mine, theirs = arguments(), arguments()
    assert ag.compile(joined)(*mine) == joined(*theirs)
    for got, want in zip(mine, theirs):
        np.testing.assert_array_equal(got, want)


WITH_WRONG_ARGUMENTS = [
    (lambda x: np.sum(x, axis=0, out=np.zeros((1, 4))), "Found 2 but expected 1"),
    (lambda x: np.max(x, axis=0, out=np.zeros((1, 4))), "Found 2 but expected 1"),
    (lambda x: np.mean(x, axis=1, out=np.zeros(())), "Found 0 but expected 1"),
    (lambda x: np.polyder(x[0], -1), "Order of derivative must be positive"),
    (lambda x: np.roll(x, (1, 2, 3), axis=(0, 1)), "shape mismatch"),
]


@table("function, text", WITH_WRONG_ARGUMENTS)
def test_functions_refuse_what_numpy_refuses(function, text):
    x = np.arange(12.0).reshape(3, 4)
    for form in (function, ag.compile(function, fallback="error")):
        with pytest.raises(ValueError, match=text):
            form(x.copy())


def test_the_edges_of_a_gradient_are_its_first_and_last_elements_alone() -> None:
    x = np.array([0.0, 1.0, 4.0, 9.5, 16.0])
    np.testing.assert_array_equal(ag.compile(lambda x: np.gradient(x))(x), np.gradient(x))
    np.testing.assert_array_equal(ag.compile(lambda x: np.gradient(x, edge_order=2))(x), np.gradient(x, edge_order=2))


OVERWRITING = (
    lambda x: np.median(x, overwrite_input=True),
    lambda x: (np.median(x, None, None, True), x + 1.0),
    lambda x: (np.nanmedian(x, 1, overwrite_input=True), x + 1.0),
    lambda x: np.percentile(x, [10, 50], 1, None, True),
    lambda x: np.quantile(x, 0.5, overwrite_input=True),
    lambda x: np.nanpercentile(x, 50, overwrite_input=True),
    lambda x: np.nanquantile(x, 0.5, overwrite_input=True),
    lambda x: np.lib._nanfunctions_impl._nanmedian1d(x[0], overwrite_input=True),
    lambda x: (scipy.linalg.cholesky(x, overwrite_a=True), x + 1.0),
)


@table("function", OVERWRITING)
def test_functions_that_may_overwrite_their_input_leave_it_as_numpy_does(function):
    compiled = ag.compile(function, fallback="error")
    for _ in range(2):
        mine, theirs = (np.array([[9.0, 1.0, 2.0], [1.0, 5.0, 3.0], [2.0, 3.0, 4.0]], order="F") for _ in range(2))
        np.testing.assert_equal(compiled(mine), function(theirs))
        np.testing.assert_array_equal(mine, theirs)


OF_ODD_ARGUMENTS = (
    (np.corrcoef, np.array([1.0, 2.0, 5.0])),
    (np.corrcoef, np.array([1.0, 2.0j, 5.0])),
    (np.isreal, 2.0),
    (np.isreal, np.float64(2.0)),
    (np.iscomplex, 2),
    (np.asfortranarray, 2.0),
    (lambda x: np.take(x, x > 1), np.array([1.0, 2.0, 5.0])),
)


@table("function, x", OF_ODD_ARGUMENTS)
def test_results_of_odd_arguments_have_numpys_type(function, x):
    expected, found = function(x), ag.compile(lambda x: function(x), fallback="error")(x)
    assert type(found) is type(expected) and np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected)
