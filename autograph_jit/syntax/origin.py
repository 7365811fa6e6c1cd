"""Line numbers for generated nodes: every node without a place takes that of the statement it came from."""

from __future__ import annotations

from typing import Any

import gast

PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
COMPOUND = (gast.If, gast.For, gast.While, gast.Try, gast.TryStar, gast.With, gast.Match, gast.FunctionDef, gast.ClassDef)


def locate(node: gast.AST, origin: gast.AST) -> None:
    """Give `node` and everything in it that has no place the place of the nearest ancestor that has one, at last that of `origin`."""
    pending = [(node, origin)]
    while pending:
        child, parent = pending.pop()
        if "lineno" not in child.__dict__:
            _inherit(child, parent)
        pending += [(grandchild, child) for grandchild in gast.iter_child_nodes(child)]


def place(new: Any, origin: gast.AST) -> Any:
    """Give `new` itself the place of `origin` unless it has one; what is in it follows with `locate`."""
    if "lineno" not in new.__dict__ and "lineno" in origin.__dict__:
        _inherit(new, origin)
    return new


def _inherit(new: gast.AST, origin: gast.AST) -> None:
    """Copy a place; a generated attribute gets an empty span, as CPython reports a method call on the line where its name ends."""
    for field in PLACE:
        new.__dict__[field] = getattr(origin, field, None)
    if isinstance(new, gast.Attribute) or (isinstance(origin, COMPOUND) and not isinstance(new, COMPOUND)):
        new.__dict__["end_lineno"], new.__dict__["end_col_offset"] = new.lineno, new.col_offset
