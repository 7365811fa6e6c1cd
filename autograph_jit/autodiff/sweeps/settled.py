"""Elements that loops read and that nothing writes again before the loops end: the array is kept as they leave it, not each element.

Forward: for k: for i in range(k + 1, n): a[i, k] /= a[k, k]; for j in range(k + 1, n): a[i, j] -= a[i, k] * a[k, j]
Reverse: a[i, k] and a[k, j] are read in a copy of a, taken behind the outermost loop

So are tables that are filled once, x[i] = f(x[i - 1]), and triangular systems. What a store may write later is compared with what is read
by their indices: one of these differs whatever the counters are, which inequalities show.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograph_jit.autodiff.sweeps.lasting import is_all_of
from autograph_jit.autodiff.sweeps.phantoms import Phantoms
from autograph_jit.ir.dims import Dim, Size, combine, scale
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.inequalities import Inequalities
from autograph_jit.ir.linear import linear
from autograph_jit.ir.types import ArrayType
from autograph_jit.records import dataclass

MOST_STORES = 6
Forms = dict[Value, Size]


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store in counted loops, outermost first."""

    operation: Operation
    loops: list[Operation]

    @property
    def indices(self) -> list[Value]:
        return self.operation.operands[1:] if self.operation.name == "load" else self.operation.operands[2:]


def settled_behind(phantoms: Phantoms, value: Value, region: Block) -> Operation | None:
    """The operation behind loops that leave an element as it was read; None where it has to be kept."""
    load = value.owner
    if not isinstance(load, Operation) or load.name != "load" or not phantoms.written(load.operands[0]):
        return None
    source = load.operands[0]
    assert isinstance(source.type, ArrayType)
    loops = loops_around(phantoms, source, region)
    for index, loop in enumerate(loops[: len(loops) - source.type.rank + 1]):
        behind = following(loop)
        if behind is not None and comes_to_all(loops[index:], source.type) and is_settled(phantoms, Access(load, loops[index:]), source):
            return behind
    return None


def loops_around(phantoms: Phantoms, source: Value, region: Block) -> list[Operation]:
    """The counted loops around a region, in which an array is from outside, outermost first."""
    found: list[Operation] = []
    owners, current = phantoms.residuals.invariants.owners, region
    while current in owners and phantoms.homes.get(source) is not current:
        owner = owners[current]
        if owner.block is None or not (owner.name == "cond" or is_counted(owner)):
            break
        found[:0] = [owner] if owner.name == "for_loop" else []
        current = owner.block
    return found


def is_counted(operation: Operation) -> bool:
    return operation.name == "for_loop" and linear(operation.operands[2]) == 1


def following(loop: Operation) -> Operation | None:
    """The next operation of a block."""
    assert loop.block is not None
    operations = loop.block.operations
    place = operations.index(loop) + 1
    return operations[place] if place < len(operations) else None


def comes_to_all(loops: list[Operation], type_: ArrayType) -> bool:
    """Whether loops make about as many trips as the array has places: so many as an axis, or as the counter of another loop says."""
    first, *others = loops
    return is_along(first, type_) and all(is_along(loop, type_) or is_triangular(loop, loops) for loop in others)


def is_along(loop: Operation, type_: ArrayType) -> bool:
    """Whether a loop comes to nearly all places of an axis."""
    return any(is_all_of(loop, size) for size in type_.dims)


def is_triangular(loop: Operation, loops: list[Operation]) -> bool:
    """Whether a loop begins or ends where the counter of another one is."""
    counters: Forms = {each.regions[0].args[0]: 0 for each in loops}
    forms = [form_of(bound, counters) for bound in loop.operands[:2]]
    return None not in forms and any(linear(bound) is None for bound in loop.operands[:2])


def is_settled(phantoms: Phantoms, load: Access, source: Value) -> bool:
    """Whether the stores in the outermost loop of a load write other elements from the load on."""
    stores: list[Access] = []
    for operation, loops in accesses_in(load.loops[0], [load.loops[0]]):
        if operation.regions or not phantoms.writes(operation, source):
            continue
        if operation.name != "store" or operation.operands[0] is not source or not all(map(is_counted, loops)):
            return False
        stores.append(Access(operation, loops))
    return len(stores) <= MOST_STORES and not any(may_meet(load, store, level) for store in stores for level in later(load, store))


def accesses_in(loop: Operation, loops: list[Operation]) -> Iterator[tuple[Operation, list[Operation]]]:
    """The operations in a loop, and the loops around each."""
    for region in loop.regions:
        for operation in region.operations:
            yield operation, loops
            yield from accesses_in(operation, [*loops, operation] if operation.name.endswith("_loop") else loops)


def later(load: Access, store: Access) -> Iterator[int]:
    """How many of the loops around both are in the same trip when the store comes after the load: all but the last ones of them, and all
    where the store stands behind."""
    common = [loop for loop, other in zip(load.loops, store.loops) if loop is other]
    yield from range(len(common))
    body = common[-1].regions[0]
    places = [index for each in (load, store) for index, part in enumerate(body.operations) if contains(part, each.operation)]
    if places[1] >= places[0]:
        yield len(common)


def contains(part: Operation, operation: Operation) -> bool:
    return part is operation or any(inner is operation for region in part.regions for inner in walk_block(region))


def may_meet(load: Access, store: Access, level: int) -> bool:
    """Whether a store may write the element of a load, where so many loops are in the same trip and the next one is in a later trip."""
    known, at_load, at_store = Inequalities(), Forms(), Forms()
    for loop in load.loops:
        begin_trip(loop, at_load, known)
    for depth, loop in enumerate(store.loops):
        counter = loop.regions[0].args[0]
        if depth < level:
            at_store[counter] = at_load[counter]
            continue
        begin_trip(loop, at_store, known)
        if depth == level and counter in at_load:
            learn(known, at_store[counter], combine(combine(at_store[counter], at_load[counter], -1), -1, 1))
    pairs = zip(load.indices, store.indices, strict=True)
    forms = [(form_of(x, at_load), form_of(y, at_store)) for x, y in pairs]
    return not any(x is not None and y is not None and differ(x, y, known) for x, y in forms)


def begin_trip(loop: Operation, forms: Forms, known: Inequalities) -> None:
    """A counter of which nothing is known but its range."""
    start, stop = (form_of(bound, forms) for bound in loop.operands[:2])
    counter = forms[loop.regions[0].args[0]] = known.unknown()
    if start is not None:
        learn(known, counter, combine(counter, start, -1))
    if stop is not None:
        learn(known, counter, combine(combine(stop, counter, -1), -1, 1))


def learn(known: Inequalities, counter: Size, fact: Size) -> None:
    assert isinstance(counter, Dim)
    known.learn(counter.terms[0][0], fact)


def differ(x: Size, y: Size, known: Inequalities) -> bool:
    """Whether two indices are surely places, and not the same."""
    apart = combine(combine(x, y, -1), -1, 1), combine(combine(y, x, -1), -1, 1)
    return any(map(known.is_nonnegative, apart)) and known.is_nonnegative(x) and known.is_nonnegative(y)


def form_of(value: Value, forms: Forms) -> Size | None:
    """A number as a sum of sizes and counters; None where it is none."""
    if value in forms:
        return forms[value]
    size = linear(value)
    if size is not None:
        return size
    owner = value.owner
    if not isinstance(owner, Operation) or owner.name not in ("add", "subtract", "multiply"):
        return None
    x, y = (form_of(operand, forms) for operand in owner.operands)
    if x is None or y is None:
        return None
    if owner.name == "multiply":
        return scale(y, x) if isinstance(x, int) else scale(x, y) if isinstance(y, int) else None
    return combine(x, y, 1 if owner.name == "add" else -1)
