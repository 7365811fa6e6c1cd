"""What Python takes at least for the lines that the operations of a program stem from: their instructions, as often as they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autograph_jit.ir.graph import Block, Operation
from autograph_jit.syntax.line_times import Line, seconds_of_line
from autograph_jit.transforms.tallies import LOOPS


class LinesInPython:
    """The lines that operations stem from, each as often as it is called from elsewhere: what the operations take in Python together, and
    how often the most frequent of them runs."""

    def __init__(self) -> None:
        self.by_span: dict[int, list[Any]] = {}

    def note(self, operation: Operation, seconds: float, times: float, runs: Callable[[Operation, Block, float], float]) -> None:
        """An operation that runs so often, with what that takes; the line of a loop begins each trip."""
        span = operation.span
        if span is None:
            return
        found = self.by_span.setdefault(id(span), [span, 0.0, 0.0])
        found[1] += seconds
        if operation.for_c is None:  # otherwise one of many that C code does in an instruction
            found[2] = max(found[2], runs(operation, operation.regions[-1], times) if operation.name in LOOPS else times)

    def missing(self) -> Iterator[tuple[Line, float]]:
        """The lines whose instructions take more than the operations, and how many seconds more."""
        lines: dict[Any, list[Any]] = {}
        for span, seconds, times in self.by_span.values():
            line = lines.setdefault(((span.filename, span.function, span.lineno), span.callers), [0.0, 0.0])
            line[0] += seconds
            line[1] = max(line[1], times)
        for (place, _), (seconds, times) in lines.items():
            if (more := times * seconds_of_line(place) - seconds) > 0:
                yield place, more
