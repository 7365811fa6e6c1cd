"""Graphs are made and transformed as always, and then interpreted: milliseconds where machine code takes a second.

For folders whose tests ask what programs and their graphs mean: their `conftest.py` imports the fixture. Tests marked `native` compile
theirs: those of the generated loops, of memory, threads and interrupts, and one family of each kind of program. With `--native` all do.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import pytest

import autograph_jit as ag
from autograph_jit.ir.graph import Graph
from autograph_jit.ir.verifier import verify
from autograph_jit.runtime import executables
from autograph_jit.runtime.dispatch import CompiledFunction


@pytest.fixture(autouse=True)
def interpreted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Transformed graphs run operation by operation, unless the test is marked `native`."""
    if request.node.get_closest_marker("native") is None and not request.config.getoption("--native"):
        monkeypatch.setattr(executables.cpu, "compile_graph", interpret)


def interpret(graph: Graph, **options: Any) -> executables.Interpreted:
    """In place of the compiler: layouts and sharing are of no concern to it."""
    return executables.Interpreted(graph)


class InterpretedFunction(CompiledFunction):
    """Verifies and runs the graphs that another compiled function has traced."""

    def __init__(self, compiled: CompiledFunction) -> None:
        super().__init__(compiled.function, compiled.convert, compiled.options)
        self.specializations = compiled.specializations
        self.generalized = compiled.generalized

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        arguments = (*args, kwargs)
        made = self.prepare(arguments)
        verify(made.program.graph)
        leaves = made.program.leaves(arguments)
        try:
            results = executables.Interpreted(made.program.graph)(*leaves)
        except Exception as exception:
            return self.failed(made, exception, arguments)
        return made.program.finish(results, arguments)

    def run(self, specialization: Any, arguments: Any) -> Any:
        return self(*arguments[:-1], **arguments[-1])


def compiled_and_interpreted(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Any]:
    """What compiled code gives for copies of the arguments, and what the graph gives that was traced for it, run by operations."""
    compiled = ag.compile(function, fallback="error")
    return compiled(*map(copy, arguments)), InterpretedFunction(compiled)(*map(copy, arguments))
