"""Names: reads are checked or announced, `del` marks a variable unbound, `global` names go through the module's dictionary.

Before: `return y` (maybe unbound), `SCALE * x`, `del y`
After:  `return ag__.ld(y, "y")`, `ag__.outer(lambda: SCALE, "SCALE") * x`, `y = ag__.deleted(y, "y")`
"""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.syntax.templates import assign, const, expression, load, op


def convert_name(node: gast.Name, context: Context) -> gast.AST:
    """A read of a variable."""
    return context.read(node)


def convert_walrus(node: gast.NamedExpr, context: Context) -> gast.AST:
    """`(x := value)`; a global name is stored through its dictionary."""
    value = context.expr(node.value)
    if context.is_declared_global(node.target.id):
        return global_store(node.target.id, value, context)
    return gast.NamedExpr(node.target, value)


def global_store(name: str, value: gast.AST, context: Context) -> gast.AST:
    """`ag__.global_store(globals(), name, value)`."""
    return op("global_store", context.module_dictionary(), const(name), value)


def delete_name(node: gast.Name, context: Context) -> gast.stmt:
    """`del name`."""
    if context.is_declared_global(node.id):
        return expression(op("global_del", context.module_dictionary(), const(node.id)))
    owner = context.owner(node.id)
    if owner is not None and node.id in owner.unbound:
        return assign(node.id, op("deleted", context.read(load(node.id)) if owner is not context else load(node.id), const(node.id)))
    return gast.Delete([gast.Name(node.id, gast.Del(), None, None)])


def convert_declaration(node: gast.stmt, context: Context) -> list[gast.stmt]:
    """`global` and `nonlocal` lines move to the head of the functions that need them."""
    return []
