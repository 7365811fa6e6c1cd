"""Between Python objects and registers: arguments and results of the function, and of calls back into Python."""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.arithmetic.scalars import cast
from autograph_jit.backends.cpu.emitter import PENDING, UNFIT, Emitter
from autograph_jit.backends.cpu.python_lists import LIST_SIZE, fresh_list, item_bytes, list_from, list_object
from autograph_jit.backends.cpu.runtime_module import FRAME_SITE, LENGTH, REFERENCES
from autograph_jit.backends.cpu.signatures import I1, I8, I32, I64, PTR
from autograph_jit.backends.cpu.values import Array, Complex, Emitted
from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import ArrayType, ListType, ScalarType, Type

F64, I64_DTYPE, U64_DTYPE, C128 = (np.dtype(name) for name in ("f8", "i8", "u8", "c16"))


def field(e: Emitter, object_: ir.Value, offset: int, type: ir.Type) -> ir.Value:
    return e.b.load(e.offset(object_, I64(offset)), typ=type)


def fail_if_pending(e: Emitter, suspicious: ir.Value) -> None:
    """Leave if the suspicious result of a C function does mean that an exception is pending."""
    check, passed, failing = e.block("suspicious"), e.block("ok"), e.block("pending")
    e.b.cbranch(suspicious, check, passed)
    e.b.position_at_end(check)
    e.b.cbranch(e.b.icmp_unsigned("!=", e.call("PyErr_Occurred"), PTR(None)), failing, passed)
    e.b.position_at_end(failing)
    e.leave(PENDING)
    e.b.position_at_end(passed)


def fail_if_null(e: Emitter, object_: ir.Value) -> None:
    passed, failing = e.block("ok"), e.block("pending")
    e.b.cbranch(e.b.icmp_unsigned("==", object_, PTR(None)), failing, passed).set_weights([1, 1 << 20])
    e.b.position_at_end(failing)
    e.leave(PENDING)
    e.b.position_at_end(passed)


def unpack_scalar(e: Emitter, object_: ir.Value, dtype: np.dtype) -> Emitted:
    """The number that a Python or NumPy number is."""
    if dtype.kind == "b":
        number = e.call("PyObject_IsTrue", object_)
        fail_if_pending(e, e.b.icmp_signed("<", number, I32(0)))
        return e.b.icmp_signed("!=", number, I32(0))
    if dtype.kind == "f":
        number = e.call("PyFloat_AsDouble", object_)
        fail_if_pending(e, e.b.fcmp_ordered("==", number, number.type(-1.0)))
        return cast(e, number, F64, dtype)
    if dtype.kind == "c":
        pair = e.call("PyComplex_AsCComplex", object_)
        number = Complex(e.b.extract_value(pair, 0), e.b.extract_value(pair, 1))
        fail_if_pending(e, e.b.fcmp_ordered("==", number.re, number.re.type(-1.0)))
        return cast(e, number, C128, dtype)
    if dtype == U64_DTYPE:
        index = e.call("PyNumber_Index", object_)
        fail_if_null(e, index)
        number = e.call("PyLong_AsUnsignedLongLong", index)
        e.call("Py_DecRef", index)
    else:
        number = e.call("PyLong_AsLongLong", object_)
    fail_if_pending(e, e.b.icmp_signed("==", number, I64(-1)))
    return cast(e, number, I64_DTYPE, dtype)


def unpack_array(e: Emitter, object_: ir.Value, owner: ir.Value, value: Value, scope: str | None) -> Array:
    """A reference to an ndarray's memory, with the sizes and strides that are known put in literally."""
    type = value.type
    assert isinstance(type, ArrayType)
    sizes, strides = field(e, object_, symbols.SIZES, PTR), field(e, object_, symbols.STRIDES, PTR)
    word = lambda words, axis: e.b.load(e.offset(words, I64(8 * axis)), typ=I64)  # noqa: E731
    shape = []
    for axis, dim in enumerate(type.dims):
        found, expected = word(sizes, axis), e.size(dim)
        if expected is not None:
            matches = e.compare("==", found, expected)
            e.guard(matches, lambda: ValueError("an array has another shape than the one compiled for"))
        shape.append(found if expected is None else expected)
    contiguous = e.facts.is_contiguous(value)
    steps = (
        e.contiguous_strides(tuple(shape), type.dtype.itemsize) if contiguous else tuple(word(strides, axis) for axis in range(type.rank))
    )
    return Array(field(e, object_, symbols.DATA, PTR), owner, tuple(shape), steps, type.dtype, contiguous, scope)


def pin_arguments(e: Emitter) -> None:
    """Before other code of Python's can run: the memory of the arguments stays where it is until the call ends."""
    if not e.has_array_parameters or e.is_outlined:
        return
    status = e.call("ag_pin", e.frame, e.function.args[1])
    passed, failing = e.block("ok"), e.block("pending")
    e.b.cbranch(e.b.icmp_signed("!=", status, I32(0)), failing, passed).set_weights([1, 1 << 20])
    e.b.position_at_end(failing)
    e.leave(PENDING)
    e.b.position_at_end(passed)


def tagged(e: Emitter, object_: ir.Value) -> ir.Value:
    """The owner that stands for an argument."""
    return e.b.gep(object_, [I64(1)], source_etype=I8)


def hold(e: Emitter, object_: ir.Value) -> ir.Value:
    """The owner that takes over a reference to a Python object."""
    owner = e.call("ag_hold", e.frame, object_)
    e.guard(e.b.icmp_unsigned("!=", owner, PTR(None)), MemoryError)
    return owner


def unpack_list(e: Emitter, object_: ir.Value, x: Value, is_another: bool = False, is_strict: bool = False) -> ir.Value:
    """The list that a value stands for, with the items of a Python list: that list, or `is_another` one. The call is not for this
    program where `strict` reading finds something else than numbers of the type."""
    assert isinstance(x.type, ListType)
    written = {type_: e.written_types.index(type_) + 1 for type_ in e.written_lists.get(id(x), ()) if not is_another}
    header = e.b.call(list_from(e.module, x.type, written, is_another, is_strict), [e.frame, object_])
    if not is_strict:
        fail_if_null(e, header)
        return header
    with e.b.if_then(e.b.icmp_unsigned("==", header, PTR(None)), likely=False):
        is_unfit = e.b.icmp_unsigned("==", e.call("PyErr_Occurred"), PTR(None))
        e.b.store(e.b.select(is_unfit, I64(UNFIT), I64(PENDING)), e.b.gep(e.frame, [I64(FRAME_SITE)], source_etype=I64))
        e.b.branch(e.failed)
    return header


def measured_list(e: Emitter, object_: ir.Value, elem: Type) -> ir.Value:
    """A list as long as a Python list, with room for items that nobody looks at."""
    header, count = empty_python_list(e, elem), field(e, object_, LIST_SIZE, I64)
    no_room = e.call("ag_list_reserve", header, e.b.mul(count, I64(item_bytes(elem))))
    e.guard(e.b.icmp_signed("==", no_room, I32(0)), MemoryError)
    e.b.store(count, e.b.gep(header, [I64(LENGTH)], source_etype=I64))
    return header


def empty_python_list(e: Emitter, elem: Type) -> ir.Value:
    """An empty list."""
    header = e.call("ag_alloc_list", e.frame)
    e.guard(e.b.icmp_unsigned("!=", header, PTR(None)), MemoryError)
    if isinstance(elem, ListType):
        e.b.store(I64(1), e.b.gep(header, [I64(REFERENCES)], source_etype=I64))
    return header


def copy_bytes(e: Emitter, target: ir.Value, source: ir.Value, size: ir.Value) -> None:
    name = "llvm.memmove.p0.p0.i64"
    function = e.module.globals.get(name) or ir.Function(e.module, ir.FunctionType(ir.VoidType(), [PTR, PTR, I64, I1]), name)
    e.b.call(function, [target, source, size, I1(0)])


def clear_bytes(e: Emitter, target: ir.Value, size: ir.Value) -> None:
    name = "llvm.memset.p0.i64"
    function = e.module.globals.get(name) or ir.Function(e.module, ir.FunctionType(ir.VoidType(), [PTR, I8, I64, I1]), name)
    e.b.call(function, [target, I8(0), size, I1(0)])


def pack(e: Emitter, type: Type, value: Emitted, is_copy: bool = False) -> ir.Value:
    """A new reference to a Python object that stands for a value, null where an exception is pending; of a list a copy or the one that it
    stands for."""
    if isinstance(type, ScalarType):
        slot = e.slots(2)
        e.store_number(value, slot, type.dtype)
        return e.call("ag_scalar", slot, I32(type.dtype.num))
    if isinstance(type, ListType):
        return e.b.call((fresh_list if is_copy else list_object)(e.module, type), [value])
    return pack_array(e, value) if isinstance(type, ArrayType) else e.call("ag_object", value)


def pack_number(e: Emitter, value: Value, number: Emitted) -> ir.Value:
    """A new reference to the Python number that stands for a bool, an int64 or a float64."""
    assert isinstance(value.type, ScalarType)
    kind = value.type.dtype.kind
    if kind == "f":
        return e.call("PyFloat_FromDouble", number)
    return e.call("PyBool_FromLong", e.b.zext(number, I64)) if kind == "b" else e.call("PyLong_FromLongLong", number)


def pack_array(e: Emitter, array: Array) -> ir.Value:
    rank = len(array.shape)
    words = e.slots(2 * rank)
    for position, number in enumerate((*array.shape, *array.strides)):
        e.b.store(number, e.offset(words, I64(8 * position)))
    strides = e.offset(words, I64(8 * rank))
    return e.call("ag_array", e.frame, array.owner, array.pointer, I32(array.dtype.num), I32(rank), words, strides)
