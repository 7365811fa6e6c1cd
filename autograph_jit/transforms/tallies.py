"""Counts how often the blocks of a program run that call Python, and the trips of the loops beside them, for the model of costs.

Before::                                             After::

    for_loop(%z, %n, %one) do (%i: i64) {                tally(%z, %n, %one) {number = 0}
        %late: b1 = greater(%i, %m)                      for_loop(%z, %n, %one) do (%i: i64) {
        cond(%late) do () {                                  %late: b1 = greater(%i, %m)
            host_call(%set, %i)                              cond(%late) do () {
            yield                                                tally() {number = 1}
        } do () {                                                host_call(%set, %i)
            yield                                                yield
        }                                                    } do () {
        yield                                                    yield
    }                                                        }
                                                             yield
                                                         }

Branches in which Python is called are counted where they begin, and so are loops whose trips call it, at each trip. The trips of
counted loops that call it in a branch or not at all are added once, in front of the loop, or of the outermost loop around it that does
not call it. Where a list of the caller's is read in that no loop goes through from end to end, its length is counted, and the trips of
all loops, one by one where a loop may end early; these also where instances are read in, or dicts and sets that stand in another
container; where texts stand in lists, dicts or sets; and where exceptions are caught, which is counted where the handler begins. Beside
instances that are read in, the calls of functions that call themselves are counted, too. Those of a search through letters are short,
and not counted.
Any other program that calls Python in no loop and no branch stays as it is.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

import numpy as np

from autograph_jit.ir.builder import append
from autograph_jit.ir.copying import Visible, copy_operation
from autograph_jit.ir.function import Function, functions_of
from autograph_jit.ir.graph import Block, Graph, Operation, Value, constant_of, walk_block
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import TEXT_REFERENCES, ListType, ScalarType
from autograph_jit.ops.direct_calls import READS_INSTANCES
from autograph_jit.ops.registry import get
from autograph_jit.records import dataclass

LOOPS = ("for_loop", "while_loop")
MANY_READ = 20  # numbers that stand in arguments: to read them takes as long as many a loop
INTO_POOL = ("text_reference", "text_of_object", "list_of_object")


@dataclass(frozen=True, slots=True)
class Tally:
    """What is counted: how often `region` of an operation begins; where `before` is given, in front of this loop from the loop's bounds;
    or the length of a list; of a function that the graph calls where there is one."""

    operation: Operation | None
    region: Block | None
    before: Operation | None = None
    items: Value | None = None
    callee: Function | None = None


@dataclass(slots=True)
class Finder:
    """The tallies of a program in program order, which numbers them."""

    calling: set[Block]
    counts_all: bool = False
    found: list[Tally] = field(default_factory=list)

    def visit(self, block: Block, outermost: Operation | None = None) -> None:
        """Those of a block, which a loop that calls no Python may be around."""
        for operation in block.operations:
            is_native = operation.name in LOOPS and self.calling.isdisjoint(operation.regions)
            before = outermost or operation if is_native else outermost
            if operation.name == "for_loop":
                self.visit_counted_loop(operation, before or operation)
            elif operation.name == "while_loop" and (self.counts_all or not is_native) and not is_scan(operation):
                self.found.append(Tally(operation, operation.regions[1]))
            elif operation.name == "cond":
                self.found += [Tally(operation, region) for region in operation.regions if region in self.calling]
            elif operation.name == "try_":
                self.found.append(Tally(operation, operation.regions[1]))
            for region in operation.regions:
                self.visit(region, before)

    def visit_counted_loop(self, loop: Operation, before: Operation) -> None:
        """Each trip where it calls Python, and may end the loop; otherwise the trips, where they are known in front of it."""
        (body,) = loop.regions
        if is_scan(loop):
            return
        may_end_early = self.counts_all and loop.attributes.get("has_break") and loop.for_c is None
        if may_end_early or any(map(calls_python, body.operations)):
            self.found.append(Tally(loop, body))
        elif not has_known_trips(loop) and (self.counts_all or are_known_before(loop, before)):
            self.found.append(Tally(loop, body, before if are_known_before(loop, before) else loop))


def find_tallies(graph: Graph) -> list[Tally]:
    """What is counted in a program; nothing where no branch and no loop calls Python, and loops go through the lists that are read in,
    beside few numbers."""
    lists = [parameter for parameter in graph.block.args if isinstance(parameter.type, ListType)]
    has_lists = bool(lists) and (indexes_rows(graph) or not set(lists) <= gone_through(graph)) or reads_instances(graph)
    has_lists = has_lists or sum(isinstance(parameter.type, ScalarType) for parameter in graph.block.args) > MANY_READ
    counts_all = has_lists or puts_texts_in(graph) or any(operation.name == "try_" for operation in graph.walk())
    finder = Finder(calling_blocks(graph.block), counts_all)
    finder.visit(graph.block)
    if not counts_all and not any(tally.region in finder.calling for tally in finder.found):
        return []
    return [*finder.found, *(Tally(None, None, items=x) for x in lists), *tallies_of_recursions(graph)]


def tallies_of_recursions(graph: Graph) -> list[Tally]:
    """Where the caller's instances are read in, those of functions that call themselves: nobody knows how deep they go."""
    found = [function for function in functions_of(graph) if function.is_recursive] if reads_instances(graph) else []
    callees = sorted(found, key=lambda function: function.name)
    return [replace(tally, callee=callee) for callee in callees for tally in tallies_of_body(callee.graph)]


def tallies_of_body(graph: Graph) -> list[Tally]:
    """How often a function begins, and what is counted in it."""
    finder = Finder(calling_blocks(graph.block), counts_all=True)
    finder.visit(graph.block)
    return [Tally(None, graph.block), *finder.found]


def reads_instances(graph: Graph) -> bool:
    """Whether the attributes of the caller's instances are read in."""
    return any(operation.attributes.get("label") == READS_INSTANCES for operation in graph.walk())


def indexes_rows(graph: Graph) -> bool:
    """Whether the dicts or sets in a container of the caller's are made tables when the call begins."""
    loops = [operation for operation in graph.block.operations if operation.name == "for_loop"]
    return any(inside.name == "table_index" for loop in loops for inside in loop.regions[0].operations)


def puts_texts_in(graph: Graph) -> bool:
    """Whether a program has texts in lists, dicts or sets."""
    has_lists = any(isinstance(parameter.type, ListType) and parameter.type.number in TEXT_REFERENCES for parameter in graph.block.args)
    return has_lists or any(operation.name in INTO_POOL for operation in graph.walk())


def is_scan(loop: Any) -> bool:
    """Whether a loop is part of a search through letters."""
    return loop.for_c is not None and loop.for_c.is_scan


def gone_through(graph: Graph) -> set[Value]:
    """The lists by whose length a loop runs that no branch is around and that only an exception can end sooner."""
    found: set[Value] = set()
    waiting = list(graph.block.operations)
    for operation in waiting:
        if operation.name == "for_loop" and not operation.attributes.get("has_break"):
            found |= lengths_in(operation.operands[1])
            waiting += operation.regions[0].operations
        elif operation.name == "try_":
            waiting += operation.regions[0].operations
    return found


def lengths_in(value: Value) -> set[Value]:
    """The lists of whose lengths a number is computed."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.regions:
        return set()
    if owner.name == "list_len":
        return set(owner.operands)
    return set().union(*map(lengths_in, owner.operands))


def calls_python(operation: Operation) -> bool:
    """Whether an operation calls a function of Python on objects: neither one of NumPy's routines, nor what only fetches an object, nor
    what hands over a loop."""
    if operation.name != "host_call" or "routine" in operation.attributes:
        return False
    if operation.attributes.get("python_seconds") == 0:
        return False
    return bool(operation.operands) or not operation.attributes.get("pure")


def calling_blocks(block: Block) -> set[Block]:
    """The blocks that call Python, themselves or in a region."""
    inside = {found for operation in block.operations for region in operation.regions for found in calling_blocks(region)}
    return inside | {block} if inside or any(map(calls_python, block.operations)) else inside


def has_known_trips(loop: Operation) -> bool:
    """Whether literals tell how often a counted loop runs."""
    return all(constant_of(bound) is not None for bound in loop.operands[:3])


def are_known_before(loop: Operation, before: Operation) -> bool:
    """Whether the bounds of a counted loop are known in front of a loop around it."""
    inside = {operation for region in before.regions for operation in walk_block(region)}
    arguments = {argument for region in before.regions for argument in region.args}
    arguments |= {argument for operation in inside for region in operation.regions for argument in region.args}
    return all(is_known(bound, inside, arguments) for bound in loop.operands[:3])


def is_known(value: Value, inside: set[Operation], arguments: set[Value]) -> bool:
    """Whether a number is from outside, or computed from what is without fail."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner not in inside:
        return value not in arguments
    if owner.regions or owner.can_fail or owner.opdef.effect is not Effect.PURE:
        return False
    is_size = owner.name == "dim"
    return all((is_size or isinstance(part.type, ScalarType)) and is_known(part, inside, arguments) for part in owner.operands)


def add_tallies(graph: Graph) -> None:
    """Count in a program, by the numbers that `find_tallies` gives; its functions are told the first of theirs."""
    told: set[Function | None] = {None}
    for number, tally in enumerate(find_tallies(graph)):
        if tally.callee is None:
            add_tally(graph, number, tally)
        elif tally.callee not in told:
            put_in_front(graph.block, 0, [Operation(get("tally"), [], {"number": number, "callee": tally.callee}, [], None)])
        told.add(tally.callee)


def add_tallies_of_body(graph: Graph, first: int) -> None:
    """Count in a function, by numbers from the first on."""
    for number, tally in enumerate(tallies_of_body(graph), first):
        add_tally(graph, number, tally)


def add_tally(graph: Graph, number: int, tally: Tally) -> None:
    """Count at one place."""
    block, place = tally.region or graph.block, 0
    made: list[Operation] = []
    operands: list[Value] = []
    if tally.items is not None:
        apart = Block()
        zero, one = (append(apart, get("constant"), [], {"value": np.int64(value)}).result for value in (0, 1))
        operands = [zero, append(apart, get("list_len"), [tally.items]).result, one]
        made = block.adopt(apart.operations)
    elif tally.before is not None:
        assert tally.operation is not None
        assert tally.before.block is not None
        block = tally.before.block
        place = block.operations.index(tally.before)
        inside = {operation for region in tally.before.regions for operation in walk_block(region)}
        operands = [moved(bound, inside, block, made) for bound in tally.operation.operands[:3]]
    span = tally.operation.span if tally.operation is not None else None
    put_in_front(block, place, [*made, Operation(get("tally"), operands, {"number": number}, [], span)])


def put_in_front(block: Block, place: int, operations: list[Operation]) -> None:
    """Put operations, the last of which is new, in front of the one at a place of a block."""
    operations[-1].block = block
    block.operations[place:place] = operations


def moved(value: Value, inside: set[Operation], block: Block, made: list[Operation]) -> Value:
    """A number in front of the loop that computes it."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner not in inside:
        return value
    copies = Visible({part: moved(part, inside, block, made) for part in owner.operands})
    made.append(copy_operation(owner, block, copies))
    made[-1].unwind = []
    return made[-1].results[value.index]
