"""Statements that stay Python's own: `return`, expressions, imports, `pass`, type aliases."""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.converters.functions import protect
from autograph_jit.syntax.templates import expression


def convert_return(node: gast.Return, context: Context) -> list[gast.stmt]:
    """The `return` at the end of a function."""
    return [gast.Return(context.expr(node.value) if node.value is not None else None)]


def convert_expression(node: gast.Expr, context: Context) -> list[gast.stmt]:
    """An expression as a statement."""
    return [expression(context.expr(node.value))]


def keep(node: gast.stmt, context: Context) -> list[gast.stmt]:
    """A statement without expressions."""
    return [node]


def keep_checked(node: gast.stmt, context: Context) -> list[gast.stmt]:
    """A statement whose expressions are evaluated later, if ever."""
    return [protect(node, context)]
