"""The reverse of operations on memory: loads, stores, assignments, reshapes, lists, host calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.autodiff.containers import take_back
from autograph_jit.autodiff.sweeps.accumulate import add_into, in_same_shape, numpy, or_zero, repeats, sum_of, zero
from autograph_jit.autodiff.sweeps.ambiguity import meets_another_shadow
from autograph_jit.autodiff.sweeps.classes import is_differentiable
from autograph_jit.autodiff.sweeps.forward import settled_indices
from autograph_jit.autodiff.sweeps.repeating import NOT_CONTIGUOUS, expect_same_layout
from autograph_jit.autodiff.sweeps.reverse import STRUCTURAL_SHADOWS, Sweep, by_definition, cotangent, no_rule, rule, rule_of
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.derivative import Unsupported
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ArrayType
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, check
from autograph_jit.tracing.values.checks import constant_value, is_constant
from autograph_jit.tracing.values.lift import index_value, scalar, wrap
from autograph_jit.tracing.values.trace import active, block_of, constant, emit


@rule("constant", "check", "dim", "stride", "empty", "array_constant", "is_same", "overlaps", "raise_")
@rule("list_new", "list_len", "list_is_same", "list_identity", "text_codes", "text_of_codes", "text_append")
@rule("text_reference", "text_of_object", "text_letters", "text_object", "text_is_same", "text_order", "text_join", "text_prefixes")
@rule("list_of_object")
def no_derivative(sweep: Sweep, operation: Operation) -> None:
    """Nothing flows."""


@rule("load")
def reverse_load(sweep: Sweep, operation: Operation) -> None:
    """x = a[i]: the cotangent of x is added to element i of a's shadow."""
    array_, *indices = operation.operands
    ct = sweep.take(operation.result)
    if ct is None or not sweep.classes.is_active(array_):
        return
    shadow = sweep.shadow(array_).value
    where = settled_indices(operation, shadow, [sweep.phantoms.value(index).value for index in indices])
    old = emit("load", shadow, *where, proved=True).result
    emit("store", shadow, sum_of(old, ct.value), *where, proved=True)


@rule("store")
def reverse_store(sweep: Sweep, operation: Operation) -> None:
    """a[i] = s: element i of a's shadow becomes the cotangent of s, and is cleared; it stays where s is `a[i] + t`, and t gets it too."""
    array_, value, *indices = operation.operands
    if not sweep.classes.is_active(array_):
        return
    refuse_ambiguous(sweep, array_, operation)
    shadow = sweep.shadow(array_).value
    where = settled_indices(operation, shadow, [sweep.phantoms.value(index).value for index in indices])
    ct = scalar(emit("load", shadow, *where, proved=True).result)
    if is_element_increment(sweep, operation):
        sweep.increments.add(value)
    else:
        emit("store", shadow, zero(value).value, *where, proved=True)
    sweep.add(value, ct)


@rule("assign")
def reverse_assign(sweep: Sweep, operation: Operation) -> None:
    """a[...] = b: a's shadow is handed to b, and cleared."""
    target, source = operation.operands
    if not sweep.classes.is_active(target):
        return
    refuse_ambiguous(sweep, target, operation)
    if repeats(target):
        raise NotDifferentiable(
            "the gradient of a write through a repeating view is not supported",
            operation.span,
            "several of its elements may be one, of which the last stays",
            "write to the array itself",
        )
    shadow = sweep.shadow(target)
    if is_increment(sweep, operation):
        sweep.add_value(source, in_same_shape(wrap(emit("copy", shadow.value).result), source.type), own=True)
        return
    ct = wrap(emit("copy", shadow.value).result) if sweep.classes.is_active(source) else None
    emit("assign", shadow.value, constant(shadow.dtype.type(0)))
    sweep.add(source, ct)


def is_increment(sweep: Sweep, operation: Operation) -> bool:
    """Whether this is `a = a + b` with a sum of its own: then the shadow of a stays, and only b gets a share. The sum has the sizes of a,
    or the assignment had failed."""
    target, source = operation.operands
    owner = source.owner
    if not isinstance(owner, Operation) or owner.name not in ("add", "subtract") or owner.operands[1] is target:
        return False
    if owner.operands[0] is not target and not (is_same_view(owner.operands[0], target) and is_unwritten(sweep, owner, operation)):
        return False
    types = source.type, target.type
    if not all(isinstance(type_, ArrayType) for type_ in types) or types[0].rank != types[1].rank or types[0].dtype != types[1].dtype:  # type: ignore[union-attr]
        return False
    return sweep.is_value(source) and sweep.uses(source) == 1


def is_element_increment(sweep: Sweep, operation: Operation) -> bool:
    """Whether this is `a[i] = a[i] + t`, or with a minus, where nothing else reads that element and that sum."""
    target, value, *indices = operation.operands
    owner = value.owner
    if not isinstance(owner, Operation) or owner.name not in ("add", "subtract") or not sweep.is_local(value) or sweep.uses(value) != 1:
        return False
    element = owner.operands[0]
    load = element.owner
    if not isinstance(load, Operation) or load.name != "load" or load.operands[0] is not target or sweep.uses(element) != 1:
        return False
    same_place = all(map(is_same_number, load.operands[1:], indices))
    return same_place and owner.operands[1] is not element and is_unwritten(sweep, load, operation)


def is_same_number(x: Value, y: Value) -> bool:
    """Whether two numbers are computed alike of the same values."""
    first, second = x.owner, y.owner
    if x is y:
        return True
    if not isinstance(first, Operation) or not isinstance(second, Operation) or first.name != second.name or first.regions:
        return False
    if first.opdef.effect is not Effect.PURE or first.attributes != second.attributes or len(first.operands) != len(second.operands):
        return False
    return all(map(is_same_number, first.operands, second.operands))


def is_same_view(x: Value, y: Value) -> bool:
    """Whether two values are the same slice of one array."""
    first, second = x.owner, y.owner
    if not isinstance(first, Operation) or not isinstance(second, Operation) or x.type != y.type:
        return False
    if first.name != "basic_index" or second.name != "basic_index" or first.attributes != second.attributes:
        return False
    pairs = zip(first.operands, second.operands)
    return all(p is q or (is_constant(p) and is_constant(q) and constant_value(p) == constant_value(q)) for p, q in pairs)


def is_unwritten(sweep: Sweep, before: Operation, operation: Operation) -> bool:
    """Whether nothing writes the target of a write since an operation before it, which stands in the same block."""
    if before.block is not operation.block or operation.block is None:
        return False
    operations = operation.block.operations
    between = operations[operations.index(before) + 1 : operations.index(operation)]
    return not any(sweep.classes.writes(other, operation.operands[0]) for other in between)


def refuse_ambiguous(sweep: Sweep, target: Value, operation: Operation, apart: Operation | None = None) -> None:
    """A write to memory that is one of several, chosen by the data, needs shadows chosen alike. Uses in the regions of `apart` do not
    count."""
    classes = sweep.classes
    if classes.root(target) in classes.ambiguous and meets_another_shadow(classes, target, operation, sweep.is_chosen, apart):
        raise NotDifferentiable(
            "the gradient of a write to an array that the data chooses is not supported",
            operation.span,
            "the array is one of several, joined by a branch or a loop",
            "copy the array before writing to it",
        )


@rule("mask_assign", "scatter")
def reverse_scatter(sweep: Sweep, operation: Operation) -> None:
    """a[where] = b: the selected part of a's shadow is handed to b, and cleared (for "set"); "add" leaves it."""
    target = operation.operands[0]
    if not sweep.classes.is_active(target):
        return
    refuse_ambiguous(sweep, target, operation)
    operands = [None if index == 0 else sweep.phantoms.value(operand, operation) for index, operand in enumerate(operation.operands)]
    contributions = rule_of(operation)(sweep.shadow(target), None, *operands, **operation.attributes)
    if isinstance(contributions, Unsupported):
        raise no_rule(operation, contributions.why)
    for operand, contribution in list(zip(operation.operands, contributions))[1:]:
        sweep.add(operand, contribution)


@rule("concat")
def reverse_concat(sweep: Sweep, operation: Operation) -> None:
    """Parts that are joined get their parts of the cotangent; the cotangent of what is rotated is rotated back."""
    if operation not in sweep.classes.rotations:
        by_definition(sweep, operation)
        return
    ct = cotangent(sweep, operation.result) if sweep.classes.is_active(operation.result) else None
    behind = operation.operands[0].owner
    if ct is None or not isinstance(behind, Operation):
        return
    source, cut = behind.operands
    axis = operation.attributes["axis"] % len(behind.attributes["items"])
    size = sweep.phantoms.size(source, axis)
    place = numpy(np.minimum, numpy(np.maximum, sweep.phantoms.value(cut), numpy(np.negative, size)), size)  # as slices take it
    sweep.add(source, in_same_shape(numpy(np.roll, ct, place, axis=axis), source.type))


def reshape_shadow(sweep: Sweep, operation: Operation, result: Value) -> Any:
    """A reshape of a whole array views its shadow. A view may be copied instead: then it has a shadow of its own, unless it is written,
    and its shadow, which is laid out alike, is copied or not as it is."""
    source = operation.operands[0]
    if not is_whole(source):
        if not sweep.classes.is_written(source):
            return sweep.fresh_shadow(result)
        expect_same_layout(sweep.phantoms.value(source).value, sweep.shadow(source).value)
    sizes = [sweep.phantoms.value(operand).value for operand in operation.operands[1:]]
    if sweep.classes.is_written(source) and is_argument(sweep, source):
        expect_view(sweep.phantoms.value(source).value, sizes, operation)
    made = wrap(emit("reshape", sweep.shadow(source).value, *sizes, **operation.attributes).result)
    if not is_whole(source):
        clear_copy(made, sweep.shadow(source))
    return made


def is_argument(sweep: Sweep, value: Value) -> bool:
    """Whether the caller gives an array, laid out in any way."""
    while sweep.parent is not None:
        sweep = sweep.parent
    return value in sweep.block.args


def expect_view(primal: Value, sizes: list[Value], operation: Operation) -> None:
    """The run checks that the reshape of an array is no copy, as that of its shadow is none."""
    viewed = emit("overlaps", emit("reshape", primal, *sizes, **operation.attributes).result, primal).result
    is_empty = numpy(np.equal, numpy(np.size, wrap(primal)), 0)
    if not isinstance(is_empty, StagedScalar):
        is_empty = scalar(constant(np.bool_(is_empty)))
    check(emit("logical_or", viewed, is_empty.value).result, ValueError, NOT_CONTIGUOUS)


def clear_copy(made: Any, shadow: Any) -> None:
    """Zeros, where a reshape has copied a shadow: what is in it already, from later trips of a loop, is not handed back once more."""
    blocks = [Block(), Block()]
    with block_of(active(), blocks[1]):
        emit("assign", made.value, constant(made.dtype.type(0)))
    emit("cond", emit("overlaps", made.value, shadow.value).result, regions=blocks, results=())


def is_whole(value: Value) -> bool:
    """Whether a value is an array itself, so that its shadow is contiguous."""
    return not isinstance(value.owner, Operation) or value.owner.opdef.effect.value != "view"


STRUCTURAL_SHADOWS["reshape"] = reshape_shadow


@rule("reshape")
def reverse_reshape(sweep: Sweep, operation: Operation) -> None:
    """A reshape with a shadow of its own hands it back in the operand's shape."""
    source, result = operation.operands[0], operation.result
    if is_whole(source) or not sweep.classes.is_active(source):
        return
    assert isinstance(source.type, ArrayType)
    sizes = [index_value(sweep.phantoms.size(source, axis)) for axis in range(source.type.rank)]
    back = wrap(emit("reshape", sweep.shadow(result).value, *sizes, dims=source.type.dims).result)
    if sweep.classes.is_written(source):
        viewed = emit("overlaps", sweep.shadow(result).value, sweep.shadow(source).value).result
        zero_, handed = constant(sweep.shadow(source).dtype.type(0)), back.value
        back = wrap(emit("where", viewed, zero_, handed).result)
    add_into(sweep.shadow(source), back)


@rule("copy")
def reverse_copy(sweep: Sweep, operation: Operation) -> None:
    """The shadow of a copy is added to that of the original."""
    if sweep.classes.is_active(operation.result):
        sweep.add(operation.operands[0], cotangent(sweep, operation.result))


@rule("host_call")
def reverse_host_call(sweep: Sweep, operation: Operation) -> None:
    """Calls into Python: NumPy functions with a known derivative; others where nothing differentiable comes back."""
    if operation in sweep.phantoms.recorded:
        take_back(sweep, operation)
        return
    found = operation.attributes.get("derivative")
    active_results = [result for result in operation.results if sweep.classes.is_active(result)]
    written = not operation.attributes.get("pure") and any(
        isinstance(operand.type, ArrayType) and sweep.classes.is_active(operand) for operand in operation.operands
    )
    if not active_results and not written:
        return
    if found is None:
        if not active_results and operation.attributes["label"] in ("print", "str", "f-string", "repr", "format"):
            return
        raise NotDifferentiable(
            f"the host call of {operation.attributes['label']} has no derivative",
            operation.span,
            "it runs in Python",
            "use ag.custom_gradient, or functions that compile",
        )
    cts = [host_cotangent(sweep, result) for result in operation.results]
    if all(ct is None for ct in cts):
        return
    results = [sweep.phantoms.value(result, operation) for result in operation.results]
    operands = [sweep.phantoms.value(operand, operation) for operand in operation.operands]
    contributions = found(cts, results, operands)
    if isinstance(contributions, Unsupported):
        raise no_rule(operation, contributions.why)
    for operand, contribution in zip(operation.operands, contributions):
        if isinstance(contribution, Unsupported):
            if sweep.classes.is_active(operand):
                raise no_rule(operation, contribution.why)
        else:
            sweep.add(operand, contribution)


def host_cotangent(sweep: Sweep, result: Value) -> Any:
    """The cotangent of what a host call gave; None for integers, and for what nothing reads."""
    if not is_differentiable(result) or not sweep.is_read(result):
        return None
    return sweep.shadow(result) if isinstance(result.type, ArrayType) else or_zero(sweep.take(result), result)


def list_shadow(sweep: Sweep, operation: Operation, result: Value) -> Any:
    """The shadow of a list: as long as the list is in the end, all zeros."""
    shadow = emit("list_new", elem=result.type.elem).result  # type: ignore[union-attr]
    length = sweep.phantoms.final_length(result)
    body = Block()
    body.add_argument(length.value.type, "k")
    with block_of(active(), body):
        emit("list_push", shadow, constant(result.type.elem.dtype.type(0)))  # type: ignore[union-attr]
    emit("for_loop", constant(np.int64(0)), length.value, constant(np.int64(1)), regions=[body], results=(), has_break=False)
    return ListShadow(shadow)


class ListShadow:
    """A shadow list: a graph value."""

    def __init__(self, value: Value) -> None:
        self.value = value


STRUCTURAL_SHADOWS["list_new"] = list_shadow


@rule("list_push")
def reverse_push(sweep: Sweep, operation: Operation) -> None:
    """The pullback of push is pop."""
    target, value = operation.operands
    if sweep.classes.is_active(target):
        ct = scalar(emit("list_pop", sweep.shadow(target).value, constant(np.int64(-1))).result)
        sweep.add(value, ct)


@rule("list_pop")
def reverse_pop(sweep: Sweep, operation: Operation) -> None:
    """The pullback of pop is insert at the same place."""
    target, index = operation.operands
    if not sweep.classes.is_active(target):
        return
    ct = or_zero(sweep.take(operation.result), operation.result)
    where = sweep.phantoms.value(index)
    shadow = sweep.shadow(target).value
    length = emit("list_len", shadow).result
    place = numpy(np.where, where < 0, where + StagedScalar(emit("add", length, constant(np.int64(1))).result, False), where)
    emit("list_insert", shadow, index_value(place), ct.value)


@rule("list_get")
def reverse_get(sweep: Sweep, operation: Operation) -> None:
    """x = l[i]: the cotangent of x is added to element i of the shadow."""
    target, index = operation.operands
    ct = sweep.take(operation.result)
    if ct is None or not sweep.classes.is_active(target):
        return
    shadow, where = sweep.shadow(target).value, sweep.phantoms.value(index).value
    emit("list_set", shadow, where, sum_of(emit("list_get", shadow, where).result, ct.value))


@rule("list_set")
def reverse_set(sweep: Sweep, operation: Operation) -> None:
    """l[i] = s: element i of the shadow becomes the cotangent of s, and is cleared."""
    target, index, value = operation.operands
    if not sweep.classes.is_active(target):
        return
    shadow, where = sweep.shadow(target).value, sweep.phantoms.value(index).value
    ct = scalar(emit("list_get", shadow, where).result)
    emit("list_set", shadow, where, zero(value).value)
    sweep.add(value, ct)


@rule("list_to_array")
def reverse_to_array(sweep: Sweep, operation: Operation) -> None:
    """Each element of the array's shadow is added to the list's."""
    target = operation.operands[0]
    if not sweep.classes.is_active(target):
        return
    source, shadow = sweep.shadow(operation.result), sweep.shadow(target).value
    assert isinstance(source, StagedArray)
    body = Block()
    index = body.add_argument(constant(np.int64(0)).type, "k")
    with block_of(active(), body):
        total = emit("add", emit("list_get", shadow, index).result, emit("load", source.value, index).result).result
        emit("list_set", shadow, index, total)
    emit(
        "for_loop",
        constant(np.int64(0)),
        emit("dim", source.value, axis=0).result,
        constant(np.int64(1)),
        regions=[body],
        results=(),
        has_break=False,
    )


@rule("list_extend")
def reverse_extend(sweep: Sweep, operation: Operation) -> None:
    """The pullback of extending by an array is taking it back."""
    target, source = operation.operands
    if not sweep.classes.is_active(target):
        return
    assert isinstance(source.type, ArrayType)
    sizes = [index_value(sweep.phantoms.size(source, axis)) for axis in range(source.type.rank)]
    sweep.add(source, wrap(emit("list_take", sweep.shadow(target).value, *sizes, dims=source.type.dims).result))


@rule("list_take")
def reverse_take(sweep: Sweep, operation: Operation) -> None:
    """The pullback of taking an array is extending by its shadow."""
    if sweep.classes.is_active(operation.operands[0]):
        emit("list_extend", sweep.shadow(operation.operands[0]).value, sweep.shadow(operation.result).value)
