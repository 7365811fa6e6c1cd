"""Two trips of a loop as one, where the array between them is made again in the reverse sweep sooner than it is kept.

Before: `for_loop(start, stop, 1)[u[1:] -= u[1:] * u[:-1]]`
After:  `for_loop(0, trips // 2, 1)[u[1:] -= u[1:] * u[:-1]; u[1:] -= u[1:] * u[:-1]]`, and a trip more where their number may be odd

The sweep keeps half as many states then (`autodiff.sweeps.rebuilding`). That is for loops that do little: a few sums and products of slices
of one array, some of them of two that change.
"""

from __future__ import annotations

import numpy as np

from autograph_jit.autodiff.sweeps.rebuilding import MOST_AFTER_STATE, SLOW, is_elementwise
from autograph_jit.autodiff.sweeps.trips import constant_of, known_trip_count, trip_count
from autograph_jit.ir.copying import Visible, copy_operation
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import I64, ArrayType
from autograph_jit.tracing.values.lift import scalar
from autograph_jit.tracing.values.trace import active, block_of, constant, detached, emit

FEWEST_TRIPS = 4
NONLINEAR = ("multiply", "power", "square")


def pair_trips(block: Block) -> None:
    """Pair the trips of such loops of a block and of its regions."""
    for operation in list(block.operations):
        for region in operation.regions:
            pair_trips(region)
        if is_worth_pairing(operation):
            position = block.operations.index(operation)
            made = Block(block)
            with detached(active(), made):
                emit_pairs(operation)
            block.operations[position : position + 1] = block.adopt(made.operations)


def is_worth_pairing(operation: Operation) -> bool:
    """Whether a loop changes one array from outside by a few sums and products of its slices, and nothing else."""
    if operation.name != "for_loop" or len(operation.operands) > 3 or {"checkpoint", "segment"} & operation.attributes.keys():
        return False
    (body,), trips = operation.regions, known_trip_count(operation)
    if operation.attributes.get("has_break") or body.terminated or constant_of(operation.operands[2]) != 1:
        return False
    arrays = [inner for inner in body.operations if inner.name == "assign" or is_elementwise(inner)]
    if len(arrays) > MOST_AFTER_STATE or (trips is not None and trips < FEWEST_TRIPS) or not all(map(is_cheap_operation, body.operations)):
        return False
    written = {root_of(inner.operands[0]) for inner in body.operations if inner.name == "assign"}
    changing = reached_from(written, body)
    return len(written) == 1 and any(
        inner.name in NONLINEAR and all(value in changing or root_of(value) in written for value in inner.operands if is_array(value))
        for inner in arrays
        if sum(map(is_array, inner.operands)) == 2 or inner.name != "multiply"
    )


def is_cheap_operation(operation: Operation) -> bool:
    """Whether an operation is a slice, a number, a cheap elementwise one, or an assignment that cannot fail."""
    if operation.regions or operation.unwind or operation.name in SLOW:
        return False
    if operation.name in ("assign", "basic_index", "constant", "dim"):
        return True
    has_arrays = any(map(is_array, (*operation.operands, *operation.results)))
    return is_elementwise(operation) if has_arrays else operation.opdef.effect is Effect.PURE and not operation.can_fail


def is_array(value: Value) -> bool:
    return isinstance(value.type, ArrayType)


def root_of(value: Value) -> Value:
    """The array that a chain of slices starts from."""
    while isinstance(value.owner, Operation) and value.owner.name == "basic_index":
        value = value.owner.operands[0]
    return value


def reached_from(written: set[Value], body: Block) -> set[Value]:
    """What a trip computes of the arrays that it changes."""
    found: set[Value] = set()
    for operation in body.operations:
        if any(value in found or root_of(value) in written for value in operation.operands):
            found.update(operation.results)
    return found


def emit_pairs(operation: Operation) -> None:
    """The loop over pairs of trips, and one for the last trip where it may be alone."""
    start, stop, step = operation.operands
    known = known_trip_count(operation)
    trips = constant(np.int64(known)) if known is not None else trip_count(scalar(start), scalar(stop), scalar(step)).value
    zero, one, two = (constant(np.int64(number)) for number in range(3))
    half = constant(np.int64(known // 2)) if known is not None else emit("floor_divide", trips, two).result
    pairs = Block()
    number = pairs.add_argument(I64, "pair")
    with block_of(active(), pairs):
        first = emit("add", start, emit("multiply", number, two).result).result
        copy_trip(operation, pairs, first)
        copy_trip(operation, pairs, emit("add", first, one).result)
    emit("for_loop", zero, half, one, regions=[pairs], results=(), has_break=False)
    if known is None or known % 2:
        alone = Block()
        index = alone.add_argument(I64, "index")
        copy_trip(operation, alone, index)
        begin = emit("add", start, emit("multiply", half, two).result).result
        emit("for_loop", begin, stop, one, regions=[alone], results=(), has_break=False)


def copy_trip(operation: Operation, block: Block, index: Value) -> None:
    """The loop's body for one index, at the end of a block."""
    (body,) = operation.regions
    values = Visible({body.args[0]: index})
    block.operations += [copy_operation(inner, block, values) for inner in body.operations]
