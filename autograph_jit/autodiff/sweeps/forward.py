"""The forward sweep with saved values: phantoms of a finished reverse region are resolved, the forward region keeps what they ask for."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from autograph_jit.autodiff.sweeps.conditions import keep_conditions
from autograph_jit.autodiff.sweeps.lasting import reading_loops
from autograph_jit.autodiff.sweeps.leaving import leave_branch
from autograph_jit.autodiff.sweeps.masks import masks_forward
from autograph_jit.autodiff.sweeps.partials import compute_forward
from autograph_jit.autodiff.sweeps.phantoms import LENGTH, STRIDE, Phantoms, Request, is_recomputable
from autograph_jit.autodiff.sweeps.rebuilding import Rebuilding, rebuilding_of
from autograph_jit.autodiff.sweeps.residuals import recall, save
from autograph_jit.autodiff.sweeps.settled import settled_behind
from autograph_jit.autodiff.sweeps.states import cheap_operands, choose_states, is_had, state_behind, turned_behind
from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.linear import size_asked
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.rotations import slices_of
from autograph_jit.ir.types import ArrayType
from autograph_jit.tracing.values.trace import active, constant, detached, emit


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
    ask_for_sizes(phantoms, block)
    prune(block, keep)
    moved = compute_forward(phantoms, region, block, keep, given or {})
    if moved:
        replace(block, moved)
        prune(block, keep)
    keep_conditions(phantoms, region, used_phantoms(phantoms, block, region), given or {})
    masks = masks_forward(phantoms, region, block, keep, partial(kept_of, phantoms, region, given or {}))
    if masks:
        replace(block, masks)
        prune(block, keep)
    substitution: dict[Value, Value] = {}
    prologue = Block()
    saved: list[Request] = []
    with detached(active(), prologue):
        used = used_phantoms(phantoms, block, region)
        phantoms.asked = {request.phantom for request in used}
        choose_states(phantoms, used, region)
        for request in used:
            resolve(phantoms, request, region, given or {}, substitution, saved)
    substitution |= leave_branch(phantoms, saved, region)
    pops = Block()
    with detached(active(), pops):
        for request in reversed(saved):
            substitution[request.phantom] = recall(phantoms, request, region, given or {})
    block.operations[:0] = block.adopt([*pops.operations, *prologue.operations])
    phantoms.residuals.wanted.setdefault(region, []).extend(saved)
    replace(block, substitution)


def kept_of(phantoms: Phantoms, region: Block, given: dict[Any, Any], requests: list[Request]) -> list[Request]:
    """Which requests would have to be kept if the reverse region used these."""
    saved: list[Request] = []
    substitution: dict[Value, Value] = {}
    with detached(active(), Block()):
        phantoms.asked = {request.phantom for request in requests}
        choose_states(phantoms, requests, region)
        for request in requests:
            resolve(phantoms, request, region, given, substitution, saved)
    return saved


def ask_for_sizes(phantoms: Phantoms, block: Block) -> None:
    """Where only a size or a stride of a primal array is needed, ask for that, not for the array."""
    asked = {"dim": phantoms.length, "stride": phantoms.stride}
    sizes: dict[Value, Value] = {}
    front = Block()
    with detached(active(), front):
        for operation in walk_block(block):
            request = phantoms.by_phantom.get(operation.operands[0]) if operation.name in asked else None
            if request is not None and isinstance(request.value.type, ArrayType):
                sizes[operation.result] = asked[operation.name](request.value, operation.attributes["axis"])
    block.operations[:0] = block.adopt(front.operations)
    replace(block, sizes)


def resolve(
    phantoms: Phantoms, request: Request, region: Block, given: dict[Any, Any], substitution: dict[Value, Value], saved: list[Request]
) -> Value:
    """The reverse-time value of a request: given, computed again, or saved."""
    if request.phantom in substitution:
        return substitution[request.phantom]
    value, invariants = request.value, phantoms.residuals.invariants
    if request.axis is None and request.at is None and value in given:
        known = given[value]
        substitution[request.phantom] = known if isinstance(known, Value) else known()
    elif request.axis is None and value not in phantoms.kept and is_recomputable(phantoms, value, region):
        owner = value.owner
        assert isinstance(owner, Operation)
        operands = [again(phantoms, operand, region, given, substitution, saved) for operand in owner.operands]
        substitution[request.phantom] = computed_again(owner, operands)
    elif request.axis is None and value not in phantoms.kept and (time := time_to_read(phantoms, value, region)) is not None:
        owner = value.owner
        assert isinstance(owner, Operation)
        indices = [again(phantoms, index, region, given, substitution, saved) for index in owner.operands[1:]]
        substitution[request.phantom] = computed_again(owner, [phantoms.value(owner.operands[0], time).value, *indices])
    elif (size := size_asked_for(request)) is not None and invariants.has_size(size, region):
        substitution[request.phantom] = invariants.size(size, region, phantoms.length)
    elif request.axis is None and request.at is None and (kept := invariants.kept.get(value)) is not None:
        place = [again(phantoms, x, region, given, substitution, saved) for x in (kept.operands[0], *kept.operands[2:])]
        substitution[request.phantom] = place[0] if kept.name == "assign" else emit("load", *place, proved=True).result
    elif (parts := cheap_operands(phantoms, request, region)) is not None:
        owner = value.owner
        assert isinstance(owner, Operation)
        operands = [part_again(phantoms, part, region, given, substitution, saved) for part in parts]
        substitution[request.phantom] = emit(owner.name, *operands, **owner.attributes).result
    elif (rebuilding := rebuilding_of(phantoms, request, region)) is not None:
        substitution[request.phantom] = rebuild(phantoms, rebuilding, request.value, region, given, substitution, saved)
    elif (state := state_behind(phantoms, request, region)) is not None:
        owner = value.owner
        assert isinstance(owner, Operation)
        numbers = [again(phantoms, number, region, given, substitution, saved) for number in owner.operands[1:]]
        array_ = resolve(phantoms, state, region, given, substitution, saved)
        substitution[request.phantom] = computed_again(owner, [array_, *numbers])
    elif (turned := turned_behind(phantoms, request, region)) is not None and is_had(phantoms, turned, region):
        assert isinstance(value.owner, Operation)
        array_ = resolve(phantoms, turned, region, given, substitution, saved)
        cuts = [(part, again(phantoms, part.operands[1], region, given, substitution, saved)) for part in slices_of(value.owner)]
        slices = [emit("basic_index", array_, cut, **part.attributes).result for part, cut in cuts]
        substitution[request.phantom] = emit("concat", *slices, **value.owner.attributes).result
    else:
        saved.append(request)
        substitution[request.phantom] = request.phantom
    return substitution[request.phantom]


def time_to_read(phantoms: Phantoms, value: Value, region: Block) -> Operation | None:
    """The operation before which the array that a number is loaded from may be kept in the place of the number."""
    return reading_loops(phantoms, value, region) or settled_behind(phantoms, value, region)


def rebuild(
    phantoms: Phantoms,
    rebuilding: Rebuilding,
    value: Value,
    region: Block,
    given: dict[Any, Any],
    substitution: dict[Value, Value],
    saved: list[Request],
) -> Value:
    """Emit the operations that make an array again (`autodiff.sweeps.rebuilding`). What starts from a state is read from the state itself
    until it is written, so that it need not be copied where it is overwritten at once."""
    made: dict[Value, Value] = {}
    unwritten: dict[Value, Value] = {}
    if rebuilding.of is not None:
        unwritten[value] = resolve(phantoms, rebuilding.of, region, given, substitution, saved)
        made[value] = emit("copy", unwritten[value]).result

    def operand_of(step: Operation, operand: Value, is_read: bool) -> Value:
        if is_read and operand in unwritten:
            return unwritten[operand]
        if operand in made:
            return made[operand]
        phantom = phantoms.value(operand, step).value
        request = phantoms.by_phantom.get(phantom)
        if request is None or phantoms.home(request) is not region:
            return phantom
        return resolve(phantoms, request, region, given, substitution, saved)

    for step in rebuilding.steps:
        first, *others = step.operands
        numbers = [operand_of(step, operand, True) for operand in others]
        if not step.results:
            emit(step.name, operand_of(step, first, False), *numbers, **step.attributes)
            unwritten.clear()
        elif step.opdef.effect is Effect.VIEW and first in unwritten:
            unwritten[step.result] = computed_again(step, [unwritten[first], *numbers])
            made[step.result] = computed_again(step, [made[first], *numbers])
        else:
            made[step.result] = computed_again(step, [operand_of(step, first, True), *numbers])
    return made[value]


def part_again(
    phantoms: Phantoms, part: Request | Value, region: Block, given: dict[Any, Any], substitution: dict[Value, Value], saved: list[Request]
) -> Value:
    """An operand of an array that is computed again."""
    if isinstance(part, Request):
        return resolve(phantoms, part, region, given, substitution, saved)
    return part if isinstance(part.type, ArrayType) else again(phantoms, part, region, given, substitution, saved)


def size_asked_for(request: Request) -> Size | None:
    """The size that a request is for: of an axis, or by an operation `dim`."""
    value, owner = request.value, request.value.owner
    if request.axis is not None:
        return value.type.dims[request.axis] if isinstance(value.type, ArrayType) and request.axis >= 0 else None
    return size_asked(owner) if isinstance(owner, Operation) and owner.name == "dim" else None


def computed_again(operation: Operation, operands: list[Value]) -> Value:
    """Emit an operation again, with indices that the forward sweep has checked."""
    if operation.name == "load":
        array_, *indices = operands
        return emit("load", array_, *settled_indices(operation, array_, indices), proved=True).result
    if operation.name == "basic_index" and not any(kind == "slice" and rest[2] for kind, *rest in operation.attributes["items"]):
        return emit("basic_index", operands[0], *settled_items(operation, operands), **{**operation.attributes, "proved": True}).result
    return emit(operation.name, *operands, **operation.attributes).result


def settled_items(operation: Operation, operands: list[Value]) -> list[Value]:
    """The numbers of a subscript of which the integers are counted from the front."""
    array_, *rest = operands
    numbers, found, axis = iter(rest), list[Value](), 0
    for kind, *present in operation.attributes["items"]:
        if kind == "int":
            found.append(from_front(array_, axis, next(numbers)))
        elif kind == "slice":
            found += [next(numbers) for there in present if there]
        axis += kind != "newaxis"
    return found


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
    if request.axis is None:
        return value
    if request.axis == LENGTH:
        return emit("list_len", value).result
    if request.axis <= STRIDE:
        return emit("stride", value, axis=STRIDE - request.axis).result
    return emit("dim", value, axis=request.axis).result


def copy_forward(phantoms: Phantoms, block: Block, target: Block, values: dict[Value, Value], wanted: list[Request]) -> dict[Value, Value]:
    """Copy a primal block into `target`, keeping what `wanted` asks for as it was at its operation; returns those copies."""
    copies: dict[Value, Value] = {}
    timed: dict[Operation, list[Request]] = {}
    for request in wanted:
        if request.at is not None:
            timed.setdefault(request.at, []).append(request)
    with detached(active(), target):
        for operation in block.operations:
            requests = timed.get(operation, [])
            phantoms.residuals.allocate(operation, lambda value: values.get(value, value))
            keep_values(phantoms, [request for request in requests if request.value not in operation.results], values, copies)
            copy_operation(phantoms, operation, target, values)
            keep_values(phantoms, [request for request in requests if request.value in operation.results], values, copies)
    target.terminated = block.terminated
    return copies


def keep_values(phantoms: Phantoms, requests: list[Request], values: dict[Value, Value], copies: dict[Value, Value]) -> None:
    """Copy the memory that later operations may overwrite."""
    for request in requests:
        value = values.get(request.value, request.value)
        if phantoms.residuals.has_place(request):
            save(phantoms.residuals, request, value, values, phantoms.home(request))
        else:
            copies[request.phantom] = emit("copy", value).result


def copy_operation(phantoms: Phantoms, operation: Operation, target: Block, values: dict[Value, Value]) -> None:
    """Copy one operation; its regions keep what the reverse sweep wants of them."""
    if operation in phantoms.recorded:
        made = phantoms.recorded[operation]([values.get(operand, operand) for operand in operation.operands])
        made.unwind = [values.get(value, value) for value in operation.unwind]
        values.update(zip(operation.results, made.results))
        return
    copy = Operation(
        operation.opdef, [values.get(operand, operand) for operand in operation.operands], dict(operation.attributes), [], operation.span
    )
    copy.block, copy.contract = target, operation.contract
    note_copy(operation, copy)
    copy.unwind = [values.get(value, value) for value in operation.unwind]
    for region in operation.regions:
        copy.regions.append(copy_region(phantoms, region, target, values))
    for index, result in enumerate(operation.results):
        values[result] = Value(result.type, copy, index, result.hint)
        copy.results.append(values[result])
    target.operations.append(copy)


def note_copy(operation: Operation, copy: Operation) -> None:
    """An operation that fails leaves what the caller's objects held when the original was traced."""
    trace = active()
    if trace.differentiation.note_copy is not None:
        trace.differentiation.note_copy(operation, copy)


def copy_region(phantoms: Phantoms, region: Block, parent: Block, values: dict[Value, Value]) -> Block:
    """A region that keeps what the reverse sweep wants of it."""
    copy = Block(parent)
    for argument in region.args:
        values[argument] = copy.add_argument(argument.type, argument.hint)
    wanted = phantoms.residuals.wanted.get(region, [])
    copies = copy_forward(phantoms, region, copy, values, wanted)
    if not region.terminated:
        with detached(active(), copy):
            for request in wanted:
                if request.at is None or not phantoms.residuals.has_place(request):
                    save(phantoms.residuals, request, at_hand(request, values, copies), values, region)
            phantoms.residuals.bound_lists(region)
    copy.yields = [values.get(value, value) for value in region.yields]
    return copy
