"""Texts of the caller's: constants under guard until the program uses one as data."""

from __future__ import annotations

from typing import Any

from autograph_jit.ir.types import OBJECT
from autograph_jit.tracing.texts.constants import CONSTANT, TEXT, TEXT_TYPES, note_text
from autograph_jit.tracing.texts.text import at_the_beginning, text_of_object
from autograph_jit.tracing.values.abstract import StagedObject


def argument_text(inputs: Any, x: Any, getter: Any, name: str, scope: Any = None) -> Any:
    """A constant of the caller's, whose name is unique in its scope; a str or bytes object is a text of the run where an earlier trace
    asked for it."""
    key = name if scope is None else (name, scope)
    is_constant = (CONSTANT, key) in inputs.trace.decisions
    if type(x) in TEXT_TYPES and (TEXT, key) in inputs.trace.decisions and not is_constant:
        known = inputs.reads.get((TEXT, key))
        if known is None:
            inputs.guard(getter, "type", type(x), f"{name} is a {type(x).__name__}")
            source = StagedObject(inputs.parameter(OBJECT, getter, name), type(x))
            with at_the_beginning(inputs.trace):
                known = text_of_object(source)
            known.origin = key
            inputs.reads[TEXT, key] = known
        return known
    if ("constant", key) not in inputs.reads or scope is None:
        inputs.reads["constant", key] = x
        inputs.guard(getter, "value", x, f"{name} == {x!r}")
    if type(x) in TEXT_TYPES and not is_constant:
        note_text(inputs, x, key)
    return x
