"""`try` statements; the parts become functions that run inside a real `try`, so the active exception is Python's.

Before: `try: y = f() except ValueError as e: y = g(e) finally: h()`
After:  `ag__.try_stmt(try_body, ((lambda: ValueError, handler),), None, finally_body, get_state, set_state, ("y",))`

`finally_body` returns true after a jump out of it, which drops a pending exception. `try ... except*` stays, its parts converted, behind
`ag__.except_groups()`.
"""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.syntax.templates import Attempt, assign, const, expression, load, op, tuple_of, undefined


def convert_try(node: Attempt, context: Context) -> list[gast.stmt]:
    """A try statement with any of its parts."""
    body = context.closure("try_body", [], context.block(node.body))
    out: list[gast.stmt] = [body]
    handlers = [_handler(h, out, context) for h in node.handlers]
    ends: list[gast.AST] = []
    for stem, block in (("try_else", node.orelse), ("finally_body", node.finalbody)):
        if not block:
            ends.append(const(None))
            continue
        stmts = context.block(block)
        if stem == "finally_body" and node.override is not None:
            stmts.append(gast.Return(load(node.override)))
        part = context.closure(stem, [], stmts)
        out.append(part)
        ends.append(load(part.name))
    setter, state = context.state_arguments(node)
    call = op("try_stmt", load(body.name), tuple_of(handlers), *ends, *state)
    return [*out, *setter, expression(call)]


def _handler(node: gast.ExceptHandler, out: list[gast.stmt], context: Context) -> gast.AST:
    kind = context.operand(node.type) if node.type is not None else const(None)
    error = context.unit.namer.fresh("error")
    stmts = context.block(node.body)
    if node.name is not None:
        stmts = [assign(node.name.id, load(error)), gast.Try(stmts, [], [], _forget(node.name.id, context))]
    part = context.closure("handler", [error], stmts)
    out.append(part)
    return tuple_of([kind, load(part.name)])


def _forget(name: str, context: Context) -> list[gast.stmt]:
    owner = context.owner(name)
    if owner is not None and name in owner.unbound:
        return [undefined(name)]
    return [assign(name, const(None)), gast.Delete([gast.Name(name, gast.Del(), None, None)])]


def convert_try_star(node: gast.TryStar, context: Context) -> list[gast.stmt]:
    """`except*` clauses stay native, which compiled code does not know."""
    body = context.block(node.body)
    for handler in node.handlers:
        handler.type = context.expr(handler.type)
        handler.body = context.block(handler.body) or [gast.Pass()]
    return [gast.Expr(op("except_groups")), gast.TryStar(body, node.handlers, context.block(node.orelse), context.block(node.finalbody))]
