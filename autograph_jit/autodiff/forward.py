"""The forward sweep with saved values: phantoms of a finished reverse region are resolved, the forward region gets its pushes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph_jit.autodiff.phantoms import LENGTH, Phantoms, Request, is_recomputable, stack_element
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.staging.trace import active, apart, constant, emit


@dataclass
class Saves:
    """What the forward copy of each block pushes at its end, in order, and the lists that keep it, made in `header`."""

    header: Block
    pushes: dict[Block, list[Request]] = field(default_factory=dict)
    stacks: dict[str, Value] = field(default_factory=dict)

    def stack(self, type_: ScalarType) -> Value:
        """The list for an element type."""
        key = str(type_)
        if key not in self.stacks:
            with apart(active(), self.header):
                self.stacks[key] = emit("list_new", elem=type_).result
        return self.stacks[key]


def used_phantoms(phantoms: Phantoms, block: Block, region: Block) -> list[Request]:
    """The requests of values that `region` defines and that the reverse block really uses, in order of first use."""
    found: dict[Value, Request] = {}
    for operation in walk_block(block):
        inner = [value for nested in operation.regions for value in nested.yields]
        for operand in [*operation.operands, *operation.unwind, *inner]:
            request = phantoms.by_phantom.get(operand)
            if request is not None and phantoms.home(request) is region:
                found[operand] = request
    return list(found.values())


def close_region(phantoms: Phantoms, region: Block, block: Block, keep: set[Value], given: dict[Any, Any] | None = None) -> None:
    """Resolve the phantoms of a finished reverse region, of which `keep` leaves: pops and recomputations go in front of it. `given` has
    values that are known at the start of the region, or how to make them."""
    prune(block, keep)
    substitution: dict[Value, Value] = {}
    prologue = Block()
    saved: list[Request] = []
    with apart(active(), prologue):
        for request in used_phantoms(phantoms, block, region):
            resolve(phantoms, request, region, given or {}, substitution, saved)
    pops = Block()
    with apart(active(), pops):
        for request in reversed(saved):
            popped = pop(phantoms.saves, request)
            substitution[request.phantom] = popped
    block.operations[:0] = [*pops.operations, *prologue.operations]
    phantoms.saves.pushes.setdefault(region, [])
    phantoms.saves.pushes[region] += saved
    replace(block, substitution)


def resolve(
    phantoms: Phantoms, request: Request, region: Block, given: dict[Any, Any], substitution: dict[Value, Value], saved: list[Request]
) -> Value:
    """The reverse-time value of a request: given, computed again, or saved."""
    if request.phantom in substitution:
        return substitution[request.phantom]
    value = request.value
    if request.axis is None and request.at is None and value in given:
        known = given[value]
        substitution[request.phantom] = known if isinstance(known, Value) else known()
    elif request.axis is None and is_recomputable(phantoms, value, region):
        owner = value.owner
        assert isinstance(owner, Operation)
        operands = [again(phantoms, operand, region, given, substitution, saved) for operand in owner.operands]
        substitution[request.phantom] = (
            again_in_bounds(owner, operands) if owner.name == "load" else emit(owner.name, *operands, **owner.attributes).result
        )
    else:
        saved.append(request)
        substitution[request.phantom] = request.phantom
    return substitution[request.phantom]


def again_in_bounds(load: Operation, operands: list[Value]) -> Value:
    """A load that the forward sweep has checked."""
    array_, *indices = operands
    return emit("load", array_, *settled_indices(load, array_, indices), proved=True).result


def settled_indices(operation: Operation, array_: Value, indices: list[Value]) -> list[Value]:
    """Indices that the forward sweep found in bounds, counted from the front."""
    if operation.attributes.get("proved"):
        return indices
    return [from_front(array_, axis, index) for axis, index in enumerate(indices)]


def from_front(array_: Value, axis: int, index: Value) -> Value:
    """A negative index plus the size."""
    negative = emit("less", index, constant(np.int64(0))).result
    return emit("where", negative, emit("add", index, emit("dim", array_, axis=axis).result).result, index).result


def again(
    phantoms: Phantoms, value: Value, region: Block, given: dict[Any, Any], substitution: dict[Value, Value], saved: list[Request]
) -> Value:
    """A value that a recomputation needs: of this region resolved now, of an enclosing one a phantom for later."""
    phantom = phantoms.value(value).value
    request = phantoms.by_phantom.get(phantom)
    if request is None:
        return phantom
    return resolve(phantoms, request, region, given, substitution, saved) if phantoms.home(request) is region else phantom


def pop(saves: Saves, request: Request) -> Value:
    """Take a saved value back."""
    type_ = request.phantom.type
    stack = saves.stack(stack_element(type_))
    last = constant(np.int64(-1))
    if not isinstance(type_, ArrayType):
        return emit("list_pop", stack, last).result
    sizes = saves.stack(stack_element(constant(np.int64(0)).type))
    lengths = [constant(np.int64(size)) if isinstance(size, int) else emit("list_pop", sizes, last).result for size in reversed(type_.dims)]
    return emit("list_take", stack, *reversed(lengths), dims=type_.dims).result


def push(saves: Saves, request: Request, value: Value) -> None:
    """Keep a value: scalars one by one, arrays element by element with the sizes that the type leaves open."""
    stack = saves.stack(stack_element(value.type))
    if not isinstance(value.type, ArrayType):
        emit("list_push", stack, value)
        return
    emit("list_extend", stack, value)
    sizes = saves.stack(stack_element(constant(np.int64(0)).type))
    for axis, size in enumerate(value.type.dims):
        if not isinstance(size, int):
            emit("list_push", sizes, emit("dim", value, axis=axis).result)


def prune(block: Block, keep: set[Value]) -> None:
    """Remove operations whose results nothing uses and that are not kept, so that they ask for no primal value."""
    changed = True
    while changed:
        used = {operand for operation in walk_block(block) for operand in operation.operands}
        used |= {value for operation in walk_block(block) for region in operation.regions for value in region.yields}
        used |= keep | set(block.yields)
        changed = prune_once(block, used)


def prune_once(block: Block, used: set[Value]) -> bool:
    """One pass over a block and its regions."""
    kept = [operation for operation in block.operations if not is_idle(operation, used)]
    changed = len(kept) != len(block.operations)
    block.operations = kept
    return any([changed, *(prune_once(region, used) for operation in kept for region in operation.regions)])


def is_idle(operation: Operation, used: set[Value]) -> bool:
    """Whether an operation has no effect and no used result."""
    if operation.name == "constant":  # it may be shared with what is recorded later
        return False
    return (
        bool(operation.results)
        and not operation.regions
        and operation.opdef.effect.value in ("pure", "view")
        and not any(result in used for result in operation.results)
    )


def replace(block: Block, substitution: dict[Value, Value]) -> None:
    """Put resolved values in the place of phantoms."""
    for operation in walk_block(block):
        operation.operands = [substitution.get(operand, operand) for operand in operation.operands]
        for region in operation.regions:
            region.yields = [substitution.get(value, value) for value in region.yields]
    block.yields = [substitution.get(value, value) for value in block.yields]


def at_hand(request: Request, values: dict[Value, Value], copies: dict[Value, Value]) -> Value:
    """The forward value of a request, at the end of its block."""
    if request.phantom in copies:
        return copies[request.phantom]
    value = values[request.value]
    if request.axis == LENGTH:
        return emit("list_len", value).result
    return value if request.axis is None else emit("dim", value, axis=request.axis).result


def copy_forward(phantoms: Phantoms, block: Block, target: Block, values: dict[Value, Value], wanted: list[Request]) -> dict[Value, Value]:
    """Copy a primal block into `target`, keeping what `wanted` asks for as it was at its operation; returns those copies."""
    copies: dict[Value, Value] = {}
    timed: dict[Operation, list[Request]] = {}
    for request in wanted:
        if request.at is not None:
            timed.setdefault(request.at, []).append(request)
    with apart(active(), target):
        for operation in block.operations:
            requests = timed.get(operation, [])
            keep_values([request for request in requests if request.value not in operation.results], values, copies)
            copy_operation(phantoms, operation, target, values)
            keep_values([request for request in requests if request.value in operation.results], values, copies)
    target.terminated = block.terminated
    return copies


def keep_values(requests: list[Request], values: dict[Value, Value], copies: dict[Value, Value]) -> None:
    """Copy the memory that later operations may overwrite."""
    for request in requests:
        copies[request.phantom] = emit("copy", values.get(request.value, request.value)).result


def copy_operation(phantoms: Phantoms, operation: Operation, target: Block, values: dict[Value, Value]) -> None:
    """Copy one operation; its regions push what the reverse sweep wants of them."""
    if operation in phantoms.recorded:
        made = phantoms.recorded[operation]([values.get(operand, operand) for operand in operation.operands])
        made.unwind = [values.get(value, value) for value in operation.unwind]
        values.update(zip(operation.results, made.results))
        return
    copy = Operation(
        operation.opdef, [values.get(operand, operand) for operand in operation.operands], dict(operation.attributes), [], operation.span
    )
    copy.block = target
    copy.unwind = [values.get(value, value) for value in operation.unwind]
    for region in operation.regions:
        copy.regions.append(copy_region(phantoms, region, target, values))
    for index, result in enumerate(operation.results):
        values[result] = Value(result.type, copy, index, result.hint)
        copy.results.append(values[result])
    target.operations.append(copy)


def copy_region(phantoms: Phantoms, region: Block, parent: Block, values: dict[Value, Value]) -> Block:
    """A region with its pushes."""
    copy = Block(parent)
    for argument in region.args:
        values[argument] = copy.add_argument(argument.type, argument.hint)
    wanted = phantoms.saves.pushes.get(region, [])
    copies = copy_forward(phantoms, region, copy, values, wanted)
    if not region.terminated:
        with apart(active(), copy):
            for request in wanted:
                push(phantoms.saves, request, at_hand(request, values, copies))
    copy.yields = [values.get(value, value) for value in region.yields]
    return copy
