"""Numbers whose type the path decides are computed once where Python's type and NumPy's give the same.

Before::                                                          After::

    %p: b1 = equal(%t, %zero)                                         %b: i64 = subtract(%i, %n)
    %b: i64, %s: i64 = cond(%p) do () {                               (%t in the place of %s)
        %c: i64 = subtract(%i, %n)
        yield %c, %zero
    } do () {
        %d: i64 = pyint_subtract(%i, %n)
        yield %d, %one
    }

`start = 0`, then `if last[v] >= start: start = last[v] + 1`: where `start` is still Python's it is 0, and `i - start` cannot overflow.
Requires: what a number may be under its tag, and what the other operands may be, keeps the result within 64 bits. Keeps: branches whose
sides differ.
"""

from __future__ import annotations

from dataclasses import field

from autograph_jit.ir.graph import Block, Graph, Operation, Value, constant_of, resolve
from autograph_jit.ir.types import I64, ScalarType
from autograph_jit.ops.registry import get
from autograph_jit.records import dataclass
from autograph_jit.transforms.rewriting import replace_values
from autograph_jit.transforms.share import Sharing

PLAIN = {"pyint_add": "add", "pyint_subtract": "subtract", "pyint_multiply": "multiply"}
LOOPS = ("for_loop", "while_loop")
DEEPEST = 12
LOWEST, HIGHEST = -(2**63), 2**63 - 1
Interval = tuple[int, int]  # the least and the greatest number; the least is larger where there is no number at all
ANY, NONE = (LOWEST, HIGHEST), (1, 0)
Given = tuple[tuple[Value, frozenset[int]], ...]  # what tags are at a place


def settle_kinds(graph: Graph, distinct_parameters: bool = False) -> None:
    """Settle all branches over the type of a number."""
    kinds = Kinds()
    kinds.note_owners(graph.block)
    if any(kinds.asked(operation) for operation in graph.walk()):
        kinds.walk(graph.block, ())
        replace_values(graph, kinds.replaced)


@dataclass(slots=True)
class Kinds:
    """What tags and numbers may be. `owners` are the operations that blocks are regions of, `domains` what was found of tags."""

    owners: dict[Block, Operation] = field(default_factory=dict)
    replaced: dict[Value, Value] = field(default_factory=dict)
    domains: dict[Value, set[int] | None] = field(default_factory=dict)

    def note_owners(self, block: Block) -> None:
        for operation in block.operations:
            for region in operation.regions:
                self.owners[region] = operation
                self.note_owners(region)

    def walk(self, block: Block, given: Given) -> None:
        """Settle the operations of a block in their order, where this is known of tags."""
        operations: list[Operation] = []
        for operation in block.operations:
            operation.operands = [resolve(value, self.replaced) for value in operation.operands]
            if operation.name in PLAIN and given and self.is_in_range(operation, given):
                operation.opdef = get(PLAIN[operation.name])
            choice = self.asked(operation)
            sides: list[Given] = [given] * len(operation.regions)
            if choice is not None:
                tag, number, domain = choice
                sides = [(*given, (tag, side)) for side in (frozenset({number}), domain - {number})]
            for region, told in zip(operation.regions, sides):
                self.walk(region, told)
            if choice:
                operations += Sharing(self.replaced).take_common(operation)
                self.join(operation, *choice)
            operations.append(operation)
        block.operations = operations

    def asked(self, branch: Operation) -> tuple[Value, int, frozenset[int]] | None:
        """The tag that a branch asks for, the literal that it is compared with, and all that it may be."""
        comparison = branch.operands[0].owner if branch.name == "cond" else None
        if not isinstance(comparison, Operation) or comparison.name != "equal":
            return None
        tag, number = comparison.operands[0], constant_of(comparison.operands[1])
        if number is None or tag.type != I64:
            return None
        if tag not in self.domains:
            self.domains[tag] = self.domain(tag, set())
        domain = self.domains[tag]
        return None if domain is None or len(domain) < 2 else (tag, int(number), frozenset(domain))

    def join(self, branch: Operation, tag: Value, number: int, domain: frozenset[int]) -> None:
        """What both sides give alike, or is the tag itself, is no result of the branch."""
        if any(region.terminated for region in branch.regions):
            return
        for result, *sides in zip(branch.results, *(region.yields for region in branch.regions)):
            first, second = (resolve(value, self.replaced) for value in sides)
            found = [constant_of(first), constant_of(second)]
            if first is second and isinstance(first.type, ScalarType):
                self.replaced[result] = first
            elif first.type == I64 and found[0] == number and found[1] is not None and domain == {number, int(found[1])}:
                self.replaced[result] = tag

    # What values may be.

    def sources(self, value: Value) -> list[Value] | None:
        """The values that a value may come from, in one order for all that are handed on together; None for what is computed."""
        owner = value.owner
        if isinstance(owner, Block):
            return self.sources_of_argument(value, owner)
        if owner.name == "cond":
            return [region.yields[value.index] for region in owner.regions if not region.terminated]
        if owner.name == "while_loop":
            return [owner.regions[0].yields[value.index + 1]]
        return self.sources(owner.regions[0].args[value.index + 1]) if owner.name == "for_loop" else None

    def sources_of_argument(self, value: Value, block: Block) -> list[Value] | None:
        """What a loop begins with, and what a trip hands on."""
        loop = self.owners.get(block)
        if loop is None or loop.name not in LOOPS:
            return None
        body = loop.regions[-1]
        if loop.name == "for_loop":
            place = value.index - 1 + int(bool(loop.attributes.get("has_break")))
            return None if value.index == 0 else [loop.operands[value.index + 2], *([] if body.terminated else [body.yields[place]])]
        if block is body:
            return [loop.regions[0].yields[value.index + 1]]
        return [loop.operands[value.index], *([] if body.terminated else [body.yields[value.index]])]

    def domain(self, tag: Value, seen: set[Value]) -> set[int] | None:
        """The literals that a tag may be, None where it may be something else."""
        tag = resolve(tag, self.replaced)
        number, owner = constant_of(tag), tag.owner
        if number is not None or tag in seen:
            return set() if number is None else {int(number)}
        seen.add(tag)
        sources = owner.operands[1:] if isinstance(owner, Operation) and owner.name == "where" else self.sources(tag)
        found: set[int] = set()
        for source in sources if sources is not None and tag.type == I64 else [None]:
            part = None if source is None else self.domain(source, seen)
            if part is None:
                return None
            found |= part
        return found

    def under_tag(self, value: Value, tag: Value, allowed: frozenset[int], seen: set[tuple[Value, Value]]) -> Interval:
        """What a number may be where its tag, which is handed on beside it, is one of some."""
        value, tag = resolve(value, self.replaced), resolve(tag, self.replaced)
        literal = constant_of(tag)
        if literal is not None:
            return self.interval(value, ()) if int(literal) in allowed else NONE
        if (value, tag) in seen:
            return NONE
        seen.add((value, tag))
        values, tags = self.sources(value), self.sources(tag)
        if value.owner is not tag.owner or values is None or tags is None:
            return self.interval(value, ())
        return hull([self.under_tag(*pair, allowed, seen) for pair in zip(values, tags, strict=True)])

    def interval(self, value: Value, given: Given, depth: int = 0) -> Interval:
        """What an integer may be where this is known of tags."""
        literal, owner = constant_of(value), value.owner
        if literal is not None:
            return int(literal), int(literal)
        for tag, allowed in given:
            if tag.owner is owner and tag is not value:
                found = self.under_tag(value, tag, allowed, set())
                if found != ANY:
                    return found
        if isinstance(owner, Block):
            return self.index_of(value, owner)
        if owner.name in (*PLAIN, *PLAIN.values()) and depth < DEEPEST:
            low, high = self.computed(owner, given, depth)
            checked = owner.name in PLAIN
            return (max(low, LOWEST), min(high, HIGHEST)) if checked or (low >= LOWEST and high <= HIGHEST) else ANY
        return ANY

    def index_of(self, value: Value, block: Block) -> Interval:
        """The index of a loop that counts up from a literal ends before its stop, which is a number."""
        loop = self.owners.get(block)
        if loop is None or loop.name != "for_loop" or value.index != 0:
            return ANY
        start, step = constant_of(loop.operands[0]), constant_of(loop.operands[2])
        return (int(start), HIGHEST - 1) if start is not None and step is not None and int(step) > 0 else ANY

    def computed(self, operation: Operation, given: Given, depth: int = 0) -> Interval:
        """What a sum, a difference or a product may be before it is cut to 64 bits."""
        (a, b), (c, d) = (self.interval(operand, given, depth + 1) for operand in operation.operands)
        name = PLAIN.get(operation.name, operation.name)
        if name == "multiply":
            ends = (a * c, a * d, b * c, b * d)
            return min(ends), max(ends)
        return (a + c, b + d) if name == "add" else (a - d, b - c)

    def is_in_range(self, operation: Operation, given: Given) -> bool:
        low, high = self.computed(operation, given)
        return low >= LOWEST and high <= HIGHEST and operation.result.type == I64


def hull(parts: list[Interval]) -> Interval:
    """All numbers between the least and the greatest of some."""
    parts = [part for part in parts if part != NONE]
    return (min(low for low, _ in parts), max(high for _, high in parts)) if parts else NONE
