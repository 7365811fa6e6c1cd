"""Whether a run of a program leaves traces outside of its results, so that it cannot be made again."""

from __future__ import annotations

from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ObjectType
from autograph_jit.staging.local_calls import acts_locally
from autograph_jit.transforms.aliases import OUTSIDE, Aliases


def acts_outside(graph: Graph) -> bool:
    """Whether an operation may write memory, or change an object, that was there before the run; or calls Python code that may do so."""
    aliases = Aliases(graph)
    outside = {*graph.block.args, OUTSIDE}
    takes_objects = any(isinstance(value.type, ObjectType) for value in graph.block.args)
    for operation in graph.walk():
        if operation.opdef.effect is Effect.WRITE and aliases.roots(operation.operands[0]) & outside:
            return True
        if operation.opdef.effect is Effect.HOST and not operation.attributes.get("pure"):
            memory = frozenset().union(*map(aliases.roots, operation.operands))
            if not acts_locally(operation.attributes["fn"]) or memory & outside:
                return True
            if any(is_from_outside(operand, takes_objects) for operand in operation.operands):
                return True
    return False


def is_from_outside(value: Value, takes_objects: bool) -> bool:
    """Whether an object may be one that was there before the run."""
    if not isinstance(value.type, ObjectType):
        return False
    owner = value.owner
    if not isinstance(owner, Operation) or owner.regions:
        return takes_objects
    if not acts_locally(owner.attributes["fn"]):
        return True
    return any(is_from_outside(operand, takes_objects) for operand in owner.operands)
