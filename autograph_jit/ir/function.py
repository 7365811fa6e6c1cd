"""A function of the graph language: what `call` and `call_writing` call, a graph of its own that reads nothing from outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph_jit.ir.graph import Graph, Operation

CALLS = ("call", "call_writing")
YIELD = "yield"  # the name of functions that give items of generators to loops, which no function of the user's has


class Function:
    """A function that several calls share; its graph is not changed once it is called, unless `is_open`: one that calls itself is called
    before it has its graph. `is_total`: it raises nothing, whatever its operations may. `derivatives`: functions derived from it, by what
    was asked for."""

    __slots__ = ("graph", "is_open", "is_recursive", "is_total", "derivatives", "_can_fail", "__weakref__")

    def __init__(self, graph: Graph, is_open: bool = False) -> None:
        self.graph, self.is_open, self.is_recursive, self.is_total = graph, is_open, False, False
        self.derivatives: dict[Any, Any] = {}
        self._can_fail: bool | None = None

    def close(self, graph: Graph) -> None:
        """Give the function its graph; it is recursive if that calls it."""
        self.graph, self.is_open = graph, False
        self.is_recursive = self in functions_of(graph)

    @property
    def name(self) -> str:
        return self.graph.name

    @property
    def can_fail(self) -> bool:
        """Whether a call can leave with an exception."""
        if self.is_open or self.is_recursive:
            return True  # a recursion may be too deep
        if self._can_fail is None:
            self._can_fail = any(operation.can_fail for operation in self.graph.walk())
        return self._can_fail

    def __repr__(self) -> str:
        return f"<function {self.name}>"


def functions_of(graph: Graph) -> dict[Function, int]:
    """The functions that a graph calls, by itself or through others, each with the number of its call sites."""
    found: dict[Function, int] = {}
    waiting = [graph]
    while waiting:
        for operation in waiting.pop().walk():
            if operation.name in CALLS:
                callee = operation.attributes["callee"]
                if callee not in found:
                    waiting.append(callee.graph)
                found[callee] = found.get(callee, 0) + 1
    return found


def walk_with_functions(graph: Graph) -> Iterator[Operation]:
    """Every operation of a graph, then those of the functions that it calls."""
    yield from graph.walk()
    for function in functions_of(graph):
        yield from function.graph.walk()
