"""`with` statements: `with m as x: ...` becomes `ag__.with_stmt(lambda: m, with_body, get_state, set_state, names)`.

The body receives the entered value and assigns the target, so a failing assignment still leaves the context.
"""

from __future__ import annotations

import gast

from autograph_jit.converters.assignments import store_target
from autograph_jit.converters.context import Context
from autograph_jit.syntax.origin import place
from autograph_jit.syntax.templates import expression, load, op


def convert_with(node: gast.With, context: Context) -> list[gast.stmt]:
    """One item; several were nested before."""
    item = node.items[0]
    entering = context.closure("entering", [], context.returning(item.context_expr))
    entered = context.unit.namer.fresh("entered")
    saved, context.hoisted = context.hoisted, []
    first = store_target(item.optional_vars, load(entered), context) if item.optional_vars is not None else []
    first, context.hoisted = [*context.hoisted, *first], saved
    body = context.closure("with_body", [entered], [*first, *context.block(node.body)])
    setter, state = context.state_arguments(node)
    call = op("with_stmt", load(entering.name), load(body.name), *state)
    return [entering, body, *setter, expression(place(call, item.context_expr))]
