"""Truth values that the reverse sweep of a loop computes of arrays are computed in the forward sweep, where keeping them takes less.

Before: forward `h = maximum(W @ h, 0)`, keeps W @ h and h        After: forward `z = W @ h; m = z >= 0; h = maximum(z, 0)`, keeps m and h
        reverse `ct = where(z >= 0, ct, 0)`                              reverse `ct = where(m, ct, 0)`

An element of a mask is one byte, of what it is computed of mostly sixteen. Where the reverse sweep has that anyway, nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable

from autograph_jit.autodiff.sweeps.partials import requests_of
from autograph_jit.autodiff.sweeps.phantoms import Phantoms, Request
from autograph_jit.ir.graph import Block, Operation, Value, constant_of
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.tracing.values.trace import active

AN_AXIS = 1024  # how many elements an axis is taken to have, so that arrays count before numbers
Nodes = dict[Value, Operation]
Cost = Callable[[list[Request]], list[Request]]  # which requests would have to be kept


def masks_forward(phantoms: Phantoms, region: Block, block: Block, keep: set[Value], kept_of: Cost) -> dict[Value, Value]:
    """What stands for the masks of a reverse region that move to the forward sweep; none where they stay."""
    if region.terminated or active().handling.tries or not phantoms.residuals.loops_around(region):
        return {}
    nodes = primal_arrays(phantoms, block)
    inner = {operand for operation in nodes.values() for operand in operation.operands}
    masks = [value for value in nodes if is_mask(value) and value not in inner and value not in keep]
    if not masks:
        return {}
    roots = [operation for operation in block.operations if not any(result in nodes for result in operation.results)]
    roots += [nodes[value] for value in nodes if value in keep]
    moved: list[Value] = []
    before = bytes_kept(kept_of(requests_of(phantoms, region, roots, nodes, set())))
    for group in sharing(phantoms, region, nodes, masks):
        trial = moved + [value for value in group if place_of(phantoms, region, nodes, value) is not None]
        needed = requests_of(phantoms, region, roots, nodes, {nodes[value] for value in trial})
        after = bytes_kept(kept_of(needed)) + sum(bytes_of(value) for value in trial)
        if after < before:
            moved, before = trial, after
    return {value: phantoms.value(move(phantoms, region, nodes, value)).value for value in moved}


def is_mask(value: Value) -> bool:
    return isinstance(value.type, ArrayType) and value.type.dtype.kind == "b"


def bytes_of(value: Value) -> int:
    """About how much a value takes."""
    type_ = value.type
    assert isinstance(type_, (ArrayType, ScalarType))
    sizes = type_.dims if isinstance(type_, ArrayType) else ()
    total = int(type_.dtype.itemsize)
    for size in sizes:
        total *= size if isinstance(size, int) else AN_AXIS
    return total


def bytes_kept(requests: list[Request]) -> int:
    return sum(bytes_of(request.phantom) for request in requests if isinstance(request.phantom.type, (ArrayType, ScalarType)))


def primal_arrays(phantoms: Phantoms, block: Block) -> Nodes:
    """The operations of a reverse block that compute arrays and numbers element by element of primal ones only, by result."""
    nodes: Nodes = {}

    def is_primal(value: Value) -> bool:
        request = phantoms.by_phantom.get(value)
        if request is not None:
            return request.axis is None and isinstance(value.type, (ArrayType, ScalarType))
        return value in nodes or constant_of(value) is not None

    for operation in block.operations:
        if isinstance(operation.opdef.kernel, Pointwise) and len(operation.results) == 1 and all(map(is_primal, operation.operands)):
            nodes[operation.result] = operation
    return nodes


def sharing(phantoms: Phantoms, region: Block, nodes: Nodes, masks: list[Value]) -> list[list[Value]]:
    """The masks in groups of those that are computed of the same values: one of them alone would save nothing."""
    groups: list[tuple[set[Value], list[Value]]] = []
    for mask in masks:
        read = {request.phantom for request in requests_of(phantoms, region, [nodes[mask]], nodes, set())}
        together = [mask]
        for group in [group for group in groups if not group[0].isdisjoint(read)]:
            groups.remove(group)
            read |= group[0]
            together = group[1] + together
        groups.append((read, together))
    return [group for _, group in groups]


def place_of(phantoms: Phantoms, region: Block, nodes: Nodes, mask: Value) -> int | None:
    """Where in a primal region all that a mask is computed of is in the state that was asked for; None where there is no such place."""
    requests = requests_of(phantoms, region, [nodes[mask]], nodes, set())
    timed = [(request.value, request.at) for request in requests if request.at is not None]
    if not timed:
        return len(region.operations)
    last = max((at for _, at in timed), key=region.operations.index)
    if not all(phantoms.sees_same(value, at, last) for value, at in timed):
        return None
    place = region.operations.index(last)
    made = {result for operation in region.operations[:place] for result in operation.results} | set(region.args)
    return place if all(request.value in made for request in requests) else None


def move(phantoms: Phantoms, region: Block, nodes: Nodes, mask: Value) -> Value:
    """A mask as a value of the primal region."""
    place = place_of(phantoms, region, nodes, mask)
    assert place is not None
    made: dict[Value, Value] = {}
    copies: list[Operation] = []

    def primal(value: Value) -> Value:
        request = phantoms.by_phantom.get(value)
        if request is not None:
            return request.value
        if value not in made:
            owner = nodes.get(value, value.owner)
            assert isinstance(owner, Operation)
            copy = Operation(owner.opdef, [primal(operand) for operand in owner.operands], dict(owner.attributes), [], owner.span)
            copy.results = [Value(value.type, copy, 0, value.hint)]
            phantoms.homes[copy.result] = region
            copies.append(copy)
            made[value] = copy.result
        return made[value]

    result = primal(mask)
    region.operations[place:place] = region.adopt(copies)
    return result
