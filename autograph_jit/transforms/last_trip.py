"""Leaves out of a counted loop's last trip a product of matrices that it would hand to nobody.

Before::                                             After::

    %r = for_loop(%a, %b, %one, %x)                      %last: i64 = subtract(%b, %one)
            do (%i: i64, %s: f64[n, n]) {                %r = for_loop(%a, %b, %one, %x)
        %p: f64[n, n] = matmul(%s, %w)                           do (%i: i64, %s: f64[n, n]) {
        ...                                                  %go: b1 = not_equal(%i, %last)
        yield %p                                             %p: f64[n, n] = cond(%go) do () {
    }                                                            %q: f64[n, n] = matmul(%s, %w)
                                                                 yield %q
                                                             } do () {
                                                                 yield %s
                                                             }
                                                             ...
                                                             yield %p
                                                         }

Requires: nothing uses %r, nothing else uses %p, and the product cannot fail. The reverse sweep of a loop ends with the cotangent of
what the loop began with, which is often a constant.
"""

from __future__ import annotations

from autograph_jit.ir.builder import append
from autograph_jit.ir.graph import Block, Graph, Operation, Value, constant_of
from autograph_jit.ir.types import ArrayType
from autograph_jit.ops.registry import get

Users = dict[Value, int]


def skip_last_products(graph: Graph, distinct_parameters: bool = False) -> None:
    """Rewrite all loops, the innermost last."""
    if any(operation.name == "matmul" for operation in graph.walk()):
        users: Users = {}
        count_users(graph.block, users)
        for loop in [operation for operation in graph.walk() if operation.name == "for_loop"]:
            skip_in_loop(loop, users)


def count_users(block: Block, users: Users) -> None:
    """How often each value is used."""
    for operation in block.operations:
        for value in (*operation.operands, *operation.unwind):
            users[value] = users.get(value, 0) + 1
        for region in operation.regions:
            count_users(region, users)
    for value in block.yields:
        users[value] = users.get(value, 0) + 1


def skip_in_loop(loop: Operation, users: Users) -> None:
    """Rewrite the products of one loop that are its state and nothing else."""
    (body,) = loop.regions
    step = constant_of(loop.operands[2])
    if loop.attributes.get("has_break") or body.terminated or step not in (1, -1):
        return
    for position, result in enumerate(loop.results):
        made = product_of(body, body.yields[position], users)
        state = body.args[position + 1]
        if made and not users.get(result) and body.yields[position].type == state.type:
            skip(loop, made, position, state)


def product_of(body: Block, value: Value, users: Users) -> list[Operation]:
    """The product of two matrices that a value is, and the views of all of it that give its sizes other names."""
    found: list[Operation] = []
    while users.get(value) == 1 and isinstance(value.owner, Operation) and value.owner.block is body:
        operation = value.owner
        found.insert(0, operation)
        if operation.name == "matmul":
            ranks = [operand.type.rank for operand in operation.operands if isinstance(operand.type, ArrayType)]
            return [] if operation.can_fail or min(ranks) < 2 else found
        if operation.name != "basic_index" or any(item[0] != "full" for item in operation.attributes["items"]):
            return []
        value = operation.operands[0]
    return []


def skip(loop: Operation, made: list[Operation], position: int, state: Value) -> None:
    """Put operations under the condition that another trip follows."""
    (body,) = loop.regions
    outside, here = Block(), Block()
    last = append(outside, get("subtract"), [loop.operands[1], loop.operands[2]], span=loop.span)
    assert loop.block is not None
    place = loop.block.operations.index(loop)
    loop.block.operations[place:place] = loop.block.adopt([last])
    follows = append(here, get("not_equal"), [body.args[0], last.result], span=loop.span)
    computed, kept = Block(), Block()
    computed.operations = computed.adopt(made)
    computed.yields, kept.yields = [body.yields[position]], [state]
    choice = append(here, get("cond"), [follows.result], {"results": (state.type,)}, [computed, kept], loop.span)
    first = body.operations.index(made[0])
    body.operations = [operation for operation in body.operations if operation not in made]
    body.operations[first:first] = body.adopt([follows, choice])
    computed.parent = kept.parent = body
    body.yields = [choice.result if index == position else value for index, value in enumerate(body.yields)]
