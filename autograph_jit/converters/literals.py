"""Displays: `[a, *b]` becomes `ag__.new_list([a, *ag__.spread_items(b)])`, likewise dict, set, and tuples with `*b`."""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Context
from autograph_jit.converters.generators import use_up
from autograph_jit.syntax.templates import op, tuple_of


def convert_starred(node: gast.Starred, context: Context) -> gast.AST:
    """`*value` in a display or a call."""
    return gast.Starred(op("spread", context.expr(use_up(node.value))), gast.Load())


def convert_positional(nodes: list[gast.AST], context: Context) -> list[gast.AST]:
    """The positional arguments of a call. Where there is only `*value`, Python names the function if that cannot be iterated."""
    if len(nodes) == 1 and isinstance(nodes[0], gast.Starred):
        return [gast.Starred(op("spread_arguments", context.expr(use_up(nodes[0].value))), gast.Load())]
    return convert_items(nodes, context)


def convert_items(nodes: list[gast.AST], context: Context) -> list[gast.AST]:
    """The items of a list display, or the arguments of a call: their number may be known only when the program runs."""
    return [convert_several(node, context) if isinstance(node, gast.Starred) else context.expr(node) for node in nodes]


def convert_several(node: gast.Starred, context: Context) -> gast.AST:
    """`*value` in a list display or the arguments of a call."""
    return gast.Starred(op("spread_items", context.expr(use_up(node.value))), gast.Load())


def convert_list(node: gast.List, context: Context) -> gast.AST:
    """A list display."""
    return op("new_list", gast.List(convert_items(node.elts, context), gast.Load()))


def convert_tuple(node: gast.Tuple, context: Context) -> gast.AST:
    """A tuple display: a tuple, but where `*value` may have a number of items that only the run knows."""
    if any(isinstance(item, gast.Starred) for item in node.elts):
        return op("new_tuple", gast.List(convert_items(node.elts, context), gast.Load()))
    node.elts = context.exprs(node.elts)
    return node


def convert_set(node: gast.Set, context: Context) -> gast.AST:
    """A set display."""
    return op("new_set", gast.List(convert_items(node.elts, context), gast.Load()))


def convert_dict(node: gast.Dict, context: Context) -> gast.AST:
    """A dict display; key and value of each item in order. Pairs where keys are no literals: those of the run cannot be looked up."""
    pairs = [
        (context.expr(k), context.expr(v)) if k is not None else (None, op("spread_mapping", context.expr(v)))
        for k, v in zip(node.keys, node.values)
    ]
    if any(key is not None and not isinstance(key, gast.Constant) for key, _ in pairs):
        return op("new_dict_of", *map(entry, pairs))
    return op("new_dict", gast.Dict([key for key, _ in pairs], [value for _, value in pairs]))


def entry(pair: tuple[gast.AST | None, gast.AST]) -> gast.AST:
    """`(key, value)`, or `[mapping]` for `**mapping`."""
    key, value = pair
    return gast.List([value], gast.Load()) if key is None else tuple_of([key, value])
