"""What a program of everyday Python is: a function with its own functions and classes beside it, and how its arguments are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Program:
    """One program to measure; plain Python is its judge.

    function   the plain function, as somebody wrote it who had no compiler in mind
    arguments  arguments for a size, always the same ones
    size       the size that is measured; `quick` the one at which it only runs
    """

    function: Callable[..., Any]
    arguments: Callable[[int], tuple]
    size: int
    quick: int

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def kind(self) -> str:
        """The file that it stands in: `parsers`, `games`."""
        return self.function.__module__.rpartition(".")[2]
