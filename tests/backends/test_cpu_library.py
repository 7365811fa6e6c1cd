"""Library routines of compiled graphs agree with the eager rules, without calls back into Python."""

from __future__ import annotations

import numpy as np
import pytest

from autograph_jit.ir.dims import atom
from autograph_jit.ir.types import ScalarType
from tests.backends.building import F8, I8, M, Maker, N, array, check, compare
from tests.backends.test_cpu_arrays import values_of

K, L = atom("d9"), atom("d8")
FULL, ARRAY = ("full",), ("array",)


@pytest.mark.parametrize("dtype", ["f8", "i8", "c16", "f4"])
def test_arange(dtype):
    m = Maker()
    start, step, count = m.param(ScalarType(np.dtype(dtype))), m.param(ScalarType(np.dtype(dtype))), m.param(I8)
    graph = m.done(m.op("arange", start, step, count, dims=(K,)))
    executable = compare(graph, np.dtype(dtype).type(3), np.dtype(dtype).type(-2), 7)
    check(executable, graph, np.dtype(dtype).type(3), np.dtype(dtype).type(2), 0)
    assert executable.host_calls == ()


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concat_joins_or_fails(axis):
    m = Maker()
    x, y = m.param(array(N, M)), m.param(array(K, L))
    graph = m.done(m.op("concat", x, y, x, axis=axis, dims=(atom("d1"), atom("d2"))))
    executable = compare(graph, np.arange(6.0).reshape(2, 3), np.ones((2, 3)))
    check(executable, graph, np.arange(6.0).reshape(2, 3), np.ones((3, 2)))
    check(executable, graph, np.arange(6.0).reshape(3, 2).T, np.ones((2, 3))[::-1])
    assert executable.host_calls == ()


@pytest.mark.parametrize(("op", "dtype"), [("sum", "f8"), ("sum", "i4"), ("prod", "f8"), ("max", "f8"), ("min", "i2"), ("sum", "c16")])
def test_scans(op, dtype):
    m = Maker()
    x = m.param(array(N, M, dtype=dtype))
    graph = m.done(*(m.op("scan", x, op=op, axis=axis) for axis in (0, 1)))
    executable = compare(graph, values_of(dtype, 12, 4).reshape(3, 4))
    check(executable, graph, values_of(dtype, 12, 4).reshape(3, 4)[::-1, ::2])


@pytest.mark.parametrize("dtype", ["f8", "i4", "?", "u8", "c16"])
@pytest.mark.parametrize("op", ["argmin", "argmax"])
def test_positions_of_extrema(op, dtype):
    m = Maker()
    x = m.param(array(N, L, dtype=dtype))
    results = [m.op("arg_reduce", x, op=op, axis=axis, keepdims=keep) for axis in (None, 0, 1) for keep in (False, True)]
    graph = m.done(*results)
    executable = compare(graph, values_of(dtype, 30, 4).reshape(5, 6))
    check(executable, graph, values_of(dtype, 30, 5).reshape(5, 6)[:, ::-2])
    check(executable, graph, values_of(dtype, 30, 5).reshape(5, 6)[:, :0])


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_finds_positions(side):
    m = Maker()
    x, y, p = m.param(array(K)), m.param(array(L)), m.param(F8)
    graph = m.done(m.op("searchsorted", x, y, side=side), m.op("searchsorted", x, p, side=side))
    executable = compare(graph, np.array([0.0, 1, 1, 2, np.inf, np.nan, np.nan]), np.array([-1, 0, 1, 1.5, 9, np.inf, np.nan]), 1.0)
    check(executable, graph, np.zeros(0), np.zeros(3), 1.0)
    assert executable.host_calls == ()


@pytest.mark.parametrize("dtype", ["f8", "i8", "c16", "f4", "?", "c8"])
def test_matrix_products(dtype):
    m = Maker()
    x, y, u, v = (m.param(array(*dims, dtype=dtype)) for dims in ((N, M), (M, K), (M,), (M,)))
    graph = m.done(m.op("matmul", x, y), m.op("matmul", u, v), m.op("matmul", x, u), m.op("matmul", v, y))
    rng = np.random.default_rng(0)
    executable = None
    for rows, inner, columns in ((2, 3, 4), (30, 40, 50), (3, 2, 0)):
        sizes = ((rows, inner), (inner, columns), (inner,), (inner,))
        arguments = [rng.integers(1, 5, size).astype(dtype) for size in sizes]
        executable = executable or compare(graph, *arguments)
        check(executable, graph, *arguments)
        turned = [np.ascontiguousarray(arguments[0].T).T, arguments[1][::-1], arguments[2][::-1], arguments[3]]
        check(executable, graph, *turned)
    assert executable.host_calls == ()


def test_matrix_product_of_misfits_fails():
    m = Maker()
    x, y = m.param(array(N, M)), m.param(array(K, L))
    graph = m.done(m.op("matmul", x, y))
    executable = compare(graph, np.ones((2, 3)), np.ones((2, 3)), layouts=("C", "C"))
    check(executable, graph, np.ones((2, 3)), np.ones((3, 2)))
    check(executable, graph, np.ones((20, 30)), np.ones((30, 20)))


INDEXINGS = [((ARRAY, FULL), 1, (L, M)), ((FULL, ARRAY), 1, (N, L)), ((ARRAY, ARRAY), 2, (L,))]


@pytest.mark.parametrize(("items", "count", "dims"), INDEXINGS)
def test_gather_and_scatter(items, count, dims):
    m = Maker()
    x, *indices = [m.param(array(N, M)), *(m.param(array(L, dtype="i8")) for _ in range(count))]
    taken = m.op("gather", x, *indices, items=items, dims=dims)
    m.do("scatter", x, m.const(5.0), *indices, items=items, mode="set")
    m.do("scatter", x, taken, *indices, items=items, mode="add")
    graph = m.done(taken)
    data = np.arange(12.0).reshape(3, 4)
    executable = compare(graph, data, *[np.array([0, -1, 2, 0])] * count)
    check(executable, graph, data[:, ::-1], *[np.array([0, -1])] * count)
    check(executable, graph, data, *[np.array([0, 9])] * count)
    check(executable, graph, data, *[np.zeros(0, dtype="i8")] * count)
    assert executable.host_calls == ()


def test_gather_with_index_axes_apart_and_broadcast():
    m = Maker()
    x = m.param(array(N, M, K))
    i, j = m.param(array(L, 1, dtype="i8")), m.param(array(atom("d7"), dtype="i8"))
    taken = m.op("gather", x, i, j, items=(ARRAY, FULL, ARRAY), dims=(L, atom("d7"), M))
    one = m.op("gather", x, m.integer(1), items=(FULL, ARRAY, FULL), dims=(N, K))
    graph = m.done(taken, one)
    executable = compare(graph, np.arange(24.0).reshape(2, 3, 4), np.array([[0], [1], [0]]), np.array([3, -1]))
    check(executable, graph, np.arange(24.0).reshape(2, 3, 4), np.array([[0], [2], [0]]), np.array([3, -1]))


@pytest.mark.parametrize("mode", ["set", "add", "subtract", "multiply", "divide", "min", "max"])
def test_scatter_modes_count_duplicates(mode):
    m = Maker()
    x, v, i = m.param(array(N)), m.param(array(L)), m.param(array(K, dtype="i8"))
    m.do("scatter", x, v, i, items=(ARRAY,), mode=mode)
    graph = m.done()
    executable = compare(graph, np.arange(5.0), np.array([1.0, 2, 3, 4]), np.array([0, 1, 0, -1]))
    check(executable, graph, np.arange(5.0), np.array([2.0]), np.array([0, 1, 0, -1]))
    memory = np.arange(5.0)
    check(executable, graph, memory, memory[:3], np.array([1, 2, 3]))
    check(executable, graph, np.arange(5.0), np.array([2.0, 3.0]), np.array([0, 1, 0, 7]))


def test_scatter_refuses_values_that_do_not_fit():
    m = Maker()
    x, v, i = m.param(array(N)), m.param(array(L)), m.param(array(K, dtype="i8"))
    m.do("scatter", x, v, i, items=(ARRAY,), mode="set")
    compare(m.done(), np.arange(5.0), np.array([2.0, 3.0]), np.array([0, 1, 2]))


def test_masks_select_and_assign():
    m = Maker()
    x, mask = m.param(array(N, M)), m.param(array(N, M, dtype="?"))
    rows, value = m.param(array(K, dtype="?")), m.param(array(L))
    taken, lines = m.op("mask_select", x, mask, dims=(K,)), m.op("mask_select", x, rows, dims=(K, M))
    where = m.raw("nonzero", x, dims=(K,)).results
    m.do("mask_assign", x, mask, value)
    m.do("mask_assign", x, rows, m.const(-1.0))
    graph = m.done(taken, lines, *where)
    data = np.arange(6.0).reshape(2, 3)
    executable = compare(graph, data, data > 3, np.array([True, False]), np.array([7.0, 8.0]))
    check(executable, graph, data, data > 9, np.array([True, True]), np.array([7.0]))
    check(executable, graph, data[:, ::-1], data > 2, np.array([False, True]), np.array([7.0, 8.0, 9.0]))
    check(executable, graph, data, data > 2, np.array([False, True]), np.array([7.0, 8.0]))
    check(executable, graph, data, data > 2, np.array([False, True, True]), np.array([7.0, 8.0, 9.0]))
    assert executable.host_calls == ()


def test_sort_and_argsort_call_numpy():
    m = Maker()
    x = m.param(array(N, M))
    graph = m.done(m.op("sort", x, axis=0), m.op("argsort", x, axis=1))
    executable = compare(graph, np.array([[3.0, 1.0], [2.0, np.nan]]))
    check(executable, graph, np.asfortranarray(np.array([[3.0, 1.0], [2.0, np.nan]])))
    assert executable.host_calls == ("sort", "argsort")
