"""Texts by Python's C interface: the code points of a str and the bytes of a bytes object, copied in and out."""

from __future__ import annotations

from autograph_jit.backends.cpu.arrays.memory import copy_bytes
from autograph_jit.backends.cpu.boundary import fail_if_null, hold
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import I32, I64, PTR, SIGNATURES
from autograph_jit.backends.cpu.values import Emitted, array_type
from autograph_jit.ir.graph import Operation
from autograph_jit.ops.texts import BYTE

SIGNATURES.update({
    "PyUnicode_GetLength": (I64, [PTR]),
    "PyUnicode_AsUCS4": (PTR, [PTR, PTR, I64, I32]),
    "PyUnicode_FromKindAndData": (PTR, [I32, PTR, I64]),
    "PyBytes_Size": (I64, [PTR]),
    "PyBytes_AsString": (PTR, [PTR]),
    "PyBytes_FromStringAndSize": (PTR, [PTR, I64]),
})


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

