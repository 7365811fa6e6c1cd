"""Loops whose trips threads share give what Python gives, whatever the number of threads; loops that could fail, or whose trips depend
on each other, are not shared; Ctrl-C ends them."""

from __future__ import annotations

import os
import re
import signal
import threading
import time

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.threading import shared_loops, sharing_form
from autograph_jit.backends.cpu.threading.threads import pool

COUNTS = (1, 2, 5)


@pytest.fixture(autouse=True)
def eager_to_share(monkeypatch):
    """Loops of any size are shared, on a busy machine too."""
    monkeypatch.setattr(shared_loops, "LEAST_WORK", 1)
    monkeypatch.setattr(shared_loops, "CYCLE", 10**12)  # each is worth waking threads
    monkeypatch.setattr(sharing_form, "WORTH_SHARING", 1)
    before, pool().load.value = pool().load.value, -1
    yield
    pool().load.value = before


def escape_times(h, w, limit):
    out = np.zeros((h, w), np.int64)
    for i in range(h):
        for j in range(w):
            cr, ci = 3.0 * j / w - 2.0, 3.0 * i / h - 1.5
            x = y = 0.0
            n = 0
            while n < limit and x * x + y * y < 4.0:
                x, y = x * x - y * y + cr, 2 * x * y + ci
                n += 1
            out[i, j] = n
    return out


def distances(x, y):
    out = np.empty((x.shape[0], y.shape[0]))
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            total = 0.0
            for k in range(x.shape[1]):
                total += (x[i, k] - y[j, k]) ** 2
            out[i, j] = np.sqrt(total)
    return out


def products(a, b):
    out = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                out[i, j] += a[i, k] * b[k, j]
    return out


def smooth(u, steps):
    v = u.copy()
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        u, v = v, u
    return u


def transforms(x):
    n = len(x)
    out = np.zeros(n, np.complex128)
    for k in range(n):
        for m in range(n):
            out[k] += x[m] * np.exp(-2j * np.pi * k * m / n)
    return out


def triangle(x):
    n = len(x)
    out = np.zeros((n, n), np.float32)
    for i in range(n):
        for j in range(i + 1, n):
            out[i, j] = np.float32(x[i] * x[j]) if x[i] < x[j] else np.float32(-1.0)
    return out


def by_number(x, out, n):
    for i in range(n):
        out[i] = np.sin(x[i]) * x[i + 1]


def written_behind(x, y):
    for i in range(len(y)):
        for _ in range(3):
            y[i] = y[i] * 0.5 + x[i]


def window_sums(x, weights, out, n):
    for i in range(n):
        total = 0.0
        for k in range(len(weights)):
            total += weights[k] * x[i + 2 * k]
        out[i] = total * (1.0 / (n - 1))


SOURCE = np.random.default_rng(5).normal(size=(37, 6))
SHARED = [
    (escape_times, (23, 31, 50)),
    (distances, (SOURCE, SOURCE[3:20] + 1.0)),
    (products, (SOURCE, SOURCE[:6].T.copy())),
    (smooth, (np.random.default_rng(6).normal(size=(19, 23)), 5)),
    (transforms, (SOURCE[:, 0].copy(),)),
    (triangle, (SOURCE[:, 1].copy(),)),
    (by_number, (SOURCE.ravel(), np.zeros(300), 200)),
    (written_behind, (SOURCE.ravel(), np.ones(222))),
    (window_sums, (SOURCE.ravel(), np.arange(5.0), np.zeros(222), 200)),
]


def is_shared(function):
    """Whether a form of a compiled function hands pieces of a loop to threads."""
    forms = [form for special in function.specializations for form in special.executables.values()]
    return any("@watch" in form.llvm for form in forms)


def outcome(function, arguments):
    copies = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
    return function(*copies), copies


def same(found, expected):
    if found is None or expected is None:
        return found is expected
    return np.asarray(found).dtype == np.asarray(expected).dtype and np.allclose(found, expected, rtol=1e-5, atol=1e-12)


@pytest.mark.parametrize("function, arguments", SHARED, ids=[function.__name__ for function, _ in SHARED])
def test_trips_are_shared_with_the_results_of_python_for_any_number_of_threads(function, arguments):
    expected, expected_arguments = outcome(function, arguments)
    compiled, seen = ag.compile(function, fallback="error"), set()
    for count in COUNTS:
        with ag.config(threads=count):
            found, found_arguments = outcome(compiled, arguments)
        assert same(found, expected)
        assert all(same(*pair) for pair in zip(found_arguments, expected_arguments, strict=True))
        arrays = [value for value in (found, *found_arguments) if isinstance(value, np.ndarray)]
        seen.add(b"".join(array.tobytes() for array in arrays))
    assert len(seen) == 1
    assert is_shared(compiled)


def test_llvm_knows_that_the_arrays_of_a_piece_lie_apart():
    def two_sums(x):
        first, second = np.zeros(len(x)), np.zeros(len(x))
        for i in range(len(x)):
            for j in range(len(x)):
                first[i] += x[j]
                second[i] -= x[j]
        return first, second

    compiled = ag.compile(two_sums, fallback="error")
    first, second = compiled(np.arange(20.0))
    assert (first == 190.0).all() and (second == -190.0).all()
    (form,) = compiled.specializations[0].executables.values()
    scopes = set(re.findall(r'!"(nest\.[0-9]+)"', form.llvm))
    assert len(scopes) == 3  # of x, first, second


def test_negative_numbers_of_trips_do_not_hide_large_arrays(monkeypatch):
    monkeypatch.setattr(sharing_form, "WORTH_SHARING", 1000)

    def filled(x, n):
        for i in range(n):
            for j in range(len(x)):
                x[j] = x[j] + i
        for i in range(len(x)):
            x[i] = np.sqrt(x[i])

    compiled = ag.compile(filled, fallback="error")
    compiled(np.ones(10), -5)
    forms = [form for form in compiled.specializations[0].executables.values()]
    (sharing,) = [kept for form in forms for kept in form.environment if isinstance(kept, sharing_form.SharingForm)]
    assert sharing.entry is None
    compiled(np.ones(2000), -(10**12))
    assert sharing.entry is not None


def running_sum(x, out):
    for i in range(1, len(x)):
        out[i] = out[i - 1] + x[i]


def one_place(x, out):
    for i in range(len(x)):
        for _ in range(2):
            out[0] = x[i]


def checked(x, out):
    for i in range(len(x)):
        if x[i] > 2.5:
            raise ValueError("too large")
        for _ in range(2):
            out[i] = x[i]


@pytest.mark.parametrize("function", [running_sum, one_place, checked])
def test_trips_that_wait_for_others_or_may_fail_are_not_shared(function):
    compiled, x = ag.compile(function, fallback="error"), np.linspace(0.0, 2.0, 100)
    expected, found = np.zeros(100), np.zeros(100)
    function(x, expected)
    with ag.config(threads=3):
        compiled(x, found)
    assert (found == expected).all()
    assert not is_shared(compiled)


def test_index_out_of_bounds_leaves_what_python_leaves():
    expected, found, x = np.zeros(300), np.zeros(300), SOURCE.ravel()
    with pytest.raises(IndexError, match="index 222 is out of bounds") as plain:
        by_number(x, expected, 250)
    with ag.config(threads=3), pytest.raises(IndexError) as compiled:
        ag.compile(by_number, fallback="error")(x, found, 250)
    assert str(compiled.value) == str(plain.value)
    assert np.allclose(found, expected)


def test_check_that_is_the_same_in_all_trips_fails_in_the_first():
    out = np.zeros(5)
    with ag.config(threads=3), pytest.raises(ZeroDivisionError):
        ag.compile(window_sums, fallback="error")(np.ones(9), np.ones(2), out, 1)
    assert (out == 0.0).all()


def test_arrays_that_overlap_are_worked_on_in_order():
    expected, found = SOURCE.ravel().copy(), SOURCE.ravel().copy()
    written_behind(expected[:-1], expected[1:])
    compiled = ag.compile(written_behind, fallback="error")
    with ag.config(threads=3):
        compiled(found[:-1], found[1:])
    assert np.array_equal(found, expected)
    assert is_shared(compiled)


def test_no_loop_is_shared_where_threads_are_not_wanted():
    compiled = ag.compile(distances, fallback="error", parallel=False)
    assert same(compiled(SOURCE, SOURCE), distances(SOURCE, SOURCE))
    assert not is_shared(compiled)


def endless(out, limit):
    for i in range(len(out)):
        x = 1.0
        while x < limit:
            x = np.sqrt(x) + 0.5
        out[i] = x


@pytest.mark.parametrize("count", [1, 3])
def test_interrupt_ends_pieces_that_do_not_end(count):
    compiled, out = ag.compile(endless, fallback="error"), np.zeros(64)
    with ag.config(threads=count):
        compiled(out, 1.5)
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        started = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            compiled(out, 100.0)
        assert time.perf_counter() - started < 10.0  # on a loaded machine
        compiled(out, 1.5)
    assert is_shared(compiled)
    assert np.allclose(out, out[0]) and out[0] >= 1.5


def rounds_of(rounds, out):
    for i in range(len(out)):
        x, k = 1.0, 0
        while k < rounds[i]:
            x, k = np.sqrt(x) + 0.5, k + 1
        out[i] = x


def test_interrupt_ends_the_pieces_of_others_while_the_caller_waits():
    compiled, out, rounds = ag.compile(rounds_of, fallback="error"), np.zeros(16), np.ones(16, np.int64)
    with ag.config(threads=2):
        compiled(rounds, out)
        rounds[:2] = 5_000_000, 10**15  # the caller has the first one, the other thread the second one
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        started = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            compiled(rounds, out)
        assert time.perf_counter() - started < 10.0
        rounds[:] = 3
        compiled(rounds, out)
    assert is_shared(compiled)
    assert (out == out[0]).all()
