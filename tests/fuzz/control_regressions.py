"""Programs of loops and handlers in which fuzzing found a fault, made small; a comment says what went wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.differential.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


@dataclass
class Point:
    """Something with fields."""

    x: float
    y: float = 0.0


VECTORS = (
    lambda: (np.arange(10.0), 2),
    lambda: (np.arange(10.0), 0),
    lambda: (np.arange(10.0)[::-1], 3),
    lambda: (np.array([]), 3),
)


@program(*VECTORS)
def inner_loop_shortens_what_an_outer_one_carries(x, n):  # the sizes passed for equal, and memory behind the array was read
    y, total = x, 0.0
    for _ in range(n):
        z = y * 2
        for _ in range(n):
            y = y[:-1]
        total += (y + z).sum()
    return total


@program(*VECTORS)
def inner_loop_shortens_another_name(x, n):  # the same by another name
    y, total = x, 0.0
    for _ in range(n):
        z, w = y * 2, y
        while len(w) > n:
            w = w[:-1]
        total += (w + z).sum()
        y = np.append(y, 1)
    return total


@program(*VECTORS)
def sizes_that_change_in_try(x, n):  # refused: the state of the try statement did not settle
    try:
        y = x[x > n]
        1 // n
        y = y[1:]
        1 // (n - 2)
        y = np.append(y, y)
        x[n + 5]
    except (ZeroDivisionError, IndexError):
        return y + x[: len(y)], y
    return y


@program(*VECTORS)
def sizes_that_change_in_a_try_of_a_loop(x, n):  # refused
    y = x
    for i in range(3):
        try:
            y = y[y > i]
            1 // (n - i)
            y = y[1:]
            y[n]
        except (ZeroDivisionError, IndexError):
            z = y + 1
    return y, z


@program(*VECTORS)
def function_that_a_loop_defines(x, n):  # refused: every trace made another function
    for i in range(n + 1):
        g = lambda t: t + 1  # noqa: E731
        x[:1] += i
    return g(x)


@program(*VECTORS)
def function_that_a_handler_defines(x, n):  # refused
    try:
        x[n] = 7
        x[7 * n] = 1
    except IndexError:

        def g(t):
            return t * n

        x[:1] += 1
    else:

        def g(t):
            return t

    return g(x)


@program(*VECTORS)
def exception_kept_by_a_loop(x, n):  # the program could not be compiled
    last, seen = None, []
    for e in x:
        try:
            if e > n:
                raise ValueError(e)
            seen.append([1, 2][int(e)])
        except (ValueError, IndexError) as error:
            last = error
    return repr(last), isinstance(last, ValueError), seen


@program(*VECTORS)
def exception_kept_by_a_branch(x, n):  # the same in a tuple, raised later
    found = None
    for e in x:
        try:
            1 // int(e - n)
        except ZeroDivisionError as error:
            found = (error, e)
    if found is not None:
        raise RuntimeError("late") from found[0]
    return found


@program(lambda: (np.array([0, 1, 2]), [-3, 1, 5]), lambda: (np.array([1, 0, 2]), [-3, 1, 5]), lambda: (np.array([1, 0, 2]), []))
def list_mapped_before_it_grows(x, items):  # refused: the loop was unrolled when the list's length was known
    c = 0
    if np.argmin(x):
        c = list(map(lambda t: t + 1, items))
        items.append(len)
    return c, len(items)


@program(lambda: (np.array([2.0]), np.array([[3, 1]], np.uint8), 1.0), lambda: (np.array([2.0, 1.0]), np.zeros((0, 4), np.uint8), -0.0))
def number_of_two_types_stored(x, y, r):  # Python's float was stored as NumPy's, without its check
    for _ in x:
        y[0:9:2] = r - 2.0
        r = np.dot(y.ravel(), y.ravel())
    return y


@program(lambda: (np.array([1.0, 2.0]), 5), lambda: (np.array([1.0]), 1))
def array_of_the_run_changed_in_a_loop_over_it(x, n):  # all its items were read before the first trip
    items, total, seen = [n % 9], 0, []
    while items:
        e = items.pop(0)
        total += e * 2
        if e:
            items.extend(range(e - 1))
    a = np.array([n >> 3, total])
    for e, _ in zip(a, range(4)):
        seen.append(e)
        a[1] += 100
    return seen


@program(lambda: (np.array([1.0, 2.0]), 5), lambda: (np.array([1.0]), 1))
def type_of_a_range(x, n):  # it was the package's
    r = range(n)
    return isinstance(r, range), type(r) is range, isinstance(r, list), list(r)


@program(lambda: (np.array([[0, 0, -1]], np.int8), 7), lambda: (np.array([[-1, 0, -1]], np.int8), 7))
def object_as_a_bound(y, n):  # a float raised an AttributeError
    p = Point(1.0 + y[0, 0], y=n)
    match p:
        case Point(0, y):
            z = y
        case Point(x=a, y=b) if a:
            z = a
        case Point():
            pass
    n = z
    for _ in range(0, n, 2):
        pass
    return n


@program(lambda: (np.array([0.25, -2.5]), 2, 10.0), lambda: (np.array([2.0, 4.0]), 0, 2.0), lambda: (np.array([6.0, -2.5]), 5, 2.0))
def list_that_changes_in_a_try(x, n, r):  # its content at the end stood for what it had been, and the program could not be compiled
    try:
        if 0 <= r != n:
            c = [[n] * 3 for _ in range(3)]
            for i in range(3):
                for j in range(3):
                    c[i][j] += c[j][i]
            z = sum(sum(row) for row in c) + c[1][0]
        x[:1] = {"a": 1}[{0: "a"}.get(int(r % 8), "b")]
    except KeyError:
        for _, _ in enumerate(x):
            if n == 2:
                continue
    return n, x


@program(lambda: (np.array([0.25, 7.0]), -1, 10.0), lambda: (np.array([0.25, 7.0]), 1, 0.0), lambda: (np.array([0.25]), -1, 0.0))
def handler_that_returns_or_raises(x, n, r):  # a branch with one way out could not be compiled
    try:
        1 / r
    except ZeroDivisionError as error:  # noqa: F841 - a name of its own belongs to the fault
        if n > 0:
            return x, n
        raise RuntimeError("none")


@program(lambda: (np.ones(3), 12), lambda: (np.ones(4), -3), lambda: (np.ones(4), 5))
def integer_that_a_loop_in_a_branch_keeps(x, n):  # what is known in the branch was taken as known behind it: a remainder without a sign
    if n > 1:
        for _ in x:
            n = n
    i, j, z = 0, 1, n % 12
    while z:
        i, j, z = j, i + j, z - 1
    return i, x[n % 3], n // 5


@program(lambda: (np.array([1, 2], np.uint8), -3), lambda: (np.array([1, 2], np.uint8), 5))
def overflow_of_two_kinds_is_caught(x, n):  # where sums might leave 64 bits, too, the handler let every OverflowError pass
    k = 0
    try:
        x[...] = n
        k = n + n
    except Exception:
        k = -1
    return x, k


@program(*[lambda n=n: (n,) for n in (-3, 0, 1, 2, 4)])
def a_variable_that_is_none_or_unbound(n):  # where it was unbound, an object of the package's own came out
    if n % 3 == 1:
        z = None
    elif n < 0:
        return 5
    return n, z


def firsts_and(xs, n):
    yield from xs[:3]
    yield n


@program(*((lambda xs=xs: (list(xs), 3)) for xs in ((), (1, 2), (3, 4, 5, 6, 1))))
def a_kept_generator_hands_on_an_empty_list(xs, k):  # which had become an object between its steps: None was called
    out, g, held = [], firsts_and(xs, k), iter(xs)
    for x in g:
        out.append(x)
    for i in range(k + 2):
        out.append([x for x in held if x > 1])
    return next(g, 5), out
