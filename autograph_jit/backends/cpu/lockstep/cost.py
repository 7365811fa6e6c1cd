"""Whether trips side by side are faster: about how many cycles the loops inside take, one trip after the other and sixteen at once.

One after the other, a trip waits for what the one before hands on, or else takes as long as its instructions. Side by side it takes as many
vector instructions as sixteen numbers take registers, many loads for elements that are not neighbours, and masks where lanes leave the loop
apart. The figures are those of current x86 processors with registers of 64 bytes, two for sixteen numbers; they need only tell what is
several times as fast from what is not.
"""

from __future__ import annotations

from dataclasses import field

from autograph_jit.backends.cpu.arithmetic.integers import INSTRUCTIONS
from autograph_jit.backends.cpu.lockstep.divergence import Divergence
from autograph_jit.backends.cpu.target import vector_bytes
from autograph_jit.ir.graph import Block, Operation, Value, constant_of, walk_block
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.scalar import Expr, in_order
from autograph_jit.kernels.fusion import scalar_expression
from autograph_jit.kernels.trips import SIGNS, indices_of, uses
from autograph_jit.records import dataclass

LANES = 16
WIDEST = 64  # bytes of a register
WORTH = 0.5  # of the time one after the other
LOAD, GATHER, ADJACENT, SINGLE, STORE, FOLD = 5, 24, 1.5, 0.5, 2, 7
MASKS, MASK_CHAIN = 10, 6  # what leaving apart takes in every trip, and how much longer a trip waits for the one before
PER_CYCLE = 4  # instructions
LATENCIES = {"div": 13, "sqrt": 20, "floordiv": 14, "mod": 14}
FLOAT_LATENCY, PRODUCT_LATENCY, INTEGER_LATENCY = 3, 3, 1
SCALAR_CYCLES = {"div": 4.5, "sqrt": 6.0}
VECTOR_CYCLES = {"div": 18.0, "sqrt": 24.0}
FREE = ("operand", "const", "cast", "bitcast")


@dataclass(slots=True)
class Cost:
    """The loops inside a loop whose trips may run side by side."""

    divergence: Divergence
    folded: set[Operation] = field(default_factory=set)  # stores of what all lanes add up
    single: float = 0.0  # cycles of sixteen trips one after the other
    together: float = 0.0
    latencies: dict[Value, float] = field(default_factory=dict)

    def is_worth_it(self, loops: list[Operation]) -> bool:
        """Whether the innermost of the loops are so much faster side by side that it is sure to pay."""
        for loop in loops:
            if not any(inner.name in ("for_loop", "while_loop") for region in loop.regions for inner in walk_block(region)):
                self.add(loop)
        return self.together <= WORTH * self.single

    def add(self, loop: Operation) -> None:
        operations = [inner for region in loop.regions for inner in walk_block(region)]
        waiting = self.latency(loop)
        busy = sum(scalar_cycles(operation) for operation in operations)
        self.single += LANES * max(waiting, busy if waiting else busy / 8)
        narrow = WIDEST / vector_bytes()
        gathers = sum(GATHER for operation in operations if self.is_gather(operation))
        vector = gathers + narrow * sum(self.vector_cycles(operation) for operation in operations)
        apart = loop in self.divergence.divergent
        self.together += max(waiting + (MASK_CHAIN if apart else 0), vector) + (MASKS * narrow if apart else 0)

    def latency(self, loop: Operation) -> float:
        """How long a trip waits for the numbers of the one before, besides counters."""
        test, body = loop.regions[0], loop.regions[-1]
        state = body.args if test is not body else body.args[1:]
        yields = body.yields[len(body.yields) - len(state) :]
        heads = test.args if test is not body else state
        carried = enumerate(zip(heads, state, yields, strict=True))
        waited = [number for number, (head, arg, value) in carried if value not in (head, arg) and not is_counter(head, arg, value)]
        self.latencies = {args[number]: 0.0 for args in (heads, state) for number in waited}
        self.visit(test)
        if test is not body:
            self.latencies |= {arg: self.latencies[value] for arg, value in zip(state, test.yields[1:]) if value in self.latencies}
            self.visit(body)
        index = body.args[0] if test is body else None
        sums = [inner for inner in body.operations if inner.name == "store" and (index is None or not uses(inner, index))]
        return max([self.latencies.get(yields[number], 0.0) for number in waited] + [FLOAT_LATENCY for _ in sums], default=0.0)

    def visit(self, block: Block) -> None:
        """Find when the results of a block's operations are there, counted from the carried numbers that they depend on."""
        for operation in block.operations:
            for region in operation.regions:
                self.visit(region)
            read = [*operation.operands, *(value for region in operation.regions for value in region.yields)]
            known = [self.latencies[value] for value in read if value in self.latencies]
            if known:
                self.latencies.update((result, max(known) + latency_of(operation)) for result in operation.results)

    def vector_cycles(self, operation: Operation) -> float:
        varies = self.divergence.varies
        if operation in self.folded:
            return FOLD
        if operation.name in ("load", "store"):
            alike = not any(map(varies, indices_of(operation)))
            return SINGLE if alike else 0.0 if self.is_gather(operation) else ADJACENT if operation.name == "load" else STORE
        if not any(map(varies, (*operation.operands, *operation.results))):
            return 0.0
        if operation.name in INSTRUCTIONS:
            return 0.0 if self.is_progression(operation.result) else 5.0 if operation.name == "pyint_multiply" else 3.0
        if operation.name == "cond":
            return 1.0 + len(operation.results)
        return sum(VECTOR_CYCLES.get(node.op, 0.0 if node.op in FREE else 1.0) for node in nodes_of(operation))

    def is_gather(self, operation: Operation) -> bool:
        """Whether lanes load or store elements that are not neighbours."""
        varies = self.divergence.varies
        if operation.name not in ("load", "store") or not any(map(varies, indices_of(operation))):
            return False
        *leading, last = indices_of(operation)
        return any(map(varies, leading)) or not self.is_progression(last)

    def is_progression(self, value: Value) -> bool:
        """Whether neighbouring lanes have neighbouring numbers: the index of the loop, plus what all lanes share."""
        operation = value.owner
        if not self.divergence.varies(value):
            return True
        if not isinstance(operation, Operation):
            return value is self.divergence.index
        return operation.name in SIGNS and all(map(self.is_progression, operation.operands))


def is_counter(head: Value, arg: Value, following: Value) -> bool:
    """Whether a carried integer moves by a number that is the same in all trips."""
    operation = following.owner
    if not isinstance(operation, Operation) or operation.name not in SIGNS or operation.operands[0] not in (head, arg):
        return False
    return constant_of(operation.operands[1]) is not None


def nodes_of(operation: Operation) -> list[Expr]:
    """The nodes of a scalar operation's expression."""
    if not isinstance(operation.opdef.kernel, Pointwise):
        return []
    return list(in_order(scalar_expression(operation)[0]))


def latency_of(operation: Operation) -> float:
    if operation.name == "load":
        return LOAD
    if operation.name == "cond":
        return INTEGER_LATENCY
    if operation.name in INSTRUCTIONS:
        return PRODUCT_LATENCY if operation.name == "pyint_multiply" else INTEGER_LATENCY
    total = 0.0
    for node in nodes_of(operation):
        usual = FLOAT_LATENCY if node.dtype.kind == "f" else INTEGER_LATENCY
        total += 0.0 if node.op in FREE else LATENCIES.get(node.op, usual) if node.dtype.kind == "f" else usual
    return total


def scalar_cycles(operation: Operation) -> float:
    if operation.name in ("load", "store", "cond", *INSTRUCTIONS):
        return 1.5 / PER_CYCLE
    return sum(SCALAR_CYCLES.get(node.op, 0.0 if node.op in FREE else 1.0 / PER_CYCLE) for node in nodes_of(operation))
