"""Numbers that every trip of a loop finds the same: sizes of arrays, and what is computed from what exists before the loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from autograph_jit.ir.dims import Dim, Size
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.linear import size_asked
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.tracing.values.trace import active, constant, emit

Axis = tuple[Value, int]
CHANGING = ("carried", "v:i")  # in labels of sizes that a loop carries, or that its index gives: another one in each trip


@dataclass
class Invariants:
    """What exists before each region of a primal block runs; `homes` maps each value of the primal to the block that defines it."""

    root: Block
    homes: dict[Value, Block]
    owners: dict[Block, Operation] = field(default_factory=dict)
    places: dict[Operation, int] = field(default_factory=dict)
    axes: dict[Block, dict[str, tuple[int, Axis]]] = field(default_factory=dict)
    outer_axes: dict[str, Axis] = field(default_factory=dict)
    kept: dict[Value, Operation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for operation in walk_block(self.root):
            self.note_kept(operation)
            for region in operation.regions:
                self.owners[region] = operation
            for operand in operation.operands:
                if operand not in self.homes:
                    note_axes(operand, self.outer_axes.setdefault)
        for block in (self.root, *self.owners):
            self.note_block(block)

    def note_kept(self, operation: Operation) -> None:
        """What an earlier reverse sweep keeps in an array (`autodiff.sweeps.residuals`) is there for the next one too."""
        if operation.name == "store" and operation.operands[0] in active().differentiation.residuals:
            self.kept[operation.operands[1]] = operation
        if operation.name == "assign" and isinstance(operation.operands[0].owner, Operation):
            if operation.operands[0].owner.operands[:1] and operation.operands[0].owner.operands[0] in active().differentiation.residuals:
                self.kept[operation.operands[1]] = operation

    def note_block(self, block: Block) -> None:
        """Where the first array stands that shows a size, by the size's label."""
        found = self.axes.setdefault(block, {})
        for arg in block.args:
            note_axes(arg, lambda label, axis: found.setdefault(label, (-1, axis)))
        for place, operation in enumerate(block.operations):
            self.places[operation] = place
            for result in operation.results:
                note_axes(result, lambda label, axis, place=place: found.setdefault(label, (place, axis)))  # type: ignore[misc]

    def is_before(self, value: Value, loop: Operation) -> bool:
        """Whether a value exists where a loop begins: made earlier in its block, or outside the primal."""
        home = self.homes.get(value)
        if home is None:
            return True
        return home is loop.block and (not isinstance(value.owner, Operation) or self.places[value.owner] < self.places[loop])

    def axis_of(self, label: str, region: Block, outermost: Operation | None = None) -> Axis | None:
        """An axis that has this size, of an array that exists before a region runs; before that of `outermost` where it is given."""
        block: Block | None = region if outermost is None else outermost.regions[0]
        while block in self.owners:
            operation = self.owners[block]
            block = operation.block
            assert block is not None
            place, axis = self.axes[block].get(label, (len(block.operations), None))
            if axis is not None and place < self.places[operation]:
                return axis
        return self.outer_axes.get(label)

    def has_size(self, size: Size, region: Block, outermost: Operation | None = None) -> bool:
        """Whether a size is known before a region runs."""
        return isinstance(size, int) or all(self.axis_of(label, region, outermost) is not None for label, _ in size.terms)

    def size(self, size: Size, region: Block, read: Callable[[Value, int], Value], outermost: Operation | None = None) -> Value:
        """Emit a size that is known before a region runs; `read` gives the length of an axis."""
        if isinstance(size, int):
            return constant(np.int64(size))
        total: Value | None = None
        for label, coefficient in size.terms:
            axis = self.axis_of(label, region, outermost)
            assert axis is not None
            part = read(*axis)
            part = part if coefficient == 1 else emit("multiply", part, constant(np.int64(coefficient))).result
            total = part if total is None else emit("add", total, part).result
        assert total is not None
        return total if size.const == 0 else emit("add", total, constant(np.int64(size.const))).result

    def is_known(self, value: Value, loop: Operation) -> bool:
        """Whether a number can be computed where a loop of the outermost block begins."""
        owner = value.owner
        if self.is_before(value, loop):
            return True
        if not isinstance(owner, Operation) or owner.regions or not isinstance(value.type, ScalarType):
            return False
        if owner.name == "constant":
            return True
        if owner.name == "dim":
            return self.has_size(size_asked(owner), loop.regions[0], loop)
        return is_arithmetic(owner) and all(self.is_known(operand, loop) for operand in owner.operands)

    def known(self, value: Value, loop: Operation, at_hand: Callable[[Value], Value]) -> Value:
        """Emit a number that `is_known`; `at_hand` gives what exists before the loop."""
        owner = value.owner
        if self.is_before(value, loop):
            return at_hand(value)
        assert isinstance(owner, Operation)
        if owner.name == "constant":
            return constant(owner.attributes["value"])
        if owner.name == "dim":
            return self.size(size_asked(owner), loop.regions[0], partial(length_of, at_hand), loop)
        return emit(owner.name, *(self.known(operand, loop, at_hand) for operand in owner.operands), **owner.attributes).result


def length_of(at_hand: Callable[[Value], Value], value: Value, axis: int) -> Value:
    """Emit the length of an axis of an array that is at hand under another name."""
    return emit("dim", at_hand(value), axis=axis).result


def note_axes(value: Value, note: Callable[[str, Axis], object]) -> None:
    """The axes of an array whose size is one label."""
    if isinstance(value.type, ArrayType):
        for axis, size in enumerate(value.type.dims):
            if isinstance(size, Dim) and size.const == 0 and len(size.terms) == 1 and size.terms[0][1] == 1:
                label = size.terms[0][0]
                if not any(kind in label for kind in CHANGING):
                    note(label, (value, axis))


def is_arithmetic(operation: Operation) -> bool:
    """Whether an operation computes numbers of numbers and cannot fail."""
    return (
        operation.opdef.effect is Effect.PURE
        and not operation.can_fail
        and not operation.regions
        and bool(operation.operands)
        and all(isinstance(operand.type, ScalarType) for operand in operation.operands)
    )
