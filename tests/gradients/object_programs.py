"""Programs with lists of Python's and NumPy's numbers, sorting by keys, accumulation by ufuncs."""

from __future__ import annotations

import numpy as np

from tests.gradients.harness import Programs

PROGRAMS = Programs()


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


@PROGRAMS.add(lambda: (rnd(2, 11, 4), np.array([1, 2, 1, 3, 3, 2, 1, 3, 2])))
def blanks_between_labels(x, labels):
    extended = [0]
    for label in labels:
        extended += [label, 0]
    places = np.array(extended)
    alpha = np.zeros(len(places))
    alpha[:2] = np.exp(x[0, places[:2]])
    for row in x[1:]:
        alpha[1:] += alpha[:-1] * 0.5
        alpha = alpha * np.exp(row[places])
        alpha /= alpha.sum() + 0.1
    return alpha


@PROGRAMS.add(lambda: (rnd(3, 11),))
def sorted_by_a_key_and_backwards(x):
    places = sorted(range(len(x)), key=lambda i: -x[i])
    total = 0.0
    for rank, i in enumerate(places):
        total += (rank + 1) * x[i] ** 2
    pairs = sorted([(v, k) for k, v in enumerate(x)], reverse=True)
    return total, sorted(x)[3] * sorted(x, reverse=True)[1], pairs[2][0] ** 3 * pairs[2][1]


@PROGRAMS.add(lambda: (rnd(4, 6), np.array([0, 2, 2, 1, 0, 2])), twice=True)
def softmax_by_segments(scores, segments):
    top = np.full(3, -np.inf)
    np.maximum.at(top, segments, scores)
    weights = np.exp(scores - top[segments])
    totals = np.zeros(3)
    np.add.at(totals, segments, weights)
    return weights / totals[segments]


@PROGRAMS.add(lambda: (rnd(5, 4, 3), rnd(6, 5, 3), np.array([0, 1, 1, 3, 0])), 0, 1)
def rows_accumulated_by_products_and_extrema(a, v, places):
    np.maximum.at(a, places, v)
    b = a * 1.0
    for _ in range(2):
        np.multiply.at(b, places, v)
    np.minimum.at(b, (places, np.array([0, 1, 2, 1, 0])), v[:, 0])
    np.divide.at(b, [1, 1], 2.0 + v[0] ** 2)
    return a, b


@PROGRAMS.add(lambda: (rnd(7, 6, 2),))
def hull_of_points_by_slices_of_lists(p):
    def half(points):
        hull = []
        for q in points:
            while len(hull) > 1 and turn(hull[-2], hull[-1], q) <= 0:
                hull.pop()
            hull.append(q)
        return hull

    def turn(a, b, c):
        return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])

    points = sorted([(p[i, 0], p[i, 1]) for i in range(len(p))])
    hull = half(points)[:-1] + half(points[::-1])[:-1]
    area = 0.0
    for i in range(len(hull)):
        (x, y), (u, v) = hull[i], hull[(i + 1) % len(hull)]
        area += x * v - u * y
    return 0.5 * area


@PROGRAMS.add(lambda: (rnd(8, 7),))
def pieces_of_a_list_that_the_data_fill(x):
    kept = []
    for value in x:
        if value > -1.0:
            kept.append(value * value)
    ends = [kept[0] * 2.0, kept[1]] + kept[2:]
    back = ends[::-2]
    back.append(kept[-1])
    return np.array(ends), np.array(back), sum(kept[:3]) * max(kept[1:])


def shrunk(value, rate, depth):
    if value < 0.1 or depth > 20:
        return value
    return shrunk(value * 0.6, rate, depth + 1) + rate * value


@PROGRAMS.add(lambda: (np.array([3.3, 0.2]),), twice=True)
def recursion_that_the_data_end(x):
    return shrunk(x[0], x[1], 0) * x[1]


@PROGRAMS.add(lambda: (rnd(9, 3) + 2.0, 0.3), 0, 1)
def recursion_that_captures_and_returns_arrays(x, rate):
    def halved(part, depth):
        if np.sum(part) < 0.5 or depth > 6:
            return part * rate
        return halved(part * 0.5, depth + 1) + np.sin(part) * x

    return halved(x, 0)


def power(n, x):
    return x if n <= 1 else x * power(n - 1, x)


@PROGRAMS.add(lambda: (5, 1.3), 1)
def recursion_that_an_integer_ends(n, x):
    return power(n, x) * np.sin(x)


@PROGRAMS.add(lambda: (rnd(10, 2, 3), 0.7), 0, 1)
def functions_of_elements_and_rows(x, rate):
    clipped = np.vectorize(lambda u, v: u * v * rate if u > v else u**2)
    rows = np.apply_along_axis(lambda row: row[1:] * row[:-1] * rate, 1, x)
    columns = np.apply_along_axis(lambda column: column @ column, 0, x)
    return clipped(x, x[::-1]), rows, columns
