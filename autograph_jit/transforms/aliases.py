"""Which values may refer to the same memory, and which memory an operation may read and write.

The roots of an array or list are the places where its memory may come from: parameters, operations that allocate, or `OUTSIDE`, the
memory that Python code reaches. Roots flow along views, through the state of loops, out of branches and into handlers (an inclusion
analysis without regard to order: L. O. Andersen, 1994). A `reshape` may copy or not: it keeps the roots of its operand. A list that
stands in another list may be any of its type that was ever put into one.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograph_jit.ir.function import CALLS
from autograph_jit.ir.graph import Block, Graph, Operation, Value, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType, ListType, inner_lists, may_be_one_type

OUTSIDE = "outside"
Root = Value | str
Place = Value | ListType  # what roots flow to: a value, or all lists of a type that stand in lists
Roots = frozenset[Root]
NOTHING: Roots = frozenset()

# Operations on descriptors: they look at sizes and addresses, not at the elements.
DESCRIPTOR_OPS = frozenset({"dim", "stride", "is_same", "overlaps", "list_is_same", "list_identity"})
TAKING_OUT, PUTTING_IN = ("list_get", "list_pop"), ("list_push", "list_set", "list_insert", "list_put")


def is_memory(value: Value) -> bool:
    """Whether a value refers to memory."""
    return isinstance(value.type, ArrayType | ListType)


def is_host(operation: Operation) -> bool:
    """Whether an operation calls Python code that may have side effects."""
    return operation.opdef.effect is Effect.HOST and not operation.attributes.get("pure", False)


class Aliases:
    """The roots of every value of a graph; valid until operations on memory are added or moved."""

    def __init__(self, graph: Graph, distinct_parameters: bool = False) -> None:
        self.parameters = set(graph.block.args)
        self.distinct_parameters = distinct_parameters
        self.found: dict[Place, set[Root]] = {}
        self.targets: dict[Place, list[Place]] = {}
        self.region_effects: dict[Operation, tuple[Roots, Roots]] = {}
        for parameter in graph.block.args:
            self.give(parameter, parameter)
            for inner in inner_lists(parameter.type):
                self.found.setdefault(inner, set()).add(parameter)
        self.collect(graph.block, None)
        self.propagate()
        self.escaped: set[Root] = set()
        self.written: set[Root] = set()
        self.compared: set[Root] = set()
        self.calls_python = False
        self.note_uses(graph)

    def give(self, value: Value, root: Root) -> None:
        if is_memory(value):
            self.found.setdefault(value, set()).add(root)

    def flow(self, sources: Iterable[Value], targets: Iterable[Value]) -> None:
        """Memory of the sources may become memory of the targets, pairwise."""
        for source, target in zip(sources, targets):
            if is_memory(source) and is_memory(target):
                self.targets.setdefault(source, []).append(target)

    def collect(self, block: Block, handler: Block | None) -> None:
        """The roots that operations make, and the ways on which they flow."""
        for operation in block.operations:
            if handler is not None:
                self.flow(operation.unwind, handler.args[1:])
            if operation.regions:
                self.collect_regions(operation, handler)
            elif operation.opdef.effect is Effect.VIEW:
                self.flow(operation.operands[:1], operation.results)
            else:
                self.collect_results(operation)

    def collect_results(self, operation: Operation) -> None:
        """What an operation makes, takes out of a list of lists, or puts into one."""
        for result in operation.results:
            if operation.name in TAKING_OUT and isinstance(result.type, ListType):
                self.targets.setdefault(result.type, []).append(result)
                continue
            self.give(result, OUTSIDE if operation.opdef.effect is Effect.HOST else result)
            if operation.opdef.effect is Effect.HOST:
                for inner in inner_lists(result.type):
                    self.found.setdefault(inner, set()).add(OUTSIDE)
        if operation.name in CALLS:
            self.collect_call(operation)
        elif operation.name in PUTTING_IN and isinstance(operation.operands[-1].type, ListType):
            self.targets.setdefault(operation.operands[-1], []).append(operation.operands[-1].type)

    def collect_call(self, operation: Operation) -> None:
        """A function may return a list that it is given, or one that stands in it, and put lists into those that it is given or makes."""
        lists = [value for value in (*operation.operands, *operation.results) if isinstance(value.type, ListType)]
        inside = {inner: value for value in (*operation.written, *operation.results) for inner in inner_lists(value.type)}
        for type_, holder in inside.items():
            self.found.setdefault(type_, set()).add(holder)
        for value in lists:
            if isinstance(value.type, ListType) and value.type in inside:
                self.targets.setdefault(value, []).append(value.type)
        for result in operation.results:
            same = [value for value in operation.operands if isinstance(value.type, ListType) and value.type == result.type]
            self.flow(same, [result] * len(same))
            if isinstance(result.type, ListType) and any(result.type in inner_lists(value.type) for value in operation.operands):
                self.targets.setdefault(result.type, []).append(result)

    def collect_regions(self, operation: Operation, handler: Block | None) -> None:
        """The ways in, round and out of a region operation."""
        for index, region in enumerate(operation.regions):
            self.collect(region, operation.regions[1] if operation.name == "try_" and index == 0 else handler)
        first, last = operation.regions[0], operation.regions[-1]
        if operation.name == "while_loop":
            self.flow(operation.operands, first.args)
            self.flow(first.yields[1:], last.args)
            self.flow(first.yields[1:], operation.results)
            self.flow(last.yields, first.args)
        elif operation.name == "for_loop":
            yields = first.yields[1:] if operation.attributes.get("has_break") else first.yields
            for source in (operation.operands[3:], yields):
                self.flow(source, first.args[1:])
                self.flow(source, operation.results)
        else:
            self.flow(first.yields, operation.results)
            self.flow(last.yields, operation.results)

    def propagate(self) -> None:
        """Carry roots along the ways until nothing changes."""
        pending = list(self.found)
        while pending:
            source = pending.pop()
            for target in self.targets.get(source, ()):
                known = self.found.setdefault(target, set())
                if not self.found[source] <= known:
                    known |= self.found[source]
                    pending.append(target)

    def note_uses(self, graph: Graph) -> None:
        """The roots that leave the graph, that are written, and whose address is looked at."""
        for value in graph.block.yields:
            self.escaped |= self.reachable(value)
        for operation in graph.walk():
            operands: set[Root] = set().union(*map(self.roots, operation.operands))
            if operation.opdef.effect is Effect.WRITE:
                self.written |= self.writes(operation)
            elif operation.opdef.effect is Effect.HOST:
                self.escaped = self.escaped.union(*map(self.reachable, operation.operands))
                self.calls_python = self.calls_python or is_host(operation)
            elif operation.name in ("is_same", "overlaps"):
                self.compared |= operands

    def roots(self, value: Value) -> Roots:
        """Where the memory of a value may come from; nothing for scalars and objects."""
        return frozenset(self.found.get(value, ())) if is_memory(value) else NOTHING

    def reachable(self, value: Value) -> Roots:
        """The roots of a value and of the lists in it."""
        return self.roots(value).union(*(self.found.get(inner, ()) for inner in inner_lists(value.type)))

    def may_alias(self, x: Value, y: Value) -> bool:
        """Whether two values may refer to overlapping memory."""
        return self.may_meet(self.roots(x), self.roots(y))

    def may_meet(self, x: Roots, y: Roots) -> bool:
        """Whether memory of the one set may be memory of the other."""
        return bool(x & y) or any(self.roots_meet(first, second) for first in x for second in y)

    def roots_meet(self, x: Root, y: Root) -> bool:
        """Whether two roots may be the same memory."""
        if x == OUTSIDE or y == OUTSIDE:
            return self.is_reachable(x) and self.is_reachable(y)
        if self.distinct_parameters or isinstance(x, str) or isinstance(y, str) or not self.parameters.issuperset((x, y)):
            return False
        return may_be_one_type(x.type, y.type)

    def is_reachable(self, root: Root) -> bool:
        """Whether Python code may hold a reference to the memory."""
        return root == OUTSIDE or root in self.parameters or root in self.escaped

    def stays(self, value: Value) -> bool:
        """Whether the memory of an array is surely never written, by the graph or by Python code that it calls."""
        reachable = {OUTSIDE} | (self.parameters if self.calls_python else set())
        return self.roots(value).isdisjoint(self.written | self.escaped | reachable)

    def is_constant_memory(self, value: Value) -> bool:
        """Whether the memory of a fresh array is never written, never seen outside and never compared: it may be shared or made earlier."""
        changed = self.written | self.escaped | self.compared
        return all(root != OUTSIDE and root not in changed for root in self.roots(value))

    def reads(self, operation: Operation) -> Roots:
        """The memory whose elements an operation may read."""
        if operation.regions:
            return self.region_effect(operation)[0]
        if operation.opdef.effect is Effect.VIEW or operation.name in DESCRIPTOR_OPS:
            # A reshape that copies reads the elements.
            return self.roots(operation.operands[0]) if operation.name == "reshape" else NOTHING
        if operation.opdef.effect is Effect.HOST:
            return NOTHING.union(*map(self.reachable, operation.operands)) | {OUTSIDE}
        return NOTHING.union(*map(self.reachable if operation.name in CALLS else self.roots, operation.operands))

    def writes(self, operation: Operation) -> Roots:
        """The memory that an operation may write."""
        if operation.regions:
            return self.region_effect(operation)[1]
        if operation.opdef.effect is Effect.WRITE:
            return NOTHING.union(*map(self.reachable if operation.name in CALLS else self.roots, operation.written))
        if is_host(operation):
            return NOTHING.union(*map(self.reachable, operation.operands)) | {OUTSIDE}
        return NOTHING

    def region_effect(self, operation: Operation) -> tuple[Roots, Roots]:
        """What the operations in the regions read and write."""
        if operation not in self.region_effects:
            inner = [each for region in operation.regions for each in walk_block(region) if not each.regions]
            read: Roots = NOTHING.union(*map(self.reads, inner))
            written: Roots = NOTHING.union(*map(self.writes, inner))
            self.region_effects[operation] = (read, written)
        return self.region_effects[operation]
