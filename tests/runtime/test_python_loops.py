"""Loops that Python runs in the middle of compiled code: chosen by the cost model, and the same in every respect."""

from __future__ import annotations

import itertools
import traceback
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime.python_loops import divide
from autograph_jit.tracing.control.python_loops import PYTHON_LOOP
from tests.division import all_loops_in_python
from tests.tables import table

STEPS: list[int] = []


def counted(x: Any, n: int) -> Any:
    """Text and dicts beside a loop over pairs: neither Python nor compiled code is the quickest with all of it."""
    counts: dict[str, int] = {}
    total = 0
    for i in range(n):
        key = f"{i % 7:g}"
        counts[key] = counts.get(key, 0) + 1
        total += len(key)
    y = np.zeros(len(x))
    for i in range(len(x)):
        s = 0.0
        for j in range(len(x)):
            s += x[i] * x[j] / (1.0 + abs(i - j))
        y[i] = s
    return y, counts, total


def numbers(x: Any, n: int) -> Any:
    count, share, found, last, scaled = 0, 0.5, False, x[0], np.float32(2)
    for i in range(n):
        count += len(str(i))
        share = share * 0.5 + i
        found = found or str(i) == "3"
        last = x[i] * 2
        scaled = scaled * np.float32(1.5)
    return count, share, found, last, scaled, count + 1, share * x


def arrays(x: Any, n: int) -> Any:
    v = x
    for i in range(n):
        v = np.append(v, float(str(i)))
        x[i] = v[-1]
    return v * 2, v.shape, x


def lists(x: Any, n: int) -> Any:
    before, words = [1.5], []
    for i in range(n):
        words.append(str(i))
        before.append(x[i])
    before.append(2.5)
    return before, words, len(before), "".join(words)


def while_stops(x: Any, n: int) -> Any:
    text, i = "", 0
    while len(text) < n:
        text = text + str(i)
        i += 1
        if i == 7:
            break
    return text, i, x[i]


def skips(x: Any, n: int) -> Any:
    kept = {}
    for i, value in enumerate(x):
        if i % 2:
            continue
        if i > n:
            break
        kept[Fraction(i, 7)] = value
    return kept


def inner(x: Any, n: int) -> Any:
    total, lines = 0.0, []
    for i in range(n):
        row: list[Fraction] = []
        for j in range(i):
            row.append(Fraction(j, 7))
        lines.append(tuple(row))
        total += x[i]
    return lines, total


def items(x: Any, n: int) -> Any:
    table, total = {}, 0.0
    for i in range(n):
        table[Fraction(i, 7)] = x[i]
    for key, value in table.items():
        total += value * float(key)
    return total * 2


def captures(x: Any, n: int) -> Any:
    scale = 2.0

    def scaled(value: Any) -> Any:
        return value * scale

    out = []
    for i in range(n):
        out.append(str(scaled(x[i])).encode())
    scale = 3.0
    return out, scaled(x[0])


def unset(x: Any, n: int) -> Any:
    for i in range(n):
        last = str(i)
    return last


def fails(x: Any, n: int) -> Any:
    out: dict[Fraction, Any] = {}
    for i in range(n):
        x[i] = -1.0
        out[Fraction(i, 7)] = 1 / (i - 2)
    return out


class Counter:
    def __init__(self) -> None:
        self.count = 0

    def step(self, text: str) -> None:
        self.count += len(text)


COUNTER = Counter()


def own_instance(x: Any, n: int) -> Any:
    counter = Counter()
    for i in range(n):
        counter.step(str(i))
    return counter.count, x[0]


def outer_instance(x: Any, n: int) -> Any:
    for i in range(n):
        COUNTER.step(str(i))
    return COUNTER.count


def outer_list(x: Any, n: int) -> Any:
    for i in range(n):
        STEPS.append(len(str(i)))
    return len(STEPS), x[0]


def zipped(x: Any, n: int) -> Any:
    out = []
    for a, b in zip(x, range(n)):
        out.append(f"{a}:{b}".encode())
    return out


def changed_on_the_way(x: Any, n: int) -> Any:
    out = []
    for i, (a, b) in enumerate(zip(reversed(x), x)):
        x.fill(a + 1)
        out.append(f"{i} {a} {b}".encode())
    for a in x[::2]:
        x[-1] = a + n
        out.append(str(a).encode())
    return out


def guarded(x: Any, n: int) -> Any:
    out, i = [], 0
    try:
        for i in range(n):
            out.append(str(1 / (3 - i)))
    except ZeroDivisionError:
        out.append("none")
    return out, i


def big(x: Any, n: int) -> Any:
    value = 1
    for i in range(n):
        value = value * (len(str(i)) + 2**15)
    return value


PROGRAMS = [
    counted, numbers, arrays, lists, while_stops, skips, inner, items, captures, unset, fails, own_instance, outer_instance, outer_list,
    zipped, changed_on_the_way, guarded, big,
]  # fmt: skip
WITH_PYTHON_LOOPS = {
    counted, numbers, arrays, lists, while_stops, skips, inner, items, captures, fails, own_instance, outer_list, zipped,
    changed_on_the_way,
}  # fmt: skip
"""Of the others Python cannot run the loop alone: a variable may have no value, what it changes is journaled, or handlers are around it."""


def outcome(function: Any, n: int) -> Any:
    """Result or exception, the array afterwards, and what the program changes outside."""
    x = np.arange(1.0, 10.0)
    STEPS.clear()
    COUNTER.count = 0
    try:
        result = function(x, n)
    except Exception as error:  # compared
        result = type(error), str(error), traceback.extract_tb(error.__traceback__)[-1].lineno
    return typed(result), x.tolist(), list(STEPS), COUNTER.count


def typed(x: Any) -> Any:
    """A value with the types of all that it holds."""
    if isinstance(x, (tuple, list)):
        return type(x), [typed(item) for item in x]
    if isinstance(x, dict):
        return [typed(pair) for pair in x.items()]
    return (type(x), x.dtype, x.tolist()) if isinstance(x, np.ndarray) else (type(x), x)


@table("function, n", itertools.product(PROGRAMS, (8, 0)))
def test_they_do_what_they_do_in_python(function: Any, n: int) -> None:
    compiled = ag.compile(function)
    with all_loops_in_python(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2):
            assert outcome(compiled, n) == outcome(function, n)
    if n:
        notes = [note for made in compiled.specializations for note in made.program.notes]
        assert (PYTHON_LOOP in notes) == (function in WITH_PYTHON_LOOPS) or function is big


def test_the_model_divides_a_program_where_both_parts_gain() -> None:
    compiled = ag.compile(counted)
    x = np.arange(50.0)
    expected = "(?s)test_python_loops.py:[0-9]+: this loop runs in Python.*for i in range.n.:.*like this"
    with pytest.warns(UserWarning, match=expected) as told:
        found = compiled(x, 100)
    assert len(told) == 1 and told[0].filename == __file__
    np.testing.assert_allclose(found[0], counted(x, 100)[0])
    assert found[1:] == counted(x, 100)[1:]
    (made,) = compiled.specializations
    assert made.program.notes.count(PYTHON_LOOP) == 1 and PYTHON_LOOP in compiled.explain()


def test_a_long_container_of_other_objects_sends_its_loop_to_python_alone() -> None:
    def by_items(items: Any, n: int) -> Any:
        values = np.zeros(len(items))
        for k, item in enumerate(items):
            values[k] = item * 2
        total = 0.0
        for i in range(n):
            for j in range(len(values)):
                total += values[j] / (i + 1.0)
        return total

    def by_keys(table: Any, n: int) -> Any:
        return by_items(list(table.values()), n)

    mixed = [k if k % 2 else Fraction(k, 2) for k in range(900)]
    for function, items in ((by_items, mixed), (by_keys, dict(enumerate(mixed)))):
        compiled = ag.compile(function)
        with pytest.warns(UserWarning, match="where that is quicker, and is compiled otherwise"):
            assert compiled(items, 3) == function(items, 3)
        assert compiled(items, 2) == function(items, 2)
        (made,) = compiled.specializations
        assert made.program.notes.count(PYTHON_LOOP) == 1 and PYTHON_LOOP in compiled.explain()


def test_the_rest_is_not_divided() -> None:
    def native(x: Any, n: int) -> Any:
        total = 0.0
        for i in range(n):
            for j in range(n):
                total += x[i] * x[j]
        return total

    def python(x: Any, n: int) -> Any:
        return [str(i) for i in range(n)]

    for function in (native, python):
        compiled = ag.compile(function, fallback="error")
        program = compiled.prepare((np.arange(9.0), 8, {})).program
        assert not divide(program.graph.block, {loop.operation: loop for loop in program.loops}).chosen or function is python


def test_gradients_go_through_such_loops() -> None:
    def energy(x: Any, n: int) -> Any:
        return counted(x, n)[0].sum()

    x = np.arange(1.0, 6.0)
    np.testing.assert_allclose(ag.grad(energy)(x, 3), ag.grad(lambda x: sum(counted(x, 0)[0]))(x))
