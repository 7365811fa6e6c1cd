"""Functions of primal numbers that the reverse sweep of a loop needs are computed in the forward sweep, which waits for its own results.

Before: forward `s = sin(s)`, keeps s;                  After: forward `c = cos(s); s = sin(s)`, keeps c
        reverse `ct = ct * cos(s)`                             reverse `ct = ct * c`

A recurrence computes one number after the other, so that what does not hold up the next one costs little there. No more numbers are kept
than before, or twice as many where the loops are known to make few trips.
"""

from __future__ import annotations

import math
from typing import Any

from autograph_jit.autodiff.sweeps.phantoms import COSTLY, Phantoms, Request, is_recomputable
from autograph_jit.autodiff.sweeps.trips import known_trip_count
from autograph_jit.ir.graph import Block, Operation, Value, constant_of
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ScalarType

DEAR = COSTLY | {"sin", "cos"}
FEW_TRIPS = 1 << 18  # two megabytes for each number that is kept


def compute_forward(phantoms: Phantoms, region: Block, block: Block, keep: set[Value], given: dict[Any, Any]) -> dict[Value, Value]:
    """What stands for the results of operations of a reverse region that move to the forward sweep; none where they stay."""
    loops = phantoms.residuals.nest(region)
    if region.terminated or loops is None:
        return {}
    nodes = primal_nodes(phantoms, block)
    dear = [operation for result, operation in nodes.items() if operation.name in DEAR and result not in keep]
    roots = [operation for operation in block.operations if not any(result in nodes and result not in keep for result in operation.results)]
    requests = requests_of(phantoms, region, roots, nodes, set(dear))
    again = [request.value for request in requests if isinstance(request.value.owner, Operation) and request.value.owner.name in DEAR]
    kept_before = values_to_keep(phantoms, region, requests_of(phantoms, region, roots, nodes, set()), given, set())
    if not (dear or again) or not kept_before:
        return {}
    kept_after = values_to_keep(phantoms, region, requests, given, set(again))
    if len(kept_after | set(again)) + len(dear) > len(kept_before) * (2 if makes_few_trips(loops) else 1):
        return {}
    made: dict[Value, Value] = {}
    moved = {operation.result: move(phantoms, region, operation, nodes, made) for operation in dear}
    phantoms.kept.update((*again, *moved.values()))
    return {result: phantoms.value(value).value for result, value in moved.items()}


def makes_few_trips(loops: list[Operation]) -> bool:
    """Whether nested loops are known to make few trips."""
    counts = [known_trip_count(loop) for loop in loops]
    known = [count for count in counts if count is not None]
    return len(known) == len(counts) and math.prod(known) <= FEW_TRIPS


def primal_nodes(phantoms: Phantoms, block: Block) -> dict[Value, Operation]:
    """The operations of a reverse block that compute numbers of primal numbers only, by result."""
    nodes: dict[Value, Operation] = {}

    def is_primal(value: Value) -> bool:
        request = phantoms.by_phantom.get(value)
        if request is not None:
            return request.at is None and request.axis is None and isinstance(value.type, ScalarType)
        return value in nodes or constant_of(value) is not None

    for operation in block.operations:
        if operation.opdef.effect is not Effect.PURE or operation.regions or operation.can_fail or len(operation.results) != 1:
            continue
        if isinstance(operation.result.type, ScalarType) and operation.operands and all(map(is_primal, operation.operands)):
            nodes[operation.result] = operation
    return nodes


def requests_of(
    phantoms: Phantoms, region: Block, roots: list[Operation], nodes: dict[Value, Operation], without: set[Operation]
) -> list[Request]:
    """The primal values of a region that operations of a reverse block need, those of `nodes` behind them included."""
    found: dict[Value, Request] = {}
    pending, seen = list(roots), set(without)
    while pending:
        operation = pending.pop()
        if operation in seen:
            continue
        seen.add(operation)
        for inner in operation.regions:
            pending += inner.operations
        for value in (*operation.operands, *(value for inner in operation.regions for value in inner.yields)):
            request = phantoms.by_phantom.get(value)
            if request is not None and phantoms.home(request) is region:
                found[value] = request
            elif value in nodes:
                pending.append(nodes[value])
    return list(found.values())


def values_to_keep(phantoms: Phantoms, region: Block, requests: list[Request], given: dict[Any, Any], kept: set[Value]) -> set[Value]:
    """The values that have to be kept for these requests."""
    found: set[Value] = set()

    def visit(value: Value) -> None:
        if value in given or value in found or phantoms.homes.get(value) is not region:
            return
        if value not in kept and is_recomputable(phantoms, value, region):
            assert isinstance(value.owner, Operation)
            for operand in value.owner.operands:
                visit(operand)
        else:
            found.add(value)

    for request in requests:
        if request.axis is None:
            visit(request.value)
    return found


def move(phantoms: Phantoms, region: Block, operation: Operation, nodes: dict[Value, Operation], made: dict[Value, Value]) -> Value:
    """The primal value that an operation on stand-ins computes: that of an equal operation of the region, or of a new one at its end."""

    def primal(value: Value) -> Value:
        request = phantoms.by_phantom.get(value)
        if request is not None:
            return request.value
        if value not in made:
            owner = nodes.get(value, value.owner)
            assert isinstance(owner, Operation)
            made[value] = move(phantoms, region, owner, nodes, made)
        return made[value]

    operands = [primal(value) for value in operation.operands]
    for other in region.operations:
        if other.name == operation.name and other.operands == operands and operands and other.attributes == operation.attributes:
            return other.result
    copy = Operation(operation.opdef, operands, dict(operation.attributes), [], operation.span)
    copy.block = region
    copy.results = [Value(operation.result.type, copy, 0, operation.result.hint)]
    region.operations.append(copy)
    phantoms.homes[copy.result] = region
    return copy.result
