"""Updates of parts of one array: which statements run as one nest, and that the nest does what they do."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ir.types import I64
from autograph_jit.kernels.facts import find_facts
from autograph_jit.kernels.fusion import find_fusions
from autograph_jit.kernels.updates import find_updates
from tests.backends.building import Maker, N, array


def stencil(u, t):
    u[:-2] += t
    u[2:] += t
    u[1:-1] -= 2 * t


def ends_far_apart(u, t):
    u[: len(t) - 5] += t[5:]
    u[7:] -= t[:-5]


def cleared_in_between(u, t):
    u[2:] += t
    u[1:-1] = 0.0
    u[:-2] = u[:-2] * 0.5 + t


def with_numbers_and_other_types(u, t):
    u[:-2] += 1
    u[1:-1] *= t
    u[2:] -= np.arange(len(t), dtype=np.float32)


def read_in_between(u, t):
    u[:-2] += t
    t = t + u[1:-1]
    u[2:] += t


def operand_written_in_between(u, t):
    u[:-2] += t
    t[0] = 7.0
    u[2:] += t


def two_arrays_in_turns(u, t):
    v = u * 2
    u[1:-1] += t
    v[:-2] += t
    u[:-2] -= t
    v[2:] += t
    u += v


def fresh_and_shifted(u, t):
    v, w = np.zeros(len(u)), np.full(len(u), 3.0)
    v[:-2] += t
    v[2:] -= 2 * t
    w[1:-1] *= t
    u += v * w


def operand_is_the_array_shifted(u, t):
    u[1:] += u[:-1]
    u[:-1] += u[1:]


@pytest.mark.parametrize("size", [2, 3, 4, 5, 9, 100])
@pytest.mark.parametrize(
    "function",
    [
        stencil,
        ends_far_apart,
        cleared_in_between,
        with_numbers_and_other_types,
        read_in_between,
        operand_written_in_between,
        two_arrays_in_turns,
        operand_is_the_array_shifted,
        fresh_and_shifted,
    ],
)
@pytest.mark.parametrize("stride", [1, 2])
def test_updates_give_bit_for_bit_what_numpy_gives(function, size, stride):
    size += 8 if function in (ends_far_apart, operand_written_in_between) else 0
    rng = np.random.default_rng(size)
    u, t = rng.standard_normal(size * stride)[::stride], rng.standard_normal(size - 2)
    expected, mine, others = u.copy(), u.copy() if stride == 1 else np.repeat(u, 2)[::2], (t.copy(), t.copy())
    function(expected, others[0])
    ag.compile(function, fallback="error")(mine, others[1])
    assert mine.tobytes() == expected.tobytes() and others[0].tobytes() == others[1].tobytes()


def cross(u, t):
    u[1:-1, 1:-1] -= 4 * t
    u[:-2, 1:-1] += t
    u[2:, 1:-1] += t
    u[1:-1, :-2] += t
    u[1:-1, 2:] += t[0]


def corners(u, t):
    u[2:, 2:] += t
    u[:-2, :-2] -= t * t
    u[2:, :-2] += 1.0


@pytest.mark.parametrize("sizes", [(2, 2), (2, 9), (3, 3), (9, 2), (4, 5), (20, 33)])
@pytest.mark.parametrize("function", [cross, corners])
def test_updates_of_planes(function, sizes):
    if sizes[0] == 2 and function is cross:
        sizes = (3, sizes[1])
    rng = np.random.default_rng(1)
    u, t = rng.standard_normal(sizes), rng.standard_normal((sizes[0] - 2, sizes[1] - 2))
    expected, mine = u.copy(), u.copy()
    function(expected, t)
    ag.compile(function, fallback="error")(mine, t)
    assert mine.tobytes() == expected.tobytes()


def bricks(u, t):
    u[1:-1, 1:-1, 1:-1] -= t
    u[2:, 1:-1, 1:-1] += t
    u[1:-1, :-2, 1:-1] += t
    u[1:-1, 1:-1, 2:] += t


def test_updates_of_a_solid():
    rng = np.random.default_rng(2)
    u, t = rng.standard_normal((6, 5, 7)), rng.standard_normal((4, 3, 5))
    expected, mine = u.copy(), u.copy()
    bricks(expected, t)
    ag.compile(bricks, fallback="error")(mine, t)
    assert mine.tobytes() == expected.tobytes()


def updates_of(graph, distinct=True):
    facts = find_facts(graph, ("C",) * len(graph.block.args), distinct)
    return [len(run) for run in find_updates(graph, facts, find_fusions(graph, facts)).values()]


def part(m, u, start, stop):
    items = (("slice", True, True, False),)
    return m.op("basic_index", u, m.integer(start), m.integer(stop), items=items, dims=(N - 2,))


def add_to(m, target, value):
    m.do("assign", target, m.op("add", target, value))


@pytest.mark.parametrize("distinct, found", [(True, [2]), (False, [])])
def test_updates_run_together_where_operands_are_other_memory(distinct, found):
    m = Maker()
    u, t = m.param(array(N)), m.param(array(N - 2))
    add_to(m, part(m, u, 0, -2), t)
    add_to(m, part(m, u, 1, -1), t)
    assert updates_of(m.done(), distinct) == found


def test_a_loop_or_a_read_or_a_failing_operation_in_between_ends_a_run():
    for between in ("loop", "read", "fail"):
        m = Maker()
        u, t, i = m.param(array(N)), m.param(array(N - 2)), m.param(I64)
        add_to(m, part(m, u, 0, -2), t)
        if between == "loop":
            m.count(m.integer(0), i, m.integer(1), [], lambda k: [])
        result = m.op("load", t if between == "fail" else u, i) if between != "loop" else i
        add_to(m, part(m, u, 1, -1), t)
        assert updates_of(m.done(result)) == []


def test_the_first_updates_of_a_fresh_array_fill_it():
    m = Maker()
    n, t = m.param(I64), m.param(array(N - 2))
    u = m.op("full", m.const(0.0), n, dims=(N,))
    add_to(m, part(m, u, 0, -2), t)
    add_to(m, part(m, u, 1, -1), t)
    graph = m.done(u)
    facts = find_facts(graph, ("C",) * 2, True)
    found = find_updates(graph, facts, find_fusions(graph, facts))
    assert sorted(len(run) for run in found.values()) == [0, 3] and found[u.owner] == []


def wave(u, before, speed, steps):
    for _ in range(steps):
        after = 2.0 * u - before
        after[1:-1] += speed * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        before = u
        u = after
    return u


def relax(u, weights, steps):
    for _ in range(steps):
        v = u * weights
        v[1:, 1:-1] += u[:-1, 1:-1] - u[1:, 2:]
        v -= weights
        u = v
    return u


@pytest.mark.parametrize("size", [2, 3, 5, 40, 1000, 40_000])
def test_what_makes_an_array_is_its_first_update(size):
    compiled = ag.compile(wave, fallback="error")
    u, before = np.random.default_rng(size).standard_normal((2, size))
    for other in (before, before[:1], u, u[::-1]):
        np.testing.assert_array_equal(compiled(u, other, 0.3, 7), wave(u, other, 0.3, 7))
    if 8 < size < 10_000:
        assert compiled.kernels(u, before, 0.3, 7).count("kernel update") == 2
    with pytest.raises(ValueError, match="broadcast"):
        compiled(u, np.ones(size + 1), 0.3, 2)


@pytest.mark.parametrize("shape", [(2, 3), (9, 30), (300, 200)])
def test_what_makes_a_matrix_is_its_first_update(shape):
    compiled = ag.compile(relax, fallback="error")
    u, weights = np.random.default_rng(0).standard_normal(shape), np.random.default_rng(1).standard_normal(shape[1])
    for given in (weights, weights[:1], np.float64(0.5) * np.ones(shape)):
        np.testing.assert_array_equal(compiled(u, given, 3), relax(u, given, 3))


def copied(u, steps):
    for _ in range(steps):
        v = u.copy()
        v[1:-1] = u[1:-1] + 0.25 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        v[0] = 0.0
        u = v
    return u


@pytest.mark.parametrize("size", [2, 3, 5, 40, 1000])
def test_a_copy_that_is_changed_is_made_with_the_change(size):
    compiled, u = ag.compile(copied, fallback="error"), np.random.default_rng(size).standard_normal(size)
    for given in (u, u[::-1]):
        np.testing.assert_array_equal(compiled(given, 5), copied(given, 5))
    if size > 8:
        assert compiled.kernels(u, 5).count("kernel update") == 2


def test_an_array_is_not_made_later_than_what_it_is_made_of_changes():
    @ag.compile(fallback="error")
    def changed(u, n):
        v = u * 2.0
        u[0] = 9.0
        v[1:] += u[:-1]
        w = v + 1.0
        k = u[n]
        w[1:] -= v[:-1]
        return v, w, k

    for _ in range(2):
        for mine, theirs in zip(changed(np.arange(20.0), 3), changed.__wrapped__(np.arange(20.0), 3)):
            np.testing.assert_array_equal(mine, theirs)


def test_an_array_that_a_trip_makes_is_none_of_those_before():
    m = Maker()
    u, n = m.param(array(N)), m.param(I64)
    seen = {}

    def body(i, state):
        made = m.op("add", state, state)
        seen.update(state=state, made=made, doubled=m.op("multiply", state, u))
        return [made]

    (last,) = m.count(m.integer(0), n, m.integer(1), [u], body)
    facts = find_facts(m.done(last), ("C", "C"), True)
    assert facts.may_alias(seen["made"], seen["state"])
    assert not facts.may_meet(seen["made"], seen["state"]) and not facts.may_meet(seen["made"], u)
    assert facts.may_meet(seen["made"], last) and facts.may_meet(seen["state"], u)
