"""Sums that trips of the reverse sweep hand on may be made in any order; the program's own are made in its order."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ir.parser import parse_graph
from autograph_jit.kernels.trip_sums import find_trip_sums
from autograph_jit.ops.registry import get
from tests.interpretation import compiled_and_interpreted

ONE = ("%t: f64 = add(%s, %c) contract", "yield %t")
CHAIN = ("%t: f64 = add(%c, %s) contract", "%u: f64 = add(%t, %d) contract", "yield %u")
OF_THE_PROGRAM = ("%t: f64 = add(%s, %c)", "yield %t")
READ_BETWEEN = ("%t: f64 = add(%s, %c) contract", "store(%a, %t, %i)", "yield %t")
TWICE = ("%t: f64 = add(%s, %s) contract", "yield %t")
OTHERWISE = ("%t: f64 = multiply(%s, %c)", "%u: f64 = add(%t, %c) contract", "yield %u")


@pytest.mark.parametrize("body, count", [(ONE, 1), (CHAIN, 2), (OF_THE_PROGRAM, 0), (READ_BETWEEN, 0), (TWICE, 0), (OTHERWISE, 0)])
def test_which_sums_may_change_their_order(body, count):
    lines = "\n".join(body)
    graph = parse_graph(
        f"""graph f(%a: f64[s:n], %c: f64, %d: f64, %first: i64, %last: i64, %one: i64) {{
            %r: f64 = for_loop(%first, %last, %one, %c) {{results = (f64,), has_break = False}} do (%i: i64, %s: f64) {{
                {lines}
            }}
            yield %r
        }}""",
        get,
    )
    assert len(find_trip_sums(graph)) == count


def test_sums_beside_a_recurrence_stay_multiply_adds():
    graph = parse_graph(
        """graph f(%c: f64, %a: i64, %b: i64, %one: i64) {
            %r: f64, %q: f64 = for_loop(%a, %b, %one, %c, %c) {results = (f64, f64), has_break = False} do (%i: i64, %s: f64, %p: f64) {
                %t: f64 = add(%s, %c) contract
                %u: f64 = multiply(%p, %c)
                yield %t, %u
            }
            yield %r, %q
        }""",
        get,
    )
    assert not find_trip_sums(graph)


def residuals(x, y, a, b):
    s = 0.0
    for i in range(len(x)):
        r = y[i] - a * x[i] - b
        s += r * r * a
    return s


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [0, 1, 3, 17, 1000])
def test_gradients_are_those_of_single_operations(dtype, size):
    rng = np.random.default_rng(size)
    x, y = rng.standard_normal(size).astype(dtype), rng.standard_normal(size).astype(dtype)
    found, expected = compiled_and_interpreted(
        lambda *arguments: ag.grad(residuals, argnums=(2, 3))(*arguments), x, y, dtype(0.5), dtype(0.25)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-11 if dtype is np.float64 else 1e-3)


def test_a_zero_cotangent_adds_nothing_beside_an_infinite_factor():
    def masked(x, w):
        s = 0.0
        for i in range(len(x)):
            if x[i] < 10.0:
                s += x[i] * w
            else:
                s += 0.0 * w
        return s

    x = np.where(np.arange(40) % 7 == 0, np.inf, 1.0)
    assert ag.grad(ag.compile(masked, fallback="error"), argnums=1)(x, 2.0) == np.sum(x == 1.0)
