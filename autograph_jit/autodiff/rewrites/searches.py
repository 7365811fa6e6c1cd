"""What a loop searches for is computed once more, at the place where it was found: the search itself is not differentiated.

Before::                                              After::

    for i in range(n):                                    for i in range(n):
        d = f(x, i)                                           d = f(x, i)
        if d < best:                                          if d < best:
            best = d                                              best, place = d, i
                                                          best = f(x, place) if it was found else best as it was

The derivative of the other trips is zero: nothing is kept of them, and the reverse sweep does not come to them.

Requires: all but one of the ways through a trip leave the variable as it is; that one gives it what is computed without the variables of
the loop; the trips compare the variable, and do nothing else with it; the loop writes no memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from autograph_jit.ir.copying import Visible, copy_operation
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import BOOL, I64, ScalarType
from autograph_jit.ops.registry import get
from autograph_jit.records import dataclass
from autograph_jit.tracing.values.trace import active, block_of, detached, emit

Place = tuple[Block | Operation, int]


@dataclass(slots=True)
class Search:
    """A variable of a loop; what a trip gives it, if that is one value; and the places at which it is handed on as it is."""

    loop: Operation
    slot: int
    found: list[Value] = field(default_factory=list)
    choices: list[Value] = field(default_factory=list)
    handed_on: set[Place] = field(default_factory=set)
    inside: set[Operation] = field(init=False)

    def __post_init__(self) -> None:
        self.inside = set(walk_block(self.body))

    @property
    def body(self) -> Block:
        return self.loop.regions[0]

    @property
    def variable(self) -> Value:
        return self.body.args[self.slot + 1]

    def follow(self, value: Value, place: Place) -> None:
        """Note what a value may be."""
        owner = value.owner
        self.handed_on.add(place)
        if value is self.variable:
            return
        if not isinstance(owner, Operation) or owner.name not in ("cond", "where") or owner not in self.inside:
            self.found.append(value)
            return
        self.choices.append(value)
        for side, at in sides_of(value, owner):
            self.follow(side, at)


def sides_of(value: Value, owner: Operation) -> list[tuple[Value, Place]]:
    """The values that a choice is between, and where they stand."""
    if owner.name == "where":
        return [(owner.operands[index], (owner, index)) for index in (1, 2)]
    position = owner.results.index(value)
    return [(region.yields[position], (region, position)) for region in owner.regions if not region.terminated]


def differentiate_what_is_found(block: Block) -> dict[Value, Value]:
    """Rewrite the searches of a block and of its regions; what their results are now."""
    renamed: dict[Value, Value] = {}
    for operation in list(block.operations):
        for region in operation.regions:
            renamed.update(differentiate_what_is_found(region))
        if operation.name != "for_loop" or not is_plain(operation):
            continue
        for slot, result in enumerate(list(operation.results)):
            search = Search(operation, slot)
            needed = needed_for(search) if is_search(search) else None
            if needed is not None:
                renamed[result] = rewrite(block, search, needed)
    return renamed


def is_plain(loop: Operation) -> bool:
    """Whether all trips of a loop come to their end, and write nothing."""
    if loop.attributes.get("has_break") or {"checkpoint", "segment"} & loop.attributes.keys() or loop.regions[0].terminated:
        return False
    effects = (Effect.WRITE, Effect.HOST, Effect.DRAW)
    return not any(operation.opdef.effect in effects or operation.unwind for operation in walk_block(loop.regions[0]))


def is_search(search: Search) -> bool:
    """Whether one way through a trip changes the variable, and the rest of the trip only compares it."""
    type_ = search.loop.results[search.slot].type
    if not isinstance(type_, ScalarType) or type_.dtype.kind != "f":
        return False
    search.follow(search.body.yields[search.slot], (search.body, search.slot))
    if len(search.found) != 1 or not search.choices:
        return False
    own = {search.variable, *search.choices}
    return all(place in search.handed_on or is_comparison(place[0]) for place in uses_of(search.body, own))


def uses_of(block: Block, values: set[Value]) -> Iterator[Place]:
    """Where a block and its regions use values."""
    for operation in block.operations:
        yield from ((operation, index) for index, operand in enumerate(operation.operands) if operand in values)
        for region in operation.regions:
            yield from uses_of(region, values)
    yield from ((block, index) for index, value in enumerate(block.yields) if value in values)


def is_comparison(user: Block | Operation) -> bool:
    """Whether what uses a number gives one truth value."""
    types = [result.type for result in user.results] if isinstance(user, Operation) else []
    return types == [BOOL]


def needed_for(search: Search) -> list[Operation] | None:
    """The operations of a trip that compute what is found, in their order; None where they use other variables of the loop."""
    (found,), inside = search.found, list(walk_block(search.body))
    owners = {result: operation for operation in inside for result in operation.results}
    local = {argument for operation in inside for region in operation.regions for argument in region.args}
    needed: set[Operation] = set()
    pending = [found]
    while pending:
        value = pending.pop()
        if value in search.body.args[1:] or value in local:
            return None
        operation = owners.get(value)
        if operation is None or operation in needed:
            continue
        if operation.regions:
            return None
        needed.add(operation)
        pending += operation.operands
    return [operation for operation in inside if operation in needed] if owners.get(found) is not None else None


def rewrite(block: Block, search: Search, needed: list[Operation]) -> Value:
    """Let the loop carry the place of what it finds, and compute that again behind it."""
    loop, (found,) = search.loop, search.found
    front, behind = Block(), Block()
    hold_back(search)
    with detached(active(), front):
        nowhere = emit("subtract", loop.operands[0], loop.operands[2]).result
        loop.operands[search.slot + 3], first = emit("stop_gradient", loop.operands[search.slot + 3]).result, loop.operands[search.slot + 3]
    place = search.body.add_argument(I64, "place")
    search.body.yields.append(place_of(search, search.body.yields[search.slot], place, {}))
    loop.operands.append(nowhere)
    loop.attributes = {**loop.attributes, "results": (*(result.type for result in loop.results), I64)}
    loop.results.append(Value(I64, loop, len(loop.results), "place"))
    with detached(active(), behind):
        again, before = Block(), Block()
        values = Visible({search.body.args[0]: loop.results[-1]})
        with block_of(active(), again):
            again.operations += [copy_operation(operation, again, values) for operation in needed]
        again.yields, before.yields = [values[found]], [first]
        is_found = emit("not_equal", loop.results[-1], nowhere).result
        result = emit("cond", is_found, regions=[again, before], results=(found.type,)).result
    position = block.operations.index(loop)
    block.operations[position : position + 1] = [*block.adopt(front.operations), loop, *block.adopt(behind.operations)]
    return result


def hold_back(search: Search) -> None:
    """Let no derivative come to what a trip finds."""
    (found,) = search.found
    maker = found.owner
    assert isinstance(maker, Operation) and maker.block is not None
    stop = Operation(get("stop_gradient"), [found], {}, [], maker.span)
    stop.block, stop.results = maker.block, [Value(found.type, stop, 0, found.hint)]
    maker.block.operations.insert(maker.block.operations.index(maker) + 1, stop)
    for user, index in search.handed_on:
        values = user.operands if isinstance(user, Operation) else user.yields
        if values[index] is found:
            values[index] = stop.result
    search.found = [stop.result]


def place_of(search: Search, value: Value, place: Value, made: dict[Value, Value]) -> Value:
    """The place at which a value was found: that of this trip, or the one that was known before."""
    if value is search.variable:
        return place
    if value not in search.choices:
        return search.body.args[0]
    if value in made:
        return made[value]
    owner = value.owner
    assert isinstance(owner, Operation)
    sides = [place_of(search, side, place, made) for side, _ in sides_of(value, owner)]
    if owner.name == "cond":
        for region, side in zip([region for region in owner.regions if not region.terminated], sides, strict=True):
            region.yields.append(side)
        owner.attributes = {**owner.attributes, "results": (*owner.attributes["results"], I64)}
        made[value] = Value(I64, owner, len(owner.results), "place")
        owner.results.append(made[value])
        return made[value]
    home = owner.block
    assert home is not None
    choice = Operation(get("where"), [owner.operands[0], *sides], {}, [], owner.span)
    choice.block, made[value] = home, Value(I64, choice, 0, "place")
    choice.results = [made[value]]
    home.operations.insert(home.operations.index(owner) + 1, choice)
    return made[value]
