"""Names that code reads, binds and captures, against Python's own symbol table."""

from __future__ import annotations

import ast
import symtable

import gast
import pytest

from autograph_jit.syntax.scopes import function_uses, has_walrus, is_suspending, uses_of

SOURCES = [
    "def f(a, *b, c=1, **d):\n    x = a\n    y += z\n    return g(x)",
    "def f(n):\n    def g():\n        nonlocal n\n        n += m\n    class C:\n        k = n\n    return g",
    "def f(x):\n    global G\n    G = x\n    import os.path as p, sys\n    from a import b as c\n    del x",
    "def f(x):\n    try:\n        pass\n    except E as e:\n        pass\n    with x as (y, *z):\n        pass",
    "def f(x):\n    for q in x:\n        pass\n    else:\n        r = q",
    "def f(s):\n    match s:\n        case {'a': a, **rest}:\n            pass\n        case [b, *c] | C(b, c):\n            pass",
    "def f(x):\n    return lambda y, z=x: y + w",
]


def function(source: str):
    return gast.ast_to_gast(ast.parse(source)).body[0]


@pytest.mark.parametrize("source", SOURCES)
def test_locals_and_free_names_are_those_of_symtable(source):
    table = next(child for child in symtable.symtable(source, "<text>", "exec").get_children() if isinstance(child, symtable.Function))
    uses = function_uses(function(source))
    assert uses.bound == set(table.get_locals())
    referenced = {s.get_name() for s in table.get_symbols() if s.is_global() and not s.is_declared_global()}
    assert referenced <= uses.free


def test_comprehension_targets_stay_inside_and_walrus_names_come_out():
    uses = uses_of(gast.ast_to_gast(ast.parse("[(w := x + y) for x in xs if (v := x)]")).body)
    assert uses.writes == {"w", "v"}
    assert uses.reads == {"xs", "y"}


def test_nested_function_captures_and_rebinds():
    uses = function_uses(function(SOURCES[1]))
    assert {"n", "m"} <= uses.captured
    assert uses.rebound == {"n"}


def test_class_names_hide_nothing_from_methods():
    source = "def f():\n    x = 1\n    class C:\n        x = 2\n        def m(self):\n            return x"
    assert "x" in function_uses(function(source)).captured


@pytest.mark.parametrize(("source", "expected"), [("yield 1", True), ("return (lambda: (yield))", False), ("return [i for i in x]", False)])
def test_generators_are_recognised(source, expected):
    assert is_suspending(function(f"def f(x):\n    {source}")) is expected


def test_walrus_in_a_lambda_binds_nothing_outside():
    assert has_walrus(ast_expression("(x := 1) + 2"))
    assert not has_walrus(ast_expression("lambda: (x := 1)"))


def ast_expression(text: str):
    return gast.ast_to_gast(ast.parse(text, mode="eval")).body
