"""From a traced program to something that runs: the passes, then a backend, or the interpreter of graphs."""

from __future__ import annotations

from typing import Any

from autograph_jit.backends.cpu.driver import compile_graph
from autograph_jit.ir.copying import copy_graph
from autograph_jit.ir.graph import Graph
from autograph_jit.ops.evaluate import evaluate
from autograph_jit.runtime.program import Program
from autograph_jit.runtime.settings import settings
from autograph_jit.transforms.pipeline import run_pipeline


class Interpreted:
    """A graph run operation by operation with the eager rules: `AUTOGRAPH_JIT_BACKEND=interpreter`."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def __call__(self, *leaves: Any) -> tuple[Any, ...]:
        return evaluate(self.graph, leaves)


def compile_program(program: Program, key: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """An executable for arguments of these layouts."""
    if settings.backend == "interpreter":
        return Interpreted(program.graph)
    layouts, distinct = key
    graph = copy_graph(program.graph)
    run_pipeline(graph, distinct_parameters=distinct)
    return compile_graph(graph, distinct_parameters=distinct, layouts=layouts)
