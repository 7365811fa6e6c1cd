"""Which variables a generator function needs behind each of its `yield`s, and which have a value there."""

from __future__ import annotations

import gast

from autograph_jit.converters.resumable_blocks import Block, Finish, Fork, Pause
from autograph_jit.syntax.liveness import Liveness
from autograph_jit.syntax.reaching import DefiniteAssignment

Names = frozenset[str]
NONE: Names = frozenset()


def successors(block: Block) -> tuple[int, ...]:
    """The blocks that may come next, also in the next step."""
    return (*((block.end.to,) if isinstance(block.end, Pause) else block.followers()), *block.on_error)


def head_of(block: Block) -> list[gast.AST]:
    """The expression that a block ends with."""
    if isinstance(block.end, Fork):
        return [block.end.test]
    return [block.end.value] if isinstance(block.end, (Pause, Finish)) and block.end.value is not None else []


def reachable(blocks: list[Block]) -> list[int]:
    """The blocks that may be reached from the first."""
    found = [0]
    for number in found:
        found += [each for each in dict.fromkeys(successors(blocks[number])) if each not in found]
    return found


def live_before(blocks: list[Block], variables: Names) -> list[Names]:
    """The variables that each block, or one after it, may read before they are assigned."""
    live, uses = [NONE] * len(blocks), Liveness(variables, NONE, NONE)
    is_changed = True
    while is_changed:
        is_changed = False
        for number in range(len(blocks) - 1, -1, -1):
            block = blocks[number]
            after: Names = NONE.union(*(live[each] for each in successors(block)))
            for head in head_of(block):
                after = uses.statement(gast.Expr(head), after, NONE)
            caught: Names = NONE.union(*(live[each] for each in block.on_error))
            before = (uses.block(block.statements, after, NONE) | caught) & variables
            is_changed |= before != live[number]
            live[number] = before
    return live


def assigned_behind(blocks: list[Block], variables: Names, parameters: Names) -> tuple[list[Names | None], Names]:
    """The variables that certainly have a value at the end of each block, None where it is not reached; those that some read may find
    without one."""
    before: list[Names | None] = [parameters, *[None] * (len(blocks) - 1)]
    behind: list[Names | None] = [None] * len(blocks)
    waiting, doubtful = [0], set[str]()
    while waiting:
        number = waiting.pop()
        block, rule = blocks[number], DefiniteAssignment(variables, {})
        end = rule.block(block.statements, before[number])
        for head in head_of(block):
            end = None if end is None else rule.value(head, end)
        behind[number] = end
        doubtful |= rule.unbound
        if end is None:
            continue
        for each in successors(block):
            known, leaves = before[each], end & (before[number] or NONE) if each in block.on_error else end
            new = leaves if known is None else known & leaves
            if new != known:
                before[each] = new
                waiting.append(each)
    return behind, frozenset(doubtful)
