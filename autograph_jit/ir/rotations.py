"""Rotations, which `np.roll` and `np.concatenate([y[k:], y[:k]])` make: the parts of an array behind and before one place, joined."""

from __future__ import annotations

from autograph_jit.ir.graph import Operation, Value, literal_of
from autograph_jit.ir.types import ArrayType
from autograph_jit.records import dataclass


@dataclass(frozen=True, slots=True)
class Rotation:
    """An array and, by axis, the part of it that comes first; `makers` are the operations that make it, the innermost rotation first."""

    source: Value
    turns: tuple[tuple[int, Value], ...]
    makers: tuple[Operation, ...]


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


def slices_of(rotation: Operation) -> list[Operation]:
    """The two slices that a rotation joins."""
    return [part.owner for part in rotation.operands if isinstance(part.owner, Operation)]


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


def dims_of(value: Value) -> tuple:
    assert isinstance(value.type, ArrayType)
    return value.type.dims
