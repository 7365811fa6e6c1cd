"""Outer products that the trips of a loop add to one matrix: vectors are collected, and a product of matrices adds several trips at once.

Before: for i in ...: g += a[:, None] * b
After:  for i in ...: rows[k] = a; others[k] = b; k += 1
                      if k == 32: g += rows.T @ others; k = 0
        g += rows[:k].T @ others[:k]

The reverse sweep of a loop over `w @ h` adds such a product to the cotangent of w in each trip, which goes through all of its memory.

Requires: the sum is marked as one whose terms may be added in any order (`in_any_order`, set by the reverse sweep), and nothing else in the
loop reads or writes the matrix, which an operation outside of the loop makes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.builder import append
from autograph_jit.ir.dims import atom
from autograph_jit.ir.graph import Block, Graph, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.ownership import Uses
from autograph_jit.ir.types import I64, ArrayType
from autograph_jit.kernels.lifetimes import is_owning
from autograph_jit.ops.registry import get
from autograph_jit.records import dataclass

TRIPS = 32  # that one product of matrices adds: their vectors stay in the nearest caches
SMALLEST = 65  # elements of a matrix of known sizes


@dataclass(frozen=True, slots=True)
class OuterSum:
    """`matrix += column * row`, or `matrix.T += column * row`, which is `turned`, with the operation that stores it."""

    assign: Operation
    matrix: Value
    column: Value
    row: Value
    turned: bool

    @property
    def type(self) -> ArrayType:
        assert isinstance(self.matrix.type, ArrayType)
        return self.matrix.type


def collect_outer_products(graph: Graph) -> bool:
    """Rewrite the loops of a graph; whether there was any."""
    marked = [operation for operation in graph.walk() if operation.attributes.get("in_any_order")]
    if not marked:
        return False
    uses = Uses(graph.block)
    loops: dict[Operation, list[OuterSum]] = {}
    for assign in marked:
        loop, found = loop_around(assign, uses), outer_sum(assign, uses)
        if loop is not None and found is not None:
            loops.setdefault(loop, []).append(found)
    changed = False
    for number, (loop, sums) in enumerate(loops.items()):
        alone = [each for each in sums if is_alone(each, loop, sums, uses)]
        if alone:
            Collection(loop, alone, number).rewrite()
            changed = True
    return changed


def loop_around(operation: Operation, uses: Uses) -> Operation | None:
    """The counted loop in whose body an operation stands, if every trip comes to the end of it."""
    block, _ = uses.places[operation]
    loop = uses.around.get(block)
    is_whole = loop is not None and loop.name == "for_loop" and not loop.attributes.get("has_break") and not block.terminated
    return loop if is_whole else None


def outer_sum(assign: Operation, uses: Uses) -> OuterSum | None:
    """What a marked sum adds to which matrix."""
    matrix, total = assign.operands
    add = made_for(total, assign, uses)
    if add is None or add.name != "add" or add.operands[0] is not matrix or assign.unwind:
        return None
    product = made_for(add.operands[1], add, uses)
    if product is None or product.name != "multiply" or total.type != matrix.type or not is_large(matrix):
        return None
    dtypes = {value.type.dtype for value in (matrix, *product.operands) if isinstance(value.type, ArrayType)}
    if not is_outer_product(*product.operands) or len(dtypes) != 1:
        return None
    view = matrix.owner
    column, row = product.operands
    if isinstance(view, Operation) and view.name == "transpose" and view.attributes["perm"] == (1, 0):
        return OuterSum(assign, view.operands[0], column, row, turned=True)
    return OuterSum(assign, matrix, column, row, turned=False)


def made_for(value: Value, user: Operation, uses: Uses) -> Operation | None:
    """The operation that makes a value for one other operation of its block."""
    owner = value.owner
    if not isinstance(owner, Operation) or uses.users[value] != [user] or value in uses.yielded or value in uses.unwound:
        return None
    return owner if uses.places[owner][0] is uses.places[user][0] else None


def is_outer_product(column: Value, row: Value) -> bool:
    """Whether two arrays are a column and a row, as far as their axes tell."""
    if not isinstance(column.type, ArrayType) or not isinstance(row.type, ArrayType) or column.type.rank != 2 or column.type.dims[1] != 1:
        return False
    return row.type.rank == 1 or (row.type.rank == 2 and row.type.dims[0] == 1)


def is_large(matrix: Value) -> bool:
    """Whether a matrix of floats has so many elements that they are worth collecting for."""
    type = matrix.type
    if not isinstance(type, ArrayType) or type.rank != 2 or type.dtype.kind != "f":
        return False
    rows, columns = type.dims
    return not isinstance(rows, int) or not isinstance(columns, int) or rows * columns >= SMALLEST


def is_alone(outer: OuterSum, loop: Operation, sums: list[OuterSum], uses: Uses) -> bool:
    """Whether an operation outside of the loop makes the matrix, and the loop does nothing with it but to add outer products."""
    maker = outer.matrix.owner
    if not isinstance(maker, Operation) or maker.opdef.effect is not Effect.PURE or not is_owning(maker):
        return False
    own = {each.assign for each in sums} | {each.assign.operands[1].owner for each in sums}
    home, inside = uses.places[maker][0], loop.regions[0]
    block: Block | None = uses.places[loop][0]
    while block is not None and block is not home:
        around = uses.around.get(block)
        if around is None or around.name == "try_":
            return False
        block = uses.places[around][0]
    family = uses.family(outer.matrix)
    if block is None or any(value in uses.unwound for value in family) or not handed_on(inside).isdisjoint(family):
        return False
    return all(
        user in own or user.name == "dim" or not (user.regions or user.opdef.effect is Effect.HOST or stands_in(user, inside, uses))
        for value in family
        for user in uses.users.get(value, ())
    )


def handed_on(block: Block) -> set[Value]:
    """What a block and its regions yield."""
    return {*block.yields, *(value for each in walk_block(block) for region in each.regions for value in region.yields)}


def stands_in(operation: Operation, block: Block, uses: Uses) -> bool:
    """Whether an operation stands in a block or in a region within it."""
    around: Operation | None = operation
    while around is not None:
        home = uses.places[around][0]
        if home is block:
            return True
        around = uses.around.get(home)
    return False


class Collection:
    """Rewrites one loop."""

    def __init__(self, loop: Operation, sums: list[OuterSum], number: int) -> None:
        self.loop, self.sums, self.body = loop, sums, loop.regions[0]
        self.left = atom(f"d:collected{number}")

    def rewrite(self) -> None:
        """Memory for the vectors in front of the loop, what is left of them behind it."""
        before, after = Block(), Block()
        zero, one, trips = (self.op(before, "constant", value=np.int64(number)) for number in (0, 1, TRIPS))
        memory = [self.memory(before, each, trips) for each in self.sums]
        count = self.body.add_argument(I64, "collected")
        for each, places in zip(self.sums, memory):
            self.collect(each, places, count, zero)
        self.body.yields.append(self.add_full(memory, count, zero, one, trips))
        self.loop.operands.append(zero)
        self.loop.attributes["results"] = (*(result.type for result in self.loop.results), I64)
        rest = Value(I64, self.loop, len(self.loop.results), "collected")
        self.loop.results.append(rest)
        self.add_rest(after, memory, rest, zero)
        home = self.loop.block
        assert home is not None
        place = home.operations.index(self.loop)
        home.operations[place : place + 1] = [*home.adopt(before.operations), self.loop, *home.adopt(after.operations)]

    def op(self, block: Block, name: str, *operands: Value, **attributes: Any) -> Value:
        return append(block, get(name), list(operands), attributes, span=self.loop.span).result

    def memory(self, block: Block, outer: OuterSum, trips: Value) -> tuple[Value, Value]:
        """Rows for the columns and for the rows of the products."""
        sizes = [self.op(block, "dim", outer.matrix, axis=axis) for axis in (0, 1)]
        made = [
            self.op(block, "empty", trips, size, dtype=outer.type.dtype, dims=(TRIPS, dim)) for size, dim in zip(sizes, outer.type.dims)
        ]
        return made[0], made[1]

    def collect(self, outer: OuterSum, places: tuple[Value, Value], count: Value, zero: Value) -> None:
        """Keep the vectors of a product in the place of the sum."""
        here = Block()
        vectors = [self.line(here, outer.column, 1, zero), self.line(here, outer.row, 0, zero)]
        if outer.turned:
            vectors.reverse()
        for place, vector, dim in zip(places, vectors, outer.type.dims):
            row = self.op(here, "basic_index", place, count, items=(("int",), ("full",)), dims=(dim,), proved=True)
            append(here, get("assign"), [row, vector], span=self.loop.span)
        add = outer.assign.operands[1].owner
        assert isinstance(add, Operation)
        gone = {outer.assign, add, add.operands[1].owner}
        position = self.body.operations.index(outer.assign)
        kept = [operation for operation in self.body.operations[:position] if operation not in gone]
        self.body.operations = [*kept, *self.body.adopt(here.operations), *self.body.operations[position + 1 :]]

    def line(self, block: Block, value: Value, axis: int, zero: Value) -> Value:
        """A column or a row as a vector: what it is a view of, if it is one, or a view of it."""
        assert isinstance(value.type, ArrayType)
        if value.type.rank == 1:
            return value
        items = (("int",), ("full",)) if axis == 0 else (("full",), ("int",))
        owner = value.owner
        if isinstance(owner, Operation) and owner.name == "basic_index":
            unit = (("newaxis",), ("full",)) if axis == 0 else (("full",), ("newaxis",))
            if owner.attributes["items"] == unit:
                return owner.operands[0]
        return self.op(block, "basic_index", value, zero, items=items, dims=(value.type.dims[1 - axis],), proved=True)

    def add_full(self, memory: list[tuple[Value, Value]], count: Value, zero: Value, one: Value, trips: Value) -> Value:
        """Add up what is collected when there is no more room; how much there is after the trip."""
        here, full, other = Block(), Block(self.body), Block(self.body)
        following = self.op(here, "add", count, one)
        is_full = self.op(here, "equal", following, trips)
        for outer, (columns, rows) in zip(self.sums, memory):
            self.add_product(full, outer, columns, rows)
        full.yields, other.yields = [zero], [following]
        choice = append(here, get("cond"), [is_full], {"results": (I64,)}, [full, other], self.loop.span)
        self.body.operations += self.body.adopt(here.operations)
        return choice.result

    def add_rest(self, block: Block, memory: list[tuple[Value, Value]], rest: Value, zero: Value) -> None:
        """Add up what is left when the loop ends."""
        some, none = Block(), Block()
        is_some = self.op(block, "greater", rest, zero)
        for outer, pair in zip(self.sums, memory):
            items = (("slice", False, True, False), ("full",))
            parts = [
                self.op(some, "basic_index", value, rest, items=items, dims=(self.left, dim), proved=True)
                for value, dim in zip(pair, outer.type.dims)
            ]
            self.add_product(some, outer, parts[0], parts[1])
        append(block, get("cond"), [is_some], {"results": ()}, [some, none], self.loop.span)

    def add_product(self, block: Block, outer: OuterSum, columns: Value, rows: Value) -> None:
        product = self.op(block, "matmul", self.op(block, "transpose", columns, perm=(1, 0)), rows)
        append(block, get("assign"), [outer.matrix, self.op(block, "add", outer.matrix, product)], span=self.loop.span)
