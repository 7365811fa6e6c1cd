"""Whether a run of a program leaves traces outside of its results, so that it cannot be made again."""

from __future__ import annotations

from autograph_jit.errors import ResultDiffers
from autograph_jit.ir.graph import Graph, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ObjectType
from autograph_jit.tracing.hosting.local_calls import acts_locally, may_differ, only_reads
from autograph_jit.transforms.aliases import OUTSIDE, Aliases


def acts_outside(graph: Graph, exception: BaseException | None = None) -> bool:
    """Whether an operation may write memory, or change an object, that was there before the run; or calls Python code that may do so.
    After an exception that tells where it arose, only what stands before that may have done so."""
    aliases = Aliases(graph)
    outside = {*graph.block.args, OUTSIDE}
    takes_objects = any(isinstance(value.type, ObjectType) for value in graph.block.args)
    for operation in before_results(graph) if isinstance(exception, ResultDiffers) else graph.walk():
        if operation.opdef.effect is Effect.DRAW:
            return True
        if operation.opdef.effect is Effect.WRITE and aliases.roots(operation.operands[0]) & outside:
            return True
        if operation.opdef.effect is Effect.HOST and not (operation.attributes.get("pure") or only_reads(operation.attributes["fn"])):
            memory = frozenset().union(*map(aliases.roots, operation.operands))
            if not acts_locally(operation.attributes["fn"]) or memory & outside:
                return True
            if any(is_from_outside(operand, takes_objects) for operand in operation.operands):
                return True
    return False


def before_results(graph: Graph) -> list[Operation]:
    """The operations up to the last one whose result may have another type than it should; with all of the loop that it stands in."""
    found: list[Operation] = []
    end = 0
    for operation in graph.block.operations:
        inside = [operation, *(inner for region in operation.regions for inner in walk_block(region))]
        found += inside
        if any(inner.opdef.effect is Effect.HOST and may_differ(inner.attributes["fn"]) for inner in inside):
            end = len(found)
    return found[:end]


def is_from_outside(value: Value, takes_objects: bool) -> bool:
    """Whether an object may be one that was there before the run."""
    if not isinstance(value.type, ObjectType):
        return False
    owner = value.owner
    if not isinstance(owner, Operation) or owner.regions:
        return takes_objects
    if owner.name != "host_call":
        return False  # a text that the run makes
    if not acts_locally(owner.attributes["fn"]):
        return True
    return any(is_from_outside(operand, takes_objects) for operand in owner.operands)
