"""Derivative rules run on stand-ins, at symbolic sizes, as they run on arrays."""

import numpy as np
import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.ir.derivative import Into
from autograph_jit.ops.derivatives.library import RULES
from autograph_jit.ops.registry import get
from tests.tracing.staged_run import run_staged

RANDOM = np.random.default_rng(0)
ARRAY, FULL = ("array",), ("full",)


def normal(*shape):
    return RANDOM.normal(size=shape)


X, Y, S = normal(3), normal(3), normal(3, 3)
SPD = S @ S.T + np.eye(3)
ONE, TWO = np.float64(0.3), np.float64(2)
BINARY = "add subtract multiply divide arctan2 maximum fmin hypot copysign logaddexp remainder fmod complex"
UNARY = "sin exp tanh lgamma erf arcsin"
OPERATIONS = [
    *((name, (X, Y), {}) for name in BINARY.split()),
    *((name, (ONE, TWO), {}) for name in (BINARY + " power").split()),
    *((name, (np.abs(X) / 4,), {}) for name in (UNARY + " sqrt log").split()),
    *((name, (ONE,), {}) for name in UNARY.split()),
    *((name, (X + 1j * Y,), {}) for name in "absolute sign angle conjugate real imag sqrt arccosh".split()),
    ("multiply", (X, normal(1)), {}), ("power", (np.abs(X), Y), {}), ("where", (X > 0, X, Y), {}),
    ("cast", (X,), {"dtype": np.dtype("f4")}),
    *(("reduce", (normal(2, 3, 4),), {"op": op, "axes": axes, "keepdims": keepdims})
      for op in ("sum", "prod", "max") for axes in ((1,), (0, 2), (0, 1, 2)) for keepdims in (False, True)),
    *(("scan", (normal(4, 3),), {"op": op, "axis": 1}) for op in ("sum", "prod", "max")),
    *(("matmul", (normal(*x), normal(*y)), {}) for x, y in
      [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((5, 2, 3), (3,))]),
    ("gather", (normal(4, 3), np.array([0, 2, 2])), {"items": (ARRAY, FULL)}), ("mask_select", (X, X > 0), {}),
    ("sort", (normal(4, 3),), {"axis": 0}), ("sort", (normal(4, 3),), {"axis": 1, "descending": True}),
    ("concat", (normal(2, 3), normal(1, 3)), {"axis": 0}), ("arange", (ONE, TWO, np.int64(4)), {}), ("full", (TWO, np.int64(3)), {}),
    ("linear_recurrence", (normal(4, 3), normal(4, 3)), {"axis": 0}),
]  # fmt: skip
FUNCTIONS = [
    (np.linalg.solve, (S, X), {}), (np.linalg.inv, (S,), {}), (np.linalg.det, (S,), {}), (np.linalg.slogdet, (S,), {}),
    (np.linalg.cholesky, (SPD,), {}), (np.linalg.eigh, (SPD,), {}), (np.linalg.eigvalsh, (SPD,), {}), (np.linalg.svd, (normal(4, 3),), {}),
    (np.linalg.svd, (normal(4, 3),), {"full_matrices": False}), (np.linalg.qr, (normal(4, 3),), {}), (np.linalg.pinv, (normal(4, 3),), {}),
    (np.linalg.lstsq, (normal(4, 3), normal(4)), {}), (np.linalg.norm, (normal(4, 3), 2), {}),
    (np.linalg.norm, (normal(4, 3), 3), {"axis": 1}), (np.fft.fft, (normal(4, 3),), {}), (np.fft.fft, (normal(4, 3), 6), {}),
    (np.fft.rfft, (normal(4, 3), 3), {}), (np.fft.irfft, (normal(4, 3) + 1j,), {}), (np.fft.fft2, (normal(4, 3),), {}),
    (np.fft.fftshift, (normal(4, 3),), {}),
]  # fmt: skip


def like(x):
    return np.asarray(RANDOM.normal(size=np.shape(x)))[()].astype(np.asarray(x).dtype)


def contributions(found, operands):
    """Contributions as values, those in place added to zeros."""
    values = []
    for each, operand in zip(found, operands, strict=True):
        if isinstance(each, Into):
            shadow = np.zeros_like(operand)
            each.update(shadow)
            each = shadow
        if each is not None:
            values.append(each)
    return tuple(values)


def assert_staged_alike(function, args):
    with np.errstate(all="ignore"):
        expected = function(*args)
    found = run_staged(lambda numpy, *values: function(*values), *args)
    assert len(found) == len(expected) > 0
    for each, reference in zip(found, expected):
        assert np.shape(each) == np.shape(reference) and np.asarray(each).dtype == np.asarray(reference).dtype
        np.testing.assert_allclose(each, reference, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("name", "operands", "attributes"), OPERATIONS)
def test_rules_of_operations(name, operands, attributes):
    opdef, active = get(name), [k for k, x in enumerate(operands) if x.dtype.kind in "fc"]
    result = opdef.eager(*operands, **attributes)
    assert_staged_alike(lambda ct, r, *xs: contributions(opdef.vjp(ct, r, *xs, **attributes), xs), (like(result), result, *operands))

    def forward(r, *rest):
        tangents = dict(zip(active, rest))
        return (opdef.jvp(tuple(tangents.get(k) for k in range(len(operands))), r, *rest[len(active) :], **attributes),)

    assert_staged_alike(forward, (result, *(like(operands[k]) for k in active), *operands))


@pytest.mark.parametrize(("function", "args", "kwargs"), FUNCTIONS)
def test_rules_of_library_functions(function, args, kwargs):
    rule, result = RULES[function], function(*args, **kwargs)
    parts = tuple(result) if isinstance(result, tuple) else (result,)
    several, width = isinstance(result, tuple), len(parts)

    def unpacked(values):
        return tuple(values) if several else values[0]

    def reverse(*values):
        cts, results, arrays = values[:width], values[width : 2 * width], values[2 * width :]
        return tuple(rule.vjp(unpacked(cts), unpacked(results), (*arrays, *args[rule.count :]), kwargs).values())

    def forward(*values):
        results, tangents, arrays = values[:width], values[width : width + rule.count], values[width + rule.count :]
        found = rule.jvp(dict(enumerate(tangents)), unpacked(results), (*arrays, *args[rule.count :]), kwargs)
        return tuple(each for each in found if each is not None) if several else (found,)

    arrays = args[: rule.count]
    assert_staged_alike(reverse, (*map(like, parts), *parts, *arrays))
    assert_staged_alike(forward, (*parts, *map(like, arrays), *arrays))
