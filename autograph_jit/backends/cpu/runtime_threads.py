"""What the runtime does about other threads and signals while compiled code runs."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.runtime_module import FRAME_THREAD, Routine
from autograph_jit.backends.cpu.signatures import I32, PTR


def build_threads(module: ir.Module) -> None:
    """ag_drop_gil and ag_take_gil let other threads run meanwhile; ag_poll looks at signals, nonzero where one raised."""
    r = Routine(module, "ag_take_gil")
    state = r.get(r.args[0], FRAME_THREAD, PTR)
    r.leave_if(r.is_null(state))
    r.set(r.args[0], FRAME_THREAD, PTR(None))
    r.call("PyEval_RestoreThread", state)
    r.b.ret_void()

    r = Routine(module, "ag_drop_gil")
    r.set(r.args[0], FRAME_THREAD, r.call("PyEval_SaveThread"))
    r.b.ret_void()

    r = Routine(module, "ag_poll")
    released = r.b.not_(r.is_null(r.get(r.args[0], FRAME_THREAD, PTR)))
    r.call("ag_take_gil", r.args[0])
    pending = r.call("PyErr_CheckSignals")
    with r.b.if_then(r.b.and_(released, r.b.icmp_signed("==", pending, I32(0)))):
        r.call("ag_drop_gil", r.args[0])
    r.b.ret(pending)
