"""Forms of scalar loops that are faster give what Python gives: divisions by what is positive, searches among a few, loops with a break."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autograph_jit as ag

LOWEST, HIGHEST = -(2**63), 2**63 - 1


def newest(compiled):
    """The newest program of a function."""
    return [one for specialization in compiled.specializations for one in specialization.executables.values()][-1]


def code_of(compiled):
    """The optimised LLVM module of the newest program of a function."""
    return newest(compiled).library.llvm


def parts(x, y):
    quotients, remainders = np.zeros_like(x), np.zeros_like(x)
    for i in range(len(x)):
        for j in range(len(y)):
            quotients[i] ^= x[i] // y[j]
            remainders[i] ^= (x[i] % y[j]) << j
    return quotients, remainders


def powers(bases, exponent, modulus):
    total = 0
    for i in range(len(bases)):
        e, x, q = exponent, bases[i] % modulus, 1
        while e > 0:
            if e & 1:
                q = q * x % modulus
            x = x * x % modulus
            e >>= 1
        total ^= q
    return total


def quotient_chain(x, y):
    total = 0
    while y != 0:
        total += x // y
        x, y = y, x % y
    return total, x


def test_divisions_of_elements_are_numpys_whatever_the_signs():
    numbers = np.array([0, 1, -1, 2, -2, 7, -7, 10**9, -(10**9), 2**40 + 1, -(2**40), HIGHEST, LOWEST, LOWEST + 1])
    compiled = ag.compile(parts, fallback="error")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # division by 0, the lowest number by -1
        for divisors in (numbers, numbers[numbers > 0], np.array([3]), np.array([-3, 0])):
            for got, want in zip(compiled(numbers, divisors), parts(numbers, divisors), strict=True):
                assert np.array_equal(got, want)


@pytest.mark.parametrize("x", [0, 12, -12, 10**12 + 39, -(10**12), LOWEST, HIGHEST])
@pytest.mark.parametrize("y", [0, 18, -18, 7, -1, 2**33 + 1, LOWEST, HIGHEST])
def test_chains_of_divisions_are_pythons(x, y):
    assert ag.compile(quotient_chain, fallback="warn")(x, y) == quotient_chain(x, y)


def test_divisions_that_wait_for_each_other_are_without_sign():
    compiled = ag.compile(powers, fallback="error")
    bases = np.random.default_rng(0).integers(-(10**6), 10**6, 50)
    for modulus in (1000003, 10007, -10007):
        assert compiled(bases, 10005, modulus) == powers(bases, 10005, modulus)
    assert "urem i64" in code_of(compiled)
    compiled = ag.compile(quotient_chain, fallback="error")
    assert compiled(1071, 462) == quotient_chain(1071, 462)
    assert "urem i64" in code_of(compiled) and "udiv i64" in code_of(compiled)


def test_difference_whose_sign_nobody_knows_is_divided_with_its_sign():
    def function(x, n):
        total = 0
        for i in range(1, len(x)):
            total += (x[i] - x[i - 1]) % n
        return total

    compiled, x = ag.compile(function, fallback="error"), np.random.default_rng(1).integers(-50, 50, 40)
    assert [compiled(x, n) for n in (7, -7)] == [function(x, n) for n in (7, -7)]
    assert "urem" not in code_of(compiled)


def nearest(points, centres, k):
    labels = np.zeros(len(points), np.int64)
    for i in range(len(points)):
        best, at = np.inf, -1
        for j in range(k):
            d = (points[i, 0] - centres[j, 0]) ** 2 + (points[i, 1] - centres[j, 1]) ** 2
            if d < best:
                best, at = d, j
        labels[i] = at
    return labels


def test_best_of_a_few_is_chosen_and_of_many_jumped_to():
    rng = np.random.default_rng(2)
    points, centres = rng.normal(size=(40, 2)), rng.normal(size=(300, 2))
    points[3] = np.nan
    compiled = ag.compile(nearest, fallback="error")
    for k in (0, 1, 2, 127, 128, 129, 300):
        assert np.array_equal(compiled(points, centres, k), nearest(points, centres, k))
    assert "!unpredictable" in code_of(compiled) and '"branch_weights"' in code_of(compiled)
    for k in (301, 1000):
        with pytest.raises(IndexError, match="index 300 is out of bounds for axis 0 with size 300"):
            compiled(points, centres, k)


def first_above(numbers, k, limit):
    found = -1
    for j in range(k):
        if numbers[j] > limit:
            found = j
            break
    return found


def test_loop_whose_index_is_one_of_an_array_does_not_look_at_signals():
    numbers = np.arange(50.0)
    compiled = ag.compile(first_above, fallback="error")
    for k in (0, 1, 10, 50, 1000):
        assert compiled(numbers, k, 20.0) == first_above(numbers, k, 20.0)
    with pytest.raises(IndexError, match="index 50 is out of bounds"):
        compiled(numbers, 51, 100.0)
    assert "ag_poll" not in code_of(compiled)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "c16"])
def test_polynomials_of_many_coefficients_are_loops(dtype):
    def function(p, x):
        return np.polyval(p, x), np.polyval(p, 0.5)

    p, x = np.random.default_rng(6).integers(-4, 5, 40).astype(dtype), np.linspace(-1.0, 1.0, 30)
    x[3] = np.inf
    compiled = ag.compile(function, fallback="error")
    with np.errstate(invalid="ignore", over="ignore"):
        for count in (12, 40):
            for got, want in zip(compiled(p[:count], x), function(p[:count], x), strict=True):
                assert got.dtype == want.dtype and type(got) is type(want)
                np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-13)
    assert newest(compiled).host_calls == ()
    assert compiled(p, np.poly1d([1, 2]))[0] == np.polyval(p, np.poly1d([1, 2]))
    slope = ag.grad(lambda p, x: np.sum(np.polyval(p, x)))
    np.testing.assert_allclose(slope(np.ones(12), np.full(2, 0.5)), 2 * 0.5 ** np.arange(11, -1, -1.0))


def merged(x, y, spare):
    out, i, j, k = np.zeros(len(x) + len(y) - spare), 0, 0, 0
    while i < len(x) and j < len(y):
        if x[i] <= y[j]:
            out[k] = x[i]
            i += 1
        else:
            out[k] = y[j]
            j += 1
        k += 1
    while i < len(x):
        out[k] = x[i]
        i += 1
        k += 1
    while j < len(y):
        out[k] = y[j]
        j += 1
        k += 1
    return out


def merged_whole(x, y):
    out, i, j, k = np.zeros(len(x) + len(y)), 0, 0, 0
    while i < len(x) and j < len(y):
        if x[i] <= y[j]:
            out[k] = x[i]
            i += 1
        else:
            out[k] = y[j]
            j += 1
        k += 1
    out[k : k + len(x) - i] = x[i:]
    out[k + len(x) - i :] = y[j:]
    return out


def test_counter_that_moves_as_far_as_two_others_is_in_bounds_and_what_it_stores_is_chosen():
    rng = np.random.default_rng(7)
    compiled, checked = ag.compile(merged_whole, fallback="error"), ag.compile(merged, fallback="error")
    for sizes in ((0, 0), (0, 5), (5, 0), (1, 1), (30, 40), (40, 3)):
        x, y = (np.sort(rng.normal(size=size)) for size in sizes)
        assert np.array_equal(compiled(x, y), merged_whole(x, y))
        assert np.array_equal(checked(x, y, 0), merged_whole(x, y))
    assert "!unpredictable" in code_of(compiled)
    with pytest.raises(IndexError, match="index 69 is out of bounds for axis 0 with size 69"):
        checked(np.sort(rng.normal(size=30)), np.sort(rng.normal(size=40)), 1)


def counted_apart(x, limit):
    """One counter moves two for one of the other: what it stores may be out of bounds."""
    out, i, k = np.zeros(len(x)), 0, 0
    while i < len(x):
        if x[i] > limit:
            out[k] = x[i]
            k += 2
        i += 1
    return out


def kept(x, limit):
    out, i, k = np.zeros(len(x)), 0, 0
    while i < len(x):
        if x[i] > limit:
            out[k] = x[i]
            k += 1
        i += 1
    return out[:k]


def test_counter_that_may_move_further_than_the_other_is_looked_at():
    x = np.random.default_rng(8).normal(size=50)
    compiled = ag.compile(counted_apart, fallback="error")
    assert np.array_equal(compiled(x, 1.0), counted_apart(x, 1.0))
    with pytest.raises(IndexError, match="index 50 is out of bounds for axis 0 with size 50"):
        compiled(x, -10.0)
    filtering = ag.compile(kept, fallback="error")
    for limit in (-10.0, 0.0, 10.0):
        assert np.array_equal(filtering(x, limit), kept(x, limit))


def differences(x, n):
    out = np.zeros(n)
    for i in range(n):
        if i > 0:
            out[i] = x[i] - x[i - 1]
    return out


def made_after(n):
    count = 0
    for i in range(n):
        count += i & 3
    return count, np.zeros(n)


def test_loop_over_an_array_that_was_made_as_long_does_not_look_at_signals():
    compiled, x = ag.compile(differences, fallback="error"), np.arange(20.0) ** 2
    for n in (0, 1, 20):
        assert np.array_equal(compiled(x, n), differences(x, n))
    assert "ag_poll" not in code_of(compiled)
    with pytest.raises(ValueError, match="negative dimensions"):
        compiled(x, -1)
    with pytest.raises(IndexError, match="index 20 is out of bounds"):
        compiled(x, 21)
    compiled = ag.compile(made_after, fallback="error")
    assert compiled(10)[0] == made_after(10)[0] and "ag_poll" in code_of(compiled)


def quantized(x):
    out = np.empty(len(x), dtype=np.uint8)
    for i in range(len(x)):
        out[i] = int(255 * x[i])
    return out


@pytest.mark.optimised
def test_place_that_is_surely_there_is_not_read_before_a_value_is_stored_that_may_misfit():
    compiled, x = ag.compile(quantized, fallback="error"), np.linspace(0.0, 1.0, 40)
    assert np.array_equal(compiled(x), quantized(x))
    code = code_of(compiled)
    assert "<8 x i8>" in code or "<4 x i8>" in code or "<2 x i8>" in code  # in vectors: the loop writes only
    with pytest.raises(OverflowError, match="Python integer 261 out of bounds for uint8"):
        compiled(2 * x)


def steps_of_fields(ex, ey, ez, hx, hy, hz, steps):
    n = ex.shape[0]
    for step in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    ex[i, j, k] += 0.3 * (hz[i, j, k] - hz[i, j - 1, k] - hy[i, j, k] + hy[i, j, k - 1])
                    ey[i, j, k] += 0.3 * (hx[i, j, k] - hx[i, j, k - 1] - hz[i, j, k] + hz[i - 1, j, k])
                    ez[i, j, k] += 0.3 * (hy[i, j, k] - hy[i - 1, j, k] - hx[i, j, k] + hx[i, j - 1, k])
        ez[n // 2, n // 2, n // 2] += np.sin(0.2 * step)
        for i in range(n - 1):
            for j in range(n - 1):
                for k in range(n - 1):
                    hx[i, j, k] -= 0.3 * (ez[i, j + 1, k] - ez[i, j, k] - ey[i, j, k + 1] + ey[i, j, k])
                    hy[i, j, k] -= 0.3 * (ex[i, j, k + 1] - ex[i, j, k] - ez[i + 1, j, k] + ez[i, j, k])
                    hz[i, j, k] -= 0.3 * (ey[i + 1, j, k] - ey[i, j, k] - ex[i, j + 1, k] + ex[i, j, k])


@pytest.mark.optimised
def test_loop_over_several_arrays_is_not_written_out_for_each_order_of_their_sizes():
    fields = [np.cos(np.arange(1000.0) + shift).reshape(10, 10, 10) for shift in range(6)]
    wanted, compiled = [field.copy() for field in fields], ag.compile(steps_of_fields, fallback="error")
    compiled(*fields, 6)
    steps_of_fields(*wanted, 6)
    assert all(np.allclose(field, want, rtol=1e-13) for field, want in zip(fields, wanted, strict=True))
    assert code_of(compiled).count("\n") < 3_000  # twice as many where LLVM asks which of the sizes is the least
