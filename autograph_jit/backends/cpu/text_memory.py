"""The memory of texts: room behind a text that grows, in the text's own memory while nothing stands there."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.runtime_module import CAPACITY, HEADER_BYTES, I8, I64, LENGTH, Routine


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
        with r.b.if_then(r.b.and_(is_last, has_room)):
            claim = r.b.cmpxchg(r.slot(owner, LENGTH), used, wanted, "monotonic", "monotonic")  # another thread may ask for the same room
            with r.b.if_then(r.b.extract_value(claim, 1)):
                r.call("ag_retain", owner)
                r.b.ret(owner)
    total = r.b.add(size, added)
    room = r.b.mul(total, I64(2))
    room = r.b.select(r.b.icmp_unsigned("<", room, I64(64)), I64(64), room)
    header = r.call("ag_alloc", frame, room)
    with r.b.if_then(r.b.not_(r.is_null(header))):
        r.set(header, LENGTH, total)
        r.set(header, CAPACITY, room)
    r.b.ret(header)
