"""Products that are added to an array: BLAS takes the array along, and the sums are NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.kernels.facts import find_facts
from autograph_jit.kernels.product_sums import find_product_sums
from tests.backends.building import M, Maker, N, array


def sums_of(m):
    graph = m.done()
    facts = find_facts(graph, ("C",) * len(graph.block.args), True)
    return [[operation.name for operation in chain] for chain in find_product_sums(graph, facts, set()).values()]


def added(m, c, x, y):
    p = m.op("matmul", x, y)
    return p, m.op("add", c, p)


def test_a_product_that_is_added_is_found():
    m = Maker()
    c, x, y = m.param(array(N, N)), m.param(array(N, M)), m.param(array(M, N))
    m.do("assign", c, added(m, c, x, y)[1])
    assert sums_of(m) == [["matmul", "add"]]


@pytest.mark.parametrize("reason", ["used twice", "operand written", "total written", "reads the total", "strided", "integers"])
def test_others_are_not(reason):
    m = Maker()
    dtype = "i8" if reason == "integers" else "f8"
    c, x, y = (m.param(array(N, N, dtype=dtype)) for _ in range(3))
    c = m.op("transpose", c, perm=(1, 0)) if reason == "strided" else c
    p, total = added(m, c, c if reason == "reads the total" else x, y)
    if reason == "used twice":
        m.do("assign", x, p)
    if reason == "operand written":
        m.do("assign", y, c)
    if reason == "total written":
        m.do("assign", c, x)
    m.do("assign", c, total)
    assert sums_of(m) == []


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
@pytest.mark.parametrize("rows, inner, columns", [(3, 4, 5), (40, 50, 60), (150, 140, 160), (2, 300, 300), (150, 0, 160)])
def test_sums_of_products_are_those_of_numpy(dtype, rows, inner, columns):
    def add_products(c, x, y, z):
        for _ in range(3):
            c += x @ y
            c += x @ z.T
        return np.sum(c)

    rng = np.random.default_rng(0)
    c, x, y, z = (
        rng.standard_normal(sizes).astype(dtype) for sizes in ((rows, columns), (rows, inner), (inner, columns), (columns, inner))
    )
    expected = c.copy()
    add_products(expected, x, y, z)
    ag.compile(add_products, fallback="error")(c, x, y, z)
    np.testing.assert_allclose(c, expected, rtol=1e-3 if dtype == "f4" else 1e-11, atol=1e-2 if dtype == "f4" else 1e-10)


@pytest.mark.parametrize("trips", [0, 1, 2, 5])
@pytest.mark.parametrize("size", [3, 150])
def test_gradient_of_a_chain_by_its_matrix(trips, size):
    def chain(w, trips):
        x = np.ones((size, w.shape[0]))
        for _ in range(trips):
            x = x @ w + 0.1
        return np.sum(x * x)

    rng = np.random.default_rng(1)
    w, direction = rng.standard_normal((size, size)) / size, rng.standard_normal((size, size))
    slope = (chain(w + 1e-6 * direction, trips) - chain(w - 1e-6 * direction, trips)) / 2e-6
    assert np.sum(ag.grad(chain)(w, trips) * direction) == pytest.approx(slope, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
@pytest.mark.parametrize("stack, other", [((3,), (3,)), ((3,), (1,)), ((2, 3), (3,)), ((2, 1), (1, 3))])
def test_sums_of_stacks_of_products(dtype, stack, other):
    def add_products(c, x, y):
        for _ in range(2):
            c += x @ y
        return np.sum(c)

    rng = np.random.default_rng(2)
    shape = np.broadcast_shapes(stack, other)
    for rows, inner, columns in ((3, 4, 5), (30, 20, 40)):
        sizes = ((*shape, rows, columns), (*stack, rows, inner), (*other, inner, columns))
        c, x, y = (rng.standard_normal(size).astype(dtype) for size in sizes)
        expected = c.copy()
        add_products(expected, x, y)
        ag.compile(add_products, fallback="error")(c, x, y)
        np.testing.assert_allclose(c, expected, rtol=1e-3 if dtype == "f4" else 1e-11, atol=1e-3 if dtype == "f4" else 1e-10)


def stored_in(c, x, y):
    np.matmul(x, y, out=c)
    return np.sum(c)


def stored_in_rows(c, x, y):
    for k in range(0, len(x), 2):
        c[k : k + 2] = x[k : k + 2] @ y
    return c


def repeated_over(c, x, y):
    c[:] = x[:1] @ y
    return c


def stored_over_a_factor(c, x, y):
    c[:] = c @ y.T @ y * 0.5
    c[:] = c @ (y.T @ y)
    return c


def stored_in_a_stack(c, x, y):
    table = np.empty((3, len(x), y.shape[1]))
    for k in range(3):
        table[k] = x @ y + k
        table[k] = (k + 1.0) * x @ y
    return table


def stored_in_columns(c, x, y):
    c.T[:] = y.T @ x.T
    return c


STORES = (stored_in, stored_in_rows, repeated_over, stored_over_a_factor, stored_in_a_stack, stored_in_columns)


@pytest.mark.parametrize("function", STORES)
@pytest.mark.parametrize("rows, inner, columns", [(3, 4, 5), (40, 50, 60), (150, 140, 160), (2, 0, 3), (1, 4, 4)])
def test_products_are_stored_as_by_numpy(function, rows, inner, columns):
    rng = np.random.default_rng(0)
    c, x, y = (rng.standard_normal(sizes) for sizes in ((rows, columns), (rows, inner), (inner, columns)))
    expected = c.copy()
    wanted = function(expected, x, y)
    np.testing.assert_allclose(ag.compile(function, fallback="error")(c, x, y), wanted, rtol=1e-11, atol=1e-10)
    np.testing.assert_allclose(c, expected, rtol=1e-11, atol=1e-10)


def test_a_product_that_is_stored_has_no_array_of_its_own():
    m = Maker()
    c, x, y = m.param(array(N, N)), m.param(array(N, M)), m.param(array(M, N))
    m.do("assign", c, m.op("matmul", x, y))
    assert sums_of(m) == [["matmul"]]


def test_factors_that_misfit_fail_before_what_follows():
    def store(c, x, y):
        try:
            c[:] = x @ y
        except ValueError as error:
            c[:] = 1.0
            return str(error)
        return ""

    c, x, y = np.zeros((3, 3)), np.ones((3, 2)), np.ones((3, 3))
    expected = c.copy()
    compiled = ag.compile(store, fallback="error")
    assert compiled(c, x, y) == store(expected, x, y)
    np.testing.assert_array_equal(c, expected)
    assert compiled(c, y, y) == ""
    assert compiled(np.zeros((3, 4)), y, y) == store(np.zeros((3, 4)), y, y)


def test_an_output_that_is_also_a_factor_is_read_first():
    x = np.random.default_rng(0).standard_normal((70, 70))
    expected = x @ x
    found = x.copy()
    ag.compile(stored_in, fallback="error")(found, found, x)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
