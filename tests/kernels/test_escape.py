"""Small arrays that stay inside are on the stack: same results, nothing allocated."""

from __future__ import annotations

import numpy as np

from autograph_jit.kernels.escape import find_local
from tests.backends.building import I8, Maker, N, array, check, compare


def test_small_temporaries_stay_and_what_leaves_does_not():
    m = Maker()
    x, big, n = m.param(array(3)), m.param(array(N)), m.param(I8)
    stays, viewed, yielded, given = (m.op("add", x, x) for _ in range(4))
    part = m.op("basic_index", viewed, m.integer(1), items=(("slice", True, False, False),), dims=(2,))
    m.do("host_call", given, fn=lambda values: (), results=())
    graph = m.done(m.op("load", stays, n), m.op("load", part, n), yielded, m.op("add", big, big))
    assert find_local(graph) == {stays, viewed}
    executable = compare(graph, np.arange(3.0), np.arange(4.0), 1, kept=0)
    check(executable, graph, np.arange(3.0), np.arange(4.0), -4)


def test_stack_memory_is_fresh_in_every_trip():
    m = Maker()
    x, n = m.param(array(3)), m.param(I8)

    def body(i, total):
        zeros = m.op("full", m.const(0.0), m.integer(3), dims=(3,))
        m.do("store", zeros, m.op("cast", i, dtype=np.dtype("f8")), m.op("remainder", i, m.integer(3)))
        difference = m.op("subtract", zeros, x)
        copied = m.op("copy", difference)
        m.do("assign", difference, m.op("multiply", copied, copied))
        rows = m.op("reduce", difference, op="sum", axes=(0,), keepdims=True)
        return [m.op("add", total, m.op("load", rows, m.integer(0)))]

    graph = m.done(*m.count(m.integer(0), n, m.integer(1), [m.const(0.0)], body))
    executable = compare(graph, np.arange(3.0), 10)
    assert executable.llvm.count("call ptr @ag_alloc") + executable.llvm.count("call noalias ptr @ag_alloc") == 0


def test_products_and_positions_of_small_arrays_need_no_memory():
    m = Maker()
    x, a, n = m.param(array(3)), m.param(array(3, 3)), m.param(I8)

    def body(i, total):
        shifted = m.op("add", x, m.op("cast", i, dtype=np.dtype("f8")))
        turned = m.op("matmul", a, shifted)
        place = m.op("arg_reduce", turned, op="argmax", axis=None, keepdims=False)
        length = m.op("matmul", turned, shifted)
        return [m.op("add", total, m.op("multiply", length, m.op("load", turned, place)))]

    graph = m.done(*m.count(m.integer(0), n, m.integer(1), [m.const(0.0)], body))
    executable = compare(graph, np.arange(3.0), np.arange(9.0).reshape(3, 3), 4)
    assert "ag_alloc(" not in executable.llvm.replace("declare noalias ptr @ag_alloc(", "")


def test_what_numpy_works_on_is_allocated():
    m = Maker()
    x, y, z = m.param(array(3)), m.param(array(N)), m.param(array(3, dtype="c16"))
    unsure, searched = m.op("add", x, x), m.op("add", z, z)
    graph = m.done(m.op("matmul", unsure, y), m.op("arg_reduce", searched, op="argmin", axis=None, keepdims=False))
    assert not find_local(graph)
    compare(graph, np.arange(3.0), np.arange(3.0), np.arange(3.0) * 1j)
    compare(graph, np.arange(3.0), np.arange(4.0), np.arange(3.0) * 1j)
