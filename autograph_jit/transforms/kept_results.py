"""Lets a loop compute what it keeps of each trip in the row where it is kept, and read there what it hands on to the next trip.

Before::                                             After::

    %r, %p = for_loop(0, 50, 1, %a, %b)              %kept[0] = %b
    do (%i, %r, %p) {                                for_loop(0, 50, 1, %a) do (%i, %r) {
        assign(%kept[%i], %p)                            %q = f(%kept[%i])
        %q = f(%p)                                       assign(%kept[%i + 1], %r + %q)
        %next = %r + %q                                  yield g(%kept[%i + 1])
        yield g(%next), %next                        }
    }                                                %p = copy(%kept[50])

The same where the trip keeps what it hands on, `assign(%kept[%i], %next)`: the rows are then one further down. What is kept and not handed
on is computed in its row.

What a trip makes as a copy, or full of one number, and then writes to, is made in its row as well.

Requires: what is kept is computed element by element; neither it nor what it is handed on as is written while the loop runs, but by the
trip that makes it, before it is kept.
"""

from __future__ import annotations

from autograph_jit.ir.graph import Block, Graph, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.ownership import Uses, is_fresh
from autograph_jit.ir.types import ArrayType
from autograph_jit.transforms.aliases import Aliases
from autograph_jit.transforms.rewriting import renumber, replace_in_block, replace_values
from autograph_jit.transforms.rows import Rows, fills_rows, is_copy_to_row, place_after, place_before
from autograph_jit.transforms.state import for_slot

SOURCES = frozenset({"copy", "full"})  # of which the first operand may be assigned as it is


def compute_where_kept(graph: Graph, distinct_parameters: bool = False) -> None:
    """Rewrite every loop that keeps results."""
    if not any(is_copy_to_row(operation) for operation in graph.walk()):
        return
    for loop in [operation for operation in graph.walk() if operation.name == "for_loop"]:
        for copy in [operation for operation in loop.regions[0].operations if is_copy_to_row(operation)]:
            uses, aliases = Uses(graph.block), Aliases(graph, distinct_parameters)
            if fills_rows(loop, copy, uses):
                rewrite(graph, loop, copy, uses, aliases)


def rewrite(graph: Graph, loop: Operation, copy: Operation, uses: Uses, aliases: Aliases) -> None:
    """Rewrite what is copied, if it is handed on from trip to trip or computed in its own."""
    (body,), kept = loop.regions, copy.operands[1]
    slots = [index for index, value in enumerate(body.yields) if kept in (value, body.args[index + 1])]
    if not slots:
        if may_be_row(kept, body, uses, aliases):
            compute_in_row(body, copy, copy.operands[0])
        return
    (slot, *others), carried = slots, [body.args[index + 1] for index in slots]
    following, result = body.yields[slot], loop.results[slot]
    is_same = following.type == kept.type == loop.operands[slot + 3].type == result.type
    if others or not is_same or body.yields.count(following) > 1 or not may_be_computed_in_row(following, copy, body, uses, aliases):
        return
    own = writes_of(following, uses)
    if is_written(carried[0], body, aliases, own) or carried[0] in uses.yielded or carried[0] in uses.unwound:
        return
    is_plain = is_measured(result, uses) or not is_told_from_copy(result, graph.block, aliases, own)
    if not is_plain or result in uses.unwound:
        return
    if kept is following:
        shift_rows(copy, uses)
    hand_on_in_rows(graph, loop, slot, copy, is_measured(loop.results[slot], uses))


def may_be_row(value: Value, body: Block, uses: Uses, aliases: Aliases) -> bool:
    """Whether a value is computed element by element in a block, and stays as it is."""
    return is_made_by(value, body, aliases) and value not in uses.unwound and value not in aliases.written and is_pointwise(value)


def is_made_by(value: Value, body: Block, aliases: Aliases) -> bool:
    """Whether an operation of a block makes an array of which nobody else asks where it is."""
    maker = value.owner
    if not isinstance(maker, Operation) or maker.block is not body or maker.unwind or not is_fresh(value):
        return False
    return value not in aliases.escaped and value not in aliases.compared


def is_pointwise(value: Value) -> bool:
    """Whether an array is computed element by element."""
    return isinstance(value.owner, Operation) and isinstance(value.owner.opdef.kernel, Pointwise)


def may_be_computed_in_row(value: Value, copy: Operation, body: Block, uses: Uses, aliases: Aliases) -> bool:
    """Whether a trip may compute what it hands on in a row: as a whole, or by writing to what it has made, before that is copied."""
    own = writes_of(value, uses)
    if not own:
        return may_be_row(value, body, uses, aliases)
    is_simple = isinstance(value.owner, Operation) and (is_pointwise(value) or value.owner.name in SOURCES)
    if not is_simple or not is_made_by(value, body, aliases):
        return False
    family = uses.family(value)
    if any(member in uses.unwound for member in family) or sum(uses.yielded.get(member, 0) for member in family) > 1:
        return False
    if any(user.regions or user.opdef.effect is Effect.HOST for member in family for user in uses.users.get(member, ())):
        return False
    return copy.operands[1] is not value or all(uses.position_in(body, write) < uses.position_in(body, copy) for write in own)


def writes_of(value: Value, uses: Uses) -> set[Operation]:
    """The operations that write to an array by its own names."""
    users = {user for member in uses.family(value) for user in uses.users.get(member, ()) if member in user.written}
    return users


def is_written(value: Value, body: Block, aliases: Aliases, own: set[Operation]) -> bool:
    """Whether other operations than its own may write the memory of an array that a block is given."""
    others = (operation for operation in walk_block(body) if not operation.regions and operation not in own)
    return any(aliases.may_meet(aliases.writes(operation), aliases.roots(value)) for operation in others)


def is_told_from_copy(result: Value, block: Block, aliases: Aliases, own: set[Operation]) -> bool:
    """Whether something may tell what a loop hands on last from a copy: without a trip that is what it was given first."""
    roots = aliases.roots(result)
    return bool(roots & (aliases.escaped | aliases.compared)) or is_written(result, block, aliases, own)


def is_measured(result: Value, uses: Uses) -> bool:
    """Whether of an array only the sizes are asked."""
    return result not in uses.yielded and all(user.name == "dim" for user in uses.users.get(result, ()))


def compute_in_row(body: Block, copy: Operation, row: Value) -> None:
    """Assign a value to its row where it is computed, and read it there from then on."""
    value, maker, view = copy.operands[1], copy.operands[1].owner, row.owner
    assert isinstance(maker, Operation) and isinstance(view, Operation)
    body.operations = [operation for operation in body.operations if operation not in (copy, view)]
    replace_in_block(body, {value: row})
    copy.operands = [row, value]
    place = body.operations.index(maker) + 1
    body.operations[place:place] = [view, copy]


def shift_rows(copy: Operation, uses: Uses) -> None:
    """Let everybody else read the rows one further down."""
    own = copy.operands[0].owner
    assert isinstance(own, Operation)
    for view in uses.users[own.operands[0]]:
        if view is not own:
            rows, made = Rows(view, view.span), Block()
            view.operands = [*view.operands[:-1], rows.op(made, "add", view.operands[-1], rows.number(made, 1))]
            place_before(view, made)


def hand_on_in_rows(graph: Graph, loop: Operation, slot: int, copy: Operation, measured: bool) -> None:
    """Take an array out of what the trips hand on: they read it in their row, and compute the next one in the next row."""
    (body,), row = loop.regions, copy.operands[0].owner
    assert isinstance(row, Operation)
    first, given, following, result = loop.operands[slot + 3], body.args[slot + 1], body.yields[slot], loop.results[slot]
    rows = Rows(row, copy.span)
    rows.add_row()
    front, behind, made = Block(), Block(), Block()
    rows.assign(front, rows.at(front, rows.number(front, 0)), first)
    last = rows.after(behind, loop)
    last = last if measured else rows.op(behind, "copy", last)
    body.operations = [operation for operation in body.operations if operation not in (copy, row)]
    next_row = rows.following(made)
    replace_in_block(body, {given: row.result})
    take_out(loop, slot)
    replace_in_block(body, {following: next_row})
    store, maker = Block(), following.owner
    assert isinstance(maker, Operation) and isinstance(following.type, ArrayType)
    rows.assign(store, next_row, maker.operands[0] if maker.name in SOURCES else following)
    place = body.operations.index(maker) + 1
    body.operations[place:place] = body.adopt(store.operations)
    body.operations[:0] = body.adopt([row, *made.operations])
    place_before(loop, front)
    place_after(loop, behind)
    replace_values(graph, {result: last})


def take_out(loop: Operation, slot: int) -> None:
    """Let a loop hand on one variable less."""
    for_slot(loop, slot).remove()
    attributes = dict(loop.attributes)
    if attributes.get("results"):
        attributes["results"] = tuple(type_ for index, type_ in enumerate(attributes["results"]) if index != slot)
    loop.attributes = attributes
    renumber(loop.results)
    renumber(loop.regions[0].args)
