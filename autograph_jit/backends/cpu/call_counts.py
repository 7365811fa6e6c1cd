"""Numbers in a program's memory that count; of two threads that count at a time one may be missed."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.signatures import I64

HOST_CALLS = "host_calls"


def counter(e: Emitter, name: str) -> ir.GlobalVariable:
    """The memory of this name, 0 at first."""
    memory = e.module.globals.get(name)
    if memory is None:
        memory = ir.GlobalVariable(e.module, I64, name)
        memory.initializer = I64(0)
    return memory


def add_to(e: Emitter, name: str, number: ir.Value) -> None:
    """Add to a counter."""
    memory = counter(e, name)
    e.b.store(e.b.add(e.b.load(memory, typ=I64), number), memory)
