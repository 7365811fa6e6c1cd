"""The memory of arrays: blocks of their own, of which small ones wait in the call for the next array of their size."""

from __future__ import annotations

import os
import sys

from llvmlite import ir

from autograph_jit.backends.cpu.runtime_module import (
    ARRAYS,
    BASE,
    BLOCK,
    BLOCKS,
    CAPACITY,
    FRAME_BLOCKS,
    HEADER_BYTES,
    HOLDERS,
    ITEMS,
    NEXT,
    REFS,
    Routine,
    begin_header,
    drop_arrays,
    take_waiting,
)
from autograph_jit.backends.cpu.signatures import I8, I32, I64, PTR

ASKS_FOR_HUGE_PAGES = sys.platform.startswith("linux") and os.environ.get("NUMPY_MADVISE_HUGEPAGE", "1") != "0"
KEPT_BYTES = 1 << 20  # of an array that the next trip of a loop may have: a larger one costs more than its allocation
HUGE_BYTES, PAGE_BYTES, MADV_HUGEPAGE = 1 << 22, 4096, 14


def build_alloc(module: ir.Module) -> None:
    """ag_alloc(frame, size): a header with aligned memory behind it, in the call's list; null where there is no memory. A small one is
    one that was given up, if there is any. ag_alloc_zero: the same of zeros. ag_alloc_new: of memory that the call has not had yet."""
    r = Routine(module, "ag_alloc")
    frame, size = r.args
    with r.b.if_then(r.b.icmp_unsigned("<=", size, I64(BLOCKS[-1]))):
        take_waiting(r, frame, slot_of_block(r, size))
    r.b.ret(r.call("ag_alloc_new", frame, size, apart=True))
    for name in ("ag_alloc_new", "ag_alloc_zero"):
        build_new(Routine(module, name), zero=name == "ag_alloc_zero")


def build_new(r: Routine, zero: bool) -> None:
    """The routine that makes a header with memory of its own; a small block has the room of its size."""
    frame, size = r.args
    r.leave_if(r.b.icmp_unsigned(">", size, I64(1 << 60)), PTR(None))
    is_small = r.b.icmp_unsigned("<=", size, I64(BLOCKS[-1]))
    slot = r.b.select(is_small, slot_of_block(r, size), I64(0))
    block = r.b.select(r.b.icmp_unsigned("<=", size, I64(BLOCKS[0])), I64(BLOCKS[0]), I64(BLOCKS[1]))
    total = r.b.add(r.b.select(is_small, block, size), I64(HEADER_BYTES + 64))
    base = r.call("calloc", total, I64(1)) if zero else r.call("malloc", total)
    r.leave_if(r.is_null(base), PTR(None))
    if ASKS_FOR_HUGE_PAGES:
        with r.b.if_then(r.b.icmp_unsigned(">=", total, I64(HUGE_BYTES))):
            ask_for_huge_pages(r, base, total)
    offset = r.b.and_(r.b.neg(r.b.ptrtoint(base, I64)), I64(63))
    header = r.b.gep(base, [offset], source_etype=I8)
    r.set(header, BASE, base)
    r.set(header, ITEMS, PTR(None))
    r.set(header, CAPACITY, I64(0))
    begin_header(r, frame, header)
    r.set(header, BLOCK, slot)
    r.b.ret(header)


def slot_of_block(r: Routine, size: ir.Value) -> ir.Value:
    """The slot of the frame in which small blocks for so many bytes wait."""
    return r.b.select(r.b.icmp_unsigned("<=", size, I64(BLOCKS[0])), I64(FRAME_BLOCKS), I64(FRAME_BLOCKS + 1))


def build_free_blocks(module: ir.Module) -> None:
    """ag_free_blocks(frame, slot): the end of the small blocks, or of the room of the lists, that wait there."""
    r = Routine(module, "ag_free_blocks")
    place = r.b.gep(r.args[0], [r.args[1]], source_etype=I64)
    loop, body, done = (r.function.append_basic_block(name) for name in ("loop", "body", "done"))
    r.b.branch(loop)
    r.b.position_at_end(loop)
    header = r.b.load(place, typ=PTR)
    r.b.cbranch(r.is_null(header), done, body)
    r.b.position_at_end(body)
    r.b.store(r.get(header, NEXT, PTR), place)
    r.call("ag_destroy", header)
    r.b.branch(loop)
    r.b.position_at_end(done)
    r.b.ret_void()


def build_alloc_again(module: ir.Module) -> None:
    """ag_alloc_again(frame, slot, size): the memory that the slot kept from the time before if nobody else has it, else new memory. A slot
    has a reference of its own, so that giving up the array frees nothing; large blocks are not kept."""
    r = Routine(module, "ag_alloc_again")
    frame, slot, size = r.args
    kept = r.get(slot, 0, PTR)
    with r.b.if_then(r.b.not_(r.is_null(kept))):
        with r.b.if_then(r.b.icmp_signed("==", r.get(kept, REFS), I64(1))):
            drop_arrays(r, kept, ARRAYS)
        is_alone = r.b.and_(r.b.icmp_signed("==", r.get(kept, REFS), I64(1)), r.b.icmp_signed("==", r.get(kept, HOLDERS), I64(1)))
        with r.b.if_then(r.b.and_(is_alone, r.b.icmp_unsigned("<=", size, r.get(kept, CAPACITY)))):
            r.set(kept, REFS, I64(2))
            r.b.ret(kept)
        r.set(slot, 0, PTR(None))
        r.call("ag_release", frame, kept)
    header = r.call("ag_alloc", frame, size)
    with r.b.if_then(r.b.and_(r.b.not_(r.is_null(header)), r.b.icmp_unsigned("<=", size, I64(KEPT_BYTES)))):
        r.set(header, CAPACITY, size)
        r.set(header, REFS, I64(2))
        r.set(slot, 0, header)
    r.b.ret(header)


def build_empty(module: ir.Module) -> None:
    """ag_empty(frame, slot, least): the slot lets go of what it keeps if that is of so many bytes or more."""
    r = Routine(module, "ag_empty")
    frame, slot, least = r.args
    kept = r.get(slot, 0, PTR)
    r.leave_if(r.is_null(kept))
    r.leave_if(r.b.icmp_unsigned("<", r.get(kept, CAPACITY), least))
    r.set(slot, 0, PTR(None))
    r.call("ag_release", frame, kept)
    r.b.ret_void()


def ask_for_huge_pages(r: Routine, base: ir.Value, size: ir.Value) -> None:
    """As NumPy does: a large array has few page faults where Linux gives out huge pages on request; a refusal changes nothing."""
    skipped = r.b.and_(r.b.neg(r.b.ptrtoint(base, I64)), I64(PAGE_BYTES - 1))
    r.call("madvise", r.b.gep(base, [skipped], source_etype=I8), r.b.sub(size, skipped), I32(MADV_HUGEPAGE))
