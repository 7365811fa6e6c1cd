"""`while` loops that count become counted loops, whose trips are known when they begin.

Before::                                          After::

    %r: i64 = while_loop(%start) do (%j) {            %stop: i64 = pyint_add(%n, %one)
        %go: b1 = less_equal(%j, %n)                  for_loop(%start, %stop, %step) do (%j) {
        yield %go, %j                                     store(%x, %v, %j)
    } do (%k: i64) {                                      yield
        store(%x, %v, %k)                             }
        %next: i64 = pyint_add(%k, %step)
        yield %next
    }

Requires: the test compares the counter with what stays, and reads no memory that the loop writes; what it computes besides, of other
values, moves into the trip and behind the loop. Every trip moves the counter by what stays and is surely positive, or by a negative
literal. Where the counter is used behind the loop, its step is 1.
"""

from __future__ import annotations

import numpy as np

from autograph_jit.ir.dims import combine
from autograph_jit.ir.graph import Block, Graph, Operation, Value, resolve, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import I64, ArrayType, ListType, may_be_one_type
from autograph_jit.kernels.lifetimes import root_of
from autograph_jit.kernels.ranges import Ranges
from autograph_jit.ops.registry import get
from autograph_jit.records import dataclass

SUMS = {"add": 1, "pyint_add": 1, "subtract": -1, "pyint_subtract": -1}
TESTS = {"less": (1, 0), "less_equal": (1, 1), "greater": (-1, 0), "greater_equal": (-1, 1)}  # way of the counter, whether the bound is met


@dataclass(frozen=True, slots=True)
class Count:
    """A counter: its position among what the loop carries, its step (or that as a literal), the bound and whether it is met."""

    position: int
    step: Value | int
    bound: Value
    is_met: bool


def count_loops(graph: Graph, ranges: Ranges) -> bool:
    """Turn the loops of a graph that count into counted ones; whether there were any."""
    used = values_used(graph)
    found = [(loop, count_of(loop, ranges, used)) for loop in walk_block(graph.block) if loop.name == "while_loop"]
    replaced: dict[Value, Value] = {}
    for loop, count in found:
        if count is not None:
            turn(loop, count, replaced)
    if replaced:
        replace(graph.block, replaced)
    return bool(replaced)


def reads_what_changes(loop: Operation) -> bool:
    """Whether the test of a loop reads memory that a trip may write: the length of a list that grows, an element of an array."""
    reading = [operation for operation in loop.regions[0].operations if operation.name not in ("dim", "stride")]
    read = [operand for operation in reading for operand in operation.operands if isinstance(operand.type, ArrayType | ListType)]
    if not read:
        return False
    inside = list(walk_block(loop.regions[1]))
    if any(operation.opdef.effect is Effect.HOST for operation in inside):
        return True
    written = [target for operation in inside for target in operation.written]
    return any(may_be_one(x, y) for x in read for y in written)


def may_be_one(x: Value, y: Value) -> bool:
    """Whether two arrays or lists may share memory, as far as their types and what makes them tell."""
    if isinstance(x.type, ArrayType) != isinstance(y.type, ArrayType):
        return False
    if isinstance(x.type, ArrayType) and isinstance(y.type, ArrayType) and x.type.dtype != y.type.dtype:
        return False
    if isinstance(x.type, ListType) and not may_be_one_type(x.type, y.type):
        return False
    first, second = root_of(x), root_of(y)
    return first is second or not (is_known(first) and is_known(second)) or (is_parameter(first) and is_parameter(second))


def is_known(value: Value) -> bool:
    """Whether a value is memory of its own: an operation's that makes it, or a parameter's."""
    owner = value.owner
    if isinstance(owner, Block):
        return is_parameter(value)
    return not owner.regions and owner.opdef.effect is Effect.PURE and owner.name != "list_get"


def is_parameter(value: Value) -> bool:
    """Whether a value is a parameter of the graph."""
    return isinstance(value.owner, Block) and value.owner.parent is None


def values_used(graph: Graph) -> set[Value]:
    """All values that something reads."""
    used = set(graph.block.yields)
    for operation in walk_block(graph.block):
        used.update(operation.operands, operation.unwind, *(region.yields for region in operation.regions))
    return used


def count_of(loop: Operation, ranges: Ranges, used: set[Value]) -> Count | None:
    """How a loop counts; None where it does not."""
    test, body = loop.regions
    condition = test.yields[0].owner if test.yields and not body.terminated and not reads_what_changes(loop) else None
    if not isinstance(condition, Operation) or condition.name not in TESTS or condition.block is not test:
        return None
    counter, bound = condition.operands
    others = [operation for operation in test.operations if operation is not condition]
    if counter not in test.args or counter.type != I64 or not all(map(is_calm, others)):
        return None
    way, is_met = TESTS[condition.name]
    position, moving = test.args.index(counter), moving_in(test)
    if test.yields[position + 1] is not counter or any(counter in operation.operands for operation in moving):
        return None
    step = step_of_counter(loop, position, ranges)
    if bound in test.args or bound.owner in moving or step is None or (isinstance(step, int) and step < 0) != (way < 0):
        return None
    if loop.results[position] in used and step not in (1, -1):
        return None
    return Count(position, step, bound, bool(is_met))


def is_calm(operation: Operation) -> bool:
    """Whether an operation of a test only computes, and cannot fail."""
    return operation.opdef.effect is Effect.PURE and not operation.regions and not operation.can_fail


def moving_in(test: Block) -> list[Operation]:
    """The operations of a test that depend on what the loop carries, but for the comparison that decides."""
    carried, moving = set(test.args), []
    for operation in test.operations:
        if operation is not test.yields[0].owner and not carried.isdisjoint(operation.operands):
            carried.update(operation.results)
            moving.append(operation)
    return moving


def step_of_counter(loop: Operation, position: int, ranges: Ranges) -> Value | int | None:
    """What every trip adds to a counter: a literal, or a value from outside that is surely positive."""
    body = loop.regions[1]
    arg, following = body.args[position], body.yields[position].owner
    if not isinstance(following, Operation) or following.name not in SUMS or following.block is not body:
        return None
    if following.operands[0] is not arg:
        return None
    step = following.operands[1]
    form = ranges.affine(step)
    if isinstance(form, int):
        return form * SUMS[following.name] or None
    is_outside = step not in body.args and step.owner not in set(walk_block(body)) and step.owner not in regions_in(body)
    if SUMS[following.name] < 0 or not is_outside or ranges.exact(step, ranges.facts_before(loop)) is None:
        return None
    return step if ranges.known.is_nonnegative(combine(form, 1, -1), ranges.facts_before(loop)) else None


def regions_in(body: Block) -> set[Block]:
    return {region for operation in walk_block(body) for region in operation.regions}


def turn(loop: Operation, count: Count, replaced: dict[Value, Value]) -> None:
    """Make a counted loop of it, in place."""
    test, body = loop.regions
    moving, position, start, stop = moving_in(test), count.position, loop.operands[count.position], count.bound
    made = [operation for operation in test.operations if operation is not test.yields[0].owner and operation not in moving]
    is_upward = not isinstance(count.step, int) or count.step > 0
    if count.is_met:
        stop = insert(made, loop, "pyint_add" if is_upward else "pyint_subtract", stop, literal(made, loop, 1))
    step = literal(made, loop, count.step) if isinstance(count.step, int) else count.step
    if count.step in (1, -1):
        replaced[loop.results[position]] = insert(made, loop, "maximum" if is_upward else "minimum", start, stop)
    others = [k for k in range(len(body.args)) if k != position]
    index = Value(I64, body, 0, "i")
    replaced[test.args[position]] = replaced[body.args[position]] = index
    replaced.update((body.args[k], test.yields[k + 1]) for k in others)
    entering, leaving = [test.args[k] for k in others], [test.yields[k + 1] for k in others]
    results = [Value(loop.results[k].type, loop, place, loop.results[k].hint) for place, k in enumerate(others)]
    behind, found = copies(moving, dict(zip(entering, results)))
    replaced.update((loop.results[k], found.get(value, value)) for k, value in zip(others, leaving))
    loop.opdef = get("for_loop")
    loop.operands, loop.results, loop.regions = [start, stop, step, *(loop.operands[k] for k in others)], results, [body]
    loop.attributes = {"results": tuple(result.type for result in results), "has_break": False}
    body.args, body.yields = [index, *entering], [body.yields[k] for k in others]
    for place, arg in enumerate(body.args):
        arg.owner, arg.index = body, place
    body.operations[:0] = moving
    for operation in moving:
        operation.block = body
    assert loop.block is not None
    place = loop.block.operations.index(loop)
    loop.block.operations[place : place + 1] = [*made, loop, *behind]
    for operation in (*made, *behind):
        operation.block = loop.block


def copies(operations: list[Operation], values: dict[Value, Value]) -> tuple[list[Operation], dict[Value, Value]]:
    """The same operations on other values, and what stands for each value."""
    made = []
    for operation in operations:
        operands = [values.get(operand, operand) for operand in operation.operands]
        other = Operation(operation.opdef, operands, dict(operation.attributes), [], operation.span)
        other.results = [Value(result.type, other, result.index, result.hint) for result in operation.results]
        values.update(zip(operation.results, other.results))
        made.append(other)
    return made, values


def insert(made: list[Operation], loop: Operation, name: str, x: Value, y: Value) -> Value:
    """An operation on two integers in front of the loop."""
    operation = Operation(get(name), [x, y], {}, [], loop.span)
    operation.results, operation.unwind = [Value(I64, operation, 0)], loop.unwind
    made.append(operation)
    return operation.result


def literal(made: list[Operation], loop: Operation, number: int) -> Value:
    operation = Operation(get("constant"), [], {"value": np.int64(number)}, [], loop.span)
    operation.results = [Value(I64, operation, 0)]
    made.append(operation)
    return operation.result


def replace(block: Block, replaced: dict[Value, Value]) -> None:
    """Use the replacements wherever values are used."""
    for operation in block.operations:
        operation.operands = [resolve(value, replaced) for value in operation.operands]
        operation.unwind = [resolve(value, replaced) for value in operation.unwind]
        for region in operation.regions:
            replace(region, replaced)
    block.yields = [resolve(value, replaced) for value in block.yields]
