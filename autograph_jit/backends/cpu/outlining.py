"""Takes the loops of an LLVM function under construction out of it, into functions of their own, of which equal ones are kept once.

Before:  loop: %i = phi [0, %a], ...  br %c, %loop, %end       After:  part: %r = call @part(0, ...)  br %end

What a loop reads from outside becomes arguments, what is read of it afterwards the result, with the number of the way that it is left by
where there are several. LLVM's own pass looks at the whole function again for each loop: 66 s for 2,400 loops in one function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu.flow import loops_among, predecessors, retarget, successors, surely_before
from autograph_jit.records import dataclass

I32, VOID = ir.IntType(32), ir.VoidType()
REGISTER = (ir.Instruction, ir.Argument)
WAYS, BLOCKS = 8, 300  # that a loop of several ways out has at most: each returns all that is read afterwards
LARGEST = 500  # instructions of a loop that keeps the loops in it
LITERALS = 6  # numbers of a loop that are arguments: loops that differ in them alone are equal
LIKE_ANY = frozenset({"fadd", "fsub", "fmul", "fcmp", "select"})  # that are as fast where LLVM does not know the number
WELL_KNOWN = (0.0, 1.0, -1.0)


@dataclass(slots=True, eq=False)
class Loop:
    """The blocks of a loop, what it reads of the function around, and what that reads of it."""

    blocks: list[ir.Block]
    header: ir.Block
    reads: dict[ir.Value, None] = field(default_factory=dict)
    results: dict[ir.Value, None] = field(default_factory=dict)


class LoopFunction(ir.Function):  # type: ignore[misc]
    """A loop as a function, which is printed once: nothing changes it afterwards."""

    text = ""

    def __str__(self) -> str:
        return self.text or str(super().__str__())


class Outliner:
    """Takes loops out of the functions of a module."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.parts: dict[str, LoopFunction] = {}  # by their text

    def outline(self, function: ir.Function, blocks: list[ir.Block]) -> int:
        """Take out the outermost loops among some blocks of a function; gives how many there were."""
        before = predecessors(function.blocks)
        loops = list(loops_to_take(blocks, before))
        find_values(function, loops)
        inside = {block for loop in loops for block in loop.blocks}
        replaced: dict[ir.Value, ir.Value] = {}
        calls = {loop.header: Extraction(self, function, loop, before, replaced).extract() for loop in loops}
        function.blocks = [each for block in function.blocks for each in calls.get(block, () if block in inside else (block,))]
        for block in function.blocks:
            substitute(block, replaced)
        return len(loops)

    def kept(self, part: LoopFunction) -> LoopFunction:
        """The function that was there before, if there is an equal one."""
        for block in part.blocks:
            for named in (block, *block.instructions):
                named.name = ""  # they are numbered from the beginning
        part.text = str(part)
        known = self.parts.setdefault(self.written_out(part.text.replace(part.get_reference(), "", 1)), part)
        if known is not part:
            del self.module.globals[part.name]
        return known

    def written_out(self, text: str) -> str:
        """The text of a function with the metadata itself that it refers to by numbers of the module."""
        seen: dict[str, str] = {}

        def written(node: Any) -> str:
            reference: str = node.get_reference()
            if not isinstance(node, ir.MDValue) or reference in seen:
                return seen.get(reference, f"{node.type} {reference}")
            seen[reference] = f"!{len(seen)}"
            return f"{{{', '.join(map(written, node.operands))}}}"

        return re.sub(r"!(\d+)", lambda found: written(self.module.metadata[int(found[1])]), text)


class Extraction:
    """A loop on its way into a function; `before` and `replaced` belong to the function around: the ways to its blocks, the new values."""

    def __init__(
        self,
        outliner: Outliner,
        function: ir.Function,
        loop: Loop,
        before: dict[ir.Block, list[ir.Block]],
        replaced: dict[ir.Value, ir.Value],
    ) -> None:
        self.outliner, self.function, self.loop, self.before, self.replaced = outliner, function, loop, before, replaced
        inside = set(loop.blocks)
        self.entering = [block for block in before[loop.header] if block not in inside]
        self.exits = [(block, target) for block in loop.blocks for target in successors(block) if target not in inside]
        fields = [I32] * (len(self.exits) > 1) + [value.type for value in loop.results]
        self.type = VOID if not fields else fields[0] if len(fields) == 1 else ir.LiteralStructType(fields)

    def extract(self) -> list[ir.Block]:
        """Make the function, and the blocks in the place of the loop."""
        module, phis = self.outliner.module, phis_of(self.loop.header)
        literals = literals_of(self.loop.blocks)
        calling = ir.Block(self.function, "part")
        starts = {phi: self.start(phi, calling) for phi in phis}
        given = {phi: start for phi, start in starts.items() if not isinstance(start, ir.Constant)}
        arguments = [*given.values(), *self.loop.reads, *literals]
        types = [value.type for value in arguments]
        part = LoopFunction(module, ir.FunctionType(self.type, types), module.get_unique_name("part"))
        part.linkage = "internal"
        for attribute in ("noinline", "nounwind"):
            part.attributes.add(attribute)
        first = part.append_basic_block("")
        ir.IRBuilder(first).branch(self.loop.header)
        for phi, start in (starts | dict(zip(given, part.args))).items():
            phi.incomings = [(start, first), *((value, block) for value, block in phi.incomings if block not in self.entering)]
        inner = dict(zip([*self.loop.reads, *literals], part.args[len(given) :]))
        for block in self.loop.blocks:
            block.parent, block.scope = part, part.scope
            part.blocks.append(block)
            substitute(block, inner)
        self.leave(part)
        if sum(len(block.instructions) for block in part.blocks) > LARGEST:
            self.outliner.outline(part, [block for block in self.loop.blocks if block is not self.loop.header])
        for block in self.entering:
            retarget(block, self.loop.header, calling)
        self.before[calling] = self.entering
        return self.call(self.outliner.kept(part), calling, arguments)

    def start(self, phi: ir.PhiInstr, calling: ir.Block) -> ir.Value:
        """What a phi of the header is when control comes to the loop."""
        outside = [(value, block) for value, block in phi.incomings if block in self.entering]
        if len(outside) == 1:
            return outside[0][0]
        start = ir.IRBuilder(calling).phi(phi.type)
        start.incomings = outside
        return start

    def leave(self, part: ir.Function) -> None:
        """Return where control leaves the loop."""
        earlier = surely_before(self.loop.blocks, self.loop.header) if len(self.exits) > 1 else {}
        for number, (block, target) in enumerate(self.exits):
            b = ir.IRBuilder(part.append_basic_block(""))
            retarget(block, target, b.block)
            values = [I32(number)] * (len(self.exits) > 1)
            values += [value if not earlier or value.parent in earlier[block] else value.type(ir.Undefined) for value in self.loop.results]
            result = self.type(ir.Undefined) if len(values) > 1 else None
            for position, value in enumerate(values):
                result = value if result is None else b.insert_value(result, value, position)
            b.ret_void() if result is None else b.ret(result)

    def call(self, part: ir.Function, calling: ir.Block, arguments: list[ir.Value]) -> list[ir.Block]:
        """Call the function, and go where it says."""
        b = ir.IRBuilder(calling)
        result = b.call(part, arguments)
        several = len(self.exits) > 1
        for position, value in enumerate(self.loop.results, several):
            self.replaced[value] = b.extract_value(result, position) if len(self.loop.results) + several > 1 else result
        if not several:
            self.arrive(*self.exits[0], calling)
            b.branch(self.exits[0][1])
            return [calling]
        ways = [ir.Block(self.function, "left") for _ in self.exits]
        choice = b.switch(b.extract_value(result, 0) if self.loop.results else result, ways[0])
        for number, (way, (block, target)) in enumerate(zip(ways, self.exits)):
            if number:
                choice.add_case(I32(number), way)
            self.before[way] = [calling]
            self.arrive(block, target, way)
            ir.IRBuilder(way).branch(target)
        return [calling, *ways]

    def arrive(self, block: ir.Block, target: ir.Block, way: ir.Block) -> None:
        """Control comes to a block from elsewhere than before."""
        self.before[target] = [way if each is block else each for each in self.before[target]]
        for phi in phis_of(target):
            phi.incomings = [(value, way if each is block else each) for value, each in phi.incomings]


def loops_to_take(blocks: list[ir.Block], before: dict[ir.Block, list[ir.Block]]) -> Iterator[Loop]:
    """The outermost loops that control comes into at one place and leaves on few ways; of others those in them."""
    for found in loops_among(blocks):
        inside = set(found)
        headers = [block for block in found if any(each not in inside for each in before[block])]
        ways = sum(target not in inside for block in found for target in successors(block))
        if len(headers) == 1 and (ways == 1 or (1 < ways <= WAYS and len(found) <= BLOCKS)):
            yield Loop(found, headers[0])
        elif headers:
            yield from loops_to_take([block for block in found if block is not headers[0]], before)


def find_values(function: ir.Function, loops: list[Loop]) -> None:
    """What loops read of the function around, and what that reads of them."""
    loop_of = {block: loop for loop in loops for block in loop.blocks}

    def note(value: ir.Value, reader: Loop | None) -> None:
        maker = loop_of.get(value.parent) if isinstance(value, ir.Instruction) else None
        if reader is not maker:
            if reader is not None:
                reader.reads[value] = None
            if maker is not None:
                maker.results[value] = None

    for block in function.blocks:
        here = loop_of.get(block)
        for instruction in block.instructions:
            if isinstance(instruction, ir.PhiInstr):  # its values are read where control comes from
                for value, way in instruction.incomings:
                    if isinstance(value, REGISTER):
                        note(value, here if loop_of.get(way) is here else None)
                continue
            for value in instruction.operands:
                if isinstance(value, REGISTER) and value.parent is not block:
                    note(value, here)


def phis_of(block: ir.Block) -> list[ir.PhiInstr]:
    """The phis that a block begins with."""
    return [instruction for instruction in block.instructions if isinstance(instruction, ir.PhiInstr)]


def literals_of(blocks: list[ir.Block]) -> dict[ir.Value, None]:
    """The numbers in a loop that may as well be arguments; none where they are many, as in the series of a function."""
    found: dict[ir.Value, None] = {}
    for block in blocks:
        for instruction in block.instructions:
            if instruction.opname in LIKE_ANY:
                found.update((operand, None) for operand in instruction.operands if is_any_number(operand))
    return found if len(found) <= LITERALS else {}


def is_any_number(value: ir.Value) -> bool:
    """Whether a value is a number that is no better known than not."""
    return isinstance(value, ir.Constant) and isinstance(value.constant, float) and value.constant not in WELL_KNOWN


def substitute(block: ir.Block, replaced: dict[ir.Value, ir.Value]) -> None:
    """Let the instructions of a block read other values."""
    for instruction in block.instructions if replaced else ():
        if isinstance(instruction, ir.PhiInstr):
            instruction.incomings = [(replaced.get(value, value), way) for value, way in instruction.incomings]
        elif not replaced.keys().isdisjoint(instruction.operands):
            instruction.operands = [replaced.get(operand, operand) for operand in instruction.operands]
            renew(instruction)


def renew(instruction: ir.Instruction) -> None:
    """llvmlite prints some operands from where it keeps them a second time."""
    if isinstance(instruction, ir.GEPInstr):
        instruction.pointer, *instruction.indices = instruction.operands
    elif isinstance(instruction, ir.ExtractValue | ir.InsertValue):
        instruction.aggregate = instruction.operands[0]
        instruction.value = instruction.operands[-1]
