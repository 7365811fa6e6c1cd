"""Programs in which it shows how results lie in memory: strides, what reshape shares, orders asked for; arrays of other kinds."""

from __future__ import annotations

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add
NAMES = np.array(["a", "b"])
HALVES = np.ones(2, dtype=np.float16)


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


@program(
    lambda: (rnd(1, 3, 4),), lambda: (np.asfortranarray(rnd(1, 3, 4)),), lambda: (rnd(1, 6, 4)[::2],), lambda: (rnd(1, 8, 3).T[:, ::-2],)
)
def results_lie_as_operands_do(a):
    kinds = (a * 2, np.sin(a), a.T + 1, a > 0, a.astype(np.float32), np.where(a > 0, a, 0))
    kinds += (np.zeros_like(a), np.full_like(a.T, 2), np.copy(a))
    others = (a + a[0], a[1] - a, a * a[:, :1], a + np.ones(a.shape), a.T * np.ones(a.T.shape))
    others += (np.cumsum(a, axis=0), np.sort(a, axis=1), a.copy())
    return kinds, others, [x.strides for x in kinds + others], a.ravel("K"), (a * 2).ravel("K")


@program(lambda: (rnd(2, 2, 3, 4),), lambda: (rnd(2, 4, 3, 2).T,), lambda: (rnd(2, 3, 2, 4).swapaxes(0, 1),))
def three_axes_in_their_order(a):
    b = a.transpose(2, 0, 1) * 2
    c = b.reshape(-1)
    c[:3] = 0
    d = np.sqrt(np.abs(a.T)).ravel()
    d[0] = 99
    e = (b + a.transpose(2, 0, 1)).sum(axis=0)
    return b, c, d, e, b.strides, (a.swapaxes(0, 1) + 1).ravel("K"), (b * b).sum(), (b - 1).max(axis=(0, 2)), (b[None, 0] + 1).strides[1:]


@program(lambda: (rnd(3, 4, 4),), lambda: (rnd(3, 4, 4).T,))
def what_reshape_shares(a):
    b = a.T.reshape(-1)
    b[0] = 9
    c = a[:, ::2].reshape(-1)
    c[0] = 8
    e = (a.T * 2).reshape(-1)
    e[0] = -1
    g = a.T + 0
    h = g.reshape(16)
    h[:] = 0
    a.T[1:] += g[1:] * 2
    a.T[...] = np.maximum(a.T, 0)
    return a, b, c, e, g, h


@program(lambda: (rnd(4, 3, 2),), lambda: (np.asfortranarray(rnd(4, 3, 2)),), lambda: (rnd(4, 3, 4)[:, ::2],))
def contiguous_on_request(a):
    c = np.ascontiguousarray(a)
    c[0] = 1
    f = np.asfortranarray(a)
    f[1] = 2
    k = np.array(a, order="F")
    k[2] = 3
    made = [np.zeros((2, 3), order="F"), np.ones((2, 3), order="F"), np.full((2, 3), 7, order="F"), np.empty((2, 3), order="F")]
    return a, c, f, k, [x.strides for x in (c, f, k, *made)], made[:3]


@program(lambda: (rnd(5, 4, 3), 3), lambda: (rnd(5, 3, 4).T, 0))
def order_kept_through_a_loop(a, n):
    for _ in range(n):
        a = a * 0.5 + 1
    b = a.T
    for row in b:
        row += 1
    return a, b, a.sum(axis=0)


# ---------------------------------------------------------------- arrays that stay Python objects


@program(
    lambda: (np.ma.array([1.0, 2, 3], mask=[0, 1, 0]),), lambda: (np.matrix([[1.0, 2, 3]]),), lambda: (np.arange(3.0).view(np.matrix),)
)
def kinds_of_arrays(m):
    doubled = m * 2
    m[..., 0] = 5
    return str(doubled), str(m), float(m.sum()), m.shape


def other_names():
    NAMES[:], HALVES[:] = ["a", "b"], 1


@program(lambda: (np.ones(2), "x"), lambda: (np.ones(2), "y"), start=other_names)
def captured_arrays_of_other_kinds(x, name):
    found = NAMES[0], [other + "!" for other in NAMES], x * HALVES[1]
    NAMES[0] = name
    HALVES[1] += 1
    return found
