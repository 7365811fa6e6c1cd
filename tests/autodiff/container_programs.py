"""Functions of one argument to differentiate whose lists, tuples and dicts exist at run time only."""

from __future__ import annotations

import numpy as np


def rows_grown_by_the_data(x):
    rows = [x]
    while len(rows) < 12 and (rows[-1] ** 2).sum() < 30:
        new = rows[-1] * 1.2 + np.roll(x, len(rows))
        if len(rows) > 2:
            new = new - 0.3 * rows[-3]
        rows.append(new)
    rows[0] = rows[-1] * rows[0]
    a = np.stack(rows)
    return np.sum(a * np.arange(3.0)) + np.array([r[0] for r in rows]).prod() * 1e-2


def rows_filled_before_they_go_in(x):
    rows = []
    for i in range(100):
        row = np.zeros(3)
        row[0] = x[0] * i
        row[1:] = x[1] * x[0]
        rows.append(row)
        if row[0] > 5:
            break
    total = 0.0
    for r in rows:
        total += np.sum(r * r)
    return total


def same_row_read_often(x):
    rows = []
    y = x
    while np.sum(y) < 50.0:
        rows.append(y)
        y = y * 1.5 + rows[0] * 0.1
    return np.sum(np.array(rows) ** 2) + len(rows)


def stack_of_work(x):
    queue = [x, x * 2]
    total = 0.0
    k = 0
    while queue and k < 10:
        item = queue.pop()
        k += 1
        total += np.sum(item * item)
        if item[0] > 0.5:
            queue.append(item * 0.5)
            queue.append(item - 1.0)
    return total


def pairs_of_number_and_array(x):
    rows = []
    for v in x:
        if v > 0:
            rows.append((v, np.array([v, 2 * v])))
    total = 0.0
    for v, r in rows:
        total = total + v * np.sum(r * r * r)
    return total


def rows_with_names(x):
    rows = []
    for v in x:
        if v > 0:
            rows.append(("a", v * np.arange(1.0, 4.0)))
    total = 0.0
    for name, r in rows:
        if name == "a":
            total = total + np.sum(r)
    return total * total


def loss_that_may_be_an_int(x):
    return sum([v * v for v in x if v > 0])


def test_of_a_loop_computes(x):
    total = 0.0
    while (y := np.sum(x * x)) < 40.0:
        total = total + y * x[0]
        x = x * 1.3
    return total + y


def branch_puts_it_in(x):
    kept = []
    for i in range(len(x)):
        if x[i] > 0:
            kept.append(x * x[i])
        elif kept:
            kept.pop()
    total = 0.0
    for r in kept:
        total += r @ r
    return total


def pieces_joined(x):
    pieces, y = [], x
    while np.sum(y * y) < 20.0:
        pieces.append(y[y > -0.3])
        y = y * 1.5 + 0.1
    return np.sum(np.concatenate(pieces) ** 3) + np.sum(np.hstack([*pieces, x]) ** 2) + np.sum(np.concatenate(pieces[1:] + [x]) ** 2)


def rows_joined(x):
    rows = [x]
    while np.sum(rows[-1] ** 2) < 20.0:
        rows.append(rows[-1] * 1.5 + 0.1)
    return np.sum(np.vstack(rows) ** 3) + np.sum(np.column_stack(rows)[0] ** 2)


def functions_of_grouped_numbers(x):
    groups = {}
    for v in x:
        groups.setdefault(int(v > 0.6), []).append(v * v)
    return sum([np.prod(v) + np.max(v) * np.std(v) + np.sum(np.multiply(v, 2)) - np.linalg.norm(v) for v in groups.values()])


def functions_of_rows(x):
    rows = [x]
    while np.sum(rows[-1] ** 2) < 20.0:
        rows.append(rows[-1] * 1.5 + 0.1)
    return np.sum(np.mean(rows, axis=0) ** 2) + np.median(rows) + np.sum(np.diff(rows, axis=0) ** 2)


def method_of_a_ufunc_of_rows(x):
    rows = [("first", x)]
    while len(rows) < x[0] * 10:
        rows.append(("next", rows[-1][1] * 1.7))
    return np.sum(np.hypot.reduce([item for _, item in rows]))
