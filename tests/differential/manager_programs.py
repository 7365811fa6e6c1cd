"""Programs with context managers that are generators, and generators with a finally."""

from __future__ import annotations

import contextlib

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def fl(*values):
    return np.array(values, dtype=float)


@contextlib.contextmanager
def pushed(stack, v):
    stack.append(v)
    try:
        yield len(stack)
    finally:
        stack.pop()


@program(lambda: (fl(3, 1, -2, 0, 4),), lambda: (fl(0, 5),), lambda: (fl(),))
def generator_manager_in_loop(x):
    stack = []
    depths = []
    for v in x:
        with pushed(stack, v) as d:
            depths.append(d)
            if v > 2:
                with pushed(stack, -v) as e:
                    depths.append(e + sum(stack))
    return depths, stack


@contextlib.contextmanager
def rollback(x, log):
    saved = x.copy()
    try:
        yield x
    except ValueError as error:
        x[:] = saved
        log.append(str(error))
    except KeyError:
        log.append("key")
        raise
    else:
        log.append("kept")
    finally:
        log.append("done")


@program(lambda: (fl(3, 1), 5.0), lambda: (fl(3, 1), -1.0), lambda: (fl(3, 1), 0.0), lambda: (fl(9, 1), 7.0))
def exceptions_enter_the_generator(x, v):
    log = []
    n = 0
    with rollback(x, log) as y:
        n = 1
        y[0] = 100
        if v < 0:
            raise ValueError(f"bad {v}")
        n = 2
        if v == 0:
            raise KeyError("zero")
        n = 3
        y[1] = v
    return n, log


@program(
    lambda: (fl(3, -1, 0, 4),),
    lambda: (fl(3, 1),),
    lambda: (
        fl(
            -2,
        ),
    ),
)
def generator_manager_left_by_jumps(x):
    log = []
    total = 0.0

    @contextlib.contextmanager
    def noted(name):
        log.append("+" + name)
        try:
            yield name * 2
        finally:
            log.append("-" + name)

    for i, v in enumerate(x):
        with noted("a") as a, noted("b") as b:
            if v < 0:
                continue
            if v == 0:
                break
            total += v
            if total > 6:
                return "early", log, a
        log.append(a + b)
    return total, log, i


@contextlib.contextmanager
def either(flag):
    if flag > 0:
        yield "plus"
    else:
        yield "minus"


@contextlib.contextmanager
def suppressing(kind, counter):
    try:
        yield
    except kind:
        counter[0] += 1


@contextlib.contextmanager
def never():
    if 1 > 2:
        yield


@program(
    lambda: (fl(3, -1, 0, 4),),
    lambda: (fl(3, 1),),
    lambda: (
        fl(
            -2,
        ),
    ),
)
def managers_of_other_kinds(x):
    out = []
    counter = [0]
    for v in x:
        with either(v) as side:
            out.append(side)
        with suppressing(ZeroDivisionError, counter):
            out.append(6 // int(v))
        with contextlib.suppress(ZeroDivisionError):
            out.append(5 % int(v))
    try:
        with never():
            out.append("unreached")
    except RuntimeError as e:
        out.append(str(e))
    return out, counter


@contextlib.contextmanager
def scaled(x, k):
    x *= k
    try:
        got = yield x.sum()
        x += 0.0 if got is None else 1.0
    finally:
        x /= k


@program(
    lambda: (fl(3, -1, 0, 4),),
    lambda: (fl(3, 1),),
    lambda: (
        fl(
            -2,
        ),
    ),
)
def traced_again_inside_managers(x):
    seen = []
    count = 0
    with scaled(x, 4.0) as total:
        for v in x:
            if v > 2:
                count += 1
        while count > 1:
            seen.append(total)
            count -= 1
    return total, seen, count, x[0]


def numbered(x, log):
    i = 0
    while i < len(x):
        try:
            yield i, x[i]
        finally:
            log.append(i)
        i += 1


@program(
    lambda: (fl(3, -1, 0, 4),),
    lambda: (fl(3, 1),),
    lambda: (
        fl(
            -2,
        ),
    ),
)
def generator_with_finally(x):
    log = []
    total = 0.0
    try:
        for i, v in numbered(x, log):
            if v < 0:
                continue
            if v == 4:
                break
            if v > 50:
                raise ValueError(f"{v} at {i}")
            total += v
    except ValueError as error:
        log.append(str(error))
    return total, log, [v * 2 for i, v in numbered(x, log)], len(log)
