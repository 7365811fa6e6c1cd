"""Generator functions whose items are consumed where they are made: `yield` hands an item to the loop around the call.

Before: `yield v`                         `yield from xs`
After:  `if ag__.yielded(v): return`      `for item in ag__.left_of(xs): if ag__.yielded(item): return`
                                          `if ag__.is_over(): return`

`ag__.yielded` runs the consuming loop's body, and tells whether that loop has ended. A generator defined inside a converted function stands
there twice: as Python's generator, and in this form. One that uses what `yield` gives back has no such form. One that yields inside `with`
or a `try` with handlers has it for a with statement only, whose exceptions enter the generator; those of a loop do not.
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from autograph_jit.converters.context import Context, Unit
from autograph_jit.converters.jumps import blocks_of
from autograph_jit.converters.leaks import guard_leaks
from autograph_jit.syntax.scopes import FUNCTIONS
from autograph_jit.syntax.templates import branch, load, op, store

YIELDS = (gast.Yield, gast.YieldFrom)
SUSPENSIONS = (*YIELDS, gast.Await)
JUMP_FREE = (gast.If, gast.For, gast.While)
GUARDS = (gast.Try, gast.With)


def is_consumable(body: list[gast.stmt], by_with: bool = False) -> bool:
    """Whether every `yield` is a statement of its own; only for a with statement it may stand in `try` and `with`."""
    for node in body:
        if isinstance(node, gast.Expr) and isinstance(node.value, YIELDS):
            if node.value.value is not None and suspends(node.value.value):
                return False
        elif isinstance(node, (*JUMP_FREE, gast.Match)) or by_with and isinstance(node, GUARDS) or catches_nothing(node):
            blocks = [case.body for case in node.cases] if isinstance(node, gast.Match) else blocks_of(node)
            heads = [child for child in gast.iter_child_nodes(node) if isinstance(child, (gast.expr, gast.withitem))]
            if any(map(suspends, heads)) or not all(is_consumable(block, by_with) for block in blocks):
                return False
        elif suspends(node):
            return False
    return True


def catches_nothing(node: gast.stmt) -> bool:
    """Whether a statement is `try ... finally` without handlers: what the consumer raises leaves a generator there as dropping it does."""
    return isinstance(node, gast.Try) and not node.handlers


def suspends(node: gast.AST) -> bool:
    """Whether a `yield` or `await` belongs to this part of a function."""
    if isinstance(node, SUSPENSIONS):
        return True
    if isinstance(node, FUNCTIONS):
        return False
    return any(map(suspends, gast.iter_child_nodes(node)))


def lower_yields(body: list[gast.stmt], unit: Unit) -> list[gast.stmt]:
    """The statements with `yield` as a question to the consumer, after which the generator may have to end."""
    return [each for node in body for each in lowered(node, unit)]


def lowered(node: gast.stmt, unit: Unit) -> list[gast.stmt]:
    """One statement without `yield`."""
    if isinstance(node, gast.Expr) and isinstance(node.value, gast.Yield):
        return [gast.copy_location(end_if(op("yielded", node.value.value or gast.Constant(None, None))), node)]
    if isinstance(node, gast.Expr) and isinstance(node.value, gast.YieldFrom):
        item = unit.namer.fresh("item")
        loop = gast.For(store(item), op("left_of", node.value.value), [end_if(op("yielded", load(item)))], [], None)
        return [gast.copy_location(loop, node), gast.copy_location(end_if(op("is_over")), node)]
    for block in blocks_of(node):
        block[:] = lower_yields(block, unit)
    return [node]


def end_if(condition: gast.AST) -> gast.stmt:
    """`if condition: return`."""
    return branch(condition, [gast.Return(None)])


def consumable_form(node: gast.FunctionDef, context: Context) -> gast.FunctionDef | None:
    """A copy of a generator's definition for conversion, under a fresh name and without what its own definition evaluates."""
    if isinstance(node, gast.AsyncFunctionDef) or not is_consumable(node.body, by_with=True):
        return None
    form: Any = copy.deepcopy(node)
    form.body = guard_leaks(form.body, context.unit)
    form.name, form.decorator_list, form.returns = context.unit.namer.fresh("items_of"), [], None
    form.args.defaults = []
    form.args.kw_defaults = [None for _ in form.args.kwonlyargs]
    return form


def use_up(node: gast.AST) -> gast.AST:
    """An iterable of which all items are asked for where it stands: a generator expression need not be an iterator there."""
    if isinstance(node, gast.GeneratorExp):
        node.is_used_up = True
    return with_items_alone(node)


def with_items_alone(node: gast.AST) -> gast.AST:
    """An expression of whose value nothing but the items is asked for: `()` and `[]` as the default of a look-up are the same there."""
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute) and node.func.attr == "get" and not node.keywords:
        node.gives_items = len(node.args) == 2 and isinstance(node.args[1], gast.Tuple) and not node.args[1].elts
    return node
