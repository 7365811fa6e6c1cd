"""Loop nests that threads can share: the nest is emitted as a function of a range of units, rows or stretches of elements.

    body(registers, first, last)               runs units first to last; what it uses of the function around is in `registers`
    work < LEAST_WORK:  body(registers, 0, units)
    otherwise:          ag_share(body, registers, units, work, null)       in pieces or not (`threads.py`), with the same result

The pieces write to different elements, and what a unit computes does not depend on how they are cut, so results do not depend on
the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace

from llvmlite import ir

from autograph_jit.backends.cpu.control.long_loops import emit_nest_by_stretches
from autograph_jit.backends.cpu.emitter import PENDING, Emitter
from autograph_jit.backends.cpu.folding import FoldingBuilder
from autograph_jit.backends.cpu.nests.domains import Turn, Walk
from autograph_jit.backends.cpu.runtime_module import declare
from autograph_jit.backends.cpu.signatures import I32, I64, PTR, VOID
from autograph_jit.backends.cpu.values import Array, Complex, Emitted, constant_of
from autograph_jit.ir.graph import Value
from autograph_jit.ir.scalar import Expr, in_order
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.records import dataclass

SHARE = "ag_share"
SHARE_TYPE = ir.FunctionType(VOID, [PTR, PTR, I64, I64, PTR])
BODY_TYPE = ir.FunctionType(VOID, [PTR, I64, I64])
BATCH_WORK = 4_000_000_000  # picoseconds of work between looks at signals
LEAST_WORK = 30_000_000  # picoseconds: below, threads are not asked even if they are awake
# Picoseconds for 8 bytes of each element, operand, operation, division; for a call of a C function.
ELEMENT_COST, OPERAND_COST, NODE_COST, DIVISION_COST, CALL_COST = 60, 40, 12, 100, 4_000
DIVISIONS = ("div", "sqrt", "floordiv", "mod")
FLAT_UNIT = 4096  # elements; a multiple of the blocks that guarded loops look through


def cost_of(expression: Expr) -> int:
    """About how long one element takes, in picoseconds."""
    calls, cost = 0, ELEMENT_COST * expression.dtype.itemsize
    for node in in_order(expression):
        if node.op == "call":
            calls += 1
        elif node.op != "const":
            price = OPERAND_COST if node.op == "operand" else DIVISION_COST if node.op in DIVISIONS else NODE_COST
            cost += price * node.dtype.itemsize
    return cost // 8 + calls * CALL_COST


@dataclass(slots=True)
class Outline:
    """A nest's function under emission."""

    e: Emitter
    function: ir.Function
    header: int = 0  # registers that are not captured, in front of those that are
    captured: dict[int, tuple[ir.Value, ir.Value]] = field(default_factory=dict)  # outside and inside, by identity of the first

    @property
    def first(self) -> ir.Value:
        return self.function.args[1]

    @property
    def last(self) -> ir.Value:
        return self.function.args[2]

    def capture(self, register: ir.Value) -> ir.Value:
        """A register of the function around, inside."""
        if isinstance(register, ir.Constant):
            return register
        if id(register) not in self.captured:
            with self.e.b.goto_entry_block():
                place = slot_of(self.e.b, self.function.args[0], self.header + len(self.captured))
                self.captured[id(register)] = register, self.e.b.load(place, typ=register.type)
        return self.captured[id(register)][1]

    def capture_value(self, emitted: Emitted) -> Emitted:
        if isinstance(emitted, Complex):
            return Complex(self.capture(emitted.re), self.capture(emitted.im))
        if isinstance(emitted, Array):
            shape, strides = tuple(map(self.capture, emitted.shape)), tuple(map(self.capture, emitted.strides))
            return replace(emitted, pointer=self.capture(emitted.pointer), owner=self.capture(emitted.owner), shape=shape, strides=strides)
        return self.capture(emitted)

    def capture_walk(self, walk: Walk) -> Walk:
        turns = {axis: Turn(self.capture(turn.shift), self.capture(turn.size)) for axis, turn in walk.turns.items()}
        return Walk(self.capture(walk.pointer), tuple(map(self.capture, walk.strides)), walk.itemsize, turns)

    def pack(self) -> ir.Value:
        """What was captured, in memory, at the builder's place in the function around."""
        registers = self.e.slots(self.header + len(self.captured))
        for index, (outside, _) in enumerate(self.captured.values(), self.header):
            self.e.b.store(outside, slot_of(self.e.b, registers, index))
        return registers


def scalars_of(builder: NestBuilder) -> list[Value]:
    """The numbers that a nest's expression uses, and the arrays whose elements integers choose."""
    return [value for value, spec in zip(builder.values, builder.operands) if spec.index_map is None or spec.indices]


def slot_of(b: ir.IRBuilder, registers: ir.Value, index: int) -> ir.Value:
    return b.gep(registers, [I64(index)], source_etype=I64)


def outline(e: Emitter, values: list[Value], emit: Callable[[Outline], None], header: int = 0) -> Outline:
    """Emit a nest in a function of its own, where these values of the graph are what they are here."""
    function = ir.Function(e.module, BODY_TYPE, e.module.get_unique_name("nest"))
    function.linkage = "internal"
    function.attributes.add("nounwind")
    made = Outline(e, function, header)
    around = e.function, e.b, {value: e.values[value] for value in values}
    e.function, e.b, e.is_outlined = function, FoldingBuilder(function.append_basic_block("entry")), True
    e.values.update({value: made.capture_value(emitted) for value, emitted in around[2].items()})
    emit(made)
    e.b.ret_void()
    e.function, e.b, e.is_outlined = *around[:2], False
    e.values.update(around[2])
    return made


def share(e: Emitter, made: Outline, units: ir.Value, work: ir.Value, batch: int = BATCH_WORK) -> None:
    """Run an outlined nest, alone or together with other threads; `work` is in picoseconds, as is that between looks at signals."""
    registers = None if e.loop_depth else made.pack()  # what is inlined keeps its registers: they are in memory on the other way only
    with e.b.if_else(is_large(e, work), likely=False) as (large, small):
        with large:
            share_now(e, made, units, work, batch, registers)
        with small:
            inside_loop = ("alwaysinline",) if e.loop_depth else ()
            e.b.call(made.function, [registers or made.pack(), I64(0), units], attrs=inside_loop)


def share_now(
    e: Emitter, made: Outline, units: ir.Value, work: ir.Value, batch: int = BATCH_WORK, registers: ir.Value | None = None
) -> None:
    """Run an outlined nest of which it is known that there is much to do: in batches, between which signals are looked at."""
    status = e.b.call(batches_function(e), [e.frame, made.function, registers or made.pack(), units, work, I64(batch)])
    with e.b.if_then(e.b.icmp_signed("!=", status, I32(0)), likely=False):
        e.leave(PENDING)


def batches_function(e: Emitter) -> ir.Function:
    """`batches(frame, body, registers, units, work, batch)`: the batches of any nest one after the other, with the other threads or, where
    the program shall not use them, alone; nonzero where a signal raised."""
    if (known := e.module.globals.get("batches")) is not None:
        return known
    function = own_function(e, "batches", ir.FunctionType(I32, [PTR, PTR, PTR, I64, I64, I64]))
    frame, body, registers, units, work, batch = function.args
    b = ir.IRBuilder(function.append_basic_block("entry"))
    blocks = [function.append_basic_block(name) for name in ("batch", "after", "calm", "done", "interrupted")]
    running, after, calm, done, interrupted = blocks
    place = b.alloca(I64, I64(3))
    place.type = PTR  # llvmlite's alloca still has a typed pointer
    b.store(registers, place)
    b.store(body, slot_of(b, place, 2))
    batches = b.add(b.udiv(work, batch), I64(1))
    part = b.udiv(b.udiv(work, batches), I64(1000))
    b.branch(running)
    b.position_at_end(running)
    number = b.phi(I64)
    number.add_incoming(I64(0), function.entry_basic_block)
    following = b.add(number, I64(1))
    first, last = (b.udiv(b.mul(units, end), batches) for end in (number, following))
    b.store(first, slot_of(b, place, 1))
    if e.parallel:
        b.call(share_function(e), [batch_function(e), place, b.sub(last, first), part, PTR(None)])
    else:
        b.call(batch_function(e), [place, I64(0), b.sub(last, first)])
    b.cbranch(b.icmp_unsigned("<", following, batches), after, done)
    b.position_at_end(after)
    number.add_incoming(following, calm)
    b.cbranch(b.icmp_signed("==", b.call(declare(e.module, "ag_poll"), [frame]), I32(0)), calm, interrupted)
    b.position_at_end(calm)
    b.branch(running)
    for block, status in ((done, 0), (interrupted, 1)):
        b.position_at_end(block)
        b.ret(I32(status))
    return function


@dataclass(frozen=True, slots=True)
class Body:
    """A nest's function in a register: llvmlite asks a pointer that it calls for the type of the function."""

    register: ir.Value
    type = PTR
    function_type = BODY_TYPE

    def get_reference(self) -> str:
        return self.register.get_reference()  # type: ignore[no-any-return]


def batch_function(e: Emitter) -> ir.Function:
    """`batch(place, first, last)`: units of the nest that `place` names behind its registers and the number from which on units count."""
    if (known := e.module.globals.get("batch")) is not None:
        return known
    function = own_function(e, "batch", BODY_TYPE)
    place, first, last = function.args
    b = ir.IRBuilder(function.append_basic_block("entry"))
    offset, body = b.load(slot_of(b, place, 1), typ=I64), b.load(slot_of(b, place, 2), typ=PTR)
    b.call(Body(body), [b.load(place, typ=PTR), b.add(first, offset), b.add(last, offset)])
    b.ret_void()
    return function


def own_function(e: Emitter, name: str, type: ir.FunctionType) -> ir.Function:
    """A function of the program's module that LLVM leaves as one."""
    function = ir.Function(e.module, type, name)
    function.linkage = "internal"
    for attribute in ("nounwind", "noinline"):
        function.attributes.add(attribute)
    return function


def share_function(e: Emitter) -> ir.Function:
    """The pool's `ag_share`."""
    return e.module.globals.get(SHARE) or ir.Function(e.module, SHARE_TYPE, SHARE)


def is_large(e: Emitter, work: ir.Value) -> ir.Value:
    """Whether there is work enough for threads."""
    return e.compare(">=", work, I64(LEAST_WORK))


def may_be_large(e: Emitter, builder: NestBuilder, sizes: tuple[ir.Value, ...], cost: int) -> bool:
    """Whether threads are used at all, and it is not known or likely that there is too little to do: a row in the inner of two loops."""
    if not e.shares or not sizes or (e.loop_depth > 1 and builder.rank == 1):
        return False
    total = constant_of(e.product(sizes)) if all(constant_of(size) is not None for size in sizes) else None
    return total is None or total * cost >= LEAST_WORK


def share_nest(
    e: Emitter,
    sizes: tuple[ir.Value, ...],
    walks: list[Walk],
    axis: int,
    unit: int,
    cost: int,
    builder: NestBuilder,
    nest: Callable[[tuple[ir.Value, ...], list[Walk]], None],
) -> None:
    """Emit a nest whose places along one axis are independent of each other, in units of that many, so that threads can share it."""
    if not may_be_large(e, builder, sizes, cost):
        if e.shares:
            nest(sizes, walks)
        else:
            emit_nest_by_stretches(e, sizes, walks, axis, nest)
        return

    def piece(made: Outline) -> None:
        first = e.mul(made.first, I64(unit))
        last = made.last if unit == 1 else e.minimum(e.mul(made.last, I64(unit)), made.capture(sizes[axis]))
        inner = [e.sub(last, first) if index == axis else made.capture(size) for index, size in enumerate(sizes)]
        captured = [made.capture_walk(walk) for walk in walks]
        nest(tuple(inner), [walk.moved(e, axis, first) for walk in captured])

    made = outline(e, scalars_of(builder), piece)
    units = sizes[axis] if unit == 1 else e.b.udiv(e.add(sizes[axis], I64(unit - 1)), I64(unit))
    share(e, made, units, e.mul(e.product(sizes), I64(cost)))
