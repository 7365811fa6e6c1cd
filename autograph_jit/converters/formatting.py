"""The operator `%`, which formats text as well as it divides: `a % b` becomes `ag__.modulo(a, b)`; other operators stay. Where a program
takes up containers of Python's that operators make, `a | b` becomes `ag__.made_here(a | b)`."""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.syntax.templates import op

MAKING = (gast.BitOr, gast.BitAnd, gast.BitXor, gast.Sub, gast.Add, gast.Mult)  # containers


def convert_modulo(node: gast.BinOp, context: Context) -> gast.AST:
    """A binary operator: operators of stand-ins do the rest, but `str % value` never asks the value."""
    left, right = context.expr(node.left), context.expr(node.right)
    number = isinstance(node.left, gast.Constant) and not isinstance(node.left.value, (str, bytes))
    if isinstance(node.op, gast.Mod) and not number:
        return op("modulo", left, right)
    found = gast.BinOp(left, node.op, right)
    return op("made_here", found) if context.unit.notes_made and isinstance(node.op, MAKING) else found
