"""One state of an array that the program writes is kept in the place of views of it and of what is cheaply computed from such views.

Forward: d = u[1:-1] - u[:-2]; e = 0.01 * u[1:-1]; u[1:-1] -= e * d        keeps u, once for each trip, not d and e
Reverse: d = kept[1:-1] - kept[:-2]; e = 0.01 * kept[1:-1]                  in the nests that read them; np.roll(u, 1) is such a view, too

The forward sweep then computes what the primal computes, in the same nests, and copies one array. A copy that the program makes itself
and then only reads is such a state, too.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograph_jit.autodiff.sweeps.phantoms import Phantoms, Request, is_costly, is_recomputable
from autograph_jit.ir.dims import most_apart
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.rotations import rotation_of, slices_of
from autograph_jit.ir.types import ArrayType, ScalarType

MOST_OPERATIONS = 16
States = dict[Value, Request]  # by phantom


def choose_states(phantoms: Phantoms, used: list[Request], region: Block) -> None:
    """Ask for states of arrays that serve the requests of a reverse region, where they are no more than what they stand for."""
    if region not in phantoms.residuals.invariants.owners:
        return
    groups: list[tuple[States, list[Request]]] = []
    for request in used:
        states = States()
        if request.axis is not None or cheap_operands(phantoms, request, region) is not None:
            continue
        if not Search(phantoms, region).covers(request, states) or not states:
            continue
        together = [group for group in groups if not group[0].keys().isdisjoint(states)]
        requests = [request]
        for group in together:
            groups.remove(group)
            states.update(group[0])
            requests = group[1] + requests
        groups.append((states, requests))
    for states, requests in groups:
        kept = [request for request in requests if request.phantom not in states]
        taken = bytes_of(states.values())
        if taken < bytes_of(requests) or (taken == bytes_of(kept) and not all(is_view(request) for request in kept)):
            phantoms.asked.update(states)


def bytes_of(requests: Iterable[Request]) -> int:
    """The bytes of an element of each of several arrays that have nearly as many of them."""
    return sum(request.value.type.dtype.itemsize for request in requests)  # type: ignore[misc, union-attr]


def cheap_operands(phantoms: Phantoms, request: Request, region: Block) -> list[Request | Value] | None:
    """What an array is computed of again, in the place of being kept: numbers, and arrays that the reverse sweep has anyway; None where it
    is kept. The arrays come as requests where they are of this region."""
    value, owner = request.value, request.value.owner
    if not isinstance(value.type, ArrayType) or request.at is not None or request.axis is not None or not isinstance(owner, Operation):
        return None
    if not isinstance(owner.opdef.kernel, Pointwise) or is_costly(owner):
        return None
    found: list[Request | Value] = []
    for operand in owner.operands:
        if isinstance(operand.type, ScalarType):
            found.append(operand)
            continue
        phantom = phantoms.value(operand, owner).value
        needed = phantoms.by_phantom.get(phantom)
        if needed is None or phantoms.home(needed) is not region:
            found.append(phantom)
        elif is_had(phantoms, needed, region):
            found.append(needed)
        else:
            return None
    return found


def is_had(phantoms: Phantoms, request: Request, region: Block) -> bool:
    """Whether an array is asked for, or cheaply made of what is, or a part of one that nothing writes."""
    if request.phantom in phantoms.asked or state_behind(phantoms, request, region) is not None:
        return True
    turned = turned_behind(phantoms, request, region)
    if turned is not None and is_had(phantoms, turned, region):
        return True
    if request.at is None and request.axis is None and is_recomputable(phantoms, request.value, region):
        return True
    return cheap_operands(phantoms, request, region) is not None


def is_view(request: Request) -> bool:
    return isinstance(request.value.owner, Operation) and request.value.owner.opdef.effect is Effect.VIEW


def state_behind(phantoms: Phantoms, request: Request, region: Block) -> Request | None:
    """The whole array that a request for a view of it can be read from, if that is asked for or cheaply made of what is."""
    state = whole(phantoms, request, region)
    return state if state is not None and is_had(phantoms, state, region) else None


def whole(phantoms: Phantoms, request: Request, region: Block) -> Request | None:
    """The request for the whole of which an array is a part, in the same state if it is written."""
    owner = request.value.owner
    if request.axis is not None or not isinstance(owner, Operation) or (request.at or owner).block is not region:
        return None
    if owner.name != "basic_index" or not all(is_at_hand(phantoms, operand, region) for operand in owner.operands[1:]):
        return None
    state = phantoms.by_phantom.get(phantoms.value(owner.operands[0], request.at or owner).value)
    return state if state is not None and phantoms.home(state) is region else None


def turned_behind(phantoms: Phantoms, request: Request, region: Block) -> Request | None:
    """The request for the array of which another one is a rotation along one axis, which a nest reads as cheaply."""
    owner = request.value.owner
    if request.axis is not None or request.at is not None or not isinstance(owner, Operation) or owner.block is not region:
        return None
    rotation = rotation_of(owner)
    if rotation is None or len(rotation.makers) != 1:
        return None
    if not all(is_at_hand(phantoms, part.operands[1], region) for part in slices_of(owner)):
        return None
    source = phantoms.by_phantom.get(phantoms.value(rotation.source, owner).value)
    return source if source is not None and phantoms.home(source) is region else None


def is_at_hand(phantoms: Phantoms, number: Value, region: Block) -> bool:
    """Whether a number of a subscript is known in the reverse sweep without being kept."""
    return phantoms.homes.get(number) is not region or is_recomputable(phantoms, number, region)


class Search:
    """Finds the states that a request can be computed from. None has more elements than the request, but for the few that views leave out:
    what is computed element by element is no smaller than its operands."""

    def __init__(self, phantoms: Phantoms, region: Block) -> None:
        self.phantoms, self.region, self.operations = phantoms, region, 0

    def covers(self, request: Request, states: States) -> bool:
        """Whether a request is for a state, or is computed from states, which are added."""
        owner = request.value.owner
        if self.phantoms.home(request) is not self.region:  # kept once for the whole loop, if at all
            return True
        if not isinstance(request.value.type, ArrayType):
            return False
        if is_view(request):
            array_ = whole(self.phantoms, request, self.region)
            return array_ is not None and leaves_out_few(request.value) and self.covers(array_, states)
        turned = turned_behind(self.phantoms, request, self.region)
        if turned is not None:
            return self.covers(turned, states)
        if request.at is not None or not isinstance(owner, Operation) or owner.name == "copy":
            states[request.phantom] = request
            return True
        if not isinstance(owner.opdef.kernel, Pointwise) or is_costly(owner):
            return False
        self.operations += 1
        return self.operations <= MOST_OPERATIONS and all(self.covers_operand(operand, owner, states) for operand in owner.operands)

    def covers_operand(self, operand: Value, reader: Operation, states: States) -> bool:
        if isinstance(operand.type, ScalarType):
            return True
        phantom = self.phantoms.value(operand, reader).value
        request = self.phantoms.by_phantom.get(phantom)
        return request is None or self.covers(request, states)


def leaves_out_few(view: Value) -> bool:
    """Whether a view has nearly as many elements as the array of which it is a part."""
    assert isinstance(view.owner, Operation)
    x, y = view.owner.operands[0].type, view.type
    assert isinstance(x, ArrayType) and isinstance(y, ArrayType)
    return x.rank == y.rank and all(most_apart(size, other) is not None for size, other in zip(x.dims, y.dims))
