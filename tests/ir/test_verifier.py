"""Tests of ir/verifier.py: it accepts what the grammar allows and refuses each way of breaking it."""

import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.errors import GraphError
from autograph_jit.ir.graph import Block
from autograph_jit.ir.parser import parse_graph
from autograph_jit.ir.types import I64
from autograph_jit.ir.verifier import verify
from autograph_jit.ops.registry import get
from tests.random_graphs import random_graph


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_are_accepted(seed):
    assert verify(random_graph(seed, 20)) is None


def within(body, params="%x: f64, %y: f64[s0], %n: i64, %ok: b1"):
    return parse_graph(f"graph g({params}) {{\n{body}\n}}\n", get)


BROKEN = {
    "a result type that is not inferred": ("%z: i64 = add(%x, %x)\nyield", "results have types"),
    "operands of two dtypes": ("%z: f64 = add(%x, %n)\nyield", "cast"),
    "a missing operand": ("%z: f64 = add(%x)\nyield", "takes 2 operands"),
    "a scalar where an array belongs": ("%z: f64 = load(%x)\nyield", "takes an array"),
    "a missing attribute": ("%z: f64[s0] = full(%x, %n)\nyield", "needs the attribute dims"),
    "a cond with one region": ("cond(%ok) do () {\nyield\n}\nyield", "regions"),
    "regions on a plain operation": ("%z: f64 = add(%x, %x) do () {\nyield\n}\nyield", "regions"),
    "branches that yield too little": ("%z: f64 = cond(%ok) {results = (f64,)} do () {\nyield %x\n} do () {\nyield\n}\nyield", "yields"),
    "branches that yield another type": (
        "%z: f64 = cond(%ok) {results = (f64,)} do () {\nyield %x\n} do () {\nyield %n\n}\nyield",
        "yields",
    ),
    "a test that yields no bool": ("%z: f64 = while_loop(%x) do (%a: f64) {\nyield %n, %a\n} do (%b: f64) {\nyield %b\n}\nyield", "yields"),
    "a loop state of another type": (
        "%z: f64 = while_loop(%x) do (%a: i64) {\nyield %ok, %a\n} do (%b: i64) {\nyield %b\n}\nyield",
        "state",
    ),
    "a for body without an index": ("for_loop(%n, %n, %n) do () {\nyield\n}\nyield", "index"),
    "a for body without its break flag": ("for_loop(%n, %n, %n) {has_break = True} do (%i: i64) {\nyield\n}\nyield", "yields"),
    "operations after raise_": ('raise_() {error = error(ValueError, "no")}\n%z: f64 = add(%x, %x)\nyield', "operations follow"),
    "raise_ before yield": ('raise_() {error = error(ValueError, "no")}\nyield', "not marked as terminated"),
    "a terminated block without raise_": ("%z: f64 = add(%x, %x)", "ends in raise_"),
    "unwind outside of a handler": ("%z: f64 = load(%y, %n) unwind(%x)\nyield", "outside of a try_ body"),
    "a missing unwind value": (
        "try_() do () {\n%z: f64 = load(%y, %n)\nyield\n} do (%e: object, %s: f64) {\nyield\n}\nyield",
        "brings 0 unwind values",
    ),
    "an unwind value of another type": (
        "try_() do () {\n%z: f64 = load(%y, %n) unwind(%n)\nyield\n} do (%e: object, %s: f64) {\nyield\n}\nyield",
        "unwind",
    ),
    "a handler without the exception": ("try_() do () {\nyield\n} do (%s: f64) {\nyield\n}\nyield", "exception object first"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_graph_is_refused(name):
    text, message = BROKEN[name]
    with pytest.raises(GraphError, match=message):
        verify(within(text))


def test_value_of_an_inner_block_is_not_visible_outside():
    graph = within("cond(%ok) do () {\n%z: f64 = add(%x, %x)\nyield\n} do () {\nyield\n}\nyield %x")
    graph.block.yields = [graph.block.operations[0].regions[0].operations[0].result]
    with pytest.raises(GraphError, match="not defined before it"):
        verify(graph)


def test_value_is_not_visible_before_its_definition():
    graph = within("%z: f64 = add(%x, %x)\n%w: f64 = add(%z, %x)\nyield %w")
    graph.block.operations.reverse()
    with pytest.raises(GraphError, match="not defined before it"):
        verify(graph)


def test_operation_names_its_block():
    graph = within("%z: f64 = add(%x, %x)\nyield %z")
    graph.block.operations[0].block = Block()
    with pytest.raises(GraphError, match="does not name the block"):
        verify(graph)


def test_region_names_its_block():
    graph = within("cond(%ok) do () {\nyield\n} do () {\nyield\n}\nyield")
    graph.block.operations[0].regions[1].parent = None
    with pytest.raises(GraphError, match="does not name the block around it"):
        verify(graph)


def test_value_is_defined_once():
    graph = within("yield %x")
    argument = graph.block.args[0]
    graph.block.args.append(argument)
    with pytest.raises(GraphError, match="its owner and its place"):
        verify(graph)
    assert graph.block.args[0].type != I64


def test_message_names_the_line():
    with pytest.raises(GraphError, match=r"model.py:7: add: "):
        verify(within("%z: i64 = add(%x, %x) @model.py:7\nyield"))


def test_both_branches_may_raise():
    text = 'cond(%ok) do () {\nraise_() {error = error(ValueError, "a")}\n} do () {\nraise_() {error = error(ValueError, "b")}\n}'
    assert verify(within(text)) is None


def test_static_size_may_enter_a_state_of_open_size():
    text = """%k: f64[d1] = while_loop(%y) {results = (f64[d1],)} do (%a: f64[d1]) {
yield %ok, %a
} do (%b: f64[d1]) {
yield %b
}
yield %k"""
    assert verify(within(text)) is None
