"""Tuples whose items may be such tuples, to a depth that the run decides: expressions, cells, trees that are never changed."""

from __future__ import annotations

import heapq
import warnings
from collections import Counter
from typing import Any

import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees


def cells(n: int) -> Any:
    x: Any = None
    for i in range(n):
        x = (i, x)
    total, walked = 0, x
    while walked is not None:
        total += walked[0]
        walked = walked[1]
    return x, total


def built_by_recursion(n: int) -> Any:
    def build(d: int, k: int) -> Any:
        return k if d == 0 else ("+" if d % 2 else "*", build(d - 1, k), build(d - 1, k + 1))

    def value(tree: Any) -> Any:
        if isinstance(tree, int):
            return tree
        symbol, left, right = tree
        x, y = value(left), value(right)
        return x + y if symbol == "+" else (x * y) % 1009

    tree = build(n, 3)
    return tree, value(tree)


def parsed(text: str) -> Any:
    def expression(tokens: list[str], at: int) -> Any:
        left, at = term(tokens, at)
        while at < len(tokens) and tokens[at] in "+-":
            symbol = tokens[at]
            right, at = term(tokens, at + 1)
            left = (symbol, left, right)
        return left, at

    def term(tokens: list[str], at: int) -> Any:
        if tokens[at] == "(":
            inner, at = expression(tokens, at + 1)
            return inner, at + 1
        return int(tokens[at]), at + 1

    return expression(text.split(), 0)[0]


def shared(n: int) -> Any:
    a: Any = ("leaf", 1)
    t: Any = 0
    for _ in range(n):
        t = (t, a, t)
    return t, a


def lengths(n: int) -> Any:
    t: Any = 1
    for i in range(n):
        t = (t, i) if i % 2 else (t,)
    out = []
    while isinstance(t, tuple):
        out.append(len(t))
        t = t[0]
    return out, t


def unpacked(n: int) -> Any:
    t: Any = 1
    for i in range(n):
        t = (t, i) if i % 2 else (t,)
    while isinstance(t, tuple):
        t, _ = t
    return t


def compared(n: int) -> Any:
    def build(d: int, k: int) -> Any:
        return k if d == 0 else ("x", build(d - 1, k), None, build(d - 1, k + 1))

    a, b, c = build(n, 1), build(n, 1), build(n, 2)
    return a == b, a != b, a == c, a < c, c <= a, c > 3 if n == 0 else b >= c


def gone_through(n: int) -> Any:
    def build(d: int, k: int) -> Any:
        return k if d == 0 else (build(d - 1, k), build(d - 1, k + 1), build(d - 1, k * 2))

    def total(t: Any) -> int:
        found = 0
        for x in t:
            found += total(x) if isinstance(x, tuple) else x
        return found

    return total((build(n, 1), 2))


def derived(n: int) -> Any:
    def d(e: Any) -> Any:
        if isinstance(e, int):
            return 0
        if isinstance(e, str):
            return 1
        op, a, b = e
        if op == "+":
            return ("+", d(a), d(b))
        return ("+", ("*", d(a), b), ("*", a, d(b)))

    e: Any = "x"
    for i in range(n):
        e = ("+", ("*", e, "x"), i) if i % 2 else ("*", e, ("+", "x", i))
    return d(e)


def among_lists(n: int) -> Any:
    t: Any = []
    for i in range(n):
        t = [t, (i, t), "s"]
    return t


def among_dicts(n: int) -> Any:
    t: Any = {}
    for i in range(n):
        t = {"a": (i, t), "b": i}
    return t


def by_a_stack(n: int) -> Any:
    def build(d: int, k: int) -> Any:
        return k if d == 0 else (build(d - 1, k), build(d - 1, k + 1))

    todo, out = [build(n, 1)], []
    while todo:
        t = todo.pop()
        if isinstance(t, tuple):
            for x in t:
                todo.append(x)
        else:
            out.append(t)
    return out


def codes_of(text: str) -> Any:
    counts: dict[str, int] = {}
    for letter in text:
        counts[letter] = counts.get(letter, 0) + 1
    heap: list[Any] = [(count, place, letter) for place, (letter, count) in enumerate(sorted(counts.items()))]
    heapq.heapify(heap)
    number = len(heap)
    while len(heap) > 1:
        a, b = heapq.heappop(heap), heapq.heappop(heap)
        heapq.heappush(heap, (a[0] + b[0], number, (a[2], b[2])))
        number += 1
    codes, stack = {}, [(heap[0][2], "")]
    while stack:
        tree, code = stack.pop()
        if isinstance(tree, tuple):
            stack.append((tree[0], code + "0"))
            stack.append((tree[1], code + "1"))
        else:
            codes[tree] = code
    return codes


def inserted(n: int) -> Any:
    def insert(t: Any, k: int) -> Any:
        if t is None:
            return (None, k, None)
        left, v, right = t
        if k < v:
            return (insert(left, k), v, right)
        return (left, v, insert(right, k)) if k > v else t

    def depth(t: Any) -> int:
        return 0 if t is None else 1 + max(depth(t[0]), depth(t[2]))

    t, x = None, 7
    for _ in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        t = insert(t, x % 1000)
    return t, depth(t)


def joined(n: int) -> Any:
    t: Any = (1,)
    for i in range(n):
        t = (t, i, "z")
        if i % 3 == 0:
            t = t + (1,)
    return t, t[1:], t[::-1], t[-1], len(t)


def matched(n: int) -> Any:
    def value(e: Any) -> Any:
        match e:
            case ("add", a, b):
                return value(a) + value(b)
            case ("neg", a):
                return -value(a)
            case int():
                return e

    def shown(e: Any) -> str:
        match e:
            case ("add", a, b):
                return "(" + shown(a) + " + " + shown(b) + ")"
            case ("neg", a):
                return "-" + shown(a)
            case int(k):
                return str(k)
            case _:
                return "?"

    e: Any = 1
    for i in range(n):
        e = ("add", e, i) if i % 3 else ("neg", e)
    return value(e), shown(e)


def yielded(n: int) -> Any:
    def leaves(t: Any) -> Any:
        if isinstance(t, tuple):
            for x in t:
                yield from leaves(x)
        else:
            yield t

    t: Any = 1
    for i in range(n):
        t = (t, i) if i % 2 else (i, t, i)
    return list(leaves(t))


def named(n: int) -> Any:
    def value(e: Any, names: dict[str, int]) -> Any:
        match e:
            case ("add", a, b):
                return value(a, names) + value(b, names)
            case ("neg", a):
                return -value(a, names)
            case ("var", name):
                return names[name]
            case int():
                return e

    e: Any = 1
    for i in range(n):
        e = ("add", e, i) if i % 3 == 0 else ("neg", e) if i % 3 == 1 else ("var", "x" if n < 7 else "other")
    return value(e, {"x": 5, "y": n})


def raised(n: int) -> Any:
    t: Any = 1
    for i in range(n):
        t = (t, i) if i % 2 else ("a", t, i)
    if isinstance(t, tuple):
        raise ValueError("of this", t, n)
    return t


def wrong_operands(n: int) -> Any:
    t: Any = 1
    for i in range(n):
        t = (t, i)
    if n % 3 == 0:
        return t + 1
    return 1 - t if n % 3 == 1 else t < 2


def below_a_text(n: int) -> Any:
    t: Any = 1
    for i in range(n):
        t = (t, i)
    return "a" + t


def beyond_the_end(n: int) -> Any:
    t: Any = 1
    for i in range(n):
        t = (t, i)
    total = 0
    while True:
        total += t[1]
        t = t[0]


@table(
    ("function", "calls"),
    [
        *((function, (6, 3, 0)) for function in (cells, built_by_recursion, shared, lengths, unpacked, compared, gone_through, derived)),
        *((function, (9, 4, 0)) for function in (among_lists, among_dicts, by_a_stack, joined, matched, yielded)),
        *((function, (9, 6, 1, 0)) for function in (named, raised)),
        *((function, (9, 4, 5, 0)) for function in (wrong_operands, below_a_text, beyond_the_end)),
        (inserted, (40, 3, 0)),
        (parsed, ("1 + ( 2 - 3 ) + 4", "7", "( ( 1 + 2 ) )", "( 1", "1 + x")),
        (codes_of, ("hello world, this is a text", "abab")),
    ],
)
def test_tuples_hold_numbers_texts_and_such_tuples(function: Any, calls: Any) -> None:
    assert_agrees(function, *calls)
    compiled = ag.compile(function, fallback="error")
    try:
        compiled(calls[0])
    except (TypeError, ValueError, KeyError):
        pass
    operations = compiled.specializations[0].program.graph.walk()
    called = {operation.attributes["label"] for operation in operations if operation.name == "host_call"}
    assert called <= {"int", "except", "row", *(f"raise {kind}Error" for kind in ("Type", "Index", "Value", "Key"))}


def test_a_tuple_that_leaves_in_several_places_is_one() -> None:
    t, _ = ag.compile(shared, fallback="error")(3)
    assert t[0] is t[2] and t[0][0] is t[2][2]


def test_tuples_that_only_leave_are_left_to_python() -> None:
    def made(n: int) -> Any:
        x: Any = None
        for i in range(n):
            x = (i, x)
        return x

    with pytest.warns(UserWarning, match="slower than Python"):
        assert ag.compile(made)(100) == made(100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ag.compile(inserted)(100) == inserted(100)


def test_what_bytes_hold_is_counted() -> None:
    def counted(data: bytes) -> Any:
        found = Counter(data)
        return found, found[97], sorted(found.items()), list(found), sorted(set(data))

    assert_agrees(counted, b"abc" * 20, b"", b"ba")
    compiled = ag.compile(counted, fallback="error")
    compiled(b"abc")
    assert not any(operation.name == "host_call" for operation in compiled.specializations[0].program.graph.walk())


def hits(n: int) -> Any:
    best, slots = None, [None] * n
    found: list[Any] = []
    for i in range(n):
        hit = hit_of(i)
        found.append(hit)
        if hit is not None and (best is None or hit[0] > best[0]):
            best = hit
            slots[i] = best
    taken = [slot for slot in slots if slot is not None]
    return best, sum(hit[0] * hit[1] for hit in found if hit), len(taken), slots[n // 2] == found[n // 2]


def hit_of(i: int) -> Any:
    return None if i % 3 == 0 else (i * 37 % 11 * 0.5, i)


def test_lists_hold_none_and_tuples_with_floats() -> None:
    compiled = ag.compile(hits, fallback="error")
    assert [repr(compiled(n)) for n in (1, 2, 9, 60)] == [repr(hits(n)) for n in (1, 2, 9, 60)]
    assert not any(operation.name == "host_call" for operation in compiled.specializations[0].program.graph.walk())
