"""Arrays that a nest reads elsewhere than at its own index: elements that integers choose, and rotations.

Before: t = x[first]; u = np.roll(y, 1); v = t * u      (three nests)
After:  one nest, v[i] = x[first[i]] * y[(i - 1) mod n]

A rotation is what `np.roll` and `np.concatenate([y[k:], y[:k]])` make: the parts of an array behind and before one place, joined.
"""

from __future__ import annotations

from dataclasses import dataclass

from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.types import ArrayType

GATHER, ROTATION = "gather", "rotation"
REACH = {GATHER: ("reduce",), ROTATION: ()}  # the operations besides elementwise ones whose nests can read like this


@dataclass(frozen=True, slots=True)
class Rotation:
    """An array and, by axis, the part of it that comes first; `makers` are the operations that make it, the innermost rotation first."""

    source: Value
    turns: tuple[tuple[int, Value], ...]
    makers: tuple[Operation, ...]


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


def rotation_of(operation: Operation) -> Rotation | None:
    """The rotation that an operation is; of a rotation along another axis, both."""
    if operation.name != "concat" or len(operation.operands) != 2:
        return None
    axis = operation.attributes["axis"] % len(dims_of(operation.result))
    behind, before = (value.owner for value in operation.operands)
    cuts = [cut_of(part, axis, which) for part, which in ((behind, 0), (before, 1))]
    if not isinstance(behind, Operation) or not isinstance(before, Operation) or cuts[0] is None or cuts[1] is None:
        return None
    source = behind.operands[0]
    if source is not before.operands[0] or not is_same(cuts[0], cuts[1]) or dims_of(operation.result) != dims_of(source):
        return None
    turn = (axis, operation.operands[0])
    inner = rotation_of(source.owner) if isinstance(source.owner, Operation) and source.owner.block is operation.block else None
    if inner is None or axis in dict(inner.turns):
        return Rotation(source, (turn,), (operation,))
    return Rotation(inner.source, (*inner.turns, turn), (*inner.makers, operation))


def cut_of(part: Operation | object, axis: int, which: int) -> Value | None:
    """The bound of a slice that is all of an array but for one bound along one axis: its start or its stop."""
    if not isinstance(part, Operation) or part.name != "basic_index" or len(part.operands) != 2:
        return None
    items = part.attributes["items"]
    wanted = ("slice", which == 0, which == 1, False)
    if tuple(items[axis]) != wanted or any(item[0] != "full" for place, item in enumerate(items) if place != axis):
        return None
    return part.operands[1]


def is_same(x: Value, y: Value) -> bool:
    """Whether two integers are one value or one literal."""
    return x is y or (literal_of(x) is not None and literal_of(x) == literal_of(y))


def literal_of(value: Value) -> int | None:
    operation = value.owner
    return int(operation.attributes["value"]) if isinstance(operation, Operation) and operation.name == "constant" else None


def dims_of(value: Value) -> tuple:
    assert isinstance(value.type, ArrayType)
    return value.type.dims
