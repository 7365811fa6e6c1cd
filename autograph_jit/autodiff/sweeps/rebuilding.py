"""Arrays that a trip makes and changes in place are made again where all that they are made of is kept anyway.

Forward: q = 3 * p; q[1:] -= p[:-1]; q[:-1] -= p[1:]           Reverse: the same from the p that was kept, in place of a q that was kept

Twice the arithmetic of a few elementwise operations in the nearest cache takes less than a further array for each trip.
"""

from __future__ import annotations

from autograph_jit.autodiff.sweeps.phantoms import Phantoms, Request, is_costly
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.types import ArrayType

MOST_OPERATIONS = 16
MAKERS = ("copy", "full")


def rebuilding_steps(phantoms: Phantoms, request: Request, region: Block) -> list[Operation] | None:
    """The operations of the primal, in their order, that make an array as it was when it was asked for; None where it is kept."""
    value, at = request.value, request.at
    maker = value.owner
    if at is None or at.block is not region or not isinstance(maker, Operation) or maker.block is not region:
        return None
    if region not in phantoms.residuals.invariants.owners or not (is_elementwise(maker) or maker.name in MAKERS):
        return None
    operations = region.operations
    between = operations[operations.index(maker) + 1 : operations.index(at)]
    own = {value}
    wanted = [maker]
    for operation in between:
        if operation.opdef.effect is Effect.VIEW and operation.operands[0] in own:
            own.add(operation.result)
        if phantoms.writes(operation, value):
            if operation.name != "assign" or operation.operands[0] not in own:
                return None
            wanted.append(operation)
    needed = Needed(phantoms, request, region, own)
    if not all(needed.add(operation) for operation in wanted) or len(needed.operations) > MOST_OPERATIONS:
        return None
    return [operation for operation in operations if operation in needed.operations]


def is_elementwise(operation: Operation) -> bool:
    """Whether an operation computes an array element by element, in little time and without failing."""
    is_array = bool(operation.results) and isinstance(operation.results[0].type, ArrayType)
    return is_array and isinstance(operation.opdef.kernel, Pointwise) and not is_costly(operation) and not operation.can_fail


class Needed:
    """The operations that an array is made by; what they read otherwise has been asked for by the reverse sweep, too."""

    def __init__(self, phantoms: Phantoms, request: Request, region: Block, own: set[Value]) -> None:
        self.phantoms, self.request, self.region, self.own = phantoms, request, region, own
        self.operations: set[Operation] = set()

    def add(self, operation: Operation) -> bool:
        """Take an operation in with all that it needs; False where something is not at hand."""
        if operation in self.operations:
            return True
        self.operations.add(operation)
        return len(self.operations) <= MOST_OPERATIONS and all(self.has(operand, operation) for operand in operation.operands)

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
