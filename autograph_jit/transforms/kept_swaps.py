"""Lets a loop whose trips pass arrays on in turns compute each state in the row where it is kept.

Before::                                             After::

    %r, %s = for_loop(0, 50, 1, %a, %b)                  assign(%kept[0], %b); assign(%kept[1], %a)
    do (%i, %u, %v) {                                    for_loop(0, 50, 1) do (%i) {
        assign(%kept[%i], %u)                                assign(%kept[%i + 2][:1], %kept[%i][:1]), and so the other end
        for_loop(1, n - 1, 1) { %v[j] = f(%u, j) }           for_loop(1, n - 1, 1) { %kept[%i + 2][j] = f(%kept[%i + 1], j) }
        yield %v, %u                                     }
    }                                                    assign(%a, %kept[51]); assign(%b, %kept[50])

So are three arrays that change places, as those of a wave. The arrays themselves get the last states, which other names of them see.

Requires: two or three arrays, surely apart, change places in every trip; the trip reads all but the last of them, and writes nearly all
of that one by an assignment to a slice or by a loop over its places, which cannot fail; no other name of their memory is used.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograph_jit.ir.builder import append
from autograph_jit.ir.graph import Block, Graph, Operation, Value, constant_of, walk_block
from autograph_jit.ir.ownership import Uses
from autograph_jit.ops.registry import get
from autograph_jit.records import dataclass
from autograph_jit.transforms.aliases import Aliases
from autograph_jit.transforms.kept_results import shift_rows, take_out
from autograph_jit.transforms.kept_states import have_no_other_names, is_calm, names_of
from autograph_jit.transforms.places import End, copy_ends, ends_of_loop, ends_of_slice, fresh_atoms
from autograph_jit.transforms.rewriting import replace_in_block, replace_values
from autograph_jit.transforms.rows import Rows, fills_rows, is_copy_to_row, place_after, place_before

MOST_ARRAYS = 3


@dataclass(frozen=True, slots=True)
class Turns:
    """Arrays that change places in each trip of a loop, by their slots: the newest state first, last the one that a trip overwrites,
    but for the elements at its `ends`, from the operation `first` on. `copy` keeps one of the others."""

    loop: Operation
    copy: Operation
    slots: tuple[int, ...]
    ends: list[End]
    first: Operation

    @property
    def arrays(self) -> list[Value]:
        """What a trip begins with."""
        return [self.loop.regions[0].args[slot + 1] for slot in self.slots]

    @property
    def given(self) -> list[Value]:
        """What the loop begins with."""
        return [self.loop.operands[slot + 3] for slot in self.slots]


def swap_where_kept(graph: Graph, distinct_parameters: bool = False) -> None:
    """Rewrite every loop that keeps states of arrays which change places."""
    if not any(is_copy_to_row(operation) for operation in graph.walk()):
        return
    for loop in [operation for operation in graph.walk() if operation.name == "for_loop"]:
        for copy in [operation for operation in loop.regions[0].operations if is_copy_to_row(operation)]:
            uses = Uses(graph.block)
            slots = slots_in_turn(loop, copy, uses) if fills_rows(loop, copy, uses) else ()
            turns = turns_of(loop, copy, slots, uses, Aliases(graph, distinct_parameters)) if slots else None
            if turns is not None:
                rewrite(graph, turns, uses)


def turns_of(loop: Operation, copy: Operation, slots: tuple[int, ...], uses: Uses, aliases: Aliases) -> Turns | None:
    """The arrays of slots that change places, if the loop may compute them in rows."""
    body = loop.regions[0]
    arrays, given = [body.args[slot + 1] for slot in slots], [loop.operands[slot + 3] for slot in slots]
    roots = [aliases.roots(array) for array in given]
    if any(aliases.may_meet(x, y) for index, x in enumerate(roots) for y in roots[:index]):
        return None
    ends = ends_left(body, copy, arrays, uses)
    if ends is None or not all(is_known_before(end.bound, first_write(body, arrays[-1], uses)) for end in ends):
        return None
    return Turns(loop, copy, slots, ends, first_write(body, arrays[-1], uses)) if have_no_other_names(body, arrays, uses, aliases) else None


def first_write(body: Block, array: Value, uses: Uses) -> Operation:
    """The first operation of a body in which an array is written."""
    names = set(names_of(array, uses))
    return next(
        operation
        for operation in body.operations
        for part in (operation, *operations_inside(operation))
        if not names.isdisjoint(part.written)
    )


def is_known_before(number: Value, operation: Operation) -> bool:
    """Whether a number is at hand where an operation stands: it is made before it, and not in an inner block."""
    block = operation.block
    assert block is not None
    place = block.operations.index(operation)
    return number.owner not in {inner for later in block.operations[place:] for inner in (later, *operations_inside(later))} and (
        number.owner not in {inner for earlier in block.operations[:place] for inner in operations_inside(earlier)}
    )


def operations_inside(operation: Operation) -> Iterator[Operation]:
    """The operations of all regions of an operation."""
    return (inner for region in operation.regions for inner in walk_block(region))


def slots_in_turn(loop: Operation, copy: Operation, uses: Uses) -> tuple[int, ...]:
    """The slots whose arrays change places with the one that is copied, the written one last; none where there are no such."""
    (body,) = loop.regions
    arrays = body.args[1:]
    cycle: list[Value] = []
    current = copy.operands[1]
    while current in arrays and body.yields.count(current) == 1 and current not in cycle and len(cycle) < MOST_ARRAYS:
        cycle.append(current)
        current = arrays[body.yields.index(current)]
    written = [array for array in cycle if writes_array(array, uses)]
    if len(cycle) < 2 or current is not cycle[0] or len(written) != 1 or written[0] is cycle[0]:
        return ()
    place = cycle.index(written[0]) + 1
    slots = tuple(arrays.index(array) for array in (*cycle[place:], *cycle[:place]))
    types = {value.type for slot in slots for value in (arrays[slot], loop.operands[slot + 3], loop.results[slot])}
    return slots if len(types) == 1 else ()


def writes_array(array: Value, uses: Uses) -> bool:
    """Whether an operation writes an array or a slice of it."""
    names = names_of(array, uses)
    return any(name in user.written for name in names for user in uses.users.get(name, ()))


def ends_left(body: Block, copy: Operation, arrays: list[Value], uses: Uses) -> list[End] | None:
    """The ends that a trip leaves of the last of its arrays; None where it does anything that rows would not."""
    *_, target = arrays
    names = set(names_of(target, uses))
    found: list[End] | None = None
    if any(user.operands[0] is not name or not is_write(user) for name in names for user in readers(name, uses)):
        return None
    for operation in body.operations:
        if operation is copy or is_check_apart(operation, arrays):
            continue
        ends = None
        if operation.name == "for_loop":
            ends = ends_of_loop(operation, target)
        elif not is_calm(operation):
            return None
        elif operation.name == "assign" and operation.operands[0] in names:
            ends = ends_of_slice(operation, target)
        if operation.regions and ends is None:
            return None
        found = ends if found is None else found
    return found


def readers(value: Value, uses: Uses) -> list[Operation]:
    """The operations that use a value, but for those that ask its size, slice it, or look whether it lies apart from others."""
    return [user for user in uses.users.get(value, ()) if user.name not in ("dim", "basic_index", "overlaps")]


def is_write(operation: Operation) -> bool:
    return operation.name in ("assign", "store")


def is_check_apart(operation: Operation, arrays: list[Value]) -> bool:
    """Whether an operation belongs to the check that two of the arrays lie apart, which they do."""
    if operation.name == "overlaps":
        return operation.operands[0] is not operation.operands[1] and all(array in arrays for array in operation.operands)
    asked = operation.operands[0].owner if operation.name in ("logical_not", "check") else None
    return isinstance(asked, Operation) and asked.name in ("overlaps", "logical_not") and is_check_apart(asked, arrays)


def rewrite(graph: Graph, turns: Turns, uses: Uses) -> None:
    """The new forms of the loop, of the rows, and of what stands around the loop."""
    loop, count, row = turns.loop, len(turns.slots), turns.copy.operands[0].owner
    assert isinstance(row, Operation)
    rows, kept = Rows(row, turns.copy.span), turns.arrays.index(turns.copy.operands[1])
    shift_rows(turns.copy, uses, count - 1 - kept)
    for _ in range(count):
        rows.add_row()
    front, behind = Block(), Block()
    for age, array in enumerate(turns.given):
        rows.assign(front, rows.at(front, rows.number(front, count - 1 - age)), array)
    last = arrays_at_end(rows, behind, turns)
    for age, array in enumerate(last):
        rows.assign(behind, array, rows.after(behind, loop, count - 1 - age))
    rewrite_body(graph, turns, rows, row)
    replace_values(graph, {loop.results[slot]: array for slot, array in zip(turns.slots, last)})
    for slot in sorted(turns.slots, reverse=True):
        take_out(loop, slot)
    place_before(loop, front)
    place_after(loop, behind)


def rewrite_body(graph: Graph, turns: Turns, rows: Rows, row: Operation) -> None:
    """Let a trip read and write the rows of its states."""
    (body,), arrays, made = turns.loop.regions, turns.arrays, Block()
    *others, target = arrays
    views = {array: rows.ahead(made, len(others) - age) for age, array in enumerate(others)}
    views[target] = rows.ahead(made, len(arrays))
    rest = Block()
    copy_ends(rest, rows, turns.ends, rows.ahead(made, 0), views[target], fresh_atoms(graph))
    dropped = [row, turns.copy, *(each for each in body.operations if is_check_apart(each, arrays))]
    body.operations = [operation for operation in body.operations if operation not in dropped]
    replace_in_block(body, views)
    place_before(turns.first, rest)
    body.operations[:0] = body.adopt(made.operations)


def arrays_at_end(rows: Rows, block: Block, turns: Turns) -> list[Value]:
    """The arrays in their places behind the loop: which is where follows from the number of trips."""
    stop, count = turns.loop.operands[1], len(turns.slots)
    trips = constant_of(stop)
    if trips is not None:
        turned = max(int(trips), 0) % count
        return [turns.given[(age - turned) % count] for age in range(count)]
    over = rows.op(block, "remainder", rows.op(block, "maximum", stop, rows.number(block, 0)), rows.number(block, count))
    body = Block()
    body.add_argument(stop.type, "turn")
    arrays = [body.add_argument(array.type) for array in turns.given]
    body.yields = [arrays[-1], *arrays[:-1]]
    bounds = [rows.number(block, 0), over, rows.number(block, 1)]
    attributes = {"results": tuple(array.type for array in arrays), "has_break": False}
    turning = append(block, get("for_loop"), [*bounds, *turns.given], attributes, [body], rows.span)
    return list(turning.results)
