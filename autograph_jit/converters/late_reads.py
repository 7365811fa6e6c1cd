"""Which generator expressions may be asked for items after something that they read has changed: their items cannot be made at once.

`g = (x * y for x in xs); y = 2; sum(g)`, or `xs.extend(x for x in xs if len(xs) < 9)`
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from typing import Any

import gast

CHANGING = frozenset(
    """append appendleft extend extendleft insert remove pop popleft popitem clear sort reverse rotate add discard update setdefault
    send""".split()
)
BUILTINS = frozenset(dir(builtins))
USING_UP = BUILTINS - {"zip", "enumerate", "map", "filter", "iter", "next"} | {*"join fsum prod Counter deque array fromiter".split()}
Place = tuple[int, int]


def mark_late(body: list[gast.stmt]) -> None:
    """Set `is_late` of these generator expressions in a function's body."""
    for statement in (inner for part in body for inner in gast.walk(part) if isinstance(inner, gast.stmt)):
        for items in kept_open_in(statement):
            if changed_late(statement, body) & reads_of(items):
                items.is_late = True


def kept_open_in(statement: gast.stmt) -> Iterator[Any]:
    """The generator expressions in a statement's own expressions that no function uses up where they stand."""
    waiting: list[Any] = [part for part in gast.iter_child_nodes(statement) if isinstance(part, gast.expr)]
    for node in waiting:
        if isinstance(node, gast.GeneratorExp):
            yield node
        elif not (isinstance(node, gast.Call) and name_of_function(node) in USING_UP or isinstance(node, gast.Lambda)):
            waiting += [part for part in gast.iter_child_nodes(node) if isinstance(part, (gast.expr, gast.keyword))]


def name_of_function(node: gast.Call) -> str:
    """The last part of the name of what is called."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def changed_late(statement: Any, body: list[gast.stmt]) -> set[str]:
    """The names of what may change before the generator expressions of a statement are used up."""
    if isinstance(statement, gast.For):
        return changes_in(inner for part in statement.body for inner in gast.walk(part)) - {"_"}
    if isinstance(statement, gast.AugAssign):
        return {variable_behind(statement.target)}
    if isinstance(statement, gast.Expr):
        return changes_in(gast.walk(statement.value))
    is_unpacked = isinstance(statement, gast.Assign) and isinstance(statement.targets[0], (gast.Tuple, gast.List))
    if is_unpacked or not isinstance(statement, (gast.Assign, gast.AnnAssign)):
        return set()
    after = [inner for part in body for inner in gast.walk(part) if place_of_node(inner) > end_of(statement)]
    names = {name.id for name in gast.walk(statement) if isinstance(name, gast.Name) and isinstance(name.ctx, gast.Store)}
    ends = [place_of_node(inner) for inner in after if uses_up(inner, names)]
    return changes_in(inner for inner in after if not ends or place_of_node(inner) < min(ends))


def uses_up(node: Any, names: set[str]) -> bool:
    """Whether a call uses up what one of these names stands for."""
    is_call = isinstance(node, gast.Call) and name_of_function(node) in USING_UP
    return is_call and any(isinstance(argument, gast.Name) and argument.id in names for argument in node.args)


def changes_in(nodes: Iterable[Any]) -> set[str]:
    """The names that are assigned, or whose objects are written to, or given to a function that may write to them."""
    found = set()
    for node in nodes:
        if isinstance(getattr(node, "ctx", None), (gast.Store, gast.Del)):
            found.add(variable_behind(node))
        elif isinstance(node, gast.Call) and name_of_function(node) in CHANGING:
            found.add(variable_behind(node.func))
        elif isinstance(node, gast.Call) and name_of_function(node) == "next" and node.args:
            found.add(variable_behind(node.args[0]))
        elif isinstance(node, gast.Call) and name_of_function(node) not in BUILTINS:
            found.update(argument.id for argument in node.args if isinstance(argument, gast.Name))
    return found


def variable_behind(node: Any) -> str:
    """The variable that an attribute or item is taken from."""
    while isinstance(node, (gast.Attribute, gast.Subscript, gast.Starred)):
        node = node.value
    return getattr(node, "id", "")


def reads_of(items: gast.GeneratorExp) -> set[str]:
    """The variables of the function that a generator expression reads."""
    names = [inner for inner in gast.walk(items) if isinstance(inner, gast.Name)]
    own = {name.id for name in names if isinstance(name.ctx, gast.Store)}
    return {name.id for name in names} - own


def place_of_node(node: Any) -> Place:
    return getattr(node, "lineno", 0) or 0, getattr(node, "col_offset", 0) or 0


def end_of(node: Any) -> Place:
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0
