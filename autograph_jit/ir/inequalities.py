"""Linear inequalities: whether a sum of sizes and unknown integers is surely not negative, given others that are not.

    i >= 0,  n - 1 - i >= 0,  x - 2 * i >= 0     prove     x + n - 1 - 3 * i >= 0

An unknown is eliminated by adding a multiple of an inequality in which it has the same sign, the newest unknown first; what is
left must follow from the range of each of its atoms. The search is cut short, so that it proves what is near at hand only.
"""

from __future__ import annotations

from dataclasses import field

from autograph_jit.ir.dims import LOWER_BOUNDS, Dim, Size, atom, combine, scale
from autograph_jit.records import dataclass

LARGEST_SIZE = 2**60  # sizes are sizes of memory
LOWEST, HIGHEST = -(2**63), 2**63 - 1
MOST_STEPS = 48


@dataclass(slots=True)
class Inequalities:
    """What is known of unknowns; each inequality is a sum that is at least 0.

    numbers   the order in which unknowns were made; sizes, which are older than any, have none
    limits    the least and the greatest value of unknowns that cannot be any 64-bit number
    known     inequalities by an atom that they eliminate
    """

    numbers: dict[str, int] = field(default_factory=dict)
    limits: dict[str, tuple[int, int]] = field(default_factory=dict)
    known: dict[str, list[Size]] = field(default_factory=dict)

    def unknown(self) -> Dim:
        """An integer of which nothing is known yet."""
        name = f"v#{len(self.numbers)}"
        self.numbers[name] = len(self.numbers)
        return atom(name)

    def learn(self, name: str, *facts: Size) -> None:
        """Inequalities of an atom and others."""
        known = self.known.setdefault(name, [])
        known += [fact for fact in dict.fromkeys(facts) if fact not in known]

    def is_nonnegative(self, form: Size, given: tuple[Size, ...] = (), largest_size: int = LARGEST_SIZE) -> bool:
        """Whether the sum is at least 0, where `given` is true besides what is known."""
        return Search(self, given, largest_size).run(form, 1, frozenset())

    def fits(self, form: Size, given: tuple[Size, ...] = ()) -> bool:
        """Whether the sum is surely a 64-bit number."""
        return self.is_nonnegative(combine(form, LOWEST, -1), given) and self.is_nonnegative(combine(HIGHEST, form, -1), given)

    def limits_of_sum(self, form: Size) -> tuple[int, int]:
        """Numbers that the sum, where it is a 64-bit number, is never below and never above."""
        search = Search(self, (), LARGEST_SIZE)
        return max(int(search.least(form)), LOWEST), min(-int(search.least(scale(form, -1))), HIGHEST)

    def number_of(self, name: str) -> int:
        return self.numbers.get(name, -1)


@dataclass(slots=True)
class Search:
    """One proof: a search over the inequalities that eliminate an atom, each used once."""

    known: Inequalities
    given: tuple[Size, ...]
    largest_size: int
    steps: int = 0

    def run(self, form: Size, multiple: int, used: frozenset[Size]) -> bool:
        """Whether the sum, a multiple of an integer plus what is not negative, shows that the integer is at least 0."""
        if self.least(form) > -multiple:
            return True
        self.steps += 1
        if isinstance(form, int) or self.steps > MOST_STEPS:
            return False
        for name, coefficient in sorted(form.terms, key=lambda term: -self.known.number_of(term[0])):
            for fact in (*self.known.known.get(name, ()), *self.given):
                factor = dict(fact.terms).get(name, 0) if isinstance(fact, Dim) else 0
                if factor * coefficient > 0 and fact not in used:
                    rest = combine(scale(form, abs(factor)), scale(fact, abs(coefficient)), -1)
                    if self.run(rest, multiple * abs(factor), used | {fact}):
                        return True
        return False

    def least(self, form: Size) -> float:
        """A number that the sum is never below."""
        if isinstance(form, int):
            return form
        total = form.const
        for name, coefficient in form.terms:
            low, high = self.limits_of(name)
            total += coefficient * (low if coefficient > 0 else high)
        return total

    def limits_of(self, name: str) -> tuple[int, int]:
        lower = LOWER_BOUNDS.get(name[0])
        return self.known.limits.get(name, (LOWEST, HIGHEST)) if lower is None else (lower, self.largest_size)


def is_single_atom(form: Size) -> bool:
    return isinstance(form, Dim) and form.const == 0 and len(form.terms) == 1 and form.terms[0][1] == 1
