"""Python's builtins on texts: ord, chr, len of letters, int and float of a text; and what else is written in Python beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.in_c import COPIED, FOUND, READ_FLOAT, READ_INT, SCANNED
from autograph_jit.library.python.byte_items import ints_given, vector_of_bytes
from autograph_jit.ops.texts import BYTE
from autograph_jit.tracing.containers import slice_writes, tuples
from autograph_jit.tracing.containers.buffers import ViewedBytes
from autograph_jit.tracing.expressions.calls import BUILTINS, native
from autograph_jit.tracing.expressions.register import builtin, convert_on_call, for_c, present, shared_on_call
from autograph_jit.tracing.expressions.text import formatted_natively
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.objects.callers_objects import depends_on_run
from autograph_jit.tracing.plain.python_texts import text_of
from autograph_jit.tracing.sequences.dynamic import type_of_text
from autograph_jit.tracing.texts import formats, letters, searching, splitting
from autograph_jit.tracing.texts.text import CODE_BITS, Bytes, Character, Text, as_object, as_text
from autograph_jit.tracing.values.abstract import StagedScalar, check, content_of, may_be_none
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, index_value, scalar, truth
from autograph_jit.tracing.values.trace import active, constant, emit, raising

LAST_CODE = 0x110000
INT = np.dtype(np.int64)


@builtin(ord)
def staged_ord(x: Any) -> Any:
    x = present(x)
    text = as_text(x, type_of_text(x) or str) if not isinstance(x, (str, bytes)) else None
    if text is None:
        return native(ord, (x,), {})
    if isinstance(text, Character):
        return text.code
    length = text.length()
    if isinstance(length, int):
        if length != 1:
            ord(text.kind_of_text() if length == 0 else text.kind_of_text(b"  ") if isinstance(text, Bytes) else " " * length)
    else:
        wording = "ord() expected a character, but string of length {0} found"
        check(truth(length == 1), TypeError, wording, length.value)
    return text.code_at(0)


other_chr = acts_for_program(BUILTINS[chr])


@builtin(chr)
def staged_chr(x: Any) -> Any:
    x = present(x)
    if not isinstance(x, StagedScalar) or x.is_tagged or x.scalar_dtype.kind not in "iu":
        return other_chr(x)
    number: Any = x if x.weak else int_of(x)
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


def on_letters(function: Any, written: Callable[[Any], Any]) -> None:
    """`str(text)` is the text, `str(number)` its digits; what may be None is written as it or as None."""
    other: Callable[..., Any] = BUILTINS[function]

    def rule(*args: Any, **kwargs: Any) -> Any:
        if len(args) != 1 or kwargs:
            return other(*map(as_object, args), **kwargs)
        if may_be_none(args[0]):
            return distribute(args[0], rule)
        found = written(present(args[0]))
        return other(as_object(args[0])) if found is None else found

    BUILTINS[function] = rule


other_format = BUILTINS[format]


@builtin(format)
def staged_format(*args: Any, **kwargs: Any) -> Any:
    text = formatted_natively(present(args[0]), args[1]) if len(args) == 2 and not kwargs else None
    return other_format(*map(as_object, args), **kwargs) if text is None else text


def read_natively(kind: type, search: Callable[..., Any]) -> None:
    """`int(text)` or `float(text)`, by a search for the usual ways to write one; Python reads the others."""
    other = BUILTINS[kind]

    def rule(*args: Any, **kwargs: Any) -> Any:
        if args and may_be_none(args[0]):
            args = content_of(args[0], TypeError, text_of(kind, None)), *args[1:]
        base = args[1:] or tuple(kwargs[name] for name in kwargs if name == "base")
        is_based = kind is int and len(args) + len(kwargs) == 2 and len(base) == 1 and type(base[0]) is int and 2 <= base[0] <= 36
        if not args or not isinstance(args[0], Text) or len(args) + len(kwargs) > 1 and not is_based:
            return other(*map(as_object, args), **kwargs)
        text = args[0]

        def by_python() -> Any:
            def number(*errors: type) -> Any:
                with raising(*errors):
                    return other(as_object(text), *base)

            return letters.unless_no_number(kind, text, base, number) if active().handling.tries else number(ValueError)

        if is_based:
            number, is_known = language.call(searching.in_base, (text.codes, *base), None)
            return letters.usually(is_known, lambda: number, by_python)
        if isinstance(text, Character):
            digit = letters.digit(text.code)
            return letters.usually(digit >= 0, lambda: BUILTINS[kind](digit), by_python)
        number, is_known = language.call(search, (text.codes,), None)
        return letters.usually(is_known, lambda: number, by_python)

    BUILTINS[kind] = rule


read_natively(int, searching.decimal)
read_natively(float, searching.floating)


@builtin(bytes)
def staged_bytes(*args: Any, **kwargs: Any) -> Any:
    items = args[0] if len(args) == 1 and not kwargs else None
    if isinstance(items, (Bytes, ViewedBytes)):
        return items.plain if isinstance(items, Bytes) else Bytes(array(emit("copy", items.items.value).result))
    if isinstance(items, StagedScalar) and not items.is_tagged and items.scalar_dtype.kind in "iu":
        check(truth(language.compare(">=", items, 0)), ValueError, "negative count")
        size = items.size if items.size is not None else active().fresh_atom("d", "bytes")
        return Bytes(array(emit("full", constant(BYTE.type(0)), index_value(items), dims=(size,)).result))
    if (numbers := ints_given(items)) is not None:
        return Bytes(vector_of_bytes(numbers, "bytes"))
    return (
        native(bytes, tuple(map(as_object, args)), kwargs)
        if not depends_on_run((args, kwargs))
        else host_object(bytes, *args, label="bytes", python_type=bytes, **kwargs)
    )


def on_digits(function: Any, spec: str) -> None:
    """`hex(n)`, `oct(n)` or `bin(n)`, as the specification of a format has it."""
    other = BUILTINS[function]

    def rule(*args: Any) -> Any:
        is_number = len(args) == 1 and isinstance(args[0], StagedScalar) and args[0].weak
        text = formatted_natively(args[0], spec) if is_number else None
        return other(*args) if text is None else text

    BUILTINS[function] = rule


on_objects(print)
for _builtin, _written in ((str, letters.letters_of), (repr, letters.quoted)):
    on_letters(_builtin, _written)
for _digits, _spec in ((hex, "#x"), (oct, "#o"), (bin, "#b")):
    on_digits(_digits, _spec)


@builtin(splitting.letters_in)
def codes_of_text(text: Any) -> Any:
    """The code points of a str, or the bytes of a bytes object, that is none of Python's."""
    found = as_text(text, type_of_text(text) or str)
    assert found is not None
    return found.codes


WRITTEN = (*searching.CONVERTED, *splitting.FOUND, *formats.CONVERTED)
READ = (((searching.decimal, searching.in_base), READ_INT), ((searching.floating,), READ_FLOAT))
for _functions, _share in ((WRITTEN, FOUND), (splitting.SPACED, SCANNED), *READ):
    for _search in _functions:
        builtin(_search)(for_c(shared_on_call(_search), _share))
OF_ITEMS = (*splitting.IN_LISTS, *slice_writes.CONVERTED)
for _functions, _share in ((OF_ITEMS, FOUND), (splitting.PARTED, SCANNED), (tuples.CONVERTED, COPIED)):
    for _search in _functions:
        builtin(_search)(for_c(convert_on_call(_search), _share))
