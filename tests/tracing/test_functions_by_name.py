"""Functions and classes in a dict, called by a text that only the run knows: a branch over the entries."""

from __future__ import annotations

import math
import operator
from typing import Any

import autograph_jit as ag
from tests.tables import table


class Doubled:
    def __init__(self, v: int) -> None:
        self.v = v

    def run(self) -> int:
        return self.v * 2


class Next(Doubled):
    def run(self) -> int:
        return self.v + 1


TWO = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "m": max}
ONE = {"sqrt": math.sqrt, "neg": operator.neg, "sq": lambda x: x * x}
KINDS = {"+": Doubled, "-": Next}


def folded(words: list[str]) -> Any:
    total = 0
    for k, word in enumerate(words):
        total = TWO[word](total, k) % 1000
    return total


def asked_for(words: list[str]) -> Any:
    total = 0
    for word in words:
        function = TWO.get(word)
        total = total + 1 if function is None else function(total, 3)
    return total


def evaluated(lines: list[str]) -> Any:
    found = []
    for line in lines:
        stack = []
        for token in line.split():
            if token in TWO:
                b = stack.pop()
                a = stack.pop()
                stack.append(TWO[token](a, b))
            else:
                stack.append(int(token))
        found.append(stack[0])
    return found


def of_classes(words: list[str]) -> Any:
    return [KINDS[word](k).run() for k, word in enumerate(words)]


def of_floats(words: list[str]) -> Any:
    x, others = 2.0, 0
    for word in words:
        if word in ONE:
            x = ONE[word](abs(x)) % 50 + 1
        else:
            others += 1
    return x, others


WORDS = ["+", "-", "m", "+", "+", "-"] * 5
CALLS = [
    (folded, [WORDS, ["+", "z"], []]),
    (asked_for, [WORDS, ["q", "+", ""]]),
    (evaluated, [["3 4 + 2 -", "5 1 2 + 4 m + 3 -"] * 8, ["7", "1 2 x"]]),
    (of_classes, [["+", "-", "-"] * 5, ["m"]]),
    (of_floats, [["sqrt", "neg", "sq", "other"] * 5]),
]


def outcome(function: Any, words: list[str]) -> Any:
    try:
        return function(words)
    except (KeyError, ValueError) as error:
        return type(error), str(error)


@table("function, arguments", CALLS)
def test_they_are_called_without_python(function: Any, arguments: Any) -> None:
    compiled = ag.compile(function, fallback="error")
    for words in arguments:
        assert outcome(compiled, words) == outcome(function, words)
    calls = [x for x in compiled.specializations[0].program.graph.walk() if x.name == "host_call" and not x.attributes.get("rare")]
    assert [x.attributes["label"] for x in calls if x.operands] == []


def test_another_function_under_a_name_is_seen() -> None:
    functions = {"a": lambda x: x + 1, "b": lambda x: 2 * x}

    def applied(words: list[str]) -> int:
        total = 1
        for word in words:
            total = functions[word](total)
        return total

    compiled, words = ag.compile(applied, fallback="error"), ["a", "b"] * 6
    assert compiled(words) == applied(words)
    functions["b"] = lambda x: x - 3
    assert compiled(words) == applied(words)
    del functions["a"]
    assert outcome(compiled, words) == outcome(applied, words)
