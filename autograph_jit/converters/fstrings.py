"""f-strings: `f"{x!r:>{w}} m"` becomes `ag__.fstring((x, "r", ag__.fstring(">", (w, "", ""))), " m")`.

A part is formatted before the next one is evaluated where the next one could change it.
"""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.syntax.templates import const, op, tuple_of


def convert_fstring(node: gast.JoinedStr, context: Context) -> gast.AST:
    """A formatted string."""
    parts: list[gast.AST] = []
    last = max((i for i, part in enumerate(node.values) if _can_act(part)), default=-1)
    for i, part in enumerate(node.values):
        if isinstance(part, gast.Constant):
            parts.append(part)
            continue
        value = _formatted(part, context)
        parts.append(value if i >= last else tuple_of([op("fstring", value), const(""), const("")]))
    return op("fstring", *parts)


def _formatted(part: gast.FormattedValue, context: Context) -> gast.AST:
    value = context.expr(part.value)
    conversion = "" if part.conversion == -1 else chr(part.conversion)
    return tuple_of([value, const(conversion), context.expr(part.format_spec) if part.format_spec is not None else const("")])


def _can_act(part: gast.AST) -> bool:
    return any(isinstance(n, (gast.Call, gast.NamedExpr)) for n in gast.walk(part))
