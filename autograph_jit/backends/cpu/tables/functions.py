"""The functions of a table: one set for each form and dtypes of keys, made in the module that uses them.

They take the header of the index, those of the columns and the numbers of a key. What they compute is said by the eager rules of
`ops/tables.py`, whose names they have.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from llvmlite import ir

from autograph_jit.backends.cpu.runtime_module import CAPACITY, HEADER_BYTES, ITEMS, LENGTH
from autograph_jit.backends.cpu.signatures import I8, I32, I64, PTR
from autograph_jit.backends.cpu.symbols import OBJECT_SIZE
from autograph_jit.backends.cpu.tables.code import FUNCTIONS, MOST_SLOTS, NO_MEMORY, WITH_ANOTHER, WORD, Code
from autograph_jit.ops.tables import ENTRIES, FILL, FINGER, FIRST, GIVEN_UP, HEAD, LARGE, MASK, MIN_SLOTS, UNUSED, USED

OBJECT_WORDS = OBJECT_SIZE // 8  # in front of what is in an object


def seek(c: Code, found: Callable[[ir.Value, ir.Value], ir.Value]) -> None:
    """What `found` makes of the slot and the position of a key, -1 where it is not there."""
    c.leave_if(c.b.icmp_signed("==", c.field(c.index, LENGTH), I64(0)), I64(-1))
    items = c.field(c.index, ITEMS, PTR)

    def visit(slot: ir.Value, position: ir.Value) -> None:
        c.leave_if(c.b.icmp_signed("==", position, I64(UNUSED)), I64(-1))
        with c.b.if_then(c.b.icmp_signed(">=", position, I64(0))):
            c.leave_if(c.is_key_at(position), found(slot, position))

    c.probe(items, c.hash(c.numbers), visit)


def build_slot(c: Code) -> None:
    """The slot of a key, -1 where it is not there."""
    seek(c, lambda slot, position: slot)


def build_find(c: Code) -> None:
    """The position of a key, -1 where it is not there."""
    seek(c, lambda slot, position: position)


def build_insert(c: Code) -> None:
    """Twice the position of a key, and one more where it is a new one; NO_MEMORY."""
    c.leave_if(c.b.icmp_signed("!=", c.call("start", c.index, *c.columns), I32(0)), I64(NO_MEMORY))
    items, code = c.field(c.index, ITEMS, PTR), c.hash(c.numbers)
    free, unused = c.var(I64(-1)), c.var(I64(-1))
    added = c.block("added")

    def visit(slot: ir.Value, position: ir.Value) -> None:
        with c.b.if_then(c.b.icmp_signed(">=", position, I64(0))):
            c.leave_if(c.is_key_at(position), c.b.shl(position, I64(1)))
        with c.b.if_then(c.b.icmp_signed("==", position, I64(GIVEN_UP))):
            c.b.store(slot, free)
        with c.b.if_then(c.b.icmp_signed("==", position, I64(UNUSED))):
            c.b.store(slot, unused)
            c.b.branch(added)

    c.probe(items, code, visit)
    c.b.position_at_end(added)
    is_unused = c.b.icmp_signed("==", c.read(free), I64(-1))
    place = c.b.select(is_unused, c.read(unused), c.read(free))
    position = c.word(items, ENTRIES)
    c.set_slot(items, place, position)
    c.set_word(items, ENTRIES, c.b.add(position, I64(1)))
    used, fill = c.b.add(c.word(items, USED), I64(1)), c.b.add(c.word(items, FILL), c.b.zext(is_unused, I64))
    c.set_word(items, USED, used)
    c.set_word(items, FILL, fill)
    is_full = c.b.icmp_signed(">=", c.b.mul(fill, I64(5)), c.b.mul(c.word(items, MASK), I64(3)))
    result = c.b.or_(c.b.shl(position, I64(1)), I64(1))
    with c.b.if_then(c.b.and_(is_unused, is_full), likely=False):
        factor = c.b.select(c.b.icmp_signed(">", used, I64(LARGE)), I64(2), I64(4))
        failed = c.call("resize", c.index, *c.columns, c.b.mul(used, factor), position, code)
        c.leave_if(c.b.icmp_signed("!=", failed, I32(0)), I64(NO_MEMORY))
    c.b.ret(result)


def build_free_slot(c: Code) -> None:
    """Where a new key of a hash goes: the last slot given up on the way to the first unused one, or that."""
    items = c.field(c.index, ITEMS, PTR)
    free = c.var(I64(-1))

    def visit(slot: ir.Value, position: ir.Value) -> None:
        with c.b.if_then(c.b.icmp_signed("==", position, I64(UNUSED))):
            given_up = c.read(free)
            c.b.ret(c.b.select(c.b.icmp_signed("==", given_up, I64(-1)), slot, given_up))
        with c.b.if_then(c.b.icmp_signed("==", position, I64(GIVEN_UP))):
            c.b.store(slot, free)

    c.probe(items, c.rest[0], visit)


def build_start(c: Code) -> None:
    """Slots for an index that has none yet; not 0 where there is no memory."""
    c.leave_if(c.b.icmp_signed("!=", c.field(c.index, LENGTH), I64(0)), I32(0))
    total = HEAD + MIN_SLOTS
    c.leave_if(c.b.icmp_signed("!=", c.call_c("ag_list_reserve", c.index, I64(total * WORD)), I32(0)), I32(1))
    items = c.field(c.index, ITEMS, PTR)
    for place in range(total):
        c.set_word(items, place, I64(MIN_SLOTS - 1 if place == MASK else 0 if place < HEAD else UNUSED))
    c.set_field(c.index, LENGTH, I64(total))
    c.b.ret(I32(0))


def build_of_set(c: Code) -> None:
    """The slots of a set of Python's, whose items stand in columns in their order; NO_MEMORY, or 1 where there are not so many any more."""
    source, wanted = c.b.inttoptr(c.rest[0], PTR), c.rest[1]
    fill, used, mask, slots, _, finger = (c.field(source, OBJECT_WORDS + place) for place in range(6))
    c.leave_if(c.b.icmp_signed("!=", used, wanted), I32(1))
    total = c.b.add(mask, I64(HEAD + 1))
    c.leave_if(c.b.icmp_signed("!=", c.call_c("ag_list_reserve", c.index, c.b.mul(total, I64(WORD))), I32(0)), I32(NO_MEMORY))
    items, theirs, count = c.field(c.index, ITEMS, PTR), c.b.inttoptr(slots, PTR), c.var(I64(0))
    for place, word in ((MASK, mask), (FILL, fill), (USED, used), (ENTRIES, used), (FINGER, finger), (FIRST, I64(0))):
        c.set_word(items, place, word)

    def visit(i: ir.Value) -> None:
        reference, code = (c.b.load(c.b.gep(theirs, [c.b.add(c.b.shl(i, I64(1)), I64(k))], source_etype=I64), typ=I64) for k in (0, 1))
        is_unused, is_given_up = c.b.icmp_signed("==", reference, I64(0)), c.b.icmp_signed("==", code, I64(-1))
        c.set_slot(items, i, c.b.select(is_unused, I64(UNUSED), c.b.select(is_given_up, I64(GIVEN_UP), c.read(count))))
        c.b.store(c.b.add(c.read(count), c.b.zext(c.b.not_(c.b.or_(is_unused, is_given_up)), I64)), count)

    c.each(c.b.add(mask, I64(1)), visit)
    c.set_field(c.index, LENGTH, total)
    c.b.ret(I32(0))


def build_resize(c: Code) -> None:
    """More slots than `least`; the key at the position `fresh`, which is not in the columns yet, has the hash `code`."""
    least, fresh, code = c.rest
    slots = c.var(I64(MIN_SLOTS))
    c.double(slots, least)
    count = c.read(slots)
    c.leave_if(c.b.icmp_signed(">", count, I64(MOST_SLOTS)), I32(1))
    size = c.b.mul(c.b.add(count, I64(HEAD)), I64(WORD))
    old, made = c.field(c.index, ITEMS, PTR), c.call_c("malloc", size)
    c.leave_if(c.b.icmp_unsigned("==", made, PTR(None)), I32(1))
    old_count = c.b.add(c.word(old, MASK), I64(1))
    for place in range(HEAD):
        c.set_word(made, place, c.word(old, place))
    c.set_word(made, MASK, c.b.sub(count, I64(1)))
    c.set_word(made, FILL, c.word(old, USED))
    c.each(count, lambda i: c.set_slot(made, i, I64(UNUSED)))
    c.set_field(c.index, ITEMS, made)
    c.set_field(c.index, LENGTH, c.b.add(count, I64(HEAD)))
    c.set_field(c.index, CAPACITY, size)

    def move(i: ir.Value) -> None:
        position = c.slot(old, i)
        with c.b.if_then(c.b.icmp_signed(">=", position, I64(0))):
            is_fresh = c.b.icmp_signed("==", position, fresh)
            known = c.var(code)
            with c.b.if_then(c.b.not_(is_fresh)):
                c.b.store(c.hash(c.key_at(position)), known)
            place = c.call("free_slot", c.index, *c.columns, c.read(known))
            c.set_slot(made, place, position)

    c.each(old_count, move)
    first = c.b.gep(c.index, [I64(HEADER_BYTES)], source_etype=I8)  # where a list has its first items, which go with it
    with c.b.if_then(c.b.icmp_unsigned("!=", old, first)):
        c.call_c("free", old)
    c.b.ret(I32(0))


def build_remove(c: Code) -> None:
    """Where a key stood that is not there any more; -1 where it was not there."""
    slot = c.call("slot", c.index, *c.columns, *c.numbers)
    c.leave_if(c.b.icmp_signed("<", slot, I64(0)), I64(-1))
    items = c.field(c.index, ITEMS, PTR)
    position = c.slot(items, slot)
    c.set_slot(items, slot, I64(GIVEN_UP))
    c.set_word(items, USED, c.b.sub(c.word(items, USED), I64(1)))
    c.b.ret(position)


def build_reserve(c: Code) -> None:
    """Room for more keys at once; not 0 where there is no memory."""
    (more,) = c.rest
    with c.b.if_then(c.b.icmp_signed("<", more, I64(0))):
        shrink(c)
    c.leave_if(c.b.icmp_signed("!=", c.call("start", c.index, *c.columns), I32(0)), I32(1))
    items = c.field(c.index, ITEMS, PTR)
    wanted = c.b.mul(c.b.add(c.word(items, FILL), more), I64(5))
    c.leave_if(c.b.icmp_signed("<", wanted, c.b.mul(c.word(items, MASK), I64(3))), I32(0))
    least = c.b.mul(c.b.add(c.word(items, USED), more), I64(2))
    c.b.ret(c.call("resize", c.index, *c.columns, least, I64(-1), I64(0)))


def shrink(c: Code) -> None:
    """Fewer slots where many were given up; leaves the function."""
    c.leave_if(c.b.icmp_signed("==", c.field(c.index, LENGTH), I64(0)), I32(0))
    items = c.field(c.index, ITEMS, PTR)
    used, mask = c.word(items, USED), c.word(items, MASK)
    c.leave_if(c.b.icmp_signed("<=", c.b.sub(c.word(items, FILL), used), c.b.ashr(mask, I64(2))), I32(0))
    factor = c.b.select(c.b.icmp_signed(">", used, I64(LARGE)), I64(2), I64(4))
    c.b.ret(c.call("resize", c.index, *c.columns, c.b.mul(used, factor), I64(-1), I64(0)))


def build_pop(c: Code) -> None:
    """The position of the key that `set.pop` removes, -1 where there is none."""
    c.leave_if(c.b.icmp_signed("==", c.field(c.index, LENGTH), I64(0)), I64(-1))
    items = c.field(c.index, ITEMS, PTR)
    c.leave_if(c.b.icmp_signed("==", c.word(items, USED), I64(0)), I64(-1))
    mask = c.word(items, MASK)
    slot = c.var(c.b.and_(c.word(items, FINGER), mask))
    look, onward, found = (c.block(name) for name in ("look", "onward", "found"))
    c.b.branch(look)
    c.b.position_at_end(look)
    position = c.slot(items, c.read(slot))
    c.b.cbranch(c.b.icmp_signed(">=", position, I64(0)), found, onward)
    c.b.position_at_end(onward)
    c.b.store(c.b.and_(c.b.add(c.read(slot), I64(1)), mask), slot)
    c.b.branch(look)
    c.b.position_at_end(found)
    c.set_slot(items, c.read(slot), I64(GIVEN_UP))
    c.set_word(items, USED, c.b.sub(c.word(items, USED), I64(1)))
    c.set_word(items, FINGER, c.b.add(c.read(slot), I64(1)))
    c.b.ret(position)


def build_pop_last(c: Code) -> None:
    """The position of the last key, which is removed, and where positions end then; -1 where there is none."""

    def take(items: ir.Value, slot: ir.Value, position: ir.Value) -> None:
        c.set_slot(items, slot, I64(GIVEN_UP))
        c.set_word(items, USED, c.b.sub(c.word(items, USED), I64(1)))

    build_end(c, ENTRIES, lambda end: (c.b.sub(end, I64(1)),) * 2, take)


def build_first(c: Code) -> None:
    """The position of the first key, which is noted; -1 where there is none."""
    build_end(c, FIRST, lambda first: (first, c.b.add(first, I64(1))), lambda items, slot, position: c.set_word(items, FIRST, position))


def build_end(c: Code, place: int, step: Callable[[ir.Value], tuple[ir.Value, ir.Value]], found: Callable[..., None]) -> None:
    """The first position from a word on that is of a key, for which `found` is run. `step` gives the position of the word, and the next."""
    c.leave_if(c.b.icmp_signed("==", c.field(c.index, LENGTH), I64(0)), I64(-1))
    items = c.field(c.index, ITEMS, PTR)
    c.leave_if(c.b.icmp_signed("==", c.word(items, USED), I64(0)), I64(-1))
    look = c.block("look")
    c.b.branch(look)
    c.b.position_at_end(look)
    position, following = step(c.word(items, place))
    c.set_word(items, place, following)

    def visit(slot: ir.Value, known: ir.Value) -> None:
        with c.b.if_then(c.b.icmp_signed("==", known, I64(UNUSED))):
            c.b.branch(look)
        with c.b.if_then(c.b.icmp_signed("==", known, position)):
            found(items, slot, position)
            c.b.ret(position)

    c.probe(items, c.hash(c.key_at(position)), visit)


def build_order(c: Code) -> None:
    """The positions of keys go into the items of the list `made`, which has room, as they lie in the slots."""
    made = c.b.inttoptr(c.rest[0], PTR)
    c.leave_if(c.b.icmp_signed("==", c.field(c.index, LENGTH), I64(0)), I32(0))
    items, target = c.field(c.index, ITEMS, PTR), c.field(made, ITEMS, PTR)
    count = c.var(I64(0))

    def visit(i: ir.Value) -> None:
        position = c.slot(items, i)
        with c.b.if_then(c.b.icmp_signed(">=", position, I64(0))):
            c.b.store(position, c.b.gep(target, [c.read(count)], source_etype=I64))
            c.b.store(c.b.add(c.read(count), I64(1)), count)

    c.each(c.b.add(c.word(items, MASK), I64(1)), visit)
    c.set_field(made, LENGTH, c.read(count))
    c.b.ret(I32(0))


def build_places(c: Code) -> None:
    """The same, and behind them the slots of these keys, those that were given up, and how many slots there are less one."""
    failed = c.call("order", c.index, *c.rest)
    made = c.b.inttoptr(c.rest[0], PTR)
    c.leave_if(c.b.icmp_signed("==", c.field(c.index, LENGTH), I64(0)), failed)
    items, target = c.field(c.index, ITEMS, PTR), c.field(made, ITEMS, PTR)
    count, mask = c.var(c.field(made, LENGTH)), c.word(items, MASK)

    def push(x: ir.Value) -> None:
        c.b.store(x, c.b.gep(target, [c.read(count)], source_etype=I64))
        c.b.store(c.b.add(c.read(count), I64(1)), count)

    def visit(i: ir.Value, is_meant: Callable[[ir.Value], ir.Value]) -> None:
        with c.b.if_then(is_meant(c.slot(items, i))):
            push(i)

    for is_meant in (lambda x: c.b.icmp_signed(">=", x, I64(0)), lambda x: c.b.icmp_signed("==", x, I64(GIVEN_UP))):
        c.each(c.b.add(mask, I64(1)), partial(visit, is_meant=is_meant))
    push(mask)
    c.set_field(made, LENGTH, c.read(count))
    c.b.ret(I32(0))


def build_common(c: Code) -> None:
    """The positions of the keys that another table has, where the last number is 1, or has not, go into a list that has room."""
    *headers, target_list, there = c.rest
    other, *others = (c.b.inttoptr(header, PTR) for header in headers)
    made = c.b.inttoptr(target_list, PTR)
    c.leave_if(c.b.icmp_signed("==", c.field(c.index, LENGTH), I64(0)), I32(0))
    items, target = c.field(c.index, ITEMS, PTR), c.field(made, ITEMS, PTR)
    count = c.var(I64(0))

    def visit(i: ir.Value) -> None:
        position = c.slot(items, i)
        with c.b.if_then(c.b.icmp_signed(">=", position, I64(0))):
            found = c.call("find", other, *others, *c.key_at(position))
            is_there = c.b.zext(c.b.icmp_signed(">=", found, I64(0)), I64)
            with c.b.if_then(c.b.icmp_signed("==", is_there, there)):
                c.b.store(position, c.b.gep(target, [c.read(count)], source_etype=I64))
                c.b.store(c.b.add(c.read(count), I64(1)), count)

    c.each(c.b.add(c.word(items, MASK), I64(1)), visit)
    c.set_field(made, LENGTH, c.read(count))
    c.b.ret(I32(0))


def build_ascending(c: Code) -> None:
    """The same in ascending order; not 0 where there is no memory for a mark at each position."""
    made = c.b.inttoptr(c.rest[0], PTR)
    c.leave_if(c.b.icmp_signed("==", c.field(c.index, LENGTH), I64(0)), I32(0))
    items, target = c.field(c.index, ITEMS, PTR), c.field(made, ITEMS, PTR)
    entries = c.word(items, ENTRIES)
    marks = c.call_c("calloc", c.b.add(entries, I64(1)), I64(1))
    c.leave_if(c.b.icmp_unsigned("==", marks, PTR(None)), I32(1))

    def mark(i: ir.Value) -> None:
        position = c.slot(items, i)
        with c.b.if_then(c.b.icmp_signed(">=", position, I64(0))):
            c.b.store(I8(1), c.b.gep(marks, [position], source_etype=I8))

    c.each(c.b.add(c.word(items, MASK), I64(1)), mark)
    count = c.var(I64(0))

    def visit(i: ir.Value) -> None:
        with c.b.if_then(c.b.icmp_unsigned("!=", c.b.load(c.b.gep(marks, [i], source_etype=I8), typ=I8), I8(0))):
            c.b.store(i, c.b.gep(target, [c.read(count)], source_etype=I64))
            c.b.store(c.b.add(c.read(count), I64(1)), count)

    c.each(entries, visit)
    c.set_field(made, LENGTH, c.read(count))
    c.call_c("free", marks)
    c.b.ret(I32(0))


def build_adopt(c: Code) -> None:
    """Take over the keys of another index, whose columns these are, where there are none yet: 1 where that was done, else 0; NO_MEMORY."""
    other = c.b.inttoptr(c.rest[0], PTR)
    c.leave_if(c.b.icmp_signed("==", c.field(other, LENGTH), I64(0)), I32(0))
    theirs, length = c.field(other, ITEMS, PTR), c.field(other, LENGTH)
    more = c.word(theirs, USED)
    c.leave_if(c.b.icmp_signed("==", more, I64(0)), I32(0))
    c.leave_if(c.b.icmp_signed("!=", c.call("start", c.index, *c.columns), I32(0)), I32(NO_MEMORY))
    items = c.field(c.index, ITEMS, PTR)
    c.leave_if(c.b.icmp_signed("!=", c.word(items, FILL), I64(0)), I32(0))
    own = c.word(items, MASK)
    has_room = c.b.icmp_signed("<", c.b.mul(more, I64(5)), c.b.mul(own, I64(3)))
    least, slots = c.b.select(has_room, own, c.b.shl(more, I64(1))), c.var(I64(MIN_SLOTS))
    c.double(slots, least)
    failed = c.call_c("ag_list_reserve", c.index, c.b.mul(length, I64(WORD)))
    c.leave_if(c.b.icmp_signed("!=", failed, I32(0)), I32(NO_MEMORY))
    target = c.field(c.index, ITEMS, PTR)
    c.each(length, lambda i: c.b.store(c.b.load(c.word_address(theirs, i), typ=I32), c.word_address(target, i)))
    c.set_field(c.index, LENGTH, length)
    c.set_word(target, FINGER, I64(0))
    is_other_size = c.b.icmp_signed("!=", c.b.sub(c.read(slots), I64(1)), c.word(theirs, MASK))
    with c.b.if_then(c.b.or_(is_other_size, c.b.icmp_signed("!=", c.word(theirs, FILL), more))):
        failed = c.call("resize", c.index, *c.columns, least, I64(-1), I64(0))
        c.leave_if(c.b.icmp_signed("!=", failed, I32(0)), I32(NO_MEMORY))
    c.b.ret(I32(1))


def build_renumber(c: Code) -> None:
    """Number the positions of the list `order` from 0; not 0 where there is no memory for a rank of each."""
    order = c.b.inttoptr(c.rest[0], PTR)
    c.leave_if(c.b.icmp_signed("==", c.field(c.index, LENGTH), I64(0)), I32(0))
    items, positions, count = c.field(c.index, ITEMS, PTR), c.field(order, ITEMS, PTR), c.field(order, LENGTH)
    ranks = c.call_c("malloc", c.b.mul(c.b.add(c.word(items, ENTRIES), I64(1)), I64(WORD)))
    c.leave_if(c.b.icmp_unsigned("==", ranks, PTR(None)), I32(1))

    def rank(i: ir.Value) -> None:
        position = c.b.load(c.b.gep(positions, [i], source_etype=I64), typ=I64)
        c.b.store(c.b.trunc(i, I32), c.word_address(ranks, position))

    def visit(i: ir.Value) -> None:
        position = c.slot(items, i)
        with c.b.if_then(c.b.icmp_signed(">=", position, I64(0))):
            c.set_slot(items, i, c.b.sext(c.b.load(c.word_address(ranks, position), typ=I32), I64))

    c.each(count, rank)
    c.each(c.b.add(c.word(items, MASK), I64(1)), visit)
    c.set_word(items, ENTRIES, count)
    c.set_word(items, FIRST, I64(0))
    c.call_c("free", ranks)
    c.b.ret(I32(0))


FUNCTIONS |= {
    "slot": (I64, build_slot, True, 0),
    "find": (I64, build_find, True, 0),
    "insert": (I64, build_insert, True, 0),
    "remove": (I64, build_remove, True, 0),
    "free_slot": (I64, build_free_slot, False, 1),
    "start": (I32, build_start, False, 0),
    "resize": (I32, build_resize, False, 3),
    "reserve": (I32, build_reserve, False, 1),
    "pop": (I64, build_pop, False, 0),
    "pop_last": (I64, build_pop_last, False, 0),
    "first": (I64, build_first, False, 0),
    "order": (I32, build_order, False, 1),
    "of_set": (I32, build_of_set, False, 2),
    "places": (I32, build_places, False, 1),
    "ascending": (I32, build_ascending, False, 1),
    "common": (I32, build_common, False, WITH_ANOTHER),
    "adopt": (I32, build_adopt, False, 1),
    "renumber": (I32, build_renumber, False, 1),
}
