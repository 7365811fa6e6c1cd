"""Attributes: `obj.name` becomes `ag__.getattr_(obj, "name")`; private names are mangled before."""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.syntax.templates import const, op


def convert_attribute(node: gast.Attribute, context: Context) -> gast.AST:
    """A read of an attribute."""
    return op("getattr_", context.expr(node.value), const(node.attr))
