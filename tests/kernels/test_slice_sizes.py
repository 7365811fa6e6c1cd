"""Slices whose size is proved have it in their type; others keep the label."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag
from autograph_jit.ir.dims import atom
from autograph_jit.kernels.ranges import find_ranges
from autograph_jit.kernels.slice_sizes import settle_slice_sizes
from tests.backends.building import I8, Maker, N, array

LABEL = atom("d:slice(2*v:i,2*v:i+2,1,s0)")
SLICE = (("slice", True, True, False),)


def taken(stop_of: str, conditional: bool = False) -> tuple[object, object]:
    """The size of x[2 * i : 2 * i + 2] for i below `stop_of`, and the size of what is computed from it."""
    m = Maker()
    x, k = m.param(array(N)), m.param(I8)
    n, two = m.op("dim", x, axis=0), m.integer(2)
    stop = {"half": lambda: m.op("floor_divide", n, two), "all": lambda: n, "unknown": lambda: k}[stop_of]()
    found = []

    def body(i):
        first = m.op("multiply", i, two)
        last = m.op("add", first, two)

        def take():
            window = m.op("basic_index", x, first, last, items=SLICE, dims=(LABEL,))
            found.extend([window, m.op("sqrt", window)])
            return []

        if conditional:
            m.cond(m.op("less_equal", last, n), take, lambda: [])
        else:
            take()
        return []

    m.count(m.integer(0), stop, m.integer(1), [], body)
    graph = m.done()
    settle_slice_sizes(graph, find_ranges(graph))
    assert found[0].owner.attributes["dims"] == found[0].type.dims
    return tuple(value.type.dims[0] for value in found)


def test_window_inside_its_array_has_a_literal_size():
    assert taken("half") == (2, 2)


def test_window_that_may_reach_over_the_end_keeps_its_label():
    assert taken("all") == taken("unknown") == (LABEL, LABEL)


def test_what_a_branch_says_is_not_used_since_the_label_may_stand_outside():
    assert taken("all", conditional=True) == (LABEL, LABEL)


def test_what_asks_for_proved_sizes_goes():
    """The reverse of a product of a window and weights asks whether one of them was repeated."""

    def filtered(x, w):
        y = np.zeros(x.shape)
        for i in range(1, x.shape[0] - 1):
            for j in range(1, x.shape[1] - 1):
                y[i, j] = np.sum(x[i - 1 : i + 2, j - 1 : j + 2] * w)
        return np.sum(y * y)

    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((7, 8)), rng.standard_normal((3, 3))
    ag.testing.check_grads(filtered, (x, w), order=1, modes=("rev",))
    kernels = ag.compile(lambda x, w: ag.grad(filtered)(x, w), fallback="error").kernels(x, w)
    assert "slice" not in kernels and "kernel chain_product" not in kernels
