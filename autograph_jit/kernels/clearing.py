"""What a trip of a loop clears for the next one is cleared when that one begins, where the sums into it follow.

Before: g, s = ..., zeros(n)                                 After: g, s = ..., zeros(n)
        for ...: s[:-2] += f(g); s[2:] += h(g)                      for ...: s[1:-1] = 0; s[:-2] += f(g); s[2:] += h(g)
                 g[1:-1] = 0; g, s = s, g                                    g, s = s, g
                                                                    s[1:-1] = 0

The reverse sweep of a loop that writes one of two arrays and exchanges them is such a loop. The assignment and the sums are one nest then
(`kernels.updates`), which does not read what it has cleared.

Requires: the loop owns both arrays, and what enters it in the place of the cleared one is a fresh array of zeros.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograph_jit.ir.copying import copy_operation
from autograph_jit.ir.graph import Block, Graph, Operation, Value, constant_of
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.ownership import Uses, find_owned
from autograph_jit.ir.types import ScalarType
from autograph_jit.records import dataclass

FIRST_CARRIED = 3  # operands of a loop before those that it carries


@dataclass(frozen=True, slots=True)
class Clearing:
    """The last that a trip does with an array, and the first that the next trip does with it, under the other name."""

    loop: Operation
    position: int
    last: Operation
    first: Operation

    @property
    def body(self) -> Block:
        return self.loop.regions[0]


def defer_clearing(graph: Graph) -> bool:
    """Rewrite the loops of a graph; whether there was any."""
    loops = [operation for operation in graph.walk() if operation.name == "for_loop" and exchanges_zeros(operation)]
    if not loops:
        return False
    uses = Uses(graph.block)
    owned = find_owned(graph.block, uses)
    found = [clearing for loop in loops for clearing in clearings_of(loop, uses, owned)]
    for clearing in found:
        begin_with(clearing)
        end_with(clearing)
    for clearing in found:
        clearing.body.operations.remove(clearing.last)
    return bool(found)


def exchanges_zeros(loop: Operation) -> bool:
    """Whether zeros enter a loop whose trips all come to the end."""
    return not loop.attributes.get("has_break") and not loop.regions[0].terminated and any(map(is_zeros, loop.operands[FIRST_CARRIED:]))


def is_zeros(value: Value) -> bool:
    """Whether an operation makes an array of zeros."""
    maker = value.owner
    return isinstance(maker, Operation) and maker.name == "full" and is_zero(maker.operands[0])


def is_zero(value: Value) -> bool:
    """Whether a value is the constant zero, all bits of which are zero."""
    number = constant_of(value)
    return number is not None and not any(number.tobytes())


def clearings_of(loop: Operation, uses: Uses, owned: set[Value]) -> Iterator[Clearing]:
    """What a loop clears for its next trips."""
    (body,) = loop.regions
    for position, handed_on in enumerate(body.yields):
        entering, received = loop.operands[FIRST_CARRIED + position], body.args[1 + position]
        is_ours = handed_on in body.args and {handed_on, received} <= owned and handed_on.type == received.type
        if is_ours and is_zeros(entering) and uses.users[entering] == [loop]:
            last = last_clear(handed_on, body, uses)
            if last is not None:
                places = [uses.position_in(body, user) for member in uses.family(received) for user in uses.users.get(member, ())]
                yield Clearing(loop, position, last, body.operations[min(places)] if places else last)


def last_clear(array: Value, body: Block, uses: Uses) -> Operation | None:
    """The assignment of zero to a part of an array that is the last that a trip does with it."""
    users = [user for member in uses.family(array) for user in uses.users.get(member, ()) if user.opdef.effect is not Effect.VIEW]
    if not users:
        return None
    last = max(users, key=lambda user: uses.position_in(body, user))
    if last.name != "assign" or last.unwind or uses.places[last][0] is not body:
        return None
    target, source = last.operands
    return last if is_zero(source) and target in uses.family(array) and can_be_repeated(target, array, body) else None


def can_be_repeated(value: Value, array: Value, body: Block) -> bool:
    """Whether a part of an array, or a number that says where it is, is the same in every trip and may be computed anywhere."""
    maker = value.owner
    if value is array or not isinstance(maker, Operation) or maker.block is not body:
        return maker is not body or value is array
    is_number = isinstance(value.type, ScalarType) and maker.opdef.effect is Effect.PURE and not maker.regions
    if maker.can_fail or not (is_number or maker.name == "basic_index"):
        return False
    return all(can_be_repeated(operand, array, body) for operand in maker.operands)


def begin_with(clearing: Clearing) -> None:
    """Clear the array that a trip receives, before the trip first does anything with it."""
    body, position = clearing.body, clearing.position
    place = body.operations.index(clearing.first)
    body.operations[place:place] = body.adopt(repeated(clearing.last, body.yields[position], body.args[1 + position], body))


def end_with(clearing: Clearing) -> None:
    """Clear the array that the last trip hands on."""
    loop, body, position = clearing.loop, clearing.body, clearing.position
    block = loop.block
    assert block is not None
    place = block.operations.index(loop) + 1
    block.operations[place:place] = block.adopt(repeated(clearing.last, body.yields[position], loop.results[position], body))


def repeated(clear: Operation, array: Value, name: Value, body: Block) -> list[Operation]:
    """An assignment to a part of an array once more, under another name of it, with the numbers of that part that the body computes."""
    made: list[Operation] = []
    names = {array: name}

    def again(operation: Operation) -> None:
        for value in operation.operands:
            if value not in names and isinstance(value.owner, Operation) and value.owner.block is body:
                again(value.owner)
            names.setdefault(value, value)
        made.append(copy_operation(operation, body, names))

    again(clear)
    return made
