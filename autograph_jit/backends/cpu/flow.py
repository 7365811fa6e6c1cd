"""The control flow of an LLVM function under construction: what follows a block, loops, what comes before on every way."""

from __future__ import annotations

from llvmlite import ir


def successors(block: ir.Block) -> list[ir.Block]:
    """The blocks that control may go to from the end of a block, each once."""
    end = block.terminator
    found = [target for target in end.operands if isinstance(target, ir.Block)]
    if isinstance(end, ir.SwitchInstr):
        found += [end.default, *(target for _, target in end.cases)]
    return list(dict.fromkeys(found))


def predecessors(blocks: list[ir.Block]) -> dict[ir.Block, list[ir.Block]]:
    """By block, those of these blocks that control comes from."""
    found: dict[ir.Block, list[ir.Block]] = {block: [] for block in blocks}
    for block in blocks:
        for target in filter(found.__contains__, successors(block)):
            found[target].append(block)
    return found


def retarget(block: ir.Block, old: ir.Block, new: ir.Block) -> None:
    """Let control go to another block from the end of a block."""
    end = block.terminator
    end.operands = [new if operand is old else operand for operand in end.operands]
    if isinstance(end, ir.SwitchInstr):
        end.default = new if end.default is old else end.default
        end.cases = [(value, new if target is old else target) for value, target in end.cases]


def loops_among(blocks: list[ir.Block]) -> list[list[ir.Block]]:
    """The outermost loops that consist of these blocks: sets of blocks that reach one another (Tarjan 1972)."""
    search = _Search(blocks)
    for block in blocks:
        if block not in search.lowest:
            search.visit(block)
    return search.loops


class _Search:
    def __init__(self, blocks: list[ir.Block]) -> None:
        self.inside = set(blocks)
        self.lowest: dict[ir.Block, int] = {}
        self.stack: list[ir.Block] = []
        self.on_stack: set[ir.Block] = set()
        self.loops: list[list[ir.Block]] = []

    def enter(self, block: ir.Block) -> tuple[ir.Block, int, list[ir.Block]]:
        number = self.lowest[block] = len(self.lowest)
        self.stack.append(block)
        self.on_stack.add(block)
        return block, number, [target for target in successors(block) if target in self.inside]

    def visit(self, root: ir.Block) -> None:
        path = [self.enter(root)]
        while path:
            block, number, following = path[-1]
            if following:
                target = following.pop()
                if target not in self.lowest:
                    path.append(self.enter(target))
                elif target in self.on_stack:
                    self.lowest[block] = min(self.lowest[block], self.lowest[target])
                continue
            path.pop()
            if path:
                self.lowest[path[-1][0]] = min(self.lowest[path[-1][0]], self.lowest[block])
            if self.lowest[block] == number:
                self.leave(block)

    def leave(self, block: ir.Block) -> None:
        """The blocks from this one on in the stack reach one another."""
        found: list[ir.Block] = []
        while not found or found[-1] is not block:
            found.append(self.stack.pop())
        self.on_stack.difference_update(found)
        if len(found) > 1 or block in successors(block):
            self.loops.append(found[::-1])


def surely_before(blocks: list[ir.Block], first: ir.Block) -> dict[ir.Block, set[ir.Block]]:
    """By block of a part of a function that is entered at `first`, the blocks that every way to it goes through."""
    inside = set(blocks)
    before = predecessors(blocks)
    found = dict.fromkeys(blocks, inside) | {first: {first}}
    pending = [block for block in successors(first) if block in inside and block is not first]
    while pending:
        block = pending.pop()
        through = set.intersection(*(found[each] for each in before[block])) | {block}
        if len(through) < len(found[block]) or found[block] is inside:
            found[block] = through
            pending += [target for target in successors(block) if target in inside and target is not first]
    return found
