"""Programs given bad input: shapes, dtypes, bounds, axes, missing names and keys, in straight lines, branches and loops."""

from __future__ import annotations

import math

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


X = rnd(1, 5)
A = rnd(2, 3, 4)
K = np.array([3, 1, 2])


def fresh(*arrays):
    return lambda: tuple(a.copy() if isinstance(a, np.ndarray) else a for a in arrays)


# ---------------------------------------------------------------- shapes


@program(fresh(A, X), fresh(A, rnd(3, 4)), fresh(A, rnd(3, 3)))
def matrix_times_vector(a, v):
    a[0] = 0.0
    return a @ v


@program(fresh(A, A), fresh(A, A.T))
def residual_sum(a, b):
    total = 0.0
    for i in range(3):
        total += ((a[i] - b[i]) ** 2).sum()
    return total


@program(fresh(X, 2), fresh(X, 5), fresh(X, 6))
def reshaped_into_rows(x, n):
    return x.reshape(n, -1)


@program(fresh(A, X), fresh(A, rnd(4, 4)))
def row_replaced(a, row):
    for i in range(a.shape[0]):
        a[i] *= 2
        if i == 1:
            a[i] = row
    return a


@program(fresh(X, rnd(4, 3)), fresh(X, rnd(4, 5)))
def joined_by_rows(x, y):
    return np.vstack([x, y]), np.concatenate([x, y])


@program(fresh(A, 1), fresh(A, 2), fresh(A, -3))
def reduced_along_axis(a, axis):
    return a.sum(axis=axis), np.max(a, axis)


@program(fresh(A, (1, 0)), fresh(A, (0, 0)), fresh(A, (0, 1, 2)))
def transposed_by(a, axes):
    return np.transpose(a, axes)


@program(fresh(A, 0), fresh(A, 3))
def stacked_at(a, axis):
    return np.stack([a, a], axis=axis), np.expand_dims(a, axis)


@program(fresh(A), fresh(rnd(5, 1, 4)))
def squeezed(a):
    return np.squeeze(a, axis=0)


@program(fresh(A, 2), fresh(A, 3), fresh(A, 0))
def split_evenly(a, n):
    return np.split(a, n, axis=1)


@program(fresh(X, (2, 5)), fresh(X, (5, 2)))
def broadcast_to_shape(x, shape):
    return np.broadcast_to(x, shape) + 1


@program(fresh(A, A), fresh(A, A.T.copy()))
def einsum_of_mismatched(a, b):
    return np.einsum("ij,jk->ik", a, b)


@program(fresh(X, rnd(6, 5)), fresh(X, rnd(6, 4)), fresh(np.zeros(0), np.zeros(0)))
def inner_products(x, y):
    return np.dot(x, y), np.vdot(x, y), x @ y


@program(fresh(X, X > 0), fresh(X, np.array([True, False])))
def masked_by(x, mask):
    x[mask] = 0.0
    return x[mask].sum()


@program(fresh(X, X > 0, np.array([1.0])), fresh(X, X > -9, np.arange(3.0)))
def masked_assignment(x, mask, values):
    x[mask] = values
    return x


# ---------------------------------------------------------------- bounds


@program(fresh(X, K), fresh(X, np.array([0, 7])), fresh(X, np.array([-6])))
def gathered(x, k):
    y = x[k]
    y += 1
    return y


@program(fresh(X, K, 1.0), fresh(X, np.array([1, 9, 0]), 2.0))
def scattered_one_by_one(x, k, v):
    for i in k:
        x[i] += v
    return x


@program(fresh(A, 1, 2), fresh(A, 3, 0), fresh(A, 0, -5), fresh(A, 0, 4))
def element_of_matrix(a, i, j):
    a[0, 0] = 9.0
    return a[i, j] + a[i][j]


@program(fresh(A, 3), fresh(A, 4))
def column_sums_by_index(a, n):
    sums = []
    for j in range(n):
        s = 0.0
        for i in range(n):
            s += a[i, j]
        sums.append(s)
    return sums


@program(fresh(X, 3), fresh(X, 9))
def take_and_delete(x, k):
    return np.take(x, [0, k]), np.delete(x, k)


@program(fresh(X, 2), fresh(X, 12))
def inserted_at(x, k):
    return np.insert(x, k, 7.0)


@program(fresh(X, 9, "wrap"), fresh(X, 9, "clip"), fresh(X, 9, "raise"))
def taken_by_mode(x, k, mode):
    return np.take(x, k, mode=mode)


@program(fresh([1, 2, 3], 1), fresh([1, 2, 3], 5), fresh([], 0))
def popped_from(items, k):
    rest = list(items)
    last = rest.pop(k)
    return last, rest


@program(fresh(X, 3), fresh(X, 6))
def window_minimum(x, w):
    return [min(x[i : i + w]) for i in range(0, len(x) + 2, 3)]


@program(fresh((1.0, 2.0), 1), fresh((1.0, 2.0), 2), fresh("ab", 3))
def item_of_sequence(items, k):
    return items[k]


# ---------------------------------------------------------------- types


@program(fresh(X, 2), fresh(X, None), fresh(X, "two"))
def scaled_by(x, k):
    return x * k


@program(fresh(X, "3"), fresh(X, "3.5"), fresh(X, "x"))
def parsed_and_added(x, text):
    x[0] = 0.0
    return x + int(text)


@program(fresh(K, 1.5), fresh(K, 2))
def integer_array_updated(k, v):
    k += v
    return k


@program(fresh(K, 3), fresh(X, 3))
def bits_of(a, b):
    return a & b, a << 1


@program(fresh(K, X[:3]), fresh(X[:3], K), fresh(X[:3], X[:3]))
def float_as_index(x, k):
    return x[k]


@program(fresh(X, 1), fresh(X, 1.0), fresh(X, "a"))
def slice_up_to(x, n):
    return x[:n]


@program(fresh(3), fresh(3.0), fresh("3"))
def counted_to(n):
    total = 0
    for i in range(n):
        total += i
    return total


@program(fresh(X), fresh(3.0), fresh(None))
def length_of(x):
    return len(x)


@program(fresh([3, 1, 2]), fresh([3, "a"]), fresh([1, None]))
def sorted_items(items):
    return sorted(items), max(items)


@program(fresh(X, 1), fresh(5, 1), fresh([1, 2], 0))
def called_and_indexed(x, k):
    y = x[k]
    return y(1) if k > 5 else y


@program(fresh(2.0), fresh(-2.0), fresh(0.0), fresh(1e200), fresh(math.nan))
def roots_and_logs(x):
    return math.sqrt(x), math.log(x), math.exp(x / 100), math.asin(x / 10), math.pow(x, 2.0)


@program(fresh(2.0, 3.0), fresh(0.0, -1.0), fresh(-8.0, 1 / 3), fresh(1e300, 2.0), fresh(0, -1))
def float_powers(a, b):
    return a**b


@program(fresh(800.0), fresh(1e308), fresh(-1.0))
def overflowing_functions(x):
    try:
        y = math.exp(x)
    except OverflowError as e:
        y = str(e)
    return y, math.cosh(x) if x < 700 else None, x * 10, int(x) if x < 1e300 else 0


@program(fresh(300), fresh(-1), fresh(3.7), fresh(255))
def stored_in_bytes(v):
    b = np.zeros(3, dtype=np.uint8)
    b[1] = v
    return b


@program(fresh(5, 2), fresh(5, 0), fresh(0, 0), fresh(5.5, 0), fresh(True, False))
def quotients(a, b):
    q, r = divmod(a, b)
    return q, r, a / b


@program(fresh(K, np.array([1, 0, 2])), fresh(K, np.array([1, 2, 2])))
def integer_division_of_arrays(a, b):
    return a // b, a % b, a / b


# ---------------------------------------------------------------- names, keys, attributes


@program(fresh(X, 0), fresh(-np.abs(X), 0), fresh(X, 1))
def found_or_unbound(x, mode):
    if mode:
        del x
    for v in x:
        if v > 0.3:
            found = v
            break
    return found


@program(fresh(1), fresh(2), fresh(3))
def undefined_names(k):
    if k == 1:
        return undefined_function(k)  # noqa: F821
    if k == 2:
        return np.not_a_function(k)
    return math.no_such_name


@program(fresh({"a": 1.0}, "a"), fresh({"a": 1.0}, "b"), fresh({"a": {"c": 2.0}}, "a"))
def nested_keys(d, key):
    inner = d[key]
    return inner["c"]


@program(fresh({"rate": 0.5}, X), fresh({}, X), fresh({"rate": "fast"}, X))
def options_checked(options, x):
    rate = options.get("rate")
    if rate is None:
        raise ValueError(f"no rate among {sorted(options)}")
    if not isinstance(rate, float):
        raise TypeError(f"rate must be a number, not {type(rate).__name__}")
    return x * rate


class Tank:
    """An object whose attribute is made late."""

    capacity = 10.0

    def fill(self, v):
        if v > 0:
            self.level = min(v, self.capacity)
        return self


@program(fresh(3.0), fresh(-3.0))
def attribute_made_by_data(v):
    tank = Tank().fill(v)
    return tank.level


@program(fresh(3.0, "level"), fresh(3.0, "volume"))
def attribute_by_name(v, name):
    tank = Tank().fill(v)
    return getattr(tank, name), getattr(tank, "missing", -1.0), hasattr(tank, "volume")


@program(fresh((1.0, 2.0)), fresh((1.0, 2.0, 3.0)), fresh((1.0,)), fresh(5))
def pair_unpacked(pair):
    a, b = pair
    return a - b


@program(fresh([(1, 2.0), (3, 4.0)]), fresh([(1, 2.0), (3, 4.0, 5)]))
def pairs_unpacked_in_loop(pairs):
    total = 0.0
    for k, v in pairs:
        total += k * v
    return total


# ---------------------------------------------------------------- linear algebra and values


@program(fresh(np.eye(3), np.ones(3)), fresh(np.zeros((3, 3)), np.ones(3)), fresh(A, np.ones(3)), fresh(np.eye(3), np.ones(2)))
def solved(a, b):
    return np.linalg.solve(a, b)


@program(fresh(np.eye(2)), fresh(-np.eye(2)), fresh(A))
def factored(a):
    return np.linalg.cholesky(a)


@program(fresh(A), fresh(np.zeros((2, 2))), fresh(np.ones((2, 2, 3))))
def determinant_or_message(a):
    try:
        return np.linalg.det(a), np.linalg.inv(a)
    except np.linalg.LinAlgError as e:
        return str(e)


@program(fresh(np.zeros(0)), fresh(X), fresh(np.zeros((2, 0))))
def extremes_of_empty(x):
    total = x.sum() + x.prod()
    return total, x.size, np.argmax(x)


@program(fresh(np.zeros(0)), fresh(X))
def average_or_none(x):
    if not x.size:
        return None, min(x, default=None)
    return x.mean(), min(x)


@program(fresh(X, 3), fresh(X, 0), fresh(X, -1))
def range_of_step(x, step):
    return [x[i] for i in range(0, len(x), step)], x[::step]


@program(fresh(3), fresh(-2), fresh(0))
def arrays_of_size(n):
    return np.zeros(n), np.arange(n), np.eye(abs(n)), np.ones((n, 2))


@program(fresh(5, 3), fresh(5, -3), fresh(5, 70))
def shifted(a, k):
    return a << k, a >> k


@program(fresh("1.5"), fresh("abc"), fresh("1e400"), fresh(""))
def text_to_numbers(text):
    try:
        return float(text), len(text)
    except ValueError as e:
        return repr(e)


@program(fresh(X, 3), fresh(X, 6))
def iterator_runs_out(x, n):
    it = iter([v for v in x])
    out = []
    for _ in range(n):
        out.append(next(it))
    return out


@program(fresh(X), fresh(-np.abs(X)))
def first_positive(x):
    return next(v for v in x if v > 0)


@program(fresh(X, 2.0), fresh(X, -2.0))
def error_after_prints_and_writes(x, k):
    for i in range(3):
        print("step", i, f"{x[i]:.3f}")
        x[i] = k
        if i == 1 and k < 0:
            raise RuntimeError(f"negative at {i}: {x[0] + x[1]:.1f}")
    return "done"


@program(fresh(X, 5), fresh(X, 1), fresh(X, -1))
def errors_of_three_kinds(x, n):
    caught = []
    for action in ("index", "divide", "convert"):
        try:
            if action == "index":
                caught.append(x[n])
            elif action == "divide":
                caught.append(10 // (n - 1))
            else:
                caught.append(int("z" * max(n, 0)))
        except IndexError:
            caught.append("index")
        except (ZeroDivisionError, ValueError) as e:
            caught.append(type(e).__name__)
    return caught


@program(fresh(X, 2), fresh(X, 3))
def ambiguous_truth_in_loop(x, n):
    for i in range(1, n):
        if x[:i] > 0:
            x[0] += 1
    return x


@program(fresh(X), fresh(np.arange(5)))
def written_through_read_only_view(x):
    view = np.broadcast_to(x[:1], (3,))
    x[0] = 4
    view[1] = 2.0
    return x


@program(fresh(3), fresh(10), fresh(25))
def factorial_overflows_or_is_exact(n):
    product = 1
    for i in range(2, n + 1):
        product *= i
    return product


@program(fresh(X, "sum"), fresh(X, "mean"), fresh(X, "mode"))
def reduction_by_name(x, name):
    try:
        return getattr(np, name)(x)
    except AttributeError:
        raise ValueError(f"no reduction {name!r}") from None


@program(fresh(4), fresh(0), fresh(-1))
def recursion_checked(n):
    return countdown(n)


def countdown(n):
    if n < 0:
        raise ValueError("below zero")
    return 0 if n == 0 else 1 + countdown(n - 1)
