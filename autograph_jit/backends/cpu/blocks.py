"""Blocks of a graph in order: each operation by its rule, references given up after their last use, yields handed on."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.chains import chains_of, look_at
from autograph_jit.backends.cpu.arrays.gathering import defer_gather
from autograph_jit.backends.cpu.arrays.masks import check_selection
from autograph_jit.backends.cpu.arrays.routines import defer_rotation
from autograph_jit.backends.cpu.control.budget import take
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.host import emit_by_eager_rule
from autograph_jit.backends.cpu.nests.elementwise import emit_deferred, emit_pointwise
from autograph_jit.backends.cpu.products.matmul import defer_product
from autograph_jit.backends.cpu.rules import RULES
from autograph_jit.backends.cpu.signatures import I64
from autograph_jit.backends.cpu.values import Array, Complex, Emitted, flat_types, flatten
from autograph_jit.budget import Work, spend
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.types import ArrayType, ListType, ScalarType
from autograph_jit.kernels.lifetimes import is_owning, root_of

# Of most 30 to 200; several thousands for products of matrices, of which there are few.
EMITTED = Work("operations emitted", 80.0)
DEFERRED = {"gather": defer_gather, "concat": defer_rotation, "matmul": defer_product}


def owner_of(value: Emitted) -> ir.Value:
    return value.owner if isinstance(value, Array) else value


def alias_scope(e: Emitter, value: Value) -> str | None:
    """The name of the memory that an array lies in for LLVM, None where it may be one of several."""
    roots = e.facts.roots_of(value)
    if roots and all(root[0] == "fresh" for root in roots):
        return "fresh"
    if len(roots) == 1:
        (root,) = roots
        if root[0] == "param":
            return f"param{root[1]}" if e.facts.distinct_parameters else "param"
    return None


def unflatten(e: Emitter, value: Value, registers: list[ir.Value]) -> Emitted:
    """The inverse of `flatten`, for the value at the receiving end."""
    type = value.type
    if isinstance(type, ScalarType):
        return Complex(*registers) if type.dtype.kind == "c" else registers[0]
    if not isinstance(type, ArrayType):
        return registers[0]
    pointer, owner, *rest = registers
    shape = tuple(I64(dim) if isinstance(dim, int) else rest.pop(0) for dim in type.dims)
    contiguous = e.facts.is_contiguous(value)
    strides = e.contiguous_strides(shape, type.dtype.itemsize) if contiguous else tuple(rest)
    return Array(pointer, owner, shape, strides, type.dtype, contiguous, alias_scope(e, value))


def make_phis(e: Emitter, targets: list[Value]) -> list[ir.PhiInstr]:
    """Phis at the current position for the registers of the targets."""
    return [e.b.phi(type) for value in targets for type in flat_types(value.type, e.facts.is_contiguous(value))]


def bind_phis(e: Emitter, targets: list[Value], phis: list[ir.PhiInstr]) -> list[Emitted]:
    """The emitted values that consist of the phis; the builder must stand behind all phis."""
    emitted, position = [], 0
    for value in targets:
        count = len(flat_types(value.type, e.facts.is_contiguous(value)))
        emitted.append(unflatten(e, value, phis[position : position + count]))
        position += count
    return emitted


def add_incoming(e: Emitter, phis: list[ir.PhiInstr], registers: list[ir.Value]) -> None:
    for phi, register in zip(phis, registers, strict=True):
        phi.add_incoming(register, e.b.block)


def carry(e: Emitter, value: Value, target: Value, moves: bool = False) -> list[ir.Value]:
    """The registers that bring a value to a target, with a reference for it: the value's own if it moves, else a new one."""
    emitted = e.get(value)
    if not isinstance(value.type, ScalarType):
        if moves:
            e.scopes[-1].pop(root_of(value))
        else:
            e.call("ag_retain", owner_of(emitted))
    return flatten(target.type, e.facts.is_contiguous(target), emitted)


def enter_block(e: Emitter, block: Block, arguments: list[Emitted]) -> bool:
    """Emit a block; False if it ended in a raise. Its scope stays open for `leave_block`."""
    scope: dict[Value, ir.Value] = {}
    e.scopes.append(scope)
    e.positions.pop(block, None)
    for arg, emitted in zip(block.args, arguments, strict=True):
        e.values[arg] = emitted
        if not isinstance(arg.type, ScalarType):
            scope[arg] = owner_of(emitted)
    release_after(e, block, -1)
    chains = {chain.members[-1]: chain for chain in chains_of(e, block)} if e.loop_depth and not e.is_rare else {}
    members = {member for chain in chains.values() for member in chain.members}
    e.chained |= members
    for index, operation in enumerate(block.operations):
        emit_operation(e, operation)
        if operation in chains:
            look_at(e, chains[operation])
        if e.b.block.is_terminated:
            e.chained -= members
            e.scopes.pop()
            return False
        release_after(e, block, index)
    e.chained -= members
    if block.terminated:  # by a branch that raises on both sides
        e.b.unreachable()
        e.scopes.pop()
    return not block.terminated


def leave_block(e: Emitter, block: Block, targets: list[Value], skip: int = 0) -> list[ir.Value]:
    """The registers of the yields after the first `skip`, each with a reference for its target; closes the block's scope."""
    moved = e.lifetimes[block].moved
    order = sorted(range(len(block.yields)), key=lambda index: index in moved)  # retain before the value moves away
    registers = {index: carry(e, block.yields[index], targets[index - skip], index in moved) for index in order if index >= skip}
    scope = e.scopes.pop()
    assert not scope, f"references left at the end of a block: {scope}"
    return [register for index in range(skip, len(block.yields)) for register in registers[index]]


def release_after(e: Emitter, block: Block, index: int, is_ending: bool = False) -> None:
    """Give up what is not used any more. The lists of lists of a call that `is_ending` go with all else: one by one takes longer."""
    for value in e.lifetimes[block].releases.get(index, ()):
        owner = e.scopes[-1].pop(value)
        is_left = is_ending and isinstance(value.type, ListType) and isinstance(value.type.elem, ListType)
        if not isinstance(owner, ir.Constant) and not is_left:  # memory on the stack has no owner
            e.call("ag_release", e.frame, owner)


def emit_operation(e: Emitter, operation: Operation) -> None:
    """Emit one operation and record its results, which own references unless they are views."""
    spend(EMITTED)
    e.operation = operation
    if e.consumers.get(operation) in e.masked:
        if operation.name == "mask_select":
            check_selection(e, operation)
        return
    if operation in e.consumers:
        defer = DEFERRED.get(operation.name, emit_deferred)
        e.values.update((result, defer(e, operation)) for result in operation.results)
        return
    if isinstance(operation.opdef.kernel, Pointwise):
        results = emit_pointwise(e, operation)
    else:
        results = RULES.get(operation.name, emit_by_eager_rule)(e, operation)
    for value, emitted in zip(operation.results, results, strict=not e.b.block.is_terminated):
        e.values[value] = emitted
        if is_owning(operation) and not isinstance(value.type, ScalarType):
            e.scopes[-1][value] = owner_of(emitted)
    take(e, operation, results)
