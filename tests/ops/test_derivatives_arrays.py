"""Tests of the derivatives that operations on whole arrays state: against central differences, in reverse, of zeros and of nothing."""

import itertools

import numpy as np
import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.ir.derivative import Into, Unsupported
from autograph_jit.ops.derivatives.reduction import linear_recurrence, others
from autograph_jit.ops.registry import get
from tests.tables import table

STEP = 1e-6
DTYPES = [float, complex]
ARRAY, FULL = ("array",), ("full",)


def normal(random, shape, dtype=float):
    x = random.normal(size=shape)
    return np.asarray(x + 1j * random.normal(size=shape) if dtype is complex else x)[()]


def inner(x, y):
    return float(np.sum(np.real(np.conjugate(x) * y)))


def summed(ct, x):
    """The cotangent summed over the axes that were broadcast."""
    ct = np.sum(ct, axis=tuple(range(np.ndim(ct) - np.ndim(x))))
    axes = tuple(k for k in range(np.ndim(x)) if np.shape(x)[k] == 1 != np.shape(ct)[k])
    return np.sum(ct, axis=axes, keepdims=True) if axes else ct


def contribution(found, x):
    """A contribution as an array of the operand's shape."""
    if isinstance(found, Into):
        shadow = np.zeros_like(x)
        found.update(shadow)
        return shadow
    found = summed(found, x)
    assert np.shape(found) == np.shape(x) and found.dtype == x.dtype
    return found


def check(name, operands, active, **attributes):
    """Forward against central differences, reverse against forward; `active` operands are differentiated."""
    random, opdef = np.random.default_rng(2), get(name)
    kinds = [complex if np.iscomplexobj(x) else float for x in operands]
    tangents = tuple(normal(random, np.shape(x), kinds[k]) if k in active else None for k, x in enumerate(operands))
    result = opdef.eager(*operands, **attributes)
    ends = [opdef.eager(*(x if t is None else x + sign * STEP * t for x, t in zip(operands, tangents)), **attributes) for sign in (1, -1)]
    forward = opdef.jvp(tangents, result, *operands, **attributes)
    assert np.shape(forward) == np.shape(result)
    np.testing.assert_allclose(forward, (ends[0] - ends[1]) / (2 * STEP), rtol=1e-6, atol=1e-6)
    assert not any(np.shares_memory(forward, t) for t in tangents if t is not None and np.ndim(t))
    ct = normal(random, np.shape(result), complex if np.iscomplexobj(result) else float)
    back = opdef.vjp(ct, result, *operands, **attributes)
    assert len(back) == len(operands)
    total = sum(inner(contribution(back[k], operands[k]), tangents[k]) for k in active)
    assert total == pytest.approx(inner(ct, forward), rel=1e-9, abs=1e-9)


@table("dtype", DTYPES)
@table("keepdims", [False, True])
@table("axes", [(0,), (-1,), (0, 2), (0, 1, 2), (2, 0), ()])
@table("op", ["sum", "prod", "min", "max"])
def test_reduction(op, axes, keepdims, dtype):
    x = normal(np.random.default_rng(1), (2, 3, 4), dtype)
    if not (dtype is complex and op in ("min", "max")):
        check("reduce", (x,), (0,), op=op, axes=axes, keepdims=keepdims)
    else:
        assert get("reduce").vjp(x[0], x[0], x, op="any", axes=axes, keepdims=keepdims) == (None,)


@table("zeros", [(), (1,), (0, 2), (0, 1, 2, 3)])
def test_product_of_zeros(zeros):
    x = np.array([2.0, 3.0, 4.0, 5.0])
    x[list(zeros)] = 0
    expected = [np.prod(np.delete(x, k)) for k in range(4)]
    np.testing.assert_allclose(others(x, (0,)), expected)
    check("reduce", (x,), (0,), op="prod", axes=(0,), keepdims=False)
    check("scan", (x,), (0,), op="prod", axis=0)


@table("shape", [(0,), (0, 3), (3, 0)])
@table("op", ["sum", "prod"])
def test_reduction_and_scan_of_nothing(op, shape):
    check("reduce", (np.zeros(shape),), (0,), op=op, axes=(0,), keepdims=False)
    check("scan", (np.zeros(shape),), (0,), op=op, axis=0)


def test_equal_extrema_share():
    x = np.array([1.0, 3.0, 3.0])
    (ct,) = get("reduce").vjp(np.float64(1), np.float64(3), x, op="max", axes=(0,), keepdims=False)
    np.testing.assert_array_equal(ct, [0, 0.5, 0.5])


@table("dtype", DTYPES)
@table(("op", "axis"), itertools.product(["sum", "prod"], [0, 1, -1]))
def test_scan(op, axis, dtype):
    check("scan", (normal(np.random.default_rng(1), (4, 3), dtype),), (0,), op=op, axis=axis)


@table(("op", "axis"), itertools.product(["min", "max"], [0, 1, -1]))
def test_running_extremum(op, axis):
    check("scan", (normal(np.random.default_rng(1), (5, 4)),), (0,), op=op, axis=axis)


@table("dtype", DTYPES)
@table("axis", [0, 1])
def test_linear_recurrence(axis, dtype):
    random = np.random.default_rng(1)
    a, b = normal(random, (4, 3), dtype), normal(random, (4, 3), dtype)
    check("linear_recurrence", (a, b), (0, 1), axis=axis)
    along = np.moveaxis(linear_recurrence(a, b, axis=axis), axis, 0)
    np.testing.assert_allclose(along[2], np.take(b, 2, axis) + np.take(a, 2, axis) * along[1])


def test_linear_recurrence_refuses_other_shapes():
    with pytest.raises(ValueError, match="factors of shape"):
        linear_recurrence(np.zeros(3), np.zeros(4), axis=0)


@table("dtype", DTYPES)
@table(
    ("x", "y"),
    [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((5, 2, 3), (3,)), ((3,), (5, 3, 4)),
     ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)), ((1, 2, 3), (5, 3, 4)), ((6, 1, 2, 3), (5, 3, 4)), ((2, 0), (0, 3)), ((0, 3), (3, 2))],
)  # fmt: skip
def test_matrix_products(x, y, dtype):
    random = np.random.default_rng(1)
    check("matmul", (normal(random, x, dtype), normal(random, y, dtype)), (0, 1))


def test_one_tangent_of_a_matrix_product():
    x, y = np.eye(2), np.ones((2, 2))
    np.testing.assert_array_equal(get("matmul").jvp((None, x), y, x, y), x)
    assert get("matmul").jvp((None, None), y, x, y) is None


@table("dtype", DTYPES)
def test_full_arange_concat_copy(dtype):
    random = np.random.default_rng(1)
    value, other = normal(random, (), dtype), normal(random, (), dtype)
    check("full", (value, np.int64(2), np.int64(3)), (0,))
    check("arange", (value, other, np.int64(4)), (0, 1))
    check("arange", (value, other, np.int64(4)), (0,))
    check("arange", (value, other, np.int64(4)), (1,))
    arrays = tuple(normal(random, (2, n), dtype) for n in (3, 0, 1))
    check("concat", arrays, (0, 1, 2), axis=1)
    check("concat", arrays, (2,), axis=-1)
    check("copy", (arrays[0],), (0,))


@table("descending", [False, True])
@table("axis", [0, 1, -1])
def test_sort(axis, descending):
    check("sort", (normal(np.random.default_rng(1), (4, 5)),), (0,), axis=axis, descending=descending)


@table("axis", [0, 1, -1])
@table("ranks", [[2], [0, 3, 3, 1], [9, -9]])
def test_order_statistics(ranks, axis):
    check("order_statistics", (normal(np.random.default_rng(1), (4, 5)), np.array(ranks)), (0,), axis=axis)


@table(("counts", "axis"), [([2, 0, 1, 3], 0), ([0, 0, 1, 0, 5], 1), ([0] * 5, -1)])
def test_repeat(counts, axis):
    check("repeat", (normal(np.random.default_rng(1), (4, 5)), np.array(counts)), (0,), axis=axis)


GATHERS = [
    ((ARRAY,), (4,), (np.array([0, 2, 2, -1]),)),
    ((ARRAY, FULL), (4, 3), (np.array([[0, 2], [2, 1]]),)),
    ((FULL, ARRAY), (3, 4), (np.array([3, 3]),)),
    ((ARRAY, ARRAY), (3, 4), (np.array([[0], [1]]), np.array([3, 3, 0]))),
    ((ARRAY,), (4,), (np.array([], np.int64),)),
]


@table("dtype", DTYPES)
@table(("items", "shape", "index"), GATHERS)
def test_gather_counts_duplicates(items, shape, index, dtype):
    check("gather", (normal(np.random.default_rng(1), shape, dtype), *index), (0,), items=items)


def check_write(name, array, value, *rest, **attributes):
    """An operation that writes: its tangent by differences, its cotangents by the tangent."""
    random, opdef = np.random.default_rng(3), get(name)
    kind = complex if np.iscomplexobj(array) else float
    order = (lambda v: (v, *rest)) if name == "scatter" else (lambda v: (*rest, v))
    t, tv = normal(random, array.shape, kind), normal(random, np.shape(value), kind)
    ends = []
    for sign in (1, -1):
        moved = array + sign * STEP * t
        opdef.eager(moved, *order(value + sign * STEP * tv), **attributes)
        ends.append(moved)
    tangent = t.copy()
    slots = [None] * len(rest)
    tangents = (tangent, tv, *slots) if name == "scatter" else (tangent, *slots, tv)
    assert opdef.jvp(tangents, (), array, *order(value), **attributes) == ()
    np.testing.assert_allclose(tangent, (ends[0] - ends[1]) / (2 * STEP), rtol=1e-6, atol=1e-8)
    after = normal(random, array.shape, kind)
    before = after.copy()
    back = opdef.vjp(before, (), array, *order(value), **attributes)
    by_value = summed(back[1 if name == "scatter" else -1], value)
    assert back[0] is None and np.shape(by_value) == np.shape(value)
    assert inner(before, t) + inner(by_value, tv) == pytest.approx(inner(after, tangent), rel=1e-9, abs=1e-9)


@table("dtype", DTYPES)
@table("mode", ["set", "add", "subtract"])
@table(("items", "shape", "index"), GATHERS)
def test_scatter_last_of_duplicates_wins_or_all_count(items, shape, index, mode, dtype):
    random = np.random.default_rng(1)
    array = normal(random, shape, dtype)
    written = get("gather").eager(array, *index, items=items)
    check_write("scatter", array, normal(random, written.shape, dtype), *index, items=items, mode=mode)
    check_write("scatter", array, normal(random, (), dtype), *index, items=items, mode=mode)


def test_scatter_without_tangent_clears():
    tangent = np.ones(3)
    get("scatter").jvp((tangent, None, None), (), np.ones(3), np.float64(2), np.array([1, 1]), items=(ARRAY,), mode="set")
    np.testing.assert_array_equal(tangent, [1, 0, 1])


def test_last_writer_is_found_in_single_precision():
    count = 5000
    array, ct = np.zeros(2, np.float32), np.ones(2, np.float32)
    index = np.zeros(count, np.int64)
    back = get("scatter").vjp(ct, (), array, np.zeros(count, np.float32), index, items=(ARRAY,), mode="set")
    np.testing.assert_array_equal(np.flatnonzero(back[1]), [count - 1])
    np.testing.assert_array_equal(ct, [0, 1])


@table("mode", ["multiply", "min"])
def test_scatter_of_other_modes_is_unsupported(mode):
    operands = (np.ones(3), np.float64(2), np.array([1]))
    found = get("scatter").vjp(np.ones(3), (), *operands, items=(ARRAY,), mode=mode)
    assert isinstance(found, Unsupported) and f"np.{mode}.at" in found.why
    assert isinstance(get("scatter").jvp((np.ones(3), None, None), (), *operands, items=(ARRAY,), mode=mode), Unsupported)


@table("dtype", DTYPES)
def test_masks(dtype):
    random = np.random.default_rng(1)
    x, mask = normal(random, (3, 4), dtype), np.array([True, False, True])
    check("mask_select", (x, mask), (0,))
    check("mask_select", (x, x.real > 0), (0,))
    check_write("mask_assign", x, normal(random, (), dtype), x.real > 0)
    check_write("mask_assign", x[:, 0].copy(), normal(random, (2,), dtype), mask)


@table(("name", "attributes"), [("reduce", {"op": "prod", "axes": (0,), "keepdims": False}), ("scan", {"op": "prod", "axis": 0})])
@table("zeros", [(), (1,), (0, 2)])
def test_second_order_of_products_holds_at_zeros(name, attributes, zeros):
    x = np.array([2.0, 3.0, 4.0, 5.0])
    x[list(zeros)] = 0
    opdef, step = get(name), 1e-20
    ct = np.ones_like(opdef.eager(x, **attributes))

    def gradient(z):
        return opdef.vjp(ct, opdef.eager(z, **attributes), z, **attributes)[0]

    def function(z):
        return np.sum(opdef.eager(z, **attributes))

    for i in range(4):
        moved = x.astype(complex)
        moved[i] += 1j * step
        found = -np.imag(gradient(moved)) / step
        for j in range(4):
            corners = [function(x + a * 0.5 * np.eye(4)[i] + b * 0.5 * np.eye(4)[j]) for a in (1, -1) for b in (1, -1)]
            expected = corners[0] - corners[1] - corners[2] + corners[3]
            assert found[j] == pytest.approx(expected, abs=1e-9)
