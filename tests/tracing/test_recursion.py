"""Recursion: ended while tracing by an int that becomes a constant, or by data through the compiled function itself."""

from __future__ import annotations

import cmath
import copy
import functools
import math
from collections import deque
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime import program
from autograph_jit.tracing.values.trace import Trace
from autograph_jit.tracing.values.trace_records import Recorded
from tests.tables import table
from tests.tracing.agreement import assert_agrees, conversion_error


def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def quicksort(x: Any, low: int, high: int) -> None:
    if low >= high:
        return
    pivot, place = x[high], low
    for i in range(low, high):
        if x[i] < pivot:
            x[i], x[place] = x[place], x[i]
            place += 1
    x[high], x[place] = x[place], x[high]
    quicksort(x, low, place - 1)
    quicksort(x, place + 1, high)


def is_even(n: int) -> bool:
    return True if n == 0 else is_odd(n - 1)


def is_odd(n: int) -> bool:
    return False if n == 0 else is_even(n - 1)


def first_of_two(n: int) -> float:
    return 1.0 if n <= 0 else second_of_two(n - 1) + second_of_two(n - 2)


def second_of_two(n: int) -> float:
    if n <= 0:
        return 2.0
    return first_of_two(n - 1) if n % 3 else second_of_two(n - 1)


def helped(n: int) -> float:
    return 1.0 if n <= 0 else three_times(n)


def three_times(n: int) -> float:
    return either(n - 1) + either(n - 2) + either(n - 3)


def either(n: int) -> float:
    total = 0.0
    for k in range(n % 4):
        total += k * 0.5 if n % 2 else k - 0.25 * n
    return total if n % 5 == 0 else total + helped(n - 1)


def test_functions_that_call_each_other_and_themselves_know_what_either_returns() -> None:
    assert_agrees(first_of_two, 0, 1, 2, 4, 9)
    assert_agrees(second_of_two, 1, 4, 9)
    assert_agrees(helped, 0, 3, 6)


def test_recursion_by_a_number() -> None:
    assert_agrees(fibonacci, 1, 2, 12)


def test_recursion_that_writes_its_argument() -> None:
    x = np.array([5.0, 2, 9, 1, 7, 3, 8, 0, 6, 4])
    assert_agrees(quicksort, (x, 0, 9))


def test_mutual_recursion() -> None:
    assert_agrees(is_even, 0, 7, 20)


def test_recursion_over_a_halved_array() -> None:
    def total(x: Any) -> Any:
        if len(x) == 1:
            return x[0]
        middle = len(x) // 2
        return total(x[:middle]) + total(x[middle:])

    assert_agrees(total, np.arange(11.0), np.arange(40.0))


def test_recursive_closures_of_one_source_keep_their_own_variables() -> None:
    def make(step: float) -> Any:
        def descend(x: float) -> Any:
            if x < 0:
                return x
            return descend(x - step)

        return descend

    for step in (1.0, 0.75):
        plain = make(step)
        assert ag.compile(make(step), fallback="error")(10.0) == plain(10.0)


def deepening(x: Any, level: int) -> Any:
    """A long function that calls itself under a condition on its array, until a number among the inputs ends it."""

    def step(x: Any, deep: int) -> Any:
        best = 0.0
        for axis in range(4):
            for i in range(len(x)):
                best = max(best, np.sum(np.sort(x[i:] * axis)) / (1 + len(x[: i + 1])))
                best = min(best, np.median(x[: i + 1]) + np.var(x[: i + 1]) + np.sum(np.cumsum(x[i:]) > best))
        if deep < level and best > -1e9:
            return best + step(x[: len(x) // 2], deep + 1)
        return best

    return step(x, 0)


def test_a_long_recursion_is_not_traced_to_the_last_level_before_its_numbers_are_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    records: list[Recorded] = []

    class Counted(Trace):
        """A trace that tells how many operations the ones before it have come to."""

        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            records.append(self.recorded)

    monkeypatch.setattr(program, "Trace", Counted)
    assert_agrees(deepening, (np.arange(9.0), 2))
    recorded = [record.operations for record in records]
    assert 0 < max(recorded) < 9_000


def free(board: list[int], row: int, column: int) -> bool:
    return all(board[other] != column and abs(board[other] - column) != row - other for other in range(row))


def placed(board: list[int], row: int) -> int:
    if row == len(board):
        return 1
    count = 0
    for column in range(len(board)):
        if free(board, row, column):
            board[row] = column
            count += placed(board, row + 1)
    return count


def queens(n: int) -> Any:
    board = [0] * n
    return placed(board, 0), board


def orders(items: list[int]) -> list[list[int]]:
    if len(items) <= 1:
        return [items]
    found = []
    for k in range(len(items)):
        for rest in orders(items[:k] + items[k + 1 :]):
            found.append([items[k], *rest])
    return found


def partitions(n: int, most: int) -> list[list[int]]:
    if n == 0:
        return [[]]
    found = []
    for k in range(min(n, most), 0, -1):
        for rest in partitions(n - k, k):
            found.append([k, *rest])
    return found


def chosen(start: int, n: int, k: int, now: list[int], found: list[list[int]]) -> None:
    if len(now) == k:
        found.append(now[:])
        return
    for i in range(start, n + 1):
        now.append(i)
        chosen(i + 1, n, k, now, found)
        now.pop()


def combinations(n: int, k: int) -> Any:
    found: list[list[int]] = []
    chosen(1, n, k, [], found)
    return found


def paths_from(row: int, column: int, seen: dict[tuple[int, int], int]) -> int:
    if row == 0 or column == 0:
        return 1
    if (row, column) not in seen:
        seen[row, column] = paths_from(row - 1, column, seen) + paths_from(row, column - 1, seen)
    return seen[row, column]


def paths(rows: int, columns: int) -> Any:
    seen: dict[tuple[int, int], int] = {}
    return paths_from(rows, columns, seen), seen


def reached(n: int, seen: set[int]) -> int:
    if n in seen or n <= 0:
        return 0
    seen.add(n)
    return 1 + reached(n // 2, seen) + reached(n - 3, seen)


def numbers_reached(n: int) -> Any:
    seen: set[int] = set()
    return reached(n, seen), seen


def words(word: str) -> list[str]:
    if len(word) <= 1:
        return [word]
    return [word[k] + rest for k in range(len(word)) for rest in words(word[:k] + word[k + 1 :])]


def brackets(n: int) -> list[str]:
    found = []

    def go(text: str, opened: int, closed: int) -> None:
        if len(text) == 2 * n:
            found.append(text)
            return
        if opened < n:
            go(text + "(", opened + 1, closed)
        if closed < opened:
            go(text + ")", opened, closed + 1)

    go("", 0, 0)
    return found


def flooded(grid: list[list[int]], i: int, j: int) -> int:
    if i < 0 or j < 0 or i >= len(grid) or j >= len(grid[0]) or grid[i][j]:
        return 0
    grid[i][j] = 9
    return 1 + flooded(grid, i + 1, j) + flooded(grid, i - 1, j) + flooded(grid, i, j + 1) + flooded(grid, i, j - 1)


def two_names(a: list[int], b: list[int], n: int) -> int:
    if n == 0:
        return len(a)
    a.append(n)
    if len(b) > 3:
        b[0] = b[0] + 100
    return two_names(b, a, n - 1) + a[0] + (a is b)


def one_list_under_two_names(n: int) -> Any:
    a, c = [1] * n, [7] * n
    return two_names(a, a, n), two_names(a, c, n), two_names(c, c, 2), a, c


def rows_exchanged(rows: list[list[int]], row: list[int], n: int) -> int:
    if n == 0:
        return sum(row)
    row.append(n)
    old, rows[n % len(rows)] = rows[n % len(rows)], [n]
    return rows_exchanged(rows, old, n - 1) + row[0] + len(rows.pop() if len(rows) > 2 else old)


def rows_of_rows(n: int) -> Any:
    rows = [[i, i + 1] for i in range(n)]
    first = rows[0]
    total = rows_exchanged(rows, first, n)
    first.append(-1)
    return total, rows, first


def given_back(x: list[int], n: int) -> list[int]:
    if n == 0:
        return x
    x.append(n)
    return given_back(x, n - 1)


def one_list_returned(n: int) -> Any:
    x = [0] * n
    y = given_back(x, n)
    y.append(99)
    return x, y, x is y


def raising(rows: list[list[int]], n: int) -> int:
    if n == 0:
        rows[0] = [1, 2, 3]
        return rows[8][0]
    rows.append([n, n + 1])
    return raising(rows, n - 1)


def exceptions_from_depth(n: int) -> Any:
    rows = [[i] for i in range(n)]
    first, found = rows[0], []
    for k in range(3):
        try:
            found.append(raising(rows, k))
        except IndexError:
            first.append(k)
        found.append(len([[k], [k]]))
    return rows, found, first, raising(rows, 1)


def ways_counted(n: int) -> Any:
    digits, calls = [0] * n, 0

    def go(k: int) -> int:
        nonlocal calls
        calls += 1
        if k == n:
            return 1
        total = 0
        for value in range(2):
            digits[k] = value
            total += go(k + 1)
        return total

    return go(0), calls, digits


def noted_on_the_way(n: int) -> Any:
    count, best, last = 0, -1.0, None

    def go(k: int, value: float) -> None:
        nonlocal count, best, last
        count += 1
        if value > best:
            best, last = value, k
        if k > 0:
            go(k - 1, value * 1.5)
            go(k - 1, value * 0.5)

    go(n, 1.0)
    return count, best, last


def other_variables_at_each_call(n: int) -> Any:
    scale: Any = 1

    def go(k: int) -> Any:
        return 0 if k == 0 else scale + go(k - 1)

    first, scale = go(n), 2
    second, scale = go(n), 2.5
    return first, second, go(n)


class Board:
    def __init__(self, n: int) -> None:
        self.n, self.steps, self.columns = n, 0, [0] * n

    def is_free(self, row: int, column: int) -> bool:
        return all(self.columns[k] != column and abs(self.columns[k] - column) != row - k for k in range(row))

    def placed(self, row: int) -> int:
        self.steps += 1
        if row == self.n:
            return 1
        total = 0
        for column in range(self.n):
            if self.is_free(row, column):
                self.columns[row] = column
                total += self.placed(row + 1)
        return total


def queens_of_a_board(n: int) -> Any:
    board, other = Board(n), Board(n - 1)
    return board.placed(0), board.steps, board.columns, other.placed(0), other.steps


def painted(n: int) -> Any:
    cells, labels, count = np.zeros((n, n)), np.zeros((n, n)), 0
    for i in range(n):
        for j in range(n):
            cells[i, j] = (i * 3 + j * 5) % 4 > 0

    def go(i: int, j: int, label: int) -> None:
        nonlocal count
        if i < 0 or j < 0 or i >= n or j >= n or cells[i, j] == 0:
            return
        cells[i, j], labels[i, j] = 0, label
        count += 1
        go(i + 1, j, label)
        go(i, j + 1, label)

    for i in range(n):
        go(i, i, i + 1)
    return count, labels


def fourier(values: list[float]) -> list[complex]:
    """A recursion in which Python computes what overflows."""
    n = len(values)
    if n == 1:
        return [complex(values[0])]
    even, odd = fourier(values[0::2]), fourier(values[1::2])
    turned = [cmath.exp(-2j * math.pi * k / n) * odd[k] for k in range(n // 2)]
    return [a + b for a, b in zip(even, turned)] + [a - b for a, b in zip(even, turned)]


def remembered_for_the_caller(known: dict[int, int], n: int) -> int:
    if n not in known:
        known[n] = remembered_for_the_caller(known, n - 1) + remembered_for_the_caller(known, n - 2)
    return known[n]


def walked(ways: dict[int, list[int]], counts: dict[int, int], start: int) -> int:
    """Dicts of the caller's that an inner function reads, and changes until a key is missing."""

    def go(place: int, left: int) -> int:
        counts[place] = counts.get(place, 0) + 1
        if left == 0:
            return counts[-place]
        ways[place].append(left)
        return sum([go(other, left - 1) for other in ways[place][:2]])

    return go(start, 3)


def covered(rows: dict[str, list[tuple[int, int]]]) -> int:
    """Dominoes that cover a board: a sorted list of a dict's keys, and rows of the caller's, in a recursion."""
    by_field: dict[tuple[int, int], set[str]] = {}
    for name, fields in rows.items():
        for field in fields:
            by_field.setdefault(field, set()).add(name)

    def search(left: list[tuple[int, int]]) -> int:
        if not left:
            return 1
        return sum([search([x for x in left if x not in rows[name]]) for name in sorted(by_field[min(left)]) if rows[name][-1] in left])

    return search(sorted(by_field))


def dominoes(n: int) -> dict[str, list[tuple[int, int]]]:
    upright = {f"up{j}": [(0, j), (1, j)] for j in range(n)}
    return upright | {f"flat{i}{j}": [(i, j), (i, j + 1)] for i in range(2) for j in range(n - 1)}


def amounts_met(rows: list[list[tuple[str, int]]], wanted: int) -> bool:
    def search(row: int, left: int) -> bool:
        if row == len(rows):
            return left == 0
        return any([amount <= left and search(row + 1, left - amount) for _, amount in rows[row]])

    return search(0, wanted)


def farthest(graph: list[list[tuple[int, int]]], start: int) -> int:
    def far(graph: list[list[tuple[int, int]]], node: int, seen: list[bool]) -> int:
        best = 0
        for other, length in graph[node]:
            if not seen[other]:
                seen[other] = True
                best = max(best, length + far(graph, other, seen))
                seen[other] = False
        return best

    return far(graph, start, [k == start for k in range(len(graph))])


def dearest(prices: list[int], left: int, taken: set[int]) -> int:
    if not left:
        return 0
    free = [k for k in range(len(prices)) if k not in taken]
    return max([prices[k] + dearest(prices, left - 1, taken | {k}) for k in free], default=-1)


def dearest_of(prices: list[int], left: int) -> tuple[int, int]:
    return dearest(prices, left, set()), dearest(prices, left - 1, {0, 1})


def gathered(n: int) -> list[int]:
    def gather(left: int, found: set[int]) -> set[int]:
        return found if not left else gather(left - 1, found | {left * left % 11})

    return sorted(gather(n, set()))


GRAPH = [[(1, 2), (2, 5)], [(0, 2), (3, 1)], [(0, 5), (3, 4)], [(1, 1), (2, 4)]]


@table(
    ("function", "arguments"),
    [
        (covered, (dominoes(4),)),
        (amounts_met, ([[("a", 1), ("b", 2)], [("c", 2), ("d", 3), ("e", 0)], [("f", 1)]], 6)),
        (remembered_for_the_caller, ({0: 0, 1: 1}, 12)),
        (walked, ({0: [1, 2], 1: [0, 2], 2: [1, 1]}, {7: 1, -1: 2}, 0)),
        (noted_on_the_way, (4,)),
        (other_variables_at_each_call, (3,)),
        (queens_of_a_board, (4,)),
        (painted, (4,)),
        (queens, (5,)),
        (orders, ([1, 2, 3, 4],)),
        (partitions, (5, 5)),
        (combinations, (5, 3)),
        (paths, (5, 4)),
        (numbers_reached, (20,)),
        (words, ("abcd",)),
        (brackets, (3,)),
        (flooded, ([[0, 0, 1], [1, 0, 0], [0, 1, 0]], 0, 0)),
        (one_list_under_two_names, (5,)),
        (rows_of_rows, (4,)),
        (one_list_returned, (3,)),
        (exceptions_from_depth, (3,)),
        (ways_counted, (3,)),
        (dearest_of, ([3, 1, 4, 1, 5], 3)),
        (gathered, (9,)),
        (fourier, ([1.0, 2.0, -1.5, 0.25],)),
    ],
)
def test_recursion_over_containers_is_native_calls(function: Any, arguments: Any) -> None:
    assert_agrees(function, arguments)
    assert "recursive call" not in ag.compile(function, fallback="error").explain(*arguments)


def heaviest_load(room: int, weights: Any) -> int:
    @functools.cache
    def best(left: int, item: int) -> int:
        if item == len(weights):
            return 0
        without = best(left, item + 1)
        if weights[item] > left:
            return without
        return max(without, weights[item] + best(left - weights[item], item + 1))

    return best(room, 0)


@table("weights", [(7, 11, 13, 4), [7, 11, 13, 4]])
def test_a_recursion_over_numbers_that_a_call_brings_is_one_program_for_all_of_them(weights: Any) -> None:
    compiled = ag.compile(heaviest_load)  # that it is left to Python would be a fault too
    for room in (20, 21, 22):
        assert compiled(room, weights) == heaviest_load(room, weights)
    assert len(compiled.specializations) == 1


def test_a_number_that_was_another_one_in_another_call_is_no_constant() -> None:
    compiled = ag.compile(farthest, fallback="error")
    for start in (0, 1, 2, 3):
        assert compiled(GRAPH, start) == farthest(GRAPH, start)
    assert len(compiled.specializations) == 2  # the first one is for its start alone


def test_a_recursion_that_halves_a_list_of_the_call_which_is_read_first_is_pythons() -> None:
    def place_of(sorted_numbers: list[int], x: int) -> int:
        def go(low: int, high: int) -> int:
            if low >= high:
                return low
            middle = (low + high) // 2
            return go(middle + 1, high) if sorted_numbers[middle] < x else go(low, middle)

        return go(0, len(sorted_numbers))

    compiled = ag.compile(place_of)
    with pytest.warns(UserWarning, match="slower than Python"):
        assert compiled(list(range(1000)), 300) == 300
    assert not compiled.specializations


def stopped(n: int) -> Any:
    steps = 0

    def go(k: int) -> int:
        nonlocal steps
        steps += 1
        if steps > 5:
            raise ValueError("enough")
        return 1 if k == 0 else go(k - 1) + go(k - 1)

    try:
        return go(n), steps
    except ValueError as error:
        return str(error), steps


def test_a_handler_finds_the_variables_of_a_recursion_as_it_left_them() -> None:
    assert_agrees(stopped, 2, 4)


def steps_of(board: Board) -> Any:
    return board.placed(0), board.steps


total = 0


def added(k: int) -> int:
    global total
    total += k
    return total if k == 0 else added(k - 1) + added(k - 1)


def added_up(n: int) -> Any:
    global total
    total = 0
    return added(n), total


@table(("function", "argument"), [(steps_of, Board(8)), (added_up, 4)])
def test_a_recursion_that_changes_what_is_outside_of_the_program_is_pythons(function: Any, argument: Any) -> None:
    assert "outside of it" in str(conversion_error(function, argument))
    with pytest.warns(UserWarning, match="runs in Python"):
        found = ag.compile(function)(copy.deepcopy(argument))
    assert found == function(copy.deepcopy(argument))


def test_a_recursion_of_few_levels_that_changes_attributes_is_written_out() -> None:
    for size in (3, 4, 5):
        board, other = Board(size), Board(size)
        assert ag.compile(steps_of, fallback="error")(board) == steps_of(other)
        assert vars(board) == vars(other)


def appended_without_end(x: list[int], n: int) -> int:
    x.append(n)
    return 0 if n < 0 else appended_without_end(x, n + 1)


def test_a_recursion_that_is_too_deep_leaves_what_it_wrote() -> None:
    x = [5] * 20
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        ag.compile(appended_without_end, fallback="error")(x, 0)
    assert x[:22] == [5] * 20 + [0, 1] and len(x) > 100


def halved(f: Any, x: float, n: int) -> float:
    return f(x) if n <= 0 else halved(f, f(x) * 0.5, n - 1) + 1.0


def summed(f: Any, items: list[float], low: int, high: int) -> float:
    if high - low == 1:
        return f(items[low])
    middle = (low + high) // 2
    return summed(f, items, low, middle) + summed(f, items, middle, high)


class Scaled:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def of(self, x: float) -> float:
        return self.factor * x


def of_a_variable_that_changes(x: float, n: int) -> Any:
    factor = 1.0

    def scaled(y: float) -> float:
        return y * factor + 1.0

    first = halved(scaled, x, n)
    factor = 2.5
    return first, halved(scaled, x, n), scaled(x)


def that_counts(x: float, n: int) -> Any:
    calls, given = 0, [x]

    def counted(y: float) -> float:
        nonlocal calls
        calls += 1
        given.append(y)
        return y + 1.0

    return halved(counted, x, n), calls, given


def of_each_trip(x: float, n: int) -> Any:
    total = 0.0
    for k in range(n):

        def scaled(y: float, by: float = 1.0 / (k + 1)) -> float:
            return y * by + x

        total += halved(scaled, x, k)
    return total


def methods_and_functions(items: list[float], x: float) -> Any:
    scaled = Scaled(x)
    found = summed(scaled.of, items, 0, len(items)), summed(math.sin, items, 0, len(items))
    scaled.factor = 2.0 * x
    return *found, summed(scaled.of, items, 0, len(items)), summed(lambda y: scaled.of(y) + x, items, 0, len(items))


@table(
    ("function", "arguments"),
    [
        (of_a_variable_that_changes, (0.3, 5)),
        (that_counts, (0.3, 4)),
        (of_each_trip, (0.3, 5)),
        (methods_and_functions, ([1.0, 2.0, 3.0, 4.0, 5.0] * 3, 1.5)),
    ],
)
def test_functions_are_arguments_of_a_recursion(function: Any, arguments: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    for _ in range(2):
        assert compiled(*arguments) == function(*arguments)
    told = compiled.explain(*arguments)
    assert "host calls    none" in told and "1 program" in told


MOVES = [(0, 1), (1, 0), (0, -1), (-1, 0)]
COSTS = {"a": 2, "b": 3}
ODD = {3, 5, 7}
ROUND: list[Any] = [1]
ROUND.append(ROUND)
SEEN: list[int] = []


def filled(grid: list[str], i: int, j: int, seen: set[tuple[int, int]]) -> int:
    if not (0 <= i < len(grid) and 0 <= j < len(grid[0])) or grid[i][j] == "#" or (i, j) in seen:
        return 0
    seen.add((i, j))
    return 1 + sum(filled(grid, i + di, j + dj, seen) for di, dj in MOVES)


def fill_from_corner(grid: list[str]) -> int:
    return filled(grid, 0, 0, set())


def cheapest(text: str, i: int, gap: int) -> int:
    if i == len(text):
        return ROUND[0]
    return min(cheapest(text, i + 1, gap) + {"a": 1, "b": 2}[text[i]] * COSTS[text[i]], cheapest(text, i + 1, gap) + gap)


def cheapest_of_all(text: str) -> int:
    return cheapest(text, 0, 4)


def counted_odd(n: int, step: int) -> int:
    return 0 if n <= 0 else counted_odd(n - step, step) + (n in ODD) + ROUND[1][1][0]


def count_odd(n: int) -> int:
    return counted_odd(n, 1)


def seen_so_far(n: int, step: int) -> int:
    if n <= 0:
        return 0
    SEEN.append(n)
    return seen_so_far(n - step, step) + len(SEEN)


def see_all(n: int) -> Any:
    SEEN.clear()
    return seen_so_far(n, 1), list(SEEN)


def outcome(function: Any, arguments: Any) -> Any:
    try:
        return function(*arguments)
    except KeyError as error:
        return error.args


@table(
    ("function", "arguments", "is_unit"),
    [
        (fill_from_corner, [(["..#.", ".##.", "...."],), ([".#", "#."],)], True),
        (cheapest_of_all, [("abba",), ("",), ("abq{0}",)], True),
        (count_odd, [(9,), (0,)], True),
        (see_all, [(4,), (2,)], False),  # the program changes what it reads
    ],
)
def test_recursions_read_containers_of_their_module(function: Any, arguments: Any, is_unit: bool, monkeypatch: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    for each in (*arguments, arguments[0]):
        assert outcome(compiled, each) == outcome(function, each)
    assert ("stays where it is called" not in compiled.explain(*arguments[0])) is is_unit
    monkeypatch.setitem(COSTS, "a", 1)
    monkeypatch.setattr(f"{__name__}.MOVES", [(1, 0), (1, 1), (0, 1)])
    monkeypatch.setattr(f"{__name__}.ODD", {9})
    assert compiled(*arguments[0]) == function(*arguments[0])


def in_a_branch(n: int, key: str, place: int) -> Any:
    found = 0
    for k in range(n):
        if k > 3:
            found += COSTS[key] + MOVES[place][0]
    return found


@table(("key", "place", "error"), [("q", 0, KeyError), ("a", 7, IndexError)])
def test_what_is_missing_in_a_known_container_is_the_programs_error(key: str, place: int, error: type[Exception]) -> None:
    compiled = ag.compile(in_a_branch, fallback="error")
    assert compiled(3, key, place) == 0
    with pytest.raises(error) as expected:
        in_a_branch(9, key, place)
    with pytest.raises(error) as found:
        compiled(9, key, place)
    assert found.value.args == expected.value.args


def down(waiting: Any, k: int) -> int:
    if k <= 0:
        return 1
    total = sum(range(k))
    if total % 3 != 1:
        total += down_again(waiting, k - 1)
    return total + len(waiting)


def down_again(waiting: Any, k: int) -> int:
    if k <= 0:
        return 2
    total = k
    for i in range(k):
        total += i
    if total % 4 != 1:
        total += down(waiting, k - 2)
    return total


def test_functions_that_call_each_other_in_branches_and_take_what_no_function_takes() -> None:
    def totals(n: int) -> int:
        waiting: Any = deque()  # of items of no type
        total = 0
        for i in range(n):
            total += down_again(waiting, i)
        return total

    assert_agrees(totals, (8,), (20,))


class Vec:
    def __init__(self, x: float) -> None:
        self.x = x

    def __sub__(self, other: Any) -> Any:
        return Vec(self.x - other.x)


class Ray:
    def __init__(self, start: Vec, direction: Vec) -> None:
        self.start, self.direction = start, direction


class Scene:
    def __init__(self, light: Vec) -> None:
        self.light, self.rays = light, 0

    def colour(self, ray: Ray, depth: int = 0) -> Any:
        self.rays += 1
        to_light = self.light - ray.start
        found = to_light.x + ray.direction.x
        if found > 0.5 and depth < 3:
            found = found * 0.5 + self.colour(Ray(to_light, ray.start), depth + 1)
        return found


def test_instances_that_each_call_of_a_recursion_makes_are_rows() -> None:
    def lights(places: list[float]) -> Any:
        scene = Scene(Vec(2.0))
        return [scene.colour(Ray(Vec(place), Vec(1.0))) for place in places], scene.rays

    places = [0.1 * k for k in range(100)]
    assert_agrees(lights, (places,), (places[:70],))
    compiled = ag.compile(lights, fallback="error")
    compiled(places)
    assert compiled.specializations[0].program.inlined == []
