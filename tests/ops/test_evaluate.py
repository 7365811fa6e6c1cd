"""Tests of ops/evaluate.py: graphs built by hand, run by the eager rules."""

import numpy as np
import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.errors import GraphError
from autograph_jit.ir.builder import append
from autograph_jit.ir.dims import atom
from autograph_jit.ir.graph import Block, Graph
from autograph_jit.ir.opdef import ErrorSpec
from autograph_jit.ir.parser import parse_graph
from autograph_jit.ir.types import BOOL, F64, I64, OBJECT, ArrayType
from autograph_jit.ops.evaluate import evaluate
from autograph_jit.ops.registry import get
from autograph_jit.source import SourceSpan

N = atom("s0")
VECTOR = ArrayType(np.dtype(float), (N,))


def op(block, name, *operands, regions=(), span=None, **attributes):
    operation = append(block, get(name), list(operands), attributes, list(regions), span)
    return operation.results[0] if len(operation.results) == 1 else operation


def int_constant(block, number):
    return op(block, "constant", value=np.int64(number))


def test_for_loop_writes_its_argument_in_program_order():
    graph = Graph("square_in_place")
    x = graph.block.add_argument(VECTOR, "x")
    zero, one = int_constant(graph.block, 0), int_constant(graph.block, 1)
    n = op(graph.block, "dim", x, axis=0)
    body = Block()
    i, total = body.add_argument(I64, "i"), body.add_argument(F64, "total")
    value = op(body, "load", x, i)
    op(body, "store", x, op(body, "multiply", value, value), i)
    body.yields = [op(body, "add", total, value)]
    start = op(graph.block, "constant", value=np.float64(0))
    graph.block.yields = [op(graph.block, "for_loop", zero, n, one, start, regions=[body])]
    x_in = np.arange(4.0)
    assert evaluate(graph, [x_in]) == (6.0,)
    assert x_in.tolist() == [0, 1, 4, 9]


def test_for_loop_with_break_stops_after_the_trip_that_says_so():
    graph = Graph("count")
    limit = graph.block.add_argument(I64)
    zero, ten, one = (int_constant(graph.block, number) for number in (0, 10, 1))
    body = Block()
    i, count = body.add_argument(I64), body.add_argument(I64)
    body.yields = [op(body, "less", i, limit), op(body, "add", count, one)]
    graph.block.yields = [op(graph.block, "for_loop", zero, ten, one, zero, regions=[body], has_break=True)]
    assert evaluate(graph, [np.int64(3)]) == (4,)


def test_while_loop_yields_the_state_of_its_last_test():
    graph = Graph("halve")
    x = graph.block.add_argument(I64)
    one, two = int_constant(graph.block, 1), int_constant(graph.block, 2)
    test, body = Block(), Block()
    state = test.add_argument(I64)
    test.yields = [op(test, "greater", state, one), state]
    inner = body.add_argument(I64)
    body.yields = [op(body, "floor_divide", inner, two)]
    graph.block.yields = [op(graph.block, "while_loop", x, regions=[test, body])]
    assert evaluate(graph, [np.int64(37)]) == (1,)


def guarded_division():
    """`try: check(y != 0); r = x / y; except: r = state`, the state being the unwind value x."""
    graph = Graph("guarded")
    x, y = graph.block.add_argument(F64), graph.block.add_argument(F64)
    body, handler = Block(), Block()
    zero = op(body, "constant", value=np.float64(0))
    check = append(body, get("check"), [op(body, "not_equal", y, zero)], {"error": ErrorSpec(ZeroDivisionError, "division by zero")})
    check.unwind = [x]
    body.yields = [op(body, "divide", x, y)]
    handler.add_argument(OBJECT, "error")
    handler.yields = [handler.add_argument(F64, "x_then")]
    graph.block.yields = [op(graph.block, "try_", regions=[body, handler], results=(F64,))]
    return graph


@pytest.mark.parametrize(("y", "expected"), [(2.0, 3.0), (0.0, 6.0)])
def test_handler_takes_the_unwind_values_of_what_failed(y, expected):
    assert evaluate(guarded_division(), [np.float64(6), np.float64(y)]) == (expected,)


def test_exception_carries_the_span_of_the_operation():
    graph = Graph("out_of_bounds")
    x = graph.block.add_argument(VECTOR)
    span = SourceSpan("model.py", 12)
    graph.block.yields = [op(graph.block, "load", x, int_constant(graph.block, 7), span=span)]
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3") as caught:
        evaluate(graph, [np.zeros(3)])
    assert caught.value.__autograph_span__ == span


def test_raise_ends_a_branch():
    graph = Graph("refuse")
    flag = graph.block.add_argument(BOOL)
    then, other = Block(), Block()
    op(then, "raise_", error=ErrorSpec(ValueError, "no"))
    then.terminated = True
    other.yields = [int_constant(other, 5)]
    graph.block.yields = [op(graph.block, "cond", flag, regions=[then, other], results=(I64,))]
    assert evaluate(graph, [np.bool_(False)]) == (5,)
    with pytest.raises(ValueError, match="no"):
        evaluate(graph, [np.bool_(True)])


def test_host_call_gets_the_memory_itself():
    graph = Graph("host")
    x = graph.block.add_argument(VECTOR)

    def fill(array):
        array[0] = 9.0
        return (array.sum(),)

    graph.block.yields = [op(graph.block, "host_call", x, fn=fill, label="fill", results=(F64,))]
    x_in = np.ones(2)
    assert evaluate(graph, [x_in]) == (10.0,)
    assert x_in[0] == 9.0


def test_array_of_an_empty_list_has_the_dtype_of_its_elements():
    graph = Graph("empty_list")
    items = op(graph.block, "list_new", elem=I64)
    graph.block.yields = [op(graph.block, "list_to_array", items, dims=(atom("d0"),))]
    (result,) = evaluate(graph, [])
    assert result.dtype == np.int64 and result.shape == (0,)


def doubling(claimed):
    """A loop that doubles a vector; the type of its result is claimed to be of this size."""
    text = f"""graph g(%x: f64[s0], %n: i64, %z: i64, %one: i64) {{
    %r: f64[{claimed}] = for_loop(%z, %n, %one, %x) {{results = (f64[{claimed}],)}} do (%i: i64, %v: f64[d1]) {{
        %w: f64[2*d1] = concat(%v, %v) {{axis = 0, dims = (<2*d1>,)}}
        yield %w
    }}
    %same: f64[s0] = copy(%x)
    yield %r, %same
}}
"""
    return parse_graph(text, get)


@pytest.mark.parametrize("trips", [0, 1, 3])
def test_sizes_of_a_loop_state_may_differ_from_trip_to_trip(trips):
    graph, x = doubling("d1"), np.arange(3.0)
    result, _ = evaluate(graph, [x, np.int64(trips), np.int64(0), np.int64(1)], check_sizes=True)
    assert result.shape == (3 * 2**trips,)


def test_wrong_claim_about_a_size_is_found():
    arguments = [np.arange(3.0), np.int64(1), np.int64(0), np.int64(1)]
    assert len(evaluate(doubling("s0"), arguments)) == 2
    with pytest.raises(GraphError, match=r"shape \[6\] has the type f64\[s0\], where \{'s0': 3\}"):
        evaluate(doubling("s0"), arguments, check_sizes=True)


def test_generalised_size_is_at_least_two():
    with pytest.raises(GraphError, match="has the type"):
        evaluate(doubling("d1"), [np.arange(1.0), np.int64(1), np.int64(0), np.int64(1)], check_sizes=True)
