"""Text in converted code: f-strings and messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_jit.tensor.boxes import map_boxes
from autograph_jit.tracing.hosting.exceptions import object_of
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.objects.callers_objects import depends_on_run
from autograph_jit.tracing.texts.letters import letters_of
from autograph_jit.tracing.texts.text import Text, as_text, concatenated
from autograph_jit.tracing.values.abstract import StagedScalar
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.trace import current

CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda x: x, "r": repr, "s": str, "a": ascii}


def fstring(*parts: Any) -> Any:
    """An f-string: `parts` are strings, or tuples (value, conversion character or "", format spec)."""
    unwrapped = tuple((object_of(part[0]), part[1], part[2]) if isinstance(part, tuple) else part for part in parts)
    if current() is not None and depends_on_run(unwrapped):
        if (text := built_natively(unwrapped)) is not None:
            return text
        pure = all(isinstance(part, str) or not depends_on_run(part) or isinstance(part[0], StagedScalar) for part in unwrapped)
        return host_object(join_parts, unwrapped, label="f-string", python_type=str, pure=pure)
    return join_parts(unwrapped)


def built_natively(parts: tuple[Any, ...]) -> Any:
    """The text of parts that are texts and ints of the run, written as they are; None where there are others, but for a text among them."""
    found = [text_part(part) for part in parts]
    if any(part is None for part in found) and not any(isinstance(part, tuple) and isinstance(part[0], Text) for part in parts):
        return None
    return concatenated([as_text(by_python(part)) if text is None else text for part, text in zip(parts, found) if part != ""])


def text_part(part: Any) -> Any:
    """The text of a part; None where Python has to write it."""
    if isinstance(part, str):
        return as_text(part)
    value, conversion, spec = part
    if spec or conversion not in ("", "s"):
        return None
    return letters_of(value) if isinstance(value, (Text, StagedScalar)) else as_text(value)


def by_python(part: tuple[Any, str, str]) -> Any:
    """A part as Python writes it."""
    return host_object(join_parts, (part,), label="f-string", python_type=str) if depends_on_run(part) else join_parts((part,))


def modulo(a: Any, b: Any) -> Any:
    """`a % b`: the remainder, or text with values filled in."""
    if current() is not None and isinstance(a, (str, bytes, Text)) and depends_on_run((a, b)):
        return host_object(filled_in, a, b, label="str %", python_type=getattr(type(a), "__rebuilt_type__", type(a)))
    return a % b


def filled_in(text: Any, values: Any) -> Any:
    """`text % values`: recorded numbers by their values, since a text has no derivative."""
    return text % map_boxes(values, lambda box: box.array[()])


def join_parts(parts: tuple[Any, ...]) -> str:
    """The text of an f-string's parts."""
    return "".join(part if isinstance(part, str) else formatted(*part) for part in parts)


@acts_for_program
def formatted(value: Any, conversion: str, spec: str) -> str:
    """The text of a value in an f-string."""
    return format(CONVERSIONS[conversion](value), spec)
