"""Whether a run of a program leaves traces outside of its results, so that it cannot be made again."""

from __future__ import annotations

import functools
from collections.abc import Set

from autograph_jit.errors import ResultDiffers
from autograph_jit.ir.graph import Block, Graph, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ObjectType
from autograph_jit.source import SourceSpan
from autograph_jit.tracing.hosting.local_calls import acts_locally, may_differ, only_reads
from autograph_jit.transforms.aliases import OUTSIDE, Aliases


def acts_outside(graph: Graph, exception: BaseException | None = None) -> bool:
    """Whether an operation may write memory, or change an object, that was there before the run; or calls Python code that may do so.
    After an exception that tells where it arose, only what stands before that may have done so."""
    acting = Acting(graph)
    return any(map(acting.acts, graph.walk() if exception is None else operations_before(graph, exception)))


class Acting:
    """Which operations of a graph may do something outside of the run."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.outside = graph, {*graph.block.args, OUTSIDE}
        self.takes_objects = any(isinstance(value.type, ObjectType) for value in graph.block.args)

    @functools.cached_property
    def aliases(self) -> Aliases:
        return Aliases(self.graph)

    def acts(self, operation: Operation) -> bool:
        """Whether an operation, without those in its regions, may do so."""
        effect, attributes = operation.opdef.effect, operation.attributes
        if effect is Effect.WRITE:
            return not self.aliases.writes(operation).isdisjoint(self.outside)
        if effect is not Effect.HOST or attributes.get("pure") or only_reads(attributes["fn"]):
            return effect is Effect.DRAW
        memory = frozenset().union(*map(self.aliases.roots, operation.operands))
        if not acts_locally(attributes["fn"]) or not memory.isdisjoint(self.outside):
            return True
        return any(is_from_outside(operand, self.takes_objects) for operand in operation.operands)


def operations_before(graph: Graph, exception: BaseException) -> list[Operation]:
    """The operations that may have run when an exception arose: all where it does not tell the line, or no operation has that."""
    span = getattr(exception, "__autograph_span__", None)
    if isinstance(exception, ResultDiffers):
        failed = [operation for operation in graph.walk() if calls_what_may_differ(operation)]
    else:
        failed = [operation for operation in graph.walk() if span is not None and is_at(operation, span)]
        if not failed:
            return list(graph.walk())
    return before_last(graph.block, set(failed))


def is_at(operation: Operation, span: SourceSpan) -> bool:
    """Whether an operation stands at a place in the source, reached by the same calls."""
    return operation.span == span and operation.span.callers == span.callers  # type: ignore[union-attr]


def before_last(block: Block, failed: Set[Operation]) -> list[Operation]:
    """The operations of a block up to the last one that is, or holds, one of these: of a branch not the other side, of a handled block
    what stands before, of a loop all."""
    found: list[Operation] = []
    end = 0
    for operation in block.operations:
        found.append(operation)
        holding = [number for number, region in enumerate(operation.regions) if not failed.isdisjoint(walk_block(region))]
        if holding and (operation.name == "try_" or operation.name == "cond" and len(holding) == 1):
            earlier = operation.regions[: holding[-1]] if operation.name == "try_" else []
            found += [inner for region in earlier for inner in walk_block(region)]
            found += before_last(operation.regions[holding[-1]], failed)
        else:
            found += [inner for region in operation.regions for inner in walk_block(region)]
        if holding or operation in failed:
            end = len(found)
    return found[:end]


def calls_what_may_differ(operation: Operation) -> bool:
    """Whether an operation is a call whose result may have another type than it should."""
    return operation.opdef.effect is Effect.HOST and may_differ(operation.attributes["fn"])


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
