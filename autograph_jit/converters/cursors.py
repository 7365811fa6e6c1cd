"""How a `for` loop that a generator pauses in goes through its items: by variables that say where it is.

Before: `for x in xs: body`
After:  `items = ag__.walked(xs); place = 0`, then before each trip `item = ag__.next_item(items, place)`; `ag__.is_item(item)` says whether
        there is one; `place = place + 1; x = ag__.item_taken(item)`; `range`, `enumerate` and
        `zip` have numbers, or the variables of their parts
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

import gast

from autograph_jit.converters.context import Unit
from autograph_jit.records import dataclass
from autograph_jit.syntax.templates import assign, const, load, op, store, tuple_of


@dataclass(slots=True)
class Walk:
    """The statements in front of a loop, those before the question whether there is an item, the question, those that take an item, and
    those behind the last one; and the item."""

    test: Any
    item: Any
    begin: list[gast.stmt] = field(default_factory=list)
    before: list[gast.stmt] = field(default_factory=list)
    take: list[gast.stmt] = field(default_factory=list)
    at_end: list[gast.stmt] = field(default_factory=list)


def checked_read(name: str) -> gast.AST:
    """A read of one of these variables, which an earlier step may have left."""
    return op("ld", load(name), const(name))


def walk_of(node: gast.For, unit: Unit) -> Walk:
    """How a loop is gone through. A loop made for `yield from` names what is sent, and the variable of what the generator returned."""
    walk = through(node.iter, unit, getattr(node, "sends", None))
    walk.take = [*walk.take, gast.Assign([node.target], walk.item, None)]
    returned = getattr(node, "returned", None)
    if returned is not None:
        walk.at_end.append(gast.Assign(returned, op("returned_by", walk.item.args[0]), None))
    for statement in (*walk.begin, *walk.before, *walk.take, *walk.at_end):
        gast.copy_location(statement, node)
    return walk


def through(items: Any, unit: Unit, sends: str | None = None, is_by_number: bool = False) -> Walk:
    """How an iterable is gone through; `is_by_number`: not an iterator."""
    if isinstance(items, gast.Call) and isinstance(items.func, gast.Name) and is_plain(items, unit) and sends is None:
        if items.func.id == "range" and 1 <= len(items.args) <= 3:
            return through_range(items.args, unit)
        if items.func.id == "enumerate" and 1 <= len(items.args) <= 2:
            return through_numbered(items.args, unit, is_by_number)
        if items.func.id == "zip" and items.args:
            return zipped([through(part, unit, is_by_number=True) for part in items.args])
    source, place, item = (unit.namer.fresh(stem) for stem in ("items", "place", "item"))
    asked = [checked_read(source), checked_read(place)]
    return Walk(
        op("is_item", checked_read(item)),
        op("item_taken", checked_read(item)),
        [assign(source, op("walked", items, const(is_by_number))), assign(place, const(0))],
        [assign(item, op("next_item", *asked, checked_read(sends) if sends else const(None)))],
        [assign(place, gast.BinOp(checked_read(place), gast.Add(), const(1)))],
    )


def is_plain(call: gast.Call, unit: Unit) -> bool:
    """Whether a builtin is called by its name, with positional arguments."""
    name: str = call.func.id  # type: ignore[attr-defined]
    is_builtin = unit.is_builtin(name) and name not in unit.free
    return is_builtin and not call.keywords and not any(isinstance(part, gast.Starred) for part in call.args)


def through_range(args: list[Any], unit: Unit) -> Walk:
    """`range(...)`: the number, how many are left, and the step."""
    place, left, step, number = (unit.namer.fresh(stem) for stem in ("place", "left", "step", "number"))
    target = gast.Tuple([store(place), store(left), store(step)], gast.Store())
    by: Any = checked_read(step) if len(args) == 3 else const(1)
    return Walk(
        gast.Compare(checked_read(left), [gast.Gt()], [const(0)]),
        checked_read(number),
        [gast.Assign([target], op("range_parts", *args), None)],
        [],
        [
            assign(number, checked_read(place)),
            assign(place, gast.BinOp(checked_read(place), gast.Add(), by)),
            assign(left, gast.BinOp(checked_read(left), gast.Sub(), const(1))),
        ],
    )


def through_numbered(args: list[Any], unit: Unit, is_by_number: bool) -> Walk:
    """`enumerate(...)`: the number beside what is gone through."""
    count, number = unit.namer.fresh("count"), unit.namer.fresh("number")
    walk = through(args[0], unit, None, is_by_number)
    walk.begin.append(assign(count, args[1] if len(args) > 1 else const(0)))
    walk.take += [assign(number, checked_read(count)), assign(count, gast.BinOp(checked_read(count), gast.Add(), const(1)))]
    walk.item = tuple_of([checked_read(number), walk.item])
    return walk


def zipped(walks: list[Walk]) -> Walk:
    """`zip(...)`: as long as each has an item."""
    test = walks[0].test if len(walks) == 1 else gast.BoolOp(gast.And(), [walk.test for walk in walks])
    parts = [[statement for walk in walks for statement in getattr(walk, name)] for name in ("begin", "before", "take")]
    return Walk(test, tuple_of([walk.item for walk in walks]), *parts)


def as_loops(body: list[gast.stmt], unit: Unit, sent: str) -> list[gast.stmt]:
    """The statements with loops in the place of `yield from`."""
    return [new for node in body for new in as_loop(node, unit, sent)]


def as_loop(node: Any, unit: Unit, sent: str) -> list[gast.stmt]:
    """`x = yield from items` as a loop that hands on what is sent."""
    for name in ("body", "orelse"):
        if isinstance(node, (gast.If, gast.For, gast.While)) and getattr(node, name):
            setattr(node, name, as_loops(getattr(node, name), unit, sent))
    if not isinstance(node, (gast.Expr, gast.Assign)) or not isinstance(node.value, gast.YieldFrom):
        return [node]
    item, given = unit.namer.fresh("item"), unit.namer.fresh("given")
    pause = gast.Assign([store(given)], gast.Yield(load(item)), None)
    loop: Any = gast.For(store(item), node.value.value, [gast.copy_location(pause, node)], [], None)
    loop.sends, loop.returned = given, node.targets if isinstance(node, gast.Assign) else None
    return [gast.copy_location(assign(given, const(None)), node), gast.copy_location(loop, node)]
