"""Which places of an array a loop or an assignment surely writes: all but some at the ends of its axes."""

from __future__ import annotations

from collections.abc import Iterator

from autograph_jit.ir.dims import Size, atom, combine, most_apart
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.linear import distance, linear
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType
from autograph_jit.records import dataclass
from autograph_jit.transforms.rows import Rows

MOST_LEFT_OUT = 8  # elements of an axis that a trip does not write, which are copied


@dataclass(frozen=True, slots=True)
class End:
    """The places of an axis before a number, or those from it on; as a slice says it, or as a loop does, which takes -1 for none."""

    axis: int
    bound: Value
    is_front: bool
    of_loop: bool = False


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


def ends_of_loop(loop: Operation, array: Value) -> list[End] | None:
    """The ends that loops over the places of an array leave out; None where they may fail, or leave out more, or do anything else than
    compute and store elements of this array."""
    assert isinstance(array.type, ArrayType)
    loops = nest_of(loop)
    if loops is None or len(loops) != array.type.rank or not all(map(goes_up, loops)):
        return None
    counters = [each.regions[0].args[0] for each in loops]
    operations = [operation for each in loops for operation in each.regions[0].operations if operation not in loops]
    stores = [operation for operation in loops[-1].regions[0].operations if operation.name == "store"]
    if not all(is_within(each, loops) and each.operands[0] is array if each in stores else is_sure(each, loops) for each in operations):
        return None
    is_filled = any(store.operands[2:] == counters for store in stores)
    if not is_filled or not all(leaves_few(each, size) for each, size in zip(loops, array.type.dims)):
        return None
    return [End(axis, bound, front, True) for axis, each in enumerate(loops) for bound, front in zip(each.operands[:2], (True, False))]


def nest_of(loop: Operation) -> list[Operation] | None:
    """A loop and those inside it, one in each; None where a trip does more than run the next one."""
    loops = [loop]
    while True:
        body: Block = loops[-1].regions[0]
        inner = [operation for operation in body.operations if operation.regions]
        if loops[-1].results or body.terminated or len(inner) > 1 or (inner and inner[0].name != "for_loop"):
            return None
        if not inner:
            return loops
        loops.append(inner[0])


def goes_up(loop: Operation) -> bool:
    """Whether a loop goes up by one from a constant that is not negative to the end."""
    start, _, step = (linear(bound) for bound in loop.operands[:3])
    return step == 1 and isinstance(start, int) and start >= 0 and not loop.attributes.get("has_break")


def leaves_few(loop: Operation, size: Size) -> bool:
    """Whether a loop comes to nearly all places of an axis, and to none behind them."""
    start, stop = linear(loop.operands[0]), linear(loop.operands[1])
    if not isinstance(start, int) or stop is None or start > MOST_LEFT_OUT:
        return False
    apart, beyond = most_apart(size, stop), combine(stop, size, -1)
    return apart is not None and apart <= MOST_LEFT_OUT and isinstance(beyond, int) and beyond <= 0


def is_sure(operation: Operation, loops: list[Operation]) -> bool:
    """Whether an operation only computes, of elements that are there."""
    if operation.regions or operation.unwind:
        return False
    if operation.name == "load":
        return not operation.can_fail or is_within(operation, loops)
    return operation.opdef.effect is Effect.PURE and not operation.can_fail


def is_within(access: Operation, loops: list[Operation]) -> bool:
    """Whether an element that is read or written is near the place of the counters, and surely there."""
    array, *indices = access.operands if access.name == "load" else [access.operands[0], *access.operands[2:]]
    assert isinstance(array.type, ArrayType)
    return len(indices) == array.type.rank and all(
        any(is_place(index, loop, size) for loop in loops) for index, size in zip(indices, array.type.dims)
    )


def is_place(index: Value, loop: Operation, size: Size) -> bool:
    """Whether an index is the counter of a loop and a constant, and in all trips a place of an axis."""
    apart, start, stop = distance(index, loop.regions[0].args[0]), linear(loop.operands[0]), linear(loop.operands[1])
    if apart is None or not isinstance(start, int) or stop is None:
        return False
    beyond = combine(stop, size, -1)
    return start + apart >= 0 and isinstance(beyond, int) and beyond + apart <= 0


def copy_ends(block: Block, rows: Rows, ends: list[End], source: Value, target: Value, atoms: Iterator[Size]) -> None:
    """Copy the elements that a trip may leave as they were."""
    assert isinstance(source.type, ArrayType)
    rank = source.type.rank
    for end in ends:
        items = (*[("full",)] * end.axis, ("slice", not end.is_front, end.is_front, False), *[("full",)] * (rank - end.axis - 1))
        bound = rows.op(block, "maximum", end.bound, rows.number(block, 0)) if end.of_loop and not end.is_front else end.bound
        dims = (*source.type.dims[: end.axis], next(atoms), *source.type.dims[end.axis + 1 :])
        parts = [rows.op(block, "basic_index", array, bound, items=items, dims=dims) for array in (target, source)]
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
