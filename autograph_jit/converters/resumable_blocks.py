"""Cuts the body of a generator function into blocks that end at a `yield`, at a jump, or where ways meet.

Before: `i = n`                           block 0: `i = n`, go to 1
        `while True: yield i; i += 1`     block 1: pause with `i`, go on at 2      block 2: `i += 1`, go to 1

Statements without `yield` and without jumps that leave them stay whole. `is_fine`: only simple statements and `try` do, which is how the
flow of variables is looked at.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

import gast

from autograph_jit.converters.context import Unit
from autograph_jit.converters.cursors import Walk, walk_of
from autograph_jit.converters.generators import suspends
from autograph_jit.converters.jumps import LOOPS, TRIES, jumps_in
from autograph_jit.records import dataclass
from autograph_jit.syntax.templates import assign, load


@dataclass(frozen=True, slots=True)
class Goto:
    """The block goes on at another one."""

    to: int


@dataclass(frozen=True, slots=True)
class Fork:
    """A condition decides where it goes on."""

    test: gast.AST
    then: int
    orelse: int


@dataclass(frozen=True, slots=True)
class Pause:
    """A value is given out; the next step begins at another block."""

    value: gast.AST
    to: int


@dataclass(frozen=True, slots=True)
class Finish:
    """The generator ends, with what it returns; None: by an exception, or with nothing."""

    value: gast.AST | None


@dataclass(slots=True)
class Block:
    """Statements that run one after another, and what comes then; `on_error`: the blocks that an exception in front of or behind them may
    lead to, which is told where the flow of variables is looked at."""

    statements: list[gast.stmt] = field(default_factory=list)
    end: Goto | Fork | Pause | Finish = field(default_factory=lambda: Finish(None))
    on_error: tuple[int, ...] = ()

    def followers(self) -> tuple[int, ...]:
        """The blocks that may come next within one step."""
        if isinstance(self.end, Fork):
            return self.end.then, self.end.orelse
        return (self.end.to,) if isinstance(self.end, Goto) else ()


@dataclass(frozen=True, slots=True)
class Around:
    """Where `break` and `continue` lead."""

    breaks: int
    continues: int


class Cutter:
    """Cuts one body. `walks`: how each `for` loop goes through what it goes through, the same in all cuts of the body; `sent`: the variable
    with what a `yield` gives back."""

    def __init__(self, unit: Unit, sent: str, walks: dict[int, Walk], is_fine: bool) -> None:
        self.unit, self.sent, self.walks, self.is_fine = unit, sent, walks, is_fine
        self.blocks: list[Block] = []
        self.pauses: list[Pause] = []  # in the order of the text
        self.caught: tuple[int, ...] = ()

    def new(self) -> int:
        """The number of a new block."""
        self.blocks.append(Block(on_error=self.caught))
        return len(self.blocks) - 1

    def function(self, body: list[gast.stmt]) -> list[Block]:
        """The blocks of a whole body; it begins at the first."""
        self.sequence(body, self.new(), None)
        return self.blocks

    def sequence(self, statements: list[gast.stmt], at: int | None, around: Around | None) -> int | None:
        """Cut statements that begin in a block; the block in which they end, or None where their end is not reached."""
        for node in statements:
            if at is None:
                return None
            at = self.statement(node, at, around)
        return at

    def go(self, at: int | None, to: int) -> None:
        """A block goes on at another one."""
        if at is not None:
            self.blocks[at].end = Goto(to)

    def stays_whole(self, node: gast.stmt) -> bool:
        """Whether a statement is part of one block."""
        if suspends(node) or type(node) in (gast.Return, gast.Break, gast.Continue) or jumps_in([node]):
            return False
        return not (self.is_fine and isinstance(node, (gast.If, *LOOPS, *TRIES, gast.With)))

    def statement(self, node: Any, at: int, around: Around | None) -> int | None:
        """Cut one statement."""
        block = self.blocks[at]
        if self.stays_whole(node):
            block.statements.append(node)
            if isinstance(node, gast.Raise):
                return None
            return self.next_block(at) if self.caught else at
        if isinstance(node, gast.Return):
            block.end = Finish(node.value)
            return None
        if isinstance(node, (gast.Break, gast.Continue)):
            assert around is not None
            self.go(at, around.breaks if isinstance(node, gast.Break) else around.continues)
            return None
        if isinstance(node, gast.If):
            return self.branch(node, at, around)
        if isinstance(node, gast.While):
            return self.while_loop(node, at, around)
        if isinstance(node, gast.For):
            return self.for_loop(node, at, around)
        if self.is_fine and isinstance(node, (*TRIES, gast.With)) and not suspends(node):
            return self.attempt(node, at, around) if isinstance(node, TRIES) else self.with_statement(node, at, around)
        if isinstance(node, (gast.Expr, gast.Assign, gast.AnnAssign)) and isinstance(node.value, gast.Yield):
            return self.pause(node, at)
        raise self.unit.refuse("a `yield` in this statement", node, "give its value a name of its own")

    def next_block(self, at: int) -> int:
        """A new block behind another one."""
        after = self.new()
        self.go(at, after)
        return after

    def attempt(self, node: Any, at: int, around: Around | None) -> int | None:
        """A `try` statement: an exception leads from anywhere in its body to its handlers."""
        if node.finalbody and jumps_in([node]):
            raise self.unit.refuse("a jump out of a `try` with `finally` in a generator that is kept", node, "move it behind the statement")
        final = [self.new()] if node.finalbody else []
        if final:
            self.sequence(node.finalbody, final[0], around)
        beyond, self.caught = self.caught, (*self.caught, *final)
        starts = [self.new() for _ in node.handlers]
        outside, self.caught = self.caught, (*self.caught, *starts)
        end = self.sequence(node.body, self.next_block(at), around)
        self.caught = outside
        ends = [None if end is None else self.sequence(node.orelse, self.next_block(end), around)]
        for start, handler in zip(starts, node.handlers):
            name = [] if handler.name is None else [assign(handler.name.id, gast.Constant(None, None))]
            self.blocks[start].statements += [gast.Expr(handler.type)] if handler.type is not None else []
            end = self.sequence([*name, *handler.body], start, around)
            if end is not None and handler.name is not None:
                self.blocks[end].statements.append(gast.Delete([gast.Name(handler.name.id, gast.Del(), None, None)]))
            ends.append(end)
        self.caught = beyond
        if ends.count(None) == len(ends):
            return None
        after = self.new()
        for each in ends:
            self.go(each, after)
        return self.sequence(node.finalbody, after, around)

    def with_statement(self, node: gast.With, at: int, around: Around | None) -> int | None:
        """A `with` statement: it may go on behind it from anywhere in its body."""
        after = self.new()
        for item in node.items:
            bound = [] if item.optional_vars is None else [gast.Assign([item.optional_vars], gast.Constant(None, None), None)]
            self.blocks[at].statements += [gast.Expr(item.context_expr), *bound]
        beyond, self.caught = self.caught, (*self.caught, after)
        self.go(self.sequence(node.body, self.next_block(at), around), after)
        self.caught = beyond
        return after

    def pause(self, node: Any, at: int) -> int:
        """`yield v` or `x = yield v`."""
        after = self.new()
        paused = self.blocks[at].end = Pause(node.value.value or gast.Constant(None, None), after)
        self.pauses.append(paused)
        if isinstance(node, gast.Assign):
            self.blocks[after].statements.append(gast.copy_location(gast.Assign(node.targets, load(self.sent), None), node))
        elif isinstance(node, gast.AnnAssign):
            self.blocks[after].statements.append(gast.copy_location(gast.Assign([node.target], load(self.sent), None), node))
        return after

    def branch(self, node: gast.If, at: int, around: Around | None) -> int | None:
        """An `if` statement."""
        then, orelse = self.new(), self.new()
        self.blocks[at].end = Fork(node.test, then, orelse)
        ends = self.sequence(node.body, then, around), self.sequence(node.orelse, orelse, around)
        if ends == (None, None):
            return None
        after = self.new()
        for end in ends:
            self.go(end, after)
        return after

    def while_loop(self, node: gast.While, at: int, around: Around | None) -> int:
        """A `while` loop; nothing comes after one without end but by `break`."""
        head, body, after, orelse = self.new(), self.new(), self.new(), self.new()
        self.go(at, head)
        is_endless = isinstance(node.test, gast.Constant) and bool(node.test.value)
        self.blocks[head].end = Goto(body) if is_endless else Fork(node.test, body, orelse)
        self.go(self.sequence(node.body, body, Around(after, head)), head)
        self.go(self.sequence(node.orelse, orelse, around), after)
        return after

    def for_loop(self, node: gast.For, at: int, around: Around | None) -> int:
        """A `for` loop: the place in what it goes through is in variables."""
        walk = self.walks.get(id(node))
        if walk is None:
            walk = self.walks[id(node)] = walk_of(node, self.unit)
        head, body, after, orelse = self.new(), self.new(), self.new(), self.new()
        self.blocks[at].statements += walk.begin
        self.go(at, head)
        self.blocks[head].statements += walk.before
        self.blocks[head].end = Fork(walk.test, body, orelse)
        self.blocks[body].statements += walk.take
        self.go(self.sequence(node.body, body, Around(after, head)), head)
        self.blocks[orelse].statements += walk.at_end
        self.go(self.sequence(node.orelse, orelse, around), after)
        return after


def named_yields(body: list[gast.stmt], unit: Unit) -> list[gast.stmt]:
    """The statements with every `yield` in an expression statement or an assignment, where that is simple."""
    return [new for node in body for new in named_yield(node, unit)]


def named_yield(node: Any, unit: Unit) -> list[gast.stmt]:
    """The same of one statement: of `return (yield v)`, `if (yield v):`, `x += yield v`."""
    for name in ("body", "orelse"):
        block = getattr(node, name, None)
        if isinstance(node, (gast.If, *LOOPS)) and block:
            setattr(node, name, named_yields(block, unit))
    part = "test" if isinstance(node, gast.If) else "value"
    is_simple = isinstance(node, (gast.Return, gast.If)) or isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name)
    if not is_simple or not isinstance(getattr(node, part), (gast.Yield, gast.YieldFrom)):
        return [node]
    name = unit.namer.fresh("sent")
    first = gast.copy_location(assign(name, getattr(node, part)), node)
    setattr(node, part, load(name))
    return [first, node]
