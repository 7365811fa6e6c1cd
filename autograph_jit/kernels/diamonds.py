"""Elementwise operations that several others read, all of which end in one nest, run in that nest, too.

Before: y = x * x + 1; s = sqrt(y); z = s * x / (y + 2)    keeps y in memory: two operations read it
After:  one nest, in which y is a number

An array of which only sizes are asked, as of the value that a gradient does not return, is not computed at all.

Requires: nothing between the operation and the nest writes what it reads. Kept apart: nests longer than `MOST_FUSED`, what a nest would
compute over and over, what is computed of the array that an assignment overwrites, functions, whose vectors of intermediate numbers do not
fit the registers together with those of others, and long updates of an array, which would be no updates any more (`kernels.updates`).
"""

from __future__ import annotations

from collections.abc import Container

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.kernels.elsewhere import GATHER, REACH, has_own_nest
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.fusion import (
    MOST_FUSED,
    array_dims,
    blocks_of,
    calls_function,
    domain_of,
    is_pointwise_array,
    is_repeated,
    leaves_of,
    may_write,
    parts_of,
    takes_expression,
    uses_of,
)

MOST_ASSIGNED = 12  # operations of one assignment that may still be an update


def fuse_diamonds(
    graph: Graph,
    facts: Facts,
    consumers: dict[Operation, Operation],
    positions: dict[str, int],
    in_passing: Container[Operation],
    elsewhere: bool = False,
) -> None:
    """Add to the operations that run in the nests of others, by their consumers, those that several operations of one nest read; gathers
    of elements, too, if nests can read `elsewhere`."""
    users = uses_of(graph, in_passing)
    for block in blocks_of(graph.block):
        Diamonds(block, facts, consumers, positions, users, elsewhere).fuse()


def selects_elements(operation: Operation) -> bool:
    """Whether an operation gathers elements, which any nest of its sizes can read where they lie."""
    return operation.name == "gather" and has_own_nest(operation)


class Diamonds:
    """The nests of a block, and the search for what else can run in them."""

    def __init__(
        self,
        block: Block,
        facts: Facts,
        consumers: dict[Operation, Operation],
        positions: dict[str, int],
        users: dict[Value, list[Operation | None]],
        elsewhere: bool,
    ) -> None:
        self.block, self.facts, self.consumers, self.positions, self.users = block, facts, consumers, positions, users
        self.elsewhere = elsewhere
        self.position = {operation: index for index, operation in enumerate(block.operations)}
        self.sizes: dict[Operation, int] = {}
        for operation in block.operations:
            for nest in self.nests_of(operation) if operation in consumers else ():
                self.sizes[nest] = self.sizes.get(nest, 1) + 1

    def fuse(self) -> None:
        """Look at the last operations first, so that what they run in is known."""
        for operation in reversed(self.block.operations):
            if operation in self.consumers or not (is_pointwise_array(operation) or (self.elsewhere and selects_elements(operation))):
                continue
            asking = self.only_asked(operation.result) if is_pointwise_array(operation) else []
            if asking:
                self.consumers[operation] = max(asking, key=self.position.__getitem__)
                continue
            readers = self.readers_of(operation.result)
            nest = self.nest_for(operation, readers)
            if nest is not None:
                self.consumers[operation] = max(readers, key=self.position.__getitem__)
                self.sizes[nest] = self.sizes.get(nest, 1) + self.sizes.get(operation, 1)

    def only_asked(self, value: Value) -> list[Operation]:
        """The operations that ask for a size of an array, if nothing else is done with it."""
        users = [user for user in self.users.get(value, ()) if user is not None and user.name == "dim" and user in self.position]
        return users if len(users) == len(self.users.get(value, ())) else []

    def readers_of(self, value: Value) -> list[Operation]:
        """The operations that read an array in their nests; none where it is used otherwise."""
        found = list(dict.fromkeys(user for user in self.users.get(value, ()) if user is None or user.name != "dim"))
        readers = [user for user in found if user is not None and user in self.position]
        fit = len(readers) == len(found) and all(self.takes(user, value) for user in readers)
        return readers if fit else []

    def takes(self, reader: Operation, value: Value) -> bool:
        return takes_expression(reader, value, self.positions) and reader.name != "gather"

    def suits(self, operation: Operation, nest: Operation) -> bool:
        """Whether neither a function of the mathematical library nor what the nest cannot read is among what an operation computes."""
        reaches = is_pointwise_array(nest) or nest.name in REACH[GATHER]
        return all(
            not calls_function(part) if is_pointwise_array(part) else reaches and selects_elements(part)
            for part in parts_of(operation, self.consumers)
        )

    def nests_of(self, operation: Operation) -> set[Operation]:
        """The operations in whose nests an operation runs."""
        reached = {operation: None}
        pending = [operation]
        for each in pending:
            if each not in self.consumers:
                continue
            users = self.users.get(each.result, ()) if each.results else ()
            readers = [user for user in users if user is not None and user.name != "dim"] or [self.consumers[each]]
            pending += [reader for reader in dict.fromkeys(readers) if reader not in reached]
            reached.update(dict.fromkeys(readers))
        return {each for each in pending if each not in self.consumers}

    def nest_for(self, operation: Operation, readers: list[Operation]) -> Operation | None:
        """The one nest that all readers run in, if the operation can run there."""
        nests = {nest for reader in readers for nest in self.nests_of(reader)}
        if len(readers) < 2 or len(nests) != 1:
            return None
        (nest,) = nests
        size = self.sizes.get(nest, 1) + self.sizes.get(operation, 1)
        if nest not in self.position or size > (MOST_ASSIGNED if nest.name == "assign" else MOST_FUSED):
            return None
        if is_repeated(array_dims(operation.result), domain_of(nest)) or not self.suits(operation, nest):
            return None
        reads = leaves_of(operation, self.consumers)
        if nest.name == "assign" and any(self.facts.may_meet(value, nest.operands[0]) for value in reads):
            return None
        between = self.block.operations[self.position[operation] + 1 : self.position[nest]]
        return None if any(may_write(other, reads, self.facts) for other in between) else nest
