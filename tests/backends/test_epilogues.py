"""Nests behind products of matrices: block of rows by block of rows they give what NumPy gives, whatever the number of threads."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.products import shared
from autograph_jit.backends.cpu.threading import sharing_form
from autograph_jit.kernels.epilogues import find_epilogues
from autograph_jit.kernels.facts import find_facts
from autograph_jit.kernels.fusion import find_fusions
from tests.backends.building import M, Maker, N, array

ROWS, TERMS, COLUMNS = 300, 40, 190


def layer(x, w, b):
    return np.maximum(x @ w + b, 0.0)


def distances(x, w, b):
    return np.exp(-0.01 * ((x * x).sum(axis=1)[:, None] + b - 2.0 * (x @ w)))


def two_products(x, w, b):
    return np.tanh(x @ w + (2.0 * x) @ w - b) + 1.0


def in_single_precision(x, w, b):
    return (x.astype(np.float32) @ w.astype(np.float32)) * 0.5 + b


def turned(x, w, b):
    return np.sqrt(np.abs((w.T @ x.T).T)) - b


def in_a_loop(x, w, b):
    square = w.T @ w / 100.0
    total = np.zeros((COLUMNS, COLUMNS))
    for _ in range(3):
        total = np.tanh(square @ total + b)
    return total


def second_factor_in_the_nest(x, w, b):
    square = w.T @ w / 100.0
    left = np.cos(square)
    return left @ square + square * 2.0


def first_factor_in_the_nest(x, w, b):
    square = w.T @ w / 100.0
    return square @ np.cos(square) + square * 2.0


def read_twice(x, w, b):
    p = x @ w
    return p - p.mean(), np.exp(-np.abs(p))


def factor_written_behind(x, w, b):
    p = x @ w
    x[0] = 0.0
    return p + b, x


def row_that_is_repeated(x, w, b):
    return x[: min(1, len(x))] @ w + x @ w


def fold_of_rows_in_front(x, w, b):
    z = x[:, :8] @ np.eye(8) + np.arange(8.0)
    return z - np.max(z, axis=1, keepdims=True)


def caught(x, w, b):
    try:
        return np.maximum(w @ x, 0.0)
    except ValueError as error:
        return str(error)


PROGRAMS = (
    layer,
    distances,
    two_products,
    in_single_precision,
    turned,
    in_a_loop,
    second_factor_in_the_nest,
    first_factor_in_the_nest,
    read_twice,
    factor_written_behind,
    row_that_is_repeated,
    fold_of_rows_in_front,
    caught,
)


@pytest.fixture
def far_away(monkeypatch):
    """Results of any size are said to leave the caches, calls of any size go to the form that threads share."""
    monkeypatch.setattr(shared, "FAR_BYTES", 1)
    monkeypatch.setattr(sharing_form, "WORTH_SHARING", 1)


def arguments():
    rng = np.random.default_rng(0)
    return rng.standard_normal((ROWS, TERMS)), rng.standard_normal((TERMS, COLUMNS)), rng.standard_normal(COLUMNS)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("function", PROGRAMS)
def test_results_are_those_of_numpy(function, threads, far_away):
    compiled = ag.compile(function, fallback="error")
    with ag.config(threads=threads):
        found = compiled(*arguments())
    expected = function(*arguments())
    for mine, wanted in zip(*((each if isinstance(each, tuple) else (each,)) for each in (found, expected)), strict=True):
        if isinstance(wanted, str):
            assert mine == wanted
        else:
            single = function is in_single_precision
            np.testing.assert_allclose(mine, wanted, rtol=1e-4 if single else 1e-11, atol=1e-4 if single else 1e-11)


@pytest.mark.parametrize("function", [layer, distances, two_products])
def test_blocks_change_no_bit(function, far_away, monkeypatch):
    in_blocks = ag.compile(function, fallback="error")(*arguments())
    monkeypatch.setattr(shared, "FAR_BYTES", 1 << 60)
    np.testing.assert_array_equal(in_blocks, ag.compile(function, fallback="error")(*arguments()))


def test_rows_that_are_wide_go_in_smaller_blocks(far_away):
    rng = np.random.default_rng(1)
    for columns in (4100, 40_000):
        x, w, b = rng.standard_normal((130, 8)), rng.standard_normal((8, columns)), rng.standard_normal(columns)
        np.testing.assert_allclose(ag.compile(layer, fallback="error")(x, w, b), layer(x, w, b), rtol=1e-11, atol=1e-11)


def test_no_memory_for_a_block_is_a_memory_error(far_away, monkeypatch):
    monkeypatch.setattr(shared, "ROWS", 1 << 44)
    compiled = ag.compile(layer, fallback="error")
    with pytest.raises(MemoryError, match="cannot allocate"):
        compiled(*arguments())
    x, w, b = arguments()
    np.testing.assert_allclose(compiled(x[:10], w, b), layer(x[:10], w, b), rtol=1e-11, atol=1e-11)


def found_in(m, *results):
    graph = m.done(*results)
    facts = find_facts(graph, ("C",) * len(graph.block.args), True)
    return [consumer.name for consumer in find_epilogues(graph, facts, find_fusions(graph, facts), set()).values()]


def test_the_nest_that_alone_reads_a_product_computes_it():
    m = Maker()
    x, w, b = m.param(array(N, M)), m.param(array(M, N)), m.param(array(N))
    assert found_in(m, m.op("tanh", m.op("add", m.op("matmul", x, w), b))) == ["tanh"]


@pytest.mark.parametrize("reason", ["read twice", "yielded", "factor written", "vector", "integers"])
def test_other_products_are_computed_where_they_stand(reason):
    m = Maker()
    dtype = "i8" if reason == "integers" else "f8"
    x, w = m.param(array(N, M, dtype=dtype)), m.param(array(M, dtype=dtype) if reason == "vector" else array(M, N, dtype=dtype))
    product = m.op("matmul", x, w)
    if reason == "factor written":
        m.do("assign", x, m.op("negative", x))
    results = [m.op("negative", product)]
    if reason == "read twice":
        results.append(m.op("reduce", product, op="sum", axes=(0,), keepdims=False))
    if reason == "yielded":
        results.append(product)
    assert found_in(m, *results) == []
