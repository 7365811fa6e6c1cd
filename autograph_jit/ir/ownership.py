"""Which arrays that counted loops carry are owned: nothing else refers to their memory when a trip begins.

    y = copy(x);  for_loop(..., y) do (i, a) { b = sin(a); yield b }        a and the result are owned

What enters must be owned and not used again, and so must what each trip hands on: a fresh array, or an owned array of the trip itself.
The least that holds for all trips is found by taking back what does not hold, beginning with everything.
"""

from __future__ import annotations

from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType

MAKERS = frozenset({"list_take"})  # besides pure operations


class Uses:
    """Who uses each value of a block and of its regions, and where each operation stands."""

    def __init__(self, block: Block) -> None:
        self.users: dict[Value, list[Operation]] = {}
        self.yielded: dict[Value, int] = {}
        self.unwound: set[Value] = set()
        self.places: dict[Operation, tuple[Block, int]] = {}
        self.around: dict[Block, Operation] = {}
        self.note_block(block)

    def note_block(self, block: Block) -> None:
        for position, operation in enumerate(block.operations):
            self.places[operation] = block, position
            for operand in operation.operands:
                self.users.setdefault(operand, []).append(operation)
            self.unwound.update(operation.unwind)
            for region in operation.regions:
                self.around[region] = operation
                self.note_block(region)
        for value in block.yields:
            self.yielded[value] = self.yielded.get(value, 0) + 1

    def family(self, value: Value) -> list[Value]:
        """A value and the views of it."""
        found = [value]
        for member in found:
            found += [user.results[0] for user in self.users.get(member, ()) if user.opdef.effect is Effect.VIEW]
        return found

    def position_in(self, block: Block, operation: Operation) -> int:
        """Where an operation, or the one whose region it stands in, stands in a block."""
        home, position = self.places[operation]
        while home is not block:
            home, position = self.places[self.around[home]]
        return position

    def is_confined(self, value: Value) -> bool:
        """Whether no branch, loop, handler or Python code gets hold of the value or a view of it."""
        return all(
            member not in self.yielded
            and member not in self.unwound
            and not any(user.regions or user.opdef.effect is Effect.HOST for user in self.users.get(member, ()))
            for member in self.family(value)
        )

    def is_used_after(self, value: Value, block: Block, position: int) -> bool:
        """Whether an operation of a block behind a position uses the value or a view of it."""
        return any(
            user.opdef.effect is not Effect.VIEW and self.position_in(block, user) > position
            for member in self.family(value)
            for user in self.users.get(member, ())
        )


def is_fresh(value: Value) -> bool:
    """Whether an operation makes the memory of an array."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.regions or not isinstance(value.type, ArrayType):
        return False
    return owner.opdef.effect is Effect.PURE or owner.name in MAKERS


def find_owned(block: Block, uses: Uses) -> set[Value]:
    """The arguments and results of counted loops, in a block and in its regions, that are owned."""
    slots = [(loop, index) for loop in uses.places if loop.name == "for_loop" for index in range(len(loop.results))]
    slots = [(loop, index) for loop, index in slots if isinstance(loop.results[index].type, ArrayType)]
    owned = {value for loop, index in slots for value in values_of(loop, index)}
    changed = True
    while changed:
        kept = [slot for slot in slots if enters_owned(*slot, uses, owned) and leaves_owned(*slot, uses, owned)]
        changed = len(kept) != len(slots)
        slots = kept
        owned = {value for loop, index in slots for value in values_of(loop, index)}
    return owned


def values_of(loop: Operation, index: int) -> tuple[Value, Value]:
    return loop.regions[0].args[index + 1], loop.results[index]


def enters_owned(loop: Operation, index: int, uses: Uses, owned: set[Value]) -> bool:
    """Whether what enters a loop is owned there, and used by nothing else from there on."""
    value = memory_of(loop.operands[index + 3])
    block, position = uses.places[loop]
    if not (is_fresh(value) or value in owned) or home_of(value, uses) is not block:
        return False
    family = uses.family(value)
    if sum(loop.operands.count(member) for member in family) != 1:
        return False
    return all(
        member not in uses.yielded
        and member not in uses.unwound
        and all(
            user is loop or (not user.regions and user.opdef.effect is not Effect.HOST and uses.position_in(block, user) < position)
            for user in uses.users.get(member, ())
        )
        for member in family
    )


def leaves_owned(loop: Operation, index: int, uses: Uses, owned: set[Value]) -> bool:
    """Whether what a trip hands on is owned by the trip, and handed on once."""
    (body,) = loop.regions
    if body.terminated:
        return False
    value = memory_of(body.yields[index + (1 if loop.attributes.get("has_break") else 0)])
    if not (is_fresh(value) or value in owned) or home_of(value, uses) is not body:
        return False
    family = uses.family(value)
    return sum(uses.yielded.get(member, 0) for member in family) == 1 and all(
        member not in uses.unwound and not any(user.regions or user.opdef.effect is Effect.HOST for user in uses.users.get(member, ()))
        for member in family
    )


def memory_of(value: Value) -> Value:
    """What a view of all elements, which gives the sizes other names, is a view of."""
    while isinstance(value.owner, Operation) and value.owner.name == "basic_index":
        if any(item[0] != "full" for item in value.owner.attributes["items"]):
            break
        value = value.owner.operands[0]
    return value


def home_of(value: Value, uses: Uses) -> Block:
    """The block that defines a value."""
    return value.owner if isinstance(value.owner, Block) else uses.places[value.owner][0]
