"""Primal values in the reverse sweep: stand-ins that are asked for first and found later.

The reverse sweep of a block is recorded on phantoms, values of no operation. When it is complete, the phantoms that it really
uses are resolved: a constant or a cheap scalar is computed again, the index of a counted loop is the reversed loop's own; the
rest is saved at the end of the forward block and read at the start of the reverse block (`autodiff.sweeps.residuals`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph_jit.ir.function import CALLS
from autograph_jit.ir.graph import Block, Operation, Value, constant_of
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import I64, ArrayType, ListType, ScalarType
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.lift import dimension, wrap
from autograph_jit.tracing.values.trace import constant


class Absent:
    """The owner of a phantom."""

    name = "phantom"
    block = None
    regions = ()


ABSENT = Absent()
LENGTH = -1
STRIDE = -2  # of axis 0; of axis k it is STRIDE - k


@dataclass
class Request:
    """What a phantom stands for: a primal value, at an operation (for memory that is written), or a number that says how it lies: the size
    of one axis, or LENGTH, or a stride."""

    value: Value
    at: Operation | None
    axis: int | None
    phantom: Value


@dataclass
class Phantoms:
    """The phantoms of one differentiation; `homes` maps each primal value to the block that defines it, `recorded` each call of Python
    that runs on the object tape to the function that appends it to the forward sweep."""

    homes: dict[Value, Block]
    written: Any
    writes: Any
    residuals: Any
    tape: Value | None = None
    recorded: dict[Operation, Any] = field(default_factory=dict)
    requests: dict[Any, Request] = field(default_factory=dict)
    by_phantom: dict[Value, Request] = field(default_factory=dict)
    kept: set[Value] = field(default_factory=set)  # numbers that are not computed again
    asked: set[Value] = field(default_factory=set)  # the stand-ins that the reverse region being closed uses
    timed: dict[Value, list[Operation]] = field(default_factory=dict)  # the operations at which written arrays were asked for
    blanks: set[Value] = field(default_factory=set)  # what branches yield in results that only other branches use

    def value(self, primal: Value, at: Operation | None = None) -> Any:
        """A stand-in for a primal value as it was when `at` ran."""
        if constant_of(primal) is not None and primal in self.homes:
            return self.known(primal)
        timed = at if isinstance(primal.type, ArrayType) and self.written(primal) else None
        if timed is None and primal not in self.homes:
            return wrap(primal)
        return self.stand_in((primal, self.time_of(primal, timed), None), primal.type)

    def time_of(self, primal: Value, at: Operation | None) -> Operation | None:
        """The first operation for which an array was asked for in the same state: between the two nothing writes its memory."""
        if at is None:
            return None
        asked = self.timed.setdefault(primal, [])
        for other in asked:
            if other is at or self.sees_same(primal, at, other):
                return other
        asked.append(at)
        return at

    def sees_same(self, primal: Value, at: Operation, other: Operation) -> bool:
        """Whether an array has the same content when either of two operations of one block runs."""
        if at.block is None or at.block is not other.block:
            return False
        operations = at.block.operations
        first, last = sorted((operations.index(at), operations.index(other)))
        begin = first + 1 if primal in operations[first].results else first
        return not any(self.writes(operation, primal) for operation in operations[begin:last])

    def known(self, primal: Value) -> Any:
        """The stand-in of a constant."""
        return self.stand_in((primal, None, None), primal.type)

    def size(self, primal: Value, axis: int) -> Any:
        """The length of a primal array along an axis: a Python int where the type knows it."""
        assert isinstance(primal.type, ArrayType)
        known = primal.type.dims[axis]
        if isinstance(known, int):
            return known
        if primal not in self.homes:
            return dimension(StagedArray(primal), axis)
        staged = self.stand_in((primal, None, axis), I64)
        return StagedScalar(staged.value, True, known, 48)

    def length(self, primal: Value, axis: int) -> Value:
        """The length of a primal array along an axis, as a number of the run."""
        size = self.size(primal, axis)
        return constant(np.int64(size)) if isinstance(size, int) else size.value

    def stride(self, primal: Value, axis: int) -> Value:
        """The stride of a primal array along an axis, as it was: what is kept of the array may lie in another order."""
        return self.stand_in((primal, None, STRIDE - axis), I64).value

    def final_length(self, primal: Value) -> Any:
        """The length of a list at the end of the block that made it."""
        return self.stand_in((primal, None, LENGTH), I64)

    def stand_in(self, key: tuple[Any, ...], type_: Any) -> Any:
        request = self.requests.get(key)
        if request is None:
            value, at, axis = key
            phantom = Value(type_, ABSENT, 0, f"primal_{value.hint}")  # type: ignore[arg-type]
            request = self.requests[key] = Request(value, at, axis, phantom)
            self.by_phantom[phantom] = request
        return wrap(request.phantom)

    def home(self, request: Request) -> Block:
        """The block in which a request's value is at hand."""
        return request.at.block if request.at is not None and request.at.block is not None else self.homes[request.value]


def find_homes(block: Block, homes: dict[Value, Block] | None = None) -> dict[Value, Block]:
    """The defining block of every value of a block and its regions."""
    homes = {} if homes is None else homes
    for arg in block.args:
        homes[arg] = block
    for operation in block.operations:
        operation.block = block
        for result in operation.results:
            homes[result] = block
        for region in operation.regions:
            region.parent = block
            find_homes(region, homes)
    return homes


COSTLY = frozenset(
    "power cbrt exp exp2 expm1 log log2 log10 log1p tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh arctan2 "
    "hypot logaddexp logaddexp2 fmod erf erfc lgamma angle".split()
)


def is_costly(operation: Operation) -> bool:
    """Whether an operation takes longer than reading what it gave: mathematical functions, but not squares; functions of the graph."""
    if operation.name != "power":
        return operation.name in COSTLY or operation.name in CALLS
    exponent = operation.operands[1].owner
    return not isinstance(exponent, Operation) or exponent.name != "constant" or exponent.attributes["value"] != 2


def is_recomputable(phantoms: Phantoms, value: Value, region: Block) -> bool:
    """Whether computing a value again is cheaper than keeping it: scalar arithmetic that cannot fail, and loads from arrays that
    nothing writes and that exist outside the region. A call of a mathematical function costs more than a load, but for
    a sine or cosine, whose other half the derivative needs anyway. Views are as cheap as the array is lasting. What has a rule of the
    user's is kept: the rule may have captured numbers of the call."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.regions or owner.name == "custom_result":
        return False
    if owner.name == "load" or owner.opdef.effect is Effect.VIEW:
        source = owner.operands[0]
        return not phantoms.written(source) and (phantoms.homes.get(source) is not region or is_recomputable(phantoms, source, region))
    if not isinstance(value.type, ScalarType):
        return False
    if owner.name == "constant":
        return True
    scalars = all(isinstance(operand.type, ScalarType) for operand in owner.operands)
    return not is_costly(owner) and owner.opdef.effect is Effect.PURE and scalars and not owner.can_fail and bool(owner.operands)


def stack_element(type_: Any) -> ScalarType:
    """The element type of the list that keeps values of a type."""
    if isinstance(type_, ScalarType):
        return type_
    if isinstance(type_, ListType):
        return type_.number
    return ScalarType(np.dtype(type_.dtype))
