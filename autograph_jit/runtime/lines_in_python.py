"""What Python takes at least for the lines that the operations of a program stem from: their instructions, as often as they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autograph_jit.ir.graph import Block, Operation
from autograph_jit.syntax.line_times import Line, seconds_of_line
from autograph_jit.transforms.tallies import LOOPS


class LinesInPython:
    """The lines that operations stem from, each as often as it is called from elsewhere: what the operations take in Python together, and
    how often the line runs. That is as often as its first operation, which no loop of a builtin is around; or as the trips of its loop."""

    def __init__(self) -> None:
        self.by_span: dict[int, list[Any]] = {}

    def note(self, operation: Operation, seconds: float, times: float, runs: Callable[[Operation, Block, float], float]) -> None:
        """An operation that runs so often, with what that takes."""
        span = operation.span
        if span is None:
            return
        found = self.by_span.setdefault(id(span), [span, 0.0, None, 0.0])
        found[1] += seconds
        if found[2] is None and operation.for_c is None:  # otherwise one of many that C code does in an instruction
            found[2] = times
        if operation.name in LOOPS and goes_over_lines(operation, span.lineno):
            found[3] = max(found[3], runs(operation, operation.regions[-1], times))

    def missing(self) -> Iterator[tuple[Line, float]]:
        """The lines whose instructions take more than the operations, and how many seconds more."""
        lines: dict[Any, list[Any]] = {}
        for span, seconds, times, trips in self.by_span.values():
            line = lines.setdefault(((span.filename, span.function, span.lineno), span.callers), [0.0, None, 0.0])
            line[0] += seconds
            line[1] = times if line[1] is None else line[1]
            line[2] = max(line[2], trips)
        for (place, _), (seconds, times, trips) in lines.items():
            if (more := max(times or 0.0, trips) * seconds_of_line(place) - seconds) > 0:
                yield place, more


def goes_over_lines(loop: Operation, lineno: int) -> bool:
    """Whether a loop that stands on a line is a statement of the user's: its trips have other lines, which those of no builtin's have."""
    spans = (operation.span for region in loop.regions for operation in region.operations)
    return any(span is not None and span.lineno != lineno for span in spans)
