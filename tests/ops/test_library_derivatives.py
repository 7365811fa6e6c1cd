"""Tests of ops/library_derivatives.py: every rule against central differences, reverse against forward, second order by differences."""

import numpy as np
import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.ir.derivative import Unsupported
from autograph_jit.ops.derivatives.library import RULES
from tests.tables import table

STEP = 1e-6
RANDOM = np.random.default_rng(0)


def matrix(*shape, dtype=float):
    x = RANDOM.normal(size=shape)
    return x + 1j * RANDOM.normal(size=shape) if dtype is complex else x


def positive(*shape, dtype=float):
    x = matrix(*shape, dtype=dtype)
    return x @ np.conjugate(np.swapaxes(x, -1, -2)) + np.diag(np.arange(1.0, shape[-1] + 1))


def cases():
    """Label, function, args, kwargs."""
    linalg, fft = np.linalg, np.fft
    for kind, name in ((float, "real"), (complex, "complex")):
        square, spd, tall, wide = matrix(3, 3, dtype=kind), positive(3, 3, dtype=kind), matrix(5, 3, dtype=kind), matrix(3, 5, dtype=kind)
        stack, vector, signal = matrix(2, 3, 3, dtype=kind), matrix(3, dtype=kind), matrix(6, 5, dtype=kind)
        calls = [
            ("solve vector", linalg.solve, (square, vector), {}), ("solve matrix", linalg.solve, (square, tall.T), {}),
            ("solve stack", linalg.solve, (stack, square), {}), ("solve keyword", linalg.solve, (square,), {"b": vector}),
            ("solve stack vector", linalg.solve, (stack, vector), {}),
            ("inv", linalg.inv, (stack,), {}), ("det", linalg.det, (square,), {}), ("det stack", linalg.det, (stack,), {}),
            ("slogdet", linalg.slogdet, (square,), {}), ("slogdet stack", linalg.slogdet, (stack,), {}),
            ("lstsq", linalg.lstsq, (tall, matrix(5, dtype=kind)), {"rcond": None}),
            ("lstsq square", linalg.lstsq, (square, vector), {"rcond": None}),
            ("lstsq wide", linalg.lstsq, (wide, vector), {"rcond": None}),
            ("lstsq matrix", linalg.lstsq, (tall, matrix(5, 2, dtype=kind)), {"rcond": None}),
            ("pinv tall", linalg.pinv, (tall,), {}), ("pinv wide", linalg.pinv, (wide,), {}),
            ("power 3", linalg.matrix_power, (square, 3), {}), ("power -2", linalg.matrix_power, (square, -2), {}),
            ("cholesky", linalg.cholesky, (spd,), {}), ("cholesky stack", linalg.cholesky, (positive(2, 3, 3, dtype=kind),), {}),
            ("eigh", linalg.eigh, (spd,), {}), ("eigh upper", linalg.eigh, (spd,), {"UPLO": "U"}),
            ("eigvalsh", linalg.eigvalsh, (positive(2, 3, 3, dtype=kind),), {}),
            ("svd tall", linalg.svd, (tall,), {"full_matrices": False}), ("svd wide", linalg.svd, (wide, False), {}),
            ("svd full tall", linalg.svd, (tall,), {}), ("svd full wide", linalg.svd, (wide,), {}),
            ("svd full", linalg.svd, (square,), {}),
            ("svd values", linalg.svd, (tall,), {"compute_uv": False}), ("svdvals", linalg.svdvals, (stack,), {}),
            ("cholesky upper", linalg.cholesky, (spd,), {"upper": True}), ("qr wide", linalg.qr, (wide,), {}),
            ("qr complete r", linalg.qr, (square, "complete"), {}), ("fft2 sizes", fft.fft2, (signal, (4, 7)), {}),
            ("ifftn sizes", fft.ifftn, (signal,), {"s": (7, 3), "axes": (1, 0)}),
            ("norm of other axes", linalg.norm, (stack, 2, (2, 0)), {}),
            ("qr", linalg.qr, (tall,), {}), ("qr square", linalg.qr, (square,), {}), ("qr r", linalg.qr, (tall, "r"), {}),
            ("norm", linalg.norm, (tall,), {}), ("norm fro", linalg.norm, (tall, "fro"), {}), ("norm nuc", linalg.norm, (tall, "nuc"), {}),
            ("norm 2", linalg.norm, (tall, 2), {}), ("norm -2", linalg.norm, (tall, -2), {}), ("norm 1", linalg.norm, (tall, 1), {}),
            ("norm -inf", linalg.norm, (tall, -np.inf), {}), ("norm axis", linalg.norm, (tall,), {"axis": 1}),
            ("norm 3", linalg.norm, (tall, 3), {"axis": 0}),
            ("norm vector inf", linalg.norm, (vector, np.inf), {}),
            ("norm vector 1", linalg.norm, (vector, 1), {}), ("norm keepdims", linalg.norm, (tall,), {"axis": 0, "keepdims": True}),
            ("norm of stack", linalg.norm, (stack, "nuc", (1, 2)), {}), ("norm 0", linalg.norm, (vector, 0), {}),
            ("fft", fft.fft, (signal,), {}), ("fft cut", fft.fft, (signal, 4, 0), {}),
            ("fft padded", fft.fft, (signal, 8), {"norm": "ortho"}),
            ("ifft", fft.ifft, (signal,), {"axis": 0, "norm": "forward"}), ("fft2", fft.fft2, (signal,), {}),
            ("ifft2", fft.ifft2, (signal,), {}), ("fftn", fft.fftn, (signal,), {"axes": (0,)}), ("ifftn", fft.ifftn, (signal,), {}),
            ("irfft even", fft.irfft, (signal,), {}), ("irfft odd", fft.irfft, (signal, 7, 0), {"norm": "ortho"}),
            ("irfft padded", fft.irfft, (signal, 14), {}), ("fftshift", fft.fftshift, (signal,), {}),
            ("ifftshift", fft.ifftshift, (signal, 1), {}),
        ]  # fmt: skip
        yield from (pytest.param(*each[1:], id=f"{each[0]} {name}") for each in calls)
    x = matrix(4, 5)
    yield pytest.param(fft.rfft, (x,), {}, id="rfft odd")
    yield pytest.param(fft.rfft, (x, None, 0), {"norm": "ortho"}, id="rfft even")
    yield pytest.param(fft.rfft, (x, 8), {}, id="rfft padded")
    yield pytest.param(fft.rfft, (x, 3), {}, id="rfft cut")
    holes = np.where(x > 1, np.nan, x)
    yield pytest.param(np.nanvar, (holes,), {"axis": 0, "ddof": 1}, id="nanvar")
    yield pytest.param(np.nanvar, (x,), {"axis": (0, 1), "keepdims": True}, id="nanvar keepdims")
    yield pytest.param(np.nanstd, (holes,), {}, id="nanstd")
    yield pytest.param(np.polyfit, (matrix(6), matrix(6), 2), {}, id="polyfit")
    yield pytest.param(np.polyfit, (matrix(6), matrix(6, 2), 1), {}, id="polyfit of columns")
    yield pytest.param(np.unwrap, (4 * x,), {"axis": 0}, id="unwrap")
    for kind in (float, complex):
        yield pytest.param(np.vecdot, (matrix(4, 3, dtype=kind), matrix(3, dtype=kind)), {}, id=f"vecdot {kind.__name__}")
        yield pytest.param(np.matvec, (matrix(2, 4, 3, dtype=kind), matrix(3, dtype=kind)), {}, id=f"matvec {kind.__name__}")


def arrays_of(rule, args, kwargs):
    return {place: args[place] if isinstance(place, int) else kwargs[place] for place in rule.places(args)}


def replaced(args, kwargs, arrays):
    args = tuple(arrays.get(place, each) for place, each in enumerate(args))
    return args, {name: arrays.get(name, each) for name, each in kwargs.items()}


def normal(x):
    t = RANDOM.normal(size=np.shape(x))
    return t + 1j * RANDOM.normal(size=np.shape(x)) if np.iscomplexobj(x) else t


def inner(x, y):
    return 0.0 if x is None or y is None else float(np.sum(np.real(np.conjugate(x) * y)))


def parts_of(x):
    return tuple(x) if isinstance(x, tuple) else (x,)


def projection(x):
    return x @ np.conjugate(x.T)


def gauge(function, result, kwargs):
    """Of complex vectors, known up to their phases, what does not depend on the phases."""
    if function is np.linalg.eigh:
        return (result[0], np.abs(result[1]) ** 2)
    if function is np.linalg.svd and isinstance(result, tuple):
        u, s, vh = result
        k = len(s)
        return (np.abs(u[:, :k]) ** 2, s, np.abs(vh[:k]) ** 2, u[:, :k] @ vh[:k], projection(u[:, k:]), projection(vh[k:].T))
    return parts_of(result)[:2] if function is np.linalg.lstsq else parts_of(result)


def gauge_jvp(function, result, tangent):
    def square(x, t):
        return 2 * np.real(np.conjugate(x) * t)

    if function is np.linalg.eigh:
        return (tangent[0], square(result[1], tangent[1]))
    if function is np.linalg.svd and isinstance(result, tuple):
        (u, s, vh), (tu, ts, tvh) = result, tangent
        rests = [(u[:, len(s) :], tu[:, len(s) :]), (vh[len(s) :].T, tvh[len(s) :].T)]
        (u, tu), (vh, tvh) = (u[:, : len(s)], tu[:, : len(s)]), (vh[: len(s)], tvh[: len(s)])
        turned = [t @ np.conjugate(x.T) + x @ np.conjugate(t.T) for x, t in rests]
        return (square(u, tu), ts, square(vh, tvh), tu @ vh + u @ tvh, *turned)
    return parts_of(tangent)[:2] if function is np.linalg.lstsq else parts_of(tangent)


@table(("function", "args", "kwargs"), list(cases()))
def test_forward_agrees_with_central_differences(function, args, kwargs):
    rule = RULES[function]
    arrays = arrays_of(rule, args, kwargs)
    tangents = {place: normal(x) for place, x in arrays.items()}
    result = function(*args, **kwargs)
    forward = rule.jvp(tangents, result, args, kwargs)
    ends = []
    for sign in (1, -1):
        moved, named = replaced(args, kwargs, {place: x + sign * STEP * tangents[place] for place, x in arrays.items()})
        ends.append(gauge(function, function(*moved, **named), kwargs))
    for plus, minus, found in zip(*ends, gauge_jvp(function, result, forward), strict=True):
        expected = (plus - minus) / (2 * STEP)
        np.testing.assert_allclose(np.zeros_like(expected) if found is None else found, expected, rtol=2e-6, atol=2e-6)


@table(("function", "args", "kwargs"), list(cases()))
def test_reverse_is_the_adjoint_of_forward(function, args, kwargs):
    rule = RULES[function]
    arrays = arrays_of(rule, args, kwargs)
    tangents = {place: normal(x) for place, x in arrays.items()}
    result = function(*args, **kwargs)
    forward = rule.jvp(tangents, result, args, kwargs)
    cts = tuple(None if t is None else normal(t) for t in parts_of(forward))
    back = rule.vjp(cts if isinstance(result, tuple) else cts[0], result, args, kwargs)
    total = 0.0
    for place, ct in back.items():
        assert np.iscomplexobj(ct) == np.iscomplexobj(arrays[place])
        total += inner(ct, np.where(np.isnan(arrays[place]), 0, np.broadcast_to(tangents[place], np.shape(ct))))
    assert total == pytest.approx(sum(inner(ct, t) for ct, t in zip(cts, parts_of(forward))), rel=1e-8, abs=1e-8)


def test_one_tangent_of_two_is_enough():
    a, b = matrix(3, 3), matrix(3)
    rule, x = RULES[np.linalg.solve], np.linalg.solve(a, b)
    t = matrix(3)
    np.testing.assert_allclose(rule.jvp({1: t}, x, (a, b), {}), np.linalg.solve(a, t))
    assert rule.jvp({}, x, (a, b), {}) is None


@table(
    ("function", "args", "kwargs", "message"),
    [
        (np.linalg.qr, (np.eye(2), "raw"), {}, 'mode="reduced"'),
    ],
)
def test_what_has_no_rule_says_so(function, args, kwargs, message):
    result = function(*args, **kwargs)
    found = RULES[function].vjp(result, result, args, kwargs)
    assert isinstance(found, Unsupported) and message in found.why


def test_calls_with_options_that_a_rule_does_not_know_are_not_covered():
    assert RULES[np.polyfit].covers((np.ones(3), np.ones(3), 1), {})
    assert not RULES[np.polyfit].covers((np.ones(3), np.ones(3), 1), {"w": np.ones(3)})
    assert not RULES[np.fft.fft].covers((np.ones(3), None, -1, None, np.ones(3)), {})


def test_equal_eigenvalues_give_finite_gradients():
    a = np.eye(3)
    result = np.linalg.eigh(a)
    back = RULES[np.linalg.eigh].vjp((np.ones(3), np.ones((3, 3))), tuple(result), (a,), {})
    np.testing.assert_array_equal(back[0], np.eye(3))


def test_norm_of_zero_has_gradient_zero():
    x = np.zeros(3)
    np.testing.assert_array_equal(RULES[np.linalg.norm].vjp(1.0, np.linalg.norm(x), (x,), {})[0], x)


@table("function", [np.linalg.inv, np.linalg.cholesky, np.linalg.det, np.fft.fft])
def test_rules_keep_single_precision(function):
    a = positive(3, 3).astype(np.float32)
    result = function(a)
    assert RULES[function].vjp(np.ones_like(result), result, (a,), {})[0].dtype == np.float32
