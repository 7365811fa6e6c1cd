"""Linear recurrences and products that respect zeros on the CPU against the eager rules."""

import numpy as np
import pytest

from autograph_jit.ir.dims import atom
from tests.backends.building import M, Maker, N, array, check, compare
from tests.backends.test_cpu_arrays import values_of

K, L = atom("s7"), atom("s8")


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
@pytest.mark.parametrize("axis", [0, 1])
def test_linear_recurrence(axis, dtype):
    m = Maker()
    graph = m.done(m.op("linear_recurrence", m.param(array(N, M, dtype=dtype)), m.param(array(N, M, dtype=dtype)), axis=axis))
    factors, terms = values_of(dtype, 12, 4).reshape(3, 4), values_of(dtype, 12, 5).reshape(3, 4)
    executable = compare(graph, factors, terms)
    check(executable, graph, factors[::-1, ::2], terms[:, ::2])
    check(executable, graph, factors[:0], terms[:0])
    assert executable.host_calls == ()


def test_linear_recurrence_of_other_sizes_fails():
    m = Maker()
    graph = m.done(m.op("linear_recurrence", m.param(array(N, M)), m.param(array(K, L)), axis=0))
    executable = compare(graph, np.ones((2, 3)), np.ones((2, 3)))
    check(executable, graph, np.ones((2, 3)), np.ones((2, 4)))


def test_chain_product_of_zero_is_zero():
    m = Maker()
    graph = m.done(m.op("chain_product", m.param(array(N)), m.param(array(N))))
    executable = compare(graph, np.array([0.0, -0.0, 2.0, 0.0]), np.array([np.inf, np.nan, np.inf, 3.0]))
    assert executable.host_calls == ()
