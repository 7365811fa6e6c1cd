"""Loops cut into segments, for checkpointing: the reverse sweep keeps the state at the start of each segment and runs the segment again.

Before: `for_loop(start, stop, step, *s){checkpoint}[body]`
After:  `for_loop(0, segments, 1, *s)[for_loop(low, high, step, *s){segment}[body]]`

With segments of about sqrt(trips) trips, a loop keeps 2 sqrt(trips) states instead of trips, for one more run of its body
(Griewank and Walther 2008, section 12.3). How many trips a `while_loop` makes is not known before, so its segments grow, each by one trip:
after n of them n * n / 2 trips are made, and neither the states that were kept nor the longest segment exceed sqrt(2 trips) by much.

Before: `while_loop(go, *s){checkpoint}[go, body]`
After:  `while_loop(go, *s, n)[go, while_loop(go, *s, k){segment}[go and k < n + 16, body]]`
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograph_jit.autodiff.checkpointing.budget import Budget, decision_for, obstacle
from autograph_jit.autodiff.sweeps.trips import trip_count
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.types import BOOL, I64, ArrayType, ScalarType
from autograph_jit.tracing.values.checks import is_constant
from autograph_jit.tracing.values.lift import scalar
from autograph_jit.tracing.values.trace import active, block_of, constant, detached, emit

SHORTEST_SEGMENT = 16


def segment_loops(block: Block, renamed: dict[Value, Value]) -> None:
    """Cut the loops of a block and of its regions that ask for it, and those that would keep more than the budget."""
    for operation in list(block.operations):
        wish = operation.attributes.get("checkpoint") if operation.name in CUTTERS else None
        for region in operation.regions:
            segment_loops(region, renamed)
        if wish is None and operation.name == "for_loop" and saved_bytes(operation) > Budget.bytes and obstacle(operation) is None:
            wish = 0
        if wish is not None:
            cut(operation, block, wish, renamed)


def ask_for_segments(block: Block) -> None:
    """Give the loops that a run found to save too much a wish for segments."""
    decisions = active().decisions
    if any(decision[0] == "checkpoint" for decision in decisions):
        for operation in walk_block(block):
            if operation.name in CUTTERS and decision_for(operation) in decisions and obstacle(operation) is None:
                operation.attributes = {"checkpoint": 0, **operation.attributes}


def saved_bytes(operation: Operation) -> int:
    """An estimate of what the reverse sweep of a loop keeps, as far as trips and sizes are known: its state, trip by trip."""
    if not all(is_constant(bound) for bound in operation.operands[:3]):
        return 0
    start, stop, step = (int(bound.owner.attributes["value"]) for bound in operation.operands[:3])  # type: ignore[union-attr]
    inner = sum(saved_bytes(found) for found in operation.regions[0].operations if found.name == "for_loop")
    return len(range(start, stop, step)) * (inner + sum(bytes_of(value) for value in operation.operands[3:]))


def bytes_of(value: Value) -> int:
    """The bytes of a value, as far as its sizes are known."""
    if isinstance(value.type, ScalarType):
        return value.type.dtype.itemsize
    if isinstance(value.type, ArrayType):
        return value.type.dtype.itemsize * math.prod(size for size in value.type.dims if isinstance(size, int))
    return 0


def cut(operation: Operation, block: Block, wish: int, renamed: dict[Value, Value]) -> None:
    """Replace a loop by a loop over segments; a wish of 0 trips a segment is for the square root of the trips."""
    reason = obstacle(operation)
    if reason is not None:
        raise NotDifferentiable(
            "this loop cannot be checkpointed",
            operation.span,
            reason,
            "leave checkpoint out, or keep what it changes in numbers and new arrays",
        )
    position = block.operations.index(operation)
    made = Block(block)
    with detached(active(), made):
        results = CUTTERS[operation.name](operation, wish)
    block.operations[position : position + 1] = block.adopt(made.operations)
    renamed.update(zip(operation.results, results))


def cut_for(operation: Operation, wish: int) -> list[Value]:
    """Emit the loop over segments; what stands for the old loop's results."""
    start, stop, step, *state = operation.operands
    breaks = bool(operation.attributes.get("has_break"))
    trips = trip_count(scalar(start), scalar(stop), scalar(step)).value
    one, zero = constant(np.int64(1)), constant(np.int64(0))
    length = constant(np.int64(wish)) if wish > 0 else emit("maximum", integer_root(trips), one).result
    count = emit("floor_divide", emit("subtract", emit("add", trips, length).result, one).result, length).result
    outer = Block()
    number = outer.add_argument(I64, "segment")
    carried = [outer.add_argument(value.type, value.hint) for value in state]
    with block_of(active(), outer):
        done = emit("multiply", number, length).result
        left = emit("minimum", length, emit("subtract", trips, done).result).result
        low = emit("add", start, emit("multiply", done, step).result).result
        high = emit("add", low, emit("multiply", left, step).result).result
        entering = [*carried, constant(np.bool_(True))] if breaks else carried
        inner = emit("for_loop", low, high, step, *entering, regions=[body_of(operation, breaks)], **attributes_of(operation, breaks))
        outer.yields = [inner.results[-1], *inner.results[:-1]] if breaks else list(inner.results)
    types = tuple(result.type for result in operation.results)
    return emit("for_loop", zero, count, one, *state, regions=[outer], results=types, has_break=breaks, segments=True).results


def body_of(operation: Operation, breaks: bool) -> Block:
    """The loop's body; where it may break, whether it goes on is part of the state."""
    (body,) = operation.regions
    if breaks:
        body.add_argument(BOOL, "goes_on")
        if not body.terminated:
            body.yields = [*body.yields, body.yields[0]]
    return body


def attributes_of(operation: Operation, breaks: bool) -> dict[str, Any]:
    types = tuple(result.type for result in operation.results)
    return {"results": (*types, BOOL) if breaks else types, "has_break": breaks, "segment": True, "bounded": True}


def cut_while(operation: Operation, wish: int) -> list[Value]:
    """Emit the loop over segments of a rotated loop; what stands for the old loop's results."""
    (test, body), types = operation.regions, tuple(result.type for result in operation.results)
    start = [*operation.operands, constant(np.int64(0))]
    tested, outer, inner_test = Block(), Block(), Block()
    passed, carried, again = (
        [block.add_argument(value.type, value.hint) for value in (*test.args, start[-1])] for block in (tested, outer, inner_test)
    )
    tested.yields = [passed[0], *passed]
    place, trip = len(body.args), body.add_argument(I64, "trip")
    if not body.terminated:
        with detached(active(), body):
            body.yields.append(emit("add", trip, constant(np.int64(1))).result)
    with block_of(active(), outer):
        length = constant(np.int64(wish)) if wish > 0 else emit("add", carried[-1], constant(np.int64(SHORTEST_SEGMENT))).result
        with block_of(active(), inner_test):
            inner_test.yields = [emit("logical_and", again[0], emit("less", again[-1], length).result).result, *again]
        entering, regions = [*carried[:-1], constant(np.int64(0))], [inner_test, body]
        inner = emit("while_loop", *entering, regions=regions, results=(*types, I64), segment=True, bounded=place)
        outer.yields = [*inner.results[:-1], emit("add", carried[-1], constant(np.int64(1))).result]
    return emit("while_loop", *start, regions=[tested, outer], results=(*types, I64), segments=True).results[:-1]


CUTTERS = {"for_loop": cut_for, "while_loop": cut_while}


def integer_root(trips: Value) -> Value:
    """The square root, rounded down."""
    number = emit("cast", trips, dtype=np.dtype(np.float64)).result
    return emit("cast", emit("sqrt", number).result, dtype=np.dtype(np.int64)).result
