"""Sorting and order statistics: few numbers, integers that lie close together and stable orders by native code, all others by NumPy."""

from __future__ import annotations

from functools import partial

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.alternatives import emit_alternatives
from autograph_jit.backends.cpu.arrays.counting import emit_counting, is_countable
from autograph_jit.backends.cpu.arrays.ordering import ORDERED, ORDERING_TYPE, load_ordering, scratch_slots
from autograph_jit.backends.cpu.arrays.ranking import LONGEST, RANKED, RANKING_TYPE, load_ranking
from autograph_jit.backends.cpu.arrays.routines import I64_DTYPE, walk_all
from autograph_jit.backends.cpu.control.long_loops import emit_long_loop
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.host import emit_by_eager_rule
from autograph_jit.backends.cpu.nests.domains import address
from autograph_jit.backends.cpu.published import declared
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Array, Emitted, array_type
from autograph_jit.ir.graph import Operation

STABLE = ("stable", "mergesort")


@rule("sort")
def emit_sort(e: Emitter, operation: Operation) -> list[Emitted]:
    return emit_order(e, operation, array_type(operation.result).dtype, False)


@rule("argsort")
def emit_argsort(e: Emitter, operation: Operation) -> list[Emitted]:
    return emit_order(e, operation, np.dtype(np.int64), True)


@rule("order_statistics")
def emit_order_statistics(e: Emitter, operation: Operation) -> list[Emitted]:
    """The elements of some ranks: a few numbers are sorted, of more NumPy finds the place of those alone."""
    by_python = partial(emit_by_eager_rule, e, operation)
    source, ranks = (e.get(value) for value in operation.operands)
    if len(source.shape) != 1 or source.dtype not in RANKED:
        return by_python()

    def select(e: Emitter, operation: Operation) -> tuple[ir.Value, list[Emitted]]:
        target, ordered = (e.allocate(shape, source.dtype) for shape in (ranks.shape, source.shape))
        passed = emit_ranking(e, source, ordered, False, False)

        def element(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            rank = e.load_number(address(e, walk_all(ranks), 0, ranks.pointer, index), I64_DTYPE, ranks.contiguous, ranks.scope)
            rank = e.maximum(e.minimum(rank, e.sub(source.shape[0], I64(1))), I64(0))
            number = e.load_number(address(e, walk_all(ordered), 0, ordered.pointer, rank), source.dtype, True, ordered.scope)
            e.store_number(number, address(e, walk_all(target), 0, target.pointer, index), source.dtype, True, "fresh")
            return []

        emit_long_loop(e, e.select(passed, ranks.shape[0], I64(0)), [], element)
        e.call("ag_release", e.frame, ordered.owner)
        return passed, [target]

    few = e.b.and_(e.compare(">", source.shape[0], I64(0)), e.compare("<=", source.shape[0], I64(LONGEST)))
    return emit_alternatives(e, operation, few, select, by_python)


def emit_ranking(e: Emitter, source: Array, target: Array, places: bool, stable: bool) -> ir.Value:
    """Write the sorted numbers of a vector, or their places; whether that was done."""
    function = declared(e.module, load_ranking(source.dtype, places), RANKING_TYPE)
    return e.b.call(function, [source.pointer, source.strides[0], source.shape[0], I1(stable), target.pointer])


def emit_ordering(e: Emitter, source: Array) -> list[Emitted]:
    """The places of the sorted numbers of a vector in a stable order."""
    (count,) = source.shape
    target = e.allocate((count,), I64_DTYPE)
    scratch = e.allocate((scratch_slots(count, e.b),), I64_DTYPE)
    function = declared(e.module, load_ordering(source.dtype), ORDERING_TYPE)
    e.b.call(function, [source.pointer, source.strides[0], count, target.pointer, scratch.pointer])
    e.call("ag_release", e.frame, scratch.owner)
    return [target]


def emit_order(e: Emitter, operation: Operation, dtype: np.dtype, places: bool) -> list[Emitted]:
    """The sorted numbers, or their places."""
    by_python = partial(emit_by_eager_rule, e, operation)
    (operand,) = operation.operands
    source = e.get(operand)
    if len(source.shape) != 1 or operation.attributes.get("descending"):
        return by_python()
    is_stable = operation.attributes.get("kind") in STABLE
    others = by_python
    if places and is_stable and source.dtype in ORDERED:
        others = partial(emit_ordering, e, source)
    elif is_countable(source.dtype) and not places:
        others = partial(emit_counting, e, operation, source, by_python)
    if source.dtype not in RANKED:
        return others()

    def rank(e: Emitter, operation: Operation) -> tuple[ir.Value, list[Emitted]]:
        target = e.allocate(source.shape, dtype)
        return emit_ranking(e, source, target, places, is_stable), [target]

    return emit_alternatives(e, operation, e.compare("<=", source.shape[0], I64(LONGEST)), rank, others)
