"""The memory of texts: room behind a text that grows, in the text's own memory while nothing stands there; texts one behind the other."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.runtime_module import CAPACITY, HEADER_BYTES, ITEMS, LENGTH, Routine
from autograph_jit.backends.cpu.signatures import I8, I32, I64, PTR, SIGNATURES, VOID
from autograph_jit.backends.cpu.text_pool import ENTRY_SLOTS, SIZE
from autograph_jit.ops.texts import NO_BYTE, PREFIX

SIGNATURES.update(
    {
        "ag_text_new_room": (PTR, [PTR, I64]),
        "ag_text_total": (I64, [PTR, I64]),
        "ag_text_join": (VOID, [PTR, PTR, I64, PTR]),
        "ag_text_prefixes": (VOID, [PTR, PTR]),
    }
)


def build_texts(module: ir.Module) -> None:
    """ag_text_room(frame, owner, start, size, added): the memory of a text of `size` bytes at `start`, with room for `added` behind them,
    and a reference to it. It is the text's own where nothing stands behind the text yet, otherwise new; null where there is no memory."""
    r = Routine(module, "ag_text_room")
    frame, owner, start, size, added = r.args
    with r.b.if_then(r.b.not_(r.b.or_(r.is_null(owner), r.is_tagged(owner)))):
        used = r.get(owner, LENGTH)
        wanted = r.b.add(used, added)
        ends = r.b.gep(owner, [r.b.add(used, I64(HEADER_BYTES))], source_etype=I8)
        is_last = r.b.icmp_unsigned("==", r.b.gep(start, [size], source_etype=I8), ends)
        has_room = r.b.and_(r.b.icmp_signed(">", used, I64(0)), r.b.icmp_unsigned("<=", wanted, r.get(owner, CAPACITY)))
        with r.b.if_then(r.b.and_(is_last, has_room)):  # no other thread asks for the same room: none makes texts of this call
            r.set(owner, LENGTH, wanted)
            r.call("ag_retain", owner)
            r.b.ret(owner)
    r.b.ret(r.call("ag_text_new_room", frame, r.b.add(size, added), apart=True))

    r = Routine(module, "ag_text_new_room")
    frame, total = r.args
    room = r.b.mul(total, I64(2))
    room = r.b.select(r.b.icmp_unsigned("<", room, I64(64)), I64(64), room)
    header = r.call("ag_alloc", frame, room)
    with r.b.if_then(r.b.not_(r.is_null(header))):
        r.set(header, LENGTH, total)
        r.set(header, CAPACITY, room)
    r.b.ret(header)


def build_join(module: ir.Module) -> None:
    """ag_text_total(list, more): the letters of all texts of a list, with so many more between each two. ag_text_join(list, between, more,
    target): they are written there."""
    r = Routine(module, "ag_text_total")
    texts, more = r.args
    count = r.get(texts, LENGTH)
    gaps = r.b.select(r.b.icmp_signed(">", count, I64(0)), r.b.sub(count, I64(1)), I64(0))
    total = r.b.alloca(I64)
    r.b.store(r.b.mul(gaps, more), total)
    r.each(count, lambda index: add_to(r, total, r.get(text_at(r, texts, index), SIZE)))
    r.b.ret(r.b.load(total, typ=I64))

    r = Routine(module, "ag_text_join")
    texts, between, more, target = r.args
    place = r.b.alloca(PTR)
    r.b.store(target, place)

    def write(index: ir.Value) -> None:
        with r.b.if_then(r.b.icmp_signed(">", index, I64(0))):
            write_letters(r, place, between, more)
        text = text_at(r, texts, index)
        write_letters(r, place, r.slot(text, ENTRY_SLOTS), r.get(text, SIZE))

    r.each(r.get(texts, LENGTH), write)
    r.b.ret_void()


def build_prefixes(module: ir.Module) -> None:
    """ag_text_prefixes(list, target): a number for the first letters of each text of a list (`ops.texts.prefix_of`)."""
    r = Routine(module, "ag_text_prefixes")
    texts, target = r.args
    found, rest = r.b.alloca(I64), r.b.alloca(I64)

    def add(letters: ir.Value, index: ir.Value) -> None:
        """`rest` has 255 in the place of the letter and of all behind it, or no bits where nothing more is added."""
        letter = r.b.zext(r.b.load(r.b.gep(letters, [index], source_etype=I32), typ=I32), I64)
        left, shift = r.b.load(rest, typ=I64), r.b.sub(I64(8 * PREFIX - 8), r.b.mul(index, I64(8)))
        has_none = r.b.icmp_unsigned(">=", letter, I64(NO_BYTE - 1))
        byte = r.b.select(has_none, I64(-1), r.b.shl(r.b.add(letter, I64(1)), shift))
        r.b.store(r.b.or_(r.b.load(found, typ=I64), r.b.and_(byte, left)), found)
        r.b.store(r.b.select(has_none, I64(0), r.b.lshr(left, I64(8))), rest)

    def each(index: ir.Value) -> None:
        text = text_at(r, texts, index)
        size = r.get(text, SIZE)
        r.b.store(I64(0), found)
        r.b.store(I64(-1), rest)
        first = r.b.select(r.b.icmp_signed("<", size, I64(PREFIX)), size, I64(PREFIX))
        r.each(first, lambda place: add(r.slot(text, ENTRY_SLOTS), place))
        number = r.b.xor(r.b.load(found, typ=I64), I64(-(1 << 63)))
        r.b.store(number, r.b.gep(target, [index], source_etype=I64))

    r.each(r.get(texts, LENGTH), each)
    r.b.ret_void()


def text_at(r: Routine, texts: ir.Value, index: ir.Value) -> ir.Value:
    """The entry of a text of a list."""
    return r.b.load(r.b.gep(r.get(texts, ITEMS, PTR), [index], source_etype=PTR), typ=PTR)


def add_to(r: Routine, total: ir.Value, number: ir.Value) -> None:
    r.b.store(r.b.add(r.b.load(total, typ=I64), number), total)


def write_letters(r: Routine, place: ir.Value, letters: ir.Value, count: ir.Value) -> None:
    """Copy letters to a place, which moves behind them."""
    target = r.b.load(place, typ=PTR)

    def copy(index: ir.Value) -> None:
        letter = r.b.load(r.b.gep(letters, [index], source_etype=I32), typ=I32)
        r.b.store(letter, r.b.gep(target, [index], source_etype=I32))

    r.each(count, copy)
    r.b.store(r.b.gep(target, [count], source_etype=I32), place)
