"""Operations of a function under the caller's names of sizes: each graph names its sizes for itself."""

from __future__ import annotations

import itertools
from typing import Any

from autograph_jit.ir.copying import Visible
from autograph_jit.ir.dims import Dim, Size, atom
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import ArrayType, Type

NUMBERS = itertools.count(1)


class Sizes:
    """What the labels of a function's sizes are where it is called: those of its parameters as the operands tell, others new where it
    `renews` them."""

    def __init__(self, parameters: list[Value], operands: list[Value], renews: bool = True) -> None:
        self.number = next(NUMBERS) if renews else 0
        self.known: dict[str, Size] = {}
        for parameter, operand in zip(parameters, operands, strict=True):
            self.learn(parameter.type, operand.type)

    def learn(self, old: Type, new: Type) -> None:
        """The labels of a type are those of another one at the same places."""
        if not isinstance(old, ArrayType) or not isinstance(new, ArrayType):
            return
        for have, want in zip(old.dims, new.dims, strict=True):
            if have == want and isinstance(have, Dim):
                for name, _ in have.terms:
                    self.known.setdefault(name, atom(name))
            elif isinstance(have, Dim) and have.const == 0 and len(have.terms) == 1 and have.terms[0][1] == 1:
                self.known.setdefault(have.terms[0][0], want)

    def size(self, size: Size) -> Size:
        """A size under its new name."""
        if not isinstance(size, Dim):
            return size
        total: Size = size.const
        for name, coefficient in size.terms:
            if name not in self.known:
                self.known[name] = atom(f"{name[0]}:{name}@{self.number}" if self.number else name)
            total = total + self.known[name] * coefficient
        return total

    def type(self, type_: Type) -> Type:
        """A type with its sizes under their new names."""
        return ArrayType(type_.dtype, tuple(map(self.size, type_.dims))) if isinstance(type_, ArrayType) else type_

    def attribute(self, value: Any) -> Any:
        """An attribute of an operation: sizes and types may be in it."""
        if isinstance(value, Dim):
            return self.size(value)
        if isinstance(value, ArrayType):
            return self.type(value)
        return tuple(map(self.attribute, value)) if type(value) is tuple else value

    def copy(self, operation: Operation, block: Block, values: Visible) -> Operation:
        """An operation with its regions, for a place in `block`."""
        attributes = {name: self.attribute(value) for name, value in operation.attributes.items()}
        copy = Operation(operation.opdef, [values[value] for value in operation.operands], attributes, [], operation.span)
        copy.unwind, copy.block = [values[value] for value in operation.unwind], block
        copy.contract, copy.deoptimizes = operation.contract, operation.deoptimizes
        copy.for_c, copy.calls = operation.for_c, operation.calls
        for region in operation.regions:
            inner = Block(block)
            copy.regions.append(inner)
            for argument in region.args:
                values[argument] = inner.add_argument(self.type(argument.type), argument.hint)
            inner.operations = [self.copy(each, inner, values) for each in region.operations]
            inner.yields, inner.terminated = [values[value] for value in region.yields], region.terminated
        types = operation.opdef.infer(tuple(operand.type for operand in copy.operands), attributes)
        for index, (result, type_) in enumerate(zip(operation.results, types, strict=True)):
            self.learn(result.type, type_)
            values[result] = Value(type_, copy, index, result.hint)
            copy.results.append(values[result])
        return copy

    def retype(self, block: Block) -> None:
        """Give the values of a block their types under the new names, in place."""
        for operation in block.operations:
            operation.attributes = {name: self.attribute(value) for name, value in operation.attributes.items()}
            for region in operation.regions:
                for argument in region.args:
                    argument.type = self.type(argument.type)
                self.retype(region)
            types = operation.opdef.infer(tuple(operand.type for operand in operation.operands), operation.attributes)
            for result, type_ in zip(operation.results, types, strict=True):
                self.learn(result.type, type_)
                result.type = type_
