"""Removes what has no effect: unused operations, results of branches and loop state that nobody needs, fresh memory that nobody reads.

Before::                                             After::

    %s, %t = for_loop(%z, %n, %one, %a, %b)              %s = for_loop(%z, %n, %one, %a)
            do (%i: i64, %p: f64, %q: f64) {                     do (%i: i64, %p: f64) {
        %u: f64 = add(%p, %p)                                %u: f64 = add(%p, %p)
        %v: f64 = multiply(%q, %q)                           yield %u
        yield %u, %v                                     }
    }                                                    yield %s
    yield %s

Keeps: what may fail, writes memory that is read or seen outside, calls Python or ends a block; while loops, which may run forever.
"""

from __future__ import annotations

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.transforms.aliases import OUTSIDE, Aliases, Root, is_memory
from autograph_jit.transforms.rewriting import renumber
from autograph_jit.transforms.state import carried_slots, handler_of, result_slots


def dce(graph: Graph, distinct_parameters: bool = False) -> None:
    """Find what is needed, then remove the rest."""
    needs = Needs(graph, Aliases(graph, distinct_parameters))
    sweep(graph.block, needs)


class Needs:
    """The values and operations that the effects and the results of the graph depend on."""

    def __init__(self, graph: Graph, aliases: Aliases) -> None:
        self.aliases = aliases
        self.values: set[Value] = set()
        self.operations: set[Operation] = set()
        self.pending: list[Value] = []
        self.around: dict[Block, Operation] = {}
        self.carried: dict[Value, list[Value]] = {}
        self.waiting: dict[Root, list[Operation]] = {}
        self.survey(graph.block, None)
        self.need_all(graph.block.yields)
        for operation in graph.walk():
            if self.is_effective(operation):
                self.need_operation(operation)
        self.follow()

    def survey(self, block: Block, handler: Block | None) -> None:
        """Which operation is around each block, and what each carried value depends on."""
        for operation in block.operations:
            if handler is not None:
                for argument, value in zip(handler.args[1:], operation.unwind):
                    self.carried.setdefault(argument, []).append(value)
            for slot in (*carried_slots(operation), *result_slots(operation)):
                for value in slot.values:
                    self.carried.setdefault(value, []).extend(slot.sources)
            for region in operation.regions:
                self.around[region] = operation
                self.survey(region, handler_of(operation, region, handler))

    def is_effective(self, operation: Operation) -> bool:
        """Whether the operation is needed whoever uses its results; writes to private memory wait until someone needs the memory."""
        if operation.regions:
            return operation.name == "while_loop"
        effect = operation.opdef.effect
        if effect is Effect.HOST:
            is_pure = operation.attributes.get("pure", False)
            return not is_pure or operation.can_fail or operation.attributes.get("derivative") is not None
        if operation.can_fail or effect in (Effect.CONTROL, Effect.DRAW):
            return True
        if effect is not Effect.WRITE:
            return False
        if operation.results:
            return True
        roots = self.aliases.writes(operation)
        if any(root == OUTSIDE or root in self.aliases.parameters or root in self.aliases.escaped for root in roots):
            return True
        for root in roots:
            self.waiting.setdefault(root, []).append(operation)
        return False

    def need_all(self, values: list[Value]) -> None:
        for value in values:
            self.need(value)

    def need(self, value: Value) -> None:
        if value not in self.values:
            self.values.add(value)
            self.pending.append(value)

    def need_operation(self, operation: Operation) -> None:
        """Keep an operation, with the operations around it and what decides whether and how often it runs."""
        if operation in self.operations:
            return
        self.operations.add(operation)
        self.need_all(controls(operation) if operation.regions else operation.operands)
        if operation.block in self.around:
            self.need_operation(self.around[operation.block])

    def follow(self) -> None:
        """Need what the needed values depend on, until nothing is added."""
        while self.pending:
            value = self.pending.pop()
            self.need_all(self.carried.get(value, []))
            owner = value.owner
            if isinstance(owner, Operation):
                self.need_operation(owner)
            elif owner in self.around:
                self.need_operation(self.around[owner])
            if is_memory(value):
                for root in self.aliases.roots(value):
                    for writer in self.waiting.pop(root, []):
                        self.need_operation(writer)


def controls(operation: Operation) -> list[Value]:
    """The values that decide which regions run and how often."""
    if operation.name == "cond":
        return operation.operands
    if operation.name == "while_loop":
        return operation.regions[0].yields[:1]
    if operation.name == "for_loop":
        return operation.operands[:3] + (operation.regions[0].yields[:1] if operation.attributes.get("has_break") else [])
    return []


def sweep(block: Block, needs: Needs) -> None:
    """Remove the operations and the carried values that are not needed."""
    block.operations = [operation for operation in block.operations if operation in needs.operations]
    for operation in block.operations:
        if operation.regions:
            trim(operation, needs)
        for region in operation.regions:
            sweep(region, needs)


def trim(operation: Operation, needs: Needs) -> None:
    """Drop the state and the results that are not needed from a region operation."""
    results = list(operation.results)
    for slot in (*carried_slots(operation), *result_slots(operation)):
        if not any(value in needs.values for value in slot.values):
            slot.remove()
    if operation.name == "try_":
        trim_handler(operation, needs)
    if "results" in operation.attributes and len(results) != len(operation.results):
        operation.attributes = {**operation.attributes, "results": tuple(result.type for result in operation.results)}
    renumber(operation.results)
    for region in operation.regions:
        renumber(region.args)


def trim_handler(operation: Operation, needs: Needs) -> None:
    """Drop the handler's state that it does not use, here and where operations bring it."""
    body, handler = operation.regions
    kept = [argument in needs.values for argument in handler.args[1:]]
    handler.args = handler.args[:1] + [argument for argument, keep in zip(handler.args[1:], kept, strict=True) if keep]
    trim_unwind(body, kept)


def trim_unwind(block: Block, kept: list[bool]) -> None:
    """Drop the unwind values of the operations that leave for this handler."""
    for operation in block.operations:
        operation.unwind = [value for value, keep in zip(operation.unwind, kept) if keep] if operation.can_fail else []
        for region in operation.regions[1:] if operation.name == "try_" else operation.regions:
            trim_unwind(region, kept)
