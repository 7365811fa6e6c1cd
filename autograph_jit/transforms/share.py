"""Computes once, before a branch, what both of its sides compute: numbers, and loads and stores of one element.

Before::                                    After::

    cond(%p) do () {                            %b: i64 = add(%i, %one)
        %b: i64 = add(%i, %one)                 %t: f64 = load(%y, %b)
        %t: f64 = load(%y, %b)                  cond(%p) do () {
        store(%x, %t, %b)                           store(%x, %t, %b)
        yield                                       yield
    } do () {                                   } do () {
        %c: i64 = add(%i, %one)                     %v: f64 = negative(%t)
        %u: f64 = load(%y, %c)                      store(%x, %v, %b)
        %v: f64 = negative(%u)                      yield
        store(%x, %v, %c)                       }
        yield
    }

Requires: a number is computed without failing, and reads no memory. A load or store cannot fail, and nothing in front of it on either side
may write, or read, what it reads or writes, or fail: an element may be known to be there because nothing has failed. LLVM then sees that
both sides write to one address, and needs no jump. An element to which a side adds stays with its sum (`kernels.loop_raising`).
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property

from autograph_jit.ir.graph import Block, Graph, Operation, Value, resolve
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ScalarType
from autograph_jit.transforms.aliases import DESCRIPTOR_OPS, Aliases, is_memory
from autograph_jit.transforms.rewriting import key_of, replace_values

LONGEST_SIDE = 200  # operations: each that is found is compared with the whole other side
ELEMENTS = frozenset({"load", "store"})


def share(graph: Graph, distinct_parameters: bool = False) -> None:
    """Share between the sides of every branch, the innermost first."""
    sharing = Sharing({}, graph, distinct_parameters)
    sharing.run(graph.block)
    replace_values(graph, sharing.replaced)


class Sharing:
    """What was found on both sides of branches: numbers, and elements where the graph is given, whose memory is looked at."""

    def __init__(self, replaced: dict[Value, Value], graph: Graph | None = None, distinct_parameters: bool = False) -> None:
        self.replaced, self.graph, self.distinct_parameters = replaced, graph, distinct_parameters

    @cached_property
    def aliases(self) -> Aliases:
        assert self.graph is not None
        return Aliases(self.graph, self.distinct_parameters)

    def run(self, block: Block) -> None:
        """Share in the branches of a block and of its regions."""
        operations: list[Operation] = []
        for operation in block.operations:
            for region in operation.regions:
                self.run(region)
            if operation.name == "cond":
                operations += self.take_common(operation)
            operations.append(operation)
        block.operations = operations

    def take_common(self, branch: Operation) -> list[Operation]:
        """Take what both sides compute out of them, in the order of the first side."""
        first, second = branch.regions
        taken: list[Operation] = []
        if max(len(first.operations), len(second.operations)) > LONGEST_SIDE:
            return taken
        for operation in list(first.operations):
            key = self.key_after(operation)
            twin = next((other for other in second.operations if key is not None and self.key_after(other) == key), None)
            if twin is None or not is_outside(operation, first):
                continue
            if not self.comes_first(operation, first) or not self.comes_first(twin, second):
                continue
            self.replaced.update(zip(twin.results, operation.results, strict=True))
            first.operations.remove(operation)
            second.operations.remove(twin)
            operation.block = branch.block
            taken.append(operation)
        return taken

    def key_after(self, operation: Operation) -> Hashable | None:
        """The key of an operation that may run before its branch, with replaced operands; None for others, such as those that read more
        memory than one element."""
        is_element = self.graph is not None and operation.name in ELEMENTS
        if not (is_element or is_number(operation)) or operation.can_fail or operation.unwind:
            return None
        operation.operands = [resolve(value, self.replaced) for value in operation.operands]
        return key_of(operation)

    def comes_first(self, operation: Operation, side: Block) -> bool:
        """Whether it is the same if an operation runs before all of its side."""
        if operation.name not in ELEMENTS:
            return True
        place = side.operations.index(operation)
        before, behind = side.operations[:place], side.operations[place:]
        if operation.name == "load" and any(self.adds_to(other, operation) for other in behind):
            return False
        roots = self.aliases.roots(operation.operands[0])
        if any(is_firm(other) or self.aliases.may_meet(self.aliases.writes(other), roots) for other in before):
            return False
        return operation.name == "load" or not any(self.aliases.may_meet(self.aliases.reads(other), roots) for other in before)

    def adds_to(self, store: Operation, load: Operation) -> bool:
        """Whether an operation stores what its side computes in the element that another one has loaded."""
        if store.name != "store":
            return False
        place = [resolve(value, self.replaced) for value in (store.operands[0], *store.operands[2:])]
        if place != [resolve(value, self.replaced) for value in load.operands]:
            return False
        value = store.operands[1].owner
        return isinstance(value, Operation) and value.block is store.block


def is_outside(operation: Operation, region: Block) -> bool:
    """Whether nothing that the operation uses is computed in the region."""
    return all(not isinstance(value.owner, Operation) or value.owner not in region.operations for value in operation.operands)


def is_number(operation: Operation) -> bool:
    """Whether an operation computes numbers of numbers, or looks at the sizes of an array."""
    if operation.name not in DESCRIPTOR_OPS and any(is_memory(value) for value in operation.operands):
        return False
    if operation.opdef.effect is not Effect.PURE or operation.regions or not operation.results:
        return False
    return all(isinstance(result.type, ScalarType) for result in operation.results)


def is_firm(operation: Operation) -> bool:
    """Whether no load or store may go past an operation: it may fail where the element is not there, or let Python look at memory."""
    return bool(operation.regions) or operation.can_fail or operation.opdef.effect is Effect.HOST
