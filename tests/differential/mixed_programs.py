"""Small programs that call NumPy's functions in branches and loops of the run, on arrays that they made or were given."""

from __future__ import annotations

import copy
import itertools
import math
import operator

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def ints(seed, low, high, *shape):
    return np.random.default_rng(seed).integers(low, high, shape)


def fresh(*values):
    return lambda: copy.deepcopy(values)


X, Y = rnd(1, 7), rnd(2, 7)
A, B = rnd(3, 4, 5), rnd(4, 5, 3)
K = ints(5, 0, 4, 9)
BOTH = (fresh(X), fresh(-np.abs(X)))


# ---------------------------------------------------------------- branches


@program(*BOTH)
def sorted_or_reversed(x):
    y = np.sort(x) if x.sum() > 0 else x[::-1]
    y[0] = 100.0
    return y, x


@program(*BOTH)
def axis_chosen_by_data(x):
    a = np.outer(x, x)
    axis = 0 if x[0] > 0 else 1
    return a.sum(axis=axis), np.flip(a, axis), np.take(a, 2, axis=axis)


@program(*BOTH)
def dtype_chosen_by_data(x):
    y = x.astype(np.float32) if x[0] > 0 else x.astype(np.int64)
    return y + 1, y.dtype.kind


@program(*BOTH)
def function_chosen_by_data(x):
    f = np.cumsum if x[0] > 0 else np.cumprod
    g = {True: np.max, False: np.min}[bool(x[1] > 0)]
    return f(x), g(x), (np.sin if x[2] > 0 else np.cos)(x)


@program(*BOTH)
def rank_chosen_by_data(x):
    y = x[None, :] * x[:, None] if x[0] > 0 else x
    return y.ndim, y.shape, y.sum(), np.squeeze(y).size


@program(*BOTH)
def maybe_array(x):
    best = None
    for i in range(len(x) - 1):
        pair = x[i : i + 2]
        if best is None or pair.sum() > best.sum():
            best = pair
    return best, best is None


@program(fresh(X, 2), fresh(X, 0), fresh(X, 5))
def repeated_smoothing(x, n):
    while n > 0 and np.ptp(x) > 0.5:
        x = np.convolve(x, [0.25, 0.5, 0.25], mode="same")
        n -= 1
    return x, n


@program(fresh(X), fresh(np.zeros(3)), fresh(np.ones(1)))
def normalised_if_possible(x):
    norm = np.linalg.norm(x)
    if norm:
        x /= norm
    return x, norm, np.linalg.norm(x, ord=1)


@program(fresh(A), fresh(-np.abs(A)))
def rows_selected_by_loop(a):
    kept = []
    for row in a:
        if row.mean() > 0:
            kept.append(row / row.max())
    return np.array(kept) if kept else None, len(kept)


@program(fresh(A), fresh(A[:1]))
def columns_standardised(a):
    out = np.empty_like(a)
    for j, column in enumerate(a.T):
        s = column.std()
        out[:, j] = (column - column.mean()) / s if s > 1e-12 else 0.0
    return out


@program(fresh(X), fresh(X[:1]))
def running_statistics_by_slices(x):
    return [(x[: i + 1].mean(), np.median(x[: i + 1]), x[i:].max()) for i in range(len(x))]


@program(fresh(X, Y), fresh(X[:1], Y[:1]))
def nearest_of_each(x, y):
    out = np.empty(len(x), dtype=int)
    distance = np.empty(len(x))
    for i in range(len(x)):
        d = np.abs(y - x[i])
        out[i] = d.argmin()
        distance[i] = d[out[i]]
    return out, distance


@program(fresh(K), fresh(np.zeros(0, int)), fresh(np.array([3])))
def groups_by_key(k):
    sums = np.zeros(4)
    members = [[] for _ in range(4)]
    for i, key in enumerate(k):
        sums[key] += i
        members[key].append(i)
    return sums, members, [len(m) for m in members]


@program(fresh(X), fresh(X[:2]))
def differences_until_short(x):
    levels = 0
    while x.size > 2:
        x = np.diff(x)
        levels += 1
    return x, levels


@program(fresh(X, 3), fresh(X, 1), fresh(X, 7))
def chunks_of_array(x, n):
    parts = [x[i : i + n] for i in range(0, len(x), n)]
    return parts, [p.sum() for p in parts], len(parts[-1])


@program(fresh(A), fresh(A.T))
def spiral_of_matrix(a):
    out = []
    top, bottom, left, right = 0, a.shape[0] - 1, 0, a.shape[1] - 1
    while top <= bottom and left <= right:
        for j in range(left, right + 1):
            out.append(a[top, j])
        top += 1
        for i in range(top, bottom + 1):
            out.append(a[i, right])
        right -= 1
        if top <= bottom:
            for j in range(right, left - 1, -1):
                out.append(a[bottom, j])
            bottom -= 1
        if left <= right:
            for i in range(bottom, top - 1, -1):
                out.append(a[i, left])
            left += 1
    return np.array(out)


@program(fresh(A), fresh(A[:2, :2]))
def diagonals_collected(a):
    return [np.diagonal(a, k).sum() for k in range(-a.shape[0] + 1, a.shape[1])], np.trace(a), np.fliplr(a).diagonal()


@program(fresh(A, 5), fresh(A, 0))
def rotated_many_times(a, n):
    for k in range(n):
        a = np.rot90(a) if k % 2 else a.T
    return a, a.shape


@program(fresh(X), fresh(np.abs(X)))
def sign_changes(x):
    signs = np.sign(x)
    where = np.flatnonzero(signs[1:] != signs[:-1])
    total = 0.0
    for k in where:
        total += x[k] - x[k + 1]
    return where, total, len(where)


@program(fresh(X), fresh(X[:1]))
def local_maxima(x):
    peaks = [i for i in range(1, len(x) - 1) if x[i - 1] < x[i] > x[i + 1]]
    return peaks, x[peaks] if peaks else None


@program(fresh(X, 0.5), fresh(X, 99.0))
def first_crossing(x, level):
    above = x > level
    return np.argmax(above) if above.any() else -1, above.sum(), np.where(above, x, np.nan)


@program(fresh(X, Y), fresh(Y, X))
def stored_through_out(x, y):
    buffer = np.empty_like(x)
    total = 0.0
    for k in range(3):
        np.multiply(x, k, out=buffer)
        np.add(buffer, y, out=buffer, where=x > 0)
        total += np.dot(buffer, buffer)
    return buffer, total


@program(fresh(X), fresh(X[:1]))
def buffers_alternate(x):
    a, b = x, np.zeros_like(x)
    for _ in range(5):
        b[:] = np.roll(a, 1) * 0.5
        a, b = b, a
    return a, b, a is x


@program(fresh(K, 4), fresh(K[:0], 2))
def one_hot_rows(k, n):
    out = np.zeros((len(k), n))
    out[np.arange(len(k)), k] = 1
    return out, out.sum(axis=0), np.eye(n)[k]


@program(fresh(A), fresh(A[:1, :1]))
def largest_element_and_place(a):
    best, place = -math.inf, None
    for (i, j), v in np.ndenumerate(a):
        if v > best:
            best, place = v, (i, j)
    return best, place, np.unravel_index(a.argmax(), a.shape)


@program(fresh(3, 4), fresh(2, 2), fresh(1, 0))
def products_of_ranges(n, m):
    total = 0
    for i, j in itertools.product(range(n), range(m)):
        total += i * j if i != j else -1
    return total, [i - j for i, j in itertools.product(range(n), repeat=2)]


@program(fresh(X), fresh(X[:3]))
def pairs_by_combinations(x):
    best = 0.0
    for i, j in itertools.combinations(range(len(x)), 2):
        best = max(best, abs(x[i] - x[j]))
    return best


@program(fresh(X), fresh(X[:2]))
def neighbours_by_pairwise(x):
    return [b - a for a, b in itertools.pairwise(x)], sum(a * b for a, b in zip(x, x[1:])), list(itertools.accumulate(x, operator.mul))


@program(fresh(X, 3), fresh(X, 1))
def chained_and_repeated(x, n):
    out = []
    for v in itertools.chain(x[:2], [1.0] * n, (2.0,)):
        out.append(v * 2)
    for k, v in zip(itertools.count(1), x):
        out.append(k * v)
    return out, [v for v in itertools.islice(x, 1, 4)], list(itertools.repeat(n, 2))


@program(fresh(A, B), fresh(A[:1], B))
def product_by_outer_sums(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for k in range(a.shape[1]):
        c += np.outer(a[:, k], b[k])
    return c, np.allclose(c, a @ b), np.einsum("ik,kj->ij", a, b)


@program(fresh(A), fresh(A[:, :1]))
def cumulative_products_by_row(a):
    for row in a:
        for j in range(1, len(row)):
            row[j] *= row[j - 1]
    return a, np.cumulative_prod(a, axis=0)


@program(fresh(X), fresh(-X))
def piecewise_by_select(x):
    y = np.select([x < -1, x < 0, x < 1], [x**2, -x, np.sqrt(np.abs(x))], default=9.0)
    z = np.piecewise(x, [x < 0], [lambda v: -v, lambda v: v + 1])
    for i, v in enumerate(y):
        if v == 9.0:
            z[i] = 0
    return y, z


@program(fresh(X, 4), fresh(X, 1))
def histogram_by_hand(x, bins):
    low, high = x.min(), x.max()
    edges = np.linspace(low, high, bins + 1)
    counts = np.zeros(bins, dtype=int)
    for v in x:
        k = min(int((v - low) / (high - low) * bins), bins - 1)
        counts[k] += 1
    return counts, edges, np.array_equal(counts, np.histogram(x, bins=edges)[0])


@program(fresh(np.array([3.0, 1.0, 2.0]), np.array([0.2, 0.3, 0.5]), 0.6), fresh(np.ones(1), np.ones(1), 1.0))
def weighted_quantile(x, w, q):
    order = np.argsort(x)
    total = 0.0
    for i in order:
        total += w[i]
        if total >= q - 1e-12:
            return x[i], total
    return None


@program(fresh(X), fresh(X[:1]))
def exclusive_scan_and_inverse(x):
    scan = np.concatenate([[0.0], np.cumsum(x)[:-1]])
    return scan, np.diff(np.append(scan, scan[-1] + x[-1])), np.cumulative_sum(x, include_initial=True)


@program(fresh(ints(6, 0, 2, 8)), fresh(np.ones(3, int)), fresh(np.zeros(1, int)))
def gray_code_and_parity(bits):
    value = 0
    for b in bits:
        value = value << 1 | int(b)
    gray = value ^ (value >> 1)
    back, shift = gray, 1
    while shift < 8:
        back ^= back >> shift
        shift *= 2
    return value, gray, back, bin(gray).count("1") % 2, np.bitwise_xor.reduce(bits), np.packbits(bits.astype(bool))


@program(fresh(np.array([0x1234, 0xFFFF, 0], dtype=np.uint16)), fresh(np.array([1], dtype=np.uint16)))
def checksum_of_words(words):
    total = 0
    for w in words:
        total += int(w)
        total = (total & 0xFFFF) + (total >> 16)
    crc = 0xFFFF
    for w in words:
        crc ^= int(w)
        for _ in range(16):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return ~total & 0xFFFF, crc, words.view(np.uint8).sum(), words.byteswap()


@program(fresh(7, 5), fresh(1, 1), fresh(12345, 100))
def pseudo_random_sequence(seed, n):
    state = seed
    out = np.empty(n)
    for i in range(n):
        state = (1103515245 * state + 12345) % 2**31
        out[i] = state / 2**31
    return out, state


@program(fresh(10), fresh(1), fresh(0))
def fibonacci_forms(n):
    a, b = 0, 1
    out = []
    for _ in range(n):
        out.append(a)
        a, b = b, a + b
    m = np.linalg.matrix_power(np.array([[1, 1], [1, 0]]), n)
    return out, a, m[0, 1], int(round(((1 + 5**0.5) / 2) ** n / 5**0.5))


@program(fresh("MCMXCIV"), fresh("III"), fresh(""))
def roman_numerals(text):
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    for a, b in zip(text, text[1:] + " "):
        total += -values[a] if values[a] < values.get(b, 0) else values[a]
    return total


@program(fresh("3 + 4 * 2 - 1"), fresh("2 * 3"), fresh("1 +"))
def expression_of_tokens(text):
    numbers, operators = [], []
    rank = {"+": 1, "-": 1, "*": 2}

    def reduce():
        op, b, a = operators.pop(), numbers.pop(), numbers.pop()
        numbers.append(a + b if op == "+" else a - b if op == "-" else a * b)

    for token in text.split():
        if token in rank:
            while operators and rank[operators[-1]] >= rank[token]:
                reduce()
            operators.append(token)
        else:
            numbers.append(float(token))
    while operators:
        reduce()
    return numbers[0]


@program(fresh([3, 1, 2], {"a": 1.0}), fresh([], {}))
def containers_changed_for_caller(items, table):
    items.append(len(items))
    items.sort(reverse=True)
    table["n"] = len(items)
    table.update(b=sum(items))
    return items[0], sorted(table)


@program(fresh([X, Y, X]), fresh([X]))
def arrays_in_a_list(arrays):
    total = np.zeros_like(arrays[0])
    for a in arrays:
        total += a
    arrays[0][0] = -1.0
    return total, np.mean(arrays, axis=0), len(arrays), max(a.max() for a in arrays)


@program(fresh({"x": X, "y": Y}), fresh({"x": X}))
def arrays_in_a_dict(table):
    out = {name: a.sum() for name, a in table.items()}
    for name in table:
        table[name] *= 2
    table["x"][0] = 0.0
    return out, sorted(out, key=out.get)


@program(fresh(X, (2.0, 3.0)), fresh(X, (-1.0, 0.0)))
def tuple_of_state(x, state):
    for v in x:
        a, b = state
        state = (b, a + v) if v > 0 else (a - v, b)
    return state


@program(fresh(X, 0.1), fresh(X, 10.0))
def huber_and_quantile_losses(r, d):
    total = 0.0
    for v in r:
        total += 0.5 * v * v if abs(v) <= d else d * (abs(v) - 0.5 * d)
    return total, np.where(np.abs(r) <= d, 0.5 * r**2, d * (np.abs(r) - 0.5 * d)).sum(), np.maximum(0.3 * r, -0.7 * r).mean()


@program(fresh(A), fresh(A * 50))
def softmax_and_entropy(a):
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    h = np.zeros(len(a))
    for i, row in enumerate(p):
        for v in row:
            if v > 0:
                h[i] -= v * math.log(v)
    return p.argmax(axis=1), h


@program(fresh(X, Y), fresh(X, X))
def gradient_descent_with_backtracking(x, y):
    w, step = 0.0, 1.0
    for k in range(20):
        g = 2 * np.mean((w * x - y) * x)
        if abs(g) < 1e-8:
            break
        loss = np.mean((w * x - y) ** 2)
        while np.mean(((w - step * g) * x - y) ** 2) > loss - 0.5 * step * g * g and step > 1e-10:
            step /= 2
        w -= step * g
        step *= 1.5
    return w, k


@program(fresh(A, 2), fresh(A, 1), fresh(A, 4))
def block_means(a, n):
    rows, cols = a.shape[0] // n * n, a.shape[1] // n * n
    blocks = a[:rows, :cols].reshape(rows // n, n, cols // n, n)
    return blocks.mean(axis=(1, 3)), blocks.max(axis=(1, 3)), np.kron(blocks.mean(axis=(1, 3)), np.ones((n, n))).shape


@program(fresh(np.array([5, 3, 8, 1, 9, 2])), fresh(np.array([1])), fresh(np.array([2, 2])))
def binary_search_tree(keys):
    left, right = [-1], [-1]
    for i in range(1, len(keys)):
        left.append(-1)
        right.append(-1)
        node = 0
        while True:
            if keys[i] < keys[node]:
                if left[node] < 0:
                    left[node] = i
                    break
                node = left[node]
            else:
                if right[node] < 0:
                    right[node] = i
                    break
                node = right[node]
    order, stack, node = [], [], 0
    while stack or node >= 0:
        while node >= 0:
            stack.append(node)
            node = left[node]
        node = stack.pop()
        order.append(int(keys[node]))
        node = right[node]
    return left, right, order


@program(fresh(X, 3), fresh(X, 1), fresh(X, 7))
def sliding_maximum_by_indices(x, w):
    queue, out = [], []
    for i in range(len(x)):
        while queue and x[queue[-1]] <= x[i]:
            queue.pop()
        queue.append(i)
        if queue[0] <= i - w:
            queue.pop(0)
        if i >= w - 1:
            out.append(x[queue[0]])
    return out


@program(fresh(np.array([2, 1, 5, 6, 2, 3])), fresh(np.array([4])), fresh(np.zeros(0, int)))
def largest_rectangle(heights):
    stack, best = [], 0
    for i in range(len(heights) + 1):
        h = heights[i] if i < len(heights) else 0
        while stack and heights[stack[-1]] >= h:
            top = stack.pop()
            width = i - stack[-1] - 1 if stack else i
            best = max(best, heights[top] * width)
        stack.append(i)
    return best


@program(fresh(np.array([0, 1, 0, 2, 1, 0, 1, 3])), fresh(np.array([3, 0, 3])), fresh(np.array([1])))
def trapped_water(h):
    i, j, left, right, total = 0, len(h) - 1, 0, 0, 0
    while i < j:
        if h[i] < h[j]:
            left = max(left, h[i])
            total += left - h[i]
            i += 1
        else:
            right = max(right, h[j])
            total += right - h[j]
            j -= 1
    return total


@program(fresh([[1, 3], [2, 6], [8, 10], [9, 12]]), fresh([[1, 2]]), fresh([]))
def intervals_merged(intervals):
    merged = []
    for low, high in sorted(intervals):
        if merged and low <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], high)
        else:
            merged.append([low, high])
    return merged, sum(high - low for low, high in merged)


@program(fresh("abcabcbb"), fresh(""), fresh("zz"))
def longest_without_repeats(text):
    last, start, best = {}, 0, 0
    for i, c in enumerate(text):
        if c in last and last[c] >= start:
            start = last[c] + 1
        last[c] = i
        best = max(best, i - start + 1)
    return best, last


@program(fresh("abcbdab", "bdcaba"), fresh("", "a"), fresh("xx", "xx"))
def common_subsequence_of_texts(a, b):
    d = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = d[i - 1, j - 1] + 1 if a[i - 1] == b[j - 1] else max(d[i - 1, j], d[i, j - 1])
    i, j, out = len(a), len(b), []
    while i and j:
        if a[i - 1] == b[j - 1]:
            out.append(a[i - 1])
            i, j = i - 1, j - 1
        elif d[i - 1, j] >= d[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return "".join(reversed(out)), d[-1, -1]


@program(fresh(4), fresh(1), fresh(6))
def pascal_and_catalan(n):
    rows = [[1]]
    for _ in range(n):
        rows.append([1] + [a + b for a, b in zip(rows[-1], rows[-1][1:])] + [1])
    catalan = [1] + [0] * n
    for k in range(1, n + 1):
        for i in range(k):
            catalan[k] += catalan[i] * catalan[k - 1 - i]
    return rows, catalan


@program(fresh(3), fresh(5), fresh(1))
def magic_square(n):
    square = np.zeros((n, n), dtype=int)
    r, c = 0, n // 2
    for k in range(1, n * n + 1):
        square[r, c] = k
        a, b = (r - 1) % n, (c + 1) % n
        if square[a, b]:
            a, b = (r + 1) % n, c
        r, c = a, b
    return square, square.sum(axis=0), square.trace()


@program(fresh(13), fresh(2), fresh(1))
def josephus_circle(n):
    people = list(range(n))
    k, order = 0, []
    while len(people) > 1:
        k = (k + 2) % len(people)
        order.append(people.pop(k))
    return people[0], order


@program(fresh(3), fresh(1), fresh(0))
def towers_by_bits(n):
    pegs = [list(range(n, 0, -1)), [], []]
    for move in range(1, 2**n):
        source, target = (move & move - 1) % 3, ((move | move - 1) + 1) % 3
        pegs[target].append(pegs[source].pop())
    return pegs


@program(fresh(np.array([10.0, 7.0, 5.0, 8.0, 11.0, 9.0])), fresh(np.array([3.0, 2.0])), fresh(np.array([1.0])))
def best_trade(prices):
    low, profit, bought = prices[0], 0.0, None
    for day, p in enumerate(prices):
        if p < low:
            low, candidate = p, day
        elif p - low > profit:
            profit = p - low
            bought = low
    return profit, bought


@program(fresh(np.array([[1, 0], [0, 1]]), 3), fresh(np.array([[1, 1], [1, 0]]), 1))
def kronecker_fractal(seed, depth):
    a = seed
    for _ in range(depth):
        a = np.kron(a, seed)
    return a.shape, a.sum(), a[::3, ::3]


@program(fresh(X, 1.5), fresh(X, 0.0))
def winsorised_until_stable(x, k):
    rounds = 0
    while True:
        low, high = x.mean() - k * x.std(), x.mean() + k * x.std()
        y = np.clip(x, low, high)
        rounds += 1
        if np.array_equal(x, y) or rounds == 4:
            return y, rounds
        x = y


@program(fresh(A), fresh(A[:1, :1]))
def cumulative_area_table(a):
    table = np.zeros((a.shape[0] + 1, a.shape[1] + 1))
    table[1:, 1:] = a.cumsum(axis=0).cumsum(axis=1)
    best = -np.inf
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(1, min(a.shape[0] - i, a.shape[1] - j) + 1):
                s = table[i + k, j + k] - table[i, j + k] - table[i + k, j] + table[i, j]
                if s > best:
                    best, where = s, (i, j, k)
    return best, where


@program(fresh(X), fresh(np.arange(3.0)))
def lagrange_interpolation(y):
    n = len(y)
    out = []
    for t in (0.5, 1.25):
        total = 0.0
        for i in range(n):
            term = y[i]
            for j in range(n):
                if j != i:
                    term *= (t - j) / (i - j)
            total += term
        out.append(total)
    return out


@program(fresh(np.array([1.0, 2.0, 3.0]), np.array([1.0, -1.0])), fresh(np.array([2.0]), np.array([0.0, 1.0])))
def polynomial_arithmetic(p, q):
    product = np.convolve(p, q)
    quotient, rest = np.polydiv(product, p)
    return product, quotient, rest, np.polyval(p, 2.0), np.polyder(p), np.polyint(q), np.polyadd(p, q)


@program(fresh(6, 2), fresh(1, 3))
def tent_map_and_orbits(n, period):
    seen, x = [], 1
    while x not in seen and len(seen) < 20:
        seen.append(x)
        x = (x * period + n) % 17
    return seen, seen.index(x) if x in seen else -1


@program(fresh(X, lambda v: v * 2), fresh(X, np.tanh), fresh(X, abs))
def function_given_by_caller(x, f):
    out = [f(v) for v in x]
    return out, f(x), sum(map(f, x))


@program(fresh(X), fresh(np.full(3, np.nan)))
def missing_values_filled(x):
    x[1] = np.nan
    last = 0.0
    for i in range(len(x)):
        if np.isnan(x[i]):
            x[i] = last
        last = x[i]
    return x, np.nanmean(x), np.isnan(x).sum()


@program(fresh(X + 1j * Y), fresh((X + 1j * Y)[:1]))
def complex_phases_unwound(z):
    turn, previous = 0.0, np.angle(z[0])
    for v in z[1:]:
        a = math.atan2(v.imag, v.real)
        turn += (a - previous + math.pi) % (2 * math.pi) - math.pi
        previous = a
    return turn, np.abs(z).max(), (z * z.conj()).real.sum(), z.sum() / len(z)


@program(fresh(np.arange(12).reshape(3, 4)), fresh(np.arange(4).reshape(2, 2)))
def integer_matrix_walk(a):
    i = j = steps = 0
    seen = np.zeros(a.shape, dtype=bool)
    while not seen[i, j]:
        seen[i, j] = True
        k = (3 * int(a[i, j]) + 1) % a.size
        i, j = divmod(k, a.shape[1])
        steps += 1
    return steps, (i, j), seen.sum()


@program(fresh(X, 3, None), fresh(X, 3, np.ones(7)), fresh(X, 0, None))
def optional_weights(x, n, weights=None):
    if weights is None:
        weights = np.full(len(x), 1 / len(x))
    total = 0.0
    for _ in range(n):
        total += (weights * x).sum()
        weights = weights / 2
    return total, weights[0]


@program(fresh(X), fresh(-X))
def flags_and_counts(x):
    flags = {"up": 0, "down": 0, "flat": 0}
    previous = None
    for v in x:
        if previous is not None:
            key = "up" if v > previous else "down" if v < previous else "flat"
            flags[key] += 1
        previous = v
    return flags, previous


@program(fresh(K), fresh(K[:1]))
def most_common_and_set(k):
    counts = {}
    for v in k.tolist():
        counts[v] = counts.get(v, 0) + 1
    top = max(counts.items(), key=lambda item: (item[1], -item[0]))
    distinct = sorted(set(k.tolist()))
    return top, distinct, len(distinct), [v for v, c in counts.items() if c == 1]


@program(fresh(X, "mean"), fresh(X, "none"), fresh(X, "max"))
def padding_modes(x, kind):
    if kind == "none":
        return x
    padded = np.pad(x, (1, 2), mode={"mean": "mean", "max": "maximum"}[kind])
    return padded, np.pad(x[:3], 2, mode="reflect"), np.pad(x[:2], 1, constant_values=(5, 6)), np.pad(x[:3], (2, 0), "linear_ramp")


@program(fresh(X, 3), fresh(X, 0), fresh(X, 7))
def alternating_ends(x, n):
    items = [v for v in x]
    taken = []
    for k in range(n):
        taken.append(items.pop(0 if k % 2 else -1))
    return taken, items, len(items)


@program(fresh(A), fresh(A.T))
def zigzag_of_matrix(a):
    rows, cols = a.shape
    order = sorted(((i + j, (i if (i + j) % 2 else j), i, j) for i in range(rows) for j in range(cols)))
    return [a[i, j] for _, _, i, j in order]


@program(fresh(X, 2.5), fresh(np.ones(2), 1.0))
def running_threshold_with_memory(x, high):
    armed, level, events = True, 0.0, []
    for t, v in enumerate(x):
        level = 0.8 * level + abs(v)
        if armed and level > high:
            events.append((t, level))
            armed = False
        elif not armed and level < high / 2:
            armed = True
    return events, armed, level


@program(fresh(np.array([4, 9, 16, 15])), fresh(np.array([0])))
def perfect_squares(k):
    out = np.zeros(len(k), dtype=bool)
    for i, v in enumerate(k):
        r = math.isqrt(int(v))
        out[i] = r * r == v
    return out, k[out], [int(v) ** 0.5 for v in k]


@program(fresh(X, Y, 0.3), fresh(X, Y, 0.0))
def elastic_collision_of_points(x, v, r):
    bounces = 0
    for _ in range(5):
        x += 0.1 * v
        order = np.argsort(x)
        for a, b in zip(order[:-1], order[1:]):
            if x[b] - x[a] < r and v[a] > v[b]:
                v[a], v[b] = v[b], v[a]
                bounces += 1
    return x, v, bounces


@program(fresh(6, 3), fresh(1, 1), fresh(4, 0))
def stirling_numbers(n, k):
    s = np.zeros((n + 1, k + 1), dtype=np.int64)
    s[0, 0] = 1
    for i in range(1, n + 1):
        for j in range(1, min(i, k) + 1):
            s[i, j] = j * s[i - 1, j] + s[i - 1, j - 1]
    return s[n, k], s


@program(fresh(np.array([0.5, -1.0, 2.0, 3.0])), fresh(np.array([3.0, 4.0])))
def generator_expression_stops_before_effects(x):
    total = 0.0

    def add(v):
        nonlocal total
        total += v
        return total > 1

    return any(add(v) for v in x), total
