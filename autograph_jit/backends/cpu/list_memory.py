"""The memory of lists: a header with room for a few items behind it, more room elsewhere when there are more."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.runtime_module import (
    BASE,
    CAPACITY,
    HEADER_BYTES,
    I1,
    I32,
    I64,
    ITEMS,
    PTR,
    VOID,
    Routine,
    begin_header,
    first_items,
)

FIRST_BYTES = 64  # of items, behind the header


def build_lists(module: ir.Module) -> None:
    """ag_alloc_list(frame): an empty list; null where there is no memory. ag_list_reserve(list, bytes): at least that many bytes of items;
    nonzero where there is no memory."""
    r = Routine(module, "ag_alloc_list")
    header = r.call("malloc", I64(HEADER_BYTES + FIRST_BYTES))
    r.leave_if(r.is_null(header), PTR(None))
    r.set(header, BASE, header)
    r.set(header, ITEMS, first_items(r, header))
    r.set(header, CAPACITY, I64(FIRST_BYTES))
    begin_header(r, r.args[0], header)
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
    """ag_release_items(frame, list, start, stop): a list of lists gives up its references to some of its items."""
    r = Routine(module, "ag_release_items")
    frame, header, start, stop = r.args
    before, loop, body, done = r.b.block, *(r.function.append_basic_block(name) for name in ("loop", "body", "done"))
    r.b.branch(loop)
    r.b.position_at_end(loop)
    index = r.b.phi(I64)
    index.add_incoming(start, before)
    r.b.cbranch(r.b.icmp_signed("<", index, stop), body, done)
    r.b.position_at_end(body)
    items = r.get(header, ITEMS, PTR)
    r.call("ag_release", frame, r.b.load(r.b.gep(items, [index], source_etype=PTR), typ=PTR))
    index.add_incoming(r.b.add(index, I64(1)), r.b.block)
    r.b.branch(loop)
    r.b.position_at_end(done)
    r.b.ret_void()
