"""Programs in which what comes first decides: searches that end, errors of which one is raised; a comment says what went wrong."""

from __future__ import annotations

import numpy as np

from tests.differential.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add
VECTORS = (lambda: (np.array([3.0, -1.0, 2.5, 0.0]),), lambda: (np.array([0.5, 4.0]),), lambda: (np.array([-1.0]),), lambda: (np.zeros(0),))


@program(*VECTORS)
def names_assigned_by_a_search(x):  # they were those of the last item, not of the one that was found
    if any((found := v) > 1 for v in x):
        return found
    if not all((last := v) > 0 for v in x):
        return "not", last
    return next((first := v) for v in x)


@program(*VECTORS)
def searches_that_do_not_reach_what_fails(x):  # all items were computed, and the error of a later one was raised
    items, found = x.tolist(), []
    for search in (
        lambda: any(6 / v > 1 for v in items),
        lambda: all(6 / v < 0 for v in items),
        lambda: next(6 / v for v in items if v),
        lambda: next((6 // v for v in items), None),
        lambda: any(6 / (a * b) > 1 for a in items for b in items if b != 3),
    ):
        try:
            found.append(search())
        except (ZeroDivisionError, StopIteration) as error:
            found.append(repr(error))
    return found


@program(*VECTORS)
def iterators_that_searches_share(x):  # refused
    items = iter(x.tolist())
    first = any(v < 0 for v in items)
    second = next((v for v in items if v > 1), "none")
    return first, second, list(items)


def places(dtype):
    values = (2.0, float("nan"), float("inf"))
    return (lambda n=n, r=r: (np.arange(6).reshape(2, 3).astype(dtype), n, r) for n in (0, 1, 9, -7) for r in values)


@program(*places(np.int64), *places(np.uint8), *places(np.float32))
def wrong_places_of_values_that_misfit(y, n, r):  # the value's error was raised
    found = []
    for value in (r, np.float64(r), n * 100, 1j, None, "7", 300):
        for store in (lambda: y.__setitem__((n, 1), value), lambda: y.__setitem__((1, n), value), lambda: y.__setitem__((-9, 0), value)):
            try:
                store()
            except (IndexError, ValueError, TypeError, OverflowError) as error:
                found.append(f"{type(error).__name__} {error}")
    return found, y


@program(*(lambda n=n, shape=shape: (np.arange(6.0).reshape(shape), n) for n in (0, -1, 5, 6, -7) for shape in ((2, 3), (6,), (1, 3, 2))))
def elements_by_position(x, n):  # the error named another axis; all elements were copied twice for one write
    found = []
    try:
        found.append(x.flat[n])
        x.flat[n] = 7
        x.flat[n - 1] += x.flat[0]
        x.flat[np.int32(2)] = n
    except IndexError as error:
        found.append(str(error))
    return found, x


@program(lambda: (np.array([[1.0, 2.0]]), True), refused="the subscript of `.flat` is a truth value")
def element_by_a_truth_value(x, flag):  # an error of the compiler's own
    return x.flat[flag]
