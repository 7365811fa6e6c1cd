"""Which results of a graph may be one and the same reference: what a branch chose or a loop carried, and where it came from.

%b = cond(%c) do () { yield %v } do () { yield %w }     %b may be %v, and may be %w; a view of %v is another reference
"""

from __future__ import annotations

from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType
from autograph_jit.transforms.aliases import Aliases

Ways = dict[Value, list[Value]]


def same_references(graph: Graph) -> dict[int, list[int]]:
    """For a result of the graph the earlier results that may be the same array; results that cannot be another one are left out."""
    arrays = [index for index, value in enumerate(graph.block.yields) if isinstance(value.type, ArrayType)]
    if len(arrays) < 2:
        return {}
    ways = ways_back(Aliases(graph))
    origins = {index: origins_of(graph.block.yields[index], ways) for index in arrays}
    found = {index: [k for k in arrays if k < index and origins[k] & origins[index] and alike(graph, k, index)] for index in arrays}
    return {index: earlier for index, earlier in found.items() if earlier}


def alike(graph: Graph, x: int, y: int) -> bool:
    """Whether two results are arrays of one dtype and rank."""
    first, second = graph.block.yields[x].type, graph.block.yields[y].type
    return isinstance(first, ArrayType) and isinstance(second, ArrayType) and (first.dtype, first.rank) == (second.dtype, second.rank)


def ways_back(aliases: Aliases) -> Ways:
    """From each value to those that it may be, one step back."""
    back: Ways = {}
    for source, targets in aliases.targets.items():
        for target in targets:
            if isinstance(source, Value) and isinstance(target, Value) and not is_view(target):
                back.setdefault(target, []).append(source)
    return back


def is_view(value: Value) -> bool:
    """Whether a value is a reference of its own to memory of another."""
    return isinstance(value.owner, Operation) and value.owner.opdef.effect is Effect.VIEW


def origins_of(value: Value, ways: Ways) -> set[Value]:
    """A value and all that it may be."""
    seen, pending = {value}, [value]
    while pending:
        for source in ways.get(pending.pop(), ()):
            if source not in seen:
                seen.add(source)
                pending.append(source)
    return seen
