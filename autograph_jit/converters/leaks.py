"""A StopIteration that a generator's own code raises and does not catch becomes a RuntimeError, as in Python (PEP 479).

Before: `x = next(it)`
After:  `try: x = next(it)` `except StopIteration as error: raise ag__.leaked(error) from error`
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from autograph_jit.converters.context import Unit
from autograph_jit.converters.jumps import blocks_of
from autograph_jit.syntax.scopes import FUNCTIONS
from autograph_jit.syntax.templates import assign, load, op, store


def without_leaks(statements: list[gast.stmt], unit: Unit, may_leak: Callable[[gast.AST, Unit], bool]) -> list[gast.stmt]:
    """Statements whose exceptions leave a generator, with the first to the last of those that may raise StopIteration guarded."""
    places = [place for place, each in enumerate(statements) if may_leak(each, unit)]
    if not places:
        return list(statements)
    error = unit.namer.fresh("error")
    handler = gast.ExceptHandler(load("StopIteration"), store(error), [gast.Raise(op("leaked", load(error)), load(error))])
    first, last = places[0], places[-1] + 1
    guarded = gast.copy_location(gast.Try(statements[first:last], [handler], [], []), statements[first])
    return [*statements[:first], guarded, *statements[last:]]


def guard_leaks(body: list[gast.stmt], unit: Unit) -> list[gast.stmt]:
    """The body of a generator in its consumable form, guarded statement by statement: no handler may stand around a `yield`."""
    return [each for node in body for each in guarded(node, unit)]


def guarded(node: gast.stmt, unit: Unit) -> list[gast.stmt]:
    """One statement. Not guarded are heads of loops and branches, functions that are called, and what a `try` with handlers lets pass."""
    if isinstance(node, FUNCTIONS) or isinstance(node, gast.Try) and node.handlers:
        return [node]
    blocks = [case.body for case in node.cases] if isinstance(node, gast.Match) else blocks_of(node)
    for block in blocks:
        block[:] = guard_leaks(block, unit)
    if blocks or not advances(node, unit):
        return [node]
    if isinstance(node, gast.Expr) and isinstance(node.value, (gast.Yield, gast.YieldFrom)):
        name = unit.namer.fresh("item")
        made = gast.copy_location(assign(name, node.value.value), node)
        node.value.value = load(name)
        return [*without_leaks([made], unit, advances), node]
    return without_leaks([node], unit, advances)


def advances(node: gast.AST, unit: Unit) -> bool:
    """Whether the code itself, not a function in it, calls `next` without a default, or raises StopIteration."""
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id == "next" and len(node.args) == 1:
        return unit.is_builtin("next")
    if isinstance(node, gast.Raise):
        return any(isinstance(inner, gast.Name) and inner.id == "StopIteration" for inner in gast.walk(node))
    return not isinstance(node, FUNCTIONS) and any(advances(child, unit) for child in gast.iter_child_nodes(node))
