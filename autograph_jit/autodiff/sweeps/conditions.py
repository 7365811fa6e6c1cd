"""Conditions that the reverse sweep of a loop asks for are kept, where computing them again would take more memory.

Forward: if v > best: best = v            keeps `v > best`, a byte for each trip, not `best`
Reverse: if v > best: ...
"""

from __future__ import annotations

from typing import Any

from autograph_jit.autodiff.sweeps.lasting import reading_loops
from autograph_jit.autodiff.sweeps.partials import values_to_keep
from autograph_jit.autodiff.sweeps.phantoms import Phantoms, Request, is_recomputable
from autograph_jit.ir.graph import Block, Value
from autograph_jit.ir.types import ScalarType


def keep_conditions(phantoms: Phantoms, region: Block, requests: list[Request], given: dict[Any, Any]) -> None:
    """Note which of the requested truth values of a region are not computed again."""
    if not phantoms.residuals.loops_around(region):
        return
    conditions = [request.value for request in requests if request.axis is None and is_condition(phantoms, request.value, region)]
    for condition in conditions:
        before = bytes_of(phantoms, region, values_to_keep(phantoms, region, requests, given, phantoms.kept))
        after = bytes_of(phantoms, region, values_to_keep(phantoms, region, requests, given, phantoms.kept | {condition}))
        if after < before:
            phantoms.kept.add(condition)


def is_condition(phantoms: Phantoms, value: Value, region: Block) -> bool:
    """Whether a value is a truth value that would be computed again."""
    return isinstance(value.type, ScalarType) and value.type.dtype.kind == "b" and is_recomputable(phantoms, value, region)


def bytes_of(phantoms: Phantoms, region: Block, values: set[Value]) -> int:
    """What numbers take that are kept in each trip; an array that is kept once for a whole loop takes little of one."""
    kept = [value for value in values if reading_loops(phantoms, value, region) is None]
    return sum(value.type.dtype.itemsize for value in kept if isinstance(value.type, ScalarType))
