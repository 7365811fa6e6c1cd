"""Texts by Python's C interface: the code points of a str and the bytes of a bytes object, copied in and out."""

from __future__ import annotations

from autograph_jit.backends.cpu.arrays.memory import copy_bytes
from autograph_jit.backends.cpu.boundary import fail_if_null, hold
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import HEADER_BYTES, I32, I64, PTR, SIGNATURES
from autograph_jit.backends.cpu.values import Array, Emitted, array_type
from autograph_jit.ir.graph import Operation
from autograph_jit.ops.texts import BYTE

SIGNATURES.update(
    {
        "PyUnicode_GetLength": (I64, [PTR]),
        "PyUnicode_AsUCS4": (PTR, [PTR, PTR, I64, I32]),
        "PyUnicode_FromKindAndData": (PTR, [I32, PTR, I64]),
        "PyBytes_Size": (I64, [PTR]),
        "PyBytes_AsString": (PTR, [PTR]),
        "PyBytes_FromStringAndSize": (PTR, [PTR, I64]),
    }
)


@rule("text_codes")
def emit_codes(e: Emitter, operation: Operation) -> list[Emitted]:
    """The object is one that the call or the frame holds meanwhile."""
    dtype = array_type(operation.result).dtype
    e.call("ag_take_gil", e.frame)
    text = e.call("ag_object", e.get(operation.operands[0]))
    length = e.call("PyBytes_Size" if dtype == BYTE else "PyUnicode_GetLength", text)
    e.call("Py_DecRef", text)
    codes = e.allocate((length,), dtype)
    if dtype == BYTE:
        copy_bytes(e, codes.pointer, e.call("PyBytes_AsString", text), length)
    else:
        e.call("PyUnicode_AsUCS4", text, codes.pointer, length, I32(0))
    return [codes]


@rule("text_of_codes")
def emit_text(e: Emitter, operation: Operation) -> list[Emitted]:
    """Of a vector side by side, as those of texts are."""
    codes = e.get(operation.operands[0])
    e.call("ag_take_gil", e.frame)
    if codes.dtype == BYTE:
        text = e.call("PyBytes_FromStringAndSize", codes.pointer, codes.shape[0])
    else:
        text = e.call("PyUnicode_FromKindAndData", I32(4), codes.pointer, codes.shape[0])
    fail_if_null(e, text)
    return [hold(e, text)]


@rule("text_append")
def emit_append(e: Emitter, operation: Operation) -> list[Emitted]:
    """Behind the text, in its own memory, where nothing stands there yet; otherwise both are copied to memory with room for more."""
    text, added = (e.get(operand) for operand in operation.operands)
    item, count = I64(text.dtype.itemsize), added.shape[0] if isinstance(added, Array) else I64(1)
    size, more = e.mul(text.shape[0], item), e.mul(count, item)
    owner = e.call("ag_text_room", e.frame, text.owner, text.pointer, size, more)
    e.guard(e.b.icmp_unsigned("!=", owner, PTR(None)), MemoryError)
    fresh = e.offset(owner, I64(HEADER_BYTES))
    is_same = e.b.icmp_unsigned("==", owner, text.owner)
    with e.b.if_then(e.b.not_(is_same)):
        copy_bytes(e, fresh, text.pointer, size)
    start = e.b.select(is_same, text.pointer, fresh)
    end = e.offset(start, size)
    if isinstance(added, Array):
        copy_bytes(e, end, added.pointer, more)
    else:
        e.store_number(added, end, text.dtype)
    shape = (e.add(text.shape[0], count),)
    return [Array(start, owner, shape, e.contiguous_strides(shape, text.dtype.itemsize), text.dtype, True, None)]
