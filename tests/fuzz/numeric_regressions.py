"""Programs in which fuzzing found a fault of numbers and their types, made small; a comment says what went wrong."""

from __future__ import annotations

import math

import numpy as np

from tests.differential.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


@program(lambda: (np.array([0.5 + 2j, 3 - 1j]),), lambda: (np.array([0.5 + 2j, 3 - 1j], np.complex64),))
def real_functions_of_numpys_complex_numbers(x):  # TypeError, as for Python's
    found = [math.tanh(x[0]), math.hypot(x[0], 2.0), math.floor(x[1]), math.isnan(x[1]), math.gamma(x[0]), math.log(x[1], 2)]
    failing = [math.trunc, round, lambda z: z // 0.5, lambda z: divmod(2, z)]
    for use in (*failing, lambda z: math.exp(complex(z)), lambda z: math.exp(np.array(z))):
        try:
            use(x[0])
        except TypeError as error:
            found.append(str(error))
    return found


@program(lambda: (np.ones((2, 2)),), lambda: (np.ones((2, 3)),))
def read_only_view_that_does_not_fit(y):  # NumPy was asked for the text with an array that can be written
    np.diagonal(y)[:] = y


@program(lambda: (np.array([3, 1], np.uint64),), lambda: (np.array([3, 1], np.uint8),), lambda: (np.array([3, 1]),))
def python_int_among_choices(x):  # it adapted to the dtype, where NumPy copies an array of int64
    return np.select([x > 1, x > 0], [x, 0], 300)


@program(
    lambda: (np.array([3.25, -0.0], np.float32), 1, np.array([1, 2])),
    lambda: (np.array([3.25, -0.0], np.float32), 0, np.array([1, 2])),
)
def numpy_functions_of_a_number_of_two_types(x, n, y):  # their results had the common type
    d = n if n else 0.5
    e = x[0] if n else 1.5
    out = np.zeros(2)
    found = [np.where(y > 0, d, 10), np.where(x > 1, x, e), np.add(y, d), np.maximum(x, e), np.full(2, d), np.abs(d), y.clip(d)]
    found += [np.array(d), np.array([d, 2])]
    return found, np.power(y, d, out=out), out, np.full(d if n else 2, e), np.copysign(d, -1), np.sum(y, initial=d)


@program(lambda: (np.array([3, 1], np.int8), 1), lambda: (np.array([3, 1], np.int8), 0))
def array_updated_by_a_number_of_two_types(x, n):  # a cast that is not allowed, for the number that was an int too
    x += n if n else 0.5
    return x


@program(lambda: (2.5, 1), lambda: (2.5, 0))
def operators_in_place_on_numbers(r, n):  # the text of the operator that makes a new value
    found = []
    for x in (r, r if n else 3, np.float64(r)):
        try:
            x &= 1
        except TypeError as error:
            found.append(str(error))
    return found


@program(lambda: (np.array([True, False]),))
def output_that_cannot_be_cast(x):  # the exception named another operand
    try:
        x -= 1
    except TypeError as error:
        return repr(error)


@program(lambda: (np.zeros(0),), lambda: (np.zeros(1),), lambda: (np.ones(3),))
def compressed_beyond_the_end(x):  # the text of an index
    return np.compress([False, True], x)


@program(lambda: (1,), lambda: (0,), lambda: (2,))
def numpys_number_and_one_that_may_be_absent(n):  # NumPy's scalar became a Python int
    z = n - 2 if n else None
    return np.uint64(0) - z


@program(
    lambda: (np.array([3.25, -0.0], np.float32), 1), lambda: (np.array([3.25, -0.0], np.float32), 0), lambda: (np.ones(2, np.float32), 2)
)
def operators_of_a_number_that_may_be_absent(x, n):  # `==` failed, `-z` was NumPy's, texts were of the package
    z = -1 if n else None
    w = 1.5 if n > 1 else None
    found = [z == 3, z != 3, 3 == z, z == -1, z == w, z is None, z in (1, None, -1)]
    using = [lambda: z + 1, lambda: 1 + z, lambda: z < 2, lambda: np.float32(2) * z, lambda: x + z, lambda: -z]
    for use in (*using, lambda: divmod(z, 2), lambda: z**2, lambda: z & 1, lambda: z // 1.5):
        try:
            found.append(use())
        except TypeError as error:
            found.append(str(error))
    try:
        x += z
    except TypeError as error:
        found.append(str(error))
    return found


@program(lambda: (np.array([True, False]), 0), lambda: (np.array([True, False]), 1))
def truths_and_a_number_of_two_types(x, n):  # the package failed where one of the types has no subtraction
    return x - (2 if n else 0.5), (x[0] if n else 2) - 1


@program(lambda: (7, 1), lambda: (7, 0))
def number_of_two_types_updated_by_its_floor(n, k):  # it got the common type
    d = 0 if k else 0.125
    d -= np.floor(d)
    return d


@program(lambda: (np.arange(3.0), np.arange(6.0)), lambda: (np.arange(4.0), np.arange(6.0)), lambda: (np.arange(5.0), np.arange(6.0)))
def row_of_what_is_repeated(x, y):  # NumPy copies it, but it could not be written
    row = np.broadcast_to(x, (2, *x.shape)).ravel()
    row[1] += 5
    return row, x, np.broadcast_to(y[:3], (2, 3)).reshape(6)


@program(lambda: (np.ones((3, 4), np.uint8), np.ones(4)), lambda: (np.ones((3, 4), np.uint8), np.ones(5)))
def shapes_that_do_not_fit_among_three(y, x):  # the text left out the operand that is a number
    return np.where(y @ np.ones(4), y, 0.0), x


@program(
    lambda: (np.ones(2), 2**60 + 1),
    lambda: (-np.ones(2), 2**60 + 1),
    lambda: (np.array([1.0, -1.0]), -(2**62) - 1),
    lambda: (np.array([-1.0, 1.0]), 2**53 + 1),
)
def large_integer_or_float(x, n):  # the integer was rounded to a float
    d = n if x[0] > 0 else 0.5
    e = np.uint64(2**64 - 1) if x[0] > 0 else (n if x[1] > 0 else 1.5j)
    s = n
    for v in x:
        s = s + 1 if v > 0 else s + 0.5
    p = 3
    p -= np.uint64(200) if x[1] > 0 else 2.5
    try:
        t = d
        t = 7 // int(x[1] - 1)
    except ZeroDivisionError:
        t = [t, -t]
    return d, d + 1, d > 2**60, d - n, {"a": d}, str(d), np.add(d, 1), int(d), d == n, x * d, d // 3, max(d, 3), e, s, s > n, p, t


@program(
    lambda: (np.arange(4.0), np.array([False] * 4)),
    lambda: (np.arange(4.0), np.array([True, False, True, True])),
    lambda: (np.arange(9), np.arange(9) > 2),
)
def median_of_what_may_be_nothing(x, mask):  # an index was out of bounds
    table = np.multiply.outer(x, x)
    return np.median(x[mask]), np.median((x[mask],)), np.median(table[mask], axis=0), np.median(table[:, mask], axis=1)


@program(lambda: (np.array([1, 1, 7], dtype=np.uint64), 10.0), lambda: (np.array([2**64 - 1, 5, 2**63], dtype=np.uint64), -1e30))
def floats_beyond_unsigned_integers(x, r):  # from 2**64 on the lowest signed number was taken, not 0
    x[:] -= 4
    wide = x.astype(np.float64)
    wide[0] -= r
    return wide.astype(np.uint64), (wide * 1e300).astype(np.uint64), (-wide).astype(np.float32).astype(np.uint64)


@program(lambda: (np.arange(6, dtype=np.int32).reshape(3, 2),), lambda: (np.arange(4, dtype=np.int32).reshape(2, 2),))
def operands_that_misfit_before_the_output_does(y):  # the text was that of an output that would have to be stretched
    try:
        y[1:, 0:1:2] += y
    except ValueError as error:
        return str(error), y
    return y


@program(lambda: (np.zeros(0), 0), lambda: (np.array([1.0, 2.0]), 3), lambda: (np.array([1.0]), 0))
def try_that_reads_what_it_may_lose(x, n):  # the compiler failed where a `try` without operands reads an array
    y = x.astype(np.complex64)
    try:
        first = x[1]
        y += first
    except IndexError:
        n = -1
    return y, n


@program(lambda: (np.zeros(4), 1), lambda: (np.zeros(5), 1), lambda: (np.zeros(5), 9), lambda: (np.zeros(1), 0), lambda: (np.zeros(1), 5))
def assignment_that_misfits_or_is_out_of_bounds(x, k):  # a misfit passed for an IndexError where handlers were chosen
    found = []
    try:
        x[[k]] = x
    except IndexError:
        found.append("index")
    except ValueError as error:
        found.append(str(error))
    try:
        x[[k]] = x
    except (ValueError, IndexError) as error:
        found.append(type(error).__name__)
    return found, x


@program(lambda: (np.array([3.25, 0.5, -0.0, 0, -2.5]),), lambda: (np.tile([2.0, -0.0, 0.0, 1], 9),), lambda: (np.arange(40) % 3,))
def order_of_equal_elements(y):  # the order was stable, which NumPy's default is not, and a partition was sorted
    kept, parted = y.copy(), y.copy()
    kept.sort(kind="stable")
    parted.partition(2)
    orders = [np.argsort(y), y.argsort(kind="stable"), np.argsort(y, stable=True), np.argsort(y[::-1], kind="heapsort")]
    return y[np.argsort(y)], orders, kept, parted, np.partition(y, 3), np.sort(y, kind="heapsort")


class Shield:
    """A context manager that swallows exceptions."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        return True


@program(lambda: (3, 1e200), lambda: (3, 2.0), lambda: (2**62, 2.0), lambda: (2**62, -2.0), lambda: (-3, float("inf")))
def numbers_out_of_range_in_handlers(n, r):  # the program caught the exception that says that compiled code has ints of 64 bits
    a, b, c, d, e = 0, 0, 0, 0, 0.5
    try:
        a = int(r) % 1000
    except OverflowError:
        a = -1
    finally:
        b = 1
    try:
        b = n * 4 // 3
        b += n
    except Exception:
        b = 7
    try:
        try:
            c = n * 8 // 2**40
        except ValueError:
            c = 8
    except:  # noqa: E722
        c = 9
    with Shield():
        d = n * 16 // 2**40
    try:
        e = abs(r**0.5)
    except ValueError:
        e = -1.5
    return a, b, c, d, e


@program(lambda: (np.array([3.25, -0.0], np.float32),), lambda: (np.array([3, 1]),))
def array_updated_by_what_is_no_number(x):  # NumPy's text was that of the operator, not of the update
    found = []
    try:
        x += None
    except TypeError as error:
        found.append(str(error))
    try:
        x *= "a"
    except TypeError as error:
        found.append(str(error))
    return found, x


@program(lambda: (np.array([200, 3], np.uint8), 12, 2 - 1j), lambda: (np.array([200, 3], np.uint8), 300, 1j))
def complex_numbers_of_all_sorts(x, n, c):  # an object of the run was asked for its value; a complex part lost its imaginary part
    found = []
    for t in x:
        if t > n:
            found.append([t, 1.0])
    total = np.array(found, dtype=float).sum()
    return complex(total, 1.0), complex(n, total), complex(total), complex(c, n), complex(n, c), complex(x[0], True), complex(c)


@program(lambda: (12, 1e200), lambda: (12, 2.5), lambda: (12, float("inf")), lambda: (12, float("nan")), lambda: (2, -1e160))
def powers_of_complex_numbers(n, r):  # they were infinite where Python raises an error
    found = []
    for use in (lambda: complex(r, 1.0) ** 2, lambda: complex(r, n) ** 3, lambda: complex(n, r) ** 1.5, lambda: complex(r, 1.0) ** -1):
        try:
            found.append(use())
        except (OverflowError, ZeroDivisionError) as error:
            found.append(str(error))
    return found


@program(lambda: (np.array([3.0, 1, 2]), 1), lambda: (np.array([3.0, 1, 2]), 5))
def sorted_in_an_order_of_the_run(x, n):  # it was refused
    return sorted((3, 1, 2), key=lambda v: v % 3, reverse=n > 2), sorted([n, 2, 4], reverse=bool(np.any(x > n)))


COPIED_TO = ("uint64", "uint8", "bool", "int32", "float64")


@program(*(lambda dtype=dtype: (np.zeros(3, dtype), np.array([True, False, True]), 3) for dtype in COPIED_TO))
def number_copied_where_a_mask_is_set(x, mask, n):  # a Python int was int64, which is no unsigned type's kind, and truths had no loop
    found = []
    for source in (1, True, 2.5, np.int64(1), 1j, n, x[::-1], n * 1.5):
        try:
            np.copyto(x, source, where=mask)
        except TypeError as error:
            found.append(str(error))
        found.append(x.copy())
    return found


@program(
    lambda: (np.array([2, 0, 0], np.uint8), -3), lambda: (np.array([2, 4, 0], np.uint8), -3), lambda: (np.array([2, 4, 0], np.uint8), 3)
)
def int_on_one_path_and_a_small_one_on_another(x, n):  # it wrapped, where a Python int that does not fit is an error
    t = n if x[1] > 3 else x[0]
    try:
        return t + x[2]
    except OverflowError as error:
        return str(error)


@program(*(lambda kind=kind: (np.array([1, 0, 3, 100]).astype(kind), np.zeros(4, bool)) for kind in ("?", "i1", "i8", "f8")))
def scan_into_an_output_of_another_type(x, y):  # sums were int64, whatever the output was
    np.cumsum(x, out=x)
    np.cumsum(x, out=y)
    return np.sum(x, out=np.zeros((), np.float32)), np.mean(x, out=np.zeros((), np.int8)), np.max(x, out=np.zeros((), np.uint8))


@program(*(lambda kind=kind: (np.array([1, 0, 3, 100]).astype(kind), np.array([5, 6, 7, 8])) for kind in ("?", "i1", "u8", "i8", "f8")))
def values_put_that_do_not_fit(x, v):  # they were cast without a word
    found = []
    for put in (np.putmask, np.place):
        try:
            put(x, x > 1, v)
        except TypeError as error:
            found.append(str(error))
    np.copyto(x, v > 6, where=x > 0)
    return found, x


@program(*(lambda kind=kind, step=step: (np.arange(6).astype(kind)[::step],) for kind in ("i1", "f4", "f8") for step in (1, 2, -1)))
def position_of_an_extremum_of_all_axes(x):  # one axis alone was taken for a row of a matrix, and the program could not be compiled
    m = x[: len(x) // 3 * 3].reshape(3, -1)
    n = np.stack([m, m])
    found = [f(a, axis=axis, keepdims=True) for f in (np.argmax, np.argmin) for a in (x, m, n) for axis in (None, 0, -1)]
    return found, x[:1].argmax(axis=0, keepdims=True)


@program(*(lambda kind=kind, n=n: (np.arange(n).astype(kind), -1) for kind in ("?", "i1", "i8") for n in (0, 3)))
def powers_of_integers(x, n):  # the square of truth values had another text, and there was an error where nothing is raised to a power
    found = []
    for power in (lambda: x**n, lambda: x**-1, lambda: x ** np.array([-1])):
        try:
            found.append(power())
        except ValueError as error:
            found.append(str(error))
    try:
        x **= 2
    except TypeError as error:
        found.append(str(error))
    return found, x


@program(*(lambda n=n: (np.arange(4.0), n) for n in range(4)))
def number_that_the_path_makes_complex(x, n):  # it was taken for complex, or for real, on both paths
    found = []
    for r in (2.5 if n > 1 else 1j, x[n] if n > 1 else 1j, np.float32(2) if n > 1 else np.complex64(1j)):
        for f in (int, float, math.sqrt, math.floor, math.isnan, lambda t: math.pow(t, 2), lambda t: t.is_integer(), range):
            try:
                found.append(f(r))
            except (TypeError, AttributeError) as error:
                found.append(str(error))
    return found


@program(*(lambda step=step, n=n: (np.arange(9.0)[::step], n) for step in (1, 2, -1) for n in (1, 30)))
def put_behind_a_wrong_index(x, n):  # what NumPy had written to a copy, which it drops, was written to an array with gaps
    try:
        np.put(x, [0, n, 2], [7.0, 8.0, 9.0])
        np.put(x, [1, -n, 2], 5.0)
    except IndexError as error:
        return str(error), x
    return x


@program(*(lambda r=r: (np.array([3.25, -2.5, 1.0]), r) for r in (float("nan"), float("inf"), 2.0)))
def convolution_with_what_is_no_number(y, r):  # the zeros around the array were multiplied by it, too
    return np.convolve(y, [1, r]), np.convolve(y, [1, r, 2.0], "same"), np.correlate(y, np.array([1, r]), "full")


@program(lambda: (np.array([7, -2.5, 2], complex), np.arange(3.0)))
def interpolation_of_complex_places(x, y):  # their imaginary parts were dropped
    found = []
    for places, points in ((x, y), (y, x)):
        try:
            found.append(np.interp(places, points, [1.0, 12, 2]))
        except TypeError as error:
            found.append(str(error))
    return found


@program(*(lambda kind=kind: (np.array([3, -5, 0, 7]).astype(kind),) for kind in ("i8", "i4", "f8")))
def integers_that_a_loop_adds_to_an_element(x):  # int64 sums were looked for among floats, and the compiler failed
    for i in x:
        x[0] += 7
        x[0] -= i
    for k in range(len(x) - 1):
        x[k] += 2
        x[k + 1] += x[k]
    return x


@program(lambda: (np.arange(12.0).reshape(3, 4) + 1,), lambda: (np.arange(15.0).reshape(3, 5) + 1,))
def updates_around_a_view_that_fails(y):  # the first update waited for the second one, which did not come
    np.sqrt(y, out=y)
    v = y[..., 4]
    np.sqrt(y, out=y)
    return v


ELEMENTS = (1.5, -0.5, -1.0, np.nan, np.inf, 255.9, 256.0, 9.3e18, 300, -1, True)


@program(*[lambda kind=kind, v=v: (np.arange(4).astype(kind), v) for kind in ("uint8", "int32", "int64", "float64") for v in ELEMENTS])
def elements_under_flat_that_misfit(y, v):  # the error was that of the conversion
    try:
        y.flat[1] = v
    except ValueError as error:
        return y, str(error)
    return y
