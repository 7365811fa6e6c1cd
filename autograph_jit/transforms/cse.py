"""Merges operations that compute the same value: pure ones, reads of memory where no write comes between, and views.

Before::                                   After::

    %a: f64 = load(%x, %i)                     %a: f64 = load(%x, %i)
    %b: f64 = load(%x, %i)                     %c: f64 = add(%a, %a)
    %c: f64 = add(%a, %b)

Requires: valid nesting; the first of two merged operations stands before the second one in the same block or in one around it. Keeps:
program order. A product of the chain rule with a constant is also merged with the one that is grouped otherwise: the two factors of `c * x
* x` contribute `(ct * x) * c` and `ct * (c * x)`. Fresh arrays are merged only if nobody writes them, sees them outside or compares their
addresses; reshapes stay, since each may be a copy of its own, and so does what is `recomputed`. Of two equal reductions of which one keeps
its axes, the second is a view of the first.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from autograph_jit.ir.builder import append
from autograph_jit.ir.graph import Block, Graph, Operation, Value, constant_of, resolve
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType, ListType
from autograph_jit.ops.marks import recomputed
from autograph_jit.ops.registry import get
from autograph_jit.transforms.aliases import NOTHING, Aliases, Roots, is_memory
from autograph_jit.transforms.rewriting import key_of, replace_values

LOOPS = frozenset({"while_loop", "for_loop"})
Available = dict[Hashable, tuple[Operation, Roots]]


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

    def walk(self, block: Block, available: Available) -> None:
        """Merge in a block; `available` is the caller's, what this block adds to it must not leave it."""
        kept = []
        for operation in block.operations:
            operation.operands = [resolve(value, self.replaced) for value in operation.operands]
            if operation.regions:
                self.walk_regions(operation, available)
            elif self.is_mergeable(operation):
                key = key_of(operation)
                equal = available[key][0] if key in available else grouped_otherwise(operation, available)
                if equal is not None:
                    self.merge(operation, equal)
                    continue
                view = view_of_twin(operation, available)
                if view:
                    kept += block.adopt(view)
                    self.merge(operation, view[-1])
                    continue
                available[key] = (operation, self.aliases.reads(operation))
            kept.append(operation)
            self.forget(available, self.aliases.writes(operation))
        block.operations = kept

    def walk_regions(self, operation: Operation, available: Available) -> None:
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
        if operation.opdef.effect is not Effect.PURE or not operation.results or operation.opdef is recomputed:
            return False
        if any(isinstance(result.type, ListType) for result in operation.results):
            return False
        return all(not is_memory(result) or self.aliases.is_constant_memory(result) for result in operation.results)

    def merge(self, operation: Operation, earlier: Operation) -> None:
        """Let the earlier operation stand for this one, with the rounding of the stricter one."""
        earlier.contract = earlier.contract and operation.contract
        for result, stand_in in zip(operation.results, earlier.results, strict=True):
            self.replaced[result] = stand_in


def view_of_twin(operation: Operation, available: Available) -> list[Operation]:
    """For a reduction that keeps its axes, or drops them, the view of an equal one that does not: `x.mean(0)` and the one in `x.std(0)`."""
    if operation.name != "reduce" or not isinstance(operation.result.type, ArrayType):
        return []
    reduced, keepdims = operation.operands[0].type, operation.attributes["keepdims"]
    assert isinstance(reduced, ArrayType)
    here = Block()
    other = append(here, operation.opdef, operation.operands, {**operation.attributes, "keepdims": not keepdims})
    twin = available.get(key_of(other), (None,))[0]
    if twin is None or not isinstance(twin.result.type, ArrayType):
        return []
    here.operations.clear()
    gone = {axis % reduced.rank for axis in operation.attributes["axes"]}
    single = "newaxis" if keepdims else "int"
    items = tuple((single,) if axis in gone else ("full",) for axis in range(reduced.rank))
    attributes = {"items": items, "dims": operation.result.type.dims, "proved": True}
    zeros = [] if keepdims else [append(here, get("constant"), [], {"value": np.int64(0)}, span=operation.span).result] * len(gone)
    append(here, get("basic_index"), [twin.result, *zeros], attributes, span=operation.span)
    return here.operations if here.operations[-1].result.type == operation.result.type else []


def grouped_otherwise(operation: Operation, available: Available) -> Operation | None:
    """For `(ct * x) * c`, a product of the chain rule and a constant, the operation that computes `ct * (c * x)` of the same arrays."""
    if operation.name != "multiply":
        return None
    product, factor = operation.operands
    inner = product.owner
    if not isinstance(inner, Operation) or inner.name != "chain_product" or product.type != operation.result.type:
        return None
    constant = constant_of(factor)
    if constant is None or not np.isfinite(constant) or available.get(key_of(inner), (None,))[0] is not inner:
        return None
    ct, x = inner.operands
    for operands in ((factor, x), (x, factor)):
        scaled = available.get(("multiply", operands, (), (x.type,)))
        other = None if scaled is None else available.get(("chain_product", (ct, scaled[0].result), (), (operation.result.type,)))
        if other is not None:
            return other[0]
    return None
