"""Ranges prove what is true of loop indices and nothing more."""

from __future__ import annotations

import sys

import pytest

from autograph_jit.ir.dims import atom
from autograph_jit.ir.parser import parse_graph
from autograph_jit.kernels.counters import counter_of
from autograph_jit.kernels.ranges import LONGEST_CHAIN, find_ranges
from autograph_jit.ops.registry import get
from tests.backends.building import I8, M, Maker, N, array


class Program(Maker):
    """A maker with a matrix, its sizes and a parameter of which nothing is known."""

    def __init__(self) -> None:
        super().__init__()
        self.x, self.k = self.param(array(N, M)), self.param(I8)
        self.n, self.m = self.op("dim", self.x, axis=0), self.op("dim", self.x, axis=1)
        self.zero, self.one = self.integer(0), self.integer(1)
        self.seen: list[tuple[bool, bool]] = []

    def over(self, start, stop, *expressions, step=1):
        found = []

        def body(i):
            found.extend(expression(i) for expression in expressions)
            return []

        self.count(start, stop, self.integer(step), [], body)
        return found

    def index(self, value, size=N):
        return find_ranges(self.graph).is_index(value, size)


def test_index_of_a_whole_axis_is_in_bounds():
    p = Program()
    i, before, after = p.over(p.zero, p.n, lambda i: i, lambda i: p.op("subtract", i, p.one), lambda i: p.op("add", i, p.one))
    assert p.index(i) == (True, True)
    assert p.index(before) == (False, True)
    assert p.index(after) == (True, False)
    assert p.index(i, M) == (True, False)


def test_inner_part_leaves_room_for_neighbours():
    p = Program()
    last = p.op("subtract", p.n, p.one)
    before, after, far = p.over(
        p.one, last, lambda i: p.op("subtract", i, p.one), lambda i: p.op("add", i, p.one), lambda i: p.op("add", i, p.integer(2))
    )
    assert p.index(before) == p.index(after) == (True, True)
    assert p.index(far) == (True, False)


def test_triangle_and_reversed_loops():
    p = Program()
    (j,) = p.over(p.zero, p.n, lambda i: p.over(p.op("pyint_add", i, p.one), p.n, lambda j: j)[0])
    (back,) = p.over(p.op("subtract", p.n, p.one), p.integer(-1), lambda i: i, step=-1)
    (difference,) = p.over(p.zero, p.n, lambda i: p.over(p.zero, p.op("add", i, p.one), lambda j: p.op("subtract", i, j))[0])
    assert p.index(j) == p.index(back) == p.index(difference) == (True, True)


@pytest.mark.parametrize(("name", "step"), [("n", 1), ("n", -1), ("m", 2)])
def test_counter_is_between_the_limits_of_its_bounds(name, step):
    p = Program()
    start, stop = (p.zero, getattr(p, name)) if step > 0 else (getattr(p, name), p.zero)
    (i,) = p.over(start, stop, lambda i: i, step=step)
    ranges = find_ranges(p.graph)
    low, high = ranges.known.limits_of_sum(ranges.affine(i))
    assert low == 0 and high < 2**62


def test_unknown_bounds_prove_nothing_of_the_size():
    p = Program()
    (i,) = p.over(p.zero, p.k, lambda i: i)
    (from_unknown,) = p.over(p.k, p.n, lambda i: i)
    assert p.index(i) == (True, False)
    assert p.index(from_unknown) == (False, True)


def test_sum_that_may_wrap_is_no_bound():
    p = Program()
    (i,) = p.over(p.op("add", p.k, p.one), p.n, lambda i: p.op("subtract", i, p.k))
    assert p.index(i) == (False, False)


@pytest.mark.parametrize(("name", "expected"), [("pyint_add", True), ("pyint_multiply", False)])
def test_overflow_is_excluded_for_sizes_and_indices(name, expected):
    p = Program()
    (value,) = p.over(p.zero, p.k, lambda i: p.op(name, i, p.one if expected else p.k))
    ranges = find_ranges(p.graph)
    assert ranges.cannot_overflow(value.owner) is expected
    assert not ranges.cannot_overflow(p.op("pyint_add", p.k, p.one).owner)
    assert ranges.cannot_overflow(p.op("pyint_subtract", p.n, p.m).owner)


def test_half_of_a_size_is_an_index():
    p = Program()
    half = p.op("floor_divide", p.n, p.integer(2))
    (i,) = p.over(p.zero, half, lambda i: p.op("subtract", p.op("subtract", p.n, p.one), i))
    assert p.index(i) == (True, True)


def test_remainder_by_a_size_is_an_index():
    p = Program()
    rest = p.op("remainder", p.k, p.n)
    by_unknown = p.op("remainder", p.k, p.k)
    assert p.index(rest) == (True, True)
    assert p.index(by_unknown) == (False, False)


def inside_while(start, test, move):
    """What is known of j in the body of `while test(j): j = move(j)`, and of j afterwards."""
    p = Program()
    found = []

    def body(j):
        found.append((j, p.block.operations, p.op("load", p.x, j, p.zero)))
        return [move(p, j)]

    (after,) = p.loop([start(p)], lambda j: [test(p, j), j], body)
    load = found[0][2].owner
    later = p.op("pyint_add", after, p.one)
    at_end = p.op("load", p.x, later, p.zero).owner
    ranges = find_ranges(p.graph)
    return ranges.is_index(found[0][0], N, load), ranges.is_index(later, N, at_end), ranges


def last_but_one(p):
    return p.op("subtract", p.n, p.integer(2))


def test_index_that_a_while_loop_counts_down_is_bounded_by_its_start_and_its_test():
    inside, after, _ = inside_while(last_but_one, lambda p, j: p.op("greater_equal", j, p.zero), lambda p, j: p.op("subtract", j, p.one))
    assert inside == after == (True, True)


def test_steps_of_two_may_pass_the_end_of_the_test():
    inside, after, _ = inside_while(
        last_but_one, lambda p, j: p.op("greater_equal", j, p.zero), lambda p, j: p.op("subtract", j, p.integer(2))
    )
    assert inside == (True, True)
    assert after == (False, True)


def test_test_that_is_no_bound_leaves_one_end_open():
    inside, after, _ = inside_while(last_but_one, lambda p, j: p.op("not_equal", j, p.zero), lambda p, j: p.op("subtract", j, p.one))
    assert inside == after == (False, True)


def test_value_that_a_trip_replaces_is_not_bounded():
    inside, _, _ = inside_while(lambda p: p.zero, lambda p, j: p.op("less", j, p.n), lambda p, j: p.k)
    assert inside == (False, True)


def test_sides_of_a_branch_are_steps_each():
    def move(p, j):
        return p.cond(p.op("less", j, p.k), lambda: [p.op("add", j, p.one)], lambda: [p.op("add", j, p.integer(2))])[0]

    inside, after, ranges = inside_while(lambda p: p.zero, lambda p, j: p.op("less", j, p.n), move)
    assert inside == (True, True)
    assert after == (True, False)


def test_loop_that_counts_to_a_size_is_soon_done_and_one_to_an_unknown_number_is_not():
    for limit, expected in (("n", (0, 1)), ("k", None)):
        p = Program()
        stop = getattr(p, limit)
        p.loop([p.zero], lambda j, p=p, stop=stop: [p.op("less", j, stop), j], lambda j, p=p: [p.op("add", j, p.one)])
        (loop,) = (operation for operation in p.graph.walk() if operation.name == "while_loop")
        assert counter_of(find_ranges(p.graph), loop) == expected


def test_size_that_an_operand_gave_is_that_operand():
    p = Program()
    size = atom("d:len(v:k)")
    p.do("check", p.op("greater_equal", p.k, p.zero), error=("ValueError", "negative"))
    p.op("full", p.zero, p.k, dims=(size,))
    (i,) = p.over(p.zero, p.k, lambda i: i)
    assert p.index(i, size) == (True, True)


def test_counter_of_a_counted_loop_stays_below_the_number_of_trips():
    p = Program()
    seen = []

    def body(i, count):
        seen.append(count)
        counted = p.cond(p.op("less", i, p.k), lambda: [p.op("add", count, p.one)], lambda: [count])
        return counted

    (total,) = p.count(p.zero, p.n, p.one, [p.zero], body)
    last = p.op("subtract", total, p.one)
    assert p.index(seen[0]) == (True, True)
    assert p.index(total) == (True, False)
    assert p.index(last) == (False, True)


def carried_by(start, test, move):
    """The numbers that `while test(...)` carries, in its body, with the ranges and an operation of the body."""
    p = Program()
    found = []

    def body(*state):
        found.append(state)
        return move(p, *state)

    p.loop(start(p), lambda *state: [test(p, *state), *state], body)
    (loop,) = (operation for operation in p.graph.walk() if operation.name == "while_loop")
    return find_ranges(p.graph), found[0], loop.regions[1].operations[-1]


@pytest.mark.parametrize(("start", "expected"), [("n", True), ("k", False)])
def test_remainders_of_what_is_not_negative_are_not_negative(start, expected):
    ranges, (x, y), last = carried_by(
        lambda p: [p.n, getattr(p, start)],
        lambda p, x, y: p.op("not_equal", y, p.zero),
        lambda p, x, y: [y, p.op("remainder", x, y)],
    )
    assert [ranges.is_nonnegative(value, last) for value in (x, y)] == [expected, expected]


@pytest.mark.parametrize(("kind", "expected"), [("pyint_", True), ("", False)])
def test_sums_that_fail_before_they_wrap_keep_a_number_from_being_negative(kind, expected):
    def move(p, n):
        def odd():
            return [p.op(f"{kind}add", p.op(f"{kind}multiply", p.integer(3), n), p.one)]

        return p.cond(p.op("less", n, p.k), lambda: [p.op("floor_divide", n, p.integer(2))], odd)

    ranges, (n,), last = carried_by(lambda p: [p.n], lambda p, n: p.op("not_equal", n, p.one), move)
    assert ranges.is_nonnegative(n, last) is expected


def test_a_chain_of_sums_that_fail_is_followed_for_a_while():
    p = Program()
    chain = [p.k]
    for _ in range(2 * sys.getrecursionlimit()):
        chain.append(p.op("pyint_add", chain[-1], p.k))
    ranges = find_ranges(p.graph)
    known = [ranges.exact(value) is not None for value in chain]
    assert all(known[: LONGEST_CHAIN - 1]) and not any(known[LONGEST_CHAIN + 1 :])


def test_choice_is_bounded_by_the_side_that_bounds_the_others():
    p = Program()
    (chosen,) = p.cond(p.op("less", p.k, p.n), lambda: [p.k], lambda: [p.op("subtract", p.n, p.one)])
    (clipped,) = p.cond(p.op("less", p.k, p.zero), lambda: [p.zero], lambda: [p.k])
    both = p.op("where", p.op("less", clipped, p.n), clipped, p.zero)
    assert p.index(chosen) == (False, True)
    assert p.index(clipped) == (True, False)
    assert p.index(both)[0]


def test_sum_with_a_small_parameter_does_not_wrap():
    p = Program()
    end = p.op("add", p.k, p.one)
    size = atom("d:len(v:k+1)")
    p.do("check", p.op("greater_equal", end, p.zero), error=("ValueError", "negative"))
    p.op("full", p.zero, end, dims=(size,))
    (i,) = p.over(p.zero, end, lambda i: i)
    position = p.graph.block.args.index(p.k)
    assert find_ranges(p.graph).is_index(i, size) == (True, False)
    p.graph.small = frozenset({position})
    assert find_ranges(p.graph).is_index(i, size) == (True, True)


def test_what_a_loop_inside_moves_is_bounded_by_its_start_before_the_loop_around():
    source = """graph g(%x: f64[s0], %n: i64) {
    %zero: i64 = constant() {value = i64(0)}
    %one: i64 = constant() {value = i64(1)}
    %size: i64 = dim(%x) {axis = 0}
    %last: i64 = subtract(%size, %one)
    %r: i64 = for_loop(%zero, %n, %one, %last) {results = (i64,), has_break = False} do (%i: i64, %j: i64) {
        %k: i64 = while_loop(%j) {results = (i64,)} do (%a: i64) {
            %p: b1 = greater_equal(%a, %zero)
            yield %p, %a
        } do (%b: i64) {
            %u: f64 = load(%x, %b)
            %c: i64 = subtract(%b, %one)
            yield %c
        }
        yield %k
    }
    yield %r
}
"""
    graph = parse_graph(source, get, {})
    ranges = find_ranges(graph)
    load = next(operation for operation in graph.walk() if operation.name == "load")
    assert ranges.is_index(load.operands[1], ranges.affine(graph.block.operations[2].result), load) == (True, True)
