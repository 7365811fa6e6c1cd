"""A call of a compiled program as one operation on a tape, and what a tape needs to pull cotangents back through it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Graph
from autograph_jit.ir.types import ArrayType, ScalarType, Type
from autograph_jit.ops.dispatch import EAGER, Boxed, bind, interpreting, unboxed
from autograph_jit.records import dataclass


class Part(Protocol):
    """A program that runs, and that can be split into a forward and a reverse sweep; `written` are the parameters that it writes."""

    graph: Graph
    written: tuple[int, ...]

    def run(self, leaves: Sequence[Any]) -> Sequence[Any]:
        """The results for these arrays, numbers and objects."""

    def split(self, inputs: tuple[int, ...], boxed: frozenset[int]) -> Split:
        """The sweeps for a derivative by these parameters; `boxed` are those that a tape may follow."""


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Two programs for one: `forward` gives the results, and after them what `reverse` reads.

    inputs   the parameters that cotangents are given for
    outputs  the results that have cotangents; changed: the parameters whose final content has
    sources  where the parameters of `reverse` come from, after the cotangents of outputs and changed: parameters, results of `forward`
    """

    forward: Part
    reverse: Part
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    changed: tuple[int, ...]
    sources: tuple[Callable[[Sequence[Any], Sequence[Any], Any], Any], ...]


class ProgramCall:
    """One call of a program; `arguments` are those of the Python function, `refusal` is why it has no derivative."""

    def __init__(self, part: Part, arguments: Any, box: type[Boxed]) -> None:
        self.part, self.arguments, self.box = part, arguments, box
        self.refusal: ConversionError | None = None

    def __call__(self, *operands: Any) -> list[Any]:
        """The results: arrays and numbers in boxes."""
        leaves = [leaf_of(x, arg.type) for x, arg in zip(operands, self.part.graph.block.args)]
        with interpreting(EAGER):
            found = self.part.run(leaves)
        types = [value.type for value in self.part.graph.block.yields]
        return [self.box.of(x) if isinstance(type_, (ArrayType, ScalarType)) else x for x, type_ in zip(found, types)]

    def of(self, part: Part) -> ProgramCall:
        """The call of another program in the place of this one."""
        return ProgramCall(part, self.arguments, self.box)

    def split(self, inputs: tuple[int, ...], boxed: frozenset[int]) -> Split:
        """The program's sweeps; a ConversionError is noted as the reason why there are none."""
        try:
            return self.part.split(inputs, boxed)
        except ConversionError as error:
            self.refusal = error
            raise


class RecordedCall:
    """A call that a tape has recorded: its sweeps, and what the reverse sweep reads is kept with the record."""

    def __init__(self, call: ProgramCall, split: Split) -> None:
        self.call, self.split = call, split

    def pull_back(self, saved: Sequence[Any], cts: Sequence[Any], boxed: bool, count: int) -> list[Any]:
        """What each of `count` operands gets, given the cotangents of outputs and changed parameters."""
        reverse = self.call.of(self.split.reverse)
        operands = [*cts, *saved]
        found = bind("host_call", *operands, fn=reverse, label="reverse sweep") if boxed else map(unboxed, reverse(*operands))
        contributions: list[Any] = [None] * count
        for position, ct in zip(self.split.inputs, found):
            contributions[position] = ct
        return contributions


def leaf_of(x: Any, type_: Type) -> Any:
    """An operand as a parameter of a type takes it."""
    if isinstance(type_, ScalarType):
        return number_of(x)
    return np.asarray(unboxed(x)) if isinstance(type_, ArrayType) else unboxed(x)


def number_of(x: Any) -> Any:
    """A number out of its box."""
    return x.array[()] if isinstance(x, Boxed) else x[()] if isinstance(x, np.ndarray) else x
