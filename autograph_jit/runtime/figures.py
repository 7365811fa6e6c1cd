"""The figures of the model of costs by source line: which lines of a program call Python, and what each takes compiled and in Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

from autograph_jit.ir.graph import Graph
from autograph_jit.records import dataclass
from autograph_jit.runtime.costs import NOTHING, Cost, cost_of_runs, in_words
from autograph_jit.runtime.lines_in_python import LinesInPython
from autograph_jit.runtime.trips import Runs, assumed_runs, runs_in
from autograph_jit.source import SourceSpan
from autograph_jit.transforms.tallies import calls_python

WORST = 3  # lines that a message names
MOST_LABELS = 3  # functions of Python that are named of one line


@dataclass(slots=True)
class LineCost:
    """What the operations of one line take in a call, and how often each function of Python is called there."""

    span: SourceSpan
    cost: Cost = NOTHING
    calls: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        calls = "".join(f"{in_count(times)} x {label}, " for label, times in self.calls.most_common(MOST_LABELS))
        return f"{self.span.location()}: {calls}about {in_words(self.cost.compiled)} compiled, {in_words(self.cost.python)} in Python"


def in_count(times: float) -> str:
    """A mean number of times: whole where it is not small."""
    return f"{times:.0f}" if times >= 10 else f"{times:.2g}"


def cost_by_line(graph: Graph, runs: Runs) -> list[LineCost]:
    """The lines that take any time compiled, the longest first."""
    found: dict[tuple[str, int], LineCost] = {}
    in_python = LinesInPython()
    for operation, times in runs_in(graph.block, runs=runs):
        if operation.span is None or not times:
            continue
        line = found.setdefault((operation.span.filename, operation.span.lineno), LineCost(operation.span))
        cost = cost_of_runs(operation, times)
        line.cost += cost
        in_python.note(operation, cost.python, times, runs)
        if calls_python(operation):
            line.calls[operation.attributes["label"]] += times  # type: ignore[assignment]
    for (filename, _, lineno), seconds in in_python.missing():
        found[filename, lineno].cost += Cost(python=seconds)
    lines = [line for line in found.values() if line.cost.compiled]
    return sorted(lines, key=lambda line: line.cost.compiled, reverse=True)


def calling_lines(graph: Graph, runs: Runs = assumed_runs) -> list[LineCost]:
    """The lines for a message: the longest of those that call Python."""
    return [line for line in cost_by_line(graph, runs) if line.calls][:WORST]


def place_of(graph: Graph, lines: Sequence[LineCost]) -> SourceSpan | None:
    """The line to name: the first of these, or that of the first operation."""
    spans = (operation.span for operation in graph.walk() if operation.span is not None)
    return lines[0].span if lines else next(spans, None)
