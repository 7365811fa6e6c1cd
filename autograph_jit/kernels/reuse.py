"""Elementwise results that take the memory of an operand of their type, one that nothing else refers to and that is not read again.

Before: t = matmul(x, w); y = maximum(t + b, 0)  (two arrays)          After: y is t's memory, each element is written where it was read
"""

from __future__ import annotations

from collections.abc import Mapping

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.elsewhere import kind_of
from autograph_jit.kernels.escape import find_users, stays
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import blocks_of, is_pointwise_array, leaves_of
from autograph_jit.kernels.lifetimes import NOTHING, BlockLifetimes


def find_reuses(
    graph: Graph,
    facts: Facts,
    consumers: dict[Operation, Operation],
    lifetimes: dict[Block, BlockLifetimes],
    local: set[Value],
    products: Mapping[Operation, Operation] = NOTHING,
) -> dict[Operation, Value]:
    """The operand whose memory an operation's result takes, and with it the reference, which is no longer given up after the operation.
    `products` are those that the nest of an operation computes (`kernels.epilogues`): they have no memory, and it writes to no factor. One
    of the result's type is computed in the result's memory, before the nest reads its operands, so that this is none of theirs."""
    users, leaving = find_users(graph)
    found: dict[Operation, Value] = {}
    for block in blocks_of(graph.block):
        for position, operation in enumerate(block.operations):
            if not is_pointwise_array(operation) or operation in consumers or operation.result in local:
                continue
            leaves = leaves_of(operation, consumers)
            own = [product for product, consumer in products.items() if consumer is operation]
            if reads_elsewhere(operation, consumers) or any(product.result.type == operation.result.type for product in own):
                continue
            ending = lifetimes[block].releases.get(position, [])
            factors = [factor for product in own for factor in product.operands]
            for value in sorted(ending, key=is_carried):
                if value not in leaves or value in local or value.owner in products:
                    continue
                if not suits(value, operation.result, [*leaves, *factors], facts):
                    continue
                if is_carried(value) and not is_read_by_element(operation.result, users):
                    continue
                if block is not graph.block and operation.result in block.yields and not is_carried(value) and not is_product(value):
                    continue
                if stays(value, users, leaving):
                    found[operation] = value
                    ending.remove(value)
                    break
    return found


def reads_elsewhere(operation: Operation, consumers: dict[Operation, Operation]) -> bool:
    """Whether the nest of an operation reads arrays at other indices than that which it writes."""
    makers = [value.owner for value in operation.operands]
    return any(
        isinstance(maker, Operation) and maker in consumers and (kind_of(maker) is not None or reads_elsewhere(maker, consumers))
        for maker in makers
    )


def suits(value: Value, result: Value, leaves: list[Value], facts: Facts) -> bool:
    """Whether an operand is an array of the result's type which is its block's own, and no other operand reads it at another index."""
    assert isinstance(result.type, ArrayType)
    if value.type != result.type or not facts.is_contiguous(value) or not is_own(value, facts):
        return False
    others = [leaf for position, leaf in enumerate(leaves) if leaf is not value or value in leaves[:position]]
    return not any(facts.may_meet(value, leaf) for leaf in others)


def is_carried(value: Value) -> bool:
    """Whether a loop hands the array on: LLVM then cannot tell its memory from that of other arrays."""
    return not isinstance(value.owner, Operation)


def is_product(value: Value) -> bool:
    """Whether a call fills the array, not a nest, which needs LLVM to see that no other trip of a loop has the memory."""
    return isinstance(value.owner, Operation) and value.owner.name == "matmul"


def is_read_by_element(value: Value, users: dict[Value, list[Operation]]) -> bool:
    """Whether only elementwise operations read an array, or views of all of it. A product of matrices reads its numbers again and again,
    and would have to load them each time if they might be those that it writes."""
    for user in users.get(value, ()):
        if user.opdef.effect is Effect.VIEW:
            is_whole = user.name == "basic_index" and all(item[0] == "full" for item in user.attributes["items"])
            if not is_whole or not is_read_by_element(user.result, users):
                return False
        elif not is_pointwise_array(user) and user.name not in ("assign", "copy", "dim", "reduce"):
            return False
    return True


def is_own(value: Value, facts: Facts) -> bool:
    """Whether an operation of the block makes the array, or a loop owns it."""
    owner = value.owner
    if not isinstance(owner, Operation):
        return value in facts.owned
    return owner.opdef.effect is Effect.PURE and facts.roots_of(value) == {("fresh", id(owner))}


def find_passing(lifetimes: dict[Block, BlockLifetimes], reuses: dict[Operation, Value]) -> set[Value]:
    """The arrays whose reference is given up in the block that makes them: neither handed on nor taken over."""
    ending = {value for block in lifetimes.values() for values in block.releases.values() for value in values}
    return {value for value in ending if isinstance(value.type, ArrayType)} - set(reuses.values())
