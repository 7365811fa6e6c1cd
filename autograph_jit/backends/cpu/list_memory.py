"""The memory of lists: headers in chunks that belong to the call, with room for a few items behind each, more room elsewhere."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.runtime_module import (
    BASE,
    BLOCK,
    CAPACITY,
    FRAME_CHUNKS,
    FRAME_LISTS,
    FRAME_ROOMY,
    FRAME_SMALL_LISTS,
    HEADER_BYTES,
    ITEMS,
    NEXT,
    Routine,
    begin_header,
    first_items,
    take_waiting,
)
from autograph_jit.backends.cpu.signatures import I1, I8, I32, I64, PTR, VOID

FIRST_BYTES = 64  # of items, behind the header
LIST_BYTES, CHUNK_LISTS, CHUNK_HEAD = HEADER_BYTES + FIRST_BYTES, 31, 16


def build_lists(module: ir.Module) -> None:
    """ag_alloc_list(frame): an empty list; null where there is no memory. It is one that was given up, with its room, if there is any;
    ag_alloc_new_list makes one. ag_list_reserve(list, bytes): at least that many bytes of items; nonzero where there is no memory."""
    r = Routine(module, "ag_alloc_list")
    frame = r.args[0]
    for slot in (FRAME_ROOMY, FRAME_SMALL_LISTS):
        take_waiting(r, frame, I64(slot))
    r.b.ret(r.call("ag_alloc_new_list", frame, apart=True))

    r = Routine(module, "ag_alloc_new_list")
    frame = r.args[0]
    with r.b.if_then(r.is_null(r.get(frame, FRAME_LISTS, PTR)), likely=False):
        r.leave_if(r.b.icmp_signed("!=", r.call("ag_more_lists", frame), I32(0)), PTR(None))
    header = r.get(frame, FRAME_LISTS, PTR)
    r.set(frame, FRAME_LISTS, r.get(header, NEXT, PTR))
    r.set(header, BASE, PTR(None))
    r.set(header, ITEMS, first_items(r, header))
    r.set(header, CAPACITY, I64(FIRST_BYTES))
    begin_header(r, frame, header)
    r.set(header, BLOCK, I64(FRAME_SMALL_LISTS))
    r.b.ret(header)

    r = Routine(module, "ag_list_reserve")
    header, needed = r.args
    capacity, items = r.get(header, CAPACITY), r.get(header, ITEMS, PTR)
    r.leave_if(r.b.icmp_signed("<=", needed, capacity), I32(0))
    grown = r.b.mul(capacity, I64(2))
    grown = r.b.select(r.b.icmp_signed("<", grown, needed), needed, grown)
    is_first = r.b.icmp_unsigned("==", items, first_items(r, header))
    room = r.call("realloc", r.b.select(is_first, PTR(None), items), grown)
    r.leave_if(r.is_null(room), I32(1))
    with r.b.if_then(is_first):
        copy = ir.Function(module, ir.FunctionType(VOID, [PTR, PTR, I64, I1]), "llvm.memcpy.p0.p0.i64")
        r.b.call(copy, [room, items, I64(FIRST_BYTES), I1(0)])
    r.set(header, ITEMS, room)
    r.set(header, CAPACITY, grown)
    r.b.ret(I32(0))


def build_item_releases(module: ir.Module) -> None:
    """ag_release_items(frame, list, count): a list of lists gives up its references to its first items."""
    r = Routine(module, "ag_release_items")
    frame, header, count = r.args

    def release(index: ir.Value) -> None:
        items = r.get(header, ITEMS, PTR)
        r.call("ag_release", frame, r.b.load(r.b.gep(items, [index], source_etype=PTR), typ=PTR))

    r.each(count, release)
    r.b.ret_void()


def build_chunks(module: ir.Module) -> None:
    """ag_more_lists(frame): headers for more lists, from a chunk of memory that the call has to its end; nonzero where there is no memory.
    Lists leave as Python's, so that no header outlives its call. ag_free_chunks(frame): the end of them."""
    r = Routine(module, "ag_more_lists")
    frame = r.args[0]
    chunk = r.call("malloc", I64(CHUNK_HEAD + CHUNK_LISTS * LIST_BYTES))
    r.leave_if(r.is_null(chunk), I32(1))
    r.b.store(r.get(frame, FRAME_CHUNKS, PTR), chunk)
    r.set(frame, FRAME_CHUNKS, chunk)

    def chain(index: ir.Value) -> None:
        header = r.b.gep(chunk, [r.b.add(r.b.mul(index, I64(LIST_BYTES)), I64(CHUNK_HEAD))], source_etype=I8)
        r.set(header, NEXT, r.get(frame, FRAME_LISTS, PTR))
        r.set(frame, FRAME_LISTS, header)

    r.each(I64(CHUNK_LISTS), chain)
    r.b.ret(I32(0))

    r = Routine(module, "ag_free_chunks")
    loop, body, done = (r.function.append_basic_block(name) for name in ("loop", "body", "done"))
    r.b.branch(loop)
    r.b.position_at_end(loop)
    chunk = r.get(r.args[0], FRAME_CHUNKS, PTR)
    r.b.cbranch(r.is_null(chunk), done, body)
    r.b.position_at_end(body)
    r.set(r.args[0], FRAME_CHUNKS, r.b.load(chunk, typ=PTR))
    r.call("free", chunk)
    r.b.branch(loop)
    r.b.position_at_end(done)
    for slot in (FRAME_LISTS, FRAME_SMALL_LISTS):
        r.set(r.args[0], slot, PTR(None))
    r.b.ret_void()
