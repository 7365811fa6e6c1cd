"""The state of a random program while it is written: its lines, what its variables are, and the dice."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

DTYPES = ("float64", "float32", "int64", "int32", "int16", "uint8", "bool", "complex128", "uint64", "int8", "complex64", "uint32")
DTYPE_WEIGHTS = (30, 10, 16, 6, 3, 8, 8, 5, 2, 2, 2, 1)


@dataclass(frozen=True)
class Kind:
    """What a variable holds, as far as its writer knows: a number, an array of a dtype and rank, a container, a function.

    `regular` arrays broadcast with each other: their shapes are the last `rank` of three sizes. Smooth programs know whole shapes.
    """

    name: str
    dtype: str = ""
    rank: int = 0
    regular: bool = True
    size: int = 0
    shape: tuple[int, ...] = ()


INT, FLOAT, BOOL, COMPLEX = Kind("int"), Kind("float"), Kind("bool"), Kind("complex")
NUMBERS = ("int", "float", "bool")


@dataclass
class Scope:
    """Variables that are surely defined, and those that may be."""

    sure: dict[str, Kind] = field(default_factory=dict)
    maybe: dict[str, Kind] = field(default_factory=dict)

    def copy(self) -> Scope:
        return Scope(dict(self.sure), dict(self.maybe))


class Writer:
    """Writes lines; `bold` is the chance of something that is likely to raise."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.indent = 1
        self.scope = Scope()
        self.loops = 0
        self.frozen: set[str] = set()
        self.count = 0
        self.functions = 0
        self.budget = self.random.randint(4, 14)
        self.bold = self.random.choice((0.0, 0.02, 0.1))
        self.odd = self.random.random() < 0.15

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def text(self, lines: str) -> None:
        """Lines with an indentation of their own."""
        for line in textwrap.dedent(lines).strip("\n").splitlines():
            self.line(line.rstrip())

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *options: Any) -> Any:
        return self.random.choice(options)

    def weighted(self, table: Sequence[tuple[int, Any]]) -> Any:
        return self.random.choices([item for _, item in table], [weight for weight, _ in table])[0]

    def fresh(self, prefix: str) -> str:
        """A new name, now and then one that shadows another."""
        if self.odd and self.chance(0.1):
            return self.pick("abs_", "list_", "x", "sum_", "n_", "_", "ag_", "state")
        self.count += 1
        return f"{prefix}{self.count}"

    def names(self, accepts: Callable[[Kind], bool]) -> list[str]:
        return [name for name, kind in self.scope.sure.items() if accepts(kind)]

    def variable(self, accepts: Callable[[Kind], bool]) -> str | None:
        """A defined variable of an accepted kind, the later ones more often."""
        found = self.names(accepts)
        return found[min(int(self.random.triangular(0, len(found), len(found))), len(found) - 1)] if found else None

    def of(self, *names: str) -> str | None:
        return self.variable(lambda kind: kind.name in names)

    def define(self, name: str, kind: Kind) -> None:
        self.scope.sure[name] = kind
        self.scope.maybe.pop(name, None)

    def kind(self, name: str) -> Kind:
        return self.scope.sure[name]

    @contextmanager
    def block(self) -> Iterator[None]:
        """An indented block whose definitions are only possible ones outside; `pass` where nothing was written."""
        before, start = self.scope.copy(), len(self.lines)
        self.indent += 1
        try:
            yield
        finally:
            if len(self.lines) == start:
                self.line("pass")
            self.indent -= 1
            inner, self.scope = self.scope, before
            for name, kind in {**inner.maybe, **inner.sure}.items():
                if name not in before.sure:
                    self.scope.maybe[name] = kind
                elif inner.sure.get(name) != kind or kind != before.sure[name]:
                    self.scope.sure[name] = replace(kind, regular=False) if kind.name == before.sure[name].name else before.sure[name]
            for name in list(self.scope.sure):
                if name not in inner.sure:
                    self.scope.maybe[name] = self.scope.sure.pop(name)
