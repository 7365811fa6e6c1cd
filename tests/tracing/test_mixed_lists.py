"""Lists of the run that hold numbers of several types, None and tuples of these: native lists, with the types that Python gives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees


def table_of_results(n: int) -> Any:
    known: list[Any] = [None] * (n + 1)
    known[0] = 1
    for i in range(1, n + 1):
        if known[i] is None:
            known[i] = known[i - 1] * 2
    return known


def every_other(n: int) -> Any:
    items: list[Any] = [None] * n
    for i in range(0, n, 2):
        items[i] = i * 1.5
    return items, [item for item in items if item is not None], sum(1 for item in items if item is None)


def three_types(n: int) -> Any:
    items: list[Any] = []
    for i in range(n):
        if i % 3 == 0:
            items.append(i)
        elif i % 3 == 1:
            items.append(i / 2)
        else:
            items.append(None)
    total = 0
    for item in items:
        if item is not None:
            total += item
    return items, total


def flags(n: int) -> Any:
    items: list[Any] = [False] * n
    for i in range(1, n, 2):
        items[i] = 1
    return items, sum(items), items.count(True)


def nested_tuples(n: int) -> Any:
    items = []
    for i in range(n):
        items.append((i, None if i % 2 else i * 0.5, (i, i + 1)))
    first, second, (third, _) = items[n - 1]
    return items, first + third, second


def least_of_residues(n: int) -> Any:
    best: list[Any] = [None] * 3
    for i in range(n):
        value, place = (i * 7) % 5 + 0.5, i % 3
        if best[place] is None or value < best[place]:
            best[place] = value
    return best


def long_ints_beside_floats(n: int) -> Any:
    items: list[Any] = [0] * n
    items[0], items[1] = 2**62 + 1, 0.5
    return items, items[0] + 1


def pieces(n: int) -> Any:
    items: list[Any] = [None] * n
    items[1] = 3
    piece = items[1:]
    piece[0] = 2.5
    return items, piece, items + [1, 2.5], items[::-1]


def complex_items(n: int) -> Any:
    items: list[Any] = [0] * n
    items[1] = 2j
    return items, items[1] * items[0]


def real_beside_complex(n: int) -> Any:
    items: list[Any] = [np.float64(0.1)] * n
    items.append(2j)
    items[0] = 1.5
    return items, items[1] + items[-1]


def large_unsigned_beside_signed(n: int) -> Any:
    items: list[Any] = [np.uint64(2**63 + 5)] * n
    items[1], items[2] = 3, np.int64(-4)
    return items, items[0]


def library_functions(n: int) -> Any:
    items: list[Any] = [0] * n
    for i in range(n):
        items[i] = i * 0.5 if i % 2 else i
    return max(items), min(items), sorted(items), items.index(2), 1.5 in items, np.array(items), items == items[:], str(items)


def stack_of_pairs(n: int) -> Any:
    stack: list[Any] = [(0, None)]
    found = []
    while stack:
        depth, parent = stack.pop()
        found.append(parent)
        if depth < n:
            stack.append((depth + 1, depth))
            stack.append((depth + 2, depth + 0.5))
    return found


def way_back(n: int) -> Any:
    came: dict[Any, Any] = {(n, 0): None}
    for k in range(1, n):
        came[k, k] = (k - 1, k - 1) if k > 1 else (n, 0)
    at, path = (n - 1, n - 1), []
    while at is not None:
        path.append(at)
        at = came[at]
    return path, came, [to for to in came.values() if to is not None]


def keys_that_may_be_none(n: int) -> Any:
    up: dict[int, Any] = {n: None}
    for k in range(1, n):
        up[k] = k // 2 if k % 3 else None
    seen, sizes, hits = {-1}, {n: 0}, 0
    for k in range(1, n):
        to = up[k]
        hits += (to in up) + 10 * (to in seen) + (up.get(to) is None)
        if to is not None:
            seen.add(to)
            sizes[to] = sizes.get(to, 0) + 1
        seen.discard(up[k - 1 if k > 1 else n])
    return hits, sorted(seen), sizes, up.pop(up[3], -5)


def texts_and_pairs(n: int) -> Any:
    pairs = [(k, str(k)) if k % 3 else None for k in range(n)]
    texts = [str(k) if k % 3 else None for k in range(n)]
    letters = [None if k % 2 else "abc"[k % 3] for k in range(n)]
    sought, other = pairs[1], texts[3]
    found = sought in pairs, None in texts, (1, "2") in pairs, pairs.count(pairs[3]), texts.index("2"), other in texts
    return pairs, texts, letters, found, pairs == list(pairs), texts == texts[1:], [len(text) for text in texts if text]


PROGRAMS = [table_of_results, every_other, three_types, flags, nested_tuples, least_of_residues]
PROGRAMS += [long_ints_beside_floats, pieces, complex_items, real_beside_complex, large_unsigned_beside_signed]
PROGRAMS += [library_functions, stack_of_pairs, way_back, keys_that_may_be_none, texts_and_pairs]


def exactly(x: Any) -> Any:
    """A value with the types that it is made of."""
    if isinstance(x, (list, tuple)):
        return type(x), [exactly(item) for item in x]
    return (str(x.dtype), x.tolist()) if isinstance(x, np.ndarray) else (type(x), x)


@pytest.mark.parametrize("function", PROGRAMS)
def test_items_keep_their_types_in_native_lists(function: Callable[[int], Any]) -> None:
    compiled = ag.compile(function, fallback="error")
    for n in (4, 9):
        assert exactly(compiled(n)) == exactly(function(n))


NATIVE = [table_of_results, three_types, nested_tuples, stack_of_pairs, complex_items, way_back, keys_that_may_be_none]


@pytest.mark.parametrize("function", NATIVE)
def test_nothing_of_them_but_an_error_is_a_host_call(function: Callable[[int], Any]) -> None:
    lines = str(ag.compile(function, fallback="error").graph(5)).splitlines()
    assert not [line for line in lines if "host_call" in line and "rare = True" not in line]


@pytest.mark.native
def test_none_as_a_missing_key_is_pythons_error() -> None:
    def removed(n: int, which: int) -> Any:
        up = {k: None if k == 0 else k // 2 for k in range(n)}
        if which:
            del up[up[0]]
        return up[up[0]]

    compiled = ag.compile(removed, fallback="error")
    for which in (0, 1):
        with pytest.raises(KeyError) as raised:
            compiled(5, which)
        assert raised.value.args == (None,)


def test_tuple_with_a_nan_beside_none_equals_itself() -> None:
    def found(n: int, y: float) -> Any:
        items = [(k, y) if k % 3 else None for k in range(n)]
        return items[1] in items, items.count(items[1]), items.index(items[1])

    assert ag.compile(found)(7, float("nan")) == found(7, float("nan")) == (True, 1, 1)


def test_none_in_arithmetic_is_pythons_error() -> None:
    def added(n: int) -> Any:
        items: list[Any] = [None] * n
        items[0] = 1
        return items[0] + items[n - 1]

    compiled = ag.compile(added, fallback="error")
    assert compiled(1) == 2
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+: 'int' and 'NoneType'"):
        compiled(3)


@pytest.mark.native
@pytest.mark.parametrize("in_place", [False, True])
def test_the_error_names_what_the_other_operand_is(in_place: bool) -> None:
    def divided(i: int, j: int, n: int) -> Any:
        items: list[Any] = [1, None, 2.5]
        for k in range(n):
            items.append(np.float64(k) if k % 2 else None)
        return items[i] / items[j]

    def divided_in_place(i: int, j: int, n: int) -> Any:
        items: list[Any] = [1, None, 2.5]
        for k in range(n):
            items.append(np.float64(k) if k % 2 else None)
        x = items[i]
        x **= items[j]
        return x

    function = divided_in_place if in_place else divided
    compiled = ag.compile(function, fallback="error")
    for i in range(5):
        for j in range(5):
            try:
                expected: Any = function(i, j, 2)
            except TypeError as error:
                with pytest.raises(TypeError) as raised:
                    compiled(i, j, 2)
                assert str(raised.value).split(":")[1] == str(error).split(":")[1]
            else:
                assert compiled(i, j, 2) == expected


def test_gradients_go_through_items_of_several_types() -> None:
    def running(x: Any) -> Any:
        sums: list[Any] = [0] * len(x)
        last: list[Any] = [None] * len(x)
        for i in range(1, len(x)):
            sums[i] = sums[i - 1] + x[i] ** 2
            last[i] = x[i] * sums[i]
        return last[-1] + sums[1] if last[0] is None else 0.0

    x = np.array([1.0, 2.0, 0.5, 3.0])
    total = np.sum(x[1:] ** 2)
    expected = 2 * x * x[-1]
    expected[0], expected[1], expected[3] = 0.0, expected[1] + 2 * x[1], expected[3] + total
    np.testing.assert_allclose(ag.grad(running)(x), expected, rtol=1e-14)


def test_a_copy_that_gets_numbers_of_another_type_leaves_the_list_of_the_call_as_it_is() -> None:
    def with_ones(rows: list[list[float]]) -> Any:
        copies = [list(row) for row in rows]
        for row in copies:
            row.append(1)
        return copies, [row[1:] + [True] for row in rows]

    calls = [[[0.5 * i * j for i in range(3)] for j in range(n)] for n in (3, 5, 4, 6)]
    assert_agrees(with_ones, *((rows,) for rows in calls))
    compiled = ag.compile(with_ones, fallback="error")
    for rows in calls:
        compiled(rows)
    assert len(compiled.specializations) <= 2
