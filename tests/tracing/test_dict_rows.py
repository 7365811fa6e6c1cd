"""Dicts with the same constant texts as keys, in lists of the caller's: rows of tables, as instances are."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import run

Rows = list[dict[str, Any]]


def rows_of(count: int) -> Rows:
    return [{"name": f"a{k % 7}", "price": k * 0.5, "n": k % 7} for k in range(count)]


def totals(rows: Rows) -> Any:
    names = []
    for row in rows:
        if row["n"] > 3 and "n" in row and isinstance(row, dict) and type(row) is dict:
            names.append(row["name"])
    return sum(row["price"] * row["n"] for row in rows), names, [f"{row['name']}: {row.get('price'):.2f}" for row in rows]


def in_order(rows: Rows) -> Any:
    rows.sort(key=lambda row: (row["n"], -row["price"]))
    few = [row for row in rows if row["n"] > 2]
    return rows[0], few, max(few, key=lambda row: row["price"]), sorted(rows, key=lambda row: row["price"])[:3]


def groups(rows: Rows) -> Any:
    lists: dict[str, Rows] = {}
    last = {}
    for row in rows:
        lists.setdefault(row["name"], []).append(row)
        last[row["name"]] = row
    return lists, last["a3"]["price"], last.get("zz")


def changed(rows: Rows) -> Any:
    for row in rows:
        row["n"] += 1
        row["price"] = row["n"] / 2
    return rows[3]


def changed_until(rows: Rows) -> Any:
    total = 0
    for row in rows:
        row["n"] += 1
        total += row["n"]
        if total > 30:
            row["n"] = 77
            return row["missing"]
    return total


def looked_through(rows: Rows) -> Any:
    count = 0
    for row in rows:
        count += len(row) + ("missing" in row) + row.get("missing", 2)
        for key, value in row.items():
            count += len(key) + len(str(value))
    return count, [{**row, "total": row["price"] * row["n"]} for row in rows]


def made(rows: Rows) -> Any:
    found: Rows = []
    by_name: dict[str, dict[str, Any]] = {}
    for row in rows:
        group = by_name.get(row["name"])
        if group is None:
            group = by_name[row["name"]] = {"name": row["name"], "count": 0, "total": 0.0}
        group["count"] += 1
        group["total"] += row["price"]
        found.append({**row, "who": group, "price": 1.5})
    rows.append({"name": "new", "price": 2.5, "n": 3})
    return sorted(by_name.values(), key=lambda group: -group["total"]), found, by_name


def seen_as_dicts(rows: Rows) -> Any:
    found: list[Any] = []
    for row in rows:
        match row:
            case {"n": 0, **rest}:
                found.append(rest)
            case {"missing": _}:
                found.append("missing")
            case {"name": str(name), "n": int(n)} if n > 4:
                found.append((name, n))
            case [_, _, _] | dict(n=3):
                found.append("sequence")
            case {}:
                found.append(row["price"])
        found += [dict(row), *reversed(row), row.__class__ is dict, row.get("n")]
    return found


def of_other_types(rows: Rows) -> Any:
    for row in rows:
        row["n"] = "text"
        row["price"] = "x" if row["name"] == "a1" else 1.5
    return rows[3]


def numbered(rows: Rows) -> Any:
    return len({id(row) for row in rows}), [id(row) == id(rows[0]) for row in rows]


def lists_numbered(n: int) -> Any:
    rows = [[k] for k in range(n)]
    return [id(row) == id(rows[0]) for row in rows]


def one_among(rows: Rows, one: Any) -> Any:
    return sum(1 for row in rows if row is one), one["n"]


def of_two_lists(rows: Rows, others: Rows) -> Any:
    total = 0.0
    for row, other in zip(rows, others):
        other["n"] = 3
        total += row["price"] * other["x"] + row["n"]
    return total


SHARED = rows_of(80)
WITHOUT, MORE = rows_of(90), rows_of(100)
del WITHOUT[5]["n"]
MORE[7]["more"] = 1
OTHERS = [{"x": k * 0.5, "n": k % 3} for k in range(90)]


EVERY = [totals, in_order, groups, changed, changed_until, looked_through, made, seen_as_dicts, of_other_types]


@pytest.mark.parametrize("function", EVERY)
def test_dicts_in_a_list_are_read_and_changed_by_columns(function: Callable[..., Any]) -> None:
    compiled = ag.compile(function, fallback="error")
    others = [] if function is made else [(WITHOUT,), (MORE,)]  # which it would be written out for
    calls = [(rows_of(70),), (rows_of(120),), *others, (rows_of(80),)]
    for arguments in calls:
        assert run(compiled, arguments) == run(function, arguments), arguments
    first = compiled.specializations[0].program
    assert first.instances is not None and first.instances.calls >= 3, "one program serves lists of any length"


class Node:
    def __init__(self, key: int) -> None:
        self.key = key


def address(x: Any) -> int:
    return id(x)


def test_an_address_is_that_of_the_object_in_each_call() -> None:
    assert run(ag.compile(numbered, fallback="error"), (rows_of(70),)) == run(numbered, (rows_of(70),))
    assert ag.compile(lists_numbered, fallback="error")(70) == lists_numbered(70)
    for make in (lambda: Node(1), lambda: [1, 2], lambda: {"a": 1}, lambda: list(range(80)), lambda: len):
        compiled, kept = ag.compile(address, fallback="error"), [make() for _ in range(3)]  # type: ignore[no-untyped-call]
        assert [compiled(x) for x in kept] == list(map(id, kept))
    for value in (np.ones(2), 5, "text", (1, 2)):
        with pytest.raises(ag.ConversionError, match="id"):
            ag.compile(address, fallback="error")(value)


def as_keys(n: int, how: str) -> Any:
    rows = [{"a": k, "b": "x"} for k in range(n)]
    found: dict[Any, Any] = {}
    chosen = None
    for row in rows:
        if how == "set":
            found[row] = 1  # type: ignore[index]
        elif how == "get":
            found.get(row)  # type: ignore[call-overload]
        elif how == "in":
            n += row in found  # type: ignore[comparison-overlap]
        else:
            n += chosen in found
        chosen = row  # type: ignore[assignment]
    return n


def test_dicts_are_no_keys() -> None:
    for how in ("set", "get", "in", "later"):
        assert run(ag.compile(as_keys, fallback="error"), (4, how)) == run(as_keys, (4, how))


def sorted_dicts(rows: Rows, which: int) -> Any:
    first = sorted(rows, key=lambda row: -row["n"])[which]
    first["n"] = 77
    kept = [row for row in reversed(rows)]
    for _ in range(which):
        kept.append(rows[1])
    return first, kept[which:]


def test_dicts_with_other_keys_that_go_through_python_are_the_callers() -> None:
    for rows in ([{"n": 3, "w": 1.5}, {"n": 4}, {"n": 1, "w": 2.5}], WITHOUT):
        compiled = ag.compile(sorted_dicts, fallback="error")
        for which in (0, 2):
            assert run(compiled, (rows, which)) == run(sorted_dicts, (rows, which))


def classes_of(n: int, x: float, items: list[int]) -> Any:
    made: list[Any] = [[n], {1: n}, {n}, deque([n]), (n,), n, x, str(n), items]
    return [each.__class__.__name__ for each in made], made[0].__class__ is list, n.__class__ is int, items.__class__ is list


def test_an_object_says_its_class() -> None:
    compiled = ag.compile(classes_of, fallback="error")
    for arguments in ((3, 1.5, [1, 2]), (4, 2.5, [1] * 80)):
        assert run(compiled, arguments) == run(classes_of, arguments)


def test_a_dict_under_two_names_is_one_object() -> None:
    of_one = one_among, [(SHARED, SHARED[5]), (SHARED, {"n": 7})]
    for function, calls in (of_one, (of_two_lists, [(rows_of(80), OTHERS), (OTHERS, OTHERS)])):
        compiled = ag.compile(function, fallback="error")
        for arguments in calls:
            assert run(compiled, arguments) == run(function, arguments)
    rows = rows_of(70)
    assert ag.compile(in_order, fallback="error")(rows)[0] is rows[0], "what a result holds is the caller's"
