"""Linear inequalities: what follows is proved, what does not is not."""

from __future__ import annotations

from autograph_jit.ir.dims import atom
from autograph_jit.ir.inequalities import HIGHEST, Inequalities

N = atom("s0")


def test_sizes_are_at_least_two_and_fit():
    known = Inequalities()
    assert known.is_nonnegative(N - 2) and not known.is_nonnegative(N - 3)
    assert known.fits(4 * N) and not known.fits(2**10 * N)


def test_unknown_fits_as_it_is_but_not_with_one_added():
    known = Inequalities()
    v = known.unknown()
    assert known.fits(v) and not known.fits(v + 1)
    assert not known.is_nonnegative(v)
    assert known.fits(v + 1, given=(HIGHEST - 1 - v,))


def test_unknowns_are_eliminated_with_multiples():
    known = Inequalities()
    half, i = known.unknown(), known.unknown()
    known.learn("v#0", N - 2 * half, 2 * half + 1 - N)
    known.learn("v#1", i, half - 1 - i)
    assert known.is_nonnegative(N - 2 - 2 * i)
    assert not known.is_nonnegative(N - 3 - 2 * i)
    assert known.is_nonnegative(half - 1) is True  # 2 * half >= N - 1 >= 1
    assert not known.is_nonnegative(half - 2)


def test_given_inequalities_chain():
    known = Inequalities()
    low, middle, high = (known.unknown() for _ in range(3))
    given = (high - low - 1, low + high - 2 * middle, 2 * middle + 1 - low - high, low, N - high)
    assert known.is_nonnegative(middle - low, given)
    assert known.is_nonnegative(N - 1 - middle, given)
    assert not known.is_nonnegative(high - middle - 2, given)
    assert not known.is_nonnegative(middle)


def test_inequalities_that_refer_to_each_other_end_the_search():
    known = Inequalities()
    x, y = known.unknown(), known.unknown()
    known.learn("v#0", x - y, y - x)
    known.learn("v#1", y - x, x - y)
    assert not known.is_nonnegative(x) and not known.is_nonnegative(2 * x - y - 1)
