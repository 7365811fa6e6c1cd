"""Programs that fail after they changed the caller's objects: what was done before the exception stays done, and nothing else."""

from __future__ import annotations

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def rnd(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


class Meter:
    """State of the caller's."""

    def __init__(self, total=0.0):
        self.total = total
        self.count = 0
        self.last = None
        self.weights = np.zeros(2)

    def add(self, v):
        self.count += 1
        if v < 0:
            raise ValueError(f"negative after {self.count}")
        self.total += v
        self.last = v


@program(lambda: (Meter(), rnd(1, 9)), lambda: (Meter(5.0), np.abs(rnd(2, 4))), lambda: (Meter(), -np.ones(1)))
def method_fails_in_loop(meter, values):
    for v in values:
        meter.add(v)
    return meter.total


@program(lambda: (Meter(), rnd(1, 5), 9), lambda: (Meter(), rnd(1, 5), 5), lambda: (Meter(), rnd(1, 5), 0))
def index_runs_past_the_end(meter, x, n):
    for i in range(n):
        meter.count += 1
        meter.total += x[i]
        meter.weights = meter.weights + x[i]


@program(lambda: (Meter(), -1.0), lambda: (Meter(), 1.0), lambda: (Meter(), 3.0))
def fails_in_one_branch(meter, x):
    meter.count = 10
    if x < 0:
        meter.total = x
        raise RuntimeError("left")
    meter.total = 7.0
    if x > 2:
        raise RuntimeError("right")
    meter.last = "end"


@program(lambda: ([1.0, 2.0], -1.0), lambda: ([1.0, 2.0], 1.0), lambda: ([], 1.0))
def list_grows_before_failure(items, x):
    items.append(x)
    items[0] = 9.0
    if x < 0:
        raise KeyError("x")
    items.append(items[1] / x)
    return len(items)


@program(lambda: ([[1.0], [2.0, 3.0]], 1), lambda: ([[1.0], [2.0, 3.0]], 0))
def nested_lists_before_failure(rows, k):
    rows[0].append(5.0)
    rows[1][0] = -1.0
    rows.append([0.5])
    if k > 0:
        raise IndexError("deep")
    rows[0].append(6.0)


@program(lambda: ({"a": 1.0}, rnd(3, 3), 4), lambda: ({"a": 1.0}, rnd(3, 3), 2))
def dict_changes_before_failure(table, x, k):
    table["a"] += x[0]
    table["b"] = k
    table["c"] = x[k]
    return table["c"]


TOTAL = 0.0


def reset_total():
    global TOTAL
    TOTAL = 0.0


@program(lambda: (np.array([1.0, 2.0, -3.0, 4.0]),), lambda: (np.ones(3),), start=reset_total)
def global_before_failure(x):
    global TOTAL
    for v in x:
        TOTAL += v
        assert v > 0, "negative"
    return TOTAL


@program(lambda: (Meter(), rnd(4, 6)), lambda: (Meter(), np.abs(rnd(4, 6))))
def caught_then_raised_again(meter, values):
    try:
        for v in values:
            meter.add(v)
    except ValueError:
        meter.last = "caught"
        raise
    finally:
        meter.total += 100.0


@program(lambda: (Meter(), rnd(4, 6)), lambda: (Meter(), np.abs(rnd(4, 6))))
def caught_inside(meter, values):
    bad = 0
    for v in values:
        try:
            meter.add(v)
        except ValueError:
            bad += 1
    meter.weights[bad] = 1.0
    return bad


@program(lambda: (Meter(), "12"), lambda: (Meter(), "x"))
def call_into_python_fails(meter, text):
    meter.count += 1
    meter.total = float(text)
    meter.count += 1
    return meter.total


@program(lambda: ([Meter(1.0), Meter(2.0)], np.array([0, 1, 1, 2])), lambda: ([Meter(1.0), Meter(2.0)], np.array([1, 0])))
def objects_in_a_list(meters, order):
    for k in order:
        for i, meter in enumerate(meters):
            if i == k:
                meter.total *= 2.0
        if k > 1:
            raise LookupError(f"no meter {k}")


@program(lambda: (Meter(), 3), lambda: (Meter(), 0))
def nested_calls_fail(meter, n):
    def inner(k):
        meter.count += k
        if k == 2:
            raise ArithmeticError("two")
        return k

    total = 0
    for k in range(n):
        total += inner(k)
        meter.total = total
    return total


@program(lambda: (np.array([1.0, 2.0]), Meter()), lambda: (np.array([1.0, 0.0]), Meter()))
def state_in_fresh_objects(x, meter):
    """What is stored before the failure is itself made here, and changes afterwards."""
    log = []
    meter.last = log
    for v in x:
        log.append(1.0 / float(v))
    log.append(-1.0)
    return log
