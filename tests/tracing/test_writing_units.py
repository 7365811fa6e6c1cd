"""Functions that write to variables and attributes around them, called from several places: one function of the graph each."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.ir.function import functions_of
from autograph_jit.tracing.control import unit_calls
from autograph_jit.transforms import inlining
from tests.tables import table
from tests.tracing.agreement import assert_agrees

DATA = [(i * 37 + 11) % 256 for i in range(40)]


@pytest.fixture(autouse=True)
def calls_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in long programs."""
    monkeypatch.setattr(inlining, "MOST_COPIED", 1)
    monkeypatch.setattr(unit_calls, "LEAST_COPIED", 1)


class Bits:
    def __init__(self, data: Any) -> None:
        self.data, self.place, self.bit = data, 0, 0

    def read(self, count: int) -> int:
        value = 0
        for k in range(count):
            value |= ((self.data[self.place % len(self.data)] >> self.bit) & 1) << k
            self.bit += 1
            if self.bit == 8:
                self.bit = 0
                self.place += 1
        return value

    def align(self) -> None:
        if self.bit:
            self.bit = 0
            self.place += 1


def attributes_that_others_change_too(data: Any, n: int) -> Any:
    bits, total = Bits(data), 0
    for i in range(n):
        total += bits.read(1) + 3 * bits.read(2)
        bits.align()
        total -= bits.read(5) if bits.read(1) else bits.read(7)
        total ^= bits.read(i % 9) + bits.read(4) * bits.read(6)
    return total, bits.place, bits.bit


class Taker:
    def __init__(self, data: Any) -> None:
        self.bits, self.sum = Bits(data), 0

    def take(self, count: int) -> int:
        value = self.bits.read(count)
        if value & 1:
            self.sum += self.bits.read(2)
        elif value & 2:
            self.sum += self.bits.read(3)
        else:
            self.sum -= self.bits.read(1)
        for k in range(2):
            self.sum += self.bits.read(k + 1)
        return value


def writing_in_writing(data: Any, n: int) -> Any:
    taker, total = Taker(data), 0
    for i in range(n):
        total += taker.take(2) + taker.take(3) + taker.take(5) - taker.take(1) + taker.take(i % 5)
    return total, taker.sum, taker.bits.place, taker.bits.bit


class Sum:
    def __init__(self) -> None:
        self.total, self.last, self.small, self.log = 0, None, 0, []

    def add(self, x: Any) -> Any:
        if self.last is not None and x < self.last:
            self.small += 1
        for k in range(3):
            self.total += x * k
        if x > 100:
            self.log.append(x)
            self.total -= 50
        elif x > 50:
            self.total += 1
        else:
            self.small += 2
        self.last = x
        return self.total


def numbers_of_other_types(n: int) -> Any:
    a, found = Sum(), 0
    found += a.add(n) + a.add(n * 2) + a.add(n - 5)
    a.total = a.total * 0.5
    found += a.add(n) + a.add(n * 1.5) + a.add(n + 7)
    for i in range(n):
        found += a.add(i) - a.add(i * 0.25) + a.add(i * 60)
    return found, a.total, a.last, a.small, a.log


def variables(x: float, n: int) -> Any:
    v, hits = 1.0, 0

    def step(dt: float) -> float:
        nonlocal x, v, hits
        force = -2.0 * x
        if x > 1.0:
            force, hits = force - 2.0 * (x - 1.0), hits + 1
        elif x < -1.0:
            force, hits = force - 2.0 * (x + 1.0), hits + 1
        for j in range(3):
            v += dt * force / (j + 1)
            x += dt * v
        return 0.5 * v * v + x * x

    total = 0.0
    for _ in range(n):
        total += step(0.01) + step(0.02) * x + step(0.03) + step(0.04) - step(0.05) * v
        x *= 0.99
    return total, x, v, hits


def reading_what_others_write(n: int) -> Any:
    total, low, high = 0.0, 1e9, -1e9

    def note(x: float) -> None:
        nonlocal total, low, high
        total += x
        low, high = min(x, low), max(x, high)
        for k in range(2):
            total += 0.1 * k

    def spread() -> float:
        d = high - low
        if d > 10.0:
            d = 10.0 + (d - 10.0) * 0.5
        elif d < 1.0:
            d = 1.0
        for k in range(3):
            d += total * 1e-3 * k
        return d

    found = 0.0
    for i in range(n):
        for x in (i * 1.5, -i, i * i):
            note(x)
            found += spread()
        note(2.0)
        found += spread()
        note(i / 3)
        note(3.0)
        found += spread() - 0.5 * spread()
    return found, total, low, high


def exceptions(xs: Any, limit: int) -> Any:
    total = count = bad = 0

    def put(x: int) -> int:
        nonlocal total, count
        count += 1
        if x < 0:
            raise ValueError(f"{x} after {count}")
        for k in range(4):
            total += x * k
        if x > 5:
            total -= 1
        elif x > 3:
            total += 2
        elif x == 2:
            total *= 2
        return total

    found = 0
    for x in xs:
        try:
            found += put(x) + put(x - limit) + put(x + 1)
        except ValueError:
            bad += 1
        found += put(x * x) + put(3) - put(4)
    return found + put(xs[0]) + put(xs[0] - 1), bad, total, count


def two_objects(n: int) -> Any:
    a, b = Bits(DATA), Bits(DATA[::-1])
    found = 0
    for i in range(n):
        found += a.read(2) * b.read(3) - a.read(i % 4) + b.read(5) - b.read(1) * a.read(6) + a.read(1) + b.read(i % 3)
    return found, a.place, a.bit, b.place, b.bit


PROGRAMS = {
    attributes_that_others_change_too: ((DATA, 30), (DATA[:7], 50)),
    writing_in_writing: ((DATA, 20), (DATA, 41)),
    numbers_of_other_types: ((12,), (40,)),
    variables: ((0.5, 20), (3.0, 7)),
    reading_what_others_write: ((5,), (30,)),
    exceptions: (([1, 2, 3, 8, 5], 3), ([3, 1, 7, 0, -2], 2)),
    two_objects: ((9,), (30,)),
}


@table("function", PROGRAMS)
def test_what_a_function_writes_around_it_is_as_in_python(function: Any) -> None:
    for arguments in PROGRAMS[function]:
        assert_agrees(function, *arguments)
    graph = ag.compile(function, fallback="error").prepare((*PROGRAMS[function][0], {})).program.graph
    called = {callee.name for callee in functions_of(graph)}
    assert called & {"read", "take", "add", "step", "spread", "put"}, "each call is written out"


def test_gradients_of_functions_that_write_and_of_several_results() -> None:
    moved = lambda x: variables(x, 5)[0] * variables(x, 3)[1]  # noqa: E731
    for x in (0.5, 3.0):
        np.testing.assert_allclose(ag.grad(moved)(x), (moved(x + 1e-6) - moved(x - 1e-6)) / 2e-6, rtol=1e-6)

    def parts(x: float, k: float) -> tuple[float, float, float]:
        a, b = np.sin(x) * k, np.cos(x) + k
        for j in range(3):
            a = a * 0.9 + b * 0.1 * j
            b = b * 0.5 + np.exp(-b * b) - a * np.tanh(k)
        if a > b:
            a = a * b + np.sin(b)
        elif a > 0.3:
            a = a + np.cos(a * b)
        return a * b, a - b, np.sin(a)

    def chained(x: float) -> float:
        s = x
        for _ in range(4):
            p, q, r = parts(s, 0.4)
            p, q, r = parts(s + r * 0.1, p)
            s = s + 0.02 * p * r
            p, q, r = parts(q, r)
            s = s - 0.01 * r * p
        return s

    np.testing.assert_allclose(ag.grad(chained)(0.2), (chained(0.2 + 1e-6) - chained(0.2 - 1e-6)) / 2e-6, rtol=1e-6)


def test_a_program_grows_by_calls_of_what_writes() -> None:
    def size(function: Any) -> int:
        graph = ag.compile(function, fallback="error").prepare((DATA, 3, {})).program.graph
        return sum(1 for _ in graph.walk()) + sum(1 for callee in functions_of(graph) for _ in callee.graph.walk())

    def few(data: Any, n: int) -> int:
        bits = Bits(data)
        return sum(bits.read(2) + bits.read(3) + bits.read(1) + bits.read(4) + bits.read(5) + bits.read(6) for _ in range(n))

    def many(data: Any, n: int) -> int:
        bits, total = Bits(data), 0
        for _ in range(n):
            total += bits.read(2) + bits.read(3) + bits.read(1) + bits.read(4) + bits.read(5) + bits.read(6)
            total ^= bits.read(2) * bits.read(3) - bits.read(1) * bits.read(4) - bits.read(5) * bits.read(6)
            total += bits.read(2) + bits.read(3) + bits.read(1) + bits.read(4) + bits.read(5) + bits.read(6)
            total ^= bits.read(2) * bits.read(3) - bits.read(1) * bits.read(4) - bits.read(5) * bits.read(6)
        return total

    assert size(many) < 2 * size(few)


class Stepping:
    def __init__(self) -> None:
        self.total = 0

    def down(self, k: int) -> int:
        if k <= 0:
            return 0
        self.total += k
        return self.down(k - 2) + 1


def recursion_over_numbers_of_other_types(n: int) -> Any:
    stepping, values = Stepping(), []
    for scale in (1, 0.25, 3):
        values.append(stepping.down(n))
        stepping.total *= scale
        values.append(stepping.total)
    return values


def test_a_recursion_is_traced_again_where_what_it_writes_is_of_another_type() -> None:
    for n in (5, 8):
        assert_agrees(recursion_over_numbers_of_other_types, n)


class Reader:
    """Recursive descent: the token is an attribute, a text that the data chooses."""

    def __init__(self, tokens: list[tuple[str, int]]) -> None:
        self.tokens, self.at = tokens, -1
        self.kind, self.value = "", 0
        self.advance()

    def advance(self) -> None:
        self.at += 1
        self.kind, self.value = self.tokens[self.at] if self.at < len(self.tokens) else ("end", 0)

    def total(self) -> int:
        found = self.item()
        while self.kind in ("plus", "minus"):
            kind = self.kind
            self.advance()
            other = self.item()
            found = found + other if kind == "plus" else found - other
        return found

    def item(self) -> int:
        value, kind = self.value, self.kind
        self.advance()
        if kind == "open":
            value = self.total()
            self.advance()
        elif kind == "minus":
            return -self.item()
        return value


def read_total(tokens: list[tuple[str, int]]) -> Any:
    reader = Reader(tokens)
    return reader.total(), reader.kind, reader.value


def test_a_recursion_leaves_texts_in_attributes() -> None:
    compiled = ag.compile(read_total, fallback="error")
    names = {"(": "open", ")": "close", "+": "plus", "-": "minus"}
    for text in ("3", "1 + 2", "( 1 - ( 2 + 3 ) ) - - 4", "- ( 5 + 6 ) )", "( ( 7 ) + ( 8 - 9 ) )"):
        tokens = [(names.get(word, "number"), 0 if word in names else int(word)) for word in text.split()]
        assert compiled(tokens) == read_total(tokens)
    assert "host calls    none" in str(compiled.explain(tokens))


class Branch:
    def __init__(self, key: int) -> None:
        self.key = key
        self.lower: Any = None
        self.upper: Any = None


upper = random.Random(3)  # a variable of the module with the name of an attribute


def inserted(branch: Branch | None, key: int) -> Branch:
    if branch is None:
        return Branch(key)
    if key < branch.key:
        branch.lower = inserted(branch.lower, key)
    elif key > branch.key:
        branch.upper = inserted(branch.upper, key)
    return branch


def depth_below(branch: Branch | None) -> int:
    return 0 if branch is None else 1 + max(depth_below(branch.lower), depth_below(branch.upper))


def depth_of_tree(keys: list[int]) -> int:
    root = None
    for key in keys:
        root = inserted(root, key)
    return depth_below(root)


def test_names_of_attributes_are_no_variables_of_the_module() -> None:
    compiled = ag.compile(depth_of_tree, fallback="error")
    for keys in ([5, 2, 8, 1, 9, 3], [4], [upper.randrange(50) for _ in range(60)]):
        assert compiled(keys) == depth_of_tree(keys)
    assert "host calls    none" in str(compiled.explain(keys))


def towers(n: int) -> Any:
    pegs: dict[str, list[int]] = {"A": list(range(n, 0, -1)), "B": [], "C": []}
    moves, last = 0, ""

    def move(k: int, a: str, b: str, c: str) -> None:
        nonlocal moves, last
        if k == 0:
            return
        move(k - 1, a, c, b)
        pegs[c].append(pegs[a].pop())
        moves += 1
        last = a + c
        move(k - 1, b, a, c)

    move(n, "A", "B", "C")
    return moves, last, pegs, moves / 2


def test_variables_that_a_recursion_assigns_between_its_calls_are_arguments_of_them() -> None:
    compiled = ag.compile(towers, fallback="error")
    for n in (4, 9, 0, 1):
        assert compiled(n) == towers(n)
    assert len(compiled.specializations) == 1 and "host calls    none" in str(compiled.explain(9))
