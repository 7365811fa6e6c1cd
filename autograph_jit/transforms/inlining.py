"""Inlines calls by one rule of cost: what is called once, what is short and has no loop, what all its copies together make no long program
of. The operations may then be fused with those around the call, and no call takes its 2 to 50 ns; see `ir.inlining`."""

from __future__ import annotations

from collections import Counter

from autograph_jit.ir.function import CALLS, Function, functions_of
from autograph_jit.ir.graph import Graph
from autograph_jit.ir.inlining import inline_calls

FEW_OPERATIONS = 16  # a call costs about as much as so many operations on numbers, in time and in text
MOST_COPIED = 250  # operations of all copies of a function: so many take about 50 ms of a first call
LOOPS = ("for_loop", "while_loop")


def inline_cheap(graph: Graph) -> None:
    """Inline the calls of functions that are worth it; recursive ones stay."""
    sites = functions_of(graph)
    copies = dict.fromkeys(sites, 0)
    count_copies(graph, 1, copies)
    weights: dict[Function, int] = {}

    def is_worth_copying(callee: Function) -> bool:
        return sites[callee] == 1 or is_short_function(callee) or copies[callee] * weight_of_function(callee, weights) <= MOST_COPIED

    chosen = {callee for callee in sites if not callee.is_recursive and is_worth_copying(callee)}
    inline_calls(graph.block, lambda call: call.attributes["callee"] in chosen)


def count_copies(graph: Graph, times: int, copies: dict[Function, int]) -> None:
    """How many copies there would be of each function if all were inlined, where there are so many of the graph that calls them."""
    for callee, count in Counter(operation.attributes["callee"] for operation in graph.walk() if operation.name in CALLS).items():
        if callee.is_recursive or copies[callee] >= MOST_COPIED:
            continue
        copies[callee] = min(copies[callee] + count * times, MOST_COPIED)
        count_copies(callee.graph, count * times, copies)


def weight_of_function(callee: Function, known: dict[Function, int]) -> int:
    """The operations of a function and of those that it calls; of a recursive one those of a call."""
    if callee.is_recursive:
        return FEW_OPERATIONS
    if callee not in known:
        operations = list(callee.graph.walk())
        called = (operation.attributes["callee"] for operation in operations if operation.name in CALLS)
        known[callee] = len(operations) + sum(weight_of_function(each, known) for each in called)
    return known[callee]


def is_short_function(callee: Function) -> bool:
    """Whether a function is as short as a call, and does all by itself."""
    operations = list(callee.graph.walk())
    return len(operations) <= FEW_OPERATIONS and not any(operation.name in (*LOOPS, *CALLS) for operation in operations)
