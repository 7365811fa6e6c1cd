"""Programs in which fuzzing found a fault of lists and dicts that paths of control flow leave; a comment says what went wrong."""

from __future__ import annotations

import numpy as np

from tests.differential.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


@program(lambda: (np.ones(3), 0), lambda: (np.ones(3), 1))
def dict_in_a_tuple_that_leaves_a_branch(x, n):  # an object of the package stood in it
    found = {"a": 0.125}
    for _ in range(n):
        return 0
    found["a"] -= x
    return 1, found


@program(lambda: (np.ones(3), 0), lambda: (np.ones(3), 9))
def list_in_a_tuple_and_under_its_name(x, n):  # the two were different lists, one with an object of the package
    found = [1.0]
    if n > 2:
        result = 0
    else:
        found[0] = x
        result = (1, found)
    return result, found


@program(lambda: (np.ones(3), 0), lambda: (np.ones(3), 9))
def list_that_a_branch_changed_and_left(x, n):  # the element had the type that it had before
    found = [1.0]
    if n > 2:
        result = [0.0]
    else:
        found[0] = x[0]
        result = found
    return result


@program(lambda: (np.ones(3), 0), lambda: (np.ones(3), 3))
def list_in_a_tuple_that_leaves_a_loop(x, n):
    found, result = [1.0], 0
    for _ in range(n):
        found[0] = x + found[0]
        result = (1, found)
    return result


@program(lambda: (np.ones(3), 0), lambda: (np.ones(3), 1))
def list_in_a_tuple_that_leaves_a_handler(x, n):
    found, result = [1.0], 0
    try:
        result = 1 // n
    except ZeroDivisionError:
        found[0] = x
        result = (1, found)
    return result
