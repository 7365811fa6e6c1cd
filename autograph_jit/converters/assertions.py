"""`assert test, message` becomes `ag__.assert_stmt(test, lambda: message)`; `raise E` becomes `raise ag__.raised(E)`."""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.converters.logical import as_test
from autograph_jit.syntax.templates import const, expression, load, op


def convert_assert(node: gast.Assert, context: Context) -> list[gast.stmt]:
    """An assertion; its message is evaluated only when it fails."""
    test = context.expr(as_test(node.test))
    if node.msg is None:
        return [expression(op("assert_stmt", test, const(None)))]
    message = context.closure("assert_message", [], context.returning(node.msg))
    return [message, expression(op("assert_stmt", test, load(message.name)))]


def convert_raise(node: gast.Raise, context: Context) -> list[gast.stmt]:
    """A raise statement; a bare one re-raises natively."""
    if node.exc is None:
        return [node]
    cause = op("raised", context.expr(node.cause)) if node.cause is not None else None
    return [gast.Raise(op("raised", context.expr(node.exc)), cause)]
