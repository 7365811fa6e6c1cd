"""Products of symbolic sizes: a number times named factors, equal where the factors are."""

from __future__ import annotations

from autograph_jit.ir.dims import LOWER_BOUNDS, Dim, Size, atom, scale


def split_factors(size: Size) -> tuple[int, list[str]]:
    """A size as a number times named factors."""
    if isinstance(size, int):
        return size, []
    if len(size.terms) > 1 or size.const:
        return 1, [str(size)]
    ((name, coefficient),) = size.terms
    if not name.startswith("d:mul("):
        return coefficient, [name]
    return coefficient, split_arguments(name[len("d:mul(") : -1])


def split_arguments(text: str) -> list[str]:
    """The parts of `a,b(c,d),e` between its outer commas."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def product(dims: tuple[Size, ...]) -> Size:
    """The number of elements of a shape."""
    number, factors, kept = 1, [], None
    for size in dims:
        part, names = split_factors(size)
        number *= part
        factors += names
        kept = size if names else kept
    return join_factors(number, factors, kept)


def join_factors(number: int, factors: list[str], single: Size | None) -> Size:
    """A number times named factors; `single` is the size that an only factor comes from."""
    if number == 0 or not factors:
        return number
    if len(factors) == 1:
        if isinstance(single, Dim) and (len(single.terms) > 1 or single.const):
            return scale(single, number)
        return scale(atom(factors[0]), number)
    return scale(atom(f"d:mul({','.join(sorted(factors))})"), number)


def is_positive(size: Size) -> bool:
    """Whether a size is certainly not 0: a positive number times factors that are atoms of at least 1."""
    number, names = split_factors(size)
    return number > 0 and all(LOWER_BOUNDS.get(name[0], 0) > 0 and not {"+", "-"} & set(name) for name in names)
