"""Products that sums of cotangents take in: which, with which sign and where the chain rule is singular; the program's own numbers stay."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ir.copying import copy_graph
from autograph_jit.ir.graph import Graph
from autograph_jit.ir.parser import parse_graph
from autograph_jit.ir.printer import print_graph
from autograph_jit.ir.scalar import in_order
from autograph_jit.kernels.fusion import scalar_expression
from autograph_jit.ops import registry
from autograph_jit.transforms.cse import cse

TEXT = """graph sums(%x: f64, %y: f64, %z: f64) {
    %t: f64 = multiply(%x, %y)
    %n: f64 = negative(%t)
    %c: f64 = chain_product(%n, %y)
    %total: f64 = SUM
    yield %total
}
"""


def graph_of(text: str) -> Graph:
    return parse_graph(text, registry.get)


def expression_of(total: str):
    """The expression of the sum, and its operands by name."""
    graph = graph_of(TEXT.replace("SUM", total))
    (operation,) = (each for each in graph.block.operations if each.result.hint == "total")
    expression, values = scalar_expression(operation)
    return expression, [value.hint for value in values]


@pytest.mark.parametrize(
    "total, expected",
    [
        ("add(%z, %t) contract", 7.0 + 2.0 * 3.0),
        ("add(%t, %z) contract", 7.0 + 2.0 * 3.0),
        ("add(%z, %n) contract", 7.0 - 2.0 * 3.0),
        ("subtract(%z, %t) contract", 7.0 - 2.0 * 3.0),
        ("subtract(%z, %n) contract", 7.0 + 2.0 * 3.0),
        ("subtract(%t, %z) contract", 2.0 * 3.0 - 7.0),
        ("subtract(%n, %z) contract", -2.0 * 3.0 - 7.0),
        ("add(%c, %z) contract", 7.0 - 6.0 * 3.0),
        ("subtract(%z, %c) contract", 7.0 + 6.0 * 3.0),
    ],
)
def test_a_marked_sum_takes_in_a_product_with_its_sign(total, expected):
    expression, names = expression_of(total)
    assert [node.op for node in in_order(expression)].count("fma") == 1
    known = {"x": 2.0, "y": 3.0, "z": 7.0, "t": 6.0, "n": -6.0, "c": -18.0}
    assert value_of(expression, [known[name] for name in names]) == expected


def value_of(expression, numbers):
    """The number that an expression is, by Python's own arithmetic."""
    meaning = {
        "neg": lambda x: -x,
        "fma": lambda x, y, z: x * y + z,
        "eq": lambda x, y: x == y,
        "select": lambda condition, x, y: x if condition else y,
    }
    done = {}
    for node in in_order(expression):
        args = [done[id(arg)] for arg in node.args]
        leaf = numbers[node.value] if node.op == "operand" else node.value
        done[id(node)] = meaning[node.op](*args) if node.op in meaning else leaf
    return done[id(expression)]


@pytest.mark.parametrize("total", ["add(%z, %t)", "subtract(%z, %t)", "add(%z, %x) contract"])
def test_other_sums_stay(total):
    assert "fma" not in [node.op for node in in_order(expression_of(total)[0])]


def test_a_program_of_another_dtype_stays():
    graph = graph_of("graph g(%x: i64, %y: i64) {\n    %t: i64 = multiply(%x, %y)\n    %s: i64 = add(%t, %y) contract\n    yield %s\n}\n")
    assert "fma" not in [node.op for node in in_order(scalar_expression(graph.block.operations[1])[0])]


def test_the_mark_is_printed_read_and_copied():
    text = TEXT.replace("SUM", "add(%z, %t) contract")
    graph = graph_of(text)
    assert print_graph(graph) == text
    assert print_graph(copy_graph(graph)) == text


@pytest.mark.parametrize("marks", [(" contract", ""), ("", " contract"), (" contract", " contract")])
def test_merged_sums_keep_the_stricter_rounding(marks):
    first, second = marks
    sums = f"    %a: f64 = add(%x, %y){first}\n    %b: f64 = add(%x, %y){second}\n"
    graph = graph_of("graph g(%x: f64, %y: f64) {\n" + sums + "    yield %a, %b\n}\n")
    cse(graph)
    (total,) = graph.block.operations
    assert total.contract == all(marks)


def made(source: str):
    """The function of a source text, so that its own code is compiled."""
    names = {"np": np}
    name = f"<contraction {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), names)  # noqa: S102
    return names["f"]


POLYNOMIAL = "def f(x):\n    return np.sum(x * x * x - 0.1 * x * x)\n"


def test_the_value_of_a_gradient_is_rounded_as_python_rounds_it():
    function, x = made(POLYNOMIAL), np.random.default_rng(1).standard_normal(1001)
    compiled = ag.compile(function, fallback="error")
    value, gradient = ag.value_and_grad(function)(x)
    assert value == compiled(x)
    np.testing.assert_allclose(gradient, 3 * x * x - 0.2 * x, rtol=1e-14, atol=1e-15)


def heat(u):
    for _ in range(3):
        u[1:-1] += 0.1 * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u * u)


def test_nests_of_a_reverse_sweep_take_products_in():
    u = np.random.default_rng(2).standard_normal(50)
    assert "fma" in ag.compile(lambda u: ag.grad(heat)(u)).kernels(u.copy())
    assert "fma" not in ag.compile(heat).kernels(u.copy())
    ag.testing.check_grads(heat, (u,), order=2)


@pytest.mark.parametrize("function", [heat, lambda u: np.sum(np.exp(0.1 * u) * u - u * u)])
def test_threads_do_not_change_the_rounding(function):
    u = np.random.default_rng(4).standard_normal(300_000)
    with ag.config(threads=1):
        alone = ag.grad(function)(u.copy())
    with ag.config(threads=2):
        np.testing.assert_array_equal(ag.grad(function)(u.copy()), alone)


def weighted(x, w):
    for _ in range(2):
        x = x + w * x * x
    return np.sum(x)


@pytest.mark.parametrize("size", [7, 64, 999])
def test_elements_of_vectors_and_of_what_is_left_round_alike(size):
    rng, gradient = np.random.default_rng(3), ag.grad(weighted)
    x, w = rng.standard_normal(1000), 0.1 * rng.standard_normal(1000)
    gradient(x[:3], w[:3])  # the first program is for these sizes alone
    np.testing.assert_array_equal(gradient(x[:size], w[:size]), gradient(x, w)[:size])


def test_a_singular_factor_of_a_cotangent_of_zero_adds_nothing():
    def masked(x):
        total = 0.0
        for k in range(len(x)):
            y = np.sqrt(x[k]) * x[k]
            total += y if x[k] > 0 else x[k]
        return total + np.sum(np.where(x > 0, x * np.log(x), x))

    x = np.array([0.0, 1.0, 4.0, 0.0])
    np.testing.assert_allclose(ag.grad(masked)(x), np.where(x > 0, 1.5 * np.sqrt(x) + np.log(np.maximum(x, 1e-300)) + 1, 2.0), rtol=1e-12)
