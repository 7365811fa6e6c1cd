"""Whether the trips of a counted loop are independent: none reads or writes an element that another one writes."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import field

from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.ranges import Ranges
from autograph_jit.records import dataclass

SIGNS = {"add": 1, "pyint_add": 1, "subtract": -1, "pyint_subtract": -1}
PRODUCTS = ("multiply", "pyint_multiply")
Sum = frozenset[tuple[Value, int]]


@dataclass(frozen=True, slots=True)
class Form:
    """`step * index + rest + constant`; `rest` is a sum of multiples of numbers that are the same in every trip."""

    step: int
    rest: Sum
    constant: int

    def plus(self, other: Form, sign: int) -> Form:
        rest = dict(self.rest)
        for value, factor in other.rest:
            rest[value] = rest.get(value, 0) + sign * factor
        kept = frozenset((value, factor) for value, factor in rest.items() if factor)
        return Form(self.step + sign * other.step, kept, self.constant + sign * other.constant)

    def times(self, factor: int) -> Form:
        rest = frozenset((value, factor * each) for value, each in self.rest) if factor else frozenset()
        return Form(factor * self.step, rest, factor * self.constant)

    @property
    def is_number(self) -> bool:
        return not self.step and not self.rest

    def without_index(self) -> Form:
        return Form(0, self.rest, self.constant)


@dataclass(slots=True)
class Trips:
    """The body of a loop with all its operations and blocks; `index` tells the trips apart: the loop's, or that of a loop inside. Forms may
    contain the numbers `within`, indices of loops inside."""

    loop: Operation
    index: Value
    within: frozenset[Value] = frozenset()
    operations: list[Operation] = field(init=False)
    inside: set[Operation] = field(init=False)
    blocks: set[Block] = field(init=False)
    forms: dict[Value, Form | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.operations = list(walk_block(self.body))
        self.inside = set(self.operations)
        self.blocks = {self.body, *(region for operation in self.operations for region in operation.regions)}

    @property
    def body(self) -> Block:
        return self.loop.regions[0]

    def is_inside(self, value: Value) -> bool:
        return value.owner in self.inside or value.owner in self.blocks

    def form_of(self, value: Value) -> Form | None:
        """An integer as a sum, None where it is none; sums wrap as the integers do."""
        if value not in self.forms:
            self.forms[value] = self.find_form(value)
        return self.forms[value]

    def find_form(self, value: Value) -> Form | None:
        operation = value.owner
        if value is self.index:
            return Form(1, frozenset(), 0)
        if isinstance(operation, Operation) and operation.name == "constant":
            return Form(0, frozenset(), int(operation.attributes["value"]))
        if not self.is_inside(value) or value in self.within:
            return Form(0, frozenset([(value, 1)]), 0)
        if not isinstance(operation, Operation) or operation.name not in (*SIGNS, *PRODUCTS):
            return None
        x, y = (self.form_of(operand) for operand in operation.operands)
        if x is None or y is None:
            return None
        if operation.name in SIGNS:
            return x.plus(y, SIGNS[operation.name])
        return x.times(y.constant) if y.is_number else y.times(x.constant) if x.is_number else None


@dataclass(frozen=True, slots=True)
class Place:
    """The indices of a load or a store; `in_front` tells of each whether it surely counts from the front."""

    forms: list[Form | None]
    in_front: list[bool]


def indices_of(access: Operation) -> list[Value]:
    """The indices of a load or a store."""
    return access.operands[1 if access.name == "load" else 2 :]


def place_of(trips: Trips, access: Operation, ranges: Ranges) -> Place:
    indices = indices_of(access)
    type = access.operands[0].type
    assert isinstance(type, ArrayType)
    in_front = [ranges.is_index(index, dim, access)[0] for index, dim in zip(indices, type.dims)]
    return Place([trips.form_of(index) for index in indices], in_front)


def are_apart(x: Place, y: Place) -> bool:
    """Whether the element of one trip at `x` is never that of another trip at `y`; indices that differ between trips count from the front.

    It is not where an axis has the same sum with the index in both, or different numbers. Nor where one axis says which trip the first is,
    another axis which trip the second is, and it is the same: `out[i, j]` and `out[j, i]` in the loop over j.
    """
    first, second = set(), set()
    for p, q, p_in_front, q_in_front in zip(x.forms, y.forms, x.in_front, y.in_front, strict=True):
        if p is None or q is None:
            continue
        if p == q and abs(p.step) == 1:
            return True
        if p.step == q.step == 0 and p.rest == q.rest and p.constant != q.constant and p_in_front and q_in_front:
            return True
        if p.step == 1 and q.step == 0 and q_in_front:
            first.add(q.plus(p.without_index(), -1))
        if q.step == 1 and p.step == 0 and p_in_front:
            second.add(p.plus(q.without_index(), -1))
    return not first.isdisjoint(second)


def disjoint_arrays(trips: Trips, facts: Facts, ranges: Ranges, summed: Container[Value] = ()) -> set[frozenset[Value]] | None:
    """The pairs of arrays that must not overlap for the trips to be independent; None where they depend on each other all the same. What is
    `summed` is an array that trips only add to, in any order."""
    accesses = [operation for operation in trips.operations if operation.name in ("load", "store")]
    pairs: set[frozenset[Value]] = set()
    for number, store in enumerate(accesses):
        if store.name != "store":
            continue
        for other_number, other in enumerate(accesses):
            if other.name == "store" and other_number < number:
                continue
            target, array = store.operands[0], other.operands[0]
            if target is array:
                if target not in summed and not are_apart(place_of(trips, store, ranges), place_of(trips, other, ranges)):
                    return None
            elif facts.may_alias(target, array):
                pairs.add(frozenset((target, array)))
    return pairs


def uses(store: Operation, index: Value) -> bool:
    """Whether an index of a store is computed from a loop's index."""
    seen, waiting = set(), list(store.operands[2:])
    while waiting:
        value = waiting.pop()
        if value is index:
            return True
        if value not in seen and isinstance(value.owner, Operation):
            seen.add(value)
            waiting += value.owner.operands
    return False
