"""Programs whose arguments NumPy refuses, or takes in an unusual form: the same exception, at the same moment, or the same result."""

from __future__ import annotations

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def cases(count, *arrays):
    """Calls with copies of the arrays and each number below count."""
    return [(lambda case=case: (*(x.copy() for x in arrays), case)) for case in range(count)]


@program(*cases(12, rnd(1, 2, 3, 4)))
def axes_that_do_not_fit(a, case):
    a[0] = 1
    if case == 0:
        return np.rot90(a, axes=(0, 0))
    if case == 1:
        return np.rot90(a, axes=(0, 3))
    if case == 2:
        return np.moveaxis(a, [0, 0], [1, 2])
    if case == 3:
        return np.moveaxis(a, [0, 1], [2, 2])
    if case == 4:
        return np.rollaxis(a, 2, 5)
    if case == 5:
        return a[0, 0].mT
    if case == 6:
        return np.matrix_transpose(a[0, 0])
    if case == 7:
        return np.vsplit(a[0, 0], 2)
    if case == 8:
        return np.roll(a, (1, 2, 3), axis=(0, 1))
    if case == 9:
        return np.roll(a, [1], axis=(0, 1)), np.roll(a, (1, 2), axis=1), np.rollaxis(a, 2, 3).shape
    if case == 10:
        return np.take(a[0, 0], 1.5)
    return np.round(a, 1.5)


@program(*cases(12, rnd(2, 5), np.array([2, 0, 1, 2, 1])))
def options_that_do_not_fit(x, k, case):
    x[0] = 2
    if case == 0:
        return np.concatenate([x, k], casting="no")
    if case == 1:
        return np.concatenate([x, x], dtype=np.int64)
    if case == 2:
        return np.stack([k, k], dtype=np.int32), np.vstack([k, x], dtype=np.float32), np.hstack([k, k], casting="safe")
    if case == 3:
        return np.block([x, [x]])
    if case == 4:
        return np.block([[x, x], []])
    if case == 5:
        return np.sort(x, kind="bad")
    if case == 6:
        return np.argsort(x, kind="bad")
    if case == 7:
        return np.bincount(k, minlength=-1)
    if case == 8:
        return np.bincount(k, minlength=k[1] - 1)
    if case == 9:
        return np.linalg.multi_dot([x])
    if case == 10:
        return np.average(x, weights=[1, 2])
    return np.putmask(x, k[:2] > 0, 0)


@program(*cases(11, rnd(3, 3, 4), rnd(4, 4)))
def outputs_that_do_not_fit(a, x, case):
    a[0] = 1
    if case == 9:
        return np.add(x, x, x, x)
    if case == 10:
        return np.sin(x, x, x)
    if case == 0:
        return np.sum(a, out=np.zeros(2))
    if case == 1:
        return np.sum(a, axis=0, out=np.zeros((1, 4)))
    if case == 2:
        return np.add(a, 1, out=None, where=[True, False])
    if case == 3:
        return np.max(x, out=np.zeros(1))
    if case == 4:
        return np.inner(a, a[:, :3])
    if case == 5:
        return np.einsum("i,i->i", x, np.ones(7))
    if case == 6:
        return np.einsum("ii->i", a[:2])
    if case == 7:
        return np.nanmax(x[:0])
    total = np.zeros(())
    np.sum(x, out=total)
    return total, np.nanmax(x), np.nanmin(a)


@program(lambda: (rnd(5, 4, 5), np.array([0, 2, -1])), lambda: (rnd(5, 4, 5), np.array([[1, 1], [3, 0]])))
def ellipsis_of_no_axes_parts_indices(a, k):
    b = a.copy()
    b[k, ..., 0] = 7
    b[None, 1, ..., k] += 1
    return a[None, k, ..., 0], a[k, ..., 1], a[0, ..., k], a[k, ..., k], a[..., k, 0], b


@program(lambda: (np.array([3, 4]),), lambda: (np.array([1, -5]),))
def constants_of_other_kinds(k):
    with np.errstate(all="ignore"):
        return np.linspace([0, 1], [2, 3], 3), np.linspace(k, [5, 6], 2), np.full_like(k, 2.7), np.full(2, np.nan, dtype=int)


@program(lambda: (rnd(6, 8),), lambda: (np.array([1.0, 1.0, 2.0, -3.0]),))
def runs_of_one_sign(x):
    sign = np.sign(x)
    change = np.flatnonzero(np.diff(sign)) + 1
    starts = np.r_[0, change]
    groups = np.split(x, change)
    return sign[starts], np.diff(np.append(starts, len(x))), [g.max() for g in groups], np.add.reduceat(x, starts), np.split(x, [1, 3])


@program(lambda: (np.arange(4.0),))
def attributes_of_modules(x):
    if hasattr(np, "no_such_function") or not hasattr(np, "sqrt"):
        return x
    return x + 1


# ---------------------------------------------------------------- errors of floating point


@program(*cases(7, np.array([1.0, 0.0, -1.0, 1000.0])))
def floating_point_errors_raised(x, case):
    x[2] -= 1
    with np.errstate(all="raise"):
        x[0] = 5
        if case == 0:
            return 1 / x
        if case == 1:
            return np.sqrt(x)
        if case == 2:
            return np.exp(x)
        if case == 3:
            return x[0] / x[1]
        if case == 4:
            return (x * 1e307).sum()
        if case == 5:
            x[:2] /= x[1]
        return x[0] * 2, np.mean(x[:3]), float(x[0]) / 2, x @ x


@program(lambda: (np.array([4.0, 0.0, 2.0]),), lambda: (np.array([1.0, 2.0]),))
def floating_point_errors_caught(x):
    log = []
    total = 0.0
    for v in x:
        try:
            with np.errstate(divide="raise"):
                total += 1 / v
        except FloatingPointError as error:
            log.append(str(error))
    with np.errstate(divide="ignore"):
        quiet = 1 / x
    return total, log, quiet


@program(lambda: (np.array([4.0, 0.0, 2.0]),))
def modes_set_and_restored(x):
    old = np.seterr(all="ignore")
    y = 1 / x
    np.seterr(**old)
    return y, sorted(old)


@program(lambda: (np.array([4.0, 0.0, 2.0]),), refused="cannot make compiled code raise")
def modes_set_to_raise(x):
    np.seterr(divide="raise")
    return 1 / x


@program(
    lambda: (np.arange(6.0), np.array([0, 9]), 1.0),
    lambda: (np.arange(6.0), np.array([1, 2, -1]), np.array([5.0, 6.0, 7.0])),
    lambda: (np.arange(6.0), np.array([0, 2, 8, 1]), np.arange(4.0)),
    lambda: (np.arange(6.0), np.array([[0, 2], [-7, 1]]), np.array([[5.0, 6.0], [7.0, 8.0]])),
    lambda: (np.arange(6.0), np.zeros(0, dtype=int), 3.0),
    lambda: (np.zeros(0), np.array([1]), 3.0),
)
def what_is_put_before_a_wrong_index(x, k, v):
    np.put(x, k, v)
    return x


@program(
    lambda: (rnd(7, 3, 4), np.array([0, 1])),
    lambda: (rnd(7, 3, 3), np.array([1, -2, -1])),
    lambda: (rnd(7, 2, 3), np.array([0, 2])),
    lambda: (rnd(7, 2, 3), np.array([-3])),
)
def axes_from_an_array(a, axes):
    total = 0.0
    for axis in axes:
        total += a.sum(axis=axis)[0] + np.cumsum(a, axis)[-1, -1]
        a -= a.mean(axis=axis, keepdims=True)
    return total, np.sort(a, axis=axes[0]), np.argmax(a, axes[0]), np.concatenate([a, a], axis=axes[-1])
