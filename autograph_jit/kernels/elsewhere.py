"""Arrays that a nest reads elsewhere than at its own index: elements that integers choose, and rotations.

Before: t = x[first]; u = np.roll(y, 1); v = t * u      (three nests)
After:  one nest, v[i] = x[first[i]] * y[(i - 1) mod n]

A rotation is what `np.roll` makes (`ir.rotations`).
"""

from __future__ import annotations

from autograph_jit.ir.graph import Graph, Operation
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.rotations import dims_of, rotation_of
from autograph_jit.ir.types import ArrayType
from autograph_jit.records import dataclass

GATHER, ROTATION = "gather", "rotation"
REACH = {GATHER: ("reduce",), ROTATION: ()}  # the operations besides elementwise ones whose nests can read like this


@dataclass(frozen=True, slots=True)
class Choice:
    """Where the axes of a gather come from: the index's stand together at a position, those taken whole around them."""

    position: int
    rank: int  # of the broadcast index
    whole: tuple[int, ...]  # axes of the array

    def axis_of(self, whole: int) -> int:
        """The axis of the result that an axis of the array is which is taken whole."""
        place = self.whole.index(whole)
        return place if place < self.position else place + self.rank


def choose(gather: Operation) -> Choice:
    """The choice of a gather; NumPy puts indices that are not adjacent in front."""
    items = gather.attributes["items"]
    indexed = [axis for axis, item in enumerate(items) if item[0] == "array"]
    whole = tuple(axis for axis, item in enumerate(items) if item[0] != "array")
    adjacent = all(after - before == 1 for before, after in zip(indexed, indexed[1:]))
    position = sum(axis < indexed[0] for axis in whole) if indexed and adjacent else 0
    return Choice(position, len(dims_of(gather.result)) - len(whole), whole)


def find_waiting(graph: Graph, consumers: dict[Operation, Operation]) -> set[Operation]:
    """The gathers whose indices are looked at in the nest that reads the elements, while they are in the nearest cache: their own nest if
    indices are fused into it, or one that they are fused into, if nothing that comes between has an effect, and what may fail lets them
    fail first. Gathers of whole rows look first: their indices are few."""
    return {operation for operation in graph.walk() if operation.name == "gather" and may_wait(operation, consumers)}


def may_wait(gather: Operation, consumers: dict[Operation, Operation]) -> bool:
    last = gather
    while last in consumers:
        last = consumers[last]
    if last.block is not gather.block or not has_own_nest(gather):
        return False
    assert gather.block is not None
    operations = gather.block.operations
    if last is gather:
        return any(isinstance(value.owner, Operation) and value.owner in consumers for value in gather.operands[1:])
    return all(map(is_calm, operations[operations.index(gather) + 1 : operations.index(last)]))


def has_own_nest(gather: Operation) -> bool:
    """Whether a gather is a nest whose indices may be expressions."""
    return selects_elements(gather) and not gather.unwind and isinstance(gather.result.type, ArrayType)


def selects_elements(gather: Operation) -> bool:
    """Whether a gather selects elements by arrays, not rows."""
    return all(item[0] == "array" for item in gather.attributes["items"])


def is_calm(operation: Operation) -> bool:
    """Whether an operation has no effect, and lets what waits fail before it fails."""
    if operation.opdef.effect not in (Effect.PURE, Effect.VIEW) or operation.regions:
        return False
    return not operation.can_fail or isinstance(operation.opdef.kernel, Pointwise) or operation.name == "gather"


def kind_of(operation: Operation) -> str | None:
    """How a nest would read what the operation makes; None where it must be made first."""
    if operation.name == "gather" and isinstance(operation.result.type, ArrayType):
        return GATHER
    return ROTATION if rotation_of(operation) else None
