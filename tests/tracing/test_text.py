"""Text made of values of the run: f-strings, formats, concatenation, methods, prints in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees


def test_f_strings_format_values_of_the_run() -> None:
    def f(x: float, n: int, spec: str) -> str:
        return f"{x:.3f} {n!r:>5} {x + n} {{}} {n:{spec}}{n:{n + 2}} {x!s:{spec}>9}{n!a}"

    assert_agrees(f, (1.23456, 7, "04"))


def test_percent_and_format_method() -> None:
    def f(x: float, n: int) -> Any:
        return "%05.2f|%d" % (x, n), "{} and {:>4}".format(x, n)

    assert_agrees(f, (1.5, 42))


class Named:
    def __init__(self, n: Any) -> None:
        self.n = n

    def __repr__(self) -> str:
        return f"Named({self.n})"


class Shown(Named):
    def __str__(self) -> str:
        return "+" * self.n if self.n != 2 else self.n

    def __format__(self, spec: str) -> str:
        return f"{self.n}:{spec}"


class Failed(ValueError):
    def __repr__(self) -> str:
        return "Failed!"


def test_texts_that_a_class_of_the_users_gives() -> None:
    def f(n: int) -> Any:
        x, y = Named(n), Shown(n)
        error = Failed(n)
        return str(x), repr(x), f"{x} {x!r:>12}", repr(y), f"{y:>5} {y}", str(error), repr(error), f"{error}", f"{y!s}", str(y)

    assert_agrees(f, (1,), (2,), (3,))
    compiled = ag.compile(lambda n: repr(Named(n)) + f"{Named(n)}", fallback="error")
    assert compiled(5) == "Named(5)Named(5)"
    assert "host calls    none" in compiled.explain(5)


def test_arrays_print_as_numpy_prints_them() -> None:
    def f(x: Any) -> Any:
        print(x, x[0], x.sum(), sep=" | ", end=".\n")
        return str(x)

    assert_agrees(f, np.arange(3.0))


def test_prints_of_a_loop_come_in_order() -> None:
    def f(n: int) -> None:
        for i in range(n):
            print("trip", i)
            if i % 3 == 0:
                print("third", i / 3)

    assert_agrees(f, 11)


def test_strings_of_the_run_are_compared_and_joined() -> None:
    def f(n: int) -> Any:
        name = "even" if n % 2 == 0 else "odd"
        return name + "-" + str(n), name == "odd", name.upper(), len(name)

    assert_agrees(f, 3, 4)


def test_string_argument_chooses_the_code() -> None:
    def f(x: Any, mode: str) -> Any:
        return x.sum() if mode == "sum" else x.max()

    assert_agrees(f, (np.arange(4.0), "sum"), (np.arange(4.0), "max"))


def test_message_of_an_exception_holds_values_of_the_run() -> None:
    def f(n: int) -> Any:
        if n > 2:
            raise ValueError(f"{n} is more than {2}")
        return n

    assert_agrees(f, 1, 7)


def test_string_is_built_in_a_loop() -> None:
    def f(n: int) -> str:
        text = ""
        while n > 0:
            text = str(n % 2) + text
            n //= 2
        return text

    assert_agrees(f, 1234, 0)


def as_wide_as_the_longest(rows: Any) -> Any:
    w = max(len(name) for name, _, _ in rows)
    widths = [max(len(str(row[k])) for row in rows) for k in range(2)]
    found = []
    for name, k, x in rows:
        found.append(f"{name:<{w}}|{k:>{w}}|{x:{w}.2f}|{name:^{w + 3}}|{k:0{w}d}|{x:+{w}.1f}|{k:*>{w}}|{name!r:>{w + 2}}|{name:{w}}")
        found.append("|".join(f"{str(v):>{most}}" for v, most in zip((name, k), widths)))
    return found


def narrower_and_narrower(n: int, w: int) -> Any:
    return [f"{k:{w - k}}" for k in range(n)]


def text_in_less_room(n: int, w: int) -> Any:
    return [f"{'ab':{w - k}}" for k in range(n)]


def test_widths_that_only_the_run_knows() -> None:
    rows = [(f"n{k * k}", k * 37 % 101 - 20, k * 0.37 - 3) for k in range(9)]
    assert_agrees(as_wide_as_the_longest, (rows,), (rows[:1],))
    assert_agrees(narrower_and_narrower, (8, 5), (3, 2000), (0, 5))  # "-1" is a sign and a width
    assert_agrees(text_in_less_room, (6, 6), (8, 5))  # of a text it is an error


def one_letter_away(word: str, words: dict[str, int]) -> list[str]:
    def edits() -> Iterator[str]:
        for i in range(len(word) + 1):
            before, behind = word[:i], word[i:]
            for letter in "abcdefghijklmnopqrstuvwxyz":
                if behind:
                    yield before + letter + behind[1:]
                yield before + letter + behind

    return sorted({each for each in edits() if each in words})


def letters_of_a_long_text(n: int) -> Any:
    text = "abcdefghij" * 9
    first, second, *others = text
    return [c for c in text if ord(c) > n], {c: k for k, c in enumerate(text)}, list(text)[n], first + second, len(others), max(text)


def test_loop_over_a_constant_text_is_one_of_the_run_where_it_would_be_long() -> None:
    words = {"spelling": 1, "sailing": 2, "spewing": 3}
    assert_agrees(one_letter_away, ("speling", words), ("railing", words), ("", words))
    compiled = ag.compile(one_letter_away, fallback="error")
    assert str(compiled.graph("speling", words)).count("\n") < 2000  # 11,000 where each letter has operations of its own
    assert_agrees(letters_of_a_long_text, 98, 3, 0)
