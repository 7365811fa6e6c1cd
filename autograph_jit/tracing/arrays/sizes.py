"""Size labels of slices, products and quotients: exact where that is proved, otherwise atoms built from the labels.

Equal expressions get equal labels.
"""

from __future__ import annotations

from autograph_jit.ir.dims import Dim, Size, at_least_zero, atom, lower_bound, scale
from autograph_jit.ir.products import product

Bound = Size | None


def slice_size(start: Bound, stop: Bound, step: Bound, n: Size) -> Size:
    """The length of `x[start:stop:step]` over an axis of `n` elements; None where the slice leaves a part out."""
    step = 1 if step is None else step
    start, stop = same_as_axis(start, n), same_as_axis(stop, n)
    if not isinstance(step, int):
        return atom(f"d:slice({start},{stop},{step},{n})")
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if isinstance(n, int) and all(part is None or isinstance(part, int) for part in (start, stop)):
        return len(range(*slice(start, stop, step).indices(n)))
    length = forward_length(start, stop, n) if step > 0 else backward_length(start, stop, n)
    if length is None:
        return atom(f"d:slice({start},{stop},{step},{n})")
    return ceil_divide(length, abs(step))


def same_as_axis(bound: Bound, n: Size) -> Bound:
    """The axis itself where it was made with this bound as its length (`d:len` labels a length that was checked)."""
    return n if isinstance(bound, Dim) and str(n) == f"d:len({bound})" else bound


def sign(size: Size) -> int:
    """1 where the size is known to be at least 0, -1 where it is known to be below 0, otherwise 0."""
    bound = lower_bound(size)
    if bound is not None and bound >= 0:
        return 1
    opposite = lower_bound(scale(size, -1))
    return -1 if opposite is not None and opposite >= 1 else 0


def is_at_most(x: Size, y: Size) -> bool:
    """Whether x <= y is proved."""
    return sign(y - x) == 1


def smaller(x: Size, y: Size) -> Size:
    """`min(x, y)`."""
    if is_at_most(x, y):
        return x
    return y if is_at_most(y, x) else atom(f"d:min({x},{y})")


def forward_length(start: Bound, stop: Bound, n: Size) -> Size | None:
    """The length of `x[start:stop]`, or None where the labels do not tell it."""
    start = 0 if start is None else start
    first = sign(start)
    if first == 0:
        return None
    if first > 0:
        return length_from_front(start, stop, n)
    if stop is None:
        return smaller(scale(start, -1), n)
    last = sign(stop)
    if last == 0 or not is_at_most(scale(start, -1), n):
        return None
    if last < 0:
        return at_least_zero(stop - start)
    return at_least_zero(stop - (n + start)) if is_at_most(stop, n) else None


def length_from_front(start: Size, stop: Bound, n: Size) -> Size | None:
    """The length of `x[start:stop]` for a start that is not negative."""
    if stop is None:
        return at_least_zero(n - start)
    last = sign(stop)
    if last == 0:
        return None
    if last < 0:
        return at_least_zero(n + stop - start)
    if is_at_most(stop, n):
        return at_least_zero(stop - start)
    return smaller(stop, n) if start == 0 else None


def backward_length(start: Bound, stop: Bound, n: Size) -> Size | None:
    """The length of `x[start:stop:-1]`, or None where the labels do not tell it."""
    first = n - 1 if start is None else position(start, n)
    last: Size | None = -1 if stop is None else position(stop, n)
    if first is None or last is None:
        return None
    return at_least_zero(first - last)


def position(bound: Size, n: Size) -> Size | None:
    """Where a bound of a backward slice points to: from -1 to n - 1."""
    place = n + bound if sign(bound) < 0 else bound
    if sign(bound) == 0 or sign(place + 1) != 1:
        return None
    return place if is_at_most(place, n - 1) else None


def ceil_divide(size: Size, divisor: int) -> Size:
    """`size` over `divisor`, rounded up."""
    if divisor == 1:
        return size
    if isinstance(size, int):
        return -(-size // divisor)
    if all(coefficient % divisor == 0 for _, coefficient in size.terms):
        terms = tuple((name, coefficient // divisor) for name, coefficient in size.terms)
        return Dim(terms, -(-size.const // divisor))
    return atom(f"d:ceil({size},{divisor})")


def quotient(dims: tuple[Size, ...], divisors: tuple[Size, ...]) -> Size:
    """The elements of the shape `dims` over those of `divisors`: the axis that -1 stands for in a reshape."""
    remaining = list(dims)
    rest: list[Size] = []
    for size in divisors:
        if size in remaining and not isinstance(size, int):
            remaining.remove(size)
        else:
            rest.append(size)
    total, part = product(tuple(remaining)), product(tuple(rest))
    if isinstance(part, int) and part > 0:
        if isinstance(total, int) and total % part == 0:
            return total // part
        if isinstance(total, Dim) and not total.const % part and all(coefficient % part == 0 for _, coefficient in total.terms):
            return Dim(tuple((name, coefficient // part) for name, coefficient in total.terms), total.const // part)
    return atom(f"d:div({total},{part})")
