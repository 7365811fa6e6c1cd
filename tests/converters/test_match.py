"""`match` statements, converted with the plain operators, choose and bind as Python does."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass

import pytest

from autograph_jit.converters.pipeline import convert_function
from autograph_jit.tracing.plain import operators as plain


@dataclass
class Point:
    x: object
    y: object


class Color:
    RED = "red"


def classify(s):
    out = []
    match s:
        case 0 | False as zero:
            out.append(("zero", zero))
        case None:
            out.append("none")
        case Color.RED:
            out.append("red")
        case int(n) if n > 100:
            out.append(("large", n))
        case int() | float():
            out.append("number")
        case str(text) if (k := len(text)) > 3:
            out.append(k)
        case []:
            out.append("empty")
        case [x] | (x, _):
            out.append(x)
        case [first, [inner, *_], *others]:
            out.append((first, inner, others))
        case [1, *middle, 9]:
            out.append(middle)
        case [*_, "end"]:
            out.append("ends")
        case {"type": "a", "v": [v, *_], **rest}:
            out.append((v, rest))
        case {"k": Point(x=0)}:
            out.append("nested")
        case {}:
            out.append("mapping")
        case Point(0, [a, b]):
            out.append(a + b)
        case Point(x, y) if x == y:
            out.append("diagonal")
        case Point(y=5):
            out.append("five")
        case _:
            out.append("other")
    return out


SUBJECTS = [
    0, False, None, "red", 7, 500, 2.5, "abcd", "ab", [], (), [1], (1, 2), [1, (2, 3), 4], [1, 5, 6, 9], [3, 4, "end"], deque([1]), b"ab",
    {"type": "a", "v": [9], "w": 1}, OrderedDict(k=Point(0, 1)), {"k": 2}, Point(0, [1, 2]), Point(3, 3), Point(1, 5), Point(1, 2), object,
]  # fmt: skip


@pytest.mark.parametrize("subject", SUBJECTS, ids=repr)
def test_subject_reaches_the_same_case(subject):
    assert convert_function(classify, plain)(subject) == classify(subject)


def jumps(subjects):
    out = []
    for s in subjects:
        match s:
            case "skip":
                continue
            case "stop":
                break
            case ["give", value]:
                return value
            case other:
                out.append(other)
        out.append(".")
    else:
        out.append("else")
    return out


@pytest.mark.parametrize("subjects", [[1, "skip", 2], [1, "stop", 2], [1, ["give", 5], 2]])
def test_jumps_inside_a_case(subjects):
    assert convert_function(jumps, plain)(subjects) == jumps(subjects)


def failed_pattern_binds_nothing(s):
    match s:
        case [a, 1]:
            return a
    return a


def test_names_of_a_failed_pattern_stay_unbound():
    assert convert_function(failed_pattern_binds_nothing, plain)([5, 1]) == 5
    with pytest.raises(UnboundLocalError, match="'a'"):
        convert_function(failed_pattern_binds_nothing, plain)([5, 2])


def guard_binds(s):
    match s:
        case [a, b] if b:
            return a
        case _:
            return a, b


def test_names_of_a_failed_guard_stay_bound():
    assert convert_function(guard_binds, plain)([1, 0]) == (1, 0)


def too_many(p):
    match p:
        case Point(a, b, c):
            return a


def test_too_many_positional_patterns_is_a_type_error():
    with pytest.raises(TypeError) as want:
        too_many(Point(1, 2))
    with pytest.raises(TypeError) as got:
        convert_function(too_many, plain)(Point(1, 2))
    assert str(got.value) == str(want.value)
