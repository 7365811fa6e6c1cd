"""The graph: structured SSA over scalars, references to arrays, objects and lists.

Grammar::

    Graph     ::= params Block
    Block     ::= args Operation* yields           a block that ends in `raise_` has `terminated` set and yields nothing
    Operation ::= results = opdef(operands){attributes}[regions] @SourceSpan
    Type      ::= ScalarType | ArrayType | ObjectType | ListType
    Size      ::= int | affine sum of atoms        (`ir.dims`)

Regions read the values of enclosing blocks directly. Arrays are references: operations take place in program order, and a
write is seen through every view of the memory. Region operations, with `state` for the values that they carry::

    results = cond(predicate)[then(), else()]                each yields the results; one of them may be terminated
    state'  = while_loop(*state)[test(*state), body(*state)] test yields (predicate, *state), body yields state
    state'  = for_loop(start, stop, step, *state){has_break}[body(index, *state)]
                                                             body yields state, preceded by keep_going: b1 if has_break
    results = try_(){errors}[body(), handler(exception: object, *state)]
                                                             both yield the results; a failing operation in the body
                                                             jumps to the handler with its `unwind` values as state

The attribute `results`, a tuple of types, gives the types of the results of `cond` and `try_`; loops take it where the state's
sizes differ from trip to trip, otherwise their results have the types of the entering state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from operator import attrgetter
from typing import Any

from autograph_jit.ir.in_c import InC
from autograph_jit.ir.opdef import Effect, OpDef
from autograph_jit.ir.types import Type
from autograph_jit.source import SourceSpan


class Value:
    """One SSA value: a block argument or the result of an operation."""

    __slots__ = ("type", "owner", "index", "hint")

    def __init__(self, type: Type, owner: Operation | Block, index: int, hint: str = "") -> None:
        self.type, self.owner, self.index, self.hint = type, owner, index, hint

    def __repr__(self) -> str:
        return f"<{self.hint or 'value'}: {self.type}>"


class Operation:
    """One operation: operands in, results out, attributes by name, regions by position.

    unwind holds the values that the innermost enclosing `try_` handler takes as state when this operation fails. A sum that may `contract`
    need not round the products that it adds (`kernels.contraction`). What stands for a part of a function that Python has in C
    has in `for_c` what it takes there; in Python so many `calls` of the user's functions begin with it. Where one that `deoptimizes`
    fails, Python makes the call.
    """

    __slots__ = ("opdef", "operands", "attributes", "regions", "results", "span", "unwind", "block",
                 "contract", "for_c", "calls", "deoptimizes")  # fmt: skip

    def __init__(
        self, opdef: OpDef, operands: list[Value], attributes: dict[str, Any], regions: list[Block], span: SourceSpan | None
    ) -> None:
        self.opdef, self.operands, self.attributes, self.regions, self.span = opdef, operands, attributes, regions, span
        self.results: list[Value] = []
        self.unwind: list[Value] = []
        self.block: Block | None = None
        self.contract, self.deoptimizes, self.calls = False, False, 0
        self.for_c: InC | None = None

    name: property = property(attrgetter("opdef.name"))  # read more often than anything else: without a call of Python's

    @property
    def result(self) -> Value:
        (only,) = self.results
        return only

    @property
    def written(self) -> list[Value]:
        """The operands whose memory the operation writes, and that of the lists in them: the first one; of a call as many as it says."""
        return self.operands[: self.attributes.get("writes", 1)] if self.opdef.effect is Effect.WRITE else []

    @property
    def can_fail(self) -> bool:
        """Whether this use of the operation can leave the program with an exception; finer than `opdef.may_fail`."""
        return self.opdef.can_fail(tuple(operand.type for operand in self.operands), self.attributes)

    @property
    def can_be_handled(self) -> bool:
        """Whether it can fail so that the handler of a `try_` around it runs."""
        return self.can_fail and not self.deoptimizes

    def __repr__(self) -> str:
        return f"<{self.name} of {self.operands}>"


class Block:
    """A list of operations with arguments in front and yielded values at its end."""

    __slots__ = ("args", "operations", "yields", "terminated", "parent")

    def __init__(self, parent: Block | None = None) -> None:
        self.args: list[Value] = []
        self.operations: list[Operation] = []
        self.yields: list[Value] = []
        self.terminated = False
        self.parent = parent

    def add_argument(self, type: Type, hint: str = "") -> Value:
        value = Value(type, self, len(self.args), hint)
        self.args.append(value)
        return value

    def adopt(self, operations: list[Operation]) -> list[Operation]:
        """Operations that are moved here from another block: they and their regions name this one. The caller puts them in their place."""
        for operation in operations:
            operation.block = self
            for region in operation.regions:
                region.parent = self
        return operations


class Graph:
    """A function: `block.args` are its parameters, `block.yields` its results; parameters at `small` are between -2**62 and 2**62."""

    __slots__ = ("name", "block", "small")

    def __init__(self, name: str) -> None:
        self.name = name
        self.block = Block()
        self.small: frozenset[int] = frozenset()

    def walk(self) -> Iterator[Operation]:
        """Every operation, an operation before those of its regions, in program order."""
        return walk_block(self.block)


def is_visible(block: Block | None, value: Value) -> bool:
    """Whether a value belongs to a block or to one around it."""
    home = value.owner if isinstance(value.owner, Block) else value.owner.block
    while block is not None and block is not home:
        block = block.parent
    return block is not None


def walk_block(block: Block, start: int = 0) -> Iterator[Operation]:
    """Every operation of a block, from a place on, and of its regions, in program order."""
    pending: list[Block | Iterator[Operation]] = [islice(block.operations, start, None)]
    while pending:
        inner = pending.pop()
        operations = iter(inner.operations) if isinstance(inner, Block) else inner
        for operation in operations:
            yield operation
            if operation.regions:
                pending += [operations, *reversed(operation.regions)]
                break


def constant_of(value: Value) -> Any:
    """The number, a scalar of NumPy's, of a value that a `constant` operation defines; None of any other."""
    owner = value.owner
    return owner.attributes["value"] if isinstance(owner, Operation) and owner.name == "constant" else None


def literal_of(value: Value) -> int | None:
    """The integer of a value that a `constant` operation defines."""
    number = constant_of(value)
    return None if number is None else int(number)


def resolve(value: Value, replaced: Mapping[Value, Value]) -> Value:
    """The value that stands for another one in the end."""
    while value in replaced:
        value = replaced[value]
    return value
