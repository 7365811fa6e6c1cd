"""What a tape records of one operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph_jit.ir.opdef import OpDef
from autograph_jit.ops.dispatch import Boxed
from autograph_jit.records import dataclass


@dataclass(slots=True)
class Record:
    """One operation that ran: its operands, its results, and which operands the tape followed at the time.

    saved    what its derivative reads: the operands as they were; of a compiled program, what its forward sweep saved
    outcome  the results as they were: a rule may read them after they were written to
    changed  the operands that a call changed
    """

    op: OpDef
    operands: tuple[Any, ...]
    attributes: dict[str, Any]
    results: Sequence[Any]
    followed: Sequence[bool]
    saved: Sequence[Any]
    outcome: Sequence[Any]
    changed: Sequence[Any] = ()

    def keep(self, array: np.ndarray, copy: Callable[[Boxed], Boxed]) -> None:
        """Put copies in the place of what shares this memory, which is about to be written."""
        self.saved, self.outcome = kept(self.saved, array, copy), kept(self.outcome, array, copy)


def kept(values: Sequence[Any], array: np.ndarray, copy: Callable[[Boxed], Boxed]) -> Sequence[Any]:
    """The values, with copies of those that share the memory of an array."""
    shared = [isinstance(value, Boxed) and np.may_share_memory(value.array, array) for value in values]
    return [copy(value) if shares else value for value, shares in zip(values, shared)] if any(shared) else values
