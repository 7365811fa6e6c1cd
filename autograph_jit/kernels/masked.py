"""Updates of the elements that a mask selects: they run where the elements lie, without an array of those that are selected.

Before: t = x[m]; t *= 2.0; x[m] = t            After: one nest, `if m[i]: x[i] = x[i] * 2.0`

`x[m] *= 2.0` is the first of these: what it selects is changed in place before it is stored.
"""

from __future__ import annotations

from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.escape import find_users
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import is_pointwise_array, may_write
from autograph_jit.records import dataclass

MOST_PARTS = 12


@dataclass(frozen=True, slots=True)
class MaskedUpdate:
    """What computes the elements that an assignment stores: selections by its mask, operations on them, the value that they make."""

    selections: tuple[Operation, ...]
    operations: tuple[Operation, ...]
    value: Value


def find_masked(graph: Graph, facts: Facts, consumers: dict[Operation, Operation]) -> dict[Operation, MaskedUpdate]:
    """By assignments to what a mask selects, what runs in their nest; they become its consumers."""
    users, leaving = find_users(graph)
    found: dict[Operation, MaskedUpdate] = {}
    for operation in graph.walk():
        if operation.name != "mask_assign" or operation.unwind or not covers_all(operation):
            continue
        parts = update_of(operation, users)
        if parts is None or not is_closed(operation, parts, users, leaving) or not may_wait(operation, parts, facts):
            continue
        found[operation] = parts
        consumers.update((part, operation) for part in (*parts.selections, *parts.operations))
    return found


def covers_all(operation: Operation) -> bool:
    """Whether the mask of a selection or assignment has all axes of the array."""
    array, mask = (value.type for value in operation.operands[:2])
    return isinstance(array, ArrayType) and isinstance(mask, ArrayType) and array.rank == mask.rank and mask.dtype.kind == "b"


def update_of(assign: Operation, users: dict[Value, list[Operation]]) -> MaskedUpdate | None:
    """What makes the value that an assignment stores; None where that is more than selections by its mask and operations on them."""
    given: Value = assign.operands[2]
    stores: list[Operation] = []
    if isinstance(given.owner, Operation) and given.owner.name == "mask_select":
        stores = [user for user in users.get(given, ()) if user.name == "assign" and user.operands[0] is given]
    if len(stores) > 1 or (stores and stores[0].block is not assign.block):
        return None
    value = stores[0].operands[1] if stores else given
    selections: dict[Operation, None] = {given.owner: None} if stores and isinstance(given.owner, Operation) else {}
    operations: dict[Operation, None] = dict.fromkeys(stores)
    waiting = [value, *([given] if stores else [])]
    while waiting:
        maker = waiting.pop().owner
        if not isinstance(maker, Operation) or maker.block is not assign.block or maker.unwind or len(operations) > MOST_PARTS:
            return None
        if maker.name == "mask_select":
            if maker.operands[1] is not assign.operands[1] or not covers_all(maker):
                return None
            selections[maker] = None
        elif is_pointwise_array(maker):
            operations[maker] = None
            waiting += [operand for operand in maker.operands if isinstance(operand.type, ArrayType)]
        else:
            return None
    return MaskedUpdate(tuple(selections), tuple(operations), value) if selections else None


def is_closed(assign: Operation, parts: MaskedUpdate, users: dict[Value, list[Operation]], leaving: set[Value]) -> bool:
    """Whether nobody else reads what runs in the nest."""
    own = {assign, *parts.selections, *parts.operations}
    results = [result for part in own for result in part.results]
    return not any(result in leaving or not own.issuperset(users.get(result, ())) for result in results)


def may_wait(assign: Operation, parts: MaskedUpdate, facts: Facts) -> bool:
    """Whether nothing that is read changes before the assignment, nor by it but at the element that is stored."""
    target, mask = assign.operands[:2]
    assert isinstance(target.type, ArrayType) and isinstance(mask.type, ArrayType)
    sources = [selection.operands[0] for selection in parts.selections]
    if any(source is not target and facts.may_meet(source, target) for source in sources) or facts.may_meet(mask, target):
        return False
    if target not in sources and target.type.dims != mask.type.dims:  # else what is selected has shown that the sizes fit
        return False
    assert assign.block is not None
    first = min(facts.position(part) for part in parts.selections)
    between = assign.block.operations[first + 1 : facts.position(assign)]
    own = {*parts.selections, *parts.operations}
    return not any(each not in own and may_write(each, [*sources, mask], facts) for each in between)
