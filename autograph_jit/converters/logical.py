"""Comparisons, `and`, `or`, `not` and conditional expressions.

Before: `0 <= i < n and not done`, `a if c else b`
After:  `ag__.and_(lambda: ag__.compare_chain(0, ("<=", lambda: i), ("<", lambda: n)), lambda: ag__.not_(done))`,
        `ag__.if_exp(c, lambda: a, lambda: b)`

An operand under short circuit that binds a name is turned into a function of statements first, so that the binding is state.
"""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.converters.functions import call_inline
from autograph_jit.converters.generators import with_items_alone
from autograph_jit.syntax.scopes import has_walrus
from autograph_jit.syntax.templates import assign, branch, const, load, negation, op, tuple_of

COMPARISONS = {
    gast.Eq: "==", gast.NotEq: "!=", gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">=",
    gast.Is: "is", gast.IsNot: "is not", gast.In: "in", gast.NotIn: "not in",
}  # fmt: skip
VALUES = (gast.Name, gast.Attribute, gast.Subscript)  # which may be more than a number or a bool


def convert_not(node: gast.UnaryOp, context: Context) -> gast.AST:
    """`not x`; other unary operators stay."""
    value = context.expr(node.operand)
    return op("not_", value) if isinstance(node.op, gast.Not) else gast.UnaryOp(node.op, value)


def convert_compare(node: gast.Compare, context: Context) -> gast.AST:
    """One comparison, or a chain whose operands are evaluated at most once."""
    symbols = [COMPARISONS[type(o)] for o in node.ops]
    if len(symbols) == 1:
        right = node.comparators[0] if symbols[0] not in ("in", "not in") else with_items_alone(node.comparators[0])
        return op("compare", const(symbols[0]), context.expr(node.left), context.expr(right))
    if any(has_walrus(c) for c in node.comparators):
        return _chain_of_statements(node, context)
    links = [tuple_of([const(s), context.operand(c)]) for s, c in zip(symbols, node.comparators)]
    return op("compare_chain", context.expr(node.left), *links)


def _chain_of_statements(node: gast.Compare, context: Context) -> gast.AST:
    fresh = context.unit.namer.fresh
    result, left = fresh("chain"), fresh("left")
    body: list[gast.stmt] = []
    for o, comparator in reversed(list(zip(node.ops, node.comparators))):
        right = fresh("right")
        link = gast.Compare(load(left), [o], [load(right)])
        body = [assign(right, comparator), assign(result, link), branch(load(result), [assign(left, load(right)), *body])]
    return call_inline("chain", [assign(left, node.left), *body, gast.Return(load(result))], [], context)


def as_test(node: gast.AST) -> gast.AST:
    """A condition: of the operands of `and` and `or` only the truth is asked, which paths join where they could not join the values.

    Before: `while stack and stack[-1] < x`
    After:  `while not not stack and stack[-1] < x`
    """
    if not isinstance(node, gast.BoolOp) or any(has_walrus(v) for v in node.values):
        return node
    values = [as_test(v) if not isinstance(v, VALUES) else gast.copy_location(negation(negation(v)), v) for v in node.values]
    return gast.copy_location(gast.BoolOp(node.op, values), node)


def convert_boolean(node: gast.BoolOp, context: Context) -> gast.AST:
    """`and` and `or`: the last operand evaluated is the value."""
    is_and = isinstance(node.op, gast.And)
    if any(has_walrus(v) for v in node.values):
        return _boolean_of_statements(node, is_and, context)
    return op("and_" if is_and else "or_", *[context.operand(v) for v in node.values])


def _boolean_of_statements(node: gast.BoolOp, is_and: bool, context: Context) -> gast.AST:
    result = context.unit.namer.fresh("operand")
    body: list[gast.stmt] = []
    for value in reversed(node.values):
        test = load(result) if is_and else negation(load(result))
        body = [assign(result, value), *([branch(test, body)] if body else [])]
    return call_inline("operands", [*body, gast.Return(load(result))], [], context)


def convert_conditional(node: gast.IfExp, context: Context) -> gast.AST:
    """`a if c else b`."""
    if has_walrus(node.body) or has_walrus(node.orelse):
        result = context.unit.namer.fresh("choice")
        choose = branch(node.test, [assign(result, node.body)], [assign(result, node.orelse)])
        return call_inline("choose", [choose, gast.Return(load(result))], [], context)
    return op("if_exp", context.expr(as_test(node.test)), context.operand(node.body), context.operand(node.orelse))
