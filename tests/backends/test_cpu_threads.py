"""Compiled loops can be interrupted, let other threads run, and are re-entrant."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time

import numba
import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.driver import compile_graph
from autograph_jit.backends.cpu.runtime_library import runtime
from tests.backends.building import F8, I8, Maker, N, array


def spinning_for_loop(m, rounds):
    return m.count(m.integer(0), rounds, m.integer(1), [m.const(1.0)], lambda i, x: [m.op("add", m.op("sqrt", x), m.const(0.5))])


def spinning_nest(m, rounds):
    def outer(i, x):
        return m.count(m.integer(0), m.integer(1000), m.integer(1), [x], lambda j, y: [m.op("add", m.op("sqrt", y), m.const(0.5))])

    return m.count(m.integer(0), rounds, m.integer(1), [m.const(1.0)], outer)


def spinning_while(m, rounds):
    state = [m.const(1.0), m.integer(0)]
    body = lambda x, i: [m.op("add", m.op("sqrt", x), m.const(0.5)), m.op("add", i, m.integer(1))]  # noqa: E731
    return m.loop(state, lambda x, i: [m.op("less", i, rounds), x, i], body)


@pytest.mark.parametrize("spin", [spinning_for_loop, spinning_nest, spinning_while])
def test_interrupt_ends_a_loop(spin):
    m = Maker()
    executable = compile_graph(m.done(*spin(m, m.param(I8))))
    executable(10)
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    started = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        executable(10**12)
    assert time.perf_counter() - started < 5.0  # a loaded machine; alone it is 0.2 s and a few milliseconds


def test_other_threads_run_during_a_loop():
    m = Maker()
    executable = compile_graph(m.done(*spinning_for_loop(m, m.param(I8))))
    thread = threading.Thread(target=executable, args=(3 * 10 ** (8 if numba.config.OPT else 7),))
    thread.start()
    steps = 0
    while thread.is_alive():
        steps += 1
        time.sleep(0.001)
    assert steps > 20


def test_calls_are_reentrant_through_the_host():
    m = Maker()
    x, n = m.param(array(N)), m.param(I8)
    doubled = m.op("add", x, x)

    def recurse(values, depth):
        return executable(values, depth - 1)[0] if depth > 0 else np.float64(values.sum())

    total = m.raw("host_call", doubled, n, fn=recurse, label="recurse", results=(F8,)).result
    executable = compile_graph(m.done(m.op("add", total, m.op("load", doubled, m.integer(0)))))
    gc.collect()
    live = runtime().live
    assert executable(np.array([1.0, 2.0]), 2)[0] == 3 * 8 + 2 + 4 + 8
    assert runtime().live == live


def test_threads_share_a_compiled_function():
    m = Maker()
    x, n = m.param(array(N)), m.param(I8)
    graph = m.done(*m.count(m.integer(0), n, m.integer(1), [x], lambda i, y: [m.op("add", y, x)]))
    executable = compile_graph(graph)
    found = []
    threads = [threading.Thread(target=lambda k=k: found.append((k, executable(np.full(100, float(k)), 500)[0]))) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all((values == 501.0 * k).all() for k, values in found)


@ag.compile(fallback="error")
def products(matrix, trips):
    for _ in range(10**9):
        matrix = matrix @ matrix
        matrix = matrix / np.abs(matrix).max()
        trips[0] += 1.0
    return matrix


@ag.compile(fallback="error")
def solutions(matrix, trips):
    for _ in range(10**9):
        trips[0] += np.linalg.inv(matrix)[0, 0]
    return matrix


@pytest.mark.parametrize("function, most", [(products, 2), (solutions, 8)])
def test_interrupt_ends_a_loop_of_long_operations_within_a_few_trips(function, most):
    trips, at_signal = np.zeros(1), []
    timer = threading.Timer(0.5, lambda: (at_signal.append(trips[0]), os.kill(os.getpid(), signal.SIGINT)))
    matrix = np.eye(300)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        function(matrix, trips)
    assert trips[0] - at_signal[0] <= most
