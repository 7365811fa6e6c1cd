"""Operators of Python's objects in compiled code: results, truth, errors and references are those of plain Python."""

from __future__ import annotations

import fractions
import gc
import sys

import pytest

import autograph_jit as ag

PAIRS = [
    (7, 2),
    (7.5, -2),
    (True, 3),
    (fractions.Fraction(3, 4), 2),
    ("ab", 3),
    ("ab", "c"),
    ([1, 2], [3]),
    ((1, 2), 2),
    ({1, 2}, {2, 3}),
    (5, 0),
    (None, 1),
    ("%d items", 4),
]
BINARY = ["+", "-", "*", "/", "//", "%", "@", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", ">", ">="]
UPDATES = ["+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", "<<=", ">>="]


def function(tmp_path, name: str, body: str):
    """A function of a list that a loop of the run makes longer: its items are objects of the run then."""
    path = tmp_path / f"{name}.py"
    path.write_text(f"def f(objects, i, j):\n    for _ in range(i + j):\n        objects.append(None)\n{body}")
    code = compile(path.read_text(), str(path), "exec")
    namespace: dict = {}
    exec(code, namespace)
    return namespace["f"]


def outcome(called, objects, *rest):
    try:
        found = called(objects, *rest)
    except Exception as error:
        return type(error), str(error)
    return type(found), found


def copied(pair):
    """The same objects in a new list, beside one that no list of numbers holds."""
    return [*(type(item)(item) if isinstance(item, (list, set)) else item for item in pair), ...]


@pytest.mark.parametrize("symbol", [*BINARY, *UPDATES])
def test_binary_operators(tmp_path, symbol):
    body = f"    return objects[i] {symbol} objects[j]\n"
    if symbol in UPDATES:
        body = f"    x = objects[i]\n    x {symbol} objects[j]\n    objects[i] = x\n    return x\n"
    plain = function(tmp_path, "binary", body)
    compiled = ag.compile(plain, fallback="error")
    for pair in PAIRS:
        for order in ((0, 1), (1, 0)):
            mine, theirs = copied(pair), copied(pair)
            found, expected = outcome(compiled, mine, *order), outcome(plain, theirs, *order)
            if symbol in UPDATES and isinstance(expected[1], str):  # some texts name the operator without `=`
                found, expected = (found[0], str(found[1]).replace("=:", ":")), (expected[0], expected[1].replace("=:", ":"))
            assert found == expected, pair
            assert mine == theirs


EXPRESSIONS = [
    "objects[i][j]",
    "j in objects[i]",
    "1 if objects[i] else 2",
    "-objects[i]",
    "objects[i].real",
    "objects[i][j:]",
    "len(objects[i]) + j",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_items_attributes_and_truth(tmp_path, expression):
    plain = function(tmp_path, "other", f"    return {expression}\n")
    compiled = ag.compile(plain, fallback="error")
    objects = [[3, 4], "text", {1: 2}, (), 2.5, None, range(4), 7]
    for i in range(len(objects)):
        for j in (0, 1, 9):
            assert outcome(compiled, objects, i, j) == outcome(plain, objects, i, j), (objects[i], j)


def test_items_are_written_and_appended(tmp_path):
    body = "    for k in range(j):\n        objects[i][k] = objects[i][k] + k\n        objects.append(k * 0.5)\n    return len(objects)\n"
    plain = function(tmp_path, "writes", body)
    compiled = ag.compile(plain, fallback="error")
    for first in ([1, 2, 3], {0: 1, 1: "x"}, (1, 2), "text"):
        mine, theirs = [copied([first])[0]], [copied([first])[0]]
        mine, theirs = ([dict(first)], [dict(first)]) if isinstance(first, dict) else (mine, theirs)
        assert outcome(compiled, mine, 0, 3) == outcome(plain, theirs, 0, 3)
        assert mine == theirs


def test_no_reference_is_kept_or_lost(tmp_path):
    loop = "    for k in range(1000):\n        total = total + objects[j]\n        objects[i] = total\n"
    body = f"    total = objects[i]\n{loop}    return total > objects[j]\n"
    compiled = ag.compile(function(tmp_path, "counted", body), fallback="error")
    first, marker = fractions.Fraction(1, 3), fractions.Fraction(10**30 + 1, 7)

    def references_after(calls):
        for _ in range(calls):
            compiled([first, marker], 0, 1)
            with pytest.raises(TypeError):
                compiled([None, marker], 0, 1)
        gc.collect()
        return [sys.getrefcount(x) for x in (first, marker)]

    assert references_after(3) == references_after(20)


def test_the_c_interface_is_what_is_called(tmp_path):
    body = "    x = objects[i] + objects[j]\n    x -= objects[j]\n    objects[i] = x\n    return x < objects[j] or len(objects[2]) > 3\n"
    compiled = ag.compile(function(tmp_path, "called", body), fallback="error")
    objects = [fractions.Fraction(1, 2), fractions.Fraction(1, 3), "text"]
    compiled(objects, 0, 1)
    (executable,) = compiled.specializations[0].executables.values()
    names = ["GetItem", "SetItem", "RichCompare", "Size"]
    for name in (*(f"PyObject_{each}" for each in names), "PyNumber_Add", "PyNumber_InPlaceSubtract", "PyList_Append"):
        assert f"@{name}(" in executable.llvm, name
