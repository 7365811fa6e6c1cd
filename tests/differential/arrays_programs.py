"""Programs on arrays: layouts, dtypes, sizes, views of views, aliases, writes, calls of NumPy that algorithms make."""

from __future__ import annotations

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def ints(seed, low, high, *shape, dtype=np.int64):
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def layouts(seed, n, m):
    """The same values in four layouts."""
    base = rnd(seed, n, m)
    wide = np.zeros((2 * n, 3 * m))
    wide[::2, ::3] = base
    return (
        (lambda: (base.copy(),)),
        (lambda: (np.asfortranarray(base),)),
        (lambda: (wide.copy()[::2, ::3],)),
        (lambda: (base.copy()[::-1, ::-1],)),
    )


@program(*layouts(1, 5, 4))
def running_sums_in_any_layout(a):
    for i in range(1, a.shape[0]):
        a[i] += a[i - 1]
    for j in range(1, a.shape[1]):
        a[:, j] += a[:, j - 1]
    return a.ravel(), a.T.copy(), a.flatten()


@program(*layouts(2, 9, 2))
def elementwise_in_any_layout(a):
    b = np.sin(a) * 2 + a.T.sum()
    b[a > 0] = 0.0
    return b, a.strides == b.strides, b.flags.c_contiguous


@program(*layouts(3, 3, 20))
def reductions_in_any_layout(a):
    return a.sum(axis=0), a.mean(1), a.max(), a.argmin(), a.std(axis=1), a.cumsum(), a.prod(axis=(0, 1)), np.ptp(a, axis=0)


@program(*layouts(4, 4, 4))
def determinant_by_elimination(a):
    n = a.shape[0]
    sign = 1.0
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            a[[k, p]] = a[[p, k]]
            sign = -sign
        for i in range(k + 1, n):
            a[i, k:] -= a[i, k] / a[k, k] * a[k, k:]
    return sign * np.diag(a).prod()


@program(lambda: (rnd(5, 9),), lambda: (rnd(5, 100),), lambda: (rnd(5, 18)[::2],), lambda: (rnd(5, 9)[::-1],))
def views_of_views_written(x):
    y = x[1:]
    z = y[::2]
    w = z[::-1]
    w[0] = 100.0
    z += 1.0
    y[-1] = x[0]
    w[:2] *= 3
    return x, w, z.sum()


@program(lambda: (rnd(6, 4, 6),), lambda: (np.asfortranarray(rnd(6, 2, 6)),))
def reshape_then_write(a):
    b = a.reshape(-1)
    b[0] = 50.0
    c = a.T
    c[0, 0] += 1.0
    d = a[:, 1:3]
    d[:] = d[:, ::-1]
    return a, b, d


@program(lambda: (np.zeros(6),), lambda: (np.zeros(12)[::2],))
def shared_argument(x):
    a = x[:3]
    b = x[2:]
    for i in range(3):
        a[i] += 1 + i
        b[i] *= 10
    return x, a, b


@program(
    lambda: ((lambda z: (z[:-1], z[1:]))(np.arange(6.0)),),
    lambda: ((lambda z: (z, z))(np.arange(5.0)),),
    lambda: ((np.arange(3.0), np.arange(3.0)),),
)
def overlapping_pair(pair):
    a, b = pair
    for i in range(len(a)):
        b[i] = a[i] + 1
    a += b
    return a, b


@program(lambda: (np.arange(5.0), np.arange(5.0) * 2, 1), lambda: (np.arange(5.0), np.arange(5.0) * 2, -1))
def alias_chosen_by_data(a, b, k):
    t = a if k > 0 else b
    t[0] = 99.0
    t += 1
    u = t[1:]
    u[:] = 0
    return a, b, t


@program(lambda: (np.arange(4.0), np.arange(4.0) + 10, 5), lambda: (np.arange(4.0), np.arange(4.0) + 10, 0))
def buffers_swapped_in_loop(a, b, n):
    src, dst = a, b
    for _ in range(n):
        dst[1:] = src[:-1] * 0.5
        dst[0] = src[-1]
        src, dst = dst, src
    return src


@program(lambda: (np.arange(6.0), 3), lambda: (np.arange(6.0), 0), lambda: (np.arange(40.0), 30))
def alias_after_loop(x, n):
    view = x
    for i in range(n):
        if i % 2 == 0:
            view = view[1:]
        else:
            view[0] += 10
    return view, x


@program(
    lambda: (np.arange(5, dtype=np.int32),),
    lambda: (np.arange(5, dtype=np.uint8),),
    lambda: (np.arange(5, dtype=np.float32),),
    lambda: (np.ones(5, dtype=bool),),
    lambda: (np.arange(5) * 1j,),
)
def promotion_of_every_dtype(x):
    return x + 1, x * 2.5, x / 2, x + x, x.sum(), x.mean(), x * np.float32(2), x == 1, np.where(x != 0, x, 1), x.astype(np.int16)


@program(
    lambda: (np.array([250, 251, 255], dtype=np.uint8),),
    lambda: (np.array([120, 127, -128], dtype=np.int8),),
    lambda: (np.array([2**31 - 1, -(2**31)], dtype=np.int32),),
)
def overflow_wraps(x):
    s = x[0]
    for v in x:
        s = s + v
    y = x + x
    y *= 3
    return s, y, -x, x - 10, x.sum(), abs(x), x.cumsum()


@program(lambda: (np.array([2**62, 2**62], dtype=np.int64),), lambda: (np.array([2**63, 1], dtype=np.uint64),))
def overflow_of_64_bits(x):
    t = x[0] + x[1]
    return t, x * 4, x.sum(), x.prod(), x >> np.asarray(3, dtype=x.dtype)


@program(lambda: (np.array([1.5, np.nan, -np.inf, np.inf, -0.0]),), lambda: (np.array([np.nan], dtype=np.float32),))
def special_values(x):
    n = 0
    for v in x:
        if v != v:
            n += 1
        elif v > 1e308:
            n += 10
        elif not v > -1e308:
            n += 100
    return (
        n,
        np.isnan(x).sum(),
        np.nanmax(np.where(np.isinf(x), np.nan, x), initial=-1.0),
        np.maximum(x, 0),
        np.fmax(x, 0),
        np.sign(x),
        1 / x,
        np.signbit(x),
    )


@program(lambda: (np.zeros((0, 3)),), lambda: (np.zeros((3, 0)),), lambda: (np.ones((1, 1)),), lambda: (np.ones((2, 2)),))
def empty_and_tiny(a):
    total = a.sum(axis=0)
    rows = 0
    for row in a:
        rows += row.size
    return total, a.T, rows, a.mean() if a.size else -1.0, a.any(), a.all(), a @ a.T, np.concatenate([a, a], axis=1).shape


@program(lambda: (np.array(2.5),), lambda: (np.array(-1.0),))
def zero_dimensional(x):
    y = x * 2
    if x > 0:
        x[...] = 7.0
    else:
        x -= 1
    return x, y, x.ndim, x.shape, x[()], x.item(), float(x), np.atleast_1d(x)


@program(lambda: (rnd(7, 8), 3), lambda: (rnd(7, 8), -9), lambda: (rnd(7, 8), 0), lambda: (rnd(7, 1), 1))
def rolled_by_data(x, k):
    y = np.roll(x, k)
    return y, y[:k], y[k:], y[::-1][:2]


@program(lambda: (ints(8, 0, 9, 20),), lambda: (ints(8, 0, 9, 1),), lambda: (ints(8, 0, 9, 100, dtype=np.int32),))
def unique_and_counts(x):
    values, counts = np.unique(x, return_counts=True)
    return values, counts, np.bincount(x), values[counts.argmax()]


@program(lambda: (rnd(9, 20),), lambda: (rnd(9, 1),), lambda: (rnd(9, 100).astype(np.float32),))
def selections(x):
    order = np.argsort(x)
    picked = x[x > np.median(x)]
    return (
        x[order],
        picked,
        np.flatnonzero(x > 0),
        np.percentile(x, 30),
        np.searchsorted(x[order], 0.0),
        np.clip(x, -0.5, 0.5),
        np.partition(x, 0)[0],
    )


@program(lambda: (rnd(10, 5, 5),), lambda: (rnd(10, 2, 2),), lambda: (rnd(10, 1, 1),))
def triangles_and_diagonals(a):
    n = a.shape[0]
    b = np.triu(a) - np.tril(a, -1)
    b[np.diag_indices(n)] = 1.0
    np.fill_diagonal(a, 9.0)
    return b, a, np.trace(a), np.diag(np.diag(a)), np.eye(n) * 2, np.outer(a[0], a[0])


@program(lambda: (rnd(11, 4, 3), rnd(12, 3)), lambda: (rnd(11, 1, 3), rnd(12, 3)), lambda: (rnd(11, 20, 2), rnd(12, 2)))
def distances_by_broadcast(points, center):
    d = np.sqrt(((points - center) ** 2).sum(-1))
    pairwise = np.abs(points[:, None, :] - points[None, :, :]).max(axis=2)
    nearest = d.argmin()
    return d, pairwise, nearest, points[nearest]


@program(lambda: (ints(13, 0, 2, 8, 8).astype(bool),), lambda: (ints(14, 0, 2, 2, 5).astype(bool),), lambda: (np.ones((1, 1), dtype=bool),))
def game_of_life(board):
    n, m = board.shape
    out = np.zeros_like(board)
    for i in range(n):
        for j in range(m):
            alive = 0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if (di or dj) and board[(i + di) % n, (j + dj) % m]:
                        alive += 1
            out[i, j] = alive == 3 or (board[i, j] and alive == 2)
    return out, out.sum(), ~out, out ^ board


@program(
    lambda: (ints(15, 0, 256, 6, 5, dtype=np.uint8),),
    lambda: (ints(15, 0, 256, 1, 1, dtype=np.uint8),),
    lambda: (ints(15, 0, 256, 20, 3, dtype=np.uint8)[::-2],),
)
def image_threshold(image):
    hist = np.zeros(256, dtype=np.int64)
    for row in image:
        for p in row:
            hist[p] += 1
    total = image.size
    best, cut = -1.0, 0
    weight, mean_sum = 0, 0.0
    overall = (np.arange(256) * hist).sum()
    for t in range(256):
        weight += hist[t]
        if weight == 0 or weight == total:
            continue
        mean_sum += t * hist[t]
        gap = mean_sum / weight - (overall - mean_sum) / (total - weight)
        between = weight * (total - weight) * gap * gap
        if between > best:
            best, cut = between, t
    return cut, (image > cut).astype(np.uint8) * 255, image // 2 + 1, image - 1


@program(lambda: (rnd(16, 8) + 1j * rnd(17, 8),), lambda: (rnd(16, 1) + 0j,), lambda: ((rnd(16, 4) + 1j).astype(np.complex64),))
def fourier_by_definition(x):
    n = len(x)
    out = np.zeros(n, dtype=np.complex128)
    for k in range(n):
        acc = 0j
        for t in range(n):
            acc += x[t] * np.exp(-2j * np.pi * k * t / n)
        out[k] = acc
    return out, np.abs(out), out.conj(), out.real, np.angle(out)


@program(lambda: (rnd(18, 5) + 1j,), lambda: (rnd(18, 1) - 2j,))
def complex_parts_written(z):
    z.real[:] = np.abs(z)
    z.imag[0] = 5
    z.real += 1
    total = 0j
    for v in z:
        if v.imag > 0:
            total += v.conjugate()
        else:
            total -= v
    return total, z, z * z.conj()


@program(lambda: (0.1 + 0.2j, 50), lambda: (2.0 + 2j, 50), lambda: (-0.75 + 0.01j, 100))
def mandelbrot_escape(c, limit):
    z = 0j
    for i in range(limit):
        if abs(z) > 2:
            return i
        z = z * z + c
    return limit


@program(lambda: (rnd(19, 6), rnd(20, 6)), lambda: (rnd(19, 1), rnd(20, 9)), lambda: (np.array([1, 2, 3, 2]), np.array([2, 3, 2])))
def longest_common_subsequence(a, b):
    n, m = len(a), len(b)
    table = np.zeros((n + 1, m + 1), dtype=np.int32)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if abs(a[i - 1] - b[j - 1]) < 0.3:
                table[i, j] = table[i - 1, j - 1] + 1
            else:
                table[i, j] = max(table[i - 1, j], table[i, j - 1])
    return table, table[n, m]


@program(lambda: (np.array([3, 4, 5, 9, 4]), np.array([3.0, 4.0, 4.0, 10.0, 4.0]), 11), lambda: (np.array([2]), np.array([1.0]), 1))
def knapsack(weights, worth, capacity):
    best = np.zeros(capacity + 1)
    for w, v in zip(weights, worth):
        for c in range(capacity, w - 1, -1):
            best[c] = max(best[c], best[c - w] + v)
    return best


@program(lambda: (np.array([[0, 3, 99, 7], [8, 0, 2, 99], [5, 99, 0, 1], [2, 99, 99, 0]], dtype=np.float32),), lambda: (np.zeros((1, 1)),))
def shortest_paths(d):
    n = d.shape[0]
    for k in range(n):
        d[:] = np.minimum(d, d[:, k][:, None] + d[k][None, :])
    return d, d.max()


@program(lambda: (rnd(21, 9),), lambda: (rnd(21, 100),), lambda: (rnd(21, 2),), lambda: (ints(21, 0, 9, 20, dtype=np.int32),))
def quicksort_by_stack(x):
    stack = [(0, len(x) - 1)]
    while stack:
        low, high = stack.pop()
        if low >= high:
            continue
        pivot = x[high]
        i = low
        for j in range(low, high):
            if x[j] < pivot:
                x[i], x[j] = x[j], x[i]
                i += 1
        x[i], x[high] = x[high], x[i]
        stack.append((low, i - 1))
        stack.append((i + 1, high))
    return x


@program(lambda: (rnd(22, 9),), lambda: (rnd(22, 1),), lambda: (rnd(22, 20).astype(np.float32),))
def merge_sort_bottom_up(x):
    n = len(x)
    a, b = x.copy(), np.empty_like(x)
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j >= high or a[i] <= a[j]):
                    b[k] = a[i]
                    i += 1
                else:
                    b[k] = a[j]
                    j += 1
        a, b = b, a
        width *= 2
    return a


@program(lambda: (rnd(23, 5, 5), rnd(24, 5)), lambda: (rnd(23, 1, 1), rnd(24, 1)), lambda: (np.asfortranarray(rnd(23, 9, 9)), rnd(24, 9)))
def power_iteration(a, v):
    a = a @ a.T
    norm = 0.0
    for _ in range(100):
        w = a @ v
        new = np.linalg.norm(w)
        v = w / new
        if abs(new - norm) < 1e-9 * new:
            break
        norm = new
    return norm, np.abs(v)


@program(lambda: (rnd(25, 3, 4, 5),), lambda: (rnd(25, 1, 2, 9),), lambda: (np.asfortranarray(rnd(25, 2, 2, 2)),))
def axes_moved(a):
    b = np.moveaxis(a, 0, -1)
    c = a.transpose(2, 0, 1)
    d = np.swapaxes(a, 0, 1)[..., ::-1]
    d[0, 0] = 0.0
    return b.sum(0), c[1:], a, np.squeeze(a[:1]), np.expand_dims(a, 1).shape, np.flip(a, 1), np.rot90(a[0])


@program(
    lambda: (rnd(26, 6), ints(27, 0, 6, 10)),
    lambda: (rnd(26, 1), ints(27, 0, 1, 5)),
    lambda: (rnd(26, 6), ints(27, -6, 0, 9, dtype=np.int32)),
)
def duplicates_in_index(x, index):
    y = x.copy()
    y[index] += 1.0
    np.add.at(x, index, 1.0)
    z = x.take(index)
    z[0] = 0
    return x, y, z, x[index][::2]


@program(lambda: (rnd(28, 5, 6), ints(29, 0, 5, 3)), lambda: (rnd(28, 5, 2), ints(29, 0, 5, 1)))
def mixed_indexing(a, rows):
    a[rows, 0] = -1.0
    a[rows, 1:] += 1.0
    a[a > 1] = 1.0
    mask = a[:, 0] > 0
    return a, a[mask], a[mask, 1], a[rows][:, None, 0], a[..., -1], a[~mask].sum()


@program(lambda: (rnd(30, 10),), lambda: (rnd(30, 1),), lambda: (rnd(30, 2),))
def stored_into_preallocated(x):
    out = np.empty((len(x), 3), dtype=np.float32)
    for i, v in enumerate(x):
        out[i] = v, v * 2, v * 3
        out[i, 1:] = [1, v]
    return out


@program(lambda: (rnd(31, 5), 3), lambda: (rnd(31, 1), 0))
def stacked_rows(x, n):
    rows = []
    for k in range(n + 1):
        rows.append(x * k)
    return np.stack(rows), np.vstack(rows), np.concatenate(rows), np.array(rows), np.column_stack(rows)


@program(lambda: (rnd(32, 20), 0.3), lambda: (rnd(32, 1), 0.3), lambda: (rnd(32, 9).astype(np.float32), 0.5))
def exponential_smoothing(x, alpha):
    out = np.empty(x.shape, x.dtype)
    state = x[0]
    for i in range(x.size):
        state = alpha * x[i] + (1 - alpha) * state
        out[i] = state
    return out, state


@program(lambda: (rnd(33, 6), np.ones(3)), lambda: (rnd(33, 2), np.ones(1)), lambda: (rnd(33, 20), rnd(34, 5)))
def convolution_by_loops(x, k):
    out = np.zeros(len(x) + len(k) - 1)
    for i in range(len(x)):
        out[i : i + len(k)] += x[i] * k
    return out, np.convolve(x, k)


@program(lambda: (rnd(35, 4, 4),), lambda: (rnd(35, 1, 1),), lambda: (np.asfortranarray(rnd(35, 9, 9)),))
def cholesky_by_loops(m):
    n = m.shape[0]
    a = m @ m.T + n * np.eye(n)
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j] - low[i, :j] @ low[j, :j]
            low[i, j] = np.sqrt(s) if i == j else s / low[j, j]
    return low, np.allclose(low @ low.T, a)


@program(lambda: (rnd(36, 6, 2),), lambda: (rnd(36, 1, 2),), lambda: (rnd(36, 20, 2)[::-1],))
def convex_hull_turns(points):
    order = np.lexsort((points[:, 1], points[:, 0]))
    hull = np.zeros(len(points) + 1, dtype=np.intp)
    size = 0
    for i in order:
        while size >= 2:
            o, a, b = points[hull[size - 2]], points[hull[size - 1]], points[i]
            cross = (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
            if cross > 0:
                break
            size -= 1
        hull[size] = i
        size += 1
    return hull[:size]


@program(lambda: (np.array([2, 0, 1, 4, 3]),), lambda: (np.array([0]),), lambda: (np.array([3, 2, 1, 0], dtype=np.int32),))
def permutation_cycles(p):
    seen = np.zeros(p.size, dtype=bool)
    lengths = []
    for start in range(p.size):
        if seen[start]:
            continue
        n, k = 0, start
        while not seen[k]:
            seen[k] = True
            k = p[k]
            n += 1
        lengths.append(n)
    return lengths, p[p], np.argsort(p)


@program(lambda: (12345,), lambda: (0,), lambda: (2**40 + 7,))
def bits_of_integer(n):
    ones = 0
    out = np.zeros(64, dtype=np.uint8)
    i = 0
    while n:
        if n & 1:
            ones += 1
            out[i] = 1
        n >>= 1
        i += 1
    return ones, out, i


@program(lambda: (np.uint32(12345), 10), lambda: (np.uint32(2**32 - 1), 3))
def xorshift(state, n):
    out = np.zeros(n, dtype=np.uint32)
    for i in range(n):
        state ^= state << np.uint32(13)
        state ^= state >> np.uint32(17)
        state ^= state << np.uint32(5)
        out[i] = state
    return out, state


@program(
    lambda: (np.array([1, 2, 3], dtype=np.uint8), np.array([4, 5, 6], dtype=np.int8)),
    lambda: (np.array([True, False]), np.array([3, 4], dtype=np.uint16)),
    lambda: (np.ones(2, dtype=np.float32), np.ones(2, dtype=np.int64)),
)
def mixed_dtypes(a, b):
    c = a + b
    d = np.concatenate([a, b])
    e = np.where(a > 1, a, b)
    t = a[0] + b[0]
    return c, d, e, t, a[0] * 2, a / b, np.maximum(a, b), np.dot(a, b)


@program(
    lambda: (np.arange(5, dtype=np.int32), 2.7),
    lambda: (np.arange(5, dtype=np.uint8), 200.4),
    lambda: (np.arange(5, dtype=np.float32), 1e-3),
)
def stores_convert(x, v):
    x[1] = v
    x[2:4] = np.array([v, v + 1])
    x[-1] = True
    return x


@program(lambda: (rnd(37, 5),), lambda: (rnd(37, 1),))
def inplace_methods(x):
    x.sort()
    y = x.copy()
    y.fill(3.0)
    x[::-1].sort()
    np.multiply(x, 2, out=x)
    np.add(x[:1], y[:1], out=y[:1])
    np.copyto(y, x, where=x > 0)
    return x, y, np.sqrt(np.abs(x), out=y) is y


@program(lambda: (rnd(38, 9), 4), lambda: (rnd(38, 9), 1), lambda: (rnd(38, 5), 5))
def moving_median(x, w):
    out = np.empty(len(x) - w + 1)
    for i in range(len(out)):
        window = np.sort(x[i : i + w])
        out[i] = window[w // 2] if w % 2 else 0.5 * (window[w // 2 - 1] + window[w // 2])
    return out


@program(lambda: (rnd(39, 3, 3), 5), lambda: (rnd(39, 2, 2), 0), lambda: (rnd(39, 2, 2), 1))
def matrix_power_by_squaring(a, n):
    result = np.eye(a.shape[0])
    while n > 0:
        if n % 2 == 1:
            result = result @ a
        a = a @ a
        n //= 2
    return result


@program(lambda: (rnd(40, 20),), lambda: (rnd(40, 1),), lambda: (rnd(40, 100).astype(np.float32),))
def kahan_and_welford(x):
    total, comp, mean, m2, n = 0.0, 0.0, 0.0, 0.0, 0
    for v in x:
        y = v - comp
        t = total + y
        comp = (t - total) - y
        total = t
        n += 1
        delta = v - mean
        mean += delta / n
        m2 += delta * (v - mean)
    return mean, m2 / n


@program(
    lambda: (np.linspace(0, 1, 5), np.linspace(0, 1, 5) ** 2, np.array([0.1, 0.5, 0.95])),
    lambda: (np.array([0.0, 1.0]), np.array([3.0, 5.0]), np.array([0.5])),
)
def interpolation_by_bisection(xs, ys, at):
    out = np.empty(at.shape)
    for k in range(at.size):
        low, high = 0, xs.size - 1
        while high - low > 1:
            middle = (low + high) // 2
            if xs[middle] > at[k]:
                high = middle
            else:
                low = middle
        t = (at[k] - xs[low]) / (xs[high] - xs[low])
        out[k] = ys[low] * (1 - t) + ys[high] * t
    return out


@program(lambda: (rnd(41, 6, 6), 3), lambda: (rnd(41, 2, 2), 1), lambda: (rnd(41, 9, 9)[::-1].T, 2))
def block_sums(a, b):
    n = a.shape[0] // b
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            block = a[i * b : (i + 1) * b, j * b : (j + 1) * b]
            out[i, j] = block.sum()
            block[...] = out[i, j]
    return out, a


@program(lambda: (rnd(42, 5),), lambda: (rnd(42, 1),))
def masks_combined(x):
    m = (x > 0) & (x < 1) | (x < -1)
    y = np.where(m, x, 0)
    x[m] *= -1
    x[~m] = np.arange((~m).sum())
    return x, y, m.sum(), np.count_nonzero(m), m.nonzero()[0], np.select([x > 1, x < 0], [1, 2], default=3), np.logical_xor(m, x > 0)


@program(lambda: (rnd(43, 4, 5),), lambda: (rnd(43, 1, 1),))
def iteration_over_rows_writes(a):
    for row in a:
        if row[0] > 0:
            row[:] = row / row.max()
        else:
            row *= 0
    for i, column in enumerate(a.T):
        column += i
    return a


@program(lambda: (np.arange(12.0).reshape(3, 4),), lambda: (np.arange(4.0).reshape(2, 2),))
def flat_and_ndindex(a):
    total = 0.0
    for i, j in np.ndindex(a.shape):
        total += a[i, j] * (i - j)
    for index, v in np.ndenumerate(a):
        total += v * index[0]
    a.flat[1] = 100.0
    return total, a


@program(lambda: (rnd(44, 7),), lambda: (rnd(44, 2),), lambda: (rnd(44, 1),))
def differences_and_gradients(x):
    d = np.diff(x)
    return d, np.cumsum(x)[::-1], np.append(x, 1.0), np.insert(x, 0, 5.0), np.delete(x, 0), np.repeat(x, 2), np.tile(x, 3), np.pad(x, 1)


@program(lambda: (rnd(45, 3, 3), rnd(46, 3)), lambda: (rnd(45, 1, 1), rnd(46, 1)))
def solvers_of_linalg(a, b):
    m = a @ a.T + np.eye(len(b))
    x = np.linalg.solve(m, b)
    return (
        x,
        np.linalg.inv(m) @ b,
        np.linalg.det(m),
        np.linalg.eigvalsh(m),
        np.linalg.norm(a),
        np.linalg.cholesky(m),
        np.einsum("ij,j->i", m, b),
    )


@program(lambda: (rnd(47, 9),), lambda: (rnd(47, 0),), lambda: (rnd(47, 1),))
def data_dependent_shapes(x):
    positive = x[x > 0]
    negative = x[x <= 0]
    if positive.size > negative.size:
        out = positive
    else:
        out = negative
    out = out * 2
    while out.size > 1:
        out = out[::2]
    return out, positive.size, np.concatenate([negative, positive])


@program(lambda: (4, 0.5), lambda: (1, 0.5), lambda: (0, 0.5))
def array_grows_in_loop(n, x):
    a = np.zeros(0)
    for i in range(n):
        a = np.append(a, x * i)
    return a, a.size


@program(lambda: (rnd(48, 4, 4),), lambda: (rnd(48, 2, 2),))
def rows_swapped_by_tuple(a):
    n = len(a)
    for i in range(n // 2):
        a[i], a[n - 1 - i] = a[n - 1 - i].copy(), a[i].copy()
    a[:, 0], a[:, 1] = a[:, 1], a[:, 0].copy()
    return a


@program(lambda: (rnd(49, 3),), lambda: (rnd(49, 20),))
def scalars_of_numpy(x):
    a, b = x[0], x[1]
    return (
        a.dtype.kind,
        a + 1,
        int(a > b),
        np.float32(a) * 2,
        a.item(),
        a.astype(np.int32),
        np.int64(3) // 2,
        np.sqrt(a * a),
        (a * b).round(3),
        type(a) is np.float64,
        isinstance(a, float),
    )


@program(lambda: (np.array([True, False, True]),), lambda: (np.array([False]),), lambda: (np.zeros(0, dtype=bool),))
def booleans(m):
    n = 0
    for flag in m:
        if flag:
            n += 1
        n += flag
    return n, m.sum(), m.mean(), m + m, m * 2, ~m, m & True, m.any() and not m.all(), m.astype(int).cumsum(), -m.astype(np.int8)


@program(lambda: (rnd(50, 2, 3),), lambda: (rnd(50, 3, 2),), lambda: (rnd(50, 1, 1),))
def shapes_decide(a):
    if a.shape[0] < a.shape[1]:
        a = a.T
    n, m = a.shape
    return a, n * m, a.reshape(m, n), a.ravel()[n - 1], np.zeros(a.shape[::-1]), np.ones_like(a, dtype=np.int32)


@program(lambda: (np.array([-1, 2 - 3j, 0, complex(-0.0, 0.0), complex(np.inf, 1), complex(np.nan, 2)]),))
def whole_powers_of_complex_numbers(z):
    return [[number**2, number**3, number**-1, number**-2, number**5.0, 2 * number**2 - 2] for number in z]
