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


KINDS = ("u8", "i8", "i1", "u4", "f4")


@program(*(lambda kind=kind, n=n: (np.array([2**62 - 2, 3, 2]).astype(kind), n) for kind in KINDS for n in (2, 200, -3)))
def integers_added_at_indices(a, n):  # NumPy adds an int64, in float64 to an uint64, and wraps
    np.add.at(a, [0, 0], 2)
    np.add.at(a, [1, 1, 2], n)
    np.subtract.at(a, np.array([0, 1]), 300)
    np.maximum.at(a, 2, n)
    return a


@program(lambda: (np.array([3.0, 1.0]), 3), lambda: (np.array([1.0, 1.0]), 0), lambda: (np.array([1.0, 1.0]), 2))
def search_of_an_iterator_in_a_handler(x, n):  # the program could not be compiled: the iterator passed for captured
    try:
        items = iter([5, x[0], 2, n])
        z = all(v > n for v in items)
        z = (z, list(items), 6 // n)
    except ZeroDivisionError:
        z = None
    return z


@program(lambda: (np.array([3.0, 1.0]), 3), refused="an iterator that a `try` advances is used behind it")
def iterator_used_behind_its_handler(x, n):  # the program could not be compiled
    items = z = None
    try:
        items = iter([5, 1, 2, n])
        z = all(v > n for v in items)
        z = 6 // n
    except ZeroDivisionError:
        z = None
    return z, list(items)


@program(*(lambda n=n: (np.array([1.0, 0, 3]), n) for n in (2, 0)))
def arguments_that_may_be_none(x, n):  # the error had another text; places in lists failed
    o, found = n if n > 1 else None, []
    items = [5, 3, 1, 4]
    calls = (lambda: int(o), lambda: abs(o), lambda: len(o), lambda: list(range(o)), lambda: max(o, 1), lambda: round(o), lambda: list(o))
    for call in (*calls, lambda: items.pop(o), lambda: items.insert(o, 7), lambda: np.zeros(3)[: o or 1]):
        try:
            found.append(call())
        except TypeError as error:
            found.append(str(error))
    return found, items


@program(*[lambda size=size: (np.ones((3, 4)), np.asfortranarray(np.arange(3.0 * size).reshape(3, size))) for size in (1, 2, 3, 4, 5)])
def shapes_of_turned_operands_that_misfit(x, y):  # the error had them as they are computed, the last axis first
    found = []
    for make in (
        lambda: np.where(y @ y.T @ x > 1, y, 0.0),
        lambda: (y @ y.T)[0] + y.T,
        lambda: x.T + y.T,
        lambda: np.where((x.T @ x)[0], y, 1.0),
    ):
        try:
            found.append(make().shape)
        except ValueError as error:
            found.append(str(error))
    return found


@program(*[lambda n=n: (np.array([[True]]), np.ones((2, 4)), n) for n in (1, 2, 12)])
def types_before_shapes(m, y, n):  # shapes were looked at first, and numbers left out of their list
    try:
        m[m] -= m
    except (TypeError, ValueError) as error:
        first = str(error)
    try:
        return np.where(y[:, 0], y, n) if n == 1 else np.clip(y, y[:, 1], n)
    except ValueError as error:
        return first, str(error)


@program(*VECTORS[:2])
def masks_of_rank_0_on_numpys_numbers(x):  # they were refused as indices
    found = []
    for key in (True, False, (None, True), (..., True), x[0] > 1, np.True_):
        v = x[1]
        found.append(v[key])
        try:
            v[key] *= 2
        except TypeError as error:
            found.append(str(error))
    return found


@program(lambda: (np.array([7, -2.5, 2.0], complex),), lambda: (np.array([1j, 4.0]),))
def chain_of_comparisons_with_an_item_of_the_run(x):  # the error named the operands turned around
    *_, last = x.tolist()
    found = []
    for test in (lambda: 100 <= last <= 4, lambda: 1.5 > last, lambda: 2 == last, lambda: "a" < last):
        try:
            found.append(test())
        except TypeError as error:
            found.append(str(error))
    return found
