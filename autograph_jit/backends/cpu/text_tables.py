"""The tables of a call's pool of texts: of all entries by the hash that CPython gives a text, and by one that is quicker to compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from autograph_jit.backends.cpu.runtime_module import HEADER_BYTES, Routine
from autograph_jit.backends.cpu.signatures import I1, I8, I32, I64, PTR, SIGNATURES
from autograph_jit.backends.cpu.str_layout import str_layout

HASH, SIZE, STR, CHUNK, MIX, ENTRY_SLOTS = range(6)  # of an entry
MASK, USED, TABLE = range(3)  # of a table of entries
BY_HASH, BY_MIX = 0, 3  # of the pool: its tables
LATE, READS = 10, 11  # whether texts are in the second table only; whether strs were read after such
FACTOR = 0x9E3779B97F4A7C15 - (1 << 64)  # 2**64 by the golden ratio, as a signed number

SIGNATURES.update(
    {
        "ag_text_mix": (I64, [PTR, I64]),
        "ag_text_place": (PTR, [PTR, PTR, I64, I64]),
        "ag_text_place_wide": (PTR, [PTR, PTR, I64, I64]),
        "ag_text_place_bytes": (PTR, [PTR, PTR, I64, I64]),
        "ag_text_add": (I32, [PTR, PTR, I64]),
        "ag_text_mix_all": (I32, [PTR, PTR]),
        "ag_text_hash_all": (I32, [PTR, PTR]),
        "ag_text_hash_of": (I64, [PTR]),
    }
)


def build_mix(module: ir.Module) -> None:
    """ag_text_mix(letters, count): a hash of the letters, two at a time, by multiplication."""
    r = Routine(module, "ag_text_mix")
    letters, count = r.args
    total = r.b.alloca(I64)
    r.b.store(r.b.mul(count, I64(FACTOR)), total)

    def letter(index: ir.Value) -> ir.Value:
        return r.b.zext(r.b.load(r.b.gep(letters, [index], source_etype=I32), typ=I32), I64)

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


def build_place(module: ir.Module) -> None:
    """ag_text_place(table, letters, count, mix): where a text stands in the table by the quick hash, or where it is to stand;
    ag_text_place_wide: the same in the one by CPython's; ag_text_place_bytes(table, str, count, hash): of a str of one byte a letter."""
    for name, which in (("ag_text_place", MIX), ("ag_text_place_wide", HASH)):
        place_letters(Routine(module, name), which)
    layout = str_layout()
    if layout is None:
        return
    r = Routine(module, "ag_text_place_bytes")
    table, text, count, code = r.args
    letters = r.b.gep(text, [I64(layout.letters)], source_etype=I8)

    def look_at(entry: ir.Value, place: ir.Value) -> None:
        r.leave_if(r.b.icmp_unsigned("==", r.get(entry, STR, PTR), text), place)
        r.leave_if(is_like(r, entry, HASH, code, lambda: has_letters(r, entry, letters, count, I8)), place)

    r.b.ret(free_place(r, table, code, look_at))


def place_letters(r: Routine, which: int) -> None:
    table, letters, count, code = r.args
    find_place(r, table, code, lambda entry: is_like(r, entry, which, code, lambda: has_letters(r, entry, letters, count, I32)))


def is_like(r: Routine, entry: ir.Value, which: int, code: ir.Value, is_same: Callable[[], ir.Value]) -> ir.Value:
    """Whether an entry has a hash, and is the same as what has it."""
    before, looked, done = r.b.block, r.function.append_basic_block("looked"), r.function.append_basic_block("like")
    r.b.cbranch(r.b.icmp_signed("==", r.get(entry, which), code), looked, done)
    r.b.position_at_end(looked)
    found, behind = is_same(), r.b.block
    r.b.branch(done)
    r.b.position_at_end(done)
    result = r.b.phi(I1)
    result.add_incoming(I1(0), before)
    result.add_incoming(found, behind)
    return result


def find_place(r: Routine, table: ir.Value, code: ir.Value, is_it: Callable[[ir.Value], ir.Value]) -> None:
    """Return the place in a table at which an entry is what is looked for, or nothing stands."""
    r.b.ret(free_place(r, table, code, lambda entry, place: r.leave_if(is_it(entry), place)))


def build_add(module: ir.Module) -> None:
    """ag_text_add(frame, table, which): one more entry stands in a table by one of its hashes, which gets four times the room where it is
    two thirds full; nonzero where there is no memory."""
    r = Routine(module, "ag_text_add")
    frame, table, which = r.args
    used, mask, old = r.b.add(r.get(table, USED), I64(1)), r.get(table, MASK), r.get(table, TABLE, PTR)
    r.set(table, USED, used)
    r.leave_if(r.b.icmp_signed("<", r.b.mul(used, I64(3)), r.b.mul(mask, I64(2))), I32(0))
    size = r.b.mul(r.b.add(mask, I64(1)), I64(4))
    made = room_for(r, frame, size)
    r.set(table, TABLE, made)
    r.set(table, MASK, r.b.sub(size, I64(1)))

    def move(entry: ir.Value) -> None:
        code = r.b.load(r.b.gep(entry, [which], source_etype=I64), typ=I64)
        r.b.store(entry, free_place(r, table, code))

    each_entry(r, old, mask, move)
    r.b.ret(I32(0))


def room_for(r: Routine, frame: ir.Value, size: ir.Value) -> ir.Value:
    """The memory of a table of so many places; leaves the function where there is none."""
    header = r.call("ag_alloc_zero", frame, r.b.mul(size, I64(8)))
    r.leave_if(r.is_null(header), I32(1))
    return r.b.gep(header, [I64(HEADER_BYTES)], source_etype=I8)


def each_entry(r: Routine, first: ir.Value, mask: ir.Value, body: Callable[[ir.Value], Any]) -> None:
    """Go through the entries of a table."""

    def visit(index: ir.Value) -> None:
        entry = r.b.load(r.b.gep(first, [index], source_etype=PTR), typ=PTR)
        with r.b.if_then(r.b.not_(r.is_null(entry))):
            body(entry)

    r.each(r.b.add(mask, I64(1)), visit)


def free_place(r: Routine, table: ir.Value, code: ir.Value, pass_by: Callable[[ir.Value, ir.Value], None] | None = None) -> ir.Value:
    """Where an entry that is not in a table is to stand. `pass_by` is given the entries on the way there, each with its place."""
    mask, first = r.get(table, MASK), r.get(table, TABLE, PTR)
    before, probe, onward, found = r.b.block, *(r.function.append_basic_block(x) for x in ("probe", "onward", "free"))
    r.b.branch(probe)
    r.b.position_at_end(probe)
    step = r.b.phi(I64)
    step.add_incoming(code, before)
    place = r.b.gep(first, [r.b.and_(step, mask)], source_etype=PTR)
    entry = r.b.load(place, typ=PTR)
    r.b.cbranch(r.is_null(entry), found, onward)
    r.b.position_at_end(onward)
    if pass_by is not None:
        pass_by(entry, place)
    step.add_incoming(r.b.add(step, I64(1)), r.b.block)
    r.b.branch(probe)
    r.b.position_at_end(found)
    return place


def build_mix_all(module: ir.Module) -> None:
    """ag_text_mix_all(frame, pool): the table by the quick hash, which is not there yet, of the entries that there are; nonzero where there
    is no memory."""
    r = Routine(module, "ag_text_mix_all")

    def mixed(entry: ir.Value) -> ir.Value:
        mix = r.call("ag_text_mix", r.slot(entry, ENTRY_SLOTS), r.get(entry, SIZE))
        r.set(entry, MIX, mix)
        return mix

    fill_table(r, BY_MIX, BY_HASH, mixed)
    r.b.ret(I32(0))


def build_hash_all(module: ir.Module) -> None:
    """ag_text_hash_of(entry): CPython's hash of an entry; -1 where there is no memory. ag_text_hash_all(frame, pool): the table by it of
    all entries, which go into both tables from now on; nonzero where there is no memory."""
    r = Routine(module, "ag_text_hash_of")
    entry = r.args[0]
    known = r.get(entry, HASH)
    r.leave_if(r.b.icmp_signed("!=", known, I64(0)), known)
    made = r.call("ag_text_hash", r.slot(entry, ENTRY_SLOTS), r.get(entry, SIZE), apart=True)
    r.set(entry, HASH, made)
    r.b.ret(made)

    r = Routine(module, "ag_text_hash_all")
    fill_table(r, BY_HASH, BY_MIX, lambda entry: r.call("ag_text_hash_of", entry, apart=True))
    r.set(r.args[1], LATE, I64(0))
    r.set(r.args[1], READS, I64(1))
    r.b.ret(I32(0))


def fill_table(r: Routine, target: int, source: int, code_of: Callable[[ir.Value], ir.Value]) -> None:
    """Make a table of the entries of another one, by their codes."""
    frame, pool = r.args
    mask, first, table = r.get(pool, source + MASK), r.get(pool, source + TABLE, PTR), r.slot(pool, target)
    made = room_for(r, frame, r.b.add(mask, I64(1)))
    r.set(table, MASK, mask)
    r.set(table, TABLE, made)
    r.set(table, USED, r.get(pool, source + USED))
    each_entry(r, first, mask, lambda entry: r.b.store(entry, free_place(r, table, code_of(entry))))


def has_letters(r: Routine, entry: ir.Value, letters: ir.Value, count: ir.Value, type_: ir.Type) -> ir.Value:
    """Whether an entry has so many letters, and these."""
    with r.b.goto_entry_block():
        same = r.b.alloca(I1)
    is_as_long = r.b.icmp_signed("==", r.get(entry, SIZE), count)
    r.b.store(is_as_long, same)

    def compare(index: ir.Value) -> None:
        found = r.b.load(r.b.gep(entry, [r.b.add(index, I64(2 * ENTRY_SLOTS))], source_etype=I32), typ=I32)
        letter = r.b.load(r.b.gep(letters, [index], source_etype=type_), typ=type_)
        equal = r.b.icmp_unsigned("==", found, letter if type_ is I32 else r.b.zext(letter, I32))
        r.b.store(r.b.and_(r.b.load(same, typ=I1), equal), same)

    r.each(r.b.select(is_as_long, count, I64(0)), compare)
    return r.b.load(same, typ=I1)


def put(r: Routine, table: ir.Value, place: ir.Value, entry: ir.Value, which: int) -> None:
    """An entry goes to its place; leaves the function where there is no memory."""
    r.b.store(entry, place)
    r.leave_if(r.b.icmp_signed("!=", r.call("ag_text_add", r.args[0], table, I64(which), apart=True), I32(0)), PTR(None))
