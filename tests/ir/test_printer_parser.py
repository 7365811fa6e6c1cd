"""Tests of ir/printer.py and ir/parser.py: what is printed reads back as the same graph."""

import numpy as np
import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.errors import GraphError
from autograph_jit.ir.builder import append
from autograph_jit.ir.dims import atom
from autograph_jit.ir.graph import Graph
from autograph_jit.ir.opdef import ErrorSpec
from autograph_jit.ir.parser import parse_graph
from autograph_jit.ir.printer import print_graph, symbols
from autograph_jit.ir.types import F64, OBJECT, ArrayType, ListType
from autograph_jit.ir.verifier import verify
from autograph_jit.ops.evaluate import evaluate
from autograph_jit.ops.registry import get
from autograph_jit.source import SourceSpan
from tests.random_graphs import random_arguments, random_graph

HALVE = """\
graph halve(%x: f64[s0], %n: i64) {
    %half: f64 = constant() {value = f64(0.5)}
    %y: f64[s0] = multiply(%x, %half) @model.py:12
    %one: i64 = constant() {value = i64(1)}
    %k: i64 = while_loop(%n) do (%i: i64) {
        %go: b1 = greater(%i, %one)
        yield %go, %i
    } do (%j: i64) {
        %next: i64 = right_shift(%j, %one)
        yield %next
    }
    yield %y, %k
}
"""


def test_text_reads_back_and_prints_the_same():
    graph = parse_graph(HALVE, get)
    verify(graph)
    assert print_graph(graph) == HALVE
    y, k = evaluate(graph, [np.array([2.0, 4.0]), np.int64(9)])
    assert y.tolist() == [1, 2] and k == 1


def test_spans_are_optional():
    assert "@" not in print_graph(parse_graph(HALVE, get), spans=False)


@pytest.mark.parametrize("seed", range(40))
def test_random_graphs_round_trip(seed):
    graph = random_graph(seed)
    text = print_graph(graph)
    again = parse_graph(text, get, symbols(graph))
    assert print_graph(again) == text
    verify(again)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        -4,
        2.5,
        float("inf"),
        'a "quoted" text',
        (),
        (1,),
        (("slice", True, False, False), ("newaxis",)),
        [1, 2],
        np.float64(0.1),
        np.float32(0.1),
        np.int8(-3),
        np.uint64(2**64 - 1),
        np.bool_(True),
        np.complex64(1 - 2j),
        np.complex128(complex(-0.0, 1)),
        np.dtype(np.float32),
        np.dtype(bool),
        F64,
        OBJECT,
        ArrayType(np.dtype(float), (atom("s0") * 2 - 3, 4)),
        ListType(F64),
        atom("s0"),
        2 * atom("d:max0(s1-3)") - atom("s0") + 5,
        atom("s0") * atom("s1"),
        ErrorSpec(IndexError, "index {} is bad"),
    ],
    ids=str,
)
def test_attribute_round_trips(value):
    graph = Graph("g")
    graph.block.yields = [append(graph.block, get("host_call"), [], {"fn": print, "label": "f", "results": (F64,), "extra": value}).result]
    again = parse_graph(print_graph(graph), get, symbols(graph)).block.operations[0].attributes
    assert again["extra"] == value and type(again["extra"]) is type(value)
    assert again["fn"] is print


@pytest.mark.parametrize(
    "value", [np.arange(6).reshape(2, 3), np.zeros((0, 3)), np.array([True, False]), np.array(1 + 2j), np.array([np.nan, -np.inf])], ids=str
)
def test_array_constant_round_trips(value):
    graph = Graph("g")
    graph.block.yields = [append(graph.block, get("array_constant"), [], {"value": value}).result]
    (result,) = evaluate(parse_graph(print_graph(graph), get), [])
    np.testing.assert_array_equal(result, value)
    assert result.dtype == value.dtype and result.shape == value.shape


def test_functions_of_one_label_stay_apart():
    graph = Graph("g")
    for fn in (min, max, min):
        append(graph.block, get("host_call"), [], {"fn": fn, "label": "pick", "results": ()})
    again = parse_graph(print_graph(graph), get, symbols(graph))
    assert [operation.attributes["fn"] for operation in again.block.operations] == [min, max, min]


def test_unwind_and_terminated_blocks_round_trip():
    text = """\
graph g(%x: f64, %ok: b1) {
    %r: f64 = try_() {results = (f64,)} do () {
        check(%ok) {error = error(ValueError, "no")} unwind(%x) @"odd name.py":3
        yield %x
    } do (%e: object, %then: f64) {
        raise_(%e)
    }
    yield %r
}
"""
    graph = parse_graph(text, get)
    verify(graph)
    assert print_graph(graph) == text
    assert graph.block.operations[0].regions[0].operations[0].span == SourceSpan("odd name.py", 3)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("multiply(%x", "multiply(%nowhere", "a defined value"),
        ("multiply", "multiplied", "no operation is named"),
        ("f64(0.5)", "$half", "a known symbol"),
        ("%x: f64[s0]", "%x: f65", "a dtype"),
        ("yield %y, %k\n}", "yield %y, %k\n", "expected '}'"),
        ("{value = f64(0.5)}", "{value f64(0.5)}", "expected '='"),
    ],
)
def test_faulty_text_is_refused(old, new, message):
    assert old in HALVE
    with pytest.raises(GraphError, match=message):
        parse_graph(HALVE.replace(old, new), get)


def test_random_arguments_overlap_for_every_third_seed():
    _, (x, y, *_rest) = random_arguments(3)
    assert np.shares_memory(x, y)


def test_references_to_texts_and_bytes_round_trip():
    text = """\
graph g(%x: list[text], %y: list[bytes], %i: i64) {
    %a: text = list_get(%x, %i)
    %b: bytes = list_get(%y, %i)
    %c: u32[d] = text_letters(%b) {dims = (<d>,), borrowed = True}
    yield %a, %c
}
"""
    graph = parse_graph(text, get)
    verify(graph)
    assert print_graph(graph) == text
