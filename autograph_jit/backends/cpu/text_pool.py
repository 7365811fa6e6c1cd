"""The texts of a call that stand in its lists, dicts and sets: equal ones are one entry, whose address is the reference to it.

An entry begins with the hash that CPython gives the text, 0 until it is asked for, the number of letters, the str object of a list of the
caller's that it was read from, or null, the header of the chunk of memory that it stands in, and a hash that is quicker to compute; then
come the code points. A bytes object is the text that has a letter of Latin-1 for each byte, whose hash is the same. The pool has a table of
all entries by CPython's hash, which a str object has with it, one by the quick hash, for texts that the program computes, which is filled
when it computes the first one, and one of those of single letters of Latin-1. Texts that the program computes go into the first table when
it reads a str again. All of it is memory of the call, which ends with it.
"""

from __future__ import annotations

import sys

from llvmlite import ir

from autograph_jit.backends.cpu.runtime_module import FRAME_TEXTS, HEADER_BYTES, Routine
from autograph_jit.backends.cpu.signatures import I1, I8, I32, I64, PTR, SIGNATURES
from autograph_jit.backends.cpu.str_layout import STATE, STR_HASH, STR_SIZE, str_layout
from autograph_jit.backends.cpu.text_tables import (
    BY_HASH,
    BY_MIX,
    CHUNK,
    ENTRY_SLOTS,
    HASH,
    LATE,
    MASK,
    MIX,
    READS,
    SIZE,
    STR,
    TABLE,
    build_add,
    build_hash_all,
    build_mix,
    build_mix_all,
    build_place,
    free_place,
    put,
)
from autograph_jit.ir.types import BYTES, NUMPY_BYTES, NUMPY_TEXT, TEXT, Type

FREE, END, CURRENT, KEPT = range(6, 10)  # where the current chunk is free, its end, its header; Python's list of the strs that stay
SINGLE = LATE + 2  # the entries of single letters
FIRST = SINGLE + 256  # where the first table begins
FIRST_ENTRIES, CHUNK_BYTES, LETTER = 64, 1 << 13, 4
BUFFERED = 256  # letters that are hashed without memory of their own
HASH_BYTES = "Py_HashBuffer" if sys.version_info >= (3, 14) else "_Py_HashBytes"

OBJECT_OF_ENTRY: dict[Type, str] = {
    TEXT: "ag_text_str",
    BYTES: "ag_text_bytes",
    NUMPY_TEXT: "ag_numpy_str",
    NUMPY_BYTES: "ag_numpy_bytes",
}

SIGNATURES.update(
    {
        HASH_BYTES: (I64, [PTR, I64]),
        "PyObject_Hash": (I64, [PTR]),
        "ag_text_pool": (PTR, [PTR]),
        "ag_text_hash": (I64, [PTR, I64]),
        "ag_text_order": (I64, [PTR, PTR]),
        "ag_text_space": (PTR, [PTR, PTR, I64]),
        "ag_text_keep": (I32, [PTR, PTR, PTR]),
        "ag_text_enter": (PTR, [PTR, PTR, I64]),
        "ag_text_enter_word": (PTR, [PTR, PTR, I64]),
        "ag_text_read": (PTR, [PTR, PTR, I32]),
        "ag_text_str": (PTR, [PTR]),
        "ag_text_enter_bytes": (PTR, [PTR, PTR, I64]),
        "ag_text_read_bytes": (PTR, [PTR, PTR]),
        "ag_text_bytes": (PTR, [PTR]),
        "ag_numpy_str": (PTR, [PTR]),
        "ag_numpy_bytes": (PTR, [PTR]),
        "PyObject_CallOneArg": (PTR, [PTR, PTR]),
    }
)


def build_pool(module: ir.Module) -> None:
    """ag_text_pool(frame): the call's pool, made where there is none; null where there is no memory."""
    r = Routine(module, "ag_text_pool")
    known = r.get(r.args[0], FRAME_TEXTS, PTR)
    r.leave_if(r.b.not_(r.is_null(known)), known)
    header = r.call("ag_alloc_zero", r.args[0], I64(8 * (FIRST + FIRST_ENTRIES)))
    r.leave_if(r.is_null(header), PTR(None))
    pool = r.b.gep(header, [I64(HEADER_BYTES)], source_etype=I8)
    r.set(pool, BY_HASH + MASK, I64(FIRST_ENTRIES - 1))
    r.set(pool, BY_HASH + TABLE, r.slot(pool, FIRST))
    r.set(r.args[0], FRAME_TEXTS, pool)
    r.b.ret(pool)


def build_hash(module: ir.Module) -> None:
    """ag_text_hash(letters, count): CPython's hash of a str, which is that of its letters in one, two or four bytes each; -1 where
    there is no memory."""
    r = Routine(module, "ag_text_hash")
    letters, count = r.args
    largest = r.b.alloca(I32)
    r.b.store(I32(0), largest)
    buffer = r.b.alloca(I8, 2 * BUFFERED)

    def letter(index: ir.Value) -> ir.Value:
        return r.b.load(r.b.gep(letters, [index], source_etype=I32), typ=I32)

    def collect(index: ir.Value) -> None:
        r.b.store(r.b.or_(r.b.load(largest, typ=I32), letter(index)), largest)

    def narrowed(bits: int) -> ir.Value:
        type_ = ir.IntType(bits)

        def put(index: ir.Value) -> None:
            r.b.store(r.b.trunc(letter(index), type_), r.b.gep(narrow, [index], source_etype=type_))

        r.each(count, put)
        return r.call(HASH_BYTES, narrow, r.b.mul(count, I64(bits // 8)))

    r.each(count, collect)
    found = r.b.load(largest, typ=I32)
    with r.b.if_then(r.b.icmp_unsigned(">=", found, I32(1 << 16)), likely=False):
        r.b.ret(r.call(HASH_BYTES, letters, r.b.mul(count, I64(LETTER))))
    is_short = r.b.icmp_signed("<=", count, I64(BUFFERED))
    place = r.b.alloca(PTR)
    r.b.store(buffer, place)
    with r.b.if_then(r.b.not_(is_short), likely=False):
        r.b.store(r.call("malloc", r.b.mul(count, I64(2))), place)
    narrow = r.b.load(place, typ=PTR)
    result = r.b.alloca(I64)
    r.b.store(I64(-1), result)
    with r.b.if_then(r.b.not_(r.is_null(narrow))):
        for bits, fits in ((8, r.b.icmp_unsigned("<", found, I32(256))), (16, r.b.icmp_unsigned(">=", found, I32(256)))):
            with r.b.if_then(fits):
                r.b.store(narrowed(bits), result)
        with r.b.if_then(r.b.not_(is_short), likely=False):
            r.call("free", narrow)
    r.b.ret(r.b.load(result, typ=I64))


def build_order(module: ir.Module) -> None:
    """ag_text_order(entry, entry): negative, 0 or positive, as the first text comes before the second."""
    r = Routine(module, "ag_text_order")
    x, y = r.args
    r.leave_if(r.b.icmp_unsigned("==", x, y), I64(0))
    sizes = [r.get(entry, SIZE) for entry in (x, y)]
    shorter = r.b.select(r.b.icmp_signed("<", *sizes), *sizes)

    def compare(index: ir.Value) -> None:
        place = r.b.add(index, I64(2 * ENTRY_SLOTS))
        letters = [r.b.load(r.b.gep(entry, [place], source_etype=I32), typ=I32) for entry in (x, y)]
        difference = r.b.sub(*(r.b.zext(letter, I64) for letter in letters))
        r.leave_if(r.b.icmp_signed("!=", difference, I64(0)), difference)

    r.each(shorter, compare)
    r.b.ret(r.b.sub(*sizes))


def build_space(module: ir.Module) -> None:
    """ag_text_space(frame, pool, letters): an entry with room for so many letters, which is not in the table; null where there is no
    memory."""
    r = Routine(module, "ag_text_space")
    frame, pool, count = r.args
    size = r.b.and_(r.b.add(r.b.mul(count, I64(LETTER)), I64(8 * ENTRY_SLOTS + 7)), I64(-8))
    with r.b.if_then(r.b.icmp_signed(">", size, r.b.sub(r.get(pool, END), r.get(pool, FREE))), likely=False):
        room = r.b.select(r.b.icmp_signed(">", size, I64(CHUNK_BYTES)), size, I64(CHUNK_BYTES))
        header = r.call("ag_alloc", frame, room)
        r.leave_if(r.is_null(header), PTR(None))
        start = r.b.add(r.b.ptrtoint(header, I64), I64(HEADER_BYTES))
        r.set(pool, FREE, start)
        r.set(pool, END, r.b.add(start, room))
        r.set(pool, CURRENT, header)
    start = r.get(pool, FREE)
    entry = r.b.inttoptr(start, PTR)
    r.set(pool, FREE, r.b.add(start, size))
    r.set(entry, SIZE, count)
    r.set(entry, STR, PTR(None))
    r.set(entry, CHUNK, r.get(pool, CURRENT, PTR))
    r.b.ret(entry)


def build_enter(module: ir.Module) -> None:
    """ag_text_enter(frame, letters, count): the entry of a text, made where there is none. Null where there is no memory. A letter that has
    its place is found there; ag_text_enter_word looks for any text."""
    r = Routine(module, "ag_text_enter")
    frame, letters, count = r.args
    known_pool = r.get(frame, FRAME_TEXTS, PTR)
    with r.b.if_then(r.b.and_(r.b.icmp_signed("==", count, I64(1)), r.b.not_(r.is_null(known_pool)))):
        letter = r.b.zext(r.b.load(letters, typ=I32), I64)
        with r.b.if_then(r.b.icmp_unsigned("<", letter, I64(256))):
            known = r.b.load(r.b.gep(known_pool, [r.b.add(letter, I64(SINGLE))], source_etype=PTR), typ=PTR)
            r.leave_if(r.b.not_(r.is_null(known)), known)
    r.b.ret(r.call("ag_text_enter_word", frame, letters, count, apart=True))

    r = Routine(module, "ag_text_enter_word")
    frame, letters, count = r.args
    pool = r.call("ag_text_pool", frame)
    r.leave_if(r.is_null(pool), PTR(None))
    single = r.b.alloca(PTR)
    r.b.store(PTR(None), single)
    with r.b.if_then(r.b.icmp_signed("==", count, I64(1))):
        letter = r.b.zext(r.b.load(letters, typ=I32), I64)
        with r.b.if_then(r.b.icmp_unsigned("<", letter, I64(256))):
            r.b.store(r.b.gep(pool, [r.b.add(letter, I64(SINGLE))], source_etype=PTR), single)
    table, by_hash = r.slot(pool, BY_MIX), r.slot(pool, BY_HASH)
    with r.b.if_then(r.is_null(r.get(table, TABLE, PTR)), likely=False):
        r.leave_if(r.b.icmp_signed("!=", r.call("ag_text_mix_all", frame, pool, apart=True), I32(0)), PTR(None))
    mix = r.call("ag_text_mix", letters, count)
    place = r.call("ag_text_place", table, letters, count, mix)
    known = r.b.load(place, typ=PTR)
    r.leave_if(r.b.not_(r.is_null(known)), known)
    entry = r.call("ag_text_space", frame, pool, count, apart=True)
    r.leave_if(r.is_null(entry), PTR(None))
    r.set(entry, HASH, I64(0))
    r.set(entry, MIX, mix)
    copy = ir.Function(module, ir.FunctionType(ir.VoidType(), [PTR, PTR, I64, I1]), "llvm.memmove.p0.p0.i64")
    r.b.call(copy, [r.slot(entry, ENTRY_SLOTS), letters, r.b.mul(count, I64(LETTER)), I1(0)])
    put(r, table, place, entry, MIX)
    reads = r.b.icmp_signed("!=", r.get(pool, READS), I64(0))
    with r.b.if_then(r.b.or_(reads, r.b.icmp_signed(">", count, I64(BUFFERED))), likely=False):
        r.leave_if(r.b.icmp_signed("==", r.call("ag_text_hash_of", entry, apart=True), I64(-1)), PTR(None))
    with r.b.if_else(reads) as (eager, late):
        with eager:
            put(r, by_hash, free_place(r, by_hash, r.get(entry, HASH)), entry, HASH)
        with late:
            r.set(pool, LATE, I64(1))
    with r.b.if_then(r.b.not_(r.is_null(r.b.load(single, typ=PTR)))):
        r.b.store(entry, r.b.load(single, typ=PTR))
    r.b.ret(entry)


def build_enter_bytes(module: ir.Module) -> None:
    """ag_text_enter_bytes(frame, bytes, count): the entry of the text that has a letter of Latin-1 for each byte; ag_text_read_bytes(frame,
    bytes object): the same of a bytes object. Null where there is no memory."""
    r = Routine(module, "ag_text_enter_bytes")
    frame, source, count = r.args
    buffer, place = r.b.alloca(I32, BUFFERED), r.b.alloca(PTR)
    r.b.store(buffer, place)
    is_long = r.b.icmp_signed(">", count, I64(BUFFERED))
    with r.b.if_then(is_long, likely=False):
        r.b.store(r.call("malloc", r.b.mul(count, I64(LETTER))), place)
    letters = r.b.load(place, typ=PTR)
    r.leave_if(r.is_null(letters), PTR(None))

    def widen(index: ir.Value) -> None:
        byte = r.b.load(r.b.gep(source, [index], source_etype=I8), typ=I8)
        r.b.store(r.b.zext(byte, I32), r.b.gep(letters, [index], source_etype=I32))

    r.each(count, widen)
    entry = r.call("ag_text_enter", frame, letters, count)
    with r.b.if_then(is_long, likely=False):
        r.call("free", letters)
    r.b.ret(entry)
    r = Routine(module, "ag_text_read_bytes")
    r.b.ret(r.call("ag_text_enter_bytes", r.args[0], r.call("PyBytes_AsString", r.args[1]), r.call("PyBytes_Size", r.args[1])))


def build_bytes(module: ir.Module) -> None:
    """ag_text_bytes(entry): a new bytes object of a text of Latin-1; null where an exception is pending."""
    r = Routine(module, "ag_text_bytes")
    count = r.get(r.args[0], SIZE)
    made = r.call("PyBytes_FromStringAndSize", PTR(None), count)
    r.leave_if(r.is_null(made), PTR(None))
    letters, target = r.slot(r.args[0], ENTRY_SLOTS), r.call("PyBytes_AsString", made)

    def narrow(index: ir.Value) -> None:
        letter = r.b.load(r.b.gep(letters, [index], source_etype=I32), typ=I32)
        r.b.store(r.b.trunc(letter, I8), r.b.gep(target, [index], source_etype=I8))

    r.each(count, narrow)
    r.b.ret(made)


def build_read(module: ir.Module) -> None:
    """ag_text_read(frame, str, stays): the entry of a str of Python's, which it remembers where the str `stays` to the end of the call.
    Null where there is no memory."""
    r = Routine(module, "ag_text_read")
    frame, text, _ = r.args
    pool = r.call("ag_text_pool", frame)
    r.leave_if(r.is_null(pool), PTR(None))
    table, layout = r.slot(pool, BY_HASH), str_layout()
    with r.b.if_then(r.b.icmp_signed("!=", r.get(pool, LATE), I64(0)), likely=False):
        r.leave_if(r.b.icmp_signed("!=", r.call("ag_text_hash_all", frame, pool, apart=True), I32(0)), PTR(None))
    with r.b.goto_entry_block():
        code_slot = r.b.alloca(I64)
    r.b.store(r.field(text, STR_HASH), code_slot)
    with r.b.if_then(r.b.icmp_signed("==", r.b.load(code_slot, typ=I64), I64(-1)), likely=False):
        r.b.store(r.call("PyObject_Hash", text), code_slot)
    code = r.b.load(code_slot, typ=I64)
    if layout is not None:
        state = r.field(text, STATE, I32)
        with r.b.if_then(r.b.icmp_unsigned("!=", r.b.and_(state, I32(layout.mask)), I32(0))):
            count, source = r.field(text, STR_SIZE), r.b.gep(text, [I64(layout.letters)], source_etype=I8)
            place = r.call("ag_text_place_bytes", table, text, count, code)
            known = r.b.load(place, typ=PTR)
            r.leave_if(r.b.not_(r.is_null(known)), known)
            entry = r.call("ag_text_space", frame, pool, count, apart=True)
            r.leave_if(r.is_null(entry), PTR(None))
            target = r.slot(entry, ENTRY_SLOTS)

            def widen(index: ir.Value) -> None:
                letter = r.b.load(r.b.gep(source, [index], source_etype=I8), typ=I8)
                r.b.store(r.b.zext(letter, I32), r.b.gep(target, [index], source_etype=I32))

            r.each(count, widen)
            add_read(r, pool, entry, place, code)
    count = r.call("PyUnicode_GetLength", text)
    entry = r.call("ag_text_space", frame, pool, count, apart=True)
    r.leave_if(r.is_null(entry), PTR(None))
    letters = r.slot(entry, ENTRY_SLOTS)
    r.call("PyUnicode_AsUCS4", text, letters, count, I32(0))
    place = r.call("ag_text_place_wide", table, letters, count, code)
    known = r.b.load(place, typ=PTR)
    with r.b.if_then(r.b.not_(r.is_null(known))):
        r.set(pool, FREE, r.b.ptrtoint(entry, I64))
        r.b.ret(known)
    add_read(r, pool, entry, place, code)


def add_read(r: Routine, pool: ir.Value, entry: ir.Value, place: ir.Value, code: ir.Value) -> None:
    """A new entry that was read from a str goes to its place; leaves the function."""
    frame, text, stays = r.args
    r.set(entry, HASH, code)
    with r.b.if_then(r.b.icmp_signed("!=", stays, I32(0))):
        r.leave_if(r.b.icmp_signed("!=", r.call("ag_text_keep", frame, pool, text, apart=True), I32(0)), PTR(None))
        r.set(entry, STR, text)
    put(r, r.slot(pool, BY_HASH), place, entry, HASH)
    table = r.slot(pool, BY_MIX)
    with r.b.if_then(r.b.not_(r.is_null(r.get(table, TABLE, PTR)))):
        mix = r.call("ag_text_mix", r.slot(entry, ENTRY_SLOTS), r.get(entry, SIZE))
        r.set(entry, MIX, mix)
        put(r, table, free_place(r, table, mix), entry, MIX)
    with r.b.if_then(r.b.icmp_signed("==", r.get(entry, SIZE), I64(1))):
        letter = r.b.zext(r.b.load(r.slot(entry, ENTRY_SLOTS), typ=I32), I64)
        with r.b.if_then(r.b.icmp_unsigned("<", letter, I64(256))):
            r.b.store(entry, r.b.gep(pool, [r.b.add(letter, I64(SINGLE))], source_etype=PTR))
    r.b.ret(entry)


def build_keep(module: ir.Module) -> None:
    """ag_text_keep(frame, pool, str): the call has a str to its end; nonzero where there is no memory."""
    r = Routine(module, "ag_text_keep")
    frame, pool, text = r.args
    with r.b.if_then(r.is_null(r.get(pool, KEPT, PTR)), likely=False):
        made = r.call("PyList_New", I64(0))
        r.leave_if(r.is_null(made), I32(1))
        r.leave_if(r.is_null(r.call("ag_hold", frame, made)), I32(1))
        r.set(pool, KEPT, made)
    r.b.ret(r.call("PyList_Append", r.get(pool, KEPT, PTR), text))


def build_str(module: ir.Module) -> None:
    """ag_text_str(entry): a new reference to a str of the text, the one that it was read from where that is known; null where an exception
    is pending."""
    r = Routine(module, "ag_text_str")
    known = r.get(r.args[0], STR, PTR)
    with r.b.if_then(r.b.not_(r.is_null(known))):
        r.call("Py_IncRef", known)
        r.b.ret(known)
    r.b.ret(r.call("PyUnicode_FromKindAndData", I32(LETTER), r.slot(r.args[0], ENTRY_SLOTS), r.get(r.args[0], SIZE)))


def build_numpy_texts(module: ir.Module) -> None:
    """ag_numpy_str(entry), ag_numpy_bytes(entry): a new text of NumPy's; null where an exception is pending."""
    for name, plain, kind in (("str", "ag_text_str", "PyUnicodeArrType_Type"), ("bytes", "ag_text_bytes", "PyStringArrType_Type")):
        r = Routine(module, f"ag_numpy_{name}")
        text = r.call(plain, r.args[0])
        r.leave_if(r.is_null(text), PTR(None))
        made = r.call("PyObject_CallOneArg", module.globals.get(kind) or ir.GlobalVariable(module, I8, kind), text)
        r.call("Py_DecRef", text)
        r.b.ret(made)


def build_text_pool(module: ir.Module) -> None:
    """All functions of the pool."""
    parts = build_pool, build_hash, build_mix, build_order, build_space, build_place, build_add, build_mix_all, build_hash_all, build_enter
    for build in (*parts, build_enter_bytes, build_keep, build_read, build_str, build_bytes, build_numpy_texts):
        build(module)
