"""`any`, `all` and `next` of a generator expression become loops that end where they do.

Before: `any(f(v) for v in xs if v)`
After:  `def any_of(iterable): <for v in iterable: if v: if f(v): return True>; return False`
"""

from __future__ import annotations

import gast

from autograph_jit.converters import calls
from autograph_jit.converters.comprehensions import loops_around
from autograph_jit.converters.context import Context
from autograph_jit.converters.functions import call_inline
from autograph_jit.converters.generators import with_items_alone
from autograph_jit.syntax.scopes import is_suspending
from autograph_jit.syntax.templates import branch, const, load, negation, parameters


def convert_call(node: gast.Call, context: Context) -> gast.AST:
    """A call; one that looks for an item of a generator expression asks for no item behind the one that it finds."""
    if not _is_search(node, context):
        return calls.convert_call(node, context)
    name, (items, *default) = node.func.id, node.args
    iterable, otherwise = context.unit.namer.fresh("iterable"), context.unit.namer.fresh("default")
    ending: gast.stmt
    if name == "next":
        found = [gast.Return(items.elt)]
        ending = gast.Return(load(otherwise)) if default else gast.Raise(load("StopIteration"), None)
    else:
        found = [branch(items.elt if name == "any" else negation(items.elt), [gast.Return(const(name == "any"))])]
        ending = gast.Return(const(name == "all"))
    arguments = [(iterable, with_items_alone(items.generators[0].iter)), *((otherwise, value) for value in default)]
    return call_inline(f"{name}_of", [*loops_around(found, items, iterable), ending], arguments, context, is_scope=True)


def _is_search(node: gast.Call, context: Context) -> bool:
    if not isinstance(node.func, gast.Name) or node.func.id not in ("any", "all", "next") or context.is_shadowed(node.func.id):
        return False
    if node.keywords or not 1 <= len(node.args) <= (2 if node.func.id == "next" else 1) or context.is_shadowed("StopIteration"):
        return False
    items = node.args[0]
    if not isinstance(items, gast.GeneratorExp) or any(isinstance(argument, gast.Starred) for argument in node.args):
        return False
    return not is_suspending(gast.Lambda(parameters(()), items)) and not any(generator.is_async for generator in items.generators)
