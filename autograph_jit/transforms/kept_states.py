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

from autograph_jit.ir.graph import Block, Graph, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.ownership import Uses
from autograph_jit.records import dataclass
from autograph_jit.transforms.aliases import Aliases
from autograph_jit.transforms.places import End, copy_ends, ends_of_slice, fresh_atoms
from autograph_jit.transforms.rows import Rows, fills_rows, is_copy_to_row, place_after, place_before


@dataclass(frozen=True, slots=True)
class KeptState:
    """An array that a loop copies to a row in each trip by `copy`, and changes afterwards, by `change` first of all, but for
    the elements at its `ends`."""

    loop: Operation
    array: Value
    copy: Operation
    change: Operation
    ends: list[End]

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
            state = state_of_copy(loop, copy, Uses(graph.block), Aliases(graph, distinct_parameters))
            if state is not None:
                Rewriting(graph, state).run()


def state_of_copy(loop: Operation, copy: Operation, uses: Uses, aliases: Aliases) -> KeptState | None:
    """What is copied, if the loop may compute it in the rows that it is copied to."""
    (body,), array = loop.regions, copy.operands[1]
    if not fills_rows(loop, copy, uses) or not is_around(array, body, uses) or not all(map(is_calm, body.operations)):
        return None
    change = first_change(array, body, uses)
    ends = None if change is None else ends_of_slice(change, array)
    if change is None or ends is None or body.operations.index(change) < body.operations.index(copy) or array in body.yields:
        return None
    return KeptState(loop, array, copy, change, ends) if have_no_other_names(body, [array], uses, aliases) else None


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
    return next((each for each in body.operations if not names.isdisjoint(each.written)), None)


def have_no_other_names(body: Block, arrays: list[Value], uses: Uses, aliases: Aliases) -> bool:
    """Whether a body uses the memory of arrays by these names and slices of them only, and gives slices to no one."""
    slices = {name for array in arrays for name in names_of(array, uses)} - set(arrays)
    names, roots = slices | set(arrays), aliases.roots(arrays[0])
    if slices & {*body.yields, *uses.unwound} or set(arrays) & uses.unwound:
        return False
    for operation in walk_block(body):
        if operation.opdef.effect is Effect.VIEW and operation.name != "basic_index" and operation.operands[0] in names:
            return False
        if any(operand not in names and aliases.may_meet(aliases.roots(operand), roots) for operand in operation.operands):
            return False
    return True


class Rewriting:
    """The new forms of a loop and of the array that keeps the states."""

    def __init__(self, graph: Graph, state: KeptState) -> None:
        self.state, self.rows = state, Rows(state.row, state.copy.span)
        self.names, self.atoms = set(names_of(state.array, Uses(graph.block))), fresh_atoms(graph)

    def run(self) -> None:
        """Rewrite the array, the body, and what stands around the loop."""
        loop, array = self.state.loop, self.state.array
        self.rows.add_row()
        self.rewrite_body()
        front, behind = Block(), Block()
        self.rows.assign(front, self.rows.at(front, self.rows.number(front, 0)), array)
        self.rows.assign(behind, array, self.rows.after(behind, loop))
        place_before(loop, front)
        place_after(loop, behind)

    def rewrite_body(self) -> None:
        """Before the first change the array is this trip's row, from then on the next one."""
        state, row, (body,) = self.state, self.state.row, self.state.loop.regions
        made = Block()
        made.operations.append(row)
        before, after = {state.array: row.result}, {state.array: self.rows.following(made)}
        now = before
        for operation in body.operations:
            if operation in (row, state.copy) or (operation.name == "basic_index" and operation.operands[0] in self.names):
                continue
            if operation is state.change:
                target, source = operation.operands
                operation.operands = [self.renamed(made, target, after), self.renamed(made, source, before)]
                made.operations.append(operation)
                copy_ends(made, self.rows, state.ends, row.result, after[state.array], self.atoms)
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
            names[value] = self.rows.op(block, "basic_index", array, *view.operands[1:], **view.attributes)
        return names.get(value, value)
