"""Native code that gives the dicts or instances in a list new values under one name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu import symbols
from autograph_jit.backends.cpu.entry_places import EntryCode, ValuePlace, are_dicts_known
from autograph_jit.backends.cpu.library import ENTRY, Library
from autograph_jit.backends.cpu.part_readers import LIST_ITEMS, SIZE_AT, TYPE_AT
from autograph_jit.backends.cpu.runtime_module import Routine
from autograph_jit.backends.cpu.signatures import I32, PTR, SIGNATURES

SIGNATURES["PyDict_SetItem"] = SIGNATURES["PyObject_SetAttr"] = (I32, [PTR, PTR, PTR])


def store_values(kind: type, name: str, place: ValuePlace | None, objects: list[Any], values: list[Any]) -> None:
    """Give each dict, or instance of a class, the value at the same place in another list; there may be more values than objects. Where
    dicts do not have the key, which then has no place, those stay without it whose value is None."""
    native_writer(place or ValuePlace(), kind is dict, place is None)(sys.intern(name), kind, objects, values)


@cache
def native_writer(place: ValuePlace, is_dict: bool, is_new: bool) -> Callable[..., Any]:
    """The code for such a place: a function of a name, a class and two lists."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(PTR, [PTR, PTR, PTR]), ENTRY)
    build_writer(Routine(module, ENTRY, function), place, is_dict, is_new)
    made: Callable[..., Any] = Library(str(module)).callable(ENTRY, "store")
    return made


def build_writer(r: Routine, place: ValuePlace, is_dict: bool, is_new: bool) -> None:
    """store(name, kind, objects, values): where numbers stand at the place, without C's interface."""
    name, kind, objects, values = (r.field(r.args[1], symbols.TUPLE_ITEMS + 8 * number, PTR) for number in range(4))

    def write(index: ir.Value) -> None:
        with r.b.if_then(r.b.icmp_signed("<", index, r.field(objects, SIZE_AT))):  # what is let go may run code of the user's
            x, value = (r.b.load(r.b.gep(r.field(each, LIST_ITEMS, PTR), [index], source_etype=PTR), typ=PTR) for each in (objects, values))
            rest, done = r.function.append_basic_block("rest"), r.function.append_basic_block("written")
            if is_new:
                given = r.function.append_basic_block("given")
                r.b.cbranch(r.b.icmp_unsigned("==", value, r.global_object("_Py_NoneStruct")), done, given)
                r.b.position_at_end(given)
            replace_number(EntryCode(r, place, rest), is_dict, (x, name, kind, value))
            r.b.branch(done)
            r.b.position_at_end(rest)
            status = r.call("PyDict_SetItem" if is_dict else "PyObject_SetAttr", x, name, value)
            r.leave_if(r.b.icmp_signed("!=", status, I32(0)), PTR(None))
            r.b.branch(done)
            r.b.position_at_end(done)

    r.each(r.field(values, SIZE_AT), write)
    none = r.global_object("_Py_NoneStruct")
    r.call("Py_IncRef", none)
    r.b.ret(none)


def replace_number(code: EntryCode, is_dict: bool, operands: tuple[ir.Value, ...]) -> None:
    """Put a number, which the garbage collector need not know, in the place of what stands there."""
    r, (x, name, kind, value) = code.r, operands
    if not code.place.is_known or is_dict and not are_dicts_known():
        r.b.branch(code.elsewhere)
        r.b.position_at_end(r.function.append_basic_block("never"))
        return
    numbers = (r.b.icmp_unsigned("==", r.field(value, TYPE_AT, PTR), r.global_object(x)) for x in ("PyFloat_Type", "PyLong_Type"))
    code.go_on_if(r.b.and_(r.b.icmp_unsigned("==", r.field(x, TYPE_AT, PTR), kind), r.b.or_(*numbers)))
    slot = code.in_dict(x, name) if is_dict else code.in_instance(x, name)
    before = r.b.load(slot, typ=PTR)
    code.go_on_if(r.b.not_(r.is_null(before)))
    r.call("Py_IncRef", value)
    r.b.store(value, slot)
    r.call("Py_DecRef", before)
