"""References to texts, by which lists, dicts, sets and variables that may be something else hold them."""

from __future__ import annotations

from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.ops.texts import BYTE
from autograph_jit.tracing.sequences.dynamic import class_of_text, type_of_text
from autograph_jit.tracing.texts.numpy_texts import MADE
from autograph_jit.tracing.texts.text import CLASSES, NUMPY_TEXTS, Character, Text, as_text
from autograph_jit.tracing.values.lift import array, cast
from autograph_jit.tracing.values.trace import active, at_the_beginning, emit, is_inside

LOOPS = ("for", "while")  # the kinds of regions that are repeated


def text_of_reference(reference: Value, kind: type = str) -> Text:
    """The text, or bytes, that a reference from a list, dict or set is to."""
    dims = (active().fresh_atom("d", "text"),)
    letters = emit("text_letters", reference, dims=dims, borrowed=True).result
    made = MADE[kind]
    return made(array(cast(letters, BYTE) if made.dtype == BYTE else letters), reference=reference)


def reference_of(x: Any, kind: type | None = None) -> Value:
    """The reference to a text, for a list, dict or set, as one of a `kind`: to a known one once, before the loops around."""
    trace = active()
    around = {region.kind for region in trace.regions}
    if type(x) not in CLASSES or trace.inputs is None or not is_inside(trace) or around.isdisjoint(LOOPS) or "function" in around:
        return new_reference(x, kind)  # a function of the program knows nothing of what stands before it
    key = "text reference", x, kind
    if key not in trace.inputs.reads:
        with at_the_beginning(trace):
            trace.inputs.reads[key] = new_reference(x, kind)
    return trace.inputs.reads[key]  # type: ignore[no-any-return]


def new_reference(x: Any, kind: type | None) -> Value:
    """The same, where the program is now."""
    text = as_text(x, type_of_text(x) or str)
    assert text is not None
    kind = kind or class_of_text(x) or str
    if text.reference is not None and text.__rebuilt_type__ is kind:
        return text.reference
    letters = text.stored if isinstance(text, Character) else text.codes
    attributes: dict[str, Any] = {"numpy": True} if kind in NUMPY_TEXTS else {}
    return emit("text_reference", letters.value, **attributes).result


def remembered(x: Any) -> Text | None:
    """A text with its reference, by which it is compared with those of a list; None for anything else."""
    is_known = isinstance(x, Text) or type(x) in CLASSES
    return text_of_reference(reference_of(x), class_of_text(x) or str) if is_known else None
