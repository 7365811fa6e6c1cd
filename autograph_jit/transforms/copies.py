"""Removes copies that nothing can tell from what they copy.

Before::                                             After::

    %t: f64[n] = copy(%x)                                %u: f64[n] = multiply(%x, %x)
    %u: f64[n] = multiply(%t, %t)                        assign(%x, %u)
    assign(%x, %u)

A copy goes where it is only read, and what it copies is not written while it is; and where what it copies is owned and not used again,
so that the copy is the memory's next name. Keeps: copies that leave the block, that Python sees, or whose layout an operation may need.
"""

from __future__ import annotations

from autograph_jit.ir.builder import append
from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect, Pointwise
from autograph_jit.ir.ownership import Uses, find_owned, home_of, is_fresh, memory_of
from autograph_jit.ir.types import ArrayType
from autograph_jit.ops.marks import recomputed
from autograph_jit.ops.registry import get
from autograph_jit.transforms.aliases import Aliases

# Operations that read their operands in any layout as fast.
READERS = frozenset({"assign", "copy", "dim", "reduce", "load", "list_extend"})


def remove_copies(graph: Graph, distinct_parameters: bool = False) -> None:
    """Remove what can be removed, in program order."""
    for operation in graph.walk():
        if operation.opdef is recomputed and isinstance(operation.result.type, ArrayType):
            operation.opdef = get("copy")  # what is equal to an earlier result was told apart before
    copies = [operation for operation in graph.walk() if operation.name == "copy"]
    if not copies:
        return
    copies += separate_states(graph)
    uses = Uses(graph.block)
    removal = Removal(graph, uses, Aliases(graph, distinct_parameters), find_owned(graph.block, uses))
    for operation in copies:
        if removal.is_next_name(operation) or removal.is_reading(operation):
            removal.remove(operation)


def separate_states(graph: Graph) -> list[Operation]:
    """Let an array that enters a loop twice enter it in two copies, where each trip would copy it: a loop owns what enters it once."""
    made = []
    for loop in [operation for operation in graph.walk() if operation.name == "for_loop"]:
        (body,) = loop.regions
        copied = {operation.operands[0] for operation in body.operations if operation.name == "copy"}
        for position, (operand, argument) in enumerate(zip(loop.operands[3:], body.args[1:]), 3):
            if operand in loop.operands[3:position] and argument in copied and is_fresh(operand) and operand.type == argument.type:
                assert loop.block is not None
                outside = Block()
                copy = append(outside, get("copy"), [operand], span=loop.span)
                place = loop.block.operations.index(loop)
                loop.block.operations[place:place] = loop.block.adopt([copy])
                loop.operands = [*loop.operands[:position], copy.result, *loop.operands[position + 1 :]]
                made.append(copy)
    return made


class Removal:
    """What is known of the graph while copies go."""

    def __init__(self, graph: Graph, uses: Uses, aliases: Aliases, owned: set[Value]) -> None:
        self.graph, self.uses, self.aliases, self.owned = graph, uses, aliases, owned

    def is_next_name(self, copy: Operation) -> bool:
        """Whether what is copied is owned, and this is the last that is done with it."""
        (source,) = copy.operands
        block, position = self.uses.places[copy]
        memory = memory_of(source)
        if not (is_fresh(memory) or memory in self.owned) or source.type != copy.result.type or copy.result in self.uses.unwound:
            return False
        if home_of(memory, self.uses) is not block or not self.uses.is_confined(memory):
            return False
        return not self.uses.is_used_after(memory, block, position)

    def is_reading(self, copy: Operation) -> bool:
        """Whether the copy is only read, while nothing writes what it copies."""
        (source,) = copy.operands
        result = copy.result
        if result in self.aliases.written or not self.uses.is_confined(result) or not self.is_as_fast(source, result):
            return False
        block, position = self.uses.places[copy]
        readers = [user for member in self.uses.family(result) for user in self.uses.users.get(member, ())]
        last = max((self.uses.position_in(block, user) for user in readers), default=position)
        roots = self.aliases.roots(source)
        return not any(
            self.aliases.may_meet(self.aliases.writes(operation), roots)
            for operation in block.operations[position + 1 : last + 1]
            if operation.name != "assign" or operation is not block.operations[last]
        )

    def is_as_fast(self, source: Value, result: Value) -> bool:
        """Whether the operations that read the copy are as fast on what it copies: any on whole arrays, those on elements on slices."""
        family = self.uses.family(result)
        users = [user for member in family for user in self.uses.users.get(member, ())]
        if is_contiguous(source):
            return True
        if any(user.name == "reshape" for user in users):
            return False
        if is_whole(source):
            return True
        return is_slice(source) and all(
            user.name in READERS or user.opdef.effect is Effect.VIEW or isinstance(user.opdef.kernel, Pointwise) for user in users
        )

    def remove(self, copy: Operation) -> None:
        """Let the copied array stand for the copy."""
        (source,), result = copy.operands, copy.result
        block, _ = self.uses.places[copy]
        for user in self.uses.users.pop(result, []):
            user.operands = [source if operand is result else operand for operand in user.operands]
            self.uses.users.setdefault(source, []).append(user)
        if result in self.uses.yielded:
            self.uses.yielded[source] = self.uses.yielded.get(source, 0) + self.uses.yielded.pop(result)
            rename_yields(self.graph, result, source)
        self.uses.users[source].remove(copy)
        self.unite(self.aliases.roots(source) | {result})
        block.operations = [operation for operation in block.operations if operation is not copy]
        for position, operation in enumerate(block.operations):
            self.uses.places[operation] = block, position

    def unite(self, roots: frozenset[Value | str]) -> None:
        """From now on these are names of one memory."""
        for found in self.aliases.found.values():
            if not found.isdisjoint(roots):
                found |= roots
        for marked in (self.aliases.written, self.aliases.escaped, self.aliases.compared):
            if not marked.isdisjoint(roots):
                marked |= roots
        self.aliases.region_effects.clear()


def rename_yields(graph: Graph, old: Value, new: Value) -> None:
    """Yield another value wherever one is yielded."""
    for block in [graph.block, *(region for operation in graph.walk() for region in operation.regions)]:
        block.yields = [new if value is old else value for value in block.yields]


def is_whole(value: Value) -> bool:
    """Whether a value is an array itself, not a view."""
    return not isinstance(value.owner, Operation) or value.owner.opdef.effect is not Effect.VIEW


def is_contiguous(value: Value) -> bool:
    """Whether a value is memory that an operation makes, in another shape or not."""
    while isinstance(value.owner, Operation) and value.owner.name == "reshape":
        value = value.owner.operands[0]
    return is_fresh(value)


def is_slice(value: Value) -> bool:
    """Whether a value is a slice of an array whose last axis is walked element by element."""
    while not is_whole(value):
        operation = value.owner
        assert isinstance(operation, Operation) and isinstance(value.type, ArrayType)
        if operation.name != "basic_index" or not operation.attributes["items"]:
            return False
        kind, *present = operation.attributes["items"][-1]
        if kind not in ("slice", "full") or (kind == "slice" and present[2]):
            return False
        value = operation.operands[0]
    return True
