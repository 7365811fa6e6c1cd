"""What functions of the graph do with memory: they write to their own and to that of arguments, and return arrays that they have made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph_jit.ir.graph import Graph
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.facts import Facts, find_facts
from autograph_jit.tracing.values.trace import emit
from autograph_jit.transforms.aliases import OUTSIDE, Aliases


def memory_obstacle(graph: Graph) -> str:
    """Why a graph is no function that returns arrays that it makes, and writes to its arguments only; empty where it is one."""
    if written_arguments(graph) is None:
        return "it writes to what is around it"
    others = any(others_memory(graph, facts_of(graph)))
    return "it returns an array that it did not make, or a view" if others else ""


def written_arguments(graph: Graph) -> set[int] | None:
    """The arguments whose memory a graph writes, that of lists in them included; None where it writes to what Python has made."""
    aliases = Aliases(graph)
    written = frozenset().union(*(aliases.writes(operation) for operation in graph.walk() if operation.opdef.effect is Effect.WRITE))
    return None if OUTSIDE in written else {parameter.index for parameter in aliases.parameters if parameter in written}


def own_results(graph: Graph) -> None:
    """Return copies of arrays that the function has not made, or not for this result; recorded where the trace records."""
    for index in list(others_memory(graph, facts_of(graph))):
        graph.block.yields[index] = emit("copy", graph.block.yields[index]).result


def facts_of(graph: Graph) -> Facts:
    """What is known of the arrays, whatever the layout of the arguments."""
    return find_facts(graph, ("A",) * len(graph.block.args), distinct_parameters=False)


def others_memory(graph: Graph, facts: Facts) -> Iterator[int]:
    """The results that are arrays of somebody else's, views, or share memory with results before them."""
    seen: set[Any] = set()
    for index, value in enumerate(graph.block.yields):
        if isinstance(value.type, ArrayType):
            roots = facts.roots_of(value)
            if not is_own(roots) or not seen.isdisjoint(roots) or not facts.is_contiguous(value):
                yield index
            seen |= roots


def is_own(roots: frozenset[Any]) -> bool:
    """Whether memory was made by the function itself."""
    return bool(roots) and all(root[0] == "fresh" for root in roots)
