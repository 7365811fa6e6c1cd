"""What a loop left in a variable that nobody reads again, and dicts that may be numbers, texts or None, each as Python has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.tracing.agreement import assert_agrees

PAIRS = [(f"k{k % 6}", [k, "x", None][k % 3]) for k in range(70)]


@dataclass
class Mark:
    x: int
    name: str


def never_read_again(n: Any, xs: Any) -> Any:
    p, q = Mark(5, "p"), Mark(6, "q")
    out, i, one, made = list[Any](), 0, p, Mark(1, "m")
    for i in xs:
        try:
            q = Mark(10 // n, "d")
        except ZeroDivisionError:
            q = p
        out.append(q.x)
    one = p if 1 > 1 else Mark(i % 3, "o")
    try:
        q = Mark(10 // (i - 2), "d")
    except ZeroDivisionError:
        q = p
    if n > 1:
        p = q = Mark(i % 3, "b")
    return p, q, one, made, out


def the_very_same_dict(pairs: Any) -> Any:
    found, x, one = 0, 1, {"id": 0, "name": "a"}
    for a, b in pairs:
        if a == "k0":
            x = b
    for _ in range(12):
        if x is one:
            found += 1
        x = one  # type: ignore[assignment]
    return found


def test_a_handler_is_given_no_value_of_another_trace() -> None:
    """It was given the row that a variable had in another trace of the loop, where the same program is called with more items."""
    assert_agrees(never_read_again, (20, [1, 2]), (30, [0, 3, 1, 5]), (0, [4, 4]), (20, []))


def test_a_dict_that_may_be_a_number_a_text_or_none_is_itself() -> None:
    """Of several things that it may be, none was asked where it may be None, too."""
    assert_agrees(the_very_same_dict, (PAIRS,))
