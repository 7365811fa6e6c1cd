"""Exceptions that nobody sees need no object: those that the handler which takes them asks for nothing but their class.

Before::                                             After::

    %e = host_call(%text) {label = "raise ValueError"}    raise_() {error = unseen ValueError} unwind(%n)
    raise_(%e) {kind = ValueError} unwind(%n)

What has made the exception is removed as dead code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph_jit.ir.graph import Block, Graph, Operation
from autograph_jit.ir.opdef import ErrorSpec
from autograph_jit.ops.exceptions_raised import answers_at, questions_of
from autograph_jit.records import dataclass


@dataclass(frozen=True, slots=True)
class Unseen(ErrorSpec):
    """An exception of a class and no more."""

    def build(self, payload: tuple[Any, ...] = ()) -> Exception:
        return self.exception.__new__(self.exception)


def drop_unseen(graph: Graph, distinct_parameters: bool = False) -> None:
    """Raise by their class alone the exceptions of the program whose handler looks at no more."""
    for operation in graph.walk():
        if operation.name != "try_":
            continue
        body, handler = operation.regions
        questions = questions_of(handler, handler.args[0])
        if questions is None:
            continue
        tests, raises = questions
        for raising in raises_to(body):
            answers = answers_at(raising, tests) if raising.attributes.get("error") is None else None
            if answers is not None and (any(answers) or not raises):
                raising.operands = []
                raising.attributes = {"error": Unseen(raising.attributes["kind"], "")}


def raises_to(body: Block) -> Iterator[Operation]:
    """The operations that raise to the handler of this body."""
    for operation in body.operations:
        if operation.name == "raise_":
            yield operation
        for region in operation.regions[1:] if operation.name == "try_" else operation.regions:
            yield from raises_to(region)
