"""Exceptions of NumPy and Python that tracing or compiled code raises itself: the type, the text and the line are theirs."""

from __future__ import annotations

import bisect
import traceback
from functools import reduce

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import autograph_jit as ag

V = np.arange(4.0)
M = np.arange(6.0).reshape(2, 3)
N = np.arange(4)
READ_ONLY = np.arange(4.0)
READ_ONLY.flags.writeable = False

CASES = [
    (lambda x: x.reshape(-1, -1), V),
    (lambda x: x.reshape(3, 5), V),
    (lambda x: x.nonsense, V),
    (lambda x: (x[0] + 1).nonsense, V),
    (lambda x: (x[0] > 1).nonsense, V),
    (lambda x: np.broadcast_to(x, (2, 3)), V),
    (lambda x: np.broadcast_to(x, ()), V),
    (lambda x: x.astype(np.int64, casting="safe"), V),
    (lambda x: x[..., ...], M),
    (lambda x: x[[0.5]], V),
    (lambda x: x[x], V),
    (lambda x: x[0.5], V),
    (lambda x: x[x[0] :], V),
    (lambda x: x[: x[1]], V),
    (lambda x: x[0, 0], V),
    (lambda x: x[5], V),
    (lambda x: x[-5], V),
    (lambda x: x[[0, 9]], V),
    (lambda x: x[np.array([True, False])], V),
    (lambda x: [i for i in range(x[0])], V),
    (lambda x: x[0](), V),
    (lambda x: x(), V),
    (lambda x: {[1]: x}, V),
    (lambda x: {x: 1}, V),
    (lambda x: len(x[0]), V),
    (lambda x: len(x.sum()), V),
    (lambda x: np.meshgrid(x, x, indexing="xx"), V),
    (lambda x: np.linspace(0.0, x[0], -1), V),
    (lambda x: np.einsum("i->j", x), V),
    (lambda x: np.einsum("ij->i", x), V),
    (lambda x: np.einsum("i->i", x), M),
    (lambda x: np.ix_(x.reshape(2, 2)), V),
    (lambda x: np.tensordot(x, x[:3], axes=1), V),
    (lambda x: np.matmul(x, 2.0), V),
    (lambda x: np.dot(x, x[:3]), V),
    (lambda x: x @ x[:3], V),
    (lambda x: x @ x, M),
    (lambda x: np.transpose(x, (0, 1)), V),
    (lambda x: np.transpose(x, (0, 0)), M),
    (lambda x: np.transpose(x, (0, 5)), M),
    (lambda x: np.expand_dims(x, (0, 0)), V),
    (lambda x: np.concatenate([]), V),
    (lambda x: np.stack([]), V),
    (lambda x: np.stack([x, x[:2]]), V),
    (lambda x: np.concatenate([x, x[0]]), V),
    (lambda x: np.concatenate([x, x.reshape(2, 2)]), V),
    (lambda x: np.array_split(x, 0), V),
    (lambda x: np.split(x, 3), V),
    (lambda x: np.diagonal(x, axis1=1, axis2=1), M),
    (lambda x: np.trace(x), V),
    (lambda x: np.squeeze(x, 0), V),
    (lambda x: np.swapaxes(x, 0, 2), M),
    (lambda x: np.moveaxis(x, 0, 3), M),
    (lambda x: np.concatenate([x, x], out=np.zeros(8, np.int64)), V),
    (lambda x: x.sum(axis=(0, 0)), M),
    (lambda x: x.sum(axis=2), M),
    (lambda x: x.max(where=x > 1), M),
    (lambda x: np.max(x[:0]), V),
    (lambda x: np.argmax(x[:0]), V),
    (lambda x: np.where(x > 1, x), V),
    (lambda x: np.nonzero(x[0]), V),
    (lambda x: np.select([x > 1], [x, x]), V),
    (lambda x: np.select([], []), V),
    (lambda x: np.select([x], [x]), V),
    (lambda x: np.take_along_axis(x, x, 0), V),
    (lambda x: np.piecewise(x, [x > 1], [1.0, 2.0, 3.0]), V),
    (lambda x: np.bincount(x), V),
    (lambda x: np.bincount(x - 1), N),
    (lambda x: np.searchsorted(x, 1.0, side="middle"), V),
    (lambda x: np.diff(x, -1), V),
    (lambda x: np.diff(x[0]), V),
    (lambda x: np.average(x, weights=x[0]), M),
    (lambda x: np.average(x, weights=np.ones(3)), M),
    (lambda x: np.average(x, weights=x * 0), V),
    (lambda x: np.add(x, x, out=3), V),
    (lambda x: np.add(x, x, out=np.zeros(3)), V),
    (lambda x: np.add(x, x, out=np.zeros(4, int)), V),
    (lambda x: np.add(x, x, out=x), READ_ONLY),
    (lambda x: x.fill(1.0), READ_ONLY),
    (lambda x: np.vander(x), M),
    (lambda x: np.diag(x.reshape(1, 2, 3)), M),
    (lambda x: np.tril(x[0]), V),
    (lambda x: sliding_window_view(x, 2), M),
    (lambda x: sliding_window_view(x, 9), V),
    (lambda x: as_strided(x, (2, 2), (8,)), V),
    (lambda x: x[0] << 1, V),
    (lambda x: x << 1, V),
    (lambda x: ~x[0], V),
    (lambda x: ~x, V),
    (lambda x: -(x > 1), V),
    (lambda x: (x > 1) - (x > 2), V),
    (lambda x: x[0] + "text", V),
    (lambda x: x + "text", V),
    (lambda x: "text" + x[0], V),
    (lambda x: x[0] + None, V),
    (lambda x: x + [1.0, 2.0], V),
    (lambda x: x + x[:3], V),
    (lambda x: round(x), V),
    (lambda x: reduce(lambda a, b: a + b, []), V),
    (lambda x: max([]), V),
    (lambda x: bisect.bisect(sorted(x.tolist()), 1.0, -1), V),
    (lambda x: x ** (x[0] - 1), N),
    (lambda x: 2 ** (x - 3), N),
    (lambda x: x.item(), V),
    (lambda x: x.item(9), V),
    (lambda x: float(x), V),
    (lambda x: int(x), M),
    (lambda x: 1.0 if x else 0.0, V),
    (lambda x: int("12a") + x, V),
    (lambda x: int(x[0] / 0.0) if x[0] else int(x[1] / (x[0] - x[0])), np.array([np.inf, 1.0])),
    (lambda x: x[0] // 0, N.tolist()),
    (lambda x: x[9], N.tolist()),
    (lambda x: 1.0 / (x - x), 2.0),
    (lambda x: 5 % (x - x), 2),
    (lambda x: np.repeat(x, [1, 2]), V),
    (lambda x: np.repeat(x, -1), V),
    (lambda x: np.roll(x, 1, axis=2), V),
    (lambda x: np.pad(x, (1, -1)), V),
    (lambda x: np.pad(x, 1, mode="nonsense"), V),
    (lambda x: np.cross(x, x), V),
    (lambda x: np.linalg.solve(x, x), M),
    (lambda x: np.linalg.inv(x * 0), np.eye(2)),
    (lambda x: np.linalg.cholesky(-x), np.eye(2)),
    (lambda x: np.linalg.norm(x, ord=7), M),
    (lambda x: np.interp(1.0, x, x[:3]), V),
    (lambda x: np.clip(x, 0.0, 1.0, 2.0, 3.0), V),
    (lambda x: np.clip(x, 1.0), V),
    (lambda x: np.clip(x, a_max=1.0), V),
    (lambda x: np.clip(x, 0.0, 1.0, max=2.0), V),
    (lambda x: np.sqrt(x, dtype="nonsense"), V),
    (lambda x: np.sqrt(), V),
    (lambda x: np.cumsum(x, axis=1), V),
    (lambda x: np.percentile(x, 101), V),
    (lambda x: np.quantile(x, -0.5), V),
    (lambda x: np.ones((-1,)) + x, V),
    (lambda x: np.arange(0, x[3], 0), N),
    (lambda x: np.tile(x, -1), V),
    (lambda x: np.unravel_index(9, (2, 2)), V),
    (lambda x: np.ravel_multi_index((3, 3), (2, 2)), V),
    (lambda x: np.put_along_axis(x, np.array([9]), 1.0, 0), V),
    (lambda x: np.take(x, 9), V),
    (lambda x: np.choose(x, [1, 2]), N),
    (lambda x: np.delete(x, 9), V),
    (lambda x: np.insert(x, 9, 1.0), V),
    (lambda x: np.histogram(x, bins=0), V),
    (lambda x: np.digitize(x, np.array([1.0, 0.0, 2.0])), V),
    (lambda x: np.polyval(x, "text"), V),
    (lambda x: np.convolve(x[:0], x), V),
    (lambda x: np.kron(x, "text"), V),
    (lambda x: np.gradient(x[:1]), V),
    (lambda x: np.fft.fft(x, 0), V),
]


def outcome(function, argument):
    """The exception's type, text and the user's line."""
    try:
        with np.errstate(all="ignore"):
            result = function(argument)
    except Exception as error:
        last = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__][-1]
        return type(error), str(error), last
    return result


@pytest.mark.parametrize("function, argument", CASES, ids=lambda value: str(value.__code__.co_firstlineno) if callable(value) else "")
@pytest.mark.filterwarnings("ignore")
def test_the_exception_is_that_of_plain_python(function, argument):
    expected = outcome(function, argument)
    assert isinstance(expected, tuple), "the case fails under plain Python"
    assert outcome(ag.compile(function, fallback="error"), argument) == expected
