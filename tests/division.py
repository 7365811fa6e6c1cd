"""Every loop that Python can run goes there, whatever the model of costs says: for tests of the loops that do."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any
from unittest.mock import patch

from autograph_jit.ir.graph import Block, Operation
from autograph_jit.runtime import python_loops
from autograph_jit.runtime.python_loops import Division
from autograph_jit.staging.control.python_loops import StagedLoop


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
