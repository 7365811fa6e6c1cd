"""Arrays that a trip makes and changes in place are made again where all that they are made of is kept anyway.

Forward: q = 3 * p; q[1:] -= p[:-1]; q[:-1] -= p[1:]           Reverse: the same from the p that was kept, in place of a q that was kept

The same for a state of an array that was there before the trip, where an earlier state is kept: u[1:] -= p[:-1] * u[1:], twice in a trip.
Twice the arithmetic of a few elementwise operations in the nearest cache takes less than a further array for each trip.
"""

from __future__ import annotations

from autograph_jit.autodiff.sweeps.phantoms import Phantoms, Request, is_costly
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.types import ArrayType
from autograph_jit.records import dataclass

MOST_OPERATIONS = 16
MOST_AFTER_STATE = 7  # where another state is kept anyway: what computes longer takes more time than keeping one more state
SLOW = frozenset({"divide", "sqrt", "sin", "cos", "floor_divide", "remainder"})  # beside a copy
MAKERS = ("copy", "full")


@dataclass(frozen=True, slots=True)
class Rebuilding:
    """How an array is made again: the operations of the primal, in their order, on what they made or on a copy of the state `of` it."""

    steps: list[Operation]
    of: Request | None


def rebuilding_of(phantoms: Phantoms, request: Request, region: Block) -> Rebuilding | None:
    """How an array is made again as it was when it was asked for; None where it is kept."""
    at = request.at
    if at is None or at.block is not region or region not in phantoms.residuals.invariants.owners:
        return None
    operations, maker = region.operations, request.value.owner
    if isinstance(maker, Operation) and maker.block is region:
        if not (is_elementwise(maker) or maker.name in MAKERS):
            return None
        steps = steps_between(phantoms, request, region, operations.index(maker) + 1, [maker], None)
        return None if steps is None else Rebuilding(steps, None)
    state = earlier_state(phantoms, request, region)
    if state is None or state.at is None:
        return None
    steps = steps_between(phantoms, request, region, operations.index(state.at), [], state)
    return None if steps is None else Rebuilding(steps, state)


def earlier_state(phantoms: Phantoms, request: Request, region: Block) -> Request | None:
    """The last state of an array before the one that is asked for, among those that the reverse sweep has anyway."""
    position = {operation: index for index, operation in enumerate(region.operations)}
    before: dict[int, Request] = {}
    for state in (phantoms.by_phantom[phantom] for phantom in phantoms.asked):
        is_state = state.value is request.value and state.axis is None
        if is_state and state.at in position and request.at in position and position[state.at] < position[request.at]:
            before[position[state.at]] = state
    return before[max(before)] if before else None


def steps_between(
    phantoms: Phantoms, request: Request, region: Block, first: int, wanted: list[Operation], state: Request | None
) -> list[Operation] | None:
    """The operations that an array goes through from the first of them to where it is asked for."""
    value, operations = request.value, region.operations
    end = operations.index(request.at)  # type: ignore[arg-type]
    own = {value}
    for operation in operations[:end]:
        if operation.opdef.effect is Effect.VIEW and operation.operands[0] in own:
            own.add(operation.result)
    for operation in operations[first:end]:
        if phantoms.writes(operation, value):
            if operation.name != "assign" or operation.operands[0] not in own:
                return None
            wanted.append(operation)
    needed = Needed(phantoms, request, region, own, state)
    if not all(needed.add(operation) for operation in wanted) or needed.cost > needed.most:
        return None
    return [operation for operation in operations if operation in needed.operations]


def is_elementwise(operation: Operation) -> bool:
    """Whether an operation computes an array element by element, in little time and without failing."""
    is_array = bool(operation.results) and isinstance(operation.results[0].type, ArrayType)
    return is_array and isinstance(operation.opdef.kernel, Pointwise) and not is_costly(operation) and not operation.can_fail


class Needed:
    """The operations that an array is made by; what they read otherwise has been asked for by the reverse sweep, too."""

    def __init__(self, phantoms: Phantoms, request: Request, region: Block, own: set[Value], state: Request | None) -> None:
        self.phantoms, self.request, self.region, self.own, self.state = phantoms, request, region, own, state
        self.operations: set[Operation] = set()
        self.most = MOST_OPERATIONS if state is None else MOST_AFTER_STATE

    def add(self, operation: Operation) -> bool:
        """Take an operation in with all that it needs; False where something is not at hand."""
        if operation in self.operations:
            return True
        self.operations.add(operation)
        if not self.comes_in_time(operation) or (self.state is not None and operation.name in SLOW):
            return False
        return self.cost <= self.most and all(self.has(operand, operation) for operand in operation.operands)

    @property
    def cost(self) -> int:
        """The operations but for views."""
        return sum(operation.opdef.effect is not Effect.VIEW for operation in self.operations)

    def comes_in_time(self, operation: Operation) -> bool:
        """Whether an operation that reads the array itself reads the state that it starts from, or a later one."""
        start = self.state.at if self.state is not None else None
        if start is None or operation.opdef.effect is Effect.VIEW or not self.own.intersection(operation.operands):
            return True
        operations = self.region.operations
        is_later = operations.index(start) <= operations.index(operation)
        return is_later or self.phantoms.sees_same(self.request.value, start, operation)

    def has(self, value: Value, reader: Operation) -> bool:
        """Whether a value can be had again where an operation reads it."""
        maker = value.owner
        if not isinstance(value.type, ArrayType):
            return True
        is_local = isinstance(maker, Operation) and maker.block is self.region
        if is_local and maker.opdef.effect is Effect.VIEW:  # type: ignore[union-attr]
            return maker.name == "basic_index" and self.add(maker)  # type: ignore[union-attr, arg-type]
        if value in self.own:
            return True
        if is_local and is_elementwise(maker) and not self.phantoms.written(value):  # type: ignore[arg-type]
            return self.add(maker)  # type: ignore[arg-type]
        return self.is_asked(value, reader)

    def is_asked(self, value: Value, reader: Operation) -> bool:
        """Whether an array is from outside, or the reverse sweep has it in the state that an operation reads."""
        phantom = self.phantoms.value(value, reader).value
        request = self.phantoms.by_phantom.get(phantom)
        if request is None:
            return True
        return request is not self.request and self.phantoms.home(request) is self.region and phantom in self.phantoms.asked
