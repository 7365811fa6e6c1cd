"""Values that are a number, a text or None, as the run decides: in lists, tuples, dicts and variables."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.part_readers import reader
from autograph_jit.tracing.structures.item_parts import annotation_of, kind_of_entries, read_parts
from tests.tables import table
from tests.tracing.agreement import assert_agrees

ROWS = [("a", 1), ("b", "x"), ("c", None), ("d", 2.5), ("e", True), ("f", "yy")]


def found_in_the_module(n: int) -> Any:
    total: Any = 0
    names, count = [], 0
    for k in range(n):
        key, value = ROWS[k % 6]
        if isinstance(value, (int, float)):
            total += value
        elif value is None:
            names.append(key)
        else:
            names.append(value)
        count += 10 * (value == "x") + (value == 1) + 100 * (value != None) + 1000 * (value == 2.5)  # noqa: E711
        count += 10000 * isinstance(value, (str, bool))
    return total, names, count


def made_here(n: int) -> Any:
    rows = [("a", 1), ("b", "x"), ("c", None), ("d", n)]
    total: Any = 0
    names: list[Any] = []
    for k in range(n):
        key, value = rows[k % 4]
        if key in ("a", "d"):
            total += value
        else:
            names.append(key if value is None else value)
    return total, names, rows


def appended(n: int) -> Any:
    rows: list[Any] = []
    for k in range(n):
        if k % 3 == 0:
            rows.append(("int", k))
        elif k % 3 == 1:
            rows.append(("text", str(k)))
        else:
            rows.append(("none", None))
    total, letters = 0, 0
    for kind, value in rows:
        if kind == "int":
            total += value
        elif kind == "text":
            letters += len(value)
    return total, letters, rows


def truths(n: int) -> Any:
    rows = [0, "", "a", 3, None, 0.0]
    count = 0
    for k in range(n):
        count += k if rows[k % 6] else 0
        count += 1 if not rows[(k + 1) % 6] else 0
        named = rows[k % 6] or "none"
        count += 7 if named == "none" else 0
    return count


def variable(n: int) -> Any:
    x: Any = 0
    for k in range(n):
        if k % 3 == 0:
            x = k
        elif k % 3 == 1:
            x = "k" * k
        else:
            x = None
    return x


def swapped(n: int) -> Any:
    a: Any = 1
    b: Any = "x"
    for _ in range(n):
        a, b = b, a
    return a, b


def letters_of_texts(n: int) -> Any:
    rows = [1, "abc", "d"]
    count, firsts = 0, []
    for k in range(n):
        value = rows[k % 3]
        if isinstance(value, str):
            firsts.append(value[0])
            for letter in value:
                count += ord(letter)
    return count, firsts


def machine(code: list[Any]) -> Any:
    stack: list[Any] = []
    names: dict[Any, Any] = {}
    place = steps = 0
    while place < len(code):
        op, arg = code[place]
        place += 1
        steps += 1
        if op == "push":
            stack.append(arg)
        elif op == "load":
            stack.append(names.get(arg, 0))
        elif op == "store":
            names[arg] = stack.pop()
        elif op == "add":
            b, a = stack.pop(), stack.pop()
            stack.append(a + b)
        elif op == "less":
            b, a = stack.pop(), stack.pop()
            stack.append(1 if a < b else 0)
        elif op == "jump_if":
            if stack.pop():
                place = arg
    return names, steps


def program(start: Any, most: Any) -> list[Any]:
    return [
        ("push", start),
        ("store", "i"),
        *(("load", "i"), ("push", start), ("add", None), ("store", "i")),
        *(("load", "i"), ("push", most), ("less", None), ("jump_if", 2)),
    ]


def sum_of_rows(n: int) -> Any:
    total: Any = 0
    for k in range(n):
        total += ROWS[k % 6][1]
    return total


def text_of_rows(n: int) -> Any:
    total: Any = ""
    for k in range(n):
        total += ROWS[(k + 1) % 6][1]
    return total


def least(n: int) -> Any:
    return [ROWS[k % 6][1] < 3 for k in range(n)]


def negative(n: int) -> Any:
    return [-ROWS[k % 2][1] for k in range(n)]  # type: ignore[operator]


def first_letters(n: int) -> Any:
    rows = ["xy", 1, "abc"]
    found = []
    for k in range(n):
        found.append(rows[k % 3][0])  # type: ignore[index]
    return found


def every_letter(n: int) -> Any:
    rows = ["xy", 1, "abc"]
    count = 0
    for k in range(n):
        for letter in rows[k % 3]:  # type: ignore[attr-defined]
            count += ord(letter)
    return count


def values_of_names(n: int) -> Any:
    names: dict[str, Any] = {"a": 1, "b": "x"}
    for k in range(n):
        names["k" * (k % 7)] = k if k % 2 else "odd"
    return names, names.get("kkk", None), names.get("a")


def ordered(n: int) -> Any:
    rows: list[Any] = [(k % 5, "x" if k % 2 else k) for k in range(n)]
    rows.sort(key=lambda row: row[0])
    return rows


@table(
    ("function", "calls"),
    [
        *((function, [40, 7, 0]) for function in (found_in_the_module, made_here, appended, truths, variable, swapped)),
        *((function, [40, 7, 0]) for function in (letters_of_texts, values_of_names, ordered)),
        (machine, [(program(1, 40),), (program("a", "aaaa"),), (program(2, "x"),), (program(None, 3),)]),
        *((function, [40, 1, 0]) for function in (sum_of_rows, text_of_rows, least, negative, first_letters, every_letter)),
    ],
)
def test_a_number_or_a_text_is_a_value_of_compiled_code(function: Any, calls: Any) -> None:
    assert_agrees(function, *calls)
    compiled = ag.compile(function, fallback="error")
    try:
        compiled(*(calls[0] if isinstance(calls[0], tuple) else calls[:1]))
    except TypeError:
        pass
    assert "host calls    none" in compiled.explain(), compiled.explain()


class Meter:
    """State of the caller's."""

    def __init__(self) -> None:
        self.last: Any = None
        self.total = 0.0


def test_what_an_exception_leaves_is_a_number_or_a_text() -> None:
    def marked(meter: Meter, n: int) -> None:
        meter.last = 1.0
        if n > 2:
            meter.last = "caught"
        meter.total += 1.0
        if n > 3:
            raise ValueError

    def named(meter: Meter, n: int) -> None:
        names = ["a" * k for k in range(n)]
        meter.total = 3.0
        meter.last = names[n - 1]
        if n > 3:
            raise ValueError

    for function in (marked, named):
        assert_agrees(function, (Meter(), 1), (Meter(), 3), (Meter(), 5))


class Turtle:
    """An object whose methods the data name."""

    def __init__(self) -> None:
        self.x = self.y = 0
        self.seen: list[int] = []

    def right(self, n: int) -> None:
        self.x += n

    def up(self, n: int) -> None:
        self.y += n

    def note(self, n: int) -> None:
        self.seen.append(n)

    @staticmethod
    def nothing(n: int) -> int:
        return n

    def walk(self, path: list[tuple[str, int]]) -> Any:
        for name, n in path:
            getattr(self, name)(n)
        return self.x, self.y, self.seen


def walked(path: list[tuple[str, int]]) -> Any:
    return Turtle().walk(path)


def path_of(*names: str) -> list[tuple[str, int]]:
    return [(name, k) for k in range(30) for name in names]


def test_data_name_a_method() -> None:
    assert_agrees(walked, (path_of("right", "up", "note"),), (path_of("nothing", "up"),), ([],))
    compiled = ag.compile(walked, fallback="error")
    compiled(path_of("up"))
    assert "getattr" not in compiled.explain()


def test_a_name_that_compiled_code_does_not_look_for_is_pythons() -> None:
    compiled, known = ag.compile(walked, fallback="error"), path_of("right", "up")
    assert compiled(known) == walked(known)
    for name in ("walk", "x", "__init__", "missing"):
        with pytest.raises(ag.ConversionError, match=f"the attribute `{name}` is asked for by its name"):
            compiled([*known, (name, 1)])
    lenient = ag.compile(walked)
    for _ in range(20):
        lenient(known)
    with pytest.raises(AttributeError, match="missing"):
        lenient([*known, ("missing", 1)])


VALUES: list[Any] = [True, False, 0, -5, 2**59, 0.0, -0.0, 1.5, "", "a", "é" * 5, None]


def test_columns_are_read_by_compiled_code_as_by_python() -> None:
    kinds = [bool, int, float, str, type(None)]
    for chosen in (each for count in range(1, 6) for each in itertools.combinations(kinds, count)):
        plain = [value for value in VALUES if type(value) in chosen]
        for items in (plain, [("q", value) for value in plain], [(x, (y, 1)) for x, y in zip(plain, plain[::-1])]):
            kind = kind_of_entries(items)
            if kind is None:  # None alone
                continue
            form = annotation_of(kind)
            columns, native = read_parts(items, form), reader(form)(items)
            assert columns is not None and native is not None and repr(columns) == repr(list(native)), form
            for other in (object(), 2**70, b"x", 1j):
                more = [*items, other if items is plain else (other, items[0][1])]
                assert read_parts(more, form) is None and reader(form)(more) is None


def summed(rows: list[tuple[str, Any]]) -> Any:
    total, found = 0, []
    for key, value in rows:
        if isinstance(value, int):
            total += value
        elif value is None:
            found.append(key)
        elif isinstance(value, str):
            found.append(value)
    return total, found


def replaced(items: list[Any], n: int) -> Any:
    for k in range(n):
        items[k] = "new" if k % 2 else None
    items.append(n)
    return len(items)


def rows_replaced(rows: list[Any], n: int) -> Any:
    for k in range(n):
        rows[k] = ("z", None) if k % 3 == 0 else ("y", k)
    return len(rows)


def looked_up(entries: dict[Any, Any], keys: list[Any]) -> Any:
    count, found = 0, []
    for key in keys:
        count += key in entries
        value = entries.get(key)
        if isinstance(value, str):
            found.append(value)
        elif value is not None:
            count += value
    return count, found


def chosen_of(items: tuple[Any, ...], n: int) -> Any:
    count = 0
    for k in range(n):
        value = items[k % len(items)]
        count += (value == "x3") + 100 * (value is None) + 10000 * (value == 5)
    return count


def gone_through(items: list[Any]) -> Any:
    total: Any = 0
    for item in items:
        if item is not None:
            total += item
    return total, items[::-1], [item for item in items if item is not None]


MIXED = [[k, f"v{k}", None, k + 1][k % 4] for k in range(120)]
ROWS_OF_MIXED = [(f"k{k}", value) for k, value in enumerate(MIXED)]


@table(
    ("function", "calls"),
    [
        (summed, [(ROWS_OF_MIXED,), (ROWS_OF_MIXED[:3],), ([("a", 1.5)],)]),
        (replaced, [(MIXED, 10), (MIXED[:80], 0)]),
        (rows_replaced, [([("a", 1), ("b", None)] * 60, 20), ([("a", 1)] * 80, 3)]),
        (looked_up, [({"a": 1, 2: "b", None: "n", **{k: "x" for k in range(20)}}, MIXED), ({"v1": 1, "v5": "y"}, MIXED)]),
        (chosen_of, [(tuple(f"x{k}" if k % 3 else k for k in range(100)) + (None,), 300), ((1, "x3"), 5)]),
        (gone_through, [([1, None, 2] * 50,), ([1, 2.5, True] * 50,), ([None] * 3,)]),
    ],
)
def test_what_the_caller_brings_holds_numbers_or_texts(function: Any, calls: Any) -> None:
    assert_agrees(function, *calls)
    compiled = ag.compile(function, fallback="error")
    compiled(*copy.deepcopy(calls[0]))
    assert "host calls    none" in compiled.explain()
    assert len(compiled.specializations[0].program.guards) < 8  # none for each item
