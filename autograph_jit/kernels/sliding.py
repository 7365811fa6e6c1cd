"""Loops over the places of a short window: which of them take all places at once (`kernels.slid` writes that).

Before: for i in range(n - m + 1): out[i] = np.sum(x[i : i + m] * taps)
After:  the same as sums of rows, `out[:] = np.sum(windows * taps[:, None], axis=0)` with `windows[k, i] = x[i + k]` a view, where the run
        finds places enough, windows that are short and everything in bounds; the loop as it is otherwise.

A short window leaves most of a vector's lanes empty and ends with adding lanes up; places side by side fill them. Requires: nothing that
a trip reads is written by the loop, and nothing can fail once the windows and elements are in bounds.
"""

from __future__ import annotations

from autograph_jit.ir.graph import Block, Graph, Operation, Value, literal_of
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.types import I64, ArrayType, ScalarType
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import array_dims, blocks_of
from autograph_jit.kernels.slid import Sliding, write_at_once

FOLDS = ("sum", "prod", "max", "min", "any", "all")
OF_INDICES = ("add", "subtract", "multiply", "maximum", "minimum", "constant", "dim")


def slide_windows(graph: Graph, facts: Facts) -> bool:
    """Give the loops over windows of a graph their second form; whether there was any."""
    found = 0
    for block in list(blocks_of(graph.block)):
        for loop in [operation for operation in block.operations if operation.name == "for_loop"]:
            sliding = sliding_of(loop, facts)
            if sliding is not None:
                found += 1
                write_at_once(loop, sliding, found)
    return found > 0


def sliding_of(loop: Operation, facts: Facts) -> Sliding | None:
    """What a loop over windows does; None where it is not such a loop."""
    (body,) = loop.regions
    is_plain = not (loop.results or loop.unwind or loop.attributes.get("has_break") or body.terminated or len(body.args) != 1)
    if not is_plain or literal_of(loop.operands[2]) != 1 or not any(operation.name == "basic_index" for operation in body.operations):
        return None
    sliding = Sliding({body.args[0]})
    if not all(takes(operation, body, sliding, facts) for operation in body.operations):
        return None
    return sliding if sliding.windows and sliding.folds and is_apart(body, sliding, facts) else None


def takes(operation: Operation, body: Block, sliding: Sliding, facts: Facts) -> bool:
    """Whether an operation is one that all places can have at once; notes what it does."""
    if operation.unwind or operation.regions:
        return False
    moves = [value in sliding.moving for value in operation.operands]
    varies = any(value in sliding.varying for value in operation.operands)
    if operation.name in ("load", "store"):
        return is_element(operation, body, sliding)
    if operation.name == "basic_index" and any(moves):
        return is_window(operation, body, sliding, facts)
    if any(moves):
        if operation.name not in ("add", "subtract") or varies or operation.result.type != I64 or sum(moves) != 1:
            return False
        sliding.moving.add(operation.result)
        return moves[0] or operation.name == "add"
    if operation.name in ("reduce", "matmul") and varies:
        return is_fold(operation, sliding)
    if operation.name == "dim":
        return True  # all places have windows of one size
    if operation.name == "check":
        return not varies and not any(access.name == "store" for access in sliding.elements)
    is_pointwise = isinstance(operation.opdef.kernel, Pointwise)
    if operation.can_fail or not (is_pointwise or operation.name in ("constant", "basic_index") and not varies):
        return False
    if varies:
        sliding.varying.update(operation.results)
    return True


def is_window(view: Operation, body: Block, sliding: Sliding, facts: Facts) -> bool:
    """Whether a view is a window that moves by one element of a vector that the trip does not make. (Those of matrices, and those of a
    literal size, which is written out, are not slower trip by trip.)"""
    array, *bounds = view.operands
    is_plain = view.attributes["items"] == (("slice", True, True, False),) and not isinstance(array_dims(view.result)[0], int)
    if not is_plain or array in sliding.varying or made_in(array, body) or not facts.is_contiguous(array):
        return False
    if not all(bound in sliding.moving and is_known_in_front(bound, body, sliding) for bound in bounds):
        return False
    sliding.windows.append(view)
    sliding.varying.add(view.result)
    return True


def is_element(access: Operation, body: Block, sliding: Sliding) -> bool:
    """Whether a load or store is of an element that moves by one along one axis of an array that the trip does not make."""
    array, *rest = access.operands
    value, indices = (rest[0], rest[1:]) if access.name == "store" else (None, rest)
    if array in sliding.varying or made_in(array, body) or value in sliding.moving:
        return False
    if sum(index in sliding.moving for index in indices) != 1 or not all(is_known_in_front(index, body, sliding) for index in indices):
        return False
    sliding.elements.append(access)
    if access.name == "load":
        sliding.varying.update(access.results)
    return True


def is_fold(operation: Operation, sliding: Sliding) -> bool:
    """Whether a fold gives one number for each place."""
    if operation.name == "matmul":
        fits = all(isinstance(value.type, ArrayType) and value.type.rank == 1 for value in operation.operands)
    else:
        is_vector = len(array_dims(operation.operands[0])) == 1
        fits = operation.attributes["op"] in FOLDS and is_vector and isinstance(operation.result.type, ScalarType)
    sliding.folds.append(operation)
    sliding.varying.update(operation.results)
    return fits and operation.result.type.dtype.kind in "biuf"  # type: ignore[union-attr]


def is_known_in_front(number: Value, body: Block, sliding: Sliding) -> bool:
    """Whether an integer is known in front of the loop, or is so but for the trip's number."""
    if not made_in(number, body) or number is body.args[0]:
        return True
    maker = number.owner
    return (
        isinstance(maker, Operation) and maker.name in OF_INDICES and all(is_known_in_front(part, body, sliding) for part in maker.operands)
    )


def made_in(value: Value, body: Block) -> bool:
    return value.owner is body or isinstance(value.owner, Operation) and value.owner.block is body


def is_apart(body: Block, sliding: Sliding, facts: Facts) -> bool:
    """Whether each array that the loop writes is used by one store only."""
    stores = [operation for operation in sliding.elements if operation.name == "store"]
    for store in stores:
        for operation in body.operations:
            arrays = [value for value in operation.operands if isinstance(value.type, ArrayType) and value not in sliding.varying]
            if operation is not store and any(facts.may_alias(value, store.operands[0]) for value in arrays):
                return False
    return bool(stores)
