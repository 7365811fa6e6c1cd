"""Exceptions that nobody sees need no object: those that the handler which takes them asks for nothing but their class.

Before::                                             After::

    %e = host_call(%text) {label = "raise ValueError"}    raise_() {error = unseen ValueError} unwind(%n)
    raise_(%e) {kind = ValueError} unwind(%n)

What has made the exception is removed; what it was made of is dead code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph_jit.ir.function import functions_of
from autograph_jit.ir.graph import Block, Graph, Operation
from autograph_jit.ops.exceptions_raised import Unmade, Unseen, answers_at, asks_more, questions_of


def drop_unseen(graph: Graph, distinct_parameters: bool = False) -> None:
    """Raise by their class alone the exceptions of the program whose handler looks at no more."""
    for operation in graph.walk():
        if operation.name != "try_":
            continue
        body, handler = operation.regions
        questions = questions_of(handler, handler.args[0])
        if questions is None:
            continue
        (tests, raises), asks = questions, asks_more(handler)
        for raising in raises_to(body):
            error = raising.attributes.get("error")
            answers = answers_at(raising, tests, asks) if error is None or isinstance(error, Unmade) else None
            if answers is not None and (any(answers) or not raises):
                kind = raising.attributes["kind"] if error is None else error.exception
                if error is None:
                    drop_object(raising)
                kept = {"known": True} if raising.attributes.get("known") else {}
                raising.attributes = {"error": Unseen(kind, ""), **kept}


def seen_kinds(graph: Graph) -> set[type[BaseException]]:
    """The classes of exceptions that are seen, of a program with its functions, and that compiled code cannot make."""
    found = set[Any]()
    for each in (graph, *(function.graph for function in functions_of(graph))):
        drop_unseen(each)
        errors = (operation.attributes.get("error") for operation in each.walk())
        found |= {error.exception for error in errors if isinstance(error, Unmade)}
    return found


def drop_object(raising: Operation) -> None:
    """Raise without an exception, which nobody makes where it was made for that alone."""
    (exception,), raising.operands = raising.operands, []
    maker, block = exception.owner, raising.block
    if isinstance(maker, Operation) and block is not None and maker.block is block and not maker.can_fail:
        behind = block.operations[block.operations.index(maker) + 1 :]
        if not any(exception in x.operands or exception in x.unwind or x.regions for x in behind):
            block.operations.remove(maker)


def raises_to(body: Block) -> Iterator[Operation]:
    """The operations that raise to the handler of this body."""
    for operation in body.operations:
        if operation.name == "raise_":
            yield operation
        for region in operation.regions[1:] if operation.name == "try_" else operation.regions:
            yield from raises_to(region)
