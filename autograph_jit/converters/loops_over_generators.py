"""A loop over a generator expression is a loop over what that goes through: an item is made when the trip before has ended.

Before: `for a in (f(x) for x in xs if x): body`
After:  `for x_1 in xs: if x_1: a = f(x_1); body`
"""

from __future__ import annotations

from typing import Any

import gast

from autograph_jit.converters.context import Context
from autograph_jit.syntax.templates import branch

OWN_SCOPES = (gast.Lambda, gast.GeneratorExp, gast.ListComp, gast.SetComp, gast.DictComp, gast.NamedExpr, gast.Await, gast.Yield)


def taken_in(node: Any, context: Context) -> Any:
    """The loop with the generator expression taken in, where that has one loop, and no scopes inside, which would keep its variables."""
    items = node.iter
    if not isinstance(items, gast.GeneratorExp) or len(items.generators) > 1 or items.generators[0].is_async:
        return node
    (loop,) = items.generators
    parts = [loop.target, items.elt, *loop.ifs]
    if any(isinstance(inner, OWN_SCOPES) for part in parts for inner in gast.walk(part)):
        return node
    own = {inner.id for inner in gast.walk(loop.target) if isinstance(inner, gast.Name)}
    names = {name: context.unit.namer.fresh(name) for name in own}
    for name in (inner for part in parts for inner in gast.walk(part) if isinstance(inner, gast.Name)):
        name.id = names.get(name.id, name.id)
    body = [gast.copy_location(gast.Assign([node.target], items.elt, None), items.elt), *node.body]
    for test in reversed(loop.ifs):
        body = [gast.copy_location(branch(test, body), test)]
        context.state[body[0]] = context.state.get(node, ())
    node.target, node.iter, node.body = loop.target, loop.iter, body
    return node
