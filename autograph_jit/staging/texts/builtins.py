"""Python's builtins on texts: ord, chr, len of letters, int and float of a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_jit.staging.checks import check
from autograph_jit.staging.expressions.calls import BUILTINS
from autograph_jit.staging.lift import scalar, truth
from autograph_jit.staging.standard_library.register import builtin, convert_on_call, for_c, settled
from autograph_jit.staging.texts import searching
from autograph_jit.staging.texts.text import CODE_BITS, Bytes, Character, Text, as_object, as_text
from autograph_jit.staging.values import StagedScalar, TaggedScalar

LAST_CODE = 0x110000


@builtin(ord)
def staged_ord(x: Any) -> Any:
    x = settled(x)
    text = as_text(x, bytes if isinstance(x, Bytes) else str) if not isinstance(x, (str, bytes)) else None
    if text is None:
        return ord(x)
    if isinstance(text, Character):
        return text.code
    length = text.length()
    if isinstance(length, int):
        if length != 1:
            ord(text.__rebuilt_type__() if length == 0 else text.__rebuilt_type__(b"  ") if isinstance(text, Bytes) else " " * length)
    else:
        wording = "ord() expected a character, but string of length {0} found"
        check(truth(length == 1), TypeError, wording, length.value)
    return text.code_at(0)


other_chr = BUILTINS[chr]


@builtin(chr)
def staged_chr(x: Any) -> Any:
    x = settled(x)
    if not isinstance(x, StagedScalar) or isinstance(x, TaggedScalar) or x.scalar_dtype.kind not in "iu":
        return other_chr(x)
    number = x if x.weak else int_of(x)
    check(truth(number >= 0), ValueError, "chr() arg not in range(0x110000)")
    check(truth(number < LAST_CODE), ValueError, "chr() arg not in range(0x110000)")
    return Character(scalar(number.value, True, number.size, CODE_BITS))


def int_of(x: Any) -> Any:
    """A number as Python's int."""
    return BUILTINS[int](x)


def on_objects(function: Any) -> None:
    """A builtin that asks Python about the object that a text is."""
    other = BUILTINS[function]

    def rule(*args: Any, **kwargs: Any) -> Any:
        return other(*map(as_object, args), **kwargs)

    BUILTINS[function] = rule


def identity_of(function: type) -> None:
    """`str(text)` is the text."""
    other: Callable[..., Any] = BUILTINS[function]

    def rule(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], Text) and args[0].__rebuilt_type__ is function:
            return args[0]
        return other(*map(as_object, args), **kwargs)

    BUILTINS[function] = rule


for _function in (int, float, repr, format, print):
    on_objects(_function)
identity_of(str)
for _function in searching.CONVERTED:
    builtin(_function)(for_c(convert_on_call(_function)))
