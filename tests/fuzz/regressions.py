"""Programs in which fuzzing found a fault, made small; a comment says what went wrong."""

from __future__ import annotations

import math

import numpy as np

from tests.differential.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


class Tank:
    """Something with an attribute."""

    def __init__(self, level):
        self.level = level


@program(lambda: (np.array([2, 100, -5, -5]), 1))
def items_are_read_trip_by_trip(x, n):  # all items of an unrolled loop were read before the first trip
    seen = []
    for e, _ in zip(x, x):
        x[-1] += n
        seen.append(e)
    return x, seen


@program(lambda: (np.arange(5)[::-1],), lambda: (np.arange(6)[::2],), lambda: (np.arange(6),), lambda: (np.arange(6).reshape(2, 3).T,))
def ravel_of_strided_memory_is_a_copy(x):  # it was a view
    v = x.ravel()
    v[...] = 7
    return x, v


@program(lambda: (np.array([-0.0, 1.0]), 3), lambda: (np.array([-0.0, 1.0]), 0))
def list_made_in_a_branch(x, n):  # its elements were used where they are not defined
    if n:
        a = x.tolist()
    return a


@program(lambda: (np.array([1.0, 2.0]), 0), lambda: (np.array([1.0, 2.0]), 3))
def variable_of_an_inner_branch_in_try(x, n):  # what a dead variable held was taken for its value
    try:
        if n and d:  # noqa: F821
            pass
        if n:
            d = x.sum()
    except UnboundLocalError as error:
        return str(error)
    return 0


@program(lambda: (np.ones(3), 7, np.ones((2, 3))), lambda: (np.ones(3), 0, np.ones((2, 3))))
def variable_of_two_ranks_in_try(x, n, y):  # boxing it was an operation that could fail, without a way out
    try:
        x = y @ y.T + 7 // n
        n = 12 // (n - 7)
    except ZeroDivisionError as error:
        print(error)
    return x, n


@program(lambda: (np.array([2.0, 3.0]), 1), lambda: (np.array([2.0, 3.0]), 9), lambda: (np.array([2.0, 3.0]), -9))
def list_returned_from_an_inner_branch(x, n):  # likewise, where a later branch leaves it absent
    if n > 3:
        c = 1
    else:
        c = x.tolist()
        if n > -5:
            return c
    return n


@program(lambda: (np.array([1.0, 2.0]), 3), lambda: (np.array([1.0, 2.0]), 0))
def list_chosen_by_the_data_is_an_alias(x, n):  # the chosen list was a copy
    a, b = [x[0]], [x[1]]
    if n:
        b = a
    b[0] = 5
    return a, b


@program(lambda: (np.array([1.0, 2.0]), 3), lambda: (np.array([1.0, 2.0]), 0))
def names_of_one_list_made_in_a_branch(x, n):  # two names became two lists
    if n:
        a = [x[0]]
        b = a
    else:
        a, b = [x[1]], [x[0]]
    b[0] = 7.0
    return a, b


@program(lambda: (np.arange(1.0, 7.0), 6), lambda: (np.arange(1.0, 7.0), 0), lambda: (np.arange(1.0, 7.0), 5))
def list_kept_from_before_a_loop(x, n):  # the name from before the loop had lost its list
    a = [x[0], x[1]]
    b = a
    for _ in range(n):
        a = a[::-1]
    a[0] = 3
    return a, b


@program(lambda: (np.arange(1.0, 7.0), 6), lambda: (np.arange(1.0, 7.0), 0))
def list_chosen_in_a_loop_is_written(x, n):  # the next trip read what was there before
    a, c, s = [1.0, 2.0], [0.0, 0.0], 0.0
    for i in range(n):
        s += a[0]
        b = a if x[i] > 3 else c
        b[0] += 1
    return s, a, c


@program(lambda: (np.array([1.0, 2.0]), 3), lambda: (np.array([1.0, 2.0]), 0))
def object_chosen_by_the_data_is_an_alias(x, n):  # the chosen object was a copy
    t, u = Tank(x[0]), Tank(x[1])
    if n:
        t = u
    t.level += 1
    return t.level, u.level


@program(lambda: (np.array([1.0, 2.0]), 6))
def list_from_numpy_grows_in_a_loop(x, n):  # it grew while tracing
    a, b = x.tolist(), np.split(x, 2)
    for i in range(n):
        a.append(i)
        b.append(x)
    return a, len(b)


@program(lambda: (3,), lambda: (0,))
def parameter_deleted_in_a_branch(n):  # reading the state raised NameError
    if n:
        m = 1
    else:
        m = 2
        del n
    return m


@program(lambda: (1e300,), lambda: (-1e200,), lambda: (2.0,), lambda: (math.inf,), lambda: (math.nan,))
def square_out_of_range(x):  # gave infinity
    return x**2


@program(lambda: (0.0, 1.5), lambda: (1.5, 0.0), lambda: (1.5, -0.0), lambda: (0.0, math.nan), lambda: (-1.0, math.nan))
def division_and_power_of_floats(x, y):  # messages of another version of Python; a power that is defined was refused
    found = []
    for operation in (lambda: x / y, lambda: x // y, lambda: x % y, lambda: divmod(x, y), lambda: x**y):
        try:
            found.append(operation())
        except ZeroDivisionError as error:
            found.append(str(error))
    return found


@program(lambda: (1j,), lambda: (0j,), lambda: (2 - 1j,))
def comparison_of_complex_numbers(z):  # was allowed
    try:
        return z < 1.0
    except TypeError:
        return z**2, 0j**0, z == 2**70


@program(lambda: (2**62, 0.5), lambda: (-3, math.nan), lambda: (5, math.inf), lambda: (2**62, 2.0**63))
def comparison_with_large_ints(n, x):  # both sides were rounded to floats
    return n < 2**63, n == 2**70, -(2**64) <= n, x < 10**400, x == 2**63, x != -(2**70)


@program(lambda: (15,), lambda: (-25,), lambda: (0,))
def round_of_an_int(n):  # gave a NumPy integer
    return round(n, 2), round(n, -1), round(n)


@program(lambda: (np.array([True, False]), np.array([-np.inf, -0.0, 4.0])))
def special_powers(mask, x):  # of another dtype; infinity and the sign of zero as C's pow has them
    return mask**2, x**0.5, np.array([0j, 1j]) ** 0


@program(
    lambda: (np.ones(3), np.ones(3)), lambda: (np.ones(3), np.ones(4)), lambda: (np.ones(1), np.ones(3)), lambda: (np.ones(9), np.ones(10))
)
def output_that_does_not_fit(x, y):  # messages without the output's shape
    np.add(x, y, out=x)
    return x


@program(lambda: (np.arange(3),))
def copy_of_another_kind(x):  # floats were truncated
    np.copyto(x, 2.75)


@program(lambda: (np.zeros((2, 0, 3)),), lambda: (np.ones((2, 1, 3)),))
def maximum_with_initial_over_several_axes(x):  # an error where a later axis is empty
    return x.max(initial=4), x.min(axis=(0, 1), initial=-1.0)


@program(lambda: ([],), lambda: ([3],))
def item_of_an_empty_list_is_set(items):  # the message of reading
    items[0] = 2
    return items


@program(lambda: (np.arange(3.0),))
def number_is_subscripted(x):  # TypeErrors that named a stand-in
    try:
        x[0][0] = 1
    except TypeError as error:
        return str(error), x[1][()], x[1][None], np.where(x[0] > 1, 2.0, 3.0)[()]


@program(lambda: (np.zeros(0),), lambda: (np.zeros(9),))
def taking_from_nothing(x):  # another message
    return np.take(x, [0])


@program(
    lambda: (np.array([1, 200], np.uint8), -1, 5),
    lambda: (np.array([1, 200], np.uint8), -(2**62), 300),
    lambda: (np.array([1, 100], np.int8), -200, 500),
    lambda: (np.array([1, 200], np.uint64), -3, 2**62),
    lambda: (np.array([1, 200], np.uint8), 0, -1),
)
def clipped_beyond_the_range_of_the_type(x, low, high):  # bounds that do not bind raised OverflowError
    return np.clip(x, -(2**70), 2**70), np.clip(x, -1, 7), x.clip(low, high)


@program(lambda: (np.zeros((0, 0)),), lambda: (np.zeros((0, 3)),), lambda: (np.zeros((2, 3)),), lambda: (np.zeros((2, 0)),))
def taken_where_nothing_is(x):  # the index was looked at
    if x.shape == (2, 0):  # NumPy 2.4 itself does not end when it wraps an index on an axis without elements
        print(np.take(x, 0, axis=0, mode="wrap").shape)
    return np.take(x, 7, axis=1).shape if x.size == 0 else np.take(x, [2, 1], axis=1)


@program(lambda: (np.array([True, False]), 2), lambda: (np.array([True, False]), 0))
def rounded_truth(x, n):  # np.round of it raised, and another error
    return round(x[0], n)


@program(lambda: (np.array([1.5, 2.0])[::-1], 0), lambda: (np.array([])[::-1], 0))
def array_that_may_be_absent_in_try(x, n):  # making its placeholder could fail, without a way out
    try:
        for _ in x:
            b = x
            return b
    except ZeroDivisionError:
        pass


@program(lambda: (np.arange(3)[::-1], 7, 2.0), lambda: (np.arange(3), 0, 2.0), lambda: (np.arange(1), 5, 0.5))
def shape_of_an_object(x, n, r):  # an attribute that was missing inside the package was raised as the program's
    for _ in range(n % 7):
        x = np.subtract(np.clip(x, 0, 1), r)
    if n > 5:
        return np.clip(np.full(x.shape, r), None, 3.5)
    return x


@program(lambda: (np.array([[1, 2], [3, 4]]), 5), lambda: (np.array([[1, 2], [3, 4]]), 0))
def view_that_a_branch_chose(y, n):  # it left as an object of its own
    v = y[None]
    if n:
        b = v
    return v, b if n else None


@program(lambda: (np.array([1.5, -2.0]),), lambda: (np.array([np.inf, 3.0]),))
def real_parts_of_numpys_complex_numbers(x):  # TypeError, as for Python's
    return float(np.complex128(x[0])), int(np.complex64(x[1])), float(x.astype(complex)[1])


@program(lambda: (np.array([True, False]), 2.5), lambda: (np.array([True, True]), 3))
def truths_to_a_power(x, p):  # an attribute that was missing inside the package
    return x**2.5, x**2, x**p


@program(lambda: (5, 7), lambda: (9, 5), lambda: (0, 3))
def place_in_a_range(n, k):  # an assertion of the package failed
    try:
        return range(1, n).index(k - 3)
    except ValueError:
        return "absent"


@program(lambda: (np.ones(3), 2, 0), lambda: (np.ones(3), 2, 1), lambda: (np.ones(3), 2, 2), lambda: (np.ones(3), 2, 3))
def number_that_is_not_iterable(x, n, k):  # the text named a class of the package
    if k == 0:
        return list(zip(x, n))
    if k == 1:
        return list(zip(x, x[0]))
    if k == 2:
        return [*n]
    return 3 in n


@program(lambda: (np.array([100, 1], np.uint8), 1.0), lambda: (np.array([0.5, 1.0]), -1.0))
def array_updated_by_an_object(x, r):  # the array stayed as it was
    x += ("%.2f" % r).count("1")
    v = x[:1]
    v *= len(str(x.size)) + ("%.1f" % r).count("1")
    return x


@program(lambda: (np.array([2.0, 1.0, 3.0, 0.0, 5.0, 4.0]), 1), lambda: (np.array([7.0]), 9))
def integer_of_many_branches(x, n):  # the analysis of ranges did not end
    q = n
    for e in x:
        if e > 4:
            q += 3
        elif e > 3:
            q = q % 5
        elif e > 2:
            q -= n
        elif e > 1:
            q = n + 2
        elif e > 0.5:
            q = 7
        elif e > -1:
            q = q * 2 % 11
        elif e > -2:
            q = 1
        elif e > -3:
            q = n - 4
        elif e > -4:
            q = 5
    return q


@program(lambda: (np.array([3, 1, 200], np.uint8), -1), lambda: (np.array([3, 1, 200], np.uint8), 2))
def python_ints_that_become_arrays(x, n):  # they adapted to the array's dtype, where NumPy makes int64 of them
    found = [np.searchsorted(np.sort(x), n), np.dot(x, n), np.inner(x, n), np.multiply.outer(x, n), np.clip(n, x, x)]
    return found, np.pad(x, 1, constant_values=n), np.select([x > 1], [x], n), np.choose(x * 0 + 1, [x, n])


@program(lambda: (np.array([3, 1, 200], np.uint8), -1), lambda: (np.array([3, 1, 200], np.uint8), 2))
def initial_value_beyond_the_type(x, n):  # it wrapped
    return np.sum(x, initial=n), np.prod(x, initial=n)


@program(lambda: (np.zeros((0, 0)),), lambda: (np.zeros((2, 0)),), lambda: (np.zeros((0, 2)),), lambda: (np.ones((2, 2)),))
def extremum_of_nothing_for_nobody(y):  # where no result was to be filled, nothing was checked
    return y.min(axis=1) / 2, y - y.max(axis=1, keepdims=True)


@program(
    lambda: (np.array([1, -1, 2**62, -(2**63)]), np.array([[1, 2**63, 2**62, 2**63]], np.uint64)),
    lambda: (np.array([], np.int64), np.zeros((0, 0), np.uint64)),
)
def signed_and_unsigned_integers_compared(x, y):  # such loops could not be compiled
    found = [x == y, x != y, x < y, x <= y, x > y, x >= y, y < x, y <= x, y > x, y >= x, y == x, y != x]
    y[y == x] = 0
    return found, y


@program(lambda: (np.array([1, 2]), 0.0), lambda: (np.array([1, 2]), 7.126))
def rounded_number_of_two_types(y, r):  # it got the common type
    return round(max([y.sum(), r]), 2), round(max(y.sum(), r))


@program(lambda: (3,), lambda: (100,), lambda: (0,))
def counted_in_a_tuple(n):  # the call held values of the trace, and the program caught the error
    c = (n * 5, 100, n)
    try:
        return c.count(n), c.index(100) + 1
    except Exception:
        return "caught"
