"""Lets a loop write each state of an array where it is kept, in the place of copying it there.

Before::                                             After::

    %kept = empty(50, n)                                 %kept = empty(51, n)
    for_loop(0, 50, 1) do (%i) {                         assign(%kept[0], %u)
        assign(%kept[%i], %u)                            for_loop(0, 50, 1) do (%i) {
        assign(%u[1:-1], f(%u))                              assign(%kept[%i + 1][1:-1], f(%kept[%i]))
    }                                                        assign(%kept[%i + 1][:1], %kept[%i][:1]), and so the other end
                                                         }
                                                         assign(%u, %kept[50])

The reverse sweep reads the states of an array that a loop changes. To copy each of them takes longer than to compute a stencil: it is
written and read once more than it has to be.

Requires: a trip changes nearly all of the array by an assignment to a slice, after the copy; what it does besides are operations on
arrays and numbers that cannot fail, and no other name of the array's memory is used; the rows are read and written by their number only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph_jit.ir.builder import append
from autograph_jit.ir.dims import Size, atom, most_apart
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.ownership import Uses
from autograph_jit.ir.types import ArrayType
from autograph_jit.ops.registry import get
from autograph_jit.records import dataclass
from autograph_jit.transforms.aliases import Aliases
from autograph_jit.transforms.rewriting import constant_of

FEWEST_TRIPS = 3
MOST_LEFT_OUT = 8  # elements of an axis that a trip does not write, which are copied


@dataclass(frozen=True, slots=True)
class State:
    """An array that a loop copies to a row of `kept` in each trip by `copy`, and changes afterwards, by `change` first of all."""

    loop: Operation
    array: Value
    kept: Operation
    copy: Operation
    change: Operation

    @property
    def row(self) -> Operation:
        """The view of the row of a trip."""
        owner = self.copy.operands[0].owner
        assert isinstance(owner, Operation)
        return owner


def write_where_kept(graph: Graph, distinct_parameters: bool = False) -> None:
    """Rewrite every loop that keeps states."""
    if not any(is_copy_to_row(operation) for operation in graph.walk()):
        return
    for loop in [operation for operation in graph.walk() if operation.name == "for_loop"]:
        for copy in [operation for operation in loop.regions[0].operations if is_copy_to_row(operation)]:
            state = state_of(loop, copy, Uses(graph.block), Aliases(graph, distinct_parameters))
            if state is not None:
                Rewriting(graph, state).run()


def is_copy_to_row(operation: Operation) -> bool:
    """Whether an operation copies an array to a row of another one, whose number is proved to be in bounds."""
    if operation.name != "assign" or operation.unwind or not isinstance(operation.operands[1].type, ArrayType):
        return False
    row = operation.operands[0].owner
    return isinstance(row, Operation) and is_row(row) and row.result.type == operation.operands[1].type


def is_row(operation: Operation) -> bool:
    """Whether an operation is a view of one row of an array that `empty` makes, by numbers that are in bounds."""
    if operation.name != "basic_index" or not operation.attributes.get("proved"):
        return False
    kinds = [item[0] for item in operation.attributes["items"]]
    count, maker = len(operation.operands) - 1, operation.operands[0].owner
    is_made = isinstance(maker, Operation) and maker.name == "empty"
    return is_made and count > 0 and kinds == ["int"] * count + ["full"] * (len(kinds) - count)


def state_of(loop: Operation, copy: Operation, uses: Uses, aliases: Aliases) -> State | None:
    """What is copied, if the loop may compute it in the rows that it is copied to."""
    (body,), array = loop.regions, copy.operands[1]
    row = copy.operands[0].owner
    assert isinstance(row, Operation)
    kept = row.operands[0].owner
    assert isinstance(kept, Operation)
    if not counts_rows(loop, row) or row.block is not body or uses.users[row.result] != [copy] or kept.unwind:
        return None
    if not has_rows_alone(kept, row, loop, uses) or not is_around(array, body, uses):
        return None
    if body.terminated or not all(map(is_calm, body.operations)):
        return None
    change = first_change(array, body, uses)
    if change is None or body.operations.index(change) < body.operations.index(copy) or not changes_nearly_all(change, array):
        return None
    return State(loop, array, kept, copy, change) if has_one_name(array, body, uses, aliases) else None


def counts_rows(loop: Operation, row: Operation) -> bool:
    """Whether a loop begins with the first row and goes on to the next one in each trip."""
    start, stop, step = (constant_of(bound) for bound in loop.operands[:3])
    if start != 0 or step != 1 or loop.attributes.get("has_break"):
        return False
    return row.operands[-1] is loop.regions[0].args[0] and (stop is None or int(stop) >= FEWEST_TRIPS)


def has_rows_alone(kept: Operation, own: Operation, loop: Operation, uses: Uses) -> bool:
    """Whether an array is used by its rows only, in the loop by one of them."""
    array, count = kept.result, len(own.operands)
    if array in uses.yielded or array in uses.unwound or uses.places[kept][0] is loop.regions[0]:
        return False
    return all(
        user is own or (is_row(user) and len(user.operands) == count and user.block is not loop.regions[0])
        for user in uses.users.get(array, ())
    )


def is_around(array: Value, body: Block, uses: Uses) -> bool:
    """Whether an array exists before a loop."""
    home = array.owner if isinstance(array.owner, Block) else uses.places[array.owner][0]
    return home is not body


def is_calm(operation: Operation) -> bool:
    """Whether an operation does its work on arrays and numbers of compiled code, and cannot fail."""
    return not operation.regions and not operation.unwind and operation.opdef.effect is not Effect.HOST and not operation.can_fail


def names_of(array: Value, uses: Uses) -> list[Value]:
    """An array and the slices of it, which may be made in front of a loop."""
    found = [array]
    for member in found:
        found += [user.result for user in uses.users.get(member, ()) if user.name == "basic_index"]
    return found


def first_change(array: Value, body: Block, uses: Uses) -> Operation | None:
    """The first operation of a body that writes an array."""
    names = set(names_of(array, uses))
    return next((each for each in body.operations if each.opdef.effect is Effect.WRITE and each.operands[0] in names), None)


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


def has_one_name(array: Value, body: Block, uses: Uses, aliases: Aliases) -> bool:
    """Whether a body uses the memory of an array by its slices only, and gives them to no one."""
    names, roots = set(names_of(array, uses)), aliases.roots(array)
    if names & {*body.yields, *uses.unwound}:
        return False
    for operation in body.operations:
        if operation.opdef.effect is Effect.VIEW and operation.name != "basic_index" and operation.operands[0] in names:
            return False
        if any(operand not in names and aliases.may_meet(aliases.roots(operand), roots) for operand in operation.operands):
            return False
    return True


class Rewriting:
    """The new forms of a loop and of the array that keeps the states."""

    def __init__(self, graph: Graph, state: State) -> None:
        self.graph, self.state, self.span = graph, state, state.copy.span
        self.names, self.atoms = set(names_of(state.array, Uses(graph.block))), fresh_atoms(graph)

    def run(self) -> None:
        """Rewrite the array, the body, and what stands around the loop."""
        self.add_row()
        self.rewrite_body()
        self.carry_in_and_out()

    def op(self, block: Block, name: str, *operands: Value, **attributes: Any) -> Value:
        return append(block, get(name), list(operands), attributes, span=self.span).result

    def number(self, block: Block, value: int) -> Value:
        return self.op(block, "constant", value=np.int64(value))

    def add_row(self) -> None:
        """One row more for the last state."""
        kept, axis, made = self.state.kept, len(self.state.row.operands) - 2, Block()
        assert kept.block is not None and isinstance(kept.result.type, ArrayType)
        count, dims = kept.operands[axis], kept.result.type.dims
        longer = self.op(made, "add", count, self.number(made, 1))
        kept.operands = [*kept.operands[:axis], longer, *kept.operands[axis + 1 :]]
        whole = (*dims[:axis], dims[axis] + 1, *dims[axis + 1 :])
        kept.attributes = {**kept.attributes, "dims": whole}
        kept.result.type = ArrayType(kept.result.type.dtype, whole)
        place = kept.block.operations.index(kept)
        kept.block.operations[place:place] = kept.block.adopt(made.operations)

    def rewrite_body(self) -> None:
        """Before the first change the array is this trip's row, from then on the next one."""
        state, row, (body,) = self.state, self.state.row, self.state.loop.regions
        made = Block()
        made.operations.append(row)
        numbers = [*row.operands[1:-1], self.op(made, "add", row.operands[-1], self.number(made, 1))]
        before = {state.array: row.result}
        after = {state.array: self.op(made, "basic_index", row.operands[0], *numbers, **row.attributes)}
        now = before
        for operation in body.operations:
            if operation in (row, state.copy) or (operation.name == "basic_index" and operation.operands[0] in self.names):
                continue
            if operation is state.change:
                target, source = operation.operands
                operation.operands = [self.renamed(made, target, after), self.renamed(made, source, before)]
                made.operations.append(operation)
                self.copy_rest(made, row.result, after[state.array])
                now = after
                continue
            operation.operands = [self.renamed(made, value, now) for value in operation.operands]
            made.operations.append(operation)
        body.operations = body.adopt(made.operations)

    def renamed(self, block: Block, value: Value, names: dict[Value, Value]) -> Value:
        """What a value is called now: the same slice of the row that the array is."""
        if value in self.names and value not in names:
            view = value.owner
            assert isinstance(view, Operation)
            array = self.renamed(block, view.operands[0], names)
            names[value] = self.op(block, "basic_index", array, *view.operands[1:], **view.attributes)
        return names.get(value, value)

    def copy_rest(self, block: Block, source: Value, target: Value) -> None:
        """Copy the elements that the first change of a trip leaves out."""
        view = self.state.change.operands[0].owner
        assert isinstance(view, Operation) and isinstance(view.result.type, ArrayType) and isinstance(source.type, ArrayType)
        items, bounds = view.attributes["items"], iter(view.operands[1:])
        ends = [[next(bounds) if present else None for present in item[1:3]] if item[0] == "slice" else [None, None] for item in items]
        for axis, (start, stop) in enumerate(ends):
            for place, bound in enumerate((start, stop)):
                if bound is None:
                    continue
                part = ("slice", place == 1, place == 0, False)
                slab = (*items[:axis], part, *([("full",)] * (len(items) - axis - 1)))
                before = [number for pair in ends[:axis] for number in pair if number is not None]
                dims = (*view.result.type.dims[:axis], next(self.atoms), *source.type.dims[axis + 1 :])
                there, here = (self.op(block, "basic_index", array, *before, bound, items=slab, dims=dims) for array in (target, source))
                append(block, get("assign"), [there, here], span=self.span)

    def carry_in_and_out(self) -> None:
        """The first state goes into the first row, the last one comes from the last row."""
        state, block = self.state, self.state.loop.block
        assert block is not None
        row, outside = state.row, Block()
        zero = self.number(outside, 0)
        first = self.op(outside, "basic_index", row.operands[0], *row.operands[1:-1], zero, **row.attributes)
        append(outside, get("assign"), [first, state.array], span=self.span)
        begin, outside = outside.operations, Block()
        trips = self.op(outside, "maximum", state.loop.operands[1], self.number(outside, 0))
        last = self.op(outside, "basic_index", row.operands[0], *row.operands[1:-1], trips, **row.attributes)
        append(outside, get("assign"), [state.array, last], span=self.span)
        place = block.operations.index(state.loop)
        block.operations[place : place + 1] = [*block.adopt(begin), state.loop, *block.adopt(outside.operations)]


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
