"""Options and arguments of NumPy's functions that few programs use."""

from __future__ import annotations

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add

VALUES = np.array([1.0, -2.0, 3.0, 4.0, 5.5])


def numbers(n=3):
    return lambda: (VALUES.copy(), n)


@program(numbers(), numbers(-2), numbers(300))
def least_type_of_a_number(x, n):
    return np.min_scalar_type(n), np.min_scalar_type(x)


@program(numbers())
def variance_in_another_type(x, n):
    k = x.astype(int)
    return np.var(k, dtype=np.float32), np.std(k, dtype="f4"), np.var(x.astype("f4"), dtype=float), np.std(x, dtype=int)


@program(numbers(), numbers(-2), numbers(0))
def negative_number_of_samples(x, n):
    return np.linspace(0, 1, n)


@program(numbers(), numbers(-2), numbers(0), numbers(30))
def windows_of_a_size(x, n):
    return np.lib.stride_tricks.sliding_window_view(x, n)


@program(numbers())
def einsum_of_shapes_that_misfit(x, n):
    return np.einsum("ij,j", np.ones((3, 4)), x)


@program(numbers())
def array_without_a_copy(x, n):
    y = np.array(x, copy=False, dtype=float)
    y[0] = n
    return np.asarray(x, copy=True), np.array(x, copy=None), np.asarray(x, dtype=int)


@program(numbers())
def array_that_needs_a_copy(x, n):
    return np.array(x, copy=False, dtype=int)


@program(numbers())
def list_that_needs_a_copy(x, n):
    return np.asarray([n, x[0]], copy=False)


@program(numbers())
def none_as_a_choice(x, n):
    return np.where(x > 0, x, None), np.where(n > 0, None, n)


@program(numbers())
def one_choice(x, n):
    return np.where(x > 0, x)


@program(numbers())
def three_choices(x, n):
    return np.where(x > 0, n, 0, x)


@program(numbers(), refused="cannot make compiled code call a function")
def function_for_float_errors(x, n):
    with np.errstate(over="call", call=print):
        return np.exp(x * 10000)


@program(
    lambda: (np.zeros((3, 4)), VALUES.copy(), 3),
    lambda: (np.zeros((5, 3)), VALUES[:0].copy(), 1),
    lambda: (np.zeros((2, 2)), VALUES.copy(), 2),
)
def values_that_repeat_in_flat(m, x, n):
    m.flat[::2] = [1, 2]
    before = m.copy()
    m.flat[[0, 1, 2]] = x
    m.T.flat[1:] = x * n
    after = m.copy()
    m.flat = [n, 8]
    return before, after
