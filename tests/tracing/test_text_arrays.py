"""Arrays of texts of the caller's, and structured arrays with such: what Python gives, with NumPy's own classes, without calls of it."""

from __future__ import annotations

import copy
import enum
from collections import deque
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tables import table
from tests.tracing.agreement import assert_agrees

WORDS = np.array(["ab", "c", "", "abcdefghijk", "ab", "éß漢", "12"] * 3)
CODES = np.array([b"A1", b"B22", b"", b"A1"] * 5)
GRID = np.array([list("#.#a"), list("..#b"), list("éß漢ω")])
FIELDS = [("flag", "?"), ("name", "U6"), ("age", "i4"), ("pay", "f8"), ("code", "S4"), ("small", "u1"), ("tags", "U3", (2,))]
STAFF = np.array(
    [(i % 2, ["ann", "bo", "cynthia", "ann"][i % 4], 30 + i % 5, 1.5 * i, [b"A1", b"", b"B22"][i % 3], i, ("t", "u")) for i in range(12)],
    dtype=FIELDS,
)
DATED = np.zeros(10, [("day", "M8[D]"), ("half", "f2"), ("name", "U4"), ("x", float)])
DATED["name"], DATED["x"] = ["ab", "c"] * 5, np.arange(10)


class Team(str, enum.Enum):
    """Members that equal texts."""

    FIRST = "ab"
    SECOND = "c"


ANN = np.str_("ann")


def read(words: Any, k: int) -> Any:
    sizes = len(words), words.shape, words.ndim, words.size, words.dtype
    return words[k], words[-1], [w for w in words], words[1:4][k], words[::-1][0], sizes


def compared(words: Any, k: int) -> Any:
    each = [(w == "ab", "ab" != w, w < "b", "b" >= w, w == words[k], w == str(w), w == 1, w == b"ab", w == Team.FIRST) for w in words]
    return each, words == "ab", "c" != words, words[words == "ab"], "c" in words, "zz" in words, words[k] in words


def made_of(words: Any, k: int) -> Any:
    sums = [(w + "x", "x" + w, "" + w, w * 2, w * 1, w[:1], w[:], len(w), w + words[k]) for w in words]
    methods = [(w.upper(), w.strip("a"), w.split("b"), w.replace("b", "zz"), w.zfill(3), w.removeprefix("q"), w.find("c")) for w in words]
    given_back = [(w.partition("q"), w.format(), w.item(), w.dtype, "".join([w]), "-".join([w, "y"])) for w in words]
    return sums, methods, given_back, [w.startswith("a") for w in words], [w.isdigit() for w in words], "b" in words[k], words[k] in "abab"


def written_out(words: Any, k: int) -> Any:
    texts = [f"{w}|{w:>5}|{w!r}|{'%s' % w}|{'{:<4}'.format(w)}" for w in words]
    return texts, [str(w) for w in words], [repr(w) for w in words], [type(w) for w in words], [isinstance(w, str) for w in words]


def in_containers(words: Any, k: int) -> Any:
    counts: dict[Any, int] = {}
    groups: dict[int, list[Any]] = {}
    found, queue = [], deque[Any]()
    for i, w in enumerate(words):
        counts[w] = counts.get(w, 0) + 1
        groups.setdefault(len(w), []).append((w, i))
        if w not in found:
            found.append(w)
        queue.append(w)
    found.sort()
    return counts, groups, found, list(queue), counts["ab"], counts.get("zz"), "c" in counts, found.index("c"), {w: len(w) for w in words}


def beside_texts(words: Any, k: int) -> Any:
    items: list[Any] = ["plain"]
    last, best = "start", ""
    out = []
    for w in words:
        out.append((last == w, last + w, len(last), type(last) is str))
        last = w if len(w) != 1 else "one"
        best = w if len(w) > len(best) else best
        items.append(w)
    names = {str(w): i for i, w in enumerate(words)}
    return items, out, last, best, names[words[k]], names.get(words[0]), [w in names for w in words], max(words[0], "a"), items.count("ab")


def mixed_keys(words: Any, k: int) -> Any:
    seen: dict[Any, int] = {}
    for i, w in enumerate(words):
        seen[str(w)] = i
        seen[w] = 2 * i  # the key that was there stays
    return seen, {w for w in words} & {"ab", "q"}, sorted({w for w in words} | {"q"}), {str(w) for w in words} == {w for w in words}


def written(words: Any, k: int) -> Any:
    before = words[0]
    words[0] = "muchtoolongforthat"
    words[1] = words[0] + "x"
    words[k] = "a\0b\0"
    words[4:6] = "cut"
    words[words == "ab"] = ""
    for i in range(6, len(words)):
        words[i] = words[i][::-1]
    return before, words[0], words[k], words[k] == "a\0b", [w for w in words]


def sorted_by_hand(words: Any, k: int) -> Any:
    for i in range(len(words)):
        for j in range(len(words) - 1 - i):
            if words[j] > words[j + 1]:
                words[j], words[j + 1] = words[j + 1], words[j]


def bytes_of(codes: Any, k: int) -> Any:
    counts: dict[Any, int] = {}
    for code in codes:
        counts[code] = counts.get(code, 0) + 1
    codes[1] = b"longer"
    parts = [(c == b"A1", c[:1], c + b"x", c.decode(), bytes(c), repr(c), c.startswith(b"A")) for c in codes]
    return counts, parts, codes[k], codes == b"A1", b"A1" in codes, [code[0] for code in codes if code]


def cells(grid: Any, k: int) -> Any:
    grid[0, 1] = "x"
    grid[k] = "row"
    return sum(grid[i, j] == "#" for i in range(3) for j in range(4)), grid[1, 2], grid[0][k], [[ord(c) for c in line] for line in grid]


def by_rows(staff: Any, k: int) -> Any:
    totals: dict[Any, float] = {}
    oldest = ("", -1)
    for row in staff:
        totals[row["name"]] = totals.get(row["name"], 0.0) + row["pay"]
        if row["age"] > oldest[1]:
            oldest = (row["name"], int(row["age"]))
        if row["flag"]:
            row["name"] = row["name"][::-1] + "!"
            row["code"] = row["code"][:1]
    staff["pay"] *= 1.5
    staff["tags"][0, 1] = "first"
    names = staff["name"]
    names[2] = "via the field"
    part = staff[staff["age"] > 31]
    part[0]["name"] = "copy"
    tags = [t for row in staff for t in row["tags"]]
    return totals, oldest, staff[k]["name"], staff[k][1], staff["name"][k], staff["code"][-1], tags, part[0]["name"]


def by_names(staff: Any, k: int) -> Any:
    is_ann = staff["name"] == "ann"
    texts = [f"{row['name']} is {row['age']}, {row['pay']:.1f}" for row in staff]
    staff["name"][staff["pay"] > 9] = "rich"
    staff["code"] = b"all"
    first = staff[0]
    first["name"], staff[1]["small"] = first["name"] + "a", 7
    return is_ann, staff["pay"][is_ann].sum(), texts, [row["name"] == ANN for row in staff], first["name"]


def beside_others(rows: Any, k: int) -> Any:
    """Fields of which compiled code knows nothing are not asked for."""
    found = []
    for row in rows:
        if row["name"] == "ab":
            found.append((row["name"], row["x"]))
        row["x"] += k
    return found, rows[rows["x"] > 4]["name"][0], rows[k][2], len(rows), rows.shape


def with_others(rows: Any, k: int) -> Any:
    return [(row["name"], row["day"]) for row in rows], rows["half"][k]


def asked_of_python(staff: Any, k: int) -> Any:
    ordered = np.sort(staff, order="name")
    return ordered["name"].tolist(), np.unique(staff["name"]), staff[0].item(), staff["name"].astype(object)[0], staff[1:3], staff["name"]


def beyond(words: Any, k: int) -> Any:
    return words[k * 50]


def no_number(words: Any, k: int) -> Any:
    return [int(w) for w in words[::-1]]


def no_key(words: Any, k: int) -> Any:
    counts = {w: 1 for w in words}
    return counts[words[k] + "zz"] if k > 5 else {"ab": 1}[words[k]]


def no_sum(words: Any, k: int) -> Any:
    return [w + 1 for w in words]


TEXTS = (read, compared, made_of, written_out, in_containers, beside_texts, mixed_keys, written, sorted_by_hand)
PROGRAMS = {
    **dict.fromkeys(TEXTS, [(WORDS, 2), (WORDS[:5], 1), (WORDS.repeat(2)[::2], 1)]),
    **dict.fromkeys((beyond, no_number, no_key, no_sum), [(WORDS, 2)]),
    **dict.fromkeys((by_rows, by_names, asked_of_python), [(STAFF, 2), (STAFF.repeat(2)[1::2], 3)]),
    **dict.fromkeys((beside_others, with_others), [(DATED, 2)]),
    bytes_of: [(CODES, 1)],
    cells: [(GRID, 2)],
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_texts_of_arrays_are_those_of_python(program: Any) -> None:
    assert_agrees(program, *PROGRAMS[program])


def mixed_words(words: Any) -> Any:
    items, last = ["plain"], "start"
    for w in words:
        items.append(w)
        last = w if len(w) != 1 else "one"
    return items, last, last + "s", sum(last == item for item in items)


def count_by_letter(words: Any) -> Any:
    counts: dict[str, int] = {}
    for w in words:
        if w != "ab":
            counts[w[:1]] = counts.get(w[:1], 0) + len(w)
    return counts


NATIVE = (count_by_letter, WORDS), (by_rows, STAFF, 2), (written, WORDS, 2), (mixed_words, WORDS), (beside_others, DATED, 1)


@table("call", NATIVE)
def test_loops_over_texts_of_arrays_call_nothing_of_python(call: Any) -> None:
    function, *arguments = call
    compiled = ag.compile(function, fallback="error")
    compiled(*copy.deepcopy(arguments))
    assert "host calls    none" in compiled.explain(), function.__name__


def test_one_program_serves_arrays_of_all_widths() -> None:
    compiled = ag.compile(count_by_letter, fallback="error")
    for width in (12, 20, 40):
        words = np.array(["ab", "x" * width, "yz"] * 7)
        assert compiled(words) == count_by_letter(words)
    assert len(compiled.specializations) == 1


@table(
    "words",
    [WORDS.astype(">U3"), WORDS.astype(object), WORDS.reshape(3, 7)[0].view(np.recarray), np.array(["", ""], "U0"), np.char.array(WORDS)],
)
@pytest.mark.filterwarnings("ignore")
def test_other_arrays_of_texts_are_pythons(words: Any) -> None:
    assert ag.compile(count_by_letter, fallback="error")(words) == count_by_letter(words)


def of_one_memory(a: Any, b: Any) -> Any:
    first = a[0]
    b[0] = "new"
    for i in range(1, len(a)):
        a[i] = b[i - 1]
    return first, a[0], [w for w in a], [w for w in b]


@table("parts", [lambda x: (x, x), lambda x: (x[1:], x[:-1]), lambda x: (x, x.copy()), lambda x: (x, x.view("U1"))])
def test_arrays_that_share_memory_see_what_is_written(parts: Any) -> None:
    compiled = ag.compile(of_one_memory, fallback="error")
    assert compiled(*parts(WORDS.copy())) == of_one_memory(*parts(WORDS.copy()))


def test_arrays_that_cannot_be_written_are_not() -> None:
    words = WORDS.copy()
    words.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ag.compile(written, fallback="error")(words, 2)
    assert (words == WORDS).all()


def of_enumeration(text: str) -> Any:
    words = text.split()
    seen = {w: i for i, w in enumerate(words)}
    found = [(w == Team.FIRST, Team.SECOND != w, w < Team.SECOND, w == ANN, w in (Team.FIRST, ANN)) for w in words]
    return found, seen[Team.FIRST], seen.get(ANN), Team.SECOND in seen, words.index(Team.SECOND)


def joined_sets(text: str) -> Any:
    words, numbers, letters = {w for w in text.split()}, {1, 2, 300}, {b"q", b"r"}
    words_and_more = words | letters
    return list(words | numbers), list(words_and_more), list(words ^ numbers)


@table("program", [of_enumeration, joined_sets])
def test_texts_and_what_may_equal_them_agree(program: Any) -> None:
    assert_agrees(program, "ab c ann de fgh", "ab c ann xyz pq ab r")
