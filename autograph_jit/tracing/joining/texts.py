"""Texts where paths meet: a letter stays a number where both are letters, anything else is a vector of code points."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.types import TEXT_DTYPE
from autograph_jit.tracing.joining.forms import Array, Constant, Container, Description, Opaque, Scalar
from autograph_jit.tracing.texts.text import CLASSES, Character, Text, as_text, reference_of, text_of_reference
from autograph_jit.tracing.values.lift import scalar
from autograph_jit.tracing.values.trace import active

TEXT, CHARACTER, STORED = "text", "character", "stored text"
LETTER = Container((CHARACTER,), (Scalar(((Text.dtype, False),)),), lambda parts: Character(parts[0]))


STORED_TEXT = Container((STORED,), (Scalar(((TEXT_DTYPE, False),)),), lambda parts: text_of_reference(parts[0].value))  # in a list


def describe_text(x: Text, codes: Array | None) -> Container:
    """The description of a text, whose `codes` are described; of a letter, None."""
    if codes is None:
        return LETTER
    made = CLASSES[x.__rebuilt_type__]
    return Container((TEXT, x.__rebuilt_type__), (codes,), lambda parts: made(*parts))


def kind_of_text(x: Description) -> type | None:
    """The type of a text, constant or of the run; None for anything else."""
    if isinstance(x, Container) and x.key[0] in (TEXT, CHARACTER, STORED):
        return x.key[1] if x.key[0] == TEXT else str
    if isinstance(x, Constant) and type(x.value) in CLASSES:
        return type(x.value)
    return x.python_type if isinstance(x, Opaque) and x.python_type in CLASSES else None


def is_letter(x: Description) -> bool:
    """Whether a description is of one letter."""
    return x == LETTER or isinstance(x, Constant) and type(x.value) is str and len(x.value) == 1


def join_texts(a: Description, b: Description) -> Container | None:
    """Two texts of one type; None for anything else, and for objects of Python's."""
    kind = kind_of_text(a)
    if kind is None or kind is not kind_of_text(b) or all(isinstance(x, Opaque) for x in (a, b)):
        return None
    if any(isinstance(x, Opaque) for x in (a, b)) and any(isinstance(x, Constant) for x in (a, b)):
        return None
    if is_letter(a) and is_letter(b):
        return LETTER
    sizes = {size_of(x) for x in (a, b)}
    size = sizes.pop() if len(sizes) == 1 else None
    made = CLASSES[kind]
    codes = Array(np.dtype(made.dtype), (active().fresh_atom("d", TEXT) if size is None else size,))
    return Container((TEXT, kind), (codes,), lambda parts: made(*parts))


def size_of(x: Description) -> Any:
    """The number of letters as a description knows it."""
    if isinstance(x, Container):
        return 1 if x.key[0] == CHARACTER else x.items[0].dims[0]
    return len(x.value) if isinstance(x, Constant) else None


def parts_of_text(x: Container, value: Any) -> list[Any]:
    """What carries a value under the description of a text."""
    if x.key[0] == STORED:
        return [scalar(reference_of(value))]
    text = as_text(value, str if x.key[0] == CHARACTER else x.key[1])
    assert text is not None
    if x.key[0] == TEXT:
        return [text.codes]
    assert isinstance(text, Character)
    return [text.stored]
