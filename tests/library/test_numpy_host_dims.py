"""Size labels of linear algebra and transforms: every array of a run has the sizes that its labels claim."""

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.staged_run import check_like_numpy, hosted_calls

RANDOM = np.random.default_rng(11)
S, T = RANDOM.normal(size=(3, 3)), RANDOM.normal(size=(2, 3, 3))
TALL, WIDE = RANDOM.normal(size=(5, 3)), RANDOM.normal(size=(3, 5))
POSITIVE = TALL.T @ TALL
CALLS = {
    "solve": (lambda np, a: np.linalg.solve(a, a[..., 0, :] if a.ndim == 2 else a), [S, T]),
    "solve of a stack by a matrix": (lambda np, a, b: np.linalg.solve(a, b), [(T, S), (S, T)]),
    "inv": (lambda np, a: np.linalg.inv(a), [S, T]),
    "det": (lambda np, a: np.linalg.det(a), [S, T]),
    "slogdet": (lambda np, a: np.linalg.slogdet(a), [S, T]),
    "pinv": (lambda np, a: np.linalg.pinv(a), [TALL, WIDE, T]),
    "matrix_power": (lambda np, a: np.linalg.matrix_power(a, 3), [S, T]),
    "lstsq": (lambda np, a: np.linalg.lstsq(a, a[:, 0])[:1], [TALL, WIDE, S]),
    "cholesky": (lambda np, a: np.linalg.cholesky(a), [POSITIVE]),
    "eigh": (lambda np, a: np.linalg.eigh(a)[0], [S, T]),
    "eigvalsh": (lambda np, a: np.linalg.eigvalsh(a), [S, T]),
    "svd": (lambda np, a: np.linalg.svd(a), [TALL, WIDE, S, T]),
    "reduced svd": (lambda np, a: np.linalg.svd(a, False), [TALL, WIDE, T]),
    "svd values": (lambda np, a: np.linalg.svd(a, compute_uv=False), [TALL, WIDE, T]),
    "qr": (lambda np, a: np.linalg.qr(a), [TALL, WIDE, T]),
    "complete qr": (lambda np, a: np.linalg.qr(a, "complete"), [TALL, WIDE]),
    "qr r": (lambda np, a: np.linalg.qr(a, mode="r"), [TALL, WIDE]),
    "norm": (lambda np, a: np.linalg.norm(a, 3, axis=1, keepdims=True), [TALL, T]),
    "norm over axes": (lambda np, a: np.linalg.norm(a, "nuc", (0, -1)), [TALL, T]),
    "fft": (lambda np, a: np.fft.fft(a, 7, 0), [TALL, WIDE]),
    "rfft": (lambda np, a: np.fft.rfft(a), [TALL, WIDE]),
    "irfft": (lambda np, a: np.fft.irfft(a, axis=0), [TALL, WIDE]),
    "irfft of a length": (lambda np, a: np.fft.irfft(a, 5), [TALL, WIDE]),
    "fft2": (lambda np, a: np.fft.fft2(a), [TALL, T]),
    "fftn with sizes": (lambda np, a: np.fft.fftn(a, (4, 6)), [TALL, T]),
    "rfftn": (lambda np, a: np.fft.rfftn(a, s=(4, 5), axes=(0, 1)), [TALL, T]),
    "irfftn": (lambda np, a: np.fft.irfftn(a), [TALL, T]),
    "hfft": (lambda np, a: np.fft.hfft(a, norm="ortho"), [TALL]),
    "ihfft": (lambda np, a: np.fft.ihfft(a, 4), [TALL]),
    "cond": (lambda np, a: np.linalg.cond(a, 1) + np.linalg.cond(a, -2) + np.linalg.cond(a, "fro"), [S]),
    "linalg.cross": (lambda np, a: np.linalg.cross(a, a[0]), [S]),
    "tensorinv": (lambda np, a: np.linalg.tensorinv(a.reshape(3, 1, 3, 1)), [S]),
    "tensorsolve": (lambda np, a: np.linalg.tensorsolve(a.reshape(3, 1, 3), a[:, :1]), [S]),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_have_the_sizes_of_their_labels(name):
    function, arguments = CALLS[name]
    for argument in arguments:
        check_like_numpy(function, *(argument if isinstance(argument, tuple) else (argument,)))


def placed(np, x, v):
    y = x.copy()
    np.place(y, x > 0, v)
    return y


def put(np, x, v):
    y = x.copy()
    np.put(y, [0, -1, 2], v)
    return y


def with_diagonal(np, x, v):
    y = x.copy()
    np.fill_diagonal(y, v)
    return y


V = np.array([1.0, -2.0, 3.0, 4.0, -1.0, 2.0])


@pytest.mark.parametrize(
    ("function", "x", "v"),
    [
        (placed, V, np.array([9.0, 8.0])), (placed, V, 3.0), (placed, V, np.array([9.0])), (put, V, np.array([7.0, 8.0, 9.0])),
        (put, V, 5.0), (put, V, np.array([7.0, 8.0])), (put, V[:2].copy(), np.array([7.0, 8.0, 9.0])),
        (with_diagonal, np.ones((3, 3)), 4.0), (with_diagonal, np.ones((3, 5)), 4.0),
        (with_diagonal, np.ones((5, 3)), 4.0), (with_diagonal, np.ones((3, 3)), np.arange(3.0)),
        (with_diagonal, np.ones((3, 3)), np.arange(2.0)),
    ],
)  # fmt: skip
def test_writing_by_position(function, x, v):
    check_like_numpy(function, x, v)


def test_elements_of_a_mask_are_placed_natively():
    assert hosted_calls(placed, V, 3.0) == []


HOLES = np.where(S > 0.2, np.nan, S)


@pytest.mark.parametrize(
    "function",
    [
        lambda np, x: np.nanmedian(x, axis=1), lambda np, x: np.nanmedian(x), lambda np, x: np.nanquantile(x, 0.4, axis=0),
        lambda np, x: np.nanpercentile(x, 30), lambda np, x: np.nancumsum(x, axis=1), lambda np, x: np.nancumprod(x),
    ],
)  # fmt: skip
@pytest.mark.parametrize("x", [HOLES, np.where(np.arange(3) > 0, np.nan, S), np.full((2, 2), np.nan)], ids=["some", "columns", "all"])
@pytest.mark.filterwarnings("ignore")
def test_holes_are_left_out(function, x):
    check_like_numpy(function, x)


@pytest.mark.parametrize("ends", [(0.5, 0.7), (0.5, 1), (1, 2), (np.float64(0.5), np.float32(2))])
def test_points_of_an_interval_have_numpys_dtype(ends):
    first, last = (np.float32(end) if isinstance(end, float) else end for end in ends)
    check_like_numpy(lambda np, x, y: np.linspace(x, y, 5), first, last)
    check_like_numpy(lambda np, x, y: np.arange(x, y, np.float32(0.25)), first, last)


@pytest.mark.parametrize("mode", ["reflect", "symmetric", "wrap", "mean", "median", "minimum", "maximum", "linear_ramp"])
def test_complex_arrays_are_padded(mode):
    if mode in ("median", "minimum", "maximum"):
        check_like_numpy(lambda np, x: np.pad(x, ((1, 2), (0, 3)), mode=mode), TALL)
    else:
        check_like_numpy(lambda np, x: np.pad(x, ((1, 2), (0, 3)), mode=mode), TALL + 1j * TALL[::-1])


def test_one_array_as_both_sides_of_a_system():
    compiled = ag.compile(lambda x, y: np.linalg.solve(x, y), fallback="error")
    np.testing.assert_allclose(ag.compile(lambda x: np.linalg.solve(x, x), fallback="error")(S), np.eye(3), atol=1e-12)
    np.testing.assert_allclose(compiled(S, S), np.eye(3), atol=1e-12)
