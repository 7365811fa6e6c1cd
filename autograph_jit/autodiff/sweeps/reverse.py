"""The reverse sweep of one block: operations from last to first, each adding to the cotangents of its operands.

The cotangent of a scalar is a value; that of an array is an array of its own, the shadow, in which views are views.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autograph_jit.autodiff.sweeps.accumulate import add_into, add_scalars, in_same_shape, in_shape, is_in_shape, sum_of, zeros
from autograph_jit.autodiff.sweeps.classes import Classes, is_reference
from autograph_jit.autodiff.sweeps.phantoms import Phantoms
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.derivative import NOT_DIFFERENTIABLE, Into, Unsupported
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType, ListType, ScalarType
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.lift import wrap
from autograph_jit.tracing.values.trace import emit


@dataclass
class Sweep:
    """The reverse sweep of one block. Scalars and shadows of enclosing blocks are found through `parent`; what is added to an
    enclosing scalar collects in `outer` until the region operation hands it on."""

    block: Block
    classes: Classes
    phantoms: Phantoms
    parent: Sweep | None = None
    scalars: dict[Value, StagedScalar] = field(default_factory=dict)
    outer: dict[Value, StagedScalar] = field(default_factory=dict)
    shadows: dict[Value, Any] = field(default_factory=dict)
    chosen: set[Value] = field(default_factory=set)
    values: dict[Value, StagedArray] = field(default_factory=dict)
    increments: set[Value] = field(default_factory=set)
    accumulators: set[Value] = field(default_factory=set)  # cotangents among `values` that may be added to in place

    def is_local(self, value: Value) -> bool:
        return self.phantoms.homes.get(value) is self.block

    def take(self, value: Value) -> StagedScalar | None:
        """The cotangent of a scalar that this block defines, None for zero; it is complete by now."""
        return self.scalars.pop(value, None)

    def add_scalar(self, value: Value, contribution: Any) -> None:
        assert isinstance(value.type, ScalarType)
        table = self.scalars if self.is_local(value) else self.outer
        table[value] = add_scalars(table.get(value), contribution, value.type.dtype)

    def shadow(self, value: Value) -> Any:
        """The shadow of an array or list, made where its primal is defined."""
        sweep: Sweep | None = self
        while sweep is not None:
            if value in sweep.shadows:
                return sweep.shadows[value]
            sweep = sweep.parent
        raise NotDifferentiable(
            "the gradient needs memory that it does not follow",
            None,
            f"{value!r} comes from outside the differentiated function",
            "pass it as an argument",
        )

    def is_chosen(self, value: Value) -> bool:
        """Whether the shadow of a branch's result is itself one of the shadows of what the branch chose from."""
        sweep: Sweep | None = self
        while sweep is not None:
            if value in sweep.chosen:
                return True
            sweep = sweep.parent
        return False

    def has_shadow(self, value: Value) -> bool:
        sweep: Sweep | None = self
        while sweep is not None:
            if value in sweep.shadows:
                return True
            sweep = sweep.parent
        return False

    def add(self, value: Value, contribution: Any) -> None:
        """Add a contribution to the cotangent of a value."""
        if contribution is None or not self.classes.is_active(value):
            return
        if self.is_value(value):
            self.add_value(value, contribution)
        elif isinstance(contribution, Into):
            contribution.update(self.shadow(value))
        elif isinstance(value.type, ArrayType):
            add_into(self.shadow(value), contribution)
        elif isinstance(value.type, ListType):
            raise NotDifferentiable(
                "the gradient through a list that Python is given is not supported",
                None,
                "its elements live in compiled code",
                "loop over the list itself",
            )
        else:
            self.add_scalar(value, contribution)

    def is_value(self, value: Value) -> bool:
        """Whether an array's cotangent can be a value like a scalar's: it is fresh, local, never viewed nor written."""
        return isinstance(value.type, ArrayType) and self.is_local(value) and self.classes.is_plain(value)

    def uses(self, value: Value) -> int:
        """How often operations of the primal read a value."""
        return self.classes.uses.get(value, 0)

    def is_read(self, value: Value) -> bool:
        """Whether anything depends on a value."""
        return self.uses(value) > 0

    def add_value(self, value: Value, contribution: Any, own: bool = False) -> None:
        """Add to the cotangent of an array that has no shadow; with `own` it is the increment of another array."""
        if own:
            self.increments.add(value)
        if isinstance(contribution, Into):
            if value not in self.values:
                self.values[value] = self.fresh_shadow(value)
            contribution.update(self.values[value])
            return
        assert isinstance(value.type, ArrayType)
        full = contribution
        if not is_in_shape(contribution, value.type):
            sizes = tuple(self.phantoms.size(value, axis) for axis in range(value.type.rank))
            full = in_shape(contribution, value.type, sizes)
        known = self.values.get(value)
        self.values[value] = full if known is None else StagedArray(sum_of(known.value, full.value))

    def fresh_shadow(self, value: Value) -> Any:
        """A zero shadow for an array that this block defines."""
        assert isinstance(value.type, ArrayType)
        sizes = tuple(self.phantoms.size(value, axis) for axis in range(value.type.rank))
        return zeros(value.type.dims, sizes, value.type.dtype)

    def make_shadows(self) -> None:
        """Shadows of the arrays that the block defines: zeros, or views of other shadows."""
        for operation in self.block.operations:
            for result in operation.results:
                if is_reference(result) and self.classes.is_active(result) and result not in self.shadows and not self.is_value(result):
                    self.shadows[result] = STRUCTURAL_SHADOWS.get(operation.name, default_shadow)(self, operation, result)

    def run(self) -> None:
        """Sweep the whole block; yields' cotangents must be in place."""
        self.make_shadows()
        self.prepare_yields()
        for operation in reversed(self.block.operations):
            rule = RULES.get(operation.name, by_definition)
            rule(self, operation)

    def prepare_yields(self) -> None:
        """Hook for region sweeps: cotangents that flow in through array yields."""
        for value, contribution in getattr(self, "incoming", ()):
            self.add(value, contribution)


def default_shadow(sweep: Sweep, operation: Operation, result: Value) -> Any:
    """Views of shadows for views, zeros for fresh arrays."""
    if operation.opdef.effect is Effect.VIEW and operation.name != "reshape":
        operands = [sweep.phantoms.value(operand).value for operand in operation.operands[1:]]
        viewed = emit(operation.name, sweep.shadow(operation.operands[0]).value, *operands, **operation.attributes)
        return wrap(viewed.result)
    if isinstance(result.type, ListType):
        raise NotDifferentiable(
            f"the gradient through a list made by {operation.name} is not supported", operation.span, "", "build the list by append"
        )
    return sweep.fresh_shadow(result)


def by_definition(sweep: Sweep, operation: Operation) -> None:
    """Apply the operation's own derivative rule."""
    if any(map(sweep.classes.is_active, operation.written)):
        raise no_rule(operation, "what it writes has a derivative")
    results = [result for result in operation.results if sweep.classes.is_active(result)]
    if not results or not any(sweep.classes.is_active(operand) for operand in operation.operands):
        for result in operation.results:
            if isinstance(result.type, ScalarType):
                sweep.take(result)
        return
    if operation.opdef.effect is Effect.VIEW:
        return
    cts = [cotangent(sweep, result) for result in operation.results]
    if all(ct is None for ct in cts) or operation.opdef.vjp is NOT_DIFFERENTIABLE:
        return
    vjp = rule_of(operation)
    values = [sweep.phantoms.value(result, operation) for result in operation.results]
    operands = [sweep.phantoms.value(operand, operation) for operand in operation.operands]
    single = len(values) == 1
    contributions = vjp(cts[0] if single else tuple(cts), values[0] if single else tuple(values), *operands, **operation.attributes)
    if isinstance(contributions, Unsupported):
        raise no_rule(operation, contributions.why)
    increment = operation.results[0] in sweep.increments
    for position, (operand, contribution) in enumerate(zip(operation.operands, contributions)):
        if not (increment and position == 0):  # the target of `a += b` keeps its shadow as it is
            sweep.add(operand, in_same_shape(contribution, operand.type) if keeps_sizes(operation) else contribution)


def keeps_sizes(operation: Operation) -> bool:
    """Whether the contributions of an operation have the sizes of the operands: products of vectors and matrices do not broadcast, nor do
    stacks of equal sizes, or a stack and one matrix behind it, for which the rule adds up."""
    types = [value.type for value in (*operation.operands, *operation.results)]
    if operation.name != "matmul" or not all(isinstance(type_, ArrayType) for type_ in types[:2]):
        return False
    x, y, result = types
    if x.rank <= 2 and y.rank <= 2:  # type: ignore[union-attr]
        return True
    if x.rank <= 2:  # type: ignore[union-attr]
        return False
    stacks = [x.dims[:-2], *([y.dims[:-2]] if y.rank > 2 else [])]  # type: ignore[union-attr]
    depth = x.rank - 2  # type: ignore[union-attr]
    return all(stack == result.dims[:depth] for stack in stacks)  # type: ignore[union-attr]


def rule_of(operation: Operation) -> Any:
    """The derivative rule of an operation; an error where it has none."""
    vjp = operation.opdef.vjp
    if callable(vjp):
        return vjp
    raise no_rule(operation, vjp.why if isinstance(vjp, Unsupported) else vjp.value)


def no_rule(operation: Operation, why: str) -> NotDifferentiable:
    """The error for an operation on the path that has no derivative."""
    return NotDifferentiable(
        f"`{operation.attributes.get('label', operation.name)}` has no derivative here",
        operation.span,
        why,
        "use ag.stop_gradient, or ag.custom_gradient with a rule of your own",
    )


def cotangent(sweep: Sweep, result: Value) -> StagedArray | StagedScalar | None:
    """The cotangent of a result; None for a scalar that nothing depends on."""
    if isinstance(result.type, ArrayType):
        if sweep.is_value(result):
            return sweep.values.pop(result, None)
        return sweep.shadow(result) if sweep.classes.is_active(result) else None
    return sweep.take(result)


RULES: dict[str, Any] = {}
SPLITTING: list[Callable[[Block, Classes], dict[Operation, Any]]] = []  # how calls of a primal block keep what their reverse reads
STRUCTURAL_SHADOWS: dict[str, Any] = {}


def rule(*names: str) -> Any:
    """Register the reverse of operations that the sweep treats itself."""

    def register(function: Any) -> Any:
        for name in names:
            RULES[name] = function
        return function

    return register
