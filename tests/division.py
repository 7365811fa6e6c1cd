"""Every loop that Python can run goes there, or is taken over by it, whatever the model of costs says: for tests of the loops that do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any
from unittest.mock import patch

from autograph_jit.ir.graph import Block, Operation
from autograph_jit.runtime import feedback, making, python_loops
from autograph_jit.runtime.early import Estimate
from autograph_jit.runtime.python_loops import Division
from autograph_jit.tracing.control import hand_over
from autograph_jit.tracing.control.python_loops import StagedLoop


def outermost(block: Block, loops: Mapping[Operation, StagedLoop]) -> list[StagedLoop]:
    """The loops of a block and of the branches in it, those inside one another by the outer one."""
    found: list[StagedLoop] = []
    for operation in block.operations:
        inner = [loop for region in operation.regions for loop in outermost(region, loops)]
        found += [loops[operation]] if operation in loops and loops[operation].can_be_pythons() else inner
    return found


def divide(block: Block, loops: Mapping[Operation, StagedLoop], around: float = 1.0) -> Division:
    """In the place of the model's."""
    return Division(0.0, 0.0, tuple((loop, 1e-3) for loop in outermost(block, loops)))


@contextlib.contextmanager
def all_loops_in_python() -> Iterator[Any]:
    """During the with statement."""
    with patch.object(python_loops, "divide", divide), patch.object(python_loops, "GAIN", float("inf")):
        yield


@contextlib.contextmanager
def all_loops_handed_over(after: int) -> Iterator[list[Operation]]:
    """During the with statement every loop asks at each iteration, and is left when it has asked so often; gives those that were left."""
    asked, left = list[Operation](), list[Operation]()

    def answer(made: Any, tell: Any, loop: Operation, *ignored: Any) -> bool:
        asked.append(loop)
        left.extend([loop] if asked.count(loop) >= after else ())
        return loop in left

    with (
        patch.object(Estimate, "is_slower_at_worst", lambda *ignored: True),
        patch.object(Estimate, "check", lambda *ignored: None),
        patch.object(feedback, "shall_hand_over", answer),
        patch.object(hand_over, "FIRST_QUESTION", -1),  # before any call of Python
        patch.object(making, "settle", lambda program, make, arguments: (program, "")),
    ):
        yield left
