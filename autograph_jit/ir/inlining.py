"""Puts functions in the place of their calls.

Before: %y: f64 = call(%x) {callee = $double, ...}      After: %two: f64 = constant() {value = f64(2.0)}
                                                               %y: f64 = multiply(%x, %two)

Requires: nothing. Keeps: results, exceptions with their lines, the order of effects.
"""

from __future__ import annotations

from collections.abc import Callable

from autograph_jit.ir.copying import Visible
from autograph_jit.ir.function import CALLS
from autograph_jit.ir.graph import Block, Operation, Value, resolve, walk_block
from autograph_jit.ir.renamed_sizes import Sizes
from autograph_jit.source import called_from


def inline_all(block: Block) -> dict[Value, Value]:
    """Inline every call but those of recursive functions, for what knows no calls; what their results are now."""
    return inline_calls(block, lambda call: not call.attributes["callee"].is_recursive)


def inline_for_reverse(block: Block) -> dict[Value, Value]:
    """Inline the calls that have no reverse: of functions that write, and in the bodies of `try_`; what their results are now."""
    handled = [operation for operation in walk_block(block) if operation.name == "try_"]
    protected = {operation for each in handled for operation in walk_block(each.regions[0])}
    chosen = lambda call: (call in protected or call.name == "call_writing") and not call.attributes["callee"].is_recursive  # noqa: E731
    return inline_calls(block, chosen)


def inline_calls(block: Block, is_chosen: Callable[[Operation], bool]) -> dict[Value, Value]:
    """Inline the calls that are chosen, also inside what is inlined; what the results of these calls are now."""
    inlining = Inlining(is_chosen)
    inlining.visit(block)
    if inlining.replaced:
        rename_uses(block, inlining.replaced)
    if any(name != str(size) for name, size in inlining.labels.known.items()):
        inlining.labels.retype(block)
    return inlining.replaced


class Inlining:
    """What the results of calls are replaced by, and the labels of their sizes."""

    def __init__(self, is_chosen: Callable[[Operation], bool]) -> None:
        self.is_chosen = is_chosen
        self.replaced: dict[Value, Value] = {}
        self.labels = Sizes([], [], renews=False)

    def visit(self, block: Block) -> None:
        """Inline in a block and in its regions."""
        operations: list[Operation] = []
        waiting = list(reversed(block.operations))
        while waiting:
            operation = waiting.pop()
            if operation.name in CALLS and self.is_chosen(operation):
                waiting += reversed(self.body_of(operation, block))
                continue
            for region in operation.regions:
                self.visit(region)
            operations.append(operation)
        block.operations = operations

    def body_of(self, call: Operation, block: Block) -> list[Operation]:
        """The operations of a function as those of a call, which fail as the call does."""
        body = call.attributes["callee"].graph.block
        values = Visible(zip(body.args, call.operands))
        sizes = Sizes(body.args, call.operands)
        copies = [sizes.copy(operation, block, values) for operation in body.operations]
        for copy in copies:
            adapt(copy, call, call.unwind)
        if (first := next((copy for copy in copies if copy.operands), None)) is not None:
            first.calls += 1
        for result, yielded in zip(call.results, body.yields):
            self.replaced[result] = values[yielded]
            self.labels.learn(result.type, values[yielded].type)
        return copies


def adapt(operation: Operation, call: Operation, unwind: list[Value]) -> None:
    """The callers of an operation, and what a handler around the call is given where it fails."""
    operation.span = called_from(operation.span, call.span)
    if unwind and operation.can_fail:
        operation.unwind = list(unwind)
    for index, region in enumerate(operation.regions):
        for inner in region.operations:
            adapt(inner, call, [] if operation.name == "try_" and index == 0 else unwind)


def rename_uses(block: Block, replaced: dict[Value, Value]) -> None:
    """Let uses of the calls' results be uses of what the functions yield."""

    for operation in block.operations:
        operation.operands = [resolve(value, replaced) for value in operation.operands]
        operation.unwind = [resolve(value, replaced) for value in operation.unwind]
        for region in operation.regions:
            rename_uses(region, replaced)
    block.yields = [resolve(value, replaced) for value in block.yields]
