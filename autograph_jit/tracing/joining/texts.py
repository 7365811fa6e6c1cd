"""Texts where paths meet: a letter stays a number where both are letters, anything else is a vector of code points."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.tracing.texts.numpy_texts import MADE
from autograph_jit.tracing.texts.references import reference_of, text_of_reference
from autograph_jit.tracing.texts.text import CLASSES, Character, Text, as_text
from autograph_jit.tracing.values.lift import scalar
from autograph_jit.tracing.values.trace import active
from autograph_jit.tracing.values.types import LETTER, REFERRED, STORED, Array, Constant, Opaque, TextType, ValueType


def describe_text(x: Text, codes: Array | None) -> TextType:
    """The description of a text, whose `codes` are described; of a letter, None."""
    if codes is not None and x.reference is not None:
        return REFERRED[x.__rebuilt_type__]
    return LETTER if codes is None else TextType("text", x.__rebuilt_type__, (codes,))


def made_text(x: TextType, parts: list[Any]) -> Any:
    """The stand-in of a text of its parts."""
    if x.form in ("stored", "referred"):
        return text_of_reference(parts[0].value, x.kind)
    return Character(parts[0]) if x.form == "letter" else MADE[x.kind](*parts)


def kind_of_text(x: ValueType) -> type | None:
    """The type of a text, constant or of the run; None for anything else."""
    if isinstance(x, TextType):
        return x.kind
    if isinstance(x, Constant) and type(x.value) in CLASSES:
        return type(x.value)
    return x.python_type if isinstance(x, Opaque) and x.python_type in CLASSES else None


def is_letter(x: ValueType) -> bool:
    """Whether a description is of one letter."""
    return x == LETTER or isinstance(x, Constant) and type(x.value) is str and len(x.value) == 1


def join_texts(a: ValueType, b: ValueType) -> TextType | None:
    """Two texts of one type; None for anything else, and for objects of Python's."""
    kind = kind_of_text(a)
    if kind is None or kind is not kind_of_text(b) or all(isinstance(x, Opaque) for x in (a, b)):
        return None
    if any(isinstance(x, Opaque) for x in (a, b)) and any(isinstance(x, Constant) for x in (a, b)):
        return None
    if STORED[kind] in (a, b):
        return STORED[kind]
    if REFERRED[kind] in (a, b) and all(x == REFERRED[kind] or isinstance(x, Constant) for x in (a, b)):
        return REFERRED[kind]
    if is_letter(a) and is_letter(b):
        return LETTER
    sizes = {size_of(x) for x in (a, b)}
    size = sizes.pop() if len(sizes) == 1 else None
    codes = Array(np.dtype(MADE[kind].dtype), (active().fresh_atom("d", "text") if size is None else size,))
    return TextType("text", kind, (codes,))


def size_of(x: ValueType) -> Any:
    """The number of letters as a description knows it."""
    if isinstance(x, TextType):
        return 1 if x == LETTER else None if x.form == "referred" else x.items[0].dims[0]
    return len(x.value) if isinstance(x, Constant) else None


def parts_of_text(x: TextType, value: Any) -> list[Any]:
    """What carries a value under the description of a text."""
    if x.form in ("stored", "referred"):
        return [scalar(reference_of(value, x.kind))]
    text = as_text(value, x.kind)
    assert text is not None
    if x.form == "text":
        return [text.codes]
    assert isinstance(text, Character)
    return [text.stored]
