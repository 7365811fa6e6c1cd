"""Comprehensions become functions with ordinary loops; generator expressions keep their lazy form beside a list-building one.

Before: `[f(v) for v in xs if v]`
After:  `def list_comp(iterable): result = ag__.new_list([]); <for v in iterable: if v: ag__.list_append(result, f(v))>; return result`
"""

from __future__ import annotations

import copy
import sys

import gast

from autograph_jit.converters.context import Context
from autograph_jit.converters.functions import call_inline, inline_function, protect
from autograph_jit.converters.generators import with_items_alone
from autograph_jit.syntax.scopes import is_suspending
from autograph_jit.syntax.templates import assign, branch, const, expression, load, native_call, op, parameters

STEMS = {gast.ListComp: "list_comp", gast.SetComp: "set_comp", gast.DictComp: "dict_comp", gast.GeneratorExp: "list_of"}
HAVE_SCOPES = sys.version_info < (3, 12)  # other comprehensions than generator expressions


def convert_comprehension(node: gast.AST, context: Context) -> gast.AST:
    """A list, set or dict comprehension."""
    iterable = context.unit.namer.fresh("iterable")
    first = with_items_alone(node.generators[0].iter)
    return call_inline(STEMS[type(node)], _loops(node, iterable, context), [(iterable, first)], context, HAVE_SCOPES)


def convert_generator(node: gast.GeneratorExp, context: Context) -> gast.AST:
    """A generator expression; its first iterable is evaluated at once, the rest when asked for."""
    first = context.expr(with_items_alone(node.generators[0].iter))
    iterable, lazy = context.unit.namer.fresh("iterable"), copy.deepcopy(node)
    lazy.generators[0].iter = load(iterable)
    maker = context.closure("generator", [iterable], [gast.Return(protect(lazy, context))])
    context.hoisted.append(maker)
    generator = load(maker.name)
    if is_suspending(gast.Lambda(parameters(()), node)) or any(g.is_async for g in node.generators):
        return native_call(generator, first)
    inner = context.unit.namer.fresh("iterable")
    eager = inline_function("list_of", _loops(node, inner, context), [inner], context, is_scope=True)
    marks = [const(getattr(node, mark, False)) for mark in ("is_used_up", "is_late")]
    return op("genexp", generator, load(eager.name), first, *marks)


def _loops(node: gast.AST, iterable: str, context: Context) -> list[gast.stmt]:
    result = context.unit.namer.fresh("result")
    empty, body = _empty_and_insertion(node, load(result), context)
    return [assign(result, empty), *loops_around(body, node, iterable), gast.Return(load(result))]


def loops_around(body: list[gast.stmt], node: gast.AST, iterable: str) -> list[gast.stmt]:
    """The loops and conditions of a comprehension around what is done for each of its items."""
    for i, generator in reversed(list(enumerate(node.generators))):
        for test in reversed(generator.ifs):
            body = [branch(test, body)]
        body = [gast.For(generator.target, load(iterable) if i == 0 else generator.iter, body, [], None)]
    return body


def _empty_and_insertion(node: gast.AST, result: gast.AST, context: Context) -> tuple[gast.AST, list[gast.stmt]]:
    if isinstance(node, gast.DictComp):
        key = context.unit.namer.fresh("key")
        item = gast.Subscript(result, load(key), gast.Store())
        return gast.Dict([], []), [assign(key, node.key), gast.Assign([item], node.value, None)]
    if isinstance(node, gast.SetComp):
        return gast.Set([]), [expression(op("set_add", result, node.elt))]
    return gast.List([], gast.Load()), [expression(op("list_append", result, node.elt))]
