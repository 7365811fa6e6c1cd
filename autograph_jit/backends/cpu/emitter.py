"""The state of one function under emission: where code goes, integer arithmetic, memory access, errors, values of the graph."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.byte_counts import UNCOUNTABLE, byte_count
from autograph_jit.backends.cpu.control.catching import MADE, Handler, Way, way_out
from autograph_jit.backends.cpu.folding import FoldingBuilder
from autograph_jit.backends.cpu.runtime_module import (
    FRAME_BUDGET,
    FRAME_CALLS,
    FRAME_LEFT,
    FRAME_PAYLOAD,
    FRAME_SITE,
    HEADER_BYTES,
    PENDING,
    declare,
)
from autograph_jit.backends.cpu.signatures import I1, I8, I64, PTR
from autograph_jit.backends.cpu.values import Array, Complex, Emitted, constant_of, flatten, memory_type
from autograph_jit.ir.dims import Dim, Size
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.scalar import real_dtype
from autograph_jit.ir.types import ArrayType, ListType, ScalarType
from autograph_jit.kernels.facts import Facts
from autograph_jit.kernels.held import Held
from autograph_jit.kernels.lifetimes import BlockLifetimes
from autograph_jit.kernels.loop_nest import LoopNest
from autograph_jit.kernels.pushes import Pushes
from autograph_jit.kernels.ranges import Ranges
from autograph_jit.kernels.updates import Update
from autograph_jit.ops.indexing import TOO_BIG
from autograph_jit.records import dataclass
from autograph_jit.source import SourceSpan

DEOPTIMIZED = -2  # of any exception, where Python makes the call again
UNFIT = -3  # a list is none of the numbers that the program is for
MOST_CALLERS = FRAME_LEFT - FRAME_CALLS - 1  # that an exception tells of, the innermost ones
CAUGHT = 4096  # that an exception takes from the budget of work: Python makes and drops it
SMALL_BYTES = 1 << 16  # of an array: the next run of an inner loop may have its memory, a larger one costs more than its allocation


@dataclass(frozen=True, slots=True)
class Site:
    """A place where compiled code fails: which exception, from which numbers, at which line."""

    build: Callable[..., Exception]
    payload: tuple[np.dtype, ...]
    span: SourceSpan | None


def no_memory(is_too_big: Any) -> Exception:
    """Why an array could not be made."""
    return ValueError(TOO_BIG) if is_too_big else MemoryError("compiled code cannot allocate an array")


@dataclass(slots=True)
class Emitter:
    """One function under emission."""

    module: ir.Module
    function: ir.Function
    b: FoldingBuilder
    facts: Facts
    consumers: dict[Operation, Operation]
    updates: dict[Operation, list[Update]]
    lifetimes: dict[Block, BlockLifetimes]
    ranges: Ranges
    local: set[Value]
    environment: ir.GlobalVariable
    frame: ir.Value = None
    failed: ir.Block = None
    budget: ir.Value = None  # work left until signals are looked at; in the frame on the way to a handler
    values: dict[Value, Emitted] = field(default_factory=dict)
    atoms: dict[str, ir.Value] = field(default_factory=dict)
    sites: list[Site] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    scopes: list[dict[Value, ir.Value]] = field(default_factory=list)
    handlers: list[Handler] = field(default_factory=list)
    told: dict[Operation, tuple[ir.Value, ...]] = field(default_factory=dict)  # for what asks of an exception: site and answer
    nests: list[LoopNest] = field(default_factory=list)
    host_calls: list[str] = field(default_factory=list)
    tallies: set[int] = field(default_factory=set)  # numbers of the places that are counted
    counted: dict[Any, int] = field(default_factory=dict)  # functions in which places are counted, each with the first of their numbers
    counts_host_calls: bool = False  # whether the program reads how many it has made
    deoptimizes: bool = False  # whether Python may have to make a call again
    strict: list[int] = field(default_factory=list)  # the places of lists that are read as numbers of one type, or not at all
    allocations: int = 0  # places that make an array
    operation: Operation | None = None
    held: dict[Operation, list[Held]] = field(default_factory=dict)  # temporaries of runs of updates
    absent: set[Value] = field(default_factory=set)  # these temporaries: arrays without memory
    product_sums: dict[Operation, list[Operation]] = field(default_factory=dict)  # see kernels.product_sums
    epilogues: dict[Operation, Operation] = field(default_factory=dict)  # products by the operation whose nest computes them
    runners: dict[Operation, Any] = field(default_factory=dict)  # how the nest of that operation is run
    found_with: dict[Operation, Operation] = field(default_factory=dict)  # extrema by the searches that find them in passing
    passing: set[Value] = field(default_factory=set)  # that end in the block that makes them: the next trip may have their memory
    reuses: dict[Operation, Value] = field(default_factory=dict)  # operands whose memory a result takes
    ready: dict[Operation, Array] = field(default_factory=dict)  # results of operations that were computed with others
    deferred: dict[Operation, list[Callable[[], None]]] = field(default_factory=dict)  # checks for where a branch or check says no
    postponed: dict[Operation, ir.Value] = field(default_factory=dict)  # the conditions of checks that wait for another one
    positions: dict[Block, dict[Any, tuple[ir.Function, ir.Value]]] = field(default_factory=dict)  # of indices that were checked in a block
    loop_depth: int = 0
    kept: list[ir.Value] = field(default_factory=list)  # the slots of what ends with a trip, in loops under emission and in those behind
    shares: bool = False  # whether large nests are cut, so that threads may share them
    parallel: bool = True  # whether threads do
    plain: frozenset[int] = frozenset()  # results that become Python numbers
    is_outlined: bool = False  # whether code goes to a function that threads run
    piece: Any = None  # of a loop that threads share, while it is emitted: how it looks at signals
    sharing_form: Any = None  # the form of the program in which they do, for large arguments
    alias_scopes: dict[str, Any] = field(default_factory=dict)
    access_group: ir.MDValue | None = None  # of a loop whose trips do not wait for each other
    neighbours: dict[Operation, list[Operation]] = field(default_factory=dict)  # assignments in one nest, by the last one
    masked: dict[Operation, Any] = field(default_factory=dict)  # what runs in the nests of assignments to what a mask selects
    waiting: set[Operation] = field(default_factory=set)  # gathers whose indices are looked at in the nest that reads them
    pending: dict[Operation, Callable[[], None]] = field(default_factory=dict)  # by such a gather: fail if it must, before others fail
    flags: dict[Any, ir.Value] = field(default_factory=dict)  # by nest: memory that is not 0 where an index was out of bounds
    in_scalars: bool = False  # whether loops under emission gather elements, which processors do as fast one by one
    is_rare: bool = False  # whether the loop under emission is run where something is out of bounds only
    assured: set[Any] = field(default_factory=set)  # checked in front of a loop: indices by operation and axis, sums
    lockstep: dict[Operation, Any] = field(default_factory=dict)  # how loops run whose trips run side by side, None for others
    chained: set[Operation] = field(default_factory=set)  # whose products are looked at later, see arithmetic.chains
    trip_sums: set[Operation] = field(default_factory=set)  # whose order may change
    few_trips: dict[Operation, bool] = field(default_factory=dict)  # whether `while` loops end within a few trips
    pushes: dict[Operation, Pushes] = field(default_factory=dict)  # appends behind one another
    ends: dict[Pushes, tuple[ir.Value, ir.Value]] = field(default_factory=dict)  # how many items there were before, where new ones go
    short_searches: set[Operation] = field(default_factory=set)  # loops under emission for few trips
    afterwards: Any = None  # where it is noted that a check failed, while a loop is emitted whose exceptions wait until it is done
    has_array_parameters: bool = False
    written_lists: dict[int, tuple[ListType, ...]] = field(default_factory=dict)  # of a value the types of lists that get their items back
    written_types: list[ListType] = field(default_factory=list)  # all of these
    given: set[Any] = field(default_factory=set)  # roots of the arrays that Python is given while the program runs
    calls_left: ir.Value = None  # of recursive functions, in one of them
    failed_calls: dict[ir.Block, Any] = field(default_factory=dict)  # where calls of functions leave that failed, by where that leads
    functions: dict[Any, Any] = field(default_factory=dict)  # that the program calls, by their forms, shared with their emitters
    reads_constants: bool = False  # whether texts that are constants are read as Python's, by the hash that they have
    retreat: ir.Block | None = None  # where checks go that fail, instead of to their exception: what they belong to is done again

    # Integers: constants fold at once, so that sizes and strides that are known stay literal.

    def integer(self, value: int) -> ir.Constant:
        return I64(value)

    def add(self, x: ir.Value, y: ir.Value) -> ir.Value:
        p, q = constant_of(x), constant_of(y)
        if p is not None and q is not None:
            return I64(p + q)
        return y if p == 0 else x if q == 0 else self.b.add(x, y)

    def sub(self, x: ir.Value, y: ir.Value) -> ir.Value:
        p, q = constant_of(x), constant_of(y)
        if p is not None and q is not None:
            return I64(p - q)
        return x if q == 0 else self.b.sub(x, y)

    def mul(self, x: ir.Value, y: ir.Value) -> ir.Value:
        p, q = constant_of(x), constant_of(y)
        if p is not None and q is not None:
            return I64(p * q)
        if p == 0 or q == 0:
            return I64(0)
        return y if p == 1 else x if q == 1 else self.b.mul(x, y, flags=["nsw"])

    def compare(self, op: str, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.b.icmp_signed(op, x, y)

    def select(self, condition: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
        known = constant_of(condition)
        return self.b.select(condition, x, y) if known is None else x if known else y

    def minimum(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.b.select(self.compare("<", x, y), x, y)

    def maximum(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.b.select(self.compare(">", x, y), x, y)

    def product(self, factors: tuple[ir.Value, ...]) -> ir.Value:
        total: ir.Value = I64(1)
        for factor in factors:
            total = self.mul(total, factor)
        return total

    def size(self, dim: Size) -> ir.Value | None:
        """A symbolic size as a number, None where an atom of it is not a parameter's size."""
        if isinstance(dim, int):
            return I64(dim)
        if not isinstance(dim, Dim) or any(name not in self.atoms for name, _ in dim.terms):
            return None
        total: ir.Value = I64(dim.const)
        for name, coefficient in dim.terms:
            total = self.add(self.mul(self.atoms[name], I64(coefficient)), total)
        return total

    # Calls, blocks, memory.

    def opaque(self, literal: ir.Constant) -> ir.Value:
        """A literal float in a register of which LLVM does not know what it is."""
        word = ir.IntType(64 if isinstance(literal.type, ir.DoubleType) else 32)
        with self.b.goto_entry_block():
            hidden = self.b.asm(ir.FunctionType(word, [word]), "", "=r,0", [self.b.bitcast(literal, word)], False)
            return self.b.bitcast(hidden, literal.type)

    def call(self, name: str, *args: ir.Value) -> ir.Value:
        return self.b.call(declare(self.module, name), list(args))

    def intrinsic(
        self, name: str, result: ir.Type, *args: ir.Value, attributes: tuple[str, ...] = (), fastmath: tuple[str, ...] = ()
    ) -> ir.Value:
        """Call an external function by its symbol."""
        function = self.module.globals.get(name)
        if function is None:
            function = ir.Function(self.module, ir.FunctionType(result, [arg.type for arg in args]), name)
            for attribute in attributes:
                function.attributes.add(attribute)
        return self.b.call(function, list(args), fastmath=fastmath)

    def block(self, name: str) -> ir.Block:
        return self.function.append_basic_block(name)

    def slots(self, count: int, type: ir.Type = I64) -> ir.Value:
        """Memory in the function's stack frame, reserved once."""
        with self.b.goto_entry_block():
            slot = self.b.alloca(ir.ArrayType(type, max(count, 1)))
            slot.align = 64 if count > 4 else 16
            slot.type = PTR  # llvmlite's alloca still has a typed pointer
        return slot

    def offset(self, pointer: ir.Value, distance: ir.Value) -> ir.Value:
        """The address `distance` bytes further."""
        return pointer if constant_of(distance) == 0 else self.b.gep(pointer, [distance], inbounds=True, source_etype=I8)

    def load_number(self, pointer: ir.Value, dtype: np.dtype, aligned: bool = True, scope: str | None = None) -> Emitted:
        """The number at an address, in registers."""
        part = real_dtype(dtype)
        if dtype.kind == "c":
            return Complex(*(self.load_part(self.offset(pointer, I64(at)), part, aligned, scope) for at in (0, part.itemsize)))
        value = self.load_part(pointer, part, aligned, scope)
        return self.b.icmp_unsigned("!=", value, I8(0)) if dtype.kind == "b" else value

    def load_part(self, pointer: ir.Value, dtype: np.dtype, aligned: bool, scope: str | None) -> ir.Value:
        loaded = self.b.load(pointer, typ=memory_type(dtype), align=dtype.itemsize if aligned else 1)
        self.mark_scope(loaded, scope)
        return loaded

    def store_number(self, value: Emitted, pointer: ir.Value, dtype: np.dtype, aligned: bool = True, scope: str | None = None) -> None:
        """Store a number that is in registers."""
        part = real_dtype(dtype)
        parts = [value.re, value.im] if isinstance(value, Complex) else [self.b.zext(value, I8) if dtype.kind == "b" else value]
        for index, number in enumerate(parts):
            stored = self.b.store(number, self.offset(pointer, I64(index * part.itemsize)), align=part.itemsize if aligned else 1)
            self.mark_scope(stored, scope)

    def mark_scope(self, instruction: ir.Instruction, scope: str | None) -> None:
        """Tell LLVM that the memory of one parameter is not that of another."""
        if self.access_group is not None:
            instruction.set_metadata("llvm.access.group", self.access_group)
        if scope is None or scope not in self.alias_scopes:
            return
        own, others = self.alias_scopes[scope]
        instruction.set_metadata("alias.scope", own)
        instruction.set_metadata("noalias", others)

    def contiguous_strides(self, shape: tuple[ir.Value, ...], itemsize: int) -> tuple[ir.Value, ...]:
        strides: list[ir.Value] = []
        step: ir.Value = I64(itemsize)
        for size in reversed(shape):
            strides.insert(0, step)
            step = self.mul(step, size)
        return tuple(strides)

    def allocate(self, shape: tuple[ir.Value, ...], dtype: np.dtype, zero: bool = False, result: Value | None = None) -> Array:
        """A fresh C-order array, on the stack if the value that it becomes stays local; the failure is MemoryError, or NumPy's ValueError
        where the number of bytes leaves 64 bits.
        What ends with a trip of a loop is made in the memory that the trip before used."""
        if result is not None and result in self.local:
            assert isinstance(result.type, ArrayType)
            sizes = [dim for dim in result.type.dims if isinstance(dim, int)]
            shape, count = tuple(I64(size) for size in sizes), math.prod(sizes)
            pointer = self.slots(max(count * dtype.itemsize // 8, 1) + 1)
            return Array(pointer, PTR(None), shape, self.contiguous_strides(shape, dtype.itemsize), dtype, True, "fresh")
        self.allocations += 1
        size = byte_count(self.b, shape, dtype.itemsize)
        if self.loop_depth and result in self.passing and not zero:
            self.kept.append(self.empty_slot())
            header = self.call("ag_alloc_again", self.frame, self.kept[-1], size)
        else:
            header = self.call("ag_alloc_zero" if zero else "ag_alloc", self.frame, size)
        is_too_big = self.compare("==", size, I64(UNCOUNTABLE))
        self.guard(self.b.icmp_unsigned("!=", header, PTR(None)), no_memory, (is_too_big, np.dtype(bool)))
        pointer = self.offset(header, I64(HEADER_BYTES))
        return Array(pointer, header, shape, self.contiguous_strides(shape, dtype.itemsize), dtype, True, "fresh")

    def empty_slot(self) -> ir.Value:
        """A pointer in the stack frame, null when the call begins."""
        slot = self.slots(1)
        with self.b.goto_entry_block():
            self.b.store(PTR(None), slot)
        return slot

    def empty_slots(self, first: int) -> None:
        """Behind a loop: free what its trips kept for each other, slots from that number on; small blocks wait for the end of all loops."""
        for slot in self.kept[first:]:
            if slot.function is self.function:
                self.call("ag_empty", self.frame, slot, I64(SMALL_BYTES if self.loop_depth else 0))
        if not self.loop_depth:
            self.kept.clear()

    # Values of the graph.

    def get(self, value: Value) -> Emitted:
        return self.values[value]

    def set_atoms(self, value: Value, array: Array) -> None:
        """Remember which numbers a parameter's symbolic sizes are."""
        assert isinstance(value.type, ArrayType)
        for dim, size in zip(value.type.dims, array.shape):
            if isinstance(dim, Dim) and dim.const == 0 and len(dim.terms) == 1 and dim.terms[0][1] == 1:
                self.atoms.setdefault(dim.terms[0][0], size)

    # Errors.

    def guard(self, ok: ir.Value, build: Callable[..., Exception], *payload: tuple[ir.Value, np.dtype]) -> None:
        """Fail unless `ok`: the exception is `build(*payload)` at the current operation's span."""
        if constant_of(ok) == 1:
            return
        if self.afterwards is not None:
            self.afterwards.note(self, ok)
            return
        failing, passed = self.retreat or self.block("fails"), self.block("ok")
        self.b.cbranch(ok, passed, failing).set_weights([1 << 20, 1])
        self.b.follow(passed, self.b.block)
        if self.retreat is None:
            self.b.position_at_end(failing)
            self.fail_pending()
            self.fail(build, *payload)
        self.b.position_at_end(passed)

    def fail_pending(self) -> None:
        """Where something fails, what waits for a nest may have had to fail before."""
        pending, operation = self.pending, self.operation
        self.pending = {}
        for gather, check in pending.items():
            self.operation = gather
            check()
        self.pending, self.operation = pending, operation

    def fail(self, build: Callable[..., Exception], *payload: tuple[ir.Value, np.dtype]) -> None:
        """Leave with an exception that Python makes; ends the block."""
        if self.retreat is not None:
            self.b.branch(self.retreat)
            return
        if self.is_left_to_python():
            self.deoptimize()
            return
        span = self.operation.span if self.operation else None
        self.sites.append(Site(build, tuple(dtype for _, dtype in payload), span))
        for index, (value, dtype) in enumerate(payload):
            self.store_number(value, self.b.gep(self.frame, [I64(FRAME_PAYLOAD + index)], source_etype=I64), dtype, aligned=True)
        self.leave(len(self.sites) - 1)

    def is_caught(self) -> bool:
        """Whether an exception of the current operation goes to a handler (not where an operation without unwind lacks memory)."""
        return bool(self.handlers and self.operation and len(self.operation.unwind) == len(self.handlers[-1].state))

    def leave(self, site: int | ir.Value) -> None:
        """Go to the handler of the innermost `try_`, else to the function's end."""
        if self.is_left_to_python():
            self.deoptimize()
            return
        if self.is_caught():
            self.unwind(site)
            return
        number = I64(site) if isinstance(site, int) else site
        self.b.store(number, self.b.gep(self.frame, [I64(FRAME_SITE)], source_etype=I64))
        self.b.branch(self.failed)

    def is_left_to_python(self) -> bool:
        """Whether Python makes the call again where the current operation fails."""
        return self.operation is not None and self.operation.deoptimizes

    def deoptimize(self) -> None:
        """Go to the function's end past all handlers: nothing has been done that they could have to write back."""
        self.deoptimizes = True
        self.b.store(I64(DEOPTIMIZED), self.b.gep(self.frame, [I64(FRAME_SITE)], source_etype=I64))
        self.b.branch(self.failed)

    def unwind(self, site: int | ir.Value) -> None:
        """Give the exception of a site, or the pending one, to the handler with its state, drop what the body held; ends the block. Places
        that leave the same behind them share the code for it."""
        handler = self.handlers[-1]
        assert self.operation is not None
        answers = handler.answers(self.operation) if isinstance(site, int) and site != PENDING else None
        state, kept = list[ir.Value](), list[ir.Value]()
        for value, target in zip(self.operation.unwind, handler.state):
            emitted = self.get(value)
            state += flatten(target.type, self.facts.is_contiguous(target), emitted)
            if not isinstance(value.type, ScalarType):
                kept.append(emitted.owner if isinstance(emitted, Array) else emitted)
        dropped = [owner for scope in reversed(self.scopes[handler.depth :]) for owner in scope.values()]
        way = way_out(answers, kept, dropped)
        given = [I64(site) if isinstance(site, int) else site, self.budget, *state]
        if way not in handler.ways:
            handler.ways[way] = self.way_to(handler, way, [value.type for value in given])
        block, phis = handler.ways[way]
        for phi, incoming in zip(phis, given, strict=True):
            phi.add_incoming(incoming, self.b.block)
        self.b.branch(block)

    def way_to(self, handler: Handler, way: Way, types: list[ir.Type]) -> tuple[ir.Block, list[ir.PhiInstr]]:
        """The code of a way; its phis take the site, the budget and the handler's state from each place that fails."""
        here, block = self.b.block, self.block("caught")
        self.b.position_at_end(block)
        site, budget, *state = phis = [self.b.phi(type) for type in types]
        exception = PTR(None)
        if way.answers is None:
            exception, made = self.call("ag_catch_site", self.frame, self.b.load(self.environment, typ=PTR), site), self.block("made")
            self.b.cbranch(self.b.icmp_unsigned("!=", exception, PTR(None)), made, self.failed).set_weights([1 << 20, 1])
            self.b.position_at_end(made)
        self.b.store(self.b.sub(budget, I64(CAUGHT)), self.b.gep(self.frame, [I64(FRAME_BUDGET)], source_etype=I64))
        for owner in way.kept:
            self.call("ag_retain", owner)
        for owner in way.dropped:
            self.call("ag_release", self.frame, owner)
        arguments = [site, exception, *state] if handler.numbered else [exception, *state]
        if handler.tests is not None:
            arguments += [I64(MADE) if way.answers is None else site, *map(I1, way.answers or [False] * len(handler.tests))]
        for phi, incoming in zip(handler.phis, arguments, strict=True):
            phi.add_incoming(incoming, self.b.block)
        self.b.branch(handler.block)
        self.b.position_at_end(here)
        return block, phis
