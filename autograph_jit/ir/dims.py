"""Symbolic sizes: canonical affine sums of named atoms, compared by structure to prove that two sizes are equal.

An atom is a label, not a value: equal labels mean equal numbers. The first letter of an atom tells its lower bound:
`s` an argument's size that was generalised (0 and 1 are always specialised, so at least 2), `d` any other size (at least 0),
`v` an arbitrary integer.
"""

from __future__ import annotations

from hashlib import blake2b

from autograph_jit import budget
from autograph_jit.records import dataclass

LOWER_BOUNDS = {"s": 2, "d": 0}
LONGEST_NAME = 400
ADDED = budget.Work("terms of sums of sizes added", 0.4)


@dataclass(frozen=True, slots=True)
class Dim:
    """The sum of `const` and of `coefficient * atom` over `terms`, sorted by atom, no zero coefficient, at least one term."""

    terms: tuple[tuple[str, int], ...]
    const: int = 0

    def __add__(self, other: Size) -> Size:
        return combine(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: Size) -> Size:
        return combine(self, other, -1)

    def __rsub__(self, other: Size) -> Size:
        return combine(scale(self, -1), other, 1)

    def __mul__(self, factor: Size) -> Size:
        if isinstance(factor, int):
            return scale(self, factor)
        return atom(f"d:mul({min(str(self), str(factor))},{max(str(self), str(factor))})")

    __rmul__ = __mul__

    def __str__(self) -> str:
        text = ""
        for name, coefficient in self.terms:
            sign = "-" if coefficient < 0 else "+" if text else ""
            text += sign + (name if abs(coefficient) == 1 else f"{abs(coefficient)}*{name}")
        return text + (f"{self.const:+d}" if self.const else "")

    __repr__ = __str__


Size = int | Dim
CLAMPED: dict[str, Size] = {}  # by atoms that are `max(size, 0)`, the size


def atom(name: str) -> Dim:
    """The size that is one atom. A long expression stands for itself by its digest: sizes that are made of sizes again and again, as in a
    recursion on parts of a text, would double with each step."""
    if len(name) > LONGEST_NAME:
        name = f"{name[0]}:{blake2b(name.encode(), digest_size=16).hexdigest()}"
    return Dim(((name, 1),))


def scale(size: Size, factor: int) -> Size:
    """`factor * size`."""
    if isinstance(size, int):
        return size * factor
    return normalize({name: coefficient * factor for name, coefficient in size.terms}, size.const * factor)


def combine(x: Size, y: Size, sign: int) -> Size:
    """`x + sign * y`."""
    terms: dict[str, int] = dict(x.terms) if isinstance(x, Dim) else {}
    const = x.const if isinstance(x, Dim) else x
    if isinstance(y, Dim):
        for name, coefficient in y.terms:
            terms[name] = terms.get(name, 0) + sign * coefficient
    const += sign * (y.const if isinstance(y, Dim) else y)
    return normalize(terms, const)


def normalize(terms: dict[str, int], const: int) -> Size:
    """The canonical form: an int where no term is left."""
    budget.spend(ADDED, len(terms) + 2)
    kept = tuple(sorted((name, coefficient) for name, coefficient in terms.items() if coefficient))
    return Dim(kept, const) if kept else const


def lower_bound(size: Size) -> int | None:
    """A number that the size is never below, or None where none is known."""
    if isinstance(size, int):
        return size
    total = size.const
    for name, coefficient in size.terms:
        bound = LOWER_BOUNDS.get(name[0])
        if bound is None or coefficient < 0:
            return None
        total += coefficient * bound
    return total


def at_least_zero(size: Size) -> Size:
    """`max(size, 0)`: the length of a slice that may be empty. `max(max(x, 0) - 2, 0)` is `max(x - 2, 0)`."""
    bound = lower_bound(size)
    if isinstance(size, int):
        return max(size, 0)
    if bound is not None and bound >= 0:
        return size
    if size.const < 0 and len(size.terms) == 1:
        name, coefficient = size.terms[0]
        if coefficient == 1 and name in CLAMPED:
            return at_least_zero(combine(CLAMPED[name], size.const, 1))
    clamped = atom(f"d:max0({size})")
    CLAMPED[clamped.terms[0][0]] = size
    return clamped


def most_apart(x: Size, y: Size) -> int | None:
    """The most that two lengths differ by, whatever the run makes of their atoms; None where nothing is known."""
    difference = combine(unclamped(x), unclamped(y), -1)
    return abs(difference) if isinstance(difference, int) else None


def unclamped(size: Size) -> Size:
    """The size that a length is where that is not negative."""
    if isinstance(size, Dim) and size.const == 0 and len(size.terms) == 1 and size.terms[0][1] == 1:
        return CLAMPED.get(size.terms[0][0], size)
    return size


def broadcast_size(x: Size, y: Size) -> Size | None:
    """The size two axes broadcast to; None where they provably do not; a `bc` atom where only the run can tell."""
    if x == y or y == 1:
        return x
    if x == 1:
        return y
    if isinstance(x, int) and isinstance(y, int):
        return None
    if isinstance(x, int):
        return x if x != 0 else atom(f"d:bc(0,{y})")
    if isinstance(y, int):
        return broadcast_size(y, x)
    x_bound, y_bound = lower_bound(x), lower_bound(y)
    if x_bound is not None and x_bound >= 2:
        return x
    if y_bound is not None and y_bound >= 2:
        return y
    first, second = sorted((str(x), str(y)))
    return atom(f"d:bc({first},{second})")
