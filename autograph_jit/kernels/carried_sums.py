"""A sum of the reverse sweep into an element that stays the same in an innermost loop is carried in a number, and stored behind the loop.

Before: for j: c = -g[i, j]; g[k, j] += c * a[i, k]; g[i, k] += c * a[k, j]
After:  s = g[i, k]; for j: c = -g[i, j]; g[k, j] += c * a[i, k]; s += c * a[k, j];  g[i, k] = s

In memory each addition waits for the store before it, and no two trips can run at once.

Requires: the loop cannot fail, the element is there, and nothing else in the loop may be it.
"""

from __future__ import annotations

from itertools import takewhile

from autograph_jit.ir.builder import append
from autograph_jit.ir.dims import Size, combine
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.commuting import ElementSum, sum_of, users_in
from autograph_jit.kernels.facts import Facts, find_facts
from autograph_jit.kernels.ranges import Ranges
from autograph_jit.kernels.trips import Trips, indices_of
from autograph_jit.kernels.upward import is_calm
from autograph_jit.ops.registry import get

LONGEST = 120  # operations of a trip


def carry_sums(graph: Graph, ranges: Ranges, layouts: tuple[str, ...], distinct_parameters: bool) -> bool:
    """Rewrite the innermost loops of a graph; whether there was any."""
    found = [operation for operation in graph.walk() if is_candidate(operation)]
    if not found:
        return False
    facts = find_facts(graph, layouts, distinct_parameters)
    sums = [(loop, each) for loop in found for each in sums_in(loop) if may_be_carried(loop, each, ranges, facts)]
    for loop, each in sums:
        carry(loop, each)
    return bool(sums)


def is_candidate(operation: Operation) -> bool:
    """Whether an operation is an innermost counted loop that comes to its end, and adds for a reverse sweep."""
    if operation.name != "for_loop" or operation.attributes.get("has_break") or operation.regions[0].terminated or operation.unwind:
        return False
    inner = operation.regions[0].operations
    adds = any(each.name == "add" and each.contract for each in inner) and any(each.name == "store" for each in inner)
    return adds and len(inner) <= LONGEST and all(is_calm(each) and not each.regions for each in inner)


def sums_in(loop: Operation) -> list[ElementSum]:
    """The sums into elements of which the trips change neither the array nor the indices."""
    (body,) = loop.regions
    users = users_in(Trips(loop, body.args[0]))
    found = [sum_of(operation, users) for operation in body.operations if operation.name == "store"]
    return [each for each in found if each is not None and not any(is_made_in(value, body) for value in each.load.operands)]


def is_made_in(value: Value, body: Block) -> bool:
    return value in body.args or (isinstance(value.owner, Operation) and value.owner.block is body)


def may_be_carried(loop: Operation, each: ElementSum, ranges: Ranges, facts: Facts) -> bool:
    """Whether an element is there before a loop, and no other access in the loop may be to it."""
    array = each.store.operands[0]
    if not is_there(loop, each.store, ranges):
        return False
    for other in loop.regions[0].operations:
        if other.name not in ("load", "store") or other in (each.load, each.store):
            continue
        if other.operands[0] is not array and facts.may_alias(other.operands[0], array):
            return False
        if other.operands[0] is array and not are_apart(other, each.store, ranges):
            return False
    return True


def is_there(loop: Operation, store: Operation, ranges: Ranges) -> bool:
    """Whether an element is there though a loop make no trip: its indices are in bounds, or those of an access that is made around the loop
    in any case, to an array of these sizes."""
    type_, indices, block = store.operands[0].type, indices_of(store), loop.block
    assert isinstance(type_, ArrayType) and block is not None
    if all(all(ranges.is_index(index, size, loop)) for index, size in zip(indices, type_.dims)):
        return True
    place = block.operations.index(loop)
    behind = takewhile(is_calm, block.operations[place + 1 :])
    return any(is_proved(other, indices, type_) for other in (*block.operations[:place], *behind))


def is_proved(access: Operation, indices: list[Value], type_: ArrayType) -> bool:
    """Whether an operation is an access by these indices that is in bounds of such sizes."""
    if access.name not in ("load", "store") or not access.attributes.get("proved") or indices_of(access) != indices:
        return False
    found = access.operands[0].type
    return isinstance(found, ArrayType) and found.dims == type_.dims


def are_apart(access: Operation, store: Operation, ranges: Ranges) -> bool:
    """Whether two accesses are in all trips to different elements; the indices of the second one count from the front."""

    def is_more(x: Size, y: Size) -> bool:
        return ranges.is_surely_nonnegative(combine(combine(x, y, -1), -1, 1), access)

    pairs = [(ranges.affine(x), ranges.affine(y)) for x, y in zip(indices_of(access), indices_of(store))]
    return any((is_more(x, y) or is_more(y, x)) and ranges.is_surely_nonnegative(x, access) for x, y in pairs)


def carry(loop: Operation, each: ElementSum) -> None:
    """Let a loop carry one sum more."""
    (body,), block = loop.regions, loop.block
    assert block is not None
    array, *indices = each.load.operands
    type_ = each.load.result.type
    before, behind = Block(), Block()
    start = append(before, get("load"), [array, *indices], dict(each.load.attributes), span=each.load.span).result
    arg, result = body.add_argument(type_), Value(type_, loop, len(loop.results))
    loop.operands = [*loop.operands, start]
    loop.results.append(result)
    loop.attributes = {**loop.attributes, "results": (*loop.attributes["results"], type_)}
    body.yields.append(each.add.result)
    each.add.operands = [arg if value is each.load.result else value for value in each.add.operands]
    body.operations = [operation for operation in body.operations if operation not in (each.load, each.store)]
    append(behind, get("store"), [array, result, *indices], dict(each.store.attributes), span=each.store.span)
    place = block.operations.index(loop)
    block.operations[place + 1 : place + 1] = block.adopt(behind.operations)
    block.operations[place:place] = block.adopt(before.operations)
