"""What is known of every array of a graph before emission: whether it is C-contiguous, and whose memory it may be.

A root is a label: ("param", k) a parameter's memory, ("fresh", number) what one operation allocates or a loop owns, "host" memory that
Python made.
Both facts are fixed points over loop-carried values: contiguity starts optimistic, roots start empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from autograph_jit.ir.graph import Block, Graph, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.ownership import Uses, find_owned
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.lifetimes import root_of
from autograph_jit.kernels.rows import are_different_rows
from autograph_jit.records import dataclass

Root = tuple[str, int] | str
LAYOUT_KEEPING_VIEWS = ("reshape",)


@dataclass(slots=True)
class Facts:
    """Facts about the arrays of one graph, by value."""

    distinct_parameters: bool
    strided: set[Value] = field(default_factory=set)  # not known to be C-contiguous
    roots: dict[Value, frozenset[Root]] = field(default_factory=dict)
    owned: set[Value] = field(default_factory=set)  # what loops carry and nothing else refers to: a root of its own
    changed: bool = True
    positions: dict[Operation, int] = field(default_factory=dict)
    counted: dict[Block, int] = field(default_factory=dict)

    def is_contiguous(self, value: Value) -> bool:
        return value not in self.strided

    def is_dense(self, value: Value) -> bool:
        """Whether the last axis is surely walked in steps of one element."""
        while not self.is_contiguous(value):
            operation = value.owner
            if not isinstance(operation, Operation) or operation.name != "basic_index":
                return False
            kind, *present = operation.attributes["items"][-1]
            if kind not in ("slice", "full") or (kind == "slice" and present[2]):
                return False
            value = operation.operands[0]
        return True

    def roots_of(self, value: Value) -> frozenset[Root]:
        return self.roots.get(value, frozenset())

    def may_alias(self, x: Value, y: Value) -> bool:
        """Whether writing through one may be seen through the other."""
        return roots_may_alias(self.roots_of(x), self.roots_of(y), self.distinct_parameters)

    def may_meet(self, x: Value, y: Value) -> bool:
        """As `may_alias`, of two arrays at one moment: what an operation makes is no array that existed before, in this trip of a loop."""
        return self.may_alias(x, y) and not are_different_rows(x, y) and not self.is_newer(x, y) and not self.is_newer(y, x)

    def is_newer(self, x: Value, y: Value) -> bool:
        """Whether an operation makes the memory of one array after the other exists."""
        maker, other = root_of(x).owner, root_of(y).owner
        if not isinstance(maker, Operation) or maker.opdef.effect is not Effect.PURE or maker.block is None:
            return False
        if self.roots_of(x) != {("fresh", id(maker))}:
            return False
        home = other if isinstance(other, Block) else other.block
        if isinstance(other, Operation) and home is maker.block:
            return self.position(other) < self.position(maker)
        if isinstance(other, Operation) and other.regions:  # perhaps one that the maker stands in
            return False
        around: Block | None = maker.block if isinstance(other, Block) else maker.block.parent
        while around is not None and around is not home:
            around = around.parent
        return around is not None

    def position(self, operation: Operation) -> int:
        """Where an operation stands in its block."""
        block = operation.block
        assert block is not None
        if self.counted.get(block) != len(block.operations) or operation not in self.positions:
            self.positions.update((each, index) for index, each in enumerate(block.operations))
            self.counted[block] = len(block.operations)
        return self.positions[operation]

    def mark_strided(self, value: Value) -> None:
        if value not in self.strided:
            self.strided.add(value)
            self.changed = True

    def add_roots(self, value: Value, roots: frozenset[Root]) -> None:
        known = self.roots_of(value)
        if not roots <= known:
            self.roots[value] = known | roots
            self.changed = True

    def flow(self, sources: Iterable[Value], targets: Iterable[Value]) -> None:
        """Each target may be what its source is."""
        for source, target in zip(sources, targets):
            if isinstance(target.type, ArrayType):
                self.add_roots(target, frozenset([("fresh", id(target))]) if target in self.owned else self.roots_of(source))
                if source in self.strided:
                    self.mark_strided(target)


def roots_may_alias(x: frozenset[Root], y: frozenset[Root], distinct_parameters: bool) -> bool:
    """Whether two sets of roots can share memory: equal roots do, Python's memory may be any, arguments unless known distinct."""
    if not x.isdisjoint(y) or "host" in x or "host" in y:
        return True
    params_of_x, params_of_y = (any(root[0] == "param" for root in roots) for roots in (x, y))
    return params_of_x and params_of_y and not distinct_parameters


def find_facts(graph: Graph, layouts: tuple[str, ...], distinct_parameters: bool) -> Facts:
    """Facts of every array; `layouts` has one letter a parameter, "C" for C-contiguous and aligned, "A" for any."""
    facts = Facts(distinct_parameters, owned=find_owned(graph.block, Uses(graph.block)))
    for index, param in enumerate(graph.block.args):
        if isinstance(param.type, ArrayType):
            facts.add_roots(param, frozenset([("param", index)]))
            if layouts[index] != "C":
                facts.mark_strided(param)
    while facts.changed:
        facts.changed = False
        visit_block(facts, graph.block)
    return facts


def visit_block(facts: Facts, block: Block) -> None:
    for operation in block.operations:
        if operation.regions:
            visit_regions(facts, operation)
        else:
            visit_operation(facts, operation)


def visit_operation(facts: Facts, operation: Operation) -> None:
    for result in operation.results:
        if not isinstance(result.type, ArrayType):
            continue
        if operation.name == "host_call" or operation.opdef.effect is Effect.HOST:
            facts.add_roots(result, frozenset(["host"]))
            facts.mark_strided(result)
            continue
        if operation.opdef.effect is Effect.VIEW:
            facts.add_roots(result, facts.roots_of(operation.operands[0]))
            if operation.operands[0] in facts.strided or not keeps_contiguity(operation):
                facts.mark_strided(result)
        if operation.opdef.effect is not Effect.VIEW or operation.name == "reshape":
            facts.add_roots(result, frozenset([("fresh", id(operation))]))


def keeps_contiguity(view: Operation) -> bool:
    """Whether a view of C-contiguous memory is C-contiguous whatever the sizes."""
    if view.name == "transpose":
        perm = tuple(view.attributes["perm"])
        return perm == tuple(range(len(perm)))
    if view.name == "basic_index":
        kinds = [item for item in view.attributes["items"] if item[0] != "newaxis"]
        while kinds and kinds[0][0] == "int":
            kinds.pop(0)
        if kinds and kinds[0][0] == "slice" and not kinds[0][3]:
            kinds.pop(0)
        return all(item[0] == "full" for item in kinds)
    return view.name in LAYOUT_KEEPING_VIEWS


def visit_regions(facts: Facts, operation: Operation) -> None:
    regions, results = operation.regions, operation.results
    if operation.name == "while_loop":
        test, body = regions
        facts.flow(operation.operands, test.args)
        visit_block(facts, test)
        facts.flow(test.yields[1:], body.args)
        facts.flow(test.yields[1:], results)
        visit_block(facts, body)
        facts.flow(body.yields, test.args)
        return
    if operation.name == "for_loop":
        (body,) = regions
        state = body.yields[1:] if operation.attributes.get("has_break") else body.yields
        facts.flow(operation.operands[3:], body.args[1:])
        facts.flow(operation.operands[3:], results)
        visit_block(facts, body)
        facts.flow(state, body.args[1:])
        facts.flow(state, results)
        return
    if operation.name == "try_":
        visit_block(facts, regions[0])
        flow_unwinds(facts, regions[0], regions[1])
        visit_block(facts, regions[1])
    else:
        for region in regions:
            visit_block(facts, region)
    for region in regions:
        if not region.terminated:
            facts.flow(region.yields, results)


def flow_unwinds(facts: Facts, body: Block, handler: Block) -> None:
    """The handler's state is what the failing operations of the body give, except those of a nested `try_` body."""
    for operation in body.operations:
        if operation.unwind:
            facts.flow(operation.unwind, handler.args[len(handler.args) - len(operation.unwind) :])
        for region in operation.regions:
            if not (operation.name == "try_" and region is operation.regions[0]):
                flow_unwinds(facts, region, handler)
