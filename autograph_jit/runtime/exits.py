"""What an exception leaves: the state of the caller's Python objects at every operation that can fail, written back when it does.

Compiled code keeps attributes, and lists and dicts that were passed in, in registers until the function ends. A program that changes
them is one `try_` around everything: each operation that can fail brings the number of its exit and the values that the
caller's objects would hold under Python by then; the handler hands both to the exception, which the runtime sees before the caller.

Before::                                  After::

    check(%good)                              try_() do () { check(%good) unwind(%exit, %steps) ... }
                                              do (%exception, %exit, %steps) { ... raise_(%exception) }
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import I64, OBJECT, ArrayType, ListType, ScalarType, Type
from autograph_jit.records import dataclass
from autograph_jit.runtime.writing_back import (
    Args,
    AttributeWrite,
    ContentWrite,
    ProgramTemplate,
    RunValues,
    Write,
    container_writes,
    only_read,
    place_writes,
    write_all,
)
from autograph_jit.tracing.joining.placeholders import placeholder_value
from autograph_jit.tracing.values.trace import Trace, block_of, constant, emit

ATTRIBUTE = "__autograph_exit__"
CONTENTS = (AttributeWrite, ContentWrite)


@dataclass(frozen=True, slots=True, eq=False)
class Exit:
    """What to write back, from these graph values."""

    values: list[Value]
    writes: list[Write]


@dataclass(frozen=True, slots=True)
class NumberedExit:
    """An exit of a finished program: the positions of its values among those that the handler is given."""

    positions: list[int]
    writes: list[Write]

    def leave(self, values: tuple[Any, ...], args: Args) -> None:
        """Write the state back to the objects of this call."""
        found = RunValues([values[position] for position in self.positions], args)
        write_all([write(found) for write in self.writes])


class Exits:
    """The exits of a program that is being traced."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.by_operation: dict[Operation, Exit] = {}

    def note(self, operation: Operation) -> None:
        """An operation was recorded: where it can fail, remember what it would leave."""
        if not operation.can_fail:
            return
        inputs = self.trace.inputs
        template = ProgramTemplate(inputs)
        template.is_late = True
        writes = container_writes(inputs, template, is_exit=True) + place_writes(inputs, self.trace.journals, template)
        if writes:
            self.by_operation[operation] = Exit(list(template.leaves.values), writes)

    def note_copy(self, operation: Operation, copy: Operation) -> None:
        """A derivative put a copy in the place of an operation: it leaves what the operation would have left."""
        found = self.by_operation.get(operation)
        if found is not None:
            self.by_operation[copy] = found
        else:
            self.by_operation.pop(copy, None)

    def install(self) -> list[NumberedExit]:
        """Put the program into a `try_`; its exits, in the order of their numbers. An empty list where there is nothing to write back."""
        root = self.trace.graph.block
        failing = [operation for operation in unprotected(root) if operation.can_fail]
        usable: dict[Operation, Exit] = {}
        same = only_read(self.trace.inputs)
        for noted in dict.fromkeys(self.by_operation.values()):
            noted.values[:] = map(self.trace.clone_of, noted.values)
            noted.writes[:] = [write for write in noted.writes if not isinstance(write, CONTENTS) or write.stand_in not in same]
        self.by_operation = {operation: noted for operation, noted in self.by_operation.items() if noted.writes}
        note_visible(root, self.by_operation, set(), usable)
        if usable.keys().isdisjoint(failing):
            return []
        numbered, slots = [NumberedExit([], [])], Slots()
        brought: list[tuple[int, list[Value]]] = []
        for operation in failing:
            found = usable.get(operation)
            if found is not None:
                numbered.append(NumberedExit(slots.positions(found.values), found.writes))
            brought.append((0, []) if found is None else (len(numbered) - 1, found.values))
        self.wrap(root, slots, failing, numbered, brought)
        return numbered

    def wrap(
        self, root: Block, slots: Slots, failing: list[Operation], numbered: list[NumberedExit], brought: list[tuple[int, list[Value]]]
    ) -> None:
        """Move the program into the body of a `try_`."""
        trace = self.trace
        body, handler = Block(root), Block(root)
        body.operations, body.yields, body.terminated = root.operations, root.yields, root.terminated
        root.operations, root.yields, trace.recorded.constants = [], [], {}
        body.adopt(body.operations)
        fillers = [slots.filler(type_, root) for type_ in slots.types]
        for operation, (number, values) in zip(failing, brought):
            state = list(fillers)
            for position, value in zip(numbered[number].positions, values):
                state[position] = value
            operation.unwind = [constant(np.int64(number)), *state]
        write_handler(trace, handler, slots.argument_types(trace))
        results = tuple(value.type for value in body.yields)
        operation = emit("try_", regions=[body, handler], results=results)
        root.yields, root.terminated = list(operation.results), body.terminated


class Slots:
    """The values that the handler takes, by type: each exit fills some of them."""

    def __init__(self) -> None:
        self.types: list[Type] = []
        self.by_kind: dict[tuple[Any, ...], list[int]] = {}

    def positions(self, values: list[Value]) -> list[int]:
        """A slot of its own for each value; slots are shared with the other exits."""
        taken: list[int] = []
        used: Counter[tuple[Any, ...]] = Counter()
        for value in values:
            alike = kind(value.type)
            shared = self.by_kind.setdefault(alike, [])
            if used[alike] == len(shared):
                shared.append(len(self.types))
                self.types.append(value.type)
            taken.append(shared[used[alike]])
            used[alike] += 1
        return taken

    def filler(self, type_: Type, root: Block) -> Value:
        """What stands in a slot that an exit does not use: a parameter where one is of the type, else a value that is never read."""
        same = (argument for argument in root.args if kind(argument.type) == kind(type_))
        found = next(same, None)
        return found if found is not None else placeholder_value(type_)

    def argument_types(self, trace: Trace) -> list[Type]:
        """The types of the handler's arguments: sizes differ from exit to exit."""
        return [
            ArrayType(type_.dtype, tuple(trace.fresh_atom("d", "exit") for _ in type_.dims)) if isinstance(type_, ArrayType) else type_
            for type_ in self.types
        ]


def kind(type_: Type) -> tuple[Any, ...]:
    """What two values in one slot have in common."""
    if isinstance(type_, ArrayType):
        return "array", type_.dtype, len(type_.dims)
    if isinstance(type_, ListType):
        return "list", kind(type_.elem)
    return ("scalar", type_.dtype) if isinstance(type_, ScalarType) else ("object",)


def write_handler(trace: Trace, handler: Block, types: list[Type]) -> None:
    """Hand the state to the exception, and raise it again."""
    exception = handler.add_argument(OBJECT, "exception")
    state = [handler.add_argument(I64, "exit"), *(handler.add_argument(type_) for type_ in types)]
    with block_of(trace, handler):
        label = "state at the exception"
        told = emit("host_call", exception, *state, fn=tell, label=label, results=(OBJECT,), pure=True, ends_program=True)
        emit("raise_", told.result, error=None)
    handler.terminated = True


def tell(exception: BaseException, number: Any, *values: Any) -> tuple[BaseException]:
    """The exception, which now knows the exit and its values."""
    setattr(exception, ATTRIBUTE, (int(number), values))
    return (exception,)


def writes_back(operation: Operation) -> bool:
    """Whether a `try_` is the one around a whole program, whose handler only hands on what the caller's objects hold by then."""
    return any(inner.attributes.get("fn") is tell for inner in operation.regions[1].operations)


def write_exit(exits: list[NumberedExit], exception: BaseException, args: Args) -> None:
    """Write back what an exception found at its exit."""
    number, values = vars(exception).pop(ATTRIBUTE, (0, ()))
    if number:
        exits[number].leave(values, args)


def unprotected(block: Block) -> Iterator[Operation]:
    """The operations whose failure leaves the program: those outside the bodies of `try_`."""
    for operation in block.operations:
        yield operation
        for region in operation.regions[1:] if operation.name == "try_" else operation.regions:
            yield from unprotected(region)


def note_visible(block: Block, exits: dict[Operation, Exit], seen: set[Value], usable: dict[Operation, Exit]) -> None:
    """Collect the exits whose values their operation may use: a transform may have moved operations since they were noted."""
    own: list[Value] = list(block.args)
    seen.update(own)
    for operation in block.operations:
        found = exits.get(operation)
        if found is not None and seen.issuperset(found.values):
            usable[operation] = found
        for region in operation.regions:
            note_visible(region, exits, seen, usable)
        own += operation.results
        seen.update(operation.results)
    seen.difference_update(own)
