"""Tokenisers, parsers and machines of small languages are native code: recursions that read texts, and write to what they share."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import autograph_jit as ag


class Calculator:
    def __init__(self, text: str) -> None:
        self.text = text.replace(" ", "")
        self.place = 0

    def peek(self) -> str:
        return self.text[self.place] if self.place < len(self.text) else ""

    def expression(self) -> float:
        value = self.factor()
        while self.peek() and self.peek() in "+*":
            operator = self.peek()
            self.place += 1
            other = self.factor()
            value = value + other if operator == "+" else value * other
        return value

    def factor(self) -> float:
        if self.peek() == "(":
            self.place += 1
            value = self.expression()
            self.place += 1
            return value
        if self.peek() == "/":
            self.place += 1
            return 1.0 / self.factor()
        start = self.place
        while self.peek().isdigit() or self.peek() == ".":
            self.place += 1
        return float(self.text[start : self.place])


def calculated(lines: list[str]) -> list[float | None]:
    results: list[float | None] = []
    for line in lines:
        try:
            results.append(Calculator(line).expression())
        except ZeroDivisionError:
            results.append(None)
    return results


def place_of_failure(lines: list[str]) -> list[float]:
    """The handler sees what the recursion has written."""
    found: list[float] = []
    for line in lines:
        calculator = Calculator(line)
        try:
            found.append(calculator.expression())
        except ZeroDivisionError:
            found.append(float(calculator.place))
    return found


class Holder:
    def __init__(self) -> None:
        self.inner: Calculator | None = None


def place_held(lines: list[str]) -> list[float]:
    """The same of what the body has made, and keeps in an object of before."""
    found: list[float] = []
    for line in lines:
        holder = Holder()
        try:
            holder.inner = Calculator(line)
            found.append(holder.inner.expression())
        except ZeroDivisionError:
            found.append(-1.0 if holder.inner is None else float(holder.inner.place))
    return found


def by_closures(text: str) -> tuple[float, int]:
    place = 0

    def peek() -> str:
        return text[place] if place < len(text) else ""

    def total() -> float:
        nonlocal place
        value = product()
        while peek() in ("+", "-"):
            operator = peek()
            place += 1
            other = product()
            value = value + other if operator == "+" else value - other
        return value

    def product() -> float:
        nonlocal place
        value = atom()
        while peek() and peek() in "*/":
            operator = peek()
            place += 1
            other = atom()
            value = value * other if operator == "*" else value / other
        return value

    def atom() -> float:
        nonlocal place
        if peek() == "(":
            place += 1
            value = total()
            place += 1
            return value
        start = place
        while peek().isdigit():
            place += 1
        return float(text[start:place])

    return total(), place


def shouted(words: list[str], depth: int) -> str:
    """A recursion that changes texts, whose letters only Python knows."""

    def joined(low: int, high: int) -> str:
        if high - low == 1:
            return words[low].upper() if words[low].isalpha() else words[low].lower()
        middle = (low + high) // 2
        return joined(low, middle) + "-" + joined(middle, high)

    return joined(0, len(words)) * depth


def mixed_tokens(text: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    place = 0
    while place < len(text):
        if text[place].isdigit():
            start = place
            while place < len(text) and (text[place].isdigit() or text[place] == "."):
                place += 1
            part = text[start:place]
            found.append(("number", float(part) if "." in part else int(part)))
        elif text[place] == "?":
            found.append(("truth", place > 2))
            place += 1
        else:
            found.append(("operator", text[place]))
            place += 1
    return found


def depth_of(letters: str) -> int:
    """A recursion that ends with an IndexError, or with a number."""

    def last(place: int) -> int:
        return last(place + 1) + last(place + 1) if letters[place] == "(" else place

    try:
        return last(0)
    except ZeroDivisionError:
        return -1
    except IndexError:
        return -2


def divided(n: int) -> str:
    def quotient(i: int) -> int:
        return 12 // (i - i) if i > n else quotient(i + 1) + quotient(i + 2)

    try:
        return str(quotient(0))
    except ValueError:
        return "value"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def not_caught(n: int) -> int:
    def quotient(i: int) -> int:
        return 12 // (i - i) if i > n else quotient(i + 1) + quotient(i + 2)

    try:
        return quotient(0)
    except ValueError:
        return -1


def large(n: int) -> int:
    """What leaves 64 bits is no exception of Python's, whatever a handler takes."""

    def product(i: int) -> int:
        return 3 if i >= n else product(i + 1) * product(i + 1)

    try:
        return product(0)
    except Exception:
        return -1


LINES = ["(1+2)*3", "/(2*0)", "1 + /(4)", "0", "2*(3+/(0))"]
PROGRAMS: tuple[tuple[Callable[..., Any], list[tuple[Any, ...]]], ...] = (
    (calculated, [(LINES,), (["٣+1", "1.5"],), (["x"],), ([],), (["(1"],)]),
    (place_of_failure, [(LINES,), (["12*/(0)"],)]),
    (place_held, [(LINES,), (["12*/(0)"],)]),
    (by_closures, [("2*(3+4)-6/5",), ("1/0",), ("2*(3+)",), ("٣*2",)]),
    (shouted, [(["ab", "ä1", "ß", "ﬁ", "Ω"], 2), (["x"], 0)]),
    (depth_of, [("((",), ("((a",)]),
    (divided, [(3,), (0,)]),
    (not_caught, [(3,), (0,)]),
    (large, [(3,), (7,)]),
    (mixed_tokens, [("12+3.5*?",), ("?",), ("",), ("7?1.5",)]),
)


def outcome(f: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The result and the arguments afterwards, by their values and types, or the exception."""
    given = copy.deepcopy(arguments)
    try:
        return repr(f(*given)), repr(given)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("f,calls", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_small_languages_are_what_they_are_in_python(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    compiled = ag.compile(f, fallback="error")
    for arguments in (*calls, *calls):
        assert outcome(compiled, arguments) == outcome(f, arguments)


def test_a_parser_in_a_try_statement_calls_no_python_in_its_recursion() -> None:
    compiled = ag.compile(calculated, fallback="error")
    assert compiled(LINES) == calculated(LINES)
    graph = compiled.specializations[-1].program.graph
    assert not any(operation.attributes.get("label") in ("Calculator", "method expression") for operation in graph.walk())
    assert any(operation.name.startswith("call") for operation in graph.walk())


def test_a_search_that_stands_at_several_places_is_one_function() -> None:
    def f(text: str, parts: list[str]) -> int:
        return text.find(parts[0]) + text.find(parts[1]) * 10 + text.find(parts[2]) * 100 + text.find(parts[3]) * 1000

    compiled = ag.compile(f, fallback="error")
    assert compiled("abcd", ["b", "cd", "", "x"]) == f("abcd", ["b", "cd", "", "x"])
    operations = list(compiled.specializations[-1].program.graph.walk())
    assert sum(operation.name == "call" and operation.attributes["label"] == "find" for operation in operations) >= 2
