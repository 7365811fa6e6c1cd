"""Fresh names, templates, places and the loader."""

from __future__ import annotations

import ast

import gast

from autograph_jit.syntax.loader import bind, compile_function
from autograph_jit.syntax.names import Namer, identifiers
from autograph_jit.syntax.origin import locate
from autograph_jit.syntax.templates import any_of, assign, const, load, op


def text(node) -> str:
    return ast.unparse(gast.gast_to_ast(node))


def test_fresh_names_avoid_what_is_taken():
    namer = Namer({"x", "x_1"})
    assert [namer.fresh("x"), namer.fresh("x"), namer.fresh("y"), namer.fresh("ag__")] == ["x_2", "x_3", "y", "ag___1"]


def test_identifiers_of_every_kind():
    head = "def f(a):\n    import b.c as d, e.f\n    global g\n    class h: pass\n"
    source = head + "    try: pass\n    except E as i: pass\n    return lambda j: k"
    assert {"f", "a", "d", "e", "g", "h", "i", "j", "k", "E"} <= identifiers(gast.ast_to_gast(ast.parse(source)))


def test_any_of_one_and_of_several():
    assert [text(any_of(n)) for n in (["a"], ["a", "b"])] == ["a", "a or b"]


def test_generated_nodes_take_the_place_of_their_origin():
    origin = gast.ast_to_gast(ast.parse("\n\nx = 1")).body[0]
    new = assign("y", op("ld", load("x"), const("x")))
    locate(new, origin)
    assert {n.lineno for n in gast.walk(new) if isinstance(n, (gast.expr, gast.stmt))} == {3}


def test_inner_functions_are_named_as_if_helpers_were_not_there():
    def original():
        return None

    source = "def temporary():\n    def if_body():\n        def g(): return 1\n        return g\n    ag__\n    return if_body()"
    node = ast.parse(source).body[0]
    new = bind(compile_function(node, original.__code__, {"if_body"}), original, None)
    assert new().__qualname__ == original.__qualname__ + ".<locals>.g"
    assert new.__code__.co_name == "original"
