"""Functions of the program that Python code calls when the compiled function runs; they changed what the trace had kept, unseen."""

from __future__ import annotations

import collections
import contextlib
import re
import threading

import numpy as np
import scipy.integrate

from tests.differential.harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add

VECTORS = (lambda: (np.arange(1.0, 4.0), 2), lambda: (np.array([2.0]), 1))


class Counter:
    """Counts its calls."""

    def __init__(self):
        self.count, self.factor = 0, 2

    def cost(self, t):
        self.count += 1
        return t * self.factor


@program(*VECTORS)
def callback_appends(x, n):
    seen = []

    def g(match):
        seen.append(match.group())
        return f"<{match.group()}>"

    return re.sub(r"\d", g, f"{n}a1"), seen


@program(*VECTORS)
def callback_assigns(x, n):
    count = 0

    def g(t):
        nonlocal count
        count += 1
        return t * 2

    return scipy.integrate.quad(g, 0, n)[0], count > 0


@program(*VECTORS)
def callback_fills_a_dict(x, n):
    seen = {}

    def g(row):
        seen[len(seen)] = n
        return row.sum()

    return np.apply_along_axis(g, 0, np.outer(x, x) * n), seen


@program(*VECTORS)
def callback_of_vectorize(x, n):
    seen = []

    def g(t):
        seen.append(t)
        return t + n

    return np.vectorize(g, otypes=[float])(x * n), seen


@program(*VECTORS)
def callback_changes_an_instance(x, n):
    counter = Counter()
    found = scipy.integrate.quad(counter.cost, 0, n)[0]
    with contextlib.ExitStack() as stack:
        stack.callback(counter.cost, 1)
        if n > 1:
            stack.callback(counter.cost, n)
    return found, counter.count > 2


@program(*VECTORS)
def method_of_a_list_kept_by_an_object(x, n):
    log = []
    with contextlib.ExitStack() as stack:
        stack.callback(log.append, n)
        log.append("in")
    thread = threading.Thread(target=log.append, args=(x[0],))
    thread.start()
    thread.join()
    return log


@program(*VECTORS)
def callback_reads_what_changes_later(x, n):
    weights = [1.0]
    first = scipy.integrate.quad(lambda t: t * weights[0] + n, 0, n)[0]
    weights[0] = 5.0
    total = 0.0
    for i in range(n):
        total += scipy.integrate.quad(lambda t: t * i + x[0] * weights[0], 0, 1)[0]
    return first, total


@program(*VECTORS)
def callback_with_values_of_the_run(x, n):
    counts = collections.defaultdict(lambda: n)
    return re.sub(r"\d", lambda m: str(int(m.group()) + n), "a1b2"), counts[1] + counts[2]


@program(*VECTORS, refused="it captures variables that only the run knows")
def function_kept_by_an_object(x, n):
    log = []
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: log.append(n))
    return log


@program(lambda: (Counter(), 3), refused="it may change the Counter")
def method_of_an_instance_from_outside(counter, n):
    return scipy.integrate.quad(counter.cost, 0, n)[0], counter.count > 0
