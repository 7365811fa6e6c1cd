"""Programs to differentiate: arrays that a branch, a loop or a handler joins, written under one name and read under another."""

from __future__ import annotations

import numpy as np

from tests.gradients.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def arguments(n):
    return lambda: (-0.45, np.array([1.073, 0.387, 0.958, -0.848]), n)


@program(arguments(1), 0, 1)
@program(arguments(4), 0, 1)
def view_or_fresh(r, y, n):
    if n > 2:
        v = y[::2]
    else:
        v = np.zeros(2)
    y[:-1] *= r
    return y * v[1]


@program(arguments(1), 0, 1)
@program(arguments(4), 0, 1, twice=True)
def array_or_a_product_of_it(r, y, n):
    v = y if y[0] > 0.3 * n else y * 2
    y[:-1] *= r
    v[1] += r * y[0]
    return y * v[1], v


@program(arguments(4), 0, 1)
def last_array_of_a_loop(r, y, n):
    v = np.zeros(4)
    for k in range(n):
        if y[k % 4] > 0.5:
            v = y
    y = y * 1.0
    y[:-1] *= r
    v[0] *= r
    return y * v[1], v[0]


@program(arguments(1), 0, 1)
@program(arguments(4), 0, 1)
def two_choices_alike(r, y, n):
    v = y if n > 2 else y * 2
    w = y if y[1] < 1 else y * 3
    v *= r
    return y * v[1] * w[0]


@program(arguments(2), 0, 1)
@program(arguments(7), 0, 1)
def view_of_a_size_that_the_data_gives(r, y, n):
    if n > 5:
        v = y[1 : n % 4]
    else:
        v = y[: n % 4] * 3
    y[:-1] *= r
    v[0] *= r
    return y * v[1]


@program(arguments(3), 0, 1)
def choice_in_every_trip(r, y, n):
    for k in range(n):
        v = y if k % 2 else y * 2
        y[:-1] *= r
        v[1] += 0.3 * r * y[0]
        r = r + 0.1 * v[2] * y[1]
    return y * r


@program(arguments(1), 0, 1)
@program(arguments(2), 0, 1)
def view_made_in_a_handled_block(r, y, n):
    try:
        v = y[::2]
        y[:-1] *= r
        r = r + v[-1]
        y[:-1] *= r
        r += [0.1, 0.2][n]
    except IndexError:
        r = r * 2
    return y, r


@program(arguments(1), 0, 1)
def exchanged_by_a_branch(r, y, n):
    z = y * 2
    v, w = (y, z) if y[0] > 0.5 else (z, y)
    y[:-1] *= r
    w[0] = r * v[1]
    return y * v[1], w[0] * z[1]


@program(arguments(3), 0, 1)
def exchanged_in_a_loop(r, y, n):
    z = y * 2
    for _ in range(n):
        y, z = z, y
        y[0] *= r
        z[1] += y[1]
    return y * z[1]


@program(arguments(2), 0)
def attribute_asked_of_a_number(r, y, n):
    p = r * 2
    if hasattr(p, "dtype"):
        return p
    return p * p if hasattr(y, "shape") and not hasattr(n, "shape") else 0.0
