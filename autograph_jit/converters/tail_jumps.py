"""Jumps out of `try` and `with` that stand at the end of what is inside: after the statement, a number says which of them it was.

Before: `try: x = next(it)`               After:  `way = 0; try: x = next(it)`
        `except StopIteration: return`            `except StopIteration: way = 1`, then `if way == 1: return`
"""

from __future__ import annotations

from typing import Any

import gast

from autograph_jit.converters.context import Unit
from autograph_jit.converters.generators import suspends
from autograph_jit.converters.jumps import JUMPS, LOOPS, TRIES, blocks_of, jumps_in
from autograph_jit.syntax.templates import assign, branch, const, load


def without_tail_jumps(body: list[gast.stmt], unit: Unit) -> list[gast.stmt]:
    """The statements without jumps out of `try` and `with`; ConversionError where one is not at the end."""
    return [new for node in body for new in without_tail_jump(node, unit)]


def without_tail_jump(node: Any, unit: Unit) -> list[gast.stmt]:
    """The same of one statement."""
    if not isinstance(node, (*TRIES, gast.With)):
        for block in blocks_of(node):
            block[:] = without_tail_jumps(block, unit)
        return [node]
    if not jumps_in([node]) or suspends(node):
        return [node]
    way = unit.namer.fresh("way")
    found: list[Any] = []
    if isinstance(node, TRIES) and (jumps_in(node.finalbody) or node.orelse and jumps_in(node.body)):
        raise unit.refuse(
            "a jump out of `finally`, or in front of `else`, in a generator that is kept", node, "move it behind the statement"
        )
    for block in blocks_of(node):
        take_jumps(block, way, found, unit)
    behind = [branch(gast.Compare(load(way), [gast.Eq()], [const(place)]), [jump]) for place, jump in enumerate(found, 1)]
    return [gast.copy_location(each, node) for each in (assign(way, const(0)), node, *behind)]


def take_jumps(block: list[Any], way: str, found: list[Any], unit: Unit) -> None:
    """Put numbers in the place of the jumps that end a block."""
    for place, node in enumerate(block):
        kinds = jumps_in([node])
        if not kinds:
            continue
        is_simple = not (isinstance(node, gast.Return) and node.value is not None and not isinstance(node.value, gast.Constant))
        if place + 1 < len(block) or isinstance(node, (*LOOPS, *TRIES, gast.With)) or not is_simple:
            raise unit.refuse("a jump inside `try` in a generator that is kept", node, "move it behind the statement")
        if type(node) in JUMPS:
            found.append(node)
            block[place] = gast.copy_location(assign(way, const(len(found))), node)
        else:
            for inner in blocks_of(node):
                take_jumps(inner, way, found, unit)
