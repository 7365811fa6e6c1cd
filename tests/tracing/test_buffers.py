"""Objects of `bytearray` and `array.array` that a program makes: what Python gives, natively where their length stays."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from typing import Any

import autograph_jit as ag
from tests.tables import table


def outcome(f: Callable[..., Any], *args: Any) -> str:
    """What a call returns, or what it raises, as text."""
    try:
        return repr(f(*args))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def sieved_by_index(n: int) -> Any:
    marks = array("b", [1]) * (n + 1)
    marks[0] = marks[-n] = 0
    for k in range(2, n + 1):
        if marks[k]:
            for multiple in range(k * k, n + 1, k):
                marks[multiple] = 0
    return sum(marks), [k for k in range(n + 1) if marks[k]]


def sieved_by_slices(n: int) -> Any:
    marks = bytearray([1]) * (n + 1)
    marks[0:2] = b"\0\0"
    k = 2
    while k * k <= n:
        if marks[k]:
            marks[k * k :: k] = bytes(len(range(k * k, n + 1, k)))
        k += 1
    return marks, sum(marks), len(marks), bytes(marks[2:7])


def made_in_all_ways(n: int) -> Any:
    made = [bytearray(n), bytearray(b"abc"), bytearray([7, n * 0 + 8]), array("d", [0.5]) * n, array("i", [1, 2, 3]), array("q")]
    made[0][n - 1] = 200
    again = made[0]
    again[0] = n % 256
    return made, again is made[0], made[1][::-1], made[4][1:], made[3][0], made[0].hex(), made[4].typecode


def fresh_in_each_trip(n: int) -> int:
    total = 0
    for i in range(n):
        row = bytearray(5)
        row[i % 5] = i % 250
        for byte in row:
            total += byte
    return total


def copied(held: Any, n: int) -> Any:
    other = bytearray(held)
    other[0] = n
    return held, other, bytes(held)


def grown(n: int) -> Any:
    out = bytearray()
    for i in range(n):
        out.append(i % 256)
    out += b"xy"
    return bytes(out), out


def carried(n: int) -> Any:
    row = bytearray(8)
    row[3] = 1
    for _ in range(n):
        fresh = bytearray(8)
        for i in range(8):
            fresh[i] = row[i - 1] ^ row[(i + 1) % 8]
        row = fresh
    return row, bytes(row)


def stored(index: int, number: int) -> Any:
    data, numbers = bytearray(4), array("h", [0, 0, 0, 0])
    numbers[index] = number
    data[index] = number
    return data, numbers


def spread(step: int, count: int) -> Any:
    data = bytearray(10)
    data[::step] = bytes(count)
    return data


NATIVE = [
    (sieved_by_index, [(1,), (10,), (500,)]),
    (sieved_by_slices, [(1,), (10,), (500,)]),
    (fresh_in_each_trip, [(0,), (300,)]),
    (copied, [(bytearray(b"abc"), 65), (b"xyz", 256)]),
    (stored, [(0, 1), (3, 255), (-4, 0), (4, 0), (4, 300), (1, 256), (1, -1), (1, 40000), (-5, 2)]),
]
ANY = [
    (made_in_all_ways, [(1,), (5,), (0,), (-1,)]),
    (grown, [(0,), (5,), (300,)]),
    (carried, [(0,), (1,), (20,)]),
    (spread, [(3, 4), (3, 3), (3, 0), (1, 10), (1, 3), (-2, 5), (0, 4)]),
]


@table("f, calls", NATIVE + ANY, ids=lambda value: getattr(value, "__name__", ""))
def test_buffers_are_pythons(f: Callable[..., Any], calls: Any) -> None:
    compiled = ag.compile(f, fallback="error")
    for arguments in calls:
        assert outcome(compiled, *arguments) == outcome(f, *arguments), arguments
    if (f, calls) in NATIVE:
        assert not re.findall('label = "([^"]*)"', ag.compile(f, fallback="error").graph(*calls[0]))


def test_one_object_stays_one() -> None:
    def same(n: int) -> Any:
        made = bytearray(n)
        return made, [made, made]

    made, both = ag.compile(same, fallback="error")(3)
    assert type(made) is bytearray and made is both[0] is both[1]
