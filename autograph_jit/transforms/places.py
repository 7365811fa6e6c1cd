"""Which places of an array an assignment surely writes: all but some at the ends of its axes."""

from __future__ import annotations

from collections.abc import Iterator

from autograph_jit.ir.dims import Size, atom, most_apart
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.types import ArrayType
from autograph_jit.records import dataclass
from autograph_jit.transforms.rows import Rows

MOST_LEFT_OUT = 8  # elements of an axis that a trip does not write, which are copied


@dataclass(frozen=True, slots=True)
class End:
    """The places of an axis before a number, or those from it on, as a slice says it."""

    axis: int
    bound: Value
    is_front: bool


def changes_nearly_all(change: Operation, array: Value) -> bool:
    """Whether an operation assigns to a slice of an array that leaves out few elements of each axis."""
    view = change.operands[0].owner
    if change.name != "assign" or change.attributes.get("in_any_order") or not isinstance(view, Operation):
        return False
    if view.name != "basic_index" or view.operands[0] is not array or not isinstance(view.result.type, ArrayType):
        return False
    if not isinstance(array.type, ArrayType) or len(view.result.type.dims) != len(array.type.dims):
        return False
    kinds = view.attributes["items"]
    apart = [most_apart(size, whole) for size, whole in zip(view.result.type.dims, array.type.dims)]
    return all(item[0] == "full" or (item[0] == "slice" and not item[3]) for item in kinds) and all(
        distance is not None and distance <= MOST_LEFT_OUT for distance in apart
    )


def ends_of_slice(change: Operation, array: Value) -> list[End] | None:
    """The ends that an assignment to a slice leaves out; None where that is more than a few places."""
    if not changes_nearly_all(change, array):
        return None
    view = change.operands[0].owner
    assert isinstance(view, Operation)
    bounds, ends = iter(view.operands[1:]), []
    for axis, item in enumerate(view.attributes["items"]):
        present = item[1:3] if item[0] == "slice" else ()
        ends += [End(axis, next(bounds), is_front) for is_front, is_given in zip((True, False), present) if is_given]
    return ends


def copy_ends(block: Block, rows: Rows, ends: list[End], source: Value, target: Value, atoms: Iterator[Size]) -> None:
    """Copy the elements that a trip may leave as they were."""
    assert isinstance(source.type, ArrayType)
    rank = source.type.rank
    for end in ends:
        items = (*[("full",)] * end.axis, ("slice", not end.is_front, end.is_front, False), *[("full",)] * (rank - end.axis - 1))
        dims = (*source.type.dims[: end.axis], next(atoms), *source.type.dims[end.axis + 1 :])
        parts = [rows.op(block, "basic_index", array, end.bound, items=items, dims=dims) for array in (target, source)]
        rows.assign(block, *parts)


def fresh_atoms(graph: Graph) -> Iterator[Size]:
    """Names of sizes that the graph does not have."""
    used = [
        name
        for operation in graph.walk()
        for value in operation.results
        if isinstance(value.type, ArrayType)
        for size in value.type.dims
        if not isinstance(size, int)
        for name, _ in size.terms
    ]
    number = 0
    while True:
        name = f"d:rest{number}"
        if name not in used:
            yield atom(name)
        number += 1
