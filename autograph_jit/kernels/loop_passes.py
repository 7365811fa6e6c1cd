"""The passes that rewrite loops before nests are chosen, in their order."""

from __future__ import annotations

from autograph_jit.ir.graph import Graph
from autograph_jit.kernels.carried_sums import carry_sums
from autograph_jit.kernels.clearing import defer_clearing
from autograph_jit.kernels.counted import count_loops
from autograph_jit.kernels.distribution import distribute_loops
from autograph_jit.kernels.interchange import interchange_loops
from autograph_jit.kernels.loop_raising import split_sums
from autograph_jit.kernels.outer_products import collect_outer_products
from autograph_jit.kernels.ranges import Ranges, find_ranges
from autograph_jit.kernels.unmoved import settle_unmoved
from autograph_jit.kernels.unread import drop_unread_loads
from autograph_jit.kernels.upward import count_upward
from autograph_jit.kernels.windows import write_out_windows


def rewrite_loops(graph: Graph, layouts: tuple[str, ...], distinct_parameters: bool) -> Ranges:
    """Run them on a graph, in place; what is known of the integers of what they leave."""
    collect_outer_products(graph)
    ranges = find_ranges(graph)
    for rewrite in (count_loops, settle_unmoved, drop_unread_loads):
        if rewrite(graph, ranges):
            ranges = find_ranges(graph)
    if write_out_windows(graph):
        ranges = find_ranges(graph)
    # Statements are best, and what they leave may change places, count up, or carry its sums.
    for rewrite_sums in (distribute_loops, split_sums, interchange_loops, count_upward, carry_sums):
        if rewrite_sums(graph, ranges, layouts, distinct_parameters):
            ranges = find_ranges(graph)
    if defer_clearing(graph):
        ranges = find_ranges(graph)
    return ranges
