"""The faster forms of code give what the plain forms give: slices that overlap, conversions to int, products that may overflow."""

from __future__ import annotations

import gc
import re
import warnings
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu import library
from autograph_jit.backends.cpu.control.branches import OFTEN, RARELY
from autograph_jit.backends.cpu.driver import CpuExecutable
from autograph_jit.runtime import dispatch

OWN = (
    ("-hoist-runtime-checks", "false"),
    ("-simple-loop-unswitch-inject-invariant-conditions", "false"),
    ("-unroll-runtime-multi-exit", "true"),
)
OPPOSITE = {"true": "false", "false": "true"}


def three_points(u, rate):
    u[1:-1] = u[1:-1] + rate * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u


def two_behind(u, rate):
    u[2:] = u[:-2] + rate * u[1:-1] * u[2:]
    return u


def three_behind(u, rate):
    u[3:] = u[:-3] + rate * u[2:-1]
    return u


def ahead(u, rate):
    u[:-1] = u[1:] - rate * u[:-1]
    return u


@pytest.mark.parametrize("function", [three_points, two_behind, three_behind, ahead])
@pytest.mark.parametrize("size", [3, 4, 5, 6, 7, 100])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_overlapping_slices_are_read_before_they_are_overwritten(function, size, step):
    given = np.random.default_rng(size).normal(size=2 * size)
    want, got = given.copy(), given.copy()
    function(want[::step], 0.3)
    ag.compile(function, fallback="error")(got[::step], 0.3)
    assert np.array_equal(got, want)


def test_slices_of_an_array_that_is_given_twice_are_read_before_they_are_overwritten():
    def function(u, v):
        u[1:] = u[:-1] + v[:-1]
        return u

    compiled = ag.compile(function, fallback="error")
    for same in (False, True):
        want, got = np.arange(9.0) ** 2, np.arange(9.0) ** 2
        function(want, want if same else np.ones(9))
        compiled(got, got if same else np.ones(9))
        assert np.array_equal(got, want)


def test_overlapping_slices_need_no_temporary():
    compiled = ag.compile(three_points, fallback="error")
    compiled(np.arange(9.0), 0.5)
    assert "copy" not in compiled.kernels(np.arange(9.0), 0.5)


def test_functions_of_overlapping_slices_go_through_a_temporary():
    def sines(u):
        u[1:-1] = np.sin(u[2:] + u[:-2])
        return u

    compiled = ag.compile(sines, fallback="error")
    given = np.random.default_rng(1).normal(size=50)
    np.testing.assert_allclose(compiled(given.copy()), sines(given.copy()), rtol=1e-14)
    assert "copy" in compiled.kernels(given)


@pytest.mark.parametrize("value", [0.0, 3.9, -3.9, 2.0**62, -(2.0**62), np.nan, np.inf, -np.inf])
def test_int_of_a_float_is_pythons(value):
    def convert(x):
        try:
            return int(x)
        except ValueError:
            return -1
        except OverflowError:
            return -2

    assert ag.compile(convert, fallback="error")(value) == convert(value)


def test_int_of_a_float_names_the_fault():
    compiled = ag.compile(lambda x: int(x[0]), fallback="error")
    assert compiled(np.array([5.5])) == 5
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        compiled(np.array([np.nan]))
    with pytest.raises(OverflowError, match="cannot convert float infinity to integer"):
        compiled(np.array([np.inf]))


@contextmanager
def python_again():
    """Compiled ints do not reach: the call is made again in Python."""
    before = dispatch.CompiledFunction.repeat_in_python
    watched = patch.object(dispatch.CompiledFunction, "repeat_in_python", autospec=True, side_effect=before)
    with watched as repeated, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
    assert repeated.call_count == 1


@pytest.mark.parametrize("factor", [3, -3, 2, -1, 2**62, -(2**62)])
def test_a_product_with_a_literal_overflows_at_the_ends_of_64_bits_only(factor):
    compiled = ag.compile(lambda x: int(x[0]) * factor, fallback="error")
    ends = sorted((-(2**63) // factor, (2**63 - 1) // factor))
    for number in (ends[0] - 2, ends[0] - 1, ends[0], ends[0] + 1, ends[0] + 2, 0, 1, -1, ends[1] - 1, ends[1], ends[1] + 1, ends[1] + 2):
        if not -(2**63) <= number < 2**63:
            continue
        product = number * factor
        if -(2**63) <= product < 2**63:
            assert compiled(np.array([number])) == product
        else:
            with python_again():
                assert compiled(np.array([number])) == product


def step_of(n, odd):
    if odd[0] == 0:
        n = int(n[0]) // 2
    else:
        n = 3 * int(n[0]) + 1
    return n


def chain_of(n, odd):
    k = int(n[0])
    if odd[0] == 0:
        k = 5 - 2 * k
    else:
        k = -3 * (k + 7)
    return k


@pytest.mark.parametrize("function", [step_of, chain_of])
@pytest.mark.parametrize("odd", [0, 1])
def test_only_the_chosen_side_of_a_branch_overflows(function, odd):
    compiled, lowest, highest = ag.compile(function, fallback="error"), -(2**63), 2**63 - 1
    ends = (lowest, highest, lowest // 2, lowest // 3, highest // 2, highest // 3, 0)
    for number in sorted({end + shift for end in ends for shift in range(-9, 10)}):
        if not lowest <= number <= highest:
            continue
        k = number
        steps = [k // 2] if function is step_of and not odd else [3 * k, 3 * k + 1] if function is step_of else []
        if function is chain_of:
            steps = [k + 7, -3 * (k + 7)] if odd else [2 * k, 5 - 2 * k]
        arguments = np.array([number]), np.array([odd])
        if all(lowest <= step <= highest for step in steps):
            assert compiled(*arguments) == function([number], [odd])
        else:
            with python_again():
                assert compiled(*arguments) == function([number], [odd])


def test_a_branch_that_overflows_inside_a_try_does_not_reach_the_handler():
    def function(x):
        k = int(x[0])
        total = 0
        try:
            total = 1
            if k > 0:
                total = 4 * k + 2
            else:
                total = k - 1
        except OverflowError:
            total -= 5
        return total

    compiled = ag.compile(function, fallback="error")
    assert [compiled(np.array([k])) for k in (3, -3)] == [14, -4]
    with python_again():
        assert compiled(np.array([2**62])) == 2**64 + 2  # Python's ints do not overflow
    with_python_ints = [compiled(np.array([k])) for k in (-(2**63) + 1, 2**61 - 1)]
    assert with_python_ints == [-(2**63), 2**63 - 2]


@pytest.mark.parametrize("size", [2, 3, 4, 5])
@pytest.mark.parametrize("step", [1, -1, 2])
def test_divisions_of_a_few_elements_are_numpys(size, step):
    def function(x, y, s):
        t = np.zeros(size)
        for i in range(4):
            t += s * x[i] / y - x[i] / (s + i)
            x[i] /= y
        x[:, 0] = 1.0 / x[:, 1]
        return t

    rng = np.random.default_rng(size)
    x, y = rng.normal(size=(4, 2 * size)), rng.normal(size=2 * size)
    x[1, :2], y[:2] = (0.0, np.inf), (0.0, -0.0)
    want, got = x.copy(), x.copy()
    with np.errstate(all="ignore"):
        total = function(want[:, ::step][:, :size], y[::step][:size], 0.7)
        found = ag.compile(function, fallback="error")(got[:, ::step][:, :size], y[::step][:size], 0.7)
    assert np.array_equal(got, want, equal_nan=True)
    assert np.array_equal(found, total, equal_nan=True)


def add_into_slice(target, other):
    target[1:-1] += 2.0 * other[2:] - other[:-2]
    return target


def multiply_by_reversed(target, other):
    target[...] = target * other[::-1] + target
    return target


@pytest.mark.parametrize("function", [add_into_slice, multiply_by_reversed])
@pytest.mark.parametrize("arrange", ["apart", "same", "shifted", "reversed"])
def test_target_that_is_read_too_and_overlaps_what_is_read(function, arrange):
    """The target is read where it is written; where another operand overlaps it, by way of a copy."""

    def arguments() -> tuple[np.ndarray, np.ndarray]:
        base = np.arange(1.0, 40.0)
        second = {"apart": base[20:36].copy(), "same": base[3:19], "shifted": base[5:21], "reversed": base[3:19][::-1]}[arrange]
        return base[3:19], second

    mine, theirs = arguments(), arguments()
    np.testing.assert_array_equal(ag.compile(function, fallback="error")(*mine), function(*theirs))
    np.testing.assert_array_equal(mine[0].base, theirs[0].base)


def distances(x, y):
    return (x - y) ** 2, x**1, (x + 1.0) ** -1, (x - y) ** 2.0 + y * y, y**3


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_literal_powers_are_numpys(dtype):
    x, y = np.random.default_rng(0).standard_normal((2, 50)).astype(dtype)
    x[:4] = [np.inf, -np.inf, np.nan, -0.0]
    with np.errstate(all="ignore"):
        for mine, theirs in zip(ag.compile(distances, fallback="error")(x, y), distances(x, y)):
            assert mine.dtype == theirs.dtype
            np.testing.assert_array_max_ulp(mine, theirs, 2)
    assert "arg0[i0] * arg0[i0]" in str(ag.compile(lambda x: x**2, fallback="error").kernels(x))


def count_in_bins(x, counts):
    for i in range(len(x)):
        k = int(x[i])
        if 0 <= k < len(counts):
            counts[k] += 1
    return counts


def count_caught(x, counts):
    bad = 0
    for i in range(len(x)):
        try:
            k = int(x[i])
            if k >= 0:
                counts[k % len(counts)] += 1
            else:
                counts[0] += k
        except (ValueError, OverflowError):
            bad += i
    return bad


def count_first(x, counts):
    k = int(x[0])
    counts[1] += 1
    if k > 5:
        counts[2] += 1
    elif k < -5:
        counts[3] += 1
    return k


@pytest.mark.parametrize("function", [count_in_bins, count_caught, count_first])
@pytest.mark.parametrize("number", [2.5, -0.5, -1.0, 9.0, 1e10, -1e10, np.nan, np.inf, -np.inf, -9223372036854774784.0])
@pytest.mark.parametrize("place", [0, 3])
def test_conversion_that_is_checked_beside_a_branch_fails_as_python_does(function, number, place):
    """What was counted before the failure stays counted, and nothing after it is."""
    x = np.array([1.0, 2.0, 0.0, 1.0, 3.0])
    x[place] = number

    def outcome(run):
        counts = np.zeros(4, dtype=np.int64)
        try:
            return run(x, counts), counts.tolist()
        except (ValueError, OverflowError) as error:
            return type(error), str(error), counts.tolist()

    mine, theirs = outcome(ag.compile(function, fallback="error")), outcome(function)
    assert str(mine) == str(theirs)


def test_side_where_a_conversion_is_in_bounds_is_the_likely_one():
    compiled = ag.compile(count_in_bins, fallback="error")
    compiled(np.ones(3), np.zeros(4, dtype=np.int64))
    assert f'"branch_weights", i32 {OFTEN}, i32 1' in code_of(compiled) or f'"branch_weights", i32 1, i32 {OFTEN}' in code_of(compiled)


def test_conversion_to_more_than_64_bits_fails_beside_a_branch_too():
    counts = np.zeros(4, dtype=np.int64)
    with pytest.raises(OverflowError, match="too large for compiled code"):
        ag.compile(count_in_bins, fallback="error")(np.array([1.0, 1e20, 1.0]), counts)
    assert counts.tolist() == [0, 1, 0, 0]


def common_divisor(x, y):
    while y != 0:
        x, y = y, x % y
    return x


def common_divisor_of_sizes(x, y):
    return common_divisor(len(x), len(y))


def digits_of_size(x, base):
    n, total = len(x), 0
    while n > 0:
        total = 10 * total + n % base
        n = n // base
    return total


@pytest.mark.parametrize(("x", "y"), [(12, 18), (-12, 18), (12, -18), (-12, -18), (0, 5), (5, 0), (-(2**63), -1), (7, 2**63 - 1)])
def test_remainders_of_numbers_of_either_sign_are_pythons(x, y):
    assert ag.compile(common_divisor, fallback="error")(x, y) == common_divisor(x, y)


def test_divisions_of_sizes_are_without_sign_and_give_what_python_gives():
    compiled = ag.compile(common_divisor_of_sizes, fallback="error")
    digits = ag.compile(digits_of_size, fallback="error")
    for m, n in ((1, 1), (12, 18), (0, 5), (5, 0), (35, 21)):
        assert compiled(np.ones(m), np.ones(n)) == common_divisor(m, n)
    for base in (2, 10, -3):
        assert digits(np.ones(100), base) == digits_of_size(np.ones(100), base)
    with pytest.raises(ZeroDivisionError):
        digits(np.ones(3), 0)


def first_not_below(table, keys):
    found = np.zeros(len(keys), dtype=np.int64)
    for i in range(len(keys)):
        low, high = 0, len(table)
        while low < high:
            middle = (low + high) // 2
            if table[middle] < keys[i]:
                low = middle + 1
            else:
                high = middle
        found[i] = low
    return found


def merged(x, y):
    out, i, j = np.zeros(len(x) + len(y)), 0, 0
    while i < len(x) and j < len(y):
        if x[i] <= y[j]:
            i += 1
        else:
            j += 1
        out[i + j - 1] = min(x[i - 1], y[j - 1])
    return out, i, j


def code_of(compiled):
    """The optimised LLVM module of the newest program of a function."""
    executables = [one for specialization in compiled.specializations for one in specialization.executables.values()]
    return executables[-1].library.llvm


def test_searches_choose_without_jumps_and_find_the_same():
    rng = np.random.default_rng(0)
    table, keys = np.sort(rng.normal(size=100)), np.r_[rng.normal(size=50), np.nan, np.inf, -np.inf]
    compiled = ag.compile(first_not_below, fallback="error")
    assert np.array_equal(compiled(table, keys), first_not_below(table, keys))
    assert "!unpredictable" in code_of(compiled)
    assert np.array_equal(compiled(table[:0], keys), first_not_below(table[:0], keys))
    x, y = np.sort(rng.normal(size=30)), np.sort(rng.normal(size=20))
    for got, want in zip(ag.compile(merged, fallback="error")(x, y), merged(x, y)):
        assert np.array_equal(got, want)


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_sums_of_a_single_block_and_of_several_are_sums(dtype):
    compiled = ag.compile(lambda x: (np.sum(x), np.sum(x * x), np.sum(x[::-2])), fallback="error")
    rng = np.random.default_rng(4)
    for size in (0, 1, 2, 511, 512, 513, 1023, 1024, 1025, 1537, 5000):
        x = rng.integers(-8, 9, size).astype(dtype)  # exact in any order
        for got, want in zip(compiled(x), (np.sum(x), np.sum(x * x), np.sum(x[::-2])), strict=True):
            assert got == want and np.signbit(np.real(got)) == np.signbit(np.real(want))


def test_neighbours_on_a_ring_are_found_without_a_division():
    def smooth(x, out):
        n = len(x)
        for i in range(n):
            out[i] = x[(i - 1) % n] + 2.0 * x[i % n] + x[(i + 1) % n]
        return out

    compiled = ag.compile(smooth, fallback="error")
    for size in (9, 1, 2, 3, 0):
        x = np.arange(1.0, size + 1)
        np.testing.assert_array_equal(compiled(x, np.zeros(size)), smooth(x, np.zeros(size)))
    executables = [each for specialization in compiled.specializations for each in specialization.executables.values()]
    assert not any(f" {name} i64" in executable.llvm for executable in executables for name in ("sdiv", "srem", "udiv", "urem"))


def test_remainders_of_numbers_further_away_are_divided():
    def take(x, out, far):
        n = len(x)
        for i in range(n):
            out[i] = x[(i - far) % n] + x[(i + 2) % n] + x[(i - 2) % n]
        return out

    compiled = ag.compile(take, fallback="error")
    for size in (9, 1, 2, 3):
        for far in (0, 1, 5, -5, 100, 2**62, -(2**62)):
            x = np.arange(1.0, size + 1)
            np.testing.assert_array_equal(compiled(x, np.zeros(size), far), take(x, np.zeros(size), far))


@pytest.mark.optimised
def test_arrays_of_a_loop_that_counts_down_are_asked_whether_they_overlap_in_front_of_the_inner_loop():
    def sweep(u):
        v = u.copy()
        for _ in range(20):
            for i in range(1, len(u) - 1):
                v[i] = u[i] - 0.1 * u[i] * (u[i] - u[i - 1])
            u, v = v, u
        return np.sum(u * u)

    others, gradient = executables(), ag.grad(sweep)  # kept, so that no new one takes the place of an old one in memory, or leaves
    gradient(np.ones(100))
    text = "".join(each.llvm for each in executables() if not any(each is other for other in others))
    assert "vector.memcheck" in text and "stride.check" not in text


def inner_part(x, steps):
    lower = np.zeros(x.size)
    for _ in range(steps):
        between = np.sqrt(x * x + 1.0)
        lower[1:-1] = x[1:-1] - between[:-2] * lower[1:-1]
        x = between + lower
    return x


def side_by_side(x, steps):
    out = np.zeros((2, x.size))
    for _ in range(steps):
        y = np.sqrt(x * x + 1.0)
        out[0], out[1] = y * x, y - x
        x = y + out[0]
    return out


@pytest.mark.optimised
@pytest.mark.parametrize("function", [inner_part, side_by_side])
def test_fresh_arrays_that_are_written_in_place_are_not_asked_whether_they_overlap(function):
    compiled = ag.compile(function, fallback="error")
    np.testing.assert_array_equal(compiled(np.arange(1.0, 40.0), 3), function(np.arange(1.0, 40.0), 3))
    assert "vector.body" in code_of(compiled) and not re.search("memcheck|diff.check|conflict", code_of(compiled))


@pytest.mark.optimised
def test_a_sum_in_pairs_has_one_loop_in_vectors():
    compiled = ag.compile(lambda x: x.sum(), fallback="error")
    for size in (0, 1, 512, 513, 1024, 5000):
        np.testing.assert_allclose(compiled(np.linspace(-1.0, 3.0, size)), np.linspace(-1.0, 3.0, size).sum(), rtol=1e-14)
    assert len(re.findall("^vector.body", code_of(compiled), re.MULTILINE)) == 1


def executables():
    return [each for each in gc.get_objects() if isinstance(each, CpuExecutable)]


def test_llvms_options_are_its_own_again_after_a_compilation():
    option = library.llvm.set_option
    with ag.config(cache=False), patch.object(library.llvm, "set_option", side_effect=option) as setting:
        ag.compile(lambda x: x * 2.0, fallback="error")(np.ones((3, 4, 5)))
    given = [call.args[1] for call in setting.call_args_list]
    ours, llvms = [f"{name}={value}" for name, value in OWN], [f"{name}={OPPOSITE[value]}" for name, value in OWN]
    assert given[: 2 * len(OWN)] == ours + llvms and given[-len(OWN) :] == llvms


def failing_trips(x, out):
    for i in range(len(x)):
        out[x[i]] += 1
    return out


def test_trips_that_may_fail_are_copied_and_fail_where_they_fail():
    compiled = ag.compile(failing_trips, fallback="error")
    for size in range(1, 12):
        x = np.arange(size) % 4
        assert np.array_equal(compiled(x, np.zeros(4, int)), failing_trips(x, np.zeros(4, int)))
        for place in range(size):
            bad, mine, theirs = x.copy(), np.zeros(4, int), np.zeros(4, int)
            bad[place] = 4
            for run, out in ((compiled, mine), (failing_trips, theirs)):
                with pytest.raises(IndexError):
                    run(bad, out)
            assert np.array_equal(mine, theirs)


def in_bins(x, count):
    bins = np.zeros(count, dtype=np.int64)
    for i in range(len(x)):
        k = int(x[i] * count)
        if 0 <= k < count:
            bins[k] += 1
    return bins


@pytest.mark.optimised
def test_four_trips_that_may_fail_share_what_counts_them():
    compiled, long = (ag.compile(in_bins, fallback="error") for _ in range(2))
    for size in range(9):
        x = np.linspace(-0.2, 1.2, size)
        assert np.array_equal(compiled(x, 5), in_bins(x, 5))
    assert np.array_equal(long(x, 5), in_bins(x, 5))
    assert max(code_of(each).count("cvttsd2si64(") for each in (compiled, long)) > 4  # LLVM's part in it is another for each processor


def nearest(points, centres, out):
    for i in range(len(points)):
        best, which = 1e300, 0
        for c in range(len(centres)):
            distance = (points[i] - centres[c]) ** 2
            if distance < best:
                best, which = distance, c
        out[i] = which
    return out


@pytest.mark.parametrize(("count", "jumps"), [(8, False), (40, True)])
def test_the_best_of_a_few_is_chosen_and_that_of_many_is_jumped_to(count, jumps):
    rng = np.random.default_rng(5)
    points, centres = rng.normal(size=50), rng.normal(size=count)
    compiled = ag.compile(nearest, fallback="error")
    got = compiled(points, centres, np.zeros(50, dtype=np.int64))
    assert np.array_equal(got, nearest(points, centres, np.zeros(50, dtype=np.int64)))
    code = code_of(compiled)
    assert "!unpredictable" in code and (f'"branch_weights", i32 1, i32 {RARELY}' in code) is jumps
