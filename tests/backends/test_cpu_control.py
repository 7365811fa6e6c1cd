"""Control flow, errors and memory of compiled graphs agree with the eager rules."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from autograph_jit.ir.dims import atom
from autograph_jit.ir.opdef import ErrorSpec
from autograph_jit.ir.types import OBJECT
from tests.backends.building import B1, F8, I8, M, Maker, N, array, check, compare


def test_scalar_while_loop_runs_until_its_test_fails():
    m = Maker()
    a, tol = m.param(F8), m.param(F8)

    def test(x):
        error = m.op("absolute", m.op("subtract", m.op("multiply", x, x), a))
        return [m.op("greater", error, tol), x]

    def body(x):
        return [m.op("multiply", m.const(0.5), m.op("add", x, m.op("divide", a, x)))]

    compare(m.done(*m.loop([a], test, body)), 2.0, 1e-12)


@pytest.mark.parametrize("bounds", [(0, 10, 1), (10, 0, -1), (0, 10, 3), (10, 0, -4), (5, 5, 1), (7, 2, 1), (0, 2**62, 2**61)])
def test_for_loop_visits_the_indices_of_range(bounds):
    m = Maker()
    start, stop, step = (m.param(I8) for _ in range(3))
    graph = m.done(*m.count(start, stop, step, [m.integer(1)], lambda i, s: [m.op("add", m.op("multiply", s, m.integer(3)), i)]))
    compare(graph, *bounds)


def test_for_loop_with_break_keeps_the_state_of_the_last_trip():
    m = Maker()
    x, limit = m.param(array(N)), m.param(F8)

    def body(i, total):
        following = m.op("add", total, m.op("load", x, i))
        return [m.op("less", following, limit), following]

    graph = m.done(*m.count(m.integer(0), m.op("dim", x, axis=0), m.integer(1), [m.const(0.0)], body, has_break=True))
    executable = compare(graph, np.arange(10.0), 7.0)
    check(executable, graph, np.arange(10.0), 1e9)


def test_cond_takes_one_branch_and_arrays_move_out_of_it():
    m = Maker()
    p, x = m.param(B1), m.param(array(N))
    (y,) = m.cond(p, lambda: [m.op("add", x, x)], lambda: [x])
    graph = m.done(y, m.op("multiply", y, y))
    executable = compare(graph, True, np.arange(3.0))
    check(executable, graph, False, np.arange(3.0))
    argument = np.arange(3.0)
    assert executable(False, argument)[0] is argument


def test_loop_that_replaces_an_array_frees_the_old_ones():
    m = Maker()
    x, n = m.param(array(N)), m.param(I8)
    graph = m.done(*m.count(m.integer(0), n, m.integer(1), [x, x], lambda i, y, z: [m.op("add", y, x), y]))
    executable = compare(graph, np.arange(4.0), 5)
    check(executable, graph, np.arange(4.0), 0)


def test_index_error_names_axis_and_size_and_keeps_partial_writes():
    m = Maker()
    x, n = m.param(array(N)), m.param(I8)

    def body(i):
        m.do("store", x, m.const(7.0), i)
        return []

    m.count(m.integer(0), n, m.integer(1), [], body)
    graph = m.done()
    executable = compare(graph, np.zeros(4), 6)
    check(executable, graph, np.zeros(4), 4)
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        executable(np.zeros(4), 6)


def test_negative_index_counts_from_the_end():
    m = Maker()
    x, i, j = m.param(array(N, M)), m.param(I8), m.param(I8)
    graph = m.done(m.op("load", x, i, j))
    executable = compare(graph, np.arange(6.0).reshape(2, 3), -1, -3)
    for i, j in ((-3, 0), (2, 0), (0, 3), (0, -4), (1, 2)):
        check(executable, graph, np.arange(6.0).reshape(2, 3), i, j)


def test_check_and_raise_build_their_message_from_numbers():
    m = Maker()
    x = m.param(I8)
    m.do("check", m.op("less", x, m.integer(5)), x, error=ErrorSpec(ValueError, "too large: {}"))

    def fail():
        m.do("raise_", x, error=ErrorSpec(TypeError, "negative: {}"))

    m.cond(m.op("less", x, m.integer(0)), fail, lambda: [])
    graph = m.done(m.op("add", x, x))
    executable = compare(graph, 3)
    check(executable, graph, 9)
    check(executable, graph, -2)


def test_try_gives_the_handler_the_exception_and_the_state():
    m = Maker()
    x, i = m.param(array(N)), m.param(I8)
    doubled = m.op("add", x, x)

    def body():
        inner = m.op("multiply", doubled, doubled)
        value = m.op("load", inner, i)
        return [value, doubled]

    def handler(error, state):
        m.do("host_call", error, fn=lambda e: (seen.append(str(e)), ())[1], label="note", results=())
        return [m.const(-1.0), m.op("subtract", state, state)]

    seen: list[str] = []
    graph = m.done(*m.attempt(body, handler, [doubled], [OBJECT, array(N)]))
    executable = compare(graph, np.arange(3.0), 2)
    check(executable, graph, np.arange(3.0), 5)
    assert seen == ["index 5 is out of bounds for axis 0 with size 3"] * 2


def test_try_in_a_loop_leaves_nothing_behind():
    m = Maker()
    x, n = m.param(array(N)), m.param(I8)

    def body(i, total):
        def attempted():
            inner = m.op("add", x, x)
            value = m.op("load", inner, i)
            return [m.op("add", value, m.op("load", inner, i))]

        return m.attempt(attempted, lambda error, t: [m.op("add", t, m.const(0.5))], [total], [OBJECT, F8])

    graph = m.done(*m.count(m.integer(0), n, m.integer(1), [m.const(0.0)], body))
    compare(graph, np.arange(3.0), 9)


def test_places_that_fail_share_their_way_to_the_handler():
    """Each place has its own exception and state; what the handler takes over from the body is neither taken nor given up."""
    m = Maker()
    x, i, n = m.param(array(N)), m.param(I8), m.param(I8)
    doubled, stages = m.op("add", x, x), 12
    seen: list[str] = []

    def body():
        inner, total = m.op("multiply", doubled, doubled), m.const(0.0)
        for stage in range(stages):
            m.unwind = [m.op("add", n, m.integer(stage)), inner]
            total = m.op("add", total, m.op("load", inner, m.op("add", i, m.integer(stage))))
        return [total, n, doubled]

    def handler(error, reached, state):
        m.do("host_call", error, fn=lambda e: (seen.append(str(e)), ())[1], label="note", results=())
        return [m.const(-1.0), reached, m.op("subtract", state, state)]

    graph = m.done(*m.attempt(body, handler, [n, doubled], [OBJECT, I8, array(N)]))
    executable = compare(graph, np.arange(12.0), 0, 7)
    for first in (1, 5, 20):
        check(executable, graph, np.arange(12.0), first, 7)
    assert seen == [text for first in (12, 12, 20) for text in [f"index {first} is out of bounds for axis 0 with size 12"] * 2]
    calls = Counter(re.findall(r"call .*@(ag_\w+)\(", executable.llvm))
    assert calls["ag_catch_site"] == 2  # before there is `inner`, and after
    assert calls["ag_retain"] == 2  # of `doubled`: for a handler without `inner`, and behind the `try_`


def test_host_call_gets_views_and_gives_arrays_numbers_and_objects():
    m = Maker()
    x, o = m.param(array(N)), m.param(OBJECT)

    def call(values, obj, number):
        values[0] = number
        return values[::2] * 1.0, np.float64(len(obj)), [obj]

    view = m.op("add", x, x)
    call_op = m.raw("host_call", view, o, m.const(5.0), fn=call, label="call", results=(array(M), F8, OBJECT))
    graph = m.done(view, *call_op.results, m.op("add", call_op.results[0], call_op.results[1]))
    executable = compare(graph, np.arange(5.0), "abc")
    assert executable.host_calls == ("call",)


def test_exception_of_a_host_call_arrives_unchanged():
    m = Maker()
    x = m.param(array(N))
    error = KeyError("mine")

    def call(values):
        raise error

    m.op("add", x, x)
    m.do("host_call", m.op("multiply", x, x), fn=call, label="call", results=())
    graph = m.done()
    executable = compare(graph, np.arange(5.0), kept=1)  # the traceback keeps the argument
    with pytest.raises(KeyError) as caught:
        executable(np.arange(5.0))
    assert caught.value is error


def test_array_kept_by_a_host_call_outlives_the_call():
    m = Maker()
    x = m.param(array(N))
    kept = []
    m.do("host_call", m.op("add", x, x), fn=lambda values: (kept.append(values), ())[1], label="keep", results=())
    compare(m.done(), np.arange(5.0), kept=1)
    assert kept[0].tolist() == kept[1].tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]


def test_branch_that_raises_on_both_sides_ends_its_block():
    m = Maker()
    x, p = m.param(array(N)), m.param(B1)

    def fail(text):
        def build():
            m.do("raise_", error=ErrorSpec(ValueError, text))

        return build

    def both():
        region = [m.region([], fail("left")), m.region([], fail("right"))]
        m.raw("cond", p, regions=region, results=())

    (y,) = m.cond(m.op("less", m.op("load", x, m.integer(0)), m.const(0.0)), both, lambda: [m.op("add", x, x)])
    graph = m.done(y)
    executable = compare(graph, np.arange(3.0), True)
    check(executable, graph, -1 - np.arange(3.0), True)
    check(executable, graph, -1 - np.arange(3.0), False)


def test_branches_with_more_specific_sizes_than_their_result():
    m = Maker()
    x, p = m.param(array(N)), m.param(B1)
    region = [m.region([], lambda: [m.op("array_constant", value=np.arange(3.0))]), m.region([], lambda: [x])]
    (y,) = m.raw("cond", p, regions=region, results=(array(atom("d7")),)).results
    graph = m.done(m.op("add", y, y))
    executable = compare(graph, np.arange(4.0), True)
    check(executable, graph, np.arange(4.0), False)
