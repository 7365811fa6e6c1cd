"""How a call of compiled code ends: with results, or on the way out of a failure."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.boundary import fail_if_null, pack, pack_number
from autograph_jit.backends.cpu.emitter import DEOPTIMIZED, UNFIT, Emitter
from autograph_jit.backends.cpu.host import environment_item
from autograph_jit.backends.cpu.nests.domains import emit_either
from autograph_jit.backends.cpu.python_lists import write_back
from autograph_jit.backends.cpu.runtime_module import FRAME_PAYLOAD, FRAME_SITE
from autograph_jit.backends.cpu.signatures import I32, I64, PTR
from autograph_jit.errors import Deoptimized, Unfit
from autograph_jit.ir.graph import Graph, Value
from autograph_jit.transforms.identity import same_references


def leave_failed(e: Emitter) -> None:
    """The way out of a failure, where an exception is pending, or made."""
    e.b.position_at_end(e.failed)
    e.call("ag_take_gil", e.frame)
    site = e.b.load(e.b.gep(e.frame, [I64(FRAME_SITE)], source_etype=I64), typ=I64)
    if e.deoptimizes:
        leave_untouched(e, site, DEOPTIMIZED, Deoptimized)
    if e.strict:
        leave_untouched(e, site, UNFIT, Unfit)
    write_lists_back(e)
    with e.b.if_then(e.compare(">=", site, I64(0))):
        payload = e.b.gep(e.frame, [I64(FRAME_PAYLOAD)], source_etype=I64)
        e.call("ag_call_site", e.b.load(e.environment, typ=PTR), site, payload)
    e.call("ag_release_all", e.frame)
    e.b.ret(PTR(None))


def leave_untouched(e: Emitter, site: ir.Value, wanted: int, reason: type[Exception]) -> None:
    """Where the call is another's, leave everything as it was, and let the caller know; what is pending then is dropped, but for Ctrl-C."""
    with e.b.if_then(e.compare("==", site, I64(wanted)), likely=False):
        is_ordinary = e.b.icmp_signed("!=", e.call("PyErr_ExceptionMatches", environment_item(e, Exception)), I32(0))
        with e.b.if_then(e.b.or_(is_ordinary, e.b.icmp_unsigned("==", e.call("PyErr_Occurred"), PTR(None)))):
            e.call("PyErr_SetNone", environment_item(e, reason))
        e.call("ag_release_all", e.frame)
        e.b.ret(PTR(None))


def pack_once(e: Emitter, value: Value, results: ir.Value, earlier: list[tuple[int, Value]]) -> ir.Value:
    """A new reference to the Python object of a result: the object of an earlier result that turns out to be the same reference."""
    if not earlier:
        return pack(e, value.type, e.get(value))
    (index, other), *rest = earlier
    x, y = e.get(value), e.get(other)
    same: ir.Value = e.b.icmp_unsigned("==", x.pointer, y.pointer)
    for a, b in zip((*x.shape, *x.strides), (*y.shape, *y.strides), strict=True):
        same = e.b.and_(same, e.compare("==", a, b))
    (packed,) = emit_either(e, same, lambda: [shared(e, results, index)], lambda: [pack_once(e, value, results, rest)])
    return packed


def shared(e: Emitter, results: ir.Value, index: int) -> ir.Value:
    """Another reference to the object of an earlier result."""
    packed = e.call("PyTuple_GetItem", results, I64(index))
    e.call("Py_IncRef", packed)
    return packed


def emit_results(e: Emitter, graph: Graph) -> None:
    """The tuple of results; what the call still holds is dropped."""
    e.operation = None
    e.call("ag_take_gil", e.frame)
    values = graph.block.yields
    results = e.call("PyTuple_New", I64(len(values)))
    fail_if_null(e, results)
    complete: ir.Value = e.b.icmp_signed("==", write_lists_back(e), I32(0))
    same = same_references(graph)
    for index, value in enumerate(values):
        earlier = [(k, values[k]) for k in same.get(index, ())]
        packed = pack_number(e, value, e.get(value)) if index in e.plain else pack_once(e, value, results, earlier)
        complete = e.b.and_(complete, e.b.icmp_unsigned("!=", packed, PTR(None)))
        e.call("PyTuple_SetItem", results, I64(index), packed)
    e.call("ag_release_all", e.frame)
    with e.b.if_then(e.b.not_(complete), likely=False):
        e.call("Py_DecRef", results)
        e.b.ret(PTR(None))
    e.b.ret(results)


def write_lists_back(e: Emitter) -> ir.Value:
    """Give the caller's lists what they hold by now; not 0 where that fails."""
    if not e.written_types:
        return I32(0)
    name = "ag_write_back"
    return e.b.call(e.module.globals.get(name) or write_back(e.module, e.written_types), [e.frame])
