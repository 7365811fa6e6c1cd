"""Moves the making of lists into the one branch that uses them.

Before::                                             After::

    %a: list[i64] = list_new()                           cond(%c) do () {
    cond(%c) do () {                                         %a: list[i64] = list_new()
        list_push(%rows, %a)                                 list_push(%rows, %a)
        yield                                                yield
    }                                                    }

So `node.setdefault(key, {})` makes a dict only where the key is not there. Nothing is moved into a loop.
"""

from __future__ import annotations

from collections import defaultdict

from autograph_jit.ir.graph import Block, Graph, Operation, Value

MADE = frozenset({"list_new", "list_identity"})


def sink(graph: Graph, distinct_parameters: bool = False) -> None:
    """Move all that can be, the outermost first."""
    if any(operation.name == "list_new" for operation in graph.walk()):
        places = Places()
        places.note(graph.block)
        places.sink_in(graph.block)


class Places:
    """The blocks that use each value, and the operation around each block."""

    def __init__(self) -> None:
        self.users: defaultdict[Value, list[Block]] = defaultdict(list)
        self.around: dict[Block, tuple[Block, Operation]] = {}

    def note(self, block: Block) -> None:
        """Note the uses in a block and in its regions."""
        for value in block.yields:
            self.users[value].append(block)
        for operation in block.operations:
            for value in (*operation.operands, *operation.unwind):
                self.users[value].append(block)
            for region in operation.regions:
                self.around[region] = block, operation
                self.note(region)

    def sink_in(self, block: Block) -> None:
        """Move out of a block, then out of its regions."""
        for operation in reversed(block.operations) if any(operation.name in MADE for operation in block.operations) else ():
            branch = self.branch_of(operation, block) if operation.name in MADE else None
            if branch is not None:
                operation.block = branch
                branch.operations.insert(0, operation)
                for value in operation.operands:
                    self.users[value][self.users[value].index(block)] = branch
        block.operations = [operation for operation in block.operations if operation.block in (None, block)]
        for operation in block.operations:
            for region in operation.regions:
                self.sink_in(region)

    def branch_of(self, operation: Operation, block: Block) -> Block | None:
        """The branch of a condition in a block that has all uses of what an operation makes; None where there is no such branch."""
        found = {self.inner_block(user, block) for value in operation.results for user in self.users[value]}
        branch = found.pop() if len(found) == 1 else None
        return branch if branch is not None and self.around[branch][1].name == "cond" else None

    def inner_block(self, inside: Block, block: Block) -> Block | None:
        """The region of an operation in a block that another block stands in, or is; None of the block itself."""
        while inside is not block:
            outer, _ = self.around[inside]
            if outer is block:
                return inside
            inside = outer
        return None
