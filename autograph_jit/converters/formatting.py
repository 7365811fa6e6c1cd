"""The operator `%`, which formats text as well as it divides: `a % b` becomes `ag__.modulo(a, b)`; other operators stay."""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.syntax.templates import op


def convert_modulo(node: gast.BinOp, context: Context) -> gast.AST:
    """A binary operator: operators of stand-ins do the rest, but `str % value` never asks the value."""
    left, right = context.expr(node.left), context.expr(node.right)
    number = isinstance(node.left, gast.Constant) and not isinstance(node.left.value, (str, bytes))
    if isinstance(node.op, gast.Mod) and not number:
        return op("modulo", left, right)
    return gast.BinOp(left, node.op, right)
