"""What a search for the largest (or smallest) number notes whenever it finds a better one is told from the result of the search.

Before::                                                          After::

    %b: f64, %t: i64 = for_loop(.., %b0, %t0) do (%i, %x, %k) {       %b: f64 = for_loop(.., %b0) do (%i, %x) {
        %c: b1 = less(%x, %v)                                             %c: b1 = less(%x, %v)
        %y: f64, %z: i64 = cond(%c) do () {                               %y: f64 = cond(%c) do () {
            yield %v, %two                                                    yield %v
        } do () {                                                         } do () {
            yield %x, %k                                                      yield %x
        }                                                                 }
        yield %y, %z                                                      yield %y
    }                                                                 }
                                                                      %m: b1 = less(%b0, %b)
                                                                      %t: i64 = where(%m, %two, %t0)

`best = 0.0`, then `if x[i] > best: best = x[i]`: whether `best` is still the Python float is such a note, and without it the loop is
a maximum. Requires: the number only ever grows (or shrinks), by strict comparisons, which `nan` does not pass; the note is a literal, or is
one wherever the number passes the comparison: `if y < 0.0: y = 0.0` gives a Python float that is no more than the 0.0 that `best` began
with. Keeps: the loop's note where something in the loop reads it; `dce` takes it away where nothing does.
"""

from __future__ import annotations

import numpy as np

from autograph_jit.ir.graph import Block, Graph, Operation, Value, constant_of
from autograph_jit.ir.types import BOOL, ScalarType, Type
from autograph_jit.ops.registry import get
from autograph_jit.records import dataclass
from autograph_jit.transforms.rewriting import make_constant, replace_in_block

COMPARISONS = {"less": 1, "greater": -1}  # 1 where the right operand is the larger one
LOOPS = ("for_loop", "while_loop")


@dataclass(frozen=True, slots=True)
class State:
    """One number that a loop carries: as it enters the loop, as a trip finds it, as a trip leaves it, and as the loop leaves it."""

    entering: Value
    arg: Value
    following: Value
    result: Value


@dataclass(frozen=True, slots=True)
class Change:
    """What a trip may make of a number: 1 for a larger one, -1 for a smaller one; and of the note beside it."""

    way: int
    note: np.generic | None = None


UNCHANGED = Change(0)


def tell_notes(graph: Graph, distinct_parameters: bool = False) -> None:
    """Tell what loops note from the records that they find, the innermost loops first."""
    Records({}).walk(graph.block)


@dataclass(slots=True)
class Records:
    """The numbers that loops carry, by what their trips find them as."""

    states: dict[Value, State]

    def walk(self, block: Block) -> None:
        """All loops of a block and of its regions."""
        replaced: dict[Value, Value] = {}
        operations: list[Operation] = []
        for operation in block.operations:
            self.note(states_of(operation))
            for region in operation.regions:
                self.walk(region)
            states = states_of(operation)  # anew, with what loops inside have told
            self.note(states)
            operations.append(operation)
            for note in states:
                made = self.told(operation, note, states)
                operations += made
                if made:
                    replaced[note.result] = made[-1].result
        if replaced:
            block.operations = operations
            replace_in_block(block, replaced)

    def note(self, states: list[State]) -> None:
        self.states.update((state.arg, state) for state in states)

    def told(self, loop: Operation, note: State, states: list[State]) -> list[Operation]:
        """Operations that tell a note from a record; none where it does not belong to one."""
        for record in states if has_kind(note.result, "biu") else ():
            is_record = record is not note and has_kind(record.result, "iuf")
            found = self.change(record.following, note.following, record, note) if is_record else None
            if found is None or found.note is None:
                continue
            constant = make_constant(found.note, loop)
            pair = [record.entering, record.result]
            better = operation_like(loop, "less", pair if found.way > 0 else pair[::-1], BOOL)
            chosen = operation_like(loop, "where", [better.result, constant.result, note.entering], constant.result.type)
            return [constant, better, chosen]
        return []

    def change(self, number: Value, label: Value | None, record: State, note: State | None) -> Change | None:
        """How a trip changes a number and its note, None where otherwise than asked for. Without a note only the number is asked for."""
        if number is record.arg:
            return UNCHANGED if note is None or label is note.arg else None
        branch = number.owner
        if not isinstance(branch, Operation):
            return None
        if branch.name in LOOPS:
            return self.change_by_loop(number, label, record, note)
        if branch.name != "cond" or (label is not None and label.owner is not branch):
            return None
        then, otherwise = branch.regions
        way = way_of(branch.operands[0], record.arg, then.yields[number.index]) if not then.terminated else 0
        sides = []
        for region in (then, otherwise):
            if region.terminated:
                continue
            x, mark = region.yields[number.index], region.yields[label.index] if label is not None else None
            if region is then and way:
                told = self.literal_at(mark, x, record, way) if mark is not None else None
                sides.append(None if mark is not None and told is None else Change(way, told))
            else:
                sides.append(self.change(x, mark, record, note))
        return joined(sides)

    def change_by_loop(self, number: Value, label: Value | None, record: State, note: State | None) -> Change | None:
        """What a loop inside, which looks for records too, makes of both; its note has been told from them."""
        inner = next((state for state in self.states.values() if state.result is number), None)
        found = self.change(inner.following, None, inner, None) if inner is not None and inner.entering is record.arg else None
        if found is None or note is None:
            return found
        choice = label.owner if label is not None else None
        if not isinstance(choice, Operation) or choice.name != "where" or choice.operands[2] is not note.arg:
            return None
        literal = constant_of(choice.operands[1])
        is_same = way_of(choice.operands[0], record.arg, number) == found.way
        return Change(found.way, literal) if found.way and is_same and literal is not None else None

    def literal_at(self, mark: Value, number: Value, record: State, way: int) -> np.generic | None:
        """The literal that a note is where its number is better than the record so far."""
        literal = constant_of(mark)
        if literal is not None:
            return literal
        branch = mark.owner
        if not isinstance(branch, Operation) or branch.name != "cond" or number.owner is not branch:
            return None
        first, found = self.first_of(record, way), []
        for region in branch.regions:
            if not region.terminated:
                bound = constant_of(region.yields[number.index])
                if first is None or bound is None or not bool(np.less_equal(bound, first) if way > 0 else np.greater_equal(bound, first)):
                    found.append(self.literal_at(region.yields[mark.index], region.yields[number.index], record, way))
        return found[0] if len(found) == 1 else None

    def first_of(self, record: State, way: int) -> np.generic | None:
        """The literal that a record is never worse than."""
        literal = constant_of(record.entering)
        outer = self.states.get(record.entering)
        if literal is not None or outer is None:
            return literal
        found = self.change(outer.following, None, outer, None)
        return self.first_of(outer, way) if found is not None and found.way in (0, way) else None


def states_of(loop: Operation) -> list[State]:
    """What a loop carries; of a `while` loop what its test hands on as it is."""
    if loop.name not in LOOPS or loop.regions[-1].terminated:
        return []
    body = loop.regions[-1]
    if loop.name == "for_loop":
        following = body.yields[int(bool(loop.attributes.get("has_break"))) :]
        return [State(*each) for each in zip(loop.operands[3:], body.args[1:], following, loop.results)]
    test = loop.regions[0]
    each = zip(loop.operands, body.args, body.yields, loop.results, test.args, test.yields[1:])
    return [State(*parts) for *parts, arg, tested in each if arg is tested]


def has_kind(value: Value, kinds: str) -> bool:
    return isinstance(value.type, ScalarType) and value.type.dtype.kind in kinds


def way_of(condition: Value, x: Value, y: Value) -> int:
    """1 where a condition is that y is larger than x, -1 where it is that y is smaller, 0 otherwise."""
    comparison = condition.owner
    if not isinstance(comparison, Operation) or comparison.name not in COMPARISONS:
        return 0
    if comparison.operands == [x, y]:
        return COMPARISONS[comparison.name]
    return -COMPARISONS[comparison.name] if comparison.operands == [y, x] else 0


def joined(changes: list[Change | None]) -> Change | None:
    """One change that covers all."""
    found = UNCHANGED
    for change in changes:
        if change is None or (change.way and found.way and change != found):
            return None
        found = change if change.way else found
    return found


def operation_like(loop: Operation, name: str, operands: list[Value], type: Type) -> Operation:
    """An operation that stands behind a loop."""
    operation = Operation(get(name), operands, {}, [], loop.span)
    operation.results, operation.block = [Value(type, operation, 0)], loop.block
    return operation
