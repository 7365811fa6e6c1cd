"""Numbers in lists and dicts: quadrature, differential equations, elimination, clusters, sieves, dynamic programming, sums, short calls."""

from __future__ import annotations

import bisect
import cmath
import math
import random
from functools import cache

import numpy as np

from benchmarks.everyday_python.program import Program


def simpson(f, a, b):
    return (b - a) / 6.0 * (f(a) + 4.0 * f((a + b) / 2.0) + f(b))


def adaptive_simpson(f, a, b, tolerance, whole):
    middle = (a + b) / 2.0
    left, right = simpson(f, a, middle), simpson(f, middle, b)
    if abs(left + right - whole) <= 15.0 * tolerance:
        return left + right + (left + right - whole) / 15.0
    return adaptive_simpson(f, a, middle, tolerance / 2.0, left) + adaptive_simpson(f, middle, b, tolerance / 2.0, right)


def integrate_peaks(count):
    areas = []
    for k in range(1, count + 1):

        def peak(x, width=0.1 / k):
            return width / (x * x + width * width)

        areas.append(adaptive_simpson(peak, -1.0, 2.0, 1e-7, simpson(peak, -1.0, 2.0)))
    return areas


def runge_kutta(derivatives, state, dt, steps):
    """The classical method with lists of numbers for state and stages."""
    path = [state]
    for _ in range(steps):
        stages = []
        for weight in (0.0, 0.5, 0.5, 1.0):
            point = [s + weight * dt * (stages[-1][i] if stages else 0.0) for i, s in enumerate(state)]
            stages.append(derivatives(point))
        state = [s + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4) for s, k1, k2, k3, k4 in zip(state, *stages)]
        path.append(state)
    return path


def predators_and_prey(steps):
    path = runge_kutta(lambda s: [s[0] * (1.1 - 0.4 * s[1]), s[1] * (0.1 * s[0] - 0.4)], [10.0, 5.0], 0.02, steps)
    peaks = [k for k in range(1, len(path) - 1) if path[k - 1][0] < path[k][0] > path[k + 1][0]]
    return path[-1], peaks


def solve_equations(rows, right):
    """Elimination with partial pivoting on lists."""
    n = len(rows)
    work = [[*row, value] for row, value in zip(rows, right)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(work[i][k]))
        work[k], work[pivot] = work[pivot], work[k]
        for i in range(k + 1, n):
            factor = work[i][k] / work[k][k]
            work[i] = [a - factor * b for a, b in zip(work[i], work[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (work[k][n] - sum(work[k][j] * x[j] for j in range(k + 1, n))) / work[k][k]
    return x


def equations(n):
    return [[1.0 / (i + j + 1) + (3.0 if i == j else 0.0) for j in range(n)] for i in range(n)], [float(k % 4) for k in range(n)]


def cluster_points(points, centres, rounds):
    """k-means with lists of tuples and a dict of groups."""
    groups = {}
    for _ in range(rounds):
        groups = {k: [] for k in range(len(centres))}
        for x, y in points:
            nearest = min(groups, key=lambda k: (x - centres[k][0]) ** 2 + (y - centres[k][1]) ** 2)
            groups[nearest].append((x, y))
        centres = [
            (sum(x for x, _ in group) / len(group), sum(y for _, y in group) / len(group)) if group else centres[k]
            for k, group in groups.items()
        ]
    return centres, [len(group) for group in groups.values()]


def some_points(n):
    source = random.Random(6)
    return [(source.gauss(k % 3 * 4, 1), source.gauss(k % 2 * 3, 1)) for k in range(n)], [(0, 0), (4, 3), (8, 0), (1, 3)], 4


def sum_of_list(values):
    total = 0.0
    for value in values:
        total += value
    return total


def price_of_orders(prices, amounts):
    """A loop over a dict of prices."""
    total, dearest = 0.0, ""
    for name, price in prices.items():
        if name in amounts:
            total += price * amounts[name]
        if not dearest or price > prices[dearest]:
            dearest = name
    return total, dearest


def orders_of(n):
    return {f"thing{k}": 0.25 * (k % 40) for k in range(n)}, {f"thing{k}": k % 7 for k in range(0, n, 3)}


def primes_below(limit):
    marks = [True] * limit
    marks[0:2] = [False, False]
    for k in range(2, int(limit**0.5) + 1):
        if marks[k]:
            marks[k * k :: k] = [False] * len(range(k * k, limit, k))
    return [k for k, mark in enumerate(marks) if mark]


def longest_collatz(limit):
    lengths = {1: 1}
    for start in range(2, limit):
        path, n = [], start
        while n not in lengths:
            path.append(n)
            n = n // 2 if n % 2 == 0 else 3 * n + 1
        known = lengths[n]
        for k, member in enumerate(reversed(path), 1):
            lengths[member] = known + k
    return max((length, start) for start, length in lengths.items() if start < limit), len(lengths)


def cheapest_product(sizes):
    """The order of a chain of matrices, memoised."""

    @cache
    def best(i, j):
        if i + 1 == j:
            return 0, f"A{i}"
        return min(split(i, j, k) for k in range(i + 1, j))

    def split(i, j, k):
        left, left_text = best(i, k)
        right, right_text = best(k, j)
        return left + right + sizes[i] * sizes[k] * sizes[j], f"({left_text}{right_text})"

    return best(0, len(sizes) - 1)


def fill_knapsack(items, room):
    """The best value and which items, by a table of lists."""
    table = [[0] * (room + 1)]
    for weight, value in items:
        before = table[-1]
        row = before[:]
        for k in range(weight, room + 1):
            row[k] = max(row[k], before[k - weight] + value)
        table.append(row)
    chosen, k = [], room
    for number in range(len(items), 0, -1):
        if table[number][k] != table[number - 1][k]:
            chosen.append(number - 1)
            k -= items[number - 1][0]
    return table[-1][room], chosen[::-1]


def fourier(values):
    """Cooley and Tukey's transform of 1965 by recursion on lists of complex numbers."""
    n = len(values)
    if n == 1:
        return [complex(values[0])]
    even, odd = fourier(values[0::2]), fourier(values[1::2])
    turned = [cmath.exp(-2j * math.pi * k / n) * odd[k] for k in range(n // 2)]
    return [e + t for e, t in zip(even, turned)] + [e - t for e, t in zip(even, turned)]


def spectrum_of_signal(values):
    powers = [abs(value) for value in fourier(values)]
    return max(range(1, len(powers) // 2), key=powers.__getitem__), sum(powers)


def smooth_list(values, kernel, rounds):
    """A short kernel over a list, the ends kept."""
    half = len(kernel) // 2
    for _ in range(rounds):
        smoothed = values[:]
        for i in range(half, len(values) - half):
            total = 0.0
            for k, weight in enumerate(kernel):
                total += weight * values[i + k - half]
            smoothed[i] = total
        values = smoothed
    return values


def reverse_pieces(values, rounds):
    """Slices of a short list that are assigned in a loop."""
    swaps = 0
    for k in range(rounds):
        i, j = sorted((k * 5 % len(values), k * 3 % len(values)))
        if values[i] > values[j]:
            values[i : j + 1] = values[i : j + 1][::-1]
            swaps += 1
    return swaps, values


def digits_of_pi(count):
    """Gibbons' spigot of 2006 with ints of any size."""
    q, r, t, k, m, x = 1, 0, 1, 1, 3, 3
    digits = ""
    while len(digits) < count:
        if 4 * q + r - t < m * t:
            digits += str(m)
            q, r, m = 10 * q, 10 * (r - m * t), (10 * (3 * q + r)) // t - 10 * m
        else:
            q, r, t, k, m, x = q * k, (2 * q + r) * x, t * x, k + 1, (q * (7 * k + 2) + r * x) // (t * x), x + 2
    return digits


def norm_of(values):
    """A short call: the length of a vector of a few numbers."""
    total = 0.0
    for value in values:
        total += value * value
    return math.sqrt(total)


def grade_of(score, bounds, grades):
    """A short call with a few items: where a score stands."""
    place = bisect.bisect(bounds, score)
    return grades[place], place


def mean_by_key(record, keys):
    """A short call with a dict of a few numbers."""
    found = [record[key] for key in keys if key in record]
    return sum(found) / len(found) if found else None


def clip_and_scale(value, low, high):
    if value < low:
        value = low
    elif value > high:
        value = high
    return (value - low) / (high - low)


def scale_readings(readings):
    """A small function that is called often, over an array of NumPy."""
    total, above = 0.0, 0
    for reading in readings:
        scaled = clip_and_scale(reading, -1.0, 2.0)
        total += scaled
        if scaled > 0.5:
            above += 1
    return total, above


def descend(parameters, points, rate, rounds):
    """Least squares for a parabola with a dict of parameters."""
    loss = 0.0
    for _ in range(rounds):
        slopes = dict.fromkeys(parameters, 0.0)
        loss = 0.0
        for x, y in points:
            error = parameters["a"] * x * x + parameters["b"] * x + parameters["c"] - y
            loss += error * error
            slopes["a"] += 2 * error * x * x
            slopes["b"] += 2 * error * x
            slopes["c"] += 2 * error
        for name in parameters:
            parameters[name] -= rate * slopes[name] / len(points)
    return parameters, loss


PROGRAMS = (
    Program(integrate_peaks, lambda n: (n,), 8, 1),
    Program(predators_and_prey, lambda n: (n,), 1000, 5),
    Program(solve_equations, equations, 30, 3),
    Program(cluster_points, some_points, 400, 12),
    Program(sum_of_list, lambda n: ([k * 0.5 for k in range(n)],), 100000, 100),
    Program(price_of_orders, orders_of, 10000, 10),
    Program(primes_below, lambda n: (n,), 50000, 50),
    Program(longest_collatz, lambda n: (n,), 5000, 20),
    Program(cheapest_product, lambda n: ([(k * 7) % 19 + 3 for k in range(n)],), 22, 5),
    Program(fill_knapsack, lambda n: ([(k % 11 + 2, k * 5 % 17 + 1) for k in range(n)], 120), 30, 3),
    Program(spectrum_of_signal, lambda n: ([math.sin(0.3 * k) for k in range(2**n)],), 9, 3),
    Program(smooth_list, lambda n: ([float(k * 7 % 13) for k in range(n)], [0.25, 0.5, 0.25], 10), 400, 8),
    Program(reverse_pieces, lambda n: ([k * 7 % 17 for k in range(17)], n), 3000, 20),
    Program(digits_of_pi, lambda n: (n,), 150, 5),
    Program(norm_of, lambda n: ([1.5 * k for k in range(n)],), 3, 3),
    Program(grade_of, lambda n: (n, [60, 70, 80, 90], "FDCBA"), 84, 50),
    Program(mean_by_key, lambda n: ({"a": 1.0, "b": 2.5, "c": n}, ["a", "c", "z"]), 4, 4),
    Program(scale_readings, lambda n: (np.linspace(-3.0, 3.0, n),), 20000, 10),
    Program(descend, lambda n: ({"a": 0.0, "b": 0.0, "c": 0.0}, [(k / n, 2 * k / n - 1) for k in range(n)], 0.1, 60), 50, 4),
)
