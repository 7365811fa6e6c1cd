"""Bytes in lists, dicts and sets of compiled code: Python's values, order and errors, without a call of Python."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees

SHORT = (b"", 2), (b"abracadabra", 2), (b"ab cd a \xe9\xff\x00 ab", 3)
CALLS = *SHORT, (bytes(range(256)) * 2, 1), (b"ab" * 400, 300)


class Named(NamedTuple):
    name: bytes
    n: int


class Row:
    def __init__(self, name: bytes, n: int) -> None:
        self.name, self.n = name, n


def packed(data: Any, n: int) -> Any:
    """As LZW does."""
    known = {bytes([byte]): byte for byte in range(256)}
    current, out = b"", []
    for byte in data:
        longer = current + bytes([byte])
        if longer in known:
            current = longer
        else:
            out.append(known[current])
            known[longer] = len(known)
            current = bytes([byte])
    return out, known, {value: key for key, value in known.items()}


def counted(data: Any, n: int) -> Any:
    seen: dict[bytes, int] = {}
    for i in range(len(data) - n + 1):
        part = data[i : i + n]
        seen[part] = seen.get(part, 0) + 1
    return seen, list(seen), sorted(seen), sorted(seen.items()), Counter(data[i : i + 1] for i in range(len(data))).most_common(2)


def in_sets(data: Any, n: int) -> Any:
    seen, others = set[bytes](), {data[i : i + n] for i in range(0, len(data), 2)}
    for i in range(len(data)):
        seen.add(data[i : i + n])
    return list(seen), list(seen & others), seen - others, list(seen | others), seen == others, data[:n] in seen


def missing(data: Any, n: int) -> Any:
    seen = {data[i : i + 1]: i for i in range(len(data))}
    try:
        return seen[data[:n] + b"q"]
    except KeyError as error:
        return str(error), error.args


def raised(data: Any, n: int) -> Any:
    seen = {data[i : i + n]: i for i in range(len(data))}
    del seen[data[:n] + b"\xff'"]
    return seen


def as_values(data: Any, n: int) -> Any:
    d = {i: data[i : i + n] for i in range(len(data))}
    return d, b"".join(d.values()), b"-".join(list(d.values())), d.get(0, b"none") + d.get(1, b""), data[:1].join(d.values())


def in_tuples(data: Any, n: int) -> Any:
    d = {}
    for i in range(len(data)):
        d[data[i : i + 1], i % n] = (data[i : i + n], i)
    rows = [Named(data[i : i + n], i) for i in range(len(data))]
    return d, [(key[0], value[0]) for key, value in d.items()], rows, {row.name for row in rows}


def in_lists(data: Any, n: int) -> Any:
    out = []
    for i in range(len(data)):
        out.append(data[i : i + n])
    out.sort()
    return out, out.count(data[:n]), data[:n] in out, out[::-1], b"zz" in out, [x for x in out if x > b"b"]


def apart(data: Any, n: int) -> Any:
    seen = {data[i : i + 1]: i for i in range(len(data))}
    texts = {chr(data[i]): i for i in range(len(data))}
    found = "a" in texts, b"a" in texts, texts.get(data), texts.get(chr(97)), b"a" in list(texts)
    return "a" in seen, b"a" in seen, 97 in seen, seen.get("a"), seen.get(97), seen.get(b"a"), None in seen, found  # type: ignore[call-overload]


def beside_texts(data: Any, n: int) -> Any:
    """Keys and items of several types, of which b"a" and "a" are two."""
    seen: dict[Any, int] = {}
    out: list[Any] = []
    for i in range(len(data)):
        seen[data[i : i + 1]] = i
        seen[chr(data[i])] = -i
        if i % 3 == 0:
            out.append(data[i : i + n])
        elif i % 3 == 1:
            out.append(data[i])
        else:
            out.append(chr(data[i]))
    total = 0
    for x in out:
        total += len(x) if isinstance(x, bytes) else 1000 if isinstance(x, str) else x
    return seen, out, total, [x == b"a" for x in out], [x == "a" for x in out]


def beside_none(data: Any, n: int) -> Any:
    out: list[bytes | None] = [None] * len(data)
    last: Any = None
    for i in range(len(data)):
        if data[i] > 97:
            out[i] = data[i : i + n]
        if data[i] == 98:
            last = "b"
        elif data[i] == 97:
            last = data[i : i + n]
    return out, sum(len(x) for x in out if x is not None), last


def in_instances(data: Any, n: int) -> Any:
    rows = [Row(data[i : i + n], i) for i in range(len(data))]
    best = b""
    for row in rows:
        if row.name > best:
            best = row.name
        row.name += b"!"
    return best, [row.name for row in rows], {row.name: row.n for row in rows}


def followed(data: Any, n: int) -> Any:
    """Bytes of a dict go from variable to variable."""
    parent = {data[i : i + n]: data[i : i + n] for i in range(len(data))}

    def find(x: bytes) -> bytes:
        while parent[x] != x:
            x = parent[x]
        return x

    for i in range(len(data) - 1):
        a, b = find(data[i : i + n]), find(data[i + 1 : i + 1 + n])
        if a < b:
            parent[a] = b
    return parent


def taken_out(data: Any, n: int) -> Any:
    d: dict[bytes, list[int]] = {}
    for i in range(len(data)):
        d.setdefault(data[i : i + n], []).append(i)
    got, queue = d.pop(data[:n], None), deque[bytes]()
    for i in range(len(data)):
        queue.append(data[i : i + n])
        if len(queue) > 3:
            queue.popleft()
    return d, got, d.pop(b"no", None), list(queue)


def in_one_another(data: Any, n: int) -> Any:
    d: dict[bytes, dict[bytes, list[bytes]]] = {}
    for i in range(len(data)):
        d.setdefault(data[i : i + 1], {}).setdefault(data[i + 1 : i + 2], []).append(data[i : i + n])
    return d


def halved(data: Any, n: int) -> Any:
    return data if len(data) <= n else [halved(data[: len(data) // 2], n), halved(data[len(data) // 2 :], n)]


def remembered(data: Any, n: int) -> Any:
    known: dict[bytes, int] = {}

    def count(x: bytes) -> int:
        if len(x) < 2:
            return 1
        if x not in known:
            known[x] = count(x[1:]) + count(x[:-1])
        return known[x]

    return count(data[:6]), known


def words(data: Any, n: int) -> Any:
    d = defaultdict(list)
    for word in data.split(b" "):
        d[word[:n]].append(word)
    given = data.split()
    given.append(b"last")
    parts = [part for word in given for part in word.partition(b"a")], [word.rpartition(b"b") for word in given]
    return d, given, parts, [word.upper() for word in given], [word.replace(b"a", b"xy") for word in given if word.isalpha()]


NATIVE = [counted, in_sets, as_values, in_tuples, in_lists, apart, beside_texts, beside_none, in_instances]
NATIVE += [followed, taken_out, in_one_another, halved, remembered, words]


@pytest.mark.native
@table("f", [packed, counted, in_sets, in_one_another, words], ids=lambda f: f.__name__)
def test_native_code_has_the_hashes_and_objects_of_python(f: Callable[..., Any]) -> None:
    assert_agrees(f, *CALLS)


@table("f", NATIVE, ids=lambda f: f.__name__)
def test_bytes_in_containers_are_those_of_python_and_call_nothing_of_it(f: Callable[..., Any]) -> None:
    assert_agrees(f, *SHORT)
    calls = [line for line in ag.compile(f, fallback="error").graph(*CALLS[1]).split("\n") if "= host_call" in line]
    assert [line for line in calls if "rare = True" not in line and "raise" not in line] == []


@table("f", [missing, raised], ids=lambda f: f.__name__)
def test_a_key_that_is_not_there_is_told_as_bytes(f: Callable[..., Any]) -> None:
    assert_agrees(f, *SHORT[1:])


def test_letters_are_looked_up_before_a_loop_by_what_is_known_there() -> None:
    """A text of one letter is a number, which the loop has too."""

    def f(data: Any, n: int) -> Any:
        found: Any = 5
        for i in range(len(data)):
            if data[i] == 98:
                found = "b"
            elif data[i] == 97:
                found = i
        return found

    assert_agrees(f, *SHORT)
