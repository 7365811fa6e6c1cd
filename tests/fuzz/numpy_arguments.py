"""The arguments of a fuzzed NumPy call, by their names: special values, or places that are wrong now and then, in guarded memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from tests.fuzz.indices import Guarded, Pages, guarded_pages, place

SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -2.5, 7.0)
TINY = {"f": (5e-324, -5e-324, 1e-310), "c": (5e-324,)}
PLAIN = (0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -2.5, 7.0, 0.25)
LAYOUTS = ("end", "start", "inside", "strided", "reversed", "fortran")
VECTORS, MATRICES = "xyo", "abq"
SIZES = (2, 3, 4, 5, 8, 9, 17, 33)
ARRAYS = 8  # of one call


@cache
def pages() -> list[Pages | None]:
    """Memory of its own for each array of a call, used again by the next call."""
    return [guarded_pages() for _ in range(ARRAYS)]


@dataclass(frozen=True)
class Sizes:
    """The sizes of one call's arrays."""

    length: int
    other: int  # of what may misfit
    longer: int
    rows: int
    columns: int

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of the array of this name."""
        n = self.length
        known = {"u": (self.longer,), "r": (self.longer,), "c": (self.columns, 3), "e": (n, n), "y": (self.other,)}
        return known.get(name, (self.rows, self.columns) if name in MATRICES or name == "w" else (n,))


@dataclass(frozen=True)
class Recipe:
    """What the arguments of one call are made of: the same for the same seed and number, however often they are made."""

    dtypes: dict[str, str]  # by the names of the arguments
    seed: int
    number: int
    special: bool

    def made(self) -> list[tuple[Any, Guarded | None]]:
        """The arguments in order, arrays with their guards."""
        dice = np.random.default_rng([self.seed, self.number])
        sizes = self.sizes(dice)
        shared = self.overlapping(dice, sizes) if not self.special and dice.random() < 0.25 else {}
        made: list[tuple[Any, Guarded | None]] = []
        for name, page in zip(self.dtypes, pages()):
            value, layout = self.value(name, dice, sizes), str(dice.choice(LAYOUTS))
            guarded = shared.get(name) or (placed(value, layout, page) if isinstance(value, np.ndarray) else None)
            made.append((value if guarded is None else guarded.array, guarded))
        return made

    def sizes(self, dice: np.random.Generator) -> Sizes:
        """Sizes that fit, now and then 0 or 1, or such as do not fit."""
        odd, first, second = dice.random(), int(dice.choice(SIZES)), int(dice.choice(SIZES))
        length = first if odd > 0.16 else 0 if odd < 0.08 else 1
        rows, columns = (length, second) if dice.random() < 0.5 else (second, length)
        return Sizes(length, length if dice.random() > 0.05 else second, length + int(dice.integers(0, 4)), rows, columns)

    def overlapping(self, dice: np.random.Generator, sizes: Sizes) -> dict[str, Guarded]:
        """Vectors of one dtype as overlapping views of one array."""
        names = [name for name in self.dtypes if name in VECTORS and self.dtypes[name] == self.dtypes.get("x")]
        base = place(plain_values(dice, (sizes.length + 3,), self.dtypes.get("x", "float64")), "inside", None)
        starts = {name: int(dice.integers(0, 4)) for name in names}
        views = {name: base.array[start : start + sizes.length] for name, start in starts.items()}
        return {name: Guarded(view[::-1] if dice.random() < 0.2 else view, base.region) for name, view in views.items()}

    def value(self, name: str, dice: np.random.Generator, sizes: Sizes) -> Any:
        """One argument."""
        n = sizes.length
        if name in "hij":
            return int(dice.integers(0, 6) if name == "h" else dice.integers(-n - 1, n + 2))
        if name == "g":
            return float(dice.choice(SPECIAL if self.special else PLAIN))
        if name in "kl":
            bound = n + (2 if not self.special and dice.random() < 0.15 else 0)
            return dice.integers(-bound, bound, int(dice.integers(0, 6))) if bound else np.zeros(0, np.int64)
        if name == "v":
            return dice.integers(0, 4, n)
        if name in "mnw":
            return dice.random(sizes.shape(name)) < 0.6
        values = special_values if self.special else plain_values
        if name in "st":
            return values(dice, (), self.dtypes[name])[()]
        found = values(dice, sizes.shape(name), self.dtypes[name])
        return np.sort(found) if name == "r" else found  # what is no number last


def special_values(dice: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Numbers among which there are the edges of their type, at times many of them."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return dice.random(shape) < 0.5
    if kind.kind in "iu":
        edges = np.iinfo(kind)
        near = (-1, -2) if kind.kind == "i" else (8,)
        pool = np.array([0, 1, 2, 3, 7, *near, edges.max, edges.max - 1, edges.min, edges.min + 1], kind)
        return dice.choice(pool[:5] if dice.random() < 0.3 else pool, shape)
    form = dice.random()
    pool = np.array((SPECIAL[1:] if form < 0.35 else SPECIAL[3:] if form < 0.6 else SPECIAL) + TINY[kind.kind] * (dice.random() < 0.2))
    if kind.kind == "f":
        return np.asarray(dice.choice(pool, shape)).astype(kind)
    found = np.empty(shape, np.complex128)
    found.real, found.imag = dice.choice(pool, shape), dice.choice(pool, shape)
    return found.astype(kind)


def plain_values(dice: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Small numbers whose sums are exact in any order."""
    kind = np.dtype(dtype)
    if kind.kind == "c":
        return (dice.integers(-4, 5, shape) + 1j * dice.integers(-4, 5, shape)).astype(kind)
    return np.asarray(dice.integers(0, 2 if kind.kind == "b" else 9, shape) - (4 if kind.kind in "if" else 0)).astype(kind)


def placed(content: np.ndarray, layout: str, page: Pages | None) -> Guarded:
    """A copy of the content among guards; matrices may be in Fortran's order."""
    if layout != "fortran":
        return place(content, layout, page)
    guarded = place(np.ascontiguousarray(content.T), "end", page)
    return Guarded(guarded.array.T, guarded.region)
