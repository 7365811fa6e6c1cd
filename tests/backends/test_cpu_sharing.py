"""Nests that threads share give, to the bit, what one thread gives, whatever the number of threads; small programs have none."""

from __future__ import annotations

import ctypes
import gc
import os
import time

import numba
import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.folds import stretches
from autograph_jit.backends.cpu.runtime_library import runtime
from autograph_jit.backends.cpu.threading import sharing, sharing_form
from autograph_jit.backends.cpu.threading.sharing import cost_of
from autograph_jit.backends.cpu.threading.threads import pool, threads
from autograph_jit.ir.scalar import call, operand

COUNTS = (2, 3, 5, 8)


@pytest.fixture(autouse=True)
def whatever_runs_besides():
    """Nests are shared on a busy machine too."""
    before, pool().load.value = pool().load.value, -1
    yield
    pool().load.value = before


@pytest.fixture
def eager_to_share(monkeypatch):
    """Nests of any size are cut, calls of any size go to the sharing form; a nest is said to be worth waking threads."""
    share_now = sharing.share_now
    for module in (sharing, stretches):
        monkeypatch.setattr(module, "share_now", lambda e, made, units, work, *batch: share_now(e, made, units, e.integer(1 << 40)))
    monkeypatch.setattr(sharing, "LEAST_WORK", 1)
    monkeypatch.setattr(stretches, "LEAST_BLOCKS", 1)
    monkeypatch.setattr(sharing_form, "WORTH_SHARING", 1)


def chain(x, y):
    return np.exp(-x * x) * y + 2.0 * x


def angles(x, y):
    return np.sin(x * 1e9) + np.cos(y)  # whole blocks go to the C library


def in_place(x, y):
    x *= 2.0
    x[1:] += y[1:]
    return x


def sums(x, y):
    return np.sum(x), np.sum(np.exp(x) * y), np.mean(x - y), np.sum(x + 1j * y)


def extremes(x, y):
    return np.max(x * y), np.min(x), np.any(x > 3.0), np.all(y < 9.0), np.max(np.where(x > y, np.nan, x))


def integers(x, y):
    k = (x * 100).astype(np.int64)
    return np.sum(k), np.prod(k | 1), np.bitwise_xor.reduce(k), np.min(k)


def products(x, y):
    return np.prod(1.0 + x * 1e-3), np.sum(x.astype(np.float32))


def rows(a, b):
    return a.sum(axis=1), np.exp(a - a.max(axis=1, keepdims=True)), a.mean(axis=-1) + b[:, 0]


def columns(a, b):
    return a.sum(axis=0), (a * b).max(axis=0), np.prod(a, axis=0), np.sum(a[:, ::2], axis=0)


def stencil(a, b):
    b[1:-1, 1:-1] = 0.25 * (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2])
    return b


def turned(a, b):
    inner = a[1:, 1:]
    return a.T * b[::-1].T + a[0], inner.sum(), np.sum(a.T * 2.0), np.max(inner * 2.0), np.sum(np.sin(inner * 1e9)), np.any(inner > 3.9)


def loop(a, b):
    total = np.zeros(a.shape[1])
    for i in range(a.shape[0]):
        total = total + a[i] * b[i]
        b[i] = np.tanh(a[i]) * total.sum()
    return total, b


FLAT = (chain, angles, in_place, sums, extremes, integers, products)
DEEP = (rows, columns, stencil, loop)


def bits(result):
    if isinstance(result, tuple):
        return [bits(part) for part in result]
    return np.asarray(result).dtype.str, np.asarray(result).shape, np.ascontiguousarray(result).tobytes()


def outcome(function, arguments):
    copies = [argument.copy() for argument in arguments]
    return bits((function(*copies), *copies))


def check_counts(function, cases, as_alone=True):
    """The same bits for any number of threads, and as without threads except for strided sums, which LLVM may vectorise otherwise."""
    alone, shared = (ag.compile(function, fallback="error", parallel=parallel) for parallel in (False, True))
    for arguments in cases:
        with ag.config(threads=1):
            expected = outcome(shared, arguments)
        assert not as_alone or outcome(alone, arguments) == expected, arguments[0].shape
        for count in COUNTS:
            with ag.config(threads=count):
                assert outcome(shared, arguments) == expected, (count, arguments[0].shape)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("function", FLAT)
def test_results_do_not_depend_on_the_number_of_threads(eager_to_share, function, dtype):
    check_counts(function, [np.random.default_rng(size).normal(size=(2, size)).astype(dtype) for size in (513, 511, 5000, 70001)])


@pytest.mark.parametrize("function", DEEP)
def test_results_over_axes_do_not_depend_on_the_number_of_threads(eager_to_share, function):
    check_counts(function, [np.random.default_rng(1).normal(size=(2, *shape)) for shape in ((65, 130), (9, 3000), (700, 9))])


def test_square_views_do_not_depend_on_the_number_of_threads(eager_to_share):
    a, b = np.random.default_rng(2).normal(size=(2, 90, 95))
    check_counts(turned, [(a[:, :90], b[:, 5:])], as_alone=False)
    found, expected = ag.compile(turned, fallback="error")(a[:, :90], b[:, 5:]), turned(a[:, :90], b[:, 5:])
    for ours, numpys in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, numpys, rtol=1e-12, atol=1e-12)


def test_sums_over_matrices_of_long_rows_do_not_depend_on_the_number_of_threads(eager_to_share):
    matrices = lambda a, b: (np.sum((a - b.mean(axis=0)) ** 2), np.min(a[:, 1:] + b[:, :-1]), np.sum(a[:, ::2]))  # noqa: E731
    check_counts(matrices, [np.random.default_rng(6).normal(size=(2, *shape)) for shape in ((33, 1500), (5000, 9), (9, 70_000))])


@pytest.mark.parametrize("shape", [(0, 3), (1, 7)])
def test_arrays_of_few_elements_can_be_cut(eager_to_share, shape):
    check_counts(stencil, [np.ones((2, *shape))])
    check_counts(chain, [np.ones((2, *shape))])
    check_counts(sums, [np.ones((2, *shape))])


@pytest.mark.parametrize("function", [chain, angles, sums])
def test_large_arrays_are_cut_by_themselves(function):
    check_counts(function, [np.random.default_rng(3).normal(size=(2, 600_001))])


def test_gradients_do_not_depend_on_the_number_of_threads(eager_to_share):
    x, y = np.random.default_rng(4).normal(size=(2, 3000))
    gradient = ag.grad(lambda x, y: np.sum(np.tanh(x * y) ** 2) + np.max(x), (0, 1))
    found = []
    for count in COUNTS:
        with ag.config(threads=count):
            found.append(bits(gradient(x, y)))
    assert found == found[:1] * len(COUNTS)


def test_other_threads_work_on_a_large_nest():
    x = np.random.default_rng(5).normal(size=3_000_000)
    function = ag.compile(lambda x: np.sum(np.exp(x) * np.log(x * x)), fallback="error")
    deadline = time.monotonic() + 60.0
    with ag.config(threads=2):
        function(x)
        elsewhere = 0.0
        while elsewhere < 0.005 and time.monotonic() < deadline:  # a loaded machine may not run the second one for a while
            process, thread = time.process_time(), time.thread_time()
            function(x)
            elsewhere += (time.process_time() - process) - (time.thread_time() - thread)
    assert elsewhere >= 0.005


@pytest.mark.skipif(not os.path.exists("/proc/loadavg"), reason="the system does not tell how many run")
def test_idle_processors_are_counted():
    read, write = os.pipe()
    os.close(write)
    idle = ctypes.c_int64.from_address(pool().library.variable("ag_idle"))
    looked = ctypes.c_int64.from_address(pool().library.variable("ag_looked"))
    function, x = ag.compile(lambda x: np.exp(x), fallback="error"), np.ones(300_000)
    with ag.config(threads=2), open("/proc/loadavg", "rb") as load:
        for file, least, most in ((load.fileno(), -(1 << 20), os.cpu_count()), (read, 1 << 30, 1 << 30)):
            pool().load.value, looked.value = file, 0
            function(x)
            assert looked.value > 0 and least <= idle.value <= most
    os.close(read)


def test_a_function_called_with_small_arrays_first_shares_large_ones():
    function = ag.compile(lambda x: (np.exp(x) + 1.0, np.sum(x)), fallback="error")
    small, large = np.linspace(0.0, 1.0, 10), np.linspace(0.0, 1.0, 100_000)
    before = bits(function(small))
    (specialization,) = function.specializations
    (executable,) = specialization.executables.values()
    (form,) = [kept for kept in executable.environment if isinstance(kept, sharing_form.SharingForm)]
    assert form.entry is None
    expected = ag.compile(function.function, parallel=False)(large)
    for _ in range(3):
        assert bits(function(large)) == bits(expected)
    assert form.entry is not None and len(specialization.executables) == 1
    assert bits(function(small)) == before


def test_without_parallel_there_is_no_second_form():
    function = ag.compile(lambda x: np.exp(x) + 1.0, fallback="error", parallel=False)
    function(np.ones(100_000))
    (executable,) = function.specializations[0].executables.values()
    assert "ag_share" not in executable.llvm
    assert not any(isinstance(kept, sharing_form.SharingForm) for kept in executable.environment)


def by_elements(x):
    total = np.zeros(3)
    for i in range(len(x)):
        for j in range(3):
            total[j] += x[i] * j
    return total


def test_a_program_of_loops_over_elements_has_one_form():
    function = ag.compile(by_elements, fallback="error")
    assert np.array_equal(function(np.ones(100_000)), [0.0, 1e5, 2e5])
    (executable,) = function.specializations[0].executables.values()
    assert len(executable.environment) == 1 and "ag_share" not in executable.llvm


def test_arrays_made_from_numbers_are_shared_too():
    function = ag.compile(lambda n: np.sqrt(np.linspace(0.0, 1.0, n)).sum(), fallback="error")
    function(400_000)
    (executable,) = function.specializations[0].executables.values()
    assert "ag_share" in executable.llvm


def divide(x, k):
    scaled = np.exp(x) * 2.0
    return scaled[k]


def test_errors_of_the_sharing_form_are_those_of_the_function():
    function, large = ag.compile(divide, fallback="error"), np.ones(100_000)
    assert function(np.ones(5), 1) == function(large, 1)
    with pytest.raises(IndexError, match="index 100000 is out of bounds for axis 0 with size 100000") as caught:
        function(large, 100_000)
    assert caught.traceback[-1].lineno + 1 == divide.__code__.co_firstlineno + 2
    gc.collect()
    live = runtime().live
    for _ in range(5):
        function(large, 1)
    assert runtime().live == live


def test_lists_go_through_the_sharing_form():
    def extend(x, items):
        items.append(x.sum())
        return items

    function = ag.compile(extend, fallback="error")
    for size in (5, 100_000, 100_000):
        items = [1.0, 2.0]
        assert function(np.ones(size), items) is items and items == [1.0, 2.0, float(size)]


def test_an_expression_costs_more_than_its_parts():
    x = operand(0, np.dtype("f8"))
    assert cost_of(x) < cost_of(x + x) < cost_of(x / (x + x)) < cost_of(call("lgamma", x))
    assert cost_of(operand(0, np.dtype("f4"))) < cost_of(x)


def test_the_default_number_of_threads_is_numbas():
    with ag.config(threads=None):
        assert threads.count == numba.config.NUMBA_NUM_THREADS
    with ag.config(threads=3):
        assert threads.count == 3
