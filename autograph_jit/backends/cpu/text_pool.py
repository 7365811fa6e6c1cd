"""The texts of a call that stand in its lists, dicts and sets: equal ones are one entry, whose address is the reference to it.

An entry begins with the hash that CPython gives the text, the number of letters, the str object of a list of the caller's that it was
read from, or null, the header of the chunk of memory that it stands in, and a hash that is quicker to compute; then come the code points.
The pool has a table of all entries, by the quick hash, and one of those of single letters of Latin-1. All of it is memory of the call,
which ends with it.
"""

from __future__ import annotations

import sys

from llvmlite import ir

from autograph_jit.backends.cpu.runtime_module import FRAME_TEXTS, HEADER_BYTES, Routine
from autograph_jit.backends.cpu.signatures import I8, I32, I64, PTR, SIGNATURES
from autograph_jit.backends.cpu.str_layout import STATE, STR_SIZE, str_layout

HASH, SIZE, STR, CHUNK, MIX, ENTRY_SLOTS = range(6)  # of an entry
MASK, USED, TABLE, FREE, END, CURRENT = range(6)  # of the pool: of its table, then where the current chunk is free, its end, its header
SINGLE = 8  # the entries of single letters
FIRST = SINGLE + 256  # where the first table begins
FIRST_ENTRIES, CHUNK_BYTES, LETTER = 64, 1 << 13, 4
FACTOR = 0x9E3779B97F4A7C15 - (1 << 64)  # 2**64 by the golden ratio, as a signed number
BUFFERED = 256  # letters that are hashed without memory of their own
HASH_BYTES = "Py_HashBuffer" if sys.version_info >= (3, 14) else "_Py_HashBytes"

SIGNATURES.update(
    {
        HASH_BYTES: (I64, [PTR, I64]),
        "PyObject_Hash": (I64, [PTR]),
        "ag_text_pool": (PTR, [PTR]),
        "ag_text_hash": (I64, [PTR, I64]),
        "ag_text_mix": (I64, [PTR, I64]),
        "ag_text_mix_bytes": (I64, [PTR, I64]),
        "ag_text_place_bytes": (PTR, [PTR, PTR, I64, I64]),
        "ag_text_order": (I64, [PTR, PTR]),
        "ag_text_space": (PTR, [PTR, PTR, I64]),
        "ag_text_place": (PTR, [PTR, PTR, I64, I64]),
        "ag_text_grow": (I32, [PTR, PTR]),
        "ag_text_enter": (PTR, [PTR, PTR, I64]),
        "ag_text_read": (PTR, [PTR, PTR, I32]),
        "ag_text_str": (PTR, [PTR]),
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
    r.set(pool, MASK, I64(FIRST_ENTRIES - 1))
    r.set(pool, TABLE, r.slot(pool, FIRST))
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


def build_mix(module: ir.Module) -> None:
    """ag_text_mix(letters, count): a hash of the letters, two at a time, by multiplication. ag_text_mix_bytes: the same of letters of one
    byte."""
    for name, type_ in (("ag_text_mix", I32), ("ag_text_mix_bytes", I8)):
        mix_letters(Routine(module, name), type_)


def mix_letters(r: Routine, type_: ir.Type) -> None:
    letters, count = r.args
    total = r.b.alloca(I64)
    r.b.store(r.b.mul(count, I64(FACTOR)), total)

    def letter(index: ir.Value) -> ir.Value:
        return r.b.zext(r.b.load(r.b.gep(letters, [index], source_etype=type_), typ=type_), I64)

    def mix(word: ir.Value) -> None:
        product = r.b.mul(r.b.xor(r.b.load(total, typ=I64), word), I64(FACTOR))
        r.b.store(r.b.xor(product, r.b.lshr(product, I64(32))), total)

    def mix_two(index: ir.Value) -> None:
        first = r.b.shl(index, I64(1))
        mix(r.b.or_(letter(first), r.b.shl(letter(r.b.add(first, I64(1))), I64(32))))

    r.each(r.b.lshr(count, I64(1)), mix_two)
    with r.b.if_then(r.b.trunc(count, ir.IntType(1))):
        mix(letter(r.b.sub(count, I64(1))))
    r.b.ret(r.b.load(total, typ=I64))


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


def same_letters(r: Routine, entry: ir.Value, letters: ir.Value, count: ir.Value, type_: ir.Type) -> ir.Value:
    """Whether an entry of so many letters has these."""
    with r.b.goto_entry_block():
        same = r.b.alloca(ir.IntType(1))
    r.b.store(ir.IntType(1)(1), same)

    def compare(index: ir.Value) -> None:
        found = r.b.load(r.b.gep(entry, [r.b.add(index, I64(2 * ENTRY_SLOTS))], source_etype=I32), typ=I32)
        letter = r.b.load(r.b.gep(letters, [index], source_etype=type_), typ=type_)
        equal = r.b.icmp_unsigned("==", found, letter if type_ is I32 else r.b.zext(letter, I32))
        r.b.store(r.b.and_(r.b.load(same, typ=ir.IntType(1)), equal), same)

    r.each(count, compare)
    return r.b.load(same, typ=ir.IntType(1))


def build_place(module: ir.Module) -> None:
    """ag_text_place(pool, letters, count, mix): where a text stands in the table, or where it is to stand. ag_text_place_bytes: the same of
    letters of one byte."""
    for name, type_ in (("ag_text_place", I32), ("ag_text_place_bytes", I8)):
        find_place(Routine(module, name), type_)


def find_place(r: Routine, type_: ir.Type) -> None:
    pool, letters, count, code = r.args
    mask, table = r.get(pool, MASK), r.get(pool, TABLE, PTR)
    before, probe, compare, onward, found = r.b.block, *(r.function.append_basic_block(x) for x in ("probe", "compare", "onward", "found"))
    r.b.branch(probe)
    r.b.position_at_end(probe)
    step = r.b.phi(I64)
    step.add_incoming(code, before)
    place = r.b.gep(table, [r.b.and_(step, mask)], source_etype=PTR)
    entry = r.b.load(place, typ=PTR)
    r.b.cbranch(r.is_null(entry), found, compare)
    r.b.position_at_end(compare)
    is_like = r.b.and_(r.b.icmp_signed("==", r.get(entry, MIX), code), r.b.icmp_signed("==", r.get(entry, SIZE), count))
    with r.b.if_then(is_like):
        is_same = same_letters(r, entry, letters, count, type_)
        r.leave_if(is_same, place)
    r.b.branch(onward)
    r.b.position_at_end(onward)
    step.add_incoming(r.b.add(step, I64(1)), onward)
    r.b.branch(probe)
    r.b.position_at_end(found)
    r.b.ret(place)


def build_grow(module: ir.Module) -> None:
    """ag_text_grow(frame, pool): one more entry is in the table, which gets twice the room where it is two thirds full; nonzero where there
    is no memory."""
    r = Routine(module, "ag_text_grow")
    frame, pool = r.args
    used, mask, old = r.b.add(r.get(pool, USED), I64(1)), r.get(pool, MASK), r.get(pool, TABLE, PTR)
    r.set(pool, USED, used)
    r.leave_if(r.b.icmp_signed("<", r.b.mul(used, I64(3)), r.b.mul(mask, I64(2))), I32(0))
    size = r.b.mul(r.b.add(mask, I64(1)), I64(4))
    header = r.call("ag_alloc_zero", frame, r.b.mul(size, I64(8)))
    r.leave_if(r.is_null(header), I32(1))
    r.set(pool, TABLE, r.b.gep(header, [I64(HEADER_BYTES)], source_etype=I8))
    r.set(pool, MASK, r.b.sub(size, I64(1)))

    def move(index: ir.Value) -> None:
        entry = r.b.load(r.b.gep(old, [index], source_etype=PTR), typ=PTR)
        with r.b.if_then(r.b.not_(r.is_null(entry))):
            r.b.store(entry, r.call("ag_text_place", pool, r.slot(entry, ENTRY_SLOTS), r.get(entry, SIZE), r.get(entry, MIX), apart=True))

    r.each(r.b.add(mask, I64(1)), move)
    r.b.ret(I32(0))


def build_enter(module: ir.Module) -> None:
    """ag_text_enter(frame, letters, count): the entry of a text, made where there is none. Null where there is no memory."""
    r = Routine(module, "ag_text_enter")
    frame, letters, count = r.args
    pool = r.call("ag_text_pool", frame)
    r.leave_if(r.is_null(pool), PTR(None))
    single = r.b.alloca(PTR)
    r.b.store(PTR(None), single)
    with r.b.if_then(r.b.icmp_signed("==", count, I64(1))):
        letter = r.b.zext(r.b.load(letters, typ=I32), I64)
        with r.b.if_then(r.b.icmp_unsigned("<", letter, I64(256))):
            place = r.b.gep(pool, [r.b.add(letter, I64(SINGLE))], source_etype=PTR)
            known = r.b.load(place, typ=PTR)
            r.leave_if(r.b.not_(r.is_null(known)), known)
            r.b.store(place, single)
    mix = r.call("ag_text_mix", letters, count)
    place = r.call("ag_text_place", pool, letters, count, mix)
    known = r.b.load(place, typ=PTR)
    r.leave_if(r.b.not_(r.is_null(known)), known)
    code = r.call("ag_text_hash", letters, count, apart=True)
    r.leave_if(r.b.icmp_signed("==", code, I64(-1)), PTR(None))
    entry = r.call("ag_text_space", frame, pool, count, apart=True)
    r.leave_if(r.is_null(entry), PTR(None))
    r.set(entry, HASH, code)
    r.set(entry, MIX, mix)
    copy = ir.Function(module, ir.FunctionType(ir.VoidType(), [PTR, PTR, I64, ir.IntType(1)]), "llvm.memmove.p0.p0.i64")
    r.b.call(copy, [r.slot(entry, ENTRY_SLOTS), letters, r.b.mul(count, I64(LETTER)), ir.IntType(1)(0)])
    r.b.store(entry, place)
    with r.b.if_then(r.b.not_(r.is_null(r.b.load(single, typ=PTR)))):
        r.b.store(entry, r.b.load(single, typ=PTR))
    r.leave_if(r.b.icmp_signed("!=", r.call("ag_text_grow", frame, pool, apart=True), I32(0)), PTR(None))
    r.b.ret(entry)


def build_read(module: ir.Module) -> None:
    """ag_text_read(frame, str, stays): the entry of a str of Python's, which it remembers where the str `stays` to the end of the call.
    Null where there is no memory."""
    r = Routine(module, "ag_text_read")
    frame, text, stays = r.args
    pool = r.call("ag_text_pool", frame)
    r.leave_if(r.is_null(pool), PTR(None))
    layout = str_layout()
    if layout is not None:
        state = r.field(text, STATE, I32)
        with r.b.if_then(r.b.icmp_unsigned("!=", r.b.and_(state, I32(layout.mask)), I32(0))):
            count, source = r.field(text, STR_SIZE), r.b.gep(text, [I64(layout.letters)], source_etype=I8)
            mix = r.call("ag_text_mix_bytes", source, count)
            place = r.call("ag_text_place_bytes", pool, source, count, mix)
            known = r.b.load(place, typ=PTR)
            r.leave_if(r.b.not_(r.is_null(known)), known)
            entry = r.call("ag_text_space", frame, pool, count, apart=True)
            r.leave_if(r.is_null(entry), PTR(None))
            target = r.slot(entry, ENTRY_SLOTS)

            def widen(index: ir.Value) -> None:
                letter = r.b.load(r.b.gep(source, [index], source_etype=I8), typ=I8)
                r.b.store(r.b.zext(letter, I32), r.b.gep(target, [index], source_etype=I32))

            r.each(count, widen)
            add_read(r, pool, entry, place, mix)
    count = r.call("PyUnicode_GetLength", text)
    entry = r.call("ag_text_space", frame, pool, count, apart=True)
    r.leave_if(r.is_null(entry), PTR(None))
    letters = r.slot(entry, ENTRY_SLOTS)
    r.call("PyUnicode_AsUCS4", text, letters, count, I32(0))
    mix = r.call("ag_text_mix", letters, count, apart=True)
    place = r.call("ag_text_place", pool, letters, count, mix, apart=True)
    known = r.b.load(place, typ=PTR)
    with r.b.if_then(r.b.not_(r.is_null(known))):
        r.set(pool, FREE, r.b.ptrtoint(entry, I64))
        r.b.ret(known)
    add_read(r, pool, entry, place, mix)


def add_read(r: Routine, pool: ir.Value, entry: ir.Value, place: ir.Value, mix: ir.Value) -> None:
    """A new entry that was read from a str goes to its place; leaves the function."""
    frame, text, stays = r.args
    r.set(entry, HASH, r.call("PyObject_Hash", text))
    r.set(entry, MIX, mix)
    with r.b.if_then(r.b.icmp_signed("!=", stays, I32(0))):
        r.set(entry, STR, text)
    r.b.store(entry, place)
    with r.b.if_then(r.b.icmp_signed("==", r.get(entry, SIZE), I64(1))):
        letter = r.b.zext(r.b.load(r.slot(entry, ENTRY_SLOTS), typ=I32), I64)
        with r.b.if_then(r.b.icmp_unsigned("<", letter, I64(256))):
            r.b.store(entry, r.b.gep(pool, [r.b.add(letter, I64(SINGLE))], source_etype=PTR))
    r.leave_if(r.b.icmp_signed("!=", r.call("ag_text_grow", frame, pool, apart=True), I32(0)), PTR(None))
    r.b.ret(entry)


def build_str(module: ir.Module) -> None:
    """ag_text_str(entry): a new reference to a str of the text, the one that it was read from where that is known; null where an exception
    is pending."""
    r = Routine(module, "ag_text_str")
    known = r.get(r.args[0], STR, PTR)
    with r.b.if_then(r.b.not_(r.is_null(known))):
        r.call("Py_IncRef", known)
        r.b.ret(known)
    r.b.ret(r.call("PyUnicode_FromKindAndData", I32(LETTER), r.slot(r.args[0], ENTRY_SLOTS), r.get(r.args[0], SIZE)))


def build_text_pool(module: ir.Module) -> None:
    """All functions of the pool."""
    for build in (build_pool, build_hash, build_mix, build_order, build_space, build_place, build_grow, build_enter, build_read, build_str):
        build(module)
