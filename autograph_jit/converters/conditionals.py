"""`if` statements.

Before: `if test: y = a else: y = b`
After:  `def if_body(): nonlocal y; y = a`, `def else_body(): nonlocal y; y = b`, `def set_state(values): nonlocal y; (y,) = values`,
        `ag__.if_stmt(test, if_body, else_body, lambda: (y,), set_state, ("y",))`
"""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.converters.logical import as_test
from autograph_jit.syntax.origin import place
from autograph_jit.syntax.templates import const, expression, load, op, thunk


def convert_if(node: gast.If, context: Context) -> list[gast.stmt]:
    """A branch; both sides become functions."""
    test = context.expr(as_test(node.test))
    body = context.closure("if_body", [], context.block(node.body))
    out: list[gast.stmt] = [body]
    other: gast.AST = thunk(const(None))
    if node.orelse:
        orelse = context.closure("else_body", [], context.block(node.orelse))
        out.append(orelse)
        other = load(orelse.name)
    setter, state = context.state_arguments(node)
    call = op("if_stmt", test, load(body.name), other, *state)
    return [*out, *setter, expression(place(call, node.test))]
