"""Programs in which a NumPy function gave another dtype, view or error than NumPy; a comment says what went wrong."""

from __future__ import annotations

from collections import deque

import numpy as np

from tests.differential.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add
COUNTS = [lambda dtype=dtype, n=n: (np.array([1, 3], dtype), n) for dtype in (np.float32, np.complex64, np.int8) for n in (0, 1, 2, 5)]


@program(*COUNTS)
def points_between_single_numbers(x, n):  # a number of points that only the run knows made them double
    return np.linspace(x[0], 2, n), np.linspace(x, 2, n, endpoint=False), np.logspace(x[1], 2, n)


@program(*COUNTS)
def distance_of_points(x, n):  # it was a number where there are no two points, and Python's nan in NumPy
    return np.linspace(x[0], 2, n, retstep=True), np.linspace(x, 2, n, retstep=True, dtype=np.int64)


@program(*(lambda x=x: (x,) for x in (np.ones(2), np.ones(2, complex), np.ones(3, bool), np.ones(1, np.complex64))))
def bins_of_complex_numbers(x):  # they were searched for, as searchsorted does
    try:
        np.digitize(x, [0, 1, 2])
        return np.digitize(x[0], [0, 1]), np.digitize(x.tolist(), [0, 1])
    except TypeError as error:
        return str(error)


@program(*(lambda x=x: (x,) for x in (np.float64(1.5), np.ones(1), np.ones(3), np.zeros(0), np.ones(12), np.ones((3, 1)), np.ones((2, 0)))))
def rows_of_repeated_elements(x):  # rows of nothing, and of one number, are views, which cannot be written; rows of many are copies
    found = []
    for y in (np.broadcast_to(x, (2, *x.shape)), np.broadcast_to(x, (2, 1, *x.shape)), np.broadcast_to(x, (*x.shape[:1], *x.shape))):
        for row in (y.ravel(), y.reshape(-1)):
            try:
                row[:1] = 7
                found.append(row)
            except ValueError as error:
                found.append(str(error))
    return found


@program(*(lambda x=x: (x,) for x in (1.5, 3, np.float64(2.0))))
def writes_to_what_is_no_array(x):  # an array made of it was written, and dropped
    found = []
    for write in (
        lambda: np.copyto(4, 1, where=x > 2),
        lambda: np.copyto(np.float64(x), 3),
        lambda: np.copyto([1, 2], x),
        lambda: np.place([1], [True], x),
        lambda: np.put([1], 0, x),
        lambda: np.putmask([1.0], [True], x),
        lambda: np.fill_diagonal(x, 2),
    ):
        try:
            write()
            found.append("written")
        except (AttributeError, TypeError, ValueError) as error:
            found.append((type(error).__name__, str(error)))
    return found


@program(*(lambda dtype=dtype: (np.array([1, 0, 3], dtype), 2) for dtype in (np.int8, bool, np.int16, np.float32, np.complex64)))
def angles_of_small_integers(x, n):  # NumPy's arctan2 gives float16 of them, or float32; it was float64
    return np.angle(x), np.angle(x[0]), np.angle(x, deg=True), np.angle(n)


@program(*(lambda n=n: (n,) for n in (0, 1, 2, 3, -1)))
def ranges_of_truth_values(n):  # they could not be compiled
    try:
        return np.arange(n, dtype=bool), np.arange(n > 1), np.arange(n > 0, dtype=bool)
    except TypeError as error:
        return str(error)


@program(*(lambda dtype=dtype: (np.array([1, 0, 3], dtype), 2) for dtype in (np.int8, bool, np.int16, np.uint32, np.float32)))
def whole_parts_of_small_integers(x, n):  # float64, where NumPy's modf gives float16 of them, or float32
    return np.modf(x), np.modf(x[0]), np.modf(n), np.modf(x / 2)


@program(*(lambda size=size, i=i: (np.zeros(size), i) for size, i in ((0, 0), (3, 5), (3, -1), (1, 0))))
def array_into_an_element_that_is_not_there(x, i):  # in a try the array was refused before the index was looked at
    try:
        x[i] = x
    except (IndexError, ValueError) as error:
        return type(error).__name__, str(error)
    return x


@program(*((lambda n=n: (np.array([7, 0, 3], np.uint8), n)) for n in (-3, 300, 5, 2**40)))
def a_number_that_where_wraps(x, n):  # was an error
    return np.where(x, x, n), np.where(x > 3, n, x.astype(np.int16)), np.where(x > 3, -1, x)


@program(*((lambda n=n: (np.arange(3.0), [str(k) for k in range(n)])) for n in (3, 12, 1, 2)))
def arrays_beside_lists_of_texts(x, names):  # equal has no loop for these, the operator says that none is equal
    try:
        return x == names, names != x, np.ones((1, 1)) == [names[:1]], x == ("a", "b", "c")
    except ValueError as error:
        return str(error)


@program(*((lambda k=k: (np.arange(5.0), deque(range(k)))) for k in (2, 0, 4)))
def deques_as_indices(x, places):  # NumPy takes them for sequences
    x[places] += 7
    return x, x[places]
