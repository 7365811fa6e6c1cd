"""Calls of a compiled function that a tape records: the program runs compiled, as one operation that the transforms differentiate.

The function is traced once more, into a program that keeps the marks of rules of the user's; what a tape needs of it is split off by
`autodiff.sweeps.splitting` and compiled when it runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from autograph_jit.autodiff.sweeps.splitting import GraphPart
from autograph_jit.autodiff.tapes.program_call import ProgramCall
from autograph_jit.errors import ConversionError
from autograph_jit.interrupts import keeping_interrupts
from autograph_jit.ir.copying import copy_graph
from autograph_jit.ir.graph import Graph
from autograph_jit.ops.dispatch import Boxed, bind, current_interpreter, tell_of_write
from autograph_jit.ops.marks import without_sources
from autograph_jit.records import dataclass
from autograph_jit.runtime.executables import compile_program
from autograph_jit.runtime.layouts import layout_key
from autograph_jit.runtime.program import Program
from autograph_jit.runtime.writing_back import Args
from autograph_jit.tracing.values.trace import Trace


class RunnableGraph:
    """A graph with its executables, by layout. Lists come and go as arrays."""

    def __init__(self, graph: Graph, device: str) -> None:
        self.graph, self.device = copy_graph(graph), device
        without_sources(self.graph)
        self.executables: dict[Any, Any] = {}

    def __call__(self, leaves: Sequence[Any]) -> Sequence[Any]:
        key = (*layout_key(list(leaves)), self.device)
        if key not in self.executables:
            self.executables[key] = compile_program(self, key, leaves)
        found: Sequence[Any] = self.executables[key](*leaves)
        return found


@dataclass(frozen=True, slots=True)
class Recording:
    """A program whose calls can be recorded."""

    program: Program
    part: GraphPart

    def call(self, arguments: Args) -> tuple[ProgramCall, list[Any]]:
        """A call of the program, and its operands."""
        operands = self.program.operands(arguments)
        box = next(type(operand) for operand in operands if isinstance(operand, Boxed))
        return ProgramCall(self.part, arguments, box), operands

    def run(self, call: ProgramCall, operands: list[Any], arguments: Args, label: str) -> Any:
        """Run the call under the tapes that are at work."""
        for index in self.part.written:
            if isinstance(operands[index], Boxed):
                tell_of_write(operands[index].array)
        return self.program.finish(bind("host_call", *operands, fn=call, label=label), arguments)


@keeping_interrupts()
def make_recording(trace: Callable[[Callable[[Program, Trace], None]], Any], arguments: Args, device: str) -> Recording:
    """Trace a function for a tape: `trace(keep)` gives `keep` its program. The derivative that the tape at work will want is made in the
    same trace, which starts again with what its rules need."""
    found: list[Recording] = []

    def keep(program: Program, made: Trace) -> None:
        part = GraphPart(program.graph, made, functools.partial(RunnableGraph, device=device))
        found[:] = [Recording(program, part)]
        call, operands = found[0].call(arguments)
        followed: Any = getattr(current_interpreter.get(), "followed", None)
        inputs = followed(tuple(operands)) if followed is not None else ()
        if inputs and not program.graph.block.terminated:
            call.split(inputs, frozenset(index for index, operand in enumerate(operands) if isinstance(operand, Boxed)))

    trace(keep)
    return found[0]


def refusal(call: ProgramCall | None, error: ConversionError) -> bool:
    """Whether an error says that the call cannot be recorded, and nothing was run."""
    return call is None or call.refusal is error
