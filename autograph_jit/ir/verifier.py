"""Checks that a graph obeys its grammar: types as inferred, values defined before use, regions with the signatures of their operation.

An invariant that holds here may be relied on by every pass and backend. The errors name the operation and its line.
"""

from __future__ import annotations

from collections.abc import Sequence

from autograph_jit.errors import GraphError
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.types import BOOL, I64, OBJECT, ArrayType, Type

REGION_COUNTS = {"cond": 2, "while_loop": 2, "for_loop": 1, "try_": 2}


def verify(graph: Graph) -> None:
    """Raise GraphError at the first rule that the graph breaks."""
    Verifier().check_block(graph.block, None)


def fits(found: Type, expected: Type) -> bool:
    """Whether a value of one type may stand for another: the same, with sizes left open where the other leaves them open."""
    if not isinstance(found, ArrayType) or not isinstance(expected, ArrayType):
        return found == expected
    if found.dtype != expected.dtype or found.rank != expected.rank:
        return False
    return all(not isinstance(want, int) or want == have for have, want in zip(found.dims, expected.dims, strict=True))


def failure(operation: Operation, text: str) -> GraphError:
    """The error for one operation."""
    where = f"{operation.span.location()}: " if operation.span else ""
    return GraphError(f"{where}{operation.name}: {text}")


class Verifier:
    """The values that are visible at one place of the graph."""

    def __init__(self) -> None:
        self.visible: set[Value] = set()
        self.defined: set[Value] = set()

    def define(self, values: Sequence[Value], owner: Operation | Block) -> None:
        """Make values visible; each belongs to its owner at its place and is defined once."""
        for index, value in enumerate(values):
            if value.owner is not owner or value.index != index:
                raise GraphError(f"{value!r} does not name its owner and its place")
            if value in self.defined:
                raise GraphError(f"{value!r} is defined twice")
            self.defined.add(value)
            self.visible.add(value)

    def check_block(self, block: Block, handler: Block | None) -> None:
        """A block in the reach of a handler, or of none; its values end with it."""
        outer = set(self.visible)
        self.define(block.args, block)
        for position, operation in enumerate(block.operations):
            if operation.block is not block:
                raise failure(operation, "does not name the block that it is in")
            if is_ending(operation) and position != len(block.operations) - 1:
                raise failure(operation, "ends its block, but operations follow")
            self.check_operation(operation, handler)
        if block.terminated and (block.yields or not block.operations or not is_ending(block.operations[-1])):
            raise GraphError("a terminated block ends in raise_ and yields nothing")
        if not block.terminated and block.operations and is_ending(block.operations[-1]):
            raise failure(block.operations[-1], "ends its block, which is not marked as terminated")
        self.check_visible(block.yields, "yield")
        self.visible = outer

    def check_visible(self, values: Sequence[Value], what: str) -> None:
        """Every value is defined before this place, in this block or in one around it."""
        for value in values:
            if value not in self.visible:
                raise GraphError(f"{what} uses {value!r}, which is not defined before it in this block or one around it")

    def check_operation(self, operation: Operation, handler: Block | None) -> None:
        """Operands, result types, unwind values, regions; then the results become visible."""
        try:
            self.check_visible(operation.operands, "the operation")
            self.check_visible(operation.unwind, "unwind")
            types = operation.opdef.infer(tuple(operand.type for operand in operation.operands), operation.attributes)
        except GraphError as error:
            raise failure(operation, str(error)) from None
        found = tuple(result.type for result in operation.results)
        if found != tuple(types):
            raise failure(operation, f"its results have types {types_in_words(found)}, inferred are {types_in_words(types)}")
        check_unwind(operation, handler)
        self.check_regions(operation, handler)
        self.define(operation.results, operation)

    def check_regions(self, operation: Operation, handler: Block | None) -> None:
        """The number of regions, their arguments and what they yield, and the regions themselves."""
        if len(operation.regions) != REGION_COUNTS.get(operation.name, 0):
            raise failure(operation, f"has {len(operation.regions)} regions, not {REGION_COUNTS.get(operation.name, 0)}")
        for region in operation.regions:
            if region.parent is not operation.block:
                raise failure(operation, "a region does not name the block around it")
        if operation.regions:
            check_signature(operation)
        for index, region in enumerate(operation.regions):
            inner = operation.regions[1] if operation.name == "try_" and index == 0 else handler
            self.check_block(region, inner)


def is_ending(operation: Operation) -> bool:
    """Whether nothing can follow: an exception is raised on every way through."""
    if operation.name in ("cond", "try_"):
        return bool(operation.regions) and all(region.terminated for region in operation.regions)
    return operation.name == "raise_"


def check_unwind(operation: Operation, handler: Block | None) -> None:
    """An operation whose failure can be handled brings one value for each state argument of the innermost handler around it."""
    if handler is None:
        if operation.unwind:
            raise failure(operation, "has unwind values outside of a try_ body")
        return
    state = handler.args[1:]
    if not operation.unwind and not operation.can_be_handled:
        return
    if len(operation.unwind) != len(state):
        raise failure(operation, f"brings {len(operation.unwind)} unwind values, its handler takes {len(state)}")
    expect_types(operation, "unwind", [value.type for value in operation.unwind], [argument.type for argument in state])


def check_signature(operation: Operation) -> None:
    """The arguments and yields of the regions of one region operation."""
    operands = [operand.type for operand in operation.operands]
    results = [result.type for result in operation.results]
    if operation.name == "cond":
        for region in operation.regions:
            expect_block(operation, region, [], results)
    elif operation.name == "try_":
        body, handler = operation.regions
        expect_block(operation, body, [], results)
        if not handler.args or handler.args[0].type != OBJECT:
            raise failure(operation, "its handler takes the exception object first")
        expect_block(operation, handler, [argument.type for argument in handler.args], results)
    elif operation.name == "while_loop":
        test, body = operation.regions
        state = [argument.type for argument in body.args]
        expect_types(operation, "state", operands, [argument.type for argument in test.args])
        expect_block(operation, test, [argument.type for argument in test.args], [BOOL, *results])
        expect_types(operation, "state of the body", [value.type for value in test.yields[1:]], state)
        expect_block(operation, body, state, [argument.type for argument in test.args])
    elif operation.name == "for_loop":
        check_for_loop(operation, operands[3:], results)


def check_for_loop(operation: Operation, entering: Sequence[Type], results: Sequence[Type]) -> None:
    """The body takes the index and the state; it yields the state, after whether to go on if it has a break."""
    (body,) = operation.regions
    if not body.args or body.args[0].type != I64:
        raise failure(operation, "its body takes the index first")
    state = [argument.type for argument in body.args[1:]]
    leading: list[Type] = [BOOL] if operation.attributes.get("has_break") else []
    expect_types(operation, "state", entering, state)
    expect_types(operation, "results", entering, results)
    expect_block(operation, body, [I64, *state], [*leading, *state])
    if not body.terminated:
        expect_types(operation, "results", [value.type for value in body.yields[len(leading) :]], results)


def expect_block(operation: Operation, block: Block, arguments: Sequence[Type], yields: Sequence[Type]) -> None:
    """The arguments are these; the yields fit these, unless the block is terminated."""
    expect_types(operation, "region arguments", [argument.type for argument in block.args], arguments)
    if not block.terminated:
        expect_types(operation, "yields", [value.type for value in block.yields], yields)


def expect_types(operation: Operation, what: str, found: Sequence[Type], expected: Sequence[Type]) -> None:
    """As many types as expected, each fitting."""
    if len(found) != len(expected) or not all(map(fits, found, expected)):
        raise failure(operation, f"{what}: {types_in_words(found)} where {types_in_words(expected)} is expected")


def types_in_words(types: Sequence[Type]) -> str:
    """Types for a message."""
    return f"({', '.join(map(str, types))})"
