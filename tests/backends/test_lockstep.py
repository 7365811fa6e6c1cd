"""Loops whose trips run side by side give what Python gives, fail where Python fails, and leave what Python leaves."""

from __future__ import annotations

import linecache
import re

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.lockstep import cost, jammed
from tests.backends.lockstep_programs import program


@pytest.fixture(autouse=True)
def wide_registers(monkeypatch):
    """What is worth it on a processor with registers of 64 bytes, whatever the tests run on."""
    for module in (cost, jammed):
        monkeypatch.setattr(module, "vector_bytes", lambda: 64)


SIZES = (0, 1, 2, 3, 5, 15, 16, 17, 40)


def is_in_lockstep(compiled):
    """Whether some program that was compiled works on 16 numbers at once, of which a vector register holds 8 at most."""
    executables = [each for specialization in compiled.specializations for each in specialization.executables.values()]
    return any(re.search(r"<(16|32) x (double|i64|i1)>", executable.library.llvm) for executable in executables)


def roots(values):
    out = np.empty_like(values)
    for i in range(len(values)):
        x = values[i]
        for _ in range(50):
            step = (x * x * x - x - values[i]) / (3.0 * x * x - 1.0)
            x -= step
            if abs(step) < 1e-12:
                break
        out[i] = x
    return out


def escapes(values):
    steps = np.zeros(len(values), dtype=np.int64)
    for i in range(len(values)):
        x = y = 0.0
        n = 0
        while x * x + y * y <= 4.0 and n < 40:
            x, y = x * x - y * y + values[i], 2.0 * x * y + 0.3
            n += 1
        steps[i] = n
    return steps


def running_products(values):
    out = np.zeros(len(values), dtype=np.float32)
    for i in range(len(values)):
        product = np.float32(1.0)
        for j in range(i):
            product = product * np.float32(0.5) + np.float32(values[j])
        out[i] = product
    return out


def sums_in_place(values):
    out = np.zeros(len(values))
    for i in range(len(values)):
        weight = 1.0
        for t in range(len(values)):
            out[i] += values[t] * weight
            weight = weight * 0.99 + 0.001 * values[i]
    return out


def signs(values):
    out = np.zeros(len(values), dtype=bool)
    for i in range(len(values)):
        x, flag = values[i], False
        while abs(x) > 0.1:
            x = -0.7 * x
            flag = not flag
        out[i] = flag
    return out


def longest_rises(values):
    out = np.zeros(len(values), dtype=np.int32)
    for i in range(len(values)):
        n = 0
        for j in range(i + 1, len(values)):
            if values[j] < values[j - 1]:
                break
            n += 1
        out[i] = n
    return out


def around(values):
    out = np.zeros(len(values))
    for i in range(len(values)):
        total = 0.0
        for k in range(len(values) // 2):
            total = total * 0.5 + values[i - k]
        out[i] = total
    return out


FUNCTIONS = (roots, escapes, running_products, sums_in_place, signs, around)


def occurrences(values):
    found = np.zeros(len(values), dtype=bool)
    for i in range(len(values) - 2):
        j = 0
        while j < 2 and values[i + j] > values[j]:
            j += 1
        found[i] = j == 2
    return found


def spread_bits(values):
    out = np.zeros(len(values), dtype=np.int64)
    for i in range(len(values)):
        code = 0
        for b in range(16):
            code |= ((values[i] >> b) & 1) << (2 * b)
        out[i] = code
    return out


@pytest.mark.optimised
def test_loops_of_few_trips_are_written_out_in_lanes():
    compiled = ag.compile(spread_bits, fallback="error")
    values = np.random.default_rng(1).integers(0, 2**16, 53)
    np.testing.assert_array_equal(compiled(values), spread_bits(values))
    assert is_in_lockstep(compiled)
    (executable,) = compiled.specializations[0].executables.values()
    assert "splat (i64 14)" in executable.llvm  # a shift by a literal


@pytest.mark.parametrize("function", [longest_rises, occurrences])
def test_loops_that_would_not_be_faster_are_left_alone(function):
    compiled = ag.compile(function, fallback="error")
    values = np.random.default_rng(1).standard_normal(40)
    np.testing.assert_array_equal(compiled(values), function(values))
    assert not is_in_lockstep(compiled)


def test_lanes_that_wait_for_a_few_others_give_up_for_a_while():
    def function(counts, out):
        for i in range(len(counts)):
            x = 1.0
            for _ in range(counts[i]):
                x = x * 0.999 + 0.1
            out[i] = x
        return out

    compiled = ag.compile(function, fallback="error")
    for every in (1, 7, 40, 1000):
        counts = np.zeros(3000, dtype=np.int64)
        counts[::every] = 100
        np.testing.assert_array_equal(compiled(counts, np.zeros(3000)), function(counts, np.zeros(3000)))
    assert is_in_lockstep(compiled)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_are_pythons(function):
    compiled = ag.compile(function, fallback="error")
    rng = np.random.default_rng(3)
    for size in (40, *SIZES):
        values = rng.standard_normal(size)
        np.testing.assert_array_equal(compiled(values), function(values), err_msg=str(size))
    assert is_in_lockstep(compiled)


def sum_of_roots(values):
    total = 0.0
    for i in range(len(values)):
        guess = abs(values[i]) + 0.1
        while abs(guess * guess - abs(values[i]) - 0.1) > 1e-12:
            guess = 0.5 * (guess + (abs(values[i]) + 0.1) / guess)
        total += guess
    return total


def slowest(values):
    most, where, least = -1, -1, np.inf
    for i in range(len(values)):
        x, k = values[i], 0
        while abs(x) < 10.0 and k < 30:
            x = x * x - 0.5
            k += 1
        if k > most:
            most, where = k, i
        least = min(least, x)
    return most, where, least


def last_one(values):
    found, total = -1.0, 0
    for i in range(len(values)):
        x = values[i]
        while x > 0.01:
            x = x * 0.3
        found = x
        total += i
    return found, total


@pytest.mark.parametrize("function", [sum_of_roots, slowest, last_one])
def test_what_trips_leave_to_the_next_goes_through_them_in_order(function):
    compiled = ag.compile(function, fallback="error")
    for size in (40, *SIZES):
        values = np.random.default_rng(size).standard_normal(size)
        assert outcome(compiled, values) == outcome(function, values), size
    assert is_in_lockstep(compiled)


def test_trip_that_fails_in_its_ordered_part_fails_there():
    def function(x, total):
        for i in range(len(x)):
            steps, value = 0, x[i]
            while value > 1.0:
                value = value * 0.5
                steps += 1
            total += 2**61 * steps if steps > 5 else 1
        return total

    compiled = ag.compile(function, fallback="error")
    assert compiled(np.ones(40), 7) == 47
    x = np.linspace(1.0, 1000.0, 40)
    with pytest.warns(UserWarning, match="compiled ints, floats"):
        assert compiled(x, 7) == function(x, 7)  # the failing trip ends the call, which is made again in Python


def test_trips_that_read_what_others_write_run_one_by_one():
    def function(x):
        for i in range(1, len(x)):
            total = x[i]
            for _ in range(5):
                total = total * 0.5 + x[i - 1]
            x[i] = total
        return x

    compiled = ag.compile(function, fallback="error")
    values = np.random.default_rng(0).standard_normal(50)
    np.testing.assert_array_equal(compiled(values.copy()), function(values.copy()))
    assert not is_in_lockstep(compiled)


@pytest.mark.parametrize("shift", [0, 1, -1, 7])
def test_arrays_that_overlap_are_found_when_the_loop_begins(shift):
    def function(x, out):
        for i in range(len(out)):
            total = 0.0
            for k in range(3):
                total = 0.5 * total + x[i + k]
            out[i] = total
        return out

    compiled = ag.compile(function, fallback="error")
    for apart in (100, 0):
        mine, theirs = np.arange(200.0), np.arange(200.0)
        found, wanted = (f(z[10:60], z[10 + apart + shift :][:48]) for f, z in ((compiled, mine), (function, theirs)))
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(mine, theirs)


def plain(result):
    """A result as Python's lists and numbers."""
    if isinstance(result, tuple):
        return [plain(part) for part in result]
    return result.tolist() if isinstance(result, np.ndarray | np.generic) else result


def outcome(function, *args):
    """What a call returns or raises, and what it leaves in its arguments."""
    copies = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    try:
        return repr(plain(function(*copies))), [str(copy) for copy in copies]
    except (ArithmeticError, IndexError, ValueError) as error:
        return type(error), str(error), [str(copy) for copy in copies]


def divide(x, y, out, limit):
    for i in range(len(out)):
        total = 0.0
        n = 0
        while n < 4:
            total = total * 0.5 + x[i + n]
            n += 1
        if total > limit:
            raise ValueError("too large")
        out[i] = float(total) / float(y[i])
    return out


@pytest.mark.parametrize("place", [0, 5, 15, 16, 30, 39, None])
@pytest.mark.parametrize("kind", ["index", "division", "raise"])
def test_trips_before_a_failing_one_are_done_and_later_ones_are_not(place, kind):
    compiled = ag.compile(divide, fallback="error")
    x, y, out = np.linspace(0.0, 1.0, 60), np.ones(40), np.full(40, -1.0)
    if place is not None and kind == "division":
        y[place] = 0.0
    if place is not None and kind == "raise":
        x[place] = 1000.0
    if place is not None and kind == "index":
        x = x[: place + 3]
    assert outcome(compiled, x, y, out, 100.0) == outcome(divide, x, y, out, 100.0)


def test_ints_that_leave_64_bits_fail_in_their_trip():
    def function(x, out):
        for i in range(len(x)):
            n = int(x[i])
            for _ in range(3):
                n = n * 4096
            out[i] = n
        return out

    compiled = ag.compile(function, fallback="error")
    x = np.arange(20.0)
    np.testing.assert_array_equal(compiled(x, np.zeros(20)), function(x, np.zeros(20)))
    x[13], out = 2.0**62, np.zeros(20)
    with pytest.raises(OverflowError):
        compiled(x, out)
    assert np.array_equal(out[:13], x[:13] * 4096.0**3) and not out[13:].any()


def test_neighbours_that_wrap_around_are_found():
    def function(x, out):
        n = len(x)
        for i in range(n):
            total = 0.0
            for k in range(-2, n):
                total = 0.5 * total + x[(i + k) % n]
            out[i] = total
        return out

    compiled = ag.compile(function, fallback="error")
    for size in (40, *SIZES):
        x = np.random.default_rng(size).standard_normal(size)
        np.testing.assert_array_equal(compiled(x, np.zeros(size)), function(x, np.zeros(size)))


def test_columns_and_transposes_are_gathered():
    def function(a, out):
        for i in range(a.shape[0]):
            for j in range(i, a.shape[0]):
                total = 0.0
                for k in range(a.shape[1]):
                    total += a[i, k] * a[j, k]
                out[i, j] = total
                out[j, i] = total
        return out

    compiled = ag.compile(function, fallback="error")
    for rows in (40, 1, 7, 33):
        a = np.random.default_rng(rows).standard_normal((rows, 50))
        for matrix in (a, np.asfortranarray(a), a[::-1, ::2]):
            np.testing.assert_array_equal(compiled(matrix, np.zeros((rows, rows))), function(matrix, np.zeros((rows, rows))))


@pytest.mark.parametrize("seed", range(24))
def test_random_programs(seed):
    text, name = program(seed), f"<trips {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict = {}
    exec(compile(text, name, "exec"), scope)
    function = scope["f"]
    compiled = ag.compile(function, fallback="error")
    rng = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        for n in (20, 5, 33, 17, 2):
            for shape in ((n, n), (n, n - 2), (n + 3, n + 1)):
                args = [rng.standard_normal(n), rng.standard_normal(shape[1]), rng.standard_normal(shape), np.zeros(n), n, 0.7]
                assert outcome(compiled, *args) == outcome(function, *args), (n, shape)


def product(a, b, out):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] += a[i, k] * b[k, j]
    return out


def shares(a, b, out):
    for k in range(b.shape[0]):
        factor = a[0, k] if k % 2 == 0 else 1.0
        for j in range(1, b.shape[1]):
            if b[k, j] > factor:
                out[0, j] = out[0, j] * 0.5 + b[k, j - 1]
            out[1, j - 1] = b[k, j]
    return out


@pytest.mark.parametrize("function", [product, shares])
def test_loops_that_add_to_the_same_elements_are_turned_inside_out(function):
    compiled = ag.compile(function, fallback="error")
    for m, n in ((40, 50), (3, 64), (1, 1), (0, 5), (5, 0), (7, 31), (130, 131)):
        rng = np.random.default_rng(m)
        for rows in (2, 4, 11):
            a, b, out = rng.standard_normal((rows, m)), rng.standard_normal((m, n)), rng.standard_normal((rows, max(n, 1)))
            assert outcome(compiled, a, b, out) == outcome(function, a, b, out), (m, n, rows)
    assert is_in_lockstep(compiled)


@pytest.mark.parametrize("function", [product, shares])
def test_loops_turned_inside_out_fail_where_they_fail(function):
    compiled = ag.compile(function, fallback="error")
    a, b = np.arange(60.0).reshape(6, 10), np.arange(400.0).reshape(10, 40)
    for out in (np.zeros((6, 40)), np.zeros((6, 30)), np.zeros((5, 40)), np.zeros((1, 40)), b[:6], b[4:10]):
        assert outcome(compiled, a, b, out) == outcome(function, a, b, out)
        assert outcome(compiled, a[:, :7], b, out) == outcome(function, a[:, :7], b, out)
        mine, theirs = b.copy(), b.copy()
        compiled(a[:1], mine, mine[3:5])
        function(a[:1], theirs, theirs[3:5])
        np.testing.assert_array_equal(mine, theirs)


def test_last_row_and_last_column_of_a_matrix_that_is_not_square_meet():
    def function(out, place, n):
        for j in range(n):
            value = float(j)
            for _ in range(3):
                value = value * 0.5 + 1.0
            out[place, j] = value
            out[j, place] = -value
        return out

    compiled = ag.compile(function, fallback="error")
    for shape in ((5, 7), (7, 5), (40, 35), (35, 40), (6, 6)):
        for place in (-1, 0, 4, -5):
            n = min(shape)
            assert outcome(compiled, np.zeros(shape), place, n) == outcome(function, np.zeros(shape), place, n), (shape, place)


def test_checks_that_wait_for_a_branch_do_not_wait_for_one_that_lanes_take_apart():
    def function(x, y, out):
        for i in range(len(x)):
            total = 0.0
            for k in range(4):
                place = int(y[k])
                if place >= 0 and x[i] > 0.0:
                    total = total * 0.5 + x[place]
            out[i] = total
        return out

    compiled = ag.compile(function, fallback="error")
    x = np.random.default_rng(5).standard_normal(40)
    for number in (3.0, 39.0, -1.0, -100.0, 40.0, 1e300, -1e300, np.nan, np.inf):
        y = np.array([1.0, 2.0, number, 0.0])
        got, want = (outcome(f, x, y, np.zeros(40)) for f in (compiled, function))
        assert got == want or (abs(number) == 1e300 and got[0] is OverflowError), number
