"""Subscripts: `x[i, 1:]` becomes `ag__.getitem(x, (i, slice(1, None, None)))`."""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.syntax.templates import const, load, native_call, op, operator


def convert_subscript(node: gast.Subscript, context: Context) -> gast.AST:
    """A read of an item."""
    value = context.expr(node.value)
    return op("getitem", value, context.expr(node.slice))


def convert_slice(node: gast.Slice, context: Context) -> gast.AST:
    """A slice as a value."""
    parts = [context.expr(p) if p is not None else const(None) for p in (node.lower, node.upper, node.step)]
    kind = operator("slice") if context.is_shadowed("slice") else load("slice")
    return native_call(kind, *parts)
