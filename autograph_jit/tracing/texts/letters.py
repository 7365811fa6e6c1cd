"""What Python's str says of single letters, as tables that are made once by asking it: properties, and letters of another case."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ops.texts import BYTE, CODE_POINT
from autograph_jit.tracing.hosting.host_calls import host_bool, host_int, host_object
from autograph_jit.tracing.plain.python_texts import text_of
from autograph_jit.tracing.texts import searching
from autograph_jit.tracing.texts.text import CODE_BITS, Text, as_text, concatenated, literal
from autograph_jit.tracing.values.abstract import StagedScalar
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import cast, scalar
from autograph_jit.tracing.values.trace import rarely

NONE = -1
SHOWN = 49  # letters of a text that an error shows as a whole
TABLED = 256  # letters of Latin-1; others are asked for one by one
INT = np.dtype(np.int64)


@functools.cache
def table_of_property(name: str, kind: type = str) -> np.ndarray:
    """For each letter of Latin-1, or byte, whether it has a property."""
    return np.array([getattr(letter, name)() for letter in each_letter(kind)], np.uint8)


def each_letter(kind: type) -> list[Any]:
    """The letters of Latin-1, each as a text; or all bytes, each as a bytes object."""
    return [chr(code) if kind is str else bytes([code]) for code in range(TABLED)]


@functools.cache
def table_of_quotable() -> np.ndarray:
    """For each letter of Latin-1 whether it stands in `repr` of a text as it is."""
    return np.array([repr(chr(code)) == f"'{chr(code)}'" for code in range(TABLED)], np.uint8)


@functools.cache
def table_of_change(name: str, kind: type = str) -> np.ndarray:
    """For each letter of Latin-1, or byte, its code in another case; -1 where that is more than one letter."""
    return np.array([code_or_none(getattr(letter, name)()) for letter in each_letter(kind)], np.int16)


@functools.cache
def table_of_titles() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each letter of Latin-1 its code at the beginning of a word and in it, -1 where that is more than one letter; and whether a word
    goes on behind it."""
    first = [code_or_none(chr(code).title()) for code in range(TABLED)]
    inside = [code_or_none(f"a{chr(code)}".title()[1:]) for code in range(TABLED)]
    return np.array(first, np.int16), np.array(inside, np.int16), np.array([f"{chr(code)}a".title()[-1] == "a" for code in range(TABLED)])


def table_of_translation(entries: dict[Any, Any]) -> np.ndarray:
    """For each letter of Latin-1 its code in `str.translate`; -1 where that is more than one letter, -2 where it is none."""
    found = [entries.get(code, code) for code in range(TABLED)]
    return np.array([-2 if x in (None, "") else code_or_none(x) if isinstance(x, str) else x for x in found], np.int64)


@functools.cache
def table_of_digits() -> np.ndarray:
    """For each letter of Latin-1 the number that int() makes of it; -1 where it makes none."""
    return np.array([int(chr(code)) if chr(code).isdecimal() else -1 for code in range(TABLED)], np.int8)


@functools.cache
def table_of_numbers(kind: type) -> np.ndarray:
    """For each letter of Latin-1 whether it may stand in what `int` or `float` reads."""
    known = "0123456789+-_" + ("" if kind is int else ".efinatyEFINATY")
    return np.array([chr(code) in known or chr(code).isspace() for code in range(TABLED)], np.uint8)


@functools.cache
def text_of_refusal(kind: type) -> str:
    """What `int` or `float` says of a text that is no number, before the text itself."""
    return text_of(kind, "x").removesuffix("'x'")


def unless_no_number(kind: type, x: Any, base: tuple[int, ...], number: Callable[[], Any]) -> Any:
    """A number that Python reads, or the error that it has for another text: found here for a short one with a letter of no number."""

    @acts_for_program
    def refuse() -> Any:
        raise ValueError(language.call(f"{text_of_refusal(kind)}{{}}".format, (language.call(repr, (x,), None),), None))

    @acts_for_program
    def refuse_as_python() -> Any:
        raise ValueError(as_text(host_object(text_of, kind, x, *base, label="text of error", python_type=str, pure=True, fails=False)))

    def ask() -> Any:
        is_number = host_bool(reads, kind, x, *base, label=kind.__name__, pure=True, fails=False)
        return language.if_exp(is_number, number, refuse_as_python)

    if base:
        return ask()
    is_none = language.call(searching.all_have, (x.codes, literal(table_of_numbers(kind)), False), None) == 0
    is_short = language.compare("<", x.length(), SHOWN)
    return language.if_exp(language.if_exp(is_none, lambda: is_short, lambda: False), refuse, ask)


def reads(kind: type, text: str | bytes, *base: int) -> bool:
    """Whether `int` or `float` makes a number of a text."""
    try:
        kind(text, *base)
    except ValueError:
        return False
    return True


def every_letter() -> str:
    """All code points in their order: what Python says of them is found by one call, not by a million."""
    return np.arange(sys.maxunicode + 1, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


@functools.cache
def spaces(dtype: np.dtype) -> np.ndarray:
    """The codes that `strip()` takes away."""
    if dtype == BYTE:
        return np.frombuffer(b" \t\n\r\x0b\f", np.uint8).copy()
    others = "".join(every_letter().split()).encode("utf-32-le", "surrogatepass")
    return np.delete(np.arange(sys.maxunicode + 1, dtype=dtype), np.frombuffer(others, "<u4"))


@functools.cache
def line_ends(dtype: np.dtype = CODE_POINT) -> np.ndarray:
    """The codes at which `splitlines()` ends a line."""
    if dtype == BYTE:
        return np.frombuffer(b"\n\r", np.uint8).copy()
    return np.array([ord(line[-1]) for line in every_letter().splitlines(keepends=True)[:-1]], np.uint32)


def entry(table: np.ndarray, code: StagedScalar) -> Any:
    """An entry of a table."""
    return language.getitem(literal(table), code)


def is_tabled(code: Any) -> Any:
    """Whether a letter stands in the tables."""
    return code < TABLED


def usually(condition: Any, by_table: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    """What tables give where they have the letters, as they have those of most texts; what Python gives otherwise."""

    def asked() -> Any:
        with rarely():
            return otherwise()

    return language.if_exp(condition, by_table, asked)


def has_property(name: str, code: StagedScalar) -> Any:
    """Whether the letter of a code has a property."""
    return usually(
        is_tabled(code),
        lambda: scalar((entry(table_of_property(name), code) != 0).value, True),
        lambda: host_bool(lambda number: getattr(chr(number), name)(), code, label=f"str.{name}", pure=True, fails=False),
    )


def changed(name: str, code: StagedScalar) -> Any:
    """The code of a letter in another case; -1 where that is more than one letter."""
    return usually(
        is_tabled(code),
        lambda: scalar(cast(entry(table_of_change(name), code).value, INT), True, bits=CODE_BITS + 1),
        lambda: host_int(lambda number: code_or_none(getattr(chr(number), name)()), code, label=f"str.{name}", pure=True),
    )


def digit(code: StagedScalar) -> Any:
    """The number that int() makes of a letter of Latin-1; -1 where it makes none, or the letter is another one."""
    return language.if_exp(is_tabled(code), lambda: scalar(cast(entry(table_of_digits(), code).value, INT), True, bits=5), lambda: NONE)


def code_or_none(text: str | bytes) -> int:
    """The code of a letter; -1 of more or less than one."""
    return ord(text) if len(text) == 1 else -1


def letters_of(x: Any) -> Any:
    """What `str` makes of a text, an int or a truth value of the run; None for anything else."""
    if isinstance(x, Text):
        return x.plain if x.kind_of_text is str else None
    kind = x.scalar_dtype.kind if isinstance(x, StagedScalar) and not x.is_tagged and x.weak else ""
    if kind == "b":
        return language.if_exp(x, lambda: as_text("True"), lambda: as_text("False"))
    return Text(language.call(searching.decimal_digits, (x,), None)) if kind == "i" else None


def quoted(x: Any) -> Any:
    """What `repr` makes of a text, an int or a truth value of the run; None for anything else, texts of NumPy's among it."""
    if isinstance(x, Text) and x.__rebuilt_type__ is not x.kind_of_text:
        return None
    if not isinstance(x, Text) or x.kind_of_text is not str:
        return letters_of(x)
    is_plain = language.call(searching.all_have, (x.codes, literal(table_of_quotable()), True), None) == 1
    by_python = lambda: as_text(host_object(repr, x, label="repr", python_type=str, pure=True, fails=False))  # noqa: E731
    return usually(is_plain, lambda: concatenated([as_text("'"), x, as_text("'")]), by_python)
