"""Size labels of slices against Python's own slices."""

from __future__ import annotations

import itertools

import pytest

from autograph_jit.ir.dims import Dim, atom, lower_bound, most_apart
from autograph_jit.tracing.arrays.sizes import product, quotient, slice_size

BOUNDS = [None, *range(-5, 6)]


def number(size, n: int) -> int:
    """The number that a label stands for, over the one atom s:n."""
    if isinstance(size, int):
        return size
    total = size.const
    for name, coefficient in size.terms:
        total += coefficient * (n if name == "s:n" else structural(name, n))
    return total


def structural(name: str, n: int) -> int:
    scope = {
        "min": min,
        "ceil": lambda x, k: -(-x // k),
        "max0": lambda x: max(x, 0),
        "slice": lambda start, stop, step, size: len(range(*slice(start, stop, step).indices(size))),
    }
    return eval(name.replace("d:", "").replace("s:n", "N"), {"N": n, **scope})


@pytest.mark.parametrize("n", range(6))
def test_static_slices_have_pythons_length(n: int) -> None:
    for start, stop, step in itertools.product(BOUNDS, BOUNDS, [None, -3, -2, -1, 1, 2, 3]):
        assert slice_size(start, stop, step, n) == len(range(n)[start:stop:step])


@pytest.mark.parametrize("n", range(2, 8))
def test_symbolic_slices_have_pythons_length_for_every_size(n: int) -> None:
    for start, stop, step in itertools.product(BOUNDS, BOUNDS, [None, -3, -2, -1, 1, 2, 3]):
        size = slice_size(start, stop, step, atom("s:n"))
        assert number(size, n) == len(range(n)[start:stop:step]), (start, stop, step, size)


@pytest.mark.parametrize("n", range(2, 8))
def test_bounds_that_name_the_axis_are_exact(n: int) -> None:
    axis = atom("s:n")
    bounds = [None, 0, 1, -1, -2, axis, axis - 1, axis - 2, axis + 1, 1 - axis, -1 * axis]
    for start, stop, step in itertools.product(bounds, bounds, [1, 2, -1]):
        known = [number(part, n) if isinstance(part, Dim) else part for part in (start, stop)]
        assert number(slice_size(start, stop, step, axis), n) == len(range(n)[known[0] : known[1] : step]), (start, stop, step)


@pytest.mark.parametrize("n", range(2, 12))
def test_slices_of_slices_are_cut_short_once(n: int) -> None:
    size, other = atom("s:n"), atom("s:n")
    for cut in (1, 3, 2, 4):
        size, other = slice_size(cut, None, None, size), slice_size(None, -cut, None, other)
        assert size == other
        assert str(size).count("max0") <= 1
    assert number(size, n) == max(n - 10, 0)


@pytest.mark.parametrize("n", range(2, 12))
def test_lengths_differ_by_no_more_than_is_known(n: int) -> None:
    sizes = [slice_size(cut, None, None, atom("s:n")) for cut in range(6)]
    for x, y in itertools.product(sizes, sizes):
        known = most_apart(x, y)
        assert known is not None and abs(number(x, n) - number(y, n)) <= known
    assert most_apart(atom("s:n"), atom("s:m")) is None


def test_neighbouring_slices_of_a_stencil_have_one_label() -> None:
    axis = atom("s:n")
    assert slice_size(1, -1, None, axis) == slice_size(2, None, None, axis) == slice_size(None, -2, None, axis) == axis - 2


def test_a_zero_step_is_an_error() -> None:
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        slice_size(None, None, 0, 3)


def test_products_do_not_depend_on_order() -> None:
    a, b = atom("s:a"), atom("s:b")
    assert product((a, 2, b)) == product((2, b, a)) == product((a * 2, b))
    assert product((a, product((b, 3)))) == product((a, b, 3))
    assert product((a + 1, 2)) == (a + 1) * 2
    assert product((a, 0)) == 0


def test_quotients_cancel_common_axes() -> None:
    a, b = atom("s:a"), atom("s:b")
    assert quotient((a, b), (a,)) == b
    assert quotient((a, 4), (2,)) == a * 2
    assert quotient((6, 4), (8,)) == 3
    assert quotient((a, b), (b, a)) == 1


def test_sizes_made_of_sizes_again_and_again_stay_short_and_equal():
    first, second = atom("s:0"), atom("s:0")
    for _ in range(100):
        first, second = slice_size(first - 1, 2, -1, first), slice_size(second - 1, 2, -1, second)
    assert first == second != slice_size(first - 1, 2, -1, first)
    assert len(str(first)) < 1000 and lower_bound(first) == 0
