"""An array of zeros to which a whole array is added first starts as that array, also through other forms of all of its elements."""

from __future__ import annotations

import numpy as np

import autograph_jit as ag
from autograph_jit.autodiff.sweeps.first_use import start_with_first_sum
from autograph_jit.ir.parser import parse_graph
from autograph_jit.ir.verifier import verify
from autograph_jit.ops import registry
from autograph_jit.ops.evaluate import evaluate

ZEROS = """
graph sums(%c: f64[{dims}]) {{
    %zero: f64 = constant() {{value = f64(0.0)}}
    %two: i64 = constant() {{value = i64(2)}}
    %three: i64 = constant() {{value = i64(3)}}
    %four: i64 = constant() {{value = i64(4)}}
    %six: i64 = constant() {{value = i64(6)}}
    %given: f64[{dims}] = {given}(%c)
    %z: f64[2, 3, 4] = full(%zero, %two, %three, %four) {{dims = (2, 3, 4)}}
{views}
    %t: f64[{dims}] = add(%v, %given)
    assign(%v, %t)
    yield %z
}}
"""
RESHAPED = "    %v: f64[6, 4] = reshape(%z, %six, %four) {dims = (6, 4)}"
TURNED = "    %v: f64[4, 2, 3] = transpose(%z) {perm = (2, 0, 1)}"
BOTH = """    %r: f64[6, 4] = reshape(%z, %six, %four) {dims = (6, 4)}
    %v: f64[4, 6] = transpose(%r) {perm = (1, 0)}"""
TURNED_FIRST = """    %r: f64[4, 2, 3] = transpose(%z) {perm = (2, 0, 1)}
    %v: f64[4, 6] = reshape(%r, %four, %six) {dims = (4, 6)}"""


def test_zeros_start_as_the_first_sum_through_reshapes_and_transposes() -> None:
    for views, shape, undo in [
        (RESHAPED, (6, 4), lambda c: c.reshape(2, 3, 4)),
        (TURNED, (4, 2, 3), lambda c: c.transpose(1, 2, 0)),
        (BOTH, (4, 6), lambda c: c.T.reshape(2, 3, 4)),
    ]:
        for given in ("negative", "copy"):
            text = ZEROS.format(dims=", ".join(map(str, shape)), views=views, given=given)
            graph = parse_graph(text, registry.get)
            start_with_first_sum(graph.block)
            verify(graph)
            names = [operation.name for operation in graph.walk()]
            assert "full" not in names and "assign" not in names
            c = np.arange(24.0).reshape(shape)
            (found,) = evaluate(graph, [c])
            assert np.array_equal(found, undo(-c if given == "negative" else c)) and found.shape == (2, 3, 4)


def test_a_reshape_of_turned_zeros_may_be_a_copy_and_is_left() -> None:
    graph = parse_graph(ZEROS.format(dims="4, 6", views=TURNED_FIRST, given="negative"), registry.get)
    start_with_first_sum(graph.block)
    assert "full" in [operation.name for operation in graph.walk()]


def test_gradients_through_heads_are_those_of_central_differences() -> None:
    def mixed(x, w):
        heads = np.swapaxes(np.reshape(x @ w, (x.shape[0], 2, 3)), 0, 1)
        return np.sum(np.tanh(heads @ np.swapaxes(heads, -1, -2)))

    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((4, 5)), rng.standard_normal((5, 6))
    found = ag.grad(mixed)(x, w)
    step = 1e-6
    for i, j in np.ndindex(*x.shape):
        bump = np.zeros_like(x)
        bump[i, j] = step
        assert np.isclose(found[i, j], (mixed(x + bump, w) - mixed(x - bump, w)) / (2 * step), rtol=1e-5, atol=1e-7)
