"""Lists and their numbers that are looked at where they stand: which are, and that programs that change them see what Python sees."""

from __future__ import annotations

import pytest

import autograph_jit as ag
from autograph_jit.ir.parser import parse_graph
from autograph_jit.kernels.borrowed import mark_borrowed
from autograph_jit.ops.registry import get

LOOKING = """
graph looking(%xs: list[f64], %ys: list[f64], %ns: list[i64], %x: f64, %n: i64) {{
    %a: f64[d:n] = list_to_array(%xs) {{dims = (<d:n>,)}}
    {between}
    %s: f64 = reduce(%a) {{op = "sum", axes = (0,), keepdims = False, dims = ()}}
    {behind}
    yield {yields}
}}
"""
# What stands between the array and its use, what behind, what leaves; whether the array is the list's own memory.
CASES = {
    "read": ("", "", "%s", True),
    "another type changes": ("list_push(%ns, %n)", "", "%s", True),
    "changes behind": ("", "list_push(%xs, %x)", "%s", True),
    "changes between": ("list_push(%xs, %x)", "", "%s", False),
    "a list that may be the same": ("list_push(%ys, %x)", "", "%s", False),
    "leaves": ("", "", "%s, %a", False),
    "a view leaves": ("%v: f64[d:n] = transpose(%a) {axes = (0,), dims = (<d:n>,)}", "", "%s, %v", False),
    "written": ("%z: i64 = constant() {value = i64(0)}\n    store(%a, %z, %x)", "", "%s", False),
    "an array is written with it": (
        "%m: i64 = dim(%a) {axis = 0}\n    %y: f64[d:n] = full(%x, %m) {dims = (<d:n>,), checked = True}\n    assign(%y, %a)",
        "",
        "%s, %y",
        False,
    ),
    "what is computed of it is read behind": (
        "%b: f64[d:n] = add(%a, %a)",
        'list_push(%xs, %x)\n    %t: f64 = reduce(%b) {op = "sum", axes = (0,), keepdims = False, dims = ()}',
        "%s, %t",
        False,
    ),
}


def test_arrays_of_lists_are_borrowed():
    for name, (between, behind, yields, expected) in CASES.items():
        graph = parse_graph(LOOKING.format(between=between, behind=behind, yields=yields), get)
        mark_borrowed(graph)
        assert bool(graph.block.operations[0].attributes.get("borrowed")) is expected, name


def remove_equal(rows, wanted):
    for _ in range(len(rows)):
        if wanted in rows:
            rows.remove(wanted)
            wanted = [wanted[0] + 1, wanted[1]]
    return rows, wanted


def compare_while_they_change(xs, ys, n):
    same = []
    for k in range(n):
        same.append(xs == ys)
        xs.append(k)
        same.append(xs[:-1] == ys)
        if k % 2:
            ys.append(k)
            same.append(xs == ys)
            xs.pop()
    return same, xs, ys


def compare_itself(xs, n):
    found = []
    for k in range(n):
        before = sorted(xs)
        xs[k % len(xs)] -= 2
        found.append((before == xs, sum(before), max(xs), xs == xs))
    return found


def compare_rows(rows, n):
    count = 0
    for k in range(n):
        taken = rows.pop(k % len(rows))
        count += taken in rows
        rows.append([*taken, k])
        count += rows[-1] == taken
    return count, rows


PROGRAMS = [
    (remove_equal, lambda: ([[k % 3, 1] for k in range(9)], [0, 1])),
    (compare_while_they_change, lambda: ([], [], 7)),
    (compare_while_they_change, lambda: ([1, 2], [1, 2], 8)),
    (compare_itself, lambda: ([3, 1, 2], 6)),
    (compare_rows, lambda: ([[1], [2], [1]], 7)),
]


@pytest.mark.filterwarnings("ignore:.*runs in Python")
@pytest.mark.parametrize("mode", ["warn", "error"])
def test_lists_that_change_are_compared_as_python_compares_them(mode):
    for function, arguments in PROGRAMS:
        compiled = ag.compile(function, fallback=mode)
        for _ in range(3):
            expected, found = arguments(), arguments()
            assert compiled(*found) == function(*expected), function.__name__
            assert found == expected, function.__name__
