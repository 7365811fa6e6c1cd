"""The state of a random smooth program while it is written: a writer that knows the shape of every array."""

from __future__ import annotations

import math

from tests.fuzz.writer import Kind, Writer

REAL, COMPLEX = "real", "complex"


def is_array(kind: Kind) -> bool:
    return kind.name == "array"


def is_real(kind: Kind) -> bool:
    return kind.name == "array" and kind.dtype == REAL


def is_complex(kind: Kind) -> bool:
    return kind.name == "array" and kind.dtype == COMPLEX


def is_vector(kind: Kind) -> bool:
    return is_real(kind) and kind.rank == 1


def is_matrix(kind: Kind) -> bool:
    return is_real(kind) and kind.rank == 2


def array_kind(shape: tuple[int, ...], dtype: str = REAL) -> Kind:
    return Kind("array", dtype, len(shape), shape=shape)


class SmoothWriter(Writer):
    """Writes lines of a smooth program. Vectors have `m` elements, matrices k rows or m of them; `dtype` is that of its real arrays."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.odd, self.budget = False, self.random.randint(2, 7)
        self.m, self.k = self.pick(2, 3, 3, 4, 5, 9), self.pick(2, 3)
        self.dtype = self.random.choices(("float64", "float32"), (88, 12))[0]
        self.has_complex = self.chance(0.15)
        self.parameters: set[str] = set()

    def count_of(self, name: str) -> int:
        """How many elements an array has."""
        return math.prod(self.kind(name).shape)

    def like(self, kind: Kind) -> str | None:
        """A variable of just this kind."""
        return self.variable(lambda other: other == kind)
