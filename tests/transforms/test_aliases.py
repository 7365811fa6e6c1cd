"""Tests of transforms/aliases.py: where memory comes from, through views, loops, branches, handlers and Python."""

import pytest

import autograph_jit.ops  # noqa: F401
from autograph_jit.ir.parser import parse_graph
from autograph_jit.ops.registry import get
from autograph_jit.transforms.aliases import OUTSIDE, Aliases

HEADER = "graph g(%x: f64[s0], %y: f64[s0], %p: b1, %n: i64, %a: f64) {\n"


def analyse(body, distinct=False):
    """The analysis and the values by name."""
    graph = parse_graph(f"{HEADER}{body}\nyield\n}}", get, {"f": print})
    values = {value.hint: value for value in graph.block.args}
    for operation in graph.walk():
        values.update({value.hint: value for value in operation.results})
        for region in operation.regions:
            values.update({value.hint: value for value in region.args})
    return Aliases(graph, distinct), values


def test_parameters_alias_unless_they_are_distinct():
    aliases, values = analyse("")
    assert aliases.may_alias(values["x"], values["y"])
    aliases, values = analyse("", distinct=True)
    assert not aliases.may_alias(values["x"], values["y"]) and aliases.may_alias(values["x"], values["x"])


def test_fresh_memory_aliases_nothing_else():
    aliases, values = analyse("%t: f64[s0] = copy(%x)\n%u: f64[s0] = add(%t, %t)")
    assert not aliases.may_alias(values["t"], values["x"]) and not aliases.may_alias(values["t"], values["u"])


@pytest.mark.parametrize(
    "view", ["%v: f64[s0] = transpose(%t) {perm = (0,)}", "%v: f64[s0] = reshape(%t, %n) {dims = (<s0>,)}"], ids=["transpose", "reshape"]
)
def test_view_has_the_roots_of_its_operand(view):
    aliases, values = analyse(f"%t: f64[s0] = copy(%x)\n{view}")
    assert aliases.roots(values["v"]) == {values["t"]} and not aliases.may_alias(values["v"], values["x"])


def test_branch_gives_the_roots_of_both():
    aliases, values = analyse(
        "%t: f64[s0] = copy(%x)\n%r: f64[s0] = cond(%p) {results = (f64[s0],)} do () {\nyield %t\n} do () {\nyield %x\n}", True
    )
    assert aliases.roots(values["r"]) == {values["t"], values["x"]} and not aliases.may_alias(values["r"], values["y"])


def test_loop_state_has_the_roots_that_enter_and_that_are_yielded():
    body = """%t: f64[s0] = copy(%x)
%r: f64[s0] = for_loop(%n, %n, %n, %t) do (%i: i64, %s: f64[s0]) {
    %u: f64[s0] = add(%s, %s)
    yield %u
}"""
    aliases, values = analyse(body)
    assert aliases.roots(values["s"]) == aliases.roots(values["r"]) == {values["t"], values["u"]}


def test_while_state_flows_from_test_to_body():
    body = """%t: f64[s0] = copy(%x)
%r: f64[s0] = while_loop(%t) do (%q: f64[s0]) {
    yield %p, %y
} do (%s: f64[s0]) {
    yield %x
}"""
    aliases, values = analyse(body, distinct=True)
    assert aliases.roots(values["q"]) == {values["t"], values["x"]}
    assert aliases.roots(values["s"]) == aliases.roots(values["r"]) == {values["y"]}


def test_handler_takes_the_roots_of_unwind_values():
    body = """%t: f64[s0] = copy(%x)
try_() do () {
    %e: f64 = load(%x, %n) unwind(%t)
    yield
} do (%o: object, %s: f64[s0]) {
    yield
}"""
    aliases, values = analyse(body)
    assert aliases.roots(values["s"]) == {values["t"]}


def test_memory_that_python_saw_aliases_what_python_returns():
    body = """%t: f64[s0] = copy(%x)
%k: f64[s0] = copy(%x)
host_call(%t) {fn = $f, label = "f", results = ()}
%h: f64[s0] = host_call() {fn = $f, label = "f", results = (f64[s0],)}"""
    aliases, values = analyse(body, distinct=True)
    assert aliases.roots(values["h"]) == {OUTSIDE}
    assert aliases.may_alias(values["h"], values["t"]) and aliases.may_alias(values["h"], values["x"])
    assert not aliases.may_alias(values["h"], values["k"])


def test_region_writes_what_its_operations_write():
    body = """%t: f64[s0] = copy(%x)
%k: f64[s0] = copy(%x)
for_loop(%n, %n, %n) do (%i: i64) {
    store(%t, %a, %i)
    %e: f64 = load(%k, %i)
    yield
}
%f: f64 = load(%t, %n)
%g: f64 = load(%k, %n)"""
    aliases, values = analyse(body)
    loop = next(each for each in values["t"].owner.block.operations if each.name == "for_loop")
    assert aliases.writes(loop) == {values["t"]} and aliases.reads(loop) == {values["t"], values["k"]}
    assert aliases.reads(values["f"].owner) == {values["t"]} and aliases.reads(values["g"].owner) == {values["k"]}


def test_sizes_are_no_reads():
    aliases, values = analyse("%m: i64 = dim(%x) {axis = 0}\nassign(%x, %a)")
    assert aliases.reads(values["m"].owner) == frozenset()


@pytest.mark.parametrize(
    ("use", "constant"),
    [
        ('%s: f64 = reduce(%t) {op = "sum", axes = (0,), keepdims = False}', True),
        ("assign(%t, %a)", False),
        ("%v: f64[s0] = transpose(%t) {perm = (0,)}\nassign(%v, %a)", False),
        ("%q: b1 = is_same(%t, %x)", False),
        ('host_call(%t) {fn = $f, label = "f", results = ()}', False),
    ],
)
def test_memory_is_constant_unless_written_compared_or_seen_by_python(use, constant):
    aliases, values = analyse(f"%t: f64[s0] = copy(%x)\n{use}")
    assert aliases.is_constant_memory(values["t"]) == constant
