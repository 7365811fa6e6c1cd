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


def run_lengths(data: bytes) -> Any:
    out, i = bytearray(), 0
    while i < len(data):
        j = i
        while j < len(data) and data[j] == data[i] and j - i < 255:
            j += 1
        out.append(j - i)
        out.append(data[i])
        i = j
    return bytes(out), len(out)


def appended(n: int, factor: int) -> Any:
    halves, numbers, data = array("d"), array("h", [5]), bytearray(b"\1")
    for i in range(n):
        halves.append(i * 0.5)
        numbers.append(i * factor)
    halves.append(n)
    for byte in data:
        if len(data) < n:
            data.append(byte + 1)
    return halves, sum(halves), halves[-1], numbers, numbers.pop(), data


def popped(n: int) -> Any:
    stack, total = bytearray(), 0
    for i in range(n):
        stack.append(i % 7)
        stack += b"ab"
    while stack and n % 2 == 0:
        total = total * 3 % 101 + stack.pop()
    return total, stack, stack.pop(), stack


def set_behind(n: int, number: int) -> Any:
    data, numbers = bytearray(b"ab"), array("i")
    data.append(99)
    numbers.append(4)
    data[n] = number
    numbers[n] = number
    return data, numbers, data[n], numbers[-1]


class Writer:
    def __init__(self) -> None:
        self.out: Any = None
        self.written = 0

    def write(self, n: int, last: int) -> Any:
        out = self.out = bytearray()
        for i in range(n):
            out.append(i)
            self.written += 1
            if i == last:
                raise ValueError("last")
        return out


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
    (run_lengths, [(b"aaab",), (b"",), (bytes(300) + b"xyy",)]),
    (appended, [(0, 1), (20, 7), (20, 2000)]),
    (popped, [(0,), (3,), (4,)]),
    (set_behind, [(0, 7), (2, 8), (-3, 9), (3, 7), (0, 256), (-4, 300)]),
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


def of_few_ints(data: bytes) -> Any:
    pairs, joined = [], bytearray([data[0], 1])
    for a, b in zip(data, data[1:]):
        pairs.append(bytes((a, b)) < bytes([b]))
        joined += bytes([b, 0])
    return pairs, joined, bytes(range(len(data))), bytearray(range(data[0]))


def of_one_int(n: int) -> Any:
    return bytes([n]), bytearray([n, 3]), bytes((n, n))


def of_a_wide_int(n: int) -> Any:
    return bytearray((3, n))


def test_bytes_are_made_of_ints_without_python() -> None:
    rows = (of_few_ints, [b"ab\x00\xff", bytes(range(200))]), (of_one_int, [3, 255, 256, -1]), (of_a_wide_int, [0, 256])
    for function, arguments in rows:
        compiled = ag.compile(function, fallback="error")
        for x in arguments:
            assert outcome(compiled, x) == outcome(function, x)
        assert not [operation for operation in compiled.specializations[-1].program.graph.walk() if operation.name == "host_call"]


def test_one_object_stays_one() -> None:
    def same(n: int) -> Any:
        made = bytearray(n)
        return made, [made, made]

    made, both = ag.compile(same, fallback="error")(3)
    assert type(made) is bytearray and made is both[0] is both[1]


def test_what_was_written_to_a_buffer_is_there_after_an_exception() -> None:
    compiled = ag.compile(Writer.write, fallback="error")
    for arguments in ((5, 9), (5, 3), (300, 999)):
        python, ours = Writer(), Writer()
        assert outcome(compiled, ours, *arguments) == outcome(Writer.write, python, *arguments)
        assert vars(ours) == vars(python)
