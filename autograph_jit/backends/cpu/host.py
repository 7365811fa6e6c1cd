"""Calls back into Python: arguments as a tuple of real ndarrays, numbers and objects, results taken into registers again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.boundary import (
    fail_if_null,
    hold,
    pack,
    pack_number,
    pin_arguments,
    unpack_array,
    unpack_list,
    unpack_scalar,
)
from autograph_jit.backends.cpu.emitter import PENDING, Emitter
from autograph_jit.backends.cpu.nests.domains import emit_either
from autograph_jit.backends.cpu.python_operators import Gives, Operator, operator_for
from autograph_jit.backends.cpu.signatures import I1, I32, I64, PTR
from autograph_jit.backends.cpu.values import Emitted, constant_of
from autograph_jit.errors import LoweringError
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import BOOL, ArrayType, ListType, ObjectType, ScalarType, Type
from autograph_jit.ops.apart import interruptible
from autograph_jit.ops.direct_calls import PYTHON_NUMBERS, DirectCall, Given
from autograph_jit.ops.indexing import TOO_BIG
from autograph_jit.source import SourceSpan


def emit_by_eager_rule(e: Emitter, operation: Operation) -> list[Emitted]:
    """An operation without a native form runs its eager rule."""
    if operation.regions:
        raise LoweringError(f"operation {operation.name} has regions and no emission rule")
    attributes, eager = dict(operation.attributes), operation.opdef.eager
    if operation.opdef.effect is Effect.PURE:
        eager = interruptible(eager)
    return call_python(e, operation, lambda *values: eager(*values, **attributes), operation.name)


def fail_by_eager_rule(e: Emitter, operation: Operation, ok: ir.Value) -> None:
    """Unless `ok`, the eager rule runs and raises NumPy's error."""
    if constant_of(ok) == 1:
        return
    with e.b.if_then(e.b.not_(ok), likely=False):
        e.fail_pending()
        emit_by_eager_rule(e, operation)
        e.host_calls.pop()
        e.leave(PENDING)


def call_python(e: Emitter, operation: Operation, fn: Callable[..., Any], label: str) -> list[Emitted]:
    """Call `fn` on the operands; its results have the operation's result types."""
    e.host_calls.append(label)
    types = tuple(value.type for value in operation.results)
    contiguous = tuple(e.facts.is_contiguous(value) for value in operation.results)
    called = adapted(fn, types, contiguous, operation.span, label)
    operands = [(value.type, e.get(value)) for value in operation.operands]
    results = call_object(e, called, operands, is_copy=not operation.attributes.get("ends_program"))
    owner = hold(e, results)
    emitted = [unpack_result(e, operation, index, results) for index in range(len(types))]
    e.call("ag_release", e.frame, owner)
    return emitted


def call_directly(e: Emitter, operation: Operation, direct: DirectCall) -> list[Emitted]:
    """Call a function on objects and numbers without anything in between; its result is an object, a number, or counts as true or false."""
    e.host_calls.append(operation.attributes["label"])
    e.call("ag_take_gil", e.frame)
    pin_arguments(e)
    form = operator_for(direct.function, len(direct.arguments), given_by(operation))
    if form is not None:
        return apply_operator(e, operation, direct, form)
    args = tuple_of(e, pack_each(e, operation, direct.arguments, []))
    result = e.call("PyObject_Call", environment_item(e, direct.function), args, PTR(None))
    e.call("Py_DecRef", args)
    leave_noting(e, operation, e.b.icmp_unsigned("==", result, PTR(None)))
    if not operation.results:
        e.call("Py_DecRef", result)
        return []
    return taken(e, operation, result)


def given_by(operation: Operation) -> Gives:
    """What a direct call has to give."""
    if not operation.results:
        return Gives.STATUS
    type = operation.result.type
    return Gives.OBJECT if isinstance(type, ObjectType) else Gives.TRUTH if type == BOOL else Gives.NUMBER


def taken(e: Emitter, operation: Operation, result: ir.Value) -> list[Emitted]:
    """A new reference as the result of a call: the object, the number that it is, or whether it counts as true."""
    type = operation.result.type
    if isinstance(type, ObjectType):
        return [hold(e, result)]
    if type != BOOL:
        assert isinstance(type, ScalarType)
        owner = hold(e, result)
        number = unpack_scalar(e, result, type.dtype)
        e.call("ag_release", e.frame, owner)
        return [number]
    truth = e.call("PyObject_IsTrue", result)
    e.call("Py_DecRef", result)
    leave_noting(e, operation, e.b.icmp_signed("<", truth, I32(0)))
    return [e.b.icmp_signed("!=", truth, I32(0))]


def apply_operator(e: Emitter, operation: Operation, direct: DirectCall, form: Operator) -> list[Emitted]:
    """An operator by the function of Python's C interface."""
    given = pack_each(e, operation, direct.arguments, [])
    expect_packed(e, given)
    option = [] if form.option is None else [I32(form.option)]
    result = e.call(form.name, *given, *option)
    for object_ in given:
        e.call("Py_DecRef", object_)
    if form.gives is Gives.OBJECT:
        leave_noting(e, operation, e.b.icmp_unsigned("==", result, PTR(None)))
        return taken(e, operation, result)
    leave_noting(e, operation, e.b.icmp_signed("<", result, result.type(0)))
    if form.gives is Gives.NUMBER:
        return [result]
    return [] if form.gives is Gives.STATUS else [e.b.icmp_signed("!=", result, I32(0))]


def pack_each(e: Emitter, operation: Operation, parts: tuple[Given, ...], held: list[ir.Value]) -> list[ir.Value]:
    """New references to arguments; `held` are those that go, too, where a tuple among these cannot be made."""
    packed: list[ir.Value] = []
    for part in parts:
        packed.append(pack_given(e, operation, part, [*held, *packed]))
    return packed


def tuple_of(e: Emitter, packed: list[ir.Value], has_arrays: bool = False, held: Sequence[ir.Value] = ()) -> ir.Value:
    """A new reference to a tuple that takes over these."""
    made = e.call("PyTuple_New", I64(len(packed)))
    expect_packed(e, [made, *packed], has_arrays, held)
    for index, object_ in enumerate(packed):
        e.call("PyTuple_SetItem", made, I64(index), object_)
    return made


def pack_given(e: Emitter, operation: Operation, part: Given, held: list[ir.Value]) -> ir.Value:
    """A new reference to one argument."""
    if part.items is not None:
        return tuple_of(e, pack_each(e, operation, part.items, held), held=held)
    if part.operand is None:
        constant = environment_item(e, part.constant)
        e.call("Py_IncRef", constant)
        return constant
    value = operation.operands[part.operand]
    return e.call("ag_object", e.get(value)) if part.convert is None else pack_number(e, value, e.get(value))


def is_ready(operation: Operation, parts: tuple[Given, ...]) -> bool:
    """Whether all that a call is given are objects, and numbers as Python has them."""
    for part in parts:
        if part.items is not None and not is_ready(operation, part.items):
            return False
        type = None if part.operand is None else operation.operands[part.operand].type
        if type is None or part.convert is None and isinstance(type, ObjectType):
            continue
        if not isinstance(type, ScalarType) or PYTHON_NUMBERS.get(type.dtype) is not part.convert or part.convert is None:
            return False
    return True


def environment_item(e: Emitter, item: Any) -> ir.Value:
    """A borrowed reference to an object that belongs to the program."""
    e.constants.append(item)
    return e.call("PyTuple_GetItem", e.b.load(e.environment, typ=PTR), I64(len(e.constants)))


def leave_noting(e: Emitter, operation: Operation, fails: ir.Value) -> None:
    """Leave where an exception is pending, which is told the user's line."""
    span = operation.span

    def note(error: BaseException) -> None:
        note_line(error, span)

    passed, failing = e.block("ok"), e.block("raised")
    e.b.cbranch(fails, failing, passed).set_weights([1, 1 << 20])
    e.b.position_at_end(failing)
    e.call("ag_note_pending", environment_item(e, note))
    e.leave(PENDING)
    e.b.position_at_end(passed)


def note_line(error: BaseException, span: SourceSpan | None) -> None:
    """Tell an exception the user's line, unless it knows of another one."""
    if span is not None and not hasattr(error, "__autograph_span__"):
        error.__autograph_span__ = span  # type: ignore[attr-defined]


def call_object(e: Emitter, called: Callable[..., Any], values: list[tuple[Type, Emitted]], is_copy: bool = True) -> ir.Value:
    """A new reference to what a Python object returns for these values; leaves where it raises. `is_copy`: it is given copies of lists,
    since the program may change them afterwards."""
    e.call("ag_take_gil", e.frame)
    pin_arguments(e)
    packed: list[ir.Value] = []
    for index, (type, emitted) in enumerate(values):
        is_own = isinstance(type, ListType) and not is_copy
        packed.append(pack(e, type, emitted) if is_own else pack_operand(e, type, emitted, packed, values[:index]))
    args = tuple_of(e, packed, any(isinstance(type, ArrayType) for type, _ in values))
    results = e.call("PyObject_Call", environment_item(e, called), args, PTR(None))
    e.call("Py_DecRef", args)
    fail_if_null(e, results)
    return results


def pack_operand(e: Emitter, type: Type, value: Emitted, packed: list[ir.Value], earlier: list[tuple[Type, Emitted]]) -> ir.Value:
    """A new reference to the Python object of an operand, for an array or list that of an operand before that is the same one; of a list a
    copy. An array's is kept, so that Python is given the same object the next time."""
    if isinstance(type, ListType):
        return pack_list(e, type, value, [(made, other) for made, (kind, other) in zip(packed, earlier) if kind == type])
    if not isinstance(type, ArrayType):
        return pack(e, type, value)
    twin = next((object_ for object_, (_, other) in zip(packed, earlier) if other is value), None)
    if twin is not None:
        e.call("Py_IncRef", twin)
        return twin
    object_ = pack(e, type, value)
    e.call("ag_keep_array", e.frame, value.owner, object_)
    return object_


def pack_list(e: Emitter, type: ListType, value: Emitted, earlier: list[tuple[ir.Value, Emitted]]) -> ir.Value:
    """A new reference to a copy of a list, or to that of an earlier operand that turns out to be the same list."""
    if not earlier:
        return pack(e, type, value, is_copy=True)
    (object_, other), *rest = earlier

    def again() -> list[ir.Value]:
        e.call("Py_IncRef", object_)
        return [object_]

    same = e.b.icmp_unsigned("==", value, other)
    (packed,) = emit_either(e, same, again, lambda: [pack_list(e, type, value, rest)])
    return packed


def expect_packed(e: Emitter, packed: list[ir.Value], has_arrays: bool = False, held: Sequence[ir.Value] = ()) -> None:
    """Leave where one of these new references could not be made, without the others and those that are `held`. NumPy refuses to make
    arrays that are too big: a view may have more elements than memory has."""
    missing: ir.Value = I1(0)
    for object_ in packed:
        missing = e.b.or_(missing, e.b.icmp_unsigned("==", object_, PTR(None)))
    passed, failing = e.block("packed"), e.block("too_big")
    e.b.cbranch(missing, failing, passed).set_weights([1, 1 << 20])
    e.b.position_at_end(failing)
    for object_ in (*packed, *held):
        e.call("Py_DecRef", object_)
    if has_arrays:
        refused, pending = e.block("refused"), e.block("pending")
        memory_error = e.b.load(e.module.globals.get("PyExc_MemoryError") or ir.GlobalVariable(e.module, PTR, "PyExc_MemoryError"), typ=PTR)
        e.b.cbranch(e.b.icmp_signed("==", e.call("PyErr_ExceptionMatches", memory_error), I32(0)), refused, pending)
        e.b.position_at_end(refused)
        e.call("PyErr_Clear")
        e.fail(lambda: ValueError(TOO_BIG))
        e.b.position_at_end(pending)
    e.leave(PENDING)
    e.b.position_at_end(passed)


def unpack_result(e: Emitter, operation: Operation, index: int, results: ir.Value) -> Emitted:
    value = operation.results[index]
    object_ = e.call("PyTuple_GetItem", results, I64(index))
    if isinstance(value.type, ScalarType):
        return unpack_scalar(e, object_, value.type.dtype)
    if isinstance(value.type, ListType):
        return unpack_list(e, object_, value)
    e.call("Py_IncRef", object_)
    owner = hold(e, object_)
    if not isinstance(value.type, ArrayType):
        return owner
    e.call("ag_keep_array", e.frame, owner, object_)
    return unpack_array(e, object_, owner, value, None)


def adapted(
    fn: Callable[..., Any],
    types: tuple[Type, ...],
    contiguous: tuple[bool, ...],
    span: SourceSpan | None,
    label: str,
) -> Callable[..., tuple[Any, ...]]:
    """`fn` with a tuple of exactly the right results, and the user's line on an exception."""

    as_they_are = not any(isinstance(type, (ListType, ArrayType)) for type in types)

    def call(*values: Any) -> tuple[Any, ...]:
        try:
            results = fn(*values)
        except BaseException as error:
            note_line(error, span)
            raise
        if not isinstance(results, tuple):
            results = () if results is None and not types else (results,)
        if len(results) != len(types):
            raise LoweringError(f"{label} returned {len(results)} results, expected {len(types)}")
        return results if as_they_are else tuple([conform(*each, label) for each in zip(results, types, contiguous)])

    return call


def conform(result: Any, type: Type, contiguous: bool, label: str) -> Any:
    """A result as the driver reads it; what is not of its type is an error, not a conversion."""
    if not isinstance(type, ArrayType):
        return list(result) if isinstance(type, ListType) and result.__class__ is not list else result
    array = result if isinstance(result, np.ndarray) else np.asarray(result)
    if array.dtype != type.dtype or array.ndim != len(type.dims):
        raise LoweringError(f"{label} returned an array {array.dtype}{list(array.shape)}, expected {type}")
    return np.ascontiguousarray(array) if contiguous and not array.flags.c_contiguous else array
