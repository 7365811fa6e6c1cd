"""Generator functions that are advanced somewhere else than where they are made: a step from one `yield` to the next, as a function.

Before: `def counter(n): while True: yield n; n += 1`
After:  `def counter(frame, sent): at = ag__.resumed(frame); if at == 0: n = ag__.kept(frame, "n"); at = 2`
        `if at == 1: n = ag__.kept(frame, "n"); n += 1; at = 2`
        `if at == 2: out = n; ag__.paused(frame, 1, ("n",), (n,)); at = -2`
        `return ag__.given_out(at == -1, out, returned)`

What a later step reads is kept in the frame; every other variable is one of the step. `begin` gives the values of the parameters.
"""

from __future__ import annotations

import copy
from collections import deque
from typing import Any

import gast

from autograph_jit.converters.calls import FRAME_BUILTINS, is_operator
from autograph_jit.converters.context import Unit
from autograph_jit.converters.cursors import Walk, as_loops
from autograph_jit.converters.late_reads import USING_UP, name_of_function
from autograph_jit.converters.leaks import without_leaks
from autograph_jit.converters.resumable_blocks import Block, Cutter, Finish, Fork, Goto, Pause, named_yields
from autograph_jit.converters.resumable_flow import assigned_behind, live_before
from autograph_jit.converters.simplify import simplify
from autograph_jit.converters.tail_jumps import without_tail_jumps
from autograph_jit.records import dataclass
from autograph_jit.syntax.scopes import FUNCTIONS, function_uses, parameter_names, uses_of
from autograph_jit.syntax.templates import assign, branch, const, expression, function, load, op, tuple_of

ENDED, PAUSED = -1, -2
ADVANCING = frozenset({"next", "map", "filter", "StopIteration"})
METHODS = frozenset(name for kind in (list, dict, set, deque, str, bytes) for name in dir(kind))
TAKEN_AS_BUILTINS = frozenset({"range", "enumerate", "zip", "StopIteration", "RuntimeError"})


class Name(gast.Name):
    """A variable that may have no value, which no rule looks at."""


@dataclass(frozen=True, slots=True)
class Resumable:
    """A generator function in this form. `kept`: the variables that a frame has, the parameters first."""

    begin: gast.FunctionDef
    step: gast.FunctionDef
    parameters: tuple[str, ...]
    kept: tuple[str, ...]


def resumable_form(node: Any, unit: Unit) -> Resumable:
    """The form of a generator function; ConversionError where it has none. What it captures is kept as a parameter is."""
    expect_simple(node, unit)
    parameters = [*parameter_names(node.args), *sorted(unit.free)]
    values = op(
        "returned", const(True), tuple_of([load(name) for name in parameter_names(node.args)])
    )  # an operator, as in all converted code
    begin = function(node.name, [], [gast.Return(values)])
    begin.args = node.args
    frame, sent = unit.namer.fresh("frame"), unit.namer.fresh("sent")
    declared = [each for each in node.body if isinstance(each, gast.Global)]
    body, _ = simplify(copy.deepcopy([each for each in node.body if not isinstance(each, gast.Global)]), unit)
    body = as_loops(named_yields(body, unit), unit, sent)
    walks: dict[int, Walk] = {}
    fine, coarse = Cutter(unit, sent, walks, True), Cutter(unit, sent, walks, False)
    flow = flow_of(fine, body, frozenset(parameters))
    blocks = coarse.function(without_tail_jumps(body, unit))
    at_start = live_before(fine.blocks, frozenset(parameters))[0]
    entries = [(0, at_start), *((pause.to, names) for pause, names in zip(coarse.pauses, flow.saved))]
    statements = Emitter(unit, frame, blocks, entries, flow).function()
    step = function(node.name, [frame, sent], [*declared, *statements])
    names = dict.fromkeys([*parameters, *sorted(frozenset().union(*flow.saved))])
    for made in (begin, step):
        gast.copy_location(made, node)
    return Resumable(begin, step, tuple(parameters), tuple(names))


def expect_simple(node: Any, unit: Unit) -> None:
    """Refuse what looks at the frame, or whose functions have variables of it."""
    uses = function_uses(node)
    if isinstance(node, gast.AsyncFunctionDef) or uses.reads & FRAME_BUILTINS or uses.nonlocal_names or {"super", "__class__"} & uses.reads:
        raise unit.refuse("a generator that looks at its frame", node, "write a class")
    if uses.bound & TAKEN_AS_BUILTINS or not all(map(unit.is_builtin, TAKEN_AS_BUILTINS)):
        raise unit.refuse("a generator that gives a builtin another meaning", node, "rename it")
    used_up = {
        id(inner)
        for inner in gast.walk(node)
        if isinstance(inner, gast.Call) and name_of_function(inner) in USING_UP
        for inner in inner.args
    }
    for inner in gast.walk(node):
        if inner is not node and isinstance(inner, (*FUNCTIONS, gast.ClassDef, gast.GeneratorExp)) and id(inner) not in used_up:
            if uses_of([inner]).captured & (uses.bound | unit.free):
                raise unit.refuse("a function inside a generator that reads its variables", inner, "pass them as arguments")


@dataclass(frozen=True, slots=True)
class Flow:
    """The variables that each pause keeps; those that may have no value there; those that are read where they may have none."""

    saved: list[frozenset[str]]
    perhaps: frozenset[str]
    doubtful: frozenset[str]


def flow_of(fine: Cutter, body: list[gast.stmt], parameters: frozenset[str]) -> Flow:
    """How the variables of a generator's body are needed behind its pauses."""
    blocks = fine.function(body)
    statements = [statement for block in blocks for statement in block.statements]
    variables = uses_of(statements).bound | parameters
    live = live_before(blocks, frozenset(variables))
    behind, doubtful = assigned_behind(blocks, frozenset(variables), parameters)
    saved, perhaps = [], set[str]()
    for pause in fine.pauses:
        number = next(place for place, block in enumerate(blocks) if block.end is pause)
        assigned = behind[number]
        saved.append(frozenset() if assigned is None else live[pause.to])
        perhaps |= saved[-1] - (assigned or frozenset())
    return Flow(saved, frozenset(perhaps), doubtful)


class Emitter:
    """Writes the blocks of a step: each that several ways lead to under a condition on its number, the others where they are reached."""

    def __init__(self, unit: Unit, frame: str, blocks: list[Block], entries: list[tuple[int, frozenset[str]]], flow: Flow) -> None:
        self.frame, self.unit = frame, unit
        self.at, self.value, self.out = (unit.namer.fresh(stem) for stem in ("at", "returned", "out"))
        self.first = len(blocks)
        self.perhaps = flow.perhaps
        everywhere = frozenset().union(flow.perhaps, *(names - flow.doubtful for _, names in entries))
        self.begin = [self.kept(name) for name in sorted(everywhere)]
        kept = [[self.kept(name) for name in sorted(names - everywhere)] for _, names in entries]
        self.blocks = [*blocks, *(Block(loads, Goto(to)) for loads, (to, _) in zip(kept, entries))]
        self.roots = range(self.first, len(self.blocks))
        self.saved = {to: (place, sorted(names)) for place, (to, names) in enumerate(entries)}
        self.order = self.postorder()
        counts = [self.resolved(each) for number in self.order for each in self.blocks[number].followers()]
        shared = [number for number in reversed(self.order) if number not in self.roots and counts.count(number) > 1]
        self.numbers = {number: place for place, number in enumerate([*self.roots, *shared])}

    def kept(self, name: str) -> gast.stmt:
        """A variable as an earlier step left it."""
        return assign(name, op("kept_perhaps" if name in self.perhaps else "kept", load(self.frame), const(name)))

    def resolved(self, number: int) -> int:
        """The block that begins where this one does nothing but lead there."""
        seen = set()
        while not self.blocks[number].statements and isinstance(self.blocks[number].end, Goto) and number not in seen:
            seen.add(number)
            number = self.blocks[number].end.to  # type: ignore[union-attr]
        return number

    def postorder(self) -> list[int]:
        """The blocks that a step may reach, each behind those that it leads to but for the way back in loops."""
        done: list[int] = []
        seen: set[int] = set()
        for root in reversed(self.roots):
            pending = [(root, False)]
            while pending:
                number, is_left = pending.pop()
                if is_left:
                    done.append(number)
                elif number not in seen:
                    seen.add(number)
                    pending.append((number, True))
                    pending += [(self.resolved(each), False) for each in reversed(self.blocks[number].followers())]
        return done

    def function(self) -> list[gast.stmt]:
        """The statements of a whole step."""
        inside = [number for number in self.numbers if number not in self.roots]
        out: list[gast.stmt] = [assign(self.at, op("resumed", load(self.frame)))]
        out.append(branch(op("has_frame", load(self.frame)), self.begin))  # which a reader of the step takes for one way of two
        out += [self.guarded(number) for number in self.roots]
        if self.goes_back(inside):
            chain = [self.guarded(number) for number in inside] if len(inside) > 1 else self.written(inside[0])
            out.append(gast.While(is_turn_of(self.at, 0, gast.GtE()), chain, []))
        else:
            out += [self.guarded(number) for number in inside]
        ends = [self.blocks[number].end for number in self.order]
        are_there = any(isinstance(end, Pause) for end in ends), any(isinstance(end, Finish) and end.value is not None for end in ends)
        parts = [
            Name(name, gast.Load(), None, None) if is_there else const(None) for name, is_there in zip((self.out, self.value), are_there)
        ]
        return [*out, gast.Return(op("given_out", is_turn_of(self.at, ENDED, gast.Eq()), *parts))]

    def goes_back(self, inside: list[int]) -> bool:
        """Whether a block may lead to one that is written in front of it, or to itself."""
        places = {number: place for place, number in enumerate(inside)}
        return any(places[to] <= places[number] for number in inside for to in self.reached_from(number))

    def reached_from(self, number: int) -> list[int]:
        """The numbered blocks that a block leads to."""
        found, pending = [], list(self.blocks[number].followers())
        for each in map(self.resolved, pending):
            if each in self.numbers:
                found.append(each)
            else:
                pending += self.blocks[each].followers()
        return found

    def guarded(self, number: int) -> gast.stmt:
        """A numbered block, where it is its turn."""
        return branch(is_turn_of(self.at, self.numbers[number], gast.Eq()), self.written(number))

    def written(self, number: int) -> list[gast.stmt]:
        """The statements of a block and of those that it alone leads to."""
        block = self.blocks[number]
        out, end = without_leaks(block.statements, self.unit, may_leak), block.end
        if isinstance(end, Goto):
            return out + self.going_on(end.to)
        if isinstance(end, Fork):
            first, test = self.apart_from_leaks(end.test, "test")
            return [*out, *first, gast.copy_location(branch(test, self.going_on(end.then), self.going_on(end.orelse)), end.test)]
        if isinstance(end, Pause):
            place, names = self.saved[end.to]
            values = [Name(name, gast.Load(), None, None) if name in self.perhaps else load(name) for name in names]
            kept = op("paused", load(self.frame), const(place), tuple_of(map(const, names)), tuple_of(values))
            if not self.perhaps.isdisjoint(names):
                kept.args.append(tuple_of(const(name) for name in names if name in self.perhaps))
            last = [*without_leaks([assign(self.out, end.value)], self.unit, may_leak), expression(kept), assign(self.at, const(PAUSED))]
            return out + [gast.copy_location(each, end.value) if hasattr(end.value, "lineno") else each for each in last]
        if out and isinstance(out[-1], gast.Raise):
            return out
        if end.value is not None:
            out += without_leaks([gast.copy_location(assign(self.value, end.value), end.value)], self.unit, may_leak)
        return [*out, assign(self.at, const(ENDED))]

    def apart_from_leaks(self, value: gast.AST, stem: str) -> tuple[list[gast.stmt], gast.AST]:
        """The same of a value: what computes it, and where it is."""
        if not may_leak(value, self.unit):
            return [], value
        name = self.unit.namer.fresh(stem)
        return without_leaks([gast.copy_location(assign(name, value), value)], self.unit, may_leak), load(name)

    def going_on(self, number: int) -> list[gast.stmt]:
        """What leads to a block, or the block itself."""
        number = self.resolved(number)
        return [assign(self.at, const(self.numbers[number]))] if number in self.numbers else self.written(number)


def may_leak(node: gast.AST, unit: Unit) -> bool:
    """Whether something is called that may be a function of the user's, or `next`: it may raise StopIteration."""
    calls = [inner.func for inner in gast.walk(node) if isinstance(inner, gast.Call) and not is_operator(inner.func)]
    raises = any(isinstance(inner, gast.Raise) for inner in gast.walk(node))
    return raises or not all(is_of_builtins(function, unit) for function in calls)


def is_of_builtins(function: Any, unit: Unit) -> bool:
    """Whether a call is one of a builtin other than `next`, or of a method that containers and texts have."""
    if isinstance(function, gast.Name):
        return unit.is_builtin(function.id) and function.id not in ADVANCING
    return isinstance(function, gast.Attribute) and function.attr in METHODS


def is_turn_of(name: str, number: int, how: gast.AST) -> gast.AST:
    """Whether a block is the one of a number, or not."""
    return gast.Compare(load(name), [how], [const(number)])
