"""Gathers and rotations that nests read where the array lies: which are found, what stands between, what the kernels say."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.driver import compile_graph
from autograph_jit.ir.dims import atom
from autograph_jit.ir.rotations import rotation_of
from autograph_jit.kernels.elsewhere import find_waiting
from autograph_jit.kernels.facts import find_facts
from autograph_jit.kernels.fusion import find_fusions
from tests.backends.building import M, Maker, N, array

INDEX = array(N, dtype="i8")


def fusions_of(graph):
    facts = find_facts(graph, ("C",) * len(graph.block.args), True)
    return find_fusions(graph, facts, repeats=False, elsewhere=True)


def gathered(m, x, index):
    return m.op("gather", x, index, items=(("array",),), dims=(N,))


def rotated(m, x, cut, axis=0):
    parts = []
    for number, bounds in enumerate(((True, False, False), (False, True, False))):
        items = tuple(("slice", *bounds) if k == axis else ("full",) for k in range(len(x.type.dims)))
        size = atom(f"d{number}_{len(m.block.operations)}")
        parts.append(m.op("basic_index", x, cut, items=items, dims=tuple(size if k == axis else dim for k, dim in enumerate(x.type.dims))))
    return m.op("concat", *parts, axis=axis, dims=x.type.dims)


def test_gathers_run_in_the_nest_that_reads_them():
    m = Maker()
    x, i, j = m.param(array(M)), m.param(INDEX), m.param(INDEX)
    first, second = gathered(m, x, i), gathered(m, x, j)
    graph = m.done(m.op("subtract", first, second))
    consumers = fusions_of(graph)
    assert {first.owner, second.owner} <= set(consumers)
    assert find_waiting(graph, consumers) == {first.owner, second.owner}


def test_gather_looks_at_its_indices_at_once_if_something_is_written_before_its_nest():
    m = Maker()
    x, y, i = m.param(array(M)), m.param(array(N)), m.param(INDEX)
    taken = gathered(m, x, i)
    m.do("assign", y, m.const(0.0))
    graph = m.done(m.op("sqrt", taken))
    consumers = fusions_of(graph)
    assert taken.owner in consumers and not find_waiting(graph, consumers)


def test_gather_whose_array_is_written_before_its_nest_is_made_first():
    m = Maker()
    x, i = m.param(array(M)), m.param(INDEX)
    taken = gathered(m, x, i)
    m.do("assign", x, m.const(0.0))
    assert taken.owner not in fusions_of(m.done(m.op("sqrt", taken)))


def test_gather_does_not_run_in_an_assignment_that_would_write_before_it_fails():
    m = Maker()
    x, y, i = m.param(array(M)), m.param(array(N)), m.param(INDEX)
    doubled = m.op("multiply", taken := gathered(m, x, i), m.const(2.0))
    m.do("assign", y, doubled)
    consumers = fusions_of(m.done())
    assert taken.owner in consumers and doubled.owner not in consumers


def test_gather_that_a_nest_would_read_again_for_every_row_is_made_first():
    m = Maker()
    x, i, table = m.param(array(M)), m.param(INDEX), m.param(array(M, N))
    taken = gathered(m, x, i)
    assert taken.owner not in fusions_of(m.done(m.op("add", table, taken)))


def test_cheap_indices_are_computed_in_the_nest_of_the_gather():
    m = Maker()
    x, i = m.param(array(M)), m.param(array(N, dtype="u1"))
    index = m.op("cast", i, dtype=np.dtype("i8"))
    graph = m.done(gathered(m, x, index))
    consumers = fusions_of(graph)
    assert index.owner in consumers and find_waiting(graph, consumers) == {graph.block.yields[0].owner}


def test_rotations_of_one_place_are_found_along_several_axes():
    m = Maker()
    x = m.param(array(N, M))
    once = rotated(m, x, m.integer(-1), 0)
    twice = rotated(m, once, m.integer(1), 1)
    found = rotation_of(twice.owner)
    assert found.source is x and [axis for axis, _ in found.turns] == [0, 1]
    graph = m.done(m.op("sqrt", twice))
    assert {once.owner, twice.owner} <= set(fusions_of(graph))


def test_parts_cut_at_different_places_are_no_rotation():
    m = Maker()
    x = m.param(array(N))
    behind = m.op("basic_index", x, m.integer(1), items=(("slice", True, False, False),), dims=(atom("d1"),))
    before = m.op("basic_index", x, m.integer(2), items=(("slice", False, True, False),), dims=(atom("d2"),))
    joined = m.op("concat", behind, before, axis=0, dims=(atom("d3"),))
    assert rotation_of(joined.owner) is None


def test_rotation_of_what_is_written_meanwhile_is_made_first():
    m = Maker()
    x = m.param(array(N))
    turned = rotated(m, x, m.integer(1))
    m.do("assign", x, m.const(0.0))
    assert turned.owner not in fusions_of(m.done(m.op("sqrt", turned)))


def test_kernels_say_where_they_read():
    m = Maker()
    x, i, y = m.param(array(M), "x"), m.param(INDEX, "i"), m.param(array(N), "y")
    graph = m.done(m.op("add", gathered(m, x, i), rotated(m, y, m.integer(1))))
    text = compile_graph(graph, distinct_parameters=True).kernels
    assert "out[i0] = (x[i[i0]] + y[~i0])" in text


def spring(x, i, j):
    return np.sum((x[i] - x[j]) ** 2)


def waves(u):
    return u + 0.1 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u)


def corners(u):
    return np.roll(np.roll(u, 1, 0), 1, 1) + np.roll(np.roll(u, -1, 0), -1, 1) + np.roll(u, 1, 0)


def periodic(u):
    return np.roll(u, 1) - 2.0 * u + np.roll(u, -1)


@pytest.mark.parametrize(
    "function, arguments, arrays",
    [
        (spring, (np.arange(9.0), np.arange(9), np.arange(9)), 0),
        (waves, (np.ones((9, 10)),), 1),
        (corners, (np.ones((9, 10)),), 1),
        (periodic, (np.ones(9),), 1),
    ],
)
def test_no_temporaries(function, arguments, arrays):
    compiled = ag.compile(function, fallback="error")
    compiled(*arguments)
    (line,) = [line for line in compiled.explain(*arguments).splitlines() if line.startswith("  memory")]
    assert "1 loop nest" in line and f"{arrays} allocation" in line
