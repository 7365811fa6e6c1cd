"""Numbers and texts as format specifications ask for them: by functions that are written in Python and converted like it.

Before: `f"{x:.2f}"` calls Python, which is given an object and makes another one
After:  the digits of x to the second place, the last one rounded as Python rounds it, are put into a vector of code points
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ops.texts import codes_of
from autograph_jit.tracing.texts.letters import usually
from autograph_jit.tracing.texts.text import Text, as_text, literal
from autograph_jit.tracing.values.abstract import StagedScalar, TaggedScalar
from autograph_jit.tracing.values.language import language

Part = Any  # of an f-string: a str, or a value, a conversion and a specification
SPEC = re.compile(r"(?:(.)?([<>=^]))?([ +-])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?\Z", re.DOTALL)
PERCENT = re.compile(r"%([-+ 0#]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])")
ALIGNED = {"<": (0, 0), ">": (2, 0), "^": (1, 0), "=": (0, 2)}  # halves of what fills a text up that go before it, and behind a sign
BASES = {None: 10, "d": 10, "b": 2, "o": 8, "x": 16, "X": 16}
MOST_DECIMALS, MOST_LETTERS = 15, 1000  # of a fraction whose digits 64 bits hold; of a text that is laid out


def formatted_to_width(x: Any, spec: tuple[Part, ...], by_python: Callable[[], Any]) -> Any:
    """`f"{x:>{width}}"`, given the parts of the specification: a width that only the run knows, between two texts or none."""
    before, *rest = spec if spec and type(spec[0]) is str else ("", *spec)
    if not rest or not isinstance(rest[0], tuple) or rest[0][1:] != ("", "") or len(rest) > 2 or not all(type(x) is str for x in rest[1:]):
        return None
    width, found = rest[0][0], SPEC.match(f"{before}1{''.join(rest[1:])}")
    if found is None or found[6] != "1" or type(width) is not StagedScalar or not width.weak or width.scalar_dtype.kind != "i":
        return None
    made = formatted(x, found[0], by_python, language.call(min, (language.call(max, (width, 0), None), MOST_LETTERS), None))
    return None if made is None else usually(width_suits(width), lambda: made, by_python)


def width_suits(width: Any) -> Any:
    """Whether a width is one that Python takes, and not too many letters."""
    return (width >= 0) & (width <= MOST_LETTERS)


def formatted(x: Any, spec: str, by_python: Callable[[], Any], width: Any = None) -> Any:
    """`format(x, spec)` of a text, an int or a float of the run, with another `width` than the specification has if that is given; None
    where Python has to write it."""
    found = SPEC.match(spec)
    if found is None or int(found[6] or 0) > MOST_LETTERS or int(found[8] or 0) > MOST_DECIMALS:
        return None
    fill, align, sign, alternate, zero, known, group, precision, letter = found.groups()
    width = int(known or 0) if width is None else width
    if isinstance(x, (Text, str)):
        is_plain = as_text(x) is not None and not (sign or alternate or zero or group or align == "=") and letter in (None, "s")
        return None if not is_plain else laid_out_text(x, fill or " ", align or "<", width, precision)
    if not isinstance(x, StagedScalar) or isinstance(x, TaggedScalar) or zero and group:
        return None
    if zero and fill is None:
        fill, align = "0", align or "="
    number: Any = x
    kind, every = x.scalar_dtype.kind, 0 if group is None else 4 if BASES.get(letter, 10) != 10 else 3
    shape = (ord(fill or " "), width, *ALIGNED[align or ">"])
    plus = 0 if sign in (None, "-") else ord(sign)
    if kind == "i" and letter in BASES and precision is None and not (group == "," and every == 4):
        base = BASES[letter]
        prefix = literal(codes_of(f"0{letter}")) if alternate and base != 10 else None
        digits = language.call(digits_of, (absolute(number), base, 55 if letter == "X" else 87, every, ord(group or "_")), None)
        return Text(language.call(laid_out, (number < 0, plus, prefix, digits, None, *shape), None))
    if kind == "f" and letter in ("f", "F", "%") and not alternate:
        number, places = number * 100.0 if letter == "%" else number, 6 if precision is None else int(precision)
        digits, is_known = language.call(fixed, (absolute(number), places, 10**places, every, ord(group or "_")), None)
        behind = ord("%") if letter == "%" else None
        is_negative = language.call(np.signbit, (number,), None)
        made = lambda: Text(language.call(laid_out, (is_negative, plus, None, digits, behind, *shape), None))  # noqa: E731
        return usually(is_known, made, by_python)
    return None


def absolute(x: Any) -> Any:
    return language.unary("abs", x)


def laid_out_text(x: Any, fill: str, align: str, width: Any, precision: str | None) -> Any:
    """A text cut to a length, then filled up to another one."""
    text = as_text(x)
    assert text is not None
    if precision is not None:
        text = text[: int(precision)]
    if type(width) is int and width == 0:
        return text
    return Text(language.call(laid_out, (False, 0, None, text.codes, None, ord(fill), width, *ALIGNED[align]), None))


def parts_of_template(template: str, values: Any) -> list[Part] | None:
    """`template % values` as the parts of an f-string; None of what has no such form."""
    left = list(values) if type(values) is tuple else [values]
    parts: list[Part] = []
    end = 0
    for found in PERCENT.finditer(template):
        flags, width, precision, letter = found.groups()
        if "%" in template[end : found.start()]:
            return None
        parts.append(template[end : found.start()])
        end = found.end()
        if letter == "%" and found[0] == "%%":
            parts.append("%")
            continue
        if not left or "#" in flags or letter not in "diusfFxXo" or precision and letter in "diuxXo":
            return None
        value = left.pop(0)
        if not is_for(value, letter):
            return None
        sign = "+" if "+" in flags else " " if " " in flags else ""
        align = "<" if "-" in flags else ">" if letter == "s" or "0" not in flags else ""
        zero = "0" if "0" in flags and not align else ""
        shape = f"{align}{sign if letter != 's' else ''}{zero}{width or ''}{'.' + precision if precision is not None else ''}"
        conversion = "s" if letter == "s" and isinstance(value, StagedScalar) else ""
        parts.append((value, conversion, f"{shape}{'d' if letter in 'iu' else letter}" if letter != "s" or shape != align else ""))
    return None if left or "%" in template[end:] else [part for part in [*parts, template[end:]] if part != ""]


def is_for(value: Any, letter: str) -> bool:
    """Whether a value is what a letter of a template asks for, neither converted nor of an unknown type."""
    kind = value.scalar_dtype.kind if isinstance(value, StagedScalar) and not isinstance(value, TaggedScalar) else ""
    if letter == "s":
        return isinstance(value, (Text, str)) or kind in ("i", "b")
    return kind == ("f" if letter in "fF" else "i") or type(value) is (float if letter in "fF" else int)


def parts_of_fields(template: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Part] | None:
    """`template.format(*args, **kwargs)` as the parts of an f-string; None of what has no such form."""
    parts: list[Part] = []
    count = 0
    for text, name, spec, conversion in string.Formatter().parse(template):
        parts.append(text)
        if name is None:
            continue
        if name == "" and count >= 0:
            name, count = str(count), count + 1
        elif name.isdigit() and count <= 0:
            count = -1
        key: Any = int(name) if name.isdigit() else name
        values: Any = args if isinstance(key, int) else kwargs
        if "{" in (spec or "") or (key not in values if values is kwargs else not key < len(values)):
            return None
        parts.append((values[key], conversion or "", spec or ""))
    return [part for part in parts if part != ""]


def digits_of(magnitude: Any, base: Any, ten: Any, every: Any, between: Any) -> Any:
    """The code points of the digits of a number that is not negative, with a separator between so many."""
    count, rest = 1, magnitude // base
    while rest > 0:
        count += 1
        rest = rest // base
    place = count + ((count - 1) // every if every > 0 else 0)
    made = np.empty(place, np.uint32)
    rest = magnitude
    for k in range(count):
        if every > 0 and k > 0 and k % every == 0:
            place -= 1
            made[place] = between
        digit = rest % base
        rest = rest // base
        place -= 1
        made[place] = digit + 48 if digit < 10 else digit + ten
    return made


def fixed(magnitude: Any, places: Any, scale: Any, every: Any, between: Any) -> Any:
    """The code points of a number that is not negative with so many decimal places, and whether they are known: the fraction is 120 bits
    in four limbs, of which each step of the division gives a digit; below them only whether it is a little more counts."""
    if not magnitude < 4611686018427387904.0:
        return np.empty(0, np.uint32), False
    whole = int(magnitude)
    rest = (magnitude - whole) * 1073741824.0
    first = int(rest)
    rest = (rest - first) * 1073741824.0
    second = int(rest)
    rest = (rest - second) * 1073741824.0
    third = int(rest)
    rest = (rest - third) * 1073741824.0
    fourth = int(rest)
    decimals = 0
    for _ in range(places):
        fourth = fourth * 10
        third = third * 10 + (fourth >> 30)
        second = second * 10 + (third >> 30)
        first = first * 10 + (second >> 30)
        decimals = decimals * 10 + (first >> 30)
        first, second, third, fourth = first & 1073741823, second & 1073741823, third & 1073741823, fourth & 1073741823
    half = 536870912
    last = decimals if places > 0 else whole
    is_more = (second | third | fourth) != 0 or rest > fourth or last % 2 == 1
    if first > half or (first == half and is_more):
        decimals += 1
    if decimals >= scale:
        decimals -= scale
        whole += 1
    head = digits_of(whole, 10, 0, every, between)
    if places == 0:
        return head, True
    size = len(head)
    made = np.empty(size + 1 + places, np.uint32)
    for k in range(size):
        made[k] = head[k]
    made[size] = 46
    for k in range(places):
        made[size + places - k] = decimals % 10 + 48
        decimals = decimals // 10
    return made, True


def laid_out(is_negative: Any, plus: Any, prefix: Any, body: Any, behind: Any, fill: Any, width: Any, first: Any, then: Any) -> Any:
    """A sign, a prefix or None, digits and the letter behind them or None, filled up to a width; `plus` is the sign of what is not below 0,
    0 for none; `first` and `then` are halves of what is filled in before all of them and between the prefix and the digits."""
    sign = 45 if is_negative else plus
    count = len(body) + (0 if prefix is None else len(prefix)) + (0 if behind is None else 1) + (1 if sign != 0 else 0)
    more = max(width - count, 0) if width > 0 else 0
    made = np.empty(count + more, np.uint32)
    place = 0
    if width > 0 and first > 0:
        place = more * first // 2
        for k in range(place):
            made[k] = fill
    if sign != 0:
        made[place] = sign
        place += 1
    if prefix is not None:
        for k in range(len(prefix)):
            made[place + k] = prefix[k]
        place += len(prefix)
    if width > 0 and then > 0:
        for k in range(more):
            made[place + k] = fill
        place += more
    for k in range(len(body)):
        made[place + k] = body[k]
    place += len(body)
    if behind is not None:
        made[place] = behind
        place += 1
    if width > 0 and first < 2 and then == 0:
        for k in range(place, count + more):
            made[k] = fill
    return made


CONVERTED: tuple[Callable[..., Any], ...] = (digits_of, fixed, laid_out)
