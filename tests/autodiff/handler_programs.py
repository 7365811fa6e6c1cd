"""Functions of one argument to differentiate that raise and catch exceptions: in loops, in nested handlers, after partial updates."""

from __future__ import annotations

import math

import numpy as np


def skipped_negatives(x):
    total = 0.0
    for v in x:
        try:
            if v < 0:
                raise ValueError
            total = total + v * math.sqrt(v)
        except ValueError:
            total = total * 0.5 - v
    return total


def ran_past_the_end(x):
    total = 0.0
    for i in range(8):
        try:
            total += x[i] * x[i]
        except IndexError:
            total *= 1.1
            break
        finally:
            total += 0.1 * x[0]
    return total


def overflowed_loop(x):
    y = x * 2
    try:
        for i in range(10):
            y = y * 1.5 + x
            if y[0] > 20:
                raise OverflowError
        z = y * 3
    except OverflowError:
        z = y * y
    return np.sum(z)


def while_test_raises(x):
    s = 0.0
    k = 0
    try:
        while x[k] > -5:
            s = s * x[k] + x[k] ** 2
            k += 1
    except IndexError:
        s = s * 2
    return s


def nested_handlers(x):
    s = 0.0
    for v in x:
        try:
            try:
                s += math.log(v)
            except ValueError:
                if v < -1:
                    raise KeyError
                s += v * v
        except KeyError:
            s *= v
        else:
            s += v
    return s


def partial_update_stays(u):
    try:
        for i in range(len(u)):
            u[i] = u[i] * u[i + 1]
    except IndexError:
        u[0] = u[0] * 3
    return np.sum(u * u)


def raised_in_called_function(x):
    def f(v):
        if v > 1:
            raise ValueError("big")
        return v * v

    out = []
    for v in x:
        try:
            out.append(f(v))
        except ValueError as e:
            out.append(v * 3)
    return sum(out) + len(out)


def factorisation_failed(A):
    try:
        L = np.linalg.cholesky(A @ A.T - 0.5 * np.eye(3))
        r = np.sum(L)
    except np.linalg.LinAlgError:
        r = np.sum(A * A)
    return r


def one_product_that_may_fail(x, n):
    try:
        y = np.sum(x**2) * x[n]
    except IndexError:
        y = np.sum(x**3)
    return y * 2.0


def one_product_succeeds(x):
    return one_product_that_may_fail(x, len(x) - 1)


def one_product_fails(x):
    return one_product_that_may_fail(x, len(x))


def always_raised(x):
    try:
        raise ValueError("always")
    except ValueError:
        y = np.sum(x**3)
    return y * 2.0


def finally_around_an_index_from_the_data(x):
    total = 0.0
    for i in range(6):
        try:
            j = int(x[i % 3] * 3)
            total += x[j] * x[i]
        except IndexError:
            total = total * 1.5 + x[0]
        finally:
            total *= 0.9
    return total


def loop_over_what_is_too_short(x):
    total = 0.0
    try:
        for i in range(9):
            total += x[i] * x[0]
    except IndexError:
        total *= 2.0
    return total


def swapped_until_too_short(x):
    first, second = 0.0, 1.0
    try:
        for i in range(9):
            second, first = first + x[i], second * x[1]
    except IndexError:
        first += i * x[0] * second
    return first


def array_bound_anew_until_too_short(x):
    y = x * 1.0
    for _ in range(2):
        try:
            for i in range(9):
                y = y * x[i]
        except IndexError:
            y = y + 1.0
    return np.sum(y)


def counted_until_too_short(x):
    total, i = 0.0, 0
    try:
        while True:
            total += x[i] * x[i]
            i += 1
    except IndexError:
        total += i * x[0]
    return total
