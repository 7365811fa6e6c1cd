"""What a tape records of one operation."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from autograph_jit.ir.opdef import OpDef
from autograph_jit.records import dataclass


@dataclass(slots=True)
class Record:
    """One operation that ran: its operands, what its derivative reads (the operands as they were; of a compiled program, what its forward
    sweep saved), its results, which operands a call changed, and the ids of the operands that the tape followed at the time."""

    op: OpDef
    operands: tuple[Any, ...]
    saved: list[Any]
    results: list[Any]
    attributes: dict[str, Any]
    changed: list[Any] = field(default_factory=list)
    followed: frozenset[int] = frozenset()
    outcome: list[Any] = field(init=False)

    def __post_init__(self) -> None:
        """The results as they were: a rule may read them after they were written to."""
        self.outcome = list(self.results)
