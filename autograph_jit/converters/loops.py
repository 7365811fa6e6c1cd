"""`while` and `for` loops; `break` and `continue` are flags already.

Before: `for v in xs: s += v` (stopping on a flag)
After:  `def loop_body(item): nonlocal s, v; v = item; s = ag__.iop("+", s, v)`,
        `ag__.for_stmt(xs, lambda: ag__.not_(do_break), loop_body, lambda: (s,), set_state, ("s",))`
"""

from __future__ import annotations

import gast

from autograph_jit.converters.assignments import store_target
from autograph_jit.converters.context import Context
from autograph_jit.converters.generators import use_up
from autograph_jit.converters.logical import as_test
from autograph_jit.converters.loops_over_generators import taken_in
from autograph_jit.syntax.origin import place
from autograph_jit.syntax.templates import Loop, const, expression, load, op, undefined


def convert_while(node: gast.While, context: Context) -> list[gast.stmt]:
    """A loop whose test is evaluated before every trip; what it assigns first has no value before, whatever an earlier run left."""
    begun = [undefined(name) for name in context.begun.get(node, ())]
    test = context.closure("loop_test", [], context.returning(as_test(node.test)))
    body = context.closure("loop_body", [], context.block(node.body))
    setter, state = context.state_arguments(node)
    call = op("while_stmt", load(test.name), load(body.name), *state)
    return [*begun, test, body, *setter, expression(place(call, node.test))]


def convert_for(node: Loop | gast.For, context: Context) -> list[gast.stmt]:
    """A loop over an iterable; the target is assigned inside the body."""
    node = taken_in(node, context)
    iterable = context.expr(use_up(node.iter))
    extra = getattr(node, "extra_test", None)
    go_on = context.operand(extra) if extra is not None else const(None)
    item = context.unit.namer.fresh("item")
    saved, context.hoisted = context.hoisted, []
    first = store_target(node.target, load(item), context)
    first, context.hoisted = [*context.hoisted, *first], saved
    body = context.closure("loop_body", [item], [*first, *context.block(node.body)])
    setter, state = context.state_arguments(node)
    call = op("for_stmt", iterable, go_on, load(body.name), *state)
    return [body, *setter, expression(place(call, node.iter))]
