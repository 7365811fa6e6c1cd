"""Forward mode: the program of a function with tangents beside its values, a region's among its results, memory's in memory of its own.

Before: `y = sin(x); a[0] = y`
After:  `y = sin(x); dy = dx * cos(x); a[0] = y; da[0] = dy`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_jit.autodiff.draws import refuse_jumps
from autograph_jit.autodiff.sweeps.accumulate import in_shape, to_dtype, zero, zeros
from autograph_jit.autodiff.sweeps.classes import Classes, is_object, is_reference
from autograph_jit.autodiff.sweeps.forward import note_copy
from autograph_jit.autodiff.sweeps.phantoms import find_homes
from autograph_jit.autodiff.sweeps.reverse import no_rule
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.derivative import Unsupported
from autograph_jit.ir.function import CALLS
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType, ListType
from autograph_jit.tracing.values.lift import array, shape_of, wrap
from autograph_jit.tracing.values.trace import active, block_of, emit

Tangent = Value | None


class Push:
    """Copies a primal block into the current one, each operation followed by what it does to tangents."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self.values: dict[Value, Value] = {}
        self.tangents: dict[Value, Value] = {}

    def value(self, primal: Value) -> Value:
        """Where a primal value is found; one from outside is itself."""
        return self.values.get(primal, primal)

    def tangent(self, primal: Value) -> Tangent:
        """The tangent of a value; None for zero. Memory on a path has one always."""
        return self.tangents.get(primal) if self.classes.is_active(primal) else None

    def definite(self, primal: Value) -> Value:
        """The tangent of a value, zeros where it has none."""
        found = self.tangent(primal)
        return found if found is not None else zero(primal).value if not is_reference(primal) else self.fresh(primal)

    def fresh(self, primal: Value) -> Value:
        """A zero tangent of memory."""
        type_ = primal.type
        if isinstance(type_, ListType):
            return emit("list_new", elem=type_.elem).result
        assert isinstance(type_, ArrayType)
        return zeros(type_.dims, shape_of(array(self.value(primal))), type_.dtype).value

    def run(self, block: Block) -> None:
        """Copy every operation of a block."""
        for operation in block.operations:
            RULES.get(operation.name, by_definition)(self, operation)

            for result in operation.results:
                if is_reference(result) and self.classes.is_active(result) and result not in self.tangents:
                    self.note(result, self.fresh(result))

    def note(self, primal: Value, tangent: Value) -> None:
        """The tangent of a value; memory of its own is marked as such."""
        self.tangents[primal] = tangent
        if is_reference(primal):
            active().differentiation.shadows.add(tangent)

    def copy(self, operation: Operation) -> list[Value]:
        """Copy one operation; its results."""
        made = emit(operation.name, *map(self.value, operation.operands), **operation.attributes)
        made.span = operation.span
        note_copy(operation, made)
        self.values.update(zip(operation.results, made.results))
        return made.results

    def active_ones(self, values: list[Value]) -> list[Value]:
        """Those of some values that carry tangents."""
        return [value for value in values if self.classes.is_active(value)]

    def region(self, region: Block, args: list[Value], results: Callable[[], list[Value]]) -> Block:
        """A copy of a region; `args` have tangents as further arguments, `results` are asked for at its end."""
        made = Block()
        with block_of(active(), made):
            for argument in region.args:
                self.values[argument] = made.add_argument(argument.type, argument.hint)
            for argument in args:
                self.note(argument, made.add_argument(argument.type, f"d{argument.hint}"))
            self.run(region)
            made.terminated = region.terminated
            if not region.terminated:
                made.yields = results()
        return made

    def finish(self, operation: Operation, name: str, operands: list[Value], regions: list[Block], with_tangents: list[Value]) -> None:
        """Emit a region operation whose results are followed by tangents of some of them."""
        types = tuple(value.type for value in (*operation.results, *with_tangents))
        made = emit(name, *operands, regions=regions, **{**operation.attributes, "results": types})
        made.span = operation.span
        count = len(operation.results)
        self.values.update(zip(operation.results, made.results[:count]))
        for value, tangent in zip(with_tangents, made.results[count:]):
            self.note(value, tangent)


def by_definition(push: Push, operation: Operation) -> None:
    """The operation's own rule."""
    if operation.regions or operation.name in CALLS:
        raise NotDifferentiable(f"forward mode through {operation.name} is not supported", operation.span, "", "use reverse mode")
    results = push.copy(operation)
    if not any(push.classes.is_active(result) for result in operation.results):
        return
    tangents = [push.tangent(operand) for operand in operation.operands]
    if operation.opdef.effect is Effect.VIEW:
        assert tangents[0] is not None
        others = [push.value(operand) for operand in operation.operands[1:]]
        push.note(operation.result, emit(operation.name, tangents[0], *others, **operation.attributes).result)
        return
    jvp = operation.opdef.jvp
    if isinstance(jvp, Unsupported):
        raise no_rule(operation, jvp.why)
    if not callable(jvp) or not any(tangent is not None for tangent in tangents):
        return
    operands = [wrap(push.value(operand)) for operand in operation.operands]
    values = [wrap(result) for result in results]
    single = len(values) == 1
    along = tuple(None if tangent is None else wrap(tangent) for tangent in tangents)
    found = jvp(along, values[0] if single else tuple(values), *operands, **operation.attributes)
    if isinstance(found, Unsupported):
        raise no_rule(operation, found.why)
    keep(push, operation, (found,) if single else found)


def keep(push: Push, operation: Operation, found: Any) -> None:
    """Note the tangents of results, in the type of the result and in memory of their own."""
    if found is None:
        return
    for result, tangent in zip(operation.results, found):
        if tangent is None or not push.classes.is_active(result):
            continue
        type_ = result.type
        if isinstance(type_, ArrayType):
            push.note(result, in_shape(tangent, type_, shape_of(array(push.value(result)))).value)
        else:
            push.note(result, to_dtype(tangent, type_.dtype).value)  # type: ignore[union-attr]


RULES: dict[str, Callable[[Push, Operation], None]] = {}


def rule(*names: str) -> Callable[[Any], Any]:
    """Register what operations of these names do to tangents."""

    def register(function: Any) -> Any:
        RULES.update(dict.fromkeys(names, function))
        return function

    return register


def push_forward(block: Block, given: list[Value], tangents: list[Value], outputs: list[Value]) -> tuple[dict[Value, Value], list[Any]]:
    """Emit a primal block with tangents into the current one: where its values are found, and the tangents of `outputs`."""
    block.yields = list(outputs)
    push = Push(Classes(block, block.args))
    refuse_jumps(push.classes, block)
    push.values.update(zip(block.args, given))
    for value, tangent in zip(block.args, tangents):
        push.note(value, tangent)
    for value in outer_references(block):
        if push.classes.is_active(value):
            push.note(value, push.fresh(value))
    push.run(block)
    active().differentiation.clones.update(push.values)
    return push.values, [wrap(push.definite(output)) if push.classes.is_active(output) else None for output in outputs]


def is_covered(block: Block, classes: Classes) -> bool:
    """Whether forward mode has what the operations of a block need; reverse mode knows more of Python's containers and of users' rules."""
    return not any(
        bool(operation.unwind)
        or (operation.name == "custom_result" and any(map(classes.is_active, operation.operands)))
        or any(is_object(value) and classes.carries(value) for value in (*operation.operands, *operation.results))
        for operation in walk_block(block)
    )


def outer_references(block: Block) -> list[Value]:
    """The arrays of enclosing code that a block uses."""
    homes = find_homes(block)
    operands = [operand for operation in walk_block(block) for operand in operation.operands]
    return list(dict.fromkeys(operand for operand in operands if isinstance(operand.type, ArrayType) and operand not in homes))
