"""Operations that were traced, as they are needed to find their results again: a copy that runs from other values.

Left out is what the results do not need, such as updates of running averages. Calls of Python that may do something are not made again:
what they gave stands. Memory that the operations write and did not make, they write in a copy of what it was when they ran first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from autograph_jit.autodiff.sweeps.classes import Classes, is_differentiable, is_reference, written_by
from autograph_jit.ir.copying import Visible, copy_operation
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType, ListType
from autograph_jit.tracing.values import trace as tracing
from autograph_jit.tracing.values.trace import active, detached


class Repetition:
    """What the operations of a block from a place on do to give `results`, copied at once: transforms rewrite what was traced.

    sources   the floats from outside that they read
    obstacle  why they cannot run again, or None
    """

    def __init__(self, block: Block, first: int, results: list[Value]) -> None:
        recorded = Block()
        recorded.operations = block.operations[first:]
        classes = Classes(recorded, ())
        needed = needed_for(recorded.operations, results, classes)
        self.kept = with_makers([operation for operation in needed if is_effect(operation)], needed, classes)
        self.obstacle = obstacle(needed)
        self.block, self.names = Block(), Visible()
        run = [operation for operation in needed if operation not in self.kept]
        made = {value for operation in recorded.operations for value in operation.results}
        given = [value for value in read_by(run) if value not in made or value.owner in self.kept]
        written = {classes.root(target) for operation in run for inner in with_inner(operation) for target in written_by(inner)}
        changed = [value for value in dict.fromkeys(given) if classes.root(value) in written and is_reference(value)]
        if self.obstacle is None and len({classes.root(value) for value in changed}) < len(changed):
            self.obstacle = "it writes to an array from outside that it reaches under two names"
        if self.obstacle is not None:
            self.sources: list[Value] = []
            return
        states = {value: self.state_of(value, block, first, classes) for value in changed}
        with detached(active(), self.block):
            self.names.update({value: tracing.emit("copy", state).result for value, state in states.items()})
        for operation in run:
            self.block.operations.append(copy_operation(operation, self.block, self.names))
        outside = dict.fromkeys(states.get(value, value) for value in given if value.owner not in self.kept)
        self.sources = [value for value in outside if is_differentiable(value) and getattr(value.owner, "name", "") != "constant"]

    def state_of(self, value: Value, block: Block, first: int, classes: Classes) -> Value:
        """A copy of an array as it is before the operations run, or after what is kept has made and filled it."""
        root = classes.root(value)
        fillers = [operation for operation in self.kept if any(classes.root(made) is root for made in made_by(operation))]
        place = max((block.operations.index(operation) + 1 for operation in fillers), default=first)
        made = Block()
        with detached(active(), made):
            state = tracing.emit("copy", value).result
        block.operations[place:place] = block.adopt(made.operations)
        return state

    def emit(self, values: Mapping[Value, Value]) -> Callable[[Value], Value]:
        """Run the operations in the current block with other values; what finds a value of the first run in this one."""
        trace, visible = active(), Visible(values)
        for operation in self.block.operations:
            trace.block.operations.append(copy_operation(operation, trace.block, visible))
        trace.differentiation.clones.add({**values, **{value: visible[copy] for value, copy in self.names.items()}})
        return lambda value: visible[self.names[value]]


def needed_for(operations: list[Operation], results: list[Value], classes: Classes) -> list[Operation]:
    """The operations, each with its regions, on which values depend."""
    wanted = {classes.root(value) for value in results}
    found = []
    for operation in reversed(operations):
        made = [value for inner in with_inner(operation) for value in (*inner.results, *written_by(inner))]
        if any(classes.root(value) in wanted for value in made):
            found.append(operation)
            if not is_effect(operation):
                wanted.update(map(classes.root, read_by([operation])))
    return found[::-1]


def made_by(operation: Operation) -> list[Value]:
    """The results of an operation, and what it or an operation in its regions writes."""
    return [*operation.results, *(target for inner in with_inner(operation) for target in written_by(inner))]


def with_makers(effects: list[Operation], needed: list[Operation], classes: Classes) -> list[Operation]:
    """What draws, with the operations that make the arrays which it fills."""
    filled = {classes.root(target) for operation in effects if operation.regions for target in made_by(operation) if is_reference(target)}
    makers = {operation for operation in needed if any(classes.root(result) in filled for result in operation.results)}
    return [operation for operation in needed if operation in effects or operation in makers]


def obstacle(operations: Iterable[Operation]) -> str | None:
    """Why operations cannot run again; None where they can."""
    for operation in operations:
        if is_effect(operation) and is_draw(operation):
            continue
        for inner in with_inner(operation):
            if is_effect(inner):
                return f"it calls Python ({inner.attributes['label']})" if inner.name == "host_call" else "it draws random numbers"
            if any(isinstance(value.type, ListType) for value in inner.operands):
                return "it uses a list"
    return None


def is_effect(operation: Operation) -> bool:
    """Whether an operation is a call of Python that may do something, or it or one in its regions draws a random number."""
    draws = any(inner.opdef.effect is Effect.DRAW for inner in with_inner(operation))
    return draws or operation.name == "host_call" and not operation.attributes.get("pure")


def is_draw(operation: Operation) -> bool:
    """Whether a call of Python, a draw, or a loop that fills an array with draws gives numbers that depend on no other: constants of
    differentiation."""
    inside = with_inner(operation)
    if any(inner.opdef.effect is Effect.HOST for inner in inside[1:]):
        return False
    filled = {target for inner in inside for target in written_by(inner)} if operation.regions else set()
    outside = [value for value in read_by([operation]) if getattr(value.owner, "name", "") != "constant" and value not in filled]
    return not any(is_differentiable(value) or isinstance(value.type, ArrayType) for value in outside)


def read_by(operations: Iterable[Operation]) -> list[Value]:
    """The values that operations read and that are not made in their regions, in order."""
    read: dict[Value, None] = {}
    inside: set[Value] = set()
    for inner in (inner for operation in operations for inner in with_inner(operation)):
        read.update(dict.fromkeys(inner.operands))
        for region in inner.regions:
            read.update(dict.fromkeys(region.yields))
            inside.update(region.args, (value for nested in walk_block(region) for value in nested.results))
    return [value for value in read if value not in inside]


def with_inner(operation: Operation) -> list[Operation]:
    """An operation and those in its regions."""
    return [operation, *(inner for region in operation.regions for inner in walk_block(region))]
