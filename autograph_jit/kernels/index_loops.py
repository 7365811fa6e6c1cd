"""Loops over indices as what they do to arrays: what each trip reads, adds to and stores, at indices that move along with the loops.

for i in range(1, n - 1):                   trips     i: from 1, n - 2 of them     j: from 1, m - 2 of them
    for j in range(1, m - 1):               reads     a at (i, j)
        s[i, j - 1] += 2 * a[i, j]          sums      s at (i, j - 1)
        a[i, j] = 0                         stores    a at (i, j)
"""

from __future__ import annotations

from dataclasses import field

from autograph_jit.ir.dims import Dim
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.types import I64, ArrayType, ScalarType
from autograph_jit.kernels.ranges import Ranges
from autograph_jit.records import dataclass

LONGEST = 160


@dataclass(frozen=True, slots=True)
class Place:
    """An index of an array: `offset` elements behind the index of a loop of the nest, or a number that all trips share."""

    loop: int | None
    offset: int = 0
    number: Value | None = None


@dataclass(frozen=True, slots=True)
class ElementAccess:
    """What an operation reads or writes: an element of an array."""

    operation: Operation
    array: Value
    places: tuple[Place, ...]

    @property
    def offsets(self) -> tuple[int, ...]:
        """How far from the index of each loop, outermost first, of those that move it."""
        return tuple(place.offset for place in sorted(self.moving, key=lambda place: place.loop or 0))

    @property
    def moving(self) -> list[Place]:
        return [place for place in self.places if place.loop is not None]


@dataclass(frozen=True, slots=True)
class Sum:
    """`array[places] += contribution`; whether the sum may `contract`."""

    access: ElementAccess
    contribution: Value
    contract: bool


@dataclass(slots=True)
class IndexLoop:
    """A nest of counted loops without anything between them, and the operations of its innermost body."""

    loops: list[Operation]
    indices: list[Value] = field(default_factory=list)
    reads: list[ElementAccess] = field(default_factory=list)
    sums: list[Sum] = field(default_factory=list)
    stores: list[ElementAccess] = field(default_factory=list)
    numbers: list[Operation] = field(default_factory=list)

    @property
    def body(self) -> Block:
        return self.loops[-1].regions[0]


def nest_at(loop: Operation) -> list[Operation]:
    """The nest that begins with a loop, as deep as it goes; empty where its innermost body is not worth a look."""
    found = [loop]
    while (inner := only_loop_in(found[-1].regions[0])) is not None:
        found.append(inner)
    return found if is_bare(loop) and is_plain(found[-1]) else []


def only_loop_in(body: Block) -> Operation | None:
    """The loop that is all that a body does."""
    loops = [operation for operation in body.operations if operation.name == "for_loop"]
    others = (operation for operation in body.operations if operation.name != "for_loop")
    return loops[0] if len(loops) == 1 and is_bare(loops[0]) and all(is_number(operation) for operation in others) else None


def is_bare(loop: Operation) -> bool:
    """Whether a counted loop carries nothing and always ends at its bound."""
    return not loop.results and not loop.attributes.get("has_break") and not loop.regions[0].terminated


def is_plain(loop: Operation) -> bool:
    """Whether a body has no regions, is not long, and adds to elements more than once."""
    body = loop.regions[0]
    stored = [operation.operands[0] for operation in body.operations if operation.name == "store"]
    return (
        len(body.operations) <= LONGEST
        and any(stored.count(array) > 1 for array in stored)
        and not any(operation.regions for operation in body.operations)
    )


def is_number(operation: Operation) -> bool:
    """Whether an operation computes numbers of numbers, or asks for a size, and cannot fail."""
    if operation.name == "dim":
        return True
    scalars = (*operation.operands, *operation.results)
    return (
        operation.opdef.effect is Effect.PURE
        and not operation.regions
        and not operation.can_fail
        and all(isinstance(value.type, ScalarType) for value in scalars)
    )


class Reader:
    """Reads the operations of a nest; `found` is None where something is more than an index loop does."""

    def __init__(self, loops: list[Operation], ranges: Ranges) -> None:
        self.ranges = ranges
        self.nest = IndexLoop(loops, [loop.regions[0].args[0] for loop in loops])
        self.atoms = {str(ranges.affine(index)): number for number, index in enumerate(self.nest.indices)}
        self.inside = {result for loop in loops for operation in loop.regions[0].operations for result in operation.results}
        self.outer = {result for loop in loops[:-1] for operation in loop.regions[0].operations for result in operation.results}
        self.users: dict[Value, int] = {}
        for operation in self.nest.body.operations:
            for operand in operation.operands:
                self.users[operand] = self.users.get(operand, 0) + 1

    def read(self) -> IndexLoop | None:
        """The nest, if every operation of it is understood."""
        if any(bound in self.inside or bound in self.nest.indices for loop in self.nest.loops for bound in loop.operands):
            return None
        if any(self.ranges.affine(loop.operands[2]) not in (1, -1) for loop in self.nest.loops):
            return None
        return self.nest if all(self.note(operation) for operation in self.nest.body.operations) else None

    def note(self, operation: Operation) -> bool:
        """Write down what an operation does; False where it is not known."""
        if operation.name == "load":
            access = self.access(operation, operation.operands[1:])
            if access is not None:
                self.nest.reads.append(access)
            return access is not None
        if operation.name == "store":
            access = None if operation.operands[1] in self.outer else self.access(operation, operation.operands[2:])
            if access is not None:
                self.note_store(access, operation.operands[1])
            return access is not None
        if not is_number(operation):
            return False
        if operation.results[0].type != I64 and operation.name not in ("constant", "dim") and not self.compares_indices(operation):
            self.nest.numbers.append(operation)
            settled = all(operand.type != I64 and operand not in self.outer for operand in operation.operands)
            return isinstance(operation.opdef.kernel, Pointwise) and settled
        return True

    def compares_indices(self, operation: Operation) -> bool:
        """Whether an operation is a question about indices, which only an index depends on."""
        return (
            operation.results[0].type != I64 and all(operand.type == I64 for operand in operation.operands) and self.is_for_index(operation)
        )

    def is_for_index(self, operation: Operation) -> bool:
        readers = [user for user in self.nest.body.operations if operation.results[0] in user.operands]
        return all(user.results and user.results[0].type == I64 for user in readers)

    def note_store(self, access: ElementAccess, value: Value) -> None:
        """A store, or a sum where what is stored is the element itself and something else."""
        maker = value.owner
        if isinstance(maker, Operation) and maker.name == "add" and self.users.get(value) == 1 and maker in self.nest.numbers:
            for mine, other in (maker.operands, maker.operands[::-1]):
                load = next((read for read in self.nest.reads if read.operation.results[0] is mine), None)
                if load is not None and load.array is access.array and load.places == access.places and self.users.get(mine) == 1:
                    self.nest.reads.remove(load)
                    self.nest.numbers.remove(maker)
                    self.nest.sums.append(Sum(access, other, maker.contract))
                    return
        self.nest.stores.append(access)

    def access(self, operation: Operation, indices: list[Value]) -> ElementAccess | None:
        """Where an operation reads or writes, if the indices are surely in bounds and move along with the loops in their order."""
        array = operation.operands[0]
        assert isinstance(array.type, ArrayType)
        if array in self.inside or array.type.dtype.kind == "c":
            return None
        places = []
        for index, size in zip(indices, array.type.dims):
            proved = operation.attributes.get("proved") or all(self.ranges.is_index(index, size, operation))
            place = self.place(index, operation) if proved else None
            if place is None:
                return None
            places.append(place)
        order = [place.loop for place in places if place.loop is not None]
        return ElementAccess(operation, array, tuple(places)) if order == sorted(set(order)) else None

    def place(self, index: Value, at: Operation) -> Place | None:
        """An index as a place."""
        index = self.unwrapped(index, at)
        form = self.ranges.affine(index)
        terms = form.terms if isinstance(form, Dim) else ()
        moving = [name for name, _ in terms if name in self.atoms]
        if not moving:
            return None if index in self.inside else Place(None, number=index)
        if len(terms) == 1 and terms[0][1] == 1 and isinstance(form, Dim):
            return Place(self.atoms[moving[0]], form.const)
        return None

    def unwrapped(self, index: Value, at: Operation) -> Value:
        """`x` of `x + n if x < 0 else x` where x is surely not negative."""
        choice = index.owner
        if isinstance(choice, Operation) and choice.name == "where":
            test = choice.operands[0].owner
            if isinstance(test, Operation) and test.name == "less" and test.operands[0] is choice.operands[2]:
                if self.ranges.affine(test.operands[1]) == 0 and self.ranges.is_nonnegative(test.operands[0], at):
                    return test.operands[0]
        return index
