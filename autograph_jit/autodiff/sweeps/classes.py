"""Alias classes of a traced block: which values may share memory, which memory is written, which values carry a derivative."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph_jit.ir.derivative import NOT_DIFFERENTIABLE
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.rotations import rotation_of
from autograph_jit.ir.types import ArrayType, ListType, ObjectType, ScalarType
from autograph_jit.tracing.values.trace import active

CUSTOM = "custom_result"
OWN_SHADOWS = ("host_call", "list_take", "list_to_array", "empty", "full")


def is_differentiable(value: Value) -> bool:
    """Whether a value is a float or complex number, array or list."""
    if isinstance(value.type, (ScalarType, ArrayType)):
        return value.type.dtype.kind in "fc"
    return isinstance(value.type, ListType) and value.type.number.dtype.kind in "fc"


def is_reference(value: Value) -> bool:
    """Whether a value refers to memory."""
    return isinstance(value.type, (ArrayType, ListType))


def is_object(value: Value) -> bool:
    """Whether a value is a Python object."""
    return isinstance(value.type, ObjectType)


def objects_of(operation: Operation) -> list[Value]:
    """The Python objects that a call of Python takes and gives."""
    return [value for value in (*operation.operands, *operation.results) if is_object(value)] if operation.name == "host_call" else []


class Classes:
    """Union-find over the values of a block; a scalar is a class of its own."""

    def __init__(self, block: Block, inputs: Iterable[Value], outputs: Iterable[Value] | None = None) -> None:
        """`outputs` are all values that are differentiated, where they are known."""
        self.parents: dict[Value, Value] = {}
        self.merged: set[Value] = set()
        self.block = block
        self.splits: dict[Operation, Any] = {}  # calls whose functions keep what their reverse reads
        self.uses: dict[Value, int] = {}
        self.rotations, turned = rotations_in(block)
        for operation in walk_block(block):
            if operation not in turned:
                self.relate(operation)
        self.read_across: set[Value] = set()
        self.count_uses(block, set())
        self.joined = {self.root(value) for value in self.parents}
        self.written = {self.root(target) for operation in walk_block(block) for target in written_by(operation)}
        self.changed = {
            self.root(target)
            for operation in walk_block(block)
            for target in written_by(operation)
            if self.direct_root(target) not in active().differentiation.residuals
        }
        self.ambiguous = {self.root(value) for value in self.merged}
        self.active: set[Value] = {self.root(value) for value in inputs}
        self.spread()
        if outputs is not None and any(operation.name == CUSTOM for operation in walk_block(block)):
            self.active &= self.useful(outputs)

    def root(self, value: Value) -> Value:
        """The representative of a value's class."""
        while (parent := self.parents.get(value, value)) is not value:
            value = parent
        return value

    def unite(self, x: Value, y: Value) -> None:
        if (is_reference(x) and is_reference(y)) or (is_object(x) and is_object(y)):
            self.parents[self.root(x)] = self.root(y)

    def relate(self, operation: Operation) -> None:
        """Unite what this operation makes share memory; of objects, those that a call of Python brings together."""
        if operation.opdef.effect is Effect.VIEW:
            self.unite(operation.results[0], operation.operands[0])
        objects = objects_of(operation)
        for value in objects[1:]:
            self.unite(objects[0], value)
        for sources, target in flows(operation):
            if is_reference(target):
                self.merged.add(target)
            for source in sources:
                self.unite(source, target)

    def count_uses(self, block: Block, outside: set[Value]) -> None:
        """How often each value is read, and which are read element by element or in a region of the block that makes them."""
        made = set(block.args)
        for operation in block.operations:
            self.note_reads(operation.operands, outside)
            if operation.name == "load":
                self.read_across.add(operation.operands[0])
            for region in operation.regions:
                self.count_uses(region, outside | made)
            made.update(operation.results)
        self.note_reads(block.yields, outside)

    def note_reads(self, values: list[Value], outside: set[Value]) -> None:
        for value in values:
            self.uses[value] = self.uses.get(value, 0) + 1
            if value in outside:
                self.read_across.add(value)

    def is_plain(self, value: Value) -> bool:
        """Whether an array is an input or the fresh result of one operation, and nothing views, joins or writes it."""
        owner = value.owner
        if isinstance(owner, Operation) and (owner.regions or owner.name in OWN_SHADOWS):
            return False
        if not isinstance(owner, Operation) and owner is not self.block:
            return False
        return (
            value not in self.read_across
            and value not in self.parents
            and self.root(value) not in self.joined
            and value not in self.written
        )

    def is_active(self, value: Value) -> bool:
        """Whether a derivative may flow through the value."""
        return is_differentiable(value) and self.root(value) in self.active

    def carries(self, value: Value) -> bool:
        """Whether a derivative may flow through the value, or through what it contains."""
        return self.root(value) in self.active and (is_differentiable(value) or is_object(value))

    def is_written(self, value: Value) -> bool:
        """Whether the memory of the value is written somewhere in the block."""
        return self.root(value) in self.written

    def is_changed(self, value: Value) -> bool:
        """Whether the memory of the value is written, other than once before it is read: what an earlier sweep keeps is read afterwards."""
        return self.root(value) in self.changed

    def writes(self, operation: Operation, value: Value) -> bool:
        """Whether an operation or one in its regions writes the memory of a value."""
        inner = walk_regions(operation) if operation.regions else ()
        return any(self.root(target) is self.root(value) for each in (operation, *inner) for target in written_by(each))

    def direct_root(self, value: Value) -> Value:
        """The array that a chain of views starts from."""
        while isinstance(value.owner, Operation) and value.owner.opdef.effect is Effect.VIEW:
            value = value.owner.operands[0]
        return value

    def spread(self) -> None:
        """Activity flows from operands to results, and into written memory, until nothing changes."""
        changed = True
        while changed:
            before = len(self.active)
            for operation in walk_block(self.block):
                self.spread_through(operation)
            changed = len(self.active) != before

    def spread_through(self, operation: Operation) -> None:
        for sources, target in flows(operation):
            if (is_differentiable(target) or is_object(target)) and any(self.carries(source) for source in sources):
                self.active.add(self.root(target))
        if operation.name == "stop_gradient" or operation.regions or not any(self.carries(operand) for operand in operation.operands):
            return
        targets = [*operation.results, *written_by(operation)]
        self.active.update(self.root(target) for target in targets if is_differentiable(target))
        self.active.update(self.root(target) for target in objects_of(operation))

    def useful(self, outputs: Iterable[Value]) -> set[Value]:
        """The classes on which the outputs depend by the rules of operations: what a function with a rule of its own does to find its value
        has no part in its derivative. Arguments, arrays of enclosing code and objects are taken to have one."""
        operations = list(walk_block(self.block))[::-1]
        made = {
            value
            for operation in operations
            for value in (*operation.results, *(arg for region in operation.regions for arg in region.args))
        }
        found = {self.root(value) for value in (*outputs, *self.block.args)}
        for operation in operations:
            found.update(self.root(value) for value in (*operation.operands, *operation.unwind) if value not in made or is_object(value))
            found.update(map(self.root, operation.unwind))
        before = -1
        while len(found) != before:
            before = len(found)
            for operation in operations:
                for sources, target in flows(operation):
                    if self.root(target) in found:
                        found.update(map(self.root, sources))
                targets = [*operation.results, *written_by(operation)]
                if operation.opdef.vjp is NOT_DIFFERENTIABLE:
                    continue
                if operation.name == "host_call" or any(self.root(target) in found for target in targets):
                    first = operation.attributes["count"] if operation.name == CUSTOM else 0
                    found.update(map(self.root, operation.operands[first:]))
        return found


def rotations_in(block: Block) -> tuple[set[Operation], set[Operation]]:
    """The rotations of a block and of its regions that are derived as such, and the views of which they are joined, which nothing else
    uses: they make nothing share memory."""
    users: dict[Value, int] = {}
    found: list[Operation] = []
    for operation in walk_block(block):
        for value in (*operation.operands, *operation.unwind, *(value for region in operation.regions for value in region.yields)):
            users[value] = users.get(value, 0) + 1
        if operation.name == "concat" and rotation_of(operation) is not None:
            found.append(operation)
    for value in block.yields:
        users[value] = users.get(value, 0) + 1
    alone = {operation for operation in found if all(users[part] == 1 for part in operation.operands)}
    return alone, {part.owner for operation in alone for part in operation.operands if isinstance(part.owner, Operation)}


def walk_regions(operation: Operation) -> Iterable[Operation]:
    """Every operation in the regions of an operation."""
    for region in operation.regions:
        yield from walk_block(region)


def written_by(operation: Operation) -> list[Value]:
    """The references whose memory an operation writes."""
    if operation.name == "host_call":
        return [] if operation.attributes.get("pure") else [operand for operand in operation.operands if is_reference(operand)]
    return operation.written


def flows(operation: Operation) -> list[tuple[list[Value], Value]]:
    """Where region operations pass values on: (sources, target) for results and block arguments."""
    if operation.name in ("cond", "try_"):
        regions = [region for region in operation.regions if not region.terminated]
        return [([region.yields[index] for region in regions], result) for index, result in enumerate(operation.results)]
    if operation.name == "for_loop":
        (body,) = operation.regions
        yields = body.yields[1:] if operation.attributes.get("has_break") else body.yields
        state = operation.operands[3:]
        return carried(state, yields, body.args[1:], operation.results, body.terminated)
    if operation.name == "while_loop":
        test, body = operation.regions
        pairs = [
            ([source, *([] if body.terminated else [end])], arg)
            for source, end, arg in zip(operation.operands, body.yields or operation.operands, test.args)
        ]
        pairs += [([passed], arg) for passed, arg in zip(test.yields[1:], body.args)]
        return pairs + [([passed], result) for passed, result in zip(test.yields[1:], operation.results)]
    return []


def carried(
    state: list[Value], yields: list[Value], args: list[Value], results: list[Value], terminated: bool
) -> list[tuple[list[Value], Value]]:
    """The flows of a counted loop's state."""
    found: list[tuple[list[Value], Value]] = []
    for index, (source, arg, result) in enumerate(zip(state, args, results)):
        sources = [source] if terminated else [source, yields[index]]
        found += [(sources, arg), (sources, result)]
    return found
