"""Where in the user's program a graph comes from."""

from __future__ import annotations

from collections import Counter

from autograph_jit.ir.graph import Graph
from autograph_jit.source import SourceSpan


def busiest_span(graph: Graph) -> SourceSpan | None:
    """The line that most operations come from, the first one among equals."""
    spans = Counter(operation.span for operation in graph.walk() if operation.span is not None)
    return spans.most_common(1)[0][0] if spans else None


def count_operations(graph: Graph) -> int:
    """How many operations there are, in all regions."""
    return sum(1 for _ in graph.walk())
