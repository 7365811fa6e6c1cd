"""Python's lists and those of compiled code: one pass reads the items in, one makes a Python list of them, one writes them back.

A list of compiled code knows the Python list that it stands for, if there is one (`OBJECT` of its header): that of the caller, or the one
that was made of it when it left. So one list is one object however often it leaves. Lists of the caller's of a type that the program may
write get their items back when the call ends, in whatever way.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.python_ints import digits_of, number_of_digit, read_int
from autograph_jit.backends.cpu.runtime_module import (
    FRAME_HEAD,
    ITEMS,
    LENGTH,
    NEXT,
    OBJECT,
    REFERENCES,
    REFS,
    WRITE_BACK,
    Routine,
    first_items,
)
from autograph_jit.backends.cpu.signatures import I1, I8, I32, I64, PTR
from autograph_jit.backends.cpu.text_pool import OBJECT_OF_ENTRY
from autograph_jit.ir.types import TEXT, TEXT_REFERENCES, ListType, ScalarType, Type

F64, F32 = ir.DoubleType(), ir.FloatType()
LIST_SIZE, LIST_ITEMS = symbols.OBJECT_SIZE, symbols.OBJECT_SIZE + 8
EVERYTHING = (1 << 63) - 1
DOUBLES, INTS = NUMBERS = ScalarType(np.dtype(np.float64)), ScalarType(np.dtype(np.int64))
SIDE_BY_SIDE = 4  # numbers that are read together: their memory is fetched at once
HASH_FACTOR = 0x9E3779B97F4A7C15 - (1 << 64)  # 2**64 by the golden ratio, as a signed number


def routine(module: ir.Module, name: str, result: ir.Type, arguments: list[ir.Type]) -> Routine | None:
    """A function of this module to be built; None where there is one of this name."""
    if name in module.globals:
        return None
    function = ir.Function(module, ir.FunctionType(result, arguments), name)
    function.linkage = "internal"
    return Routine(module, name, function)


def suffix(elem: Type) -> str:
    """The part of a routine's name that tells the type of the items."""
    return str(elem).replace("[", ".").replace("]", "")


def item_bytes(elem: Type) -> int:
    """The size of an item: a reference to another list is a pointer."""
    return elem.dtype.itemsize if isinstance(elem, ScalarType) else 8


def address_of_item(r: Routine, items: ir.Value, index: ir.Value, elem: Type) -> ir.Value:
    return r.b.gep(items, [r.b.mul(index, I64(item_bytes(elem)))], source_etype=I8)


# Out: the Python list of a list of compiled code.


def object_of_item(r: Routine, place: ir.Value, elem: Type, is_copy: bool) -> ir.Value:
    """A new reference to the Python object of an item; null where there is no memory."""
    if isinstance(elem, ListType):
        return r.b.call((fresh_list if is_copy else list_object)(r.module, elem), [r.b.load(place, typ=PTR)])
    assert isinstance(elem, ScalarType)
    dtype = elem.dtype
    if elem in TEXT_REFERENCES:
        return r.call(OBJECT_OF_ENTRY[elem], r.b.load(place, typ=PTR))
    if dtype.kind == "c":
        part = F32 if dtype.itemsize == 8 else F64
        parts = [r.b.load(r.b.gep(place, [I64(k)], source_etype=part), typ=part) for k in (0, 1)]
        return r.call("PyComplex_FromDoubles", *(r.b.fpext(x, F64) if part is F32 else x for x in parts))
    if dtype.kind == "f":
        number = r.b.load(place, typ=F32 if dtype.itemsize == 4 else F64)
        return r.call("PyFloat_FromDouble", r.b.fpext(number, F64) if dtype.itemsize == 4 else number)
    number = r.b.load(place, typ=ir.IntType(8 * dtype.itemsize))
    if dtype.itemsize < 8:
        number = r.b.zext(number, I64) if dtype.kind in "ub" else r.b.sext(number, I64)
    return r.call({"b": "PyBool_FromLong", "u": "PyLong_FromUnsignedLongLong"}.get(dtype.kind, "PyLong_FromLongLong"), number)


def fresh_list(module: ir.Module, type: ListType, is_copy: bool = True) -> ir.Function:
    """The routine that makes a Python list of the items: `(header) -> list`, null where an exception is pending. `is_copy`: of lists among
    them, too."""
    name = f"ag_{'copied' if is_copy else 'fresh'}.{suffix(type.elem)}"
    r = routine(module, name, PTR, [PTR])
    if r is None:
        return module.globals[name]
    header = r.args[0]
    count = r.get(header, LENGTH)
    made = r.call("PyList_New", count)
    r.leave_if(r.is_null(made), PTR(None))

    def fill(index: ir.Value) -> None:
        item = object_of_item(r, address_of_item(r, r.get(header, ITEMS, PTR), index, type.elem), type.elem, is_copy)
        with r.b.if_then(r.is_null(item), likely=False):
            r.call("Py_DecRef", made)
            r.b.ret(PTR(None))
        r.b.store(item, r.b.gep(r.field(made, LIST_ITEMS, PTR), [index], source_etype=PTR))

    r.each(count, fill)
    r.b.ret(made)
    return r.function


def list_object(module: ir.Module, type: ListType) -> ir.Function:
    """The routine that gives a new reference to the Python list of a list: `(header) -> list`; what the caller's holds by now, see
    `write_back`."""
    name = f"ag_list.{suffix(type.elem)}"
    r = routine(module, name, PTR, [PTR])
    if r is None:
        return module.globals[name]
    header = r.args[0]
    known = r.get(header, OBJECT, PTR)
    with r.b.if_then(r.is_null(known)):
        made = r.b.call(fresh_list(module, type, False), [header])
        with r.b.if_then(r.b.not_(r.is_null(made))):
            r.set(header, OBJECT, made)
            r.call("Py_IncRef", made)
        r.b.ret(made)
    r.call("Py_IncRef", known)
    r.b.ret(known)
    return r.function


def write_back(module: ir.Module, types: list[ListType]) -> ir.Function:
    """The routine that gives the caller's lists of these types the items that they have by now, whatever is pending meanwhile:
    `(frame) -> status`, not 0 where an exception is pending that was not before."""
    name = "ag_write_back"
    r = routine(module, name, I32, [PTR])
    assert r is not None
    slots = [r.b.alloca(PTR) for _ in range(3)]
    failed = r.b.alloca(I32)
    r.b.store(I32(0), failed)
    r.call("PyErr_Fetch", *slots)
    first, before = r.get(r.args[0], FRAME_HEAD, PTR), r.b.block
    loop, body, following, done = (r.function.append_basic_block(part) for part in ("loop", "body", "next", "done"))
    r.b.branch(loop)
    r.b.position_at_end(loop)
    header = r.b.phi(PTR)
    header.add_incoming(first, before)
    r.b.cbranch(r.is_null(header), done, body)
    r.b.position_at_end(body)
    choice = r.b.switch(r.get(header, WRITE_BACK), following)
    for number, type in enumerate(types, 1):
        choice.add_case(I64(number), block := r.function.append_basic_block("type"))
        r.b.position_at_end(block)
        made = r.b.call(fresh_list(module, type, False), [header])
        with r.b.if_else(r.is_null(made)) as (missing, there):
            with missing:
                r.b.store(I32(1), failed)
            with there:
                status = r.call("PyList_SetSlice", r.get(header, OBJECT, PTR), I64(0), I64(EVERYTHING), made)
                r.b.store(r.b.or_(r.b.load(failed, typ=I32), status), failed)
                r.call("Py_DecRef", made)
        r.b.branch(following)
    r.b.position_at_end(following)
    header.add_incoming(r.get(header, NEXT, PTR), following)
    r.b.branch(loop)
    r.b.position_at_end(done)
    status = r.b.load(failed, typ=I32)
    was_pending = r.b.not_(r.is_null(r.b.load(slots[0], typ=PTR)))
    with r.b.if_then(r.b.or_(was_pending, r.b.icmp_signed("==", status, I32(0)))):
        r.call("PyErr_Restore", *(r.b.load(slot, typ=PTR) for slot in slots))
    r.b.ret(status)
    return r.function


# In: a list of compiled code with the items of a Python list.


def store_item(r: Routine, item: ir.Value, place: ir.Value, elem: Type) -> ir.Value:
    """Store what compiled code has of an item; whether that may have failed, with an exception pending then."""
    assert isinstance(elem, ScalarType)
    dtype = elem.dtype
    if dtype.kind == "c":
        pair = r.call("PyComplex_AsCComplex", item)
        parts = [r.b.extract_value(pair, k) for k in (0, 1)]
        for k, part in enumerate(parts):
            narrow = r.b.fptrunc(part, F32) if dtype.itemsize == 8 else part
            r.b.store(narrow, r.b.gep(place, [I64(k)], source_etype=narrow.type))
        return r.b.fcmp_ordered("==", parts[0], F64(-1.0))
    if dtype.kind == "f":
        exact = r.b.icmp_unsigned("==", r.field(item, symbols.OBJECT_SIZE - 8, PTR), r.global_object("PyFloat_Type"))
        with r.b.if_else(exact) as (python_float, other):
            with python_float:
                inline, inline_block = r.field(item, symbols.OBJECT_SIZE, F64), r.b.block
            with other:
                converted, converted_block = r.call("PyFloat_AsDouble", item), r.b.block
        number = r.b.phi(F64)
        number.add_incoming(inline, inline_block)
        number.add_incoming(converted, converted_block)
        r.b.store(r.b.fptrunc(number, F32) if dtype.itemsize == 4 else number, place)
        return r.b.and_(r.b.not_(exact), r.b.fcmp_ordered("==", number, F64(-1.0)))
    if dtype.kind == "b":
        truth = r.call("PyObject_IsTrue", item)
        r.b.store(r.b.trunc(truth, ir.IntType(8)), place)
        return r.b.icmp_signed("<", truth, I32(0))
    if dtype == np.dtype(np.uint64):
        number = r.call("PyLong_AsUnsignedLongLong", item)
        may_have_failed = r.b.icmp_signed("==", number, I64(-1))
    else:
        number, may_have_failed = read_int(r, item)
    r.b.store(r.b.trunc(number, ir.IntType(8 * dtype.itemsize)) if dtype.itemsize < 8 else number, place)
    return may_have_failed


def list_from(
    module: ir.Module, type: ListType, written: Mapping[ListType, int], is_another: bool = False, is_strict: bool = False
) -> ir.Function:
    """The routine that makes a list of a Python list, or one that `is_another` list than Python's: `(frame, object) -> header`, null where
    an exception is pending, and where a `strict` one meets what is neither a float nor an int as it expects them. It and those in it are
    written back where they are of the types `written`, which have numbers."""
    name = f"ag_{'items' if is_another else 'list'}_from{'.strict' * is_strict}.{suffix(type.elem)}{numbers_in(type, written)}"
    r = routine(module, name, PTR, [PTR, PTR])
    if r is None:
        return module.globals[name]
    frame, object_ = r.args
    count = r.field(object_, LIST_SIZE)
    header = header_of(r, frame, object_, count, type, written, is_another)
    size, table = I64(0), PTR(None)
    if isinstance(type.elem, ListType):
        size = power_of_two_over(r, count)
        table = table_of(r, frame, size)

    def read(index: ir.Value) -> None:
        with r.b.if_then(r.b.icmp_signed("<=", r.field(object_, LIST_SIZE), index), likely=False):
            r.b.ret(header)  # the conversion of an item has made the list shorter
        item = r.b.load(r.b.gep(r.field(object_, LIST_ITEMS, PTR), [index], source_etype=PTR), typ=PTR)
        place = address_of_item(r, r.get(header, ITEMS, PTR), index, type.elem)
        if is_strict:
            leave_if_other(r, item, type.elem)
        if isinstance(type.elem, ListType):
            inner = r.b.call(list_once(module, type.elem, written), [frame, item, table, size])
            r.leave_if(r.is_null(inner), PTR(None))
            r.b.store(inner, place)
        elif type.elem in TEXT_REFERENCES:
            entry = r.call("ag_text_read", frame, item, I32(1)) if type.elem == TEXT else r.call("ag_text_read_bytes", frame, item)
            with r.b.if_then(r.is_null(entry), likely=False):
                r.call("PyErr_NoMemory")
                r.b.ret(PTR(None))
            r.b.store(entry, place)
        else:
            suspicious = store_item(r, item, place, type.elem)
            with r.b.if_then(suspicious, likely=False):
                r.leave_if(r.b.not_(r.is_null(r.call("PyErr_Occurred"))), PTR(None))
        r.set(header, LENGTH, r.b.add(index, I64(1)))

    first = None
    if type.elem in NUMBERS:
        first = r.b.call(read_together(module, type.elem), [r.field(object_, LIST_ITEMS, PTR), count, r.get(header, ITEMS, PTR)])
        r.set(header, LENGTH, first)
    r.each(count, read, first)
    r.b.ret(header)
    return r.function


def header_of(
    r: Routine, frame: ir.Value, object_: ir.Value, count: ir.Value, type: ListType, written: Mapping[ListType, int], is_another: bool
) -> ir.Value:
    """A list with room for so many items of a Python list, none of them read; leaves where there is no memory."""
    header = r.call("ag_alloc_list", frame)
    with r.b.if_then(r.is_null(header), likely=False):
        r.call("PyErr_NoMemory")
        r.b.ret(PTR(None))
    if not is_another:
        r.call("Py_IncRef", object_)
        r.set(header, OBJECT, object_)
    r.set(header, REFERENCES, I64(int(isinstance(type.elem, ListType))))
    if type in written:
        r.set(header, WRITE_BACK, I64(written[type]))
        r.set(header, REFS, I64(2))  # to the end of the call, whatever lists of lists let go of it
    no_room = r.b.icmp_signed("!=", r.call("ag_list_reserve", header, r.b.mul(count, I64(item_bytes(type.elem)))), I32(0))
    with r.b.if_then(no_room, likely=False):
        r.call("PyErr_NoMemory")
        r.b.ret(PTR(None))
    return header


def leave_if_other(r: Routine, item: ir.Value, elem: Type) -> None:
    """Leave, with no exception, where an item is no float, or no int of at most two digits."""
    kind = r.global_object("PyFloat_Type" if elem == DOUBLES else "PyLong_Type")
    r.leave_if(r.b.icmp_unsigned("!=", r.field(item, symbols.OBJECT_SIZE - 8, PTR), kind), PTR(None))
    if elem == INTS:
        r.leave_if(r.b.icmp_unsigned(">", digits_of(r, item), I64(2)), PTR(None))


def read_together(module: ir.Module, elem: Type) -> ir.Function:
    """The routine that reads floats, or ints of one digit, side by side, up to the first few items that are something else, too:
    `(objects, count, numbers) -> how many it has read`."""
    name = f"ag_read_together.{suffix(elem)}"
    r = routine(module, name, I64, [PTR, I64, PTR])
    if r is None:
        return module.globals[name]
    objects, count, numbers = r.args
    names = ("loop", "group", "alike", "read", "done")
    before, loop, group, alike, read, done = r.b.block, *map(r.function.append_basic_block, names)
    r.b.branch(loop)
    r.b.position_at_end(loop)
    first = r.b.phi(I64)
    first.add_incoming(I64(0), before)
    behind = r.b.add(first, I64(SIDE_BY_SIDE))
    r.b.cbranch(r.b.icmp_signed("<=", behind, count), group, done)
    r.b.position_at_end(group)
    places = [r.b.add(first, I64(k)) for k in range(SIDE_BY_SIDE)]
    items = [r.b.load(r.b.gep(objects, [place], source_etype=PTR), typ=PTR) for place in places]
    kind = r.global_object("PyFloat_Type" if elem == DOUBLES else "PyLong_Type")
    are_alike = [r.b.icmp_unsigned("==", r.field(item, symbols.OBJECT_SIZE - 8, PTR), kind) for item in items]
    r.b.cbranch(functools.reduce(r.b.and_, are_alike), alike, done)
    r.b.position_at_end(alike)
    are_short = [r.b.icmp_unsigned("<=", digits_of(r, item), I64(1)) for item in items] if elem == INTS else [I1(1)]
    r.b.cbranch(functools.reduce(r.b.and_, are_short), read, done)
    r.b.position_at_end(read)
    for place, item in zip(places, items):
        number = r.field(item, symbols.OBJECT_SIZE, F64) if elem == DOUBLES else number_of_digit(r, item)
        r.b.store(number, r.b.gep(numbers, [place], source_etype=number.type))
    first.add_incoming(behind, read)
    r.b.branch(loop)
    r.b.position_at_end(done)
    r.b.ret(first)
    return r.function


def power_of_two_over(r: Routine, count: ir.Value) -> ir.Value:
    """A power of two that is at least twice as large."""
    zeros = r.b.ctlz(count, I1(0))
    return r.b.shl(I64(2), r.b.sub(I64(64), zeros))


def table_of(r: Routine, frame: ir.Value, size: ir.Value) -> ir.Value:
    """Memory for pairs of Python's lists and those of compiled code, to the end of the call; leaves where there is none."""
    header = r.call("ag_alloc_zero", frame, r.b.mul(size, I64(16)))
    with r.b.if_then(r.is_null(header), likely=False):
        r.call("PyErr_NoMemory")
        r.b.ret(PTR(None))
    return first_items(r, header)


def numbers_in(type: ListType, written: Mapping[ListType, int]) -> str:
    """The part of a routine's name that tells which lists are written back."""
    inner = numbers_in(type.elem, written) if isinstance(type.elem, ListType) else ""
    return f".{written.get(type, 0)}{inner}"


def list_once(module: ir.Module, type: ListType, written: Mapping[ListType, int]) -> ir.Function:
    """The routine that makes one list of one Python list, however often that stands in another one, by a table of those made so far:
    `(frame, object, table, size) -> header`, null where an exception is pending."""
    name = f"ag_list_once.{suffix(type.elem)}{numbers_in(type, written)}"
    r = routine(module, name, PTR, [PTR, PTR, PTR, I64])
    if r is None:
        return module.globals[name]
    frame, object_, table, size = r.args
    number = r.b.lshr(r.b.ptrtoint(object_, I64), I64(4))
    first = r.b.lshr(r.b.mul(number, I64(HASH_FACTOR)), I64(20))
    before, probe, there, other, empty = r.b.block, *(r.function.append_basic_block(part) for part in ("probe", "there", "other", "empty"))
    r.b.branch(probe)
    r.b.position_at_end(probe)
    step = r.b.phi(I64)
    step.add_incoming(first, before)
    place = r.b.gep(table, [r.b.mul(r.b.and_(step, r.b.sub(size, I64(1))), I64(2))], source_etype=PTR)
    known = r.b.load(place, typ=PTR)
    r.b.cbranch(r.is_null(known), empty, there)
    r.b.position_at_end(there)
    header = r.b.load(r.b.gep(place, [I64(1)], source_etype=PTR), typ=PTR)
    with r.b.if_then(r.b.icmp_unsigned("==", known, object_)):
        r.call("ag_retain", header)
        r.b.ret(header)
    r.b.branch(other)
    r.b.position_at_end(other)
    step.add_incoming(r.b.add(step, I64(1)), other)
    r.b.branch(probe)
    r.b.position_at_end(empty)
    made = r.b.call(list_from(module, type, written), [frame, object_])
    r.b.store(object_, place)
    r.b.store(made, r.b.gep(place, [I64(1)], source_etype=PTR))
    r.b.ret(made)
    return r.function
