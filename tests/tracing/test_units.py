"""Functions that are called from several places: one function of the graph, with Python's results, exceptions and derivatives."""

from __future__ import annotations

import sys
import threading
import traceback
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ir.copying import copy_graph
from autograph_jit.ir.function import CALLS, functions_of
from autograph_jit.ir.inlining import inline_all
from autograph_jit.ir.verifier import verify
from autograph_jit.ops.evaluate import evaluate
from autograph_jit.tracing.control import units
from autograph_jit.transforms import inlining
from tests.tables import table
from tests.tracing.agreement import assert_agrees

W = np.linspace(0.1, 1.0, 5)
X = np.array([0.3, 1.2, -0.7, 2.2, 0.9])


@pytest.fixture(autouse=True)
def calls_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in long programs."""
    monkeypatch.setattr(inlining, "MOST_COPIED", 1)


def iterated(x: Any, n: int) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        t = x[i]
        for _ in range(n):
            t = t * 0.5 + np.sin(t) * 0.25
            if t > 1.5:
                t = t - 1.0
        out[i] = t
    return out


def arrays_of_several_sizes(x: Any) -> Any:
    a, b = iterated(x, 3), iterated(x[1:] * 2.0, 4)
    c = iterated(a[1:] + b, 3)
    return a.sum() * b.sum() + iterated(c, 5).sum()


def left_early(x: Any, k: float) -> Any:
    for i in range(len(x)):
        if x[i] > k:
            return x[i]
        if x[i] + k > 3.0 * k:
            return (x[i] + k) * 2.0
        if x[i] < -3.0:
            break
    y = k
    while y > 1.0:
        y = y * 0.5
        if y < 0.1:
            return y
    return y - 1.0


def early_exits(x: Any) -> Any:
    return left_early(x, 1.5) + left_early(x, 0.5) + left_early(x, 10.0) * left_early(x, 2.5)


def largest(x: Any, k: float) -> Any:
    best, place = 0.0, -1
    for i in range(len(x)):
        if x[i] * k > best:
            best, place = x[i] * k, i
        elif x[i] < -10.0:
            best = best - 1.0
    return None if place == -1 else (best, place, "found", x * 2.0)


def tuples_and_none(x: Any) -> Any:
    found = 0.0
    first, second, third = largest(x, 1.0), largest(x, 2.0), largest(-x * 0.0, 3.0)
    if first is not None:
        found += first[0] + first[1] + first[3].sum()
    if second is not None:
        found += second[0] * 0.5
    return found + (1000.0 if third is None else 0.0)


def weighted(x: Any, power: Any) -> Any:
    total = 0.0
    for i in range(len(W)):
        total += W[i] * abs(x[i]) ** power
        if total > 50.0:
            total = total - W.sum()
        total = total * 1.01 + 0.1
        while total > 80.0:
            total = total * 0.9
    return total


def captured_array_and_kinds_of_numbers(x: Any) -> Any:
    return weighted(x, 2) + weighted(x, 2.0) + weighted(x + 1.0, 3) + weighted(x, 3)


def relaxed(u: Any, k: float, least: float) -> Any:
    total = 0.0
    for i in range(1, len(u) - 1):
        r = 0.5 * (u[i - 1] + u[i + 1]) - u[i]
        if abs(r) > least:
            u[i] += k * r
            total += r
        else:
            total -= 0.1
    return total


def writes_to_an_argument(x: Any) -> Any:
    y, z = x.copy(), x * 2.0
    s = relaxed(y, 0.5, 0.1) + relaxed(z, 0.25, 0.1)
    s += relaxed(y, 0.125, 0.0) + relaxed(y[::2], 0.125, 0.0)
    return s + y[1] * z[2] + y[3]


def summed(x: Any) -> Any:
    if len(x) <= 2:
        s = 0.0
        for i in range(len(x)):
            s += x[i] * x[i] * x[i]
        return s
    middle = len(x) // 2
    return summed(x[:middle]) + summed(x[middle:])


def spread(x: Any, n: int) -> Any:
    if n <= 0:
        return x * x
    return spread(np.sin(x), n - 1) * 0.5 + spread(x + 0.1, n - 2)


def recursion_over_numbers(x: Any) -> Any:
    return spread(x[0], int(x[3] * 3.0)) + spread(x[1], int(x[3] * 2.0))


def recursion_over_parts(x: Any) -> Any:
    return summed(x[: int(x[3] * 2.0)]) + summed(x * 2.0)


PROGRAMS = (
    *(arrays_of_several_sizes, early_exits, tuples_and_none, captured_array_and_kinds_of_numbers, writes_to_an_argument),
    *(recursion_over_parts, recursion_over_numbers),
)


def slope(function: Any, x: Any, step: float) -> Any:
    """Differences of a function at each element."""
    return np.array([(function(x + step * e) - function(x - step * e)) / (2.0 * step) for e in np.eye(len(x))])


@table("function", PROGRAMS)
def test_a_function_of_the_graph_gives_what_python_gives(function: Any) -> None:
    assert_agrees(function, X)
    text = ag.compile(function).explain(X)
    assert "called from" in text and " stays " not in text


@table("function", PROGRAMS)
def test_derivatives_of_calls(function: Any) -> None:
    gradient = ag.grad(function)
    np.testing.assert_allclose(gradient(X), slope(function, X, 1e-6), rtol=1e-6, atol=1e-7)
    if function in (arrays_of_several_sizes, writes_to_an_argument, recursion_over_numbers):
        steep = lambda x: (gradient(x) ** 2).sum()  # noqa: E731
        np.testing.assert_allclose(ag.grad(steep)(X), slope(steep, X, 1e-5), rtol=1e-5, atol=1e-5)
    if function is not recursion_over_parts:
        np.testing.assert_allclose(ag.jvp(function, (X,), (np.ones(5),))[1], gradient(X).sum(), rtol=1e-12)


def test_a_program_grows_by_calls_and_not_by_bodies() -> None:
    compiled = ag.compile(captured_array_and_kinds_of_numbers)
    graph = compiled.prepare((X, {})).program.graph
    verify(graph)
    sites = functions_of(graph)
    assert sorted(sites.values()) == [1, 1, 2]  # 2 as a constant, 2.0, and 3 as any int
    assert sum(operation.name in CALLS for operation in graph.walk()) == 4
    assert sum(1 for _ in graph.walk()) < 20


@table("function", PROGRAMS)
def test_inlining_keeps_graphs_valid_and_results_the_same(function: Any) -> None:
    program = ag.compile(function).prepare((X, {})).program
    graph, copy, leaves = program.graph, copy_graph(program.graph), program.leaves((X, {}))
    inline_all(copy.block)
    verify(copy)
    assert all(callee.is_recursive for callee in functions_of(copy))
    assert evaluate(copy, leaves, check_sizes=True) == evaluate(graph, leaves, check_sizes=True)


def checked(x: Any, i: int) -> Any:
    total = 0.0
    for k in range(len(x)):
        if x[k] > 100.0:
            raise ValueError(f"too big at {i}")
        total += x[k] * k - 0.5
        if total < -1e6:
            total = 0.0
    return total / x[i]


def raises_in_a_call(x: Any, i: int) -> Any:
    s = checked(x, 0) + checked(x, 1)
    try:
        t = checked(x, i)
    except (IndexError, ValueError):
        t = -1.0
    x[0] = t
    return s + checked(x, 2) + checked(x * 1.0, i)


@table(("x", "i"), [(X, 1), (X, 7), (np.array([1.0, 200.0, 3.0, 0.0, 0.0]), 1)])
def test_exceptions_of_calls_name_the_lines_and_leave_what_was_written(x: Any, i: int) -> None:
    assert_agrees(raises_in_a_call, (x, i))
    lines = []
    for function in (raises_in_a_call, ag.compile(raises_in_a_call)):
        try:
            function(x.copy(), i)
        except (IndexError, ValueError) as error:
            frames = traceback.extract_tb(error.__traceback__)
            lines.append([(frame.name, frame.lineno) for frame in frames if frame.name in ("raises_in_a_call", "checked")])
    assert lines[:1] == lines[1:]


def printing(x: Any, k: float) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += x[i] * k
        if total > 2.0:
            print(total)
        else:
            total = total * 0.5
    return total


def prints(x: Any) -> Any:
    return printing(x, 1.0) + printing(x, 2.0) + printing(x, 3.0)


def scaled(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        if x[i] > 1.0:
            total += x[i] * factor
        else:
            total -= x[i] / factor
        if total > 5.0:
            total = 5.0
    return total


factor = 2.0


def changes_a_global(x: Any) -> Any:
    global factor
    factor = 2.0
    first = scaled(x)
    factor = 3.0
    return first + scaled(x) + scaled(x * 1.0)


def counts(x: Any) -> Any:
    scale = 1.0

    def inner(y: Any) -> Any:
        total = 0.0
        for i in range(len(y)):
            if y[i] > 1.0:
                total += y[i] * scale
            else:
                total -= y[i]
            if total > 5.0:
                total = 5.0
        return total

    a = inner(x)
    scale = 2.0
    b = inner(x)
    scale = 3.0
    return a, b, inner(x)


@table("function", (prints, changes_a_global, counts))
def test_what_a_body_does_or_reads_around_it_is_as_in_python(function: Any) -> None:
    assert_agrees(function, X)


def test_explain_says_why_a_function_stays_where_it_is_called() -> None:
    assert "printing stays where it is called: it calls Python" in ag.compile(prints, fallback="error").explain(X)


def deepest(n: int) -> int:
    return deepest(n + 1) + 1 if n >= 0 else 0


def even(n: int) -> bool:
    return True if n == 0 else odd(n - 1)


def odd(n: int) -> bool:
    return False if n == 0 else even(n - 1)


def ackermann(m: int, n: int) -> int:
    if m == 0:
        return n + 1
    return ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))


def merged(x: Any) -> Any:
    if len(x) < 2:
        return x.copy()
    a, b = merged(x[: len(x) // 2]), merged(x[len(x) // 2 :])
    out, i, j = np.empty(len(x)), 0, 0
    for k in range(len(x)):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out[k], i = a[i], i + 1
        else:
            out[k], j = b[j], j + 1
    return out


def placed(board: Any, row: int) -> int:
    if row == len(board):
        return 1
    count = 0
    for column in range(len(board)):
        free = True
        for other in range(row):
            if board[other] == column or abs(board[other] - column) == row - other:
                free = False
        if free:
            board[row] = column
            count += placed(board, row + 1)
    return count


def queens(size: int) -> int:
    return placed(np.zeros(size, np.int64), 0)


def latin_square(size: int) -> Any:
    rows, columns = ([set[str]() for _ in range(size)] for _ in range(2))
    cells: dict[tuple[int, int], str] = {}

    def candidates(i: int, j: int) -> list[str]:
        return [d for d in "12345" if d not in rows[i] and d not in columns[j]]

    def solve() -> bool:
        empty = [(i, j) for i in range(size) for j in range(size) if (i, j) not in cells]
        if not empty:
            return True
        i, j = min(empty, key=lambda cell: len(candidates(*cell)))
        for digit in candidates(i, j):
            cells[i, j] = digit
            rows[i].add(digit)
            columns[j].add(digit)
            if solve():
                return True
            del cells[i, j]
            rows[i].discard(digit)
            columns[j].discard(digit)
        return False

    return solve(), "".join(cells[i, j] for i in range(size) for j in range(size))

@table(("function", "arguments"), [(even, (31,)), (ackermann, (2, 5)), (merged, (np.sin(np.arange(40.0)),)), (queens, (6,))])
def test_recursion_is_native_calls(function: Any, arguments: Any) -> None:
    assert_agrees(function, arguments)
    assert "recursive call" not in ag.compile(function, fallback="error").explain(*arguments)


def test_texts_that_loops_of_a_recursion_look_for_are_made_in_it() -> None:
    assert_agrees(latin_square, (3,), (2,))


def test_a_recursion_that_is_too_deep_is_a_recursion_error() -> None:
    compiled = ag.compile(deepest, fallback="error")
    before = sys.getrecursionlimit()
    for limit in (before, 20_000):  # with the second one the stack would run out first
        sys.setrecursionlimit(limit)
        try:
            with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
                compiled(0)
        finally:
            sys.setrecursionlimit(before)


def test_a_recursion_on_a_small_stack_is_a_recursion_error() -> None:
    before = threading.stack_size(64 << 10)
    try:
        compiled, found = ag.compile(deepest, fallback="error"), list[BaseException]()
        compiled(-1)

        def run() -> None:
            try:
                compiled(0)
            except RecursionError as error:
                found.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert len(found) == 1


def test_short_functions_are_part_of_the_graph_as_before() -> None:
    assert units.LEAST_WEIGHT > 3
    graph = ag.compile(lambda x: halved(x) + halved(x + 1.0) + halved(x + 2.0)).prepare((X, {})).program.graph
    assert not functions_of(graph)


def halved(x: Any) -> Any:
    return 0.5 * x
