"""Calls of Python that put numbers and arrays into containers, or take them out: which are recorded, and what may be written.

An array in a container has two cotangents: its shadow in compiled code, and that of its box on the object tape, which is handed over when
the call is taken back. So it must not be written after it went in, or after it came out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph_jit.autodiff.sweeps.accumulate import or_zero
from autograph_jit.autodiff.sweeps.classes import Classes, objects_of
from autograph_jit.autodiff.sweeps.phantoms import Phantoms
from autograph_jit.autodiff.sweeps.reverse import Sweep
from autograph_jit.autodiff.tapes.objects import ObjectTape
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.types import OBJECT, ArrayType, ListType
from autograph_jit.tracing.values.lift import wrap
from autograph_jit.tracing.values.trace import emit


def is_recorded(classes: Classes, operation: Operation) -> bool:
    """Whether a call of Python takes or gives a container on the path of a derivative."""
    return any(classes.carries(value) for value in objects_of(operation))


def recording(classes: Classes, operation: Operation, tape: Value) -> Callable[[list[Value]], Operation]:
    """What makes the forward call on the tape, of operands under the names that they have there."""
    refuse_lists(classes, operation)
    function: Callable[..., Any] = operation.attributes["fn"]
    active = [classes.is_active(operand) for operand in operation.operands]
    leaving = [classes.is_active(result) for result in operation.results]
    attributes = {**operation.attributes, "pure": False, "fn": lambda tape, *values: tape.forward(function, active, leaving, values)}
    return lambda operands: emit("host_call", tape, *operands, **attributes)


def refuse_lists(classes: Classes, operation: Operation) -> None:
    """A native list reaches Python as a copy without boxes."""
    if any(isinstance(operand.type, ListType) and classes.is_active(operand) for operand in operation.operands):
        raise NotDifferentiable(
            f"{operation.attributes['label']} has no derivative of a list",
            operation.span,
            "it runs in Python on a copy of the list",
            "make an array of the list, or a loop over it",
        )


def set_up_tape(classes: Classes, block: Block, phantoms: Phantoms) -> None:
    """Where calls of a block are recorded, make the tape here."""
    calls = [operation for operation in walk_block(block) if is_recorded(classes, operation)]
    if calls:
        refuse_shared_writes(classes, block)
        tape = phantoms.tape = emit("host_call", fn=lambda: ObjectTape(), label="object tape", results=(OBJECT,)).result
        phantoms.recorded = {operation: recording(classes, operation, tape) for operation in calls}


def take_back(sweep: Sweep, operation: Operation) -> None:
    """The reverse of a recorded call."""
    classes, tape = sweep.classes, sweep.phantoms.tape
    assert tape is not None
    cts = [cotangent_of(sweep, result) for result in operation.results if classes.is_active(result)]
    places = [index for index, result in enumerate(operation.results) if classes.is_active(result)]
    sources = [operand for operand in operation.operands if classes.is_active(operand)]
    count = len(operation.results)

    def call(tape: ObjectTape, *values: Any) -> Sequence[Any]:
        every: list[Any] = [None] * count
        for place, value in zip(places, values):
            every[place] = value
        return tape.backward(every)

    label = f"{operation.attributes['label']}, taken back"
    made = emit("host_call", tape, *cts, fn=call, label=label, results=tuple(source.type for source in sources))
    for source, result in zip(sources, made.results):
        sweep.add(source, wrap(result))


def cotangent_of(sweep: Sweep, result: Value) -> Value:
    return sweep.shadow(result).value if isinstance(result.type, ArrayType) else or_zero(sweep.take(result), result).value


def refuse_shared_writes(classes: Classes, block: Block) -> None:
    """An error for a write to an array that a container may hold."""
    order = list(walk_block(block))
    calls = [
        (position, value)
        for position, operation in enumerate(order)
        if is_recorded(classes, operation)
        for value in (*operation.operands, *operation.results)
        if isinstance(value.type, ArrayType) and classes.is_active(value)
    ]
    if not calls:
        return
    loops = [set(walk_regions(operation)) for operation in order if operation.name.endswith("_loop")]
    for position, operation in enumerate(order):
        for target in operation.written:
            shared = [call for call in calls if isinstance(target.type, ArrayType) and classes.root(call[1]) is classes.root(target)]
            if any(is_after(classes, order, loops, position, *call) for call in shared):
                raise NotDifferentiable(
                    "the gradient of a write to an array that a Python container may hold is not supported",
                    operation.span,
                    "the list, dict or object exists at run time only, and shares the array",
                    "write to the array before it goes in, or put a copy in and write to a copy of what comes out",
                )


def walk_regions(operation: Operation) -> list[Operation]:
    return [inner for region in operation.regions for inner in walk_block(region)]


def is_after(classes: Classes, order: list[Operation], loops: list[set[Operation]], write: int, call: int, value: Value) -> bool:
    """Whether the write at one place may come after the call at another that takes or gives the array."""
    root = classes.direct_root(order[write].operands[0])
    if is_fresh(root):
        made = order.index(root.owner) if root.owner in order else -1  # what enclosing code made was there before
        if classes.direct_root(value) is root:
            return call < write
        return not is_fresh(classes.direct_root(value)) and made < call < write
    together = any(order[write] in loop and order[call] in loop for loop in loops)
    return together or call < write


def is_fresh(value: Value) -> bool:
    """Whether an array is made by one operation, and not taken from a container."""
    return isinstance(value.owner, Operation) and not value.owner.regions and not objects_of(value.owner)
