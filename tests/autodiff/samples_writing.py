"""Functions of the samples that write, loop or keep lists."""

from __future__ import annotations

import collections

import numpy as np

import autograph_jit as ag


def stored(x):
    y = np.zeros(4, x.dtype)
    for i in range(4):
        y[i] = x[i] * x[(i + 1) % 4]
        y[0] = y[0] + y[i]
    return y


def assigned(x, y):
    z = x.copy()
    z[1] = y * z[0]
    z[:, 2] += z[:, 1] * 2
    z[0, 1:3] = z[0, 2:4]
    return z * x


def assigned_at(x, y):
    z = x * x
    z[np.array([0, 2, 2, 0])] = y
    z[[1, 3]] *= 2
    return z


def masked(x, y):
    z = x * x
    z[np.abs(x) > 0.6] = y
    z[np.abs(x) < 0.4] *= 3
    return z


def masked_values(x, y):
    z = x * x
    z[np.array([True, False, True, False])] = y * y
    return z


def added_at(x, y):
    z = x * x
    np.add.at(z, np.array([0, 2, 2]), y * y)
    return z * x


def subtracted_at(x, y):
    z = x * x
    np.subtract.at(z, np.array([0, 2, 2]), y * y)
    return z * x


def put(x, y):
    z = x * x
    np.put(z, [0, 5, 5], y * y)
    return z


def put_along(x, y):
    z = x * x
    np.put_along_axis(z, np.array([[0, 2, 2, 1]]), y * y, 0)
    return z


def put_mask(x, y):
    z = x * x
    np.putmask(z, np.abs(x) > 0.5, y * y)
    return z


def placed(x, y):
    z = x * x
    np.place(z, np.array([True, False, True, True]), y * y)
    return z


def copied_to(x, y):
    z = x * x
    np.copyto(z, y * y, where=np.abs(x) > 0.5)
    return z


def filled(x, y):
    z = x * x
    z[1:3].fill(y)
    return z * x


def filled_diagonal(x, y):
    z = x * x
    np.fill_diagonal(z, y * y)
    return z


def into_out(x, y):
    z = np.empty_like(x)
    np.multiply(x, y, out=z)
    np.add(z, x, out=z)
    np.exp(z, out=z, where=np.abs(x) > 0.5)
    return z


def sorted_in_place(x):
    z = x * x
    z.sort()
    return z * np.arange(4.0)


def with_holes(x):
    holes = np.where(x > 0.8, np.nan, x)
    return (
        np.nanmean(holes) * np.nansum(holes)
        + np.nanmax(holes) * np.nanmin(holes)
        + np.nanvar(holes)
        + np.nanstd(holes)
        + np.nanmedian(holes)
    )


def listed(x):
    out = []
    for v in x:
        out.append(v * v)
        out.append(out[-1] * x[0])
    return np.array(out)


def both_ends(x):
    waiting = collections.deque()
    for i in range(len(x)):
        waiting.append(x[i] * x[0])
        waiting.appendleft(x[i] + 1)
        if i % 2:
            waiting.popleft()
    return np.array([waiting.popleft() * waiting.pop(), waiting[0]])


def list_changes(x):
    out = [x[0] * 2]
    for i in range(len(x)):
        out.append(x[i] * x[0])
    out.insert(1, x[1] * x[1])
    out.insert(-3, x[2] * x[1])
    out[0] = out[0] * out[2]
    last = out.pop()
    total = last + out.pop(2)
    for v in out:
        total = total + v * v
    out.clear()
    for i in range(len(x)):
        out.append(x[i] * x[i] * total)
    return np.array(out)


def halved(x):
    y = x
    while np.abs(y) < 20:
        y = y * 2 + x * x
    return y


def recurred(x):
    s = x[0] * 0
    for v in x:
        s = s * v + v * v
        if np.abs(s) > 50:
            break
    return s * s


def branched(x):
    y = x * x if np.abs(x[0]) > 0.1 else x
    if np.abs(x[1]) > 100:
        z = y * 5
    else:
        z = y * x
    return z


@ag.custom_gradient
def cubed(x):
    return x * x * x, lambda ct: ct * 3 * np.conj(x * x)


def parts_written(x):
    z = x * (1 + 2j)
    z.real = z.imag**2
    z.imag[1:3] += x.real[1:3] ** 2
    return z * z


def guarded(x):
    total = x[0] * 0
    for i in range(12):
        try:
            if np.abs(x[i]) > 1.0:
                raise ValueError("large")
            total = total + x[i] * x[i]
        except ValueError:
            total = total + x[i] * 2
    return total * x[0]


def relaxed(x):
    u = x * x
    for _ in range(10):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    return u


def listed_rows(x):
    rows = []
    for i in range(10):
        rows.append(x[i % 3] * x[0])
    return np.array(rows)
