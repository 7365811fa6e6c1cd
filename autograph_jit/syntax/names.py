"""Fresh names: a supply of identifiers that no part of a function uses."""

from __future__ import annotations

import gast

from autograph_jit.source import OPERATORS


def identifiers(node: gast.AST) -> set[str]:
    """Every identifier that occurs in a tree, whatever its part: variables, parameters, definitions, imports, declarations."""
    found: set[str] = set()
    for child in gast.walk(node):
        for field in ("id", "name", "rest", "asname"):
            value = getattr(child, field, None)
            if isinstance(value, str):
                found.add(value.partition(".")[0])
        if isinstance(child, (gast.Global, gast.Nonlocal)):
            found.update(child.names)
    return found


class Namer:
    """Hands out names that differ from all that are taken: `stem`, then `stem_1`, `stem_2`, ..."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = {OPERATORS, *taken}
        self._counts: dict[str, int] = {}
        self.generated: set[str] = set()

    def fresh(self, stem: str) -> str:
        """A name that was never handed out before."""
        count = self._counts.get(stem, 0)
        name = f"{stem}_{count}" if count else stem
        while name in self._taken:
            count += 1
            name = f"{stem}_{count}"
        self._counts[stem] = count + 1
        self._taken.add(name)
        self.generated.add(name)
        return name
