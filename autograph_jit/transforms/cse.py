"""Merges operations that compute the same value: pure ones, reads of memory where no write comes between, and views.

Before::                                   After::

    %a: f64 = load(%x, %i)                     %a: f64 = load(%x, %i)
    %b: f64 = load(%x, %i)                     %c: f64 = add(%a, %a)
    %c: f64 = add(%a, %b)

Requires: valid nesting; the first of two merged operations stands before the second one in the same block or in one around it. Keeps:
program order. Fresh arrays are merged only if nobody writes them, sees them outside or compares their addresses; reshapes stay, since
each may be a copy of its own.
"""

from __future__ import annotations

from collections.abc import Hashable

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ListType
from autograph_jit.transforms.aliases import NOTHING, Aliases, Roots, is_memory
from autograph_jit.transforms.rewriting import key_of, replace_values, resolve

LOOPS = frozenset({"while_loop", "for_loop"})


def cse(graph: Graph, distinct_parameters: bool = False) -> None:
    """Merge equal operations in one walk."""
    merger = Merger(Aliases(graph, distinct_parameters))
    merger.walk(graph.block, {})
    replace_values(graph, merger.replaced)


class Merger:
    """The replacements found so far. `available` maps keys to earlier operations and to the memory that they read."""

    def __init__(self, aliases: Aliases) -> None:
        self.aliases = aliases
        self.replaced: dict[Value, Value] = {}

    def walk(self, block: Block, available: dict[Hashable, tuple[Operation, Roots]]) -> None:
        """Merge in a block; `available` is the caller's, what this block adds to it must not leave it."""
        kept = []
        for operation in block.operations:
            operation.operands = [resolve(value, self.replaced) for value in operation.operands]
            if operation.regions:
                self.walk_regions(operation, available)
            elif self.is_mergeable(operation):
                key = key_of(operation)
                if key in available:
                    self.merge(operation, available[key][0])
                    continue
                available[key] = (operation, self.aliases.reads(operation))
            kept.append(operation)
            self.forget(available, self.aliases.writes(operation))
        block.operations = kept

    def walk_regions(self, operation: Operation, available: dict[Hashable, tuple[Operation, Roots]]) -> None:
        """Regions see what is available around them, less what a loop writes in an earlier trip or a body before its handler."""
        inherited = dict(available)
        if operation.name in LOOPS:
            self.forget(inherited, self.aliases.writes(operation))
        for index, region in enumerate(operation.regions):
            if operation.name == "try_" and index == 1:
                self.forget(inherited, self.aliases.writes(operation))
            self.walk(region, dict(inherited))

    def forget(self, available: dict[Hashable, tuple[Operation, Roots]], written: Roots) -> None:
        """Drop the operations that read memory which is written now."""
        if written is NOTHING or not written:
            return
        stale = [key for key, (_, read) in available.items() if read and self.aliases.may_meet(read, written)]
        for key in stale:
            del available[key]

    def is_mergeable(self, operation: Operation) -> bool:
        """Whether a second run of the operation gives nothing new."""
        if operation.opdef.effect is Effect.VIEW:
            return operation.name != "reshape"
        if operation.opdef.effect is not Effect.PURE or not operation.results:
            return False
        if any(isinstance(result.type, ListType) for result in operation.results):
            return False
        return all(not is_memory(result) or self.aliases.is_constant_memory(result) for result in operation.results)

    def merge(self, operation: Operation, earlier: Operation) -> None:
        """Let the earlier operation stand for this one."""
        for result, stand_in in zip(operation.results, earlier.results, strict=True):
            self.replaced[result] = stand_in
