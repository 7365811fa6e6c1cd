"""Assignments: targets are evaluated once, after the value, from left to right.

Before: `x[i], obj.a = pair`, `n += k`, `x[f()] += v`
After:  `value, value_1 = ag__.unpack(pair, 2, None)`, `ag__.setitem(x, i, value)`, `ag__.setattr_(obj, "a", value_1)`,
        `n = ag__.iop("+", n, k)`, `key = f(); ag__.setitem(x, key, ag__.iop("+", ag__.getitem(x, key), v))`
"""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.converters.variables import delete_name, global_store
from autograph_jit.syntax.scopes import has_walrus
from autograph_jit.syntax.templates import assign, const, expression, load, op, store

OPERATORS = {
    gast.Add: "+", gast.Sub: "-", gast.Mult: "*", gast.MatMult: "@", gast.Div: "/", gast.Mod: "%", gast.LShift: "<<",
    gast.RShift: ">>", gast.BitOr: "|", gast.BitXor: "^", gast.BitAnd: "&", gast.FloorDiv: "//", gast.Pow: "**",
}  # fmt: skip


def convert_assign(node: gast.Assign, context: Context) -> list[gast.stmt]:
    """`a = b = value`."""
    if len(node.targets) == 1:
        return assign_target(node.targets[0], node.value, context)
    value = context.unit.namer.fresh("value")
    out: list[gast.stmt] = [assign(value, context.expr(node.value))]
    for target in node.targets:
        out += store_target(target, load(value), context)
    return out


def convert_annotated(node: gast.AnnAssign, context: Context) -> list[gast.stmt]:
    """`x: T = value`; annotations of variables are not evaluated in a function."""
    return [] if node.value is None else assign_target(node.target, node.value, context)


def assign_target(target: gast.AST, value: gast.AST, context: Context) -> list[gast.stmt]:
    """Assign an expression that is not converted yet."""
    if isinstance(target, (gast.Tuple, gast.List)):
        return _assign_elements(target, value, context)
    new = context.expr(value)
    if isinstance(target, gast.Name) or _is_ordered(target, value, context):
        return store_target(target, new, context)
    name = context.unit.namer.fresh("value")
    first: list[gast.stmt] = [assign(name, new)]
    return first + store_target(target, load(name), context)


def _assign_elements(target: gast.AST, value: gast.AST, context: Context) -> list[gast.stmt]:
    pairwise = isinstance(value, gast.Tuple) and len(value.elts) == len(target.elts)
    if not pairwise or any(isinstance(e, gast.Starred) for e in [*value.elts, *target.elts]):
        return store_target(target, context.expr(value), context)
    if all(isinstance(e, gast.Name) and not context.is_declared_global(e.id) for e in target.elts):
        return [gast.Assign([gast.Tuple(target.elts, gast.Store())], context.expr(value), None)]
    names = [context.unit.namer.fresh("value") for _ in target.elts]
    out: list[gast.stmt] = [gast.Assign([gast.Tuple([store(n) for n in names], gast.Store())], context.expr(value), None)]
    for name, element in zip(names, target.elts):
        out += store_target(element, load(name), context)
    return out


def store_target(target: gast.AST, value: gast.AST, context: Context) -> list[gast.stmt]:
    """Assign a converted value; in what is generated it is evaluated after the parts of an attribute or item target."""
    if isinstance(target, gast.Name):
        if context.is_declared_global(target.id):
            return [expression(global_store(target.id, value, context))]
        return [assign(target.id, value)]
    if isinstance(target, gast.Attribute):
        return [expression(op("setattr_", context.expr(target.value), const(target.attr), value))]
    if isinstance(target, gast.Subscript):
        obj = context.expr(target.value)
        return [expression(op("setitem", obj, context.expr(target.slice), value))]
    if isinstance(target, gast.Starred):
        return store_target(target.value, value, context)
    stars = [i for i, e in enumerate(target.elts) if isinstance(e, gast.Starred)]
    before = stars[0] if stars else len(target.elts)
    after = const(len(target.elts) - before - 1) if stars else const(None)
    parts = op("unpack", value, const(before), after)
    inner = [e.value if isinstance(e, gast.Starred) else e for e in target.elts]
    if all(isinstance(e, gast.Name) and not context.is_declared_global(e.id) for e in inner):
        return [gast.Assign([gast.Tuple(inner, gast.Store())], parts, None)] if inner else [expression(parts)]
    names = [context.unit.namer.fresh("value") for _ in inner]
    out: list[gast.stmt] = [gast.Assign([gast.Tuple([store(n) for n in names], gast.Store())], parts, None)]
    for name, element in zip(names, inner):
        out += store_target(element, load(name), context)
    return out


def _is_plain(node: gast.AST, context: Context) -> bool:
    """Whether evaluating a part of a target has no effect and cannot fail or change while the value is computed."""
    if isinstance(node, gast.Constant):
        return True
    if isinstance(node, (gast.Tuple, gast.Slice)):
        return all(_is_plain(e, context) for e in gast.iter_child_nodes(node) if not isinstance(e, gast.expr_context))
    if isinstance(node, gast.UnaryOp):
        return isinstance(node.operand, gast.Constant)
    owner = context.owner(node.id) if isinstance(node, gast.Name) else None
    return owner is not None and node not in owner.doubtful and node.id not in owner.uses.rebound | owner.uses.nonlocal_names


def _is_ordered(target: gast.AST, value: gast.AST, context: Context) -> bool:
    parts = [target.value, target.slice] if isinstance(target, gast.Subscript) else [target.value]
    return isinstance(value, gast.Constant) or (all(_is_plain(p, context) for p in parts) and not has_walrus(value))


def convert_augmented(node: gast.AugAssign, context: Context) -> list[gast.stmt]:
    """`target op= value`."""
    symbol = const(OPERATORS[type(node.op)])
    target = node.target
    if isinstance(target, gast.Name):
        return store_target(target, op("iop", symbol, _read(target, context), context.expr(node.value)), context)
    out: list[gast.stmt] = []
    obj = _once(target.value, "target", out, context)
    if isinstance(target, gast.Attribute):
        old = op("getattr_", load_again(obj), const(target.attr))
        return [*out, expression(op("setattr_", obj, const(target.attr), op("iop", symbol, old, context.expr(node.value))))]
    key = _once(target.slice, "key", out, context)
    old = op("getitem", load_again(obj), load_again(key))
    return [*out, expression(op("setitem", obj, key, op("iop", symbol, old, context.expr(node.value))))]


def _read(target: gast.Name, context: Context) -> gast.AST:
    old = gast.copy_location(load(target.id), target)
    owner = context.owner(target.id)
    if owner is not None and target in owner.doubtful:
        owner.doubtful.add(old)
    return context.read(old)


def _once(node: gast.AST, stem: str, out: list[gast.stmt], context: Context) -> gast.AST:
    """An expression that gives the same value as often as it stands in generated code."""
    if _is_plain(node, context) and isinstance(node, (gast.Name, gast.Constant)):
        return node
    name = context.unit.namer.fresh(stem)
    out.append(assign(name, context.expr(node)))
    return load(name)


def load_again(node: gast.AST) -> gast.AST:
    """A second read of what `_once` gave."""
    return load(node.id) if isinstance(node, gast.Name) else const(node.value)


def convert_delete(node: gast.Delete, context: Context) -> list[gast.stmt]:
    """`del a, x[i], obj.b`."""
    out: list[gast.stmt] = []
    for target in node.targets:
        if isinstance(target, (gast.Tuple, gast.List)):
            out += convert_delete(gast.Delete(target.elts), context)
        elif isinstance(target, gast.Name):
            out.append(delete_name(target, context))
        elif isinstance(target, gast.Attribute):
            out.append(expression(op("delattr_", context.expr(target.value), const(target.attr))))
        else:
            obj = context.expr(target.value)
            out.append(expression(op("delitem", obj, context.expr(target.slice))))
    return out
