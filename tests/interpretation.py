"""Graphs are made and transformed as always, and then interpreted: milliseconds where machine code takes a second.

For folders whose tests ask what programs and their graphs mean: their `conftest.py` imports the fixture. Tests marked `native` compile
theirs: those of the generated loops, of memory, threads and interrupts, and one family of each kind of program. With `--native` all do.
"""

from __future__ import annotations

from typing import Any

import pytest

from autograph_jit.ir.graph import Graph
from autograph_jit.runtime import executables


@pytest.fixture(autouse=True)
def interpreted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Transformed graphs run operation by operation, unless the test is marked `native`."""
    if request.node.get_closest_marker("native") is None and not request.config.getoption("--native"):
        monkeypatch.setattr(executables.cpu, "compile_graph", interpret)


def interpret(graph: Graph, **options: Any) -> executables.Interpreted:
    """In place of the compiler: layouts and sharing are of no concern to it."""
    return executables.Interpreted(graph)
