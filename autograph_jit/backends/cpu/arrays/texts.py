"""Texts by Python's C interface: the code points of a str and the bytes of a bytes object, copied in and out."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.arrays.memory import copy_bytes
from autograph_jit.backends.cpu.arrays.routines import I64_DTYPE
from autograph_jit.backends.cpu.boundary import fail_if_null, hold
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.host import environment_item
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.runtime_module import HEADER_BYTES, LENGTH
from autograph_jit.backends.cpu.signatures import I32, I64, PTR, SIGNATURES
from autograph_jit.backends.cpu.text_pool import CHUNK, ENTRY_SLOTS, OBJECT_OF_ENTRY, SIZE
from autograph_jit.backends.cpu.values import Array, Emitted, array_type
from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.types import TEXT_REFERENCES, ListType
from autograph_jit.ops.texts import BYTE, CODE_POINT

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


@rule("text_reference")
def emit_reference(e: Emitter, operation: Operation) -> list[Emitted]:
    """The letters stand side by side, as those of texts do."""
    known = ascii_constant(operation.operands[0]) if e.reads_constants else None
    if known is not None:
        return [reference(e, e.call("ag_text_read", e.frame, environment_item(e, known), I32(0)))]
    codes = e.get(operation.operands[0])
    letters, count = (codes.pointer, codes.shape[0]) if isinstance(codes, Array) else (e.slots(1), I64(1))
    if not isinstance(codes, Array):
        e.store_number(codes, letters, CODE_POINT)
    is_text = operation.operands[0].type.dtype == CODE_POINT  # type: ignore[union-attr]
    return [reference(e, e.call("ag_text_enter" if is_text else "ag_text_enter_bytes", e.frame, letters, count))]


def ascii_constant(letters: Value) -> str | None:
    """The text of ASCII letters that is a constant of the program, with its hash known; None of any other."""
    owner = letters.owner
    if not isinstance(owner, Operation) or owner.name != "array_constant" or owner.attributes["value"].dtype != CODE_POINT:
        return None
    text = "".join(map(chr, owner.attributes["value"].tolist()))
    return text if text.isascii() and hash(text) is not None else None


def enters_constants_alone(graph: Graph) -> bool:
    """Whether a program reads texts of Python's, and enters none by its letters but constants: then one table of them is enough."""
    lists = [x for x in graph.block.args if isinstance(x.type, ListType) and x.type.number in TEXT_REFERENCES]
    entered = [operation for operation in graph.walk() if operation.name == "text_reference"] if lists else []
    return bool(entered) and all(ascii_constant(operation.operands[0]) is not None for operation in entered)


def reference(e: Emitter, entry: ir.Value) -> ir.Value:
    """The reference that the address of an entry is."""
    e.guard(e.b.icmp_unsigned("!=", entry, PTR(None)), MemoryError)
    return e.b.ptrtoint(entry, I64)


@rule("text_of_object")
def emit_read(e: Emitter, operation: Operation) -> list[Emitted]:
    """The str may be gone before the call ends."""
    e.call("ag_take_gil", e.frame)
    text = e.call("ag_object", e.get(operation.operands[0]))
    entry = e.call("ag_text_read", e.frame, text, I32(0))
    e.call("Py_DecRef", text)
    return [reference(e, entry)]


@rule("text_letters")
def emit_letters(e: Emitter, operation: Operation) -> list[Emitted]:
    """They are those of the entry, which is there to the end of the call."""
    entry = e.b.inttoptr(e.get(operation.operands[0]), PTR)
    count, chunk = (e.b.load(e.offset(entry, I64(8 * place)), typ=type_) for place, type_ in ((SIZE, I64), (CHUNK, PTR)))
    strides = e.contiguous_strides((count,), CODE_POINT.itemsize)
    return [Array(e.offset(entry, I64(8 * ENTRY_SLOTS)), chunk, (count,), strides, CODE_POINT, True, None)]


@rule("text_object")
def emit_str(e: Emitter, operation: Operation) -> list[Emitted]:
    """A str of the text, or a bytes object."""
    e.call("ag_take_gil", e.frame)
    operand = operation.operands[0]
    text = e.call(OBJECT_OF_ENTRY[operand.type], e.b.inttoptr(e.get(operand), PTR))
    fail_if_null(e, text)
    return [hold(e, text)]


@rule("text_order")
def emit_text_order(e: Emitter, operation: Operation) -> list[Emitted]:
    return [e.call("ag_text_order", *(e.b.inttoptr(e.get(operand), PTR) for operand in operation.operands))]


@rule("text_prefixes")
def emit_text_prefixes(e: Emitter, operation: Operation) -> list[Emitted]:
    texts = e.get(operation.operands[0])
    made = e.allocate((e.b.load(e.offset(texts, I64(8 * LENGTH)), typ=I64),), I64_DTYPE)
    e.call("ag_text_prefixes", texts, made.pointer)
    return [made]


@rule("text_join")
def emit_join(e: Emitter, operation: Operation) -> list[Emitted]:
    """The letters between stand side by side."""
    texts, between = (e.get(operand) for operand in operation.operands)
    total = e.call("ag_text_total", texts, between.shape[0])
    made = e.allocate((total,), CODE_POINT)
    e.call("ag_text_join", texts, between.pointer, between.shape[0], made.pointer)
    return [made]
