"""Rewrites that only need Python itself, before jumps are lowered: `match` becomes branches, one `with` item per statement."""

from __future__ import annotations

import gast

from autograph_jit.converters.context import Unit
from autograph_jit.converters.jumps import blocks_of
from autograph_jit.converters.match import expand_match


def simplify(stmts: list[gast.stmt], unit: Unit) -> tuple[list[gast.stmt], set[str]]:
    """The statements without `match` and without several items in one `with`, and the variables that this introduced."""
    temporaries: set[str] = set()
    return _block(stmts, unit, temporaries), temporaries


def _block(stmts: list[gast.stmt], unit: Unit, temporaries: set[str]) -> list[gast.stmt]:
    out: list[gast.stmt] = []
    for node in stmts:
        if isinstance(node, gast.Match):
            new = expand_match(node, unit, temporaries)
        elif isinstance(node, gast.With):
            new = [_nest_items(node)]
        else:
            new = [node]
        for statement in new:
            for block in blocks_of(statement):
                block[:] = _block(block, unit, temporaries)
        out += new
    return out


def _nest_items(node: gast.With) -> gast.With:
    if len(node.items) == 1:
        return node
    inner = gast.copy_location(gast.With(node.items[1:], node.body, None), node)
    return gast.copy_location(gast.With(node.items[:1], [_nest_items(inner)], None), node)
