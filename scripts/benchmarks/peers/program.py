"""What one program of a peer is: its function, which arguments are constants to the peer's compiler, what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Program:
    """A benchmark as one writes it for a peer; its name is that of the plain function.

    function  takes the plain function's arguments and returns its result
    static    positions of arguments that the peer compiles as constants (sizes, numbers of steps that set a shape)
    also      positions of arguments that the plain function changes: their new values follow the result
    """

    function: Callable[..., Any]
    static: tuple[int, ...] = ()
    also: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return self.function.__name__


def by_name(*groups: tuple[Program, ...]) -> dict[str, Program]:
    return {program.name: program for group in groups for program in group}
