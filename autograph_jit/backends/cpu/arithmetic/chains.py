"""Products of the chain rule in a row, which are zero where their cotangents are: that is asked where what they end in is no number.

Before: p = product(ct, x); look at p; q = product(p, y); look at q; r = p + q; s = r * z
After:  p = ct * x; q = p * y; r = p + q; s = r * z; look at s, and only where it is no number make all four again, with the question

What is no number stays so through sums, products and quotients, so that the last of them tell of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.values import Emitted
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import ScalarType
from autograph_jit.kernels.fusion import scalar_expression
from autograph_jit.records import dataclass

FOLLOWING = frozenset({"add", "subtract", "multiply", "negative", "divide"})  # no number where one of their operands is none
RARELY = (1, 1 << 20)


@dataclass(slots=True)
class Chain:
    """Operations on numbers of one block, from a product of the chain rule on, and those of their results that no other of them reads."""

    members: list[Operation] = field(default_factory=list)
    results: set[Value] = field(default_factory=set)
    ends: dict[Value, None] = field(default_factory=dict)

    def add(self, member: Operation) -> None:
        self.members.append(member)
        self.results.add(member.result)
        for value in member.operands:
            self.ends.pop(value, None)
        self.ends[member.result] = None

    def is_read_by(self, operation: Operation) -> bool:
        return any(value in self.results for value in (*operation.operands, *operation.unwind))


def is_chained(operation: Operation) -> bool:
    """Whether an operation gives a product of the chain rule of two numbers, or a sum with one."""
    may_be = is_float(operation) and (operation.contract or operation.name == "chain_product")
    return may_be and scalar_expression(operation)[0].op == "select"


def is_float(operation: Operation) -> bool:
    types = [result.type for result in operation.results]
    return len(types) == 1 and isinstance(types[0], ScalarType) and types[0].dtype.kind == "f"


def chains_of(e: Emitter, block: Block) -> list[Chain]:
    """The chains of a block with more than one member."""
    found = [Chain()]
    for operation in block.operations:
        if is_member(e, operation, found[-1]):
            found[-1].add(operation)
        elif operation.regions or found[-1].is_read_by(operation):
            found.append(Chain())
    return [chain for chain in found if len(chain.members) > 1]


def is_member(e: Emitter, operation: Operation, chain: Chain) -> bool:
    if not is_float(operation) or operation in e.consumers or operation in e.trip_sums:
        return False
    return is_chained(operation) or (operation.name in FOLLOWING and chain.is_read_by(operation))


def emit_chained(e: Emitter, operation: Operation, is_quick: bool) -> Emitted:
    """The number that a member gives; as if its products were any if `is_quick`."""
    expression, values = scalar_expression(operation)
    if is_quick and is_chained(operation):
        expression = expression.args[2]
    return emit_expression(e, expression, [e.get(value) for value in values])


def emit_alone(e: Emitter, operation: Operation) -> Emitted:
    """The number of a chain of one member: the next factor of a loop's chain rule waits for a multiplication, not for a comparison and a
    choice, too."""
    e.values[operation.result] = emit_chained(e, operation, is_quick=True)
    chain = Chain()
    chain.add(operation)
    look_at(e, chain)
    return e.get(operation.result)


def look_at(e: Emitter, chain: Chain) -> None:
    """Behind a chain whose members were emitted as if their products were any: what they are where that gave what is no number."""
    before, rare, merge = e.b.block, e.block("no_number"), e.block("products")
    e.b.cbranch(are_no_numbers(e, list(chain.ends)), rare, merge).set_weights(list(RARELY))
    quick = {member: e.get(member.result) for member in chain.members}
    e.b.position_at_end(rare)
    for member in chain.members:
        e.values[member.result] = emit_chained(e, member, is_quick=False)
    e.b.branch(merge)
    e.b.position_at_end(merge)
    for member in chain.members:
        chosen = e.b.phi(quick[member].type)
        chosen.add_incoming(quick[member], before)
        chosen.add_incoming(e.get(member.result), rare)
        e.values[member.result] = chosen


def are_no_numbers(e: Emitter, ends: list[Value]) -> ir.Value:
    """Whether one of some floats is no number: two are asked by one comparison."""
    asked = None
    for first, second in pairs([e.get(value) for value in ends]):
        each = e.b.fcmp_unordered("uno", first, second)
        asked = each if asked is None else e.b.or_(asked, each)
    return asked


def pairs(numbers: list[ir.Value]) -> Iterator[tuple[ir.Value, ir.Value]]:
    """Two numbers of one type at a time, the last with itself where it is alone."""
    for type in dict.fromkeys(str(number.type) for number in numbers):
        of_type = [number for number in numbers if str(number.type) == type]
        for index in range(0, len(of_type), 2):
            yield of_type[index], of_type[min(index + 1, len(of_type) - 1)]
