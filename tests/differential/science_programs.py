"""Programs of numerical science: integration, roots, linear algebra by hand, statistics, signals, images, simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def uni(seed, *shape):
    return np.random.default_rng(seed).uniform(0.0, 1.0, shape)


def ints(seed, low, high, *shape):
    return np.random.default_rng(seed).integers(low, high, shape)


# ---------------------------------------------------------------- integration and roots


@program(lambda: (np.array([1.0, 0.0]), 0.1, 20), lambda: (np.array([0.5, -0.2]), 0.01, 0))
def pendulum_runge_kutta(state, dt, steps):
    def rate(s):
        return np.array([s[1], -np.sin(s[0])])

    path = [state.copy()]
    for _ in range(steps):
        k1 = rate(state)
        k2 = rate(state + dt / 2 * k1)
        k3 = rate(state + dt / 2 * k2)
        k4 = rate(state + dt * k3)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        path.append(state)
    return np.array(path)


@program(lambda: (np.array([1.0, 1.0, 1.0]), 30), lambda: (np.array([-5.0, 0.0, 20.0]), 3))
def lorenz_euler(p, steps, sigma=10.0, rho=28.0, beta=8 / 3):
    x, y, z = p
    out = np.empty((steps, 3))
    for i in range(steps):
        x, y, z = x + 0.01 * sigma * (y - x), y + 0.01 * (x * (rho - z) - y), z + 0.01 * (x * y - beta * z)
        out[i] = x, y, z
    return out, (x, y, z)


@program(lambda: (1.0, 2.0, 1e-10), lambda: (0.0, 1.0, 1e-3), lambda: (2.0, 3.0, 1e-3))
def bisection_with_checks(a, b, tol):
    def f(x):
        return x * x * x - x - 2.0

    fa, fb = f(a), f(b)
    if fa * fb > 0:
        raise ValueError(f"no sign change between {a} and {b}")
    steps = 0
    while b - a > tol:
        m = 0.5 * (a + b)
        fm = f(m)
        if fm == 0.0:
            return m, steps
        if fa * fm < 0:
            b, fb = m, fm
        else:
            a, fa = m, fm
        steps += 1
    return 0.5 * (a + b), steps


@program(lambda: (2.0, 1.0), lambda: (2.0, 0.0), lambda: (-1.0, 0.5))
def newton_with_derivative_check(a, x):
    for iteration in range(50):
        slope = 2 * x
        if abs(slope) < 1e-14:
            return None, iteration
        new = x - (x * x - a) / slope
        if abs(new - x) <= 1e-12 * max(1.0, abs(x)):
            return new, iteration
        x = new
    else:
        return x, -1


@program(lambda: (0.0, 1.0, 8), lambda: (0.5, 2.0, 4))
def romberg_table(a, b, levels):
    r = np.zeros((levels, levels))
    h = b - a
    r[0, 0] = 0.5 * h * (math.exp(a) + math.exp(b))
    for i in range(1, levels):
        h /= 2
        total = 0.0
        for k in range(1, 2**i, 2):
            total += math.exp(a + k * h)
        r[i, 0] = 0.5 * r[i - 1, 0] + h * total
        for j in range(1, i + 1):
            r[i, j] = r[i, j - 1] + (r[i, j - 1] - r[i - 1, j - 1]) / (4**j - 1)
        if i > 2 and abs(r[i, i] - r[i - 1, i - 1]) < 1e-9:
            return r[i, i], i
    return r[-1, -1], levels


@program(lambda: (np.array([1.0, -6.0, 11.0, -6.0]), 0.5), lambda: (np.array([2.0, -3.0]), 10.0))
def polynomial_horner_and_deflation(c, x):
    n = len(c) - 1
    roots = []
    while n > 0:
        for _ in range(60):
            p, d = c[0], 0.0
            for k in range(1, n + 1):
                d = d * x + p
                p = p * x + c[k]
            if d == 0:
                x += 0.1
                continue
            step = p / d
            x -= step
            if abs(step) < 1e-13:
                break
        roots.append(x)
        q = np.empty(n)
        q[0] = c[0]
        for k in range(1, n):
            q[k] = c[k] + x * q[k - 1]
        c, n = q, n - 1
    return sorted(roots)


@program(lambda: (lambda x, y: x + y, 0.0, 1.0, 10), lambda: (lambda x, y: -2 * y, 0.0, 1.0, 3))
def heun_of_given_function(f, x, y, n):
    h = 0.1
    for _ in range(n):
        slope = f(x, y)
        y = y + h / 2 * (slope + f(x + h, y + h * slope))
        x += h
    return x, y


@program(lambda: (np.linspace(0, 2 * np.pi, 9),), lambda: (np.array([0.0, 1.0]),))
def simpson_and_trapezoid(x):
    y = np.sin(x)
    n = len(x) - 1
    trapezoid = ((y[1:] + y[:-1]) * np.diff(x) / 2).sum()
    if n % 2:
        return trapezoid + 1.0, None
    h = (x[-1] - x[0]) / n
    return trapezoid + 1.0, 1.0 + h / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum())


@program(lambda: (uni(1, 200, 2),), lambda: (uni(2, 1, 2),))
def pi_by_given_samples(points):
    inside = 0
    history = []
    for i, (x, y) in enumerate(points, start=1):
        if x * x + y * y <= 1.0:
            inside += 1
        if i % 50 == 0:
            history.append(4 * inside / i)
    return 4.0 * inside / len(points), history


@program(lambda: (np.random.default_rng(3), 50), lambda: (np.random.default_rng(4), 0))
def walk_with_given_generator(rng, steps):
    position = np.zeros(2)
    farthest = 0.0
    for _ in range(steps):
        direction = rng.integers(4)
        axis, sign = divmod(int(direction), 2)
        position[axis] += 1 if sign else -1
        farthest = max(farthest, float(np.hypot(*position)))
    return position, farthest


@program(lambda: (np.random.default_rng(5), 40), lambda: (np.random.default_rng(6), 1))
def metropolis_with_given_generator(rng, n):
    x, accepted = 0.0, 0
    chain = np.empty(n)
    for i in range(n):
        proposal = x + rng.normal(scale=0.5)
        if math.log(rng.random()) < (x * x - proposal * proposal) / 2:
            x = proposal
            accepted += 1
        chain[i] = x
    return chain.mean(), accepted / n


# ---------------------------------------------------------------- linear algebra by hand


@program(lambda: (rnd(7, 4, 4), rnd(8, 4)), lambda: (np.zeros((2, 2)), np.ones(2)), lambda: (rnd(9, 1, 1), rnd(9, 1)))
def gauss_jordan(a, b):
    n = len(b)
    m = np.column_stack([a, b])
    for k in range(n):
        p = k + int(np.argmax(np.abs(m[k:, k])))
        if abs(m[p, k]) < 1e-12:
            raise np.linalg.LinAlgError(f"pivot {k} vanishes")
        if p != k:
            m[[k, p]] = m[[p, k]]
        m[k] /= m[k, k]
        for i in range(n):
            if i != k:
                m[i] -= m[i, k] * m[k]
    return m[:, -1]


@program(lambda: (rnd(10, 4, 3),), lambda: (rnd(11, 3, 3),))
def qr_by_givens(a):
    m, n = a.shape
    q = np.eye(m)
    for j in range(n):
        for i in range(m - 1, j, -1):
            r = math.hypot(a[i - 1, j], a[i, j])
            if r == 0:
                continue
            c, s = a[i - 1, j] / r, a[i, j] / r
            g = np.array([[c, s], [-s, c]])
            a[i - 1 : i + 1] = g @ a[i - 1 : i + 1]
            q[:, i - 1 : i + 1] = q[:, i - 1 : i + 1] @ g.T
    return q, np.where(np.abs(a) < 1e-12, 0.0, a)


@program(lambda: (np.array([[2.0, 1.0, 1.0, 10.0], [1.0, 3.0, 2.0, 15.0], [-3.0, -2.0, -4.0, 0.0]]),))
def simplex_pivoting(tableau):
    pivots = []
    while True:
        column = int(np.argmin(tableau[-1, :-1]))
        if tableau[-1, column] >= -1e-12:
            break
        ratios = [row[-1] / row[column] if row[column] > 1e-12 else math.inf for row in tableau[:-1]]
        row = min(range(len(ratios)), key=ratios.__getitem__)
        if math.isinf(ratios[row]):
            raise ArithmeticError("unbounded")
        tableau[row] /= tableau[row, column]
        for i in range(tableau.shape[0]):
            if i != row:
                tableau[i] -= tableau[i, column] * tableau[row]
        pivots.append((row, column))
        if len(pivots) > 10:
            break
    return tableau, pivots


@program(
    lambda: (np.array([0, 2, 3, 5]), np.array([0, 2, 1, 0, 2]), rnd(12, 5), rnd(13, 3)),
    lambda: (np.array([0]), np.zeros(0, int), rnd(1, 0), rnd(1, 2)),
)
def sparse_rows_times_vector(starts, columns, values, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(y)):
        for k in range(starts[i], starts[i + 1]):
            y[i] += values[k] * x[columns[k]]
    transposed = np.zeros_like(x)
    for i in range(len(starts) - 1):
        np.add.at(transposed, columns[starts[i] : starts[i + 1]], values[starts[i] : starts[i + 1]] * y[i])
    return y, transposed


@program(lambda: (rnd(14, 5, 5),), lambda: (np.eye(2),))
def dense_to_sparse(a):
    rows, columns, values = [], [], []
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if abs(a[i, j]) > 0.7:
                rows.append(i)
                columns.append(j)
                values.append(a[i, j])
    starts = np.searchsorted(rows, np.arange(a.shape[0] + 1))
    return starts, np.array(columns), values


@program(lambda: (rnd(15, 6, 6), 1e-9), lambda: (np.eye(3), 1e-3))
def eigenvalues_by_qr_iteration(a, tol):
    a = (a + a.T) / 2
    for sweep in range(500):
        shift = a[-1, -1]
        q, r = np.linalg.qr(a - shift * np.eye(len(a)))
        a = r @ q + shift * np.eye(len(a))
        off = np.sqrt(np.sum(np.tril(a, -1) ** 2))
        if off < tol:
            break
    return np.sort(np.diag(a)), off < 1.0


@program(lambda: (rnd(16, 4, 4),), lambda: (np.zeros((2, 2)),))
def matrix_exponential_by_series(a):
    squarings = max(0, int(np.ceil(np.log2(max(np.abs(a).sum(axis=1).max(), 1e-300)))) + 1)
    a = a / 2**squarings
    term = result = np.eye(len(a))
    for k in range(1, 20):
        term = term @ a / k
        result = result + term
    for _ in range(squarings):
        result = result @ result
    return result


@program(lambda: (rnd(17, 20, 3),), lambda: (rnd(18, 3, 2),))
def principal_components(x):
    centred = x - x.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / (len(x) - 1))
    order = np.argsort(values)[::-1]
    vectors = vectors[:, order]
    for j in range(vectors.shape[1]):
        if vectors[np.argmax(np.abs(vectors[:, j])), j] < 0:
            vectors[:, j] *= -1
    return values[order], vectors, centred @ vectors[:, :1], values[order] / values.sum()


@program(lambda: (rnd(19, 10, 2), rnd(20, 10)), lambda: (np.ones((3, 1)), np.arange(3.0)))
def regression_and_residuals(x, y):
    design = np.c_[np.ones(len(x)), x]
    coefficients, residuals, rank, singular = np.linalg.lstsq(design, y, rcond=None)
    fitted = design @ coefficients
    total = ((y - y.mean()) ** 2).sum()
    return coefficients, rank, 1 - ((y - fitted) ** 2).sum() / total, np.polyfit(np.arange(len(y)), y, 1)


@program(lambda: (rnd(21, 30, 2), (rnd(22, 30) > 0).astype(float), 50), lambda: (np.zeros((2, 1)), np.array([0.0, 1.0]), 3))
def logistic_regression(x, y, steps):
    w, b = np.zeros(x.shape[1]), 0.0
    losses = []
    for step in range(steps):
        p = 1 / (1 + np.exp(-(x @ w + b)))
        w -= 0.1 * x.T @ (p - y) / len(y)
        b -= 0.1 * (p - y).mean()
        if step % 10 == 0:
            losses.append(float(-(y * np.log(p) + (1 - y) * np.log(1 - p)).mean()))
    return w, b, losses


@program(lambda: (rnd(23, 25, 2), 3), lambda: (rnd(24, 2, 1), 1))
def k_means_plain(x, k):
    centres = x[:k].copy()
    labels = np.full(len(x), -1)
    for iteration in range(50):
        changed = 0
        for i, p in enumerate(x):
            nearest = int(np.argmin([np.sum((p - c) ** 2) for c in centres]))
            if labels[i] != nearest:
                labels[i] = nearest
                changed += 1
        if not changed:
            break
        for j in range(k):
            members = x[labels == j]
            if len(members):
                centres[j] = members.mean(axis=0)
    return centres, labels, iteration, np.bincount(labels, minlength=k)


@program(lambda: (rnd(25, 15).cumsum(), 0.1, 1.0), lambda: (np.array([3.0]), 1.0, 1.0))
def kalman_filter_scalar(measured, q, r):
    estimate, variance = 0.0, 1.0
    out = []
    for z in measured:
        variance += q
        gain = variance / (variance + r)
        estimate += gain * (z - estimate)
        variance *= 1 - gain
        out.append((estimate, variance))
    return np.array(out), gain


@program(lambda: (rnd(26, 8, 2),), lambda: (rnd(27, 1, 2),))
def kalman_filter_of_motion(measured):
    f = np.array([[1.0, 0.0, 0.1, 0.0], [0.0, 1.0, 0.0, 0.1], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    h = np.eye(2, 4)
    x, p = np.zeros(4), np.eye(4)
    track = np.zeros((len(measured), 4))
    for t, z in enumerate(measured):
        x, p = f @ x, f @ p @ f.T + 0.01 * np.eye(4)
        s = h @ p @ h.T + 0.1 * np.eye(2)
        k = np.linalg.solve(s, h @ p).T
        innovation = z - h @ x
        if innovation @ np.linalg.inv(s) @ innovation > 9.0:
            track[t] = np.nan
            continue
        x = x + k @ innovation
        p = (np.eye(4) - k @ h) @ p
        track[t] = x
    return track, np.trace(p)


# ---------------------------------------------------------------- statistics


@program(lambda: (rnd(28, 12), rnd(29, 9) + 0.5), lambda: (rnd(30, 3), rnd(31, 3)))
def two_sample_statistics(a, b):
    t = (a.mean() - b.mean()) / np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
    u = sum(1.0 if x > y else 0.5 if x == y else 0.0 for x in a for y in b)
    pooled = np.sort(np.concatenate([a, b]))
    ks = max(abs(np.searchsorted(np.sort(a), v, "right") / len(a) - np.searchsorted(np.sort(b), v, "right") / len(b)) for v in pooled)
    return t, u, ks


@program(lambda: (ints(32, 0, 5, 20), ints(33, 0, 3, 20)), lambda: (np.array([1, 1]), np.array([0, 0])))
def contingency_table(a, b):
    table = np.zeros((a.max() + 1, b.max() + 1), dtype=int)
    for i, j in zip(a, b):
        table[i, j] += 1
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    chi = 0.0
    for observed, e in zip(table.flat, expected.flat):
        if e > 0:
            chi += (observed - e) ** 2 / e
    return table, chi


@program(lambda: (rnd(34, 20), 5), lambda: (rnd(35, 3), 1))
def autocorrelation(x, lags):
    x = x - x.mean()
    out = np.empty(lags + 1)
    for k in range(lags + 1):
        out[k] = np.dot(x[: len(x) - k], x[k:]) / np.dot(x, x)
    return out, int(np.argmax(out < 0.2))


@program(lambda: (rnd(36, 15), ints(37, 0, 15, 6, 15)), lambda: (np.array([2.0]), np.zeros((2, 1), int)))
def bootstrap_with_given_indices(x, resamples):
    means = np.array([x[row].mean() for row in resamples])
    low, high = np.percentile(means, [2.5, 97.5])
    return means.std(), low, high, np.median(means)


@program(lambda: (ints(38, 0, 50, 30),), lambda: (np.array([7]),))
def five_numbers_and_outliers(x):
    s = np.sort(x)
    q1, q2, q3 = np.quantile(s, [0.25, 0.5, 0.75])
    spread = q3 - q1
    outliers = [v for v in s if v < q1 - 1.5 * spread or v > q3 + 1.5 * spread]
    mode = max(set(x.tolist())) if len(x) < 3 else np.bincount(x).argmax()
    return s[0], q1, q2, q3, s[-1], outliers, mode


@program(lambda: (rnd(39, 20), rnd(40, 6), 0.5), lambda: (np.array([0.0]), np.zeros(2), 1.0))
def kernel_density(samples, at, width):
    out = np.zeros_like(at)
    for i, x in enumerate(at):
        z = (x - samples) / width
        out[i] = np.exp(-0.5 * z**2).sum() / (len(samples) * width * math.sqrt(2 * math.pi))
    return out


@program(lambda: (rnd(41, 10),), lambda: (np.array([1.0, 1.0]),))
def ranks_with_ties_and_spearman(x):
    y = np.round(x[::-1], 0)
    ranks = np.empty(len(y))
    order = np.argsort(y, kind="stable")
    i = 0
    while i < len(y):
        j = i
        while j + 1 < len(y) and y[order[j + 1]] == y[order[i]]:
            j += 1
        ranks[order[i : j + 1]] = (i + j) / 2 + 1
        i = j + 1
    return ranks, ranks.sum()


# ---------------------------------------------------------------- signals and images


@program(lambda: (rnd(42, 8) + 1j * rnd(43, 8),), lambda: (np.array([1.0 + 0j]),), lambda: (np.ones(4, complex),))
def fft_by_bit_reversal(x):
    n = len(x)
    bits = n.bit_length() - 1
    y = np.empty_like(x)
    for i in range(n):
        r = 0
        for b in range(bits):
            if i >> b & 1:
                r |= 1 << (bits - 1 - b)
        y[r] = x[i]
    size = 2
    while size <= n:
        half = size // 2
        w = np.exp(-2j * np.pi * np.arange(half) / size)
        for start in range(0, n, size):
            even, odd = y[start : start + half].copy(), y[start + half : start + size] * w
            y[start : start + half] = even + odd
            y[start + half : start + size] = even - odd
        size *= 2
    return y


@program(lambda: (rnd(44, 20), np.array([0.2, 0.3]), np.array([1.0, -0.5])), lambda: (rnd(45, 1), np.array([1.0]), np.array([1.0])))
def recursive_filter(x, b, a):
    y = np.zeros(len(x))
    for n in range(len(x)):
        for k in range(len(b)):
            if n >= k:
                y[n] += b[k] * x[n - k]
        for k in range(1, len(a)):
            if n - k >= 0:
                y[n] -= a[k] * y[n - k]
        y[n] /= a[0]
    return y


@program(lambda: (uni(46, 8, 9), 1), lambda: (uni(47, 3, 3), 2))
def median_filter_reflecting(image, radius):
    rows, cols = image.shape
    out = np.empty_like(image)
    for r in range(rows):
        for c in range(cols):
            window = []
            for dr in range(-radius, radius + 1):
                for dc in range(-radius, radius + 1):
                    i, j = r + dr, c + dc
                    i = -i if i < 0 else 2 * rows - 2 - i if i >= rows else i
                    j = abs(j) if j < cols else 2 * cols - 2 - j
                    window.append(image[i, j])
            window.sort()
            out[r, c] = window[len(window) // 2]
    return out


@program(lambda: (uni(48, 7, 7),), lambda: (np.ones((3, 3)),))
def sobel_edges_and_thinning(image):
    kx = np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])
    padded = np.pad(image, 1, mode="symmetric")
    gx = np.zeros_like(image)
    gy = np.zeros_like(image)
    for i in range(3):
        for j in range(3):
            part = padded[i : i + image.shape[0], j : j + image.shape[1]]
            gx += kx[i, j] * part
            gy += kx.T[i, j] * part
    strength = np.hypot(gx, gy)
    angle = np.round(np.arctan2(gy, gx) / (np.pi / 4)).astype(int) % 4
    keep = np.zeros(image.shape, dtype=bool)
    for r in range(1, image.shape[0] - 1):
        for c in range(1, image.shape[1] - 1):
            dr, dc = [(0, 1), (1, 1), (1, 0), (1, -1)][angle[r, c]]
            keep[r, c] = strength[r, c] >= max(strength[r + dr, c + dc], strength[r - dr, c - dc])
    return strength, angle, keep


@program(lambda: (ints(49, 0, 256, 6, 5).astype(np.uint8),), lambda: (np.full((2, 2), 9, np.uint8),))
def histogram_equalisation(image):
    counts = np.bincount(image.ravel(), minlength=256)
    cdf = counts.cumsum()
    low = cdf[cdf > 0][0]
    span = max(image.size - low, 1)
    table = np.round((cdf - low) * 255 / span).clip(0, 255).astype(np.uint8)
    return table[image], counts.nonzero()[0].size


@program(lambda: (ints(50, 0, 256, 40),), lambda: (np.array([3, 3, 200]),))
def otsu_threshold(pixels):
    counts = np.bincount(pixels, minlength=256)
    total, weighted = counts.sum(), (counts * np.arange(256)).sum()
    best, threshold, below, partial = -1.0, 0, 0, 0
    for t in range(256):
        below += counts[t]
        if below == 0:
            continue
        if below == total:
            break
        partial += t * counts[t]
        gap = partial / below - (weighted - partial) / (total - below)
        between = below * (total - below) * gap * gap
        if between > best:
            best, threshold = between, t
    return threshold, best


@program(lambda: (ints(51, 0, 2, 6, 8),), lambda: (np.ones((2, 2), int),), lambda: (np.zeros((1, 1), int),))
def connected_regions(mask):
    labels = np.zeros(mask.shape, dtype=int)
    current = 0
    sizes = []
    for r, c in np.ndindex(mask.shape):
        if mask[r, c] and not labels[r, c]:
            current += 1
            stack = [(r, c)]
            labels[r, c] = current
            size = 0
            while stack:
                i, j = stack.pop()
                size += 1
                for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
                    if 0 <= a < mask.shape[0] and 0 <= b < mask.shape[1] and mask[a, b] and not labels[a, b]:
                        labels[a, b] = current
                        stack.append((a, b))
            sizes.append(size)
    return labels, sizes


@program(lambda: (uni(52, 5, 6), 8, 9), lambda: (uni(53, 2, 2), 1, 1))
def bilinear_resize(image, rows, cols):
    out = np.empty((rows, cols))
    for r in range(rows):
        y = r * (image.shape[0] - 1) / max(rows - 1, 1)
        y0 = min(int(y), image.shape[0] - 2)
        for c in range(cols):
            x = c * (image.shape[1] - 1) / max(cols - 1, 1)
            x0 = min(math.floor(x), image.shape[1] - 2)
            fy, fx = y - y0, x - x0
            top = image[y0, x0] * (1 - fx) + image[y0, x0 + 1] * fx
            bottom = image[y0 + 1, x0] * (1 - fx) + image[y0 + 1, x0 + 1] * fx
            out[r, c] = top * (1 - fy) + bottom * fy
    return out


@program(lambda: (ints(54, 0, 256, 5, 6).astype(float),), lambda: (np.full((2, 3), 128.0),))
def error_diffusion(image):
    for r in range(image.shape[0]):
        for c in range(image.shape[1]):
            old = image[r, c]
            image[r, c] = 255.0 if old > 127 else 0.0
            error = old - image[r, c]
            for dr, dc, share in ((0, 1, 7), (1, -1, 3), (1, 0, 5), (1, 1, 1)):
                if r + dr < image.shape[0] and 0 <= c + dc < image.shape[1]:
                    image[r + dr, c + dc] += error * share / 16
    return image.astype(np.uint8)


@program(
    lambda: (np.array([0.0, 1.0, 2.5, 3.0]), rnd(55, 4), np.array([0.5, 2.0, 2.9])), lambda: (np.arange(3.0), np.zeros(3), np.array([1.0]))
)
def natural_cubic_spline(x, y, at):
    n = len(x)
    h = np.diff(x)
    lower, diagonal, right = np.zeros(n), np.ones(n), np.zeros(n)
    upper = np.zeros(n)
    for i in range(1, n - 1):
        lower[i], upper[i] = h[i - 1], h[i]
        diagonal[i] = 2 * (h[i - 1] + h[i])
        right[i] = 6 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])
    for i in range(1, n):
        w = lower[i] / diagonal[i - 1]
        diagonal[i] -= w * upper[i - 1]
        right[i] -= w * right[i - 1]
    m = np.zeros(n)
    m[-1] = right[-1] / diagonal[-1]
    for i in range(n - 2, -1, -1):
        m[i] = (right[i] - upper[i] * m[i + 1]) / diagonal[i]
    out = []
    for v in at:
        i = min(max(int(np.searchsorted(x, v)) - 1, 0), n - 2)
        a, b = (x[i + 1] - v) / h[i], (v - x[i]) / h[i]
        out.append(a * y[i] + b * y[i + 1] + ((a**3 - a) * m[i] + (b**3 - b) * m[i + 1]) * h[i] ** 2 / 6)
    return out, m


# ---------------------------------------------------------------- simulation


@program(lambda: (ints(56, 0, 2, 16), 30, 8), lambda: (np.array([0, 1, 0]), 110, 1))
def elementary_automaton(cells, rule, steps):
    rows = [cells]
    for _ in range(steps):
        left, right = np.roll(cells, 1), np.roll(cells, -1)
        code = 4 * left + 2 * cells + right
        cells = rule >> code & 1
        rows.append(cells)
    return np.array(rows)


@program(lambda: (5, 5, 60), lambda: (3, 3, 4))
def langtons_ant(rows, cols, steps):
    grid = np.zeros((rows, cols), dtype=bool)
    r, c, heading = rows // 2, cols // 2, 0
    moves = ((-1, 0), (0, 1), (1, 0), (0, -1))
    for _ in range(steps):
        heading = (heading + (1 if grid[r, c] else -1)) % 4
        grid[r, c] = not grid[r, c]
        dr, dc = moves[heading]
        r, c = (r + dr) % rows, (c + dc) % cols
    return grid, (r, c), heading


@program(lambda: (uni(57, 6, 6), 3), lambda: (uni(58, 2, 2), 1))
def forest_fire(fuel, spread):
    state = (fuel > 0.3).astype(int)
    state[0, 0] = 2
    burned = []
    while (state == 2).any():
        new = state.copy()
        for i, j in np.argwhere(state == 2):
            new[i, j] = 3
            for a in range(max(i - 1, 0), min(i + 2, state.shape[0])):
                for b in range(max(j - 1, 0), min(j + 2, state.shape[1])):
                    if state[a, b] == 1 and fuel[a, b] * spread > 1:
                        new[a, b] = 2
        state = new
        burned.append(int((state == 3).sum()))
    return state, burned


@program(lambda: (rnd(59, 5, 5), 0.1, 4), lambda: (np.zeros((2, 2)), 1.0, 2))
def reaction_diffusion(u, rate, steps):
    v = np.abs(u)
    for _ in range(steps):
        for field_, sign in ((u, 1.0), (v, -1.0)):
            laplacian = sum(np.roll(field_, shift, axis) for shift in (-1, 1) for axis in (0, 1)) - 4 * field_
            field_ += 0.1 * laplacian + sign * rate * u * v
        np.clip(u, -5, 5, out=u)
    return u, v


@dataclass
class Agent:
    """One household."""

    wealth: float
    trades: int = 0
    history: list = field(default_factory=list)

    def pay(self, other, amount):
        amount = min(amount, self.wealth)
        self.wealth -= amount
        other.wealth += amount
        self.trades += 1
        return amount


@program(
    lambda: (np.array([0, 1, 2, 0, 1, 2, 2]), np.array([1.0, 5.0, 2.0, 8.0, 1.0, 3.0, 9.0])), lambda: (np.array([1]), np.array([99.0]))
)
def market_of_agents(payers, amounts):
    a, b, c = Agent(10.0), Agent(5.0), Agent(0.0)
    moved = 0.0
    for who, amount in zip(payers, amounts):
        if who == 0:
            moved += a.pay(b, amount)
        elif who == 1:
            moved += b.pay(c, amount)
        else:
            moved += c.pay(a, amount)
    return a.wealth, b.wealth, c.wealth, a.trades + b.trades + c.trades, moved


class Queue:
    """A single server with waiting times."""

    def __init__(self, rate):
        self.rate = rate
        self.free_at = 0.0
        self.waits = []

    def arrive(self, now, work):
        start = max(now, self.free_at)
        self.free_at = start + work / self.rate
        self.waits.append(start - now)
        return self.free_at

    @property
    def mean_wait(self):
        return sum(self.waits) / len(self.waits) if self.waits else 0.0


@program(lambda: (uni(60, 12).cumsum(), uni(61, 12) * 2), lambda: (np.zeros(0), np.zeros(0)))
def single_server_queue(arrivals, work):
    server = Queue(1.2)
    ends = [server.arrive(t, w) for t, w in zip(arrivals, work)]
    return ends, server.mean_wait, max(server.waits, default=None)


@program(lambda: (0.3, 0.1, 1000.0, 40), lambda: (0.0, 0.5, 10.0, 3))
def epidemic_until_over(beta, gamma, population, days):
    s, i, r = population - 1.0, 1.0, 0.0
    peak, peak_day = i, 0
    for day in range(1, days + 1):
        new, gone = beta * s * i / population, gamma * i
        s, i, r = s - new, i + new - gone, r + gone
        if i > peak:
            peak, peak_day = i, day
        if i < 0.5:
            break
    return s, i, r, peak, peak_day, day


@program(lambda: (rnd(62, 4, 2), rnd(63, 4, 2), 10), lambda: (rnd(64, 1, 2), rnd(65, 1, 2), 2))
def gas_in_a_box(position, velocity, steps):
    hits = 0
    for _ in range(steps):
        position += 0.1 * velocity
        outside = np.abs(position) > 1.0
        hits += np.count_nonzero(outside)
        velocity[outside] *= -1
        np.clip(position, -1.0, 1.0, out=position)
        for i in range(len(position)):
            for j in range(i):
                d = position[i] - position[j]
                if d @ d < 0.04:
                    velocity[[i, j]] = velocity[[j, i]]
                    hits += 1
    return position, velocity, hits, 0.5 * (velocity**2).sum()


@program(lambda: (100.0, 0.05, 0.2, 1.0, 6), lambda: (90.0, 0.0, 0.4, 0.5, 1))
def american_option_on_a_tree(spot, rate, sigma, years, steps):
    dt = years / steps
    up = math.exp(sigma * math.sqrt(dt))
    p = (math.exp(rate * dt) - 1 / up) / (up - 1 / up)
    values = [max(100.0 - spot * up ** (2 * k - steps), 0.0) for k in range(steps + 1)]
    early = 0
    for level in range(steps - 1, -1, -1):
        for k in range(level + 1):
            hold = math.exp(-rate * dt) * (p * values[k + 1] + (1 - p) * values[k])
            now = 100.0 - spot * up ** (2 * k - level)
            if now > hold:
                early += 1
            values[k] = max(hold, now)
    return values[0], early
