"""Sorting: vectors of a few numbers by native code, all others by NumPy."""

from __future__ import annotations

from functools import partial

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.alternatives import emit_alternatives
from autograph_jit.backends.cpu.arrays.ranking import LONGEST, RANKED, RANKING_TYPE, load_ranking
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.host import emit_by_eager_rule
from autograph_jit.backends.cpu.published import declared
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import I1, I64
from autograph_jit.backends.cpu.values import Emitted, array_type
from autograph_jit.ir.graph import Operation

STABLE = ("stable", "mergesort")


@rule("sort")
def emit_sort(e: Emitter, operation: Operation) -> list[Emitted]:
    return emit_order(e, operation, array_type(operation.result).dtype, False)


@rule("argsort")
def emit_argsort(e: Emitter, operation: Operation) -> list[Emitted]:
    return emit_order(e, operation, np.dtype(np.int64), True)


def emit_order(e: Emitter, operation: Operation, dtype: np.dtype, places: bool) -> list[Emitted]:
    """The sorted numbers, or their places."""
    by_python = partial(emit_by_eager_rule, e, operation)
    (operand,) = operation.operands
    source = e.get(operand)
    if len(source.shape) != 1 or source.dtype not in RANKED or operation.attributes.get("descending"):
        return by_python()

    def rank(e: Emitter, operation: Operation) -> tuple[ir.Value, list[Emitted]]:
        target = e.allocate(source.shape, dtype)
        name = load_ranking(source.dtype, places)
        function = declared(e.module, name, RANKING_TYPE)
        stable = I1(operation.attributes.get("kind") in STABLE)
        return e.b.call(function, [source.pointer, source.strides[0], source.shape[0], stable, target.pointer]), [target]

    return emit_alternatives(e, operation, e.compare("<=", source.shape[0], I64(LONGEST)), rank, by_python)
