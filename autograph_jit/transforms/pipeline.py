"""The passes in their order, and the function that runs them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from autograph_jit.budget import Work, spend, stage
from autograph_jit.errors import GraphError
from autograph_jit.interrupts import raise_kept
from autograph_jit.ir.graph import Graph
from autograph_jit.ir.spans import busiest_span, count_operations
from autograph_jit.ir.verifier import verify as verify_graph
from autograph_jit.transforms.canonicalize import canonicalize
from autograph_jit.transforms.copies import remove_copies
from autograph_jit.transforms.cse import cse
from autograph_jit.transforms.dce import dce
from autograph_jit.transforms.fold import fold
from autograph_jit.transforms.hoist import hoist
from autograph_jit.transforms.kept_results import compute_where_kept
from autograph_jit.transforms.kept_states import write_where_kept
from autograph_jit.transforms.kinds import settle_kinds
from autograph_jit.transforms.last_trip import skip_last_products
from autograph_jit.transforms.records import tell_notes
from autograph_jit.transforms.renaming import rename_assigned
from autograph_jit.transforms.share import share
from autograph_jit.transforms.sink import sink
from autograph_jit.transforms.turning import turn_first
from autograph_jit.transforms.unseen_exceptions import drop_unseen

Pass = Callable[[Graph, bool], None]
PASSED = Work("operations taken through passes", 1.0)

PASSES: tuple[Pass, ...] = (
    fold,
    canonicalize,
    # Branches that were inlined leave constants next to their uses.
    fold,
    cse,
    settle_kinds,
    share,
    hoist,
    # Loops that hoist the same operation now have it in one block.
    cse,
    tell_notes,
    turn_first,
    rename_assigned,
    remove_copies,
    write_where_kept,
    compute_where_kept,
    drop_unseen,
    dce,
    # What nobody uses is gone, and the users of the rest can be counted.
    skip_last_products,
    sink,
)


def run_pipeline(graph: Graph, verify: bool = False, distinct_parameters: bool = False) -> None:
    """Run all passes on the graph, in place.

    verify: check the graph before and after every pass. distinct_parameters: the caller knows that the parameters' memory does not overlap.
    """
    if verify:
        verify_graph(graph)
    for step in PASSES:
        with stage(f"running the pass {step.__name__}", partial(busiest_span, graph)):
            spend(PASSED, count_operations(graph))
            step(graph, distinct_parameters)
        raise_kept()
        if verify:
            check_after(step, graph)


def check_after(step: Pass, graph: Graph) -> None:
    """Verify; an error names the pass that broke the graph."""
    try:
        verify_graph(graph)
    except GraphError as error:
        raise GraphError(f"after {step.__name__}: {error}") from error
