"""Programs called again and again: other sizes, values, dtypes, layouts, aliases, captured state that changes between calls."""

from __future__ import annotations

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


SIZES = tuple((lambda n=n: (rnd(n, n),)) for n in (1, 2, 5, 9, 20, 100, 0, 3))
DTYPES = tuple(
    (lambda d=d: (np.arange(1, 6).astype(d),))
    for d in (np.float64, np.float32, np.int64, np.int32, np.uint8, bool, np.complex128, np.int8, np.uint64, np.complex64)
)


@program(*SIZES)
def every_size(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * i if x[i] > 0 else 1.0
    y = x[1:-1] * 2
    return total, y, x[::2], np.cumsum(x), x.reshape(-1, 1)


@program(*SIZES)
def size_in_list_comprehension(x):
    return [v + 1 for v in x], len(x) % 3, x.size > 4


@program(*SIZES)
def size_decides(x):
    n = len(x)
    if n < 2:
        return x
    half = n // 2
    return x[:half] + x[half : 2 * half]


@program(*DTYPES)
def every_dtype(x):
    s = x[0]
    for v in x:
        s = s + v
    y = x.copy()
    y[0] = x[-1]
    return s, y, x * 2, x + x, x.sum(), x.dtype == np.float64


@program(*DTYPES)
def every_dtype_compares(x):
    n = 0
    for v in x:
        if v == x[0] or v != 3:
            n += 1
    return n, x == x[::-1], np.zeros(2, x.dtype), np.ones_like(x), x.astype(float).sum() if x.dtype.kind != "c" else 0


@program(
    lambda: (1,),
    lambda: (1.0,),
    lambda: (True,),
    lambda: (1j,),
    lambda: (np.float32(1),),
    lambda: (np.int8(1),),
    lambda: (np.array(1.0),),
    lambda: (np.ones(2),),
    lambda: (np.ones((1, 2)),),
)
def every_kind_of_argument(x):
    return x + 1, x * 2, x - x, -x if not isinstance(x, bool) else 0


@program(lambda: (3, 2), lambda: (3.0, 2), lambda: (3, 2.0), lambda: (-3, 2), lambda: (np.int64(3), 2), lambda: (3, -1), lambda: (0, 0))
def powers(a, b):
    return a**b


@program(lambda: (0, 1.0), lambda: (1, 1.0), lambda: (2, 1.0), lambda: (3, 1.0), lambda: (50, 1.0), lambda: (-1, 1.0))
def trip_counts(n, x):
    out = []
    for i in range(n):
        x = x * 0.5 + i
        out.append(x)
    return x, out


WEIGHTS = np.ones(3)
CONFIG = {"rate": 0.1, "mode": "fast"}
COUNTS = [0]
SCALE = 2.0
STATE = {"calls": 0}


def reset_state():
    global SCALE, WEIGHTS
    SCALE = 2.0
    WEIGHTS = np.ones(3)
    CONFIG.update(rate=0.1, mode="fast")
    COUNTS[:] = [0]
    STATE.clear()
    STATE["calls"] = 0


def change_weights(k):
    WEIGHTS[:] = k
    return (np.ones(3),)


def replace_weights(k):
    global WEIGHTS
    WEIGHTS = np.full(k, 2.0)
    return (np.ones(k),)


@program(
    lambda: (np.ones(3),),
    lambda: change_weights(5.0),
    lambda: change_weights(-1.0),
    lambda: replace_weights(3),
    lambda: replace_weights(7),
    start=reset_state,
)
def captured_array_changes(x):
    if WEIGHTS[0] > 0:
        return x * WEIGHTS
    return x - WEIGHTS


def set_scale(v):
    global SCALE
    SCALE = v
    return (2.0,)


@program(
    lambda: set_scale(1.0),
    lambda: set_scale(2),
    lambda: set_scale(np.float32(3)),
    lambda: set_scale(-1.0),
    lambda: set_scale(np.ones(2)),
    start=reset_state,
)
def captured_scalar_changes(x):
    return x * SCALE


def set_config(**options):
    CONFIG.update(options)
    return (2.0,)


@program(
    lambda: set_config(),
    lambda: set_config(rate=5.0),
    lambda: set_config(mode="slow"),
    lambda: set_config(rate=np.ones(2)),
    start=reset_state,
)
def captured_dict_changes(x):
    if CONFIG["mode"] == "fast":
        return x * CONFIG["rate"]
    return x


@program(lambda: (1.0,), lambda: (-1.0,), lambda: (2.0,), start=reset_state)
def captured_dict_counts_calls(x):
    STATE["calls"] += 1
    if x > 0:
        STATE["last"] = x
    return STATE["calls"], STATE.get("last")


@program(lambda: (1.0,), lambda: (-1.0,), start=reset_state)
def captured_list_counts_calls(x):
    if x > 0:
        COUNTS[0] += 1
    COUNTS.append(len(COUNTS))
    return COUNTS[0], len(COUNTS)


@program(lambda: (1.0,), lambda: (-1.0,), start=reset_state)
def captured_global_rebound(x):
    global SCALE
    SCALE = SCALE + x
    if x < 0:
        SCALE = SCALE * 2
    return SCALE


class Model:
    """Weights and counters read by methods."""

    def __init__(self, n, bias=0.0, mode="linear"):
        self.w = np.arange(float(n))
        self.bias = bias
        self.mode = mode
        self.calls = 0
        self.child = None


@program(
    lambda: (Model(3), np.ones(3)),
    lambda: (Model(5), np.ones(5)),
    lambda: (Model(3, 2.0), np.ones(3)),
    lambda: (Model(3, 2, "none"), np.ones(3)),
    lambda: (Model(3, None), np.ones(3)),
)
def object_arguments(model, x):
    model.calls += 1
    y = model.w @ x
    if model.bias is not None and y > 1.0:
        y = y + model.bias
        model.w -= 0.1
    if model.mode == "none":
        return x
    return y


def with_child(k):
    m = Model(2)
    m.child = Model(2, bias=k)
    return m, k


@program(lambda: with_child(1.0), lambda: with_child(-1.0), lambda: (Model(2), 1.0))
def nested_objects(model, k):
    if model.child is None:
        return k
    if model.child.bias > 0:
        model.child.bias = 100.0
        model.child.w[0] = 5.0
    else:
        model.child.calls += 1
    return model.child.bias


def same_twice():
    x = np.arange(4.0)
    return x, x


def overlapping():
    x = np.arange(5.0)
    return x[:4], x[1:]


def reversed_alias():
    x = np.arange(4.0)
    return x, x[::-1]


@program(lambda: (np.arange(4.0), np.ones(4)), same_twice, overlapping, reversed_alias, lambda: (np.arange(4.0), np.ones(4)[::-1]))
def aliasing_arguments(a, b):
    a[1:] = b[:-1] * 2
    b += a
    for i in range(len(a)):
        a[i] += b[-1 - i]
    return a, b, a is b


@program(
    lambda: (np.ones((2, 3)),),
    lambda: (np.ones((3, 2)).T,),
    lambda: (np.asfortranarray(np.ones((2, 3))),),
    lambda: (np.ones((4, 6))[::2, ::2],),
    lambda: (np.broadcast_to(np.arange(3.0), (2, 3)),),
)
def every_layout(a):
    return a.sum(0), a.T, a + 1, a.ravel(), a.copy(), a[::-1]


@program(lambda: ([1.0, 2.0],), lambda: ([1.0, 2.0, 3.0],), lambda: ([1, 2],), lambda: ([],), lambda: ((1.0, 2.0),), lambda: (np.ones(3),))
def every_sequence(items):
    total = 0.0
    for v in items:
        total = total + v
    return total, len(items)


@program(lambda: ({"a": 1.0},), lambda: ({"a": 1.0, "b": 2.0},), lambda: ({"b": 1.0, "a": np.ones(2)},), lambda: ({},))
def every_dict(d):
    total = 0.0
    for k in d:
        if k == "a":
            total = total + d[k]
    return total, list(d), list(d.values())


@program(lambda: ("sum", np.ones(3)), lambda: ("mean", np.ones(3)), lambda: ("max", np.ones(2)), lambda: ("none", np.ones(2)))
def string_selects(name, x):
    if name in ("sum", "mean"):
        return getattr(np, name)(x)
    if name == "max":
        return x.max()
    raise ValueError(f"unknown {name!r}")


@program(lambda: (np.sin, 1.0), lambda: (np.cos, 1.0), lambda: (abs, -1.0), lambda: (lambda v: v * 3, 1.0), lambda: (float, 2))
def function_arguments(f, x):
    return f(x) + 1


@program(lambda: (1.0,), lambda: (1.0, 2.0), lambda: (1.0, None), lambda: (1.0, 2.0, 3))
def default_arguments(x, k=None, n=2):
    if k is None:
        return x * n
    return x * k * n


@program(lambda: (1.0, True), lambda: (1.0, False), lambda: (-1.0, True), lambda: (1.0, np.True_), lambda: (1.0, 0))
def flags(x, flag):
    if flag and x > 0:
        return 1.0
    return x if flag else None


@program(lambda: (5, 3), lambda: (5, 0), lambda: (2, 9), lambda: (np.int32(4), 2))
def integer_arguments(a, b):
    m = np.zeros((a, 2))
    for i in range(b):
        m[i % a, 0] += i
    return m, a > b, min(a, b)


@program(lambda: (np.arange(3),), lambda: (np.arange(3.0),), lambda: (np.arange(3, dtype=np.uint8),))
def results_alias_arguments(x):
    y = x[1:]
    return x, y, [x, y], {"x": x}, y.base is x


@program(*[(lambda n=n: (rnd(1, n, n), n)) for n in (1, 2, 3, 9, 20)])
def matrix_sizes(a, n):
    b = a @ a
    for i in range(n):
        b[i, i] = 0
    return b.sum(axis=1), np.trace(a), a[n - 1], b.shape == (n, n)


@program(lambda: (rnd(2, 4), None), lambda: (rnd(2, 4), np.zeros(4)), lambda: (rnd(2, 4), None))
def optional_output(x, out):
    if out is None:
        out = np.empty_like(x)
    for i in range(x.size):
        out[i] = x[i] if x[i] > 0 else 0.0
    return out


@program(lambda: (10**5, 1.0), lambda: (10, 1.0))
def long_loop(n, x):
    i = 0
    while i < n:
        x = x * 0.999 + 0.001
        i += 1
    return x


@program(lambda: (2**40,), lambda: (-(2**40),), lambda: (3,), lambda: (2**63 - 1,))
def large_integers(n):
    return n // 3, n % 7, n - 1, float(n), n == 3


@program(lambda: (300,), lambda: (5,))
def lists_kept_at_run_time(n):
    rows = []
    for i in range(n):
        row = np.zeros(i % 4 + 1)
        row += i
        if i % 3 != 1:
            rows.append(row)
        if len(rows) > 5:
            rows.pop(0)
    total = 0.0
    for r in rows:
        total += r.sum()
    return total, rows
